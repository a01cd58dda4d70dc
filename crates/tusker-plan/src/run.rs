//! The measurements of one execution of a plan. They cover the plan's measuring
//! window unless stated otherwise.

use tusker_core::congestion::Modes;
use tusker_core::{Duration, Time, buckets};
use tusker_path::Report;

use crate::audit::Audit;
pub use crate::delays::Delays;
use crate::delays::quantile;

/// All results of one execution.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The seed of all random streams.
    pub seed: u64,
    /// One per flow of the plan, in the plan's order.
    pub flows: Vec<Flow>,
    /// One per link of the plan, in the plan's order.
    pub links: Vec<Link>,
    /// One per background source of the plan, in the plan's order.
    pub background: Vec<Background>,
    /// One per demand of the plan for connections that come and go, in the plan's
    /// order.
    pub traffic: Vec<Traffic>,
    /// The traces that the plan requested.
    pub trace: Trace,
    /// How well a real-time executor kept time.
    pub audit: Option<Audit>,
    /// Number of events processed by the executor; zero if it does not count any.
    pub events: u64,
    /// Wall-clock time. The caller measures it; an executor sets zero.
    pub wall: std::time::Duration,
}

/// The measuring window is divided into this many equal batches, for confidence
/// intervals within one run (batch means).
pub const BATCHES: usize = 20;

/// One TCP flow. Segments are full segments of the flow's payload size.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// When it started.
    pub start: Time,
    /// When the last byte of a sized flow was acknowledged.
    pub finished: Option<Time>,
    /// Segments that arrived at the receiver within the measuring window,
    /// duplicates included.
    pub arrived: u64,
    /// Segments among them that open a connection and carry no data.
    pub opened: u64,
    /// Segments that arrived for the first time within the measuring window.
    pub delivered: u64,
    /// `delivered`, by batch.
    pub batches: [u64; BATCHES],
    /// Segments that arrived for the first time, by the plan's
    /// [`Steps`](crate::convergence::Steps); empty for a flow that is not counted.
    pub steps: Vec<u64>,
    /// Segments sent within the measuring window, retransmissions included.
    pub sent: u64,
    /// Retransmissions among them.
    pub retransmitted: u64,
    /// Congestion episodes (fast retransmits and ECN responses) in the window.
    pub episodes: u64,
    /// Retransmission timeouts in the window.
    pub timeouts: u64,
    /// Episodes and timeouts that were undone in the window because nothing had been lost,
    /// if that is known.
    pub undone: Option<u64>,
    /// Segments that arrived in the window after one that left later, retransmissions left
    /// out, if that is known.
    pub reordered: Option<u64>,
    /// Their reordering extents together: how many packets ago the first that left later arrived
    /// (RFC 4737, section 4.2.1).
    pub extent: u64,
    /// Segments that arrived marked (ECN) within the measuring window, duplicates included.
    pub marked: u64,
    /// Mode decisions in the window, below and above the flow's bandwidth-delay
    /// product ([`crate::fairness::bdp`]), for a law that has modes.
    pub modes: Option<Modes>,
    /// Packets of this flow dropped anywhere in the window.
    pub dropped: u64,
    /// RTT samples of the window.
    pub rtt: Histogram,
    /// By how much they exceed the shortest round trip
    /// ([`base_rtt`](crate::fairness::base_rtt)), nanoseconds.
    pub queueing: Delays,
    /// The smallest RTT sample of the whole run.
    pub min_rtt: Option<Duration>,
    /// Counters over the whole run, to check conservation.
    pub total: Totals,
}

/// Packets over the whole run: `sent = arrived + dropped + in_flight`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Data packets that left the sender.
    pub sent: u64,
    /// Data packets that reached the receiver.
    pub arrived: u64,
    /// Data packets lost on the path.
    pub dropped: u64,
    /// Data packets in flight at the end.
    pub in_flight: u64,
    /// Segments that arrived for the first time.
    pub delivered: u64,
}

