//! What a folder is: the one place that decides it.

use std::io;
use std::path::Path;

use serde_json::Value;

use super::listed::{self, Kind, Listed};
use super::manifest::{self, Manifest};
use super::{Error, MANIFEST, REPLICATES, SCENARIO, io_error, watched};
use crate::files;

/// What is in a folder.
pub enum Content {
    /// It is not there, or empty but for what a command left that was interrupted before it
    /// stored anything.
    Nothing,
    /// Results of one experiment with a manifest, which may be damaged.
    Results(Box<Result<Manifest, Error>>),
    /// What looks like results of an early version, without a manifest.
    Early,
    /// Files that a manifest lists, which may be damaged.
    Listed(Kind, Result<Listed, Error>),
    /// A recording of `kernel watch`.
    Recording,
    /// A manifest that may be ours, but says neither of what nor that it is not.
    Unreadable,
    /// Something else.
    Foreign,
}

impl Content {
    /// That of a folder.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(dir: &Path) -> Result<Self, Error> {
        if listed::remnants(dir)? {
            return Ok(Self::Nothing);
        }
        let path = dir.join(MANIFEST);
        let text = match files::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self::without_manifest(dir));
            }
            read => read.map_err(io_error("read", &path))?,
        };
        if let Some(kind) = listed::kind_in(&text) {
            return Ok(Self::Listed(kind, Listed::parse(&text, dir)));
        }
        let scenario = dir.join(SCENARIO).is_file();
        match Manifest::parse(&text, dir) {
            Ok(manifest) if !scenario && manifest.replicates.is_empty() => {
                return Ok(Self::Nothing);
            }
            Err(_) if !manifest::is_ours(&text) => {}
            read => return Ok(Self::Results(Box::new(read))),
        }
        let value: Option<Value> = serde_json::from_slice(&text).ok();
        let has = |key| value.as_ref().is_none_or(|value| value.get(key).is_some());
        Ok(if has("check") || has("kind") { Self::Unreadable } else { Self::Foreign })
    }

    fn without_manifest(dir: &Path) -> Self {
        if watched::is_watched(dir) {
            Self::Recording
        } else if dir.join(SCENARIO).is_file() && dir.join(REPLICATES).is_dir() {
            Self::Early
        } else {
            Self::Foreign
        }
    }
}
