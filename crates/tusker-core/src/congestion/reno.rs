//! Reno: one segment per round trip up, one half down.

use super::{Ack, Law, Window};
use crate::params::Sheet;
use crate::table::NoParams;

pub(super) const SHEET: Sheet = Sheet {
    name: "reno",
    title: "TCP Reno congestion avoidance",
    source: "RFC 5681, section 3.1, equations 3 and 4",
    equations: "\
per ACK:   w <- w + 1/w
per loss:  ssthresh = w/2, w <- ssthresh",
    differs: "",
    needs: &[],
    params: &[],
};

/// The congestion avoidance of RFC 5681. How losses are found and repaired
/// (Reno, NewReno, SACK) is the transport's business.
#[derive(Clone, Debug, Default)]
pub struct Reno;

impl Reno {
    pub(super) fn new(_: NoParams) -> Self {
        Self
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
}
