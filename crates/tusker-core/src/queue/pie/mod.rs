//! PIE: Proportional Integral controller Enhanced.
//!
//! Pan, Natarajan, Baker and White, RFC 8033. Packets are dropped (or marked) at
//! arrival with a probability that a controller adjusts every `t_update`, so that
//! the queueing delay approaches `qdelay_ref`:
//!
//! ```text
//! p         <- alpha (qdelay - qdelay_ref) + beta (qdelay - qdelay_old), scaled
//! drop_prob <- drop_prob + p                           within [0, 1]
//! ```
//!
//! The delay is the backlog divided by the departure rate, which is measured at
//! departures (section 5.2); with `timestamps = 1` it is the wait of the last
//! packet that left.

use super::{Aqm, Backlog, Departing, Link, Meta, SetUp, Verdict};
use crate::params::{Family, Need, Sheet};
use crate::rng::Rng;
use crate::table::params;
use crate::units::{Bytes, Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "pie",
    title: "PIE (Proportional Integral controller Enhanced)",
    family: Family::WaitingTime,
    source: "RFC 8033, sections 4 and 5, Appendix A",
    equations: "\
every t_update, q bytes waiting:
qdelay <- q avg_dq_time / dq_threshold
p <- alpha (qdelay - qdelay_ref) + beta (qdelay - qdelay_old), divided by
     2048, 512, 128, 32, 8, 2 where drop_prob < 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1
drop_prob <- drop_prob + p; times 0.98 if qdelay = qdelay_old = 0; within [0, 1]
burst_allowance <- max(0, burst_allowance - t_update); max_burst if drop_prob = 0 and
     qdelay, qdelay_old < qdelay_ref / 2
at arrival: pass if burst_allowance > 0, or qdelay_old < qdelay_ref / 2 and drop_prob < 0.2, or
     at most 2 mean packets wait; else a signal with probability drop_prob,
     which is a drop, never a mark, if drop_prob >= mark_ecnth
at departure: avg_dq_time <- (1 - w) avg_dq_time + w time in which dq_threshold bytes left,
     w = dq_threshold / 65536",
    differs: "\
- This is section 4 and Appendix A. Of section 5, ECN is the queue's `ecn`; the \
cap on steps and derandomisation are options, off by default \
(a_step_can_be_capped, drops_can_be_evened_out).
- Before the first measurement of the rate the delay counts as zero, and a queue \
below dq_threshold gives no measurement: at 1 Mbit/s, 16 KiB are 131 ms. \
timestamps = 1 uses the wait of the last packet that left instead, as Linux does \
(timestamps_need_no_rate).
- The packet whose departure starts a measurement is not counted in it, and the \
time is that of exactly dq_threshold bytes: the pseudo-code measures a rate that \
is too high by one packet in eleven (the_rate_is_that_of_the_link). The first \
measurement is used unfiltered.
- burst_allowance is reset to max_burst at an update, after being lowered; \
Appendix A does this at the next arrival, with the same effect (a_burst_passes).",
    needs: &[Need::Departures],
    params: PieParams::LIST,
    ..Sheet::NO_LAW
};

params! { pub(super) struct PieParams {
    /// target queueing delay
    qdelay_ref: f64 = 0.015 "s" in 1e-5..=3600.0,
    /// time between two updates of the probability
    t_update: Duration = 0.015 "s" in 1e-4..=3600.0,
    /// time for which a burst into an idle queue passes without signals
    max_burst: Duration = 0.15 "s" in 0.0..=3600.0,
    /// weight of the deviation from qdelay_ref
    alpha: f64 = 0.125 "Hz" in 0.0..=1_000.0,
    /// weight of the change of the delay
    beta: f64 = 1.25 "Hz" in 0.0..=1_000.0,
    /// probability from which on ECN-capable packets are dropped instead of marked
    mark_ecnth: f64 = 0.1 in 0.0..=1.0,
    /// bytes whose departure is timed
    dq_threshold: f64 = 16_384.0 "B" in 1.0..=1e9,
    /// take the wait of the last packet that left as the delay, not the queue divided by the rate
    timestamps: bool = false,
    /// limit a step to 0.02 if the probability is at least 0.1 (section 5.5)
    cap: bool = false,
    /// space drops evenly: neither too soon nor too late after the last one (section 5.4)
    derandomize: bool = false,
} }

/// Proportional Integral controller Enhanced; see `tusker explain pie`.
#[derive(Clone, Debug)]
pub struct Pie {
    params: PieParams,
    mean_pktsize: Bytes,
    vars: Vars,
    stats: Stats,
}

/// The variable state, with the RFC's names; times in seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Vars {
    drop_prob: f64,
    /// Sum of the probabilities since the last drop.
    accu_prob: f64,
    qdelay_old: f64,
    burst_allowance: Duration,
    next: Time,
    /// When the timing of departures started, and how many bytes have left since.
    measurement: Option<(Time, f64)>,
    avg_dq_time: f64,
    /// The wait of the last packet that left.
    last_wait: f64,
}

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
struct Stats {
    signals: u64,
}

impl SetUp for Pie {
    type Params = PieParams;

    fn new(params: PieParams, link: &Link) -> Self {
        let vars = Vars {
            burst_allowance: params.max_burst,
            next: Time::ZERO + params.t_update,
            ..Vars::default()
        };
        Self { params, mean_pktsize: link.mean_packet, vars, stats: Stats::default() }
    }
}

