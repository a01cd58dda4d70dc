//! `tusker demo`: the central comparison of the gHSTCP paper, HSTCP first, then
//! gHSTCP in its place.

use tusker_core::Duration;
use tusker_lab::Experiment;
use tusker_record::summary::Summary;
use tusker_scenario::{Scenario, Written};

use crate::args::{DemoArgs, Format};
use crate::failure::Failure;
use crate::output::{print, say};
use crate::report;
use crate::running::{execute, lab};
use crate::scenarios::{self, wrong};

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
    if !args.how.quiet {
        say("5 Reno flows with 100 Mbit/s access against 5 flows of HSTCP, then of gHSTCP, with");
        say("1 Gbit/s access; 2.5 Gbit/s, 50 ms, DropTail of 10,000 packets, SACK everywhere,");
        say("2.4 % background traffic");
    }
    let mut outcome = execute(&experiments, &args.how)?;
    if let Some(failure) = outcome.ended.take() {
        return Err(failure.into());
    }
    let summaries = &outcome.summaries;
    print(&match args.how.format {
        Format::Table => report::change((CC[0].1, &summaries[0]), (CC[1].1, &summaries[1])),
        Format::Json => report::json(summaries),
        Format::Csv => Summary::to_csv(summaries),
    })?;
    if !args.how.quiet {
        say(&report::speed(summaries));
    }
    Ok(())
}

/// Changes to the scenario that make it so long, and measure its latter half.
fn latter_half(duration: &str) -> Result<Vec<String>, Failure> {
    let whole = Duration::read(duration)
        .map_err(|(message, help)| Failure::input(format!("--duration: {message}"), help))?;
    let half = Duration::from_nanos(whole.nanos() / 2);
    Ok(vec![format!("duration=\"{whole}\""), format!("measure.from=\"{half}\"")])
}
