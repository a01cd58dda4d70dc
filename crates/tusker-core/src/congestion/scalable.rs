//! Scalable TCP: a fixed gain per ACK and a decrease by a fixed fraction per loss, whatever the
//! window.
//!
//! Source: Tom Kelly, "Scalable TCP: Improving Performance in Highspeed Wide
//! Area Networks", PFLDnet 2003, section 3.
//!
//! A window of w gains a w segments per round trip and so takes ln(1/(1-b)) /
//! ln(1+a) round trips to recover from a loss: 13.4 with the paper's numbers, at
//! 100 segments as well as at 100,000. Between two losses there are bW/a ACKs, so W
//! = a/(b p) at a loss rate of p.

use super::{Ack, Law, Window};
use crate::params::{Bound, Counts, Family, Linux, Look, Losses, Module, Period, Sheet};
use crate::table::params;

pub(super) const SHEET: Sheet = Sheet {
    name: "scalable",
    title: "Scalable TCP",
    family: Family::Loss,
    source: "Kelly: Scalable TCP: Improving Performance in Highspeed Wide Area Networks, \
             PFLDnet 2003, section 3",
    equations: "\
w <= lwnd:  Reno
w >  lwnd:  per ACK:   w <- w + a
            per loss:  w <- w - b w",
    differs: "\
Kelly rounds b w up to a whole segment; here windows have fractions. Script: \
scalable.
A timeout and a loss in slow start set ssthresh as any loss does, as in Linux; Kelly \
describes only the reaction to congestion in a round trip. Script: scalable.
Linux has no lwnd, and gives up 1/8 at any window size. Since version 5.7 it gains \
1/min(w, 100) per segment acknowledged. Its code of 2.6.22, which ns-2.35 runs, gains \
a segment per min(w, 50) + 1 ACKs, about twice Kelly's a, to allow for delayed ACKs. \
a = 0.0196 reproduces this above 50 segments. Script: linux_gains_one_in_51_acks.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: true,
    linux: Linux {
        module: Some(Module::of("scalable", Counts::Segments)),
        load: Some("scalable"),
        ..Linux::NONE
    },
    losses: Losses {
        window: Some(mean_window),
        period: Some(Period {
            law: "Scalable TCP",
            seconds: period,
            bound: Bound::About,
            proportional: true,
        }),
        ..Losses::UNKNOWN
    },
    look: Look { hue: 4, dash: 0 },
    states: &[],
    params: ScalableParams::LIST,
};

params! { pub(super) struct ScalableParams {
    /// gain per ACK
    a: f64 = 0.01 "segments" in 0.000_1..=1.0,
    /// fraction of the window given up at a loss
    b: f64 = 0.125 in 0.01..=0.5,
    /// window up to which the flow behaves like Reno (legacy window)
    lwnd: f64 = 16.0 "segments" in 1.0..=1_000.0,
} }

/// Kelly 2003 with a = 0.01 and b = 1/8: from (1 - b) W to W at a per ACK takes ln(1/(1 - b))/a
/// round trips.
fn mean_window(p: f64, _: f64) -> f64 {
    0.01 / libm::log(8.0 / 7.0) / p
}

/// The same.
fn period(_: f64, rtt: f64) -> f64 {
    libm::log(8.0 / 7.0) / 0.01 * rtt
}

/// Scalable TCP in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Scalable {
    params: ScalableParams,
}

impl Scalable {
    pub(super) fn new(params: ScalableParams) -> Self {
        Self { params }
    }
}

impl Law for Scalable {
    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let gain = if w.cwnd > self.params.lwnd { self.params.a } else { 1.0 / w.cwnd };
        w.cwnd += ack.credit * gain;
    }

    fn shrink(&mut self, w: f64) -> f64 {
        let part = if w > self.params.lwnd { self.params.b } else { 0.5 };
        w - part * w
    }
}
