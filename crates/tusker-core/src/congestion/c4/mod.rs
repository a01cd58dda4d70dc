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

mod sheet;

pub(super) use sheet::{C4Params, SHEET};

use super::bbr1::segment_rate;
use super::{
    Ack, Congestion, Controller, Deflate, LossSample, Options, Overrule, RateSample, Timeout,
    Window,
};
use crate::table::states;
use crate::units::{Bytes, Rate, Time};

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

states! { enum State {
    Initial = "initial",
    Recovery = "recovery",
    Cruising = "cruising",
    Probing = "probing",
    Pushing = "pushing",
} }

/// C4; rates in segments per second, round trips in seconds.
// The window first, as in `Windowed`, so that it can be read without looking at the variant.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct C4 {
    pub(super) window: Window,
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
    window_and_rate!();

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
