//! Swift: a target delay. Below it the window grows by a segment per round trip;
//! above it the window shrinks in proportion to the excess.
//!
//! Source: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the
//! Datacenter", SIGCOMM 2020, section 3 and algorithm 1 (from memory); htsim's implementation
//! (csg-htsim, sim/swift.cpp; read). Names are those of the paper.
//!
//! ```text
//!  target = path + base_target + hops h + fs           fs
//!                                             fs_range |---.
//!  delay < target:  w + ai/w per segment               |    '.
//!  delay > target:  w (1 - beta (delay - target)/delay)|      ''--..__
//!                   once per round trip                +--------------'---- fcwnd
//!                                                fs_min_cwnd    fs_max_cwnd
//! ```
//!
//! Small windows get a larger target (`fs` is proportional to 1/sqrt(w)), so that
//! many flows share fairly. With a window below one segment there is one segment in
//! flight, paced.

use super::bbr1::segment_rate;
use super::delay::Queuing;
use super::{
    Ack, Congestion, Controller, Deflate, Options, Overrule, Rtt, Signal, Timeout, Window,
};
use crate::params::{Family, Linux, Look, Losses, Need, Sheet};
use crate::table::params;
use crate::units::{Bytes, Duration, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "swift",
    title: "Swift",
    family: Family::Delay,
    source: "Kumar et al.: Swift: Delay is Simple and Effective for Congestion Control in the \
             Datacenter, SIGCOMM 2020, section 3, algorithm 1 (from memory); htsim, swift.cpp",
    equations: "\
target = path + base_target + hops h + fs
fs = a/sqrt(w) + b within 0 .. fs_range,  a = fs_range/(1/sqrt(fs_min_cwnd) - 1/sqrt(fs_max_cwnd)),
     b = -a/sqrt(fs_max_cwnd)
per segment acknowledged, delay < target:  w <- w + ai/w (+ ai below w = 1)
otherwise, once per round trip:  w <- w max(1 - beta (delay - target)/delay, 1 - max_mdf)
per loss, once per round trip:   w <- (1 - max_mdf) w;  the fifth timeout in a row: w <- min_cwnd
w < 1: one segment in flight, w/RTT of them per second
start: w doubles per round trip until delay >= target",
    differs: "\
The paper gets the path's delay from the topology (a base delay and h per hop); \
here path is the smallest round trip so far, unless path_delay is given, and \
base_target is the queueing delay allowed on top. Scripts: swift, swift_target.
Hosts add no delay here, so Swift's second window, the one for end-host delay, never \
matters. delay in the rules is the fabric's delay: path plus the excess of the forward \
delay, from timestamps, over its minimum. So it contains neither the time for which the \
receiver delays an ACK, nor queues on the way back. Script: swift_target.
The start phase is our addition: on a long path one segment per round trip would \
take minutes. start = 0 leaves it out, as in the paper. Scripts: swift, \
swift_target.
ai, beta and max_mdf are htsim's; base_target, fs_range and min_cwnd are ours, for \
wide-area links: the paper's delays are tens of microseconds, and a min_cwnd of \
0.001 would be one segment in 40 s at a round trip of 40 ms. Swift does not react to \
marks. Script: swift.",
    needs: &[Need::Timestamps, Need::Pacing, Need::NotEct],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::NONE,
    losses: Losses::UNKNOWN,
    look: Look { hue: 9, dash: 5 },
    states: &[],
    params: SwiftParams::LIST,
};

params! { pub(super) struct SwiftParams {
    /// queueing delay allowed on top of the path's own delay
    base_target: Duration = 0.001 "s" in 0.000_01..=10.0,
    /// delay of the empty path, if known; 0: the smallest round trip so far
    path_delay: Duration = 0.0 "s" in 0.0..=10.0,
    /// switches on the path, each worth h
    hops: u32 = 0.0 in 0.0..=255.0,
    /// delay allowed per switch
    h: Duration = 0.000_001 "s" in 0.0..=1.0,
    /// largest addition to the target, for small windows
    fs_range: Duration = 0.004 "s" in 0.0..=10.0,
    /// window up to which all of fs_range is added
    fs_min_cwnd: f64 = 0.1 "segments" in 0.001..=10.0,
    /// window from which on none of fs_range is added
    fs_max_cwnd: f64 = 100.0 "segments" in 11.0..=1e6,
    /// growth per round trip
    ai: f64 = 1.0 "segments" in 0.01..=100.0,
    /// how strongly the delay above the target shrinks the window
    beta: f64 = 0.8 in 0.01..=1.0,
    /// largest fraction of the window that one decrease removes
    max_mdf: f64 = 0.5 in 0.01..=0.9,
    /// smallest window
    min_cwnd: f64 = 0.1 "segments" in 0.000_1..=1.0,
    /// double the window every round trip until the delay first reaches the target
    start: bool = true,
} }

/// Timeouts in a row after which the window is set to its minimum.
const RETX_RESET_THRESHOLD: u32 = 5;

