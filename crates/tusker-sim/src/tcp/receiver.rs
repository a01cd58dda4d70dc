//! The receiving end: what has arrived, what is acknowledged and when.
//!
//! RFC 5681 section 4.2 (delayed ACKs), RFC 2018 (SACK), RFC 2883 (D-SACK), RFC 3168
//! section 6.1.3 (ECN echo), RFC 9768 section 3.2 (an echo that counts marks), RFC 7323
//! section 4.3 (which timestamp is echoed).
//!
//! As in Linux (`tcp_event_data_recv`, `tcp_cleanup_rbuf`), if [`Setup::quick_after`] is given: the
//! first 16 ACKs, those after a long pause and those after a duplicate are not delayed. A segment
//! with the PSH flag (the end of a burst that Linux's segmentation made, or of what the
//! application wrote) is acknowledged as soon as the application has read it, here at once. Of the
//! ACKs for segments out of order, the fourth and later ones are compressed
//! (`__tcp_ack_snd_check`): one goes out for all segments within a twentieth of the round trip and
//! at most 1 ms, but before a segment that begins a third block (`tcp_sack_new_ofo_skb`).
//!
//! With `gro`, segments that arrive in order are merged before TCP sees them, as by Linux's generic
//! receive offload behind a network card that delays its interrupts: until so many have come, the
//! first has waited for so long, one has the PSH flag, or a segment comes that does not fit. They
//! are acknowledged as one large segment: at once if they are two or more (`__tcp_ack_snd_check`
//! compares what is not acknowledged with one segment). Where we differ: a segment that does not
//! fit, and a full merge, are taken at once, while a card's interrupt would come later.
//!
//! Where we differ: under RFC 7323, the ACK of an out-of-order segment echoes the timestamp of
//! the last segment in order. Here every immediate ACK identifies the segment that caused it; a
//! sender that remembers when its segments left knows this anyway (Linux). RTO samples are the
//! same, because ACKs that do not advance give none (script `timestamps`).
//!
//! AccECN (RFC 9768, from memory): the receiver counts the marked segments that arrive,
//! duplicates included, starting from 5, and each ACK carries the count modulo 8 in the ACE
//! field. A marked segment after an unmarked one is acknowledged at once, together with pending
//! data. Because every second segment is acknowledged, there is an ACK after at most two marks
//! (script `accurate_ecn`). Left out: the option with byte counts, and the codepoint that the
//! handshake's ACE field reports.

use std::cmp::Ordering;
use std::collections::VecDeque;

use tusker_core::{Duration, Time};
use tusker_path::room;
use tusker_plan::plan::Gro;

use super::ranges::Ranges;
use crate::packet::{Blocks, Packet, State, flag};

/// A receiver's settings.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Most SACK blocks in an ACK; 0 without SACK. RFC 2018, section 3: four
    /// fit, three beside timestamps.
    pub sack_blocks: usize,
    /// Report duplicates (RFC 2883).
    pub dsack: bool,
    /// Delay ACKs by at most this.
    pub delayed_ack: Option<Duration>,
    /// The host merges segments that arrive in order.
    pub gro: Option<Gro>,
    /// Echo the timestamp of the first segment that an ACK covers.
    pub timestamps: bool,
    /// The ECN echo counts the segments that were marked (RFC 9768).
    pub accurate_ecn: bool,
    /// As in Linux, ACKs are not delayed at the start, nor after a pause longer than this
    /// (the receiver's RTO).
    pub quick_after: Option<Duration>,
    /// As in Linux, all but the first ACKs for segments out of order wait for this long, together.
    pub compression: Option<Duration>,
    /// ACKs carry the routers' headers from the data: [`Receiver::take_in_order`] accepts
    /// nothing.
    pub answers: bool,
    /// [`Receiver::take_in_order`] also accepts segments if ACKs may be delayed or compressed.
    pub short: bool,
    /// Connections follow one another; numbers are in [`epoch`]s. `None` for a connection
    /// that is open from the start.
    pub slot: Option<Slot>,
}

/// State for connections that follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The first segment of each opens it: it carries no data, and its ACK is not delayed.
    pub handshake: bool,
}

/// Bits of a segment's number within its connection; the higher bits number the connection.
/// Segments left over from the previous connection in a slot are below the numbers of the
/// next one, so both ends consider them old.
const WITHIN: u32 = 40;

