//! Runs that are done by another process, on this machine or another.

use std::path::Path;
use std::time::Duration;

use tusker_record::store::Format;
use tusker_record::store::sweep::{Key, Row};

use crate::Trouble;

/// A run of a sweep that is to be done.
#[derive(Debug)]
pub struct Order<'a> {
    /// The scenario with every value said, as TOML.
    pub scenario: &'a str,
    /// Its seed, whatever the scenario says.
    pub seed: u64,
    /// What the run is called by then, if it is the same one by the same build.
    pub key: Key,
    /// Bytes that it is expected to take.
    pub memory: u64,
}

/// A replicate of an experiment that is to be done.
#[derive(Clone, Copy, Debug)]
pub struct Whole<'a> {
    /// The scenario with every value said, as TOML.
    pub scenario: &'a str,
    /// The replicate's number.
    pub number: u32,
    /// Whether what a report shows over time is traced.
    pub traced: bool,
    /// Format of its tables.
    pub format: Format,
    /// Bytes that it is expected to take.
    pub memory: u64,
}

/// A run of a sweep that was done.
#[derive(Debug)]
pub struct Made {
    /// What it is called where it was done.
    pub key: Key,
    /// What it gave.
    pub row: Row,
    /// How long it took.
    pub wall: Duration,
}

/// Does runs in place of this process. A run is a function of scenario, seed and build
/// alone, so it may be done again where the first try was lost.
pub trait Elsewhere: Sync {
    /// How many runs go on at the same time there.
    fn cores(&self) -> usize;

    /// Has a run done and waits for it, unless `stopped`. Asked by many threads.
    ///
    /// # Errors
    /// [`Trouble::Interrupted`] if it was stopped; whatever went wrong there.
    fn make(&self, order: &Order<'_>, stopped: &dyn Fn() -> bool) -> Result<Made, Trouble>;

    /// The same of a replicate, whose files are put into a folder.
    ///
    /// # Errors
    /// As those of [`Self::make`].
    fn fill(
        &self,
        order: &Whole<'_>,
        folder: &Path,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), Trouble>;

    /// A replicate that it did is in: the folder of its experiment names it. Whoever keeps
    /// a copy of that elsewhere brings it up to date.
    ///
    /// # Errors
    /// As those of [`Self::make`].
    fn kept(&self, folder: &Path, stopped: &dyn Fn() -> bool) -> Result<(), Trouble> {
        let _ = (folder, stopped);
        Ok(())
    }
}
