//! C4, Christian's Congestion Control Code: a rate that is raised only by measurements, for
//! which it pushes now and then, and a window bounded by the largest round trip that is not due
//! to a queue.
//!
//! Source: draft-huitema-ccwg-c4-spec-01 (private-octopus/c4, doc/c4-spec.md). Names are those
//! of the draft.
//!
//! ```text
//!            no increase for 3 eras              4 eras
//!  initial ------------------------> recovery -------> cruising -> pushing
//!   2       ^                         15/16      1      |   1       17/16, 5/4
//!           | 3 pushes that raised     ^    ^           |            |
//!           | the rate, or jitter -----'    '-----------'------------'
//!                                            congestion   one era
//! ```
//!
//! The numbers are the pacing rate as a fraction of the nominal rate. An era is a
//! round trip. What counts as congestion depends on the flow's rate: fast flows
//! give way first.

use super::bbr1::segment_rate;
use super::{Ack, Congestion, Controller, Deflate, LossSample, Options, Overrule, Timeout, Window};
use crate::params::{Need, Sheet};
use crate::table::params;
use crate::units::{Bytes, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "c4",
    title: "C4 (Christian's Congestion Control Code)",
    source: "draft-huitema-ccwg-c4-spec-01, sections 3 to 5",
    equations: "\
pacing = alpha r,  w = max(alpha r RTTmax, 2),  r: nominal rate, RTTmax: nominal max RTT
alpha: initial 2, recovery 15/16, cruising 1, pushing 5/4 after a push that raised r, else 17/16
r <- max(r, rate of delivery), unless congested in recovery
era: a round trip.  At its end, if the era before it had alpha <= 1:  m: largest RTT of the era,
  at most 250 ms above the smoothed smallest;  RTTmax <- m if that is more, else (7 RTTmax + m)/8
congested:  RTT > RTTmax + d,  d = min(25 ms, (1/16 + 3/16 (1 - s)) RTTmax),  or
            loss rate (moving average, weight 1/16 per packet) > 0.02 + 0.50 (1 - s)
            s: rises from 0 at r = 50 kB/s to 0.92 at 1 MB/s, and to 1 at 10 MB/s
congested in cruising:  r <- (1 - b) r,  b = beta for losses, min(beta, (RTT - RTTmax - d)/d) for
  delay
a push has raised r if there was no congestion and r grew by at least a quarter of what the push
  asked for (at 17/16: if r grew at all)",
    differs: "\
The draft prints `nominal_rate > rate_estimate` as the condition for raising the \
rate; here higher estimates raise r, as its text says. For a push after a successful \
one, version -01 has a formula that gives 17/8 without marks; we use 5/4, as in version \
-00. Script: c4.
Packets are not ECN-capable, so the reaction to marks is left out. Script: c4.
Losses found only by a timer change nothing, as the draft requires. TCP detects \
losses with RACK, and a timeout leaves the window unchanged. Script: c4.
A congestion signal during a push is attributed to a packet that was sent in the \
push. Script: c4.
The quantum of 4 ms has no counterpart: segments are paced one by one. Rates come \
from the sampler of draft-ietf-ccwg-bbr and, at the end of an era, from what was \
delivered since its first segment left. Test: \
c4_pushes_a_sixteenth_and_takes_it_back.",
    needs: &[Need::Pacing, Need::RateSamples, Need::RackTlp, Need::NotEct],
    params: C4Params::LIST,
};

params! { pub(super) struct C4Params {
    /// pacing rate in recovery, as a fraction of the nominal rate
    recovery: f64 = 0.9375 in 0.1..=1.0,
    /// pacing rate of a careful push, as a fraction of the nominal rate
    push: f64 = 1.0625 in 1.01..=2.0,
    /// pacing rate of a push after one that raised the rate, as a fraction of the nominal rate
    bold_push: f64 = 1.25 in 1.01..=2.0,
    /// eras of cruising before a push
    cruise: u32 = 4.0 in 1.0..=1_000.0,
    /// largest fraction of the rate that one congestion signal removes
    beta: f64 = 0.25 in 0.01..=0.9,
} }

/// In seconds.
const MAX_JITTER: f64 = 0.25;
const MAX_THRESHOLD: f64 = 0.025;

/// Packets that must have been sent before a loss may end the initial state.
const ENOUGH: u64 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Initial,
    Recovery,
    Cruising,
    Pushing,
}

