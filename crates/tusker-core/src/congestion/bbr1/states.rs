//! The states of BBRv1 and the transitions between them (section 4.3).

use super::{Ack, Bbr1, CYCLE, State};
use crate::congestion::filters::chance;
use crate::units::Time;

impl Bbr1 {
    pub(super) fn check_cycle_phase(&mut self, ack: &Ack) {
        if self.state != State::ProbeBw {
            return;
        }
        let prior_inflight = f64::from(ack.in_flight) + f64::from(ack.acked) + f64::from(ack.lost);
        let prior_inflight = self.in_network(ack, prior_inflight);
        let full_length = self.rtprop.is_some_and(|t| ack.now.since(self.cycle_stamp) > t);
        let next = if self.pacing_gain > 1.0 {
            full_length && (ack.lost > 0 || prior_inflight >= self.inflight(self.pacing_gain))
        } else if self.pacing_gain < 1.0 {
            full_length || prior_inflight <= self.inflight(1.0)
        } else {
            full_length
        };
        if next {
            self.advance_cycle_phase(ack.now);
        }
    }

    fn advance_cycle_phase(&mut self, now: Time) {
        self.cycle_stamp = now;
        self.cycle_index = (self.cycle_index + 1) % CYCLE.len();
        self.pacing_gain = match self.policer.rate() {
            Some(_) => 1.0,
            None => CYCLE[self.cycle_index],
        };
    }

    pub(super) fn enter_probe_bw(&mut self, now: Time) {
        self.state = State::ProbeBw;
        self.cwnd_gain = self.params.cwnd_gain;
        // "BBRGainCycleLen - 1 - random_int_in_range(0..6)": 1 to 7; the cycle
        // starts with the next phase, any but 0.75
        self.cycle_index = CYCLE.len() - 1 - (chance(now) * 6.999) as usize;
        self.advance_cycle_phase(now);
    }

    pub(super) fn check_full_pipe(&mut self, app_limited: bool) {
        if self.filled_pipe || !self.round_start || app_limited {
            return;
        }
        if self.btlbw.get() >= self.full_bw * 1.25 {
            self.full_bw = self.btlbw.get();
            self.full_bw_count = 0;
            return;
        }
        self.full_bw_count += 1;
        self.filled_pipe = self.full_bw_count >= 3;
    }

    pub(super) fn check_drain(&mut self, ack: &Ack) {
        if self.state == State::Startup && self.filled_pipe {
            self.state = State::Drain;
            self.pacing_gain = 1.0 / self.params.high_gain;
            self.cwnd_gain = self.params.high_gain;
        }
        if self.state == State::Drain
            && self.in_network(ack, f64::from(ack.in_flight)) <= self.inflight(1.0)
        {
            self.enter_probe_bw(ack.now);
        }
    }

    /// BBRUpdateRTprop(); returns whether RTprop had expired.
    pub(super) fn update_rtprop(&mut self, ack: &Ack) -> bool {
        let expired = ack.now.since(self.rtprop_stamp) > self.params.rtprop_window;
        if let Some(rtt) = ack.rtt {
            if self.rtprop.is_none() {
                self.pace(self.nominal_bandwidth(rtt.latest.secs()));
                self.rtprop_stamp = ack.now;
                self.rtprop = Some(rtt.latest);
                return false;
            }
            if expired || self.rtprop.is_some_and(|rtprop| rtt.latest <= rtprop) {
                self.rtprop = Some(rtt.latest);
                self.rtprop_stamp = ack.now;
            }
        }
        expired && self.rtprop.is_some()
    }

    pub(super) fn check_probe_rtt(&mut self, ack: &Ack, expired: bool) {
        // "the idleness is deemed a sufficient attempt to coordinate to drain the queue"
        let idle_restart = core::mem::take(&mut self.idle_restart);
        if self.state != State::ProbeRtt && expired && !idle_restart {
            self.state = State::ProbeRtt;
            self.pacing_gain = 1.0;
            self.cwnd_gain = 1.0;
            self.save_cwnd();
            self.probe_rtt_done_stamp = None;
            self.held_back.0 = self.delivered;
        }
        if self.state != State::ProbeRtt {
            return;
        }
        // "Ignore low rate samples during ProbeRTT"
        self.held_back.1 = self.delivered + u64::from(ack.in_flight);
        match self.probe_rtt_done_stamp {
            None if f64::from(ack.in_flight) <= self.params.min_pipe_cwnd => {
                self.probe_rtt_done_stamp = Some(ack.now + self.params.probe_rtt);
                self.probe_rtt_round_done = false;
                self.next_round_delivered = self.delivered;
            }
            None => {}
            Some(done) => {
                self.probe_rtt_round_done |= self.round_start;
                if self.probe_rtt_round_done && ack.now > done {
                    self.rtprop_stamp = ack.now;
                    self.restore_cwnd();
                    if self.filled_pipe {
                        self.enter_probe_bw(ack.now);
                    } else {
                        self.state = State::Startup;
                        self.pacing_gain = self.params.high_gain;
                        self.cwnd_gain = self.params.high_gain;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Bbr1Params;
    use super::*;
    use crate::congestion::Options;

    /// Draft -00, section 4.3.4.3: "Upon entering ProbeBW, BBR (re)starts the
    /// pacing_gain cycle at a phase that is chosen uniformly at random among all
    /// phases but the 3/4 phase".
    #[test]
    fn the_phase_follows_from_the_time() {
        let mut seen = [0; CYCLE.len()];
        for i in 0..7_000 {
            let mut bbr = Bbr1::new(Bbr1Params::default(), &Options::default());
            bbr.enter_probe_bw(Time::from_nanos(i * 1_234_567));
            seen[bbr.cycle_index] += 1;
        }
        assert_eq!(seen[1], 0);
        // 1000 each; four deviations of sqrt(7000 * 6/49) = 29
        for phase in [0, 2, 3, 4, 5, 6, 7] {
            assert!((880..=1_120).contains(&seen[phase]), "{seen:?}");
        }
    }
}
