//! Folders of several experiments: the files in them that can be trusted, by `manifest.json`.
//!
//! ```text
//! format   version of this file
//! kind     what the folder holds: comparison, sweep, plan, plans, reproduction, evaluation
//! files    of each file its hash; two of them while it is being replaced
//! check    hash of all the above
//! ```
//!
//! Hashes are as in the manifest of a folder of `run`, which has no `kind`
//! (`manifest.rs`). A folder is tusker's if it has a manifest, whatever it is named and
//! whatever else is in it. A file is tusker's if the manifest names it. [`check`] decides that
//! for every command that writes, before it computes anything; nothing else is replaced.
//!
//! Files change together ([`Change`]): new ones are written under temporary names, the
//! manifest gets their hashes beside the earlier ones, they are renamed, and the earlier
//! hashes go. So whenever the program ends, the manifest and the files fit.

mod change;

use std::fs;
use std::io;
use std::path::Path;

use super::content::Content;
use super::listed::{CHANGES, Listed, absent, damaged, page, parents};
use super::{Error, MANIFEST, REPORT, io_error};
use crate::files::{self, hash};

pub use super::listed::{Kind, kind};
pub use change::Change;

/// Makes sure that a folder may get such results, and that nothing in it is in their way.
/// Nothing is written.
///
/// # Errors
/// If it holds something else, or what is in it has changed since it was stored.
pub fn check(dir: &Path, kind: Kind) -> Result<(), Error> {
    let listed = undisturbed(dir, || {
        let listed = listed(Content::of(dir)?, dir, kind)?;
        listed.verify(dir).map(|()| listed)
    })?;
    for name in kind.files() {
        if !listed.files.contains_key(*name) {
            absent(&dir.join(name))?;
        }
    }
    page(&dir.join(REPORT))
}

/// Makes a folder one of these, creating it if necessary.
///
/// # Errors
/// Those of [`check`]; if it cannot be written.
pub fn claim(dir: &Path, kind: Kind) -> Result<(), Error> {
    check(dir, kind)?;
    Change::begin(dir, kind)?.commit()
}

/// The same for a folder of this process's own that was filled from elsewhere, where a
/// manifest may be missing.
///
/// # Errors
/// If it cannot be written.
pub fn adopt(dir: &Path, kind: Kind) -> Result<(), Error> {
    if dir.join(MANIFEST).exists() {
        return claim(dir, kind);
    }
    fs::create_dir_all(dir).map_err(io_error("create", dir))?;
    Listed::new(kind).write(dir)
}

/// A file of such a folder, if the folder has it.
///
/// # Errors
/// If the folder is another one, or the file has changed since it was stored.
pub fn read(dir: &Path, kind: Kind, name: &str) -> Result<Option<Vec<u8>>, Error> {
    let path = dir.join(name);
    undisturbed(dir, || {
        let listed = match Content::of(dir)? {
            Content::Listed(own, listed) if own == kind => listed?,
            Content::Unreadable => return Err(Listed::damaged(dir)),
            Content::Foreign | Content::Early if path.exists() => {
                return Err(Error::NoManifest(dir.to_owned()));
            }
            _ => return Ok(None),
        };
        let Some(hashes) = listed.files.get(name) else { return Ok(None) };
        parents(dir, name)?;
        let bytes = match files::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(io_error("read", &path))?,
        };
        match hashes.contains(&hash(&bytes)) {
            true => Ok(Some(bytes)),
            false => Err(damaged(path.clone())),
        }
    })
}

/// The names of the files of such a folder, if it is one.
///
/// # Errors
/// If its manifest is damaged.
pub fn names(dir: &Path, kind: Kind) -> Result<Vec<String>, Error> {
    match Content::of(dir)? {
        Content::Listed(own, listed) if own == kind => Ok(listed?.files.into_keys().collect()),
        Content::Unreadable => Err(Listed::damaged(dir)),
        _ => Ok(Vec::new()),
    }
}

/// What is read of a folder that another process may be changing: its manifest and a file
/// change one after the other. The last time, nobody changes them.
fn undisturbed<T>(dir: &Path, read: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    for _ in 0..3 {
        match read() {
            Err(Error::Damaged { .. }) => {}
            read => return read,
        }
    }
    let _still = change::still(dir);
    read()
}

/// The list of a folder of this kind, from what is in it.
fn listed(content: Content, dir: &Path, kind: Kind) -> Result<Listed, Error> {
    let what = match content {
        Content::Nothing => return Ok(Listed::new(kind)),
        Content::Listed(own, listed) if own == kind => return listed,
        Content::Listed(own, listed) => listed.map(|_| own.words())?,
        Content::Results(manifest) => manifest.map(|_| "results of one experiment")?,
        Content::Recording => "a recording of `kernel watch`",
        Content::Unreadable => return Err(Listed::damaged(dir)),
        Content::Early | Content::Foreign => return Err(Error::Foreign(dir.to_owned())),
    };
    Err(Error::OtherKind { dir: dir.to_owned(), what })
}

#[cfg(test)]
mod tests;