/// The first number of a slot's `nth` connection, from 1.
pub fn first_of(nth: u64) -> u64 {
    nth << WITHIN
}

/// The connection of its slot that a segment belongs to.
pub fn epoch(seq: u64) -> u64 {
    seq >> WITHIN
}

/// As many ACKs are quick (`TCP_MAX_QUICKACKS`).
const QUICK_ACKS: u32 = 16;

/// So many ACKs of the same number are not compressed (`TCP_FASTRETRANS_THRESH`).
const UNCOMPRESSED: u32 = 3;

/// So many are sent together (`tcp_comp_sack_nr`).
const MOST_COMPRESSED: u32 = 44;

/// A compressed ACK reports so many blocks (`TCP_SACK_BLOCKS_EXPECTED`).
const BLOCKS_EXPECTED: usize = 2;

/// RFC 9768, section 3.2.1: both ends start counting from 5.
pub const FIRST_ACE: u8 = 5;

/// The ACE field has three bits.
pub(super) const ACE_VALUES: u8 = 8;

/// An acknowledgment to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckOut {
    /// When it leaves the receiver.
    pub at: Time,
    /// The next segment that is expected.
    pub ack: u64,
    /// Departure of the data segment that it echoes.
    pub echo: Time,
    /// Arrival of that segment.
    pub reached: Time,
    /// That segment was a retransmission.
    pub retransmission: bool,
    /// ECN echo of RFC 3168.
    pub ece: bool,
    /// The ACE field of RFC 9768, 0 to 7; 0 where the echo does not count.
    pub ace: u8,
    /// SACK blocks.
    pub blocks: Blocks,
}

/// The segment that an ACK is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// When it left its sender.
    pub sent: Time,
    /// When it arrived.
    pub reached: Time,
    /// It is a retransmission.
    pub again: bool,
}

/// What [`Receiver::take_in_order`] does with a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InOrder {
    /// Nothing: [`Receiver::on_data`] must take it.
    No,
    /// Its ACK is delayed until then.
    Waits(Time),
    /// It is acknowledged at once, by an ACK about this segment without blocks.
    Acknowledged(Cause),
}

/// The receiver of one flow.
#[derive(Clone, Debug)]
pub struct Receiver {
    setup: Setup,
    /// A segment in order takes the short way.
    simple: bool,
    /// RCV.NXT: everything below has arrived.
    next: u64,
    /// Ranges that have arrived beyond that.
    beyond: Ranges,
    /// The recently changed ranges beyond, the latest first.
    recent: Blocks,
    /// Marks are echoed (RFC 3168); with a counting echo, the last segment was marked.
    ece: bool,
    /// `r.cep` of RFC 9768, modulo 8.
    ace: u8,
    /// An in-order segment that is not acknowledged yet, and how long it may wait.
    waiting: Option<(Cause, Time)>,
    /// Segments in order that are being merged: the first, their number, and how long it may take.
    merging: Option<(Cause, u32, Time)>,
    /// The last segment out of order whose ACK is compressed, and when this goes out.
    compressed: Option<(Cause, Time)>,
    /// ACKs for segments out of order since the last one that advanced: sent and compressed.
    repeated: u32,
    /// So many of the next ACKs are not delayed.
    quick: u32,
    /// When data last arrived.
    heard: Option<Time>,
    gaps: Gaps,
}

/// Where numbers were skipped: the segments that arrived too early, ascending, and how many
/// segments had arrived before each.
#[derive(Clone, Debug, Default)]
struct Gaps(VecDeque<(u64, u64)>);

impl Gaps {
    /// The last so many are kept.
    const MOST: usize = 256;

    fn open(&mut self, seq: u64, arrived: u64) {
        if self.0.len() == Self::MOST {
            self.0.pop_front();
        }
        self.0.push_back((seq, arrived));
    }

    /// How many segments had arrived before the first with a higher number, if it is kept.
    fn ended(&self, seq: u64) -> Option<u64> {
        let above = self.0.partition_point(|(early, _)| *early <= seq);
        // below the oldest, another one may have been first
        let is_kept = above > 0 || self.0.len() < Self::MOST;
        self.0.get(above).filter(|_| is_kept).map(|(_, arrived)| *arrived)
    }
}

