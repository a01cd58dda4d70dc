//! Laws, step by step, from scripts whose numbers were worked out by hand.

use tusker_core::congestion::{ALL, Ack, Congestion, Controller, Options, Timeout};
use tusker_core::{Sheet, Time};
use tusker_scripts::{Script, of_laws};

#[test]
fn scripts_hold() {
    let led = |script: Result<Script, _>| script?.run_for_its_laws();
    let failures: Vec<_> = of_laws().into_iter().map(led).filter_map(Result::err).collect();
    let lines: Vec<_> = failures.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "\n{}", lines.join("\n"));
}

#[test]
fn every_law_has_a_script_of_its_own() {
    let scripts: Vec<_> = of_laws().into_iter().filter_map(Result::ok).collect();
    let has_one = |sheet: &&Sheet| scripts.iter().any(|s| s.text.named == [sheet.name]);
    let without: Vec<_> = ALL.iter().filter(|s| !has_one(s)).map(|s| s.name).collect();
    assert!(without.is_empty(), "laws that no script leads alone: {without:?}");
}

/// The error of an invalid script.
fn fails(text: &str) -> String {
    let led = Script::parse("wrong.script", text).and_then(|script| script.run_for_its_laws());
    led.expect_err("this script is wrong").to_string()
}

#[test]
fn a_script_can_fail() {
    assert_eq!(
        fails("cc reno\nstart cwnd=2\nack 2\nexpect cwnd 5.0"),
        "wrong.script:4: reno: cwnd is 4, expected 5.0"
    );
    let unknown = "wrong.script:1: no law is called `remo`; there are reno, hstcp, ghstcp, ";
    assert!(fails("cc remo").starts_with(unknown), "{}", fails("cc remo"));
    assert_eq!(
        fails("cc reno\nstart\nexpect speed 1"),
        "wrong.script:3: reno: it shows no `speed`"
    );
    let range = "wrong.script:1: hstcp: w_low is 0, not within 10 to 1000";
    assert_eq!(fails("cc hstcp w_low=0\nstart"), range);
    let unknown = "wrong.script:1: scalable: it has no `z`; it has ";
    assert!(fails("cc scalable z=1\nstart").starts_with(unknown));
}

#[test]
fn a_line_that_is_not_understood_is_named() {
    for (text, line, what) in [
        ("", 1, "the script is empty"),
        ("# only a comment", 1, "the script is empty"),
        ("ack 1", 1, "begin with `cc` and the laws to run"),
        ("cc", 1, "`cc` names no law"),
        ("cc reno\n\nack 1", 3, "begin a connection with `start`"),
        ("cc reno\nstart cwnd=x", 2, "`x` is not a number"),
        ("cc reno\nstart slow_start=fast", 2, "no slow start is called `fast`"),
        ("cc reno\nstart\nack 1 rtt=5", 3, "`5` is not a time such as 100ms"),
        ("cc reno\nstart\njump", 3, "`jump` is not a command"),
        ("cc reno\nstart\nack 1 nonsense", 3, "`nonsense` is not understood here"),
        ("cc reno\nstart\nack 1x", 3, "`1x` is not a number"),
        ("cc reno\nstart\nexpect", 3, "nothing is expected"),
        ("cc reno\nstart\nexpect cwnd", 3, "`cwnd` has no value"),
        ("cc reno\nstart\nexpect cwnd two", 3, "`two` is not a number"),
    ] {
        assert_eq!(fails(text), format!("wrong.script:{line}: {what}"), "{text:?}");
    }
}

/// Without a point a number must be exact.
#[test]
fn digits_say_how_exact_a_number_is() {
    let script =
        |expected: &str| format!("cc reno\nstart cwnd=3 ssthresh=2\nack 1\nexpect {expected}");
    let holds = |expected: &str| Script::parse("", &script(expected))?.run_for_its_laws();
    // 3 + 1/3
    for right in ["cwnd 3.3", "cwnd 3.333", "cwnd 3.3333 ssthresh 2"] {
        assert_eq!(holds(right), Ok(1), "{right}");
    }
    for wrong in ["cwnd 3", "cwnd 3.4", "cwnd 3.334", "ssthresh 2.1"] {
        assert!(holds(wrong).is_err(), "{wrong}");
    }
}

