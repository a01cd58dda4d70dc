//! DCTCP: the window shrinks in proportion to the fraction of marked segments.
//!
//! ```text
//!   queue    marks every packet that finds more than K waiting (policy step)
//!   receiver counts the marked segments, and says the count (ecn = "accurate")
//!   sender   F: the fraction marked in a window, alpha: its moving average
//! ```
//!
//! A loss or an RFC 3168 mark only says that there is congestion; the fraction of marks says
//! how much there is. One mark in a window of 100 shrinks it by half a percent, so the queue
//! stays near K and never runs empty.

use super::{Ack, Law, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Need, Sheet};
use crate::table::params;

pub(super) const SHEET: Sheet = Sheet {
    name: "dctcp",
    title: "Data Center TCP",
    family: Family::Marks,
    source: "RFC 8257, section 3.3; Alizadeh et al.: Data Center TCP (DCTCP), SIGCOMM 2010",
    equations: "\
per ACK:     w <- w + 1/w
per window:  F = marked / acknowledged,  alpha <- (1 - g) alpha + g F
per window with a mark:  w <- (1 - alpha/2) w
per loss:    w <- w/2",
    differs: "\
Marks are echoed as a count (AccECN, RFC 9768) instead of section 3.2's ECE, which \
tells for each segment whether it was marked: F is the same, and a lost ACK does \
not lose marks. Script: accurate_ecn.
Segments reported by SACK count when they are reported; the RFC counts only \
cumulatively acknowledged ones. Script: accurate_ecn.
If the ACK that ends a window reports a mark, the cut uses the alpha from before \
that ACK. Script: dctcp.
After a cut the window stays constant until what was outstanding is acknowledged, \
as in Linux; the RFC says nothing about this. Script: dctcp.
A mark in slow start has the same effect, and ends slow start. Script: dctcp.
Marks can reduce the window to one segment; Linux stops at two. Script: mark_floor.
The cut applies to the amount in flight if that is less than cwnd. Script: dctcp.",
    needs: &[Need::AccurateEcn],
    grows_until_loss: false,
    shrinks_on_acks: false,
    like_reno: true,
    linux: Linux::module(Module::of("dctcp", Counts::Segments)),
    losses: Losses::UNKNOWN,
    look: Look { hue: 8, dash: 2 },
    states: &[],
    params: DctcpParams::LIST,
};

params! { pub(super) struct DctcpParams {
    /// weight of the last window in alpha; RFC 8257, section 4.2 recommends 1/16
    g: f64 = 0.0625 in 0.0..=1.0,
    /// alpha before the first window; with 1, a mark in that window halves w
    alpha: f64 = 1.0 in 0.0..=1.0,
} }

/// Data Center TCP.
#[derive(Clone, Debug)]
pub struct Dctcp {
    g: f64,
    alpha: f64,
    /// Segments of this window: acknowledged, and how many of those were marked.
    acked: u64,
    marked: u64,
}

impl Dctcp {
    pub(super) fn new(params: DctcpParams) -> Self {
        Self { g: params.g, alpha: params.alpha, acked: 0, marked: 0 }
    }
}

impl Law for Dctcp {
    #[inline]
    fn observe(&mut self, _: &Window, ack: &Ack) {
        // RFC 8257, section 3.3, steps 2 and 3
        self.acked += u64::from(ack.acked);
        self.marked += u64::from(ack.marked);
        // step 4: "the end of the observation window has been reached"
        if ack.round_start && self.acked > 0 {
            let f = self.marked as f64 / self.acked as f64;
            self.alpha = (1.0 - self.g) * self.alpha + self.g * f;
            (self.acked, self.marked) = (0, 0);
        }
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        w.cwnd += ack.credit / w.cwnd;
    }

    fn shrink(&mut self, w: f64) -> f64 {
        // section 3.5: a loss as in RFC 5681
        w / 2.0
    }

    fn shrink_at_mark(&mut self, w: f64, _: bool) -> Option<f64> {
        // step 9: "the sender SHOULD update cwnd as follows:
        // cwnd = cwnd * (1 - DCTCP.Alpha / 2)"
        Some(w * (1.0 - self.alpha / 2.0))
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("alpha", self.alpha);
    }
}
