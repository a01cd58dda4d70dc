//! A folder per experiment, complete after every replicate.
//!
//! ```text
//! results/dumbbell/
//!   manifest.json            what the experiment is, and a hash of every file
//!   scenario.toml            the expanded scenario; it can be run again
//!   summary.json             all replicates so far (schema: `tusker schema summary`)
//!   replicates/0001/
//!     measures.json          what the summary is made from
//!     flows.parquet          one row per flow
//!     links.parquet          one row per link and direction
//!     transfers.parquet      one row per transfer or page that came and went
//!     background.parquet     one row per background source, if there is any
//!     distributions.parquet  RTTs, queues, transfer times: a row per bucket
//!     series.parquet         time, subject, quantity, value: what was traced;
//!                            unasked, the first replicate for its report
//!   report.html              the page made of all this
//!   captures/                packets of the first replicate and what its senders tell,
//!                            if that was asked for
//! ```
//!
//! Every table has the replicate and its seed as columns, so that all replicates
//! can be read as one table (`replicates/*/flows.parquet`). A replicate is written
//! into a folder with a temporary name, which is renamed when complete, and then
//! added to the manifest; only then does it count. `summary.json` is also replaced
//! in one step. However the program ends, what the manifest names is complete, and
//! later changes are detected.
//!
//! A folder belongs to one process while a [`Store`] is open: `.tusker-lock`.
//! [`Stored`] reads without a lock.
//!
//! Recordings from the kernel have their own kind of folder: [`watched`]. So do
//! sweeps ([`sweep`]) and plans for transfers.

mod clear;
mod columns;
mod content;
mod distribution;
mod error;
mod estimate;
pub mod files;
pub mod folder;
pub mod harm;
mod listed;
mod lock;
mod manifest;
mod memory;
pub mod outfile;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
mod put;
mod read;
mod seal;
mod stored;
pub mod sweep;
mod tables;
pub mod traces;
pub mod watched;
mod write;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use crate::files::hash;
pub use columns::{Columns, Values};
use content::Content;
pub use distribution::{Distribution, Quantity};
pub use error::Error;
use error::io_error;
pub use estimate::estimate;
use lock::LOCK;
pub use lock::Lock;
use manifest::Manifest;
pub use manifest::{Build, Identity, has_results};
pub use memory::{memory, memory_of};
pub use stored::{Stored, replicates};
pub use tables::{Parts, all as tables_of};

use tusker_measure::summary::{Replicate, Summary, View};
use tusker_plan::run::Run;

/// The scenario in a folder of results, with every default filled in.
pub const SCENARIO: &str = "scenario.toml";
/// The file that says what a folder is.
pub const MANIFEST: &str = "manifest.json";
const SUMMARY: &str = "summary.json";
/// The folder of replicates in a folder of results.
pub const REPLICATES: &str = "replicates";
const MEASURES: &str = "measures.json";
/// Name of the page in a folder of results.
pub const REPORT: &str = "report.html";
/// Name of the folder of captures in a folder of results.
pub const CAPTURES: &str = "captures";
const PARTIAL: &str = ".partial-";

/// The results of one experiment on disk.
#[derive(Debug)]
pub struct Store {
    dir: PathBuf,
    format: Format,
    lock: Arc<Lock>,
    manifest: Mutex<Manifest>,
}

/// The format of the tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Parquet with snappy.
    #[cfg_attr(feature = "parquet", default)]
    Parquet,
    /// CSV.
    #[cfg_attr(not(feature = "parquet"), default)]
    Csv,
}

impl Format {
    /// Whether this build supports it: Parquet is a feature.
    pub fn is_built(self) -> bool {
        self == Self::Csv || cfg!(feature = "parquet")
    }

    /// The end of a file name.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
        }
    }
}

/// What happens to existing results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// They are kept, and nothing is written.
    #[default]
    Refuse,
    /// They are removed.
    Replace,
    /// They are added to, if they belong to the same scenario.
    Resume,
}

impl Store {
    /// Opens a folder for the results of an experiment, creating it if necessary,
    /// and makes sure that no other process has it, that it can be written and has
    /// room for `needed` bytes.
    ///
    /// # Errors
    /// See [`enum@Error`]; then nothing in the folder has changed, unless it was to
    /// be replaced.
    pub fn open(
        dir: &Path,
        identity: &Identity,
        existing: Existing,
        format: Format,
        needed: u64,
    ) -> Result<Self, Error> {
        Self::check(dir, existing)?;
        let lock = Arc::new(Lock::take(dir)?);
        Self::within(&lock, dir, identity, existing, format, needed)
    }

