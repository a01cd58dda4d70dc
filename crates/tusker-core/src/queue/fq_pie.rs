//! FQ-PIE: a queue for every flow, each under PIE.
//!
//! The turns are those of FQ-CoDel (RFC 8290); each queue's PIE (RFC 8033) considers only this
//! queue.

use super::flow_queues::{FlowQueues, Full, are_whole, bytes_or};
use super::pie::{Pie, PieParams};
use super::{Aqm, Backlog, Departing, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::{Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "fq_pie",
    title: "FQ-PIE (Flow Queue PIE)",
    family: Family::FlowQueues,
    source: "RFC 8033 for each queue, turns as in RFC 8290; Linux, net/sched/sch_fq_pie.c \
             (commit 0a9e86dc1f0f)",
    equations: "\
a packet goes to queue hash(flow) mod flows, whose PIE may drop or mark it; it is dropped if the
queues are full;  a queue that was empty joins the new queues
to send: take the first new queue, or if there is none the first old one
  its credits <= 0:  credits <- credits + quantum;  to the end of the old queues;  next queue
  it has a packet:   credits <- credits - size;  send;  PIE's delay <- how long it waited
  it is empty:       a new queue goes to the end of the old ones, an old one is removed; next queue
every t_update: each queue's PIE adjusts its drop_prob (tusker explain pie)",
    differs: "\
- PIE is that of RFC 8033 (see `tusker explain pie`), with timestamps, cap and derandomize on \
by default. Linux also raises the probability by 2 % when the delay is above 250 ms.
- A new queue that is found empty goes to the old ones, as in RFC 8290; in Linux only if there \
are others.
- Linux's memory_limit and bytemode are left out.
- A quantum of 0 stands for the queue's mean_packet \
(a_quantum_of_zero_is_one_packet).",
    needs: &[Need::Departures],
    params: FqPieParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct FqPieParams {
    qdelay_ref: f64 as in PieParams,
    t_update: Duration as in PieParams,
    max_burst: Duration as in PieParams,
    alpha: f64 as in PieParams,
    beta: f64 as in PieParams,
    mark_ecnth: f64 as in PieParams,
    dq_threshold: f64 as in PieParams,
    timestamps: bool = true as in PieParams,
    cap: bool = true as in PieParams,
    derandomize: bool = true as in PieParams,
    /// number of queues over which flows are spread
    flows: f64 = 1024.0 "queues" in 1.0..=65_536.0,
    /// bytes that a queue may send in a turn; 0 for one packet
    quantum: f64 = 0.0 "B" in 0.0..=1e6,
} }

/// Flow Queue PIE; see `tusker explain fq_pie`.
#[derive(Clone, Debug)]
pub struct FqPie {
    queues: FlowQueues,
    pie: Pie,
}

impl SetUp for FqPie {
    type Params = FqPieParams;

    fn new(params: FqPieParams, link: &Link) -> Self {
        let quantum = bytes_or(params.quantum, 1, link.mean_packet);
        let queues = FlowQueues {
            full: Full::Arriving,
            ..FlowQueues::rfc8290(params.flows as u32, quantum)
        };
        let pie = PieParams {
            qdelay_ref: params.qdelay_ref,
            t_update: params.t_update,
            max_burst: params.max_burst,
            alpha: params.alpha,
            beta: params.beta,
            mark_ecnth: params.mark_ecnth,
            dq_threshold: params.dq_threshold,
            timestamps: params.timestamps,
            cap: params.cap,
            derandomize: params.derandomize,
        };
        Self { queues, pie: Pie::new(pie, link) }
    }

    fn check(params: &FqPieParams) -> Result<(), &'static str> {
        if !are_whole(&[params.flows, params.quantum]) {
            return Err("flows and quantum must be whole numbers");
        }
        Ok(())
    }
}

/// The PIE that controls each queue.
impl Aqm for FqPie {
    fn on_arrival(&mut self, p: &Meta, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict {
        self.pie.on_arrival(p, q, now, rng)
    }

    fn on_departure(&mut self, p: &Departing, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict {
        self.pie.on_departure(p, q, now, rng)
    }

    fn poll_at(&self) -> Time {
        self.pie.poll_at()
    }

    fn on_poll(&mut self, now: Time, q: &Backlog) {
        self.pie.on_poll(now, q);
    }

    fn flow_queues(&self) -> Option<FlowQueues> {
        Some(self.queues)
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        self.pie.inspect(see);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::given;
    use crate::units::{Bytes, Rate};

    #[test]
    fn a_quantum_of_zero_is_one_packet() {
        let rate = Rate::from_bits_per_sec(10_000_000);
        let link = Link { rate, mean_packet: Bytes::new(1500) };
        let quantum = |bytes| FqPie::new(given(&[("quantum", bytes)]), &link).queues.quantum;
        assert_eq!(quantum(0.0), Bytes::new(1500));
        assert_eq!(quantum(300.0), Bytes::new(300));
    }
}
