//! `tusker sweep`.

use std::path::PathBuf;

use clap::Args;

use super::{ConditionArgs, HowArgs, Tables};

/// Run a scenario over a grid of values.
#[derive(Debug, Args)]
#[command(after_help = "\
Every combination of the values of all --over options is a point. A list has commas:
cc=cubic,bbr3. A range is FROM..TO:COUNT, with :log at the end for equal ratios and
:whole for whole numbers: dumbbell.delay=5ms..100ms:6:log. KEY is the same as for
--set; cc means the congestion control of every flow.

Examples:
  tusker sweep dumbbell.toml --over cc=cubic,bbr3,ghstcp
  tusker sweep dumbbell.toml --over cc=reno,hstcp --over dumbbell.queue=0.1bdp..2bdp:12:log
  tusker sweep dumbbell.toml --over dumbbell.delay=5ms..100ms:6 --until 2%
  tusker sweep dumbbell.toml --over cc=reno,hstcp --measure utilisation,groups.reno.rtt_p95_s
  tusker sweep buffers.toml                        a file that says what is varied
  tusker sweep buffers.toml --ray 10.0.0.1:6379 --out s3://lab/buffers

Without a scenario file, begin with one of `compare`, which takes its path from flags:
  tusker compare --rate 100mbit --rtt 50ms --cc reno --set flows.0.name=flow \
    --print-scenario > base.toml
  tusker sweep base.toml --over cc=reno,bbr3 --over dumbbell.queue=0.1bdp,0.5bdp,2bdp

--format csv prints a row per point: its values, the number of replicates, then the
mean of each measure (or those of --measure) and half its 95 % interval (NAME_ci95).
A varied number has its unit in the name, there and in the dataset: dumbbell.queue in
BDP is dumbbell.queue_bdp. `tusker list measure` has the units of measures.
dumbbell.queue=LIMIT makes the queue DropTail; dumbbell.queue.limit=LIMIT keeps the
policy of the file.
A seed decides what is drawn at random: when flows start within the first second,
random losses, background traffic, and how long hosts take to react (host_time, 10us
in the profile linux). ± says how far results differ between seeds, nothing else. All
points have the same seeds: what differs between points is not the seed, and an unusual
seed is unusual at all of them.

Every run is stored when it is finished: the same command continues where it was
stopped, and a command with more values runs only the new ones. Several processes can
share the work on a folder. docs/sweep.md describes sweep files, and how pandas, polars
and DuckDB read the dataset.")]
pub struct SweepArgs {
    /// Scenario file, or a file that says what is varied; - reads a scenario from stdin
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// Vary a value of the scenario (repeatable)
    #[arg(long = "over", value_name = "KEY=LIST")]
    pub over: Vec<String>,
    /// Set a value of the scenario at every point (repeatable)
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Add replicates, at least three, until half the 95 % interval is at most this share
    /// of the mean, such as 2%: of the first --measure, or else of the goodput
    #[arg(long, value_name = "SHARE")]
    pub until: Option<String>,
    /// The largest number of replicates of a point with --until
    #[arg(long, default_value_t = 100, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(3..=100_000))]
    pub most: u32,
    /// Measures to show in the table and in --format csv, named as in the dataset
    /// [default: a few common ones; in CSV all]
    #[arg(long = "measure", value_delimiter = ',', value_name = "NAME")]
    pub measures: Vec<String>,
    #[command(flatten)]
    pub verdict: ConditionArgs,
    #[command(flatten)]
    pub how: HowArgs,
    /// Run on a Ray cluster: auto, local (one on this machine), or the address of its
    /// head. Needs Python with the packages tusker and ray
    #[arg(long, value_name = "ADDRESS")]
    pub ray: Option<String>,
    /// Folder for the results [default: results/FILE-sweep]. With --ray it may be in
    /// shared storage: s3://BUCKET/FOLDER, or any other place that fsspec knows
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Format of the dataset
    #[arg(long, value_enum)]
    pub tables: Option<Tables>,
}
