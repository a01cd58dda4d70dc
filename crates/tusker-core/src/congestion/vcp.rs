//! VCP: two bits from the routers choose how the window changes.
//!
//! ```text
//!                   low              high             overload
//!   the window      multiplies (MI)  adds (AI)        is cut once (MD), stands for
//!                                                     t_rho, adds for one RTT, ...
//! ```
//!
//! Multiplicative increase brings the link to a high load quickly; additive
//! increase and cuts then share the link. The routers' side is the queue policy of
//! the same name.

use super::reno::{Reno, RenoParams};
use super::windowed::{Options, Windowed};
use super::{Ack, Congestion, Controller, Deflate, Overrule, RouterAssisted, Timeout};
use crate::params::{Family, Linux, Look, Losses, Need, Sheet};
use crate::queue::Header;
use crate::table::params;
use crate::units::{Duration, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "vcp",
    title: "Variable-structure congestion Control Protocol",
    family: Family::Routers,
    source: "Xia, Subramanian, Stoica and Kalyanaraman: One More Bit Is Enough, SIGCOMM 2005, \
             sections 3.1 and 3.3 to 3.5",
    equations: "\
per RTT at a low load:    w <- w (1 + xi)^(rtt/t_rho)
per RTT at a high load:   w <- w + alpha (rtt/t_rho)^2
at overload:              w <- beta w; then w is constant for t_rho and grows as at a high
                          load for one RTT, before the next cut
per loss:                 w <- w/2, as Reno",
    differs: "\
rtt/t_rho counts as 2.5 at most in both rules; the authors' code for ns-2 has this \
bound only at a low load. Script: vcp.
rtt is the smoothed RTT at the start of the current round. Script: vcp.
There is no slow start: a flow starts with multiplicative increase. If no router \
on the path supports VCP (queue policy vcp), the flow is Reno with its slow start. \
Script: vcp.
During recovery the routers' load code is ignored. Script: vcp.",
    needs: &[Need::RouterFeedback],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::NONE,
    losses: Losses::UNKNOWN,
    look: Look { hue: 3, dash: 4 },
    states: &[],
    params: VcpParams::LIST,
};

params! { pub(super) struct VcpParams {
    /// growth per t_rho at a low load: 0.25 (1 - 0.8)/0.8
    xi: f64 = 0.0625 in 0.0..=1.0,
    /// segments gained per round trip of t_rho at a high load
    alpha: f64 = 1.0 "segments" in 0.0..=100.0,
    /// fraction of the window that remains after a cut at overload
    beta: f64 = 0.875 in 0.1..=1.0,
    /// interval over which routers measure their load; must be the same as theirs
    t_rho: Duration = 0.2 "s" in 0.001..=10.0,
} }

/// Round trips count as at most this many times `t_rho`.
const MOST: f64 = 2.5;

/// Codes of the routers.
const LOW: f64 = 1.0;
const HIGH: f64 = 2.0;

/// The sender's side of VCP.
// The window is at the same place as in every law.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Vcp {
    /// What the flow is if no router supports VCP.
    pub(super) legacy: Windowed<Reno>,
    params: VcpParams,
    /// Of the last round: its RTT, growth per segment while multiplying, and per
    /// window while adding.
    rtt: Duration,
    multiply: f64,
    add: f64,
    /// After a cut the window stays constant until then.
    stands: Time,
    /// The window is not cut again before then.
    safe: Time,
    /// The last code, for traces.
    load: f64,
}

impl Vcp {
    pub(super) fn new(params: VcpParams, options: &Options) -> Self {
        let mut vcp = Self {
            legacy: Windowed::new(Reno::new(RenoParams::default()), options),
            params,
            rtt: Duration::ZERO,
            multiply: 0.0,
            add: 0.0,
            stands: Time::ZERO,
            safe: Time::ZERO,
            load: 0.0,
        };
        vcp.scale(params.t_rho);
        vcp
    }

    /// The growth that belongs to a round trip of this length.
    fn scale(&mut self, rtt: Duration) {
        self.rtt = rtt;
        let times = (rtt.secs() / self.params.t_rho.secs()).min(MOST);
        self.multiply = libm::pow(1.0 + self.params.xi, times) - 1.0;
        self.add = self.params.alpha * times * times;
    }

    /// By how much this ACK changes the window.
    fn change(&mut self, ack: &Ack) -> f64 {
        let grows = if ack.cwnd_limited { ack.credit } else { 0.0 };
        let adding = grows * self.add / self.cwnd();
        match self.load {
            load if load <= LOW => grows * self.multiply,
            load if load <= HIGH => adding,
            _ if ack.now < self.stands => 0.0,
            _ if ack.now < self.safe => adding,
            _ => {
                self.stands = ack.now + self.params.t_rho;
                self.safe = self.stands + self.rtt;
                (self.params.beta - 1.0) * self.cwnd()
            }
        }
    }
}

impl Controller for Vcp {
    reno_without_routers!();

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        if let (true, Some(rtt)) = (ack.round_start, ack.rtt) {
            self.scale(rtt.smoothed);
        }
        let Some(load) = ack.feedback else { return self.legacy.on_ack(ack) };
        self.load = load;
        let change = if self.legacy.is_recovering() { 0.0 } else { self.change(ack) };
        self.legacy.on_ack_by(ack, change);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("load", self.load);
    }
}

impl RouterAssisted for Vcp {
    fn header(&self, _: Option<Duration>) -> Header {
        Header::Vcp { load: 0 }
    }
}

impl Overrule for Vcp {}

impl Deflate for Vcp {
    fn deflate(&mut self, by: f64) {
        self.legacy.deflate(by);
    }
}
