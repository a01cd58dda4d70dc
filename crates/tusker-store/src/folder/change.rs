//! Changes of a folder's files: all of them, or as good as none.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use fs4::FileExt;

use super::{CHANGES, Content, Kind, Listed, absent, look, parents};
use crate::files::{self, hash};
use crate::tables::Parts;
use crate::{Error, Format, io_error, write};

/// Files of a folder that are replaced together. Other processes wait to change theirs.
#[derive(Debug)]
pub struct Change {
    dir: PathBuf,
    listed: Listed,
    new: Vec<(String, PathBuf, String)>,
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
        look(dir)?.of(dir, kind)?;
        fs::create_dir_all(dir).map_err(io_error("create", dir))?;
        let path = dir.join(CHANGES);
        files::is_file(&path).map_err(io_error("lock", &path))?;
        let mut options = File::options();
        let lock = options.read(true).write(true).create(true).truncate(false).open(&path);
        let lock = lock.map_err(io_error("create", &path))?;
        FileExt::lock(&lock).map_err(io_error("lock", &path))?;
        let content = look(dir)?;
        let fresh = matches!(content, Content::Nothing);
        let listed = content.of(dir, kind)?;
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
        let written = files::new_beside(&path).and_then(|(partial, mut file)| {
            self.new.push((name.to_owned(), partial, hash(content)));
            io::Write::write_all(&mut file, content).and_then(|()| file.sync_all())
        });
        written.map_err(io_error("write", &path))
    }

    /// Puts a table into it.
    ///
    /// # Errors
    /// See [`Self::put`].
    pub fn table(&mut self, name: &str, format: Format, parts: Parts<'_>) -> Result<(), Error> {
        let path = self.place(name)?;
        let (partial, file) = files::new_beside(&path).map_err(io_error("create", &path))?;
        self.new.push((name.to_owned(), partial, String::new()));
        let hash = write::to(&file, &path, format, parts, &|| false)?;
        self.new.last_mut().expect("it was just pushed").2 = hash;
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
        let new = std::mem::take(&mut self.new);
        for (i, (name, partial, _)) in new.iter().enumerate() {
            let path = self.dir.join(name);
            if let Err(error) = fs::rename(partial, &path) {
                // the rest goes with this
                self.new = new[i..].to_vec();
                return Err(io_error("create", &path)(error));
            }
            let parent = path.parent().unwrap_or(&self.dir);
            files::sync_folder(parent).map_err(io_error("write", parent))?;
        }
        for (name, _, hash) in new {
            self.listed.files.insert(name, vec![hash]);
        }
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

impl Drop for Change {
    fn drop(&mut self) {
        for (_, partial, _) in &self.new {
            // what was not committed
            let _ = fs::remove_file(partial);
        }
        // it would go with the file
        let _ = FileExt::unlock(&self.lock);
    }
}
