//! Token buckets: how much may pass, and when.

use crate::units::{Bytes, Duration, Rate, Time};

/// What one bit is, in the unit of [`TokenBucket::level`]: a rate in bits a second times a
/// time in nanoseconds.
const BIT: u128 = 1_000_000_000;

/// Fills with `rate` up to `burst` bytes; a packet takes as many tokens as it has bytes.
#[derive(Clone, Copy, Debug)]
pub struct TokenBucket {
    rate: u128,
    burst: u128,
    level: u128,
    at: Time,
}

impl TokenBucket {
    /// A full bucket; the rate is not zero.
    pub(super) fn new(rate: Rate, burst: Bytes) -> Self {
        let burst = nanobits(burst);
        Self { rate: u128::from(rate.bits_per_sec().max(1)), burst, level: burst, at: Time::ZERO }
    }

    /// The largest packet that may ever pass.
    pub(super) fn largest(&self) -> Bytes {
        Bytes::new((self.burst / (8 * BIT)) as u64)
    }

    fn fill(&mut self, now: Time) {
        let gained = self.rate * u128::from(now.since(self.at).nanos());
        self.level = (self.level + gained).min(self.burst);
        self.at = now;
    }

    /// The first nanosecond, from `now` on, at which there are tokens for a packet of this
    /// size, which is at most the burst.
    pub fn ready(&mut self, now: Time, size: Bytes) -> Time {
        self.fill(now);
        let missing = nanobits(size).saturating_sub(self.level);
        now + Duration::from_nanos(missing.div_ceil(self.rate) as u64)
    }

    /// Takes the tokens for a packet of this size, if there are enough.
    pub fn take(&mut self, now: Time, size: Bytes) -> bool {
        self.fill(now);
        let left = self.level.checked_sub(nanobits(size));
        self.level = left.unwrap_or(self.level);
        left.is_some()
    }

    /// Tokens when it was last asked, in bytes.
    pub(super) fn tokens(&self) -> f64 {
        self.level as f64 / (8 * BIT) as f64
    }
}

fn nanobits(bytes: Bytes) -> u128 {
    u128::from(bytes.get()) * 8 * BIT
}

/// A bucket, or two whose tokens a packet needs both.
#[derive(Clone, Copy, Debug)]
pub struct TokenBuckets {
    /// The mean rate.
    pub(super) mean: TokenBucket,
    /// The rate at which a burst leaves.
    pub(super) peak: Option<TokenBucket>,
}

impl TokenBuckets {
    /// As [`TokenBucket::ready`], for all of them.
    pub fn ready(&mut self, now: Time, size: Bytes) -> Time {
        let peak = self.peak.as_mut().map_or(now, |peak| peak.ready(now, size));
        self.mean.ready(now, size).max(peak)
    }

    /// A packet that was ready by `now` leaves.
    pub fn take(&mut self, now: Time, size: Bytes) {
        let Self { mean, peak } = self;
        for bucket in [Some(mean), peak.as_mut()].into_iter().flatten() {
            let taken = bucket.take(now, size);
            debug_assert!(taken, "a packet leaves without tokens");
        }
    }

    /// The largest packet that may ever pass.
    pub(super) fn largest(&self) -> Bytes {
        let peak = self.peak.map_or(Bytes::new(u64::MAX), |peak| peak.largest());
        self.mean.largest().min(peak)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    #[test]
    fn a_bucket_fills_at_its_rate_up_to_its_burst() {
        // 12 Mbit/s are 1500 bytes a millisecond, of a bucket of 3000
        let mut bucket = TokenBucket::new(Rate::from_bits_per_sec(12_000_000), Bytes::new(3000));
        let packet = Bytes::new(1500);
        assert!(bucket.take(at(0), packet) && bucket.take(at(0), packet));
        assert!(!bucket.take(at(999_999), packet), "1499.9985 bytes");
        assert_eq!(bucket.ready(at(999_999), packet), at(1_000_000));
        assert!(bucket.take(at(1_000_000), packet));
        // after a second there are 3000 again, not 1,500,000
        assert!(bucket.take(at(1_001_000_000), Bytes::new(3000)));
        assert!(!bucket.take(at(1_001_000_000), Bytes::new(1)));
    }

    #[test]
    fn fractions_of_a_nanosecond_are_not_lost() {
        // 40 B at 3 Gbit/s: 106.67, 213.33, 320 ns
        let mut bucket = TokenBucket::new(Rate::from_bits_per_sec(3_000_000_000), Bytes::new(40));
        let size = Bytes::new(40);
        assert!(bucket.take(at(0), size));
        let first = bucket.ready(at(0), size);
        assert_eq!(first, at(107));
        // it fills no further than its burst: 0.33 ns are lost, as in any full bucket
        assert!(bucket.take(first, size));
        assert_eq!(bucket.ready(first, size), at(214));
        let mut larger = TokenBucket::new(Rate::from_bits_per_sec(3_000_000_000), Bytes::new(80));
        assert!(larger.take(at(0), Bytes::new(80)));
        let times = [107, 214, 320].map(|ns| {
            let ready = larger.ready(at(ns - 1), size);
            assert!(larger.take(ready, size));
            (ready, ns)
        });
        assert!(times.iter().all(|(ready, ns)| *ready == at(*ns)), "{times:?}");
    }
}
