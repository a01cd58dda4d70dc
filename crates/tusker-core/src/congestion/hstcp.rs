//! HighSpeed TCP: the larger the window, the faster it grows and the less it
//! shrinks.
//!
//! Source: RFC 3649, section 5 (equations) and appendix B (table); the paper
//! "Performance Analysis and Improvement of HighSpeed TCP with TailDrop/RED
//! Routers", section 2.1, equations 1 to 3. Windows are in segments.
//!
//! One response function p(w), the loss rate at which a flow keeps an average
//! window of w, determines everything: given the decrease b(w), the increase a(w)
//! is the one that balances it at that loss rate.
//!
//! ```text
//!   p(w)                                      b(w)
//!  1e-3 |*  P_low = Reno's loss rate at w_low  0.5 |*
//!       |   *                                      |   *
//!       |      *        log-log                    |      *      log-linear
//!  1e-7 |         *  P_high                    0.1 |         *  b_high
//!       +-----------                               +-----------
//!       w_low    w_high                            w_low    w_high
//! ```
//!
//! The default parameters give p(w) = 0.078 / w^1.2, the form printed in the RFC and the paper.
//! With other parameters the line still runs from Reno's response function at `w_low` to 0.078
//! / w^1.2 at `w_high`, as section 5 of the RFC constructs it; above `w_high` it is 0.078 /
//! w^1.2. So there is no jump where HighSpeed takes over from Reno: a is 1 up to `w_low` and
//! 0.95 just above (because 0.078 and 1.2 are rounded), whatever `w_low` is.

use super::losses::{reno_period, reno_window};
use super::{Ack, Law, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Sheet};
use crate::table::params;

pub(super) const SHEET: Sheet = Sheet {
    name: "hstcp",
    title: "HighSpeed TCP",
    family: Family::Loss,
    source: "RFC 3649, section 5 and appendix B",
    equations: "\
per ACK:   w <- w + a(w)/w
per loss:  w <- (1 - b(w)) w
w <= w_low:  a(w) = 1, b(w) = 0.5 (Reno)
w >  w_low:  a(w) = 2 w^2 b(w) p(w) / (2 - b(w))
             b(w) = (b_high - 0.5) ln(w/w_low) / ln(w_high/w_low) + 0.5
             p(w) = 0.078 / w^1.2
If w_low is not 38, p(w) is a straight line on log-log axes from Reno's loss
rate at w_low to 0.078 / w^1.2 at w_high, and 0.078 / w^1.2 above.",
    differs: "\
a(w) is computed at the integer part of w, so that one logarithm and one \
exponential serve all ACKs until the window passes the next whole segment; ns-2 \
can do the same (cwnd_range_, off by default). Test: \
a_at_the_whole_segment_is_near_a.
a(w) and b(w) come from the equations, as in ns-2; Linux reads the table of \
appendix B. Test: appendix_b_is_met.
In ns-2, p(w) runs from 1.5/w_low^2 at w_low to 1e-7 at w_high, which is 5 % more \
than here at w_low, and 2.5 % more at w_high. ns2_response = 1 selects ns-2's \
values, as the profile ns2 does. Test: ns2_response_is_ns2s.
Above w_high b(w) continues on the same line, as in the RFC's table, but never \
falls below b_high/2, because the line reaches zero at 567,000 segments. Test: \
b_stays_positive.
A timeout and a loss in slow start set ssthresh to half of the window, as in ns-2; \
the RFC changes neither timeouts nor slow start, but applies b(w) to any congestion \
event. With halve = 0, b(w) applies to both. Script: halve.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: true,
    linux: Linux {
        // a(w) is added once per ACK
        module: Some(Module::of("highspeed", Counts::AcksInAvoidance)),
        load: Some("hstcp"),
        ..Linux::NONE
    },
    losses: Losses::of("HSTCP", mean_window, period),
    look: Look { hue: 3, dash: 0 },
    states: &[],
    params: HighSpeedParams::LIST,
};

params! { pub(super) struct HighSpeedParams {
    /// window up to which the flow behaves like Reno (Low_Window)
    w_low: f64 = 38.0 "segments" in 10.0..=1_000.0,
    /// window at which the decrease is b_high (High_Window)
    w_high: f64 = 83_000.0 "segments" in 20_000.0..=1e9,
    /// fraction of the window given up at a loss at w_high (High_Decrease)
    b_high: f64 = 0.1 in 0.01..=0.5,
    /// at a timeout and at a loss in slow start, set ssthresh to w/2 instead of (1 - b(w)) w
    halve: bool = true,
    /// let p(w) run from 1.5/w_low^2 at w_low to 1e-7 at w_high, as in ns-2
    ns2_response: bool = false,
} }

