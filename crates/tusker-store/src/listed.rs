//! What a manifest lists of a folder: its kind, and the hash of each of its files.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Error, LOCK, MANIFEST, REPLICATES, io_error, seal, write_whole};
use crate::files::{self, hash_file};

/// What a folder holds, apart from the results of one experiment and from recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Folders of several experiments, and what compares them.
    Comparison,
    /// A sweep.
    Sweep,
    /// A plan.
    Plan,
    /// Folders of plans with several buffers.
    Plans,
    /// What was made of the rows of a paper.
    Reproduction,
    /// What a suite says of a congestion control or queue policy.
    Evaluation,
}

impl Kind {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Comparison => "a comparison",
            Self::Sweep => "a sweep",
            Self::Plan => "a plan",
            Self::Plans => "plans with several buffers",
            Self::Reproduction => "a reproduction",
            Self::Evaluation => "an evaluation",
        }
    }

    /// The files that commands always write into such a folder.
    pub(super) fn files(self) -> &'static [&'static str] {
        match self {
            Self::Comparison => &["harm.csv"],
            Self::Sweep => &["runs.parquet", "runs.csv", "sweep.json", "base.toml"],
            Self::Plan => &["plan.parquet", "plan.csv", "plan.json"],
            Self::Plans => &[],
            Self::Reproduction => &["reproduction.json"],
            Self::Evaluation => &["evaluation.json"],
        }
    }
}

/// Version of the manifest.
const FORMAT: u32 = 1;

/// The file that processes lock while they change a manifest.
pub(super) const CHANGES: &str = ".tusker-changes";

/// See the head of this file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listed {
    format: u32,
    kind: Kind,
    pub(super) files: BTreeMap<String, Vec<String>>,
    check: String,
}

/// What a folder holds, as its manifest says; nothing if it has none, or one that cannot be
/// read.
pub fn kind(dir: &Path) -> Option<Kind> {
    kind_in(&files::read(&dir.join(MANIFEST)).ok()?)
}

/// The kind that a manifest names.
pub(super) fn kind_in(text: &[u8]) -> Option<Kind> {
    #[derive(Deserialize)]
    struct Head {
        kind: Kind,
    }
    serde_json::from_slice::<Head>(text).ok().map(|head| head.kind)
}

/// Makes sure that there is nothing of this name.
pub(super) fn absent(path: &Path) -> Result<(), Error> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        _ => Err(Error::NotOurs(path.to_owned())),
    }
}

/// Makes sure that there is nothing of this name but a page that this program made.
pub(super) fn page(path: &Path) -> Result<(), Error> {
    let file = match files::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file.map_err(io_error("read", path))?,
    };
    let head = head(file).map_err(io_error("read", path))?;
    match head.is_empty() || files::is_page(&head) {
        true => Ok(()),
        false => Err(Error::NotOurs(path.to_owned())),
    }
}

fn head(file: File) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    file.take(files::PAGE_HEAD as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// Makes sure that the folders on the way to a file are folders.
pub(super) fn parents(dir: &Path, name: &str) -> Result<(), Error> {
    for parent in Path::new(name).ancestors().skip(1).filter(|own| *own != Path::new("")) {
        let path = dir.join(parent);
        files::is_folder(&path).map_err(io_error("read", &path))?;
    }
    Ok(())
}

impl Listed {
    pub(super) fn new(kind: Kind) -> Self {
        Self { format: FORMAT, kind, files: BTreeMap::new(), check: String::new() }
    }

    /// What a manifest lists.
    pub(super) fn parse(text: &[u8], dir: &Path) -> Result<Self, Error> {
        let listed: Option<Self> = serde_json::from_slice(text).ok();
        let listed = listed.filter(|listed| seal::holds(text) && listed.stays_within());
        listed.ok_or_else(|| Self::damaged(dir))
    }

    pub(super) fn damaged(dir: &Path) -> Error {
        let help = "give another folder with --out, or restore this one from a copy".to_owned();
        let cause = "its check sum does not match its contents";
        Error::Damaged { path: dir.join(MANIFEST), cause, help }
    }

    pub(super) fn write(&self, dir: &Path) -> Result<(), Error> {
        let path = dir.join(MANIFEST);
        let bare = Self { check: String::new(), ..self.clone() };
        write_whole(&path, seal::sealed(&bare).as_bytes())
    }

    /// No name leads out of the folder.
    fn stays_within(&self) -> bool {
        self.files.keys().all(|name| is_within(name))
    }

    pub(super) fn verify(&self, dir: &Path) -> Result<(), Error> {
        for (name, hashes) in &self.files {
            let path = dir.join(name);
            parents(dir, name)?;
            match hash_file(&path) {
                Ok(own) if hashes.contains(&own) => {}
                Ok(_) => return Err(damaged(path)),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(io_error("read", &path)(error)),
            }
        }
        Ok(())
    }
}

/// Whether this is the name of a file within a folder.
pub(super) fn is_within(name: &str) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    !name.is_empty() && !name.contains('\\') && Path::new(name).components().all(plain)
}

/// Whether nothing is there but what an interrupted command left.
pub(super) fn remnants(dir: &Path) -> Result<bool, Error> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(io_error("read", dir)(error)),
    };
    Ok(entries.flatten().all(|entry| is_remnant(&entry.path())))
}

/// The remains of an interrupted opening.
pub(super) fn is_remnant(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let empty = || fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    name == LOCK
        || name == CHANGES
        || files::is_partial(&name)
        || (name == REPLICATES && files::is_folder(path).unwrap_or(false) && empty())
}

pub(super) fn damaged(path: PathBuf) -> Error {
    let cause = "it has changed since it was stored";
    let help = format!(
        "remove {} and repeat the command that made it: finished runs are kept",
        path.display()
    );
    Error::Damaged { path, cause, help }
}
