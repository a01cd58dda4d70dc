//! LEDBAT++: a background flow that gives way to others and slows down
//! periodically.
//!
//! Only the header of draft -06 was available; quotations and section numbers are
//! those of -01, as quoted in public code that follows it.

use super::{Ack, Law, Options, Window};
use crate::params::{Family, Linux, Look, Losses, Need, Sheet};
use crate::table::params;
use crate::units::{Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "ledbat++",
    title: "LEDBAT++, congestion control for background traffic",
    family: Family::Background,
    source: "draft-irtf-iccrg-ledbat-plus-plus-01 (the newest is -06), section 4",
    equations: "\
delay = min(last four RTT) - base,  base = min(RTT) of the last ten minutes
GAIN  = 1/min(16, ceil(2 target/base))
per RTT:     w <- w + GAIN                                     if delay <= target
             w <- w + max(GAIN - C w (delay/target - 1), -w/2)  otherwise
start:       w = 2, then + GAIN per segment, until delay > 3/4 target
slowdown:    2 RTT after the start phase, later ones after 9 times the length of the last one:
             ssthresh = w, w = 2 for 2 RTT, then + GAIN per segment up to ssthresh
per loss:    w <- w/2",
    differs: "\
The draft says that the window recovers from a slowdown by the slow start \
algorithm, and that slow start uses GAIN. Here it does. Other implementations differ \
from each other: a module for Linux uses GAIN after a slowdown, uTP in Go does not. \
Script: ledbat_pp_slowdown.
A loss during a slowdown halves the window to which the flow returns, not the two \
segments. Script: ledbat_pp_slowdown.",
    needs: &[Need::Timestamps],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::NONE,
    losses: Losses::UNKNOWN,
    look: Look { hue: 4, dash: 3 },
    states: &[],
    params: LedbatPpParams::LIST,
};

params! { pub(super) struct LedbatPpParams {
    /// queueing delay that the flow aims for
    target: f64 = 0.06 "s" in 0.001..=10.0,
    /// upper bound of 1/GAIN
    gain_limit: f64 = 16.0 in 1.0..=1e3,
    /// C, strength of the decrease above the target
    constant: f64 = 1.0 in 0.0..=10.0,
    /// take periodic slowdowns (section 4.4)
    slowdowns: bool = true,
} }

/// "CWND ... of 2 packets": at the start, in a slowdown, and as the minimum.
const MIN_CWND: f64 = 2.0;

/// A slowdown holds its window for this many round trips, and the first one begins
/// this many round trips after slow start.
const SLOWDOWN_RTTS: u64 = 2;

/// "9 times this duration".
const PERIOD: u64 = 9;

/// RFC 6817, section 2.5: BASE_HISTORY, in minutes.
const BASE_HISTORY: usize = 10;

/// RFC 6817, section 2.5: CURRENT_FILTER, in samples.
const CURRENT_FILTER: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    SlowStart,
    Avoidance,
    /// The window is two segments until then.
    Frozen(Time),
    Ramp,
}

/// The window change of LEDBAT++.
#[derive(Clone, Debug)]
pub struct LedbatPp {
    params: LedbatPpParams,
    phase: Phase,
    /// The smallest RTT of each of the last minutes, in seconds.
    base: [f64; BASE_HISTORY],
    minute: u64,
    current: [f64; CURRENT_FILTER],
    samples: usize,
    /// The window to which a slowdown returns.
    before: f64,
    slowdown_began: Time,
    next_slowdown: Time,
}

impl LedbatPp {
    pub(super) fn new(params: LedbatPpParams) -> Self {
        Self {
            params,
            phase: Phase::SlowStart,
            base: [f64::INFINITY; BASE_HISTORY],
            minute: 0,
            current: [f64::INFINITY; CURRENT_FILTER],
            samples: 0,
            before: MIN_CWND,
            slowdown_began: Time::ZERO,
            next_slowdown: Time::NEVER,
        }
    }

    /// Section 4.1: "an initial window of 2 packets".
    pub(super) fn options(options: &Options) -> Options {
        Options { initial_window: options.initial_window.min(MIN_CWND), ..*options }
    }

    fn base(&self) -> f64 {
        self.base.iter().fold(f64::INFINITY, |min: f64, &v| min.min(v))
    }

    /// The queueing delay; none before the first sample.
    fn delay(&self) -> Option<f64> {
        let current = self.current.iter().fold(f64::INFINITY, |min: f64, &v| min.min(v));
        current.is_finite().then(|| (current - self.base()).max(0.0))
    }

