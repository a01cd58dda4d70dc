//! A folder per experiment, whole after every replicate.
//!
//! ```text
//! results/dumbbell/
//!   scenario.toml            the expanded scenario; it can be run again
//!   summary.json             all replicates so far (schema: `tusker schema summary`)
//!   replicates/0001/
//!     measures.json          what the summary is made from
//!     flows.parquet          one row per flow
//!     links.parquet          one row per link and direction
//!     transfers.parquet      one row per transfer or page that came and went
//!     background.parquet     one row per background source, if there is any
//!     distributions.parquet  RTTs of groups, queues of links: a row per bucket
//!     series.parquet         time, subject, quantity, value: what was traced;
//!                            unasked, the first replicate for its report
//!   report.html              the page made of all this
//! ```
//!
//! Every table carries the replicate and its seed, so that all replicates read
//! as one (`replicates/*/flows.parquet`). A replicate is written into a folder
//! of another name, which gets its right name when all is in it; `summary.json`
//! is replaced in one step as well. Whatever ends the program, what is there
//! under its right name is whole.

mod columns;
mod distribution;
mod memory;
mod read;
mod stored;
mod tables;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use columns::Columns;
pub(crate) use columns::quoted;
pub use distribution::{Distribution, Quantity};
pub use memory::{memory, memory_of};
use miette::Diagnostic;
pub use stored::Stored;
use thiserror::Error;

use crate::plan::Plan;
use crate::run::Run;
use crate::summary::{Replicate, Summary, View};

const SCENARIO: &str = "scenario.toml";
const SUMMARY: &str = "summary.json";
const REPLICATES: &str = "replicates";
const MEASURES: &str = "measures.json";
/// Name of the page in a folder of results.
pub const REPORT: &str = "report.html";
const PARTIAL: &str = ".partial-";

/// The results of one experiment on disk.
#[derive(Clone, Debug)]
pub struct Store {
    dir: PathBuf,
    format: Format,
}

/// The format of the tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Parquet with snappy.
    #[default]
    Parquet,
    /// CSV.
    Csv,
}

/// What becomes of results that are already there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// They stay, and nothing is written.
    #[default]
    Refuse,
    /// They are removed.
    Replace,
    /// They are added to, if they belong to the same scenario.
    Resume,
}

/// Why results cannot be stored.
#[derive(Debug, Error, Diagnostic)]
pub enum Error {
    /// The folder or a file in it cannot be written or read.
    #[error("cannot {action} {}: {cause}", path.display())]
    #[diagnostic(help("{}", remedy(cause)))]
    Io {
        /// What was tried: `write`.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said; no `source`, which would be printed once more.
        cause: io::Error,
    },
    /// The folder holds results already.
    #[error("{} holds results already", .0.display())]
    #[diagnostic(help(
        "give another folder with --out, add --resume to run only what is missing there, or \
         --force to remove those results first"
    ))]
    Exists(PathBuf),
    /// The folder holds something else.
    #[error("{} is not empty and holds no results of tusker", .0.display())]
    #[diagnostic(help("give an empty or a new folder with --out; nothing was touched"))]
    Foreign(PathBuf),
    /// The results in the folder are of another scenario.
    #[error("the results in {} belong to another scenario or version", .0.display())]
    #[diagnostic(help(
        "compare its scenario.toml with `tusker check --expand`; give another folder with --out, \
         or --force to remove those results first"
    ))]
    OtherScenario(PathBuf),
    /// There are no results in the folder.
    #[error("{} holds no results of tusker", .0.display())]
    #[diagnostic(help(
        "name a folder that `tusker run` made, such as results/dumbbell: scenario.toml and \
         replicates/ are in it"
    ))]
    NoResults(PathBuf),
    /// No replicate finished.
    #[error("no replicate in {} is finished", .0.display())]
    #[diagnostic(help("run what is missing: tusker run DIR/scenario.toml --out DIR --resume"))]
    NoReplicate(PathBuf),
    /// There is no such replicate, or nothing of it over time.
    #[error("{} has no series over time of replicate {number}", dir.display())]
    #[diagnostic(help("these have: {have}; set trace.interval in the scenario to trace all"))]
    NoSeries {
        /// The folder.
        dir: PathBuf,
        /// What was asked for.
        number: u32,
        /// What is there.
        have: String,
    },
    /// The results are of another version.
    #[error("{} cannot be read by this version: {cause}", path.display())]
    #[diagnostic(help("run its scenario again: tusker run scenario.toml, in that folder"))]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// There is less room than the results will need.
    #[error("{} has {free_mb} MB free and the results need about {needed_mb} MB", path.display())]
    #[diagnostic(help("free some space, trace less or less often, or run fewer replicates"))]
    NoRoom {
        /// The folder.
        path: PathBuf,
        /// Room on its disk.
        free_mb: u64,
        /// What the results will take.
        needed_mb: u64,
    },
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "give a folder that you may write with --out, or run with --no-save"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space and add --resume: the replicates that finished are whole"
        }
        _ => "give another folder with --out, or run with --no-save",
    }
}

