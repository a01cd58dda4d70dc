//! What delay-based laws measure, and how they spread a change of the window over
//! ACKs.
//!
//! ```text
//!   delay of a segment = base (the path, empty) + queue (what waits before it)
//! ```
//!
//! Only differences of delays are used: with unsynchronised clocks a one-way delay
//! is off by a constant, which may make it look negative.

use super::Window;
use crate::table::params;
use crate::units::Duration;

/// `a - b` in nanoseconds; may be negative.
#[inline]
fn apart(a: Duration, b: Duration) -> f64 {
    a.nanos().wrapping_sub(b.nanos()).cast_signed() as f64
}

/// The moving average of a delay, and its base.
#[derive(Clone, Debug)]
pub(super) struct Queuing {
    /// Base in seconds if known, else 0.
    known: f64,
    /// The value that everything below is relative to, in nanoseconds.
    first: Option<Duration>,
    base: f64,
    largest: f64,
    average: f64,
    stale: bool,
}

impl Queuing {
    /// With a base of `known` seconds; 0: measured.
    pub(super) fn new(known: f64) -> Self {
        Self { known, first: None, base: 0.0, largest: 0.0, average: 0.0, stale: true }
    }

    /// Takes a sample with this weight.
    #[inline]
    pub(super) fn push(&mut self, delay: Duration, weight: f64) {
        let Some(first) = self.first else {
            self.first = Some(delay);
            if self.known > 0.0 {
                self.base = apart(Duration::from_secs(self.known), delay);
            }
            self.stale = false;
            return;
        };
        let delay = apart(delay, first);
        if self.known == 0.0 && delay < self.base {
            self.base = delay;
        }
        self.largest = self.largest.max(delay);
        if self.stale {
            (self.average, self.stale) = (delay, false);
        } else {
            self.average += weight * (delay - self.average);
        }
    }

    /// Resets the averages; the base remains.
    pub(super) fn forget(&mut self) {
        self.stale = true;
    }

    /// Average queueing delay in seconds; none before a sample.
    #[inline]
    pub(super) fn queue(&self) -> Option<f64> {
        (!self.stale).then(|| (self.average - self.base).max(0.0) * 1e-9)
    }

    /// From the base to the largest delay ever, in seconds.
    pub(super) fn range(&self) -> f64 {
        (self.largest - self.base).max(0.0) * 1e-9
    }

    /// The base in seconds: only for delays of one clock.
    pub(super) fn base(&self) -> f64 {
        self.first.map_or(0.0, |first| first.secs() + self.base * 1e-9)
    }

    /// The average in seconds: only for delays of one clock.
    pub(super) fn average(&self) -> f64 {
        self.first.map_or(0.0, |first| first.secs() + self.average * 1e-9)
    }
}

/// FAST's averaging (Wei et al. 2006): weight `min(3/w, 1/4)` for the newest
/// sample, so that most of the average comes from the last round trip.
#[inline]
pub(super) fn weight(w: &Window) -> f64 {
    (3.0 / w.cwnd).min(0.25)
}

/// A change of the window that is spread over the ACKs of a round trip.
#[derive(Clone, Debug, Default)]
pub(super) struct Spread {
    left: f64,
    per_credit: f64,
}

impl Spread {
    /// `change` segments in a round trip of `w` of them.
    pub(super) fn begin(&mut self, change: f64, w: f64) {
        *self = Self { left: change, per_credit: change / w };
    }

    /// The part that one ACK contributes.
    #[inline]
    pub(super) fn take(&mut self, credit: f64) -> f64 {
        let part = self.per_credit * credit;
        // never past zero, whatever the rounding errors
        let part =
            if part > 0.0 { part.min(self.left.max(0.0)) } else { part.max(self.left.min(0.0)) };
        self.left -= part;
        part
    }

    /// Drops the rest of the change.
    pub(super) fn cancel(&mut self) {
        *self = Self::default();
    }
}

params! { pub(super) struct UpdateParams {
    /// segments that the flow keeps queued on the path
    alpha: f64 = 400.0 "segments" in 1.0..=1e6,
    /// fraction of the distance to the target that one update covers
    gamma: f64 = 0.5 in 0.01..=1.0,
    /// average queueing delay below which the window doubles per round trip
    mi_threshold: f64 = 0.000_75 "s" in 0.0..=1.0,
} }

params! { pub(super) struct ForwardParams {
    /// forward delay of the empty path, if known and the clocks are synchronised; 0: measured
    base_forward: f64 = 0.0 "s" in 0.0..=10.0,
} }

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn clocks_may_be_apart() {
        // the receiver's clock is far behind: delays are negative and wrap around
        for offset in [0, 5, u64::MAX - 3_000_000, u64::MAX / 2] {
            let at = |ms: u64| Duration::from_nanos(offset.wrapping_add(ms * 1_000_000));
            let mut queuing = Queuing::new(0.0);
            assert_eq!(queuing.queue(), None);
            queuing.push(at(10), 0.25);
            assert_eq!(queuing.queue(), Some(0.0));
            // base 6; the average goes a quarter of the way from 10 to 6
            queuing.push(at(6), 0.25);
            assert!((queuing.queue().unwrap() - 0.003).abs() < 1e-12, "{offset}");
            queuing.forget();
            assert_eq!(queuing.queue(), None);
            queuing.push(at(8), 0.25);
            assert!((queuing.queue().unwrap() - 0.002).abs() < 1e-12, "{offset}");
        }
    }

    #[test]
    fn a_known_base_is_believed() {
        let mut queuing = Queuing::new(0.005);
        queuing.push(MS(8), 0.25);
        assert!((queuing.queue().unwrap() - 0.003).abs() < 1e-12);
        queuing.push(MS(4), 1.0);
        assert_eq!(queuing.queue(), Some(0.0));
        assert!((queuing.base() - 0.005).abs() < 1e-12);
    }

    #[test]
    fn a_change_is_spread_and_bounded() {
        let mut spread = Spread::default();
        assert_eq!(spread.take(5.0), 0.0);
        spread.begin(10.0, 100.0);
        assert!((spread.take(1.0) - 0.1).abs() < 1e-15);
        assert!((spread.take(98.0) - 9.8).abs() < 1e-12);
        assert!((spread.take(50.0) - 0.1).abs() < 1e-12);
        assert_eq!(spread.take(1.0), 0.0);
        spread.begin(-3.0, 2.0);
        assert!((spread.take(1.0) + 1.5).abs() < 1e-15);
        assert!((spread.take(9.0) + 1.5).abs() < 1e-15);
        spread.begin(7.0, 7.0);
        spread.cancel();
        assert_eq!(spread.take(1.0), 0.0);
    }
}
