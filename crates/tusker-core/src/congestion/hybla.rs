//! TCP Hybla: every flow grows as one with a round trip of 25 ms would.
//!
//! Source: Caini and Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks",
//! International Journal of Satellite Communications and Networking 22(5), 2004, equations 6
//! and 7 (from memory); Linux, net/ipv4/tcp_hybla.c (read).
//!
//! ```text
//!   rho = RTT/RTT0, at least 1
//!   slow start   w = rho 2^(t/RTT0)     so per ACK  2^rho - 1
//!   avoidance    w/RTT + 1/RTT0^2 per s so per ACK  rho^2/w
//! ```
//!
//! So a flow over a long path (a satellite) does not get less than one over a short path.

use super::{Ack, Law, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Sheet};
use crate::table::params;
use crate::units::Duration;

pub(super) const SHEET: Sheet = Sheet {
    name: "hybla",
    title: "TCP Hybla",
    family: Family::Loss,
    source: "Caini, Firrincieli: TCP Hybla: a TCP enhancement for heterogeneous networks, \
             IJSCN 22(5), 2004 (from memory); Linux, net/ipv4/tcp_hybla.c",
    equations: "\
rho = max(RTT/rtt0, 1),  RTT: the smallest smoothed round trip so far
slow start (its own; slow_start has no effect), per ACK:  w <- w + 2^rho - 1, to ssthresh at most
congestion avoidance, per ACK:  w <- w + rho^2/w
per loss:  w <- w/2",
    differs: "\
As in Linux, rho follows the smallest smoothed round trip, not the current one, \
and 2^rho is at most 2^17. Script: hybla.
Linux truncates rho to eighths and growth to 128ths of a segment per ACK, which \
leaves little growth at large windows. If it leaves none, Linux grows like Reno. \
linux_rounding = 1 does the same. Script: hybla_linux.
A flow starts with the scenario's initial window; in the paper with rho segments. \
Linux never exceeds 65,535 segments. Script: hybla.
The paper also sets the first ssthresh from a bandwidth estimate and paces segments. \
Neither Linux nor this code does either, so slow start overshoots by a factor of up to \
2^rho. Script: hybla.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: false,
    linux: Linux {
        // rho^2/w is added once per ACK
        module: Some(Module {
            params: &[("linux_rounding", 1.0)],
            ..Module::of("hybla", Counts::Acks)
        }),
        ..Linux::NONE
    },
    losses: Losses::UNKNOWN,
    look: Look { hue: 1, dash: 2 },
    states: &[],
    params: HyblaParams::LIST,
};

params! { pub(super) struct HyblaParams {
    /// round-trip time of the reference flow, whose growth all flows imitate (RTT0)
    rtt0: Duration = 0.025 "s" in 0.001..=1.0,
    /// round rho to eighths and growth to 128ths (or use Reno's growth), as in Linux
    linux_rounding: bool = false,
} }

/// Linux: `1 << min(rho, 16)`, and up to 7/8 beyond it.
const MOST: f64 = 17.0;

/// TCP Hybla.
#[derive(Clone, Debug)]
pub struct Hybla {
    params: HyblaParams,
    rtt: Duration,
    rho: f64,
    /// 2^rho - 1.
    step: f64,
}

impl Hybla {
    pub(super) fn new(params: HyblaParams) -> Self {
        Self { params, rtt: Duration::MAX, rho: 1.0, step: 1.0 }
    }

    /// In 128ths, as far as Linux's integers keep them: in 2^rho only the fraction
    /// of rho has them.
    fn rounded(&self, two_to_rho: f64) -> f64 {
        if !self.params.linux_rounding {
            return two_to_rho;
        }
        let whole = libm::exp2(libm::floor(libm::log2(two_to_rho)));
        whole * libm::floor(two_to_rho / whole * 128.0) / 128.0
    }

    /// Growth per ACK in congestion avoidance.
    fn growth(&self, cwnd: f64) -> f64 {
        let growth = self.rho * self.rho / cwnd;
        if !self.params.linux_rounding {
            return growth;
        }
        let cut = libm::floor(self.rho * self.rho / libm::floor(cwnd) * 128.0) / 128.0;
        if cut > 0.0 { cut } else { 1.0 / cwnd }
    }
}

impl Law for Hybla {
    const OWN_SLOW_START: bool = true;

    fn observe(&mut self, _: &Window, ack: &Ack) {
        let Some(rtt) = ack.rtt.filter(|rtt| rtt.smoothed < self.rtt) else { return };
        self.rtt = rtt.smoothed;
        let rho = self.rtt.secs() / self.params.rtt0.secs();
        let rho = if self.params.linux_rounding { libm::floor(rho * 8.0) / 8.0 } else { rho };
        self.rho = rho.max(1.0);
        self.step = self.rounded(libm::exp2(self.rho.min(MOST))) - 1.0;
    }

    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        if w.cwnd < w.ssthresh {
            w.cwnd = (w.cwnd + self.step * ack.credit).min(w.ssthresh);
        } else {
            w.cwnd += self.growth(w.cwnd) * ack.credit;
        }
    }

    fn shrink(&mut self, w: f64) -> f64 {
        w / 2.0
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("rho", self.rho);
    }
}
