//! Readings that were run together (`--reading a+b`): their names, beside the rows.
//!
//! A row's folder is named after a hash of its scenario, which does not reveal the reading.
//! Every single reading is looked for, but of the many ways to combine them, only those that
//! were run.

use std::collections::BTreeSet;
use std::path::Path;

use tusker_papers::rows::Taken;
use tusker_store::folder::{self, Kind};

use super::figures;
use crate::failure::Failure;

fn file(rows: &str) -> String {
    format!("{rows}/combined-readings.txt")
}

/// The names of combined readings that were run in a folder of rows, within that of the paper:
/// `a+b`.
pub fn known(folder: &Path, rows: &str) -> Result<Vec<String>, Failure> {
    let text = folder::read(folder, Kind::Reproduction, &file(rows))?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    Ok(text.lines().filter(|line| line.contains('+')).map(str::to_owned).collect())
}

/// Keeps the names of those among these that are combined.
pub fn note<'a>(
    folder: &Path,
    rows: &str,
    wanted: impl Iterator<Item = &'a Taken<'a>>,
) -> Result<(), Failure> {
    let mut all: BTreeSet<String> = known(folder, rows)?.into_iter().collect();
    let before = all.len();
    all.extend(wanted.map(Taken::readings).filter(|name| name.contains('+')));
    if all.len() == before {
        return Ok(());
    }
    let lines: Vec<String> = all.into_iter().map(|name| name + "\n").collect();
    figures::write(folder, &file(rows), &lines.concat())
}
