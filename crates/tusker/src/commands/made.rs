//! The scenario files that the flags of `tusker compare` stand for.

use std::fmt::Write;

use tusker_core::{Duration, Rate};
use tusker_scenario::{Error, Written};

use super::matches::name;
use super::paths::Path as On;
use crate::args::CompareArgs;
use crate::failure::Failure;
use crate::scenarios::wrong;

/// A scenario that was made from flags.
#[derive(Default)]
pub struct Made {
    /// The scenario.
    pub text: String,
    /// The flag that each line was made from.
    flags: Vec<&'static str>,
    buffer: String,
}

impl Made {
    fn line(&mut self, flag: &'static str, line: &str) {
        let _ = writeln!(self.text, "{line}");
        self.flags.resize(self.text.lines().count(), flag);
    }

    /// A mistake in the scenario as one of the flag that it comes from.
    pub fn blame(&self, error: Error) -> Failure {
        let line = error.place().and_then(|place| {
            let mut parts = place.rsplit(':').skip(1);
            let line: usize = parts.next()?.parse().ok()?;
            parts.next()?.ends_with(".toml").then_some(line)
        });
        let flag = match line.and_then(|line| self.flags.get(line - 1)) {
            None | Some(&"") => return wrong(error),
            Some(&"--queue") if error.offending() == Some(&self.buffer) => "--buffer",
            Some(flag) => flag,
        };
        let help = error.remedy().unwrap_or("`tusker compare --help` has examples");
        Failure::input(format!("{flag}: {error}"), help)
    }
}

/// The scenario file that one congestion control stands for.
pub fn scenario(
    args: &CompareArgs,
    on: &On,
    cc: &str,
    rivals: Option<&str>,
    is_rival: bool,
) -> Result<Made, Failure> {
    let mut made = Made { buffer: quoted(&on.buffer), ..Made::default() };
    let path = format!("{}, {}", on.rate, on.rtt);
    let title = match rivals {
        Some(other) => format!("{} x {cc} against {} x {other}, {path}", args.flows, args.flows),
        None => format!("{} x {cc}, {path}", args.flows),
    };
    let rate: Rate = read("--rate", &on.rate)?;
    let rtt: Duration = read("--rtt", &on.rtt)?;
    let duration: Duration = read("--duration", &args.duration)?;
    let delay = delay(rtt)?;
    made.line("", &format!("title = {}", quoted(&title)));
    made.line("--profile", &format!("profile = {}", quoted(&args.profile)));
    made.line("--duration", &format!("duration = {}", quoted(&args.duration)));
    made.line("", "\n[dumbbell]");
    made.line("--rate", &format!("rate = {}", quoted(&on.rate)));
    made.line("--rtt", &format!("delay = \"{delay}\""));
    let access = access(rate);
    made.line("--rate", &format!("access = {{ rate = \"{access}\", delay = \"0s\" }}"));
    if args.queue.split(',').skip(1).any(|part| !part.contains('=')) {
        return Err(Failure::input(
            format!("--queue {}: more than one queue policy", args.queue),
            "give one, and run the command once for each of them",
        ));
    }
    if args.ecn && args.queue.split(':').next() == Some("droptail") {
        let help = "name one that can with --queue: codel, pie, red, fq_codel";
        return Err(Failure::input("--ecn: the queue policy droptail cannot mark", help));
    }
    let mut queue = table("--queue", "policy", &args.queue, &[("limit", &on.buffer)])?;
    if args.ecn && !queue.contains("ecn = ") {
        queue = queue.replacen('{', "{ ecn = true,", 1);
    }
    made.line("--queue", &format!("queue = {queue}"));
    if let Some(loss) = &on.loss {
        // as a number, if it is one: TOML has no .01
        let value = loss.parse::<f64>().ok().filter(|loss| loss.is_finite());
        let value = value.map_or_else(|| quoted(loss), |loss| format!("{loss:?}"));
        made.line("--loss", &format!("loss = {value}"));
    }
    if args.ecn {
        made.line("--ecn", "\n[tcp]");
        made.line("--ecn", "ecn = true");
    }
    // within the first second, or the first tenth of a short experiment
    let starts = Duration::from_nanos(1_000_000_000.min(duration.nanos() / 10));
    let rival =
        |other| (if other == cc { format!("other-{}", name(other)) } else { name(other) }, other);
    // what is run to tell what a rival loses has its connections
    let first = if is_rival { ("--against", 1) } else { ("--cc", args.parallel) };
    let groups = [(first.0, first.1, (name(cc), cc))];
    let rivals = rivals.map(|other| ("--against", 1, rival(other)));
    for (flag, parallel, (name, cc)) in groups.into_iter().chain(rivals) {
        let (own, cc) = connections(flag, cc)?;
        let (from, parallel) = own.map_or(("--parallel", parallel), |own| (flag, own));
        made.line("", "\n[[flows]]");
        made.line(flag, &format!("name = {}", quoted(&name)));
        made.line("--flows", &format!("count = {}", args.flows));
        if parallel != 1 {
            made.line(from, &format!("parallel = {parallel}"));
        }
        made.line(flag, &format!("cc = {}", table(flag, "name", cc, &[])?));
        if let Some(recovery) = &args.recovery {
            made.line("--recovery", &format!("recovery = {}", quoted(recovery)));
        }
        made.line("--duration", &format!("start = {{ uniform = [\"0s\", \"{starts}\"] }}"));
    }
    Ok(made)
}

