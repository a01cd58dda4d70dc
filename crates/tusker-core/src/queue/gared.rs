//! gARED, "gentle Adaptive RED": ARED that also considers in which direction the
//! queue is moving.
//!
//! Zhang, Hasegawa and Murata, "Performance Analysis and Improvement of
//! HighSpeed TCP with TailDrop/RED Routers", section 4.3:
//!
//! ```text
//! every interval (0.5 s), old_avg being the average at the tick before:
//!   avg above the band, avg > old_avg, max_p < top:         max_p <- max_p + min(alpha, max_p / 4)
//!   min_th < avg, avg below the band, avg < old_avg:        max_p <- beta max_p
//! ```
//!
//! There is no lower bound. According to the equations, `max_p` never reaches zero, because
//! decreases are multiplicative and increases proportional; in floating point it would reach a
//! subnormal number whose quarter is zero, and stay there. It therefore stops at 2.2e-308, the
//! smallest normal number. To get there from 0.1 takes 6,700 decreases in a row, and with so
//! small a `max_p` there is no signal in the lifetime of any link.

use super::red::{Adaptation, AdaptiveParams, EndParams, MoveParams, Red};
use super::{Aqm, Backlog, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "gared",
    title: "gARED (gentle Adaptive RED)",
    family: Family::AverageQueue,
    source: "Zhang, Hasegawa and Murata, Performance Analysis and Improvement of HighSpeed TCP \
             with TailDrop/RED Routers, section 4.3",
    equations: "\
RED with w_q = 1 - exp(-1/C), max_th = 3 min_th, gentle, and every interval seconds:
avg > min_th + 0.6 (max_th - min_th), avg > old_avg, max_p < top:
    max_p <- max_p + min(alpha, max_p / 4)
min_th < avg < min_th + 0.4 (max_th - min_th), avg < old_avg:
    max_p <- beta max_p
old_avg <- avg",
    differs: "\
- The pseudo-code compares avg with the same target in both lines. The paper's text uses \
the upper end of the band for the increase and the lower end for the decrease, and so \
does this code (max_p_holds_inside_the_band).
- max_p stops at top, where the pseudo-code may overshoot by one step \
(max_p_stops_at_top), and at 2.2e-308, so that it can always grow again \
(max_p_can_always_grow_again).
- gentle is on, as in the ARED of 2001 on which the paper builds; the paper does not say \
whether it is. gentle = 0 turns it off (gared_is_gentle).
- The gentle slope starts at the current max_p; in the paper's ns-2 it may have started \
at the first max_p. ns2_slope = 1 does that: see `tusker explain ared`.
- The paper does not say when max_p is adapted. Here it is every interval seconds, so \
old_avg is the average one interval before (max_p_holds_at_and_below_min_th). The ns-2 \
code on which the paper builds adapts it at arrivals that come more than one interval \
after the last change of max_p; ns2_clock = 1 does the same, and old_avg is then the \
average before that arrival. With ns2_clock = 1, no fall of the average from above \
min_th is missed, however short, and max_p settles far lower (ns2_looks_at_arrivals).
- The paper does not give the first value of old_avg; here it is 0 (the_first_trend_is_from_an_empty_queue).
- All else is as in RED: see `tusker explain red`.",
    needs: &[],
    params: GaredParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct GaredParams {
    red: AdaptiveParams,
    moves: MoveParams,
    end: EndParams,
} }

/// gARED; see `tusker explain gared`.
#[derive(Clone, Debug)]
pub struct Gared {
    red: Red,
    adapt: Adaptation,
    /// Average queue at the last tick, packets.
    old_avg: f64,
}

impl SetUp for Gared {
    type Params = GaredParams;

    fn new(params: GaredParams, link: &Link) -> Self {
        let red = Red::adaptive(params.red, params.end, link);
        let adapt = Adaptation::new(params.moves, params.end, &red);
        Self { red, adapt, old_avg: 0.0 }
    }

    fn check(params: &GaredParams) -> Result<(), &'static str> {
        Red::check(&params.red.red())?;
        if params.red.max_p > params.end.top {
            return Err("max_p must not be larger than top");
        }
        Ok(())
    }
}

impl Gared {
    /// One step of `max_p`, if the average is outside its band and moving away from
    /// it.
    fn step(&mut self, old_avg: f64) -> bool {
        let Self { red, adapt, .. } = self;
        let (avg, max_p) = (red.avg(), red.max_p());
        let next = if avg > adapt.high && avg > old_avg {
            adapt.raised(max_p)
        } else if red.law().min_th < avg && avg < adapt.low && avg < old_avg {
            adapt.lowered(max_p, f64::MIN_POSITIVE)
        } else {
            return false;
        };
        red.set_max_p(next);
        next != max_p
    }
}

