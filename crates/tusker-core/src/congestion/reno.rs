//! Reno: grows by one segment per round trip, halves at a loss.

use super::{Ack, Law, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Sheet};
use crate::table::params;

pub(super) const SHEET: Sheet = Sheet {
    name: "reno",
    title: "TCP Reno congestion avoidance",
    family: Family::Loss,
    source: "RFC 5681, section 3.1, equations 3 and 4; beta_ecn: RFC 8511, section 3.1 (from memory)",
    equations: "\
per ACK:   w <- w + 1/w
per loss:  ssthresh = w/2, w <- ssthresh
per mark:  the same with beta_ecn w, but in slow start w/2",
    differs: "",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: true,
    linux: Linux::module(Module::of("reno", Counts::Segments)),
    losses: Losses::RENO,
    look: Look { hue: 1, dash: 0 },
    states: &[],
    params: RenoParams::LIST,
};

params! { pub(super) struct RenoParams {
    /// fraction of the window that remains after a mark; 0.8 with ABE (RFC 8511)
    beta_ecn: f64 = 0.5 in 0.5..=0.99,
} }

/// The congestion avoidance of RFC 5681. Detecting and repairing losses (Reno,
/// NewReno, SACK) is left to the transport.
#[derive(Clone, Debug)]
pub struct Reno(RenoParams);

impl Reno {
    pub(super) fn new(params: RenoParams) -> Self {
        Self(params)
    }
}

impl Law for Reno {
    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        // RFC 5681, equation 3: cwnd += SMSS*SMSS/cwnd
        w.cwnd += ack.credit / w.cwnd;
    }

    fn shrink(&mut self, w: f64) -> f64 {
        // RFC 5681, equation 4: ssthresh = max(FlightSize / 2, 2*SMSS)
        w / 2.0
    }

    fn shrink_at_mark(&mut self, w: f64, slow_start: bool) -> Option<f64> {
        (!slow_start).then_some(self.0.beta_ecn * w)
    }
}
