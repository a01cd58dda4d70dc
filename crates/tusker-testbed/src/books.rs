//! What the emulator counts of each flow: everything that can be seen on the wire.

use std::collections::VecDeque;

use tusker_core::{Duration, Time};
use tusker_plan::plan::Plan;
use tusker_plan::run::{self, BATCHES, Histogram, Totals};

use crate::ip::Segment;
use crate::seen::Seen;

/// The books of one flow.
#[derive(Debug, Default)]
pub struct Book {
    /// Its begin.
    begun: Option<Time>,
    /// Bytes of payload in a full segment.
    mss: u32,
    sent_bytes: Seen,
    arrived_bytes: Seen,
    /// Segments that were sent for the first time, by their last byte, and when.
    outstanding: VecDeque<(u32, Time)>,
    sent: u64,
    retransmitted: u64,
    arrived: u64,
    dropped: u64,
    /// Payload that arrived for the first time, by batch, in bytes.
    batches: [u64; BATCHES],
    rtt: Histogram,
    min_rtt: Option<Duration>,
    total: Totals,
    total_bytes: u64,
}

/// When things are counted.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    from: Time,
    to: Time,
}

impl Window {
    /// The plan's.
    pub fn of(plan: &Plan) -> Self {
        Self { from: plan.measure_from, to: plan.measure_to }
    }

    fn holds(self, now: Time) -> bool {
        now >= self.from && now < self.to
    }

    /// Which of the batches.
    fn batch(self, now: Time) -> Option<usize> {
        let width = self.to.since(self.from).secs() / BATCHES as f64;
        let batch = (now.since(self.from).secs() / width) as usize;
        self.holds(now).then(|| batch.min(BATCHES - 1))
    }
}

impl Book {
    /// For segments of so much payload.
    pub fn new(mss: u32) -> Self {
        Self { mss, ..Self::default() }
    }

    /// The sender sent a segment with data.
    pub fn sent(&mut self, now: Time, window: Window, segment: &Segment) {
        self.begun.get_or_insert(now);
        let fresh = self.sent_bytes.arrive(segment.seq, segment.payload);
        let counts = u64::from(window.holds(now));
        self.total.sent += 1;
        self.sent += counts;
        if fresh == 0 {
            self.retransmitted += counts;
        } else {
            self.outstanding.push_back((segment.seq.wrapping_add(segment.payload), now));
        }
    }

    /// A segment with data is at the receiver.
    pub fn arrived(&mut self, now: Time, window: Window, segment: &Segment) {
        self.total.arrived += 1;
        self.arrived += u64::from(window.holds(now));
        let fresh = u64::from(self.arrived_bytes.arrive(segment.seq, segment.payload));
        self.total_bytes += fresh;
        if let Some(batch) = window.batch(now) {
            self.batches[batch] += fresh;
        }
    }

    /// A segment with data was dropped on the way.
    pub fn dropped(&mut self, now: Time, window: Window) {
        self.total.dropped += 1;
        self.dropped += u64::from(window.holds(now));
    }

    /// An ACK is back at the sender: a sample of the last segment that it covers, if
    /// that was sent once.
    pub fn acknowledged(&mut self, now: Time, window: Window, ack: u32) {
        let mut last = None;
        while let Some(&(end, sent)) = self.outstanding.front()
            && ack.wrapping_sub(end).cast_signed() >= 0
        {
            last = (end == ack).then_some(sent);
            self.outstanding.pop_front();
        }
        if let Some(sent) = last {
            let rtt = now.since(sent);
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
            if window.holds(now) {
                self.rtt.record(rtt.nanos());
            }
        }
    }

    /// Bytes of payload that arrived for the first time.
    pub fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// What a run says of it. Bytes become full segments.
    pub fn finish(mut self, start: Time) -> run::Flow {
        let mss = u64::from(self.mss.max(1));
        // batches are rounded so that their sum is that of the bytes
        let mut bytes = 0;
        let mut before = 0;
        let batches = self.batches.map(|batch| {
            bytes += batch;
            let segments = bytes / mss;
            let added = segments - before;
            before = segments;
            added
        });
        self.total.delivered = self.total_bytes / mss;
        self.total.in_flight =
            self.total.sent.saturating_sub(self.total.arrived + self.total.dropped);
        run::Flow {
            start,
            arrived: self.arrived,
            delivered: before,
            batches,
            sent: self.sent,
            retransmitted: self.retransmitted,
            dropped: self.dropped,
            rtt: self.rtt,
            min_rtt: self.min_rtt,
            total: self.total,
            ..run::Flow::default()
        }
    }
}
