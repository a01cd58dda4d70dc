//! A reproduction as text for people.

use std::collections::BTreeSet;
use std::fmt::Write;

use tusker_papers::claims::Verdict;
use tusker_papers::expr::Operand;
pub use tusker_papers::expr::number;
use tusker_papers::judge::Judgement;
use tusker_papers::reproduction::scoreboard::listed;
use tusker_papers::reproduction::{Cell, ClaimResult, MeasureInfo, Reproduction, RowResult};
use tusker_papers::{Paper, rows::BASE};
use tusker_record::stats::{Estimate, Over};
use tusker_record::table::NONE;

use self::examples::notation;
use crate::screen::{Mood, bold, coloured, fit, paragraph};

mod by_row;
pub mod conclusions;
mod examples;
mod hypotheses;
mod matrix;
mod quick;
mod rows;
mod score;
mod side_by_side;

pub use by_row::by_row;
pub use hypotheses::hypotheses;
pub use quick::{in_full_length, verdicts};
pub use score::{constants, json};
pub use side_by_side::{Compared, compared, compared_csv, other_verdicts, readings};

/// What stands below a claim.
const COUNTED: &str = "below a claim: how many of its comparisons hold (3 of 4); one of these \
                       (as); those that do not (not), or that chance may decide (not settled)";

/// What is said of verdicts on single runs.
pub const ONE_SEED: &str = "one seed: with another, a verdict may differ";

/// Rows and comparisons that are shown; --format json has all.
const MOST: usize = 4;

/// Rows, claims, scoreboard.
pub fn reproduction(paper: &Paper, reproduction: &Reproduction) -> String {
    // an interrupted run shows what it has
    let run = reproduction.rows.iter().filter(|row| row.replicates > 0);
    let mut tables: Vec<&str> = run.map(|row| row.table.as_str()).collect();
    tables.dedup();
    let has_room = |id: &str| {
        !is_matrix(paper, reproduction, id) || matrix::has_intervals(paper, reproduction, id)
    };
    // once for all rows and measures: each looks through all rows
    let with_room: Vec<&str> = tables.iter().copied().filter(|id| has_room(id)).collect();
    let with_interval = |name: &str| {
        let measure = reproduction.measures.iter().find(|m| m.name == name);
        measure.is_some_and(|m| with_room.iter().any(|id| shows(paper, id, m)))
    };
    let mut text = heading(reproduction, &with_interval);
    text += &conclusions::of_these_runs(paper, reproduction);
    text += &columns(paper, reproduction, &tables);
    for table in tables {
        text += &one_table(paper, reproduction, table);
    }
    let lacking = reproduction.rows.iter().filter(|row| row.replicates == 0).count();
    if lacking > 0 {
        let _ = writeln!(text, "\n{lacking} rows are not finished");
    }
    text += &claims_about(paper, reproduction);
    text += &format!("\n{}", score::scoreboard(reproduction));
    text + &in_full_length(reproduction.quick_note(), &reproduction.execution.command)
}

