//! A row beside the paper: whether it lies within its tolerances, and whether that is certain.

use std::collections::BTreeMap;

use tusker_lab::suite;
use tusker_lab::suite::claims::Verdict;

use super::{Cell, Printed, Reproduction, RowResult};
use crate::measure::Measure;
use crate::paper::Paper;
use crate::recorded::Measured;
use crate::rows::Row;

/// A row that was measured, set beside the paper.
pub(crate) fn row_result(
    paper: &Paper,
    measures: &[Measure],
    row: &Row<'_>,
    measured: &Measured,
) -> RowResult {
    let id = row.id();
    let cell = |measure: &Measure| {
        let printed = paper.published.printed(&measure.name, &id);
        let ours = measured.values.get(&measure.name).copied();
        let difference = ours.zip(printed).map(|(ours, printed)| ours.mean - printed.value);
        let decided = ours.zip(printed).zip(measure.tolerance);
        let decided = decided.map(|((ours, printed), most)| suite::within(ours, printed, most));
        let within = decided.as_ref().map(|own| own.by_values);
        let clear = decided.and_then(|own| own.sure);
        let printed = printed.map(|p| Printed { value: p.value, ci95: p.ci95 });
        (measure.name.clone(), Cell { paper: printed, ours, difference, within, clear })
    };
    let values: BTreeMap<String, Cell> = measures.iter().map(cell).collect();
    let verdict = verdict(&values);
    RowResult {
        id,
        table: row.case.table.clone(),
        case: row.case.id.clone(),
        variant: row.variant.name.clone(),
        x: row.variant.x,
        law: row.case.law.clone(),
        choose: row.case.choose.clone(),
        changes: Vec::new(),
        replicates: measured.replicates,
        asked: 0,
        invalid: measured.invalid,
        in_step: None,
        seeds: Vec::new(),
        window: measured.window,
        values,
        verdict,
        reason: None,
        reason_source: None,
    }
}

/// All judged measures of a row together: one that is clearly off is enough.
pub(super) fn verdict(values: &BTreeMap<String, Cell>) -> Verdict {
    let judged: Vec<&Cell> = values.values().filter(|cell| cell.within.is_some()).collect();
    match () {
        () if judged.is_empty() => Verdict::Open,
        () if judged.iter().any(|cell| cell.is_off()) => Verdict::DoesNotHold,
        () if judged.iter().any(|cell| cell.clear == Some(false)) => Verdict::Undecided,
        () => Verdict::Holds,
    }
}

impl RowResult {
    /// Its judged measures are all within their tolerances by their means over the seeds,
    /// whatever the intervals of these means are.
    pub fn within_by_means(&self) -> bool {
        let mut judged = self.values.values().filter_map(|cell| cell.within).peekable();
        judged.peek().is_some() && judged.all(|within| within)
    }

    /// `2 of 5 replicates`, if some of those that were asked for are lacking.
    pub fn lacks_replicates(&self) -> Option<String> {
        // a single run is there or not
        let lacking = self.replicates < self.asked && self.asked > 1;
        lacking.then(|| format!("{} of {} replicates", self.replicates, self.asked))
    }
}

impl Reproduction {
    /// Every row was run once, so that nothing tells what another seed would give.
    pub fn has_one_seed(&self) -> bool {
        let mut run =
            self.rows.iter().map(|row| row.replicates).filter(|runs| *runs > 0).peekable();
        run.peek().is_some() && run.all(|runs| runs == 1)
    }

    /// `2 of 5 replicates` or `0 to 4 of 5 replicates`, if rows lack some of those that were
    /// asked for.
    pub fn lacks_replicates(&self) -> Option<String> {
        let lacking = || self.rows.iter().filter(|row| row.lacks_replicates().is_some());
        let counts = || lacking().map(|row| row.replicates);
        let (least, most) = (counts().min()?, counts().max()?);
        let asked = lacking().map(|row| row.asked).max()?;
        let some = if least == most { least.to_string() } else { format!("{least} to {most}") };
        Some(format!("{some} of {asked} replicates"))
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
    use tusker_measure::condition::Value;
    use tusker_measure::stats::{Estimate, Over};

    use super::*;

    fn cell(mean: f64, ci95: Option<f64>, over: Over) -> Cell {
        let ours = Estimate { mean, ci95, n: 3, over };
        let paper = Some(Printed { value: 90.0, ci95: Some(0.3) });
        let within = Some((mean - 90.0).abs() <= 3.0);
        Cell {
            paper,
            ours: Some(ours),
            difference: Some(mean - 90.0),
            within,
            clear: suite::within(ours, Value { value: 90.0, ci95: Some(0.3) }, 3.0).sure,
        }
    }

    fn of(cells: &[Cell]) -> Verdict {
        let named = cells.iter().enumerate().map(|(i, cell)| (i.to_string(), cell.clone()));
        verdict(&named.collect())
    }

    /// Tolerance 3, the paper's 90 ± 0.3.
    #[test]
    fn a_row_whose_interval_covers_its_tolerance_is_undecided() {
        use Verdict::{DoesNotHold as Off, Holds as Within, Open, Undecided};
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
