//! What the emulator counts for each flow: everything that can be seen on the wire.

use std::collections::VecDeque;

use tusker_core::{Bytes, Duration, Time};
use tusker_plan::convergence::Steps;
use tusker_plan::fairness::base_rtt;
use tusker_plan::plan::{self, Plan};
use tusker_plan::run::{self, BATCHES, Delays, Histogram, Totals};

use crate::ip::Segment;
use crate::repair::{Events, Repairs};
use crate::seen::Seen;

/// The most bytes that options take in a full segment, beyond those that a plan counts.
const OPTIONS: u32 = 40;

/// The counters of one flow. If connections follow one another, they cover all of them, and
/// only the last one may have new data.
#[derive(Debug, Default)]
pub struct Book {
    /// Bytes of payload in a full segment.
    mss: u32,
    /// The shortest time after which a timer retransmits.
    quiet: Duration,
    /// Connections follow one another.
    slot: bool,
    /// Total payload to send.
    size: Option<u64>,
    /// The sender's port of the connection.
    client: Option<u16>,
    sent_bytes: Seen,
    arrived_bytes: Seen,
    /// Where its data ends, once known.
    end: Option<u32>,
    /// When the first byte of it arrived.
    first: Option<Time>,
    /// When the latest byte arrived.
    latest: Time,
    /// When everything was acknowledged.
    finished: Option<Time>,
    /// Segments that are not acknowledged.
    outstanding: VecDeque<Outstanding>,
    repairs: Repairs,
    events: Events,
    sent: u64,
    retransmitted: u64,
    arrived: u64,
    opened: u64,
    marked: u64,
    dropped: u64,
    /// Payload that arrived for the first time, per batch, in bytes.
    batches: [u64; BATCHES],
    /// The same per step, for a flow that is counted in steps.
    steps: Vec<u64>,
    rtt: Histogram,
    queueing: Delays,
    /// The shortest round trip of a full segment.
    base_rtt: Duration,
    min_rtt: Option<Duration>,
    total: Totals,
    total_bytes: u64,
}

/// A segment on its way, by its last byte.
#[derive(Clone, Copy, Debug)]
struct Outstanding {
    end: u32,
    /// When it was sent; of short segments this is left out, because their round trip differs
    /// from that of the full ones.
    sent: Option<Time>,
    /// It was sent again.
    again: bool,
}

/// Whether everything that a connection had to send is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// When its last byte reached the receiver.
    pub arrived: Time,
    /// When the sender knew that.
    pub known: Time,
}

/// The times at which counting starts and ends.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    from: Time,
    to: Time,
    steps: Option<Steps>,
}

impl Window {
    /// The plan's.
    pub fn of(plan: &Plan) -> Self {
        Self { from: plan.measure_from, to: plan.measure_to, steps: Steps::of(plan) }
    }

    /// Whether it lies in the measuring window.
    pub fn holds(self, now: Time) -> bool {
        now >= self.from && now < self.to
    }

    /// The batch that a time belongs to.
    fn batch(self, now: Time) -> Option<usize> {
        let width = self.to.since(self.from).secs() / BATCHES as f64;
        let batch = (now.since(self.from).secs() / width) as usize;
        self.holds(now).then(|| batch.min(BATCHES - 1))
    }
}

impl Book {
    /// For a flow in whose slot connections may follow one another.
    pub fn new(plan: &Plan, flow: &plan::Flow) -> Self {
        Self {
            base_rtt: Duration::from_secs(base_rtt(plan, flow)),
            mss: flow.tcp.packet.get().saturating_sub(flow.tcp.header.get()) as u32,
            quiet: flow.tcp.min_rto,
            slot: flow.application.is_none(),
            size: flow.size.map(Bytes::get),
            ..Self::default()
        }
    }

    /// The sender sent, from this port, a segment with data or one that opens or closes a
    /// connection. Returns whether it was the last one of a finished connection.
    pub fn sent(
        &mut self,
        now: Time,
        window: Window,
        from: u16,
        segment: &Segment,
    ) -> Option<Done> {
        if segment.syn && self.client != Some(from) {
            self.begin(now, from, segment);
        }
        if segment.syn || segment.payload > 0 {
            return self.sent_counted(now, window, from, segment);
        }
        self.ends(now, from, segment)
    }

