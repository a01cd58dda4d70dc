//! What stands below the table of a plan: what it comes to, how to read it, and what to
//! type; and what is said of one that was stopped.

use std::fmt::Write;

use tusker_record::plan::{PlanSummary, Spent, Typed};
use tusker_record::table::fold;

use crate::screen::paragraph;

pub fn text(summary: &PlanSummary) -> String {
    let blocks = [folded(&summary.verdict()), folded(&summary.reading()), to_type(summary)];
    let some = blocks.iter().filter(|block| !block.is_empty());
    some.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// Lines no longer than they are easily read.
fn folded(lines: &[String]) -> String {
    lines.iter().map(|line| fold(line, paragraph()).join("\n") + "\n").collect()
}

/// What to type for the recommended row, or for the one that was asked for: a block for
/// each host, that can be pasted there.
fn to_type(summary: &PlanSummary) -> String {
    let Some(row) = summary.typed() else { return String::new() };
    let mut text =
        format!("To type for {}, as root; fill in the first line of a host.\n", row.name());
    let mut before: Option<&Typed> = None;
    for typed in &row.commands {
        let same =
            |last: &Typed| last.on == typed.on && (last.step == "undo") == (typed.step == "undo");
        if !before.is_some_and(same) {
            let undo = if typed.step == "undo" { ", to undo it when all has arrived" } else { "" };
            let _ = write!(text, "\nOn the {}{undo}:\n\n", typed.on);
        }
        if !typed.why.is_empty() {
            for line in fold(&typed.why, paragraph() - 4) {
                let _ = writeln!(text, "  # {line}");
            }
        }
        let _ = writeln!(text, "  {}", typed.line.replace('\n', "\n  "));
        before = Some(typed);
    }
    text
}

/// What is said of a plan that the budget stopped: what is missing, and which budget would
/// be enough for all of it at the same pace.
pub fn stopped(summary: &PlanSummary, seconds: f64, budget: &str, kept: &str) -> String {
    let left = || summary.rows.iter().filter(|row| row.spent == Some(Spent::Budget));
    let (unknown, unsure) = (left().filter(|row| row.runs == 0).count(), left().count());
    let all = summary.rows.len();
    let simulated = summary.rows.iter().map(|row| row.packets).sum::<f64>();
    let begun = summary.rows.iter().filter(|row| row.runs > 0).count();
    // of a row that was not begun nothing is known but the most that it may cost
    let missing = |row: &tusker_record::plan::PlanRow| {
        row.needs_packets.unwrap_or(summary.row_packets).min(summary.row_packets) - row.packets
    };
    let packets = left().map(missing).fold(0.0, |sum, more| sum + more.max(0.0));
    let enough = match begun > 0 && simulated > 0.0 {
        true => {
            let minutes = (seconds * (1.0 + packets / simulated) / 60.0).ceil();
            format!("--budget {minutes:.0}min is enough for all at this pace")
        }
        false => "--budget 10min gives it longer".to_owned(),
    };
    format!(
        "stopped by --budget {budget}: {unknown} of {all} rows are not simulated, {} not known as \
         well as asked; {enough}, --budget none sets no limit{kept}",
        unsure - unknown
    )
}
