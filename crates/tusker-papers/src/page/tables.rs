//! The tables of the page: rows, claims, and conclusions that other runs judged.

use tusker_lab::suite::claims::Verdict;
use tusker_report::capital;
use tusker_report::page::{Block, Span, Table};
use tusker_report::published::{Pair, Published, PublishedRow};

use super::heads;
use crate::measure::Measure;
use crate::reproduction::{ClaimResult, Reproduction, RowResult};

/// The rows that were run, a table for each of the paper's; reasons are notes below.
pub(super) fn rows(r: &Reproduction, judged: &[&Measure], also: &[&Measure]) -> Vec<Block> {
    let run = || r.rows.iter().filter(|row| row.replicates > 0);
    let mut ids: Vec<&str> = Vec::new();
    for row in run() {
        if !ids.contains(&row.table.as_str()) {
            ids.push(&row.table);
        }
    }
    let mut blocks = Vec::new();
    let not_run = r.rows.len() - run().count();
    if not_run > 0 {
        blocks
            .push(Block::Text(format!("{not_run} more rows that were asked for did not finish.")));
    }
    let shown = [judged, also].concat();
    if !shown.is_empty() {
        blocks.push(Block::Text(format!("{}.", heads(r, &shown))));
    }
    for id in ids {
        let of_table: Vec<&RowResult> = run().filter(|row| row.table == id).collect();
        if let Some(table) = one_table(r, id, &of_table, judged, also) {
            blocks.push(Block::Published(table));
        }
    }
    blocks
}

/// All rows in one table: of each judged measure the paper's value and ours, of others ours.
pub(super) fn all(r: &Reproduction, judged: &[&Measure]) -> Table {
    let has = |m: &&Measure| {
        let mut cells = r.rows.iter().filter_map(|row| row.values.get(&m.name));
        cells.any(|cell| cell.ours.is_some())
    };
    let is_judged = |m: &&Measure| judged.iter().any(|own| own.name == m.name);
    let shown = |m: &&Measure| {
        has(m) && !is_judged(m) && (m.beside || m.tolerance.is_some() || judged.is_empty())
    };
    let also: Vec<&Measure> = r.measures.iter().filter(shown).collect();
    let pairs = judged.iter().flat_map(|m| [format!("{}: paper", m.head), "ours".to_owned()]);
    let heads = ["row".to_owned()].into_iter().chain(pairs);
    let heads = heads.chain(also.iter().map(|m| m.head.clone())).chain(["verdict".to_owned()]);
    let spare: Vec<&str> = also.iter().rev().map(|m| m.head.as_str()).collect();
    let mut table = Table::new("Rows", heads).spare(&spare);
    for row in r.rows.iter().filter(|row| row.replicates > 0) {
        let word = verdict(row);
        let word = if row.verdict == Verdict::Open { "" } else { word };
        let lacking = row.lacks_replicates().map_or(String::new(), |some| format!(" ({some})"));
        let ours = judged.iter().map(|m| pair(row, m)).flat_map(|own| [own.paper, own.ours]);
        let also = also.iter().map(|m| pair(row, m).ours);
        let cells = [row.id.clone()].into_iter().chain(ours).chain(also).map(Span::from);
        let verdict = Span::new(format!("{word}{lacking}"), row.verdict.into());
        table.row(None, cells.chain([verdict]));
    }
    table.drop_empty_columns();
    table
}

/// A table of the paper; none if the paper prints nothing that is judged in it.
fn one_table(
    r: &Reproduction,
    id: &str,
    rows: &[&RowResult],
    judged: &[&Measure],
    also: &[&Measure],
) -> Option<Published> {
    let prints = |m: &&&Measure| {
        rows.iter().any(|row| row.values.get(&m.name).is_some_and(|cell| cell.paper.is_some()))
    };
    let measures: Vec<&Measure> = judged.iter().filter(prints).copied().collect();
    if measures.is_empty() {
        return None;
    }
    // the same heads as on a terminal
    let name = |m: &&Measure| m.head.clone();
    let mut table = Published {
        caption: format!("Table {id}"),
        first: format!("case @ {}", r.paper.variant),
        measures: measures.iter().map(name).collect(),
        also: also.iter().map(name).collect(),
        ..Published::default()
    };
    for row in rows {
        let note = row.reason.as_ref().map(|reason| {
            let source = row.reason_source.as_ref();
            let source = source.map_or(String::new(), |path| format!(". Source: {path}"));
            let reason = capital(&format!("{reason}{source}"));
            let same = table.notes.iter().position(|note| *note == reason);
            same.unwrap_or_else(|| {
                table.notes.push(reason);
                table.notes.len() - 1
            }) + 1
        });
        let chosen: Vec<&str> =
            r.paper.choose.iter().filter_map(|key| Some(row.choose.get(key)?.as_str())).collect();
        let lacking = row.lacks_replicates().map_or(String::new(), |some| format!(", {some}"));
        let invalid = if row.invalid > 0 { ", INVALID" } else { "" };
        table.rows.push(PublishedRow {
            name: format!("{}  {}", row.id, chosen.join(", ")).trim_end().to_owned(),
            pairs: measures.iter().map(|m| pair(row, m)).collect(),
            also: also.iter().map(|m| pair(row, m).ours).collect(),
            verdict: Span::new(format!("{}{lacking}{invalid}", verdict(row)), row.verdict.into()),
            note,
        });
    }
    Some(table)
}

