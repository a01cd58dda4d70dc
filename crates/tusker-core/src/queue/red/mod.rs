//! RED: Random Early Detection.
//!
//! Floyd and Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM
//! Transactions on Networking 1(4), 1993, as implemented in ns-2.35 (`queue/red.cc`).
//! [`estimator`] computes the average queue, [`law`] the probability of a signal; this file
//! combines them and is the base of ARED and gARED, which only change `max_p`.
//!
//! What happens at every arrival, in this order:
//!
//! ```text
//! avg <- average; count <- count + 1
//! avg < min_th, or at most one packet waits     pass
//! avg >= max_th (gentle: 2 max_th)              drop,  count <- 0
//! first such arrival since avg was below        pass,  count <- 1
//! with probability p_a(p_b(avg), count)         signal, count <- 0
//! ```

mod adapt;
mod estimator;
mod law;

pub(super) use adapt::{Adaptation, AdaptiveParams, EndParams, MoveParams};

use self::estimator::Estimator;
use self::law::DropLaw;
use super::{Aqm, Backlog, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "red",
    title: "Random Early Detection",
    family: Family::AverageQueue,
    source: "Floyd, Jacobson: Random Early Detection Gateways for Congestion Avoidance, IEEE/ACM \
             Transactions on Networking 1(4), 1993, sections 4, 7 and 11; ns-2.35, queue/red.cc; \
             RFC 3168, section 7 for ECN",
    equations: "\
avg <- (1 - w_q) avg + w_q q                              at each arrival, q packets wait
avg <- (1 - w_q)^(m+1) avg, m = floor(C x idle time)      at an arrival that finds the link idle
p_b = max_p (avg - min_th) / (max_th - min_th)            min_th <= avg < max_th
p_b = max_p + (1 - max_p) (avg - max_th) / max_th         gentle, max_th <= avg < 2 max_th
p_a = p_b / (1 - count p_b)                               count: packets since the last signal
p_a = 0 if count p_b < 1, else p_b / (2 - count p_b)      wait
a signal with probability p_a (mark if ECN-capable, else drop);
if avg is at least max_th (gentle: 2 max_th): always a drop, never a mark",
    differs: "\
- gentle is off, as in the paper of 1993; ns-2 has had it on since April 2001 \
(gentle_is_off_unless_asked_for).
- max_th is 3 min_th unless it is given (max_th_of_zero_is_three_min_th).
- Four things are as in ns-2 and unlike the paper of 1993. An arrival that finds at most \
one packet waiting always passes (one_waiting_packet_is_never_signalled). The first \
arrival above min_th passes (the_first_arrival_above_min_th_passes). The idle time \
counts as one step more (an_idle_link_counts_as_small_packets_sent). wait is on: without \
it a signal comes every 1/(2p) packets on average, with it every 3/(2p) - 1/2 \
(gaps_without_waiting_are_uniform, gaps_with_waiting_are_uniform).
- Section 7 of the paper gives a mean gap between signals of 1/(2p) + 1/2; its own \
pseudo-code, ns-2 and this code count the arriving packet before p_a is computed, which \
makes it 1/(2p).
- Packets are only marked if the average is below max_th (gentle: 2 max_th), as in RFC \
3168, section 7 (forced_drops_are_not_marks); the paper of 1993 would mark all.
- Queue and thresholds are counted in packets of any size; ns-2 has counted bytes since \
2004.
- A random number is drawn only if p_a is neither 0 nor 1.",
    needs: &[],
    params: RedParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct RedParams {
    /// average queue below which there are no signals
    min_th: f64 = 5.0 "pkt" in 1.0..=1e9,
    /// average queue at which the probability is max_p; 0 for 3 min_th
    max_th: f64 = 0.0 "pkt" in 0.0..=1e9,
    /// weight of a new sample in the average queue; 0 for 1 - exp(-1/C), C in packets/s
    w_q: f64 = 0.002 in 0.0..=1.0,
    /// probability of a signal at max_th
    max_p: f64 = 0.1 in 0.0..=1.0,
    /// above max_th, let the probability rise linearly to 1 at 2 max_th, instead of dropping
    /// everything
    gentle: bool = false,
    /// after a signal, no further signal for 1/p packets, as in ns-2 (wait_)
    wait: bool = true,
} }

/// Fixed values.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    estimator: Estimator,
    law: DropLaw,
}

/// Variable state.
#[derive(Clone, Copy, Debug)]
struct Vars {
    /// Average queue, packets.
    avg: f64,
    /// Probability of a signal at max_th.
    max_p: f64,
    /// Arrivals since the last signal or drop.
    count: u32,
    /// The arrival before this one found the average at or above min_th.
    above: bool,
}

