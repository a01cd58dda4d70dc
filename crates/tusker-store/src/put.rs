//! Moves a replicate to its place in a store.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{Error, PARTIAL, REPLICATES, Store, entries, io_error, manifest, stored, synced};
use crate::files;
use tusker_measure::summary::{Replicate, View};

impl Store {
    /// Takes over a replicate written by another store of the same experiment:
    /// `fill` puts its files into a folder.
    ///
    /// # Errors
    /// Those of `fill`; if the files are not those of this replicate, or cannot be
    /// written.
    pub fn adopt<E: From<Error>>(
        &self,
        view: &View<'_>,
        number: u32,
        fill: impl FnOnce(&Path) -> Result<(), E>,
    ) -> Result<Replicate, E> {
        let mut replicate = None;
        self.put(number, |partial| {
            fill(partial)?;
            let mut files = BTreeMap::new();
            for path in entries(partial)? {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                files.insert(name, files::hash_file(&path).map_err(io_error("read", &path))?);
            }
            let seed = self.manifest().seed + u64::from(number - 1);
            replicate = Some(stored::measures(partial, view, number, seed)?);
            Ok::<_, E>(files)
        })?;
        Ok(replicate.expect("it was just read"))
    }

    /// Stores a replicate; `write` writes its files and returns their hashes.
    pub(super) fn put<E: From<Error>>(
        &self,
        number: u32,
        write: impl FnOnce(&Path) -> Result<BTreeMap<String, String>, E>,
    ) -> Result<(), E> {
        self.still_there()?;
        let partial = self.path(REPLICATES).join(format!("{PARTIAL}{number:04}"));
        let whole = manifest::replicate(&self.dir, number);
        let write = || {
            // without creating the enclosing folders: if they are gone, so are the
            // other replicates
            fs::create_dir(&partial).map_err(io_error("create", &partial))?;
            let files = write(&partial)?;
            synced(&partial)?;
            fs::rename(&partial, &whole).map_err(io_error("create", &whole))?;
            synced(&self.path(REPLICATES))?;
            // only now does it count
            let mut manifest = self.manifest();
            manifest.replicates.insert(number, files);
            Ok(manifest.write(&self.dir).inspect_err(|_| {
                manifest.replicates.remove(&number);
                let _ = fs::remove_dir_all(&whole);
            })?)
        };
        write().inspect_err(|_| {
            // the first error is the one to tell
            let _ = fs::remove_dir_all(&partial);
        })
    }
}
