//! The compiled part of the Python package `tusker`. The Python part is in `python/tusker`,
//! and only that package imports this one.
//!
//! The package makes the same requests as the command line, in the same words
//! ([`tusker::api`]), so that options, checks and errors are the same. Results stay in
//! memory and are handed over as Arrow tables (`table.rs`).
//!
//! A law or a queue policy in Python is one of `tusker_core::foreign`: its name is
//! registered for the duration of a call (`written.rs`), and it is called from the thread
//! that simulates.

mod asking;
mod law;
mod made;
mod queue;
mod raised;
mod results;
mod table;
mod waiting;
mod written;

use pyo3::prelude::*;

/// The compiled part of the package.
#[pymodule]
mod _tusker {
    #[pymodule_export]
    use super::asking::{build, replicate, row, toml, version};
    #[pymodule_export]
    use super::asking::{compare, diagnose, evaluate, import_, plan, reproduce, run, sweep};
    #[pymodule_export]
    use super::law::{Ack, RateSample, Rtt, Window};
    #[pymodule_export]
    use super::made::{PaperRows, PlanMade};
    #[pymodule_export]
    use super::queue::{Backlog, Link, Packet, Random, Verdict};
    #[pymodule_export]
    use super::results::{Runs, SweepRuns};
    #[pymodule_export]
    use super::table::Table;
}
