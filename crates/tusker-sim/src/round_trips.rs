//! The round trips that a flow measures.

use tusker_core::Duration;
use tusker_plan::run::{Delays, Histogram};

/// The RTT samples of a flow, and by how much they exceed its shortest round trip.
///
/// Buckets are wide compared with what lies between two samples, which mostly belong to the same
/// bucket as the ones before: they are only counted, and entered together.
#[derive(Clone, Debug)]
pub struct RoundTrips {
    rtt: Histogram,
    queueing: Delays,
    /// The shortest round trip, nanoseconds.
    shortest: u64,
    alike: Alike,
}

/// Samples that are not entered yet and have the same bucket in both histograms: those from
/// `low` to less than `width` above, and by how much they exceed `low` in sum.
#[derive(Clone, Copy, Debug, Default)]
struct Alike {
    low: u64,
    width: u64,
    times: u64,
    above: u64,
}

/// Narrower buckets, of queueing delays below 64 us, seldom have two samples in a row.
const NARROW: u64 = 1_000;

impl RoundTrips {
    /// No samples yet of a flow with this shortest round trip.
    pub fn new(shortest: Duration) -> Self {
        Self {
            rtt: Histogram::default(),
            queueing: Delays::default(),
            shortest: shortest.nanos(),
            alike: Alike::default(),
        }
    }

    /// See [`Net::warm_up`](crate::net::Net::warm_up).
    #[inline(always)]
    pub fn warm(&self) -> u64 {
        self.alike.low ^ self.alike.times
    }

    /// Counts a sample.
    #[inline(always)]
    pub fn record(&mut self, rtt: Duration) {
        let above = rtt.nanos().wrapping_sub(self.alike.low);
        if above < self.alike.width {
            self.alike.times += 1;
            self.alike.above += above;
        } else {
            self.record_other(rtt.nanos());
        }
    }

    #[inline(never)]
    fn record_other(&mut self, rtt: u64) {
        self.enter();
        let waits = rtt.saturating_sub(self.shortest);
        let (low, width) = Histogram::bucket_of(rtt);
        let (least, wide) = Delays::bucket_of(waits);
        if wide < NARROW {
            self.alike.width = 0;
            self.rtt.record(rtt);
            self.queueing.record(waits);
            return;
        }
        let least = self.shortest + least;
        let from = low.max(least);
        let to = (low + width).min(least + wide);
        self.alike = Alike { low: from, width: to - from, times: 1, above: rtt - from };
    }

    /// Enters what was only counted.
    fn enter(&mut self) {
        let Alike { low, times, above, .. } = self.alike;
        if times > 0 {
            let waits = low - self.shortest;
            let sum = |low: u64| u128::from(low) * u128::from(times) + u128::from(above);
            self.rtt.record_alike(low, times, sum(low));
            self.queueing.record_alike(waits, times, sum(waits));
            (self.alike.times, self.alike.above) = (0, 0);
        }
    }

    /// All samples so far, and by how much they exceed the shortest round trip.
    pub fn finish(mut self) -> (Histogram, Delays) {
        self.enter();
        (self.rtt, self.queueing)
    }

    /// Memory in bytes.
    pub fn memory(&self) -> u64 {
        self.rtt.memory() + self.queueing.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::Rng;

    /// As if each were entered at once, whether they stay where they are or not.
    #[test]
    fn samples_counted_together_are_the_same() {
        let mut rng = Rng::named(5, "round trips");
        for (spread, drift) in [(1e4, 1e3), (1e6, 1e5), (1e7, 0.0), (10.0, 0.0)] {
            let mut together = RoundTrips::new(Duration::from_millis(100));
            let (mut rtt, mut queueing) = (Histogram::default(), Delays::default());
            for i in 0..100_000 {
                let waits = (rng.range(0.0, spread) + drift * f64::from(i)) as u64;
                together.record(Duration::from_nanos(100_000_000 + waits));
                rtt.record(100_000_000 + waits);
                queueing.record(waits);
            }
            assert_eq!(together.finish(), (rtt, queueing));
        }
    }
}
