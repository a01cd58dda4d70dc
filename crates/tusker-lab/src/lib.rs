//! Runs experiments with any executor: replicates, several at a time, what was
//! stored before taken up again, progress told, and an end in order when asked.
//!
//! ```text
//!  Scenario --Ready::of--> Ready --+
//!  Store (if results are kept) ----+--> Experiment --Lab::run--> Outcome
//!  Executor (simulator, testbed) ----------------------^  ^
//!  Watch (progress, stop) --------------------------------+
//! ```
//!
//! [`sweep`] runs the points of a grid instead, each with the same scenario but for
//! what is varied.
//!
//! The command line is one of its users. It knows no executor by name.

mod crew;
mod elsewhere;
mod experiment;
mod lock;
pub mod memory;
pub mod plan;
pub mod sweep;
mod trouble;
mod watch;

pub use crew::{Lab, Outcome, replicate};
pub use elsewhere::{Elsewhere, Made, Order, Whole};
pub use experiment::{Experiment, MAX_REPLICATES, Ready};
pub use memory::Budget;
pub use trouble::Trouble;
pub use watch::{Done, News, Quiet, Watch};
