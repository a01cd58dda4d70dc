//! PCC Vivace: a rate that climbs the gradient of a utility function; the gradient is measured
//! by sending a little faster and a little slower.
//!
//! Source: Dong et al., "PCC Vivace: Online-Learning Congestion Control", NSDI 2018, sections 3
//! to 5 (from memory). The authors' code (PCC-Uspace, pcc_vivace_rc.cpp), which we have read,
//! uses different constants. Names are the paper's.
//!
//! ```text
//!  rate  r (1 + eps)  ---                                ---
//!        r            |  |         results are on       |  |
//!        r (1 - eps)     |----   ----------------.      |  |
//!                                                '------'  |---
//!        monitor intervals of a round trip        r + change
//! ```

use super::bbr1::segment_rate;
use super::filters::chance;
use super::{Ack, Congestion, Controller, Deflate, LossSample, Options, Overrule, Timeout, Window};
use crate::params::{Family, Linux, Look, Losses, Need, Sheet};
use crate::table::params;
use crate::units::{Bytes, Duration, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "vivace",
    title: "PCC Vivace (latency)",
    family: Family::Rate,
    source: "Dong et al.: PCC Vivace: Online-Learning Congestion Control, NSDI 2018, sections 3 \
             to 5 (from memory)",
    equations: "\
u = x^t - b x dRTT/dT - c x L;  x: rate in Mbit/s, L: loss rate of a monitor interval,
    dRTT/dT: slope of its round trips, taken as 0 within +-0.01
start:    the rate doubles per interval until u falls, then returns to the previous rate
then:     an interval at r (1 + eps) and one at r (1 - eps), in either order, then at r until
          their utilities u+ and u- are known
          g = (u+ - u-)/(2 eps r),  r <- r + change,  change = theta m(n) g in Mbit/s
          n: changes in this direction in a row;  m(n) = n up to 3, 2 n - 3 beyond
          |change| <= (omega + k delta) r;  if this limits it: k <- k + 1, else k <- the smallest
          k that does not limit it;  a change in the other direction: n = 1, k = 0
an interval lasts a round trip",
    differs: "\
x is the pacing rate. An interval is judged at the first ACK of a segment that left \
after it; a loss that is found later does not count. Script: vivace.
The paper has no window; here up to twice the rate times the smoothed round trip, \
and at least 4 segments, may be in flight. Script: vivace.
The authors' code runs two pairs of intervals and requires both to agree, and its \
smallest change is 1 %; its smallest rate is 2 Mbit/s, here a segment per second. \
Script: vivace.
Vivace ignores marks and timeouts. Script: vivace.",
    needs: &[Need::Pacing, Need::RateSamples, Need::RackTlp, Need::NotEct],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::NONE,
    losses: Losses::UNKNOWN,
    look: Look { hue: 5, dash: 2 },
    states: &[],
    params: VivaceParams::LIST,
};

params! { pub(super) struct VivaceParams {
    /// exponent of the rate in the utility
    t: f64 = 0.9 in 0.1..=0.99,
    /// penalty for growing round trips; 0 is Vivace-Loss
    b: f64 = 900.0 in 0.0..=1e5,
    /// penalty for losses
    c: f64 = 11.35 in 0.0..=1_000.0,
    /// relative step of the faster and slower trials
    eps: f64 = 0.05 in 0.001..=0.5,
    /// change of the rate per unit of the gradient (theta_0)
    theta: f64 = 1.0 in 0.001..=1_000.0,
    /// initial bound on a change, as a fraction of the rate (omega_0)
    omega: f64 = 0.05 in 0.001..=1.0,
    /// increase of the bound each time that it limits a change, as a fraction of the rate
    delta: f64 = 0.1 in 0.0..=1.0,
} }

/// A slope of the round trips below this counts as noise.
const NOISE: f64 = 0.01;

/// Segments per second, at least and at most.
const LEAST: f64 = 1.0;
const MOST: f64 = 1e12;

/// Largest number of intervals in progress or waiting for ACKs.
const INTERVALS: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Role {
    Start,
    Up,
    Down,
    Neither,
}

