//! Whether the rows that a claim compares agree with the paper, and whether phase effects
//! decide them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_lab::suite::claims::Verdict;
use tusker_measure::stats::{Estimate, Over, half_width, mean};

use super::runs::Run;
use crate::measure::Measure;
use crate::paper::Paper;
use crate::recorded::Measured;
use crate::reproduction::row::row_result;
use crate::rows::Row;

/// A row of a comparison beside the paper, as in the tables of all rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// The row: `7@50`.
    pub row: String,
    /// Whether it is within the tolerances; open if the paper prints no number of it.
    pub verdict: Verdict,
    /// The measures that are not, or that may not be.
    pub misses: Vec<Miss>,
    /// Seeds with which phase effects decide it.
    pub in_step: Vec<u64>,
}

/// A measure that is outside its tolerance, or of which chance decides whether it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Miss {
    /// The measure.
    pub measure: String,
    /// The paper's value.
    pub paper: f64,
    /// Ours.
    pub ours: f64,
    /// How far apart they may be.
    pub tolerance: f64,
    /// The interval of the difference covers the tolerance.
    pub chance: bool,
}

/// Of these rows, in runs that differ only in their seed.
pub(super) fn of(paper: &Paper, runs: &[&Run], rows: &[String]) -> Vec<Mark> {
    let all = paper.rows();
    let row = |id: &String| all.iter().find(|row| row.id() == *id);
    rows.iter().filter_map(|id| mark(paper, row(id)?, runs)).collect()
}

fn mark(paper: &Paper, row: &Row<'_>, runs: &[&Run]) -> Option<Mark> {
    let id = row.id();
    let own: Vec<(u64, &Measured)> =
        runs.iter().filter_map(|run| Some((run.seed, run.rows.get(&id)?))).collect();
    let together = together(&own.iter().map(|(_, measured)| *measured).collect::<Vec<_>>())?;
    let measures: &[Measure] = &paper.about.measures;
    let result = row_result(paper, measures, row, &together);
    let miss = |measure: &Measure| {
        let cell = result.values.get(&measure.name)?;
        let (chance, outside) = (cell.clear == Some(false), cell.within == Some(false));
        Some(Miss {
            measure: measure.name.clone(),
            paper: cell.paper?.value,
            ours: cell.ours?.mean,
            tolerance: measure.tolerance?,
            chance,
        })
        .filter(|_| chance || outside)
    };
    Some(Mark {
        row: id,
        verdict: result.verdict,
        misses: measures.iter().filter_map(miss).collect(),
        in_step: own.iter().filter(|(_, m)| m.in_step == Some(true)).map(|(s, _)| *s).collect(),
    })
}

/// The mean of several replicates of a row, each known by itself.
fn together(all: &[&Measured]) -> Option<Measured> {
    let [first, more @ ..] = all else { return None };
    if more.is_empty() {
        return Some((*first).clone());
    }
    let names: BTreeSet<&String> = all.iter().flat_map(|own| own.values.keys()).collect();
    let mean_of = |name: &String| {
        let each = all.iter().map(|own| Some(own.values.get(name)?.mean));
        let each: Vec<f64> = each.collect::<Option<_>>()?;
        let n = u32::try_from(each.len()).unwrap_or(u32::MAX);
        let own =
            Estimate { mean: mean(&each), ci95: half_width(&each), n, over: Over::Replicates };
        Some((name.clone(), own))
    };
    let values = names.into_iter().filter_map(mean_of).collect();
    Some(Measured { replicates: all.len(), values, ..Measured::default() })
}
