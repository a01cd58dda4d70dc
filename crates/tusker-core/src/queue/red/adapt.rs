//! What ARED and gARED share: when `max_p` changes, by how much, and the target
//! band of the average queue.
//!
//! ```text
//! band:      [min_th + 0.4 (max_th - min_th), min_th + 0.6 (max_th - min_th)]
//! increase:  max_p <- max_p + min(alpha, max_p / 4)         at most top
//! decrease:  max_p <- beta max_p
//! ```
//!
//! Floyd, Gummadi and Shenker, "Adaptive RED: An Algorithm for Increasing the
//! Robustness of RED's Active Queue Management", 2001.

use super::{Red, RedParams};
use crate::table::params;
use crate::units::{Duration, Time};

params! {
    /// RED's parameters, with the defaults of ARED and gARED.
    pub(in crate::queue) struct AdaptiveParams {
    min_th: f64 as in RedParams,
    max_th: f64 as in RedParams,
    w_q: f64 = 0.0 as in RedParams,
    /// initial probability of a signal at max_th
    max_p: f64 = 0.1 in 1e-9..=1.0,
    gentle: bool = true as in RedParams,
    wait: bool as in RedParams,
} }

impl AdaptiveParams {
    /// The same for RED itself.
    pub(in crate::queue) fn red(self) -> RedParams {
        let Self { min_th, max_th, w_q, max_p, gentle, wait } = self;
        RedParams { min_th, max_th, w_q, max_p, gentle, wait }
    }
}

params! { pub(in crate::queue) struct MoveParams {
    /// time between two adaptations of max_p
    interval: Duration = 0.5 "s" in 1e-3..=3600.0,
    /// largest increase of max_p; never more than max_p / 4
    alpha: f64 = 0.01 in 0.0..=1.0,
    /// factor by which max_p decreases
    beta: f64 = 0.9 in 0.01..=1.0,
} }

params! { pub(in crate::queue) struct EndParams {
    /// largest max_p
    top: f64 = 0.5 in 1e-9..=1.0,
    /// let the gentle slope start at the initial max_p, not at the current one, as in ns-2
    ns2_slope: bool = false,
    /// adapt max_p at the first arrival more than an interval after its last change, as in ns-2
    ns2_clock: bool = false,
} }

/// The steps of `max_p` and their clock.
#[derive(Clone, Copy, Debug)]
pub(in crate::queue) struct Adaptation {
    /// Lower end of the band, packets.
    pub(in crate::queue) low: f64,
    /// Upper end of the band, packets.
    pub(in crate::queue) high: f64,
    moves: MoveParams,
    top: f64,
    next: Time,
    /// When `max_p` last changed, with ns-2's clock.
    changed: Option<Time>,
}

impl Adaptation {
    pub(in crate::queue) fn new(moves: MoveParams, end: EndParams, red: &Red) -> Self {
        let (min_th, band) = (red.law().min_th, red.law().max_th - red.law().min_th);
        Self {
            low: min_th + 0.4 * band,
            high: min_th + 0.6 * band,
            moves,
            top: end.top,
            next: Time::ZERO + moves.interval,
            changed: end.ns2_clock.then_some(Time::ZERO),
        }
    }

    /// When the next adaptation is due; never, with ns-2's clock.
    #[inline]
    pub(in crate::queue) fn next(&self) -> Time {
        if self.changed.is_some() { Time::NEVER } else { self.next }
    }

    /// With ns-2's clock, whether `max_p` may change at an arrival at `now`. ns-2
    /// does this before it decides about the packet, we do it after: a difference
    /// of one packet.
    #[inline]
    pub(in crate::queue) fn looks_at_arrival(&self, now: Time) -> bool {
        self.changed.is_some_and(|at| now.since(at) > self.moves.interval)
    }

    /// `max_p` has changed at that arrival.
    pub(in crate::queue) fn moved(&mut self, now: Time) {
        self.changed = Some(now);
    }

    /// An adaptation is done: the next is exactly one interval later, however late
    /// this one was.
    pub(in crate::queue) fn tick(&mut self) {
        self.next += self.moves.interval;
    }

    /// One step up, at most to `top`. A `max_p` above `top` stays.
    pub(in crate::queue) fn raised(&self, max_p: f64) -> f64 {
        if max_p >= self.top {
            return max_p;
        }
        (max_p + self.moves.alpha.min(max_p / 4.0)).min(self.top)
    }

    /// One step down, at most to `bottom`. A `max_p` below `bottom` stays.
    pub(in crate::queue) fn lowered(&self, max_p: f64, bottom: f64) -> f64 {
        if max_p <= bottom {
            return max_p;
        }
        (max_p * self.moves.beta).max(bottom)
    }
}
