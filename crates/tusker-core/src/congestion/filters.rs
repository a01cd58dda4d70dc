//! Maxima and minima over a sliding window, and pseudo-random numbers without a
//! generator: shared by the algorithms that model the path.

use crate::units::{Duration, Time};

/// The largest value of the last `N` rounds, exactly.
#[derive(Clone, Debug)]
pub(super) struct MaxOfRounds<const N: usize> {
    /// The largest value of each round, at index round modulo `N`.
    slots: [f64; N],
    round: u64,
    max: f64,
}

impl<const N: usize> MaxOfRounds<N> {
    pub(super) const fn new() -> Self {
        Self { slots: [0.0; N], round: 0, max: 0.0 }
    }

    /// Adds a value seen in this round. Time passes only here: without new values
    /// the maximum stays.
    pub(super) fn update(&mut self, round: u64, value: f64) {
        if round > self.round {
            let passed = (round - self.round).min(N as u64);
            for r in 0..passed {
                self.slots[((round - r) % N as u64) as usize] = 0.0;
            }
            self.round = round;
            self.max = self.slots.iter().fold(0.0, |max: f64, &v| max.max(v));
        }
        let slot = &mut self.slots[(self.round % N as u64) as usize];
        *slot = slot.max(value);
        self.max = self.max.max(value);
    }

    pub(super) fn get(&self) -> f64 {
        self.max
    }
}

/// The smallest value over a span of time, from three candidates as in Kathleen
/// Nichols's filter: the smallest, the smallest after it, and the smallest after
/// that.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MinOfSpan {
    best: [Option<(Time, f64)>; 3],
}

impl MinOfSpan {
    /// Adds a value at `now`; returns the smallest of the last `span`.
    pub(super) fn update(&mut self, now: Time, value: f64, span: Duration) -> f64 {
        let new = Some((now, value));
        let old = |entry: Option<(Time, f64)>| entry.is_none_or(|(at, _)| now.since(at) > span);
        let worse = |entry: Option<(Time, f64)>| entry.is_none_or(|(_, v)| value <= v);
        if worse(self.best[0]) {
            self.best = [new; 3];
        } else if worse(self.best[1]) {
            (self.best[1], self.best[2]) = (new, new);
        } else if worse(self.best[2]) {
            self.best[2] = new;
        }
        // candidates that are too old are replaced by the next ones
        for _ in 0..2 {
            if old(self.best[0]) {
                self.best = [self.best[1], self.best[2], new];
            }
        }
        if old(self.best[0]) {
            self.best = [new; 3];
        }
        // after a quarter and a half of the span without a smaller value, keep a
        // fresh candidate, so that something is left when the first expires
        let age = |entry: Option<(Time, f64)>| entry.map_or(0, |(at, _)| now.since(at).nanos());
        let at = |entry: Option<(Time, f64)>| entry.map(|(at, _)| at);
        if at(self.best[1]) == at(self.best[0]) && age(self.best[0]) > span.nanos() / 4 {
            (self.best[1], self.best[2]) = (new, new);
        } else if at(self.best[2]) == at(self.best[1]) && age(self.best[1]) > span.nanos() / 2 {
            self.best[2] = new;
        }
        self.best[0].map_or(value, |(_, v)| v)
    }
}

/// A number from 0 to 1 derived from a time alone. A controller has no random
/// generator; but no two flows reach the same state in the same nanosecond unless
/// everything about them is the same. (The finaliser of SplitMix64, Steele, Lea and
/// Flood 2014.)
pub(super) fn chance(now: Time) -> f64 {
    let mut z = now.nanos().wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_maximum_is_forgotten_after_its_rounds() {
        let mut max = MaxOfRounds::<3>::new();
        max.update(0, 9.0);
        max.update(1, 5.0);
        max.update(2, 4.0);
        assert_eq!(max.get(), 9.0);
        // rounds 1 to 3 are left
        max.update(3, 1.0);
        assert_eq!(max.get(), 5.0);
        // 2 to 4
        max.update(4, 2.0);
        assert_eq!(max.get(), 4.0);
        // nothing is left of what was before
        max.update(50, 0.5);
        assert_eq!(max.get(), 0.5);
    }

    #[test]
    fn a_minimum_is_forgotten_after_its_span() {
        let span = Duration::from_millis(100);
        let mut min = MinOfSpan::default();
        let mut at = |ms, value| min.update(Time::ZERO + Duration::from_millis(ms), value, span);
        assert_eq!(at(0, 10.0), 10.0);
        assert_eq!(at(10, 12.0), 10.0);
        assert_eq!(at(30, 11.0), 10.0);
        assert_eq!(at(90, 13.0), 10.0);
        // the one at 0 is too old; 11 at 30 is the smallest since 1
        assert_eq!(at(101, 14.0), 11.0);
        assert_eq!(at(102, 9.0), 9.0);
        // a long silence
        assert_eq!(at(1_000, 20.0), 20.0);
    }

    #[test]
    fn chance_is_spread_evenly() {
        let mut tenths = [0; 10];
        for i in 0..10_000 {
            let x = chance(Time::from_nanos(i * 120_000));
            assert!((0.0..=1.0).contains(&x));
            tenths[((x * 10.0) as usize).min(9)] += 1;
        }
        // 1000 each; four deviations of sqrt(1000 * 0.9) = 30
        assert!(tenths.iter().all(|n| (880..=1_120).contains(n)), "{tenths:?}");
    }
}
