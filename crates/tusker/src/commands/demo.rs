//! `tusker demo`: the main comparison of the gHSTCP paper, first with HSTCP, then with
//! gHSTCP instead.

use std::fs;
use std::path::{Path, PathBuf};

use tusker_core::Duration;
use tusker_lab::{Experiment, News, Watch};
use tusker_report::page::Step;
use tusker_report::{doubts, results};
use tusker_scenario::{Scenario, Written};
use tusker_sim::Simulator;

use super::run::{RESULTS, Ran};
use super::{compare, folders};
use crate::args::{DemoArgs, Request};
use crate::done::{self, Done, Means};
use crate::failure::Failure;
use crate::interrupt::Scratch;
use crate::outfile::{self, Kind};
use crate::running::speed;
use crate::scenarios::{self, wrong};

/// The paper's Case 4; Case 7 has gHSTCP where this has HSTCP.
const SCENARIO: &str = include_str!("../../../../examples/ghstcp-demo.toml");

/// What is compared, before and after.
const CC: [(&str, &str); 2] = [("hstcp", "HSTCP"), ("ghstcp", "gHSTCP")];

/// Says on stderr what is compared.
pub const ABOUT: &str = "S1: 5 Reno flows (access links of 100 Mbit/s); S2 beside them: 5 HSTCP \
    flows, then 5 gHSTCP flows (access links of 1 Gbit/s); bottleneck: 2.5 Gbit/s, 50 ms, DropTail \
    queue of 10,000 packets; SACK for all flows; UDP traffic of 2.4 % of the rate";

/// Both scenarios as files, and as they are run.
fn both(args: &DemoArgs) -> Result<[(String, Scenario); 2], Failure> {
    let sets = match &args.duration {
        Some(text) => latter_half(text)?,
        None => Vec::new(),
    };
    let read = |(cc, name): (&str, &str)| {
        let text = SCENARIO.replace("cc = \"hstcp\"", &format!("cc = \"{cc}\""));
        let text = text.replace("against HSTCP", &format!("against {name}"));
        let mut scenario = Scenario::parse(&format!("{cc}.toml"), &text, &sets).map_err(wrong)?;
        scenarios::apply(&mut scenario, &args.how);
        Ok::<_, Failure>((text, scenario))
    };
    Ok([read(CC[0])?, read(CC[1])?])
}

/// The scenario files: as they are, comments and all, unless a flag changes something.
pub fn scenarios(args: &DemoArgs) -> Result<String, Failure> {
    let DemoArgs { duration, how, .. } = args;
    let untouched = duration.is_none() && how.seed.is_none() && how.replicates.is_none();
    let file = |(text, scenario): (String, Scenario)| {
        if untouched { text } else { scenario.to_toml() }
    };
    Ok(both(args)?.map(file).join("\n"))
}

/// Runs both.
pub fn demo(
    request: &Request<DemoArgs>,
    means: &Means<'_>,
    watch: &dyn Watch,
) -> Result<Done<Ran>, Failure> {
    let Request { args, command } = request;
    let mut experiments = Vec::new();
    for ((cc, _), (_, scenario)) in CC.into_iter().zip(both(args)?) {
        let ready = scenarios::ready_by(means.build, cc.to_owned(), scenario, &args.how)?;
        experiments.push(Experiment { ready, store: None });
    }
    let lab = done::lab(&Simulator, &args.how, command, watch);
    for Experiment { ready, .. } in &experiments {
        lab.check(ready)?;
    }
    let file = page(args, watch)?;
    // a page is made of stored results, which nobody needs afterwards
    let passing = file.as_ref().map(|_| Scratch::new()).transpose()?;
    if let Some(passing) = &passing {
        for experiment in &mut experiments {
            let ready = &experiment.ready;
            let (dir, format) = (passing.path().join(&ready.name), tusker_store::Format::Csv);
            let existing = tusker_store::Existing::Refuse;
            experiment.store = Some(folders::open(ready, &dir, existing, format)?);
        }
    }
    let outcome = done::execute(&lab, &experiments, watch)?;
    if let Some(trouble) = outcome.ended {
        return Err(trouble.into());
    }
    let summaries = outcome.summaries;
    let of = |nth: usize| (CC[nth].1, &summaries[nth]);
    let mut page = results::of_change(of(0), of(1));
    page.work(speed(&summaries));
    let plans = experiments.iter().map(|experiment| &*experiment.ready.plan);
    let told = doubts::of_runs(plans.zip(&summaries), "--duration ");
    told.into_iter().for_each(|note| page.doubt(note));
    let written = file.as_ref().map(|file| {
        compare::write_report(file, &experiments, &summaries, None)?;
        page.work(format!("the report with windows and queues over time is {}", file.display()));
        page.next = next();
        Ok::<_, Failure>(())
    });
    let ended = written.transpose().err();
    let varied = CC.map(|(cc, _)| vec![("cc", cc.to_owned())]).into();
    let experiments = experiments.into_iter().map(|own| own.ready).collect();
    let ran = Ran { experiments, varied, summaries, single: false };
    Ok(Done { value: Some(ran), page, ended })
}

fn next() -> Vec<Step> {
    let compare = "compare --rate 1gbit --rtt 100ms --cc reno,cubic,ghstcp";
    vec![
        Step::new(compare, "compares on a path of your own"),
        Step::new("explain ghstcp", "explains how it works, with its source"),
        Step::new("reproduce ghstcp --quick", "runs the whole paper and compares the numbers"),
    ]
}

/// Where the page goes: to the file that was asked for, or to the folder of results if
/// that can be written to. A demonstration does not fail for want of a page.
fn page(args: &DemoArgs, watch: &dyn Watch) -> Result<Option<PathBuf>, Failure> {
    if let Some(file) = &args.report {
        outfile::check(file, Kind::Page)?;
        return Ok(Some(file.clone()));
    }
    let file = Path::new(RESULTS).join("demo.html");
    let made = fs::create_dir_all(RESULTS).map_err(Failure::from);
    match made.and_then(|()| Ok(outfile::check(&file, Kind::Page)?)) {
        Ok(()) => Ok(Some(file)),
        Err(_) => {
            let text = format!(
                "{} cannot be written, so there is no report; --report FILE names another",
                file.display()
            );
            watch.tell(News::Note { text: &text, doubt: true });
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
