//! A part of a reproduction: some of its rows, and what each row changes in the base scenario.

use std::collections::{BTreeMap, BTreeSet};

use super::{Reproduction, RowResult, Scoreboard};
use crate::paper::Paper;
use crate::recorded::Measured;
use crate::rows::{Row, Taken};

/// What is said of runs that are shorter than the paper's.
pub const QUICK_LOOK: &str = "quick look: not the paper's length; verdicts may change";

impl Reproduction {
    /// These rows alone, and the claims that name one of them. A claim is judged on all
    /// rows that are known, those not shown included.
    #[must_use]
    pub fn only(mut self, paper: &Paper, rows: &BTreeSet<String>) -> Self {
        self.rows.retain(|row| rows.contains(&row.id));
        let named = |id: &str| {
            let claim = paper.claims.iter().find(|own| own.id == id);
            let operands = claim.and_then(|own| own.operands(paper).ok()).unwrap_or_default();
            operands.is_empty()
                || operands.iter().any(|operand| rows.contains(&operand.row.to_string()))
        };
        self.claims.retain(|claim| named(&claim.id));
        self.in_full = in_full(paper, &self.rows, self.quick);
        let measures = &paper.about.measures;
        self.scoreboard = Scoreboard::of(paper, measures, &self.rows, &self.claims);
        self
    }

    /// These rows alone, and the claims as far as they compare these with each other.
    #[must_use]
    pub fn between(self, paper: &Paper, rows: &BTreeSet<String>) -> Self {
        let paper = paper.between(rows);
        let mut this = self.only(&paper, rows);
        let judged = super::judged_claims(&paper, &this.rows);
        this.claims.retain_mut(|claim| {
            let now = judged.iter().find(|now| now.id == claim.id);
            now.is_some_and(|now| {
                (claim.ours, claim.paper) = (now.ours.clone(), now.paper.clone());
                true
            })
        });
        this.scoreboard = Scoreboard::of(&paper, &paper.about.measures, &this.rows, &this.claims);
        this
    }

    /// What `--quick` means for its verdicts; nothing if the rows are as long as the paper's.
    pub fn quick_note(&self) -> Option<&'static str> {
        let shorter = self.quick && !self.in_full;
        shorter.then_some(QUICK_LOOK)
    }

    /// What was measured in each row; whether phase effects decide it is known of rows that were
    /// run for this.
    pub fn measured(&self, were_run: bool) -> BTreeMap<String, Measured> {
        let one = |row: &RowResult| {
            let values = row.values.iter();
            let values = values.filter_map(|(name, cell)| Some((name.clone(), cell.ours?)));
            let (replicates, invalid, window) = (row.replicates, row.invalid, row.window);
            let values = values.collect();
            let in_step = (were_run && replicates > 0).then_some(row.in_step.is_some());
            let measured = Measured { replicates, invalid, window, values, in_step };
            (row.id.clone(), measured)
        };
        self.rows.iter().map(one).collect()
    }
}

/// Whether all rows that were run are as long as the paper's.
pub(super) fn in_full(paper: &Paper, rows: &[RowResult], quick: bool) -> bool {
    let run: BTreeSet<&str> =
        rows.iter().filter(|row| row.replicates > 0).map(|row| row.id.as_str()).collect();
    let shorter = |row: &Row<'_>| run.contains(row.id().as_str()) && !paper.quick(row).is_empty();
    !quick || !paper.rows().iter().any(shorter)
}

/// What a row changes in the base scenario.
pub(super) fn changes(
    paper: &Paper,
    row: &Row<'_>,
    taken: &Taken<'_>,
    quick: bool,
    on_testbed: bool,
) -> Vec<String> {
    let shorter: &[String] = match (quick, on_testbed) {
        (false, _) => &[],
        (true, false) => paper.quick(row),
        (true, true) => paper.quick_on_testbed(row),
    };
    paper.changes(row, taken, shorter)
}

#[cfg(test)]
mod tests {
    use tusker_lab::suite::claims::Verdict;

    use super::*;

    /// `--quick` leaves Figures 11 to 13 of the HCC paper as they are.
    #[test]
    fn only_shorter_rows_are_a_quick_look() {
        let paper = Paper::find("hcc").unwrap();
        let recorded = paper.quick_csv.as_deref().expect("it is recorded");
        let recorded = crate::recorded::read(recorded, &paper.cases.variant.name).unwrap();
        let rows = paper.rows();
        let only = |unchanged: bool, quick: bool| {
            let ids = rows.iter().filter(|row| paper.quick(row).is_empty() == unchanged);
            let ids: BTreeSet<String> = ids.map(Row::id).collect();
            Reproduction::recorded(&paper, &recorded, quick).only(&paper, &ids).quick_note()
        };
        let note = Some("quick look: not the paper's length; verdicts may change");
        assert_eq!([only(true, true), only(false, true)], [None, note]);
        assert_eq!([only(true, false), only(false, false)], [None, None]);
    }

    /// Case 7 has a higher index than Case 4 at 50 ms, and a lower one at 25.
    #[test]
    fn claims_compare_chosen_rows_alone() {
        let paper = Paper::find("ghstcp").unwrap();
        let text = "table,case,delay,replicates,fairness_ours,fairness_ours_ci95\n\
            1,4,25,1,0.7,\n1,4,50,1,0.6,\n1,4,100,1,0.5,\n\
            2,7,25,1,0.6,\n2,7,50,1,0.8,\n2,7,100,1,0.7,\n";
        let recorded = crate::recorded::read(text, "delay").unwrap();
        let all = Reproduction::recorded(&paper, &recorded, false);
        let ids = |rows: &[&str]| rows.iter().map(|row| (*row).to_owned()).collect::<BTreeSet<_>>();
        let fairer = |r: &Reproduction| {
            let claim = r.claims.iter().find(|claim| claim.id == "case7-fairer-than-4")?;
            Some((claim.ours.verdict, claim.ours.held, claim.ours.of, claim.ours.missing))
        };
        assert_eq!(fairer(&all), Some((Verdict::Partly, 2, 3, 0)));
        let two = all.clone().between(&paper, &ids(&["4@50", "7@50"]));
        assert_eq!(fairer(&two), Some((Verdict::Holds, 1, 1, 0)));
        assert_eq!(two.scoreboard.claims, two.claims.len());
        let two = all.clone().between(&paper, &ids(&["4@25", "7@25"]));
        assert_eq!(fairer(&two), Some((Verdict::DoesNotHold, 0, 1, 0)));
        assert_eq!(fairer(&all.between(&paper, &ids(&["7@25", "4@50"]))), None);
    }

    /// Jain's index of 0.733 with an interval of 0.356 to each side cannot pass 1.
    #[test]
    fn an_interval_ends_where_its_measure_does() {
        let paper = Paper::find("ghstcp").unwrap();
        let r = Reproduction::recorded(&paper, &BTreeMap::new(), false);
        let measure = |name: &str| r.measures.iter().find(|m| m.name == name).unwrap();
        let (low, high) = measure("fairness").cut(0.733, 0.356).unwrap();
        assert!((low - 0.377).abs() < 1e-12 && high == 1.0);
        assert_eq!(measure("fairness").cut(0.733, 0.1), None);
        // a utilisation is in per cent, throughputs have no upper end, and none a lower
        assert_eq!(measure("utilisation").cut(97.0, 4.0), Some((93.0, 100.0)));
        assert_eq!(measure("s1").cut(450.0, 800.0), Some((0.0, 1250.0)));
        // what is beyond it already is shown as it is
        assert_eq!(measure("fairness").cut(1.5, 0.1), None);
    }
}
