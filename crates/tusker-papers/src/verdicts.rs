//! What fails in a reproduction, or differs from what was recorded: for scripts that need to
//! know whether a change to the program made anything worse.

use std::collections::{BTreeMap, BTreeSet};

use tusker_lab::suite::claims::{Judgement, Verdict};

use crate::conclusions::Answer;
use crate::paper::Paper;
use crate::recorded::{self, Measured};
use crate::reproduction::{Cell, ClaimResult, Reproduction, RowResult};

/// What counts as a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// A row outside its tolerance, a claim that does not hold.
    Fails,
    /// A row that was within its tolerance when recorded and no longer is, or a claim with
    /// a worse verdict.
    Worse,
    /// A number or a verdict that differs from what was recorded.
    Changed,
}

impl Question {
    /// Whether it compares with what was recorded.
    pub fn needs_record(self) -> bool {
        self != Self::Fails
    }
}

/// One row or claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The table of a row; `None` of a claim.
    pub table: Option<String>,
    /// The name of the row or claim.
    pub name: String,
    /// Whether it could be judged.
    pub judged: bool,
    /// Why it fails, one reason per line; empty if it does not fail.
    pub causes: Vec<String>,
}

/// The rows and claims of a reproduction, each with its failures. `record` holds the
/// recorded results of the same rows, if the question needs them.
pub fn cases(
    reproduction: &Reproduction,
    record: Option<&Reproduction>,
    questions: &[Question],
) -> Vec<Case> {
    let decimals = |name: &str| {
        let info = reproduction.measures.iter().find(|info| info.name == name);
        info.map_or(2, |info| info.decimals)
    };
    let rows = reproduction.rows.iter().map(|row| {
        let old = record.and_then(|r| r.rows.iter().find(|old| old.id == row.id));
        let ask = |question: &Question| match question {
            Question::Fails => off(row, &decimals),
            Question::Worse => worse(row, old, &decimals),
            Question::Changed => changed(row, old),
        };
        let judged = row.replicates > 0;
        let causes = if judged { questions.iter().flat_map(ask).collect() } else { Vec::new() };
        Case { table: Some(row.table.clone()), name: row.id.clone(), judged, causes }
    });
    let claims = reproduction.claims.iter().map(|claim| {
        let old = record.and_then(|r| r.claims.iter().find(|old| old.id == claim.id));
        let ask = |question: &Question| match question {
            Question::Fails => does_not_hold(&claim.ours),
            Question::Worse => weaker(claim, old),
            Question::Changed => another_verdict(claim, old),
        };
        let judged = claim.ours.verdict != Verdict::Open;
        let causes = if judged { questions.iter().filter_map(ask).collect() } else { Vec::new() };
        Case { table: None, name: claim.id.clone(), judged, causes }
    });
    rows.chain(claims).collect()
}

/// Claims that were asked about by themselves: those fail that do not hold, and those of which
/// only a part was run, because that is no answer.
pub fn claims(answers: &[Answer]) -> Vec<Case> {
    let case = |answer: &Answer| {
        let ours = &answer.ours;
        let judged = ours.of > 0;
        let lacking = || format!("incomplete: {} of its comparisons were not run", ours.missing);
        let cause = match ours.verdict {
            Verdict::DoesNotHold => Some(fell_short(ours.held, ours.of)),
            Verdict::Open if judged => Some(lacking()),
            _ => None,
        };
        let causes = cause.into_iter().collect();
        Case { table: None, name: answer.id.clone(), judged, causes }
    };
    answers.iter().map(case).collect()
}

/// What failed, a line each; by papers.
pub fn causes(found: &[(String, Vec<Case>)]) -> Vec<String> {
    let each = found.iter().flat_map(|(key, cases)| cases.iter().map(move |case| (key, case)));
    let lines = each.flat_map(|(key, case)| {
        let what = if case.table.is_some() { "row" } else { "claim" };
        case.causes.iter().map(move |cause| format!("{key}, {what} {}: {cause}", case.name))
    });
    lines.collect()
}

/// What was recorded for the rows at hand, with claims judged on these rows alone.
///
/// # Errors
/// A message in words, if nothing was recorded or it cannot be read.
pub fn record(paper: &Paper, rows: &BTreeSet<String>, quick: bool) -> Result<Reproduction, String> {
    let (file, text) = match quick {
        true => ("quick.csv", &paper.quick_csv),
        false => ("full.csv", &paper.full_csv),
    };
    let text = text.as_ref().ok_or_else(|| format!("there is no {file} beside the paper"))?;
    let mut recorded: BTreeMap<String, Measured> = recorded::read(text, &paper.cases.variant.name)
        .map_err(|error| format!("{file}: {error}"))?;
    recorded.retain(|id, _| rows.contains(id));
    Ok(Reproduction::recorded(paper, &recorded, quick))
}

