//! What BBR measures, and the bounds that it derives from losses (section 5.5).

use super::{Ack, AckPhase, Bbr3, STARTUP_FULL_LOSS_CNT, State};
use crate::congestion::{LossSample, RateSample};
use crate::units::Time;

impl Bbr3 {
    /// True for samples limited by the application, as marked by the transport, or
    /// by ProbeRTT (MarkConnectionAppLimited).
    pub(super) fn is_app_limited(&self, rate: &RateSample) -> bool {
        let (from, to) = self.held_back;
        rate.app_limited || (from..=to).contains(&rate.prior_delivered)
    }

    /// BBRStartRound().
    pub(super) fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    pub(super) fn update_latest_delivery_signals(&mut self, rate: &RateSample) {
        self.delivered = rate.total_delivered;
        self.bw_latest = self.bw_latest.max(rate.rate());
        self.inflight_latest = self.inflight_latest.max(f64::from(rate.delivered));
        if rate.prior_delivered >= self.loss_round_delivered {
            self.loss_round_delivered = self.delivered;
            self.loss_round_start = true;
        }
    }

    pub(super) fn advance_latest_delivery_signals(&mut self, rate: &RateSample) {
        if self.loss_round_start {
            self.bw_latest = rate.rate();
            self.inflight_latest = f64::from(rate.delivered);
        }
    }

    pub(super) fn reset_congestion_signals(&mut self) {
        self.loss_in_round = false;
        self.bw_latest = 0.0;
        self.inflight_latest = 0.0;
    }

    /// BBRUpdateRound() and BBRUpdateMaxBw().
    pub(super) fn update_max_bw(&mut self, rate: &RateSample) {
        if rate.prior_delivered >= self.next_round_delivered {
            self.start_round();
            self.round_count += 1;
            self.rounds_since_bw_probe += 1;
            self.round_start = true;
            self.cwnd_limited = core::mem::take(&mut self.cwnd_limited_round);
        }
        let bw = rate.rate();
        if bw >= self.max_bw.get() || !self.is_app_limited(rate) {
            self.max_bw.update(self.cycle_count, bw);
        }
    }

    /// "Update congestion state on every ACK", but adapt once per round trip.
    pub(super) fn update_congestion_signals(&mut self) {
        if !self.loss_round_start {
            return;
        }
        let probing = matches!(self.state, State::Startup | State::Refill | State::Up);
        if self.loss_in_round && !probing {
            // BBRInitLowerBounds()
            if self.bw_shortterm.is_infinite() {
                self.bw_shortterm = self.max_bw.get();
            }
            if self.inflight_shortterm.is_infinite() {
                self.inflight_shortterm = self.window.cwnd;
            }
            // BBRLossLowerBounds()
            self.bw_shortterm = self.bw_latest.max(self.params.beta * self.bw_shortterm);
            self.inflight_shortterm =
                self.inflight_latest.max(self.params.beta * self.inflight_shortterm);
        }
        self.loss_in_round = false;
    }

    /// BBRResetShortTermModel().
    pub(super) fn reset_short_term_model(&mut self) {
        self.bw_shortterm = f64::INFINITY;
        self.inflight_shortterm = f64::INFINITY;
    }

    /// BBRUpdateACKAggregation().
    pub(super) fn update_ack_aggregation(&mut self, ack: &Ack) {
        let mut expected = self.bw * ack.now.since(self.extra_acked_interval_start).secs();
        if self.extra_acked_delivered <= expected {
            self.extra_acked_delivered = 0.0;
            self.extra_acked_interval_start = ack.now;
            expected = 0.0;
        }
        self.extra_acked_delivered += f64::from(ack.acked);
        let extra = (self.extra_acked_delivered - expected).min(self.window.cwnd);
        // "in Startup, just remember 1 round"
        self.startup_extra_acked.update(self.round_count, extra);
        if self.full_bw_reached {
            self.extra_acked.update(self.round_count, extra);
        }
    }

    pub(super) fn extra_acked(&self) -> f64 {
        if self.full_bw_reached { self.extra_acked.get() } else { self.startup_extra_acked.get() }
    }

    /// IsInflightTooHigh().
    fn is_inflight_too_high(&self, lost: f64, tx_in_flight: f64) -> bool {
        lost > tx_in_flight * self.params.loss_thresh
    }

    /// BBRHandleLostPacket().
    pub(super) fn handle_lost_packet(&mut self, now: Time, loss: &LossSample) {
        // NoteLoss()
        if !self.loss_in_round {
            self.loss_round_delivered = self.delivered;
            self.save_state_upon_loss();
        }
        self.loss_in_round = true;
        self.loss_told = true;
        let (lost, tx_in_flight) = (f64::from(loss.lost), f64::from(loss.tx_in_flight));
        if !self.bw_probe_samples || !self.is_inflight_too_high(lost, tx_in_flight) {
            return;
        }
        // BBRInflightAtLoss(): "At what prefix of packet did losses exceed
        // BBR.LossThresh?"
        let (inflight_prev, lost_prev) = (tx_in_flight - 1.0, lost - 1.0);
        let lost_prefix =
            (self.params.loss_thresh * inflight_prev - lost_prev) / (1.0 - self.params.loss_thresh);
        let held_back = loss.app_limited || self.state == State::ProbeRtt;
        self.handle_inflight_too_high(inflight_prev + lost_prefix, held_back, now);
    }

