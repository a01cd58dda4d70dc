//! `--pcap`: what is written for other tools while a run goes on.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tusker_core::{Bytes, Time};
use tusker_plan::budget::Stopped;
use tusker_plan::executor::Executor;
use tusker_plan::observe::{Observable, Place, Wanted};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_record::traces::{Traces, Written};

use crate::args::TracesArgs;
use crate::failure::Failure;
use crate::names::unknown;
use crate::outfile::{self, Kind};
use crate::output::say;

/// The folder among results.
const FOLDER: &str = tusker_record::store::CAPTURES;

/// What flags ask for.
#[derive(Debug)]
pub struct Asked {
    wanted: Wanted,
    /// Of each place, where it goes if that was said.
    files: Vec<Option<PathBuf>>,
}

impl Asked {
    /// What flags ask for, of this plan; nothing if they do not. `stored` says that
    /// there will be a folder of results.
    pub fn of(args: &TracesArgs, plan: &Plan, stored: bool) -> Result<Option<Self>, Failure> {
        let mut asked = Self { wanted: Wanted::default(), files: Vec::new() };
        for text in &args.pcap {
            let (place, file) = read(text, plan)?;
            if asked.wanted.places.contains(&place) {
                let message = format!("--pcap names {} twice", place.name(plan));
                return Err(Failure::input(message, "say each place once"));
            }
            if file.is_none() && !stored {
                let name = place.name(plan);
                let message =
                    format!("no results are stored that the capture of {name} could be among");
                let help = format!("say where it goes: --pcap '{name}={}'", file_name(name));
                return Err(Failure::input(message, help));
            }
            if let Some(file) = &file {
                outfile::check(file, Kind::Capture)?;
            }
            asked.wanted.places.push(place);
            asked.files.push(file);
        }
        let names = asked.paths(plan, Some(Path::new(FOLDER)));
        if let Some(twice) = names.iter().enumerate().find(|(i, file)| names[..*i].contains(file)) {
            let message = format!("two captures would go to {}", twice.1.display());
            return Err(Failure::input(message, "give one of them a file: --pcap PLACE=FILE"));
        }
        Ok(Some(asked).filter(|asked| !asked.files.is_empty()))
    }

    /// Where each capture goes, if the others go into this folder.
    fn paths(&self, plan: &Plan, folder: Option<&Path>) -> Vec<PathBuf> {
        let places = self.wanted.places.iter().zip(&self.files);
        let path = |(place, file): (&Place, &Option<PathBuf>)| {
            let own = || folder.unwrap_or(Path::new("")).join(file_name(place.name(plan)));
            file.clone().unwrap_or_else(own)
        };
        places.map(path).collect()
    }
}

/// A place, and the file if there is one. Names may have `=` in them.
fn read(text: &str, plan: &Plan) -> Result<(Place, Option<PathBuf>), Failure> {
    let named = |name: &str| {
        let link = plan.links.iter().position(|link| link.name == name).map(Place::Link);
        link.or_else(|| plan.nodes.iter().position(|node| node == name).map(Place::Node))
    };
    if let Some(place) = named(text) {
        return Ok((place, None));
    }
    for (at, _) in text.match_indices('=') {
        if let Some(place) = named(&text[..at]) {
            let file = &text[at + 1..];
            if file.is_empty() {
                let message = format!("--pcap {text} names no file");
                return Err(Failure::input(message, "write --pcap PLACE=FILE, or only PLACE"));
            }
            return Ok((place, Some(file.into())));
        }
    }
    let name = text.split('=').next().unwrap_or(text);
    let links = plan.links.iter().map(|link| &link.name);
    Err(unknown("link or node", name, plan.nodes.iter().chain(links)))
}

/// The name of a link without what shells and file systems take for something else.
fn file_name(place: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "._-+".contains(c) { c } else { '-' };
    let name: String = place.replace("->", "-").chars().map(plain).collect();
    format!("{name}.pcapng")
}

/// An executor that writes captures of one run.
pub struct Tracing<'a> {
    inner: &'a dyn Observable,
    asked: &'a Asked,
    files: Vec<PathBuf>,
    /// The seed of the run that is captured.
    seed: u64,
    name: &'a str,
    /// What is in them, once they are written.
    written: Mutex<Option<Written>>,
}

impl<'a> Tracing<'a> {
    /// Captures the run with this seed; what has no file of its own goes into a folder
    /// of `results`.
    pub fn new(
        inner: &'a dyn Observable,
        asked: &'a Asked,
        plan: &Plan,
        (name, seed): (&'a str, u64),
        results: Option<&Path>,
    ) -> Result<Self, Failure> {
        let folder = results.map(|results| results.join(FOLDER));
        if let Some(folder) = folder.as_ref().filter(|_| asked.files.contains(&None)) {
            fs::create_dir_all(folder).map_err(|error| {
                let message = format!("cannot create {}: {error}", folder.display());
                Failure::other(message, "give --out a folder that you may write")
            })?;
        }
        let files = asked.paths(plan, folder.as_deref());
        Ok(Self { inner, asked, files, seed, name, written: Mutex::default() })
    }

    /// Tells what was captured.
    pub fn tell(self, plan: &Plan) {
        let written = self.written.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(Written { packets, missed }) = written else {
            return say("note: nothing was captured: the first replicate was not run");
        };
        let places = self.asked.wanted.places.iter().zip(&self.files);
        for ((place, file), packets) in places.zip(packets) {
            let (name, file) = (place.name(plan), file.display());
            say(&format!("{packets} packets at {name} are in {file}"));
        }
        if missed > 0 {
            say(&format!(
                "note: {missed} packets are in no capture: there was no time to write them"
            ));
        }
    }
}

impl Executor for Tracing<'_> {
    fn execute(
        &self,
        plan: &Plan,
        seed: u64,
        memory: Bytes,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<Run, Stopped> {
        if seed != self.seed {
            return self.inner.execute(plan, seed, memory, progress);
        }
        let about = format!("{}, seed {seed}", self.name);
        let wanted = &self.asked.wanted;
        let mut traces = Traces::begin(plan, wanted, &self.files, &about)
            .map_err(|(file, error)| failed(&file, &error.to_string()))?;
        let trouble = traces.trouble();
        let mut watch = |now| match trouble.is() {
            Some(_) => ControlFlow::Break(()),
            None => progress(now),
        };
        let ran = self.inner.execute_observed(plan, seed, memory, &mut watch, wanted, &mut traces);
        let written = traces.finish();
        if let Some((file, why)) = trouble.is() {
            return Err(failed(&file, &why));
        }
        *self.written.lock().unwrap_or_else(PoisonError::into_inner) = Some(written);
        ran
    }
}

fn failed(file: &Path, why: &str) -> Stopped {
    Stopped::Failed {
        why: format!("cannot write {}: {why}", file.display()),
        remedy: "captures take about 120 bytes per packet: give a file on a disk with room, or \
                 make the run shorter"
            .to_owned(),
    }
}