impl Pie {
    /// Section 4.1: decides whether this packet is dropped.
    fn drop_early(&mut self, q: &Backlog, rng: &mut Rng) -> bool {
        let Self { params, vars, mean_pktsize, .. } = self;
        let calm = vars.qdelay_old < params.qdelay_ref / 2.0 && vars.drop_prob < 0.2;
        if calm || q.bytes.get() <= 2 * mean_pktsize.get() {
            return false;
        }
        if params.derandomize {
            vars.accu_prob =
                if vars.drop_prob == 0.0 { 0.0 } else { vars.accu_prob + vars.drop_prob };
            // section 5.4: a lower bound of 0.85 and a higher one of 8.5 (from memory)
            if vars.accu_prob < 0.85 {
                return false;
            }
            if vars.accu_prob >= 8.5 {
                vars.accu_prob = 0.0;
                return true;
            }
        }
        if vars.drop_prob <= 0.0 || rng.unit() >= vars.drop_prob {
            return false;
        }
        vars.accu_prob = 0.0;
        true
    }

    /// Section 5.2: measures how long `dq_threshold` bytes take to leave.
    fn measure_rate(&mut self, p: &Departing, q: &Backlog, now: Time) {
        let Self { params, vars, .. } = self;
        if vars.measurement.is_none() && q.bytes.get() as f64 >= params.dq_threshold {
            vars.measurement = Some((now, 0.0));
            return;
        }
        let Some((start, bytes)) = &mut vars.measurement else { return };
        *bytes += p.size.get() as f64;
        if *bytes < params.dq_threshold {
            return;
        }
        // the first departure started the clock: what has left since took this
        // long, and dq_threshold bytes a proportional part of it
        let dq_time = now.since(*start).secs() * params.dq_threshold / *bytes;
        vars.avg_dq_time = match vars.avg_dq_time {
            0.0 => dq_time,
            avg => {
                let weight = (params.dq_threshold / 65_536.0).min(1.0);
                (1.0 - weight) * avg + weight * dq_time
            }
        };
        vars.measurement = None;
        if q.bytes.get() as f64 >= params.dq_threshold {
            vars.measurement = Some((now, 0.0));
        }
    }

    /// Section 4.2.
    fn calculate_drop_prob(&mut self, q: &Backlog) {
        let Self { params, vars, .. } = self;
        let qdelay = if params.timestamps {
            vars.last_wait
        } else {
            q.bytes.get() as f64 * vars.avg_dq_time / params.dq_threshold
        };
        let mut p =
            params.alpha * (qdelay - params.qdelay_ref) + params.beta * (qdelay - vars.qdelay_old);
        p /= tuning(vars.drop_prob);
        if params.cap && vars.drop_prob >= 0.1 && p > 0.02 {
            p = 0.02;
        }
        vars.drop_prob += p;
        if qdelay == 0.0 && vars.qdelay_old == 0.0 {
            vars.drop_prob *= 0.98;
        }
        vars.drop_prob = vars.drop_prob.clamp(0.0, 1.0);
        vars.burst_allowance = Duration::from_nanos(
            vars.burst_allowance.nanos().saturating_sub(params.t_update.nanos()),
        );
        let calm = params.qdelay_ref / 2.0;
        if vars.drop_prob == 0.0 && qdelay < calm && vars.qdelay_old < calm {
            vars.burst_allowance = params.max_burst;
        }
        vars.qdelay_old = qdelay;
    }
}

/// Section 4.2: small probabilities change in small steps.
fn tuning(drop_prob: f64) -> f64 {
    const STEPS: [(f64, f64); 6] =
        [(1e-6, 2048.0), (1e-5, 512.0), (1e-4, 128.0), (1e-3, 32.0), (0.01, 8.0), (0.1, 2.0)];
    STEPS.iter().find(|(below, _)| drop_prob < *below).map_or(1.0, |(_, divisor)| *divisor)
}

impl Aqm for Pie {
    fn on_arrival(&mut self, _: &Meta, q: &Backlog, _: Time, rng: &mut Rng) -> Verdict {
        if self.vars.burst_allowance > Duration::ZERO || !self.drop_early(q, rng) {
            return Verdict::Pass;
        }
        self.stats.signals += 1;
        // section 5.1: above mark_ecnth drop "irrespective of ECN"
        if self.vars.drop_prob < self.params.mark_ecnth { Verdict::Signal } else { Verdict::Drop }
    }

    fn on_departure(&mut self, p: &Departing, q: &Backlog, now: Time, _: &mut Rng) -> Verdict {
        if self.params.timestamps {
            let alone = q.packets == 0;
            self.vars.last_wait = if alone { 0.0 } else { now.since(p.arrived).secs() };
        } else {
            self.measure_rate(p, q, now);
        }
        Verdict::Pass
    }

    #[inline]
    fn poll_at(&self) -> Time {
        self.vars.next
    }

    fn on_poll(&mut self, _: Time, q: &Backlog) {
        self.vars.next += self.params.t_update;
        self.calculate_drop_prob(q);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("drop_prob", self.vars.drop_prob);
        see("qdelay", self.vars.qdelay_old);
        see("burst_allowance", self.vars.burst_allowance.secs());
        see("signals", self.stats.signals as f64);
    }
}

#[cfg(test)]
mod tests;
