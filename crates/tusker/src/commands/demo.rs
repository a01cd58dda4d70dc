//! `tusker demo`: the central comparison of the gHSTCP paper, HSTCP first, then
//! gHSTCP in its place.

use tusker_record::scenario::Scenario;
use tusker_record::summary::Summary;

use crate::args::{DemoArgs, Format};
use crate::execute::{Experiment, execute};
use crate::failure::Failure;
use crate::output::{print, say};
use crate::report;
use crate::scenarios::{self, wrong};

/// The paper's Case 4; Case 7 has gHSTCP where this has HSTCP.
const SCENARIO: &str = include_str!("../../scenarios/demo.toml");

pub fn demo(args: &DemoArgs) -> Result<(), Failure> {
    let texts = ["hstcp", "ghstcp"].map(|cc| {
        let text = SCENARIO.replace("cc = \"hstcp\"", &format!("cc = \"{cc}\""));
        (cc, text.replace("HSTCP", if cc == "hstcp" { "HSTCP" } else { "gHSTCP" }))
    });
    if args.print_scenario {
        return print(&texts.map(|(_, text)| text).join("\n"));
    }
    let sets = [format!("duration={:?}", args.duration)];
    let mut experiments = Vec::new();
    for (cc, text) in &texts {
        let scenario = Scenario::parse(&format!("{cc}.toml"), text, &sets).map_err(wrong)?;
        let ready = scenarios::ready((*cc).to_owned(), scenario, &args.how)?;
        experiments.push(Experiment { ready, store: None });
    }
    if !args.how.quiet {
        say("5 Reno flows with 100 Mbit/s access against 5 flows of HSTCP, then of gHSTCP, with");
        say("1 Gbit/s access; 2.5 Gbit/s, 50 ms, DropTail of 10,000 packets, SACK everywhere");
    }
    let mut outcome = execute(&experiments, &args.how)?;
    if let Some(failure) = outcome.ended.take() {
        return Err(failure);
    }
    let summaries = &outcome.summaries;
    print(&match args.how.format {
        Format::Table => report::change(("HSTCP", &summaries[0]), ("gHSTCP", &summaries[1])),
        Format::Json => report::json(summaries),
        Format::Csv => Summary::to_csv(summaries),
    })?;
    if !args.how.quiet {
        say(&report::speed(summaries));
    }
    Ok(())
}