    /// The same for a folder that this process has locked, or for one inside it.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn within(
        lock: &Arc<Lock>,
        dir: &Path,
        identity: &Identity,
        existing: Existing,
        format: Format,
        needed: u64,
    ) -> Result<Self, Error> {
        let content = Content::of(dir)?;
        may_use(&content, dir, existing)?;
        listed::page(&dir.join(REPORT))?;
        let fresh = Manifest::new(identity);
        let manifest = match content {
            Content::Results(found) if existing == Existing::Resume => {
                manifest::resumed(dir, (*found)?, identity)?
            }
            Content::Results(_) => {
                // what is somebody else's is told before anything changes
                clear::old(dir, &fresh)?;
                // from here on the old results no longer count
                fresh.write(dir)?;
                fresh
            }
            _ => fresh,
        };
        let manifest = Mutex::new(manifest);
        let store = Self { dir: dir.to_owned(), format, lock: lock.clone(), manifest };
        clear::clear(dir, &store.manifest())?;
        let replicates = store.path(REPLICATES);
        fs::create_dir_all(&replicates).map_err(io_error("create", &replicates))?;
        // before the folder becomes a results folder, which is never overwritten
        store.check_room(needed)?;
        store.put_scenario(&stamped(identity))?;
        synced(dir)?;
        Ok(store)
    }

    /// Makes sure that a folder can be opened so. Nothing is written.
    ///
    /// # Errors
    /// If what is in it is in the way.
    pub fn check(dir: &Path, existing: Existing) -> Result<(), Error> {
        may_use(&Content::of(dir)?, dir, existing)?;
        listed::page(&dir.join(REPORT))
    }

    /// Opens a new folder `parent/name`, with a number from 2 on if the name is
    /// taken: results are never overwritten without `--force`, and two processes
    /// never choose the same folder.
    ///
    /// # Errors
    /// See [`Self::open`].
    pub fn create(
        parent: &Path,
        name: &str,
        identity: &Identity,
        format: Format,
        needed: u64,
    ) -> Result<Self, Error> {
        fs::create_dir_all(parent).map_err(io_error("create", parent))?;
        for number in 1_u64.. {
            let dir = match number {
                1 => parent.join(name),
                _ => parent.join(format!("{name}-{number}")),
            };
            match fs::create_dir(&dir) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made.map_err(io_error("create", &dir))?,
            }
            let opened = Self::open(&dir, identity, Existing::Refuse, format, needed);
            return opened.inspect_err(|_| {
                // only what was just created: neither call removes more than an
                // empty folder
                let _ = fs::remove_dir(dir.join(REPLICATES));
                let _ = fs::remove_file(dir.join(LOCK));
                let _ = fs::remove_dir(&dir);
            });
        }
        unreachable!("numbers do not end")
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The format of its tables.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Reads back the stored replicates.
    ///
    /// # Errors
    /// If one cannot be read, or does not belong to this plan.
    pub fn finished(&self, view: &View<'_>) -> Result<Vec<Replicate>, Error> {
        stored::read_back(&self.dir, &self.manifest(), view)
    }

    /// Whether the folder is still the one that was opened.
    ///
    /// # Errors
    /// If it was removed, or replaced by another.
    pub fn still_there(&self) -> Result<(), Error> {
        match self.lock.holds() && self.path(REPLICATES).is_dir() {
            true => Ok(()),
            false => Err(Error::Lost(self.dir.clone())),
        }
    }

    /// Writes one replicate, either completely or not at all. `stopped` is called
    /// every few thousand values and says whether to give up.
    ///
    /// # Errors
    /// If something cannot be written, or `stopped` said so ([`Error::Stopped`]); earlier
    /// replicates are not affected.
    pub fn save(
        &self,
        view: &View<'_>,
        replicate: &Replicate,
        run: &Run,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), Error> {
        self.put(replicate.number, |partial| {
            let mut files = BTreeMap::new();
            for (name, parts) in tables::all(view, replicate, run) {
                let name = format!("{name}.{}", self.format.extension());
                let hash = write::table(&partial.join(&name), self.format, parts, stopped)?;
                files.insert(name, hash);
            }
            let measures = serde_json::to_vec(replicate).expect("measures are plain data");
            write_whole(&partial.join(MEASURES), &measures)?;
            files.insert(MEASURES.to_owned(), hash(&measures));
            Ok(files)
        })
    }

    /// Replaces the summary.
    ///
    /// # Errors
    /// If it cannot be written; the one before stays.
    pub fn save_summary(&self, summary: &Summary) -> Result<(), Error> {
        self.still_there()?;
        let mut manifest = self.manifest();
        let command = &summary.execution.command;
        if (&manifest.name, &manifest.command) != (&summary.scenario, command) {
            (manifest.name, manifest.command) = (summary.scenario.clone(), command.clone());
            manifest.write(&self.dir)?;
        }
        write_whole(&self.path(SUMMARY), summary.to_json().as_bytes())
    }

    /// Replaces the report.
    ///
    /// # Errors
    /// If it cannot be written; the one before stays.
    pub fn save_report(&self, page: &str) -> Result<(), Error> {
        self.still_there()?;
        write_whole(&self.path(REPORT), page.as_bytes())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// If another thread panicked, the manifest is unchanged or has one more
    /// replicate.
    fn manifest(&self) -> MutexGuard<'_, Manifest> {
        self.manifest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the scenario in the folder, which may now have more replicates.
    /// However the program ends meanwhile, the manifest matches the file.
    fn put_scenario(&self, text: &str) -> Result<(), Error> {
        let mut manifest = self.manifest();
        let hash = hash(text.as_bytes());
        if manifest.scenario_file == [hash.as_str()] && manifest.scenario(&self.dir).is_ok() {
            return Ok(());
        }
        manifest.scenario_file.truncate(1);
        manifest.scenario_file.push(hash.clone());
        manifest.write(&self.dir)?;
        write_whole(&self.path(SCENARIO), text.as_bytes())?;
        manifest.scenario_file = vec![hash];
        manifest.write(&self.dir)
    }

    /// Not every file system reports its free space; in that case the run starts
    /// anyway.
    fn check_room(&self, needed: u64) -> Result<(), Error> {
        match fs4::available_space(&self.dir) {
            Ok(free) if free < needed => Err(Error::NoRoom {
                path: self.dir.clone(),
                free_mb: free / 1_000_000,
                needed_mb: needed.div_ceil(1_000_000),
            }),
            _ => Ok(()),
        }
    }
}