/// The response function of the paper (equation 3) and of RFC 3649, section 5.
const RESPONSE: f64 = 0.078;
const RESPONSE_EXPONENT: f64 = 1.2;

/// Where it meets Reno's: RFC 3649, section 5, Low_Window.
const RENO_MEETS: f64 = 38.0;

/// ns-2.35, `tcp.cc`: Reno's response function, and `high_p_`.
const NS2_RENO: f64 = 1.5;
const NS2_P_HIGH: f64 = 1e-7;

/// Reno's decrease, RFC 5681.
const B_LOW: f64 = 0.5;

/// 0.12 p^-0.835: RFC 3649, section 5.
pub(super) fn mean_window(p: f64, rtt: f64) -> f64 {
    (0.12 / libm::pow(p, 0.835)).max(reno_window(p, rtt))
}

/// RFC 3649, section 5: b falls from 0.5 at 38 segments to 0.1 at 83,000.
pub(super) fn period(peak: f64, rtt: f64) -> f64 {
    let place = libm::log(peak / 38.0) / libm::log(83_000.0 / 38.0);
    let mean = (1.0 - (0.5 - 0.4 * place) / 2.0) * peak;
    let p = libm::pow(0.12 / mean, 1.0 / 0.835);
    reno_period(peak, rtt).min(rtt / (p * mean))
}

/// a(w), b(w) and p(w): the functions of RFC 3649.
#[derive(Clone, Debug)]
pub(super) struct HighSpeed {
    halve: bool,
    w_low: f64,
    ln_w_low: f64,
    ln_w_high: f64,
    ln_p_high: f64,
    /// p(w) falls with this power of w up to `w_high` ...
    p_exponent: f64,
    /// ... and with this power above.
    p_exponent_beyond: f64,
    /// Change of b per unit of ln w.
    b_slope: f64,
    b_min: f64,
    /// `a` holds for windows in [`a_from`, `a_from` + 1).
    a_from: f64,
    a: f64,
}

impl HighSpeed {
    pub(super) fn new(params: HighSpeedParams) -> Self {
        let HighSpeedParams { w_low, w_high, b_high, halve, ns2_response: ns2 } = params;
        let (ln_w_low, ln_w_high) = (libm::log(w_low), libm::log(w_high));
        let ln_p_high = if ns2 {
            libm::log(NS2_P_HIGH)
        } else {
            libm::log(RESPONSE) - RESPONSE_EXPONENT * ln_w_high
        };
        // Reno's loss rate falls with w^2 and meets ours at 38 segments.
        let ln_p_38 = libm::log(RESPONSE) - RESPONSE_EXPONENT * libm::log(RENO_MEETS);
        let ln_p_low = if ns2 {
            libm::log(NS2_RENO) - 2.0 * ln_w_low
        } else {
            ln_p_38 - 2.0 * (ln_w_low - libm::log(RENO_MEETS))
        };
        let p_exponent = (ln_p_low - ln_p_high) / (ln_w_high - ln_w_low);
        Self {
            halve,
            w_low,
            ln_w_low,
            ln_w_high,
            ln_p_high,
            p_exponent,
            p_exponent_beyond: if ns2 { p_exponent } else { RESPONSE_EXPONENT },
            b_slope: (b_high - B_LOW) / (ln_w_high - ln_w_low),
            b_min: b_high / 2.0,
            a_from: f64::INFINITY,
            a: 1.0,
        }
    }

    /// Fraction of a window of `w` that a loss removes.
    pub(super) fn b(&self, w: f64) -> f64 {
        if w <= self.w_low { B_LOW } else { self.b_of_ln(libm::log(w)) }
    }

    fn b_of_ln(&self, ln_w: f64) -> f64 {
        (self.b_slope * (ln_w - self.ln_w_low) + B_LOW).max(self.b_min)
    }

    fn p_of_ln(&self, ln_w: f64) -> f64 {
        let exponent = if ln_w < self.ln_w_high { self.p_exponent } else { self.p_exponent_beyond };
        libm::exp(self.ln_p_high + exponent * (self.ln_w_high - ln_w))
    }

