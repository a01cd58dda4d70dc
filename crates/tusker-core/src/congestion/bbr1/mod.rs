//! BBR, the first version: it models the path instead of reacting to losses.
//!
//! ```text
//!            +---> Startup   pacing 2/ln 2, until BtlBw stops growing
//!            |        v
//!            |      Drain    pacing ln 2/2, until what it queued is gone
//!            |        v
//!            +---> ProbeBW   1.25, 0.75, then 1 for six RTprop each, and again
//!            |        ^
//!            |        v      RTprop not seen for 10 s
//!            +---- ProbeRTT  four segments for 200 ms
//! ```
//!
//! `sheet.rs` has the equations, `states.rs` the state transitions, `linux.rs` and
//! `policer.rs` what Linux's module does beyond the draft, and this file the model and the
//! control parameters. Names are those of the draft.

mod linux;
mod policer;
mod sheet;
mod states;

use linux::Aggregation;
use policer::Policer;

pub(super) use sheet::{Bbr1Params, SHEET};

use super::filters::MaxOfRounds;
use super::{
    Ack, Congestion, Controller, Deflate, Options, Overrule, RateSample, Signal, Timeout, Window,
};
use crate::table::states;
use crate::units::{Bytes, Duration, Rate, Time};

/// 2/ln 2: the smallest gain that lets the sending rate double each round.
const HIGH_GAIN: f64 = 2.0 / core::f64::consts::LN_2;

/// The phases of ProbeBW.
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

/// BtlBwFilterLen, in round trips.
const BTLBW_ROUNDS: usize = 10;

/// Segments beyond the BDP for hosts that work in bursts: three quanta.
const QUANTA: f64 = 3.0;

states! { enum State {
    Startup = "startup",
    Drain = "drain",
    ProbeBw = "probe bandwidth",
    ProbeRtt = "probe RTT",
} }

/// BBR as of draft-cardwell-iccrg-bbr-congestion-control-00.
// The window first, as in `Windowed`, so that it can be read without looking at the variant.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Bbr1 {
    pub(super) window: Window,
    pacing_rate: Option<Rate>,
    segment: Option<Bytes>,
    initial_window: f64,
    max_window: f64,
    state: State,
    pacing_gain: f64,
    cwnd_gain: f64,
    btlbw: MaxOfRounds<BTLBW_ROUNDS>,
    round_count: u64,
    next_round_delivered: u64,
    round_start: bool,
    rtprop: Option<Duration>,
    rtprop_stamp: Time,
    filled_pipe: bool,
    full_bw: f64,
    full_bw_count: u32,
    cycle_index: usize,
    cycle_stamp: Time,
    probe_rtt_done_stamp: Option<Time>,
    probe_rtt_round_done: bool,
    /// Segments sent while at most this much was delivered were limited by
    /// ProbeRTT.
    held_back: (u64, u64),
    delivered: u64,
    prior_cwnd: f64,
    /// Nothing was acknowledged since the application was idle.
    idle_restart: bool,
    in_recovery: bool,
    /// The ACK that starts the recovery has not been processed yet.
    entering: bool,
    /// In Linux's form: the ACK that ends the recovery has not been processed yet.
    leaving: bool,
    /// Packet conservation, until the ACK of a segment that was sent when this much
    /// or more was delivered.
    conserves_until: Option<u64>,
    /// How far ACKs run ahead of BtlBw, in Linux's form.
    aggregation: Aggregation,
    /// What limits the rate without a queue.
    policer: Policer,
    /// Segments ever found lost.
    lost: u64,
    params: Bbr1Params,
}

