//! Copa: a target rate of 1/(delta d_q), d_q being the queueing delay, so that
//! each flow keeps about 1/delta packets in the queue.

use super::bbr1::segment_rate;
use super::filters::MinOfSpan;
use super::{Ack, Congestion, Controller, Deflate, Options, Overrule, Signal, Timeout, Window};
use crate::params::{Family, Linux, Look, Losses, Need, Sheet};
use crate::table::params;
use crate::units::{Bytes, Duration, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "copa",
    title: "Copa",
    family: Family::Delay,
    source: "Arun, Balakrishnan: Copa: Practical Delay-Based Congestion Control for the Internet, \
             NSDI 2018, sections 2 and 3",
    equations: "\
d_q = RTTstanding - RTTmin:  the smallest RTTs of the last srtt/2 and of the last rtt_min_window
lambda_t = 1/(delta d_q),  lambda = w/RTTstanding
per ACK:   w <- w + v/(delta w) if lambda <= lambda_t, else w - v/(delta w)
per RTT:   v doubles if w has moved the same way for three RTTs or more;  v = 1 if w has turned
per ACK:   v is halved if v > delta w, but never below 1
start:     w doubles per RTT until lambda > lambda_t
pacing = 2 w/RTTstanding
d_q > 0.1 (RTTmax - RTTmin) for 5 RTTs, RTTmax being that of the last 4:  competitive mode:
           1/delta grows by 1 per RTT without a loss, and is halved per loss, but not below
           its first value",
    differs: "\
Once per window, the paper compares w with its value when the last acknowledged \
segment left; here w is compared with its value at the beginning of the round, \
which is the same moment. Script: copa.
The paper resets v to 1 at the end of a window that went the other way; here the \
first ACK that goes the other way does, as in mvfst: v = 16 would empty the pipe \
before the window ends. Script: copa_velocity.
The bound on v is not in the paper but in the authors' code (genericCC, \
markoviancc.cc, update_intersend_time): no ACK moves the window by more than a \
segment. Script: copa_bound. Their code doubles v at every round trip in the same \
direction; here it doubles after three, as the paper says. Script: copa_velocity.
After a timeout, w and v are unchanged, as in the authors' code (onTimeout is empty; \
the paper says nothing); RFC 5681 would set a window of 1. Script: copa. Two \
features of their code are left out: a restart after 2 s without an ACK (ctcp.hh), \
and a cut of the window by 0.3 when more than 30 % of two round trips were lost \
(estimators.cc, ReduceOnLoss).",
    needs: &[Need::Pacing, Need::RackTlp, Need::NotEct],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::NONE,
    losses: Losses::UNKNOWN,
    look: Look { hue: 4, dash: 2 },
    states: &[],
    params: CopaParams::LIST,
};

params! { pub(super) struct CopaParams {
    /// each flow keeps 1/delta segments in the queue
    delta: f64 = 0.5 "1/segments" in 0.001..=1.0,
    /// age at which RTTmin is forgotten
    rtt_min_window: Duration = 10.0 "s" in 0.1..=1e5,
    /// compete with flows that fill the queue (section 2.2)
    competitive: bool = true,
} }

/// Number of times in a row in the same direction before v doubles.
const STEADY: u32 = 3;

/// Round trips without an empty queue before the competitive mode.
const PATIENCE: u64 = 5;

/// Section 2.2 (from memory): lower than 10 % of the oscillations of the last four RTTs.
const NEARLY_EMPTY: f64 = 0.1;
const OSCILLATION_RTTS: u64 = 4;

/// Copa as of NSDI 2018; names are the paper's.
// The window first, as in `Windowed`, so that it can be read without looking at the variant.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Copa {
    pub(super) window: Window,
    pacing_rate: Option<Rate>,
    segment: Option<Bytes>,
    max_window: f64,
    delta: f64,
    rtt_min: MinOfSpan,
    rtt_standing: MinOfSpan,
    /// Of the negated RTT.
    rtt_max: MinOfSpan,
    d_q: f64,
    slow_start: bool,
    v: f64,
    /// The window at the beginning of the round, and its direction since.
    round_window: f64,
    upwards: bool,
    same_direction: u32,
    /// The queue was nearly empty then.
    empty_at: Time,
    competitive: bool,
    lost_in_round: bool,
    params: CopaParams,
}

