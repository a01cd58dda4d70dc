//! YeAH-TCP: grows like Scalable TCP as long as few segments are queued, and like Reno
//! otherwise; when more than 80 segments are queued, it drains the queue without waiting for a
//! loss.
//!
//! Source: Baiocchi, Castellani and Vacirca, "YeAH-TCP: Yet Another Highspeed TCP", PFLDnet
//! 2007, section 3 (from memory); Linux, net/ipv4/tcp_yeah.c, which we have read. Names are
//! Linux's.
//!
//! ```text
//!              queue > alpha, or RTT - baseRTT > baseRTT/phy
//!    fast    -------------------------------------------->   slow
//!   (STCP)   <--------------------------------------------  (Reno)
//!   w+1/100                                                 w+1/w, and w - queue
//!   per ACK    neither, at the end of a round trip          where queue > alpha
//! ```
//!
//! Draining does not reduce the window below `reno_count`, an estimate of the window that Reno
//! would have beside flows that fill the queue.

use super::rounds::waiting;
use super::window::climb;
use super::{Ack, Law, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Sheet};
use crate::table::params;
use crate::units::{Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "yeah",
    title: "YeAH-TCP",
    family: Family::LossAndDelay,
    source: "Baiocchi, Castellani, Vacirca: YeAH-TCP: Yet Another Highspeed TCP, PFLDnet 2007 \
             (from memory); Linux, net/ipv4/tcp_yeah.c",
    equations: "\
once per round trip with more than two samples, also in slow start:
  queue = w (1 - baseRTT/RTT), in whole segments;  RTT: the smallest of the round
  queue <= alpha and RTT - baseRTT <= baseRTT/phy:  fast; after zeta of them without a loss
                  reno_count <- 2
  otherwise slow: if queue > alpha and w > reno_count:
                    w <- max(w - min(queue/gamma, w/epsilon), reno_count)
                  reno_count <- w/2 if it was 2, else reno_count + 1
per ACK:   fast: w <- w + 1/min(w, 100),  slow: w <- w + 1/w
per loss:  slow for less than rho round trips in a row:
             w <- w - min(max(queue, w/delta), w/2),  else w <- w/2
           reno_count <- max(reno_count/2, 2)",
    differs: "\
As in Linux, RTT is the smallest of a round trip and alpha is 80 segments. Here \
windows and reno_count have fractions. Script: yeah.
In a deep buffer the queue does not stay at alpha: reno_count grows by one per \
slow round trip and soon exceeds the window at which the queue would drain, so a \
standing queue remains. Linux does the same (docs/validation.md, yeah/4bdp), and it \
follows from the paper's rules. Script: yeah.
Idle time does not reset baseRTT; in Linux it does. Script: yeah.",
    needs: &[],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::module(Module::of("yeah", Counts::Segments)),
    losses: Losses::UNKNOWN,
    look: Look { hue: 3, dash: 2 },
    states: &[],
    params: YeahParams::LIST,
};

params! { pub(super) struct YeahParams {
    /// segments of the flow that may be queued
    alpha: f64 = 80.0 "segments" in 1.0..=1e6,
    /// 1/gamma of the flow's queue is drained at a time
    gamma: f64 = 1.0 in 0.5..=100.0,
    /// a loss removes at least 1/delta of the window
    delta: f64 = 8.0 in 2.0..=100.0,
    /// draining the queue removes at most 1/epsilon of the window
    epsilon: f64 = 2.0 in 1.5..=100.0,
    /// fast mode as long as the queueing delay is less than 1/phy of the smallest round trip
    phy: f64 = 8.0 in 0.1..=1_000.0,
    /// slow round trips in a row after which other flows are assumed to fill the queue
    rho: u32 = 16.0 in 1.0..=1e6,
    /// fast round trips after which no other flows are assumed to fill the queue
    zeta: u32 = 50.0 in 1.0..=1e6,
} }

/// Scalable TCP's gain: one segment per this many.
const AI_CNT: f64 = 100.0;

/// The smallest window of YeAH and Reno.
const LEAST: f64 = 2.0;

/// YeAH-TCP.
#[derive(Clone, Debug)]
pub struct Yeah {
    params: YeahParams,
    base: Duration,
    /// The smallest RTT of the round, and the number of samples.
    min: Duration,
    samples: u32,
    /// The same of the round that has just ended.
    ended: Option<(Duration, u32)>,
    /// Whether the window has grown since the last loss: earlier measurements do
    /// not count.
    open: bool,
    last_q: f64,
    /// Slow round trips in a row; 0 in fast mode.
    doing_reno_now: u32,
    reno_count: f64,
    fast_count: u32,
}

impl Yeah {
    pub(super) fn new(params: YeahParams) -> Self {
        let never = Duration::MAX;
        Self {
            params,
            base: never,
            min: never,
            samples: 0,
            ended: None,
            open: true,
            last_q: 0.0,
            doing_reno_now: 0,
            reno_count: LEAST,
            fast_count: 0,
        }
    }

    fn decide(&mut self, w: &mut Window, rtt: Duration) {
        let p = self.params;
        self.last_q = libm::floor(waiting(w.cwnd, self.base.secs(), rtt.secs()));
        let late = rtt.secs() - self.base.secs() > self.base.secs() / p.phy;
        if self.last_q <= p.alpha && !late {
            self.doing_reno_now = 0;
            self.fast_count += 1;
            if self.fast_count > p.zeta {
                (self.reno_count, self.fast_count) = (LEAST, 0);
            }
            return;
        }
        if self.last_q > p.alpha && w.cwnd > self.reno_count {
            let reduction = (self.last_q / p.gamma).min(w.cwnd / p.epsilon);
            w.cwnd = (w.cwnd - reduction).max(self.reno_count);
            w.ssthresh = w.cwnd;
        }
        let began = self.reno_count > LEAST;
        self.reno_count = if began { self.reno_count + 1.0 } else { (w.cwnd / 2.0).max(LEAST) };
        self.doing_reno_now = self.doing_reno_now.saturating_add(1);
    }
}

impl Law for Yeah {
    const OWN_SLOW_START: bool = true;

    fn observe(&mut self, _: &Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.base = self.base.min(rtt.latest);
            self.min = self.min.min(rtt.latest);
            self.samples += 1;
        }
        if ack.round_start {
            self.ended = Some((self.min, self.samples));
            (self.min, self.samples) = (Duration::MAX, 0);
        }
    }

    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let left = if w.cwnd < w.ssthresh { climb(w, ack.credit, 1.0) } else { ack.credit };
        w.cwnd += left / if self.doing_reno_now == 0 { w.cwnd.min(AI_CNT) } else { w.cwnd };
        if !core::mem::replace(&mut self.open, true) {
            (self.min, self.samples, self.ended) = (Duration::MAX, 0, None);
        }
        if let Some((rtt, 3..)) = self.ended.take() {
            self.decide(w, rtt);
        }
    }

    fn shrink(&mut self, w: f64) -> f64 {
        let least = if self.doing_reno_now < self.params.rho {
            self.last_q.max(w / self.params.delta)
        } else {
            w
        };
        self.fast_count = 0;
        self.reno_count = (self.reno_count / 2.0).max(LEAST);
        w - least.min(w / 2.0)
    }

    fn shrunk(&mut self, _: Time) {
        self.open = false;
    }

    fn reset(&mut self, _: Time) {
        self.open = false;
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("queue", self.last_q);
        see("slow", f64::from(self.doing_reno_now));
        see("reno_count", self.reno_count);
    }
}