    fn sent_counted(
        &mut self,
        now: Time,
        window: Window,
        from: u16,
        segment: &Segment,
    ) -> Option<Done> {
        if !self.counts(segment) {
            return None;
        }
        let counts = u64::from(window.holds(now));
        self.total.sent += 1;
        self.sent += counts;
        if self.client != Some(from) {
            // left over from an earlier connection
            return None;
        }
        let (begin, end) = bounds(segment);
        let fresh = self.sent_bytes.arrive(begin, end.wrapping_sub(begin));
        if fresh == 0 {
            self.retransmitted += counts;
            self.sent_again(begin, end);
        } else {
            let full = segment.syn || segment.payload + OPTIONS >= self.mss;
            let sent = full.then_some(now);
            self.outstanding.push_back(Outstanding { end, sent, again: false });
        }
        // longer than the kernel waits for reordered segments, shorter than its timer
        let quiet = Duration::from_nanos(self.quiet.nanos() * 3 / 4);
        let quiet = quiet.max(self.min_rtt.unwrap_or_default());
        let events = self.repairs.sent(now, begin, end, fresh == 0, segment.cwr, quiet);
        self.happened(now, window, events);
        self.ends(now, from, segment)
    }

    /// These bytes are on their way a second time.
    fn sent_again(&mut self, begin: u32, end: u32) {
        let is_before = |a: u32, b: u32| a.wrapping_sub(b).cast_signed() < 0;
        let first = self.outstanding.partition_point(|own| !is_before(begin, own.end));
        for own in self.outstanding.iter_mut().skip(first) {
            own.again = true;
            if !is_before(own.end, end) {
                break;
            }
        }
    }

    /// The opening of a connection is counted if it is part of the experiment.
    fn counts(&self, segment: &Segment) -> bool {
        segment.payload > 0 || (self.slot && segment.syn)
    }

    /// A connection starts.
    fn begin(&mut self, now: Time, from: u16, syn: &Segment) {
        self.client = Some(from);
        // the SYN takes a sequence number (RFC 9293, section 3.4)
        let first = if self.slot { syn.seq } else { syn.seq.wrapping_add(1) };
        self.sent_bytes = Seen::from(first);
        self.arrived_bytes = Seen::from(first);
        self.repairs = Repairs::from(first, now);
        self.outstanding.clear();
        self.end = None;
        self.finished = None;
        self.first = None;
    }

    /// A segment may say that its connection ends after it.
    fn ends(&mut self, now: Time, from: u16, segment: &Segment) -> Option<Done> {
        if !segment.fin || self.client != Some(from) || self.end.is_some() {
            return None;
        }
        self.end = Some(bounds(segment).1);
        self.done(now)
    }

    fn done(&mut self, now: Time) -> Option<Done> {
        if self.finished.is_some() || !self.repairs.acknowledges(self.end?) {
            return None;
        }
        self.finished = Some(now);
        Some(Done { arrived: self.latest, known: now })
    }

    fn happened(&mut self, now: Time, window: Window, events: Events) {
        if window.holds(now) {
            self.events.episodes += events.episodes;
            self.events.timeouts += events.timeouts;
        }
    }

    /// A segment from this port of the sender has reached the receiver.
    pub fn arrived(&mut self, now: Time, window: Window, from: u16, segment: &Segment) {
        if !self.counts(segment) {
            return;
        }
        let counts = u64::from(window.holds(now));
        self.total.arrived += 1;
        self.arrived += counts;
        self.opened += counts * u64::from(segment.payload == 0);
        if self.client != Some(from) {
            return;
        }
        let (begin, end) = bounds(segment);
        let fresh = u64::from(self.arrived_bytes.arrive(begin, end.wrapping_sub(begin)));
        // the SYN is not payload
        let fresh = fresh.saturating_sub(u64::from(segment.syn));
        if fresh > 0 {
            self.first.get_or_insert(now);
            self.latest = now;
        }
        self.total_bytes += fresh;
        if let Some(batch) = window.batch(now) {
            self.batches[batch] += fresh;
        }
        if let Some(steps) = window.steps.filter(|_| !self.slot && self.size.is_none()) {
            self.steps.resize(steps.count, 0);
            if let Some(step) = steps.at(now) {
                self.steps[step] += fresh;
            }
        }
    }

    /// A segment that has arrived was marked on the way.
    pub fn marked(&mut self, now: Time, window: Window, segment: &Segment) {
        self.marked += u64::from(self.counts(segment) && window.holds(now));
    }

    /// A segment was dropped on the way.
    pub fn dropped(&mut self, now: Time, window: Window, from: u16, segment: &Segment) {
        if !self.counts(segment) {
            return;
        }
        self.total.dropped += 1;
        self.dropped += u64::from(window.holds(now));
        if self.client == Some(from) {
            self.repairs.dropped(bounds(segment).1);
        }
    }

