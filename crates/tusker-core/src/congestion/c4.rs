//! C4, Christian's Congestion Control Code: a rate that is raised only by measurements, for
//! which it probes now and then, and a window bounded by the largest round trip that is not due
//! to a queue.
//!
//! Source: draft-huitema-ccwg-c4-spec, the editors' copy that follows version -04
//! (private-octopus/c4, doc/c4-spec.md, July 2026). Names are those of the draft.
//!
//! ```text
//!             alpha          until                                  then
//!  initial    2              the rate grew little for three eras    recovery
//!  recovery   15/16, 7/8     one era is over                        cruising, or
//!                              the probe has raised the rate        pushing
//!                              jitter                               initial
//!  cruising   1              two eras are over                      probing
//!  probing    17/16, 33/32   one era is over                        recovery
//!  pushing    5/4            the rate grew by less than 3/16        recovery
//!                              after three eras                     initial
//!  all                       congestion                             recovery
//! ```
//!
//! Alpha is the pacing rate as a fraction of the nominal rate. An era is a
//! round trip. What counts as congestion depends on the flow's rate: fast flows
//! give way first.

use super::bbr1::segment_rate;
use super::{
    Ack, Congestion, Controller, Deflate, LossSample, Options, Overrule, RateSample, Timeout,
    Window,
};
use crate::params::{Need, Sheet};
use crate::table::params;
use crate::units::{Bytes, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "c4",
    title: "C4 (Christian's Congestion Control Code)",
    source: "draft-huitema-ccwg-c4-spec, sections 3 to 6 of the editors' copy that follows version -04 (July 2026)",
    equations: "\
pacing = alpha r,  w = max(alpha r (RTTmax + min(RTTmax/4, 15 ms)), 2),  r: nominal rate, RTTmax:
  nominal max RTT;  segments leave together for 4 ms of pacing, at most 64 KiB, at least two
alpha: recovery 15/16 or, if a queue is to be drained, 7/8;  cruising 1;  probing 17/16, or 33/32
  once marks were seen;  pushing 5/4
initial: alpha = 2 and at least 1,048,576 bit/s;  w = max(w0, alpha r RTTmax),
  w0 <- w0 + acknowledged/8^n per ACK,  n: eras in a row in which r grew by less than 1/4
  at its end:  RTTmax <- w/2 / r
r <- max(r, rate of delivery), unless congested in recovery
era: a round trip.  At its end, if the era before it had alpha <= 1:  m: largest RTT of the era,
  at most 250 ms above the smoothed smallest;  RTTmax <- m if that is more, else (7 RTTmax + m)/8
congested:  RTT > RTTmax + d,  d = min(25 ms, (1/16 + 3/16 (1 - s)) RTTmax),  or
            loss rate (moving average, weight 1/16 per packet) > 0.02 + 0.50 (1 - s),  or
            mark rate a > e = (2 - s) 3/32;  f: the share of an ACK's segments that was marked,
            a <- f if f >= 1/2, else a + (f - a)/16
            s: rises from 0 at r = 50 kB/s to 0.92 at 1 MB/s, and to 1 at 10 MB/s
congested in cruising:  r <- (1 - b) r,  b = beta for losses, min(beta, (RTT - RTTmax - d)/d) for
  delay, min(beta, (a - e)/e) for marks
end of recovery, R: largest rate of delivery since the end of the last one:
  r <- min(r, R) after two congested recoveries in a row
  r <- (r + R)/2 if r did not grow since then, without congestion
  pushing if a probe without congestion raised r, initial the first time that the smallest
  RTT < 2/5 RTTmax, else cruising
end of an era of pushing, from the second on:  recovery if r grew to less than 19/16 of its value
  at the era's beginning,  initial after three",
    differs: "\
The draft prints `nominal_rate > rate_estimate` as the condition for raising the \
rate; here higher estimates raise r, as its text says. It adds the margin, a time, to the \
pacing rate; here it is added to the nominal max RTT. Script: c4.
It leaves the initial state after three eras in which the rate did not increase. Here an \
increase is at least a quarter of what alpha = 2 asks for, as in the author's code: if any \
increase counted, rounding would keep the flow in this state until the buffer is full. Script: c4.
Where its overview and its sections disagree, the sections count: two eras of \
cruising (overview: four). For draining, its table has 3/4, its section 7/8, which is in the \
author's notes and code, too. Script: c4.
A path whose RTT is reduced is one whose nominal max RTT is less at the beginning of \
recovery than at the end of the last, as in the author's notes. Script: c4.
The nominal max RTT is not reduced at congestion: the draft says that it may be, and gives \
no rule. The state for remembered values (careful resume) is left out, and the advice on \
paths of less than 1 ms. Script: c4.
The draft resets the rate to the recent maximum rate at persistent congestion; here, as in \
the author's code, this only lowers it. High jitter leads to the initial state once per \
connection, as in version -01 and the author's code; the draft no longer says how often, and \
without a limit the window with which that state ends would count as jitter. Script: c4.
In three other points the author's code (picoquic) differs from the draft, which we follow: \
it lengthens a recovery in which congestion is seen, forgets the loss rate at its end, and adds \
up to a segment to the window of probes. Script: c4.
The mark rate changes with each ACK, as the draft says, so with delayed ACKs one mark is \
half of an ACK (docs/law-checks.md: a third of the link at DualPI2). Script: c4.
Losses found only by a timer change nothing, as the draft requires. TCP detects \
losses with RACK, and a timeout leaves the window unchanged. Script: c4.
Rates come from the sampler of draft-ietf-ccwg-bbr, never over less than a round trip. \
Test: c4_probes_a_sixteenth_and_takes_it_back.",
    needs: &[Need::Pacing, Need::RateSamples, Need::RackTlp, Need::L4s],
    params: C4Params::LIST,
};

