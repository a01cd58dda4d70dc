//! The manifest of a folder of results: `manifest.json`.
//!
//! ```text
//! format        version of this file
//! tusker        version of the program, for people
//! build         hash of everything in the program that decides results
//! plane         what ran it, if that is not the simulator: testbed
//! scenario      hash of the expanded scenario without its seed and replicates
//! seed          seed of the first replicate; the next ones follow
//! name          what the experiment is called
//! command       the command line that ran last
//! scenario_file hash of scenario.toml; two of them while it is being replaced
//! replicates    of each that is in, its files and their hashes
//! check         hash of all the above
//! ```
//!
//! Hashes are BLAKE3, 256 bits in hexadecimal; file hashes are as `b3sum` prints them. The
//! manifest is replaced in one step after each replicate; a replicate that it does not name
//! does not count, whatever else is in the folder. So this file decides what the others mean.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Error, MANIFEST, REPLICATES, SCENARIO, io_error, listed, seal, write_whole};
use crate::files::{self, hash, hash_file};
use tusker_plan::plane::Plane;
use tusker_scenario::Complete;

/// Whether results of `run` or of one experiment of `compare` are in this folder.
pub fn has_results(dir: &Path) -> bool {
    dir.join(MANIFEST).is_file() && listed::kind(dir).is_none()
}

/// Version of the file.
const FORMAT: u32 = 1;

/// The build that made results: the same build gives the same bytes for the same
/// scenario and seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Build {
    /// Version of the program.
    pub version: String,
    /// Hash of everything in it that decides results.
    pub hash: String,
    /// What executes plans in it.
    pub plane: Plane,
}

/// The identity of an experiment, apart from its number of replicates.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The expanded scenario as text.
    pub(super) text: String,
    /// Hash of it without its seed and replicates.
    pub(super) scenario: String,
    /// Seed of the first replicate.
    pub(super) seed: u64,
    /// What runs it.
    pub(super) build: Build,
}

impl Identity {
    /// From a scenario and what runs it.
    pub fn of(scenario: &Complete, build: &Build) -> Self {
        let (text, bare) = scenario.to_tomls();
        let (seed, build) = (scenario.seed(), build.clone());
        Self { text, scenario: hash(bare.as_bytes()), seed, build }
    }

    /// The scenario with every value filled in, as TOML.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Identifies the experiment independently of the build: a hash of the
    /// scenario, the seed, and the plane if that is not the simulator.
    pub fn experiment(&self) -> String {
        let plane = match self.build.plane {
            Plane::Simulator => String::new(),
            other => format!(" {}", other.name()),
        };
        hash(format!("{} {}{plane}", self.scenario, self.seed).as_bytes())
    }

    /// What runs it.
    pub fn build(&self) -> &Build {
        &self.build
    }
}

/// See the head of this file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    format: u32,
    pub tusker: String,
    pub build: String,
    #[serde(default = "simulator", skip_serializing_if = "is_simulator")]
    pub plane: String,
    pub scenario: String,
    pub seed: u64,
    pub name: String,
    pub command: Vec<String>,
    pub scenario_file: Vec<String>,
    pub replicates: BTreeMap<u32, BTreeMap<String, String>>,
    check: String,
}

fn simulator() -> String {
    Plane::Simulator.name().to_owned()
}

fn is_simulator(plane: &str) -> bool {
    plane == Plane::Simulator.name()
}

impl Manifest {
    /// The manifest of an experiment without results.
    pub fn new(identity: &Identity) -> Self {
        Self {
            format: FORMAT,
            tusker: identity.build.version.clone(),
            build: identity.build.hash.clone(),
            plane: identity.build.plane.name().to_owned(),
            scenario: identity.scenario.clone(),
            seed: identity.seed,
            name: String::new(),
            command: Vec::new(),
            scenario_file: Vec::new(),
            replicates: BTreeMap::new(),
            check: String::new(),
        }
    }

    /// A manifest.
    ///
    /// # Errors
    /// If it is damaged, or of another version.
    pub fn parse(text: &[u8], dir: &Path) -> Result<Self, Error> {
        let value: Result<serde_json::Value, _> = serde_json::from_slice(text);
        if let Some(format) = value.ok().and_then(|value| value.get("format")?.as_u64())
            && format != u64::from(FORMAT)
        {
            let cause = format!("its format is {format}, not {FORMAT}");
            return Err(Error::OtherVersion { path: dir.join(MANIFEST), cause });
        }
        let read: Option<Self> = serde_json::from_slice(text).ok();
        let read = read.filter(|manifest| seal::holds(text) && manifest.stays_within());
        read.ok_or_else(|| Self::damaged(dir))
    }

    /// The error of a folder whose manifest is damaged.
    pub fn damaged(dir: &Path) -> Error {
        let cause = "its check sum does not match its contents";
        Error::damaged(dir, dir.join(MANIFEST), cause, None)
    }

    /// No name leads out of the folder of its replicate.
    fn stays_within(&self) -> bool {
        let mut names = self.replicates.values().flat_map(BTreeMap::keys);
        names.all(|name| listed::is_within(name) && !name.contains('/'))
    }

