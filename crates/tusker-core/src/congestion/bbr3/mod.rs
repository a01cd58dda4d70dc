//! BBR, the third version: the model of BBRv1 (`bbr1`), bounded by what losses
//! show.
//!
//! ```text
//!            +---> Startup   pacing 2.77, until the rate or losses show a full pipe
//!            |        v
//!            |      Drain    pacing 0.5, until what it queued is gone
//!            |        v
//!            |  +-> DOWN     0.90, until the queue is gone and headroom is left
//!            |  |     v
//!            |  |   CRUISE   1.0, answers losses with the short-term bounds
//!            |  |     v      2 to 3 s, or as many round trips as Reno would need
//!            |  |   REFILL   1.0 for a round trip, short-term bounds forgotten
//!            |  |     v
//!            |  +-- UP       1.25, until the rate stands or 2 % are lost; behind
//!            |        |      a probe that lost as much, until its bound is reached
//!            |        v      min_rtt not seen for 5 s
//!            +---- ProbeRTT  half a BDP for 200 ms
//! ```
//!
//! `sheet.rs` has the equations, `model.rs` the measurements and the bounds, `probe.rs` the
//! states, `undo.rs` what is undone after a spurious recovery, and this file the control
//! parameters. Names are those of the draft.

mod model;
mod probe;
mod sheet;
mod undo;

pub(super) use sheet::{Bbr3Params, SHEET};

use self::undo::Undo;
use super::bbr1::segment_rate;
use super::filters::MaxOfRounds;
use super::{
    Ack, Congestion, Controller, Deflate, LossSample, Options, Overrule, Signal, Timeout, Window,
};
use crate::table::states;
use crate::units::{Bytes, Duration, Rate, Time};

/// BBR.StartupPacingGain: 4 ln 2.
const STARTUP_PACING_GAIN: f64 = 2.77;
const DRAIN_PACING_GAIN: f64 = 0.5;
/// CheckDrainDone(): BBR.round_count > BBR.drain_start_round + 3.
const DRAIN_ROUNDS: u64 = 3;
/// BBR.DefaultCwndGain.
const CWND_GAIN: f64 = 2.0;
const UP_CWND_GAIN: f64 = 2.25;
/// BBR.PacingMarginPercent of 1.
const PACING_MARGIN: f64 = 0.99;
/// BBR.MinPipeCwnd.
const MIN_PIPE_CWND: f64 = 4.0;
/// BBR.offload_budget: three quanta.
const OFFLOAD_BUDGET: f64 = 3.0;
/// BBRExtraAckedFilterLen.
const EXTRA_ACKED_ROUNDS: usize = 10;
/// BBRStartupFullLossCnt.
const STARTUP_FULL_LOSS_CNT: u32 = 6;

states! { enum State {
    Startup = "startup",
    Drain = "drain",
    Down = "probe bandwidth: down",
    Cruise = "probe bandwidth: cruise",
    Refill = "probe bandwidth: refill",
    Up = "probe bandwidth: up",
    ProbeRtt = "probe RTT",
} }

/// How the ACKs that arrive now relate to bandwidth probing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AckPhase {
    Init,
    Refilling,
    ProbeStarting,
    ProbeFeedback,
    ProbeStopping,
}

/// BBR as of draft-ietf-ccwg-bbr-06.
// The window first, as in `Windowed`, so that it can be read without looking at the variant.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Bbr3 {
    pub(super) window: Window,
    pacing_rate: Option<Rate>,
    segment: Option<Bytes>,
    initial_window: f64,
    max_window: f64,
    state: State,
    pacing_gain: f64,
    cwnd_gain: f64,
    prior_cwnd: f64,
    idle_restart: bool,
    in_recovery: bool,

    delivered: u64,
    round_count: u64,
    round_start: bool,
    next_round_delivered: u64,
    max_bw: MaxOfRounds<2>,
    cycle_count: u64,
    bw: f64,
    extra_acked: MaxOfRounds<EXTRA_ACKED_ROUNDS>,
    startup_extra_acked: MaxOfRounds<1>,
    extra_acked_interval_start: Time,
    extra_acked_delivered: f64,

    loss_round_delivered: u64,
    loss_round_start: bool,
    loss_in_round: bool,
    /// Since the last ACK.
    loss_told: bool,
    loss_events_in_round: u32,
    bw_latest: f64,
    inflight_latest: f64,
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,

    full_bw: f64,
    full_bw_count: u32,
    full_bw_now: bool,
    full_bw_reached: bool,
    drain_start_round: u64,

    ack_phase: AckPhase,
    bw_probe_samples: bool,
    prev_probe_too_high: bool,
    prev_probe_precautionary: bool,
    bw_probe_up_rounds: u32,
    bw_probe_up_acks: f64,
    probe_up_cnt: f64,
    rounds_since_bw_probe: u64,
    bw_probe_wait: Duration,
    cycle_stamp: Time,
    cwnd_limited: bool,
    cwnd_limited_round: bool,

    min_rtt: Option<Duration>,
    min_rtt_stamp: Time,
    probe_rtt_min_delay: Duration,
    probe_rtt_min_stamp: Time,
    probe_rtt_expired: bool,
    probe_rtt_done_stamp: Option<Time>,
    probe_rtt_round_done: bool,
    /// Segments sent while at most this much was delivered were limited by
    /// ProbeRTT.
    held_back: (u64, u64),
    undo: Undo,

    params: Bbr3Params,
}

