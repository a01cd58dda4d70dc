//! SFQ: stochastic fairness queueing.
//!
//! McKenney: Stochastic Fairness Queueing, INFOCOM 1990, as in Linux: flows are hashed to
//! queues that take turns, and the longest one loses a packet when there is no room.

use super::flow_queues::{FlowQueues, Full, are_whole, bytes_or};
use super::{Aqm, Backlog, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::{Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "sfq",
    title: "SFQ (stochastic fairness queueing)",
    family: Family::FlowQueues,
    source: "McKenney: Stochastic Fairness Queueing, INFOCOM 1990 (from memory); \
             Linux, net/sched/sch_sfq.c (commit 00ed905ab8e5); tc-sfq(8) (from memory)",
    equations: "\
a packet goes to queue hash(flow) mod divisor; it is dropped if that queue holds depth packets,
or is empty and `flows` others are not
a queue that was empty goes to the end of the turns, with an allotment of quantum
full: the queue with the most packets loses its last one; of equals the one that changed last;
      if none has two packets, the queue whose turn it is loses its packet
every perturb seconds: another hash; all packets go to its queues, each queue's in their order
to send: take the first queue
  its allotment <= 0:  allotment <- allotment + quantum;  to the end of the turns;  next queue
  else:                send its first packet;  allotment <- allotment - size;
                       a queue that is empty now leaves the turns",
    differs: "\
- The first hash is the same in every run; in Linux it is drawn. Without perturb, Linux's \
default, two flows that share a queue share it for the whole run.
- After a change of the hash, a queue may hold more than depth packets, and more than `flows` \
queues may hold some, until they have left; Linux drops these packets.
- headdrop, and RED within the queues, are left out; both are off by default in Linux.
- limit is the queue's limit, in Linux 127 packets by default, and counts the packet in \
transmission.
- A quantum of 0 is one packet of mean_packet; Linux counts 1514 bytes for Ethernet \
(the_defaults_are_those_of_linux).",
    needs: &[Need::Departures],
    params: SfqParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct SfqParams {
    /// number of queues over which flows are spread
    divisor: f64 = 1024.0 "queues" in 1.0..=65_536.0,
    /// number of queues that may hold packets
    flows: f64 = 128.0 "queues" in 1.0..=65_536.0,
    /// packets in a queue
    depth: f64 = 127.0 "pkt" in 1.0..=1e9,
    /// bytes that a queue may send in a turn; 0 for one packet
    quantum: f64 = 0.0 "B" in 0.0..=1e6,
    /// time after which the hash changes, at least 0.001; 0 for never
    perturb: Duration = 0.0 "s" in 0.0..=86_400.0,
} }

/// Stochastic fairness queueing; see `tusker explain sfq`.
#[derive(Clone, Debug)]
pub struct Sfq {
    queues: FlowQueues,
    perturb: Duration,
    /// When the hash changes next.
    next: Time,
}

impl SetUp for Sfq {
    type Params = SfqParams;

    fn new(params: SfqParams, link: &Link) -> Self {
        let quantum = bytes_or(params.quantum, 1, link.mean_packet);
        let queues = FlowQueues {
            flow_limit: params.depth as u32,
            active: params.flows as u32,
            new_first: false,
            full: Full::Longest,
            ..FlowQueues::rfc8290(params.divisor as u32, quantum)
        };
        let perturb = params.perturb;
        let never = perturb == Duration::ZERO;
        let next = if never { Time::NEVER } else { Time::ZERO + perturb };
        Self { queues, perturb, next }
    }

    fn check(params: &SfqParams) -> Result<(), &'static str> {
        let SfqParams { divisor, flows, depth, quantum, perturb } = *params;
        if !are_whole(&[divisor, flows, depth, quantum]) {
            return Err("divisor, flows, depth and quantum must be whole numbers");
        }
        // at every change all packets are sorted anew; Linux counts in whole seconds
        if perturb > Duration::ZERO && perturb < Duration::from_millis(1) {
            return Err("perturb must be 0 (never) or at least 0.001 s");
        }
        Ok(())
    }
}

impl Aqm for Sfq {
    #[inline]
    fn on_arrival(&mut self, _: &Meta, _: &Backlog, _: Time, _: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    fn poll_at(&self) -> Time {
        self.next
    }

    fn on_poll(&mut self, _: Time, _: &Backlog) {
        self.queues.perturbations += 1;
        self.next += self.perturb;
    }

    fn flow_queues(&self) -> Option<FlowQueues> {
        Some(self.queues)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Kind;
    use crate::units::{Bytes, Rate};

    #[test]
    fn the_defaults_are_those_of_linux() {
        // tc-sfq(8): divisor 1024, flows 127, depth 127, quantum the MTU and its header;
        // sch_sfq.c has SFQ_DEFAULT_FLOWS 128
        let rate = Rate::from_bits_per_sec(10_000_000);
        let link = Link { rate, mean_packet: Bytes::new(1514) };
        let queues = Sfq::new(SfqParams::default(), &link).queues;
        assert_eq!((queues.count, queues.active, queues.flow_limit), (1024, 128, 127));
        assert_eq!(queues.quantum, Bytes::new(1514));
    }

    /// One of 53 ns is 19 million changes of the hash in a second of a silent link.
    #[test]
    fn an_interval_without_an_end_of_changes_is_refused() {
        let with = |perturb| crate::queue::Spec::with(Kind::Sfq, [("perturb", perturb)]);
        assert!(with(5.3e-8).is_err() && with(9.9e-4).is_err());
        assert!(with(0.0).is_ok() && with(1e-3).is_ok());
    }

    /// tc-sfq(8): "perturb: Interval in seconds for queue algorithm perturbation. Defaults to 0,
    /// which means that no perturbation occurs".
    #[test]
    fn the_hash_changes_at_every_interval() {
        let rate = Rate::from_bits_per_sec(10_000_000);
        let link = Link { rate, mean_packet: Bytes::new(1514) };
        assert_eq!(Sfq::new(SfqParams::default(), &link).poll_at(), Time::NEVER);
        let perturb = Duration::from_millis(10_000);
        let mut sfq = Sfq::new(SfqParams { perturb, ..SfqParams::default() }, &link);
        let queue_of = |sfq: &Sfq| [0, 1, 2, 3].map(|flow| sfq.queues.queue_of(flow));
        let before = queue_of(&sfq);
        for nth in 1..=3 {
            let at = Time::from_nanos(nth * 10_000_000_000);
            assert_eq!(sfq.poll_at(), at);
            sfq.on_poll(at, &Backlog::EMPTY);
        }
        assert_ne!(queue_of(&sfq), before);
    }
}