    /// Replaces the file.
    ///
    /// # Errors
    /// If it cannot be written; the one before stays.
    pub fn write(&self, dir: &Path) -> Result<(), Error> {
        let path = dir.join(MANIFEST);
        let bare = Self { check: String::new(), ..self.clone() };
        write_whole(&path, seal::sealed(&bare).as_bytes())
    }

    /// The scenario stored in the folder.
    ///
    /// # Errors
    /// If it has changed since it was written.
    pub fn scenario(&self, dir: &Path) -> Result<String, Error> {
        let path = dir.join(SCENARIO);
        let bytes = files::read(&path).map_err(io_error("read", &path))?;
        if !self.scenario_file.contains(&hash(&bytes)) {
            return Err(Error::damaged(dir, path, "it has changed since it was stored", None));
        }
        String::from_utf8(bytes).map_err(|_| Error::damaged(dir, path, "it is not text", None))
    }

    /// The numbers of the stored replicates. One whose whole folder was removed
    /// counts as never run.
    pub fn present(&self, dir: &Path) -> impl Iterator<Item = u32> {
        let numbers = self.replicates.keys().copied();
        numbers.filter(move |&number| replicate(dir, number).is_dir())
    }

    /// The path of a replicate's file, if the replicate has it.
    pub fn file(&self, dir: &Path, number: u32, name: &str) -> Option<PathBuf> {
        self.replicates.get(&number)?.get(name)?;
        Some(replicate(dir, number).join(name))
    }

    /// Checks every file of a replicate against its hash.
    ///
    /// # Errors
    /// With the first file that is missing or has changed.
    pub fn verify(&self, dir: &Path, number: u32) -> Result<(), Error> {
        let folder = replicate(dir, number);
        for folder in [&dir.join(REPLICATES), &folder] {
            files::is_folder(folder).map_err(io_error("read", folder))?;
        }
        for (name, stored) in self.replicates.get(&number).into_iter().flatten() {
            let path = folder.join(name);
            let cause = match hash_file(&path) {
                Ok(own) if own == *stored => continue,
                Ok(_) => "it has changed since it was stored",
                Err(error) if error.kind() == io::ErrorKind::NotFound => "it is missing",
                Err(error) => return Err(io_error("read", &path)(error)),
            };
            return Err(Error::damaged(dir, path, cause, Some(number)));
        }
        Ok(())
    }
}

/// Whether a manifest that cannot be read was written by tusker, as far as it can be seen.
pub(super) fn is_ours(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let keys = ["\"tusker\": \"", "\"scenario_file\": [", "\"replicates\": {"];
    // one of them may be what is damaged
    keys.iter().filter(|key| text.contains(**key)).count() > 1
}

/// The manifest to continue with: of the same experiment and build, with every file
/// unchanged.
pub(super) fn resumed(
    dir: &Path,
    mut manifest: Manifest,
    identity: &Identity,
) -> Result<Manifest, Error> {
    let build = &identity.build;
    if manifest.plane != build.plane.name() {
        return Err(Error::OtherPlane {
            dir: dir.to_owned(),
            theirs: manifest.plane,
            own: build.plane.name(),
        });
    }
    if manifest.build != build.hash {
        if let Some(how) = other_law(&manifest.build, &build.hash) {
            return Err(Error::OtherLaw { dir: dir.to_owned(), how });
        }
        let told = |version: &str, hash: &str| {
            format!("{version}, build {}", hash.get(..8).unwrap_or(hash))
        };
        return Err(Error::OtherBuild {
            dir: dir.to_owned(),
            theirs: told(&manifest.tusker, &manifest.build),
            own: told(&build.version, &build.hash),
        });
    }
    if (&manifest.scenario, manifest.seed) != (&identity.scenario, identity.seed) {
        return Err(Error::OtherScenario(dir.to_owned()));
    }
    if !manifest.replicates.is_empty() {
        manifest.scenario(dir)?;
    }
    let present: Vec<u32> = manifest.present(dir).collect();
    manifest.replicates.retain(|number, _| present.contains(number));
    present.iter().try_for_each(|&number| manifest.verify(dir, number))?;
    Ok(manifest)
}

/// How the laws and queue policies written in Python differ, if only they do: the name of a
/// build then ends in `+` and their identity.
fn other_law(theirs: &str, own: &str) -> Option<&'static str> {
    let split = |(build, written)| (build, Some(written));
    let (theirs, theirs_written) = theirs.split_once('+').map_or((theirs, None), split);
    let (own, own_written) = own.split_once('+').map_or((own, None), split);
    match (theirs_written, own_written) {
        _ if theirs != own => None,
        (Some(_), Some(_)) => Some(
            "with another law or queue policy written in Python: its code, or a value that it \
             reads, is not the same now",
        ),
        (Some(_), None) => {
            Some("with laws or queue policies written in Python, and now there are none")
        }
        (None, _) => {
            Some("without laws or queue policies written in Python, and now there are some")
        }
    }
}

/// The folder of a replicate.
pub(super) fn replicate(dir: &Path, number: u32) -> PathBuf {
    dir.join(REPLICATES).join(format!("{number:04}"))
}
