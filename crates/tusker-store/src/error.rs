//! Why results cannot be stored or read.

use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use thiserror::Error;

/// Why results cannot be stored.
#[derive(Debug, Error, Diagnostic)]
pub enum Error {
    /// The folder or a file in it cannot be written or read.
    #[error("cannot {action} {}: {cause}", path.display())]
    #[diagnostic(help("{}", remedy(action, cause)))]
    Io {
        /// The attempted action: `write`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's message; not as `source`, which would be printed twice.
        cause: io::Error,
    },
    /// The folder already holds results.
    #[error("{} already holds results", .0.display())]
    #[diagnostic(help(
        "give another folder with --out, add --resume to run only what is missing there, or \
         --force to remove those results first"
    ))]
    Exists(PathBuf),
    /// The folder already holds observations of `kernel watch`.
    #[error("{} already holds a recording of `kernel watch`", .0.display())]
    #[diagnostic(help(
        "give another folder with --out, or add --force to replace it when the watching ends"
    ))]
    Watched(PathBuf),
    /// Another process writes into the folder.
    #[error("{} is in use by another tusker", .0.display())]
    #[diagnostic(help(
        "wait until it is done, or give another folder with --out; nothing was changed"
    ))]
    InUse(PathBuf),
    /// Stopped while a replicate was being written; nothing of that replicate is
    /// left.
    #[error("stopped while a replicate was being stored")]
    Stopped,
    /// The folder disappeared while results were written into it.
    #[error("{} was removed or replaced while results were written into it", .0.display())]
    #[diagnostic(help("run it again; nothing was written into the folder that is there now"))]
    Lost(PathBuf),
    /// The folder holds something else.
    #[error("{} is not empty and holds no tusker results", .0.display())]
    #[diagnostic(help("give an empty or a new folder with --out; nothing was changed"))]
    Foreign(PathBuf),
    /// The folder holds results of another kind.
    #[error("{} holds {what}", dir.display())]
    #[diagnostic(help("give another folder with --out; nothing was changed"))]
    OtherKind {
        /// The folder.
        dir: PathBuf,
        /// What it holds.
        what: &'static str,
    },
    /// A file that tusker did not write is where it would write one.
    #[error("{} is there and was not written by tusker", .0.display())]
    #[diagnostic(help("move it, or give another folder with --out; nothing was changed"))]
    NotOurs(PathBuf),
    /// A file that the user named is of another kind.
    #[error("{} exists and is not a {kind}", path.display())]
    #[diagnostic(help("give another file, or remove it first; nothing was touched"))]
    OtherFile {
        /// The file.
        path: PathBuf,
        /// What it should be.
        kind: &'static str,
    },
    /// A file that the user named cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    #[diagnostic(help("choose a file that you can write, on a disk with free space"))]
    NoFile {
        /// The file.
        path: PathBuf,
        /// The system's message.
        cause: String,
    },
    /// The results in the folder are of another scenario.
    #[error("the results in {} belong to another scenario or seed", .0.display())]
    #[diagnostic(help(
        "compare its scenario.toml with `tusker check --expand`; give another folder with --out, \
         or --force to remove those results first"
    ))]
    OtherScenario(PathBuf),
    /// Another build of the program made the results in the folder.
    #[error(
        "the results in {} were made by another build of tusker: {theirs}, and this is {own}",
        dir.display()
    )]
    #[diagnostic(help(
        "results of different builds are not mixed: give another folder with \
        --out, or --force to remove those results first and run everything again"
    ))]
    OtherBuild {
        /// The folder.
        dir: PathBuf,
        /// The build that made them.
        theirs: String,
        /// What is running now.
        own: String,
    },
    /// The results in the folder are of other laws or queue policies written in Python.
    #[error("the results in {} were made {how}", dir.display())]
    #[diagnostic(help(
        "results of different laws are not mixed: give another folder with --out, or --force to \
         remove those results first and run everything again"
    ))]
    OtherLaw {
        /// The folder.
        dir: PathBuf,
        /// What differs.
        how: &'static str,
    },
    /// The results in the folder come from another executor.
    #[error(
        "the results in {} come from the {theirs}, and these would come from the {own}", dir.display()
    )]
    #[diagnostic(help(
        "simulated and measured results are not mixed: give another folder with --out, or --force \
         to remove those results first"
    ))]
    OtherPlane {
        /// The folder.
        dir: PathBuf,
        /// The executor that made them.
        theirs: String,
        /// What is running now.
        own: &'static str,
    },
    /// An early version made the results in the folder.
    #[error(
        "{} has no manifest.json: an early version of tusker made these results, and they cannot \
         be checked", .0.display()
    )]
    #[diagnostic(help("run them again into a new folder with --out"))]
    NoManifest(PathBuf),
    /// A file in the folder has changed since it was written.
    #[error("{} is damaged: {cause}", path.display())]
    #[diagnostic(help("{help}"))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: &'static str,
        /// What can be done.
        help: String,
    },
    /// There are no results in the folder.
    #[error("{} holds no tusker results", .0.display())]
    #[diagnostic(help(
        "name a folder made by `tusker run`, such as results/dumbbell, with \
        scenario.toml and replicates/ in it; or one of `tusker kernel watch \
        --out`, with watched.json"
    ))]
    NoResults(PathBuf),
    /// No replicate is complete.
    #[error("no replicate in {} is complete", .0.display())]
    #[diagnostic(help("run what is missing: tusker run DIR/scenario.toml --out DIR --resume"))]
    NoReplicate(PathBuf),
    /// There is no such replicate, or it has no time series.
    #[error("{} has no time series for replicate {number}", dir.display())]
    #[diagnostic(help(
        "replicates with time series: {have}; set trace.interval in the scenario to trace all"
    ))]
    NoSeries {
        /// The folder.
        dir: PathBuf,
        /// The requested replicate.
        number: u32,
        /// The replicates that exist.
        have: String,
    },
    /// The results have another format version.
    #[error("{} cannot be read by this version: {cause}", path.display())]
    #[diagnostic(help("run its scenario again: tusker run scenario.toml, in that folder"))]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// The observations have another format version.
    #[error("{} cannot be read by this version: {cause}", path.display())]
    #[diagnostic(help("use the version of tusker that made it, which is named in the file"))]
    OtherFormat {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        cause: String,
    },
    /// There is less disk space than the results will need.
    #[error("{} has {free_mb} MB free and the results need about {needed_mb} MB", path.display())]
    #[diagnostic(help(
        "free some space, trace fewer values or less often, or run fewer replicates"
    ))]
    NoRoom {
        /// The folder.
        path: PathBuf,
        /// Free space on its disk.
        free_mb: u64,
        /// Space that the results will take.
        needed_mb: u64,
    },
}

