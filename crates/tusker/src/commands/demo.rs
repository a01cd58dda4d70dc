//! `tusker demo`: the main comparison of the gHSTCP paper, first with HSTCP, then with
//! gHSTCP instead.

use std::fs;
use std::path::{Path, PathBuf};

use tusker_core::Duration;
use tusker_lab::Experiment;
use tusker_measure::summary::Summary;
use tusker_report::{results, terminal};
use tusker_scenario::{Scenario, Written};
use tusker_store::Store;

use super::compare;
use super::doubts;
use super::run::RESULTS;
use crate::args::{DemoArgs, Format};
use crate::failure::Failure;
use crate::interrupt::Scratch;
use crate::next;
use crate::outfile::{self, Kind};
use crate::output::{print, say};
use crate::running::{execute, json, lab, speed};
use crate::scenarios::{self, wrong};
use crate::screen;

/// The paper's Case 4; Case 7 has gHSTCP where this has HSTCP.
const SCENARIO: &str = include_str!("../../../../examples/ghstcp-demo.toml");

/// What is compared, before and after.
const CC: [(&str, &str); 2] = [("hstcp", "HSTCP"), ("ghstcp", "gHSTCP")];

pub fn demo(args: &DemoArgs) -> Result<(), Failure> {
    let texts = CC.map(|(cc, name)| {
        let text = SCENARIO.replace("cc = \"hstcp\"", &format!("cc = \"{cc}\""));
        (cc, text.replace("against HSTCP", &format!("against {name}")))
    });
    let sets = match &args.duration {
        Some(text) => latter_half(text)?,
        None => Vec::new(),
    };
    let (mut experiments, mut changed) = (Vec::new(), Vec::new());
    for (cc, text) in &texts {
        let mut scenario = Scenario::parse(&format!("{cc}.toml"), text, &sets).map_err(wrong)?;
        scenarios::apply(&mut scenario, &args.how);
        changed.push(scenario.to_toml());
        let ready = scenarios::ready((*cc).to_owned(), scenario, &args.how)?;
        experiments.push(Experiment { ready, store: None });
    }
    if args.print_scenario {
        // as it is, comments and all, unless a flag changes something
        let untouched = sets.is_empty() && args.how.seed.is_none() && args.how.replicates.is_none();
        let own = texts.map(|(_, text)| text);
        return print(&if untouched { own.join("\n") } else { changed.join("\n") });
    }
    for Experiment { ready, .. } in &experiments {
        lab(&args.how).check(ready)?;
    }
    let page = page(args)?;
    // a page is made of stored results, which nobody needs afterwards
    let passing = page.as_ref().map(|_| Scratch::new()).transpose()?;
    if let Some(passing) = &passing {
        for experiment in &mut experiments {
            let ready = &experiment.ready;
            let (dir, format) = (passing.path().join(&ready.name), tusker_store::Format::Csv);
            let needed = tusker_store::estimate(&ready.plan, ready.replicates, format);
            let existing = tusker_store::Existing::Refuse;
            let store = Store::open(&dir, &ready.identity, existing, format, needed)?;
            experiment.store = Some(store);
        }
    }
    if !args.how.quiet {
        say("5 Reno flows (access links of 100 Mbit/s) against 5 HSTCP flows, then against 5 \
             gHSTCP flows (access links of 1 Gbit/s); bottleneck: 2.5 Gbit/s, 50 ms, DropTail \
             queue of 10,000 packets; SACK for all flows; 2.4 % background traffic");
    }
    let mut outcome = execute(&experiments, &args.how)?;
    if let Some(failure) = outcome.ended.take() {
        return Err(failure.into());
    }
    let summaries = &outcome.summaries;
    print(&match args.how.format {
        Format::Table => {
            let of = |nth: usize| (CC[nth].1, &summaries[nth]);
            let page = results::of_change(of(0), of(1));
            terminal::text(&page, &screen::terminal(args.how.quiet))
        }
        Format::Json => json(summaries),
        Format::Csv => Summary::to_csv(summaries),
    })?;
    if !args.how.quiet {
        say(&speed(summaries));
    }
    let plans = experiments.iter().map(|experiment| &experiment.ready.plan);
    let told = doubts::of_runs(plans.zip(summaries), "--duration ");
    told.iter().for_each(|note| say(&format!("note: {note}")));
    let Some(page) = page else { return Ok(()) };
    compare::write_report(&page, &experiments, summaries, None)?;
    if !args.how.quiet {
        say(&format!("the report with windows and queues over time is {}", page.display()));
        next::steps(&[
            (
                "compare --rate 1gbit --rtt 100ms --cc reno,cubic,ghstcp".to_owned(),
                "compares on a path of your own",
            ),
            ("explain ghstcp".to_owned(), "explains how it works, with its source"),
            (
                "reproduce ghstcp --quick".to_owned(),
                "runs the whole paper and compares the numbers",
            ),
        ]);
    }
    Ok(())
}

/// Where the page goes: to the file that was asked for, or to the folder of results if
/// that can be written to. A demonstration does not fail for want of a page.
fn page(args: &DemoArgs) -> Result<Option<PathBuf>, Failure> {
    if let Some(file) = &args.report {
        outfile::check(file, Kind::Page)?;
        return Ok(Some(file.clone()));
    }
    let file = Path::new(RESULTS).join("demo.html");
    let made = fs::create_dir_all(RESULTS).map_err(Failure::from);
    match made.and_then(|()| outfile::check(&file, Kind::Page)) {
        Ok(()) => Ok(Some(file)),
        Err(_) => {
            say(&format!(
                "note: {} cannot be written, so there is no report; --report FILE names another",
                file.display()
            ));
            Ok(None)
        }
    }
}

/// Changes to the scenario that make it so long, and measure its latter half.
fn latter_half(duration: &str) -> Result<Vec<String>, Failure> {
    let whole = Duration::read(duration)
        .map_err(|(message, help)| Failure::input(format!("--duration: {message}"), help))?;
    let half = Duration::from_nanos(whole.nanos() / 2);
    Ok(vec![format!("duration=\"{whole}\""), format!("measure.from=\"{half}\"")])
}