impl Bbr3 {
    pub(super) fn new(params: Bbr3Params, options: &Options) -> Self {
        let initial_window = options.initial_window.min(options.max_window).max(1.0);
        let mut bbr = Self {
            window: Window { cwnd: initial_window, ssthresh: f64::INFINITY },
            pacing_rate: None,
            segment: options.pacing,
            initial_window,
            max_window: options.max_window,
            state: State::Startup,
            pacing_gain: STARTUP_PACING_GAIN,
            cwnd_gain: CWND_GAIN,
            prior_cwnd: 0.0,
            idle_restart: false,
            in_recovery: false,
            delivered: 0,
            round_count: 0,
            round_start: false,
            next_round_delivered: 0,
            max_bw: MaxOfRounds::new(),
            cycle_count: 0,
            bw: 0.0,
            extra_acked: MaxOfRounds::new(),
            startup_extra_acked: MaxOfRounds::new(),
            extra_acked_interval_start: Time::ZERO,
            extra_acked_delivered: 0.0,
            loss_round_delivered: 0,
            loss_round_start: false,
            loss_in_round: false,
            loss_told: false,
            loss_events_in_round: 0,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            bw_shortterm: f64::INFINITY,
            inflight_shortterm: f64::INFINITY,
            inflight_longterm: f64::INFINITY,
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_now: false,
            full_bw_reached: false,
            drain_start_round: 0,
            ack_phase: AckPhase::Init,
            bw_probe_samples: false,
            prev_probe_too_high: false,
            prev_probe_precautionary: false,
            bw_probe_up_rounds: 0,
            bw_probe_up_acks: 0.0,
            probe_up_cnt: f64::INFINITY,
            rounds_since_bw_probe: 0,
            bw_probe_wait: Duration::ZERO,
            cycle_stamp: Time::ZERO,
            cwnd_limited: false,
            cwnd_limited_round: false,
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            probe_rtt_min_delay: Duration::MAX,
            probe_rtt_min_stamp: Time::ZERO,
            probe_rtt_expired: false,
            probe_rtt_done_stamp: None,
            probe_rtt_round_done: false,
            held_back: (1, 0),
            undo: Undo::default(),
            params,
        };
        bbr.init_pacing_rate(1e-3);
        bbr
    }

