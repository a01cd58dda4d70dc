//! Laws, step by step, from scripts whose numbers were worked out by hand.
//!
//! A script is text; `#` starts a comment, where the arithmetic belongs. It is
//! run once for each law that it names.
//!
//! ```text
//! cc reno hstcp             laws to run; name=value sets a parameter; * is all that
//!                           need nothing special of their transport, take slow
//!                           start from the options and are Reno below 38
//! start cwnd=10 ssthresh=20 max=100 pacing=1500 slow_start=limited max_ssthresh=100
//! rtt 100ms                 of the segments acknowledged from here on; none: no sample
//! forward 50ms              the same for the forward one-way delay
//! gap 10us                  between departures, 1ms at first
//! ack 10                    ten ACKs of one segment each
//! ack 2 credit=3            each is worth three segments; 0 is a duplicate
//! ack 10 rtt=100ms..110ms   round trips that change evenly from first to last
//! ack 10 rtt=100ms forward=40ms..50ms
//!                           one-way delays that change evenly, beside round trips
//! ack 10 app_limited        the window is not what limits the sender
//! ack 10 marked             what they acknowledge was marked
//! ack 3 feedback=2.5        what the routers said
//! ack 1 round               the first of the ACKs begins a round
//! ack 5 rate=200 [held]     each with a rate sample of so many segments per
//!                           second over the RTT (100 ms if there is none); held
//!                           back by the application. With `round` its segment
//!                           left when all that was acknowledged so far was
//!                           delivered, else as early as that of the last round
//! ack 1 lost=1/49,2/50      two segments are newly lost; of the 49 and 50 in flight
//!                           when they left one and two are lost. The rate sample
//!                           has seen them too; lost=2 names no segments
//! lost 1/49,2/50            the same, found by a timer
//! ack 1 flight=30           in flight after it; the window if not given
//! ack 1 pair=120us          two segments that left together arrived so far apart
//! wait 10s                  nothing happens for so long
//! round 3                   as many ACKs as the window is large, three times,
//!                           each time beginning a round; takes rtt= and
//!                           marked too
//! loss flight=8             an episode begins; the window was all in flight
//! mark                      if flight is not given
//! recovered                 it is over
//! timeout [again] [in_flight=3]
//!                           the timer expires, again for the same segment; so many
//!                           are not taken for lost
//! expect cwnd 9.50 ssthresh inf mode 1
//!                           to the digits given; any name that the law shows
//! ```

use std::fmt::Display;
use std::path::Path;
use std::str::FromStr;

use tusker_core::congestion::{
    ALL, Ack, Algorithm, Congestion, Controller, LossSample, Options, RateSample, Rtt, Signal,
    SlowStart, Spec, Timeout,
};
use tusker_core::{Bytes, Duration, Params, SpecError, Time};

/// What `*` leaves out: a slow start of their own, or no Reno at small windows.
const OTHERWISE: &[&str] = &["vegas", "fast", "eefast", "illinois", "hcc"];

#[test]
fn scripts_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).expect("the scripts are beside this file") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|e| e == "script") {
            let text = std::fs::read_to_string(&path).expect("readable");
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            failures.extend(run(&text).err().into_iter().map(|e| format!("{name}:{e}")));
            count += 1;
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
    assert!(count >= 9, "only {count} scripts were found");
}

#[test]
fn a_script_can_fail() {
    let fails = |text: &str| run(text).expect_err("this script is wrong");
    assert_eq!(
        fails("cc reno\nstart cwnd=2\nack 2\nexpect cwnd 5.0"),
        "4: reno: cwnd is 4, expected 5.0"
    );
    let unknown = "1: no law is called `remo`; there are reno, hstcp, ghstcp, ";
    assert!(fails("cc remo").starts_with(unknown), "{}", fails("cc remo"));
    assert!(fails("cc reno\nstart cwnd=x").starts_with("2: reno: `x` is not a number"));
    assert!(fails("cc reno\nack 1 rtt=5").contains("`5` is not a time"));
    assert!(fails("cc reno\nexpect speed 1").contains("reno shows no `speed`"));
    assert!(fails("cc reno\njump").contains("`jump` is not a command"));
    assert!(fails("cc reno\nack 1 nonsense").contains("`nonsense` is not understood"));
    assert!(fails("ack 1").contains("begin with `cc`"));
}

