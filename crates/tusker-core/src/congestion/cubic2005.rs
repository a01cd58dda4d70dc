//! CUBIC as it was first published, before it became a standard.
//!
//! Source: Rhee and Xu, "CUBIC: A New TCP-Friendly High-Speed TCP Variant",
//! PFLDnet 2005, section 3; Mascolo and Vacirca, "Issues in Performance
//! Evaluation of New TCP Stacks in High Speed Networks", section II, equations 6
//! and 7.
//!
//! The curve is that of `cubic.rs`. Unlike in RFC 9438, a loss takes 0.2 of the
//! window instead of 0.3, the gain per second is bounded (far from `W_max` the flow
//! grows linearly), and the window that Reno would have is computed from the time,
//! not from the ACKs.

use super::cubic::{CubicParams, Curve};
use super::losses::reno_window;
use super::{Ack, Law, Window};
use crate::params::{Family, Linux, Look, Losses, Sheet};
use crate::table::params;
use crate::units::{Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "cubic2005",
    title: "CUBIC of 2005",
    family: Family::Loss,
    source: "Rhee, Xu: CUBIC: A New TCP-Friendly High-Speed TCP Variant, PFLDnet 2005, section 3; \
             Mascolo, Vacirca: Issues in Performance Evaluation of New TCP Stacks, section II",
    equations: "\
per loss:  W_max <- w; if that is below the previous W_max (fast convergence):
           W_max <- w (2 - b)/2;  then w <- (1 - b) w
W(t) = C (t - K)^3 + W_max,  K = cbrt(W_max b/C)
per ACK:   w <- w + (W(t + RTT) - w)/w, by no more than s_max per second
           W_tcp(t) = w_epoch + 3 b/(2 - b) t/RTT
           w < W_tcp(t):  w <- W_tcp(t) (TCP mode)
t: time since growth resumed;  w_epoch: w at that time",
    differs: "\
K is cbrt((W_max - w_epoch)/C). This is the paper's K except after fast \
convergence, where the paper's curve would begin below the window. Script: \
cubic2005.
t starts at the first ACK after recovery, as in Linux; the papers count from the \
loss. Script: cubic2005.
Linux 2.6.22, and with it ns-2.35's TCP-Linux, limits the gain (to s_max) only \
above W_max, and uses the shortest round trip where the paper uses the current \
one. Test: the_simulator_agrees_with_ns2 (cells m/linux-cubic).",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: true,
    linux: Linux {
        today: "For what Linux runs today, use cubic-linux. This is CUBIC as first published.",
        ..Linux::NONE
    },
    losses: Losses { window: Some(mean_window), longest: Some(longest), ..Losses::UNKNOWN },
    look: Look { hue: 2, dash: 2 },
    states: &[],
    params: Cubic2005Params::LIST,
};

params! { pub(super) struct Cubic2005Params {
    c: f64 as in CubicParams,
    /// fraction of the window given up at a loss
    b: f64 = 0.2 in 0.05..=0.9,
    /// largest gain per second
    s_max: f64 = 160.0 "segments/s" in 1.0..=1e6,
    friendly: bool as in CubicParams,
    fast_convergence: bool as in CubicParams,
} }

/// RFC 9438, section 5.1 with beta = 0.8: (0.4 * 3.8 / 0.8)^(1/4).
fn mean_window(p: f64, rtt: f64) -> f64 {
    (1.174 * libm::pow(rtt / p, 0.75)).max(reno_window(p, rtt))
}

/// K = cbrt(0.2 W / 0.4), and on short paths nothing is faster.
fn longest(peak: f64, _: f64) -> f64 {
    libm::cbrt(0.2 * peak / 0.4)
}

/// CUBIC of 2005 in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Cubic2005 {
    params: Cubic2005Params,
    curve: Curve,
}

impl Cubic2005 {
    pub(super) fn new(params: Cubic2005Params) -> Self {
        Self { params, curve: Curve::new(1.0 - params.b, params.c, params.fast_convergence) }
    }
}

impl Law for Cubic2005 {
    #[inline]
    fn observe(&mut self, _: &Window, ack: &Ack) {
        self.curve.observe(ack);
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let (t, begin) = self.curve.since_epoch(w.cwnd, ack.now);
        let rtt = self.curve.rtt;
        let most = if rtt > 0.0 { self.params.s_max * rtt } else { self.params.s_max };
        let step = (self.curve.at(t + rtt) - w.cwnd).clamp(0.0, most);
        w.cwnd += step * (ack.credit / w.cwnd).min(1.0);
        if self.params.friendly && rtt > 0.0 {
            w.cwnd = w.cwnd.max(begin + self.curve.alpha() * t / rtt);
        }
    }

    fn shrink(&mut self, w: f64) -> f64 {
        self.curve.shrink(w)
    }

    fn reset(&mut self, _: Time) {
        self.curve.reset();
    }

    fn keep(&mut self) {
        self.curve.keep();
    }

    fn undone(&mut self) {
        self.curve.undone();
    }

    fn idle(&mut self, idle: Duration) {
        self.curve.idle(idle);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        self.curve.inspect(see);
    }
}
