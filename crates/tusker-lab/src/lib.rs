//! Runs experiments with any executor: several replicates at a time, continuing from stored
//! results, with progress reports and an orderly stop on request.
//!
//! ```text
//!  Scenario --Ready::of--> Ready --+
//!  Store (if results are kept) ----+--> Experiment --Lab::run--> Outcome
//!  Executor (simulator, testbed) ----------------------^  ^
//!  Watch (progress, stop) --------------------------------+
//! ```
//!
//! [`sweep`] runs the points of a grid instead; their scenarios differ only in the varied
//! values; [`suite`] those of a set of experiments by which a law is evaluated.
//!
//! The command line is one user of this crate. The crate refers to no executor by name.

pub mod captures;
mod crew;
mod elsewhere;
mod experiment;
pub mod lock;
pub mod matches;
pub mod memory;
mod names;
pub mod notes;
mod pool;
pub mod suite;
pub mod sweep;
mod trouble;
mod watch;

pub use crew::{Lab, Outcome, replicate};
pub use elsewhere::{Elsewhere, Made, Order, Whole};
pub use experiment::{Experiment, MAX_REPLICATES, Ready};
pub use memory::Budget;
pub use names::group_name;
pub use trouble::Trouble;
pub use watch::{Done, News, Quiet, Watch};
