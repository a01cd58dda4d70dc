//! FQ-CoDel: a queue for every flow, each under CoDel.
//!
//! Hoeiland-Joergensen, McKenney, Taht, Gettys and Dumazet, RFC 8290. This file has
//! everything that can be decided without packets: how many queues there are, which
//! one a flow's packets go to, how much each may send in a turn, and CoDel. The
//! code that holds the packets keeps the queues (`tusker_path::Station`).
//!
//! ```text
//!   new queues --- quantum spent, or empty ---> old queues (round robin)
//!   a queue that was empty goes to the end of the new ones; those go first
//! ```

use super::codel::{Codel, CodelParams};
use super::flow_queues::{FlowQueues, are_whole, bytes_or};
use super::{Aqm, Backlog, Departing, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "fq_codel",
    title: "FQ-CoDel (Flow Queue CoDel)",
    family: Family::FlowQueues,
    source: "RFC 8290, sections 3 to 5; CoDel: RFC 8289",
    equations: "\
a packet goes to queue hash(flow) mod flows; a queue that was empty joins the new queues
full: drop half of the packets of the queue with the most bytes, at most 64, from its head
to send: take the first new queue, or if there is none the first old one
  its credits <= 0:        credits <- credits + quantum;  to the end of the old queues;  next queue
  CoDel lets a packet go:  credits <- credits - size;  send the packet
  it is empty:             a new queue goes to the end of the old ones, an old one is removed;
                           next queue",
    differs: "\
- A flow is a connection's data, its ACKs, or a background source; the RFC's hash of the \
5-tuple distinguishes the same flows. The hash is fixed, not drawn at start \
(flows_are_spread_over_the_queues).
- Each queue's CoDel considers the backlog of this queue; in Linux it considers the \
backlog of all queues together.
- If all packets are in a single queue, it behaves like CoDel (with_a_single_queue_it_is_codel).
- A quantum of 0 stands for the queue's mean_packet, which by default is the size of the \
largest packets on the link; the RFC has 1514 bytes for Ethernet \
(a_quantum_of_zero_is_a_packet).",
    needs: &[Need::Departures],
    params: FqCodelParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct FqCodelParams {
    codel: CodelParams,
    /// number of queues over which flows are spread
    flows: f64 = 1024.0 "queues" in 1.0..=65_536.0,
    /// bytes that a queue may send in a turn; 0 for one packet
    quantum: f64 = 0.0 "B" in 0.0..=1e6,
} }

/// Flow Queue CoDel; see `tusker explain fq_codel`.
#[derive(Clone, Debug)]
pub struct FqCodel {
    queues: FlowQueues,
    codel: Codel,
}

impl SetUp for FqCodel {
    type Params = FqCodelParams;

    fn new(params: FqCodelParams, link: &Link) -> Self {
        let quantum = bytes_or(params.quantum, 1, link.mean_packet);
        let queues = FlowQueues::rfc8290(params.flows as u32, quantum);
        Self { queues, codel: Codel::new(params.codel, link) }
    }

    fn check(params: &FqCodelParams) -> Result<(), &'static str> {
        Codel::check(&params.codel)?;
        if !are_whole(&[params.flows, params.quantum]) {
            return Err("flows and quantum must be whole numbers");
        }
        Ok(())
    }
}

/// The CoDel that controls each queue.
impl Aqm for FqCodel {
    #[inline]
    fn on_arrival(&mut self, _: &Meta, _: &Backlog, _: Time, _: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(&mut self, p: &Departing, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict {
        self.codel.on_departure(p, q, now, rng)
    }

    fn on_empty(&mut self, now: Time) {
        self.codel.on_empty(now);
    }

    fn flow_queues(&self) -> Option<FlowQueues> {
        Some(self.queues)
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        self.codel.inspect(see);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::table::given;
    use crate::units::{Bytes, Rate};
    use std::vec;

    const LINK: Link =
        Link { rate: Rate::from_bits_per_sec(10_000_000), mean_packet: Bytes::new(1500) };

    fn fq(values: &[(&str, f64)]) -> FqCodel {
        FqCodel::new(given(values), &LINK)
    }

    #[test]
    fn flows_are_spread_over_the_queues() {
        // 64,000 balls into 1024 bins: 62.5 each, standard deviation 7.9; the
        // fullest of 1024 lies at about 3.2 of them, and 6 are never reached
        let policy = fq(&[]);
        let mut hits = vec![0_u32; 1024];
        for flow in 0..64_000 {
            hits[policy.queues.queue_of(flow) as usize] += 1;
        }
        assert!(hits.iter().all(|&n| (15..=110).contains(&n)), "{hits:?}");
        assert_eq!(fq(&[("flows", 1.0)]).queues.queue_of(7), 0);
    }

    #[test]
    fn a_quantum_of_zero_is_a_packet() {
        assert_eq!(fq(&[]).queues.quantum, Bytes::new(1500));
        assert_eq!(fq(&[("quantum", 300.0)]).queues.quantum, Bytes::new(300));
    }

    #[test]
    fn with_a_single_queue_it_is_codel() {
        let (mut fq, mut alone) = (fq(&[]), fq(&[]).codel);
        let mut rng = Rng::named(1, "test");
        for ms in 1000..2000_u64 {
            let now = Time::from_nanos(ms * 1_000_000);
            let arrived = Time::from_nanos((ms - 20) * 1_000_000);
            let p = Departing { size: Bytes::new(1000), can_mark: false, arrived, l4s: None };
            let q = Backlog { packets: 9, bytes: Bytes::new(9000), idle_since: None };
            let verdict = fq.on_departure(&p, &q, now, &mut rng);
            assert_eq!(verdict, alone.on_departure(&p, &q, now, &mut rng), "{ms} ms");
        }
    }

    #[test]
    fn half_a_queue_is_refused() {
        assert_eq!(FqCodel::check(&given(&[])), Ok(()));
        assert!(FqCodel::check(&given(&[("flows", 1.5)])).is_err());
    }
}
