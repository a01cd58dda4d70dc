//! A folder per sweep: a line per finished run, and the tables made from these lines.
//!
//! ```text
//! results/dumbbell-sweep/
//!   runs/1.jsonl     a line per finished run, by the first process at work here
//!   runs/2.jsonl     by a second one at the same time, if there was one
//!   runs/claims      which runs are under way: nothing is in it but locks
//!   runs.parquet     the dataset: a row per run
//!   sweep.json       a row per point: means and intervals
//!   base.toml        the scenario as it was given, before --set and --over
//!   report.html      the page
//!   manifest.json    hashes of runs.parquet, sweep.json and base.toml
//! ```
//!
//! A run is found by its [`Key`]: scenario, build and seed. So a killed sweep can
//! be continued, a wider one runs only what is new, and it does not matter which
//! process ran what, or when.
//!
//! **However a process ends**, all of its lines except perhaps the last are complete, and each
//! has its own checksum. **Concurrent processes** each have their own locked file. Before a
//! run, a process claims it by locking a byte of `runs/claims` at a position derived from the
//! key. The lock disappears with the process, so nothing is left behind; after claiming a run,
//! a process checks whether another has finished it meanwhile.

mod claims;
mod dataset;
mod grid;
mod journal;
mod line;
mod pairs;
mod points;
mod setting;

pub use claims::Claim;
pub use dataset::{Dataset, Run, Varied};
pub use journal::{Found, Journal};
pub use line::{Fingerprint, Key, Row};
pub use pairs::pairs;
pub use points::{AxisSummary, PointSummary, PointsDoubt, SweepSummary};
pub use setting::{Range, Setting};

/// Name of the data set, without its extension.
pub const RUNS: &str = "runs";

/// Name of the file with one row per point.
pub const POINTS: &str = "sweep.json";

/// Name of the copy of the scenario as it was given, before anything was set or varied.
pub const BASE: &str = "base.toml";