/// Runs a script for each of its laws. The error names line and law.
fn run(text: &str) -> Result<(), String> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(i, line)| (i + 1, line.split('#').next().unwrap_or_default().trim()))
        .filter(|(_, line)| !line.is_empty());
    let (number, first) = lines.next().ok_or("0: the script is empty")?;
    let mut words = first.split_whitespace();
    if words.next() != Some("cc") {
        return Err(format!("{number}: begin with `cc` and the laws to run"));
    }
    let (settings, names): (Vec<_>, Vec<_>) = words.partition(|w| w.contains('='));
    let known: Vec<_> = ALL.iter().map(|s| s.name).collect();
    let plain = ALL.iter().filter(|s| s.needs.is_empty()).map(|s| s.name);
    let plain = plain.filter(|name| !OTHERWISE.contains(name));
    let names = if names == ["*"] { plain.collect() } else { names };
    let given = settings.iter().map(|setting| {
        let (key, value) = setting.split_once('=').expect("it was sorted by its `=`");
        parse(value).map(|value: f64| (key, value)).map_err(|e| format!("{number}: {e}"))
    });
    let given: Vec<_> = given.collect::<Result<_, _>>()?;
    let body: Vec<_> = lines.collect();
    for name in names {
        let spec = Spec::named(name, given.iter().copied()).map_err(|error| match error {
            SpecError::Name => {
                format!("{number}: no law is called `{name}`; there are {}", known.join(", "))
            }
            error => format!("{number}: {name}: {error:?}"),
        })?;
        let mut bench = Bench::new(spec);
        for (number, line) in &body {
            bench.step(line).map_err(|e| format!("{number}: {name}: {e}"))?;
        }
    }
    Ok(())
}

/// One connection and its clock.
struct Bench {
    spec: Spec,
    law: Algorithm,
    departure: Time,
    gap: Duration,
    rtt: Option<Duration>,
    forward: Option<Duration>,
    /// Segments delivered, and how many of them when the round began.
    delivered: u64,
    prior_delivered: u64,
}

/// The words after a command: flags, and settings with `=`.
struct Words<'a>(Vec<&'a str>);

impl<'a> Words<'a> {
    fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|w| *w != name);
        self.0.len() < before
    }

    fn setting(&mut self, name: &str) -> Option<&'a str> {
        let i = self.0.iter().position(|w| w.split_once('=').is_some_and(|(k, _)| k == name))?;
        self.0.remove(i).split_once('=').map(|(_, value)| value)
    }

    fn number<T: FromStr>(&mut self, name: &str, default: T) -> Result<T, String> {
        self.setting(name).map_or(Ok(default), parse)
    }

    fn first<T: FromStr>(&mut self, default: T) -> Result<T, String> {
        if self.0.is_empty() { Ok(default) } else { parse(self.0.remove(0)) }
    }

    fn done(self) -> Result<(), String> {
        self.0.first().map_or(Ok(()), |w| Err(format!("`{w}` is not understood here")))
    }
}

impl Bench {
    fn new(spec: Spec) -> Self {
        let law = Algorithm::new(&spec, &Options::default());
        let (departure, gap) = (Time::from_nanos(1_000_000_000), Duration::from_millis(1));
        Self {
            spec,
            law,
            departure,
            gap,
            rtt: None,
            forward: None,
            delivered: 0,
            prior_delivered: 0,
        }
    }

