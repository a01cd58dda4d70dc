//! Which row is recommended: the fastest that leaves the others enough, or, of those that
//! cannot be told apart from it, the one that does the least harm. If that row would be slower
//! than what runs today, what runs today stays, unless it is known to take too much.

use std::cmp::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PlanRow, PlanSummary};

/// Rows whose times differ by at most this share may be near-ties.
const NEAR: f64 = 0.05;

/// In what a row is better than one that takes about as long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The others lose less.
    LessHarm,
    /// It keeps today's congestion control.
    TodaysLaw,
    /// It has fewer connections.
    FewerStreams,
}

impl PlanSummary {
    /// The place in `rows`, from 0, of the row to recommend; `None` if there is none.
    pub(super) fn choice(&self) -> Option<usize> {
        let first = self.fastest_kind()?;
        let tied = (first..self.rows.len()).filter(|&n| {
            let row = &self.rows[n];
            row.took_s.is_some() && self.is_kind(row) && self.rows[first].is_near(row)
        });
        // of equal rows, the first
        let best = tied.min_by(|&a, &b| self.compare(&self.rows[a], &self.rows[b]).0)?;
        // nobody is helped by a slower row
        let stays = |row: &PlanRow| self.may_stay(row) && row.is_faster(&self.rows[best]);
        Some(self.rows.iter().position(stays).unwrap_or(best))
    }

    /// What runs today is not known to take too much, though it may: the others live with it
    /// already.
    pub fn may_stay(&self, row: &PlanRow) -> bool {
        self.is_today(row) && !self.is_kind(row) && !self.harms_too_much(row)
    }

    /// The first row that leaves the others enough.
    pub(super) fn fastest_kind(&self) -> Option<usize> {
        self.rows.iter().position(|row| row.took_s.is_some() && self.is_kind(row))
    }

    /// The better of two rows that take about as long, and in what: less harm, then
    /// today's law, then fewer connections.
    fn compare(&self, a: &PlanRow, b: &PlanRow) -> (Ordering, Better) {
        let law = |row: &PlanRow| self.today.as_ref().is_some_and(|today| today.law == row.law);
        let by = [
            (a.harm_digits(b).cmp(&b.harm_digits(a)), Better::LessHarm),
            (law(b).cmp(&law(a)), Better::TodaysLaw),
            (a.streams.cmp(&b.streams), Better::FewerStreams),
        ];
        by.into_iter().find(|(order, _)| order.is_ne()).unwrap_or(by[2])
    }

    /// In what a row is better than one that takes about as long.
    pub(super) fn rather(&self, row: &PlanRow, other: &PlanRow) -> Better {
        self.compare(row, other).1
    }
}

