//! A sweep without a scenario file: the path of `--rate` and `--rtt`.

use std::path::PathBuf;

use clap::{Args, FromArgMatches};

use crate::args::{CompareArgs, SweepPathArgs};
use crate::commands::made::scenario;
use crate::commands::paths::Path;
use crate::failure::Failure;
use crate::scenarios::Given;

/// The group of flows, which has another congestion control at other points.
const FLOW: &str = "flow";

/// What the group is called where it is made.
const FIRST: &str = "reno";

/// The scenario that the options stand for, as of `tusker compare`; none without them.
pub(super) fn given(path: &SweepPathArgs) -> Result<Option<Given>, Failure> {
    let Some((rate, rtt)) = path.rate.as_ref().zip(path.rtt.as_ref()) else { return Ok(None) };
    let words = ["--rate", rate, "--rtt", rtt, "--cc", FIRST].map(str::to_owned).into_iter();
    let duration = path.duration.iter().flat_map(|own| ["--duration".to_owned(), own.clone()]);
    let flows = ["--flows".to_owned(), path.flows.to_string()].into_iter().chain(duration);
    let command = CompareArgs::augment_args(clap::Command::new("compare").no_binary_name(true));
    let matches = command.try_get_matches_from(words.chain(flows));
    let args = matches.and_then(|matches| CompareArgs::from_arg_matches(&matches));
    let args = args.map_err(|error| Failure::input(error.to_string(), "`tusker sweep --help`"))?;
    let on = Path { rate: rate.clone(), rtt: rtt.clone(), buffer: args.buffer.clone(), loss: None };
    let made = scenario(&args, &on, FIRST, None, false)?;
    let name = |name: &str| format!("name = \"{name}\"\n");
    let text = made.text.replacen(&name(FIRST), &name(FLOW), 1);
    let text = text.replacen(&format!("title = \"{} x {FIRST}, ", path.flows), "title = \"", 1);
    Ok(Some(Given { name: "the options".to_owned(), text, folder: PathBuf::from(".") }))
}

/// What its results are called: `100mbit-60ms`.
pub(super) fn name(path: &SweepPathArgs) -> Option<String> {
    let both = path.rate.as_ref().zip(path.rtt.as_ref());
    let plain =
        |text: &str| text.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
    both.map(|(rate, rtt)| [rate, rtt].map(|text| -> String { plain(text) }).join("-"))
}
