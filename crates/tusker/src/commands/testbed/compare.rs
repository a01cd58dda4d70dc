//! `tusker testbed --compare`: one scenario on both planes, stored in two folders, shown
//! on one page.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tusker_lab::{Experiment, Outcome, Ready, notes};
use tusker_measure::summary::Summary;
use tusker_plan::executor::Executor;
use tusker_plan::plane::Plane;
use tusker_report::{results, terminal};
use tusker_scenario::Scenario;
use tusker_sim::Simulator;
use tusker_store::{Store, folder};

use super::bench::Bench;
use crate::args::{Format, HowArgs, SaveArgs, TestbedArgs};
use crate::commands::folders::{self, claim};
use crate::commands::run::{RESULTS, existing, stored};
use crate::failure::Failure;
use crate::interrupt;
use crate::outfile::{self, Kind};
use crate::output::{print_and_go_on, say};
use crate::running::{execute_with, json, lab_of, watcher};
use crate::scenarios;
use crate::screen;
use crate::tables;

/// Runs both and shows them; what was measured.
pub fn compare(args: &TestbedArgs, name: &str, scenario: &Scenario) -> Result<Summary, Failure> {
    let how = args.how();
    // simulated runs disturb nobody
    let free = HowArgs { jobs: None, ..args.how() };
    let ready = |plane: Plane| scenarios::ready_on(plane, name.to_owned(), scenario.clone(), &how);
    let (simulated, measured) = (ready(Plane::Simulator)?, ready(Plane::Testbed)?);
    lab_of(&Simulator, &free).check(&simulated)?;
    let folder = if args.no_save { None } else { Some(folder(&args.save, name)?) };
    let experiment = |ready: Ready| -> Result<Experiment, Failure> {
        let within = folder.as_ref().map(|folder| folder.join(ready.identity.build().plane.name()));
        let store = within.map(|dir| open(&dir, &ready, &args.save)).transpose()?;
        Ok(Experiment { ready, store })
    };
    let both = [[experiment(simulated)?], [experiment(measured)?]];
    if !args.quiet {
        notes::tell([&*both[0][0].ready.plan], &watcher(args.quiet));
    }
    let bench = Bench::new(1, args.quiet);
    let executors: [(&dyn Executor, &HowArgs); 2] = [(&Simulator, &free), (&bench, &how)];
    let mut outcomes: Vec<Outcome> = Vec::new();
    for ((executor, how), experiments) in executors.into_iter().zip(&both) {
        let outcome = execute_with(executor, experiments, how)?;
        let ended = outcome.ended.is_some();
        outcomes.push(outcome);
        if ended {
            break;
        }
    }
    let done = outcomes.iter().flat_map(|outcome| &outcome.summaries);
    let done: Vec<Summary> = done.filter(|summary| !summary.seeds.is_empty()).cloned().collect();
    let mut printed = Ok(());
    if let [simulated, measured] = done.as_slice() {
        let text = match args.format {
            Format::Table => {
                let page = results::of_planes(simulated, measured);
                terminal::text(&page, &screen::terminal(args.quiet))
            }
            Format::Json => json(&done),
            Format::Csv => Summary::to_csv(&done),
        };
        printed = print_and_go_on(&text, args.quiet);
        if let Some(folder) = folder.as_ref().filter(|_| !interrupt::stopped()) {
            let dirs = both.iter().flatten().filter_map(|e| e.store.as_ref());
            let dirs: Vec<PathBuf> = dirs.map(|store| store.dir().to_owned()).collect();
            let page = crate::commands::report::page(&dirs, None)?;
            let file = folder.join(tusker_store::REPORT);
            outfile::write(&file, Kind::Page, tusker_report::html::html(&page).as_bytes())?;
            if !args.quiet {
                say(&format!("the report is {}", file.display()));
            }
        }
    }
    for (outcome, experiments) in outcomes.into_iter().zip(&both) {
        let kept = stored(&outcome, experiments, folder.as_deref());
        let kept = kept.iter().filter(|note| note.doubt || !args.quiet);
        kept.for_each(|note| say(&note.text));
        if let Some(trouble) = outcome.ended {
            return Err(trouble.into());
        }
    }
    printed?;
    done.into_iter().next_back().ok_or(Failure::Interrupted)
}

/// Where both are stored: what was asked for, or a new one among the results.
fn folder(save: &SaveArgs, name: &str) -> Result<PathBuf, Failure> {
    if let Some(out) = &save.out {
        let planes = [Plane::Simulator, Plane::Testbed].map(Plane::name);
        claim(out, planes.into_iter(), existing(save))?;
        return Ok(out.clone());
    }
    let wrong = |path: &Path, error: &std::io::Error| {
        let message = format!("cannot make {}: {error}", path.display());
        Failure::other(message, "give another folder with --out, or run with --no-save")
    };
    let parent = Path::new(RESULTS);
    fs::create_dir_all(parent).map_err(|error| wrong(parent, &error))?;
    for number in 1_u64.. {
        let own = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
        let dir = parent.join(own);
        match fs::create_dir(&dir) {
            Ok(()) => {
                folder::claim(&dir, folder::Kind::Comparison)?;
                return Ok(dir);
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(wrong(&dir, &error)),
        }
    }
    unreachable!("numbers do not end")
}

fn open(dir: &Path, ready: &Ready, save: &SaveArgs) -> Result<Store, Failure> {
    folders::open(ready, dir, existing(save), tables::format(save.tables)?)
}
