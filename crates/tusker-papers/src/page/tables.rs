//! The tables of the page: rows, claims, and conclusions that other runs judged.

use tusker_lab::suite::claims::Verdict;
use tusker_report::capital;
use tusker_report::page::{Block, Span, Table};

use super::heads;
use crate::measure::Measure;
use crate::reproduction::{ClaimResult, Reproduction, RowResult};

/// What is to be known of the rows: how many are lacking, what the heads mean, and why rows are
/// off.
pub(super) fn rows(r: &Reproduction, shown: &[&Measure]) -> Vec<Block> {
    let mut blocks = Vec::new();
    let not_run = r.rows.iter().filter(|row| row.replicates == 0).count();
    if not_run > 0 {
        blocks
            .push(Block::Text(format!("{not_run} more rows that were asked for did not finish.")));
    }
    if !shown.is_empty() {
        blocks.push(Block::Text(format!("{}.", heads(shown))));
    }
    let mut reasons: Vec<[String; 3]> = Vec::new();
    for row in &r.rows {
        let Some(reason) = &row.reason else { continue };
        let source = row.reason_source.clone().unwrap_or_default();
        match reasons.iter_mut().find(|[_, why, from]| (why, from) == (reason, &source)) {
            Some([rows, ..]) => *rows += &format!(", {}", row.id),
            None => reasons.push([row.id.clone(), reason.clone(), source]),
        }
    }
    if !reasons.is_empty() {
        let mut table = Table::new("Why rows are off", ["rows", "why", "source"]);
        table.words = true;
        for [rows, why, source] in reasons {
            table.row(None, [rows, capital(&why), source]);
        }
        table.drop_empty_columns();
        blocks.push(Block::Table(table));
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
        let word = match row.verdict {
            Verdict::Holds => "ok",
            Verdict::DoesNotHold => "off",
            Verdict::Partly | Verdict::Undecided => "undecided",
            Verdict::Open => "",
        };
        let lacking = row.lacks_replicates().map_or(String::new(), |some| format!(" ({some})"));
        let ours = judged.iter().flat_map(|m| pair(row, m));
        let also = also.iter().map(|m| pair(row, m)).map(|[_, ours]| ours);
        let cells = [row.id.clone()].into_iter().chain(ours).chain(also).map(Span::from);
        let invalid = if row.invalid > 0 { " INVALID" } else { "" };
        let verdict = Span::new(format!("{word}{lacking}{invalid}"), row.verdict.into());
        table.row(None, cells.chain([verdict]));
    }
    table.drop_empty_columns();
    table
}

/// The paper's value and ours, as they are written.
fn pair(row: &RowResult, measure: &Measure) -> [String; 2] {
    let Some(cell) = row.values.get(&measure.name) else { return Default::default() };
    let digits = measure.decimals;
    let text = |value: f64, half: Option<f64>| match half {
        Some(half) => format!("{value:.digits$} ± {half:.digits$}"),
        None => format!("{value:.digits$}"),
    };
    let ours = |value: f64, half: Option<f64>| match half.and_then(|half| measure.cut(value, half))
    {
        Some((low, high)) => format!("{value:.digits$} [{low:.digits$}, {high:.digits$}]"),
        None => text(value, half),
    };
    [
        cell.paper.map_or_else(String::new, |paper| text(paper.value, paper.ci95)),
        cell.ours.map_or_else(String::new, |own| ours(own.mean, own.ci95)),
    ]
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