impl Store {
    /// Opens a folder for the results of a scenario, making it if need be, and
    /// makes sure that it can be written and has room for `needed` bytes.
    ///
    /// # Errors
    /// See [`enum@Error`]; then nothing that was in the folder has changed, unless
    /// it was to be replaced.
    pub fn open(
        dir: &Path,
        scenario: &str,
        existing: Existing,
        format: Format,
        needed: u64,
    ) -> Result<Self, Error> {
        let store = Self { dir: dir.to_owned(), format };
        let scenario = stamped(scenario);
        let content = match fs::read_dir(dir) {
            Ok(entries) => entries.flatten().filter(|entry| !is_remnant(&entry.path())).count(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(io_error("read", dir)(error)),
        };
        if content > 0 {
            let ours = store.path(SCENARIO).is_file() && store.path(REPLICATES).is_dir();
            match existing {
                _ if !ours => return Err(Error::Foreign(dir.to_owned())),
                Existing::Refuse => return Err(Error::Exists(dir.to_owned())),
                Existing::Replace => store.clear()?,
                Existing::Resume => {
                    let path = store.path(SCENARIO);
                    let stored = fs::read_to_string(&path).map_err(io_error("read", &path))?;
                    if !same_but_for_replicates(&stored, &scenario) {
                        return Err(Error::OtherScenario(dir.to_owned()));
                    }
                }
            }
        }
        let replicates = store.path(REPLICATES);
        fs::create_dir_all(&replicates).map_err(io_error("create", &replicates))?;
        store.remove_partial()?;
        // before the folder becomes one of results, which are not overwritten
        store.check_room(needed)?;
        write_whole(&store.path(SCENARIO), scenario.as_bytes())?;
        Ok(store)
    }

    /// The folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Reads back the replicates that are in.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn finished(&self) -> Result<Vec<Replicate>, Error> {
        let folder = self.path(REPLICATES);
        let mut found = Vec::new();
        for entry in fs::read_dir(&folder).map_err(io_error("read", &folder))? {
            let path = entry.map_err(io_error("read", &folder))?.path().join(MEASURES);
            if !path.is_file() {
                continue;
            }
            let text = fs::read(&path).map_err(io_error("read", &path))?;
            let replicate = serde_json::from_slice(&text).map_err(|error| Error::OtherVersion {
                path: path.clone(),
                cause: error.to_string(),
            })?;
            found.push(replicate);
        }
        found.sort_by_key(|replicate: &Replicate| replicate.number);
        Ok(found)
    }

    /// Writes one replicate: either all of it or nothing is there afterwards.
    ///
    /// # Errors
    /// If something cannot be written; earlier replicates stay as they are.
    pub fn save(&self, view: &View<'_>, replicate: &Replicate, run: &Run) -> Result<(), Error> {
        let name = format!("{:04}", replicate.number);
        let partial = self.path(REPLICATES).join(format!("{PARTIAL}{name}"));
        let whole = self.path(REPLICATES).join(name);
        let write = || {
            fs::create_dir_all(&partial).map_err(io_error("create", &partial))?;
            self.table(&partial, "flows", &tables::flows(view, replicate, run))?;
            self.table(&partial, "links", &tables::links(view, replicate, run))?;
            if !run.traffic.is_empty() {
                self.table(&partial, "transfers", &tables::transfers(view, replicate, run))?;
            }
            if !run.background.is_empty() {
                self.table(&partial, "background", &tables::background(view, replicate, run))?;
            }
            let distributions = tables::distributions(view, replicate, run);
            self.table(&partial, "distributions", &distributions)?;
            if !run.trace.series.is_empty() {
                self.table(&partial, "series", &tables::series(replicate, run))?;
            }
            let measures = serde_json::to_vec(replicate).expect("measures are plain data");
            write_whole(&partial.join(MEASURES), &measures)?;
            fs::rename(&partial, &whole).map_err(io_error("create", &whole))
        };
        write().inspect_err(|_| {
            // the first error is the one to tell
            let _ = fs::remove_dir_all(&partial);
        })
    }

    /// Replaces the summary.
    ///
    /// # Errors
    /// If it cannot be written; the one before stays.
    pub fn save_summary(&self, summary: &Summary) -> Result<(), Error> {
        write_whole(&self.path(SUMMARY), summary.to_json().as_bytes())
    }

