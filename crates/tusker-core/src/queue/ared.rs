//! Adaptive RED: RED whose `max_p` follows the load.
//!
//! Floyd, Gummadi and Shenker, "Adaptive RED: An Algorithm for Increasing the
//! Robustness of RED's Active Queue Management", 2001:
//!
//! ```text
//! every interval (0.5 s):
//!   avg above the band and max_p < top:      max_p <- max_p + min(alpha, max_p / 4)
//!   avg below the band and max_p > bottom:   max_p <- beta max_p
//! ```
//!
//! Average, drop law and band are those of [`super::red`].

use super::red::{Adaptation, AdaptiveParams, EndParams, MoveParams, Red};
use super::{Aqm, Backlog, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "ared",
    title: "Adaptive RED",
    family: Family::AverageQueue,
    source: "Floyd, Gummadi, Shenker: Adaptive RED: An Algorithm for Increasing the Robustness of \
             RED's Active Queue Management, 2001; ns-2.35, queue/red.cc (adaptive_)",
    equations: "\
RED with w_q = 1 - exp(-1/C), max_th = 3 min_th, gentle, and every interval seconds:
avg > min_th + 0.6 (max_th - min_th), max_p < top:      max_p <- max_p + min(alpha, max_p / 4)
avg < min_th + 0.4 (max_th - min_th), max_p > bottom:   max_p <- beta max_p",
    differs: "\
- gentle is on, as in the paper of 2001 and in ns-2. Papers that say ARED only changes \
max_p, max_th and w_q (Zhang, Hasegawa and Murata, section 4.1) leave this open \
(ared_is_gentle).
- max_p is adapted at fixed ticks, as in the pseudo-code \
(max_p_moves_at_ticks_only). ns-2 adapts it at arrivals that come more than one \
interval after the last change; ns2_clock = 1 does the same \
(ns2_looks_at_arrivals).
- An interval without an arrival does not change max_p (no_arrival_no_step).
- max_p stays within [bottom, top]; the pseudo-code and ns-2 may overshoot by one step \
(max_p_stops_at_top, max_p_stops_at_bottom).
- ns-2.35 lowers bottom to 80000 / rate if that is less than 0.01 (3.2e-5 at 2.5 \
Gbit/s); here the default is always 0.01.
- Above max_th the gentle slope starts at the current max_p, so the probability \
does not jump (gentle_rises_from_max_p_to_one_at_twice_max_th). ns-2 computes that \
slope once, from the first max_p: if max_p is then at top, the probability falls \
from 0.5 to 0.1 at max_th, and the average can stay above max_th \
(ared_settles_in_its_band_unless_it_keeps_the_slope_of_ns2); ns2_slope = 1 does \
the same.
- All else is as in RED: see `tusker explain red`.",
    needs: &[],
    params: AredParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct AredParams {
    red: AdaptiveParams,
    moves: MoveParams,
    /// smallest max_p
    bottom: f64 = 0.01 in 1e-9..=1.0,
    end: EndParams,
} }

/// Adaptive RED; see `tusker explain ared`.
#[derive(Clone, Debug)]
pub struct Ared {
    red: Red,
    adapt: Adaptation,
    bottom: f64,
    /// Number of arrivals at the last tick.
    seen: u64,
}

impl SetUp for Ared {
    type Params = AredParams;

    fn new(params: AredParams, link: &Link) -> Self {
        let red = Red::adaptive(params.red, params.end, link);
        let adapt = Adaptation::new(params.moves, params.end, &red);
        Self { red, adapt, bottom: params.bottom, seen: 0 }
    }

    fn check(params: &AredParams) -> Result<(), &'static str> {
        Red::check(&params.red.red())?;
        if !(params.bottom..=params.end.top).contains(&params.red.max_p) {
            return Err("max_p must lie between bottom and top");
        }
        Ok(())
    }
}

impl Ared {
    /// One step of `max_p`, if the average is out of its band.
    fn step(&mut self) -> bool {
        let Self { red, adapt, bottom, .. } = self;
        let (avg, max_p) = (red.avg(), red.max_p());
        let next = if avg > adapt.high {
            adapt.raised(max_p)
        } else if avg < adapt.low {
            adapt.lowered(max_p, *bottom)
        } else {
            return false;
        };
        red.set_max_p(next);
        next != max_p
    }
}

