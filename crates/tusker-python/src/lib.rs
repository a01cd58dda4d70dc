//! What the Python package `tusker` is made of. `python/tusker` says it in Python; this
//! is the part that runs, and nobody imports it but that package.
//!
//! The package asks for the same things as the command line, in the same words
//! ([`tusker::asked`]), so that options, checks and errors are the same. What comes out
//! stays in memory and is handed over as Arrow tables ([`table`]).

mod asking;
mod results;
mod table;
mod waiting;

use pyo3::prelude::*;

/// The part of the package that runs.
#[pymodule]
mod _tusker {
    #[pymodule_export]
    use super::asking::{compare, run, sweep, toml, version};
    #[pymodule_export]
    use super::results::{Runs, SweepRuns};
    #[pymodule_export]
    use super::table::Table;
}
