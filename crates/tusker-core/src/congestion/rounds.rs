//! Round trips as delay-based laws see them: the mean of each, relative to the
//! smallest ever.

use super::Ack;
use crate::units::Duration;

/// The delays of the ACKs of a round trip: their mean relative to the smallest
/// ever.
///
/// Sums are in whole nanoseconds, so the mean of equal delays is exact.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    base: Option<Duration>,
    sum: f64,
    count: u32,
}

impl Rounds {
    /// Takes a sample.
    #[inline]
    pub(super) fn push(&mut self, rtt: Duration) {
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        self.sum += rtt.nanos() as f64;
        self.count += 1;
    }

    /// The smallest delay so far, in seconds; 0 before the first sample.
    pub(super) fn base(&self) -> f64 {
        self.base.map_or(0.0, Duration::secs)
    }

    /// Ends a round: its mean in seconds, if it had a sample.
    pub(super) fn end(&mut self) -> Option<f64> {
        let mean = (self.count > 0).then(|| self.sum / f64::from(self.count) * 1e-9);
        (self.sum, self.count) = (0.0, 0);
        mean
    }

    /// Takes an ACK; returns the mean of the round that it ends, if it ends one.
    #[inline]
    pub(super) fn hear(&mut self, ack: &Ack) -> Option<f64> {
        let mean = if ack.round_start { self.end() } else { None };
        if let Some(rtt) = ack.rtt {
            self.push(rtt.latest);
        }
        mean
    }
}

/// Segments of a window `w` that wait in queues: `w/base - w/rtt`, expected minus
/// actual rate, times `base`. This is the "diff" of Vegas.
pub(super) fn waiting(w: f64, base: f64, rtt: f64) -> f64 {
    if rtt > base { w * (1.0 - base / rtt) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_has_its_mean_above_the_smallest() {
        let mut rounds = Rounds::default();
        assert_eq!(rounds.end(), None);
        for ms in [100, 120, 110] {
            rounds.push(Duration::from_millis(ms));
        }
        assert!((rounds.end().unwrap() - 0.110).abs() < 1e-15);
        assert_eq!(rounds.base(), 0.1);
        assert_eq!(rounds.end(), None);
        // (100/0.1 - 100/0.125) 0.1 = 20 of 100 segments wait
        assert!((waiting(100.0, 0.1, 0.125) - 20.0).abs() < 1e-12);
    }
}