/// How long ago the last signal was.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Since {
    /// Arrivals since.
    count: u32,
    /// The last arrival found the average at or above min_th.
    above: bool,
}

/// Counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stats {
    arrivals: u64,
    early: u64,
    forced: u64,
}

/// Random Early Detection; see `tusker explain red`.
#[derive(Clone, Debug)]
pub struct Red {
    fixed: Fixed,
    vars: Vars,
    stats: Stats,
}

impl SetUp for Red {
    type Params = RedParams;

    fn new(params: RedParams, link: &Link) -> Self {
        let RedParams { min_th, max_th, w_q, max_p, gentle, wait } = params;
        Self {
            fixed: Fixed {
                estimator: Estimator::new(w_q, link),
                law: DropLaw::new(min_th, max_th, gentle, wait),
            },
            vars: Vars { avg: 0.0, max_p, count: 0, above: false },
            stats: Stats::default(),
        }
    }

    fn check(params: &RedParams) -> Result<(), &'static str> {
        if params.max_th != 0.0 && params.max_th <= params.min_th {
            return Err("max_th must be larger than min_th; leave it out for 3 min_th");
        }
        Ok(())
    }
}

impl Red {
    /// RED as the base of ARED and gARED, which have one more switch.
    pub(super) fn adaptive(params: AdaptiveParams, end: EndParams, link: &Link) -> Self {
        let mut red = Self::new(params.red(), link);
        if end.ns2_slope {
            red.fixed.law.keep_gentle_slope(params.max_p);
        }
        red
    }

    /// Average queue at the last arrival, packets.
    pub fn avg(&self) -> f64 {
        self.vars.avg
    }

    /// Probability of a signal at max_th.
    pub fn max_p(&self) -> f64 {
        self.vars.max_p
    }

    /// Probability of a signal at the average queue, before it is spread (p_b).
    pub fn p_b(&self) -> f64 {
        self.fixed.law.p_b(self.vars.avg, self.vars.max_p)
    }

    pub(super) fn law(&self) -> &DropLaw {
        &self.fixed.law
    }

    pub(super) fn set_max_p(&mut self, max_p: f64) {
        self.vars.max_p = max_p;
    }

    /// The next arrival is judged by other thresholds, whose last signal was so long ago; the
    /// average queue stays.
    pub(super) fn judge_by(&mut self, params: &RedParams, since: Since) {
        let RedParams { min_th, max_th, max_p, gentle, wait, .. } = *params;
        self.fixed.law = DropLaw::new(min_th, max_th, gentle, wait);
        self.vars = Vars { avg: self.vars.avg, max_p, count: since.count, above: since.above };
    }

    /// How long ago the last signal was.
    pub(super) fn since(&self) -> Since {
        Since { count: self.vars.count, above: self.vars.above }
    }

    /// Early signals, and drops above the upper threshold.
    pub(super) fn signals(&self) -> (u64, u64) {
        (self.stats.early, self.stats.forced)
    }

    pub(super) fn arrivals(&self) -> u64 {
        self.stats.arrivals
    }
}

impl Aqm for Red {
    #[inline]
    fn on_arrival(&mut self, _: &Meta, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict {
        let Self { fixed: Fixed { estimator, law }, vars, stats } = self;
        vars.avg = match q.idle_since {
            None => estimator.busy(vars.avg, q.packets),
            Some(since) => estimator.idle(vars.avg, q.packets, now.since(since)),
        };
        stats.arrivals += 1;
        vars.count = vars.count.saturating_add(1);

        if vars.avg < law.min_th || q.packets <= 1 {
            vars.above = false;
            return Verdict::Pass;
        }
        // RFC 3168, section 7: "During periods where the average queue size
        // exceeds an upper threshold [..] our recommendation is that routers
        // drop packets rather then set the CE codepoint in packet headers."
        if vars.avg >= law.forced {
            vars.count = 0;
            stats.forced += 1;
            return Verdict::Drop;
        }
        if !vars.above {
            vars.above = true;
            vars.count = 1;
            return Verdict::Pass;
        }
        let p_a = law.p_a(law.p_b(vars.avg, vars.max_p), vars.count);
        if p_a <= 0.0 || (p_a < 1.0 && rng.unit() >= p_a) {
            return Verdict::Pass;
        }
        vars.count = 0;
        stats.early += 1;
        Verdict::Signal
    }

    /// A drop at a full buffer is a signal too: the gap restarts, as in ns-2.
    fn on_overflow(&mut self) {
        self.vars.count = 0;
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("avg", self.avg());
        see("max_p", self.max_p());
        see("p_b", self.p_b());
        see("early", self.stats.early as f64);
        see("forced", self.stats.forced as f64);
    }
}

#[cfg(test)]
mod tests;
