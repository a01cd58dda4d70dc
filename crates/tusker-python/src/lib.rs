//! What the Python package `tusker` is made of. `python/tusker` says it in Python; this
//! is the part that runs, and nobody imports it but that package.
//!
//! The package asks for the same things as the command line, in the same words
//! ([`tusker::asked`]), so that options, checks and errors are the same. What comes out
//! stays in memory and is handed over as Arrow tables (`table.rs`).
//!
//! A law or a queue policy in Python is one of `tusker_core::foreign`: it has a name as
//! long as a call lasts (`written.rs`), and is asked from the thread that simulates.

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

/// The part of the package that runs.
#[pymodule]
mod _tusker {
    #[pymodule_export]
    use super::asking::{build, replicate, row, toml, version};
    #[pymodule_export]
    use super::asking::{compare, plan, reproduce, run, sweep};
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