/// How often each row was run for what was recorded, by its name; nothing about rows that
/// were not, or that cannot be read.
pub fn replicates(paper: &Paper, quick: bool) -> BTreeMap<String, u32> {
    let text = if quick { &paper.quick_csv } else { &paper.full_csv };
    let read = text.as_ref().map(|text| recorded::read(text, &paper.cases.variant.name));
    let rows = read.and_then(Result::ok).unwrap_or_default().into_iter();
    let count = |(id, row): (String, Measured)| Some((id, u32::try_from(row.replicates).ok()?));
    rows.filter_map(count).filter(|(_, count)| *count > 0).collect()
}

fn off(row: &RowResult, decimals: &dyn Fn(&str) -> usize) -> Vec<String> {
    let cause = |(name, cell): (&String, &Cell)| {
        let (ours, printed) = cell.ours.zip(cell.paper).filter(|_| cell.is_off())?;
        let (ours, printed, digits) = (ours.mean, printed.value, decimals(name));
        Some(format!("{name} is {ours:.digits$}, the paper has {printed:.digits$}"))
    };
    row.values.iter().filter_map(cause).collect()
}

fn worse(
    row: &RowResult,
    old: Option<&RowResult>,
    decimals: &dyn Fn(&str) -> usize,
) -> Vec<String> {
    let Some(old) = old.filter(|_| row.verdict == Verdict::DoesNotHold) else { return Vec::new() };
    let cause = |(name, cell): (&String, &Cell)| {
        let before = old.values.get(name)?;
        let fell = before.within == Some(true) && cell.within == Some(false);
        let (ours, old) = cell.ours.zip(before.ours).filter(|_| fell)?;
        let (ours, old, digits) = (ours.mean, old.mean, decimals(name));
        Some(format!("{name} is {ours:.digits$}, it was {old:.digits$}, within the tolerance"))
    };
    row.values.iter().filter_map(cause).collect()
}

fn changed(row: &RowResult, old: Option<&RowResult>) -> Vec<String> {
    let Some(old) = old.filter(|old| old.replicates > 0) else {
        return vec!["it was not recorded".to_owned()];
    };
    let mut causes = Vec::new();
    if row.replicates != old.replicates {
        causes.push(format!("{} replicates, there were {}", row.replicates, old.replicates));
    }
    for (name, cell) in &row.values {
        let before = old.values.get(name).and_then(|cell| cell.ours);
        let text = |value: Option<f64>| value.map_or("nothing".to_owned(), |v| v.to_string());
        let [now, then] = [cell.ours, before].map(|own| own.map(|own| own.mean));
        let [now_ci, then_ci] = [cell.ours, before].map(|own| own.and_then(|own| own.ci95));
        if now != then {
            causes.push(format!("{name} is {}, it was {}", text(now), text(then)));
        } else if now_ci != then_ci {
            let (now, then) = (text(now_ci), text(then_ci));
            causes.push(format!("the interval of {name} is {now}, it was {then}"));
        }
    }
    causes
}

fn does_not_hold(ours: &Judgement) -> Option<String> {
    (ours.verdict == Verdict::DoesNotHold).then(|| fell_short(ours.held, ours.of))
}

fn fell_short(held: usize, of: usize) -> String {
    format!("does not hold, {held} of {of} comparisons")
}

/// Partly and undecided count as equal: neither is better than the other.
fn rank(verdict: Verdict) -> Option<u32> {
    match verdict {
        Verdict::Open => None,
        Verdict::DoesNotHold => Some(0),
        Verdict::Partly | Verdict::Undecided => Some(1),
        Verdict::Holds => Some(2),
    }
}

fn weaker(claim: &ClaimResult, old: Option<&ClaimResult>) -> Option<String> {
    let (now, then) = (claim.ours.verdict, old?.ours.verdict);
    (rank(now)? < rank(then)?).then(|| verdicts(now, then))
}

fn another_verdict(claim: &ClaimResult, old: Option<&ClaimResult>) -> Option<String> {
    let (now, then) = (claim.ours.verdict, old?.ours.verdict);
    (now != then).then(|| verdicts(now, then))
}

fn verdicts(now: Verdict, then: Verdict) -> String {
    format!("{}, it was: {}", now.text(), then.text())
}
