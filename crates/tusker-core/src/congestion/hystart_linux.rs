//! HyStart as in Linux's `tcp_cubic.c`: leave slow start when the ACKs of a round
//! spread over half a round trip, or when its first ACKs arrive late.
//!
//! ```text
//!  ACKs of a round   | | | | | | | | |              train: no two more than 2 ms apart,
//!                    <----- delay_min/2 ----->      and together longer than this
//!  RTTs of a round   the least of more than 8 is above delay_min + delay_min/8
//! ```
//!
//! Source: `hystart_update` and `cubictcp_acked`, net/ipv4/tcp_cubic.c. Times are
//! in whole microseconds, there and here.

use super::{Ack, Window};
use crate::table::params;
use crate::units::{Duration, Time};

params! { pub(super) struct HyStartLinuxParams {
    /// leave slow start before a loss (HyStart)
    hystart: bool = true,
    /// what ends slow start: 1 trains of ACKs, 2 delay, 3 both
    hystart_detect: u32 = 3.0 in 1.0..=3.0,
    /// window below which HyStart does nothing
    hystart_low_window: u32 = 16.0 "segments" in 2.0..=1e6,
    /// longest gap between two ACKs of a train
    hystart_ack_delta: Duration = 0.002 "s" in 0.0..=1.0,
} }

/// HYSTART_ACK_TRAIN and HYSTART_DELAY, bits of `hystart_detect`.
const ACK_TRAIN: u32 = 1;
const DELAY: u32 = 2;

/// HYSTART_MIN_SAMPLES.
const MIN_SAMPLES: u32 = 8;

/// HYSTART_DELAY_MIN and _MAX, in microseconds.
const DELAY_MIN: u64 = 4_000;
const DELAY_MAX: u64 = 16_000;

/// What `hystart_ack_delay` adds for hosts that send segments in batches: the time
/// of four times 64 kB at the pacing rate, which in slow start is twice the window
/// per round trip; at most a millisecond. In segments of 1,448 bytes and
/// microseconds.
const CUSHION: f64 = 4.0 * 65_536.0 / 1_448.0 / 2.0;
const CUSHION_MAX: f64 = 1_000.0;

#[derive(Clone, Debug)]
pub(super) struct HyStartLinux {
    params: HyStartLinuxParams,
    paced: bool,
    found: bool,
    round_start: u64,
    last_ack: u64,
    /// The smallest RTT of the round.
    curr_rtt: u64,
    sample_cnt: u32,
}

pub(super) fn micros(time: Time) -> u64 {
    time.nanos() / 1_000
}

impl HyStartLinux {
    pub(super) fn new(params: HyStartLinuxParams, paced: bool) -> Self {
        Self {
            params,
            paced,
            found: false,
            round_start: 0,
            last_ack: 0,
            curr_rtt: u64::MAX,
            sample_cnt: 0,
        }
    }

    /// A timeout: the next slow start uses HyStart again.
    pub(super) fn reset(&mut self, now: Time) {
        self.found = false;
        self.begin_round(micros(now));
    }

    fn begin_round(&mut self, now: u64) {
        (self.round_start, self.last_ack) = (now, now);
        (self.curr_rtt, self.sample_cnt) = (u64::MAX, 0);
    }

    /// An ACK in slow start with a round trip of `delay` microseconds; returns true
    /// if it ends slow start.
    pub(super) fn update(&mut self, w: &Window, ack: &Ack, delay: u64, delay_min: u64) -> bool {
        if !self.params.hystart || self.found {
            return false;
        }
        let now = micros(ack.now);
        if ack.round_start {
            self.begin_round(now);
        }
        if w.cwnd < f64::from(self.params.hystart_low_window) {
            return false;
        }
        if self.params.hystart_detect & ACK_TRAIN != 0 {
            self.found |= self.train(now, w, ack, delay_min);
        }
        if self.params.hystart_detect & DELAY != 0 {
            self.curr_rtt = self.curr_rtt.min(delay);
            if self.sample_cnt < MIN_SAMPLES {
                self.sample_cnt += 1;
            } else {
                let threshold = (delay_min / 8).clamp(DELAY_MIN, DELAY_MAX);
                self.found |= self.curr_rtt > delay_min + threshold;
            }
        }
        self.found
    }

    fn train(&mut self, now: u64, w: &Window, ack: &Ack, delay_min: u64) -> bool {
        let apart = Duration::from_nanos(now.saturating_sub(self.last_ack) * 1_000);
        if apart > self.params.hystart_ack_delta {
            return false;
        }
        self.last_ack = now;
        let srtt = ack.rtt.map_or(0.0, |rtt| rtt.smoothed.nanos() as f64 / 1e3);
        let mut threshold = delay_min + (CUSHION * srtt / w.cwnd).min(CUSHION_MAX) as u64;
        // "Pacing might have delayed packets up to RTT/2 during slow start."
        if !self.paced {
            threshold /= 2;
        }
        now.saturating_sub(self.round_start) > threshold
    }
}