fn verdict(row: &RowResult) -> &'static str {
    match row.verdict {
        Verdict::Holds => "ok",
        Verdict::DoesNotHold => "off",
        Verdict::Partly | Verdict::Undecided => "undecided",
        Verdict::Open => "no printed value",
    }
}

fn pair(row: &RowResult, measure: &Measure) -> Pair {
    let Some(cell) = row.values.get(&measure.name) else { return Pair::default() };
    let digits = measure.decimals;
    let text = |value: f64, half: Option<f64>| match half {
        Some(half) => format!("{value:.digits$} ± {half:.digits$}"),
        None => format!("{value:.digits$}"),
    };
    let ours_text =
        |value: f64, half: Option<f64>| match half.and_then(|half| measure.cut(value, half)) {
            Some((low, high)) => format!("{value:.digits$} [{low:.digits$}, {high:.digits$}]"),
            None => text(value, half),
        };
    let tolerances = cell.difference.zip(measure.tolerance);
    Pair {
        paper: cell.paper.map_or_else(String::new, |paper| text(paper.value, paper.ci95)),
        ours: cell.ours.map_or_else(String::new, |ours| ours_text(ours.mean, ours.ci95)),
        difference: tolerances.map(|(difference, tolerance)| difference / tolerance),
    }
}

/// What each row that was run changes in the base; nothing if that is not known.
pub(super) fn changes(r: &Reproduction) -> Option<Table> {
    let mut table = Table::new("What each row changes in the scenario", ["row", "changes"]);
    for row in r.rows.iter().filter(|row| row.replicates > 0 && !row.changes.is_empty()) {
        table.row(None, [row.id.clone(), row.changes.join("; ")]);
    }
    (!table.rows.is_empty()).then_some(table)
}

/// A folded table for each part of the paper, of the claims that these rows judge;
/// then those that name one of these rows and others that were not run.
pub(super) fn claims(r: &Reproduction) -> Vec<Block> {
    let (open, judged): (Vec<_>, Vec<_>) =
        about_these(r).partition(|claim| claim.ours.verdict == Verdict::Open);
    let mut places: Vec<&str> = Vec::new();
    for claim in &judged {
        if !places.contains(&section(claim)) {
            places.push(section(claim));
        }
    }
    let mut blocks = Vec::new();
    if !judged.is_empty() && r.has_one_seed() {
        blocks.push(Block::Text("One seed: with another, a verdict may differ.".to_owned()));
    }
    for place in places {
        let here: Vec<&ClaimResult> =
            judged.iter().filter(|claim| section(claim) == place).copied().collect();
        let holds = here.iter().filter(|claim| claim.ours.verdict == Verdict::Holds).count();
        let title = format!("{place}: {holds} of {} claims hold", here.len());
        blocks.push(Block::FoldedTable(table(title, &here)));
    }
    if !open.is_empty() {
        let title = match open.len() {
            1 => "One claim needs other rows as well, which were not run".to_owned(),
            some => format!("{some} claims need other rows as well, which were not run"),
        };
        blocks.push(Block::FoldedTable(table(title, &open)));
    }
    blocks
}

/// The claims that are about the rows that were run.
pub(super) fn about_these(r: &Reproduction) -> impl Iterator<Item = &ClaimResult> {
    r.claims.iter().filter(|claim| claim.touches || claim.ours.of > 0)
}

/// The part of the paper: what stands before the first comma of its place.
fn section(claim: &ClaimResult) -> &str {
    claim.place.split_once(',').map_or(claim.place.as_str(), |(part, _)| part)
}

fn table(title: String, claims: &[&ClaimResult]) -> Table {
    let head = ["what it says", "where", "ours", "held", "the paper's own numbers", "why", "id"];
    let mut table = Table::new(title, head);
    for claim in claims {
        let chance = match claim.ours.undecided {
            0 => String::new(),
            some => format!(", {some} undecided"),
        };
        let held = match claim.ours.verdict {
            Verdict::Open => {
                format!("{} comparisons need rows that were not run", claim.ours.missing)
            }
            _ => format!("{} of {}{chance}", claim.ours.held, claim.ours.of),
        };
        let ours = match claim.ours.verdict {
            Verdict::Open => "not judged",
            judged => judged.text(),
        };
        let paper = match claim.paper.verdict {
            Verdict::Open => "prints none",
            judged => judged.text(),
        };
        let why = claim.reason.as_deref().unwrap_or_default();
        table.row(None, [claim.says.as_str(), &claim.place, ours, &held, paper, why, &claim.id]);
    }
    table.drop_empty_columns();
    table
}
