//! `--pcap` and `--qlog`: what is written for other tools while a run goes on.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Executor, Job};
use tusker_plan::observe::{Observer, Place, Wanted};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_store::Error;
use tusker_store::outfile::{self, Kind};
use tusker_store::traces::{Traces, Written};

use crate::Trouble;

/// The folder among results.
const FOLDER: &str = tusker_store::CAPTURES;

/// What flags ask for.
#[derive(Debug, Default)]
pub struct Captures {
    wanted: Wanted,
    /// What is written: its name, and where it goes if that was said. First those of
    /// places, then those of flows.
    files: Vec<(String, Option<PathBuf>)>,
}

impl Captures {
    /// What flags ask for, of this plan; nothing if they do not. `stored` says that
    /// there will be a folder of results.
    pub fn of(
        pcap: &[String],
        qlog: &[String],
        plan: &Plan,
        stored: bool,
    ) -> Result<Option<Self>, Trouble> {
        let mut captures = Self::default();
        for text in pcap {
            let (place, file) = read("--pcap", text, |name| place(plan, name))?;
            let place = place.ok_or_else(|| {
                let links = plan.links.iter().map(|link| &link.name);
                Trouble::unknown("link or node", before(text), plan.nodes.iter().chain(links))
            })?;
            let name = place.name(plan);
            let fresh = !captures.wanted.places.contains(&place);
            captures.add("--pcap", name, "pcapng", file, fresh, stored)?;
            captures.wanted.places.push(place);
        }
        for text in qlog {
            let (flows, file) = read("--qlog", text, |name| flows(plan, name))?;
            let flows = flows.ok_or_else(|| {
                let all = plan.flows[..plan.lasting()].iter().map(|flow| &flow.name);
                Trouble::unknown("flow", before(text), all)
            })?;
            if flows.len() > 1 && file.is_some() {
                let message = format!("--qlog {text}: {} flows for one file", flows.len());
                let help = format!("a file can hold one flow: {}", plan.flows[flows[0]].name);
                return Err(asked(message, help));
            }
            for flow in flows {
                let fresh = !captures.wanted.flows.contains(&flow);
                captures.add(
                    "--qlog",
                    &plan.flows[flow].name,
                    "sqlog",
                    file.clone(),
                    fresh,
                    stored,
                )?;
                captures.wanted.flows.push(flow);
            }
        }
        let paths = captures.paths(Path::new(FOLDER));
        if let Some(twice) = paths.iter().enumerate().find(|(i, file)| paths[..*i].contains(file)) {
            let message = format!("two of these would be written to {}", twice.1.display());
            return Err(asked(message, "give one of them a file: NAME=FILE"));
        }
        Ok(Some(captures).filter(|own| !own.files.is_empty()))
    }

    fn add(
        &mut self,
        flag: &str,
        name: &str,
        ending: &str,
        file: Option<PathBuf>,
        fresh: bool,
        stored: bool,
    ) -> Result<(), Trouble> {
        let own = file_name(name, ending);
        if !fresh {
            return Err(asked(format!("{flag}: {name} is given twice"), "give each once"));
        }
        if file.is_none() && !stored {
            let message = format!("{own} has no folder: no results are stored");
            return Err(asked(message, format!("give a file: {flag} '{name}={own}'")));
        }
        if let Some(file) = &file {
            let kind = if ending == "sqlog" { Kind::Qlog } else { Kind::Capture };
            outfile::check(file, kind)?;
        }
        self.files.push((own, file));
        Ok(())
    }

    /// Where each file goes, if what was not said goes into this folder.
    fn paths(&self, folder: &Path) -> Vec<PathBuf> {
        let path = |(own, file): &(String, Option<PathBuf>)| {
            file.clone().unwrap_or_else(|| folder.join(own))
        };
        self.files.iter().map(path).collect()
    }
}

fn asked(message: impl Into<String>, help: impl Into<String>) -> Trouble {
    Trouble::Asked { message: message.into(), help: help.into() }
}

/// The link or node of this name.
fn place(plan: &Plan, name: &str) -> Option<Place> {
    let link = plan.links.iter().position(|link| link.name == name).map(Place::Link);
    link.or_else(|| plan.nodes.iter().position(|node| node == name).map(Place::Node))
}

/// The flow of this name, or those of the group; none of those that come and go.
fn flows(plan: &Plan, name: &str) -> Option<Vec<usize>> {
    let lasting = || plan.flows[..plan.lasting()].iter().enumerate();
    let one = lasting().find(|(_, flow)| flow.name == name).map(|(index, _)| vec![index]);
    one.or_else(|| {
        let group = lasting().filter(|(_, flow)| plan.groups[flow.group] == name);
        let group: Vec<usize> = group.map(|(index, _)| index).collect();
        Some(group).filter(|group| !group.is_empty())
    })
}

