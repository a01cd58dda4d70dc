//! The states of BBR and the transitions between them (section 5.3).

use super::{
    Ack, AckPhase, Bbr3, CWND_GAIN, DRAIN_PACING_GAIN, DRAIN_ROUNDS, STARTUP_PACING_GAIN, State,
    UP_CWND_GAIN,
};
use crate::congestion::filters::chance;
use crate::units::{Duration, Time};

impl Bbr3 {
    /// IsInAProbeBWState().
    pub(super) fn is_in_probe_bw(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    pub(super) fn enter(&mut self, state: State) {
        self.state = state;
        (self.pacing_gain, self.cwnd_gain) = match state {
            State::Startup => (STARTUP_PACING_GAIN, CWND_GAIN),
            State::Drain => (DRAIN_PACING_GAIN, CWND_GAIN),
            State::Down => (0.9, CWND_GAIN),
            State::Cruise | State::Refill => (1.0, CWND_GAIN),
            State::Up => (1.25, UP_CWND_GAIN),
            State::ProbeRtt => (1.0, self.params.probe_rtt_gain),
        };
    }

    pub(super) fn check_startup_and_drain_done(&mut self, ack: &Ack) {
        if self.state == State::Startup && self.full_bw_reached {
            self.drain_start_round = self.round_count;
            self.enter(State::Drain);
        }
        if self.state == State::Drain {
            // CheckDrainDone()
            let drained = f64::from(ack.in_flight) <= self.inflight(self.bw, 1.0);
            if drained || self.round_count > self.drain_start_round + DRAIN_ROUNDS {
                self.start_down(ack.now);
            }
        }
    }

    /// BBRStartProbeBW_DOWN().
    pub(super) fn start_down(&mut self, now: Time) {
        self.reset_congestion_signals();
        self.probe_up_cnt = f64::INFINITY;
        self.pick_probe_wait(now);
        self.cycle_stamp = now;
        self.ack_phase = AckPhase::ProbeStopping;
        self.start_round();
        self.enter(State::Down);
    }

    /// BBRPickProbeWait(): a random 0 or 1 round trips fewer, and 2 to 3 s.
    fn pick_probe_wait(&mut self, now: Time) {
        let x = chance(now);
        self.rounds_since_bw_probe = u64::from(x >= 0.5);
        self.bw_probe_wait = Duration::from_secs(2.0 + chance(now + Duration::from_nanos(1)));
    }

    pub(super) fn start_refill(&mut self) {
        self.reset_short_term_model();
        self.prev_probe_precautionary = false;
        self.bw_probe_up_rounds = 0;
        self.bw_probe_up_acks = 0.0;
        self.ack_phase = AckPhase::Refilling;
        self.start_round();
        self.enter(State::Refill);
    }

    fn start_up(&mut self, rate: f64) {
        self.bw_probe_samples = true;
        self.ack_phase = AckPhase::ProbeStarting;
        self.start_round();
        self.reset_full_bw();
        self.full_bw = rate;
        self.enter(State::Up);
        self.raise_inflight_longterm_slope();
    }

    /// BBRUpdateProbeBWCyclePhase(): "on each ACK that acknowledges new data".
    pub(super) fn update_probe_bw_cycle_phase(&mut self, ack: &Ack) {
        let Some(rate) = ack.rate.as_ref().filter(|_| self.full_bw_reached) else {
            return;
        };
        if self.adapt_long_term_model(rate, ack.acked) {
            return;
        }
        match self.state {
            State::Down => {
                if self.is_time_to_probe_bw(ack.now) {
                    self.start_refill();
                } else if self.is_time_to_cruise(ack) {
                    self.enter(State::Cruise);
                }
            }
            State::Cruise => {
                if self.is_time_to_probe_bw(ack.now) {
                    self.start_refill();
                }
            }
            State::Refill => {
                // "After one round of REFILL, start UP"
                if self.round_start {
                    self.start_up(rate.rate());
                }
            }
            State::Up => {
                if self.is_time_to_go_down(ack, rate.rate()) {
                    // "no high loss (yet)"
                    self.prev_probe_too_high = false;
                    self.start_down(ack.now);
                }
            }
            State::Startup | State::Drain | State::ProbeRtt => {}
        }
    }

    /// BBRIsTimeToProbeBW().
    fn is_time_to_probe_bw(&self, now: Time) -> bool {
        // BBRIsRenoCoexistenceProbeTime()
        let rounds = self.target_inflight().min(63.0);
        now > self.cycle_stamp + self.bw_probe_wait || self.rounds_since_bw_probe as f64 >= rounds
    }

    /// BBRIsTimeToCruise().
    fn is_time_to_cruise(&self, ack: &Ack) -> bool {
        let in_flight = f64::from(ack.in_flight);
        in_flight <= self.inflight_with_headroom()
            && in_flight <= self.inflight(self.max_bw.get(), 1.0)
    }

    /// IsTimeToGoDown().
    fn is_time_to_go_down(&mut self, ack: &Ack, rate: f64) -> bool {
        // "Precautionary Bandwidth Probing: Deceleration". The amount in flight
        // when the ACK arrived, as in Linux: after the ACK there is always room for
        // another segment.
        let in_flight = f64::from(ack.in_flight.saturating_add(ack.acked));
        if self.prev_probe_too_high && in_flight >= libm::floor(self.inflight_longterm) {
            self.prev_probe_precautionary = true;
            return true;
        }
        if self.cwnd_limited && self.window.cwnd >= self.inflight_longterm {
            // "bw is limited by BBR.inflight_longterm"
            self.reset_full_bw();
            self.full_bw = rate;
            return false;
        }
        self.full_bw_now
    }

    /// BBRUpdateMinRTT().
    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        let Some(rtt) = ack.rtt else {
            self.probe_rtt_expired = false;
            return;
        };
        if self.min_rtt.is_none() {
            self.init_pacing_rate(rtt.latest.secs());
            self.probe_rtt_min_stamp = ack.now;
        }
        self.probe_rtt_expired =
            ack.now.since(self.probe_rtt_min_stamp) > self.params.probe_rtt_interval;
        if rtt.latest < self.probe_rtt_min_delay || self.probe_rtt_expired {
            self.probe_rtt_min_delay = rtt.latest;
            self.probe_rtt_min_stamp = ack.now;
        }
        let min_rtt_expired = ack.now.since(self.min_rtt_stamp) > self.params.min_rtt_window;
        if self.min_rtt.is_none_or(|min| self.probe_rtt_min_delay < min) || min_rtt_expired {
            self.min_rtt = Some(self.probe_rtt_min_delay);
            self.min_rtt_stamp = self.probe_rtt_min_stamp;
        }
    }