/// What was measured, and what ± is behind the values of measures that are shown
/// with their intervals.
pub fn heading(reproduction: &Reproduction, with_interval: &dyn Fn(&str) -> bool) -> String {
    let run = || reproduction.rows.iter().filter(|row| row.replicates > 0);
    if run().next().is_none() {
        return "no row finished\n".to_owned();
    }
    let mut windows: Vec<String> = Vec::new();
    for window in run().filter_map(|row| row.window) {
        let window = format!("from {} s to {} s", window.from_s, window.to_s);
        if !windows.contains(&window) {
            windows.push(window);
        }
    }
    let mut text = match windows.len() {
        0..=3 => format!("measured {}", windows.join(", or ")),
        many => format!("measured in {many} different windows"),
    };
    let most = run().map(|row| row.replicates.max(row.asked)).max().unwrap_or(0);
    let up_to = if run().any(|row| row.lacks_replicates().is_some()) { "up to " } else { "" };
    let _ = match most {
        1 => {
            let mut seeds: Vec<&u64> = run().flat_map(|row| &row.seeds).collect();
            seeds.sort_unstable();
            seeds.dedup();
            match seeds.as_slice() {
                [one] => write!(text, "; one run per row, seed {one}"),
                _ => write!(text, "; one run per row"),
            }
        }
        _ => write!(text, "; means of {up_to}{most} replicates"),
    };
    let shown = || run().flat_map(|row| &row.values).filter(|(name, _)| with_interval(name));
    let cells = || shown().map(|(_, cell)| cell);
    let ours = cells().filter_map(|cell| cell.ours).find(|ours| ours.ci95.is_some());
    let printed = cells().any(|cell| cell.paper.is_some_and(|paper| paper.ci95.is_some()));
    text += match ours.map(|ours| ours.over) {
        None if printed => "; ±: the paper's own",
        None => "",
        Some(Over::Replicates) => "; ±: 95 % confidence over replicates",
        Some(Over::Batches) => "; ±: 95 % confidence over batches of the run",
    };
    let info = |name: &str| reproduction.measures.iter().find(|m| m.name == name);
    let is_cut = |(name, cell): (&String, &Cell)| {
        let half = cell.ours.and_then(|ours| Some((ours.mean, ours.ci95?)));
        info(name).zip(half).is_some_and(|(m, (mean, half))| m.cut(mean, half).is_some())
    };
    if shown().any(is_cut) {
        text += "; [ ]: an interval cut off at the end of the measure's range";
    }
    text = wrapped("", &text, "").trim_end().to_owned();
    if let Some(note) = reproduction.quick_note() {
        let _ = write!(text, "\n{}", bold(&note.replacen("quick look", "QUICK LOOK", 1)));
    }
    if let Some(stale) = &reproduction.stale {
        text += &format!("\n{}", wrapped("STALE: ", stale, "").trim_end());
    }
    if reproduction.reading.name != BASE {
        let _ = write!(text, "\nreading: {}", reproduction.reading.name);
    }
    if let Some(phase) = reproduction.phase_note() {
        text += &format!("\n{}", wrapped("DOUBTFUL: ", &phase, "").trim_end());
    }
    text + "\n"
}

/// What the columns of the tables are.
fn columns(paper: &Paper, reproduction: &Reproduction, tables: &[&str]) -> String {
    let shown = |m: &&MeasureInfo| tables.iter().any(|id| shows(paper, id, m));
    let shown: Vec<&MeasureInfo> = reproduction.measures.iter().filter(shown).collect();
    let heads = heads(reproduction, &shown);
    let printed = |m: &&&MeasureInfo| tables.iter().any(|id| prints(reproduction, id, m));
    let judged = shown.iter().filter(printed).filter(|m| m.tolerance.is_some());
    let within: Vec<&str> = judged.map(|measure| measure.within.as_str()).collect();
    let mut text = wrapped("", &heads, "");
    if !within.is_empty() {
        let columns = "the paper's value, ours, difference; ok: within";
        text += &wrapped("", &format!("{columns} {}", listed(&within)), "");
    }
    text
}

/// What each column head means.
pub fn heads(reproduction: &Reproduction, measures: &[&MeasureInfo]) -> String {
    let head = |m: &&MeasureInfo| {
        let fair = reproduction.fair_share(m);
        let fair = fair.map_or(String::new(), |fair| format!(" ({fair})"));
        format!("{}: {}{fair}", m.head, m.about)
    };
    measures.iter().map(head).collect::<Vec<_>>().join("; ")
}

/// Whether a table shows a measure: what `paper.toml` says of it, else every
/// judged one.
fn shows(paper: &Paper, table: &str, measure: &MeasureInfo) -> bool {
    match paper.about.tables.iter().find(|info| info.id == table) {
        Some(info) => info.show.contains(&measure.name),
        None => measure.tolerance.is_some() || measure.beside,
    }
}

/// Whether the paper prints a measure in a table.
fn prints(reproduction: &Reproduction, table: &str, measure: &MeasureInfo) -> bool {
    let rows = reproduction.rows.iter().filter(|row| row.table == table);
    rows.filter_map(|row| row.values.get(&measure.name)).any(|cell| cell.paper.is_some())
}

/// Whether the paper prints nothing of what a table shows.
fn is_matrix(paper: &Paper, reproduction: &Reproduction, id: &str) -> bool {
    let mut shown = reproduction.measures.iter().filter(|m| shows(paper, id, m));
    !shown.any(|m| prints(reproduction, id, m))
}