params! { pub(super) struct C4Params {
    /// pacing rate in recovery, as a fraction of the nominal rate
    recovery: f64 = 0.9375 in 0.1..=1.0,
    /// pacing rate in recovery if a queue is to be drained, as a fraction of the nominal rate
    drain: f64 = 0.875 in 0.1..=1.0,
    /// pacing rate of a probe, as a fraction of the nominal rate
    probe: f64 = 1.0625 in 1.01..=2.0,
    /// pacing rate of a probe once marks were seen, as a fraction of the nominal rate
    marked_probe: f64 = 1.03125 in 1.01..=2.0,
    /// pacing rate of a push, as a fraction of the nominal rate
    push: f64 = 1.25 in 1.01..=2.0,
    /// eras of cruising before a probe
    cruise: u32 = 2.0 in 1.0..=1_000.0,
    /// largest fraction of the rate that one congestion signal removes
    beta: f64 = 0.25 in 0.01..=0.9,
} }

/// In seconds.
const MAX_JITTER: f64 = 0.25;
const MAX_THRESHOLD: f64 = 0.025;
const MAX_MARGIN: f64 = 0.015;
const QUANTUM: f64 = 0.004;

/// In bytes: 64 KiB.
const MAX_QUANTUM: f64 = 65_536.0;

/// In bytes per second: "a minimum of 1,048,576 bps" in the initial state.
const INITIAL_RATE: f64 = 131_072.0;

/// Packets that must have been received before a loss may end the initial state.
const ENOUGH: u64 = 20;

/// What counts as an increase in the initial state: a quarter of what its rate asks for.
const INCREASE: f64 = 1.25;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Initial,
    Recovery,
    Cruising,
    Probing,
    Pushing,
}

/// C4; rates in segments per second, round trips in seconds.
// The window first, as in `Windowed`, so that it can be read without looking at the variant.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct C4 {
    window: Window,
    pacing_rate: Option<Rate>,
    quantum: u32,
    segment: Option<Bytes>,
    max_window: f64,
    state: State,
    rate: f64,
    max_rtt: f64,
    running_min: f64,
    initial_window: f64,
    era_start: Time,
    era_min: f64,
    era_max: f64,
    alpha: f64,
    alpha_previous: f64,
    /// Eras in this state; in the initial state only those without an increase.
    eras: u32,
    /// The nominal rate when the era began.
    era_rate: f64,
    /// The nominal rate and max RTT at the end of the last recovery, and the largest
    /// rate of delivery since.
    cycle_rate: f64,
    cycle_max_rtt: f64,
    recent_rate: f64,
    /// Recovery follows a probe without congestion.
    probed: bool,
    congested: bool,
    /// Recoveries with congestion, one after the other.
    congestions: u32,
    /// An initial state or a push has left a queue.
    draining: bool,
    /// The application limited what was sent before this recovery.
    held: bool,
    saw_jitter: bool,
    loss_rate: f64,
    mark_rate: f64,
    saw_marks: bool,
    delivered: u64,
    params: C4Params,
}

