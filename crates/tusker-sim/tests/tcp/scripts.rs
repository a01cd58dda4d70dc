//! TCP, step by step, from scripts whose numbers were worked out by hand.
//!
//! A script is text; `#` starts a comment, where the RFC's sentence and the
//! arithmetic belong. It is run once for each law that it names.
//!
//! ```text
//! cc reno hstcp           laws to run; * is all that do up to 34 segments what Reno
//!                         does
//! flow recovery=sack prr initial_window=10
//!                         a connection at time 0, which sends what it may;
//!                         any field of plan::Tcp, segments=20, stop=1s;
//!                         ecn, ecn=accurate or ecn=l4s; app for an application that
//!                         has data only by `write`.
//!                         Defaults: Connection::default_tcp
//! at 100ms                time passes until then, +50ms for this long; timers fire
//! timer                   time passes until the sender's next timer, which fires
//! ack 5                   the receiver expects segment 5 next
//! ack 5 sack 7-9 11 [ece] [marked=2]
//!                         7, 8, 9 and 11 arrived too, the latest block first; the
//!                         ACE field is 2 further than in the ACK before, or the same
//! ack 5 [sent=3ms] [reached=53ms]
//!                         departure and arrival of the segment that caused it;
//!                         else the last transmission of segment 4 (of the
//!                         first block, if nothing new is acknowledged), and
//!                         half way between then and now
//! acks 3 7                the same as ack 3, ack 4, ... ack 7
//! write 12                the application writes this many more segments
//! data 0 [ce] [cwr] [rtx] [psh] [sent=3ms]
//!                         the receiver gets segment 0
//! run until=2s delay=50ms drop=3,7 mark=4
//!                         a path with this one-way delay loses the 3rd and 7th
//!                         transmission (the first is 1), marks the 4th
//! expect send 0-2 r1 3cwr 4psh
//!                         what was sent since the last such line: r is a
//!                         retransmission; `none` if nothing was sent
//! expect ack 5 sack 7-9 [ece] [ace=6] [sent=3ms] [at=50ms]
//!                         the receiver's next ACK; the ACE field is as it was, if it
//!                         is not given; ack none
//! expect cwnd 5.5 ssthresh inf flight 9 pipe 7 rto 300ms srtt 50ms timer 1s
//!                         to the digits given; also sent retransmitted
//!                         episodes timeouts undone delivered now min_rtt finished,
//!                         any internal value of the law
//! expect[hstcp] cwnd 7    for one law only
//! ```

use std::path::Path;

use tusker_core::congestion::{
    ALL, Ack, Algorithm, Congestion, Controller, Options, Rtt, Signal, Spec, Timeout,
};
use tusker_core::{Duration, Sheet, Time};
use tusker_scripts::{Failure, Text};

use crate::bench::Connection;

#[test]
fn scripts_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let scripts = Text::all_in(&folder);
    let failures: Vec<_> = scripts.iter().flat_map(run).map(|f| f.to_string()).collect();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn a_script_can_fail() {
    let fails = |text: &str| {
        let failures = run(&Text::parse("wrong", text));
        failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        fails("cc reno\nflow initial_window=2\nexpect send 0-2"),
        "wrong:3: reno: sent 0 1, expected 0 1 2"
    );
    assert_eq!(
        fails("cc reno\nflow initial_window=2\nack 2\nexpect cwnd 5.0"),
        "wrong:4: reno: cwnd is 3, expected 5.0"
    );
    assert!(fails("cc remo\nflow").contains("wrong:1: no law is called `remo`"));
    assert!(fails("cc reno\nack 1").contains("wrong:2: reno: begin with `flow`"));
    assert!(fails("cc reno\nflow wings=2").contains("`wings=2` is not understood"));
    assert!(fails("cc reno\nflow\nexpect speed 1").contains("reno shows no `speed`"));
    assert!(fails("cc reno\nflow\njump").contains("`jump` is not a command"));
    assert!(fails("cc reno\nflow initial_window=1\nack 5").contains("was never sent"));
    assert!(fails("cc reno\nflow\nat 1ms\nat 0ms").contains("is over"));
}

/// Runs a script for each of its laws: what failed.
fn run(script: &Result<Text, Failure>) -> Vec<Failure> {
    let laws = script.as_ref().map_err(Clone::clone).and_then(|text| {
        let laws = text.laws(is_reno_at_small_windows)?;
        Ok(laws.iter().flat_map(|law| run_for(law.name, text)).collect())
    });
    laws.unwrap_or_else(|failure| vec![failure])
}

/// Windows of a small connection: slow start, losses, growth, a timeout.
fn small_windows(sheet: &Sheet) -> Vec<f64> {
    let options = Options { initial_window: 4.0, ..Options::default() };
    let spec = Spec::named(sheet.name, []).expect("from the registry");
    let mut law = Algorithm::new(&spec, &options);
    let (rtt, mut now, mut windows) = (Duration::from_millis(100), Time::ZERO, Vec::new());
    for episode in 0..4 {
        for i in 0..30 {
            now += Duration::from_millis(25);
            law.on_ack(&Ack {
                now,
                acked: 1,
                credit: 1.0,
                rtt: Some(Rtt { latest: rtt, smoothed: rtt, min: rtt, forward: None }),
                round_start: i % 4 == 0,
                cwnd_limited: true,
                ..Ack::default()
            });
            windows.push(law.cwnd());
        }
        if episode == 2 {
            law.on_timeout(&Timeout { now, flight: 34, in_flight: 0, first: true });
        } else {
            law.on_congestion(&Congestion { now, signal: Signal::Loss, flight: 34 });
            law.on_recovered(now);
        }
        windows.extend([law.cwnd(), law.ssthresh()]);
    }
    windows
}

/// Endpoint scripts are about segments; their arithmetic is Reno's.
fn is_reno_at_small_windows(sheet: &Sheet) -> bool {
    let reno = ALL.iter().find(|s| s.name == "reno").expect("in the registry");
    small_windows(sheet) == small_windows(reno)
}

#[test]
fn these_do_at_small_windows_what_reno_does() {
    let names: Vec<_> =
        ALL.iter().filter(|s| is_reno_at_small_windows(s)).map(|s| s.name).collect();
    for name in ["reno", "hstcp", "ghstcp"] {
        assert!(names.contains(&name), "{name} is not among {names:?}");
    }
    for name in ["scalable", "westwood", "bic", "cubic", "cubic2005"] {
        assert!(!names.contains(&name), "{name} is among {names:?}");
    }
}

fn run_for(law: &'static str, text: &Text) -> Vec<Failure> {
    let mut failures = Vec::new();
    let mut connection = None;
    for line in &text.lines {
        let (command, words) = line.command();
        let result = match (command, &mut connection) {
            ("flow", _) => Connection::new(law, words).map(|c| connection = Some(c)),
            (_, None) => Err("begin with `flow`".into()),
            (_, Some(connection)) => connection.step(command, words),
        };
        if let Err(error) = result {
            failures.push(text.at(line.number, format!("{law}: {error}")));
            if !command.starts_with("expect") {
                break;
            }
        }
    }
    failures
}