    fn step(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_whitespace();
        let command = words.next().expect("empty lines were left out");
        let mut words = Words(words.collect());
        let now = self.departure;
        match command {
            "start" => self.start(&mut words)?,
            "rtt" | "forward" => {
                let value: String = words.first("none".into())?;
                let value = if value == "none" { None } else { Some(time(&value)?) };
                *(if command == "rtt" { &mut self.rtt } else { &mut self.forward }) = value;
            }
            "wait" => self.departure += time(&words.first::<String>(String::new())?)?,
            "gap" => self.gap = time(&words.first::<String>(String::new())?)?,
            "ack" => {
                let count = words.first(1)?;
                self.acks(count, &mut words)?;
            }
            "round" => {
                let counted = words.0.first().is_some_and(|w| !w.contains('='));
                for _ in 0..if counted { words.first(1)? } else { 1 } {
                    let mut again = Words([&words.0[..], &["round"]].concat());
                    self.acks(self.law.cwnd() as u32, &mut again)?;
                }
                words.0.clear();
            }
            "loss" | "mark" => {
                let signal = if command == "loss" { Signal::Loss } else { Signal::Mark };
                let flight = words.number("flight", u32::MAX)?;
                self.law.on_congestion(&Congestion { now, signal, flight });
            }
            "lost" => {
                let list: String = words.first(String::new())?;
                self.losses(&list, false)?;
            }
            "recovered" => self.law.on_recovered(now),
            "timeout" => {
                let (first, flight) = (!words.flag("again"), words.number("flight", u32::MAX)?);
                let in_flight = words.number("in_flight", 0)?;
                self.law.on_timeout(&Timeout { now, flight, in_flight, first });
            }
            "expect" => {
                for pair in std::mem::take(&mut words.0).chunks(2) {
                    self.expect(pair[0], pair.get(1).copied().ok_or("a value is missing")?)?;
                }
            }
            _ => return Err(format!("`{command}` is not a command")),
        }
        words.done()
    }

    fn start(&mut self, words: &mut Words) -> Result<(), String> {
        let slow_start = words.setting("slow_start").unwrap_or("standard");
        let sheet = SlowStart::ALL
            .iter()
            .find(|s| s.name == slow_start)
            .ok_or_else(|| format!("no slow start is called `{slow_start}`"))?;
        let mut params = Params::defaults(sheet.params);
        for param in sheet.params {
            let value = words.number(param.name, param.default)?;
            params.set(param.name, value).map_err(|e| format!("{e:?}"))?;
        }
        let options = Options {
            initial_window: words.number("cwnd", 1.0)?,
            initial_ssthresh: words.number("ssthresh", f64::INFINITY)?,
            max_window: words.number("max", f64::INFINITY)?,
            slow_start: SlowStart::new(slow_start, &params).expect("it was found"),
            whole_ssthresh: words.flag("whole_ssthresh"),
            pacing: words.setting("pacing").map(parse).transpose()?.map(Bytes::new),
        };
        self.law = Algorithm::new(&self.spec, &options);
        Ok(())
    }

