//! The overall score of a reproduction.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_lab::suite::claims::Verdict;

use super::baseline::{self, TableScore};
use crate::measure::Measure;
use crate::paper::Paper;
use crate::reproduction::{ClaimResult, RowResult};

/// The overall score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scoreboard {
    /// Rows that the paper prints.
    pub rows: usize,
    /// Printed rows that were run.
    pub run: usize,
    /// Rows that were run because the text makes claims about them; the paper prints no
    /// numbers for them.
    pub unprinted: usize,
    /// Rows in which every judged measure is within its tolerance.
    pub within: usize,
    /// Printed rows whose means over the seeds are within, whatever their intervals are;
    /// `within`, where each row has a single run.
    #[serde(default)]
    pub by_means: usize,
    /// Undecided rows: some interval covers its tolerance.
    #[serde(default)]
    pub undecided_rows: usize,
    /// Rows that the best constants for each table and measure would reach: see
    /// `tables`.
    pub baseline: usize,
    /// Each table that has printed numbers, beside the best constants for it.
    pub tables: Vec<TableScore>,
    /// Each judged measure by itself.
    pub measures: Vec<MeasureScore>,
    /// Claims.
    pub claims: usize,
    /// Claims that hold.
    pub hold: usize,
    /// Claims that hold in part.
    pub partly: usize,
    /// Claims that chance decides.
    pub undecided: usize,
    /// Claims that do not hold.
    pub fail: usize,
    /// Claims with no comparison that has all its rows.
    pub open: usize,
}

/// One judged measure over all rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeasureScore {
    /// Its name.
    pub name: String,
    /// Rows in which it is within its tolerance.
    pub within: usize,
    /// Mean absolute difference over the rows that were run.
    pub mean_absolute_difference: Option<f64>,
    /// Mean difference, with its sign.
    pub mean_difference: Option<f64>,
}

impl Scoreboard {
    pub(crate) fn of(
        paper: &Paper,
        measures: &[Measure],
        rows: &[RowResult],
        claims: &[ClaimResult],
    ) -> Self {
        let judged = measures.iter().filter(|measure| measure.tolerance.is_some());
        let score = |measure: &Measure| {
            let cells = || rows.iter().filter_map(|row| row.values.get(&measure.name));
            let differences: Vec<f64> = cells().filter_map(|cell| cell.difference).collect();
            let mean = |of: fn(f64) -> f64| {
                let sum: f64 = differences.iter().copied().map(of).sum();
                (!differences.is_empty()).then(|| sum / differences.len() as f64)
            };
            MeasureScore {
                name: measure.name.clone(),
                within: cells().filter(|cell| cell.within == Some(true)).count(),
                mean_absolute_difference: mean(f64::abs),
                mean_difference: mean(|d| d),
            }
        };
        let verdicts =
            |verdict| claims.iter().filter(|claim| claim.ours.verdict == verdict).count();
        let tables = baseline::tables(measures, rows);
        Self {
            rows: paper.published.rows(),
            run: rows.iter().filter(|row| row.verdict != Verdict::Open).count(),
            unprinted: rows
                .iter()
                .filter(|row| row.replicates > 0 && row.verdict == Verdict::Open)
                .count(),
            within: rows.iter().filter(|row| row.verdict == Verdict::Holds).count(),
            by_means: rows.iter().filter(|row| row.within_by_means()).count(),
            undecided_rows: rows.iter().filter(|r| r.verdict == Verdict::Undecided).count(),
            baseline: tables.iter().map(|table| table.baseline).sum(),
            tables,
            measures: judged.map(score).collect(),
            claims: claims.len(),
            hold: verdicts(Verdict::Holds),
            partly: verdicts(Verdict::Partly),
            undecided: verdicts(Verdict::Undecided),
            fail: verdicts(Verdict::DoesNotHold),
            open: verdicts(Verdict::Open),
        }
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn listed(items: &[&str]) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
