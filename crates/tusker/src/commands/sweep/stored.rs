//! What a sweep wrote, and what became of earlier sweeps in its folder.

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
                "--where, the data set and the report also have {} points of earlier sweeps in {dir}",
                self.kept
            ));
        }
        if self.lost > 0 {
            say(&format!(
                "note: {} points of an earlier sweep in {dir} are no longer in its tables and on \
                 its page, because\n      they are of another scenario or build, or vary other \
                 keys; the command of that sweep brings them back",
                self.lost
            ));
        }
    }
}