    fn acks(&mut self, count: u32, words: &mut Words) -> Result<(), String> {
        let credit = words.number("credit", 1.0)?;
        let feedback = words.setting("feedback").map(parse).transpose()?;
        let cwnd_limited = !words.flag("app_limited");
        let marked = words.flag("marked");
        let mut round_start = words.flag("round");
        let mut ramp = |name, usual: Option<Duration>| match words.setting(name) {
            None => Ok(usual.map(|usual| (usual, usual))),
            Some(text) => {
                let (from, to) = text.split_once("..").unwrap_or((text, text));
                Ok::<_, String>(Some((time(from)?, time(to)?)))
            }
        };
        let (rtts, forwards) = (ramp("rtt", self.rtt)?, ramp("forward", self.forward)?);
        let flight = words.setting("flight").map(parse::<u32>).transpose()?;
        let named = words.setting("lost").unwrap_or("0");
        let mut lost = match named.contains('/') {
            true => named.split(',').count() as u32,
            false => parse(named)?,
        };
        let rate = words.setting("rate").map(parse::<f64>).transpose()?;
        let dispersion = words.setting("pair").map(time).transpose()?;
        let held = words.flag("held");
        for i in 0..count {
            if round_start {
                self.prior_delivered = self.delivered;
            }
            self.delivered += credit as u64;
            self.departure += self.gap;
            let part = f64::from(i) / f64::from(count.max(2) - 1);
            let at = |(from, to): (Duration, Duration)| {
                Duration::from_secs(from.secs() + part * (to.secs() - from.secs()))
            };
            let (latest, forward) = (rtts.map(at), forwards.map(at));
            let in_flight = flight.unwrap_or(self.law.cwnd() as u32);
            let interval = latest.unwrap_or(Duration::from_millis(100));
            let rate = rate.map(|rate| RateSample {
                delivered: (rate * interval.secs()).round() as u32,
                interval,
                prior_delivered: self.prior_delivered,
                total_delivered: self.delivered,
                tx_in_flight: in_flight,
                lost,
                app_limited: held,
                dispersion,
            });
            if i == 0 && named.contains('/') {
                self.losses(named, held)?;
            }
            self.law.on_ack(&Ack {
                lost: std::mem::take(&mut lost),
                rate,
                now: self.departure + latest.unwrap_or_default(),
                acked: credit as u32,
                credit,
                in_flight,
                rtt: latest.map(|rtt| Rtt { latest: rtt, smoothed: rtt, min: rtt, forward }),
                departed: self.departure,
                round_start: std::mem::take(&mut round_start),
                cwnd_limited,
                marked: if marked { credit as u32 } else { 0 },
                feedback,
            });
        }
        Ok(())
    }

    /// `1/49,2/50`: each segment in its turn.
    fn losses(&mut self, list: &str, app_limited: bool) -> Result<(), String> {
        for segment in list.split(',') {
            let (lost, tx_in_flight) = fraction(segment)?;
            let loss = LossSample { tx_in_flight, lost, app_limited };
            self.law.on_lost(self.departure, &loss);
        }
        Ok(())
    }

    fn expect(&self, name: &str, expected: &str) -> Result<(), String> {
        let mut got = match name {
            "cwnd" => Some(self.law.cwnd()),
            "ssthresh" => Some(self.law.ssthresh()),
            "pacing_mbit" => self.law.pacing_rate().map(|r| r.bits_per_sec() as f64 / 1e6),
            _ => None,
        };
        self.law.inspect(&mut |seen, value| {
            if seen == name {
                got = Some(value);
            }
        });
        let got = got.ok_or_else(|| format!("{} shows no `{name}`", self.spec.name()))?;
        let wanted: f64 = parse(expected)?;
        let decimals = expected.split_once('.').map_or(0, |(_, d)| d.len());
        // half a unit of the last digit, and a rounding error of f64
        let tolerance = 0.5 * 10_f64.powi(-(decimals as i32)) + 1e-12 * wanted.abs();
        if got == wanted || (got - wanted).abs() <= tolerance {
            Ok(())
        } else {
            Err(format!("{name} is {got}, expected {expected}"))
        }
    }
}

fn parse<T: FromStr>(text: impl AsRef<str> + Display) -> Result<T, String> {
    text.as_ref().parse().map_err(|_| format!("`{text}` is not a number"))
}

/// `2/50`.
fn fraction(text: &str) -> Result<(u32, u32), String> {
    let (a, b) = text.split_once('/').ok_or_else(|| format!("`{text}` is not like 2/50"))?;
    Ok((parse(a)?, parse(b)?))
}

/// `100ms`, `2.5us`, `1s`.
fn time(text: &str) -> Result<Duration, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let scale = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "ns" => 1e-9,
        _ => return Err(format!("`{text}` is not a time such as 100ms")),
    };
    let number: f64 = parse(&text[..text.len() - unit.len()])?;
    Ok(Duration::from_secs(number * scale))
}
