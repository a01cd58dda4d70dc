//! Rows that are suitable with every one of several buffers, each of which has its own plan.

use super::{ESTIMATE_TIMES, PlanRow, PlanSummary};

/// Harm that differs by less is as good.
const SAME_HARM: f64 = 0.05;

impl PlanRow {
    /// The same way to do it; a socket buffer that is enough depends on the path.
    fn is_same_way(&self, other: &Self) -> bool {
        let enough = self.socket_buffer_enough && other.socket_buffer_enough;
        (&self.law, self.streams) == (&other.law, other.streams)
            && (enough || self.socket_buffer_bytes == other.socket_buffer_bytes)
    }

    /// How long it takes, with what a first estimate may be too short.
    fn likely_s(&self) -> Option<f64> {
        let times = if self.is_simulated() { 1.0 } else { ESTIMATE_TIMES };
        self.took_s.map(|took| took * times)
    }
}

/// Of the rows that leave the others enough in every plan, the one whose longest time is the
/// shortest: as it stands in each of them.
pub(super) fn good_in_all(plans: &[PlanSummary]) -> Option<Vec<&PlanRow>> {
    best_of(plans, |plan, row| plan.is_kind(row) || plan.may_stay(row))
}

/// Rows that would be faster, and whose harm is within the limit in every plan if it is as it
/// was estimated or simulated, without regard to how far off that may be: the fastest, and the
/// one that does the least harm with its worst buffer.
pub(super) fn perhaps_in_all(plans: &[PlanSummary]) -> Vec<Vec<&PlanRow>> {
    let most = good_in_all(plans).map_or(f64::INFINITY, |good| longest(&good));
    let within =
        |plan: &PlanSummary, row: &PlanRow| row.harm.is_some() && !plan.harms_too_much(row);
    let unsure = |rows: &Vec<&PlanRow>| {
        let unkind = rows.iter().zip(plans).any(|(row, plan)| !plan.is_kind(row));
        unkind && longest(rows) < most && !plans[0].is_today(rows[0])
    };
    let mut all: Vec<Vec<&PlanRow>> = fitting(plans, within).into_iter().filter(unsure).collect();
    all.sort_by(|a, b| longest(a).total_cmp(&longest(b)));
    let harm = |rows: &[&PlanRow]| {
        rows.iter().filter_map(|row| row.harm).fold(f64::NEG_INFINITY, f64::max)
    };
    // of the same harm, the faster
    let least = all.iter().map(|rows| harm(rows)).fold(f64::INFINITY, f64::min);
    let gentle = all.iter().position(|rows| harm(rows) <= least + SAME_HARM);
    match gentle {
        Some(0) => all.truncate(1),
        Some(gentle) => {
            all.swap(1, gentle);
            all.truncate(2);
        }
        None => {}
    }
    all
}

/// Of the rows that fit in every plan, the one whose longest time is the shortest.
fn best_of(
    plans: &[PlanSummary],
    fits: impl Fn(&PlanSummary, &PlanRow) -> bool,
) -> Option<Vec<&PlanRow>> {
    let all = fitting(plans, fits).into_iter();
    all.min_by(|a, b| longest(a).total_cmp(&longest(b)))
}

/// The rows that fit in every plan, each as it stands in all of them.
pub(super) fn fitting(
    plans: &[PlanSummary],
    fits: impl Fn(&PlanSummary, &PlanRow) -> bool,
) -> Vec<Vec<&PlanRow>> {
    let in_all = |row: &PlanRow| -> Option<Vec<&PlanRow>> {
        let own = |plan: &'_ PlanSummary| plan.rows.iter().position(|own| own.is_same_way(row));
        plans.iter().map(|plan| Some(&plan.rows[own(plan)?])).collect()
    };
    let all = plans.iter().take(1).flat_map(|plan| &plan.rows).filter_map(in_all);
    let all = all.filter(|rows| rows.iter().zip(plans).all(|(row, plan)| fits(plan, row)));
    all.filter(|rows| longest(rows).is_finite()).collect()
}

/// The time with the worst buffer.
pub(super) fn longest(rows: &[&PlanRow]) -> f64 {
    rows.iter().map(|row| row.likely_s().unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
}
