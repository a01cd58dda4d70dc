//! A folder per sweep: a line per finished run, and the tables made of them.
//!
//! ```text
//! results/dumbbell-sweep/
//!   runs/1.jsonl     a line per finished run, by the first process at work here
//!   runs/2.jsonl     by a second one at the same time, if there was one
//!   runs/claims      which runs are under way: nothing is in it but locks
//!   runs.parquet     the dataset: a row per run
//!   sweep.json       a row per point: means and intervals
//!   report.html      the page
//! ```
//!
//! A run is found by its [`Key`]: scenario, build and seed. So a sweep that was
//! killed goes on, a wider one runs only what is new, and it does not matter which
//! process ran what, or when.
//!
//! **Whatever ends a process**, the lines that it wrote are whole, but for the last
//! one, and each has a check sum of its own. **Processes at the same time** have a
//! file each, which is locked. Before a run one claims it: a lock on a byte of
//! `runs/claims` whose place follows from the key. It goes when the process goes,
//! so that nothing is left behind; and after taking it a process looks whether
//! another has finished the run meanwhile.

mod claims;
mod dataset;
mod journal;
mod line;
mod points;
mod spread;

pub use claims::Claim;
pub use dataset::{Dataset, Run, Varied};
pub use journal::{Found, Journal};
pub use line::{Fingerprint, Key, Row};
pub use points::{AxisSummary, PointSummary, SweepSummary, unit};
pub use spread::{Spread, pairs};

/// Name of the dataset, without its end.
pub const RUNS: &str = "runs";

/// Name of the file with a row per point.
pub const POINTS: &str = "sweep.json";