impl Cause {
    fn of(data: &Packet) -> Self {
        Self { sent: data.sent, reached: data.at, again: data.is(flag::RETRANSMISSION) }
    }

    /// The ACK that a segment in order gets at `at`, if nothing is missing or marked.
    pub fn ack(self, at: Time, ack: u64) -> AckOut {
        let Self { sent: echo, reached, again: retransmission } = self;
        let blocks = Blocks::default();
        AckOut { at, ack, echo, reached, retransmission, ece: false, ace: 0, blocks }
    }
}

impl Receiver {
    /// Bytes in use, and the most after this many more segments have arrived.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let gaps = &self.gaps.0;
        let (own, most) = self.beyond.memory(more);
        let least = Gaps::MOST.min(gaps.len() + more);
        let (gaps, most_gaps) = room(least, gaps.capacity(), size_of::<(u64, u64)>());
        (own + gaps, most + most_gaps)
    }

    /// A receiver that has seen nothing.
    pub fn new(setup: Setup) -> Self {
        Self {
            setup,
            simple: (setup.short || setup.delayed_ack.is_none() && setup.quick_after.is_none())
                && !setup.answers
                && setup.gro.is_none()
                && !setup.accurate_ecn
                && setup.slot.is_none(),
            next: 0,
            beyond: Ranges::default(),
            recent: Blocks::default(),
            ece: false,
            ace: FIRST_ACE,
            waiting: None,
            merging: None,
            compressed: None,
            repeated: 0,
            quick: 0,
            heard: None,
            gaps: Gaps::default(),
        }
    }

    /// ACKs may be delayed.
    pub fn delays_acks(&self) -> bool {
        self.setup.delayed_ack.is_some()
            || self.setup.gro.is_some()
            || self.setup.compression.is_some()
    }

    /// An ACK for segments out of order waits for more of them.
    pub fn is_compressing(&self) -> bool {
        self.compressed.is_some()
    }

    /// When a delayed ACK must go out at the latest, or merged segments go to TCP.
    pub fn deadline(&self) -> Time {
        let merged = self.merging.map_or(Time::NEVER, |(.., until)| until);
        self.waiting.or(self.compressed).map_or(Time::NEVER, |w| w.1).min(merged)
    }

    /// The delayed ACK, if its time has come by `now`.
    pub fn on_deadline(&mut self, now: Time) -> Option<AckOut> {
        let waits = self.waiting.or(self.compressed).map_or(Time::NEVER, |w| w.1);
        let merged = self.merging.map_or(Time::NEVER, |(.., until)| until);
        if merged <= now.min(waits)
            && let Some(ack) = self.end_merge(merged, false)
        {
            return Some(ack);
        }
        let (cause, deadline) = self.waiting.or(self.compressed).filter(|w| w.1 <= now)?;
        // it acknowledges what is being merged as well
        (self.waiting, self.merging) = (None, None);
        Some(self.acknowledge(&cause, deadline, None))
    }

    /// A segment in order joins those being merged. Returns the ACK of all, if it ends the merge.
    fn merge(&mut self, gro: Gro, data: &Packet) -> Option<AckOut> {
        let fresh = (Cause::of(data), 0, data.at + gro.wait);
        let (_, count, _) = self.merging.get_or_insert(fresh);
        *count += 1;
        let (full, pushed) = (*count >= gro.segments, data.state.is_pushed());
        if full || pushed { self.end_merge(data.at, pushed) } else { None }
    }

    /// TCP gets what was merged. Returns its ACK, unless a single segment waits for another one.
    fn end_merge(&mut self, at: Time, pushed: bool) -> Option<AckOut> {
        let (first, count, _) = self.merging.take()?;
        self.repeated = 0;
        let delay = self.setup.delayed_ack.filter(|_| count == 1 && self.quick == 0 && !pushed);
        if let (Some(delay), None) = (delay, self.waiting) {
            self.waiting = Some((first, at + delay));
            return None;
        }
        let echo = self.waiting.take().map_or(first, |(first, _)| first);
        Some(self.acknowledge(&echo, at, None))
    }

    /// Takes a segment that is the next in order, if nothing is missing, marked or due, and
    /// the connection is open from the start: [`Self::on_data`] with what is then left of it.
    #[inline(always)]
    pub fn take_in_order(&mut self, seq: u64, sent: Time, at: Time, state: State) -> InOrder {
        let plain = seq == self.next
            && self.beyond.is_empty()
            && self.simple
            && !(self.ece || state.is(flag::CE));
        if !plain {
            return InOrder::No;
        }
        let cause = Cause { sent, reached: at, again: state.is(flag::RETRANSMISSION) };
        match (self.setup.delayed_ack, self.setup.quick_after) {
            (None, None) => {
                self.next += 1;
                InOrder::Acknowledged(cause)
            }
            (delay, _) => self.delay_in_order(cause, delay, state.is_pushed()),
        }
    }

    /// The ACK may be delayed, or counts among the quick ones, which are not compressed either.
    #[inline(always)]
    fn delay_in_order(&mut self, cause: Cause, delay: Option<Duration>, pushed: bool) -> InOrder {
        let at = cause.reached;
        if self.compressed.is_some() || self.waiting.is_some_and(|(_, until)| until <= at) {
            return InOrder::No;
        }
        if let Some(pause) = self.setup.quick_after {
            if self.heard.is_none_or(|heard| at.since(heard) > pause) {
                return InOrder::No;
            }
            self.heard = Some(at);
        }
        self.next += 1;
        let Some(delay) = delay.filter(|_| self.quick == 0 && !pushed) else {
            self.quick = self.quick.saturating_sub(1);
            self.waiting = None;
            self.repeated = 0;
            return InOrder::Acknowledged(cause);
        };
        match self.waiting.take() {
            None => {
                self.waiting = Some((cause, at + delay));
                InOrder::Waits(at + delay)
            }
            Some((first, _)) if self.setup.timestamps => InOrder::Acknowledged(first),
            Some(_) => InOrder::Acknowledged(cause),
        }
    }

    /// A data segment arrives at `data.at`. Returns whether it is new, and the ACK that it
    /// causes, if any. [`Self::on_deadline`] must have been called before.
    pub fn on_data(&mut self, data: &Packet) -> (bool, Option<AckOut>) {
        if let Some(slot) = self.setup.slot {
            match epoch(data.seq).cmp(&epoch(self.next)) {
                // no sender is left to receive an answer
                Ordering::Less => return (false, None),
                Ordering::Equal => {}
                Ordering::Greater => {
                    *self = Self::new(self.setup);
                    self.next = first_of(epoch(data.seq));
                }
            }
            let first = first_of(epoch(data.seq));
            if slot.handshake && data.seq == first {
                self.next = self.next.max(first + 1);
                return (false, Some(self.acknowledge(&Cause::of(data), data.at, None)));
            }
        }
        if let Some(pause) = self.setup.quick_after {
            let heard = self.heard.replace(data.at);
            if heard.is_none_or(|heard| data.at.since(heard) > pause) || data.seq < self.next {
                self.quick = QUICK_ACKS;
            }
        }
        let ce = data.is(flag::CE);
        let accurate = self.setup.accurate_ecn;
        let before = self.ece;
        // RFC 3168, section 6.1.3: ECE on every ACK from CE until CWR
        self.ece = ce || (before && !accurate && !data.is(flag::CWR));
        self.ace = (self.ace + u8::from(ce)) % ACE_VALUES;
        let seq = data.seq;
        let mut dsack = None;
        let mut fresh = false;
        let was_complete = self.beyond.is_empty();
        let expected = self.next;
        let early = self.reports_early(data);
        if seq < self.next {
            dsack = Some((seq, seq + 1));
        } else {
            let run = self.beyond.insert(seq, seq + 1, |_, _| fresh = true);
            if !fresh {
                dsack = Some((seq, seq + 1));
            }
            if seq == self.next {
                self.next = run.1;
                self.beyond.remove_below(self.next);
            }
            self.remember(run);
        }
        let in_order = fresh && was_complete && self.beyond.is_empty();
        if let (true, false, Some(gro)) = (in_order, ce || before, self.setup.gro) {
            return (fresh, self.merge(gro, data));
        }
        // what was merged is acknowledged with this segment
        if let Some((first, ..)) = self.merging.take() {
            self.waiting = self.waiting.or(Some((first, data.at)));
        }
        // RFC 9768, section 3.2.2.5.1: an ACK when a mark follows an unmarked segment
        let waits = (!ce || (accurate && before)) && self.quick == 0 && !data.state.is_pushed();
        if let (true, Some(delay)) = (in_order && waits, self.setup.delayed_ack) {
            // RFC 5681, section 4.2: at least every second full-sized segment
            // is acknowledged, and none later than the delay
            let Some((first, _)) = self.waiting.take() else {
                self.waiting = Some((Cause::of(data), data.at + delay));
                return (fresh, None);
            };
            // RFC 7323, section 4.3: the timestamp of the first one is echoed
            let echo = if self.setup.timestamps { first } else { Cause::of(data) };
            return (fresh, Some(self.acknowledge(&echo, data.at, None)));
        }
        let repeats = self.next == expected && !self.beyond.is_empty();
        if repeats && !ce && dsack.is_none() && self.quick == 0 && self.compresses(data) {
            return (fresh, early);
        }
        // "immediately ... when an out-of-order segment arrives" or fills a gap
        self.waiting = None;
        if !repeats {
            self.repeated = 0;
        }
        (fresh, Some(self.acknowledge(&Cause::of(data), data.at, dsack)))
    }

    /// If a segment of the first transmission arrives after one that left later (RFC 4737,
    /// section 3, on segments that were sent once), its reordering extent (section 4.2.1): how
    /// many arrivals ago the first such one came. Of gaps older than the last
    /// 256, the least that this can be, 1.
    ///
    /// `arrived` counts the segments that came before. Call it before [`Self::on_data`]; a segment
    /// of [`Self::take_in_order`] is never reordered, and leaves no gap.
    pub fn extent(&mut self, data: &Packet, arrived: u64) -> Option<u64> {
        let highest = self.beyond.end().unwrap_or(self.next);
        if epoch(data.seq) != epoch(self.next) || data.is(flag::RETRANSMISSION) {
            return None;
        }
        if data.seq >= highest {
            if data.seq > highest {
                self.gaps.open(data.seq, arrived);
            }
            return None;
        }
        Some(self.gaps.ended(data.seq).map_or(1, |then| arrived - then))
    }

    /// The compressed ACK that goes out because the segment needs a block of its own.
    fn reports_early(&mut self, data: &Packet) -> Option<AckOut> {
        let (last, _) = self.compressed?;
        let touches = |run: &(u64, u64)| run.0 <= data.seq + 1 && data.seq <= run.1;
        let recent = self.recent.as_slice();
        let block = recent.iter().position(touches).unwrap_or(recent.len());
        (block >= BLOCKS_EXPECTED).then(|| self.acknowledge(&last, data.at, None))
    }

    /// The ACK for a segment out of order waits for others.
    fn compresses(&mut self, data: &Packet) -> bool {
        let Some(delay) = self.setup.compression else { return false };
        self.repeated += 1;
        if !(UNCOMPRESSED + 1..=UNCOMPRESSED + MOST_COMPRESSED).contains(&self.repeated) {
            return false;
        }
        let until = self.compressed.map_or(data.at + delay, |(_, until)| until);
        self.compressed = Some((Cause::of(data), until));
        true
    }

    /// RFC 2018, section 4: the first block contains the latest segment, the others repeat
    /// the most recently reported ones.
    fn remember(&mut self, run: (u64, u64)) {
        let next = self.next;
        let is_apart = |old: &(u64, u64)| old.1 < run.0 || run.1 < old.0;
        self.recent.retain(|old| is_apart(old) && old.1 > next);
        if run.1 > next {
            self.recent.put_first(run);
        }
    }

    fn acknowledge(&mut self, cause: &Cause, at: Time, dsack: Option<(u64, u64)>) -> AckOut {
        self.quick = self.quick.saturating_sub(1);
        if self.compressed.take().is_some() {
            self.repeated = self.repeated.min(UNCOMPRESSED);
        }
        let blocks = if self.setup.sack_blocks > 0 && !(self.beyond.is_empty() && dsack.is_none()) {
            self.blocks(dsack)
        } else {
            Blocks::default()
        };
        AckOut {
            at,
            ack: self.next,
            echo: cause.sent,
            reached: cause.reached,
            retransmission: cause.again,
            ece: self.ece && !self.setup.accurate_ecn,
            ace: if self.setup.accurate_ecn { self.ace } else { 0 },
            blocks,
        }
    }

    fn blocks(&self, dsack: Option<(u64, u64)>) -> Blocks {
        let mut blocks = self.recent;
        if let (true, Some(block)) = (self.setup.dsack, dsack) {
            blocks.put_first(block);
        }
        blocks.truncate(self.setup.sack_blocks);
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(seq: u64, ms: u64) -> Packet {
        let mut packet = Packet::new(0, seq, Time::ZERO, 0, 1500, 0);
        packet.at = Time::ZERO + Duration::from_millis(ms);
        packet
    }

    fn receiver(sack_blocks: usize, delayed_ack: Option<Duration>) -> Receiver {
        Receiver::new(Setup {
            sack_blocks,
            dsack: true,
            delayed_ack,
            gro: None,
            timestamps: true,
            accurate_ecn: false,
            quick_after: None,
            compression: None,
            answers: false,
            short: true,
            slot: None,
        })
    }

    /// Two connections in one slot: the second opens with a segment that is acknowledged at
    /// once and carries no data; segments left over from the first are no longer answered.
    #[test]
    fn a_slot_begins_anew_and_forgets_the_last_connection() {
        let setup = Setup {
            sack_blocks: 3,
            dsack: true,
            delayed_ack: Some(Duration::from_millis(40)),
            gro: None,
            timestamps: true,
            accurate_ecn: false,
            quick_after: None,
            compression: None,
            answers: false,
            short: true,
            slot: Some(Slot { handshake: true }),
        };
        let mut r = Receiver::new(setup);
        let (one, two) = (first_of(1), first_of(2));
        let mut take = |seq, ms| {
            let (fresh, ack) = r.on_data(&data(seq, ms));
            (fresh, ack.map(|ack| (ack.ack, ack.blocks.as_slice().to_vec())))
        };
        assert_eq!(take(one, 0), (false, Some((one + 1, vec![]))));
        assert_eq!(take(one + 1, 1), (true, None), "delayed");
        assert_eq!(take(one + 3, 2), (true, Some((one + 2, vec![(one + 3, one + 4)]))));
        assert_eq!(take(two, 3), (false, Some((two + 1, vec![]))));
        assert_eq!(take(one + 2, 4), (false, None));
        assert_eq!(take(two, 5), (false, Some((two + 1, vec![]))), "sent again");
        // without its opening the third starts where its numbers do
        assert_eq!(take(first_of(3) + 2, 6).1.map(|ack| ack.0), Some(first_of(3)));
    }

    fn ack(receiver: &mut Receiver, seq: u64) -> (u64, Vec<(u64, u64)>) {
        let ack = receiver.on_data(&data(seq, seq)).1.expect("an ACK");
        (ack.ack, ack.blocks.as_slice().to_vec())
    }

    /// RFC 2018, section 4, example 3: segments 2, 4, 6 and 8 of eight are
    /// lost; each ACK names the latest run first.
    #[test]
    fn the_first_block_is_the_latest() {
        let mut r = receiver(3, None);
        assert_eq!(ack(&mut r, 0), (1, vec![]));
        assert_eq!(ack(&mut r, 2), (1, vec![(2, 3)]));
        assert_eq!(ack(&mut r, 4), (1, vec![(4, 5), (2, 3)]));
        assert_eq!(ack(&mut r, 6), (1, vec![(6, 7), (4, 5), (2, 3)]));
        // the fourth packet is received out of order: [3, 4) joins two runs
        assert_eq!(ack(&mut r, 3), (1, vec![(2, 5), (6, 7)]));
        // and the second: everything below 5 is there
        assert_eq!(ack(&mut r, 1), (5, vec![(6, 7)]));
    }

    #[test]
    fn a_duplicate_is_reported_first() {
        let mut r = receiver(3, None);
        ack(&mut r, 0);
        ack(&mut r, 2);
        assert_eq!(ack(&mut r, 0), (1, vec![(0, 1), (2, 3)]));
        // a duplicate beyond: RFC 2883 names it, then the run that holds it
        assert_eq!(ack(&mut r, 2), (1, vec![(2, 3), (2, 3)]));
    }

    #[test]
    fn every_second_segment_is_acknowledged() {
        let delay = Duration::from_millis(40);
        let mut r = receiver(3, Some(delay));
        assert_eq!(r.on_data(&data(0, 10)), (true, None));
        assert_eq!(r.deadline().nanos(), 50_000_000);
        let ack = r.on_data(&data(1, 12)).1.expect("the second is acknowledged");
        assert_eq!((ack.ack, ack.reached.nanos()), (2, 10_000_000), "echoes the first");
        assert_eq!(r.deadline(), Time::NEVER);
    }

    #[test]
    fn a_delayed_ack_leaves_at_its_deadline() {
        let mut r = receiver(3, Some(Duration::from_millis(40)));
        r.on_data(&data(0, 10));
        assert_eq!(r.on_deadline(Time::from_nanos(49_999_999)), None);
        let ack = r.on_deadline(Time::from_nanos(50_000_000)).expect("due");
        assert_eq!((ack.ack, ack.at.nanos()), (1, 50_000_000));
    }

    #[test]
    fn a_gap_and_its_filling_are_acknowledged_at_once() {
        let mut r = receiver(3, Some(Duration::from_millis(40)));
        assert!(r.on_data(&data(1, 1)).1.is_some());
        let filled = r.on_data(&data(0, 2)).1.expect("at once");
        assert_eq!(filled.ack, 2);
    }

    /// RFC 4737, section 3.2: a packet is reordered if its number is smaller than that of a
    /// packet that arrived earlier; section 4.2.1: if i and j are the places of a reordered
    /// packet and of the earliest one with a larger number, its extent is i - j. Of 0 3 1 2 5 4
    /// 6, reordered are 1 (place 3, behind 3 at 2), 2 (4 - 2) and 4 (6, behind 5 at 5).
    #[test]
    fn a_segment_is_overtaken_by_one_that_left_later() {
        let mut r = receiver(3, None);
        let mut arrived = 0;
        let mut take = |packet: Packet| {
            let extent = r.extent(&packet, arrived);
            r.on_data(&packet);
            arrived += 1;
            extent
        };
        let extents = [0, 3, 1, 2, 5, 4, 6].map(|seq| take(data(seq, seq)));
        assert_eq!(extents, [None, None, Some(1), Some(2), None, Some(1), None]);
        // a retransmission left after what it follows; the original comes late all the same:
        // two places behind 8
        assert_eq!(take(data(8, 8)), None);
        let mut again = data(7, 9);
        again.state.mark(flag::RETRANSMISSION);
        assert_eq!(take(again), None);
        assert_eq!(take(data(7, 10)), Some(2));
        // the first that overtook 10 is 11, not 14
        assert_eq!([9, 11, 12, 14, 10].map(|seq| take(data(seq, seq)))[4], Some(3));
        assert_eq!(take(data(13, 13)), Some(2));
    }

    /// Every second segment is lost; the last gaps are known, the oldest is not.
    #[test]
    fn gaps_that_are_kept_are_limited() {
        let mut gaps = Gaps::default();
        (0..=Gaps::MOST as u64).for_each(|n| gaps.open(2 * n + 1, n));
        assert_eq!(gaps.0.len(), Gaps::MOST);
        assert_eq!((gaps.ended(0), gaps.ended(2), gaps.ended(4)), (None, None, Some(2)));
    }

    /// Four segments in 30 us are one ACK; without, two.
    #[test]
    fn merged_segments_are_acknowledged_together() {
        let us = |us: u64| Time::from_nanos(1_000 * us);
        let mut r = receiver(3, Some(Duration::from_millis(40)));
        r.setup.gro = Some(Gro { segments: 4, wait: Duration::from_nanos(50_000) });
        let mut seq = 0;
        let mut take = |r: &mut Receiver, at: u64, pushed: bool| {
            let mut packet = data(seq, 0);
            packet.at = us(at);
            if pushed {
                packet.state.push();
            }
            seq += 1;
            r.on_data(&packet).1.map(|ack| (ack.at, ack.ack, ack.reached))
        };
        // full: the fourth sends the ACK, about the first
        for at in [100, 110, 120] {
            assert_eq!(take(&mut r, at, false), None);
            assert_eq!(r.deadline(), us(150));
        }
        assert_eq!(take(&mut r, 130, false), Some((us(130), 4, us(100))));
        assert_eq!(r.deadline(), Time::NEVER);
        // two by the time of the interrupt: acknowledged then
        assert_eq!((take(&mut r, 200, false), take(&mut r, 240, false)), (None, None));
        let ack = r.on_deadline(us(250)).expect("the interrupt");
        assert_eq!((ack.at, ack.ack, ack.reached), (us(250), 6, us(200)));
        // one: waits for another one for 40 ms, which is acknowledged with it
        assert_eq!(take(&mut r, 300, false), None);
        assert_eq!(r.on_deadline(us(350)), None);
        assert_eq!(r.deadline(), us(40_350));
        assert_eq!(take(&mut r, 1_000, false), None);
        let ack = r.on_deadline(us(1_050)).expect("two");
        assert_eq!((ack.at, ack.ack, ack.reached), (us(1_050), 8, us(300)));
        // PSH: at once
        assert_eq!(take(&mut r, 1_100, true), Some((us(1_100), 9, us(1_100))));
        // a hole: what was merged and what does not fit are acknowledged together, at once
        assert_eq!(take(&mut r, 1_200, false), None);
        let mut packet = data(11, 0);
        packet.at = us(1_210);
        let ack = r.on_data(&packet).1.expect("at once");
        assert_eq!((ack.at, ack.ack, ack.blocks.as_slice()), (us(1_210), 10, &[(11, 12)][..]));
    }

    /// Linux: `__tcp_ack_snd_check` and `tcp_sack_new_ofo_skb`. Segment 0 is missing.
    #[test]
    fn acks_for_segments_out_of_order_are_compressed() {
        let mut r = receiver(3, Some(Duration::from_millis(40)));
        r.setup.compression = Some(Duration::from_millis(1));
        let at = |us: u64| Time::from_nanos(1_000 * us);
        let mut take = |seq, us| {
            let mut packet = data(seq, 0);
            packet.at = at(us);
            let ack = r.on_data(&packet).1;
            (ack.map(|ack| ack.blocks.as_slice().to_vec()), r.deadline())
        };
        // three leave at once; the fourth waits for 1 ms, and takes the next ones along
        for seq in 1..=3 {
            assert_eq!(take(seq, 100 * seq).0, Some(vec![(1, seq + 1)]));
        }
        assert_eq!(take(4, 400), (None, at(1_400)));
        assert_eq!(take(5, 500), (None, at(1_400)));
        // a second block may wait as well; a third one sends what waits, without itself
        assert_eq!(take(7, 600), (None, at(1_400)));
        assert_eq!(take(9, 700), (Some(vec![(7, 8), (1, 6)]), at(1_700)));
        let ack = r.on_deadline(at(1_700)).expect("due");
        assert_eq!(ack.blocks.as_slice(), [(9, 10), (7, 8), (1, 6)]);
        assert_eq!(r.deadline(), Time::NEVER);
        // what fills the hole is acknowledged at once
        let mut packet = data(0, 0);
        packet.at = at(1_800);
        let filled = r.on_data(&packet).1.expect("at once");
        assert_eq!((filled.ack, filled.blocks.as_slice()), (6, &[(9, 10), (7, 8)][..]));
    }

    /// Linux: `__tcp_ack_snd_check` asks `tcp_in_quickack_mode` first, and the first 16 ACKs are
    /// quick (`TCP_MAX_QUICKACKS`). Segments 0 to 3 arrive in order, 4 is missing: of the ACKs
    /// for segments out of order 12 are quick, three more leave at once, the next one waits.
    #[test]
    fn quick_acks_are_not_compressed() {
        let mut r = receiver(3, None);
        r.setup.quick_after = Some(Duration::from_millis(200));
        r.setup.compression = Some(Duration::from_millis(1));
        for seq in 0..4 {
            let packet = data(seq, seq);
            if r.take_in_order(seq, packet.sent, packet.at, packet.state) == InOrder::No {
                r.on_data(&packet);
            }
        }
        let waits = (5..30).find(|&seq| r.on_data(&data(seq, seq)).1.is_none());
        assert_eq!(waits, Some(5 + 12 + 3));
    }
}