impl PlanRow {
    /// Two first estimates within 5 %, or two simulated times within 5 % whose intervals
    /// overlap.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let Some((a, b)) = self.took_s.zip(other.took_s) else { return false };
        let low = |row: &Self| row.took_low_s.unwrap_or(0.0);
        let high = |row: &Self| row.took_high_s.unwrap_or(f64::INFINITY);
        let overlap = low(self) <= high(other) && low(other) <= high(self);
        self.is_simulated() == other.is_simulated()
            && (a - b).abs() <= NEAR * a.min(b)
            && (overlap || !self.is_simulated())
    }

    /// It takes less time.
    fn is_faster(&self, other: &Self) -> bool {
        self.took_s.zip(other.took_s).is_some_and(|(own, other)| own < other)
    }

    /// Harm in the last of its printed digits, a hundredth, or a tenth if one of both is an
    /// estimate; below 0 is none.
    fn harm_digits(&self, other: &Self) -> i64 {
        let estimated = self.has_estimated_harm() || other.has_estimated_harm();
        let digits = if estimated { 10.0 } else { 100.0 };
        (self.harm.unwrap_or(0.0).max(0.0) * digits).round() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{plan, row};
    use super::super::{Basis, Fact, PlanWay};
    use super::*;

    /// Law, streams, seconds, harm; beside others, with 1 x cubic today.
    fn asked(basis: Basis, rows: &[(&str, u32, f64, f64)]) -> PlanSummary {
        let rows = rows.iter().map(|&(law, streams, took, harm)| PlanRow {
            streams,
            took_low_s: Some(took - 1.0),
            took_high_s: Some(took + 1.0),
            harm: Some(harm),
            ..row(law, basis, took, 2)
        });
        let mut plan = plan(rows.collect(), true);
        plan.path.with = vec!["cubic".to_owned()];
        let today = PlanWay { law: "cubic".to_owned(), streams: 1, socket_buffer_bytes: 1_000 };
        plan.today = Some(today);
        plan.rank();
        plan
    }

    /// What is recommended, and why rather than a row that is as fast.
    fn chosen(basis: Basis, rows: &[(&str, u32, f64, f64)]) -> (String, Option<Better>) {
        let plan = asked(basis, rows);
        let better = plan.facts.iter().find_map(|fact| match fact {
            Fact::AsFast { better, .. } => Some(*better),
            _ => None,
        });
        (plan.chosen().expect("a row").name(), better)
    }

    /// 65.1 of 65.0 is less than 5 %; 68.3 is 5.1 % more.
    #[test]
    fn of_estimates_that_differ_little_the_least_harm_is_recommended() {
        let fast = ("hstcp", 16, 65.0, 0.18);
        let (name, why) = chosen(Basis::Estimate, &[fast, ("cubic", 4, 65.1, 0.06)]);
        assert_eq!((name.as_str(), why), ("4 x cubic", Some(Better::LessHarm)));
        let late = chosen(Basis::Estimate, &[fast, ("cubic", 4, 68.3, 0.06)]);
        assert_eq!(late, ("16 x hstcp".to_owned(), None));
    }

    /// ~0.1 are both 0.06 and 0.14; among these today's law, and then the fewest.
    #[test]
    fn of_the_same_harm_todays_law_and_then_the_fewest_connections_are() {
        let rows = [("hstcp", 2, 65.0, 0.06), ("cubic", 16, 65.1, 0.14), ("cubic", 4, 65.2, 0.1)];
        let (name, why) = chosen(Basis::Estimate, &rows);
        assert_eq!((name.as_str(), why), ("4 x cubic", Some(Better::TodaysLaw)));
        let (name, why) = chosen(Basis::Estimate, &[rows[1], rows[2]]);
        assert_eq!((name.as_str(), why), ("4 x cubic", Some(Better::FewerStreams)));
    }

    /// 65 ± 1 and 66 ± 1 overlap, 65 ± 1 and 67.5 ± 1 do not, and 30 ± 1 and 32 ± 1 differ
    /// by more than 5 %.
    #[test]
    fn simulated_rows_are_near_if_their_intervals_overlap_as_well() {
        let two = |first, second| {
            chosen(Basis::Steady, &[("hstcp", 8, first, 0.2), ("htcp", 8, second, 0.1)]).0
        };
        assert_eq!(
            [two(65.0, 66.0), two(65.0, 67.5), two(30.0, 32.0)],
            ["8 x htcp".to_owned(), "8 x hstcp".to_owned(), "8 x hstcp".to_owned()]
        );
    }

    /// Today's 1 x cubic may take 0.3 + 0.3 > 0.5, and 1 x htcp 0.15 + 0.3 surely does not. But
    /// it is slower, so that the change would only cost time; unless today's takes 0.6.
    #[test]
    fn no_slower_row_takes_the_place_of_what_runs_today() {
        let rows = |harm| [("cubic", 1, 218.0, harm), ("htcp", 1, 269.0, 0.15)];
        // 269 s are 23 % more than 218 s
        assert_eq!(chosen(Basis::Estimate, &rows(0.3)), ("1 x cubic".to_owned(), None));
        assert_eq!(chosen(Basis::Estimate, &rows(0.6)).0, "1 x htcp");
        // faster and surely kind: it is better than what runs today
        let faster = [("cubic", 1, 218.0, 0.3), ("htcp", 1, 150.0, 0.15)];
        assert_eq!(chosen(Basis::Estimate, &faster).0, "1 x htcp");
    }

    /// 0.1 by a first estimate may be 0.4, or 0.25 where all flows fill at most half of the
    /// link; the limit is 0.3.
    #[test]
    fn where_there_is_room_a_first_estimate_of_harm_is_surer() {
        let kind = |load: Option<f64>| {
            let mut plan = asked(Basis::Estimate, &[("hstcp", 4, 65.0, 0.1)]);
            plan.max_harm = Some(0.3);
            plan.rows[0].estimate_load = load;
            plan.is_kind(&plan.rows[0])
        };
        assert_eq!([None, Some(0.51), Some(0.5)].map(kind), [false, false, true]);
    }

    /// Behind a buffer below 0.2 BDP, 0.1 by a first estimate may be 0.8; where all flows fill at
    /// most half of the link, there is room behind such a buffer, too.
    #[test]
    fn behind_a_short_buffer_a_first_estimate_of_harm_says_little() {
        let kind = |max_harm: f64, load: Option<f64>| {
            let mut plan = asked(Basis::Estimate, &[("hstcp", 4, 65.0, 0.1)]);
            plan.max_harm = Some(max_harm);
            (plan.rows[0].short_buffer, plan.rows[0].estimate_load) = (true, load);
            plan.is_kind(&plan.rows[0])
        };
        assert!(!kind(0.79, None) && kind(0.81, None) && kind(0.3, Some(0.5)));
    }

    /// A row that harms too much is no near-tie of anything.
    #[test]
    fn a_row_that_takes_too_much_is_never_recommended() {
        let rows = [("bbr1", 1, 64.9, 0.9), ("hstcp", 8, 65.0, 0.2), ("cubic", 8, 65.1, 0.2)];
        assert_eq!(chosen(Basis::Steady, &rows).0, "8 x cubic");
    }

    #[test]
    fn a_row_whose_harm_is_not_known_is_not_recommended() {
        let mut plan = asked(Basis::Steady, &[("bbr1", 1, 10.0, 0.0), ("hstcp", 8, 65.0, 0.0)]);
        assert_eq!(plan.chosen().expect("a row").name(), "1 x bbr1");
        plan.rows[0].harm = None;
        plan.rank();
        assert_eq!(plan.chosen().expect("a row").name(), "8 x hstcp");
    }
}
