//! Commands and traces of other emulators, as scenarios.

mod mahimahi;
mod tc;

use std::fmt;

use tusker_core::{Duration, Rate};
use tusker_scenario::recorded::{self, Columns, Recorded, Wanted};
use tusker_scenario::{Builder, Cc, Flows, Group, Limit, Profile, Queue, Scenario, Written};

use crate::Mistake;

/// A scenario, and where it differs from what was imported.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scenario.
    pub scenario: Scenario,
    /// What differs.
    pub differences: Vec<Difference>,
}

/// Where a scenario differs from what was imported.
#[derive(Clone, Debug, PartialEq)]
pub enum Difference {
    /// Nothing says a rate: this is assumed.
    RateAssumed(Rate),
    /// Nothing says a delay: this round trip is assumed.
    RoundTripAssumed(Duration),
    /// The delay is of one direction; half of it is in each.
    OneDirection(Duration),
    /// netem's limit also counts the packets that are delayed: as many of them at the full rate,
    /// and what is left for the queue.
    LimitHoldsDelayed {
        /// The limit.
        limit: u64,
        /// Packets that are delayed.
        delayed: u64,
    },
    /// On the sending host, netem loses whole batches (GSO), not packets.
    LossOfBatches,
    /// Values follow each other independently.
    Correlation(&'static str),
    /// What is corrupted counts as lost.
    CorruptIsLost,
    /// Left out.
    LeftOut(String),
    /// The flow is an example.
    FlowAssumed,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RateAssumed(rate) => {
                write!(f, "no rate is named: {rate} is assumed; set dumbbell.rate")
            }
            Self::RoundTripAssumed(rtt) => {
                write!(f, "no delay is named: a round trip of {rtt} is assumed; set dumbbell.delay")
            }
            Self::OneDirection(delay) => write!(
                f,
                "tc delays one direction by {delay}: half of that is in each direction here, so \
                 that the round trip is the same; if both hosts have the command, double \
                 dumbbell.delay and repeat loss and jitter under dumbbell.reverse"
            ),
            Self::LimitHoldsDelayed { limit, delayed } => write!(
                f,
                "netem's limit of {limit} packets also holds the {delayed} that are delayed at the \
                 full rate; the queue here has room for the others"
            ),
            Self::LossOfBatches => write!(
                f,
                "on the sending host netem loses whole batches (GSO), here single packets: \
                 tcp.segments_per_packet = 4 or so comes near"
            ),
            Self::Correlation(what) => {
                write!(f, "the correlation of {what} is left out: values are independent")
            }
            Self::CorruptIsLost => write!(f, "corrupted packets count as lost, as TCP drops them"),
            Self::LeftOut(what) => write!(f, "left out: {what}"),
            Self::FlowAssumed => {
                write!(f, "the flow is an example: change [[flows]] to what you send")
            }
        }
    }
}

/// What a command line says of a path; `None` is not said.
#[derive(Debug, Default)]
struct Path {
    title: String,
    rate: Option<Rate>,
    /// Instead of a rate: a trace file for the data's direction, and one for the other.
    traces: Option<(String, String)>,
    /// One way in each direction.
    delay: Option<Duration>,
    /// The queue's policy with parameters, and its limit.
    policy: Option<String>,
    limit: Option<Limit>,
    /// Values of further keys, as in `--set`.
    sets: Vec<String>,
    differences: Vec<Difference>,
}

/// A scenario from command lines of tc (netem, tbf, htb, fq_codel ..) or Mahimahi's shells;
/// `upload` says that data goes through a shell's uplink.
///
/// # Errors
/// An error that names the words that are not known.
pub fn commands(text: &str, upload: bool) -> Result<Imported, Mistake> {
    let text = text.trim();
    let first = text.split_whitespace().find(|word| !["sudo", "$", "#"].contains(word));
    let has_direction = ["mm-link", "mm-loss"].iter().any(|shell| text.contains(shell));
    let path = match first {
        Some(_) if upload && !has_direction => {
            let message = format!("--upload: `{}` has no uplink", short(text));
            return Err(Mistake::new(message, "leave it out; mm-link and mm-loss have one"));
        }
        Some(word) if word.ends_with("tc") => tc::path(text)?,
        Some(word) if word.contains("mm-") => mahimahi::path(text, upload)?,
        _ => {
            let message = format!("`{}` is no command that is known", short(text));
            let help = "expected a line that begins with tc or mm-delay, mm-loss or mm-link, or \
                        the name of a trace file";
            return Err(Mistake::new(message, help));
        }
    };
    path.imported()
}