impl Bbr1 {
    pub(super) fn new(params: Bbr1Params, options: &Options) -> Self {
        let initial_window = options.initial_window.min(options.max_window).max(1.0);
        let high_gain = params.high_gain;
        let mut bbr = Self {
            window: Window { cwnd: initial_window, ssthresh: f64::INFINITY },
            pacing_rate: None,
            segment: options.pacing,
            initial_window,
            max_window: options.max_window,
            state: State::Startup,
            pacing_gain: high_gain,
            cwnd_gain: high_gain,
            btlbw: MaxOfRounds::new(),
            round_count: 0,
            next_round_delivered: 0,
            round_start: false,
            rtprop: None,
            rtprop_stamp: Time::ZERO,
            filled_pipe: false,
            full_bw: 0.0,
            full_bw_count: 0,
            cycle_index: 0,
            cycle_stamp: Time::ZERO,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            held_back: (1, 0),
            delivered: 0,
            prior_cwnd: 0.0,
            idle_restart: false,
            in_recovery: false,
            entering: false,
            leaving: false,
            conserves_until: None,
            aggregation: Aggregation::default(),
            policer: Policer::default(),
            lost: 0,
            params,
        };
        bbr.pace(bbr.nominal_bandwidth(1e-3));
        bbr
    }

    /// BBRInitPacingRate(): the initial window per SRTT, or per 1 ms while there is
    /// no SRTT. In segments per second.
    fn nominal_bandwidth(&self, srtt: f64) -> f64 {
        self.params.high_gain * self.initial_window / srtt.max(1e-9)
    }

    fn pace(&mut self, rate: f64) {
        self.pacing_rate = self.segment.map(|segment| segment_rate(self.margin() * rate, segment));
    }

    /// BBRInflight(gain), in segments.
    fn inflight(&self, gain: f64) -> f64 {
        match self.rtprop {
            None => self.initial_window,
            Some(rtprop) => self.budget(gain * self.btlbw.get() * rtprop.secs()),
        }
    }

    /// With room for what the hosts hold.
    fn budget(&self, inflight: f64) -> f64 {
        if self.params.linux_details { self.linux_budget(inflight) } else { inflight + QUANTA }
    }

    /// The largest amount in flight, in segments.
    fn target(&self) -> f64 {
        match (self.params.linux_details, self.rtprop) {
            (true, Some(rtprop)) => {
                let bdp = self.cwnd_gain * self.bandwidth() * rtprop.secs();
                self.budget(libm::ceil(bdp) + self.ahead())
            }
            _ => self.inflight(self.cwnd_gain),
        }
    }

    /// Marks what is sent in ProbeRTT the way the transport marks
    /// application-limited segments.
    fn is_app_limited(&self, rate: &RateSample) -> bool {
        let (from, to) = self.held_back;
        rate.app_limited || (from..=to).contains(&rate.prior_delivered)
    }

    fn update_round_and_btlbw(&mut self, rate: &RateSample) {
        self.delivered = rate.total_delivered;
        self.round_start = rate.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.next_round_delivered = self.delivered;
            self.round_count += 1;
        }
        if self.conserves_until.is_some_and(|until| rate.prior_delivered >= until) {
            // "after one round-trip in Fast Recovery"
            self.conserves_until = None;
        }
        let bw = rate.rate();
        if bw >= self.btlbw.get() || !self.is_app_limited(rate) {
            self.btlbw.update(self.round_count, bw);
        }
    }

    fn save_cwnd(&mut self) {
        self.prior_cwnd = if self.in_recovery || self.state == State::ProbeRtt {
            self.prior_cwnd.max(self.window.cwnd)
        } else {
            self.window.cwnd
        };
    }

    fn restore_cwnd(&mut self) {
        self.window.cwnd = self.window.cwnd.max(self.prior_cwnd).min(self.max_window);
    }

    fn leave_recovery(&mut self) {
        self.in_recovery = false;
        self.conserves_until = None;
        self.entering = false;
    }

    /// BBRSetPacingRateWithGain(gain).
    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = self.margin() * gain * self.bandwidth();
        if let Some(segment) = self.segment
            && rate > 0.0
        {
            let rate = segment_rate(rate, segment);
            if self.filled_pipe || self.pacing_rate.is_none_or(|old| rate > old) {
                self.pacing_rate = Some(rate);
            }
        }
    }

    fn set_cwnd(&mut self, ack: &Ack) {
        let (acked, in_flight) = (f64::from(ack.acked), f64::from(ack.in_flight));
        let target = self.target();
        let mut cwnd = self.window.cwnd;
        // BBRModulateCwndForRecovery()
        if core::mem::take(&mut self.entering) {
            cwnd = in_flight + acked.max(1.0);
            self.conserves_until = Some(self.delivered);
            if self.params.linux_details {
                self.next_round_delivered = self.delivered;
            }
        }
        cwnd = (cwnd - f64::from(ack.lost)).max(1.0);
        if core::mem::take(&mut self.leaving) {
            self.leave_recovery();
            cwnd = cwnd.max(self.prior_cwnd);
        }
        if self.conserves_until.is_some() {
            cwnd = cwnd.max(in_flight + acked);
        } else {
            if self.filled_pipe {
                cwnd = (cwnd + acked).min(target);
            } else if cwnd < target || (self.delivered as f64) < self.initial_window {
                cwnd += acked;
            }
            cwnd = cwnd.max(self.params.min_pipe_cwnd);
        }
        if self.state == State::ProbeRtt {
            cwnd = cwnd.min(self.params.min_pipe_cwnd);
        }
        self.window.cwnd = cwnd.min(self.max_window).max(1.0);
    }
}