    fn gain(&self) -> f64 {
        // without a sample the division gives 0 and the gain is 1/1, which is
        // bounded
        let steps = libm::ceil(2.0 * self.params.target / self.base()).max(1.0);
        1.0 / steps.min(self.params.gain_limit)
    }

    fn avoid(&mut self, now: Time, since: Duration) {
        self.phase = Phase::Avoidance;
        self.next_slowdown = if self.params.slowdowns { now + since } else { Time::NEVER };
    }

    fn avoidance(&mut self, w: &mut Window, ack: &Ack, rtt: Duration) {
        if ack.now >= self.next_slowdown {
            // section 4.4: "set SSTHRESH to the current version of the
            // congestion window CWND, and then reduce CWND to 2 packets"
            self.before = w.cwnd;
            w.ssthresh = w.cwnd;
            w.cwnd = w.cwnd.min(MIN_CWND);
            self.slowdown_began = ack.now;
            self.phase = Phase::Frozen(ack.now + rtt * SLOWDOWN_RTTS);
            return;
        }
        let ratio = self.delay().unwrap_or(0.0) / self.params.target;
        let per_rtt = if ratio <= 1.0 {
            self.gain()
        } else {
            // section 4.3
            (self.gain() - self.params.constant * w.cwnd * (ratio - 1.0)).max(-w.cwnd / 2.0)
        };
        let part = (ack.credit / w.cwnd).min(1.0);
        w.cwnd = (w.cwnd + per_rtt * part).max(MIN_CWND);
        // the window was reached by this law, so a loss here is not a loss in slow
        // start
        w.ssthresh = w.ssthresh.min(w.cwnd);
    }
}

impl Law for LedbatPp {
    const OWN_SLOW_START: bool = true;

    fn observe(&mut self, _: &Window, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        let latest = rtt.latest.secs();
        let minute = ack.now.nanos() / 60_000_000_000;
        for _ in 0..(minute - self.minute).min(BASE_HISTORY as u64) {
            self.base.rotate_right(1);
            self.base[0] = f64::INFINITY;
        }
        self.minute = minute;
        self.base[0] = self.base[0].min(latest);
        self.current[self.samples % CURRENT_FILTER] = latest;
        self.samples += 1;
    }

    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let rtt = ack.rtt.map_or(Duration::from_secs(self.base().min(1.0)), |rtt| rtt.smoothed);
        match self.phase {
            Phase::SlowStart => {
                w.cwnd += self.gain() * ack.credit;
                // section 4.1: "larger than 3/4ths of the target delay"
                if self.delay().is_some_and(|delay| delay > 0.75 * self.params.target) {
                    w.ssthresh = w.cwnd;
                }
                if w.cwnd >= w.ssthresh {
                    self.avoid(ack.now, rtt * SLOWDOWN_RTTS);
                }
            }
            Phase::Avoidance => self.avoidance(w, ack, rtt),
            Phase::Frozen(until) => {
                if ack.now >= until {
                    self.phase = Phase::Ramp;
                }
            }
            Phase::Ramp => {
                // section 4.4: "according to the slow start algorithm", which is
                // that of section 4.1; the factor of 9 applies to the time it takes
                w.cwnd = (w.cwnd + self.gain() * ack.credit).min(w.ssthresh.max(MIN_CWND));
                if w.cwnd >= w.ssthresh {
                    self.avoid(ack.now, ack.now.since(self.slowdown_began) * PERIOD);
                }
            }
        }
    }

    fn shrink(&mut self, w: f64) -> f64 {
        w / 2.0
    }

    fn shrink_outside(&mut self, w: f64) -> f64 {
        match self.phase {
            Phase::Frozen(_) | Phase::Ramp => {
                self.before = (self.before / 2.0).max(MIN_CWND);
                self.before
            }
            Phase::SlowStart | Phase::Avoidance => w / 2.0,
        }
    }

    /// A timeout: the slow start that follows is like that after a slowdown.
    fn reset(&mut self, now: Time) {
        self.phase = Phase::Ramp;
        self.slowdown_began = now;
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        let base = self.base();
        see("delay", self.delay().unwrap_or(0.0));
        see("base", if base.is_finite() { base } else { 0.0 });
        see("gain", self.gain());
        see("slowdown", f64::from(u8::from(matches!(self.phase, Phase::Frozen(_) | Phase::Ramp))));
    }
}
