//! FQ: a queue for every flow, in turns, without an AQM.
//!
//! Linux's `fq` at a router: the turns, without the pacing that it does for the sockets of its
//! own host.

use super::flow_queues::{FlowQueues, Full, are_whole, bytes_or};
use super::{Aqm, Backlog, Departing, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::{Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "fq",
    title: "FQ (fair queueing of Linux)",
    family: Family::FlowQueues,
    source: "Linux, net/sched/sch_fq.c (commit 01857fc712f6); tc-fq(8)",
    equations:
        "\
a packet goes to queue hash(flow) mod flows; a queue that was empty joins the new queues
  at first its credits are initial_quantum; after refill_delay without packets at least quantum
an arriving packet is dropped if its queue holds flow_limit packets, or the queues are full
to send: take the first new queue, or if there is none the first old one
  its credits <= 0:  credits <- credits + quantum;  to the end of the old queues;  next queue
  it has a packet:   credits <- credits - size;  send, marked if it waited longer than ce_threshold
  it is empty:       a new queue goes to the end of the old ones, an old one is removed; next queue",
    differs: "\
- Packets are not paced: those of a host's own sockets are paced by their senders here.
- All packets have one priority: Linux has three bands of them.
- At a host, Linux has a queue for every socket; here flows are spread over queues, as it does \
with packets that it forwards (orphan_mask 1023).
- Times are exact; Linux measures refill_delay in ticks.
- A quantum and an initial_quantum of 0 are 2 and 10 packets of mean_packet; Linux counts \
1514 bytes for Ethernet (the_defaults_are_those_of_linux).",
    needs: &[Need::Departures],
    params: FqParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct FqParams {
    /// number of queues over which flows are spread
    flows: f64 = 1024.0 "queues" in 1.0..=65_536.0,
    /// bytes that a queue may send in a turn; 0 for two packets
    quantum: f64 = 0.0 "B" in 0.0..=1e6,
    /// bytes that a queue may send in its first turn; 0 for ten packets
    initial_quantum: f64 = 0.0 "B" in 0.0..=1e9,
    /// packets in a queue
    flow_limit: f64 = 100.0 "pkt" in 1.0..=1e9,
    /// a queue that was empty for longer may send a quantum at once
    refill_delay: Duration = 0.04 "s" in 0.0..=3600.0,
    /// waiting time above which ECN-capable packets are marked; 0 for none
    ce_threshold: Duration = 0.0 "s" in 0.0..=3600.0,
} }

/// Fair queueing of Linux; see `tusker explain fq`.
#[derive(Clone, Debug)]
pub struct Fq {
    queues: FlowQueues,
    ce_threshold: Duration,
}

impl SetUp for Fq {
    type Params = FqParams;

    fn new(params: FqParams, link: &Link) -> Self {
        let quantum = bytes_or(params.quantum, 2, link.mean_packet);
        let queues = FlowQueues {
            initial_quantum: bytes_or(params.initial_quantum, 10, link.mean_packet),
            refill_delay: Some(params.refill_delay),
            flow_limit: params.flow_limit as u32,
            full: Full::Arriving,
            ..FlowQueues::rfc8290(params.flows as u32, quantum)
        };
        Self { queues, ce_threshold: params.ce_threshold }
    }

    fn check(params: &FqParams) -> Result<(), &'static str> {
        let FqParams { flows, quantum, initial_quantum, flow_limit, .. } = *params;
        if !are_whole(&[flows, quantum, initial_quantum, flow_limit]) {
            return Err("flows, quantum, initial_quantum and flow_limit must be whole numbers");
        }
        Ok(())
    }
}

impl Aqm for Fq {
    #[inline]
    fn on_arrival(&mut self, _: &Meta, _: &Backlog, _: Time, _: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(&mut self, p: &Departing, _: &Backlog, now: Time, _: &mut Rng) -> Verdict {
        above_ce_threshold(self.ce_threshold, p, now)
    }

    fn flow_queues(&self) -> Option<FlowQueues> {
        Some(self.queues)
    }
}

/// Linux's `ce_threshold`: marks ECN-capable packets that have waited longer, and drops nothing.
pub(super) fn above_ce_threshold(threshold: Duration, p: &Departing, now: Time) -> Verdict {
    let marks = threshold > Duration::ZERO && p.can_mark && now.since(p.arrived) > threshold;
    if marks { Verdict::Signal } else { Verdict::Pass }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::given;
    use crate::units::{Bytes, Rate};

    const LINK: Link =
        Link { rate: Rate::from_bits_per_sec(10_000_000), mean_packet: Bytes::new(1514) };

    #[test]
    fn the_defaults_are_those_of_linux() {
        // tc-fq(8): quantum 3028, initial_quantum 15140, flow_limit 100, refill_delay 40 ms
        let queues = Fq::new(FqParams::default(), &LINK).queues;
        assert_eq!(queues.quantum, Bytes::new(3028));
        assert_eq!(queues.initial_quantum, Bytes::new(15_140));
        assert_eq!(queues.flow_limit, 100);
        assert_eq!(queues.refill_delay, Some(Duration::from_millis(40)));
        assert_eq!(queues.count, 1024);
    }

    #[test]
    fn above_the_threshold_what_can_be_marked_is() {
        let verdict = |threshold, waited_us: u64, can_mark| {
            let mut fq = Fq::new(given(&[("ce_threshold", threshold)]), &LINK);
            let p = Departing { size: Bytes::new(1500), can_mark, arrived: Time::ZERO, l4s: None };
            let now = Time::from_nanos(waited_us * 1000);
            fq.on_departure(&p, &Backlog::EMPTY, now, &mut Rng::named(1, "test"))
        };
        assert_eq!(verdict(0.001, 1_000, true), Verdict::Pass);
        assert_eq!(verdict(0.001, 1_001, true), Verdict::Signal);
        assert_eq!(verdict(0.001, 9_000, false), Verdict::Pass);
        assert_eq!(verdict(0.0, 9_000, true), Verdict::Pass);
    }
}