/// The tolerance in addition to half a unit of the last digit is this relative error and no
/// more: 3 + 1/3 is not 3.334.
#[test]
fn slack_is_a_part_of_the_number() {
    let text = "cc reno\nstart cwnd=3 ssthresh=2\nack 1\nexpect cwnd 3.334";
    let script = Script::parse("slack.script", text).expect("it is understood");
    let within = |slack| script.run_within(slack, "foreign", |options| Foreign::new(options, 0.5));
    assert_eq!(within(1e-4), Ok(()));
    // 3.334 - 3.33333 - 0.0005 = 1.67e-4 = 5.0e-5 of 3.334
    assert!(within(4.9e-5).is_err());
    assert_eq!(within(5.1e-5), Ok(()));
}

/// RFC 5681 written once more, independently: not of the registry, not a law, and using
/// none of its code.
struct Foreign {
    cwnd: f64,
    ssthresh: f64,
    repairing: bool,
    /// What a loss leaves of the window.
    left: f64,
    before: Option<(f64, f64)>,
}

impl Foreign {
    fn new(options: &Options, left: f64) -> Self {
        let (cwnd, ssthresh) = (options.initial_window, options.initial_ssthresh);
        Self { cwnd, ssthresh, repairing: false, left, before: None }
    }
}

impl Controller for Foreign {
    fn cwnd(&self) -> f64 {
        self.cwnd
    }

    fn ssthresh(&self) -> f64 {
        self.ssthresh
    }

    fn on_ack(&mut self, ack: &Ack) {
        let mut credit = if self.repairing || !ack.cwnd_limited { 0.0 } else { ack.credit };
        if self.cwnd < self.ssthresh {
            let climb = credit.min(self.ssthresh - self.cwnd);
            (self.cwnd, credit) = (self.cwnd + climb, credit - climb);
        }
        self.cwnd += credit / self.cwnd;
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.before = Some((self.cwnd, self.ssthresh));
        self.ssthresh = (self.left * self.cwnd.min(event.flight.into())).max(2.0);
        self.cwnd = self.cwnd.min(self.ssthresh);
        self.repairing = true;
    }

    fn on_recovered(&mut self, _: Time) {
        self.repairing = false;
    }

    fn on_timeout(&mut self, event: &Timeout) {
        if event.first {
            let repairing = std::mem::take(&mut self.repairing);
            let before = self.before.filter(|_| repairing);
            self.before = before.or(Some((self.cwnd, self.ssthresh)));
            self.ssthresh = (self.left * self.cwnd.min(event.flight.into())).max(2.0);
        }
        self.cwnd = 1.0;
    }

    fn on_undo(&mut self, _: Time) {
        let Some((cwnd, ssthresh)) = self.before.take() else { return };
        self.cwnd = self.cwnd.max(cwnd);
        self.ssthresh = self.ssthresh.max(ssthresh);
    }

    fn inspect(&self, _: &mut dyn FnMut(&'static str, f64)) {}
}

/// Reno's scripts, used for a controller that the registry does not have.
const RENOS: &[&str] = &["reno.script", "slow_start.script", "undo.script", "undo_last.script"];

fn renos() -> Vec<Script> {
    let scripts = of_laws().into_iter().filter_map(Result::ok);
    let scripts: Vec<_> = scripts.filter(|s| RENOS.contains(&&*s.text.file)).collect();
    assert_eq!(scripts.len(), RENOS.len(), "a script has gone");
    scripts
}

#[test]
fn a_law_that_is_not_ours_can_be_led() {
    for script in renos() {
        let led = script.run("foreign", |options| Foreign::new(options, 0.5));
        assert_eq!(led.map_err(|failure| failure.to_string()), Ok(()));
    }
}

/// One behind a pointer, as from another language, one connection at a time.
#[test]
fn a_law_is_led_by_what_it_says_of_itself() {
    for script in renos() {
        for connection in &script.connections {
            let mut law: Box<dyn Controller> = Box::new(Foreign::new(&connection.options, 0.5));
            assert_eq!(connection.lead(&mut *law), Ok(()), "{}", script.text.file);
        }
    }
}

#[test]
fn a_law_that_is_wrong_is_found() {
    let scripts = renos();
    let reno = scripts.iter().find(|s| s.text.file == "reno.script").expect("it is Reno's");
    let led = reno.run("gentle", |options| Foreign::new(options, 0.7));
    let failure = led.expect_err("it takes 0.7 where Reno halves").to_string();
    assert!(failure.starts_with("reno.script:"), "{failure}");
    assert!(failure.contains(": gentle: cwnd is "), "{failure}");
}