    /// Segments that a window of exactly `w` gains per round trip.
    fn exact_a(&self, w: f64) -> f64 {
        if w <= self.w_low {
            return 1.0;
        }
        let ln_w = libm::log(w);
        let b = self.b_of_ln(ln_w);
        w * w * self.p_of_ln(ln_w) * 2.0 * b / (2.0 - b)
    }

    /// Segments that a window of `w` gains per round trip, recomputed only when `w`
    /// has passed a whole segment.
    #[inline]
    pub(super) fn a(&mut self, w: f64) -> f64 {
        let known = w >= self.a_from && w < self.a_from + 1.0;
        if !known {
            self.a_from = libm::floor(w);
            self.a = self.exact_a(self.a_from);
        }
        self.a
    }

    /// What remains of `w` after a loss in congestion avoidance.
    pub(super) fn shrink(&self, w: f64) -> f64 {
        (1.0 - self.b(w)) * w
    }

    /// What remains of `w` after a timeout or a loss in slow start.
    pub(super) fn shrink_outside(&self, w: f64) -> f64 {
        if self.halve { (1.0 - B_LOW) * w } else { self.shrink(w) }
    }

    /// The increase last used, for traces.
    pub(super) fn last_a(&self) -> f64 {
        self.a
    }
}

/// The three functions of HighSpeed TCP at one window, for plots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HighSpeedAt {
    /// a(w): segments that the window gains per round trip.
    pub a: f64,
    /// b(w): fraction of the window that a loss removes.
    pub b: f64,
    /// p(w): loss rate at which the window is w on average.
    pub p: f64,
}

impl HighSpeedAt {
    /// The functions at a window of `w` segments, with the default parameters,
    /// which are those of the RFC and of the papers. Below `w_low`, p(w) is Reno's.
    pub fn window(w: f64) -> Self {
        let law = HighSpeed::new(HighSpeedParams::default());
        let p = if w <= law.w_low {
            law.p_of_ln(law.ln_w_low) * (law.w_low / w) * (law.w_low / w)
        } else {
            law.p_of_ln(libm::log(w))
        };
        Self { a: law.exact_a(w), b: law.b(w), p }
    }
}

/// HighSpeed TCP in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Hstcp {
    high_speed: HighSpeed,
}

impl Hstcp {
    pub(super) fn new(params: HighSpeedParams) -> Self {
        Self { high_speed: HighSpeed::new(params) }
    }
}

