//! How long packets wait for their transmission.

use tusker_core::{Duration, buckets};

/// Counts of waits in nanoseconds, in buckets at most 1/64 wide.
#[derive(Clone, Debug, Default)]
pub struct Waits {
    /// It is wanted.
    wanted: bool,
    /// It counts now.
    on: bool,
    counts: Vec<u64>,
    sum: u64,
}

const SUB: u32 = 6;

impl Waits {
    pub(crate) fn new(wanted: bool) -> Self {
        Self { wanted, ..Self::default() }
    }

    /// The measuring window begins or ends.
    pub(crate) fn within(&mut self, window: bool) {
        self.on = self.wanted && window;
    }

    #[inline(always)]
    pub(crate) fn record(&mut self, wait: Duration) {
        if !self.on {
            return;
        }
        let bucket = buckets::bucket(wait.nanos(), SUB);
        if bucket >= self.counts.len() {
            self.reach(bucket);
        }
        self.counts[bucket] += 1;
        self.sum = self.sum.saturating_add(wait.nanos());
    }

    #[cold]
    #[inline(never)]
    fn reach(&mut self, bucket: usize) {
        self.counts.resize(bucket + 1, 0);
    }

    /// Memory in bytes.
    pub(crate) fn memory(&self) -> u64 {
        (self.counts.capacity() * size_of::<u64>()) as u64
    }

    /// The lowest value of each bucket that is not empty, in order, and how often it was
    /// seen.
    pub fn counts(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let seen = self.counts.iter().enumerate().filter(|(_, times)| **times > 0);
        seen.map(|(bucket, &times)| (buckets::bounds(bucket, SUB).0, times))
    }

    /// The sum of all waits, nanoseconds.
    pub fn sum(&self) -> u128 {
        u128::from(self.sum)
    }
}