/// The delay of the bottleneck: all of the round trip is there.
pub fn delay(rtt: Duration) -> Result<Duration, Failure> {
    if rtt == Duration::ZERO {
        let help = "expected a time such as \"50ms\"; a cable of 20 m has 200ns";
        return Err(Failure::input("--rtt: the round-trip time is zero", help));
    }
    Ok(Duration::from_nanos(rtt.nanos() / 2))
}

/// The rate of the hosts' own links: ten times that of the bottleneck.
pub fn access(rate: Rate) -> Rate {
    let rate = rate.bits_per_sec();
    Rate::from_bits_per_sec(rate.saturating_mul(10).min(FASTEST.max(rate)))
}

/// How many connections `8xreno` asks for, and of what.
fn connections<'a>(flag: &str, cc: &'a str) -> Result<(Option<u32>, &'a str), Failure> {
    let digits = cc.find(|c: char| !c.is_ascii_digit()).unwrap_or(cc.len());
    let (number, Some(rest)) = (&cc[..digits], cc[digits..].strip_prefix('x')) else {
        return Ok((None, cc));
    };
    if number.is_empty() {
        return Ok((None, cc));
    }
    match number.parse() {
        Ok(parallel @ 1..=100_000) => Ok((Some(parallel), rest)),
        _ => {
            let message = format!("{flag}: a flow cannot have `{number}` connections");
            Err(Failure::input(message, "from 1 to 100000, as in 8xreno"))
        }
    }
}

/// The fastest link that a scenario can have: 100 Tbit/s.
const FASTEST: u64 = 100_000_000_000_000;

/// A value of a flag, in the units of scenario files.
pub fn read<T: Written>(flag: &str, text: &str) -> Result<T, Failure> {
    T::read(text).map_err(|(message, help)| Failure::input(format!("{flag}: {message}"), help))
}

/// `red:max_p=0.02` or `red,max_p=0.02` as
/// `{ policy = "red", limit = "1bdp", max_p = 0.02 }`.
fn table(flag: &str, key: &str, text: &str, more: &[(&str, &str)]) -> Result<String, Failure> {
    let mut parts = text.split([':', ',']);
    let name = parts.next().unwrap_or_default();
    let mut table = format!("{{ {key} = {}", quoted(name));
    for (key, value) in more {
        let _ = write!(table, ", {key} = {}", quoted(value));
    }
    let mut said = vec![key];
    said.extend(more.iter().map(|(key, _)| *key));
    for part in parts {
        let pair = part.split_once('=').filter(|(key, value)| {
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            key.chars().all(plain) && !key.is_empty() && !value.is_empty()
        });
        let Some((key, value)) = pair else {
            return Err(Failure::input(
                format!(
                    "{flag}: `{}` in `{}` is not a parameter",
                    part.escape_debug(),
                    text.escape_debug()
                ),
                "write NAME:PARAM=VALUE, with a colon before each parameter; \
                 `tusker explain NAME` lists them",
            ));
        };
        if said.contains(&key) {
            let help = "give it once; --buffer is the limit of the queue";
            return Err(Failure::input(format!("{flag}: `{key}` is given twice"), help));
        }
        said.push(key);
        // `0.02`, `true`; `500ms` and `5pkt` are texts
        let value = match value.parse::<f64>() {
            Ok(number) if number.is_finite() => number.to_string(),
            _ if matches!(value, "true" | "false") => value.to_owned(),
            _ => quoted(value),
        };
        let _ = write!(table, ", {key} = {value}");
    }
    if said.len() == 1 {
        return Ok(quoted(name));
    }
    Ok(table + " }")
}

/// As a TOML string: what JSON escapes, TOML reads.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