/// One link.
#[derive(Clone, Debug, Default)]
pub struct Link {
    /// Packets offered to the queue in the window.
    pub offered: u64,
    /// Dropped because the queue was full.
    pub overflowed: u64,
    /// Those of them that came at the very tick at which a departing packet would
    /// have made room, so that the order of the two decided.
    pub tied: u64,
    /// Those of them that missed the next departure by the same time to the nanosecond
    /// as one of the last that did.
    pub in_step: u64,
    /// Dropped by the policy.
    pub dropped_early: u64,
    /// Lost on the wire.
    pub lost: u64,
    /// Marked.
    pub marked: u64,
    /// Packets and bytes accepted into the queue in the window; if the policy
    /// decides at departure, those taken by the wire.
    pub sent: u64,
    /// See `sent`.
    pub sent_bytes: u64,
    /// How long the wire was busy within the window; if its rate changes, the time
    /// that the nominal rate would have taken for what it carried.
    pub busy: Duration,
    /// `busy`, by batch, where [`Plan::batched`](crate::plan::Plan::batched) says so.
    pub busy_batches: Option<Box<[Duration; BATCHES]>>,
    /// Time-average of the packets in the queue (the one in transmission
    /// included) over the window. Not tracked (zero, and `queue` is empty) at a link without a
    /// limit that at most one flow uses, that is not the slowest on the flow's path, and that is
    /// not traced.
    pub queue_mean: f64,
    /// Queue length in packets, sampled at even distances over the window.
    pub queue: Histogram,
    /// How long each packet waited from its arrival to the beginning of its transmission,
    /// nanoseconds. Packets count when they are accepted; if the policy decides at
    /// departure, when the wire takes them. Empty where `queue` is, and at a link that
    /// packets of at most one source cross and that is not the slowest on its path.
    pub queueing: Delays,
    /// Its loss episodes, if the executor counts them.
    pub losses: Option<Losses>,
}

impl From<Report> for Link {
    fn from(report: Report) -> Self {
        let counters = report.window();
        let mut queue = Histogram::default();
        report.samples().for_each(|(packets, times)| queue.record_times(u64::from(packets), times));
        let busy: Vec<Duration> = report.batches().map(|batch| batch.busy).collect();
        Self {
            offered: counters.offered(),
            overflowed: counters.overflowed,
            tied: counters.tied,
            in_step: counters.in_step,
            dropped_early: counters.dropped_early,
            lost: counters.lost,
            marked: counters.marked,
            sent: counters.accepted,
            sent_bytes: counters.accepted_bytes,
            busy: counters.busy,
            busy_batches: busy.into_boxed_slice().try_into().ok(),
            queue_mean: counters.area as f64 / report.length().nanos() as f64,
            queue,
            queueing: Delays::of(report.waits().counts(), report.waits().sum()),
            losses: None,
        }
    }
}

/// Loss episodes at a link within the window: drops closer to each other than a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Losses {
    /// Their number.
    pub episodes: u64,
    /// Mean share of the flows through the link that lost a packet in an
    /// episode; 1 is full synchronisation.
    pub synchronisation: f64,
    /// The gap that separates two episodes.
    pub gap: Duration,
}

/// One background source.
#[derive(Clone, Copy, Debug, Default)]
pub struct Background {
    /// Packets that arrived in the window.
    pub arrived: u64,
    /// Bytes that arrived in the window, counted on the wire.
    pub arrived_bytes: u64,
    /// Counters over the whole run.
    pub total: Totals,
}

/// The results of one demand for connections that come and go.
#[derive(Clone, Debug, Default)]
pub struct Traffic {
    /// All transfers that began, in order of their start.
    pub transfers: Vec<Transfer>,
}

/// A transfer, or a web page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// When it was requested.
    pub begin: Time,
    /// When all of it had reached the receiver.
    pub end: Option<Time>,
    /// Payload of all its objects so far.
    pub bytes: u64,
    /// Its objects, each with its own connection.
    pub objects: u64,
    /// How many of them found no free connection slot and had to wait for one.
    pub waited: u64,
}

impl Transfer {
    /// One that has just begun and is still empty.
    pub fn new(begin: Time) -> Self {
        Self { begin, end: None, bytes: 0, objects: 0, waited: 0 }
    }
}

/// Values over time: one column of times, one column per quantity.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// When each row was recorded.
    pub times: Vec<Time>,
    /// The quantities; each has one value per time, with NaN if there is none yet.
    pub series: Vec<Series>,
}

/// One quantity over time.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name of the flow or link.
    pub subject: String,
    /// `cwnd`, `ssthresh`, `srtt`, `flight`, `delivered`, `queue`, or an internal
    /// value of the algorithm.
    pub quantity: String,
    /// One value per time.
    pub values: Vec<f64>,
}

