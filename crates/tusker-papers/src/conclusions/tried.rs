//! The readings under which a conclusion was judged, and those that could still change the
//! verdict.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_scenario::Scenario;

use super::{ConclusionResult, InReading, Run, Runs, Standing};
use crate::expr::Operand;
use crate::paper::Paper;
use crate::rows::{BASE, Row, Taken};

/// Readings not tried that are listed by name; if there are more, they are only counted.
const NAMED: usize = 5;

/// The readings of the text that can change these operands: they set something in one of
/// the rows, or count one of the measures in another way. A reading that only sets the seed
/// is none of them: seeds are counted by themselves.
pub(super) fn could_change<'a>(paper: &'a Paper, needed: &[Operand]) -> Vec<&'a str> {
    let ids: BTreeSet<&str> = needed.iter().map(|operand| operand.row.as_str()).collect();
    let mut rows = paper.rows();
    rows.retain(|row| ids.contains(row.id().as_str()));
    let names = paper.readings.iter().map(|reading| reading.name.as_str());
    names.filter(|name| changes(paper, name, &rows, needed)).collect()
}

fn changes(paper: &Paper, name: &str, rows: &[Row<'_>], needed: &[Operand]) -> bool {
    let Ok(taken) = paper.take(&[name.to_owned()], &[]) else { return false };
    let sets = |row: &&Row<'_>| {
        let sets = taken.sets_of(&row.case.choose);
        sets.iter().any(|set| !set.starts_with("seed="))
    };
    // what it sets may be what the row has anyway
    let scenario = |row: &Row<'_>, taken: &Taken<'_>| {
        paper.scenario(row, taken, &[]).ok().map(|own| Scenario { seed: None, ..own })
    };
    let base = Taken::with(&[]);
    let differs = |row: &Row<'_>| scenario(row, &taken) != scenario(row, &base);
    needed.iter().any(|o| taken.source(&o.measure).is_some())
        || rows.iter().filter(sets).any(differs)
}

/// The readings of the text that cannot, and that do more than set the seed.
pub(super) fn cannot_change(paper: &Paper, could: &[&str]) -> Vec<String> {
    let only_seed = |name: &str| {
        let taken = paper.take(&[name.to_owned()], &[]);
        taken.is_ok_and(|t| t.changes().iter().all(|change| change.starts_with("seed=")))
    };
    let names = paper.readings.iter().map(|reading| reading.name.as_str());
    let names = names.filter(|name| !could.contains(name) && !only_seed(name));
    names.map(str::to_owned).collect()
}

/// A reading under which only some rows of a conclusion were run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReadingInPart {
    /// The reading.
    pub name: String,
    /// How many rows.
    pub rows: usize,
}

impl ReadingInPart {
    /// Those of the runs. Rows in which a reading has what the base has were not run for it.
    pub(super) fn all(paper: &Paper, runs: &Runs, needed: &[Operand]) -> Vec<Self> {
        let ids: BTreeSet<&str> = needed.iter().map(|operand| operand.row.as_str()).collect();
        let in_part = |name: &str| {
            let own = runs.of(name);
            if own.iter().any(|run| run.has(needed)) {
                return None;
            }
            let of_base = |run: &Run, id: &str| {
                let mut base = runs.0.iter().filter(|b| b.reading == BASE && b.seed == run.seed);
                base.any(|base| base.rows.get(id) == run.rows.get(id))
            };
            let rows = |run: &&Run| {
                let there: Vec<&&str> =
                    ids.iter().filter(|id| run.rows.contains_key(**id)).collect();
                let tried = there.iter().any(|id| !of_base(run, id));
                if tried { there.len() } else { 0 }
            };
            let rows = own.iter().map(rows).max().filter(|rows| *rows > 0)?;
            Some(Self { name: name.to_owned(), rows })
        };
        let names = runs.readings().into_iter().filter(|name| !paper.is_experiment(name));
        names.filter_map(in_part).collect()
    }
}

/// Readings that were asked for and those that were not, of which none was tried.
pub(super) struct Untried {
    /// Asked for by `conclusions.toml`.
    pub lacking: Vec<String>,
    /// The others.
    pub not_asked: Vec<String>,
}

