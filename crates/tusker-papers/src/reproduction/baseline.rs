//! How much a score is worth: how many of the printed rows the best constants reach.
//!
//! For each table, one constant for each judged measure is used. A row is reached if each
//! of its printed values lies within the tolerance of the constant. The constants are
//! chosen afterwards to reach as many rows as possible, so no rule that knows only the
//! table, and nothing about a case, does better. Where the printed values hardly differ, or
//! a tolerance is wide compared with them, such constants reach many rows, and a score
//! means little.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_lab::suite::claims::Verdict;

use crate::measure::Measure;
use crate::reproduction::RowResult;

/// The best constants for one table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TableScore {
    /// The table.
    pub table: String,
    /// Its rows that were run and have printed numbers.
    pub run: usize,
    /// Those in which every judged measure of ours is within its tolerance.
    pub within: usize,
    /// Those whose means over the seeds are within, whatever their intervals are: the
    /// number to compare with `baseline`, whose constants have no intervals.
    #[serde(default)]
    pub by_means: usize,
    /// Those that the best constants reach.
    pub baseline: usize,
    /// These constants, by measure.
    pub constants: BTreeMap<String, f64>,
}

/// The tables with printed numbers, in the order of the rows.
pub fn tables(measures: &[Measure], rows: &[RowResult]) -> Vec<TableScore> {
    let judged: Vec<(&str, f64)> =
        measures.iter().filter_map(|m| Some((m.name.as_str(), m.tolerance?))).collect();
    let tolerances: Vec<f64> = judged.iter().map(|(_, tolerance)| *tolerance).collect();
    let rows = || rows.iter().filter(|row| row.verdict != Verdict::Open);
    let mut names: Vec<&str> = Vec::new();
    for row in rows() {
        if !names.contains(&row.table.as_str()) {
            names.push(&row.table);
        }
    }
    let score = |table: &str| {
        let rows: Vec<&RowResult> = rows().filter(|row| row.table == table).collect();
        let printed = |row: &&RowResult| -> Vec<Option<f64>> {
            let value = |name: &str| Some(row.values.get(name)?.paper?.value);
            judged.iter().map(|(name, _)| value(name)).collect()
        };
        let printed: Vec<Vec<Option<f64>>> = rows.iter().map(printed).collect();
        let (baseline, constants) = best(&printed, &tolerances);
        let named = judged.iter().zip(constants);
        TableScore {
            table: table.to_owned(),
            run: rows.len(),
            within: rows.iter().filter(|row| row.verdict == Verdict::Holds).count(),
            by_means: rows.iter().filter(|row| row.within_by_means()).count(),
            baseline,
            constants: named.filter_map(|((name, _), c)| Some(((*name).to_owned(), c?))).collect(),
        }
    };
    names.into_iter().map(score).collect()
}

/// The largest number of rows that constants reach, one constant per column, and these
/// constants. A value that is not printed counts as reached.
///
/// The constants that reach a value form an interval. If some intervals have a common
/// point, then the lower end of one of them is such a point, so it is enough to try the
/// printed values minus their tolerances.
pub fn best(rows: &[Vec<Option<f64>>], tolerances: &[f64]) -> (usize, Vec<Option<f64>>) {
    let all: Vec<&Vec<Option<f64>>> = rows.iter().collect();
    best_from(&all, tolerances, 0)
}

fn best_from(
    rows: &[&Vec<Option<f64>>],
    tolerances: &[f64],
    column: usize,
) -> (usize, Vec<Option<f64>>) {
    let Some(&tolerance) = tolerances.get(column) else { return (rows.len(), Vec::new()) };
    let mut values: Vec<f64> = rows.iter().filter_map(|row| row[column]).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let with = |constant: Option<f64>, rows: &[&Vec<Option<f64>>]| {
        let (reached, rest) = best_from(rows, tolerances, column + 1);
        (reached, [vec![constant], rest].concat())
    };
    if values.is_empty() {
        return with(None, rows);
    }
    let mut most = (0, vec![None; tolerances.len() - column]);
    for constant in values.iter().map(|value| value - tolerance) {
        // compared with the interval's ends, as the constant is one of them
        let reached = |row: &&&Vec<Option<f64>>| {
            row[column].is_none_or(|v| v - tolerance <= constant && constant <= v + tolerance)
        };
        let reached: Vec<&Vec<Option<f64>>> = rows.iter().filter(reached).copied().collect();
        if reached.len() > most.0 {
            let found = with(Some(constant), &reached);
            if found.0 > most.0 {
                most = found;
            }
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paper;

    fn rows(rows: &[&[f64]]) -> Vec<Vec<Option<f64>>> {
        let cell = |value: &f64| (!value.is_nan()).then_some(*value);
        rows.iter().map(|row| row.iter().map(cell).collect()).collect()
    }

    #[test]
    fn the_best_constant_by_hand() {
        // 3.2 and 5.6 are within 10 of one constant, 40 is not
        assert_eq!(best(&rows(&[&[3.2], &[5.6], &[40.0]]), &[10.0]).0, 2);
        // the interval includes both ends: 0 and 20 are within 10 of 10
        assert_eq!(best(&rows(&[&[0.0], &[20.0], &[41.0]]), &[10.0]), (2, vec![Some(10.0)]));
        assert_eq!(best(&rows(&[&[0.0], &[20.5], &[41.5]]), &[10.0]).0, 1);
        assert_eq!(best(&[], &[10.0]).0, 0);
    }

    #[test]
    fn a_row_is_reached_in_every_measure_or_not_at_all() {
        // each column alone has three rows within 1 of a constant, both together two
        let both = rows(&[&[0.0, 9.0], &[1.0, 5.0], &[2.0, 5.0], &[9.0, 5.0]]);
        assert_eq!(best(&both, &[1.0, 1.0]).0, 2);
        // the best for the first column alone is not the best for both
        let trap = rows(&[&[0.0, 1.0], &[0.0, 10.0], &[0.0, 20.0], &[9.0, 5.0], &[9.0, 5.0]]);
        assert_eq!(best(&trap, &[1.0, 1.0]).0, 2);
        // a value that is not printed counts as reached
        assert_eq!(best(&rows(&[&[0.0, f64::NAN], &[1.0, 5.0]]), &[1.0, 1.0]).0, 2);
    }

    /// Counted by hand in Table I of the paper: 13 of its numbers are between 188 and 200,
    /// within 6 of 194.
    #[test]
    fn one_constant_reaches_13_of_28_in_table_one_of_ngtcp() {
        let paper = Paper::find("ngtcp").unwrap();
        let table = |row: &crate::rows::Row<'_>| row.case.table == "I";
        let printed = |row: &crate::rows::Row<'_>| {
            vec![paper.published.printed("goodput", &row.id()).map(|printed| printed.value)]
        };
        let values: Vec<_> = paper.rows().iter().filter(|row| table(row)).map(printed).collect();
        assert_eq!(values.len(), 28);
        assert_eq!(best(&values, &[6.0]).0, 13);
    }
}