impl C4 {
    pub(super) fn new(params: C4Params, options: &Options) -> Self {
        let cwnd = options.initial_window.min(options.max_window).max(1.0);
        Self {
            window: Window { cwnd, ssthresh: f64::INFINITY },
            pacing_rate: None,
            quantum: 1,
            segment: options.pacing,
            max_window: options.max_window,
            state: State::Initial,
            rate: 0.0,
            max_rtt: 0.0,
            running_min: f64::INFINITY,
            initial_window: cwnd,
            era_start: Time::ZERO,
            era_min: f64::INFINITY,
            era_max: 0.0,
            alpha: 2.0,
            alpha_previous: 2.0,
            eras: 0,
            era_rate: 0.0,
            cycle_rate: 0.0,
            cycle_max_rtt: 0.0,
            recent_rate: 0.0,
            probed: false,
            congested: false,
            congestions: 0,
            draining: false,
            held: false,
            saw_jitter: false,
            loss_rate: 0.0,
            mark_rate: 0.0,
            saw_marks: false,
            delivered: 0,
            params,
        }
    }

    fn segment_bytes(&self) -> f64 {
        self.segment.map_or(1_500.0, |segment| segment.get() as f64)
    }

    /// "Variable Sensitivity", from 0 to 1.
    fn sensitivity(&self) -> f64 {
        let bytes = self.rate * self.segment_bytes();
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
        match state {
            State::Initial => self.initial_window = self.rate * self.max_rtt,
            State::Recovery => (self.congested, self.held) = (false, false),
            State::Cruising | State::Probing | State::Pushing => {}
        }
        self.begin_era(now);
    }

    fn begin_era(&mut self, now: Time) {
        self.alpha_previous = self.alpha;
        self.alpha = match self.state {
            State::Initial => 2.0,
            State::Recovery if self.draining || self.max_rtt < self.cycle_max_rtt => {
                self.params.drain
            }
            State::Recovery => self.params.recovery,
            State::Cruising => 1.0,
            State::Probing if self.saw_marks => self.params.marked_probe,
            State::Probing => self.params.probe,
            State::Pushing => self.params.push,
        };
        self.era_start = now;
        self.era_rate = self.rate;
        (self.era_min, self.era_max) = (f64::INFINITY, 0.0);
    }

    /// "Applying congestion signals": only what is sent at the nominal rate says that this
    /// rate is too high.
    fn congest(&mut self, now: Time, beta: f64) {
        match self.state {
            State::Initial => self.leave_initial(now),
            State::Recovery => {}
            State::Cruising => {
                self.rate *= 1.0 - beta;
                self.enter(State::Recovery, now);
            }
            State::Probing => self.enter(State::Recovery, now),
            State::Pushing => {
                self.draining = true;
                self.enter(State::Recovery, now);
            }
        }
        (self.congested, self.probed) = (true, false);
    }

    fn leave_initial(&mut self, now: Time) {
        if self.rate > 0.0 {
            self.max_rtt = self.window.cwnd / 2.0 / self.rate;
        }
        self.draining = true;
        self.enter(State::Recovery, now);
    }

    /// "Nominal rate". The sampler's interval is the longer one of sending and delivery.
    fn learn_rate(&mut self, sample: RateSample) {
        let estimate = sample.rate().min(1e12);
        self.held |= sample.app_limited;
        self.recent_rate = self.recent_rate.max(estimate);
        if !(self.congested && self.state == State::Recovery) {
            self.rate = self.rate.max(estimate);
        }
    }

    /// "Nominal max RTT".
    fn learn_max_rtt(&mut self) {
        let initial = self.state == State::Initial;
        if initial || self.alpha_previous > 1.0 || self.era_max == 0.0 {
            return;
        }
        self.running_min = if self.era_min < self.running_min {
            self.era_min
        } else {
            self.running_min + (self.era_min - self.running_min) / 8.0
        };
        let era_max = self.era_max.min(self.running_min + MAX_JITTER);
        // (7 RTTmax + m)/8, such that nothing changes if both are equal
        let after = self.max_rtt + (era_max - self.max_rtt) / 8.0;
        self.max_rtt = if era_max > self.max_rtt { era_max } else { after };
    }

    fn end_era(&mut self, ack: &Ack) {
        self.learn_max_rtt();
        let held = ack.rate.is_some_and(|rate| rate.app_limited);
        match self.state {
            State::Initial => {
                if self.rate >= self.era_rate * INCREASE {
                    self.eras = 0;
                } else if !held {
                    self.eras += 1;
                }
                if self.eras >= 3 {
                    self.probed = false;
                    return self.leave_initial(ack.now);
                }
            }
            State::Recovery => return self.leave_recovery(ack.now),
            State::Cruising => {
                self.eras += 1;
                if self.eras >= self.params.cruise && !held {
                    return self.enter(State::Probing, ack.now);
                }
            }
            State::Probing => {
                self.probed = true;
                return self.enter(State::Recovery, ack.now);
            }
            State::Pushing => {
                self.eras += 1;
                // what arrives in the first era was sent in recovery
                if self.eras >= 2 && self.rate < self.era_rate * 19.0 / 16.0 {
                    (self.draining, self.probed) = (true, false);
                    return self.enter(State::Recovery, ack.now);
                }
                if self.eras >= 3 {
                    return self.enter(State::Initial, ack.now);
                }
            }
        }
        self.begin_era(ack.now);
    }

