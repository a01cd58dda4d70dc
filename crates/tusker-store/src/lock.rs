//! A folder of results belongs to one process at a time.
//!
//! The lock is the operating system's, on a file in the folder. It is released when
//! the process ends, however it ends: a lock file left behind means nothing. The
//! file is never removed, because another process may be about to lock it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use fs4::{FileExt, TryLockError};

use super::{Error, io_error};
use crate::files;

/// Name of the locked file.
pub(super) const LOCK: &str = ".tusker-lock";

/// A folder that is locked against other processes until this is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
    /// Enclosing folders may be locked as a whole, as for reproductions.
    _around: Vec<File>,
}

impl Lock {
    /// Locks a folder, creating it if necessary. A folder inside a locked one
    /// cannot be locked, nor can a tusker folder around a locked one.
    ///
    /// # Errors
    /// If another process has it, or it cannot be created.
    pub fn take(dir: &Path) -> Result<Self, Error> {
        let around = around(dir)?;
        fs::create_dir_all(dir).map_err(io_error("create", dir))?;
        let path = dir.join(LOCK);
        let file = open(&path)?;
        held(FileExt::try_lock(&file), dir, &path)?;
        let lock = Self { path, file, _around: around };
        if lock.holds() { Ok(lock) } else { Err(Error::Lost(dir.to_owned())) }
    }

    /// Whether the folder is still the one that was locked: it may have been
    /// removed and replaced by another of the same name.
    pub(super) fn holds(&self) -> bool {
        same(&self.file, &self.path).unwrap_or(false)
    }
}

/// A file that is there to be locked.
pub(super) fn open(path: &Path) -> Result<File, Error> {
    files::is_file(path).map_err(io_error("lock", path))?;
    let mut options = File::options();
    let file = options.read(true).write(true).create(true).truncate(false).open(path);
    file.map_err(io_error("create", path))
}

/// Takes shared locks on the two enclosing folders, if they have lock files.
fn around(dir: &Path) -> Result<Vec<File>, Error> {
    let full = std::path::absolute(dir).map_err(io_error("read", dir))?;
    let mut files = Vec::new();
    for folder in full.ancestors().skip(1).take(2) {
        let path = folder.join(LOCK);
        let Ok(file) = files::open(&path) else { continue };
        held(FileExt::try_lock_shared(&file), folder, &path)?;
        files.push(file);
    }
    Ok(files)
}

fn held(tried: Result<(), TryLockError>, dir: &Path, path: &Path) -> Result<(), Error> {
    match tried {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Error::InUse(dir.to_owned())),
        Err(TryLockError::Error(error)) => Err(io_error("lock", path)(error)),
    }
}

#[cfg(unix)]
fn same(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (own, there) = (file.metadata()?, fs::metadata(path)?);
    Ok((own.dev(), own.ino()) == (there.dev(), there.ino()))
}

#[cfg(not(unix))]
fn same(_: &File, path: &Path) -> io::Result<bool> {
    // an open file cannot be removed there
    path.try_exists()
}
