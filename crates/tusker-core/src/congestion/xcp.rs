//! XCP: the routers decide by how much the window changes.
//!
//! ```text
//!   sender  --- cwnd, RTT ---> router --- H ---> router --- min(H, H') ---> receiver
//!      ^                                                                       |
//!      +--------------------------- H in the ACK -----------------------------+
//! ```
//!
//! The routers' side, with the arithmetic, is the queue policy of the same name.

use super::reno::{Reno, RenoParams};
use super::windowed::{Options, Windowed};
use super::{Ack, Congestion, Controller, Deflate, Overrule, RouterAssisted, Timeout};
use crate::params::{Family, Linux, Look, Losses, Need, Sheet};
use crate::queue::Header;
use crate::table::NoParams;
use crate::units::{Duration, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "xcp",
    title: "eXplicit Control Protocol",
    family: Family::Routers,
    source: "Katabi, Handley and Rohrs: Congestion Control for High Bandwidth-Delay Product \
             Networks, SIGCOMM 2002, section 3.3; draft-falk-xcp-spec-03, section 3",
    equations: "\
per segment:  carries w and the smoothed RTT
per ACK:      w <- max(w + H, 1),  H the smallest change that a router allows
per loss:     w <- w/2, as Reno",
    differs: "\
If no router on the path supports XCP (queue policy xcp), ACKs carry no H, and the \
flow is Reno with its slow start. Script: xcp.
A flow that does not use its whole window does not enlarge it. Script: xcp.
H is in segments, computed with the round trip in the segment's header; the \
draft sends a rate. During recovery H is ignored. Script: xcp.
A delayed ACK carries the sum of H of its segments. Test: delayed_acks_lose_nothing.",
    needs: &[Need::RouterFeedback],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::NONE,
    losses: Losses::UNKNOWN,
    look: Look { hue: 3, dash: 1 },
    states: &[],
    params: &[],
};

/// The sender's side of XCP.
// The window is at the same place as in every law.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Xcp {
    /// What the flow is if no router supports XCP.
    pub(super) legacy: Windowed<Reno>,
    /// The last feedback from the routers, for traces.
    told: f64,
}

impl Xcp {
    pub(super) fn new(_: NoParams, options: &Options) -> Self {
        Self { legacy: Windowed::new(Reno::new(RenoParams::default()), options), told: 0.0 }
    }
}

impl Controller for Xcp {
    reno_without_routers!();

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        let Some(told) = ack.feedback else { return self.legacy.on_ack(ack) };
        self.told = told;
        self.legacy.on_ack_by(ack, if ack.cwnd_limited { told } else { told.min(0.0) });
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("told", self.told);
    }
}

impl RouterAssisted for Xcp {
    fn header(&self, rtt: Option<Duration>) -> Header {
        Header::Xcp { cwnd: self.cwnd(), rtt, feedback: None }
    }
}

impl Overrule for Xcp {}

impl Deflate for Xcp {
    fn deflate(&mut self, by: f64) {
        self.legacy.deflate(by);
    }
}
