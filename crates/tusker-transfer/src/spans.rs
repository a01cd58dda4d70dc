//! The rates that the other flows get with and without the transfer, over equal spans of time.
//!
//! On a long fat path the rate of the others rises for minutes. The mean of a long run is then
//! larger than that of a short one, whatever the transfer does. So unless the long-term rate is
//! known both with and without the transfer, only the seconds that both runs cover are
//! compared: the same span, counted from the start of the transfer.

use crate::answer::{Basis, HARM_UNKNOWN};
use tusker_measure::harm::{Better, harm};

use super::measured::Measured;
use super::settle::Settled;
use super::steady::{Mean, interval};

/// Parts into which a span is cut.
const PARTS: usize = 100;

/// Harm, and half of its 95 % interval; `None` if there is nothing to compare, or if the
/// interval is so wide that it says nothing. `size` is that of the transfer in bytes.
pub(super) fn harm_of(row: &Settled, alone: &Settled, size: f64) -> Option<(f64, f64)> {
    let (x, y) = compared(row, alone, size);
    let harm = harm(Better::More, x.mean, y.mean)?;
    // 1 - y/x: the errors of x and y are independent
    let (by_x, by_y) = (x.half * y.mean / x.mean / x.mean, y.half / x.mean);
    let half = by_x.hypot(by_y);
    (half <= HARM_UNKNOWN).then_some((harm, half))
}

/// The rates of the others without and with the transfer.
fn compared(row: &Settled, alone: &Settled, size: f64) -> (Mean, Mean) {
    let long_term = |settled: &Settled| {
        matches!(settled.basis, Basis::Steady | Basis::Wide) && settled.note.is_none()
    };
    if long_term(row) && long_term(alone) {
        return (alone.rate(true), row.rate(true));
    }
    let (from, to) = span(row, size);
    let to = alone.runs.iter().map(|run| run.length()).fold(to, f64::min);
    let from = if from < to { from } else { to / 2.0 };
    (rate(alone, from, to), rate(row, from, to))
}

/// The seconds of a row that count; of a whole transfer those until it ended.
fn span(row: &Settled, size: f64) -> (f64, f64) {
    let length = row.runs[0].length();
    match row.basis {
        Basis::Whole => {
            let ends = row.runs.iter().filter_map(|run| run.took(size));
            (0.0, ends.fold(length, f64::min))
        }
        _ => (row.from as f64 * row.runs[0].bin, length),
    }
}

/// The rate of the others from one second to another, in bit/s.
fn rate(settled: &Settled, from: f64, to: f64) -> Mean {
    let step = (to - from) / PARTS as f64;
    let parts = |run: &Measured| -> Vec<f64> {
        let ends = (0..=PARTS).map(|n| others_at(run, from + step * n as f64));
        let ends: Vec<f64> = ends.collect();
        ends.windows(2).map(|pair| (pair[1] - pair[0]) * 8.0 / step).collect()
    };
    let runs: Vec<Vec<f64>> = settled.runs.iter().map(|run| parts(run)).collect();
    interval(&runs.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// What had arrived for the others by then, bytes.
fn others_at(run: &Measured, seconds: f64) -> f64 {
    let last = run.others.len() - 1;
    let at = (seconds / run.bin).clamp(0.0, last as f64);
    let before = (at.floor() as usize).min(last - 1);
    let (a, b) = (run.others[before], run.others[before + 1]);
    a + (at - before as f64) * (b - a)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::answer::Doubt;

    /// One run of 400 bins in which the others have `arrived` by each second.
    fn ran(basis: Basis, seconds: f64, arrived: impl Fn(f64) -> f64) -> Settled {
        let bin = seconds / 400.0;
        let at = |n| f64::from(n) * bin;
        let others = (0..=400).map(|n| arrived(at(n))).collect();
        let run = Measured::carried(bin, (0..=400).map(at).collect(), others);
        let note = Some(Doubt::FewLosses);
        Settled { basis, runs: vec![Arc::new(run)], from: 0, note, packets: 0.0, needs: None }
    }

    /// Alone the others have t^2 bytes after t seconds, beside the transfer half of that: the
    /// harm is 1/2 at any time. The means of 100 s alone and of 400 s beside it are 100 and
    /// 200 bytes/s, which look as if they had gained: 1 - 200/100 = -1.
    #[test]
    fn a_rate_that_rises_is_compared_over_equal_spans() {
        let alone = ran(Basis::Unsettled, 100.0, |t| t * t);
        let beside = ran(Basis::Wide, 400.0, |t| t * t / 2.0);
        let (x, y) = compared(&beside, &alone, 1e9);
        assert!((x.mean - 800.0).abs() < 0.1 && (y.mean - 400.0).abs() < 0.1, "{x:?} {y:?}");
        // a longer run alone is cut as well: 200 bytes/s beside it, 400 alone
        let (x, y) = compared(&beside, &ran(Basis::Unsettled, 800.0, |t| t * t), 1e9);
        assert!((x.mean - 3_200.0).abs() < 0.1 && (y.mean - 1_600.0).abs() < 0.1, "{x:?} {y:?}");
    }

    /// 100 bytes/s alone. Beside a transfer of 50 bytes, one byte per second, they have 20 until
    /// it ends, and then all: 1 - 20/100 until second 50.
    #[test]
    fn a_whole_transfer_harms_only_until_its_end() {
        let alone = ran(Basis::Wide, 100.0, |t| 100.0 * t);
        let beside =
            ran(Basis::Whole, 100.0, |t| if t <= 50.0 { 20.0 * t } else { 100.0 * t - 4_000.0 });
        let (harm, half) = harm_of(&beside, &alone, 50.0).unwrap();
        assert!((harm - 0.8).abs() < 1e-9 && half < 1e-9, "{harm} {half}");
    }

    /// Nine batches of 0 and one of 1,000 bytes/s: a mean of 100, s = 316, t(0.975, 9) = 2.26, so
    /// ± 226 bytes/s of the 100 that they have alone.
    #[test]
    fn harm_in_an_interval_that_says_nothing_is_not_known() {
        let alone = ran(Basis::Unsettled, 100.0, |t| 100.0 * t);
        let bursts = |t: f64| if t < 90.0 { 0.0 } else { 1_000.0 * (t - 90.0) };
        assert_eq!(harm_of(&ran(Basis::Unsettled, 100.0, bursts), &alone, 1e9), None);
        let steady = harm_of(&ran(Basis::Unsettled, 100.0, |t| 75.0 * t), &alone, 1e9).unwrap();
        assert!((steady.0 - 0.25).abs() < 1e-9, "{steady:?}");
    }
}