/// C4; rates in segments per second, round trips in seconds.
// The window first, as in `Windowed`, so that it can be read without looking at the variant.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct C4 {
    window: Window,
    pacing_rate: Option<Rate>,
    segment: Option<Bytes>,
    max_window: f64,
    state: State,
    rate: f64,
    max_rtt: f64,
    running_min: f64,
    era_start: Time,
    /// Segments delivered when the era began.
    era_delivered: u64,
    era_min: f64,
    era_max: f64,
    alpha: f64,
    alpha_previous: f64,
    /// Eras in this state; in the initial state only those without an increase.
    eras: u32,
    /// The nominal rate when the era began, and when the cycle began.
    era_rate: f64,
    cycle_rate: f64,
    /// Gain of the last push; 1 if there was none.
    pushed: f64,
    successes: u32,
    congested: bool,
    jitter_seen: bool,
    loss_rate: f64,
    delivered: u64,
    params: C4Params,
}

impl C4 {
    pub(super) fn new(params: C4Params, options: &Options) -> Self {
        let cwnd = options.initial_window.min(options.max_window).max(1.0);
        Self {
            window: Window { cwnd, ssthresh: f64::INFINITY },
            pacing_rate: None,
            segment: options.pacing,
            max_window: options.max_window,
            state: State::Initial,
            rate: 0.0,
            max_rtt: 0.0,
            running_min: f64::INFINITY,
            era_start: Time::ZERO,
            era_delivered: 0,
            era_min: f64::INFINITY,
            era_max: 0.0,
            alpha: 2.0,
            alpha_previous: 2.0,
            eras: 0,
            era_rate: 0.0,
            cycle_rate: 0.0,
            pushed: 1.0,
            successes: 0,
            congested: false,
            jitter_seen: false,
            loss_rate: 0.0,
            delivered: 0,
            params,
        }
    }

    /// Section 5.1, from 0 to 1.
    fn sensitivity(&self) -> f64 {
        let bytes = self.rate * self.segment.map_or(1_500.0, |segment| segment.get() as f64);
        let low = ((bytes - 50_000.0) / 950_000.0).clamp(0.0, 1.0);
        let high = ((bytes - 1e6) / 9e6).clamp(0.0, 1.0);
        0.92 * low + 0.08 * high
    }

    fn delay_threshold(&self) -> f64 {
        let fraction = 1.0 / 16.0 + (1.0 - self.sensitivity()) * 3.0 / 16.0;
        (fraction * self.max_rtt).min(MAX_THRESHOLD)
    }

    fn enter(&mut self, state: State, now: Time) {
        (self.state, self.eras) = (state, 0);
        self.congested = false;
        self.begin_era(now);
    }

    fn begin_era(&mut self, now: Time) {
        self.alpha_previous = self.alpha;
        self.alpha = match self.state {
            State::Initial => 2.0,
            State::Recovery => self.params.recovery,
            State::Cruising => 1.0,
            State::Pushing if self.successes > 0 => self.params.bold_push,
            State::Pushing => self.params.push,
        };
        (self.era_start, self.era_delivered) = (now, self.delivered);
        self.era_rate = self.rate;
        (self.era_min, self.era_max) = (f64::INFINITY, 0.0);
    }

    /// A congestion signal: section 5.5.
    fn congest(&mut self, now: Time, beta: f64) {
        if self.state != State::Recovery {
            match self.state {
                State::Cruising => (self.rate, self.pushed) = (self.rate * (1.0 - beta), 1.0),
                State::Pushing => self.pushed = self.alpha,
                State::Initial | State::Recovery => self.pushed = 1.0,
            }
            self.enter(State::Recovery, now);
        }
        self.congested = true;
    }

    /// Section 3.1. The sampler gives no rate over less than the smallest round
    /// trip, for example between delayed ACKs of a paced flow; but since the
    /// departure of an era's first segment we know what was delivered.
    fn learn_rate(&mut self, ack: &Ack, era_ends: bool) {
        if self.congested && self.state == State::Recovery {
            return;
        }
        let mut estimate = ack.rate.map_or(0.0, |rate| {
            let least = ack.now.since(ack.departed);
            f64::from(rate.delivered) / rate.interval.max(least).secs().max(1e-9)
        });
        if era_ends {
            let since = ack.now.since(self.era_start).secs().max(1e-9);
            estimate = estimate.max((self.delivered - self.era_delivered) as f64 / since);
        }
        self.rate = self.rate.max(estimate.min(1e12));
    }

    /// Section 3.2.
    fn learn_max_rtt(&mut self) {
        if self.alpha_previous > 1.0 || self.era_max == 0.0 {
            return;
        }
        self.running_min = if self.era_min < self.running_min {
            self.era_min
        } else {
            (7.0 * self.running_min + self.era_min) / 8.0
        };
        let era_max = self.era_max.min(self.running_min + MAX_JITTER);
        self.max_rtt =
            if era_max > self.max_rtt { era_max } else { (7.0 * self.max_rtt + era_max) / 8.0 };
    }

