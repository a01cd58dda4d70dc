//! Scalable TCP: so much per ACK up, so large a part down, whatever the window.
//!
//! Source: Tom Kelly, "Scalable TCP: Improving Performance in Highspeed Wide
//! Area Networks", PFLDnet 2003, section 3.
//!
//! A window of w gains a w segments per round trip and so takes
//! ln(1/(1-b)) / ln(1+a) round trips to come back from a loss, 13.4 with the
//! paper's numbers, at 100 segments as at 100,000. Between two losses it counts
//! bW/a ACKs, so that W = a/(b p) at a loss rate of p.

use super::{Ack, Law, Window};
use crate::params::{Param, Params, Sheet};

pub(super) const SHEET: Sheet = Sheet {
    name: "scalable",
    title: "Scalable TCP",
    source: "Kelly: Scalable TCP: Improving Performance in Highspeed Wide Area Networks, \
             PFLDnet 2003, section 3",
    equations: "\
w <= lwnd:  Reno
w >  lwnd:  per ACK:   w <- w + a
            per loss:  w <- w - b w",
    differs: "\
Kelly rounds b w up to a whole segment; our windows have fractions. \
Test: scalable (script).
A timeout and a loss in slow start shrink like any loss, as in Linux; Kelly \
speaks of congestion in a round trip only. Test: scalable (script).
Linux (and with it ns-2's TCP-Linux) has no lwnd: it gains 1/min(w, 50) per ACK, \
twice Kelly's a for the sake of delayed ACKs, and gives up 1/8 at any window. \
a = 0.0196 does so above 50 segments. Test: linux_gains_one_in_51_acks (script).",
    needs: &[],
    params: &[
        Param {
            name: "a",
            unit: "segments",
            default: 0.01,
            min: 0.000_1,
            max: 1.0,
            about: "gain per ACK",
        },
        Param {
            name: "b",
            unit: "",
            default: 0.125,
            min: 0.01,
            max: 0.5,
            about: "part of the window given up for a loss",
        },
        Param {
            name: "lwnd",
            unit: "segments",
            default: 16.0,
            min: 1.0,
            max: 1_000.0,
            about: "window up to which the flow is Reno (legacy window)",
        },
    ],
};

/// Scalable TCP in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Scalable {
    a: f64,
    b: f64,
    lwnd: f64,
}

impl Scalable {
    pub(super) fn new(params: &Params) -> Self {
        Self { a: params.get("a"), b: params.get("b"), lwnd: params.get("lwnd") }
    }
}

impl Law for Scalable {
    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let gain = if w.cwnd > self.lwnd { self.a } else { 1.0 / w.cwnd };
        w.cwnd += ack.credit * gain;
    }

    fn shrink(&mut self, w: f64) -> f64 {
        let part = if w > self.lwnd { self.b } else { 0.5 };
        w - part * w
    }
}
