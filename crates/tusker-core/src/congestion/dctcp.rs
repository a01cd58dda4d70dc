//! DCTCP: a cut in proportion to how many segments were marked.
//!
//! ```text
//!   queue    marks every packet that finds more than K waiting (policy step)
//!   receiver counts the marked segments, and says the count (ecn = "accurate")
//!   sender   F: the fraction marked in a window, alpha: its moving average
//! ```
//!
//! A loss or a mark of RFC 3168 says that there is congestion; the fraction of
//! marks says how much. One mark in a window of 100 takes half a percent of it,
//! so that the queue stays near K and never runs empty.

use super::{Ack, Law, Window};
use crate::params::{Need, Sheet};
use crate::table::params;

pub(super) const SHEET: Sheet = Sheet {
    name: "dctcp",
    title: "Data Center TCP",
    source: "RFC 8257, section 3.3; Alizadeh et al.: Data Center TCP (DCTCP), SIGCOMM 2010",
    equations: "\
per ACK:     w <- w + 1/w
per window:  F = marked / acknowledged,  alpha <- (1 - g) alpha + g F
per window with a mark:  w <- (1 - alpha/2) w
per loss:    w <- w/2",
    differs: "\
The echo is that of AccECN (RFC 9768), a count of marks, in the place of section 3.2's ECE, \
which says of each segment whether it was marked: F is the same, and no lost ACK takes a mark \
with it. Script: accurate_ecn.
Segments that SACK reports count when they are reported; the RFC counts what is \
acknowledged cumulatively. Script: accurate_ecn.
The ACK that ends a window and tells of a mark cuts with the alpha from before it. \
Script: dctcp.
After a cut the window stays until what was outstanding is acknowledged, as in Linux; \
the RFC says nothing. Script: dctcp.
A mark in slow start is answered in the same way, and ends it. Script: dctcp.
A mark may leave less than two segments, but one; Linux holds two. Script: mark_floor.
What is cut is what was in flight, if that is less than cwnd. Script: dctcp.",
    needs: &[Need::AccurateEcn],
    params: DctcpParams::LIST,
};

params! { pub(super) struct DctcpParams {
    /// weight of the last window in alpha; RFC 8257, section 4.2 recommends 1/16
    g: f64 = 0.0625 in 0.0..=1.0,
    /// estimate before the first window; 1 halves at the first mark
    alpha: f64 = 1.0 in 0.0..=1.0,
} }

/// Data Center TCP.
#[derive(Clone, Debug)]
pub struct Dctcp {
    g: f64,
    alpha: f64,
    /// Segments of this window: acknowledged, and of these marked.
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