    /// "Recovery state", "Reaction to persistent congestion" and "Trimming an
    /// overestimated nominal rate".
    fn leave_recovery(&mut self, now: Time) {
        let grew = self.rate > self.cycle_rate;
        self.congestions = if self.congested { self.congestions + 1 } else { 0 };
        if self.recent_rate > 0.0 {
            if self.congestions > 1 {
                self.rate = self.rate.min(self.recent_rate);
            } else if !self.congested && !grew && !self.held {
                self.rate = f64::midpoint(self.rate, self.recent_rate);
            }
        }
        let raised = self.probed && !self.congested && grew;
        let jitter = !self.saw_jitter && self.running_min < self.max_rtt * 2.0 / 5.0;
        self.saw_jitter |= jitter && !raised;
        (self.cycle_rate, self.cycle_max_rtt) = (self.rate, self.max_rtt);
        (self.recent_rate, self.mark_rate) = (0.0, 0.0);
        (self.probed, self.draining) = (false, false);
        let next = match (raised, jitter) {
            (true, _) => State::Pushing,
            (false, true) => State::Initial,
            (false, false) => State::Cruising,
        };
        self.enter(next, now);
    }

    /// "Setting pacing rate, congestion window and quantum".
    fn set(&mut self) {
        if self.rate == 0.0 || self.max_rtt == 0.0 {
            return;
        }
        let bytes = self.segment_bytes();
        let mut pace = self.alpha * self.rate;
        let window = if self.state == State::Initial {
            let window = self.initial_window.max(pace * self.max_rtt);
            pace = pace.max(INITIAL_RATE / bytes);
            window
        } else {
            pace * (self.max_rtt + (self.max_rtt / 4.0).min(MAX_MARGIN))
        };
        self.window.cwnd = window.max(2.0).min(self.max_window).max(1.0);
        self.quantum = ((pace * QUANTUM).min(MAX_QUANTUM / bytes) as u32).max(2);
        self.pacing_rate = self.segment.map(|segment| segment_rate(pace, segment));
    }

    /// "C4 will only exit the initial state if the nominal_rate did not increase in
    /// the last 2 eras", for delay and marks.
    fn hears(&self) -> bool {
        self.state != State::Initial || self.eras >= 2
    }

    fn hear_rtt(&mut self, now: Time, rtt: f64) {
        if self.max_rtt == 0.0 {
            self.max_rtt = rtt;
        }
        (self.era_min, self.era_max) = (self.era_min.min(rtt), self.era_max.max(rtt));
        let threshold = self.delay_threshold();
        let beyond = rtt - self.max_rtt - threshold;
        if beyond > 0.0 && self.hears() {
            self.congest(now, (beyond / threshold).min(self.params.beta));
        }
    }

    /// "Detecting Excessive CE Marks".
    fn hear_marks(&mut self, ack: &Ack) {
        if ack.acked == 0 {
            return;
        }
        self.saw_marks |= ack.marked > 0;
        let fraction = f64::from(ack.marked.min(ack.acked)) / f64::from(ack.acked);
        self.mark_rate = if fraction >= 0.5 {
            fraction
        } else {
            self.mark_rate + (fraction - self.mark_rate) / 16.0
        };
        let threshold = (2.0 - self.sensitivity()) * 3.0 / 32.0;
        if self.mark_rate > threshold && self.hears() {
            let beyond = (self.mark_rate - threshold) / threshold;
            self.congest(ack.now, beyond.min(self.params.beta));
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

    fn quantum(&self) -> u32 {
        self.quantum
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
        if self.state == State::Initial {
            self.initial_window += f64::from(ack.acked) / f64::from(8_u32.pow(self.eras));
        }
        let of_era = self.era_start != Time::ZERO && ack.departed >= self.era_start;
        if let Some(sample) = ack.rate {
            self.learn_rate(sample);
        }
        if let Some(rtt) = ack.rtt {
            self.hear_rtt(ack.now, rtt.latest.secs());
        }
        self.hear_marks(ack);
        if self.era_start == Time::ZERO {
            self.era_start = ack.now;
        } else if of_era && ack.acked > 0 && ack.departed >= self.era_start {
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
        see("recent_rate", self.recent_rate);
        see("max_rtt_ms", self.max_rtt * 1e3);
        see("loss_rate", self.loss_rate);
        see("mark_rate", self.mark_rate);
    }
}

impl Deflate for C4 {}

impl Overrule for C4 {}
