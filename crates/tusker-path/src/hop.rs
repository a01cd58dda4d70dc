//! A hop: a bounded FIFO with a policy, the wire after it, and the propagation to
//! the next node.
//!
//! ```text
//!   offer() --> policy --> limit --> | waiting ... | in transmission --> delay --> next node
//!               Signal: mark/drop    '---------- backlog ----------'     loss, jitter
//! ```
//!
//! The limit counts the packet in transmission, as ns-2's DropTail does in
//! effect (limit - 1 waiting and one on the wire). The policy sees only the waiting
//! ones, as ns-2's RED does.

use std::collections::VecDeque;

use tusker_core::params::Need;
use tusker_core::queue::{Backlog, Header, Meta, Policy};
use tusker_core::{Bytes, Duration, Time};

use crate::departures::Departures;
use crate::gate::{DropCause, Gate, Limit};
use crate::impairments::Impairments;
use crate::lockstep::Lockstep;
use crate::memory::room;
use crate::meter::{Counters, Meter, Metered, Report, Schedule};
use crate::setup::Setup;
use crate::waits::Waits;
use crate::wire::Wire;

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It arrives at the next node.
    Arrives {
        /// When its last bit arrives.
        at: Time,
        /// The policy marked it.
        marked: bool,
    },
    /// It does not arrive.
    Dropped(DropCause),
}

/// An outcome without its time, in a byte, so that both are returned in registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Arrives,
    Marked,
    Dropped(DropCause),
}

impl Outcome {
    #[inline(always)]
    fn of((at, fate): (Time, Fate)) -> Self {
        match fate {
            Fate::Arrives => Self::Arrives { at, marked: false },
            Fate::Marked => Self::Arrives { at, marked: true },
            Fate::Dropped(cause) => Self::Dropped(cause),
        }
    }
}

/// The fate of a packet that is dropped.
fn dropped(cause: DropCause) -> (Time, Fate) {
    (Time::NEVER, Fate::Dropped(cause))
}

/// One direction of a link. The data that every packet needs are close together in
/// memory, because a network of many flows has many links: without a backlog, two lines of the
/// cache, which processors fetch together, with one, two more.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct Hop {
    /// When the meter or the policy must be called next.
    due: Time,
    /// If it is always the same.
    delay: Duration,
    kind: Kind,
    wire: Wire,
    /// The limit in packets, if it alone decides.
    most: u64,
    /// Packet-nanoseconds in the queue.
    area: u64,
    /// When each packet of the backlog leaves.
    leaving: Departures,
    /// How long the packets wait, of which the backlog is kept.
    waits: Waits,
    rest: Box<Rest>,
}

/// Data that is rarely needed.
#[derive(Debug)]
struct Rest {
    /// The backlog is only kept if it is needed.
    tracked: bool,
    /// What is not counted in the hop itself or by its wire.
    counters: Counters,
    /// Drops at a limit in packets.
    lockstep: Lockstep,
    /// Of a hop that is [`Kind::Full`] or [`Kind::Headers`]; most are neither.
    full: Option<Box<Full>>,
    meter: Option<Box<Meter>>,
}

/// What decides about packets one by one.
#[derive(Debug)]
struct Full {
    /// The sizes of the packets in the backlog. Departed packets are removed from both before
    /// each decision.
    sizes: VecDeque<u32>,
    size_sum: u64,
    gate: Gate,
    impairments: Impairments,
}

/// How much work each packet needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The wire.
    Plain,
    /// A backlog in packets, perhaps with a limit in packets.
    Simple,
    /// Also a policy, bytes, losses, jitter or a changing rate.
    Full,
    /// The same, and a policy that writes into packets.
    Headers,
}