    /// BBRInitPacingRate(): the initial window per SRTT, or per 1 ms while there is
    /// no SRTT.
    fn init_pacing_rate(&mut self, srtt: f64) {
        let rate = STARTUP_PACING_GAIN * self.initial_window / srtt.max(1e-9);
        self.pacing_rate = self.segment.map(|segment| segment_rate(rate, segment));
    }

    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.bw * PACING_MARGIN;
        if let Some(segment) = self.segment
            && rate > 0.0
        {
            let rate = segment_rate(rate, segment);
            if self.full_bw_reached || self.pacing_rate.is_none_or(|old| rate > old) {
                self.pacing_rate = Some(rate);
            }
        }
    }

    /// BBRBDPMultiple(gain).
    fn bdp_multiple(&self, bw: f64, gain: f64) -> f64 {
        self.min_rtt.map_or(self.initial_window, |rtt| gain * bw * rtt.secs())
    }

    /// BBRQuantizationBudget(inflight_cap).
    fn quantization_budget(&self, inflight_cap: f64) -> f64 {
        let cap = inflight_cap.max(OFFLOAD_BUDGET).max(MIN_PIPE_CWND);
        if self.state == State::Up { cap + 2.0 } else { cap }
    }

    /// BBRInflight(gain).
    fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.quantization_budget(self.bdp_multiple(bw, gain))
    }

    fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.bw, self.params.probe_rtt_gain).max(MIN_PIPE_CWND)
    }

    fn set_cwnd(&mut self, ack: &Ack) {
        let extra = self.extra_acked();
        let max_inflight =
            self.quantization_budget(self.bdp_multiple(self.bw, self.cwnd_gain) + extra);
        let acked = f64::from(ack.acked);
        let mut cwnd = self.window.cwnd;
        if self.full_bw_reached {
            cwnd = (cwnd + acked).min(max_inflight);
        } else if cwnd < max_inflight || (self.delivered as f64) < self.initial_window {
            cwnd += acked;
        }
        cwnd = cwnd.max(MIN_PIPE_CWND);
        if self.state == State::ProbeRtt {
            cwnd = cwnd.min(self.probe_rtt_cwnd());
        }
        self.window.cwnd = cwnd.min(self.cap_for_model()).min(self.max_window).max(1.0);
    }

    /// BBRBoundCwndForModel().
    fn cap_for_model(&self) -> f64 {
        let cap = match self.state {
            State::Down | State::Refill | State::Up => self.inflight_longterm,
            State::Cruise | State::ProbeRtt => self.inflight_with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        cap.min(self.inflight_shortterm).max(MIN_PIPE_CWND)
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
}

impl Controller for Bbr3 {
    window_and_rate!();

    fn on_lost(&mut self, now: Time, loss: &LossSample) {
        self.handle_lost_packet(now, loss);
    }

    /// BBRUpdateOnACK().
    fn on_ack(&mut self, ack: &Ack) {
        if ack.lost > 0 {
            self.loss_events_in_round = self.loss_events_in_round.saturating_add(1);
        }
        self.round_start = false;
        self.loss_round_start = false;
        self.cwnd_limited_round |= ack.cwnd_limited;
        self.cwnd_limited |= ack.cwnd_limited;
        if let Some(rate) = &ack.rate {
            self.update_latest_delivery_signals(rate);
            self.update_max_bw(rate);
            self.update_congestion_signals();
        }
        self.update_ack_aggregation(ack);
        if let Some(rate) = &ack.rate {
            self.check_full_bw_reached(rate);
            self.check_startup_high_loss(rate);
        }
        self.check_startup_and_drain_done(ack);
        self.update_probe_bw_cycle_phase(ack);
        self.update_min_rtt(ack);
        self.check_probe_rtt(ack);
        if let Some(rate) = &ack.rate {
            self.advance_latest_delivery_signals(rate);
        }
        // BBRBoundBWForModel()
        self.bw = self.max_bw.get().min(self.bw_shortterm);
        self.set_pacing_rate(self.pacing_gain);
        self.set_cwnd(ack);
        self.loss_told = false;
    }

    fn on_congestion(&mut self, event: &Congestion) {
        if event.signal == Signal::Loss {
            self.begin_recovery();
        }
    }

    fn on_recovered(&mut self, _: Time) {
        if core::mem::take(&mut self.in_recovery) {
            self.restore_cwnd();
        }
    }

    /// OnEnterRTO().
    fn on_timeout(&mut self, event: &Timeout) {
        self.begin_recovery();
        self.window.cwnd = (f64::from(event.in_flight) + 1.0).min(self.max_window);
    }

    fn on_undo(&mut self, _: Time) {
        self.handle_spurious_loss_detection();
    }

    fn on_idle(&mut self, now: Time, _: Duration) {
        self.handle_restart_from_idle(now);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        let shown = |bound: f64| if bound.is_finite() { bound } else { 0.0 };
        see("state", f64::from(self.state as u8));
        see("pacing_gain", self.pacing_gain);
        see("bw", self.bw);
        see("max_bw", self.max_bw.get());
        see("min_rtt", self.min_rtt.unwrap_or_default().secs());
        // 0 while there is none
        see("bw_shortterm", shown(self.bw_shortterm));
        see("inflight_shortterm", shown(self.inflight_shortterm));
        see("inflight_longterm", shown(self.inflight_longterm));
    }
}

impl Deflate for Bbr3 {}

impl Overrule for Bbr3 {}