/// The scenario, with the program version in a comment at the top.
fn stamped(identity: &Identity) -> String {
    format!(
        "# expanded by tusker {}; every default is filled in: tusker run scenario.toml\n\n{}",
        identity.build.version, identity.text
    )
}

/// Whether a folder with these contents may be used this way.
fn may_use(content: &Content, dir: &Path, existing: Existing) -> Result<(), Error> {
    let other = |what| Err(Error::OtherKind { dir: dir.to_owned(), what });
    match content {
        Content::Nothing => return Ok(()),
        Content::Listed(kind, _) => return other(kind.words()),
        _ => {}
    }
    let replicates = dir.join(REPLICATES);
    files::is_folder(&replicates).map_err(io_error("read", &replicates))?;
    match content {
        Content::Early => Err(Error::NoManifest(dir.to_owned())),
        Content::Results(_) if existing == Existing::Refuse => Err(Error::Exists(dir.to_owned())),
        Content::Results(_) => Ok(()),
        _ => Err(Error::Foreign(dir.to_owned())),
    }
}

/// The entries of a folder, in any order; empty if it does not exist.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let listed = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed.map_err(io_error("read", folder))?,
    };
    let paths = listed.map(|entry| entry.map(|entry| entry.path()));
    paths.collect::<io::Result<_>>().map_err(io_error("read", folder))
}

/// Removes a file, or a folder with its contents.
fn remove(path: &Path) -> Result<(), Error> {
    let folder = fs::symlink_metadata(path).is_ok_and(|about| about.is_dir());
    let removed = if folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.map_err(io_error("remove", path))
}

fn write_whole(path: &Path, content: &[u8]) -> Result<(), Error> {
    files::write_whole(path, content).map_err(io_error("write", path))
}

fn synced(folder: &Path) -> Result<(), Error> {
    files::sync_folder(folder).map_err(io_error("write", folder))
}

fn invalid(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.into())
}

/// A table has too many rows.
fn too_many(most: u64) -> io::Error {
    invalid(format!(
        "it has more than {most} rows, the most that are read; other programs read longer tables"
    ))
}

#[cfg(test)]
mod tests;
