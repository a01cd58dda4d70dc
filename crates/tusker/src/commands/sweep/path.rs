//! A sweep without a scenario file: the path of `--rate` and `--rtt`.

use tusker_core::{Duration, Rate};
use tusker_measure::cycle::round_up;
use tusker_scenario::sweep::{Axis, CC, Value, list};
use tusker_scenario::{Builder, Flows, Group, Scenario, Written};

use crate::args::SweepPathArgs;
use crate::commands::made::{Shared, dumbbell, read};
use crate::commands::paths::Path;
use crate::failure::Failure;
use crate::scenarios::wrong;

/// The shortest duration that is chosen.
const LEAST_S: f64 = 100.0;

/// The scenario that the options stand for, as of `tusker compare`, with their first rate and
/// RTT; none without them.
pub fn scenario(path: &SweepPathArgs) -> Result<Option<Scenario>, Failure> {
    let Some((rates, rtts)) = path.rate.as_ref().zip(path.rtt.as_ref()) else { return Ok(None) };
    let (rates, rtts) = (labels("rate", rates)?, labels("rtt", rtts)?);
    let duration = match &path.duration {
        Some(own) => own.clone(),
        None => enough(most("--rate", &rates)?, most("--rtt", &rtts)?),
    };
    let (rate, rtt) = (rates[0].clone(), rtts[0].clone());
    let title = format!("{rate}, {rtt}");
    let on = Path { rate, rtt, buffer: "1bdp".to_owned(), loss: None };
    let queue = path.queue.as_deref().unwrap_or("droptail");
    let shared = Shared { queue, ecn: path.ecn, duration: &duration, profile: "linux" };
    let mut made = dumbbell(title, &on, &shared)?;
    let mut flows = Flows::new("flow", "reno");
    flows.count = Some(path.flows.into());
    made.flows.push(Group { flows, cc: "--cc", parallel: "--flows" });
    made.scenario().map(Some).map_err(wrong)
}

/// The values of an option.
fn labels(option: &str, text: &str) -> Result<Vec<String>, Failure> {
    list(option, text)
        .map_err(|(message, help)| Failure::input(format!("--{option}: {message}"), help))
}

/// The largest of some values.
fn most<T: Written + Ord>(flag: &str, labels: &[String]) -> Result<T, Failure> {
    let all: Vec<T> = labels.iter().map(|label| read(flag, label)).collect::<Result<_, _>>()?;
    Ok(all.into_iter().max().expect("a list has a value"))
}

/// What the options vary. A single rate or RTT is not varied.
pub(super) fn axes(path: &SweepPathArgs) -> Result<Vec<Axis>, Failure> {
    let mut axes = Vec::new();
    if let Some(cc) = &path.cc {
        axes.push(Axis::read(&format!("{CC}={cc}")).map_err(wrong)?);
    }
    for (option, text) in [("rate", &path.rate), ("rtt", &path.rtt)] {
        let axis = text.as_ref().map(|text| axis(option, text)).transpose()?;
        axes.extend(axis.filter(|axis| axis.values.len() > 1));
    }
    for (option, text) in [("buffer", &path.buffer), ("loss", &path.loss)] {
        axes.extend(text.as_ref().map(|text| axis(option, text)).transpose()?);
    }
    Ok(axes)
}

/// Reads a value as it was written.
type ReadValue = fn(String) -> Result<Value, Failure>;

/// The axis of an option with these values.
pub fn axis(option: &str, text: &str) -> Result<Axis, Failure> {
    let (key, of): (_, ReadValue) = match option {
        "rate" => ("dumbbell.rate", |label| {
            let access = Builder::access(read("--rate", &label)?);
            let also = vec![format!("dumbbell.access.rate={access}")];
            Ok(Value { text: label.clone(), label, also })
        }),
        "rtt" => ("dumbbell.delay", |label| {
            let delay = Builder::delay(read("--rtt", &label)?).map_err(wrong)?;
            Ok(Value { text: delay.to_string(), label, also: Vec::new() })
        }),
        "buffer" => ("dumbbell.queue.limit", |label| Ok(Value::plain(label))),
        _ => ("dumbbell.loss", |label| Ok(Value::plain(label))),
    };
    let values = labels(option, text)?.into_iter().map(of).collect::<Result<_, _>>()?;
    Ok(Axis { key: key.to_owned(), option: Some(option.to_owned()), values })
}

/// Long enough for six cycles of Reno with a buffer of 2 BDP, as the second half is measured: each
/// takes about 3 BDP RTTs, with the BDP in packets. At least 100 s, and at most 100 Gbit in all, so
/// that a run takes seconds.
fn enough(rate: Rate, rtt: Duration) -> String {
    let (rate, rtt) = (rate.bits_per_sec() as f64, rtt.nanos() as f64 / 1e9);
    let wanted = 6.0 * 3.0 * (rate * rtt / 12_000.0) * rtt;
    let most = (1e11 / rate.max(1.0)).max(LEAST_S);
    format!("{}s", round_up(wanted.clamp(LEAST_S, most)))
}

/// What its results are called: `100mbit-60ms`, `10mbit_1gbit_5-60ms`.
pub(super) fn name(path: &SweepPathArgs) -> Option<String> {
    let both = path.rate.as_ref().zip(path.rtt.as_ref());
    let plain = |text: &str| {
        let text = text.replace("..", "_").replace([',', ':'], "_");
        text.chars().filter(|c| c.is_ascii_alphanumeric() || "._".contains(*c)).collect()
    };
    both.map(|(rate, rtt)| [rate, rtt].map(|text| -> String { plain(text) }).join("-"))
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};

    use super::*;

    #[test]
    fn a_folder_is_named_after_the_rates_and_round_trips() {
        let words = |rate: &str| {
            let words = ["--rate", rate, "--rtt", "60ms"];
            let command = SweepPathArgs::augment_args(clap::Command::new("a").no_binary_name(true));
            SweepPathArgs::from_arg_matches(&command.try_get_matches_from(words).unwrap()).unwrap()
        };
        let told = |rate: &str| name(&words(rate)).unwrap();
        assert_eq!(told("2.5gbit"), "2.5gbit-60ms");
        assert_eq!(told("10mbit..1gbit:5:log"), "10mbit_1gbit_5_log-60ms");
        assert_eq!(told("../x"), "_x-60ms");
    }

    /// 100 Mbit/s and 60 ms are 500 packets: 18 x 500 x 0.06 s = 540 s. At 1 Gbit/s 5,400 s are
    /// more than 100 Gbit take, which is 100 s.
    #[test]
    fn a_path_is_simulated_long_enough() {
        let told = |mbit: u64, ms: u64| {
            enough(Rate::from_bits_per_sec(mbit * 1_000_000), Duration::from_nanos(ms * 1_000_000))
        };
        assert_eq!([told(100, 60), told(10, 10), told(1_000, 60)], ["600s", "100s", "100s"]);
    }
}
