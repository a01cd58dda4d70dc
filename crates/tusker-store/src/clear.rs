//! Removes from a folder of results what a killed run left, or what is to be replaced, but
//! nothing that tusker did not write.

use std::fs;
use std::path::{Path, PathBuf};

use super::manifest::Manifest;
use super::{CAPTURES, MEASURES, PARTIAL, REPLICATES, REPORT, SUMMARY};
use super::{Error, entries, io_error, remove};
use crate::files;

/// Removes everything that belongs to no stored replicate.
pub(super) fn clear(dir: &Path, manifest: &Manifest) -> Result<(), Error> {
    old(dir, manifest)?.iter().try_for_each(|path| remove(path))?;
    if manifest.replicates.is_empty() {
        // it stays if something else is in it
        let _ = fs::remove_dir(dir.join(CAPTURES));
    }
    Ok(())
}

/// What [`clear`] removes.
///
/// # Errors
/// If something is among it that tusker did not write.
pub(super) fn old(dir: &Path, manifest: &Manifest) -> Result<Vec<PathBuf>, Error> {
    let mut old = Vec::new();
    for path in entries(&dir.join(REPLICATES))? {
        let name = name_of(&path);
        let number = name.parse().ok().filter(|number| name == format!("{number:04}"));
        let out = number.is_some_and(|number| !manifest.replicates.contains_key(&number));
        if out || name.starts_with(PARTIAL) {
            replicate(&path)?;
            old.push(path);
        }
    }
    let none = manifest.replicates.is_empty();
    for path in entries(dir)? {
        let name = name_of(&path);
        if none && [SUMMARY, REPORT].contains(&&*name) || files::is_partial(&name) {
            old.push(path);
        } else if none && name == CAPTURES {
            files::is_folder(&path).map_err(io_error("remove", &path))?;
            let ours = |path: &PathBuf| has_end(path, &["pcapng", "sqlog"]);
            old.extend(entries(&path)?.into_iter().filter(ours));
        }
    }
    Ok(old)
}

/// Makes sure that a folder has nothing but files of a replicate.
fn replicate(path: &Path) -> Result<(), Error> {
    let folder = files::is_folder(path).map_err(io_error("remove", path))?;
    let inside = if folder { entries(path)? } else { Vec::new() };
    let ours = |path: &PathBuf| {
        let known = has_end(path, &["parquet", "csv"]) || path.ends_with(MEASURES);
        (known || files::is_partial(&name_of(path))) && files::is_file(path).unwrap_or(false)
    };
    inside.into_iter().find(|path| !ours(path)).map_or(Ok(()), |other| Err(Error::NotOurs(other)))
}

fn has_end(path: &Path, ends: &[&str]) -> bool {
    path.extension().is_some_and(|own| ends.iter().any(|end| own == *end))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
