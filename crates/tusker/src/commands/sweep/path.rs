//! A sweep without a scenario file: the path of `--rate` and `--rtt`.

use std::path::PathBuf;

use clap::{Args, FromArgMatches};
use tusker_core::{Duration, Rate};

use crate::args::{CompareArgs, SweepPathArgs};
use crate::commands::made::{read, scenario};
use crate::commands::paths::Path;
use crate::failure::Failure;
use crate::scenarios::Given;
use tusker_record::cycle::round_up;

/// The group of flows, which has another congestion control at other points.
const FLOW: &str = "flow";

/// The shortest duration that is chosen.
const LEAST_S: f64 = 100.0;

/// What the group is called where it is made.
const FIRST: &str = "reno";

/// The scenario that the options stand for, as of `tusker compare`; none without them.
pub(super) fn given(path: &SweepPathArgs) -> Result<Option<Given>, Failure> {
    let Some((rate, rtt)) = path.rate.as_ref().zip(path.rtt.as_ref()) else { return Ok(None) };
    let words = ["--rate", rate, "--rtt", rtt, "--cc", FIRST].map(str::to_owned).into_iter();
    let duration = match &path.duration {
        Some(own) => own.clone(),
        None => enough(read("--rate", rate)?, read("--rtt", rtt)?),
    };
    let more = ["--flows".to_owned(), path.flows.to_string(), "--duration".to_owned(), duration];
    let command = CompareArgs::augment_args(clap::Command::new("compare").no_binary_name(true));
    let matches = command.try_get_matches_from(words.chain(more));
    let args = matches.and_then(|matches| CompareArgs::from_arg_matches(&matches));
    let args = args.map_err(|error| Failure::input(error.to_string(), "`tusker sweep --help`"))?;
    let on = Path { rate: rate.clone(), rtt: rtt.clone(), buffer: args.buffer.clone(), loss: None };
    let made = scenario(&args, &on, FIRST, None, false)?;
    let name = |name: &str| format!("name = \"{name}\"\n");
    let text = made.text.replacen(&name(FIRST), &name(FLOW), 1);
    let text = text.replacen(&format!("title = \"{} x {FIRST}, ", path.flows), "title = \"", 1);
    Ok(Some(Given { name: "the options".to_owned(), text, folder: PathBuf::from(".") }))
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

/// What its results are called: `100mbit-60ms`.
pub(super) fn name(path: &SweepPathArgs) -> Option<String> {
    let both = path.rate.as_ref().zip(path.rtt.as_ref());
    let plain =
        |text: &str| text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
    both.map(|(rate, rtt)| [rate, rtt].map(|text| -> String { plain(text) }).join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
