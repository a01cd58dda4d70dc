//! `tusker run`: a scenario file, all its replicates, results on disk.

use std::path::Path;

use tusker_record::store::{self, Existing, Store};
use tusker_record::summary::{Summary, waiting_note};

use crate::args::{Format, RunArgs, SaveArgs, Tables};
use crate::execute::{Experiment, Outcome, execute};
use crate::failure::Failure;
use crate::memory;
use crate::notes;
use crate::output::{print, say};
use crate::report;
use crate::scenarios::{self, Ready};

/// Where results go unless said otherwise.
const RESULTS: &str = "results";

pub fn run(args: &RunArgs) -> Result<(), Failure> {
    let scenario = scenarios::load(&args.scenario, &args.sets)?;
    let ready = scenarios::ready(scenarios::name(&args.scenario), scenario, &args.how)?;
    memory::check(&ready.name, &ready.plan, &args.how)?;
    let store = if args.no_save { None } else { Some(open(&ready, &args.save)?) };
    let experiments = [Experiment { ready, store }];
    if !args.how.quiet {
        notes::say_all(experiments.iter().map(|experiment| &experiment.ready.plan));
    }
    let outcome = execute(&experiments, &args.how)?;
    if outcome.has_results() {
        let summary = &outcome.summaries[0];
        print(&match args.how.format {
            Format::Table => report::run(summary),
            Format::Json => summary.to_json(),
            Format::Csv => Summary::to_csv(&outcome.summaries),
        })?;
        if !args.how.quiet {
            say(&report::speed(&outcome.summaries));
            if let Some(note) = waiting_note(summary) {
                say(&format!("note: {note}"));
            }
        }
        if let Some(store) = &experiments[0].store {
            let written = super::report::page(&[store.dir().to_owned()], None)
                .and_then(|page| Ok(store.save_report(&tusker_report::html::html(&page))?));
            // what ended the run is the trouble to tell
            written.or_else(|trouble| outcome.ended.is_some().then_some(()).ok_or(trouble))?;
        }
    }
    finish(outcome, &experiments, args.how.quiet)
}

/// Tells where results are and why there are not more of them.
pub fn finish(outcome: Outcome, experiments: &[Experiment], quiet: bool) -> Result<(), Failure> {
    for (experiment, summary) in experiments.iter().zip(&outcome.summaries) {
        let Some(store) = &experiment.store else { continue };
        let dir = store.dir().display();
        let (done, wanted) = (summary.seeds.len(), summary.wanted);
        if outcome.ended.is_some() && done < wanted as usize {
            say(&format!(
                "{done} of {wanted} replicates are in {dir}; add --out {dir} --resume to go on"
            ));
        } else if !quiet {
            let page = match store.dir().join(store::REPORT).is_file() {
                true => format!(", as a page in {dir}/{}", store::REPORT),
                false => String::new(),
            };
            say(&format!("results are in {dir}{page}"));
        }
    }
    outcome.ended.map_or(Ok(()), Err)
}

fn open(ready: &Ready, save: &SaveArgs) -> Result<Store, Failure> {
    let dir = match &save.out {
        Some(dir) => dir.clone(),
        None => store::new_folder(Path::new(RESULTS), &ready.name),
    };
    let existing = match (save.force, save.resume) {
        (true, _) => Existing::Replace,
        (_, true) => Existing::Resume,
        _ => Existing::Refuse,
    };
    let format = match save.tables {
        Some(Tables::Csv) => store::Format::Csv,
        _ => store::Format::Parquet,
    };
    let needed = store::estimate(&ready.plan, ready.replicates);
    Ok(Store::open(&dir, &ready.text, existing, format, needed)?)
}
