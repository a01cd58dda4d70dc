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
    /// The folder holds what was watched already.
    #[error("{} holds what was watched before", .0.display())]
    #[diagnostic(help(
        "give another folder with --out, or add --force to replace that when the watching ends"
    ))]
    Watched(PathBuf),
    /// Another process writes into the folder.
    #[error("{} is in use by another tusker", .0.display())]
    #[diagnostic(help(
        "wait until it is done, or give another folder with --out; nothing was touched"
    ))]
    InUse(PathBuf),
    /// It was to stop while a replicate was written, of which nothing is left.
    #[error("stopped while a replicate was stored")]
    Stopped,
    /// The folder went away while results were written into it.
    #[error("{} was removed or replaced while results were written into it", .0.display())]
    #[diagnostic(help("run it again; nothing was written into what is there now"))]
    Lost(PathBuf),
    /// The folder holds something else.
    #[error("{} is not empty and holds no results of tusker", .0.display())]
    #[diagnostic(help("give an empty or a new folder with --out; nothing was touched"))]
    Foreign(PathBuf),
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
        "results of two builds are not mixed: give another folder with --out, or --force to \
         remove those results first and run all of them again"
    ))]
    OtherBuild {
        /// The folder.
        dir: PathBuf,
        /// What made them.
        theirs: String,
        /// What runs now.
        own: String,
    },
    /// Something else ran the results in the folder.
    #[error(
        "the results in {} are of the {theirs}, and these are to be of the {own}", dir.display()
    )]
    #[diagnostic(help(
        "simulated and measured results are not mixed: give another folder with --out, or --force \
         to remove those results first"
    ))]
    OtherPlane {
        /// The folder.
        dir: PathBuf,
        /// What ran them.
        theirs: String,
        /// What runs now.
        own: &'static str,
    },
    /// An early version made the results in the folder.
    #[error(
        "{} has no manifest.json: an early version of tusker made these results, and they cannot \
         be checked", .0.display()
    )]
    #[diagnostic(help("run them again: tusker run {dir}/scenario.toml --out {dir} --force", dir = .0.display()))]
    NoManifest(PathBuf),
    /// A file in the folder is not what was written there.
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
    #[error("{} holds no results of tusker", .0.display())]
    #[diagnostic(help(
        "name a folder that `tusker run` made, such as results/dumbbell: scenario.toml and \
         replicates/ are in it; or one of `tusker kernel watch --out`, with watched.json"
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
    /// What was watched is of another version.
    #[error("{} cannot be read by this version: {cause}", path.display())]
    #[diagnostic(help("use the version of tusker that made it; the file names it"))]
    OtherFormat {
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

impl Error {
    /// A damaged file in a folder of results, of this replicate or of none.
    pub(super) fn damaged(
        dir: &Path,
        path: PathBuf,
        cause: &'static str,
        replicate: Option<u32>,
    ) -> Self {
        let help = match replicate {
            Some(number) => format!(
                "remove {} and give the command that made it again, with --resume if it is `run` \
                 or `compare`: only this replicate is run anew",
                super::manifest::folder(dir, number).display()
            ),
            None => "give the command that made it again with --force, which removes what is there"
                .to_owned(),
        };
        Self::Damaged { path, cause, help }
    }
}

fn remedy(action: &str, error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotADirectory | io::ErrorKind::NotFound if action == "read" => {
            "give a folder of results, as `tusker run --out` makes it"
        }
        io::ErrorKind::PermissionDenied if action == "read" => {
            "make it readable to you, or give another folder"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "give a folder that you may write with --out, or run with --no-save"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space and add --resume: the replicates that finished are whole"
        }
        io::ErrorKind::FileTooLarge => {
            "raise the limit (ulimit -f) and add --resume: the replicates that finished are whole"
        }
        _ if action == "read" => "give another folder",
        _ => "give another folder with --out, or run with --no-save",
    }
}

pub(super) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |cause| Error::Io { action, path, cause }
}
