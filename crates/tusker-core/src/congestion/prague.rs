//! Prague: DCTCP for the Internet, the scalable congestion control of L4S.
//!
//! ```text
//!   packets   ECT(1); a queue for L4S marks early and often, and keeps them waiting
//!             for a millisecond
//!   receiver  counts the marks (AccECN)
//!   sender    alpha: the moving average of the part that was marked
//!             w - alpha/2 w once per round trip, w + 1 for a round trip without marks
//! ```
//!
//! So the window settles at 2/p: two marks per round trip, however fast the path is. New
//! compared with DCTCP: unmarked segments let the window grow even in a round trip with marks;
//! round trips shorter than 25 ms count as 25 ms, so that flows over a short path leave others
//! their share; segments are paced; and when the window is below two segments, the pacing rate
//! alone enforces it.

use super::bbr1::segment_rate;
use super::slow_start::SlowStartState;
use super::window::{LOSS_WINDOW, MIN_SSTHRESH};
use super::{Ack, Congestion, Controller, Deflate, Options, Overrule, Signal, Timeout, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Need, Sheet};
use crate::table::params;
use crate::units::{Bytes, Duration, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "prague",
    title: "Prague (scalable congestion control of L4S)",
    family: Family::Marks,
    source: "draft-briscoe-iccrg-prague-congestion-control-04 (from memory); Linux's tcp_prague.c 0.7",
    equations: "\
per ACK of m segments that are not marked:  w <- w + m a/w,  a = 1, but (RTT/rtt_target)^2 if
     RTT < rtt_target and at least `transition` rounds have ended since slow start
per round (no shorter than rtt_target):  F = marked/acknowledged,  alpha <- (1 - g) alpha + g F
per round with a mark:  w <- (1 - alpha/2) w;  at the first mark of all:  w <- w/2
per loss:  w <- w/2, and no growth until it is repaired
cwnd = ceil(w), at least 2;  rate = w/SRTT, at least 100 kbit/s;  2 w/SRTT where w < ssthresh/2",
    differs: "\
cwnd follows w at once; Linux changes it by one per ACK, and bases pacing on the \
amount in flight if that is more than cwnd. Script: prague.
The window counts as used if at least half of it is in flight (RFC 7661), because \
paced segments do not fill it; Linux checks whether the window was the limit. \
Script: prague.
A timeout sets the window to 1 and ssthresh to w/2, as in RFC 5681; Linux only \
halves w. Script: prague.
Segments have one size; Linux shortens them below 1 Mbit/s. Its separate mode \
below 4 segments, which keeps a rate instead of w, is left out. Test: \
prague_flows_keep_a_rate_below_two_segments.
At a queue with classic marking (RFC 3168), the draft and RFC 9331 ask for a \
fallback to Reno; Linux leaves it out, and so do we. Test: \
prague_answers_the_part_that_was_marked.",
    needs: &[Need::L4s, Need::Pacing, Need::RackTlp],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::module(Module {
        patched: Some("a kernel with TCP Prague: github.com/L4STeam/linux"),
        ..Module::of("prague", Counts::Neither)
    }),
    losses: Losses::UNKNOWN,
    look: Look { hue: 8, dash: 3 },
    states: &[],
    params: PragueParams::LIST,
};

params! { pub(super) struct PragueParams {
    /// weight of the last round in alpha
    g: f64 = 0.0625 in 0.0..=1.0,
    /// flows with shorter round trips grow and shrink as if their round trip were this long
    rtt_target: Duration = 0.025 "s" in 0.0..=1.0,
    /// rounds after slow start before rtt_target applies
    transition: f64 = 4.0 "rounds" in 0.0..=1e9,
} }

/// 100 kbit/s (Linux: `MINIMUM_RATE`).
const LEAST_RATE: f64 = 1e5;

/// Linux: `MIN_CWND_RTT`.
const LEAST_WINDOW: f64 = 2.0;

/// TCP Prague.
// The window first, as in `Windowed`, so that it can be read without looking at the variant.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Prague {
    /// The window that the transport uses; derived from `w`.
    pub(super) window: Window,
    w: f64,
    /// ssthresh, which may be less than two segments here.
    threshold: f64,
    alpha: f64,
    pacing_rate: Option<Rate>,
    segment: Option<Bytes>,
    max_window: f64,
    slow_start: SlowStartState,
    saw_mark: bool,
    in_loss: bool,
    /// Rounds since slow start.
    rounds: f64,
    /// SRTT in seconds; 0 if unknown.
    rtt: f64,
    /// Segments of this round: acknowledged, and how many of those were marked.
    acked: u64,
    marked: u64,
    round_at: Time,
    cut_at: Time,
    /// w and the threshold before the last loss, in case it is undone.
    before: Option<(f64, f64)>,
    params: PragueParams,
}

impl Prague {
    pub(super) fn new(params: PragueParams, options: &Options) -> Self {
        let cwnd = options.initial_window.min(options.max_window).max(1.0);
        let ssthresh = options.initial_ssthresh.max(MIN_SSTHRESH);
        Self {
            window: Window { cwnd, ssthresh },
            w: cwnd,
            threshold: ssthresh,
            alpha: 0.0,
            pacing_rate: None,
            segment: options.pacing,
            max_window: options.max_window,
            slow_start: SlowStartState::new(options.slow_start, options.pacing.is_some()),
            saw_mark: false,
            in_loss: false,
            rounds: 0.0,
            rtt: 0.0,
            acked: 0,
            marked: 0,
            round_at: Time::ZERO,
            cut_at: Time::ZERO,
            before: None,
            params,
        }
    }

