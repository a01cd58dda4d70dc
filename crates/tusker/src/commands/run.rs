//! `tusker run`: a scenario file, all its replicates, results on disk.

use std::path::Path;

use tusker_lab::captures::{Captures, Tracing};
use tusker_lab::{Experiment, Lab, Outcome, Ready, Watch, notes};
use tusker_measure::summary::Summary;
use tusker_plan::executor::Executor;
use tusker_plan::plane::Plane;
use tusker_report::page::{Note, Page, Step};
use tusker_report::{doubts, html, results};
use tusker_sim::Simulator;
use tusker_store::{Existing, Store};

use crate::args::{Format, HowArgs, Request, RunArgs, SaveArgs, step};
use crate::commands::folders;
use crate::done::{self, Done, Means, Value};
use crate::failure::Failure;
use crate::pages;
use crate::running::{json, speed};
use crate::scenarios;
use crate::tables;

/// Where results go unless said otherwise.
pub const RESULTS: &str = "results";

/// Experiments that were run.
#[derive(Debug)]
pub struct Ran {
    /// What was run.
    pub experiments: Vec<Ready>,
    /// What tells one of a comparison from the others, the same names for all: the
    /// congestion control, and what its path is.
    pub varied: Vec<Vec<(&'static str, String)>>,
    /// What each came to.
    pub summaries: Vec<Summary>,
    /// It is no comparison.
    pub single: bool,
}

impl Value for Ran {
    fn json(&self) -> String {
        match (self.single, &self.summaries[..]) {
            (true, [one]) => one.to_json(),
            (_, all) => json(all),
        }
    }

    fn csv(&self) -> String {
        Summary::to_csv(&self.summaries)
    }
}

/// Runs a scenario, and judges it.
pub fn run(
    request: &Request<RunArgs>,
    means: &Means<'_>,
    watch: &dyn Watch,
) -> Result<Done<Ran>, Failure> {
    let Request { args, command } = request;
    let conditions = done::conditions(&args.verdict)?;
    let (name, scenario) = match means.given {
        Some(given) => (scenarios::Given::NAME.to_owned(), given.load(&args.sets)?),
        None => (scenarios::name(&args.scenario), scenarios::load(&args.scenario, &args.sets)?),
    };
    let ready = scenarios::ready_by(means.build, name, scenario, &args.how)?;
    conditions.check(&ready.plan)?;
    let save = (!args.no_save).then_some(&args.save);
    let traces = Captures::of(&args.traces.pcap, &args.qlog, &ready.plan, save.is_some())?;
    let own = One { ready: &ready, how: &args.how, save, traces: traces.as_ref(), command };
    let mut done = own.run(&Simulator, watch)?;
    if let (None, Some(ran)) = (&done.ended, &done.value) {
        let judged = conditions.one(&ran.summaries[0], &ready.plan);
        done.judge(judged);
    }
    if args.no_save && args.how.format == Format::Table {
        let stored = RunArgs { no_save: false, ..args.clone() };
        done.page.next.extend(step(&stored, "keeps the results, and draws them on a page"));
    }
    Ok(done)
}

/// One experiment.
pub struct One<'a> {
    /// It.
    pub ready: &'a Ready,
    /// How it is run.
    pub how: &'a HowArgs,
    /// Where it is stored, if it is.
    pub save: Option<&'a SaveArgs>,
    /// What is captured.
    pub traces: Option<&'a Captures>,
    /// The command that asks for it.
    pub command: &'a [String],
}

