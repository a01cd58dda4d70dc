//! A folder of results belongs to one process at a time.
//!
//! The lock is the operating system's, on a file in the folder. It goes when the
//! process goes, however that ends: a lock file that was left behind says
//! nothing. The file is never removed, because another process may be about to
//! lock it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use fs4::{FileExt, TryLockError};

use super::{Error, io_error};

/// The file that is locked.
pub(super) const LOCK: &str = ".tusker-lock";

/// A folder that is held against other processes until this is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
    /// Folders around it may be held as a whole, as those of reproductions are.
    _around: Vec<File>,
}

impl Lock {
    /// Takes a folder, making it if need be. A folder within one that is held
    /// cannot be taken, nor one around such a folder if it is one of tusker's.
    ///
    /// # Errors
    /// If another process has it, or it cannot be made.
    pub fn take(dir: &Path) -> Result<Self, Error> {
        let around = around(dir)?;
        fs::create_dir_all(dir).map_err(io_error("create", dir))?;
        let path = dir.join(LOCK);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(io_error("create", &path))?;
        held(FileExt::try_lock(&file), dir, &path)?;
        let lock = Self { path, file, _around: around };
        if lock.holds() { Ok(lock) } else { Err(Error::Lost(dir.to_owned())) }
    }

    /// Whether the folder is still the one that was taken: it may have been
    /// removed, and another may have its name.
    pub(super) fn holds(&self) -> bool {
        same(&self.file, &self.path).unwrap_or(false)
    }
}

/// Shares in the locks of the two folders around this one, if they have any.
fn around(dir: &Path) -> Result<Vec<File>, Error> {
    let full = std::path::absolute(dir).map_err(io_error("read", dir))?;
    let mut files = Vec::new();
    for folder in full.ancestors().skip(1).take(2) {
        let path = folder.join(LOCK);
        let Ok(file) = File::open(&path) else { continue };
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
