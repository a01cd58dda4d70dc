//! What a sweep wrote, and what became of earlier sweeps in its folder.

use tusker_measure::table::{counted, verb};

use std::path::PathBuf;

use tusker_report::page::Note;

/// What was written into a folder.
pub struct Stored {
    pub dataset: PathBuf,
    pub page: PathBuf,
    pub kept: usize,
    pub lost: usize,
}

impl Stored {
    /// What became of earlier sweeps in the folder.
    pub fn work(&self, dir: &str) -> Vec<Note> {
        let mut lines = Vec::new();
        if self.kept > 0 {
            lines.push(format!(
                "--where, the data set and the report also have {} of earlier sweeps in {dir}",
                counted(self.kept as u128, "point")
            ));
        }
        if self.lost > 0 {
            lines.push(format!(
                "note: {} of an earlier sweep in {dir} {} no longer in its tables and on \
                 its page, because\n      they are of another scenario or build, or vary other \
                 keys; the command of that sweep brings them back",
                counted(self.lost as u128, "point"),
                verb(self.lost as u128, "is", "are")
            ));
        }
        lines.into_iter().map(|text| Note { text, doubt: false }).collect()
    }
}
