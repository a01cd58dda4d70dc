//! Rows that were recorded, set beside the paper without a run.

use std::collections::BTreeMap;

use super::row::row_result;
use super::{Reproduction, RowResult, explain, fair, judged_claims, measures, part};
use crate::paper::Paper;
use crate::recorded::Measured;
use crate::rows::{Row, Taken};

impl Reproduction {
    /// Every recorded row, under the base assumptions.
    pub fn recorded(paper: &Paper, recorded: &BTreeMap<String, Measured>, quick: bool) -> Self {
        // what was recorded beside a paper is one run with its seed
        Self::recorded_with(paper, &Taken::with(&[]), paper.seed().ok(), recorded, quick)
    }

    /// The same of rows that were recorded under a reading, with a seed where there is one
    /// run of each.
    pub fn recorded_with(
        paper: &Paper,
        taken: &Taken<'_>,
        seed: Option<u64>,
        recorded: &BTreeMap<String, Measured>,
        quick: bool,
    ) -> Self {
        let (measures, none) = (measures(paper, taken), Measured::default());
        let rows = paper.rows();
        let measured = |row: &Row<'_>| recorded.get(&row.id()).unwrap_or(&none);
        let results = rows.iter().map(|row| RowResult {
            changes: part::changes(paper, row, taken, quick, false),
            ..row_result(paper, &measures, row, measured(row))
        });
        let mut results: Vec<RowResult> = results.collect();
        fair::add(paper, &measures, &mut results);
        let single = results.iter_mut().filter(|row| row.replicates == 1);
        single.for_each(|row| row.seeds = seed.into_iter().collect());
        let mut claims = judged_claims(paper, &results);
        // the known reasons are about the paper's seed
        if taken.is_base() && seed == paper.seed().ok() {
            explain::explain(paper, &mut results, &mut claims, quick);
        }
        let mut this = Self::judged(paper, taken, results, claims, quick, 0.0);
        this.execution.recorded = true;
        Self { stale: paper.about.stale.clone(), ..this }
    }
}
