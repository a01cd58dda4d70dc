//! Does a quantity rise? Pearson's correlation with Fisher's test, from running
//! sums: five additions and three multiplications per pair.

use crate::units::{Duration, Time};

/// The correlation between the departure times of segments and their round-trip
/// times.
///
/// All sums are relative to the first pair, in nanoseconds, so that no precision is
/// lost to large clock values.
#[derive(Clone, Debug, Default)]
pub struct Trend {
    count: u32,
    first: (Time, Duration),
    d: f64,
    t: f64,
    dd: f64,
    tt: f64,
    dt: f64,
}

/// |r| is kept below 1 by this much, so that Z stays finite: at most 18.7 times
/// sqrt(N - 3), far above any threshold.
const R_MAX: f64 = 1.0 - f64::EPSILON / 2.0;

impl Trend {
    /// Adds a segment that left at `departed` and had this round-trip time.
    #[inline]
    pub(super) fn push(&mut self, departed: Time, rtt: Duration) {
        if self.count == 0 {
            self.first = (departed, rtt);
        }
        self.count += 1;
        let d = apart(departed.nanos(), self.first.0.nanos());
        let t = apart(rtt.nanos(), self.first.1.nanos());
        self.d += d;
        self.t += t;
        self.dd += d * d;
        self.tt += t * t;
        self.dt += d * t;
    }

    /// Number of pairs.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The mean round-trip time in seconds.
    pub(super) fn mean(&self) -> f64 {
        self.first.1.secs() + self.t / f64::from(self.count.max(1)) * 1e-9
    }

    /// ```text
    ///      sum (d_i - mean d)(t_i - mean t)
    /// r = -----------------------------------------------------
    ///     sqrt( sum (d_i - mean d)^2 * sum (t_i - mean t)^2 )
    /// ```
    /// `None` if it is undefined: all d or all t are the same.
    pub(super) fn correlation(&self) -> Option<f64> {
        let n = f64::from(self.count);
        let dd = self.dd - self.d * self.d / n;
        let tt = self.tt - self.t * self.t / n;
        let dt = self.dt - self.d * self.t / n;
        (dd > 0.0 && tt > 0.0)
            .then(|| (dt / (libm::sqrt(dd) * libm::sqrt(tt))).clamp(-R_MAX, R_MAX))
    }

    /// Fisher's statistic `Z = 1/2 ln((1+r)/(1-r)) sqrt(N-3)`, standard normal
    /// if there is no correlation. `None` for three pairs or fewer.
    pub(super) fn fisher_z(&self, r: f64) -> Option<f64> {
        (self.count > 3)
            .then(|| 0.5 * libm::log((1.0 + r) / (1.0 - r)) * libm::sqrt(f64::from(self.count - 3)))
    }
}

/// `a - b` of two clock readings; may be negative.
#[inline]
fn apart(a: u64, b: u64) -> f64 {
    a.wrapping_sub(b).cast_signed() as f64
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::rng::Rng;
    use std::vec::Vec;

    fn trend(pairs: &[(u64, u64)]) -> Trend {
        let mut trend = Trend::default();
        for &(d, t) in pairs {
            trend.push(Time::from_nanos(d), Duration::from_nanos(t));
        }
        trend
    }

    #[test]
    fn by_hand() {
        // d - mean: -2 -1 0 1 2; t - mean: -1 0 -1 1 1
        // sums of products: 5, of squares: 10 and 4; r = 5/sqrt(40) = 0.790569
        // Z = 1/2 ln(1.790569/0.209431) sqrt(2) = 1.51738
        let t = trend(&[(0, 10), (1, 11), (2, 10), (3, 12), (4, 12)]);
        let r = t.correlation().unwrap();
        assert!((r - 0.790569).abs() < 5e-7, "{r}");
        let z = t.fisher_z(r).unwrap();
        assert!((z - 1.51738).abs() < 5e-6, "{z}");
    }

    #[test]
    fn late_clocks_lose_nothing() {
        // 10^5 s after the start, pairs 10 us apart, round trips of 100 ms that
        // rise by 1 ns per segment under 1 us of noise
        const SEED: u64 = 5;
        let mut rng = Rng::named(SEED, "trend");
        let pairs: Vec<(u64, u64)> = (0..20_000_u64)
            .map(|i| {
                let d = 100_000_000_000_000 + 10_000 * i;
                (d, 100_000_000 + i + rng.range(0.0, 1e3) as u64)
            })
            .collect();
        // two passes over exact integers, relative to nothing
        let n = pairs.len() as i128;
        let sum = |f: &dyn Fn(i128, i128) -> i128| -> i128 {
            pairs.iter().map(|&(d, t)| f(i128::from(d), i128::from(t))).sum()
        };
        let (sd, st) = (sum(&|d, _| d), sum(&|_, t| t));
        let dev = |f: &dyn Fn(i128, i128) -> i128| sum(&|d, t| f(n * d - sd, n * t - st)) as f64;
        let (dd, tt, dt) = (dev(&|d, _| d * d), dev(&|_, t| t * t), dev(&|d, t| d * t));
        let expected = dt / (dd * tt).sqrt();
        let r = trend(&pairs).correlation().unwrap();
        assert!((r - expected).abs() < 1e-12, "{r} instead of {expected}, seed {SEED}");
        assert!(expected > 0.9, "{expected}: the rise is far above the noise");
    }

    #[test]
    fn what_does_not_move_has_no_correlation() {
        assert_eq!(trend(&[]).correlation(), None);
        assert_eq!(trend(&[(5, 7)]).correlation(), None);
        assert_eq!(trend(&[(0, 7), (1, 7), (2, 7), (3, 7)]).correlation(), None);
        assert_eq!(trend(&[(3, 1), (3, 2), (3, 3), (3, 4)]).correlation(), None);
    }

    #[test]
    fn a_straight_line_is_finite() {
        let t = trend(&[(0, 0), (1, 2), (2, 4), (3, 6), (4, 8)]);
        // at most 1/2 ln(2/2^-53) sqrt(2) = 26.5; a bit lost in r costs 0.5
        let z = t.fisher_z(t.correlation().unwrap()).unwrap();
        assert!((24.0..26.5).contains(&z), "{z}");
        let t = trend(&[(0, 8), (1, 6), (2, 4), (3, 2), (4, 0)]);
        let z = t.fisher_z(t.correlation().unwrap()).unwrap();
        assert!((24.0..26.5).contains(&-z), "{z}");
    }

    #[test]
    fn three_pairs_prove_nothing() {
        let t = trend(&[(0, 0), (1, 2), (2, 5)]);
        assert_eq!(t.fisher_z(t.correlation().unwrap()), None);
    }

    #[test]
    fn pairs_may_come_in_any_order() {
        let forth = trend(&[(0, 10), (1, 11), (2, 10), (3, 12), (4, 12)]);
        let back = trend(&[(4, 12), (3, 12), (2, 10), (1, 11), (0, 10)]);
        let difference = forth.correlation().unwrap() - back.correlation().unwrap();
        assert!(difference.abs() < 1e-15);
    }
}
