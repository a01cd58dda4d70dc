//! Files that are either complete or absent, and files that are read only as far as they may
//! be: a stored file is a file of its own, no link, pipe or device, and has a limited size.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Suffix of files that are being written.
const PARTIAL: &str = ".partial";

/// The most bytes of a stored file that is read as a whole: 1 GiB.
pub const MOST: u64 = 1 << 30;

/// The head of a page that this program made.
pub const PAGE_HEAD: usize = 1024;

/// Whether a file that begins so is a page that this program made.
pub fn is_page(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start();
    text.starts_with("<!doctype html>") && text.contains("name=\"generator\" content=\"tusker ")
}

/// Opens a stored file for reading.
///
/// # Errors
/// If it cannot be opened, or is a link, a folder, a pipe or a device
/// ([`io::ErrorKind::InvalidInput`]).
pub fn open(path: &Path) -> io::Result<File> {
    match is_file(path)? {
        true => File::open(path),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

/// Reads a stored file of at most [`MOST`] bytes.
///
/// # Errors
/// Those of [`open`]; if it is longer.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(open(path)?, MOST)
}

/// Reads a text that the user names, of at most 64 MiB; it may come through a pipe.
///
/// # Errors
/// If it cannot be read, is longer, or is not UTF-8.
pub fn text(path: &Path) -> io::Result<String> {
    let bytes = read_at_most(File::open(path)?, 64 << 20)?;
    String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Reads to the end of something that may have so many bytes.
///
/// # Errors
/// If it cannot be read, or has more ([`io::ErrorKind::InvalidData`]).
pub fn read_at_most(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let message = format!("it is longer than {} MiB, the most that it may have", most >> 20);
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(bytes)
}

/// BLAKE3 in hexadecimal.
pub fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The same of a stored file.
///
/// # Errors
/// Those of [`open`].
pub fn hash_file(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(open(path)?)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Whether there is a file; a link is none.
///
/// # Errors
/// If there is something else of this name ([`io::ErrorKind::InvalidInput`]).
pub fn is_file(path: &Path) -> io::Result<bool> {
    is_own(path, "a file", fs::FileType::is_file)
}

/// Whether there is a folder; a link is none.
///
/// # Errors
/// If there is something else of this name ([`io::ErrorKind::InvalidInput`]).
pub fn is_folder(path: &Path) -> io::Result<bool> {
    is_own(path, "a folder", fs::FileType::is_dir)
}

fn is_own(path: &Path, wanted: &str, fits: fn(&fs::FileType) -> bool) -> io::Result<bool> {
    let kind = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        about => about?.file_type(),
    };
    if fits(&kind) {
        return Ok(true);
    }
    let own = match kind {
        _ if kind.is_symlink() => "a link",
        _ if kind.is_dir() => "a folder",
        _ if kind.is_file() => "a file",
        _ => "a pipe or a device",
    };
    let message = format!("it is {own}, and tusker expects {wanted} of its own there");
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// Replaces a file in one step: it is written in the same folder under a name that
/// no other process uses, and renamed once it is on disk.
///
/// # Errors
/// If it cannot be written; then the earlier file stays.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = partial(path)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(parent(path))
}

/// Checks that files can be created next to this one, and leaves nothing behind.
///
/// # Errors
/// If they cannot.
pub fn can_write_beside(path: &Path) -> io::Result<()> {
    partial(path).map(drop)
}

/// Syncs a folder, so that what was renamed or created in it survives a power loss.
///
/// # Errors
/// If the disk fails. Systems that cannot sync folders are ignored.
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

/// A new file in the same folder, under a name that nobody else has: processes of several
/// machines and containers may share a folder. It is removed unless it gets its place.
pub(crate) fn partial(path: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().ok_or_else(|| io::Error::other("it is no name of a file"))?;
    let mut begin = OsString::from(".");
    begin.push(name);
    begin.push(".");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&begin).suffix(PARTIAL).rand_bytes(16);
    // as any other file of the user, not only for the user
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(parent(path))
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn only_files_of_their_own_are_read_and_only_up_to_their_limit() {
        let temp = tempfile::tempdir().unwrap();
        let path = |name: &str| temp.path().join(name);
        fs::write(path("file"), "abc").unwrap();
        std::os::unix::fs::symlink("/dev/zero", path("link")).unwrap();
        fs::create_dir(path("folder")).unwrap();
        assert_eq!(read(&path("file")).unwrap(), b"abc");
        assert_eq!(read(&path("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        for odd in [path("link"), path("folder"), "/dev/zero".into()] {
            assert_eq!(read(&odd).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{odd:?}");
        }
        assert!(is_folder(&path("link")).is_err() && is_folder(&path("folder")).unwrap());
        assert_eq!(read_at_most(&b"abc"[..], 3).unwrap(), b"abc");
        let longer = read_at_most(&b"abcd"[..], 3).unwrap_err();
        assert_eq!(longer.kind(), io::ErrorKind::InvalidData);
    }

    /// Threads have the same process id, and so may processes in containers.
    #[test]
    fn no_two_have_a_temporary_name_together() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("page.html");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..50).for_each(|_| write_whole(&path, b"page").unwrap()));
            }
        });
        assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
    }

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
