//! HyStart++: leave slow start when round trips lengthen, before a loss.
//!
//! Source: RFC 9406, section 4. Constants have the RFC's names.
//!
//! ```text
//!              minimum RTT of this round >=
//!              that of the last + RttThresh           CSS_ROUNDS rounds
//!  slow start ------------------------------>  CSS  -------------------> ssthresh = cwnd
//!     +1      <------------------------------ +1/4                       congestion avoidance
//!              minimum RTT of a round < the one
//!              that led here: it was jitter
//! ```
//!
//! Conservative slow start (CSS) checks the signal before acting on it.

use super::Ack;
use super::window::{MIN_SSTHRESH, Window, climb};
use crate::params::Sheet;
use crate::units::Duration;

pub(super) const SHEET: Sheet = Sheet {
    name: "hystart++",
    title: "HyStart++",
    source: "RFC 9406, section 4",
    equations: "\
slow start:  w <- w + min(acked, L)
CSS:         w <- w + min(acked, L) / 4  (conservative slow start)
after 8 RTT samples in a round, with the minima of this round and of the last:
  slow start -> CSS:  this >= last + clamp(last/8, 4 ms, 16 ms)
  CSS -> slow start:  this < the minimum with which CSS began
after 5 rounds in CSS:  ssthresh = w, congestion avoidance
L = 8, without limit if the sender paces. The first slow start only; after
congestion or a timeout slow start is standard.",
    differs: "\
When w reaches ssthresh, the rest of that ACK counts for congestion avoidance, as in \
the slow start `standard`. Test: slow_start_ends_at_ssthresh.",
    needs: &[],
    params: &[],
    ..Sheet::NO_LAW
};

// RFC 9406, section 4.3: recommended values.
const MIN_RTT_THRESH: Duration = Duration::from_millis(4);
const MAX_RTT_THRESH: Duration = Duration::from_millis(16);
const MIN_RTT_DIVISOR: u64 = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
/// "A paced TCP implementation SHOULD use L = infinity"; others 8.
const L_PACED: f64 = f64::INFINITY;
const L_NOT_PACED: f64 = 8.0;

/// No sample yet: the RFC's infinity.
const NO_RTT: Duration = Duration::MAX;

/// The state of RFC 9406, section 4.2.
#[derive(Clone, Debug)]
pub(super) struct HyStart {
    l: f64,
    last_round_min_rtt: Duration,
    current_round_min_rtt: Duration,
    rtt_sample_count: u32,
    css: Option<Css>,
}

#[derive(Clone, Debug)]
struct Css {
    baseline_min_rtt: Duration,
    rounds: u32,
}

impl HyStart {
    pub(super) fn new(paced: bool) -> Self {
        Self {
            l: if paced { L_PACED } else { L_NOT_PACED },
            last_round_min_rtt: NO_RTT,
            current_round_min_rtt: NO_RTT,
            rtt_sample_count: 0,
            css: None,
        }
    }

    /// Like `SlowStartState::on_ack`, given the credit that may become growth.
    pub(super) fn on_ack(&mut self, w: &mut Window, credit: f64, ack: &Ack) -> f64 {
        if ack.round_start && self.begin_round() {
            // If CSS_ROUNDS rounds are complete, enter congestion avoidance by
            // setting the ssthresh to the current cwnd.
            w.ssthresh = w.cwnd.max(MIN_SSTHRESH);
            if w.cwnd >= w.ssthresh {
                return credit;
            }
        }
        let step = if self.css.is_some() { 1.0 / CSS_GROWTH_DIVISOR } else { 1.0 };
        let rest = climb(w, credit.min(self.l), step);
        if let Some(rtt) = ack.rtt {
            self.sample(rtt.latest);
        }
        rest
    }

    /// True once CSS has lasted its number of rounds.
    fn begin_round(&mut self) -> bool {
        self.last_round_min_rtt = self.current_round_min_rtt;
        self.current_round_min_rtt = NO_RTT;
        self.rtt_sample_count = 0;
        self.css.as_mut().is_some_and(|css| {
            // If the transition into CSS happens in the middle of a round, that
            // partial round counts towards the limit.
            css.rounds += 1;
            css.rounds >= CSS_ROUNDS
        })
    }

    fn sample(&mut self, rtt: Duration) {
        self.current_round_min_rtt = self.current_round_min_rtt.min(rtt);
        self.rtt_sample_count += 1;
        if self.rtt_sample_count < N_RTT_SAMPLE {
            return;
        }
        let (this, last) = (self.current_round_min_rtt, self.last_round_min_rtt);
        match &self.css {
            None if last != NO_RTT => {
                let rtt_thresh = Duration::from_nanos(last.nanos() / MIN_RTT_DIVISOR)
                    .clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                if this >= last + rtt_thresh {
                    self.css = Some(Css { baseline_min_rtt: this, rounds: 0 });
                }
            }
            Some(css) if this < css.baseline_min_rtt => self.css = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A round of this many samples of one RTT, in ms; returns true if CSS is on.
    fn round(h: &mut HyStart, samples: u32, ms: u64) -> bool {
        h.begin_round();
        for _ in 0..samples {
            h.sample(Duration::from_millis(ms));
        }
        h.css.is_some()
    }

    #[test]
    fn the_threshold_is_an_eighth_between_4_and_16_ms() {
        // last minimum, first minimum that leaves slow start
        for (last, leaves) in [(8, 12), (32, 36), (80, 90), (128, 144), (400, 416)] {
            let mut h = HyStart::new(false);
            assert!(!round(&mut h, 8, last));
            assert!(!round(&mut h.clone(), 8, leaves - 1), "{last} ms");
            assert!(round(&mut h, 8, leaves), "{last} ms");
        }
    }

    #[test]
    fn eight_samples_are_needed() {
        let mut h = HyStart::new(false);
        assert!(!round(&mut h, 8, 100));
        assert!(!round(&mut h, 7, 200));
        h.sample(Duration::from_millis(200));
        assert!(h.css.is_some());
    }

    #[test]
    fn a_round_without_samples_cannot_be_compared() {
        let mut h = HyStart::new(false);
        assert!(!round(&mut h, 8, 100));
        assert!(!round(&mut h, 0, 100));
        assert!(!round(&mut h, 8, 200));
    }

    #[test]
    fn one_fast_segment_speaks_against_congestion() {
        let mut h = HyStart::new(false);
        assert!(!round(&mut h, 8, 100));
        h.begin_round();
        h.sample(Duration::from_millis(100));
        for _ in 0..50 {
            h.sample(Duration::from_millis(200));
        }
        assert!(h.css.is_none());
    }
}
