//! Runs that are done by another process, on this machine or another one.

use std::path::Path;
use std::time::Duration;

use tusker_store::Format;
use tusker_store::sweep::{Key, Row};

use crate::Trouble;

/// A run of a sweep that has to be done.
#[derive(Debug)]
pub struct Order<'a> {
    /// The scenario as TOML, with all values filled in.
    pub scenario: &'a str,
    /// Its seed, which overrides the scenario's.
    pub seed: u64,
    /// The expected key of the run, if it is done by the same build.
    pub key: Key,
    /// Its expected memory in bytes.
    pub memory: u64,
}

/// A replicate of an experiment that has to be done.
#[derive(Clone, Copy, Debug)]
pub struct Whole<'a> {
    /// The scenario as TOML, with all values filled in.
    pub scenario: &'a str,
    /// The replicate's number.
    pub number: u32,
    /// Whether the series for a report are traced.
    pub traced: bool,
    /// Format of its tables.
    pub format: Format,
    /// Its expected memory in bytes.
    pub memory: u64,
}

/// A run of a sweep that was done.
#[derive(Debug)]
pub struct Made {
    /// Its key where it was done.
    pub key: Key,
    /// Its results.
    pub row: Row,
    /// How long it took.
    pub wall: Duration,
}

/// Does runs instead of this process. A run depends only on scenario, seed and build, so it
/// may be repeated if the first attempt is lost.
pub trait Elsewhere: Sync {
    /// The number of concurrent runs there.
    fn cores(&self) -> usize;

    /// Has a run done and waits for it, unless `stopped`. Called by many threads.
    ///
    /// # Errors
    /// [`Trouble::Interrupted`] if it was stopped; otherwise any failure there.
    fn make(&self, order: &Order<'_>, stopped: &dyn Fn() -> bool) -> Result<Made, Trouble>;

    /// The same for a replicate, whose files are put into a folder.
    ///
    /// # Errors
    /// As for [`Self::make`].
    fn fill(
        &self,
        order: &Whole<'_>,
        folder: &Path,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), Trouble>;

    /// A replicate done elsewhere is in the results: the folder of its experiment lists it.
    /// A copy of that folder kept elsewhere should be updated now.
    ///
    /// # Errors
    /// As for [`Self::make`].
    fn kept(&self, folder: &Path, stopped: &dyn Fn() -> bool) -> Result<(), Trouble> {
        let _ = (folder, stopped);
        Ok(())
    }
}