impl Error {
    /// A damaged file in a folder of results; of this replicate, if any.
    pub(super) fn damaged(
        dir: &Path,
        path: PathBuf,
        cause: &'static str,
        replicate: Option<u32>,
    ) -> Self {
        let help = match replicate {
            Some(number) => format!(
                "remove {} and repeat the command that made it, with --resume if \
                it is `run` or `compare`: only this replicate is run again",
                super::manifest::replicate(dir, number).display()
            ),
            None => "repeat the command that made it with --force, which removes the old results, \
                     or give another folder"
                .to_owned(),
        };
        Self::Damaged { path, cause, help }
    }
}

fn remedy(action: &str, error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotADirectory | io::ErrorKind::NotFound if action == "read" => {
            "give a folder of results, as made by `tusker run --out`"
        }
        io::ErrorKind::PermissionDenied if action == "read" => {
            "change its permissions, or give another folder"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "use --out with a folder that you may write to"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space and repeat the command: finished runs are kept (add --resume if it \
             is `run`, `compare` or `testbed`)"
        }
        io::ErrorKind::FileTooLarge => {
            "raise the limit (ulimit -f) and repeat the command: finished runs are kept (add \
             --resume if it is `run`, `compare` or `testbed`)"
        }
        // a link, a pipe, a device
        io::ErrorKind::InvalidInput => {
            "a folder of results has only files and folders of its own: put a copy in its place, \
             or give another folder"
        }
        _ if action == "read" => "give another folder",
        _ => "give another folder with --out",
    }
}

pub(super) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |cause| Error::Io { action, path, cause }
}