impl Aqm for Gared {
    #[inline]
    fn on_arrival(&mut self, p: &Meta, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict {
        let old_avg = self.red.avg();
        let verdict = self.red.on_arrival(p, q, now, rng);
        if self.adapt.looks_at_arrival(now) && self.step(old_avg) {
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
        self.step(self.old_avg);
        self.old_avg = self.red.avg();
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

    fn gared(values: &[(&str, f64)]) -> Gared {
        policy(values)
    }

    /// min_th 20, max_th 120: 20 + 0.4 x 100 and 20 + 0.6 x 100 (the paper's section 4.1).
    #[test]
    fn the_target_is_the_middle_fifth_between_the_thresholds() {
        let (low, high) = gared(&[("min_th", 20.0), ("max_th", 120.0)]).target().expect("a band");
        close(low, 60.0);
        close(high, 80.0);
    }

    #[test]
    fn max_p_rises_only_while_the_queue_grows() {
        // always above the band: 23, 24 grow; 24 stays; 23 shrinks
        let mut policy = gared(&[]);
        close(tick(&mut policy, 23), 0.11);
        close(tick(&mut policy, 24), 0.12);
        close(tick(&mut policy, 24), 0.12);
        close(tick(&mut policy, 23), 0.12);
        close(tick(&mut policy, 25), 0.13);
    }

    #[test]
    fn max_p_falls_only_while_the_queue_shrinks() {
        // always below the band and above min_th
        let mut policy = gared(&[]);
        assert_eq!(tick(&mut policy, 16), 0.1); // grown from 0
        close(tick(&mut policy, 15), 0.09);
        close(tick(&mut policy, 15), 0.09);
        close(tick(&mut policy, 17), 0.09);
        close(tick(&mut policy, 11), 0.081);
    }

    #[test]
    fn max_p_holds_at_and_below_min_th() {
        let mut policy = gared(&[]);
        for packets in [17, 10, 9, 5, 0] {
            assert_eq!(tick(&mut policy, packets), 0.1);
        }
    }

    #[test]
    fn max_p_holds_inside_the_band() {
        let mut policy = gared(&[]);
        for packets in [18, 19, 20, 21, 22, 21, 20, 19, 18] {
            assert_eq!(tick(&mut policy, packets), 0.1);
        }
    }

    #[test]
    fn ns2_looks_at_arrivals() {
        let mut policy = gared(&[("ns2_clock", 1.0)]);
        assert_eq!(policy.poll_at(), Time::NEVER);
        let mut max_p = |ms: u64, packets: u32| max_p_at(&mut policy, ms, packets);
        // the band is 18..22, min_th 10; up from 0.1 by 0.01, down by a tenth
        assert_eq!(max_p(500, 23), 0.1);
        assert_eq!(max_p(501, 23), 0.1); // above the band, but standing
        close(max_p(502, 24), 0.11);
        close(max_p(900, 25), 0.11); // too early
        close(max_p(1100, 17), 0.099); // the first arrival of a fall
        close(max_p(1500, 16), 0.099);
        close(max_p(1601, 9), 0.099); // below min_th
        close(max_p(1602, 12), 0.099); // growing
        close(max_p(1603, 11), 0.0891);
    }

    #[test]
    fn the_first_trend_is_from_an_empty_queue() {
        close(tick(&mut gared(&[]), 23), 0.11);
        close(tick(&mut gared(&[]), 17), 0.1);
    }

    #[test]
    fn max_p_stops_at_top() {
        let mut policy = gared(&[("max_p", 0.495)]);
        assert_eq!(tick(&mut policy, 23), 0.5);
        assert_eq!(tick(&mut policy, 24), 0.5);
    }

    #[test]
    fn max_p_passes_the_bottom_of_ared() {
        // 17, 16, 17, 16, ..: a decrease at every other tick; 0.1 x 0.9^30 = 0.1 x 0.0423912
        let mut policy = gared(&[]);
        for _ in 0..30 {
            tick(&mut policy, 17);
            tick(&mut policy, 16);
        }
        assert!((max_p(&policy) - 0.004_239_12).abs() < 1e-8, "{}", max_p(&policy));
    }

    #[test]
    fn max_p_can_always_grow_again() {
        let mut policy = gared(&[]);
        for _ in 0..8_000 {
            tick(&mut policy, 17);
            tick(&mut policy, 16);
        }
        assert_eq!(max_p(&policy), f64::MIN_POSITIVE);
        assert_eq!(tick(&mut policy, 23), 1.25 * f64::MIN_POSITIVE);
    }

    #[test]
    fn an_interval_without_arrivals_has_no_trend() {
        let mut policy = gared(&[]);
        close(tick(&mut policy, 23), 0.11);
        for _ in 0..100 {
            policy.on_poll(policy.poll_at(), &Backlog::EMPTY);
        }
        close(max_p(&policy), 0.11);
    }

    #[test]
    fn gared_is_gentle() {
        // 31 is above max_th = 30: no forced drop before 60
        let mut policy = gared(&[]);
        assert_eq!(arrive(&mut policy, 31), Verdict::Pass);
        assert_eq!(arrive(&mut policy, 60), Verdict::Drop);
    }

    #[test]
    fn bounds_in_the_wrong_order_are_named() {
        let check = |values: &[_]| Gared::check(&given(values));
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&[("top", 0.05)]), Err("max_p must not be larger than top"));
    }
}