impl Law for Hstcp {
    #[inline(always)]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        // RFC 3649, section 5: w <- w + a(w)/w in response to a single ACK
        w.cwnd += ack.credit * self.high_speed.a(w.cwnd) / w.cwnd;
    }

    fn shrink(&mut self, w: f64) -> f64 {
        // RFC 3649, section 5: w <- (1 - b(w))w in response to a congestion event
        self.high_speed.shrink(w)
    }

    fn shrink_outside(&mut self, w: f64) -> f64 {
        self.high_speed.shrink_outside(w)
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("a", self.high_speed.last_a());
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::format;
    use std::vec::Vec;

    /// RFC 3649, appendix B, the whole table: w, a(w), b(w).
    const APPENDIX_B: &str = "
        38 1 0.50, 118 2 0.44, 221 3 0.41, 347 4 0.38, 495 5 0.37, 663 6 0.35, 851 7 0.34,
        1058 8 0.33, 1284 9 0.32, 1529 10 0.31, 1793 11 0.30, 2076 12 0.29, 2378 13 0.28,
        2699 14 0.28, 3039 15 0.27, 3399 16 0.27, 3778 17 0.26, 4177 18 0.26, 4596 19 0.25,
        5036 20 0.25, 5497 21 0.24, 5979 22 0.24, 6483 23 0.23, 7009 24 0.23, 7558 25 0.22,
        8130 26 0.22, 8726 27 0.22, 9346 28 0.21, 9991 29 0.21, 10661 30 0.21, 11358 31 0.20,
        12082 32 0.20, 12834 33 0.20, 13614 34 0.19, 14424 35 0.19, 15265 36 0.19,
        16137 37 0.19, 17042 38 0.18, 17981 39 0.18, 18955 40 0.18, 19965 41 0.17,
        21013 42 0.17, 22101 43 0.17, 23230 44 0.17, 24402 45 0.16, 25618 46 0.16,
        26881 47 0.16, 28193 48 0.16, 29557 49 0.15, 30975 50 0.15, 32450 51 0.15,
        33986 52 0.15, 35586 53 0.14, 37253 54 0.14, 38992 55 0.14, 40808 56 0.14,
        42707 57 0.13, 44694 58 0.13, 46776 59 0.13, 48961 60 0.13, 51258 61 0.13,
        53677 62 0.12, 56230 63 0.12, 58932 64 0.12, 61799 65 0.12, 64851 66 0.11,
        68113 67 0.11, 71617 68 0.11, 75401 69 0.10, 79517 70 0.10, 84035 71 0.10,
        89053 72 0.10, 94717 73 0.09";

    fn appendix_b() -> Vec<(f64, f64, &'static str)> {
        let rows: Vec<_> = APPENDIX_B
            .split(',')
            .map(|row| {
                let mut cells = row.split_whitespace();
                let mut next = || cells.next().unwrap();
                (next().parse().unwrap(), next().parse().unwrap(), next())
            })
            .collect();
        assert_eq!(rows.len(), 73);
        rows
    }

    fn usual() -> HighSpeed {
        HighSpeed::new(HighSpeedParams::default())
    }

    fn near(got: f64, expected: f64, relative: f64) {
        let error = (got / expected - 1.0).abs();
        assert!(error <= relative, "{got} instead of {expected}: {error:.2e}");
    }

    #[test]
    fn appendix_b_is_met() {
        // The RFC's program prints a row whenever a(w) has gained 1 since the last
        // row, with p(w) = 1 / (12.8 w^1.2): 0.078125 where the text and the paper
        // say 0.078. Both effects together stay below a tenth.
        let h = usual();
        for (w, a, b) in appendix_b() {
            let got = h.exact_a(w);
            assert!((got - a).abs() < 0.1, "a({w}) = {got}, RFC {a}");
            assert_eq!(format!("{:.2}", h.b(w)), b, "b({w})");
        }
    }

    #[test]
    fn rows_begin_where_the_rfc_has_them() {
        // The RFC's own program with our b(w): the integer w at which each row
        // begins. 53,677 is among them; ns-3's copy of the table has 53,667.
        let h = usual();
        let mut rows = appendix_b().into_iter().skip(1);
        let mut row = 1.0;
        for w in 38..100_000 {
            let (w, b) = (f64::from(w), h.b(f64::from(w)));
            let a = w * w * 2.0 * b / ((2.0 - b) * libm::pow(w, 1.2) * 12.8);
            if a > row + 1.0 {
                assert_eq!(Some(w), rows.next().map(|r| r.0));
                row = a;
            }
        }
        assert_eq!(rows.next(), None);
    }

    #[test]
    fn defaults_give_the_printed_response_function() {
        let h = usual();
        for w in [39.0, 100.0, 1e3, 1e4, 83e3, 1e6] {
            near(h.p_of_ln(libm::log(w)), 0.078 / libm::pow(w, 1.2), 1e-12);
        }
    }

    #[test]
    fn up_to_w_low_it_is_reno() {
        let mut h = usual();
        for w in [1.0, 2.5, 37.9, 38.0, 38.9] {
            assert_eq!(h.a(w), 1.0);
        }
        assert_eq!(h.b(38.0), 0.5);
        assert_eq!(h.b(2.0), 0.5);
    }

    #[test]
    fn a_at_the_whole_segment_is_near_a() {
        // a grows no faster than w^0.8, so ignoring the fraction of w costs less
        // than 0.8/w of a
        let mut h = usual();
        for w in [40.999, 123.456, 1_000.999, 50_000.5, 94_717.999] {
            let exact = h.exact_a(w);
            near(h.a(w), exact, 0.8 / w);
        }
        // whatever was computed before
        let first = h.a(1_000.2);
        h.a(20.0);
        assert_eq!(h.a(1_000.9), first);
    }

    #[test]
    fn moved_parameters_keep_the_ends_of_the_line() {
        // With other parameters too, the line starts on Reno's response
        // function, so that a is the same just above any w_low: with b = 1/2
        // and p = 0.078 * 38^0.8 / w^2 it is 0.078 * 18.358 * 2/3 = 0.9546.
        for w_low in [10.0, 38.0, 200.0, 1_000.0] {
            let h = HighSpeed::new(HighSpeedParams { w_low, w_high: 1e6, ..Default::default() });
            near(h.exact_a(w_low * (1.0 + 1e-9)), 0.9546, 1e-4);
            near(h.p_of_ln(libm::log(1e6)), 0.078 / libm::pow(1e6, 1.2), 1e-12);
            near(h.b(1e6), 0.1, 1e-12);
            near(h.p_of_ln(libm::log(1e7)), 0.078 / libm::pow(1e7, 1.2), 1e-12);
        }
        // ns-2: 1.5/38^2 = 1.0388e-3 at 38 against 0.078/38^1.2 = 9.916e-4,
        // 1e-7 at 83,000 against 0.078/83,000^1.2 = 9.755e-8
        let h = usual();
        near(1.0388e-3 / h.p_of_ln(libm::log(38.0)), 1.048, 1e-3);
        near(1e-7 / h.p_of_ln(libm::log(83e3)), 1.025, 1e-3);
    }

    #[test]
    fn the_functions_can_be_drawn() {
        // RFC 3649, section 5: at 83,000 segments p = 1e-7 (0.078 / 83,000^1.2 =
        // 9.755e-8), b = 0.1, a = 72 in the table's row before
        let high = HighSpeedAt::window(83e3);
        near(high.p, 9.755e-8, 1e-3);
        near(high.b, 0.1, 1e-12);
        assert!((70.0..73.0).contains(&high.a), "{}", high.a);
        // half of w_low: four times its loss rate, 4 * 9.916e-4
        let low = HighSpeedAt::window(19.0);
        near(low.p, 4.0 * 9.916e-4, 1e-3);
        assert_eq!((low.a, low.b), (1.0, 0.5));
    }

    #[test]
    fn ns2_response_is_ns2s() {
        // by hand, w = 1000: the exponent is ln(1.5/38^2/1e-7)/ln(83,000/38) =
        // 9.248388/7.689010 = 1.202806; p = 1e-7 (83,000/1000)^1.202806 =
        // 1e-7 exp(1.202806 * 4.418841) = 2.03366e-5; b = 0.5 - 0.4 ln(1000/38)/
        // 7.689010 = 0.329878; a = 1e6 p 2b/(2 - b) = 8.03368
        let h = HighSpeed::new(HighSpeedParams { ns2_response: true, ..Default::default() });
        near(h.p_of_ln(libm::log(38.0)), 1.5 / 1444.0, 1e-12);
        near(h.p_of_ln(libm::log(83e3)), 1e-7, 1e-12);
        near(h.exact_a(1e3), 8.03368, 1e-5);
        // a single line, above w_high too: 2^-1.202806 = 0.434429
        near(h.p_of_ln(libm::log(166e3)), 0.434429e-7, 1e-5);
    }

    #[test]
    fn b_stays_positive() {
        // the line alone would be 0 at 38 * (83,000/38)^1.25 = 567,000
        let h = usual();
        assert_eq!(h.b(567e3), 0.05);
        assert_eq!(h.b(1e9), 0.05);
        assert!(h.exact_a(1e9) > h.exact_a(1e8));
    }

    #[test]
    fn increase_and_decrease_balance_at_p() {
        // Going from (1-b)w' to w' takes b w'/a round trips at an average window
        // of w = (1 - b/2)w'; the segments sent on the way are 1/p.
        let h = usual();
        for w in [50.0, 500.0, 5e3, 50e3] {
            let (a, b) = (h.exact_a(w), h.b(w));
            let peak = w / (1.0 - b / 2.0);
            let segments = w * b * peak / a;
            near(1.0 / segments, 0.078 / libm::pow(w, 1.2), 1e-12);
        }
        // RFC 3649, section 5: W = 0.12/P^0.835, and P = 0.078/W^1.2. Solved for W
        // the latter is W = 0.1194/P^0.8333; the rounding amounts to up to 0.9 % of
        // W at 1e-4 and 3.3 % at 1e-7, and to 1.2 times that in P.
        for (p, w) in [(1e-3, 38.0), (1e-4, 263.0), (1e-5, 1_795.0), (1e-6, 12_280.0)] {
            near(h.p_of_ln(libm::log(w)) / p, 1.0, 0.035);
        }
    }
}