impl Aqm for Ared {
    #[inline]
    fn on_arrival(&mut self, p: &Meta, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict {
        let verdict = self.red.on_arrival(p, q, now, rng);
        if self.adapt.looks_at_arrival(now) && self.step() {
            self.adapt.moved(now);
        }
        verdict
    }

    fn on_overflow(&mut self) {
        self.red.on_overflow();
    }

    #[inline]
    fn poll_at(&self) -> Time {
        self.adapt.next()
    }

    fn on_poll(&mut self, _: Time, _: &Backlog) {
        self.adapt.tick();
        if self.red.arrivals() == self.seen {
            return;
        }
        self.seen = self.red.arrivals();
        self.step();
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        self.red.inspect(see);
    }

    fn target(&self) -> Option<(f64, f64)> {
        Some((self.adapt.low, self.adapt.high))
    }
}

#[cfg(test)]
mod tests {
    use super::super::adaptive_bench::{arrive, close, max_p, max_p_at, policy, tick};
    use super::*;
    use crate::table::given;

    fn ared(values: &[(&str, f64)]) -> Ared {
        policy(values)
    }

    #[test]
    fn max_p_rises_by_alpha_but_at_most_a_quarter() {
        // 0.1 + min(0.01, 0.025) = 0.11, 0.12; 0.02 + min(0.01, 0.005) = 0.025, 0.03125
        let mut policy = ared(&[]);
        close(tick(&mut policy, 23), 0.11);
        close(tick(&mut policy, 23), 0.12);
        let mut policy = ared(&[("max_p", 0.02)]);
        close(tick(&mut policy, 23), 0.025);
        close(tick(&mut policy, 23), 0.031_25);
    }

    #[test]
    fn max_p_falls_by_beta() {
        let mut policy = ared(&[]);
        close(tick(&mut policy, 17), 0.09);
        close(tick(&mut policy, 0), 0.081);
    }

    #[test]
    fn max_p_holds_inside_the_band() {
        let mut policy = ared(&[]);
        for packets in 18..=22 {
            assert_eq!(tick(&mut policy, packets), 0.1);
        }
    }

    #[test]
    fn max_p_stops_at_top() {
        let mut policy = ared(&[("max_p", 0.495)]);
        assert_eq!(tick(&mut policy, 23), 0.5);
        assert_eq!(tick(&mut policy, 23), 0.5);
    }

    #[test]
    fn max_p_stops_at_bottom() {
        let mut policy = ared(&[("max_p", 0.0105)]);
        assert_eq!(tick(&mut policy, 3), 0.01);
        assert_eq!(tick(&mut policy, 3), 0.01);
    }

    #[test]
    fn max_p_moves_at_ticks_only() {
        let mut policy = ared(&[]);
        for _ in 0..1000 {
            arrive(&mut policy, 23);
            assert_eq!(max_p(&policy), 0.1);
        }
        // ticks every 0.5 s from the start, whenever they are taken
        for half_seconds in 1..=10_u64 {
            assert_eq!(policy.poll_at(), Time::from_nanos(half_seconds * 500_000_000));
            policy.on_poll(Time::from_nanos(7_654_321_000), &Backlog::EMPTY);
        }
    }

    #[test]
    fn ns2_looks_at_arrivals() {
        let mut policy = ared(&[("ns2_clock", 1.0)]);
        assert_eq!(policy.poll_at(), Time::NEVER);
        let mut max_p = |ms: u64, packets: u32| max_p_at(&mut policy, ms, packets);
        // the band is 18..22; up from 0.1 by 0.01, down by a tenth
        assert_eq!(max_p(500, 23), 0.1);
        close(max_p(501, 23), 0.11);
        close(max_p(1001, 23), 0.11);
        close(max_p(1002, 23), 0.12);
        // in the band nothing changes, and the first arrival outside it has an
        // effect at once
        close(max_p(1700, 20), 0.12);
        close(max_p(1701, 17), 0.108);
        close(max_p(2201, 17), 0.108);
    }

    #[test]
    fn no_arrival_no_step() {
        let mut policy = ared(&[]);
        close(tick(&mut policy, 23), 0.11);
        for _ in 0..100 {
            policy.on_poll(policy.poll_at(), &Backlog::EMPTY);
        }
        close(max_p(&policy), 0.11);
        close(tick(&mut policy, 23), 0.12);
    }

    #[test]
    fn ared_is_gentle() {
        // 31 is above max_th = 30: no forced drop before 60
        let mut policy = ared(&[]);
        assert_eq!(arrive(&mut policy, 31), Verdict::Pass);
        assert_eq!(arrive(&mut policy, 60), Verdict::Drop);
    }

    #[test]
    fn bounds_in_the_wrong_order_are_named() {
        let check = |values: &[_]| Ared::check(&given(values));
        assert_eq!(check(&[]), Ok(()));
        let low = ("max_p", 0.001);
        assert_eq!(check(&[low]), Err("max_p must lie between bottom and top"));
        assert_eq!(check(&[low, ("bottom", 0.001)]), Ok(()));
    }
}
