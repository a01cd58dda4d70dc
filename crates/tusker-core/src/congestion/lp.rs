//! TCP-LP: uses only what other flows leave.
//!
//! Source: Kuzmanovic and Knightly, "TCP-LP: A Distributed Algorithm for Low
//! Priority Data Transfer", section 3 (INFOCOM 2003).
//!
//! ```text
//!  early congestion: the smoothed forward one-way delay is above
//!                    d_min + delta (d_max - d_min)
//!
//!                    early congestion: w/2
//!   +-----------+ -------------------------> +------------------+
//!   | additive  |                            | inference: only  |--+ early congestion
//!   | increase  | <------------------------- | looks, for itt   |<-+ again: w = 1
//!   +-----------+   itt has passed           +------------------+
//! ```
//!
//! A Reno flow fills the queue until a segment is lost; a flow that gives way at 15
//! % of that queue leaves Reno everything, and uses the whole link when it is
//! alone.

use super::delay::{ForwardParams, Queuing};
use super::{Ack, Law, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Need, Sheet};
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "lp",
    title: "TCP-LP (low priority)",
    family: Family::Background,
    source: "Kuzmanovic, Knightly: TCP-LP: A Distributed Algorithm for Low Priority Data \
             Transfer, INFOCOM 2003, section 3",
    equations: "\
per forward one-way delay d:  sd <- (1 - smooth) sd + smooth d
early congestion:  sd > d_min + delta (d_max - d_min)
  w <- w/2, then no growth for itt round trips (the inference phase);
  early congestion again in that time:  w <- 1
otherwise per ACK:   w <- w + 1/w
per loss:  w <- w/2",
    differs: "\
Slow start measures d_min and d_max; early congestion does not end it. Script: lp.
Delays of segments that left before the last cut reflect the larger window: they \
are ignored, and sd starts afresh. Linux resets d_min and d_max from sd instead. \
Script: lp.
After the second cut growth is additive from one segment, because ssthresh is \
lowered too; Linux recovers by slow start. Script: lp.
itt is 3 round trips, as in Linux.
In ns-3, early congestion also cuts the window in slow start and leaves ssthresh as it is, so \
that a flow without losses stays in slow start: it uses 30 % of some links \
(docs/validation.md).",
    needs: &[Need::Timestamps],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: true,
    linux: Linux::module(Module::of("lp", Counts::Segments)),
    losses: Losses::UNKNOWN,
    look: Look { hue: 0, dash: 3 },
    states: &[],
    params: LpParams::LIST,
};

params! { pub(super) struct LpParams {
    /// fraction of the range of forward delays above which congestion is inferred early
    delta: f64 = 0.15 in 0.01..=0.99,
    /// weight of the newest one-way delay in its average (gamma in the paper)
    smooth: f64 = 0.125 in 0.001..=1.0,
    /// round trips of the inference phase after early congestion
    itt: f64 = 3.0 in 0.0..=100.0,
    forward: ForwardParams,
} }

/// TCP-LP in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Lp {
    params: LpParams,
    forward: Queuing,
    /// When the window was last cut for early congestion.
    cut: Option<Time>,
    /// Delays of segments that left before this reflect a larger window.
    since: Time,
}

impl Lp {
    pub(super) fn new(params: LpParams) -> Self {
        Self {
            params,
            forward: Queuing::new(params.forward.base_forward),
            cut: None,
            since: Time::ZERO,
        }
    }

    fn early_congestion(&self) -> bool {
        self.forward.queue().is_some_and(|queue| queue > self.params.delta * self.forward.range())
    }

    fn begin_anew(&mut self, now: Time) {
        self.forward.forget();
        self.since = now;
    }

    fn infers(&self, ack: &Ack) -> bool {
        let rtt = ack.rtt.map_or(0.0, |rtt| rtt.smoothed.secs());
        self.cut.is_some_and(|cut| ack.now.since(cut).secs() < self.params.itt * rtt)
    }
}

impl Law for Lp {
    #[inline]
    fn observe(&mut self, _: &Window, ack: &Ack) {
        let forward = ack.rtt.and_then(|rtt| rtt.forward);
        if let Some(forward) = forward.filter(|_| ack.departed >= self.since) {
            self.forward.push(forward, self.params.smooth);
        }
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        if self.early_congestion() {
            w.cwnd = if self.infers(ack) { 1.0 } else { (w.cwnd / 2.0).max(1.0) };
            w.ssthresh = w.cwnd.max(2.0);
            self.cut = Some(ack.now);
            self.begin_anew(ack.now);
        } else if !self.infers(ack) {
            w.cwnd += ack.credit / w.cwnd;
        }
    }

    fn shrink(&mut self, w: f64) -> f64 {
        w / 2.0
    }

    fn shrunk(&mut self, now: Time) {
        self.begin_anew(now);
    }

    fn reset(&mut self, now: Time) {
        self.begin_anew(now);
        self.cut = None;
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("queuing_ms", self.forward.queue().unwrap_or(0.0) * 1e3);
        see("threshold_ms", self.params.delta * self.forward.range() * 1e3);
    }
}
