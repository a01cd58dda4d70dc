//! Under which readings a conclusion was judged, and which could still change it.

use std::collections::BTreeSet;

use super::{ConclusionResult, InReading, Standing};
use crate::expr::Operand;
use crate::paper::Paper;
use crate::rows::Row;

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
    let sets = |row: &Row<'_>| {
        let sets = taken.sets_of(&row.case.choose);
        sets.iter().any(|set| !set.starts_with("seed="))
    };
    rows.iter().any(sets) || needed.iter().any(|o| taken.source(&o.measure).is_some())
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
    /// Readings that could change it and were not tried; first those that
    /// `conclusions.toml` asks for.
    pub fn untried(&self) -> Vec<&str> {
        self.lacking.iter().chain(&self.not_asked).map(String::as_str).collect()
    }

    /// The verdict, and how far it goes: `stands in the base alone; 2 readings that could
    /// change it were not tried`.
    pub fn verdict(&self) -> String {
        format!("{}{}", self.standing.text(), self.how_far())
    }

    /// How far the verdict goes, to be written after its word.
    pub fn how_far(&self) -> String {
        let untried = match self.untried().len() {
            0 => String::new(),
            1 => "; 1 reading that could change it was not tried".to_owned(),
            some => format!("; {some} readings that could change it were not tried"),
        };
        let where_tried = match self.standing {
            Standing::Open => return String::new(),
            Standing::Depends => format!(" on {}", self.depends_on.join("; ")),
            Standing::Stands | Standing::Fails => match (self.readings.len(), untried.is_empty()) {
                (0, false) => " in the base alone".to_owned(),
                (0, true) => " in the base; no other reading changes its rows".to_owned(),
                (1, _) => " in the base and 1 other reading".to_owned(),
                (some, false) => format!(" in the base and {some} other readings"),
                (some, true) => format!(" in the base and all {some} other readings"),
            },
        };
        where_tried + &untried
    }

    /// What was run: `seed 1, not seeds 2 and 3; other readings: newreno; not tried:
    /// no-sack`.
    pub fn runs(&self) -> String {
        let mut text = self.seeds_told();
        let tried: Vec<&str> = self.readings.iter().map(|reading| reading.name.as_str()).collect();
        if !tried.is_empty() {
            text += &format!("; other readings: {}", tried.join(", "));
        }
        let untried = self.untried();
        if !untried.is_empty() {
            let more = match untried.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let named = untried[..untried.len().min(NAMED)].join(", ");
            text += &format!("; not tried: {named}{more}");
        }
        text
    }
}