impl Hop {
    /// An idle hop. Without a schedule nothing is metered, and it may run without
    /// end.
    ///
    /// # Panics
    /// If the policy decides at departure: that needs a [`crate::Station`].
    pub fn new(setup: Setup, schedule: Option<Schedule>) -> Self {
        assert!(!setup.policy.needs(Need::Departures), "this policy takes a station");
        let managed = !matches!(setup.policy, Policy::DropTail(_));
        let tracked = setup.observed || managed || setup.limit.drops();
        let plain = setup.is_plain() && setup.wire.is_fixed();
        let most = match setup.limit {
            Limit::Unlimited | Limit::Backpressure(_) => Some(u64::MAX),
            Limit::Packets(limit) if limit > 0 => Some(limit),
            _ => None,
        };
        let kind = match most {
            Some(_) if !managed && plain && tracked => Kind::Simple,
            Some(_) if !managed && plain => Kind::Plain,
            _ if setup.policy.needs(Need::Headers) => Kind::Headers,
            _ => Kind::Full,
        };
        let delay = setup.delay.first();
        let (sampled, waits) = (tracked && setup.sampled, Waits::new(tracked && setup.waits));
        let impairments = Impairments::new(&setup);
        let Setup { wire, policy, policy_rng, ecn, limit, .. } = setup;
        let full = matches!(kind, Kind::Full | Kind::Headers).then(|| {
            let gate = Gate::new(policy, policy_rng, ecn, limit);
            Box::new(Full { sizes: VecDeque::new(), size_sum: 0, gate, impairments })
        });
        let meter = schedule.map(|schedule| Box::new(Meter::new(schedule, sampled)));
        let (counters, lockstep) = (Counters::default(), Lockstep::default());
        let rest = Rest { tracked, counters, lockstep, full, meter };
        Self {
            wire,
            delay,
            due: rest.due(),
            kind,
            most: most.unwrap_or(0),
            area: 0,
            leaving: Departures::new(),
            waits,
            rest: Box::new(rest),
        }
    }

    /// Whether it takes all packets as they are: no limit, no policy.
    pub fn takes_all(&self) -> bool {
        matches!(self.kind, Kind::Plain | Kind::Simple) && self.most == u64::MAX
    }

    /// Reads what the next packet needs, and so brings it into the cache. The value is nothing.
    #[inline(always)]
    pub fn warm(&self) -> u64 {
        self.due.nanos() ^ self.wire.accepted().0
    }

