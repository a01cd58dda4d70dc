//! Where the start-up phase of a run ends, and how well the mean of the rest is known.
//!
//! **The start-up phase** is found by MSER-5 (White, Cobb and Spratt, "A comparison of five
//! steady-state truncation heuristics for simulation", Winter Simulation Conference 2000): take
//! the means of every five bins, and leave out the first d of them such that the squared
//! standard error of the rest,
//!
//! ```text
//!   sum (x_i - mean)^2 / (n - d)^2    over i > d,
//! ```
//!
//! is smallest, where d must be in the first half. If that d is at the very end of the first
//! half, the run is too short. The second half is not searched: there a few means between two
//! of BBR's pauses could have the smallest error although nothing has changed.
//!
//! **The interval** is computed from batch means (Law, Simulation Modeling and Analysis,
//! chapter 9): ten equal batches of the rest of each run, over all runs. Neighbouring batches
//! may still be correlated: if r is the correlation of neighbours, n batches are worth only n
//! (1 - r)/(1 + r) independent ones.

use tusker_measure::stats::{half_width, mean};

/// Batches of a run.
const BATCHES: usize = 10;

/// How many of the first values belong to the start-up phase; `None` if it may not be over.
pub(super) fn start(values: &[f64]) -> Option<usize> {
    const FIVE: usize = 5;
    let means: Vec<f64> = values.chunks_exact(FIVE).map(mean).collect();
    let n = means.len();
    let error = |d: usize| {
        let rest = &means[d..];
        let middle = mean(rest);
        let squares: f64 = rest.iter().map(|x| (x - middle) * (x - middle)).sum();
        squares / (rest.len() * rest.len()) as f64
    };
    let best = (0..=n / 2).min_by(|&a, &b| error(a).total_cmp(&error(b)))?;
    (best < n / 2).then_some(best * FIVE)
}

/// A mean over the batches of several runs, and half of its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mean {
    pub mean: f64,
    pub half: f64,
}

/// For values per bin, with the start-up phase of each run left out.
pub(super) fn interval(runs: &[&[f64]]) -> Mean {
    let batched: Vec<Vec<f64>> = runs.iter().map(|run| batches(run)).collect();
    let all: Vec<f64> = batched.iter().flatten().copied().collect();
    let (middle, half) = (mean(&all), half_width(&all).unwrap_or(f64::INFINITY));
    let r = correlation(&batched, middle);
    Mean { mean: middle, half: half * ((1.0 + r) / (1.0 - r)).sqrt() }
}

fn batches(values: &[f64]) -> Vec<f64> {
    let length = values.len() / BATCHES;
    let surplus = values.len() - length * BATCHES;
    values[surplus..].chunks_exact(length.max(1)).map(mean).collect()
}

/// The correlation of a batch with the next one of the same run, limited to 0 to 0.9.
fn correlation(runs: &[Vec<f64>], middle: f64) -> f64 {
    let square = |x: &f64| (x - middle) * (x - middle);
    let all: f64 = runs.iter().flatten().map(square).sum();
    let pairs = |run: &Vec<f64>| {
        run.windows(2).map(|pair| (pair[0] - middle) * (pair[1] - middle)).sum::<f64>()
    };
    let together: f64 = runs.iter().map(pairs).sum();
    if all > 0.0 { (together / all).clamp(0.0, 0.9) } else { 0.0 }
}

/// Whether the mean still rises or falls: the halves differ by more than this share of it,
/// and by more than their intervals. These are computed as if batches were independent,
/// because in a drift they are correlated.
pub(super) fn drifts(values: &[f64], share: f64) -> bool {
    let (first, second) = values.split_at(values.len() / 2);
    let (first, second) = (batches(first), batches(second));
    let (a, b) = (mean(&first), mean(&second));
    let half = |batches: &[f64]| half_width(batches).unwrap_or(0.0);
    (a - b).abs() > (share * (a + b) / 2.0).max(half(&first) + half(&second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_ends_where_the_level_is_reached() {
        // 100 values rise, then 300 alternate around a level: the error is smallest if the
        // rise is left out, together with any part of the rest
        let mut values: Vec<f64> = (0..100).map(f64::from).collect();
        values.extend((0..300).map(|i| if i % 2 == 0 { 99.0 } else { 101.0 }));
        assert_eq!(start(&values), Some(100));
    }

    #[test]
    fn a_start_that_does_not_end_is_noticed() {
        let rising: Vec<f64> = (0..400).map(f64::from).collect();
        assert_eq!(start(&rising), None);
        assert_eq!(start(&[5.0; 400]), Some(0));
    }

    /// A pause every 100 values, as with BBR, is part of the steady state: nothing varies
    /// after the last one, but that must not be taken for the whole.
    #[test]
    fn pauses_are_no_start() {
        let value = |i: i32| if (i + 50) % 100 < 5 { 20.0 } else { 100.0 };
        assert_eq!(start(&(0..400).map(value).collect::<Vec<_>>()), Some(0));
    }

    /// Ten batches of one value each, 1 to 10: mean 5.5, s^2 = 55/6, t(0.975, 9) =
    /// 2.262: 2.262 sqrt(55/60) = 2.1657. The sum of neighbours' products is
    /// 4.5*3.5 + 3.5*2.5 + 2.5*1.5 + 1.5*0.5 - 0.25 + the same backwards = 57.75, and
    /// that of squares 82.5: r = 0.7, and 2.1657 sqrt(1.7/0.3) = 5.155.
    #[test]
    fn neighbours_that_depend_widen_the_interval() {
        let values: Vec<f64> = (1..=10).map(f64::from).collect();
        let Mean { mean, half } = interval(&[&values]);
        assert_eq!(mean, 5.5);
        assert!((half - 5.155).abs() < 0.005, "{half}");
        // with a negative correlation r is limited to 0
        let mixed = [1.0, 10.0, 2.0, 9.0, 3.0, 8.0, 4.0, 7.0, 5.0, 6.0];
        let Mean { half, .. } = interval(&[&mixed]);
        assert!((half - 2.1657).abs() < 0.001, "{half}");
    }

    #[test]
    fn a_drift_is_told_from_noise() {
        let noise = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let level: Vec<f64> = (0..400).map(|i| 100.0 + noise(i)).collect();
        let rising: Vec<f64> = (0..400).map(|i| 100.0 + noise(i) + i as f64 / 10.0).collect();
        assert!(!drifts(&level, 0.01) && drifts(&rising, 0.01));
    }
}
