//! Readings that were run together (`--reading a+b`): their names, beside the rows.
//!
//! A row's folder is named after a hash of its scenario, which does not reveal the reading.
//! Every single reading is looked for, but of the many ways to combine them, only those that
//! were run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tusker_papers::rows::Taken;

use super::figures;
use crate::failure::Failure;

fn file(rows: &Path) -> PathBuf {
    rows.join("combined-readings.txt")
}

/// The names of combined readings that were run in a folder of rows: `a+b`.
pub fn known(rows: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file(rows)).unwrap_or_default();
    text.lines().filter(|line| line.contains('+')).map(str::to_owned).collect()
}

/// Keeps the names of those among these that are combined.
pub fn note<'a>(rows: &Path, wanted: impl Iterator<Item = &'a Taken<'a>>) -> Result<(), Failure> {
    let mut all: BTreeSet<String> = known(rows).into_iter().collect();
    let before = all.len();
    all.extend(wanted.map(Taken::readings).filter(|name| name.contains('+')));
    if all.len() == before {
        return Ok(());
    }
    let lines: Vec<String> = all.into_iter().map(|name| name + "\n").collect();
    figures::write(&file(rows), &lines.concat())
}
