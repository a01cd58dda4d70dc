//! Where the results of rows are, within the folder of a paper.

use std::collections::BTreeSet;
use std::path::Path;

use tusker_lab::Ready;
use tusker_store::Error;
use tusker_store::folder::{self, Change, Kind};

use crate::rows::Taken;

/// The folder of a row: what it is called, a hash of everything that is assumed
/// in it, and one of what runs it. More replicates of it are still the same.
pub(super) fn place(ready: &Ready) -> String {
    format!("{}{}", assumed(ready), &ready.identity.build().hash[..8])
}

/// The same without what runs it.
fn assumed(ready: &Ready) -> String {
    format!("{}-{}-", ready.name, &ready.identity.experiment()[..12])
}

/// Whether one of these folders has the same row, run by another build: under
/// the same assumptions, or named as early versions did, which does not tell.
pub(super) fn is_outdated(ready: &Ready, folders: &[String]) -> bool {
    let (own, early) = (assumed(ready), format!("{}-", ready.name));
    folders.iter().any(|name| {
        let digits = name.strip_prefix(&early).unwrap_or_default();
        let hex = digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        name.starts_with(&own) || hex
    })
}

/// The names of the folders in one; none if there is none.
pub(super) fn folders(within: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(within).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The last part of a path.
pub(super) fn last_part(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The file with the names of combined readings (`--reading a+b`) that were run: a folder, named
/// after a hash, does not reveal its reading, and of the many ways to combine them only those
/// that were run are looked for.
fn combined_file(rows: &str) -> String {
    format!("{rows}/combined-readings.txt")
}

/// The names of combined readings that were run in a folder of rows, within that of the paper:
/// `a+b`.
pub(super) fn combined(folder: &Path, rows: &str) -> Result<Vec<String>, Error> {
    let text = folder::read(folder, Kind::Reproduction, &combined_file(rows))?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    Ok(text.lines().filter(|line| line.contains('+')).map(str::to_owned).collect())
}

/// Keeps the names of those among these that are combined.
pub(super) fn note_combined<'a>(
    folder: &Path,
    rows: &str,
    wanted: impl Iterator<Item = &'a Taken<'a>>,
) -> Result<(), Error> {
    let mut all: BTreeSet<String> = combined(folder, rows)?.into_iter().collect();
    let before = all.len();
    all.extend(wanted.map(Taken::readings).filter(|name| name.contains('+')));
    if all.len() == before {
        return Ok(());
    }
    let lines: Vec<String> = all.into_iter().map(|name| name + "\n").collect();
    let mut change = Change::begin(folder, Kind::Reproduction)?;
    change.put(&combined_file(rows), lines.concat().as_bytes())?;
    change.commit()
}
