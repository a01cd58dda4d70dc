//! General AIMD: grows by alpha segments per round trip, shrinks to beta times the
//! window at a loss.
//!
//! Source: Yang, Lam: General AIMD Congestion Control, ICNP 2000 (from memory):
//! with beta = 7/8, alpha = 4 (1 - beta^2)/3 = 0.31 gives a flow the same share as
//! a Reno flow beside it.

use super::{Ack, Law, Window};
use crate::params::{Family, Linux, Look, Losses, Sheet};
use crate::table::params;

pub(super) const SHEET: Sheet = Sheet {
    name: "gaimd",
    title: "General AIMD",
    family: Family::Loss,
    source: "Yang, Lam: General AIMD Congestion Control, ICNP 2000 (from memory)",
    equations: "\
per ACK:   w <- w + alpha/w
per loss:  w <- beta w",
    differs: "",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: false,
    linux: Linux::NONE,
    losses: Losses::UNKNOWN,
    look: Look { hue: 4, dash: 4 },
    states: &[],
    params: GaimdParams::LIST,
};

params! { pub(super) struct GaimdParams {
    /// segments gained per round trip
    alpha: f64 = 0.31 "segments" in 0.001..=10.0,
    /// fraction of the window that remains after a loss
    beta: f64 = 0.875 in 0.1..=0.99,
} }

/// General AIMD in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Gaimd(GaimdParams);

impl Gaimd {
    pub(super) fn new(params: GaimdParams) -> Self {
        Self(params)
    }
}

impl Law for Gaimd {
    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        w.cwnd += ack.credit * self.0.alpha / w.cwnd;
    }

    fn shrink(&mut self, w: f64) -> f64 {
        self.0.beta * w
    }
}
