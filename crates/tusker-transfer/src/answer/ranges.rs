//! The ranges in which times, speeds and harm are likely.

use super::{PlanRow, PlanSummary};

/// By first estimates, 9 of 10 transfers take at least and at most this many times as long
/// beside others, and all do with nobody else (docs/plan.md).
const TIMES_BESIDE: [f64; 2] = [0.65, 1.4];
const TIMES_ALONE: [f64; 2] = [0.87, 1.1];

/// How much smaller harm may be than by its first estimate (docs/plan.md).
const LESS_HARM: f64 = 0.2;

impl PlanSummary {
    /// The range in which its time is likely, never below what the path needs.
    pub fn took_range(&self, row: &PlanRow) -> Option<(f64, f64)> {
        let times = if self.path.with.is_empty() { TIMES_ALONE } else { TIMES_BESIDE };
        let ends = match row.is_simulated() {
            true => row.took_low_s.zip(row.took_high_s),
            false => row.took_s.map(|took| (took * times[0], took * times[1])),
        };
        ends.map(|(low, high)| (low.max(self.least_s), high.max(self.least_s)))
    }

    /// The 95 % interval of how many times as fast as today it is; none if a time has none.
    pub fn speedup_range(&self, row: &PlanRow) -> Option<(f64, f64)> {
        let ends = |row: &PlanRow| {
            let took = row.took_s.filter(|_| row.is_simulated())?;
            Some((took, row.took_low_s.zip(row.took_high_s)?))
        };
        times_between(ends(row)?, ends(self.today_row()?)?, row.speedup?)
    }
}

impl PlanRow {
    /// The range in which its harm is likely, from 0 to 1 if it is a first estimate.
    pub fn harm_range(&self) -> Option<(f64, f64)> {
        let harm = self.harm?;
        match self.has_estimated_harm() {
            true => Some(((harm - LESS_HARM).clamp(0.0, 1.0), (harm + self.more_harm()).min(1.0))),
            false => self.harm_ci95.map(|half| (harm - half, harm + half)),
        }
    }
}

/// The interval of the ratio of two times, each with its ends, as of two independent estimates:
/// on a logarithmic scale, squares of what lies between an end and the mean add up.
fn times_between(
    (took, (low, high)): (f64, (f64, f64)),
    (today, (today_low, today_high)): (f64, (f64, f64)),
    times: f64,
) -> Option<(f64, f64)> {
    let below = (high / took).ln().hypot((today / today_low).ln());
    let above = (took / low).ln().hypot((today_high / today).ln());
    let (low, high) = (times * (-below).exp(), times * above.exp());
    (low < high).then_some((low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 200 s / 100 s = 2. Its lower end: ln(112/100) = 0.1133 and ln(200/180) = 0.1054, together
    /// 0.1547, and 2 exp(-0.1547) = 1.71; the upper one: ln(100/90) = 0.1054 and ln(220/200) =
    /// 0.0953, together 0.1421, and 2 exp(0.1421) = 2.31.
    #[test]
    fn a_ratio_of_times_is_as_uncertain_as_both() {
        let (chosen, today) = ((100.0, (90.0, 112.0)), (200.0, (180.0, 220.0)));
        let (low, high) = times_between(chosen, today, 2.0).expect("an interval");
        assert!((low - 1.71).abs() < 0.005 && (high - 2.31).abs() < 0.005, "{low} to {high}");
    }
}