    /// An ACK reaches this port of the sender: an RTT sample of the last segment that it
    /// newly covers, if that was sent only once (Karn's algorithm, RFC 6298, section 3), and so
    /// were the others: an ACK that a retransmission released says nothing about the segments
    /// behind it. Returns whether the connection is finished.
    pub fn acknowledged(&mut self, now: Time, window: Window, to: u16, ack: u32) -> Option<Done> {
        if self.client != Some(to) {
            return None;
        }
        let events = self.repairs.acknowledged(now, ack);
        self.happened(now, window, events);
        let (mut last, mut again) = (None, false);
        while let Some(&own) = self.outstanding.front()
            && ack.wrapping_sub(own.end).cast_signed() >= 0
        {
            last = own.sent.filter(|_| own.end == ack);
            again |= own.again;
            self.outstanding.pop_front();
        }
        if let Some(sent) = last.filter(|_| !again) {
            let rtt = now.since(sent);
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |min| min.min(rtt)));
            if window.holds(now) {
                self.rtt.record(rtt.nanos());
                self.queueing.record(rtt.nanos().saturating_sub(self.base_rtt.nanos()));
            }
        }
        self.done(now)
    }

    /// When the first byte of the last connection arrived.
    pub fn first_arrival(&self) -> Option<Time> {
        self.first
    }

    /// The flow's part of a run's results. Bytes are converted to full segments.
    pub fn finish(mut self, start: Time) -> run::Flow {
        let mss = u64::from(self.mss.max(1));
        // batches are rounded so that they add up to the total
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
            // no single connection in a slot is the flow; one may stop before its end
            finished: self
                .finished
                .filter(|_| !self.slot && self.size.is_some_and(|size| self.total_bytes >= size)),
            arrived: self.arrived,
            opened: self.opened,
            delivered: before,
            batches,
            steps: self.steps.iter().map(|bytes| bytes / mss).collect(),
            sent: self.sent,
            retransmitted: self.retransmitted,
            episodes: self.events.episodes,
            timeouts: self.events.timeouts,
            marked: self.marked,
            dropped: self.dropped,
            rtt: self.rtt,
            queueing: self.queueing,
            min_rtt: self.min_rtt,
            total: self.total,
            ..run::Flow::default()
        }
    }
}

/// Sequence numbers of the first byte of a segment and of the byte after its last; a SYN
/// takes a number, too.
fn bounds(segment: &Segment) -> (u32, u32) {
    let length = segment.payload + u32::from(segment.syn);
    (segment.seq, segment.seq.wrapping_add(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three segments at 0, 1 and 2 ms on a path of 10 ms. The second is lost and sent again at
    /// 15 ms. The ACK at 25 ms is for it and for the third, which arrived long before.
    #[test]
    fn what_a_retransmission_released_is_no_round_trip() {
        let ms = |time: u64| Time::from_nanos(time * 1_000_000);
        let window = Window { from: Time::ZERO, to: ms(100), steps: None };
        let mut book = Book { mss: 1_000, client: Some(5), ..Book::default() };
        book.sent_bytes = Seen::from(0);
        let segment = |seq: u32| Segment {
            seq,
            ack: None,
            payload: 1_000,
            syn: false,
            fin: false,
            cwr: false,
        };
        for (nth, seq) in [0, 1_000, 2_000].into_iter().enumerate() {
            book.sent(ms(nth as u64), window, 5, &segment(seq));
        }
        book.acknowledged(ms(10), window, 5, 1_000);
        book.sent(ms(15), window, 5, &segment(1_000));
        book.acknowledged(ms(25), window, 5, 3_000);
        book.sent(ms(30), window, 5, &segment(3_000));
        book.acknowledged(ms(40), window, 5, 4_000);
        assert_eq!(book.rtt.count(), 2, "10 ms each");
        let mean = book.rtt.mean().expect("there are samples");
        assert!((mean - 10e6).abs() < 1.0, "{mean} ns");
        // a longer segment that begins within another one
        let ends = |book: &Book| book.outstanding.iter().map(|own| own.again).collect::<Vec<_>>();
        for seq in [4_000, 5_000, 6_000] {
            book.sent(ms(50), window, 5, &segment(seq));
        }
        book.sent_again(4_500, 6_000);
        assert_eq!(ends(&book), [true, true, false]);
    }
}
