//! Changes of a folder's files: all of them, or as good as none.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fs4::FileExt;
use tempfile::NamedTempFile;

use super::{CHANGES, Content, Kind, Listed, absent, parents};
use crate::files::{self, hash};
use crate::tables::Parts;
use crate::{Error, Format, io_error, lock, write};

/// Files of a folder that are replaced together. Other processes wait to change theirs.
#[derive(Debug)]
pub struct Change {
    dir: PathBuf,
    listed: Listed,
    new: Vec<(String, NamedTempFile, String)>,
    gone: Vec<String>,
    lock: File,
}

impl Change {
    /// Of a folder that this command may write ([`check`](super::check)), which is created if
    /// necessary.
    ///
    /// # Errors
    /// If the folder holds something else, or cannot be written.
    pub fn begin(dir: &Path, kind: Kind) -> Result<Self, Error> {
        // without this a lock file would be put into a folder of somebody else's
        super::listed(Content::of(dir)?, dir, kind)?;
        fs::create_dir_all(dir).map_err(io_error("create", dir))?;
        let path = dir.join(CHANGES);
        let lock = lock::open(&path)?;
        FileExt::lock(&lock).map_err(io_error("lock", &path))?;
        let content = Content::of(dir)?;
        let fresh = matches!(content, Content::Nothing);
        let listed = super::listed(content, dir, kind)?;
        if fresh {
            listed.write(dir)?;
        }
        Ok(Self { dir: dir.to_owned(), listed, new: Vec::new(), gone: Vec::new(), lock })
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Puts a file into it.
    ///
    /// # Errors
    /// If it cannot be written, or somebody else's is in its place.
    pub fn put(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        let path = self.place(name)?;
        if content.len() as u64 > files::MOST {
            let most = files::MOST >> 20;
            let cause = io::Error::other(format!("it would be longer than {most} MiB"));
            return Err(io_error("write", &path)(cause));
        }
        let written = files::partial(&path).and_then(|mut file| {
            io::Write::write_all(&mut file, content).and_then(|()| file.as_file().sync_all())?;
            self.new.push((name.to_owned(), file, hash(content)));
            Ok(())
        });
        written.map_err(io_error("write", &path))
    }

    /// Puts a table into it.
    ///
    /// # Errors
    /// See [`Self::put`].
    pub fn table(&mut self, name: &str, format: Format, parts: Parts<'_>) -> Result<(), Error> {
        let path = self.place(name)?;
        let file = files::partial(&path).map_err(io_error("create", &path))?;
        let hash = write::to(file.as_file(), &path, format, parts, &|| false)?;
        self.new.push((name.to_owned(), file, hash));
        Ok(())
    }

    /// Takes a file out of it, if it is there.
    pub fn remove(&mut self, name: &str) {
        self.gone.extend(self.listed.files.contains_key(name).then(|| name.to_owned()));
    }

    /// The path of a file that may be written, in a folder that is there.
    fn place(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.dir.join(name);
        parents(&self.dir, name)?;
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io_error("create", parent))?;
        }
        match self.listed.files.contains_key(name) {
            true => files::is_file(&path).map(drop).map_err(io_error("write", &path))?,
            false => absent(&path)?,
        }
        Ok(path)
    }

    /// Makes it so.
    ///
    /// # Errors
    /// If something cannot be written; then the folder is as it was, or as it was to become
    /// but for some files.
    pub fn commit(mut self) -> Result<(), Error> {
        if self.new.is_empty() && self.gone.is_empty() {
            return Ok(());
        }
        for (name, _, hash) in &self.new {
            let hashes = self.listed.files.entry(name.clone()).or_default();
            hashes.push(hash.clone());
            hashes.dedup();
        }
        self.listed.write(&self.dir)?;
        let mut named = Vec::new();
        for (name, file, hash) in std::mem::take(&mut self.new) {
            let path = self.dir.join(&name);
            file.persist(&path).map_err(|failed| io_error("create", &path)(failed.error))?;
            let parent = path.parent().unwrap_or(&self.dir);
            files::sync_folder(parent).map_err(io_error("write", parent))?;
            named.push((name, vec![hash]));
        }
        self.listed.files.extend(named);
        for name in std::mem::take(&mut self.gone) {
            let path = self.dir.join(&name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(io_error("remove", &path)(error));
                }
                _ => drop(self.listed.files.remove(&name)),
            }
        }
        self.listed.write(&self.dir)
    }
}

/// Keeps others from changing a folder while it lives; nothing if they do not end in a second.
pub(super) fn still(dir: &Path) -> Option<File> {
    let lock = File::open(dir.join(CHANGES)).ok()?;
    let ended = (0..100).any(|_| {
        let free = FileExt::try_lock_shared(&lock).is_ok();
        if !free {
            std::thread::sleep(Duration::from_millis(10));
        }
        free
    });
    ended.then_some(lock)
}

impl Drop for Change {
    fn drop(&mut self) {
        // it would go with the file
        let _ = FileExt::unlock(&self.lock);
    }
}