    fn end_era(&mut self, ack: &Ack) {
        self.learn_max_rtt();
        let held = ack.rate.is_some_and(|rate| rate.app_limited);
        match self.state {
            State::Initial => {
                if self.rate > self.era_rate {
                    self.eras = 0;
                } else if !held {
                    self.eras += 1;
                }
                if self.eras >= 3 {
                    self.pushed = 1.0;
                    return self.enter(State::Recovery, ack.now);
                }
            }
            State::Recovery => return self.leave_recovery(ack.now),
            State::Cruising => {
                self.eras += 1;
                if self.eras >= self.params.cruise && !held {
                    return self.enter(State::Pushing, ack.now);
                }
            }
            State::Pushing => {
                self.pushed = self.alpha;
                return self.enter(State::Recovery, ack.now);
            }
        }
        self.begin_era(ack.now);
    }

    /// Section 4.3.
    fn leave_recovery(&mut self, now: Time) {
        if self.pushed > 1.0 {
            let careful = self.pushed <= 17.0 / 16.0;
            let asked = if careful { 0.0 } else { (self.pushed - 1.0) / 4.0 };
            let raised =
                self.rate > self.cycle_rate && self.rate >= self.cycle_rate * (1.0 + asked);
            let success = raised && !self.congested;
            self.successes = if success { self.successes + 1 } else { 0 };
        }
        let jitter = !self.jitter_seen && self.running_min < self.max_rtt * 2.0 / 5.0;
        (self.cycle_rate, self.pushed) = (self.rate, 1.0);
        if jitter || self.successes >= 3 {
            self.jitter_seen |= jitter;
            self.successes = 0;
            self.enter(State::Initial, now);
        } else {
            self.enter(State::Cruising, now);
        }
    }

    /// Section 4.1.
    fn set(&mut self) {
        if self.rate > 0.0 && self.max_rtt > 0.0 {
            let pace = self.alpha * self.rate;
            self.window.cwnd = (pace * self.max_rtt).max(2.0).min(self.max_window).max(1.0);
            self.pacing_rate = self.segment.map(|segment| segment_rate(pace, segment));
        }
    }

    fn hear_rtt(&mut self, now: Time, rtt: f64) {
        if self.max_rtt == 0.0 {
            self.max_rtt = rtt;
        }
        (self.era_min, self.era_max) = (self.era_min.min(rtt), self.era_max.max(rtt));
        let threshold = self.delay_threshold();
        let beyond = rtt - self.max_rtt - threshold;
        // "C4 will only exit the initial state if the nominal_rate did not increase in
        // the last 2 eras"
        if beyond > 0.0 && (self.state != State::Initial || self.eras >= 2) {
            self.congest(now, (beyond / threshold).min(self.params.beta));
        }
    }
}

impl Controller for C4 {
    #[inline]
    fn cwnd(&self) -> f64 {
        self.window.cwnd
    }

    #[inline]
    fn ssthresh(&self) -> f64 {
        self.window.ssthresh
    }

    #[inline]
    fn pacing_rate(&self) -> Option<Rate> {
        self.pacing_rate
    }

    fn on_lost(&mut self, now: Time, _: &LossSample) {
        self.loss_rate += (1.0 - self.loss_rate) / 16.0;
        let threshold = 0.02 + 0.5 * (1.0 - self.sensitivity());
        let enough = self.state != State::Initial || self.delivered > ENOUGH;
        if self.loss_rate > threshold && enough {
            self.congest(now, self.params.beta);
            self.set();
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.delivered += u64::from(ack.acked);
        self.loss_rate *= libm::pow(15.0 / 16.0, f64::from(ack.acked));
        let of_era = self.era_start != Time::ZERO && ack.departed >= self.era_start;
        let ended = of_era && ack.acked > 0;
        self.learn_rate(ack, ended);
        if let Some(rtt) = ack.rtt {
            self.hear_rtt(ack.now, rtt.latest.secs());
        }
        if self.era_start == Time::ZERO {
            (self.era_start, self.era_delivered) = (ack.now, self.delivered);
        } else if ended && ack.departed >= self.era_start {
            self.end_era(ack);
        }
        self.set();
    }

    fn on_congestion(&mut self, _: &Congestion) {}

    fn on_recovered(&mut self, _: Time) {}

    fn on_timeout(&mut self, _: &Timeout) {}

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("state", f64::from(self.state as u8));
        see("rate", self.rate);
        see("max_rtt_ms", self.max_rtt * 1e3);
        see("loss_rate", self.loss_rate);
    }
}

impl Deflate for C4 {}

impl Overrule for C4 {}