/// One of the paper's tables, as far as its rows were asked for.
fn one_table(paper: &Paper, reproduction: &Reproduction, id: &str) -> String {
    let shown: Vec<&MeasureInfo> =
        reproduction.measures.iter().filter(|m| shows(paper, id, m)).collect();
    // what all cases of the table have in common stands above it
    let cases: Vec<_> = paper.cases.cases.iter().filter(|case| case.table == id).collect();
    let common = |what: &str| {
        let first = cases.first().and_then(|case| case.choose.get(what));
        cases.iter().all(|case| case.choose.get(what) == first)
    };
    let whats: Vec<&String> = paper.cases.choose.keys().collect();
    let (above, within): (Vec<&String>, Vec<&String>) = whats.iter().partition(|w| common(w));
    let above: Vec<&str> = above
        .iter()
        .filter_map(|what| cases.first()?.choose.get(*what).map(String::as_str))
        .collect();
    let info = paper.about.tables.iter().find(|info| info.id == id);
    let title = info.map_or(format!("Table {id}: {}", above.join(", ")), |info| info.title.clone());
    let mut text = format!("\n{}\n", bold(wrapped("", &title, "").trim_end()));
    if is_matrix(paper, reproduction, id) {
        for measure in &shown {
            text += &format!("\n{}", fit(&matrix::matrix(paper, reproduction, id, measure)));
        }
    } else {
        text += &format!("\n{}", rows::fitted(reproduction, id, &within, &shown, paper));
    }
    // the first row that a reason is about, and all of them
    let mut reasons: Vec<(&RowResult, Vec<&str>)> = Vec::new();
    let run = reproduction.rows.iter().filter(|row| row.table == id && row.replicates > 0);
    for row in run.filter(|row| row.reason.is_some()) {
        match reasons.iter_mut().find(|(known, _)| known.reason == row.reason) {
            Some((_, ids)) => ids.push(&row.id),
            None => reasons.push((row, vec![&row.id])),
        }
    }
    for (row, ids) in reasons {
        let why = row.reason.as_deref().unwrap_or_default();
        text += &wrapped("", &format!("{}: {why}", ids.join(", ")), "  ");
        let source = row.reason_source.as_ref();
        text += &source.map_or(String::new(), |source| format!("  source: {source}\n"));
    }
    text
}

/// A mean and half its interval; one that passes the bounds of its measure is cut there
/// and has its ends.
pub fn estimate(ours: Option<Estimate>, measure: &MeasureInfo) -> String {
    let decimals = measure.decimals;
    ours.map_or(NONE.to_owned(), |ours| {
        let cut = ours.ci95.and_then(|half| measure.cut(ours.mean, half));
        let interval = match (cut, ours.ci95) {
            (Some((low, high)), _) => format!(" [{low:.decimals$}, {high:.decimals$}]"),
            (None, Some(half)) => format!("±{half:.decimals$}"),
            (None, None) => String::new(),
        };
        format!("{:.decimals$}{interval}", ours.mean)
    })
}

/// The claims that say something of the rows that were run.
pub fn claims_about(paper: &Paper, reproduction: &Reproduction) -> String {
    let run = |operand: &Operand| {
        reproduction.rows.iter().any(|row| row.replicates > 0 && row.id == operand.row)
    };
    let about = |claim: &&ClaimResult| {
        let found = paper.claims.iter().find(|known| known.id == claim.id);
        let operands = found.and_then(|known| known.operands(paper).ok()).unwrap_or_default();
        operands.iter().any(run)
    };
    let touched: Vec<&ClaimResult> = reproduction.claims.iter().filter(about).collect();
    let (open, judged): (Vec<_>, Vec<_>) =
        touched.into_iter().partition(|claim| claim.ours.verdict == Verdict::Open);
    if judged.is_empty() && open.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}\n", verdicts("Claims", reproduction.quick_note()));
    if reproduction.has_one_seed() {
        text += &format!("\n{ONE_SEED}\n");
    }
    text += &format!("\n{}", wrapped("", COUNTED, ""));
    // else it stands above the conclusions
    if reproduction.conclusions.iter().all(|one| one.here == Verdict::Open) {
        text += &wrapped("", &notation(paper), "");
    }
    if judged.iter().any(|claim| examples::has_interval(&claim.ours)) {
        let note = "± of a difference: 95 % confidence, as if both sides were independent; they \
                    are not paired by seed";
        text += &wrapped("", note, "");
    }
    if !judged.is_empty() {
        text += "\nIn [ ]: where the paper says it; its id, for --claim\n";
    }
    for claim in judged {
        text += &one_claim(claim);
    }
    if !open.is_empty() {
        let claims = if open.len() == 1 { "claim names" } else { "claims name" };
        let all = format!(
            "{} more {claims} some of these rows, and others that were not run:",
            open.len()
        );
        text += &format!("\n{}", wrapped("", &all, ""));
        for claim in open {
            let lacks = lacking(paper, reproduction, claim);
            text += &wrapped("  ", &format!("{} Lacks {lacks}.", claim.says), "    ");
        }
    }
    text
}