/// Converts segments per second to a rate in bits per second.
pub(super) fn segment_rate(rate: f64, segment: Bytes) -> Rate {
    Rate::from_bits_per_sec(((rate * segment.get() as f64 * 8.0) as u64).max(1))
}

impl Controller for Bbr1 {
    window_and_rate!();

    fn on_ack(&mut self, ack: &Ack) {
        self.round_start = false;
        self.lost += u64::from(ack.lost);
        let mut app_limited = true;
        if let Some(rate) = &ack.rate {
            app_limited = self.is_app_limited(rate);
            self.update_round_and_btlbw(rate);
            if self.params.lt_bw {
                self.watch_for_policer(ack, rate);
            }
            if self.params.linux_details {
                self.update_aggregation(ack);
            }
        }
        self.check_cycle_phase(ack);
        self.check_full_pipe(app_limited);
        self.check_drain(ack);
        let expired = self.update_rtprop(ack);
        self.check_probe_rtt(ack, expired);
        self.set_pacing_rate(self.pacing_gain);
        self.set_cwnd(ack);
    }

    fn on_congestion(&mut self, event: &Congestion) {
        // it knows no ECN
        if event.signal == Signal::Loss {
            self.save_cwnd();
            self.in_recovery = true;
            // Linux's module compares the states after two ACKs (`prev_ca_state`): a recovery
            // that begins with the ACK that ends one goes on
            if !core::mem::take(&mut self.leaving) {
                self.entering = true;
                self.conserves_until = Some(u64::MAX);
            }
        }
    }

    fn on_recovered(&mut self, _: Time) {
        if self.params.linux_details {
            self.leaving = self.in_recovery;
        } else if self.in_recovery {
            self.leave_recovery();
            self.restore_cwnd();
        }
    }

    fn on_timeout(&mut self, _: &Timeout) {
        self.save_cwnd();
        self.in_recovery = true;
        (self.entering, self.leaving) = (false, false);
        self.conserves_until = None;
        self.window.cwnd = 1.0;
    }

    fn on_undo(&mut self, _: Time) {
        self.policer = Policer::default();
    }

    /// BBRHandleRestartFromIdle(): "leaves its cwnd as-is and paces packets at exactly
    /// BBR.BtlBw".
    fn on_idle(&mut self, _: Time, _: Duration) {
        self.idle_restart = true;
        if self.state == State::ProbeBw {
            self.set_pacing_rate(1.0);
        }
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("state", f64::from(self.state as u8));
        see("pacing_gain", self.pacing_gain);
        see("btlbw", self.btlbw.get());
        see("rtprop", self.rtprop.unwrap_or_default().secs());
    }
}

impl Deflate for Bbr1 {}

impl Overrule for Bbr1 {}
