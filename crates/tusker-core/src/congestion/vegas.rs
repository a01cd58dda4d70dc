//! TCP Vegas: keeps just enough segments in the queue to notice that there is a queue.
//!
//! Source: Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a
//! Global Internet", section 3 (SIGCOMM 1994, IEEE JSAC 13(8), 1995).
//!
//! ```text
//!  segments of this flow that wait in queues:
//!  diff = (Expected - Actual) baseRTT = (w/baseRTT - w/RTT) baseRTT
//!
//!          alpha        beta
//!  --------+------------+-------->  diff
//!    w + 1 |    hold    | w - 1     once per round trip
//! ```
//!
//! Slow start doubles the window every other round trip; in between, with the
//! window fixed, it checks whether more than gamma segments are queued.

use super::rounds::{Rounds, waiting};
use super::window::{MIN_SSTHRESH, climb};
use super::{Ack, Law, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Sheet};
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "vegas",
    title: "TCP Vegas",
    family: Family::Delay,
    source: "Brakmo, Peterson: TCP Vegas: End to End Congestion Avoidance on a Global Internet, \
             IEEE JSAC 13(8), 1995, section 3",
    equations: "\
once per round trip:  diff = w (1 - baseRTT/RTT),  RTT: mean of the round
  diff < alpha:  w grows by 1 over the next round trip
  diff > beta:   w <- w - 1
  else:          w stays
slow start (its own; slow_start has no effect): w doubles every other round trip;
  after one with w fixed:  diff > gamma:  w <- 7/8 w, congestion avoidance
per loss:  w <- (1 - b) w, in slow start w/2;  per timeout:  ssthresh = w/2, w <- 1",
    differs: "\
The defaults of alpha, beta and gamma are ns-2's. The paper tries alpha = 1 with \
beta = 3, and alpha = 2 with beta = 4; Linux has alpha = 2, beta = 4 and gamma = 1. \
Script: vegas.
ns-2 rounds diff to an integer before comparing, so that its values of 1, 3 and \
1 act as 0.5, 3.5 and 1.5 do here. Test: vegas_holds_between_alpha_and_beta.
RTT is the mean of a round's samples, as in ns-2; the paper times one segment, \
Linux takes the smallest sample. Test: a_round_has_its_mean_above_the_smallest \
(rounds).
The decreases by 1/8 on leaving slow start and by 1/4 at a loss are those of \
ns-2 (and of Brakmo's code); b = 0.5 is Linux's. A loss in slow start halves the \
window, as in Linux; ns-2 reduces it by a quarter. Script: vegas.
In the paper Vegas also retransmits on the first duplicate ACK if a fine-grained \
timer has expired. Here the transport detects losses, and the loss recovery rack \
comes closest.
After a timeout the window is one segment, as in RFC 5681; in ns-2 it is two.",
    needs: &[],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::module(Module {
        params: &[("alpha", 2.0), ("beta", 4.0), ("gamma", 1.0), ("b", 0.5)],
        ..Module::of("vegas", Counts::Segments)
    }),
    losses: Losses::UNKNOWN,
    look: Look { hue: 9, dash: 1 },
    states: &[],
    params: VegasParams::LIST,
};

params! { pub(super) struct VegasParams {
    /// the window grows if fewer of the flow's segments than this are queued
    alpha: f64 = 1.0 "segments" in 0.0..=1e5,
    /// the window shrinks if more of the flow's segments than this are queued
    beta: f64 = 3.0 "segments" in 0.0..=1e5,
    /// slow start ends if more of the flow's segments than this are queued
    gamma: f64 = 1.0 "segments" in 0.0..=1e5,
    /// fraction of the window given up at a loss in congestion avoidance
    b: f64 = 0.25 in 0.01..=0.9,
} }

/// Vegas keeps at least two segments in flight, as in ns-2 and Linux.
const MIN_WINDOW: f64 = 2.0;

/// Fraction of the window that remains on leaving slow start.
const LEAVE: f64 = 7.0 / 8.0;

/// TCP Vegas, with its own slow start.
#[derive(Clone, Debug)]
pub struct Vegas {
    params: VegasParams,
    rounds: Rounds,
    /// The mean RTT of the round that just ended.
    ended: Option<f64>,
    /// A round has ended and has not been acted on yet.
    due: bool,
    /// Slow start does not grow in this round, but compares at its end.
    fixed: bool,
    /// The window grows in this round.
    growing: bool,
    diff: f64,
}

impl Vegas {
    pub(super) fn new(params: VegasParams) -> Self {
        Self {
            params,
            rounds: Rounds::default(),
            ended: None,
            due: false,
            fixed: false,
            growing: false,
            diff: 0.0,
        }
    }

    /// Once per round trip: how the window changes over the next one.
    fn decide(&mut self, w: &mut Window) {
        let measured = self.ended.take();
        if let Some(rtt) = measured {
            self.diff = waiting(w.cwnd, self.rounds.base(), rtt);
        }
        if w.cwnd < w.ssthresh {
            // "exponential growth only every other RTT. In between, the
            // congestion window stays fixed so that a valid comparison [..] can
            // be made."
            self.fixed = !self.fixed;
            self.growing = !self.fixed;
            if self.growing && self.diff > self.params.gamma {
                self.growing = false;
                w.cwnd = (w.cwnd * LEAVE).max(MIN_WINDOW.min(w.cwnd));
                w.ssthresh = w.cwnd;
            }
        } else if measured.is_some() {
            self.growing = self.diff < self.params.alpha;
            if self.diff > self.params.beta {
                w.cwnd = (w.cwnd - 1.0).max(MIN_WINDOW.min(w.cwnd));
                w.ssthresh = w.ssthresh.min(w.cwnd);
            }
        }
    }
}

impl Law for Vegas {
    const OWN_SLOW_START: bool = true;

    #[inline]
    fn observe(&mut self, _: &Window, ack: &Ack) {
        self.due |= ack.round_start;
        self.ended = self.rounds.hear(ack).or(self.ended);
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        if core::mem::take(&mut self.due) {
            self.decide(w);
        }
        if !self.growing {
        } else if w.cwnd < w.ssthresh {
            climb(w, ack.credit, 1.0);
            self.growing = w.cwnd < w.ssthresh;
        } else {
            w.cwnd += ack.credit / w.cwnd;
        }
    }

    fn shrink(&mut self, w: f64) -> f64 {
        (1.0 - self.params.b) * w
    }

    fn shrink_outside(&mut self, w: f64) -> f64 {
        w / 2.0
    }

    fn shrunk(&mut self, _: Time) {
        // measurements from before the cut must not cause another change
        self.rounds.end();
        (self.ended, self.growing) = (None, false);
    }

    fn reset(&mut self, _: Time) {
        self.rounds.end();
        (self.ended, self.fixed, self.growing, self.diff) = (None, false, false, 0.0);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("diff", self.diff);
        see("base_rtt_ms", self.rounds.base() * 1e3);
    }
}

const _: () =
    assert!(MIN_WINDOW >= MIN_SSTHRESH, "a window in congestion avoidance is no slow start");