    /// A packet arrives at `now`. Times must not decrease from call to call; the
    /// fate of the packet depends only on them, not on when this is called. A
    /// policy that reads and writes packet headers for routers gets them from
    /// `header`; others do not call it.
    #[inline(always)]
    pub fn offer<'h>(
        &mut self,
        now: Time,
        size: u32,
        ecn_capable: bool,
        header: impl FnOnce() -> Option<&'h mut Header>,
    ) -> Outcome {
        if now >= self.due {
            self.catch_up(now);
        }
        Outcome::of(match self.kind {
            Kind::Plain => (self.wire.send(now, size) + self.delay, Fate::Arrives),
            Kind::Simple => {
                if self.leaving.reach(self.most, now) {
                    self.overflow(now)
                } else {
                    self.waits.record(self.wire.busy_until().since(now));
                    let leaves = self.wire.send(now, size);
                    self.area += leaves.since(now).nanos();
                    self.leaving.push(leaves, now);
                    (leaves + self.delay, Fate::Arrives)
                }
            }
            Kind::Full => self.decide(now, size, ecn_capable),
            Kind::Headers => self.decide_and_write(now, size, ecn_capable, header),
        })
    }

    #[cold]
    #[inline(never)]
    fn decide_and_write<'h>(
        &mut self,
        now: Time,
        size: u32,
        ecn_capable: bool,
        header: impl FnOnce() -> Option<&'h mut Header>,
    ) -> (Time, Fate) {
        let fate = self.decide(now, size, ecn_capable);
        if let (Fate::Arrives | Fate::Marked, Some(header)) = (fate.1, header()) {
            let packet = Meta { size: Bytes::new(u64::from(size)), ecn_capable, dscp: 0 };
            self.rest.full().gate.write(header, &packet);
        }
        fate
    }

    #[cold]
    #[inline(never)]
    fn overflow(&mut self, now: Time) -> (Time, Fate) {
        let missed = self.leaving.makes_room(self.most).since(now);
        let Rest { lockstep, counters, .. } = &mut *self.rest;
        lockstep.dropped(missed, true, counters);
        dropped(DropCause::Overflow)
    }

    #[inline(never)]
    fn decide(&mut self, now: Time, size: u32, ecn_capable: bool) -> (Time, Fate) {
        let mut marked = false;
        if self.rest.tracked {
            match self.admit(now, size, ecn_capable) {
                Ok(mark) => marked = mark,
                Err(cause) => return dropped(cause),
            }
        }
        let wait = self.wire.busy_until().since(now);
        if let Some(leaves) = self.wire.cuts(now, size) {
            self.cut(now, leaves);
            return dropped(DropCause::Outage);
        }
        let leaves = self.wire.send(now, size);
        if self.rest.tracked {
            self.waits.record(wait);
            self.area += leaves.since(now).nanos();
            self.leaving.push(leaves, now);
        }
        let Some(at) = self.rest.full().impairments.arrives(leaves) else {
            self.rest.counters.lost += 1;
            return dropped(DropCause::Loss);
        };
        (at, if marked { Fate::Marked } else { Fate::Arrives })
    }

    /// An outage drops a packet, which stays in the queue until then.
    #[cold]
    fn cut(&mut self, now: Time, at: Time) {
        self.rest.counters.dropped_early += 1;
        if self.rest.tracked {
            self.area += at.since(now).nanos();
            self.leaving.push(at, now);
        }
    }

    /// Asks the policy, then checks the limit; returns whether the packet is to be
    /// marked.
    #[inline(never)]
    fn admit(&mut self, now: Time, size: u32, ecn_capable: bool) -> Result<bool, DropCause> {
        let inside = self.advance(now);
        let waiting = self.waiting(inside);
        let packet = Meta { size: Bytes::new(u64::from(size)), ecn_capable, dscp: 0 };
        let Rest { counters, full, .. } = &mut *self.rest;
        let Full { sizes, size_sum, gate, .. } = decider(full);
        let marked = gate.judge(now, &packet, &waiting, counters)?;
        let with_it = (inside as u64 + 1, *size_sum + u64::from(size));
        let next = sizes.front().map(|&size| (self.leaving.nth(0).since(now), size));
        gate.has_room(with_it, next, counters)?;
        sizes.push_back(size);
        *size_sum += u64::from(size);
        counters.marked += u64::from(marked);
        Ok(marked)
    }

    /// Packets in the queue at `now`, the one in transmission included.
    pub fn backlog(&mut self, now: Time) -> usize {
        // first process what is due: departed packets are forgotten
        if now >= self.due {
            self.catch_up(now);
        }
        self.present_at(now) as usize
    }

    /// Memory in bytes of its backlog and its meter, now and at most after this
    /// many more packets have arrived of which none has left.
    pub fn memory(&self, now: Time, more: usize) -> (u64, u64) {
        let Rest { full, meter, .. } = &*self.rest;
        let (sizes_now, sizes_soon) = full.as_ref().map_or((0, 0), |full| {
            let sizes = &full.sizes;
            room(sizes.len() + more, sizes.capacity(), size_of::<u32>())
        });
        let kept = meter.as_ref().map_or(0, |meter| meter.memory());
        let (taken, soon) = self.leaving.memory(now, more);
        let kept = kept + self.waits.memory();
        (kept + taken + sizes_now, kept + soon + sizes_soon)
    }

    /// When the backlog falls below `packets` again if nothing more arrives:
    /// `now` if it is below already.
    #[inline(always)]
    pub fn room_at(&mut self, now: Time, packets: usize) -> Time {
        if packets > 0 && !self.leaving.reach(packets as u64, now) {
            return now;
        }
        self.room_later(now, packets)
    }

    #[cold]
    #[inline(never)]
    fn room_later(&mut self, now: Time, packets: usize) -> Time {
        let backlog = self.backlog(now);
        if backlog < packets {
            return now;
        }
        let inside = self.advance(now);
        self.leaving.nth(inside - packets)
    }

    /// The policy's internal values at `now`, for traces.
    pub fn inspect(&mut self, now: Time, see: &mut dyn FnMut(&'static str, f64)) {
        self.catch_up(now);
        if let Some(full) = &self.rest.full {
            full.gate.inspect(see);
        }
    }

    /// The counters at `now`.
    pub fn counters(&mut self, now: Time) -> Counters {
        self.catch_up(now);
        self.counters_at(now)
    }

    /// Finishes at `end`: returns what was metered, if there is a schedule.
    pub fn finish(mut self, end: Time) -> Option<Report> {
        self.catch_up(end);
        self.rest.meter.map(|meter| meter.report(self.waits))
    }

    /// What a policy may know about a queue of this many packets.
    fn waiting(&self, inside: usize) -> Backlog {
        let (sum, first) = self
            .rest
            .full
            .as_ref()
            .map_or((0, None), |full| (full.size_sum, full.sizes.front().copied()));
        Backlog {
            packets: inside.saturating_sub(1) as u32,
            bytes: Bytes::new(sum - u64::from(first.unwrap_or_default())),
            idle_since: (inside == 0).then(|| self.wire.busy_until()),
        }
    }

    /// Lets packets leave up to `now`; returns how many an arrival finds inside. A
    /// packet that leaves at this very instant still counts, as in ns-2, where the
    /// arrival is scheduled before the end of the transmission.
    fn advance(&mut self, now: Time) -> usize {
        let inside = self.leaving.count(now);
        if let Some(Full { sizes, size_sum, .. }) = self.rest.full.as_deref_mut() {
            while sizes.len() > inside {
                *size_sum -= u64::from(sizes.pop_front().unwrap_or_default());
            }
        }
        inside
    }

    /// Makes the calls to the policy and the meter that are due by `now`, in order
    /// of time; each sees the backlog at its time.
    #[cold]
    #[inline(never)]
    fn catch_up(&mut self, now: Time) {
        while self.due <= now {
            if self.rest.poll_at() <= self.due {
                let inside = self.advance(self.due);
                let waiting = self.waiting(inside);
                self.rest.full().gate.poll(&waiting);
            } else if let Some(mut meter) = self.rest.meter.take() {
                meter.look(now, self);
                self.waits.within(meter.measures());
                self.rest.meter = Some(meter);
            }
            self.due = self.rest.due();
        }
    }
}