/// A monitor interval: segments that left from `start` to `end`.
#[derive(Clone, Copy, Debug)]
struct Interval {
    start: Time,
    end: Time,
    role: Role,
    rate: f64,
    acked: f64,
    lost: f64,
    /// Of departures and round trips: count, sums, sums of squares and of products.
    sums: [f64; 5],
}

impl Interval {
    fn new(start: Time, length: Duration, role: Role, rate: f64) -> Self {
        Self { start, end: start + length, role, rate, acked: 0.0, lost: 0.0, sums: [0.0; 5] }
    }

    fn hear(&mut self, departed: Time, rtt: f64) {
        let t = departed.since(self.start).secs();
        for (sum, value) in self.sums.iter_mut().zip([1.0, t, rtt, t * t, t * rtt]) {
            *sum += value;
        }
    }

    /// Least squares; 0 if it is noise.
    fn slope(&self) -> f64 {
        let [n, t, y, tt, ty] = self.sums;
        let spread = n * tt - t * t;
        let slope = if spread > 0.0 { (n * ty - t * y) / spread } else { 0.0 };
        if libm::fabs(slope) < NOISE { 0.0 } else { slope.clamp(-1e3, 1e3) }
    }

    fn loss(&self) -> f64 {
        self.lost / (self.lost + self.acked).max(1.0)
    }
}

/// Vivace; rates in segments per second.
// The window first, as in `Windowed`, so that it can be read without looking at the variant.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Vivace {
    pub(super) window: Window,
    pacing_rate: Option<Rate>,
    segment: Option<Bytes>,
    max_window: f64,
    rate: f64,
    /// Numbers of the oldest interval still waiting for ACKs, and of the next one.
    oldest: usize,
    next: usize,
    intervals: [Interval; INTERVALS],
    starting: bool,
    /// Rate and utility of the last interval of the start phase.
    last: Option<(f64, f64)>,
    /// How many of the two trials have started, and their utilities.
    begun: u32,
    up_first: bool,
    up: Option<f64>,
    down: Option<f64>,
    gradient: f64,
    /// Number of changes in this direction in a row, and how often their bound was
    /// widened.
    run: u32,
    k: f64,
    params: VivaceParams,
}

impl Vivace {
    pub(super) fn new(params: VivaceParams, options: &Options) -> Self {
        let cwnd = options.initial_window.min(options.max_window).max(1.0);
        let none = Interval::new(Time::ZERO, Duration::ZERO, Role::Neither, 0.0);
        Self {
            window: Window { cwnd, ssthresh: f64::INFINITY },
            pacing_rate: None,
            segment: options.pacing,
            max_window: options.max_window,
            rate: 0.0,
            oldest: 0,
            next: 0,
            intervals: [none; INTERVALS],
            starting: true,
            last: None,
            begun: 0,
            up_first: true,
            up: None,
            down: None,
            gradient: 0.0,
            run: 0,
            k: 0.0,
            params,
        }
    }

    fn mbit(&self, rate: f64) -> f64 {
        rate * self.segment.map_or(1_500.0, |segment| segment.get() as f64) * 8e-6
    }

    fn utility(&self, of: &Interval) -> f64 {
        let (p, x) = (&self.params, self.mbit(of.rate));
        libm::pow(x, p.t) - p.b * x * of.slope() - p.c * x * of.loss()
    }

    /// Starts the next interval; its rate depends on its role.
    fn begin(&mut self, now: Time, length: Duration) {
        let (role, rate) = if self.starting {
            (Role::Start, self.rate)
        } else {
            if self.begun == 0 {
                self.up_first = chance(now) < 0.5;
            }
            self.begun += 1;
            match self.begun {
                1 | 2 if (self.begun == 1) == self.up_first => {
                    (Role::Up, self.rate * (1.0 + self.params.eps))
                }
                1 | 2 => (Role::Down, self.rate * (1.0 - self.params.eps)),
                _ => (Role::Neither, self.rate),
            }
        };
        self.intervals[self.next % INTERVALS] = Interval::new(now, length, role, rate);
        self.next += 1;
        self.pacing_rate = self.segment.map(|segment| segment_rate(rate, segment));
    }

