//! Queueing delays, counted finely.

use std::collections::BTreeMap;

use tusker_core::buckets;

/// Counts of delays in nanoseconds, in buckets at most 1/64 wide: quantiles within 1 %,
/// exact below 128 ns. Only powers of two that occur take memory: queueing delays are
/// between nothing and seconds, and mostly close together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delays {
    /// The number of the first power of two that is kept.
    first: usize,
    octaves: Vec<Octave>,
    /// What the small counts could not hold, by the number of the bucket.
    spilt: BTreeMap<usize, u64>,
    count: u64,
    sum: u128,
}

/// The midpoint of the first bucket with at least the fraction `q` of `count` values in it or
/// before it; each has its lowest value, the first value above it, and a count.
pub(crate) fn quantile(
    mut buckets: impl Iterator<Item = (u64, u64, u64)>,
    count: u64,
    q: f64,
) -> Option<f64> {
    let mut wanted = (q * count as f64).ceil().max(1.0) as u64;
    let (low, above, _) = buckets.find(|(.., times)| {
        let found = *times >= wanted;
        wanted = wanted.saturating_sub(*times);
        found
    })?;
    Some(low as f64 + (above - low - 1) as f64 / 2.0)
}

const SUB: u32 = 6;
const PARTS: usize = 1 << SUB;

type Octave = Option<Box<[u16; PARTS]>>;

impl Delays {
    /// Values that were counted elsewhere: each value and how often it was seen, and their
    /// sum if the values are rounded.
    pub fn of(counts: impl IntoIterator<Item = (u64, u64)>, sum: u128) -> Self {
        let mut delays = Self::default();
        for (value, times) in counts {
            delays.add(buckets::bucket(value, SUB), times);
        }
        Self { sum, ..delays }
    }

    /// Its memory in bytes.
    pub fn memory(&self) -> u64 {
        let kept = self.octaves.iter().flatten().count() * size_of::<[u16; PARTS]>();
        (kept + self.octaves.capacity() * size_of::<Octave>() + self.spilt.len() * 32) as u64
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let bucket = buckets::bucket(value, SUB);
        self.sum += u128::from(value);
        let octave = self.octaves.get_mut((bucket / PARTS).wrapping_sub(self.first));
        if let Some(Some(octave)) = octave
            && octave[bucket % PARTS] < u16::MAX
        {
            octave[bucket % PARTS] += 1;
            self.count += 1;
            return;
        }
        self.add(bucket, 1);
    }

    /// Counts so many values of the same bucket, of which this is one; `sum` is their sum.
    pub fn record_alike(&mut self, value: u64, times: u64, sum: u128) {
        self.add(buckets::bucket(value, SUB), times);
        self.sum += sum;
    }

    /// The lowest value that belongs to the same bucket as this one, and how many values do.
    pub fn bucket_of(value: u64) -> (u64, u64) {
        buckets::bounds(buckets::bucket(value, SUB), SUB)
    }

    #[cold]
    fn add(&mut self, bucket: usize, times: u64) {
        let octave = bucket / PARTS;
        if self.octaves.is_empty() {
            self.first = octave;
        } else if octave < self.first {
            self.octaves.splice(..0, std::iter::repeat_n(None, self.first - octave));
            self.first = octave;
        }
        let place = octave - self.first;
        self.octaves.resize((place + 1).max(self.octaves.len()), None);
        let octave = self.octaves[place].get_or_insert_with(|| Box::new([0; PARTS]));
        let sum = u64::from(octave[bucket % PARTS]) + times;
        octave[bucket % PARTS] = sum as u16;
        if sum > u64::from(u16::MAX) {
            *self.spilt.entry(bucket).or_default() += sum & !u64::from(u16::MAX);
        }
        self.count += times;
    }

    /// Number of values counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Their mean (exact); `None` if there are none.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// The smallest bucket midpoint with at least the fraction `q` of all values at
    /// or below it; `None` if there are none.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        quantile(self.buckets(), self.count, q)
    }

    /// The buckets that are not empty, in order: lowest value, first value above,
    /// count.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.counts().map(|(bucket, times)| {
            let (low, width) = buckets::bounds(bucket, SUB);
            (low, low + width, times)
        })
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        for (bucket, times) in other.counts() {
            self.add(bucket, times);
        }
        self.sum += other.sum;
    }

    /// The buckets that are not empty, in order, by number.
    fn counts(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let spilt = |bucket| self.spilt.get(&bucket).copied().unwrap_or(0);
        (self.first..)
            .zip(&self.octaves)
            .filter_map(|(octave, own)| Some((octave * PARTS, own.as_ref()?)))
            .flat_map(|(from, own)| (from..).zip(own.iter()))
            .map(move |(bucket, &times)| (bucket, u64::from(times) + spilt(bucket)))
            .filter(|(_, times)| *times > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_one_per_cent() {
        let mut delays = Delays::default();
        // 1 us to 1 s, ten thousand values each 0.14 % above the one before
        let values: Vec<u64> =
            (0..10_000).map(|i| (1e3 * 10_f64.powf(f64::from(i) * 6e-4)) as u64).collect();
        values.iter().for_each(|&value| delays.record(value));
        for q in [0.01, 0.05, 0.5, 0.95, 0.99, 1.0] {
            let exact = values[((q * 10_000.0) as usize).max(1) - 1] as f64;
            let own = delays.quantile(q).unwrap();
            assert!((own / exact - 1.0).abs() < 0.01, "{q}: {own} for {exact}");
        }
        let mean = values.iter().sum::<u64>() as f64 / 10_000.0;
        assert_eq!(delays.mean(), Some(mean));
    }

    #[test]
    fn nothing_waits_without_a_queue_and_nothing_is_known_without_a_packet() {
        let mut delays = Delays::default();
        assert_eq!((delays.quantile(0.5), delays.mean(), delays.memory()), (None, None, 0));
        delays.record(0);
        assert_eq!((delays.quantile(0.5), delays.mean()), (Some(0.0), Some(0.0)));
    }

    /// 2^16 + 3 values of 7 ns, 2^33 of 9 ns: the median is 9.
    #[test]
    fn a_bucket_counts_beyond_its_small_count() {
        let mut delays = Delays::of([(7, (1 << 16) + 2), (9, 1 << 33)], 0);
        delays.record(7);
        let expected = [(7, 8, (1 << 16) + 3), (9, 10, 1 << 33)];
        assert_eq!(delays.buckets().collect::<Vec<_>>(), expected);
        assert_eq!((delays.count(), delays.quantile(0.5)), ((1 << 16) + 3 + (1 << 33), Some(9.0)));
        let mut one_by_one = Delays::default();
        (0..200_000).for_each(|_| one_by_one.record(7));
        assert_eq!(one_by_one.buckets().collect::<Vec<_>>(), [(7, 8, 200_000)]);
    }

    #[test]
    fn the_order_of_merging_is_no_matter() {
        // 5 and 60 ms are 2^22 < 5e6 < 2^23 and 2^25 < 6e7 < 2^26
        let (mut a, mut b) = (Delays::default(), Delays::default());
        (0..10).for_each(|_| a.record(60_000_000));
        b.record(5_000_000);
        let (mut ab, mut ba) = (a.clone(), b.clone());
        ab.merge(&b);
        ba.merge(&a);
        assert_eq!(ab, ba);
        assert_eq!((ab.count(), ab.mean()), (11, Some(605_000_000.0 / 11.0)));
        // two octaves of 64 counts, and places for those between
        assert!(ab.memory() >= 256 && ab.memory() < 256 + 8 * 8, "{}", ab.memory());
    }
}
