//! `tusker sweep`.

use std::path::PathBuf;

use clap::Args;

use super::{ConditionArgs, HowArgs, Tables};

/// Run a scenario over a grid of values.
#[derive(Debug, Args)]
#[command(after_help = "\
Every combination of the values of all --over is a point. A list has commas:
cc=cubic,bbr3; a range is FROM..TO:COUNT, with :log behind it for equal ratios and
:whole for whole numbers: dumbbell.delay=5ms..100ms:6:log. KEY is what --set takes;
cc stands for the cc of every flow.

Examples:
  tusker sweep dumbbell.toml --over cc=cubic,bbr3,ghstcp
  tusker sweep dumbbell.toml --over cc=reno,hstcp --over dumbbell.queue=0.1bdp..2bdp:12:log
  tusker sweep dumbbell.toml --over dumbbell.delay=5ms..100ms:6 --until 2%
  tusker sweep dumbbell.toml --over cc=reno,hstcp --measure utilisation,groups.reno.rtt_p95_s
  tusker sweep buffers.toml                        a file that says what is varied
  tusker sweep buffers.toml --ray 10.0.0.1:6379 --out s3://lab/buffers

Every run is kept when it is finished, and found again: the same command goes on
where it was stopped, and one with more values runs only what is new. Several at a
time share the work on a folder. docs/sweep.md says how files are written, and how
pandas, polars and DuckDB read the dataset.")]
pub struct SweepArgs {
    /// Scenario file, or a file that says what is varied; - reads a scenario from stdin
    #[arg(value_name = "FILE.toml")]
    pub file: PathBuf,
    /// Varies a value of the scenario; again for more
    #[arg(long = "over", value_name = "KEY=LIST")]
    pub over: Vec<String>,
    /// Sets a value of the scenario at every point; again for more
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Adds replicates where the 95 % interval is wider than this share of the mean:
    /// 2%. At least three; of the first --measure, or of the goodput
    #[arg(long, value_name = "SHARE")]
    pub until: Option<String>,
    /// The most replicates that --until makes of a point
    #[arg(long, default_value_t = 100, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(3..=100_000))]
    pub most: u32,
    /// What the table shows, names as in the dataset; a few that are often wanted
    /// unless said otherwise
    #[arg(long = "measure", value_delimiter = ',', value_name = "NAME")]
    pub measures: Vec<String>,
    #[command(flatten)]
    pub verdict: ConditionArgs,
    #[command(flatten)]
    pub how: HowArgs,
    /// Has the runs done by a Ray cluster: auto, local (one on this machine), or where
    /// its head is. Needs Python with the packages tusker and ray
    #[arg(long, value_name = "ADDRESS")]
    pub ray: Option<String>,
    /// Folder for the results; results/FILE-sweep unless said otherwise. With --ray
    /// also one in shared storage: s3://BUCKET/FOLDER, or what fsspec knows
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Format of the dataset
    #[arg(long, value_enum)]
    pub tables: Option<Tables>,
}