/// Counts of non-negative integers in buckets 1/32 of a power of two wide:
/// quantiles within about 3 %, exact below 64.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    /// Number of the first stored bucket: a flow's round-trip times are close
    /// together and far from zero.
    first: usize,
    buckets: Vec<u64>,
    count: u64,
    sum: u128,
}

impl Histogram {
    const SUB: u32 = 5;

    /// Its memory in bytes.
    pub fn memory(&self) -> u64 {
        (self.buckets.capacity() * size_of::<u64>()) as u64
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.record_times(value, 1);
    }

    /// Counts a value that was seen this many times.
    #[inline]
    pub fn record_times(&mut self, value: u64, times: u64) {
        self.record_alike(value, times, u128::from(value) * u128::from(times));
    }

    /// Counts so many values of the same bucket, of which this is one; `sum` is their sum.
    #[inline]
    pub fn record_alike(&mut self, value: u64, times: u64, sum: u128) {
        let bucket = Self::bucket(value);
        if bucket.wrapping_sub(self.first) >= self.buckets.len() {
            self.reach(bucket, bucket);
        }
        self.buckets[bucket - self.first] += times;
        self.count += times;
        self.sum += sum;
    }

    /// The lowest value that belongs to the same bucket as this one, and how many values do.
    pub fn bucket_of(value: u64) -> (u64, u64) {
        Self::bounds(Self::bucket(value))
    }

    /// Makes room for these buckets and those between them.
    #[cold]
    fn reach(&mut self, from: usize, to: usize) {
        if self.buckets.is_empty() {
            self.first = from;
        } else if from < self.first {
            self.buckets.splice(..0, std::iter::repeat_n(0, self.first - from));
            self.first = from;
        }
        let length = (to + 1 - self.first).max(self.buckets.len());
        self.buckets.resize(length, 0);
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
        let filled = (self.first..).zip(&self.buckets).filter(|(_, n)| **n > 0);
        filled.map(|(bucket, &n)| {
            let (low, width) = Self::bounds(bucket);
            (low, low + width, n)
        })
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Self) {
        if !other.buckets.is_empty() {
            self.reach(other.first, other.first + other.buckets.len() - 1);
        }
        let offset = other.first.saturating_sub(self.first);
        for (mine, theirs) in self.buckets.iter_mut().skip(offset).zip(&other.buckets) {
            *mine += theirs;
        }
        self.count += other.count;
        self.sum += other.sum;
    }

    #[inline]
    fn bucket(value: u64) -> usize {
        buckets::bucket(value, Self::SUB)
    }

    /// Lowest value and number of values of a bucket.
    fn bounds(bucket: usize) -> (u64, u64) {
        buckets::bounds(bucket, Self::SUB)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_of_one_to_a_hundred() {
        let mut h = Histogram::default();
        (1..=60).for_each(|v| h.record(v));
        assert_eq!(h.quantile(0.5), Some(30.0));
        assert_eq!(h.quantile(1.0), Some(60.0));
        assert_eq!(h.mean(), Some(30.5));
        assert_eq!(Histogram::default().quantile(0.5), None);
    }

    #[test]
    fn buckets_give_back_what_was_counted() {
        let mut h = Histogram::default();
        h.record_times(5, 3);
        // 1000 is in [512, 1024), cut into 32 buckets of 16: [992, 1008)
        h.record(1000);
        assert_eq!(h.buckets().collect::<Vec<_>>(), [(5, 6, 3), (992, 1008, 1)]);
    }

    #[test]
    fn only_the_buckets_between_the_extremes_are_kept() {
        // 50 ms and 51 ms in ns: 2^25 <= both < 2^26, buckets 2^20 wide, one apart
        let mut h = Histogram::default();
        h.record(51_000_000);
        h.record_times(50_000_000, 3);
        assert!(h.buckets.len() <= 3, "{} buckets", h.buckets.len());
        assert_eq!((h.count(), h.mean()), (4, Some(50_250_000.0)));
        let mut low = Histogram::default();
        low.record_times(7, 5);
        let mut both = Histogram::default();
        both.merge(&h);
        both.merge(&low);
        low.merge(&h);
        low.merge(&Histogram::default());
        assert_eq!(both, low, "the order of merging is no matter");
        assert_eq!((low.count(), low.quantile(0.5)), (9, Some(7.0)));
    }
}