    fn in_slow_start(&self) -> bool {
        self.w < self.threshold
    }

    fn leave_slow_start(&mut self, threshold: f64) {
        self.threshold = threshold;
        self.window.ssthresh = threshold.max(MIN_SSTHRESH);
        self.slow_start.congested();
    }

    /// Round trips shorter than the target count as the target.
    fn is_independent(&self) -> bool {
        !self.in_slow_start() && self.rounds >= self.params.transition
    }

    fn on_round(&mut self, now: Time) {
        if self.is_independent() && now.since(self.round_at) < self.params.rtt_target {
            return;
        }
        if self.saw_mark && self.acked > 0 {
            let f = (self.marked as f64 / self.acked as f64).min(1.0);
            self.alpha += self.params.g * (f - self.alpha);
        }
        (self.acked, self.marked, self.round_at) = (0, 0, now);
        self.rounds += if self.in_slow_start() { 0.0 } else { 1.0 };
    }

    fn grow(&mut self, ack: &Ack) {
        let mut segments = f64::from(ack.acked.saturating_sub(ack.marked));
        if self.in_slow_start() {
            let mut window = Window { cwnd: self.w, ssthresh: self.threshold };
            segments = self.slow_start.on_ack(&mut window, ack);
            self.w = window.cwnd;
            self.threshold = window.ssthresh;
            self.window.ssthresh = self.threshold.max(MIN_SSTHRESH);
        }
        let target = self.params.rtt_target.secs();
        let part = match self.is_independent() && self.rtt > 0.0 && self.rtt < target {
            true => self.rtt / target,
            false => 1.0,
        };
        self.w = (self.w + segments * part * part / self.w).min(self.max_window);
    }

    /// w, but not below a rate of 100 kbit/s.
    fn shrink(&mut self, part: f64) {
        let size = self.segment.map_or(1500.0, |segment| segment.get() as f64);
        let least = (LEAST_RATE * self.rtt / (8.0 * size)).min(self.w);
        self.w = (self.w * part).max(least).max(f64::MIN_POSITIVE);
        self.leave_slow_start(self.w);
        self.window.cwnd = self.window.cwnd.min(self.blocking());
    }

    fn on_mark(&mut self, now: Time) {
        let half = !core::mem::replace(&mut self.saw_mark, true);
        let early = now.since(self.cut_at) < self.params.rtt_target;
        if half {
            self.shrink(0.5);
        } else if self.is_independent() && early {
            return;
        } else {
            self.shrink(1.0 - self.alpha / 2.0);
        }
        self.cut_at = now;
    }

    /// The integer window that does not limit the rate.
    fn blocking(&self) -> f64 {
        libm::ceil(self.w).max(LEAST_WINDOW).min(self.max_window)
    }

    fn pace(&mut self) {
        let Some(segment) = self.segment.filter(|_| self.rtt > 0.0) else { return };
        let gain = if self.w < self.threshold / 2.0 { 2.0 } else { 1.0 };
        let least = LEAST_RATE / (8.0 * segment.get() as f64);
        let rate = (gain * self.w / self.rtt).max(least);
        self.pacing_rate = Some(segment_rate(rate.min(1e12), segment));
    }
}

impl Controller for Prague {
    window_and_rate!();

    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.rtt = rtt.smoothed.secs();
        }
        self.acked += u64::from(ack.acked);
        self.marked += u64::from(ack.marked);
        if ack.marked > 0 && !self.saw_mark {
            self.on_mark(ack.now);
        }
        let used = 2.0 * f64::from(ack.in_flight + ack.acked) >= self.w;
        if !self.in_loss && (ack.cwnd_limited || used) {
            self.grow(&Ack { cwnd_limited: true, ..*ack });
        }
        if ack.round_start {
            self.on_round(ack.now);
        }
        if !self.in_loss {
            self.window.cwnd = self.blocking();
        }
        self.pace();
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if event.signal == Signal::Mark {
            return self.on_mark(event.now);
        }
        self.before = Some((self.w, self.threshold));
        self.in_loss = true;
        self.shrink(0.5);
    }

    fn on_recovered(&mut self, _: Time) {
        self.in_loss = false;
    }

    fn on_timeout(&mut self, event: &Timeout) {
        if event.first {
            self.before = Some((self.w, self.threshold));
            self.leave_slow_start((self.w / 2.0).max(MIN_SSTHRESH));
        }
        self.w = LOSS_WINDOW;
        self.window.cwnd = LOSS_WINDOW;
        self.in_loss = false;
    }

    fn on_undo(&mut self, _: Time) {
        if let Some((w, threshold)) = self.before.take() {
            self.w = self.w.max(w);
            self.threshold = self.threshold.max(threshold);
            self.window.ssthresh = self.threshold.max(MIN_SSTHRESH);
            self.window.cwnd = self.window.cwnd.max(self.blocking());
        }
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("alpha", self.alpha);
        see("frac_cwnd", self.w);
    }
}

impl Deflate for Prague {}

impl Overrule for Prague {}
