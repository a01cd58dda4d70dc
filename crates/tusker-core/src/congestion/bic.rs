//! BIC: binary search for the window at which the path is full.
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
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Sheet};
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "bic",
    title: "BIC TCP",
    family: Family::Loss,
    source: "Xu, Harfoush, Rhee: Binary Increase Congestion Control for Fast Long-Distance \
             Networks, INFOCOM 2004, section III",
    equations: "\
w < low_window: Reno. Otherwise
per loss:  w_max <- w; if that is below the previous w_max (fast convergence):
           w_max <- (1 - beta/2) w;  then w <- (1 - beta) w
per ACK:   w <- w + s/w
  w < w_max:  s = (w_max - w)/divisor, at most s_max; below s_min: w <- w_max
  w >= w_max (max probing):  s = 1 until w has gained 1, 2 until it has gained 2
              more, 4 until 4 more ...; from s_max on s = s_max",
    differs: "\
The paper's pseudo-code forgets w_max when probing begins, so that it would \
treat every later loss as one below w_max; we compare with the last w_max. Script: \
bic.
The text says what s_min is for, but the pseudo-code does not use it; we follow \
the text. Script: bic.
Linux and the ngtcp paper use beta = 0.2, and Linux a divisor of 4; when Linux \
starts probing, it gains 0.2 segments per round trip for the first 4 segments. \
Script: bic_params.
The paper does not say what a timeout or a loss in slow start does; here ssthresh is \
set as at any loss, and a timeout also clears w_max, as in Linux. Script: bic.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: true,
    linux: Linux::module(Module {
        params: &[("beta", 0.2)],
        about: "The module has s_max = 16 and divisor = 4. But it also divides the time between \
                    two steps by the segments per ACK, so that with delayed ACKs it grows as with \
                    32 and 2, which are the defaults here.",
        ..Module::of("bic", Counts::Segments)
    }),
    losses: Losses::UNKNOWN,
    look: Look { hue: 4, dash: 1 },
    states: &[],
    params: BicParams::LIST,
};

params! { pub(super) struct BicParams {
    /// window below which the flow behaves like Reno
    low_window: f64 = 14.0 "segments" in 2.0..=1_000.0,
    /// largest gain per round trip
    s_max: f64 = 32.0 "segments" in 1.0..=1_000.0,
    /// gain per round trip below which w_max counts as reached
    s_min: f64 = 0.01 "segments" in 0.000_1..=1.0,
    /// fraction of the window given up at a loss
    beta: f64 = 0.125 in 0.01..=0.5,
    /// each round trip covers 1/divisor of the distance to w_max; 2 is binary search
    divisor: f64 = 2.0 in 2.0..=16.0,
    /// lower w_max further if the loss comes below the last w_max
    fast_convergence: bool = true,
} }

/// Gain per round trip while probing, and when it doubles next.
#[derive(Clone, Copy, Debug)]
struct Probe {
    step: f64,
    until: f64,
}

/// BIC in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Bic {
    params: BicParams,
    /// 0 before the first loss.
    w_max: f64,
    probe: Option<Probe>,
}

impl Bic {
    pub(super) fn new(params: BicParams) -> Self {
        Self { params, w_max: 0.0, probe: None }
    }

    /// Growth up to `w_max`; `part` is this ACK's fraction of a round trip.
    fn search(&self, w: f64, part: f64) -> f64 {
        let step = ((self.w_max - w) / self.params.divisor).min(self.params.s_max);
        if step < self.params.s_min { self.w_max } else { (w + step * part).min(self.w_max) }
    }

    /// Growth beyond `w_max`.
    fn probe(&mut self, w: f64, part: f64) -> f64 {
        let mut probe = self.probe.unwrap_or(Probe { step: 1.0, until: w + 1.0 });
        let w = w + probe.step.min(self.params.s_max) * part;
        if w >= probe.until && probe.step < self.params.s_max {
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
        w.cwnd = if w.cwnd < self.params.low_window {
            w.cwnd + ack.credit / w.cwnd
        } else if self.probe.is_none() && w.cwnd < self.w_max {
            self.search(w.cwnd, part)
        } else {
            self.probe(w.cwnd, part)
        };
    }

    fn shrink(&mut self, w: f64) -> f64 {
        self.probe = None;
        if w < self.params.low_window {
            return w / 2.0;
        }
        let falling = w < self.w_max && self.params.fast_convergence;
        self.w_max = if falling { (1.0 - self.params.beta / 2.0) * w } else { w };
        (1.0 - self.params.beta) * w
    }

    fn reset(&mut self, _: Time) {
        self.w_max = 0.0;
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("w_max", self.w_max);
        see("probing", f64::from(u8::from(self.probe.is_some())));
    }
}
