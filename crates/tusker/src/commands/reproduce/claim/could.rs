//! `--readings --claim X`: the readings that could change a claim, and whether each was tried.

use std::collections::BTreeSet;
use std::path::Path;

use tusker_papers::Paper;
use tusker_papers::conclusions::Answer;
use tusker_papers::rows::{BASE, Row};

use super::super::conclusions::possible;
use super::super::shared::Shared;
use super::super::text::wrapped;
use super::super::{Job, RESULTS};
use super::{claims, needed, text};
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::screen::bold;

/// Of each claim, as a list; nothing is run.
pub(super) fn could_change(paper: &Paper, args: &ReproduceArgs) -> Result<String, Failure> {
    let asked = paper.asked(&args.claim.asked)?;
    let rows = needed(paper, args, &asked)?;
    let ids: BTreeSet<String> = rows.iter().map(Row::id).collect();
    let shared = Shared::of(args, || Path::new(RESULTS).join(&paper.about.key))?;
    let job = Job::new(paper, args, &shared, shared.dir().to_owned());
    let own = job.read_runs(&rows, &possible(paper, &args.sets)?)?;
    let (recorded, mean) = (paper.recorded_runs(), paper.recorded_mean());
    let mut all = String::new();
    for claim in claims(&asked) {
        let of = |runs, mean| claim.answer_or_mean(paper, runs, mean, BASE, &ids);
        let (own, recorded) = (of(&own, None), of(&recorded, mean.as_ref()));
        let (Some(own), Some(recorded)) = (own, recorded) else { continue };
        all += &format!("\n{}\n", bold(&claim.id));
        all += &list(paper, &own, &recorded);
    }
    Ok(all.trim_start_matches('\n').to_owned())
}

fn list(paper: &Paper, own: &Answer, recorded: &Answer) -> String {
    let has = |answer: &Answer, name: &str| answer.readings.iter().any(|own| own.reading == name);
    let mut lines = String::new();
    for reading in paper.readings.iter().filter(|reading| !own.unmoved.contains(&reading.name)) {
        let state = match reading.name.as_str() {
            name if has(own, name) => "tried",
            name if has(recorded, name) => "recorded",
            _ if !own.untried.contains(&reading.name) => continue,
            _ => "not tried",
        };
        let head = format!("{:<20}  {state:<9}  ", reading.name);
        lines += &wrapped(&head, &reading.why, &" ".repeat(33));
    }
    let none = text::shortened(&own.unmoved, " and");
    if lines.is_empty() {
        lines = "no other reading changes its rows\n".to_owned();
    }
    match none.is_empty() {
        true => lines,
        false => lines + &wrapped("", &format!("these change nothing in its rows: {none}"), "  "),
    }
}
