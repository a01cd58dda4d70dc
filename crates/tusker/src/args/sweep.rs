//! `tusker sweep`.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::{ConditionArgs, HowArgs, Tables, request};
use crate::failure::Failure;

/// Run a scenario at every point of a grid of values.
#[derive(Clone, Debug, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
#[command(after_help = "\
Each --over option gives a key of the scenario several values. Every combination of these
values is a point. LIST is a comma-separated list, such as cc=cubic,bbr3, or a range
FROM..TO:COUNT, such as dumbbell.delay=5ms..100ms:6. With :log at the end of a range, the
ratios between values are equal (values are rounded); with :whole, the values are whole
numbers. KEY is a key as for --set; cc means the congestion control of all flows.

Examples:
  tusker sweep examples/dumbbell.toml --over cc=cubic,bbr3,ghstcp
  tusker sweep examples/dumbbell.toml --over cc=reno,hstcp --over dumbbell.queue=0.1bdp..2bdp:12:log
  tusker sweep examples/dumbbell.toml --over dumbbell.delay=5ms..100ms:6 --until 2%
  tusker sweep examples/dumbbell.toml --over dumbbell.queue=0.1bdp..2bdp:8 --where 'utilisation > 0.95'
  tusker sweep examples/dumbbell.toml --over cc=reno,hstcp --measure utilisation,groups.reno.rtt_p95_s
  tusker sweep buffers.toml                        a sweep file, which names the values
  tusker sweep buffers.toml --ray 10.0.0.1:6379 --out s3://lab/buffers

Without a scenario file, --rate and --rtt describe a dumbbell as for `tusker compare`:
  tusker sweep --rate 100mbit --rtt 60ms --cc reno,bbr3 --buffer 0.1bdp..2bdp:8
  tusker sweep --rate 10mbit..1gbit:5:log --rtt 20ms,60ms --cc cubic
Its flows are a group called `flow`. For anything else, `tusker compare --print-scenario`
writes a file to start from.

--measure and --fail-on take the measures of `tusker list measure`: those of the whole
experiment as they are, those of a group as groups.flow.rtt_mean_s, and those of a link as
links.R1->R2.queue_mean_pkt.

--format csv prints a row for each point: the values of the point, the number of
replicates, then the mean of each measure (or of those of --measure) and half of its 95 %
interval (in the column NAME_ci95). In the CSV and in the dataset, the name of a column
with varied numbers ends with their unit: buffer in BDP is buffer_bdp.
`tusker list measure` shows the units of the measures.
dumbbell.queue=LIMIT makes the queue a DropTail queue; dumbbell.queue.limit=LIMIT changes
the limit and keeps the queue policy of the file.
The seed decides everything that is random: when flows start within the first second,
random losses, background traffic, and how long hosts take to react (host_time, which is
10us in the profile linux). ± shows only how much results differ between seeds. All points
use the same seeds, so differences between points do not come from different seeds.

Every run is stored when it is finished. If the command was stopped, the same command
continues it. A command with more values runs only the new ones. Several processes can
share the work on one folder. docs/sweep.md describes sweep files, and how pandas, polars
and DuckDB read the dataset.")]
pub struct SweepArgs {
    /// Scenario file, or - to read it from stdin; or a sweep file, which says which values to
    /// vary (docs/sweep.md)
    #[arg(value_name = "FILE.toml", required_unless_present = "rate", conflicts_with = "rate")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub path: SweepPathArgs,
    /// Run the scenario with each of these values of this key (repeatable)
    #[arg(long = "over", value_name = "KEY=LIST")]
    pub over: Vec<String>,
    /// Set a value of the scenario at every point, such as duration=200s (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    #[serde(rename = "set")]
    pub sets: Vec<String>,
    /// Run more replicates of a point (at least three) until half the 95 % interval of a
    /// measure is at most this share of its mean, such as 2%. The measure is the first one of
    /// --measure, or the goodput
    #[arg(long, value_name = "SHARE")]
    pub until: Option<String>,
    /// Largest number of replicates of a point with --until
    #[arg(long, default_value_t = 100, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(3..=100_000))]
    #[serde(deserialize_with = "request::most")]
    pub most: u32,
    /// Measures to show in the table and with --format csv, by their names in the dataset
    /// [default: a few common ones in the table, all in CSV]
    #[arg(long = "measure", value_delimiter = ',', value_name = "NAME")]
    #[serde(rename = "measure", deserialize_with = "request::list")]
    pub measures: Vec<String>,
    /// Show for which values of the last --over key with numbers this condition holds, such as
    /// the smallest buffer with 'utilisation >= 0.95' (repeatable). The means decide; with
    /// `surely` at its end, it must hold within the whole 95 % interval. The intervals of the
    /// utilisation are widened, if need be, to what one additional or missing sawtooth in the
    /// measuring window would change
    #[arg(long = "where", value_name = "CONDITION")]
    #[serde(skip_deserializing)]
    pub wheres: Vec<String>,
    #[command(flatten)]
    #[serde(skip_deserializing)]
    pub verdict: ConditionArgs,
    #[command(flatten)]
    pub how: HowArgs,
    /// Run on a Ray cluster: `auto` finds a running one, `local` starts one on this machine,
    /// and an address is that of the cluster's head node. Needs Python with the packages
    /// tusker and ray
    #[arg(long, value_name = "ADDRESS")]
    pub ray: Option<String>,
    /// Folder for the results [default: results/FILE-sweep, or results/RATE-RTT-sweep]. With --ray
    /// it may be in shared storage, such as s3://BUCKET/FOLDER or another address that fsspec knows
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Format of the dataset [default: parquet]
    #[arg(long, value_enum)]
    pub tables: Option<Tables>,
}

