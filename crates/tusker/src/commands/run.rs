//! `tusker run`: a scenario file, all its replicates, results on disk.

use std::path::Path;

use tusker_lab::{Experiment, Outcome, Ready};
use tusker_record::store::{self, Existing, Store};
use tusker_record::summary::{Summary, nothing_note, waiting_note};

use crate::args::{Format, RunArgs, SaveArgs};
use crate::fail_on;
use crate::failure::Failure;
use crate::interrupt;
use crate::notes;
use crate::output::{print_and_go_on, say};
use crate::report;
use crate::running::{execute, lab};
use crate::scenarios;
use crate::tables;

/// Where results go unless said otherwise.
pub const RESULTS: &str = "results";

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let conditions = fail_on::read(&args.fail_on)?;
    let scenario = scenarios::load(&args.scenario, &args.sets)?;
    let ready = scenarios::ready(scenarios::name(&args.scenario), scenario, &args.how)?;
    fail_on::check(&conditions, &ready.plan)?;
    lab(&args.how).check(&ready)?;
    let store = if args.no_save { None } else { Some(open(&ready, &args.save)?) };
    let experiments = [Experiment { ready, store }];
    if !args.how.quiet {
        notes::say_all(experiments.iter().map(|experiment| &experiment.ready.plan));
    }
    let outcome = execute(&experiments, &args.how)?;
    let mut printed = Ok(());
    if outcome.has_results() {
        let summary = &outcome.summaries[0];
        // a page is written whoever has read enough
        let text = match args.how.format {
            Format::Table => report::run(summary),
            Format::Json => summary.to_json(),
            Format::Csv => Summary::to_csv(&outcome.summaries),
        };
        printed = print_and_go_on(&text, args.how.quiet);
        if !args.how.quiet {
            say(&report::speed(&outcome.summaries));
            let notes = [nothing_note(summary), waiting_note(summary)];
            notes.iter().flatten().for_each(|note| say(&format!("note: {note}")));
        }
        // who stops it does not wait for a page: `tusker report` makes it
        if let Some(store) = experiments[0].store.as_ref().filter(|_| !interrupt::stopped()) {
            store.still_there()?;
            let written = super::report::page(&[store.dir().to_owned()], None)
                .and_then(|page| Ok(store.save_report(&tusker_report::html::html(&page))?));
            // what ended the run is the trouble to tell
            written.or_else(|trouble| outcome.ended.is_some().then_some(()).ok_or(trouble))?;
        }
    }
    let own = experiments[0].store.as_ref().map(|store| store.dir().to_owned());
    let verdict = fail_on::summaries(&conditions, &outcome.summaries);
    finish(outcome, &experiments, own.as_deref(), args.how.quiet)?;
    printed.and(verdict)
}

/// Tells where results are and why there are not more of them; the same command
/// goes on with this folder as `--out`.
pub fn finish(
    outcome: Outcome,
    experiments: &[Experiment],
    out: Option<&Path>,
    quiet: bool,
) -> Result<(), Failure> {
    for (experiment, summary) in experiments.iter().zip(&outcome.summaries) {
        let Some(store) = &experiment.store else { continue };
        let dir = store.dir().display();
        let (done, wanted) = (summary.seeds.len(), summary.wanted);
        if outcome.ended.is_some() && done < wanted as usize {
            let out = out.unwrap_or(store.dir()).display();
            say(&format!(
                "{done} of {wanted} replicates are in {dir}; add --out {out} --resume to go on"
            ));
        } else if !quiet {
            let page = match store.dir().join(store::REPORT).is_file() {
                true => format!(", as a page in {dir}/{}", store::REPORT),
                false => String::new(),
            };
            say(&format!("results are in {dir}{page}"));
        }
    }
    outcome.ended.map_or(Ok(()), |trouble| Err(trouble.into()))
}

fn open(ready: &Ready, save: &SaveArgs) -> Result<Store, Failure> {
    let existing = match (save.force, save.resume) {
        (true, _) => Existing::Replace,
        (_, true) => Existing::Resume,
        _ => Existing::Refuse,
    };
    let format = tables::format(save.tables)?;
    let needed = store::estimate(&ready.plan, ready.replicates, format);
    let identity = &ready.identity;
    Ok(match &save.out {
        Some(dir) => Store::open(dir, identity, existing, format, needed)?,
        None => Store::create(Path::new(RESULTS), &ready.name, identity, format, needed)?,
    })
}
