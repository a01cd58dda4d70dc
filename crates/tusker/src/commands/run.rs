//! `tusker run`: a scenario file, all its replicates, results on disk.

use std::path::Path;

use tusker_lab::{Experiment, Outcome, Ready};
use tusker_measure::summary::Summary;
use tusker_plan::executor::Executor;
use tusker_plan::plane::Plane;
use tusker_report::{results, terminal};
use tusker_sim::Simulator;
use tusker_store::{Existing, Store};

use crate::args::{Format, HowArgs, RunArgs, SaveArgs};
use crate::commands::{doubts, folders};
use crate::fail_on::Asked as Conditions;
use crate::failure::Failure;
use crate::interrupt;
use crate::next::{self, Step};
use crate::notes;
use crate::output::{print_and_go_on, say, say_notes};
use crate::running::{command_line, execute_with, lab_of, speed};
use crate::scenarios;
use crate::screen;
use crate::tables;
use crate::traces::{Asked, Tracing};

/// Where results go unless said otherwise.
pub const RESULTS: &str = "results";

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let conditions = Conditions::read(&args.verdict)?;
    let scenario = scenarios::load(&args.scenario, &args.sets)?;
    let ready = scenarios::ready(scenarios::name(&args.scenario), scenario, &args.how)?;
    conditions.check(&ready.plan)?;
    let save = (!args.no_save).then_some(&args.save);
    let asked = Asked::of(&args.traces.pcap, &args.qlog, &ready.plan, save.is_some())?;
    let summary = whole(&Simulator, &ready, &args.how, save, asked.as_ref())?;
    conditions.one(&summary, &ready.plan)
}

/// Runs an experiment, stores it, prints it and makes its page; what came of it.
pub fn whole(
    executor: &dyn Executor,
    ready: &Ready,
    how: &HowArgs,
    save: Option<&SaveArgs>,
    asked: Option<&Asked>,
) -> Result<Summary, Failure> {
    lab_of(executor, how).check(ready)?;
    let store = save.map(|save| open(ready, save)).transpose()?;
    let experiments = [Experiment { ready: ready.clone(), store }];
    // real sockets repair losses as the kernel does, whatever the scenario says
    if ready.identity.build().plane == Plane::Simulator {
        notes::say_all([&ready.plan]);
    }
    let dir = experiments[0].store.as_ref().map(Store::dir);
    let of = (ready.name.as_str(), ready.seed);
    let tracing = asked.map(|asked| Tracing::new(executor, asked, of, dir));
    let tracing = tracing.transpose()?;
    let executor: &dyn Executor = tracing.as_ref().map_or(executor, |tracing| tracing);
    let outcome = execute_with(executor, &experiments, how)?;
    let mut printed = Ok(());
    if outcome.has_results() {
        let summary = &outcome.summaries[0];
        // a page is written whoever has read enough
        let mut page = results::of_run(summary);
        let text = match how.format {
            Format::Table => terminal::text(&page, &screen::terminal(how.quiet)),
            Format::Json => summary.to_json(),
            Format::Csv => Summary::to_csv(&outcome.summaries),
        };
        printed = print_and_go_on(&text, how.quiet);
        if !how.quiet {
            // what keeps real time has no speed
            if !summary.is_measured() {
                say(&speed(&outcome.summaries));
            }
        }
        // what makes a result doubtful is told to whoever wants it quiet, too
        let told = doubts::of_runs([(&ready.plan, summary)], "--set duration=");
        told.into_iter().for_each(|note| page.doubt(note));
        say_notes(&page, how.quiet);
        // who stops it does not wait for a page: `tusker report` makes it
        if let Some(store) = experiments[0].store.as_ref().filter(|_| !interrupt::stopped()) {
            store.still_there()?;
            let written = super::report::page(&[store.dir().to_owned()], None)
                .and_then(|page| Ok(store.save_report(&tusker_report::html::html(&page))?));
            // what ended the run is the trouble to tell
            written.or_else(|trouble| outcome.ended.is_some().then_some(()).ok_or(trouble))?;
        }
    }
    if let Some(tracing) = tracing.filter(|_| !how.quiet) {
        tracing.tell(&ready.plan);
    }
    let own = experiments[0].store.as_ref().map(|store| store.dir().to_owned());
    let left_out = command_line().iter().any(|word| word == "--no-save");
    let summary = outcome.summaries[0].clone();
    finish(outcome, &experiments, own.as_deref(), how.quiet)?;
    match own.filter(|_| !how.quiet) {
        Some(dir) => next::steps(&steps(&dir, &summary)),
        // what iperf3 did is never kept
        None if left_out && !how.quiet && how.format == Format::Table => {
            let again = next::again(Some("--no-save"), &[]);
            next::steps(&[(again, "keeps the results, and draws them on a page")]);
        }
        None => {}
    }
    printed.map(|()| summary)
}

/// What one would do with these results.
fn steps(dir: &Path, summary: &Summary) -> [Step; 2] {
    let folder = next::path(dir);
    let command = if summary.is_measured() { "testbed" } else { "run" };
    let more = match summary.wanted {
        1 => {
            let again = next::path(&dir.join(tusker_store::SCENARIO));
            (format!("{command} {again} --replicates 5"), "gives intervals over five runs")
        }
        _ => (format!("query {folder} 'select * from flows'"), "shows a row for each flow and run"),
    };
    [(format!("report {folder} --list"), "lists its figures, to export them"), more]
}

/// Tells where results are and why there are not more of them; the same command
/// goes on with this folder as `--out`.
pub fn finish(
    outcome: Outcome,
    experiments: &[Experiment],
    out: Option<&Path>,
    quiet: bool,
) -> Result<(), Failure> {
    let several = experiments.len() > 1 && outcome.ended.is_none();
    if let Some(out) = out.filter(|_| several && !quiet) {
        say(&format!("results are in {}, a folder for each run", out.display()));
    }
    for (experiment, summary) in experiments.iter().zip(&outcome.summaries) {
        let Some(store) = &experiment.store else { continue };
        let dir = store.dir().display();
        let (done, wanted) = (summary.seeds.len(), summary.wanted);
        if outcome.ended.is_some() && done < wanted as usize {
            let out = out.unwrap_or(store.dir()).display();
            say(&format!(
                "{done} of {wanted} replicates are in {dir}; add --out {out} --resume to continue"
            ));
        } else if !quiet && !several {
            let page = match store.dir().join(tusker_store::REPORT).is_file() {
                true => format!(", the report is {dir}/{}", tusker_store::REPORT),
                false => String::new(),
            };
            say(&format!("results are in {dir}{page}"));
        }
    }
    outcome.ended.map_or(Ok(()), |trouble| Err(trouble.into()))
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
