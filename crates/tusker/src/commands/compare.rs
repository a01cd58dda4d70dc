//! `tusker compare`: congestion controls on one path or several, each alone or against
//! another, without a scenario file. Each run still has a scenario, which
//! `--print-scenario` prints.

use std::path::{Path, PathBuf};

use tusker_lab::{Experiment, Ready};
use tusker_measure::summary::{Harm, Summary, phase_note};
use tusker_plan::plane::Plane;
use tusker_report::results::{self, Comparison};
use tusker_report::terminal;
use tusker_store::{Build, harm};

use super::doubts;
use super::folders::open_each;
use super::made::scenario;
use super::matches::{Match, Matches, label};
use super::paths::{Paths, paths};
use super::run::{existing_of, finish};
use crate::args::{CompareArgs, Format};
use crate::fail_on::{Asked as Conditions, Place};
use crate::failure::Failure;
use crate::interrupt::{self, Scratch};
use crate::next;
use crate::notes;
use crate::outfile::{self, Kind};
use crate::output::{print, print_and_go_on, say, say_notes};
use crate::running::{execute, json, lab, speed};
use crate::scenarios::{self, wrong};
use crate::screen;

/// What is to be compared.
pub struct Compared {
    /// An experiment for each congestion control on each path, alone or against each
    /// rival; then those that tell what the rivals lose.
    pub experiments: Vec<Experiment>,
    /// What each of these is.
    pub matches: Matches,
    /// The scenario files that they stand for.
    printed: Vec<String>,
    /// What the paths differ in, and the values of that for each experiment.
    pub heads: Vec<&'static str>,
    pub named: Vec<Vec<String>>,
    /// The path of each.
    places: Vec<Place>,
}

/// An experiment for each congestion control on each path, and what belongs to it.
pub fn experiments(args: &CompareArgs, build: &Build) -> Result<Compared, Failure> {
    let all = ccs("--cc", &args.cc)?;
    let against = ccs("--against", &args.against)?;
    let paths = paths(args)?;
    let matches = Matches::of(&all, args.parallel, &against, paths.all.len());
    let (mut experiments, mut printed, mut places) = (Vec::new(), Vec::new(), Vec::new());
    for (i, Match { path, cc, against }) in matches.all.iter().enumerate() {
        let (path, values) = &paths.all[*path];
        let label = label(cc, against.as_deref());
        places.push(Place { name: label.clone(), path: path.told() + &bottleneck(args) });
        let name = label + &Paths::suffix(values);
        let made = scenario(args, path, cc, against.as_deref(), i >= matches.asked)?;
        let mut scenario = made.with(&args.sets).map_err(wrong)?;
        scenarios::apply(&mut scenario, &args.how);
        printed.push(scenario.to_toml());
        let ready = Ready::of(name, &scenario, build)?;
        experiments.push(Experiment { ready, store: None });
    }
    let named: Vec<Vec<String>> =
        matches.all.iter().map(|of| paths.all[of.path].1.clone()).collect();
    Ok(Compared { experiments, matches, printed, heads: paths.heads, named, places })
}

pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let conditions = Conditions::read(&args.verdict)?;
    let Compared { mut experiments, matches, printed, heads, named, places } =
        experiments(args, &scenarios::build(Plane::Simulator))?;
    if args.print_scenario {
        return print(&printed[..matches.asked].join("\n"));
    }
    let asked = experiments[..matches.asked].iter().map(|experiment| &experiment.ready.plan);
    conditions.check_any(asked, |plan| {
        let named = |group: &String| -> Vec<String> {
            Harm::ENTRIES.iter().map(|own| format!("groups.{group}.{}", own.name)).collect()
        };
        // the rival is the last
        let rival = plan.groups.last().filter(|_| !args.against.is_empty());
        rival.into_iter().flat_map(named).collect()
    })?;
    for Experiment { ready, .. } in &experiments {
        lab(&args.how).check(ready)?;
    }
    // a report is made of stored results
    let passing = match (&args.out, &args.report) {
        (None, Some(_)) => Some(Scratch::new()?),
        _ => None,
    };
    let out = args.out.as_deref().or(passing.as_ref().map(Scratch::path));
    let file = match (&args.report, out) {
        (None, out) => out.map(|out| out.join(tusker_store::REPORT)),
        (file, _) => file.clone(),
    };
    // a folder within --out may not be there yet
    let new = |file: &&PathBuf| !file.exists() && out.is_some_and(|out| file.starts_with(out));
    if let Some(file) = file.as_ref().filter(|file| !new(file)) {
        outfile::check(file, Kind::Page)?;
    }
    if let Some(out) = out {
        open_each(&mut experiments, out, existing_of(args.force, args.resume))?;
    }
    notes::say_all(experiments.iter().map(|experiment| &experiment.ready.plan));
    let mut outcome = execute(&experiments, &args.how)?;
    matches.note_harm(&mut outcome);
    if let Some(out) = out.filter(|_| outcome.ended.is_none()) {
        harm::write(out, &outcome.summaries[..matches.asked])?;
    }
    let several_paths = !heads.is_empty();
    let mut printed = Ok(());
    if outcome.has_results() {
        let asked = &outcome.summaries[..matches.asked];
        let mut page =
            results::of_comparison(Comparison { summaries: asked, heads: &heads, values: &named });
        let text = match args.how.format {
            Format::Table => terminal::text(&page, &screen::terminal(args.how.quiet)),
            Format::Json => json(&outcome.summaries[..matches.asked]),
            Format::Csv => Summary::to_csv(&outcome.summaries[..matches.asked]),
        };
        printed = print_and_go_on(&text, args.how.quiet);
        if !args.how.quiet {
            say(&speed(&outcome.summaries));
        }
        // what makes a result doubtful is told to whoever wants it quiet, too
        let plans = experiments.iter().map(|experiment| &experiment.ready.plan);
        let told = doubts::of_runs(plans.zip(&outcome.summaries[..matches.asked]), "--duration ");
        let losses = asked.iter();
        let losses = losses.map(|s| (s.scenario.as_str(), s.total.loss_rate.map(|rate| rate.mean)));
        let told = told.into_iter().chain(notes::lossy(losses)).chain(phase_note(asked));
        told.for_each(|note| page.doubt(note));
        say_notes(&page, args.how.quiet);
        if let Some(file) = file.filter(|_| !interrupt::stopped()) {
            let written = write_report(&file, &experiments, &outcome.summaries, out);
            let there = written.is_ok();
            // what ended the runs is the trouble to tell
            written.or_else(|trouble| outcome.ended.is_some().then_some(()).ok_or(trouble))?;
            if there && !args.how.quiet {
                say(&format!("the report is {}", file.display()));
            }
        }
    }
    if passing.is_some() {
        // where nobody will look for them
        experiments.iter_mut().for_each(|experiment| experiment.store = None);
    }
    let verdict = match outcome.ended {
        None => conditions.summaries(&outcome.summaries[..matches.asked], &places),
        // what ended the runs is the trouble to tell
        Some(_) => Ok(()),
    };
    finish(outcome, &experiments, args.out.as_deref(), args.how.quiet)?;
    if !args.how.quiet {
        next(args, &experiments, several_paths);
    }
    printed.and(verdict)
}

/// What one would do with these results.
fn next(args: &CompareArgs, experiments: &[Experiment], several_paths: bool) {
    if let Some(out) = args.out.as_deref() {
        // the first of them, which stands for all
        let one = experiments.first().map_or_else(PathBuf::new, |e| out.join(&e.ready.name));
        let figures = format!("report {} --list", next::path(&one));
        next::steps(&[(figures, "lists the figures of one result, to export them")]);
    } else if args.report.is_none() && args.how.format == Format::Table {
        let page = ["--report", "compare.html"];
        let runs = ["--replicates", "4"];
        let mut steps = vec![match args.how.replicates {
            Some(_) => (next::again(None, &page), "draws windows and queues over time"),
            None => {
                let more = [runs, page].concat();
                let what = "draws windows and queues over time, and gives every column a ±";
                (next::again(None, &more), what)
            }
        }];
        if several_paths {
            let what = "says how to draw curves over the buffer, rate, RTT or loss";
            steps.push(("sweep --help".to_owned(), what));
        }
        next::steps(&steps);
    }
}

/// What the bottleneck does, if that is not what it does by default: `, queue codel, ECN`.
fn bottleneck(args: &CompareArgs) -> String {
    let queue = match args.queue.as_str() {
        "droptail" => String::new(),
        queue => format!(", queue {queue}"),
    };
    queue + if args.ecn { ", ECN" } else { "" }
}

/// All experiments of which something finished, on one page.
pub fn write_report(
    file: &Path,
    experiments: &[Experiment],
    summaries: &[Summary],
    out: Option<&Path>,
) -> Result<(), Failure> {
    let done = experiments.iter().zip(summaries).filter(|(_, s)| !s.seeds.is_empty());
    let stores = done.filter_map(|(experiment, _)| experiment.store.as_ref());
    let dirs: Vec<PathBuf> = stores.map(|store| store.dir().to_owned()).collect();
    let mut page = super::report::page(&dirs, None)?;
    if let Some(out) = out {
        results::add_harm(&mut page, &harm::read(out)?);
    }
    outfile::write(file, Kind::Page, tusker_report::html::html(&page).as_bytes())
}

/// The congestion controls of a flag, each with its parameters behind colons:
/// `ghstcp:z=2,w_low=30,reno` are two.
fn ccs(flag: &str, parts: &[String]) -> Result<Vec<String>, Failure> {
    let mut ccs: Vec<String> = Vec::new();
    for part in parts {
        let name = part.split(':').next().unwrap_or_default();
        match ccs.last_mut() {
            Some(last) if name.contains('=') => *last += &format!(":{part}"),
            _ => ccs.push(part.clone()),
        }
    }
    for (i, cc) in ccs.iter().enumerate() {
        if ccs[..i].contains(cc) {
            return Err(Failure::input(
                format!("{flag}: `{}` is given twice", cc.escape_debug()),
                "give each once; --replicates is for several runs, --flows for more flows",
            ));
        }
    }
    Ok(ccs)
}
