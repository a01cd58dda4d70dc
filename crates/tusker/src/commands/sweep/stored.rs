//! What a sweep wrote, and what became of earlier sweeps in its folder.

use tusker_measure::table::{counted, verb};

use std::path::PathBuf;

use crate::output::say;

/// What was written into a folder.
pub struct Stored {
    pub dataset: PathBuf,
    pub page: PathBuf,
    pub kept: usize,
    pub lost: usize,
}

impl Stored {
    /// What became of earlier sweeps in the folder, on stderr.
    pub fn told(&self, dir: &str) {
        if self.kept > 0 {
            say(&format!(
                "--where, the data set and the report also have {} of earlier sweeps in {dir}",
                counted(self.kept as u128, "point")
            ));
        }
        if self.lost > 0 {
            say(&format!(
                "note: {} of an earlier sweep in {dir} {} no longer in its tables and on \
                 its page, because\n      they are of another scenario or build, or vary other \
                 keys; the command of that sweep brings them back",
                counted(self.lost as u128, "point"),
                verb(self.lost as u128, "is", "are")
            ));
        }
    }
}
