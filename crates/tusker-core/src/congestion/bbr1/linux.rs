//! What Linux's module does beyond the draft (`linux_details`; net/ipv4/tcp_bbr.c of 6.1).
//!
//! ```text
//! pacing  0.99 pacing_gain BtlBw
//! burst   what the pacing rate gives in 1/1024 s, 2 segments to 64 kB
//! cwnd    ceil(cwnd_gain BtlBw RTprop) + ahead + 3 bursts, rounded up to an even number, and 2
//!         more in the phase of 1.25
//! ahead   the most that was acknowledged beyond BtlBw within 5 to 10 round trips, at most what
//!         BtlBw gives in 100 ms
//! ```

use super::{Ack, Bbr1, QUANTA, State};
use crate::units::Time;

/// `bbr_pacing_margin_percent`.
pub(super) const MARGIN: f64 = 0.99;

/// `bbr_min_tso_rate`, in bits per second: a burst has a single segment below it.
const SLOW: u64 = 1_200_000;

/// `sk_pacing_shift`: a burst takes 1/1024 s.
const BURSTS_PER_SECOND: f64 = 1_024.0;

/// `GSO_MAX_SIZE` less what headers may take, in bytes; and the field that holds the segments.
const LARGEST: f64 = 65_535.0 - 320.0;
const MOST_SEGMENTS: f64 = 127.0;

/// `bbr_extra_acked_win_rtts` and `bbr_extra_acked_max_us`, in seconds.
const WINDOW_ROUNDS: u32 = 5;
const MOST_AHEAD: f64 = 0.1;

/// `bbr_ack_epoch_acked_reset_thresh`, in segments.
const LONGEST_EPOCH: f64 = 1_048_576.0;

/// How far ACKs ran ahead of BtlBw.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aggregation {
    /// Since when ACKs came faster than BtlBw.
    since: Time,
    /// What they acknowledged, in segments.
    acked: f64,
    /// The largest excess in this and in the last window of rounds.
    most: [f64; 2],
    /// Round trips of this window.
    rounds: u32,
}

impl Bbr1 {
    /// The share of the bandwidth that is paced.
    pub(super) fn margin(&self) -> f64 {
        if self.params.linux_details { MARGIN } else { 1.0 }
    }

    /// `bbr_tso_segs_goal`.
    fn burst(&self) -> f64 {
        let (Some(rate), Some(segment)) = (self.pacing_rate, self.segment) else {
            return 1.0;
        };
        let least = if rate.bits_per_sec() < SLOW { 1.0 } else { 2.0 };
        let bytes = (rate.bits_per_sec() as f64 / 8.0 / BURSTS_PER_SECOND).min(LARGEST);
        libm::floor(bytes / segment.get().max(1) as f64).clamp(least, MOST_SEGMENTS)
    }

    /// `bbr_quantization_budget`.
    pub(super) fn linux_budget(&self, inflight: f64) -> f64 {
        let even = 2.0 * libm::ceil((libm::ceil(inflight) + QUANTA * self.burst()) / 2.0);
        let probes = self.state == State::ProbeBw && self.cycle_index == 0;
        if probes { even + 2.0 } else { even }
    }

    /// `bbr_ack_aggregation_cwnd`.
    pub(super) fn ahead(&self) -> f64 {
        if !self.filled_pipe {
            return 0.0;
        }
        let [now, before] = self.aggregation.most;
        libm::floor(now.max(before).min(MOST_AHEAD * self.bandwidth()))
    }

    /// `bbr_packets_in_net_at_edt`: what will be in the network when the next segments leave.
    pub(super) fn in_network(&self, ack: &Ack, in_flight: f64) -> f64 {
        if !self.params.linux_details {
            return in_flight;
        }
        let leaves = if self.pacing_gain > 1.0 { self.burst() } else { 0.0 };
        let delivered = self.bandwidth() * ack.leaves.since(ack.now).secs();
        (in_flight + leaves - libm::floor(delivered)).max(0.0)
    }

    /// `bbr_update_ack_aggregation`.
    pub(super) fn update_aggregation(&mut self, ack: &Ack) {
        if ack.acked == 0 {
            return;
        }
        let bw = self.bandwidth();
        let seen = &mut self.aggregation;
        if self.round_start {
            seen.rounds += 1;
            if seen.rounds >= WINDOW_ROUNDS {
                seen.rounds = 0;
                seen.most = [0.0, seen.most[0]];
            }
        }
        let acked = f64::from(ack.acked);
        let mut expected = libm::floor(bw * ack.now.since(seen.since).secs());
        if seen.acked <= expected || seen.acked + acked >= LONGEST_EPOCH {
            (seen.acked, seen.since, expected) = (0.0, ack.now, 0.0);
        }
        seen.acked += acked;
        let ahead = (seen.acked - expected).min(self.window.cwnd);
        seen.most[0] = seen.most[0].max(ahead);
    }
}