/// A scenario with the rate of a trace file, which is read first.
///
/// # Errors
/// If it is not a trace; the message says what it seems to be.
pub fn trace(name: &str, bytes: &[u8], columns: &Columns) -> Result<Imported, Mistake> {
    let read = recorded::read(name, bytes, Wanted::Rate, columns);
    let read = read.map_err(|(message, help)| Mistake::new(message, help))?;
    let mut path = Path { title: format!("Trace {name}"), ..Path::default() };
    match read {
        Recorded::Opportunities(_) => path.traces = Some((name.to_owned(), String::new())),
        Recorded::Steps(steps) => {
            // an outage has to end, and queues are based on the first rate
            let least = |n: usize| if n == 0 || n + 1 == steps.len() { 1_000 } else { 0 };
            let rate = |n: usize, bps: f64| Rate::from_bits_per_sec((bps as u64).max(least(n)));
            let text = |rate: Rate| match rate.bits_per_sec() {
                0 => "0bit".to_owned(),
                _ => rate.write(),
            };
            let step = |(n, (at, bps)): (usize, &(f64, f64))| {
                let at = Duration::from_secs(*at).write();
                format!("{{ at = \"{at}\", rate = \"{}\" }}", text(rate(n, *bps)))
            };
            let all: Vec<String> = steps.iter().enumerate().map(step).collect();
            path.sets.push(format!("dumbbell.rate=[{}]", all.join(", ")));
            path.rate = steps.first().map(|(_, bps)| rate(0, *bps));
        }
    }
    path.imported()
}

impl Path {
    /// The rate that is assumed if none is named.
    const RATE: Rate = Rate::from_bits_per_sec(1_000_000_000);

    fn imported(mut self) -> Result<Imported, Mistake> {
        let has_rate = self.rate.is_some() || self.traces.is_some();
        if !has_rate {
            self.differences.push(Difference::RateAssumed(Self::RATE));
        }
        let delay = self.delay.filter(|delay| *delay > Duration::ZERO).unwrap_or_else(|| {
            let rtt = Duration::from_millis(20);
            self.differences.push(Difference::RoundTripAssumed(rtt));
            Duration::from_millis(10)
        });
        let broken = |(message, help): (String, String)| Mistake::new(message, help);
        let wrong = |error: tusker_scenario::Error| {
            Mistake::new(error.to_string(), "change the command; docs/field.md lists what is known")
        };
        let mut queue = match &self.policy {
            Some(policy) => {
                let limit = self.limit.unwrap_or(Limit::Packets(1_000));
                Queue::read(policy, limit).map_err(broken)?
            }
            None => Queue::droptail(self.limit.unwrap_or(Limit::Packets(1_000))),
        };
        if self.limit.is_none() && self.traces.is_some() {
            // as mm-link
            queue.limit = Limit::Unlimited;
        }
        let cc = Cc::read("cubic-linux").map_err(broken)?;
        let mut flows = Flows::new("flow", cc);
        flows.count = Some(1);
        let builder = Builder {
            title: self.title,
            profile: Profile::Linux,
            duration: Duration::from_millis(30_000),
            rate: self.rate.unwrap_or(Self::RATE),
            rtt: delay + delay,
            queue,
            loss: None,
            loses_both_ways: false,
            traces: None,
            ecn: false,
            flows: vec![Group { flows, cc: "cc", parallel: "parallel" }],
        };
        if let Some((data, back)) = &self.traces {
            let file = |path: &str| format!("{{ trace = {} }}", quoted(path));
            self.sets.push(format!("dumbbell.rate={}", file(data)));
            if !back.is_empty() {
                self.sets.push(format!("dumbbell.reverse.rate={}", file(back)));
            }
            self.sets.push("dumbbell.access.rate=10Gbit".to_owned());
        }
        let scenario = builder.scenario().map_err(wrong)?.with(&self.sets).map_err(wrong)?;
        self.differences.push(Difference::FlowAssumed);
        Ok(Imported { scenario, differences: self.differences })
    }
}

/// A text in quotes, as TOML has it.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace(|c: char| c.is_control(), "?"))
}

/// Words of a command, without quotes around them.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect()
}

/// The beginning of a text, for messages.
fn short(text: &str) -> String {
    text.chars().take(60).collect::<String>().escape_debug().to_string()
}