    /// Replaces the report.
    ///
    /// # Errors
    /// If it cannot be written; the one before stays.
    pub fn save_report(&self, page: &str) -> Result<(), Error> {
        write_whole(&self.path(REPORT), page.as_bytes())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    fn table(&self, folder: &Path, name: &str, columns: &Columns) -> Result<(), Error> {
        let path = match self.format {
            Format::Parquet => folder.join(format!("{name}.parquet")),
            Format::Csv => folder.join(format!("{name}.csv")),
        };
        let file = File::create(&path).map_err(io_error("create", &path))?;
        let written = match self.format {
            Format::Parquet => columns.write_parquet(&file).map_err(parquet_to_io),
            Format::Csv => columns.write_csv(BufWriter::new(&file)),
        };
        written.and_then(|()| file.sync_all()).map_err(io_error("write", &path))
    }

    /// Removes what an experiment leaves in its folder, and nothing else.
    fn clear(&self) -> Result<(), Error> {
        let replicates = self.path(REPLICATES);
        fs::remove_dir_all(&replicates).map_err(io_error("remove", &replicates))?;
        for name in [SUMMARY, REPORT, SCENARIO] {
            let path = self.path(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(io_error("remove", &path)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Removes what a killed run left unfinished.
    fn remove_partial(&self) -> Result<(), Error> {
        let folder = self.path(REPLICATES);
        for entry in fs::read_dir(&folder).map_err(io_error("read", &folder))? {
            let entry = entry.map_err(io_error("read", &folder))?;
            if entry.file_name().to_string_lossy().starts_with(PARTIAL) {
                let path = entry.path();
                fs::remove_dir_all(&path).map_err(io_error("remove", &path))?;
            }
        }
        Ok(())
    }

    /// Not every file system tells its free space; then the run begins.
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

/// About how many bytes the results of so many replicates will take.
pub fn estimate(plan: &Plan, replicates: u32) -> u64 {
    // measured: a row of flows or links takes under 300 bytes in Parquet with
    // its JSON; a traced value 8 bytes, its time and labels next to nothing
    const ROW: u64 = 1_500;
    const VALUE: u64 = 12;
    const QUANTITIES: u64 = 8;
    let rows = (plan.lasting() + plan.links.len() + plan.background.len()) as u64;
    let traced = plan.trace.interval.map_or(0, |interval| {
        let steps = plan.end.nanos() / interval.nanos().max(1);
        let flows = if plan.trace.flows { plan.flows.len() } else { 0 };
        steps.saturating_mul((flows + plan.trace.links.len()) as u64 * QUANTITIES)
    });
    // a transfer takes under 60 bytes
    let gone = plan.traffic.iter().map(|t| t.expected(plan.end.secs()) as u64 * 100).sum::<u64>();
    let each = gone + rows * ROW + traced.saturating_mul(VALUE) + 16_384;
    // the trace that is made for the report, and the report
    const REPORT: u64 = 4_000_000;
    u64::from(replicates).saturating_mul(each).saturating_add(REPORT)
}

/// The folder `parent/name`, or with the first number from 2 on that makes it
/// new: results are never overwritten unasked.
pub fn new_folder(parent: &Path, name: &str) -> PathBuf {
    let numbered = (2..).map(|n| parent.join(format!("{name}-{n}")));
    let mut candidates = std::iter::once(parent.join(name)).chain(numbered);
    candidates.find(|dir| !dir.exists()).expect("numbers do not end")
}

/// The scenario with the version that ran it at its head, as a comment.
fn stamped(scenario: &str) -> String {
    format!(
        "# expanded by tusker {}; every default is filled in: tusker run scenario.toml\n\n{scenario}",
        env!("CARGO_PKG_VERSION")
    )
}

/// More replicates of the same experiment are still the same experiment.
fn same_but_for_replicates(a: &str, b: &str) -> bool {
    let rest = |text: &str| -> Vec<String> {
        let kept = text.lines().filter(|line| !line.starts_with("replicates ="));
        kept.map(str::to_owned).collect()
    };
    rest(a) == rest(b)
}

/// What is left when opening a folder did not come to its end.
fn is_remnant(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    let empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    name == "scenario.partial" || (name == REPLICATES && empty())
}

/// Writes a file so that it is there as a whole or not at all.
fn write_whole(path: &Path, content: &[u8]) -> Result<(), Error> {
    let partial = path.with_extension("partial");
    let write = || {
        let mut file = File::create(&partial)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&partial, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&partial);
        io_error("write", path)(error)
    })
}

fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |cause| Error::Io { action, path, cause }
}

fn parquet_to_io(error: parquet::errors::ParquetError) -> io::Error {
    match error {
        parquet::errors::ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests;