impl Metered for Hop {
    /// Without what packets already accepted will add later.
    fn counters_at(&mut self, at: Time) -> Counters {
        self.advance(at);
        let mut counters = self.rest.counters;
        (counters.accepted, counters.accepted_bytes) = self.wire.accepted();
        counters.busy = self.wire.busy_by(at);
        let beyond = self.leaving.iter().map(|leaves| leaves.since(at).nanos());
        counters.area = self.area - beyond.sum::<u64>();
        counters
    }

    fn present_at(&mut self, at: Time) -> u32 {
        let inside = self.advance(at);
        (inside - usize::from(inside > 0 && self.leaving.nth(0) == at)) as u32
    }
}

impl Rest {
    fn due(&self) -> Time {
        let meter = self.meter.as_ref().map_or(Time::NEVER, |meter| meter.next());
        meter.min(self.poll_at())
    }

    fn poll_at(&self) -> Time {
        self.full.as_ref().map_or(Time::NEVER, |full| full.gate.poll_at())
    }

    fn full(&mut self) -> &mut Full {
        decider(&mut self.full)
    }
}

/// # Panics
/// If the hop does not decide.
fn decider(full: &mut Option<Box<Full>>) -> &mut Full {
    full.as_deref_mut().expect("a hop that decides has what it needs")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::plain;
    use crate::varying::{Outages, Step, Varying};
    use tusker_core::wire::Loss;
    use tusker_core::{Rate, queue};

    /// 1000 B take 1 us; 10 us to the next node.
    fn setup(limit: Limit) -> Setup {
        let rate = Rate::from_bits_per_sec(8_000_000_000);
        Setup { limit, ..plain(rate, Duration::from_nanos(10_000)) }
    }

    fn hop(limit: Limit) -> Hop {
        Hop::new(setup(limit), Some(Schedule::even(at(0), at(10_000), 2, 10)))
    }

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    #[test]
    fn the_limit_counts_the_packet_in_transmission() {
        let mut hop = hop(Limit::Packets(2));
        let arrives = |ns| Outcome::Arrives { at: at(ns), marked: false };
        assert_eq!(hop.offer(at(0), 1000, false, || None), arrives(11_000));
        assert_eq!(hop.offer(at(0), 1000, false, || None), arrives(12_000));
        assert_eq!(hop.offer(at(0), 1000, false, || None), Outcome::Dropped(DropCause::Overflow));
        // the first leaves at exactly 1 us: an arrival in that instant still finds it
        assert_eq!(
            hop.offer(at(1_000), 1000, false, || None),
            Outcome::Dropped(DropCause::Overflow)
        );
        assert_eq!(hop.offer(at(1_001), 1000, false, || None), arrives(13_000));
        // of the two drops one was at the very tick; they missed it by 1,000 and 0 ns
        let counters = hop.counters(at(1_001));
        assert_eq!((counters.overflowed, counters.tied, counters.in_step), (2, 1, 0));
    }

    #[test]
    fn a_tie_in_bytes_needs_the_room_that_the_leaving_packet_makes() {
        // 1,000 and 1,000 bytes of 2,000; at 1 us the first leaves: 1,000 would fit a
        // moment later, 1,001 would not
        for (size, tied) in [(1000, 1), (1001, 0)] {
            let mut hop = hop(Limit::Bytes(2_000));
            hop.offer(at(0), 1000, false, || None);
            hop.offer(at(0), 1000, false, || None);
            let outcome = hop.offer(at(1_000), size, false, || None);
            assert_eq!(outcome, Outcome::Dropped(DropCause::Overflow));
            assert_eq!(hop.counters(at(1_000)).tied, tied, "{size}");
        }
    }

    #[test]
    #[should_panic(expected = "takes a station")]
    fn a_policy_that_decides_at_departure_is_refused() {
        let mut setup = setup(Limit::Unlimited);
        let rate = Rate::from_bits_per_sec(8_000_000_000);
        let link = queue::Link { rate, mean_packet: Bytes::new(1000) };
        setup.policy = Policy::new(&queue::Spec::new(queue::Kind::Codel), &link);
        Hop::new(setup, None);
    }

    #[test]
    fn without_a_schedule_counters_are_read_at_any_time() {
        let mut hop = Hop::new(setup(Limit::Packets(2)), None);
        // three at once, of which two fit: 1 us each, and 2 + 1 packet-us in all
        for _ in 0..3 {
            hop.offer(at(0), 1000, false, || None);
        }
        let half = hop.counters(at(500));
        assert_eq!((half.accepted, half.overflowed, half.area), (2, 1, 1_000));
        assert_eq!(half.busy.nanos(), 500);
        let year = at(365 * 86_400 * 1_000_000_000);
        assert_eq!((hop.counters(year).area, hop.counters(year).busy.nanos()), (3_000, 2_000));
        assert!(hop.finish(year).is_none());
    }

    #[test]
    fn a_window_that_has_not_begun_has_counted_nothing() {
        let schedule = Schedule::even(at(10_000), at(20_000), 2, 10);
        let mut hop = Hop::new(setup(Limit::Unlimited), Some(schedule));
        hop.offer(at(0), 1000, false, || None);
        let report = hop.finish(at(5_000)).expect("a schedule");
        assert_eq!(report.window(), Counters::default());
        assert_eq!((report.batches().count(), report.samples().count()), (0, 0));
    }

    #[test]
    fn a_byte_limit_counts_bytes() {
        let mut hop = hop(Limit::Bytes(2_500));
        assert!(matches!(hop.offer(at(0), 1000, false, || None), Outcome::Arrives { .. }));
        assert!(matches!(hop.offer(at(0), 1500, false, || None), Outcome::Arrives { .. }));
        assert_eq!(hop.offer(at(0), 1, false, || None), Outcome::Dropped(DropCause::Overflow));
    }

    #[test]
    fn mean_queue_is_the_area_over_the_window() {
        let mut hop = hop(Limit::Unlimited);
        // three at once: 3 inside for 1 us, then 2, then 1: 6 packet-us in 10 us
        for _ in 0..3 {
            hop.offer(at(0), 1000, false, || None);
        }
        let report = hop.finish(at(10_000)).expect("a schedule");
        assert_eq!(report.window().area, 6_000);
        assert_eq!(report.window().busy.nanos(), 3_000);
        // sampled at 0, 1, 2, .. 9 us, each before what arrives at that moment
        assert_eq!(report.samples().collect::<Vec<_>>(), [(0, 8), (1, 1), (2, 1)]);
    }

    #[test]
    fn a_busy_wire_is_cut_at_the_boundary() {
        let mut hop = hop(Limit::Unlimited);
        // 4.5 us .. 6.5 us: 0.5 us in the first batch of 5 us, 1.5 in the second
        for _ in 0..2 {
            hop.offer(at(4_500), 1000, false, || None);
        }
        let report = hop.finish(at(10_000)).expect("a schedule");
        let busy: Vec<u64> = report.batches().map(|b| b.busy.nanos()).collect();
        assert_eq!(busy, [500, 1_500]);
    }

    #[test]
    fn room_comes_when_enough_have_left() {
        let mut hop = hop(Limit::Unlimited);
        for _ in 0..3 {
            hop.offer(at(0), 1000, false, || None);
        }
        // below 3 when the first has left, below 1 when all have
        assert_eq!(hop.room_at(at(0), 4), at(0));
        assert_eq!(hop.room_at(at(0), 3), at(1_000));
        assert_eq!(hop.room_at(at(0), 1), at(3_000));
    }

    fn varying<T: Copy>(list: &[(u64, T)], every: Option<u64>) -> Varying<T> {
        let list = list.iter().map(|&(ns, value)| Step { at: at(ns), value }).collect();
        Varying::steps(list, every.map(Duration::from_nanos))
    }

    /// Arrival times of packets of 1000 B that come at these times.
    fn arrivals(setup: Setup, times: &[u64]) -> Vec<Option<u64>> {
        let mut hop = Hop::new(setup, None);
        let fate = |ns: &u64| match hop.offer(at(*ns), 1000, false, || None) {
            Outcome::Arrives { at, .. } => Some(at.nanos()),
            Outcome::Dropped(_) => None,
        };
        times.iter().map(fate).collect()
    }

    /// Each leaves 1 us later; from then on the delay counts: 10 us, and 4 us from 5 to 20 us
    /// of every 20.
    #[test]
    fn a_delay_is_that_of_the_time_at_which_a_packet_leaves() {
        let us = |us: u64| Duration::from_nanos(us * 1_000);
        for reorder in [false, true] {
            let delay = varying(&[(0, us(10)), (5_000, us(4))], Some(20_000));
            let setup = Setup { delay, reorder, ..setup(Limit::Unlimited) };
            let found = arrivals(setup, &[3_000, 4_000, 15_000, 23_999, 24_001]);
            // the second leaves at 5 us and would arrive at 9 us, before the first; the fourth
            // and the fifth leave at 24.999 and 25.999 us, 5 us into the second period between
            let expected = match reorder {
                false => [14_000, 14_000, 20_000, 34_999, 34_999],
                true => [14_000, 9_000, 20_000, 34_999, 29_999],
            };
            assert_eq!(found, expected.map(Some), "{reorder}");
        }
    }

    #[test]
    fn a_loss_of_one_for_a_while_loses_all() {
        let loss = varying(&[(0, Loss::NONE), (5_000, Loss::Bernoulli(1.0))], Some(10_000));
        let setup = Setup { loss, ..setup(Limit::Unlimited) };
        // they leave at 4.999, 5.999, 9.999 and 10.999 us
        let found = arrivals(setup, &[3_999, 4_999, 8_999, 9_999]);
        assert_eq!(found, [Some(14_999), None, None, Some(20_999)]);
    }

    /// Down from 2.5 to 6 us.
    #[test]
    fn an_outage_drops_what_waits_or_keeps_it() {
        for (drop, dropped) in [(false, 0), (true, 3)] {
            let rate = Rate::from_bits_per_sec(8_000_000_000);
            let down = varying(&[(0, false), (2_500, true), (6_000, false)], None);
            let wire = Wire::steps(rate.into(), Some(Outages { down, drop }), rate);
            let mut hop = Hop::new(Setup { wire, ..setup(Limit::Packets(5)) }, None);
            let mut fate = |ns| match hop.offer(at(ns), 1000, false, || None) {
                Outcome::Arrives { at, .. } => Some(at.nanos()),
                Outcome::Dropped(_) => None,
            };
            let found = [0, 0, 0, 0, 2_600, 6_000].map(&mut fate);
            let expected = match drop {
                // half of the third is sent before the outage, half of it after
                false => [11_000, 12_000, 16_500, 17_500, 18_500, 19_500].map(Some),
                true => [Some(11_000), Some(12_000), None, None, None, Some(17_000)],
            };
            assert_eq!(found, expected, "{drop}");
            assert_eq!(hop.backlog(at(6_001)), if drop { 1 } else { 4 }, "{drop}");
            assert_eq!(hop.counters(at(6_001)).dropped_early, dropped, "{drop}");
        }
    }
}