    fn handle_inflight_too_high(&mut self, tx_in_flight: f64, app_limited: bool, now: Time) {
        self.prev_probe_too_high = true;
        // "only react once per bw probe"
        self.bw_probe_samples = false;
        if !app_limited {
            let least = self.target_inflight() * self.params.beta;
            self.inflight_longterm = tx_in_flight.max(least).max(1.0);
        }
        if self.state == State::Up {
            self.note_ended_by_loss(State::Up);
            self.start_down(now);
        }
    }

    /// BBRTargetInflight(): "Our estimated BDP, unless congestion cut C.cwnd."
    pub(super) fn target_inflight(&self) -> f64 {
        self.bdp_multiple(self.bw, 1.0).min(self.window.cwnd)
    }

    /// BBRInflightWithHeadroom().
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        if self.inflight_longterm.is_infinite() {
            return f64::INFINITY;
        }
        let headroom = (self.params.headroom * self.inflight_longterm).max(1.0);
        (self.inflight_longterm - headroom).max(super::MIN_PIPE_CWND)
    }

    /// AdaptLongTermModel(): "Returns true if it decided a state transition".
    pub(super) fn adapt_long_term_model(&mut self, rate: &RateSample, acked: u32) -> bool {
        if self.ack_phase == AckPhase::ProbeStarting && self.round_start {
            self.ack_phase = AckPhase::ProbeFeedback;
        }
        if self.ack_phase == AckPhase::ProbeStopping && self.round_start {
            // section 5.5.6: "one round trip after exiting ProbeBW_UP"
            self.bw_probe_samples = false;
            self.ack_phase = AckPhase::Init;
            if self.is_in_probe_bw() && !self.is_app_limited(rate) {
                self.cycle_count += 1;
            }
            // "Precautionary Bandwidth Probing: Acceleration"
            if self.is_in_probe_bw() && self.prev_probe_precautionary && !self.prev_probe_too_high {
                self.start_refill();
                return true;
            }
        }
        let tx_in_flight = f64::from(rate.tx_in_flight);
        if self.is_inflight_too_high(f64::from(rate.lost), tx_in_flight)
            || self.inflight_longterm.is_infinite()
        {
            return false;
        }
        // "Loss rate is safe. Adjust upper bounds upward."
        self.inflight_longterm = self.inflight_longterm.max(tx_in_flight);
        if self.state == State::Up {
            self.probe_inflight_longterm_upward(acked);
        }
        false
    }

    fn probe_inflight_longterm_upward(&mut self, acked: u32) {
        if !self.cwnd_limited || self.window.cwnd < self.inflight_longterm {
            return;
        }
        self.bw_probe_up_acks += f64::from(acked);
        if self.bw_probe_up_acks >= self.probe_up_cnt {
            let delta = libm::floor(self.bw_probe_up_acks / self.probe_up_cnt);
            self.bw_probe_up_acks -= delta * self.probe_up_cnt;
            self.inflight_longterm += delta;
        }
        if self.round_start {
            self.raise_inflight_longterm_slope();
        }
    }

    /// BBRRaiseInflightLongtermSlope().
    pub(super) fn raise_inflight_longterm_slope(&mut self) {
        let growth_this_round = f64::from(1_u32 << self.bw_probe_up_rounds);
        self.bw_probe_up_rounds = (self.bw_probe_up_rounds + 1).min(30);
        self.probe_up_cnt = (self.window.cwnd / growth_this_round).max(1.0);
    }

    /// BBRResetFullBW().
    pub(super) fn reset_full_bw(&mut self) {
        self.full_bw = 0.0;
        self.full_bw_count = 0;
        self.full_bw_now = false;
    }

    /// BBRCheckFullBWReached(): three rounds without 25 % more.
    pub(super) fn check_full_bw_reached(&mut self, rate: &RateSample) {
        if self.full_bw_now || !self.round_start || self.is_app_limited(rate) {
            return;
        }
        if rate.rate() >= self.full_bw * 1.25 {
            self.reset_full_bw();
            self.full_bw = rate.rate();
            return;
        }
        self.full_bw_count += 1;
        self.full_bw_now = self.full_bw_count >= 3;
        self.full_bw_reached |= self.full_bw_now;
    }

    /// BBRCheckStartupHighLoss(): in recovery, with more than loss_thresh lost
    /// over a round trip, and not in one burst.
    pub(super) fn check_startup_high_loss(&mut self, rate: &RateSample) {
        let too_high =
            self.is_inflight_too_high(f64::from(rate.lost), f64::from(rate.tx_in_flight));
        if self.state == State::Startup
            && self.loss_round_start
            && self.in_recovery
            && self.loss_events_in_round >= STARTUP_FULL_LOSS_CNT
            && too_high
        {
            self.note_ended_by_loss(State::Startup);
            self.full_bw_reached = true;
            let bdp = self.bdp_multiple(self.max_bw.get(), 1.0);
            self.inflight_longterm = bdp.max(self.inflight_latest).max(1.0);
        }
        if self.loss_round_start {
            self.loss_events_in_round = 0;
        }
    }
}