    /// BBRCheckProbeRTT().
    pub(super) fn check_probe_rtt(&mut self, ack: &Ack) {
        if self.state != State::ProbeRtt && self.probe_rtt_expired && !self.idle_restart {
            self.save_cwnd();
            self.enter(State::ProbeRtt);
            self.probe_rtt_done_stamp = None;
            self.ack_phase = AckPhase::ProbeStopping;
            self.start_round();
            self.held_back.0 = self.delivered;
        }
        if self.state == State::ProbeRtt {
            self.handle_probe_rtt(ack);
        }
        if ack.acked > 0 {
            self.idle_restart = false;
        }
    }

    fn handle_probe_rtt(&mut self, ack: &Ack) {
        // "Ignore low rate samples during ProbeRTT"
        self.held_back.1 = self.delivered + u64::from(ack.in_flight);
        match self.probe_rtt_done_stamp {
            None if f64::from(ack.in_flight) <= self.probe_rtt_cwnd() => {
                self.probe_rtt_done_stamp = Some(ack.now + self.params.probe_rtt);
                self.probe_rtt_round_done = false;
                self.start_round();
            }
            None => {}
            Some(_) => {
                self.probe_rtt_round_done |= self.round_start;
                if self.probe_rtt_round_done {
                    self.check_probe_rtt_done(ack.now);
                }
            }
        }
    }

    fn check_probe_rtt_done(&mut self, now: Time) {
        if self.probe_rtt_done_stamp.is_some_and(|done| now > done) {
            // "schedule next ProbeRTT"
            self.probe_rtt_min_stamp = now;
            self.restore_cwnd();
            self.exit_probe_rtt(now);
        }
    }

    /// HandleRestartFromIdle(): "leaves C.cwnd as-is and paces packets at exactly BBR.bw";
    /// no ProbeRTT follows, because idle time drains the queue too.
    pub(super) fn handle_restart_from_idle(&mut self, now: Time) {
        self.idle_restart = true;
        self.extra_acked_interval_start = now;
        if self.is_in_probe_bw() {
            self.set_pacing_rate(1.0);
        } else if self.state == State::ProbeRtt {
            self.check_probe_rtt_done(now);
        }
    }

    fn exit_probe_rtt(&mut self, now: Time) {
        self.reset_short_term_model();
        if self.full_bw_reached {
            self.start_down(now);
            // the amount in flight is already below the BDP
            self.enter(State::Cruise);
        } else {
            self.enter(State::Startup);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bbr3Params;
    use super::*;
    use crate::congestion::{Options, RateSample};

    fn bbr() -> Bbr3 {
        Bbr3::new(Bbr3Params::default(), &Options::default())
    }

    /// Section 5.3.3.8.2: T_bbr is uniformly distributed between 2 and 3 s, the
    /// bound in round trips is 62 or 63.
    #[test]
    fn waits_are_between_two_and_three_seconds() {
        let (mut sum, mut late) = (0.0, 0);
        for i in 0..10_000 {
            let mut bbr = bbr();
            bbr.start_down(Time::from_nanos(i * 1_234_567));
            let wait = bbr.bw_probe_wait.secs();
            assert!((2.0..=3.0).contains(&wait));
            assert!(bbr.rounds_since_bw_probe <= 1);
            (sum, late) = (sum + wait, late + bbr.rounds_since_bw_probe);
        }
        // four deviations: of the mean 4 sqrt(1/12)/100 = 0.012, of the count 200
        assert!((sum / 10_000.0 - 2.5_f64).abs() < 0.012, "{sum}");
        assert!(late.abs_diff(5_000) < 200, "{late}");
    }

    /// Section 5.5.6: one round trip after exiting UP, once.
    #[test]
    fn a_cycle_is_forgotten_once() {
        let mut bbr = bbr();
        bbr.full_bw_reached = true;
        bbr.start_down(Time::ZERO);
        let rate = RateSample { interval: Duration::from_millis(1), ..RateSample::default() };
        for _ in 0..5 {
            bbr.round_start = true;
            bbr.adapt_long_term_model(&rate, 1);
            assert_eq!(bbr.cycle_count, 1);
        }
    }
}