/// What is before the file.
fn before(text: &str) -> &str {
    text.split('=').next().unwrap_or(text)
}

/// What is named, if there is something of that name, and the file if there is one.
/// Names may have `=` in them.
fn read<T>(
    flag: &str,
    text: &str,
    named: impl Fn(&str) -> Option<T>,
) -> Result<(Option<T>, Option<PathBuf>), Trouble> {
    if let Some(found) = named(text) {
        return Ok((Some(found), None));
    }
    for (at, _) in text.match_indices('=') {
        if let Some(found) = named(&text[..at]) {
            let file = &text[at + 1..];
            if file.is_empty() {
                let message = format!("{flag} {text} names no file");
                return Err(asked(message, format!("write {flag} NAME=FILE, or only NAME")));
            }
            if file == "-" {
                let message = format!("{flag} {text}: a capture cannot go to stdout");
                return Err(asked(message, format!("write {flag} NAME=FILE")));
            }
            return Ok((Some(found), Some(file.into())));
        }
    }
    Ok((None, None))
}

/// The name of a link without what shells and file systems take for something else.
fn file_name(place: &str, ending: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "._-+".contains(c) { c } else { '-' };
    let name: String = place.replace("->", "-").chars().map(plain).collect();
    format!("{name}.{ending}")
}

/// An executor that writes captures of one run.
pub struct Tracing<'a> {
    inner: &'a dyn Executor,
    captures: &'a Captures,
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
        inner: &'a dyn Executor,
        captures: &'a Captures,
        (name, seed): (&'a str, u64),
        results: Option<&Path>,
    ) -> Result<Self, Trouble> {
        let folder = results.map(|results| results.join(FOLDER));
        let own = captures.files.iter().any(|(_, file)| file.is_none());
        if let Some(folder) = folder.as_ref().filter(|_| own) {
            fs::create_dir_all(folder).map_err(|cause| {
                let path = folder.clone();
                Error::Io { action: "create", path, cause }
            })?;
        }
        let files = captures.paths(folder.as_deref().unwrap_or(Path::new("")));
        for (file, (own, said)) in files.iter().zip(&captures.files) {
            if said.is_none() {
                let kind = if own.ends_with(".sqlog") { Kind::Qlog } else { Kind::Capture };
                outfile::within(file)?;
                outfile::check(file, kind)?;
            }
        }
        Ok(Self { inner, captures, files, seed, name, written: Mutex::default() })
    }

    /// What was captured, a line each.
    pub fn tell(self, plan: &Plan) -> Vec<String> {
        let written = self.written.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some(Written { packets, events, missed }) = written else {
            let none = "note: nothing was captured: the first replicate was done already";
            return vec![none.to_owned()];
        };
        let (places, flows) = (&self.captures.wanted.places, &self.captures.wanted.flows);
        let (captures, told) = self.files.split_at(places.len());
        let mut lines = Vec::new();
        for ((place, file), packets) in places.iter().zip(captures).zip(packets) {
            let (name, file) = (place.name(plan), file.display());
            lines.push(format!("{packets} packets at {name} are in {file}"));
        }
        for ((&flow, file), events) in flows.iter().zip(told).zip(events) {
            let (name, file) = (&plan.flows[flow].name, file.display());
            lines.push(format!("{events} events of {name} are in {file}"));
        }
        if missed > 0 {
            lines.push(format!(
                "note: {missed} packets are missing in the captures: there was no time to write them"
            ));
        }
        lines
    }
}

impl Executor for Tracing<'_> {
    fn execute(&self, job: Job<'_, '_>) -> Result<Run, Stopped> {
        if job.seed != self.seed {
            return self.inner.execute(job);
        }
        let Job { plan, seed, memory, progress, .. } = job;
        let about = format!("{}, seed {seed}", self.name);
        let wanted = &self.captures.wanted;
        let mut traces = Traces::begin(plan, wanted, &self.files, &about)
            .map_err(|(file, error)| failed(&file, &error.to_string()))?;
        let trouble = traces.trouble();
        let mut watch = |now| match trouble.is() {
            Some(_) => ControlFlow::Break(()),
            None => progress(now),
        };
        let observe = Some((wanted, &mut traces as &mut dyn Observer));
        let ran = self.inner.execute(Job { plan, seed, memory, progress: &mut watch, observe });
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