/// Swift; names are the paper's.
// The window first, as in `Windowed`, so that it can be read without looking at the variant.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Swift {
    pub(super) window: Window,
    pacing_rate: Option<Rate>,
    segment: Option<Bytes>,
    max_window: f64,
    /// The window, which may be below one segment.
    fcwnd: f64,
    target: f64,
    starting: bool,
    /// The smallest round trip so far.
    smallest: Duration,
    forward: Queuing,
    srtt: Duration,
    last_decrease: Option<Time>,
    retransmit_cnt: u32,
    /// The window before the last reaction to a loss, in case it is undone.
    before: Option<f64>,
    params: SwiftParams,
}

impl Swift {
    pub(super) fn new(params: SwiftParams, options: &Options) -> Self {
        let cwnd = options.initial_window.min(options.max_window).max(1.0);
        Self {
            window: Window { cwnd, ssthresh: f64::INFINITY },
            pacing_rate: None,
            segment: options.pacing,
            max_window: options.max_window,
            fcwnd: cwnd,
            target: 0.0,
            starting: params.start,
            smallest: Duration::MAX,
            forward: Queuing::new(0.0),
            srtt: Duration::ZERO,
            last_decrease: None,
            retransmit_cnt: 0,
            before: None,
            params,
        }
    }

    /// TargetDelay() of algorithm 1, in seconds.
    fn target_delay(&self) -> f64 {
        let p = &self.params;
        let at = |w: f64| 1.0 / libm::sqrt(w);
        let range = p.fs_range.secs();
        let a = range / (at(p.fs_min_cwnd) - at(p.fs_max_cwnd));
        let fs = (a * (at(self.fcwnd) - at(p.fs_max_cwnd))).clamp(0.0, range);
        self.path() + p.base_target.secs() + f64::from(p.hops) * p.h.secs() + fs
    }

    /// The delay of the empty path, in seconds.
    fn path(&self) -> f64 {
        let known = self.params.path_delay;
        if known > Duration::ZERO { known.secs() } else { self.smallest.secs() }
    }

    /// The receiver's delay before it acknowledges is not a delay of the fabric:
    /// this is the path's delay plus the excess of the forward delay over its
    /// minimum. In seconds.
    fn fabric_delay(&mut self, rtt: Rtt) -> f64 {
        let Some(forward) = rtt.forward else { return rtt.latest.secs() };
        self.forward.push(forward, 1.0);
        self.path() + self.forward.queue().unwrap_or(0.0)
    }

    fn can_decrease(&self, now: Time) -> bool {
        self.last_decrease.is_none_or(|at| now.since(at) >= self.srtt)
    }

    fn decrease(&mut self, now: Time, factor: f64) {
        if self.can_decrease(now) {
            self.set(self.fcwnd * factor);
            self.last_decrease = Some(now);
        }
    }

    fn set(&mut self, fcwnd: f64) {
        self.fcwnd = fcwnd.max(self.params.min_cwnd).min(self.max_window);
        self.window.cwnd = self.fcwnd.max(1.0);
        let slow = self.fcwnd < 1.0 && self.srtt > Duration::ZERO;
        let rate = self.fcwnd / self.srtt.secs().max(1e-9);
        self.pacing_rate = self.segment.filter(|_| slow).map(|size| segment_rate(rate, size));
    }
}

impl Controller for Swift {
    window_and_rate!();

    fn on_ack(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        self.srtt = rtt.smoothed;
        self.smallest = self.smallest.min(rtt.latest);
        self.retransmit_cnt = 0;
        let delay = self.fabric_delay(rtt);
        self.target = self.target_delay();
        if delay >= self.target {
            self.starting = false;
            let beyond = (delay - self.target) / delay;
            self.decrease(
                ack.now,
                (1.0 - self.params.beta * beyond).max(1.0 - self.params.max_mdf),
            );
        } else if ack.cwnd_limited {
            let acked = f64::from(ack.acked);
            let step = if self.starting { 1.0 } else { self.params.ai / self.fcwnd.max(1.0) };
            self.set(self.fcwnd + step * acked);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if event.signal == Signal::Loss {
            self.starting = false;
            self.before = Some(self.fcwnd);
            self.decrease(event.now, 1.0 - self.params.max_mdf);
        }
    }

    fn on_recovered(&mut self, _: Time) {}

    fn on_timeout(&mut self, event: &Timeout) {
        self.starting = false;
        if self.retransmit_cnt == 0 {
            self.before = Some(self.fcwnd);
        }
        self.retransmit_cnt += 1;
        if self.retransmit_cnt >= RETX_RESET_THRESHOLD {
            self.set(self.params.min_cwnd);
        } else {
            self.decrease(event.now, 1.0 - self.params.max_mdf);
        }
    }

    /// Restores the window; decreases because of delay are not undone.
    fn on_undo(&mut self, _: Time) {
        if let Some(before) = self.before.take() {
            self.set(self.fcwnd.max(before));
        }
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("fcwnd", self.fcwnd);
        see("target_ms", self.target * 1e3);
    }
}

impl Deflate for Swift {}

impl Overrule for Swift {}
