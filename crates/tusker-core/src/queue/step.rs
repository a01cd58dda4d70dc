//! Step: signals every packet that finds more than K packets waiting.
//!
//! ```text
//! probability of a signal
//!   1            +--------
//!                |
//!   0 -----------+
//!                K          packets waiting on arrival
//! ```
//!
//! This is what DCTCP requires of a switch: RED with both thresholds at K, using the
//! instantaneous queue instead of an average.

use super::{Aqm, Backlog, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "step",
    title: "Step marking",
    family: Family::ScalableMarks,
    source: "RFC 8257, sections 3.1 and 4.1; Alizadeh et al.: Data Center TCP (DCTCP), SIGCOMM 2010, \
             section 3.1",
    equations: "\
signal if q > k, where q packets wait when a packet arrives
full utilisation needs k > C RTT / 7,  C in packets per second",
    differs: "\
The RFC leaves the unit of the queue to the switch; k is in packets, as in the \
paper (k_counts_packets).
The packet that is being sent is not counted (k_counts_packets).
A packet that cannot be marked is dropped, as for any signal here; the paper's \
switch would let it pass until the buffer is full \
(a_signal_is_for_every_packet).",
    needs: &[Need::Marking],
    params: StepParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct StepParams {
    /// packets that may wait without a signal; in the paper 20 at 1 Gbit/s and 65 at 10 Gbit/s
    k: f64 = 65.0 "pkt" in 0.0..=1e9,
} }

/// Step marking; see `tusker explain step`.
#[derive(Clone, Debug)]
pub struct Step {
    k: f64,
}

impl SetUp for Step {
    type Params = StepParams;

    fn new(params: StepParams, _: &Link) -> Self {
        Self { k: params.k }
    }
}

impl Aqm for Step {
    #[inline]
    fn on_arrival(&mut self, _: &Meta, q: &Backlog, _: Time, _: &mut Rng) -> Verdict {
        // "if the queue occupancy is greater than K upon its arrival"
        if f64::from(q.packets) > self.k { Verdict::Signal } else { Verdict::Pass }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Bytes, Rate};

    fn verdict(k: f64, packets: u32, size: u64, ecn_capable: bool) -> Verdict {
        let link =
            Link { rate: Rate::from_bits_per_sec(1_000_000_000), mean_packet: Bytes::new(1500) };
        let p = Meta { size: Bytes::new(size), ecn_capable, dscp: 0 };
        let q = Backlog { packets, bytes: Bytes::new(size * u64::from(packets)), idle_since: None };
        let rng = &mut Rng::named(1, "test");
        Step::new(StepParams { k }, &link).on_arrival(&p, &q, Time::ZERO, rng)
    }

    #[test]
    fn k_counts_packets() {
        for size in [40, 9000] {
            assert_eq!(verdict(20.0, 20, size, true), Verdict::Pass);
            assert_eq!(verdict(20.0, 21, size, true), Verdict::Signal);
        }
        // the packet in transmission alone is not a queue
        assert_eq!(verdict(0.0, 0, 1500, true), Verdict::Pass);
        assert_eq!(verdict(0.0, 1, 1500, true), Verdict::Signal);
    }

    #[test]
    fn a_signal_is_for_every_packet() {
        assert_eq!(verdict(20.0, 21, 1500, false), Verdict::Signal);
    }
}