/// The rows that a claim needs and that were not run: `5@25, 5@50 and 7 more`; if all were,
/// the measures of which they have no value.
fn lacking(paper: &Paper, reproduction: &Reproduction, claim: &ClaimResult) -> String {
    let known = paper.claims.iter().find(|known| known.id == claim.id);
    let operands = known.and_then(|known| known.operands(paper).ok()).unwrap_or_default();
    let needed: BTreeSet<&str> = operands.iter().map(|operand| operand.row.as_str()).collect();
    let run = |id: &str| reproduction.rows.iter().any(|row| row.id == id && row.replicates > 0);
    let order = paper.rows().into_iter().map(|row| row.id());
    let all: Vec<String> = order.filter(|id| needed.contains(id.as_str()) && !run(id)).collect();
    let more = match all.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    if all.is_empty() {
        let has = |operand: &Operand| {
            let row = reproduction.rows.iter().find(|row| row.id == operand.row);
            row.and_then(|row| row.values.get(&operand.measure)?.ours).is_some()
        };
        let without = operands.iter().filter(|operand| !has(operand));
        let names: BTreeSet<&str> = without.map(|operand| operand.measure.as_str()).collect();
        return format!("a value of {}", Vec::from_iter(names).join(", "));
    }
    all[..all.len().min(MOST)].join(", ") + &more
}

fn one_claim(claim: &ClaimResult) -> String {
    const INDENT: &str = "               ";
    let verdict = claim.ours.verdict.text();
    let read = if claim.read.is_empty() { String::new() } else { format!(" ({})", claim.read) };
    let said = format!("{} [{}; {}]{read}", claim.says, claim.place, claim.id);
    let lines = wrapped(&format!("{verdict:<13}  "), &said, INDENT);
    let mood = match claim.ours.verdict {
        Verdict::Holds => Some(Mood::Good),
        Verdict::Partly | Verdict::Undecided => Some(Mood::Mixed),
        Verdict::DoesNotHold => Some(Mood::Bad),
        Verdict::Open => None,
    };
    let mut text = format!("\n{}", begins_coloured(&lines, verdict, mood));
    let numbers = format!("{}{}", counted(&claim.ours), examples::of(&claim.ours));
    text += &wrapped(INDENT, &numbers, INDENT);
    let paper = &claim.paper;
    if paper.verdict.falls_short() {
        let why = claim.paper_reason.as_ref().map_or(String::new(), |why| format!(": {why}"));
        text +=
            &wrapped(INDENT, &format!("the paper's own tables: {}{why}", counted(paper)), INDENT);
    }
    if let Some(reason) = &claim.reason {
        text += &wrapped(INDENT, &format!("why: {reason}"), INDENT);
    }
    if let Some(source) = &claim.reason_source {
        text += &format!("{INDENT}source: {source}\n");
    }
    text
}

fn counted(judgement: &Judgement) -> String {
    let chance = match judgement.chance {
        0 => String::new(),
        some => format!(", {some} within chance"),
    };
    let missing = match judgement.missing {
        0 => String::new(),
        some => format!(" ({some} not run)"),
    };
    format!("{} of {}{missing}{chance}", judgement.held, judgement.of)
}

/// Lines that begin with a verdict, which gets its colour: after they were folded,
/// because colours take no room.
fn begins_coloured(lines: &str, verdict: &str, mood: Option<Mood>) -> String {
    match (mood, lines.strip_prefix(verdict)) {
        (Some(mood), Some(rest)) => coloured(verdict, mood) + rest,
        _ => lines.to_owned(),
    }
}

/// A paragraph that begins with `first` and goes on under `indent`.
pub fn wrapped(first: &str, text: &str, indent: &str) -> String {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let (mut empty, width) = (true, paragraph());
    for word in text.split_whitespace() {
        let gap = usize::from(!empty);
        if !empty && line.chars().count() + gap + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line += word;
        empty = false;
    }
    lines.push(line);
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_stay_within_the_width() {
        let text = wrapped("holds  ", &"word ".repeat(60), "       ");
        assert!(text.lines().all(|line| line.chars().count() <= 100));
        assert!(text.starts_with("holds  word word") && text.contains("\n       word"));
    }
}
