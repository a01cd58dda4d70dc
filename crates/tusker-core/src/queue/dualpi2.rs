//! DualPI2: a low-delay queue for L4S beside a classic queue, and one controller
//! for both.
//!
//! ```text
//!                       ramp at 1 ms --> p_L = max(ramp, k p) --> mark
//!   ECT(1), CE -----> | L |  ----------------------------------------\
//!                                                                     >-- link
//!   Not-ECT, ECT(0) -> | C |  ---------------------------------------/
//!                        \--> PI: p, so that C waits 15 ms --> p_C = p^2 --> mark, drop
//! ```
//!
//! A scalable control (Prague, DCTCP) keeps a window of 2/p_L, Reno one of
//! 1.22/sqrt(p_C). With p_L = k p and p_C = p^2 both windows have about the same
//! size, whatever p is: flows of both kinds share the link, and only the classic
//! ones see a queue.
//!
//! This file makes the decisions; the code that holds the packets keeps the two
//! queues and schedules them (`tusker_path::Station`).

use super::{Aqm, Backlog, Departing, Heads, Link, Meta, SetUp, TwoQueues, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::{Bytes, Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "dualpi2",
    title: "DualPI2 (Dual-Queue Coupled AQM with PI2)",
    family: Family::ScalableMarks,
    source: "RFC 9332, Appendix A (from memory); Linux's sch_dualpi2.c",
    equations: "\
a packet goes to L if its ECN field is ECT(1) or CE, else to C
every t_update, curq = the longer wait of the packets at the heads of L and C:
     p <- p + alpha (curq - target) + beta (curq - prevq), within [0, 1];  prevq <- curq
     p_L = k p,  p_C = p^2
next: L first, but while both hold packets C gets classic_share of the bytes
a packet leaves L:  signal with max(p_L, ramp), ramp = (wait - min_th)/range within [0, 1],
     0 if fewer than th_len wait behind it in L;  if p_L >= 1: drop with p_C, mark the rest
a packet leaves C:  signal with p_C;  if p_C >= 1/k^2 drop, never mark
k p and p^2 apply only if at least 2 mean packets wait behind it",
    differs: "\
- alpha and beta are parameters, not computed from RTT_max: the defaults are 0.1 \
t_update/RTT_max^2 and 0.3/RTT_max with the RFC's RTT_max of 100 ms \
(p_moves_by_the_error_and_its_change).
- \"Signal with p\" and \"drop with p\" in the rules mean what the RFC's recur() does: the \
probabilities are added up, and each time that the sum reaches one there is a signal or \
a drop. Linux draws random numbers (a_probability_is_counted_out).
- As in Linux, the longer of the two waits drives p, and queues of fewer than 2 \
packets get no signal; the RFC uses the wait of C (the_longer_wait_counts, \
a_queue_of_two_packets_is_left_alone).
- The scheduler is Linux's weighted round robin, with 10 % for C as there; the RFC \
leaves the scheduler open.
- Linux has a step at 1 ms instead of the RFC's ramp: min_th = 0.001, range = 0 \
(the_ramp_is_around_a_millisecond).",
    needs: &[Need::Departures, Need::Marking, Need::TwoQueues],
    params: DualPi2Params::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct DualPi2Params {
    /// target waiting time in the classic queue
    target: f64 = 0.015 "s" in 1e-5..=3600.0,
    /// time between two updates of p
    t_update: Duration = 0.015 "s" in 1e-4..=3600.0,
    /// weight of the deviation from target
    alpha: f64 = 0.15 "Hz" in 0.0..=1_000.0,
    /// weight of the change of the waiting time
    beta: f64 = 3.0 "Hz" in 0.0..=1_000.0,
    /// coupling factor
    k: f64 = 2.0 in 0.1..=100.0,
    /// wait in L above which packets may be marked
    min_th: f64 = 0.0008 "s" in 0.0..=3600.0,
    /// difference between min_th and the wait at which every packet is marked
    range: f64 = 0.0004 "s" in 0.0..=3600.0,
    /// a packet is marked for its wait only if at least this many wait behind it in L
    th_len: f64 = 1.0 "pkt" in 1.0..=1e6,
    /// share of C in the bytes that leave while both queues hold packets
    classic_share: f64 = 0.1 in 0.01..=0.99,
} }

/// Dual-queue coupled AQM; see `tusker explain dualpi2`.
#[derive(Clone, Debug)]
pub struct DualPi2 {
    params: DualPi2Params,
    packet: Bytes,
    vars: Vars,
    stats: Stats,
}

/// The variable state, with the RFC's names; times in seconds.
#[derive(Clone, Debug, Default)]
struct Vars {
    /// p'.
    p: f64,
    prevq: f64,
    next: Time,
    heads: Heads,
    l_count: Recur,
    l_drops: Recur,
    c_count: Recur,
}

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
struct Stats {
    l_signals: u64,
    c_signals: u64,
}

/// RFC 9332, figure 4: true at a given frequency, evenly spaced.
#[derive(Clone, Copy, Debug, Default)]
struct Recur(f64);

impl Recur {
    fn turns(&mut self, likelihood: f64) -> bool {
        self.0 += likelihood.min(1.0);
        // rounding may leave a whole one that was already signalled
        let turns = self.0 >= 1.0 && likelihood > 0.0;
        if turns {
            self.0 -= 1.0;
        }
        turns
    }
}

impl SetUp for DualPi2 {
    type Params = DualPi2Params;

    fn new(params: DualPi2Params, link: &Link) -> Self {
        let vars = Vars { next: Time::ZERO + params.t_update, ..Vars::default() };
        Self { params, packet: link.mean_packet, vars, stats: Stats::default() }
    }
}

impl DualPi2 {
    /// `p_CL`: may be above 1.
    fn coupled(&self) -> f64 {
        self.params.k * self.vars.p
    }

    /// `p_C`.
    fn classic(&self) -> f64 {
        self.vars.p * self.vars.p
    }

    /// `p'_L`: the probability from the wait of a packet in L alone.
    fn native(&self, wait: f64, behind: u32) -> f64 {
        let DualPi2Params { min_th, range, th_len, .. } = self.params;
        if f64::from(behind) < th_len || wait < min_th {
            0.0
        } else if wait >= min_th + range {
            1.0
        } else {
            (wait - min_th) / range
        }
    }

    fn leaves_l(&mut self, native: f64, counts: bool) -> Verdict {
        let (coupled, classic) = if counts { (self.coupled(), self.classic()) } else { (0.0, 0.0) };
        if coupled >= 1.0 && self.vars.l_drops.turns(classic) {
            return Verdict::Drop;
        }
        if !self.vars.l_count.turns(native.max(coupled)) {
            return Verdict::Pass;
        }
        self.stats.l_signals += 1;
        Verdict::Signal
    }

    fn leaves_c(&mut self, counts: bool) -> Verdict {
        let classic = self.classic();
        if !counts || !self.vars.c_count.turns(classic) {
            return Verdict::Pass;
        }
        self.stats.c_signals += 1;
        // p_Cmax = min(1/k^2, 1): above it p_L would be more than 1
        let most = (1.0 / (self.params.k * self.params.k)).min(1.0);
        if classic >= most { Verdict::Drop } else { Verdict::Signal }
    }
}

impl Aqm for DualPi2 {
    #[inline]
    fn on_arrival(&mut self, _: &Meta, _: &Backlog, _: Time, _: &mut Rng) -> Verdict {
        Verdict::Pass
    }

    fn on_departure(&mut self, p: &Departing, q: &Backlog, now: Time, _: &mut Rng) -> Verdict {
        let counts = q.bytes.get() >= 2 * self.packet.get();
        match p.l4s {
            Some(behind) => {
                let native = self.native(now.since(p.arrived).secs(), behind);
                self.leaves_l(native, counts)
            }
            None => self.leaves_c(counts),
        }
    }

    fn two_queues(&self) -> Option<TwoQueues> {
        Some(TwoQueues { classic_share: self.params.classic_share, packet: self.packet })
    }

    fn on_heads(&mut self, heads: &Heads) {
        self.vars.heads = *heads;
    }

    #[inline]
    fn poll_at(&self) -> Time {
        self.vars.next
    }

    fn on_poll(&mut self, now: Time, _: &Backlog) {
        let Self { params, vars, .. } = self;
        let wait = |since: Option<Time>| since.map_or(0.0, |since| now.since(since).secs());
        let curq = wait(vars.heads.l4s).max(wait(vars.heads.classic));
        let step = params.alpha * (curq - params.target) + params.beta * (curq - vars.prevq);
        vars.p = (vars.p + step).clamp(0.0, 1.0);
        vars.prevq = curq;
        vars.next += params.t_update;
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("p", self.vars.p);
        see("p_l", self.coupled().min(1.0));
        see("p_c", self.classic());
        see("qdelay", self.vars.prevq);
        see("l_signals", self.stats.l_signals as f64);
        see("c_signals", self.stats.c_signals as f64);
    }
}

#[cfg(test)]
mod tests;
