//! BIC: a search for the window at which the path is full, by halving.
//!
//! Source: Xu, Harfoush and Rhee, "Binary Increase Congestion Control (BIC) for
//! Fast Long-Distance Networks", IEEE INFOCOM 2004, section III and its
//! pseudo-code.
//!
//! ```text
//!  w |                          *      max probing: 1, 2, 4 .. s_max per RTT
//!    |- - - - - - - *  *  *  - - - -   w_max, where the last loss was
//!    |          *                      binary search: half the way to w_max per RTT
//!    |       *                         additive: s_max per RTT while half is more
//!    |    *
//!    | *                               (1 - beta) w_max, after the loss
//!    +----------------------------- t
//! ```

use super::{Ack, Law, Window};
use crate::params::{Param, Params, Sheet};
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "bic",
    title: "BIC TCP",
    source: "Xu, Harfoush, Rhee: Binary Increase Congestion Control for Fast Long-Distance \
             Networks, INFOCOM 2004, section III",
    equations: "\
w < low_window: Reno. Otherwise
per loss:  w_max <- w; if that is below the w_max before (fast convergence):
           w_max <- (1 - beta/2) w;  then w <- (1 - beta) w
per ACK:   w <- w + s/w
  w < w_max:  s = (w_max - w)/divisor, at most s_max; below s_min: w <- w_max
  w >= w_max (max probing):  s = 1 until w has gained 1, 2 until it has gained 2
              more, 4 until 4 more ...; from s_max on s = s_max",
    differs: "\
The pseudo-code forgets w_max when probing begins, and would then take every \
later loss for one below w_max; we compare with the last w_max. \
Test: bic (script).
The text says what s_min is for, the pseudo-code does not use it: we take the \
text. Test: bic (script).
Linux and the ngtcp paper have beta = 0.2, Linux a divisor of 4; while it probes, \
Linux creeps 0.2 segments per round trip for the first 4. Test: bic_params (script).
The paper leaves open what a timeout or a loss in slow start does: w shrinks like \
at any loss, and after a timeout w_max is forgotten, as in Linux. Test: bic (script).",
    needs: &[],
    params: &[
        Param {
            name: "low_window",
            unit: "segments",
            default: 14.0,
            min: 2.0,
            max: 1_000.0,
            about: "window below which the flow is Reno",
        },
        Param {
            name: "s_max",
            unit: "segments",
            default: 32.0,
            min: 1.0,
            max: 1_000.0,
            about: "largest gain per round trip",
        },
        Param {
            name: "s_min",
            unit: "segments",
            default: 0.01,
            min: 0.000_1,
            max: 1.0,
            about: "gain per round trip below which w_max counts as reached",
        },
        Param {
            name: "beta",
            unit: "",
            default: 0.125,
            min: 0.01,
            max: 0.5,
            about: "part of the window given up for a loss",
        },
        Param {
            name: "divisor",
            unit: "",
            default: 2.0,
            min: 2.0,
            max: 16.0,
            about: "the search goes this part of the way per round trip: 2 is halving",
        },
        Param {
            name: "fast_convergence",
            unit: "flag",
            default: 1.0,
            min: 0.0,
            max: 1.0,
            about: "a flow that loses below its last w_max takes a lower one",
        },
    ],
};

/// What probing gains per round trip, and when that doubles.
#[derive(Clone, Copy, Debug)]
struct Probe {
    step: f64,
    until: f64,
}

/// BIC in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Bic {
    low_window: f64,
    s_max: f64,
    s_min: f64,
    beta: f64,
    divisor: f64,
    fast_convergence: bool,
    /// 0 before the first loss.
    w_max: f64,
    probe: Option<Probe>,
}

impl Bic {
    pub(super) fn new(params: &Params) -> Self {
        Self {
            low_window: params.get("low_window"),
            s_max: params.get("s_max"),
            s_min: params.get("s_min"),
            beta: params.get("beta"),
            divisor: params.get("divisor"),
            fast_convergence: params.flag("fast_convergence"),
            w_max: 0.0,
            probe: None,
        }
    }

    /// Up to `w_max`; `part` is what this ACK is of a round trip.
    fn search(&self, w: f64, part: f64) -> f64 {
        let step = ((self.w_max - w) / self.divisor).min(self.s_max);
        if step < self.s_min { self.w_max } else { (w + step * part).min(self.w_max) }
    }

    /// Beyond `w_max`.
    fn probe(&mut self, w: f64, part: f64) -> f64 {
        let mut probe = self.probe.unwrap_or(Probe { step: 1.0, until: w + 1.0 });
        let w = w + probe.step.min(self.s_max) * part;
        if w >= probe.until && probe.step < self.s_max {
            probe.step *= 2.0;
            probe.until = w + probe.step;
        }
        self.probe = Some(probe);
        w
    }
}

impl Law for Bic {
    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let part = (ack.credit / w.cwnd).min(1.0);
        w.cwnd = if w.cwnd < self.low_window {
            w.cwnd + ack.credit / w.cwnd
        } else if self.probe.is_none() && w.cwnd < self.w_max {
            self.search(w.cwnd, part)
        } else {
            self.probe(w.cwnd, part)
        };
    }

    fn shrink(&mut self, w: f64) -> f64 {
        self.probe = None;
        if w < self.low_window {
            return w / 2.0;
        }
        let falling = w < self.w_max && self.fast_convergence;
        self.w_max = if falling { (1.0 - self.beta / 2.0) * w } else { w };
        (1.0 - self.beta) * w
    }

    fn reset(&mut self, _: Time) {
        self.w_max = 0.0;
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("w_max", self.w_max);
        see("probing", f64::from(u8::from(self.probe.is_some())));
    }
}
