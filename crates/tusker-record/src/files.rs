//! Files that are either complete or absent.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Suffix of files that are being written.
const PARTIAL: &str = ".partial";

/// Replaces a file in one step: it is written in the same folder under a name that
/// no other process uses, and renamed once it is on disk.
///
/// # Errors If it cannot be written; then the earlier file stays.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let (partial, mut file) = new_beside(path)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    drop(file);
    written
        .and_then(|()| fs::rename(&partial, path))
        .inspect_err(|_| {
            // report the first error
            let _ = fs::remove_file(&partial);
        })
        .and_then(|()| sync_folder(parent(path)))
}

/// Checks that files can be created next to this one, and leaves nothing behind.
///
/// # Errors
/// If they cannot.
pub fn can_write_beside(path: &Path) -> io::Result<()> {
    let (partial, _) = new_beside(path)?;
    fs::remove_file(partial)
}

/// Syncs a folder, so that what was renamed or created in it survives a power loss.
///
/// # Errors If the disk fails. Systems that cannot sync folders are ignored.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) => match error.kind() {
            io::ErrorKind::InvalidInput
            | io::ErrorKind::Unsupported
            | io::ErrorKind::PermissionDenied => Ok(()),
            _ => Err(error),
        },
        Ok(()) => Ok(()),
    }
}

/// Whether this is the name of a file that was never finished.
pub(crate) fn is_partial(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(PARTIAL)
}

/// A new file in the same folder; its name contains the process id and a number.
fn new_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or_else(|| io::Error::other("it is no name of a file"))?;
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut own = OsString::from(".");
        own.push(name);
        own.push(format!(".{}-{number}{PARTIAL}", std::process::id()));
        let partial = parent(path).join(own);
        match File::create_new(&partial) {
            // from a process with the same id, on another machine or long gone
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|file| (partial, file)),
        }
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_cannot_be_replaced_stays_and_leaves_nothing_beside_it() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("page.html");
        write_whole(&path, b"first").unwrap();
        write_whole(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        // a folder cannot be replaced by a file
        let folder = temp.path().join("folder");
        fs::create_dir_all(folder.join("full")).unwrap();
        assert!(write_whole(&folder, b"third").is_err());
        let mut names: Vec<_> =
            fs::read_dir(temp.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["folder", "page.html"]);
    }
}