    /// All of it is acknowledged or lost.
    fn resolve(&mut self, of: Interval) {
        let utility = self.utility(&of);
        match of.role {
            Role::Start if self.starting => {
                if let Some((rate, last)) = self.last
                    && utility < last
                {
                    (self.starting, self.rate) = (false, rate);
                }
                self.last = Some((of.rate, utility));
            }
            Role::Up => self.up = Some(utility),
            Role::Down => self.down = Some(utility),
            Role::Start | Role::Neither => {}
        }
        if let (Some(up), Some(down)) = (self.up, self.down) {
            self.change((up - down) / (2.0 * self.params.eps * self.mbit(self.rate)));
            (self.begun, self.up, self.down) = (0, None, None);
        }
    }

    fn change(&mut self, gradient: f64) {
        let p = self.params;
        if gradient * self.gradient <= 0.0 {
            (self.run, self.k) = (0, 0.0);
        }
        self.gradient = gradient;
        self.run = self.run.saturating_add(1);
        let n = f64::from(self.run);
        let m = if self.run <= 3 { n } else { 2.0 * n - 3.0 };
        // in parts of the rate
        let wanted = p.theta * m * gradient / self.mbit(self.rate);
        let bound = p.omega + self.k * p.delta;
        if libm::fabs(wanted) > bound {
            self.k += 1.0;
        } else if p.delta > 0.0 {
            self.k = libm::ceil((libm::fabs(wanted) - p.omega) / p.delta).max(0.0);
        }
        let part = wanted.clamp(-bound, bound).max(-0.9);
        self.rate = (self.rate * (1.0 + part)).clamp(LEAST, MOST);
    }

    fn interval_of(&mut self, departed: Time) -> Option<&mut Interval> {
        let found = (self.oldest..self.next)
            .map(|number| number % INTERVALS)
            .find(|&at| (self.intervals[at].start..self.intervals[at].end).contains(&departed));
        found.map(|at| &mut self.intervals[at])
    }

    fn go_on(&mut self, now: Time, srtt: Duration) {
        if self.next == 0 {
            self.rate = (self.window.cwnd / srtt.secs().max(1e-9)).clamp(LEAST, MOST);
            return self.begin(now, srtt);
        }
        let current = (self.next - 1) % INTERVALS;
        if now < self.intervals[current].end {
            return;
        }
        if self.next - self.oldest == INTERVALS {
            // no slot is free: this interval lasts longer
            self.intervals[current].end = now + srtt;
            return;
        }
        if self.starting {
            self.rate = (2.0 * self.rate).min(MOST);
        }
        // it ends when the next one begins
        self.intervals[current].end = now;
        self.begin(now, srtt);
    }
}

impl Controller for Vivace {
    window_and_rate!();

    fn on_lost(&mut self, _: Time, loss: &LossSample) {
        if let Some(interval) = self.interval_of(loss.departed) {
            interval.lost += 1.0;
        }
    }

    fn on_ack(&mut self, ack: &Ack) {
        if let Some(interval) = self.interval_of(ack.departed) {
            interval.acked += f64::from(ack.acked);
            if let Some(rtt) = ack.rtt {
                interval.hear(ack.departed, rtt.latest.secs());
            }
        }
        while self.oldest < self.next && self.intervals[self.oldest % INTERVALS].end <= ack.departed
        {
            let of = self.intervals[self.oldest % INTERVALS];
            self.oldest += 1;
            self.resolve(of);
        }
        let Some(rtt) = ack.rtt else { return };
        self.go_on(ack.now, rtt.smoothed.max(Duration::from_nanos(1_000)));
        let window = (2.0 * self.rate * rtt.smoothed.secs()).max(4.0);
        self.window.cwnd = window.min(self.max_window).max(1.0);
    }

    fn on_congestion(&mut self, _: &Congestion) {}

    fn on_recovered(&mut self, _: Time) {}

    fn on_timeout(&mut self, _: &Timeout) {}

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("rate_mbit", self.mbit(self.rate));
        see("gradient", self.gradient);
        see("starting", f64::from(u8::from(self.starting)));
    }
}

impl Deflate for Vivace {}

impl Overrule for Vivace {}