/// A path without a scenario file.
#[derive(Clone, Debug, Args, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SweepPathArgs {
    /// Instead of FILE: a dumbbell whose bottleneck has this rate, or each of these rates, such
    /// as 1gbit or 10mbit..10gbit:6:log
    #[arg(long, value_name = "LIST", requires = "rtt", allow_hyphen_values = true)]
    #[arg(help_heading = "Without a file")]
    pub rate: Option<String>,
    /// Its round-trip times without queueing, such as 100ms or 10ms..200ms:5:log
    #[arg(long, value_name = "LIST", requires = "rate", allow_hyphen_values = true)]
    #[arg(help_heading = "Without a file")]
    pub rtt: Option<String>,
    /// Queue limits of the bottleneck, such as 0.1bdp..2bdp:8:log [default: 1bdp]
    #[arg(long, value_name = "LIST", requires = "rate", allow_hyphen_values = true)]
    #[arg(help_heading = "Without a file")]
    pub buffer: Option<String>,
    /// Shares of packets that are lost at random [default: 0]
    #[arg(long, value_name = "LIST", requires = "rate", allow_hyphen_values = true)]
    #[arg(help_heading = "Without a file")]
    pub loss: Option<String>,
    /// Queue policy at the bottleneck, with optional parameters [default: droptail]
    #[arg(long, value_name = "NAME[:PARAM=VALUE]", requires = "rate")]
    #[arg(help_heading = "Without a file")]
    pub queue: Option<String>,
    /// Use ECN: the queue marks packets instead of dropping them, and TCP reacts to the marks
    #[arg(long, requires = "rate", help_heading = "Without a file")]
    pub ecn: bool,
    /// Congestion controls, with optional parameters; the same as --over cc=LIST
    #[arg(long, value_name = "LIST", requires = "rate", help_heading = "Without a file")]
    pub cc: Option<String>,
    /// Its number of flows
    #[arg(long, default_value_t = 1, value_name = "N", allow_negative_numbers = true)]
    #[arg(requires = "rate", help_heading = "Without a file")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    #[serde(deserialize_with = "request::count")]
    pub flows: u32,
    /// Simulated time; without a file, its second half is measured [default: that of the file;
    /// without one, about six cycles of Reno with a buffer of 2 BDP at the highest rate and RTT,
    /// but no longer than it takes to send 100 Gbit, and at least 100s]
    #[arg(long, allow_hyphen_values = true)]
    pub duration: Option<String>,
}

impl Default for SweepArgs {
    fn default() -> Self {
        let mut args: Self = request::defaults(&["-"]);
        args.file = None;
        args
    }
}

impl SweepPathArgs {
    /// Makes sure of what the command line makes sure of by itself: it is complete, and there is
    /// none beside a file.
    pub fn check(&self, is_file: bool) -> Result<(), Failure> {
        let Self { rate, rtt, buffer, loss, queue, ecn, cc, flows, .. } = self;
        let lacks = |what: &str| Err(Failure::input(what, "give a scenario, or --rate and --rtt"));
        match (rate, rtt) {
            (None, None) if !is_file => lacks("there is nothing to run"),
            (None, None) => {
                let texts =
                    [("--buffer", buffer), ("--loss", loss), ("--queue", queue), ("--cc", cc)];
                let texts = texts.map(|(option, text)| (option, text.is_some()));
                let more = [("--ecn", *ecn), ("--flows", *flows != 1)];
                match texts.into_iter().chain(more).find(|(_, is_given)| *is_given) {
                    Some((option, _)) => lacks(&format!("{option} is only for --rate and --rtt")),
                    None => Ok(()),
                }
            }
            (None, _) => lacks("--rtt without --rate"),
            (_, None) => lacks("--rate without --rtt"),
            (Some(_), Some(_)) => Ok(()),
        }
    }
}

impl Default for SweepPathArgs {
    fn default() -> Self {
        request::defaults(&[])
    }
}
