//! Whether a row lies within its tolerances, and whether that is certain.

use std::collections::BTreeMap;

use tusker_record::stats::{Estimate, Over};

use super::{Cell, Printed, RowVerdict};

/// Whether the verdict on a difference is more than chance: false if the 95 % interval of
/// the difference covers the tolerance. None for a single run, because the variation within
/// a run does not show what another seed would give.
pub(super) fn clear(
    ours: Option<Estimate>,
    printed: Option<Printed>,
    tolerance: Option<f64>,
) -> Option<bool> {
    let (ours, printed, tolerance) = (ours?, printed?, tolerance?);
    let own = ours.ci95.filter(|_| ours.over == Over::Replicates)?;
    let half = own.hypot(printed.ci95.unwrap_or(0.0));
    Some(((ours.mean - printed.value).abs() - tolerance).abs() >= half)
}

/// All judged measures of a row together: one that is clearly off is enough.
pub(super) fn verdict(values: &BTreeMap<String, Cell>) -> RowVerdict {
    let judged: Vec<&Cell> = values.values().filter(|cell| cell.within.is_some()).collect();
    match () {
        () if judged.is_empty() => RowVerdict::Open,
        () if judged.iter().any(|cell| cell.is_off()) => RowVerdict::Off,
        () if judged.iter().any(|cell| cell.clear == Some(false)) => RowVerdict::Undecided,
        () => RowVerdict::Within,
    }
}

impl Cell {
    /// It is outside its tolerance, and not by chance.
    pub fn is_off(&self) -> bool {
        self.within == Some(false) && self.clear != Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(mean: f64, ci95: Option<f64>, over: Over) -> Cell {
        let ours = Some(Estimate { mean, ci95, n: 3, over });
        let paper = Some(Printed { value: 90.0, ci95: Some(0.3) });
        let within = Some((mean - 90.0).abs() <= 3.0);
        Cell {
            paper,
            ours,
            fair: None,
            difference: Some(mean - 90.0),
            within,
            clear: clear(ours, paper, Some(3.0)),
        }
    }

    fn of(cells: &[Cell]) -> RowVerdict {
        let named = cells.iter().enumerate().map(|(i, cell)| (i.to_string(), cell.clone()));
        verdict(&named.collect())
    }

    /// Tolerance 3, the paper's 90 ± 0.3.
    #[test]
    fn a_row_whose_interval_covers_its_tolerance_is_undecided() {
        use RowVerdict::{Off, Open, Undecided, Within};
        let three = |mean, half| cell(mean, Some(half), Over::Replicates);
        for (cells, expected) in [
            // 2.0 of 3: half intervals of hypot(0.4, 0.3) = 0.5 and hypot(1.2, 0.3) = 1.24
            (&[three(92.0, 0.4)][..], Within),
            (&[three(92.0, 1.2)], Undecided),
            // 4.0 of 3
            (&[three(94.0, 0.4)], Off),
            (&[three(94.0, 1.2)], Undecided),
            // what is clearly off stays so, whatever the other measures give
            (&[three(94.0, 0.4), three(92.0, 1.2)], Off),
            (&[three(90.0, 0.4), three(92.0, 1.2)], Undecided),
            // a single run counts as measured, whatever its variation over time
            (&[cell(92.0, Some(9.0), Over::Batches)], Within),
            (&[cell(94.0, None, Over::Replicates)], Off),
            (&[], Open),
        ] {
            assert_eq!(of(cells), expected, "{cells:?}");
        }
    }
}
