//! What ARED and gARED share: when `max_p` moves, how far, and the band in which
//! they want the average queue.
//!
//! ```text
//! band:      [min_th + 0.4 (max_th - min_th), min_th + 0.6 (max_th - min_th)]
//! increase:  max_p <- max_p + min(alpha, max_p / 4)         at most top
//! decrease:  max_p <- beta max_p
//! ```
//!
//! Floyd, Gummadi and Shenker, "Adaptive RED: An Algorithm for Increasing the
//! Robustness of RED's Active Queue Management", 2001.

use super::Red;
use crate::params::{Param, Params};
use crate::units::{Duration, Time};

pub(in crate::queue) const INTERVAL: Param = Param {
    name: "interval",
    unit: "s",
    default: 0.5,
    min: 1e-3,
    max: 3600.0,
    about: "time between two looks at the average queue",
};
pub(in crate::queue) const ALPHA: Param = Param {
    name: "alpha",
    unit: "",
    default: 0.01,
    min: 0.0,
    max: 1.0,
    about: "largest increase of max_p; never more than max_p / 4",
};
pub(in crate::queue) const BETA: Param = Param {
    name: "beta",
    unit: "",
    default: 0.9,
    min: 0.01,
    max: 1.0,
    about: "factor of a decrease of max_p",
};
pub(in crate::queue) const TOP: Param =
    Param { name: "top", unit: "", default: 0.5, min: 1e-9, max: 1.0, about: "largest max_p" };

pub(in crate::queue) const NS2_SLOPE: Param = Param {
    name: "ns2_slope",
    unit: "flag",
    default: 0.0,
    min: 0.0,
    max: 1.0,
    about: "let the gentle slope start at the first max_p for good, as ns-2 does",
};

pub(in crate::queue) const NS2_CLOCK: Param = Param {
    name: "ns2_clock",
    unit: "flag",
    default: 0.0,
    min: 0.0,
    max: 1.0,
    about: "look at each arrival that comes more than an interval after the last change of max_p, \
            as ns-2 does",
};

/// The steps of `max_p` and the clock that they follow.
#[derive(Clone, Copy, Debug)]
pub(in crate::queue) struct Adaptation {
    /// Lower end of the band, packets.
    pub(in crate::queue) low: f64,
    /// Upper end of the band, packets.
    pub(in crate::queue) high: f64,
    interval: Duration,
    alpha: f64,
    beta: f64,
    top: f64,
    next: Time,
    /// When `max_p` last changed, if ns-2's clock counts.
    changed: Option<Time>,
}

impl Adaptation {
    pub(in crate::queue) fn new(given: &Params, red: &Red) -> Self {
        let (min_th, band) = (red.law().min_th, red.law().max_th - red.law().min_th);
        let interval = Duration::from_secs(given.get("interval"));
        Self {
            low: min_th + 0.4 * band,
            high: min_th + 0.6 * band,
            interval,
            alpha: given.get("alpha"),
            beta: given.get("beta"),
            top: given.get("top"),
            next: Time::ZERO + interval,
            changed: given.flag("ns2_clock").then_some(Time::ZERO),
        }
    }

    /// When the next look is due; never, if arrivals are looked at.
    #[inline]
    pub(in crate::queue) fn next(&self) -> Time {
        if self.changed.is_some() { Time::NEVER } else { self.next }
    }

    /// By ns-2's clock, an arrival at `now` is looked at. ns-2 does so before it
    /// decides about the packet, we after: one packet's difference.
    #[inline]
    pub(in crate::queue) fn looks_at_arrival(&self, now: Time) -> bool {
        self.changed.is_some_and(|at| now.since(at) > self.interval)
    }

    /// That look has moved `max_p`.
    pub(in crate::queue) fn moved(&mut self, now: Time) {
        self.changed = Some(now);
    }

    /// A look has been taken: the next is exactly one interval later, however
    /// late this one came.
    pub(in crate::queue) fn tick(&mut self) {
        self.next += self.interval;
    }

    /// One step up, at most to `top`. A `max_p` above `top` stays.
    pub(in crate::queue) fn raised(&self, max_p: f64) -> f64 {
        if max_p >= self.top {
            return max_p;
        }
        (max_p + self.alpha.min(max_p / 4.0)).min(self.top)
    }

    /// One step down, at most to `bottom`. A `max_p` below `bottom` stays.
    pub(in crate::queue) fn lowered(&self, max_p: f64, bottom: f64) -> f64 {
        if max_p <= bottom {
            return max_p;
        }
        (max_p * self.beta).max(bottom)
    }
}