impl Copa {
    pub(super) fn new(params: CopaParams, options: &Options) -> Self {
        let cwnd = options.initial_window.min(options.max_window).max(1.0);
        let mut copa = Self {
            window: Window { cwnd, ssthresh: f64::INFINITY },
            pacing_rate: None,
            segment: options.pacing,
            max_window: options.max_window,
            delta: params.delta,
            rtt_min: MinOfSpan::default(),
            rtt_standing: MinOfSpan::default(),
            rtt_max: MinOfSpan::default(),
            d_q: 0.0,
            slow_start: true,
            v: 1.0,
            round_window: cwnd,
            upwards: true,
            same_direction: 0,
            empty_at: Time::ZERO,
            competitive: false,
            lost_in_round: false,
            params,
        };
        // while no round trip is known: the initial window per millisecond
        copa.pace(1e-3);
        copa
    }

    fn pace(&mut self, rtt_standing: f64) {
        let rate = 2.0 * self.window.cwnd / rtt_standing.max(1e-9);
        self.pacing_rate = self.segment.map(|segment| segment_rate(rate, segment));
    }

    /// Section 2.2: is the queue shared with flows that never let it empty?
    fn choose_mode(&mut self, now: Time, srtt: Duration, rtt_min: f64, rtt_max: f64) {
        if self.d_q <= NEARLY_EMPTY * (rtt_max - rtt_min) || self.empty_at == Time::ZERO {
            self.empty_at = now;
        }
        let competitive = self.params.competitive && now.since(self.empty_at) > srtt * PATIENCE;
        if self.competitive && !competitive {
            self.delta = self.params.delta;
        }
        self.competitive = competitive;
    }

    fn turn(&mut self, upwards: bool) {
        self.upwards = upwards;
        self.same_direction = 0;
        self.v = 1.0;
        self.round_window = self.window.cwnd;
    }

    /// Once per round trip: the velocity, and delta in competitive mode.
    fn on_round(&mut self) {
        let upwards = self.window.cwnd > self.round_window;
        if upwards == self.upwards {
            self.same_direction += 1;
            if self.same_direction >= STEADY {
                self.v = (self.v * 2.0).min(1e6);
            }
        } else {
            self.turn(upwards);
            self.same_direction = 1;
        }
        self.round_window = self.window.cwnd;
        if self.competitive && !core::mem::take(&mut self.lost_in_round) {
            self.delta = 1.0 / (1.0 / self.delta + 1.0);
        }
    }
}

impl Controller for Copa {
    window_and_rate!();

    fn on_ack(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        let latest = rtt.latest.secs();
        let half = Duration::from_nanos(rtt.smoothed.nanos() / 2);
        let rtt_min = self.rtt_min.update(ack.now, latest, self.params.rtt_min_window);
        let rtt_standing = self.rtt_standing.update(ack.now, latest, half).max(1e-9);
        let rtt_max = -self.rtt_max.update(ack.now, -latest, rtt.smoothed * OSCILLATION_RTTS);
        self.d_q = (rtt_standing - rtt_min).max(0.0);
        self.choose_mode(ack.now, rtt.smoothed, rtt_min, rtt_max);
        if ack.round_start {
            self.on_round();
        }
        // lambda <= lambda_t, written without dividing by an empty queue
        let below = self.window.cwnd * self.delta * self.d_q <= rtt_standing;
        let acked = f64::from(ack.acked);
        let cwnd = self.window.cwnd;
        if self.slow_start && below {
            self.window.cwnd += acked;
        } else {
            self.slow_start = false;
            if self.v > 1.0 && below != self.upwards {
                self.turn(below);
            }
            if self.v > self.delta * cwnd {
                self.v = (self.v / 2.0).max(1.0);
            }
            let step = acked * self.v / (self.delta * cwnd);
            self.window.cwnd += if below { step } else { -step };
        }
        // a window that is not used does not grow
        if !ack.cwnd_limited {
            self.window.cwnd = self.window.cwnd.min(cwnd);
        }
        self.window.cwnd = self.window.cwnd.max(2.0).min(self.max_window).max(1.0);
        self.pace(rtt_standing);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        // the default mode does not react to losses
        self.lost_in_round = true;
        if self.competitive && event.signal == Signal::Loss {
            self.delta = (2.0 * self.delta).min(self.params.delta);
        }
    }

    fn on_recovered(&mut self, _: Time) {}

    fn on_timeout(&mut self, _: &Timeout) {}

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("delta", self.delta);
        see("v", self.v);
        see("d_q", self.d_q);
        see("competitive", f64::from(u8::from(self.competitive)));
    }
}

impl Deflate for Copa {}

impl Overrule for Copa {}