impl One<'_> {
    /// Runs it, stores it, and makes its page.
    pub fn run(&self, executor: &dyn Executor, watch: &dyn Watch) -> Result<Done<Ran>, Failure> {
        let ready = self.ready;
        let lab = done::lab(executor, self.how, self.command, watch);
        lab.check(ready)?;
        let store = self.save.map(|save| open(ready, save)).transpose()?;
        let experiments = [Experiment { ready: ready.clone(), store }];
        // real sockets repair losses as the kernel does, whatever the scenario says
        if ready.identity.build().plane == Plane::Simulator {
            notes::tell([&*ready.plan], watch);
        }
        let store = experiments[0].store.as_ref();
        let of = (ready.name.as_str(), ready.seed);
        let dir = store.map(Store::dir);
        let tracing = self.traces.map(|own| Tracing::new(executor, own, of, dir)).transpose()?;
        let executor: &dyn Executor = tracing.as_ref().map_or(executor, |tracing| tracing);
        let outcome = done::execute(&Lab { executor, ..lab }, &experiments, watch)?;
        let mut page = Page::default();
        let mut written = Ok(());
        if outcome.has_results() {
            let summary = &outcome.summaries[0];
            page = results::of_run(summary);
            // what keeps real time has no speed
            if !summary.is_measured() {
                page.work(speed(&outcome.summaries));
            }
            let told = doubts::of_runs([(&*ready.plan, summary)], "--set duration=");
            told.into_iter().for_each(|note| page.doubt(note));
            // who stops it does not wait for a page: `tusker report` makes it
            if let Some(store) = store.filter(|_| !watch.stopped()) {
                written = write_page(store);
            }
        }
        if let Some(tracing) = tracing {
            tracing.tell(&ready.plan).into_iter().for_each(|text| page.work(text));
        }
        page.work.extend(stored(&outcome, &experiments, dir));
        if let (Some(dir), None) = (dir, &outcome.ended) {
            page.next.extend(steps(dir, &outcome.summaries[0]));
        }
        // what ended the run is the trouble to tell
        let ended = outcome.ended.map(Failure::from).or(written.err());
        let has = !outcome.summaries[0].seeds.is_empty();
        let (experiments, varied) = (vec![ready.clone()], vec![Vec::new()]);
        let ran = Ran { experiments, varied, summaries: outcome.summaries, single: true };
        Ok(Done { value: has.then_some(ran), page, ended })
    }
}

fn write_page(store: &Store) -> Result<(), Failure> {
    store.still_there()?;
    let page = super::report::page(&[store.dir().to_owned()], None)?;
    Ok(store.save_report(&html::html(&page))?)
}

/// What one would do with these results.
fn steps(dir: &Path, summary: &Summary) -> Vec<Step> {
    let list = format!("report {} --list", pages::path(dir));
    let mut all = vec![Step::new(list, "lists its figures, to export them")];
    if summary.wanted == 1 {
        let command = if summary.is_measured() { "testbed" } else { "run" };
        let again = pages::path(&dir.join(tusker_store::SCENARIO));
        let again = format!("{command} {again} --replicates 5");
        all.push(Step::new(again, "gives intervals over five runs"));
    }
    all
}

/// Where results are and why there are not more of them; the same command goes on with this
/// folder as `--out`.
pub fn stored(outcome: &Outcome, experiments: &[Experiment], out: Option<&Path>) -> Vec<Note> {
    let several = experiments.len() > 1 && outcome.ended.is_none();
    let whole = out.filter(|_| several).map(|out| {
        let text = format!("results are in {}, a folder for each run", out.display());
        Note { text, doubt: false }
    });
    let each = experiments.iter().zip(&outcome.summaries).filter_map(|(experiment, summary)| {
        let store = experiment.store.as_ref()?;
        let dir = store.dir().display();
        let (done, wanted) = (summary.seeds.len(), summary.wanted);
        if outcome.ended.is_some() && done < wanted as usize {
            let out = out.unwrap_or(store.dir()).display();
            let text = format!(
                "{done} of {wanted} replicates are in {dir}; add --out {out} --resume to continue"
            );
            return Some(Note { text, doubt: true });
        }
        let page = match store.dir().join(tusker_store::REPORT).is_file() {
            true => format!(", the report is {dir}/{}", tusker_store::REPORT),
            false => String::new(),
        };
        let text = format!("results are in {dir}{page}");
        (!several).then_some(Note { text, doubt: false })
    });
    whole.into_iter().chain(each).collect()
}

/// What becomes of results that are there already.
pub fn existing(save: &SaveArgs) -> Existing {
    existing_of(save.force, save.resume)
}

/// The same of the two flags.
pub fn existing_of(force: bool, resume: bool) -> Existing {
    match (force, resume) {
        (true, _) => Existing::Replace,
        (_, true) => Existing::Resume,
        _ => Existing::Refuse,
    }
}

fn open(ready: &Ready, save: &SaveArgs) -> Result<Store, Failure> {
    let (existing, format) = (existing(save), tables::format(save.tables)?);
    if let Some(dir) = &save.out {
        return folders::open(ready, dir, existing, format);
    }
    let needed = tusker_store::estimate(&ready.plan, ready.replicates, format);
    let dir = Path::new(RESULTS);
    Ok(Store::create(dir, &ready.name, &ready.identity, format, needed)?)
}