impl Untried {
    /// Of these that can change a conclusion, those that are neither in `tried` nor in
    /// `unmoved`. What was asked for comes in the order in which it was.
    pub fn of(paper: &Paper, can: &[&str], tried: &[InReading], unmoved: &[&str]) -> Self {
        let known = |name: &str| tried.iter().any(|t| t.name == name) || unmoved.contains(&name);
        let wanted = &paper.conclusions.readings;
        let asked = wanted.iter().filter(|name| can.contains(&name.as_str()) && !known(name));
        let other = can.iter().filter(|name| !wanted.iter().any(|w| w == *name) && !known(name));
        Self {
            lacking: asked.cloned().collect(),
            not_asked: other.map(|name| (*name).to_owned()).collect(),
        }
    }
}

impl ConclusionResult {
    /// Readings that could change it and of which no row was run; first those that
    /// `conclusions.toml` asks for.
    pub fn untried(&self) -> Vec<&str> {
        let some = |name: &&str| self.readings_in_part.iter().any(|own| own.name == **name);
        let names = self.lacking.iter().chain(&self.not_asked).map(String::as_str);
        names.filter(|name| !some(name)).collect()
    }

    /// The verdict, and how far it goes: `stands in the base alone; 2 readings that could
    /// change it were not tried`.
    pub fn verdict(&self) -> String {
        format!("{}{}", self.standing.text(), self.how_far())
    }

    /// How far the verdict goes, to be written after its word. What depends on something
    /// claims nothing of readings that were not tried; [`runs`](Self::runs) names them.
    pub fn how_far(&self) -> String {
        let untried = match (self.untried().len(), self.readings_in_part.len()) {
            (0, 0) => String::new(),
            (1, 0) => "; 1 reading that could change it was not tried".to_owned(),
            (some, 0) => format!("; {some} readings that could change it were not tried"),
            (0, 1) => "; 1 reading that could change it was tried in part".to_owned(),
            (0, part) => format!("; {part} readings that could change it were tried in part"),
            (some, part) => format!(
                "; of {} readings that could change it, {some} not tried, {part} tried in part",
                some + part
            ),
        };
        let where_tried = match self.standing {
            Standing::Open => return String::new(),
            Standing::Depends => return format!(" on {}", self.depends_on.join("; on ")),
            Standing::Stands | Standing::Fails => {
                let one =
                    if self.seeds == 1 && self.means_of == 1 { ", with one seed" } else { "" };
                match (self.readings.len(), untried.is_empty()) {
                    (0, false) => format!(" in the base alone{one}"),
                    (0, true) => format!(" in the base{one}; no other reading changes its rows"),
                    (1, _) => format!(" in the base and 1 other reading{one}"),
                    (some, false) => format!(" in the base and {some} other readings{one}"),
                    (some, true) => format!(" in the base and all {some} other readings{one}"),
                }
            }
        };
        where_tried + &untried
    }

    /// What was run: `seed 1, not seeds 2 and 3; other readings: newreno; not tried, though
    /// it could change the verdict: no-sack`.
    pub fn runs(&self) -> String {
        let mut text = self.seeds_told();
        let tried: Vec<&str> = self.readings.iter().map(|reading| reading.name.as_str()).collect();
        if !tried.is_empty() {
            text += &format!("; other readings: {}", tried.join(", "));
        }
        let in_part = self.readings_in_part.iter();
        let in_part =
            in_part.map(|own| format!("{} ({} of {} rows)", own.name, own.rows, self.rows));
        let in_part: Vec<String> = in_part.collect();
        if !in_part.is_empty() {
            text += &format!("; tried in part: {}", in_part.join(", "));
        }
        let experiments: Vec<String> = self
            .experiments
            .iter()
            .map(|own| format!("{} ({})", own.name, own.verdict.text()))
            .collect();
        if !experiments.is_empty() {
            text += &format!("; experiments against the text: {}", experiments.join(", "));
        }
        let untried = self.untried();
        if !untried.is_empty() {
            let more = match untried.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let named = untried[..untried.len().min(NAMED)].join(", ");
            let they = if untried.len() == 1 { "it" } else { "they" };
            text += &format!("; not tried, though {they} could change the verdict: {named}{more}");
        }
        text
    }
}
