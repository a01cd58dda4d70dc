//! A sweep without a scenario file: the path of `--rate` and `--rtt`.

use tusker_measure::cycle::round_up;
use tusker_scenario::paths::{self, Path, Shared};
use tusker_scenario::{Error, Flows, Group, Scenario};

use crate::args::SweepPathArgs;

/// The scenario that the options stand for, as of `tusker compare`, with their first rate and
/// RTT; none without them.
pub fn scenario(path: &SweepPathArgs) -> Result<Option<Scenario>, Error> {
    let Some((rates, rtts)) = path.rate.as_ref().zip(path.rtt.as_ref()) else { return Ok(None) };
    let (rates, rtts) = (paths::values("rate", rates)?, paths::values("rtt", rtts)?);
    let duration = match &path.duration {
        Some(own) => own.clone(),
        None => {
            let (rate, rtt) = (paths::largest("--rate", &rates)?, paths::largest("--rtt", &rtts)?);
            format!("{}s", round_up(paths::long_enough_s(rate, rtt)))
        }
    };
    let (rate, rtt) = (rates[0].clone(), rtts[0].clone());
    let title = format!("{rate}, {rtt}");
    let on = Path { rate, rtt, buffer: "1bdp".to_owned(), loss: None };
    let queue = path.queue.as_deref().unwrap_or("droptail");
    let shared = Shared { queue, ecn: path.ecn, duration: &duration, profile: "linux" };
    let mut made = on.dumbbell(title, &shared)?;
    let mut flows = Flows::new("flow", "reno");
    flows.count = Some(path.flows.into());
    made.flows.push(Group { flows, cc: "--cc", parallel: "--flows" });
    made.scenario().map(Some)
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
}
