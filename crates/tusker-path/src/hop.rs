//! A hop: a bounded FIFO under a policy, the wire behind it, the way to the
//! next node.
//!
//! ```text
//!   offer() --> policy --> limit --> | waiting ... | in transmission --> delay --> next node
//!               Signal: mark/drop    '---------- backlog ----------'     loss, jitter
//! ```
//!
//! The limit counts the packet in transmission, as ns-2's DropTail does in
//! effect (limit - 1 waiting and one on the wire). The policy sees the waiting
//! ones only, as RED of ns-2 does.

use std::collections::VecDeque;

use tusker_core::params::Need;
use tusker_core::queue::{Aqm, Backlog, Header, Meta, Policy, Verdict};
use tusker_core::wire::{Jitter, Loss};
use tusker_core::{Bytes, Duration, Rate, Rng, Time};

use crate::departures::Departures;
use crate::memory::room;
use crate::meter::{Counters, Due, Meter, Report, Schedule};
use crate::paced::{Pace, Paced};
use crate::impairments::Impairments;
use crate::wire::Wire;

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// As much as comes.
    Unlimited,
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(u64),
}

/// What a hop is made from.
#[derive(Debug)]
pub struct Setup {
    /// Rate of the wire; where it changes, that as which it is counted.
    pub rate: Rate,
    /// How the rate changes.
    pub pace: Pace,
    /// Propagation delay behind the wire.
    pub delay: Duration,
    /// What the queue holds.
    pub limit: Limit,
    /// What decides below the limit.
    pub policy: Policy,
    /// Mark ECN-capable packets on the policy's signal instead of dropping.
    pub ecn: bool,
    /// How packets are lost behind the wire.
    pub loss: Loss,
    /// How they are delayed there beyond `delay`.
    pub jitter: Option<Jitter>,
    /// The policy's random stream.
    pub policy_rng: Rng,
    /// The random stream of losses.
    pub loss_rng: Rng,
    /// The random stream of jitter.
    pub jitter_rng: Rng,
    /// Keep count of the backlog even if neither limit nor policy needs it.
    pub observed: bool,
}

/// What became of a packet.
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

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropCause {
    /// The queue was full.
    Overflow,
    /// The policy decided so.
    Early,
    /// The wire lost it.
    Loss,
}

/// One direction of a link. What every packet touches lies close together; a
/// network of many flows has many links.
#[derive(Debug)]
pub struct Hop {
    wire: Wire,
    delay: Duration,
    /// When the meter wants to be told something next.
    meter_at: Time,
    kind: Kind,
    /// The limit in packets, where it alone decides.
    most: u64,
    /// When each packet of the backlog leaves.
    leaving: Departures,
    counters: Counters,
    rest: Box<Rest>,
}

/// What only some hops need, or at some times.
#[derive(Debug)]
struct Rest {
    /// The backlog is kept only where somebody looks at it.
    tracked: bool,
    /// There is more than the limit to decide about packets.
    managed: bool,
    limit: Limit,
    /// The sizes of the backlog, where bytes matter. Then, what has left is
    /// taken out of both before a packet is decided about.
    sizes: VecDeque<u32>,
    size_sum: u64,
    poll_at: Time,
    policy: Policy,
    policy_rng: Rng,
    ecn: bool,
    impairments: Impairments,
    /// Takes the place of the wire where the rate changes.
    paced: Option<Paced>,
    meter: Meter,
}

/// How much there is to be thought of for each packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The wire.
    Plain,
    /// A backlog that counts packets, perhaps a limit of packets.
    Simple,
    /// A policy, bytes, losses, jitter or a changing rate, too.
    Full,
    /// The same, and a policy that writes into packets.
    Headers,
}

impl Hop {
    /// An idle hop.
    pub fn new(setup: Setup, schedule: Schedule) -> Self {
        let managed = !matches!(setup.policy, Policy::DropTail(_));
        let tracked = setup.observed || managed || setup.limit != Limit::Unlimited;
        let meter = Meter::new(schedule);
        let impairments = Impairments::new(setup.loss, setup.loss_rng, setup.jitter, setup.jitter_rng);
        let paced = Paced::new(setup.pace, setup.rate);
        let most = match setup.limit {
            Limit::Unlimited => Some(u64::MAX),
            Limit::Packets(limit) if limit > 0 => Some(limit),
            _ => None,
        };
        let kind = match most {
            Some(_) if !managed && impairments.is_idle() && paced.is_none() => {
                if tracked {
                    Kind::Simple
                } else {
                    Kind::Plain
                }
            }
            _ if setup.policy.needs(Need::Headers) => Kind::Headers,
            _ => Kind::Full,
        };
        let rest = Rest {
            tracked,
            managed,
            limit: setup.limit,
            sizes: VecDeque::new(),
            size_sum: 0,
            poll_at: setup.policy.poll_at(),
            policy: setup.policy,
            policy_rng: setup.policy_rng,
            ecn: setup.ecn,
            impairments,
            paced,
            meter,
        };
        Self {
            wire: Wire::new(setup.rate),
            delay: setup.delay,
            meter_at: rest.meter.next(),
            kind,
            most: most.unwrap_or(0),
            leaving: Departures::new(),
            counters: Counters::default(),
            rest: Box::new(rest),
        }
    }

    /// A packet arrives at `now`. Times must not decrease from call to call. A
    /// policy that reads and writes what packets carry for routers finds it by
    /// `header`; others do not ask.
    #[inline(always)]
    pub fn offer<'h>(
        &mut self,
        now: Time,
        size: u32,
        ecn_capable: bool,
        header: impl FnOnce() -> Option<&'h mut Header>,
    ) -> Outcome {
        if now >= self.meter_at {
            self.catch_up(now);
        }
        match self.kind {
            Kind::Plain => {
                Outcome::Arrives { at: self.accept(now, size) + self.delay, marked: false }
            }
            Kind::Simple => {
                if self.leaving.reach(self.most, now) {
                    return self.overflow();
                }
                let leaves = self.accept(now, size);
                self.counters.area += leaves.since(now).nanos();
                self.leaving.push(leaves, now);
                Outcome::Arrives { at: leaves + self.delay, marked: false }
            }
            Kind::Full => self.decide(now, size, ecn_capable),
            Kind::Headers => self.decide_and_write(now, size, ecn_capable, header),
        }
    }

    #[cold]
    #[inline(never)]
    fn decide_and_write<'h>(
        &mut self,
        now: Time,
        size: u32,
        ecn_capable: bool,
        header: impl FnOnce() -> Option<&'h mut Header>,
    ) -> Outcome {
        let outcome = self.decide(now, size, ecn_capable);
        if let (Outcome::Arrives { .. }, Some(header)) = (outcome, header()) {
            let meta = Meta { size: Bytes::new(u64::from(size)), ecn_capable };
            self.rest.policy.write(header, &meta);
        }
        outcome
    }

    #[cold]
    fn overflow(&mut self) -> Outcome {
        self.counters.overflowed += 1;
        Outcome::Dropped(DropCause::Overflow)
    }

    #[inline(never)]
    fn decide(&mut self, now: Time, size: u32, ecn_capable: bool) -> Outcome {
        let mut marked = false;
        if self.rest.tracked {
            match self.admit(now, size, ecn_capable) {
                Ok(mark) => marked = mark,
                Err(cause) => return Outcome::Dropped(cause),
            }
        }
        let leaves = match &mut self.rest.paced {
            Some(paced) => paced.send(now, size),
            None => self.accept(now, size),
        };
        if self.rest.tracked {
            self.counters.area += leaves.since(now).nanos();
            self.leaving.push(leaves, now);
        }
        if self.rest.impairments.loses() {
            self.counters.lost += 1;
            return Outcome::Dropped(DropCause::Loss);
        }
        Outcome::Arrives { at: self.rest.impairments.delays(leaves + self.delay), marked }
    }

    /// Onto the wire: when its last bit leaves.
    #[inline(always)]
    fn accept(&mut self, now: Time, size: u32) -> Time {
        self.wire.send(now, size)
    }

    /// Asks the policy, then the limit; whether the packet is to be marked.
    #[inline(never)]
    fn admit(&mut self, now: Time, size: u32, ecn_capable: bool) -> Result<bool, DropCause> {
        if now >= self.rest.poll_at {
            self.poll(now);
        }
        let inside = self.advance(now);
        let verdict = if self.rest.managed {
            self.ask_policy(now, size, ecn_capable, inside)
        } else {
            Verdict::Pass
        };
        let can_mark = self.rest.ecn && ecn_capable;
        if verdict == Verdict::Drop || (verdict == Verdict::Signal && !can_mark) {
            self.counters.dropped_early += 1;
            return Err(DropCause::Early);
        }
        if self.is_full(size, inside as u64) {
            self.counters.overflowed += 1;
            self.rest.policy.on_overflow();
            return Err(DropCause::Overflow);
        }
        self.rest.sizes.push_back(size);
        self.rest.size_sum += u64::from(size);
        let marked = verdict == Verdict::Signal;
        self.counters.marked += u64::from(marked);
        Ok(marked)
    }

    /// Packets in the queue at `now`, the one in transmission included.
    pub fn backlog(&mut self, now: Time) -> usize {
        // samples that are due come first: packets that leave are forgotten
        if now >= self.meter_at {
            self.catch_up(now);
        }
        self.present(now)
    }

    /// Bytes that its backlog and its meter take, and how many they take at most
    /// when so many more packets have come of which none has left.
    pub fn memory(&self, now: Time, more: usize) -> (u64, u64) {
        let Rest { sizes, meter, .. } = &*self.rest;
        let (sizes_now, sizes_soon) = room(sizes.len() + more, sizes.capacity(), size_of::<u32>());
        let kept = meter.memory();
        let (taken, soon) = self.leaving.memory(now, more);
        (kept + taken + sizes_now, kept + soon + sizes_soon)
    }

    /// Packets that are there at `now`, without one that leaves at this instant.
    fn present(&mut self, now: Time) -> usize {
        let inside = self.advance(now);
        inside - usize::from(inside > 0 && self.leaving.nth(0) == now)
    }

    /// When the backlog falls below `packets` again if nothing more arrives:
    /// `now` if it is below already.
    pub fn room_at(&mut self, now: Time, packets: usize) -> Time {
        let backlog = self.backlog(now);
        if backlog < packets {
            return now;
        }
        let inside = self.advance(now);
        self.leaving.nth(inside - packets)
    }

    /// The policy's inner values at `now`, for traces.
    pub fn inspect(&mut self, now: Time, see: &mut dyn FnMut(&'static str, f64)) {
        self.poll(now);
        self.rest.policy.inspect(see);
    }

    /// Closes the books at `end`: what the meter saw.
    pub fn finish(mut self, end: Time) -> Report {
        self.catch_up(end);
        self.rest.meter.report(self.rest.tracked)
    }

    fn ask_policy(&mut self, now: Time, size: u32, ecn_capable: bool, inside: usize) -> Verdict {
        let backlog = self.waiting(inside);
        let meta = Meta { size: Bytes::new(u64::from(size)), ecn_capable };
        self.rest.policy.on_arrival(&meta, &backlog, now, &mut self.rest.policy_rng)
    }

    /// What a policy may know of so many packets.
    fn waiting(&self, inside: usize) -> Backlog {
        let in_transmission = u64::from(self.rest.sizes.front().copied().unwrap_or_default());
        Backlog {
            packets: inside.saturating_sub(1) as u32,
            bytes: Bytes::new(self.rest.size_sum - in_transmission),
            idle_since: (inside == 0).then(|| self.busy_until()),
        }
    }

    fn busy_until(&self) -> Time {
        self.rest.paced.as_ref().map_or_else(|| self.wire.busy_until(), Paced::busy_until)
    }

    #[cold]
    fn poll(&mut self, now: Time) {
        while self.rest.poll_at <= now {
            let due = self.rest.poll_at;
            let inside = self.advance(due);
            let backlog = self.waiting(inside);
            self.rest.policy.on_poll(due, &backlog);
            self.rest.poll_at = self.rest.policy.poll_at();
        }
    }

    fn is_full(&self, size: u32, inside: u64) -> bool {
        match self.rest.limit {
            Limit::Unlimited => false,
            Limit::Packets(limit) => inside >= limit,
            Limit::Bytes(limit) => self.rest.size_sum + u64::from(size) > limit,
        }
    }

    /// Lets packets leave up to `now`: how many an arrival finds inside. What
    /// leaves at this very instant is still there for it, as in ns-2, where that
    /// was scheduled before the end of the transmission.
    fn advance(&mut self, now: Time) -> usize {
        let inside = self.leaving.count(now);
        while self.rest.sizes.len() > inside {
            self.rest.size_sum -= u64::from(self.rest.sizes.pop_front().unwrap_or_default());
        }
        inside
    }

    #[cold]
    #[inline(never)]
    fn catch_up(&mut self, now: Time) {
        while let Some(due) = self.rest.meter.due(now) {
            match due {
                Due::Boundary(at) => {
                    self.advance(at);
                    self.rest.meter.mark(self.counters_at(at));
                }
                Due::Sample(at) => match self.present(at) {
                    0 => self.rest.meter.sample_empty(now),
                    packets => self.rest.meter.sample(packets as u32),
                },
            }
        }
        self.meter_at = self.rest.meter.next();
    }

    /// The counters as they stand at `at`, without what accepted packets will
    /// add to them later.
    fn counters_at(&self, at: Time) -> Counters {
        let mut counters = self.counters;
        ((counters.accepted, counters.accepted_bytes), counters.busy) = match &self.rest.paced {
            Some(paced) => (paced.accepted(), paced.carried_by(at)),
            None => (self.wire.accepted(), self.wire.busy_by(at)),
        };
        let beyond = self.leaving.iter().map(|leaves| leaves.since(at).nanos());
        counters.area -= beyond.sum::<u64>();
        counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::Params;
    use tusker_core::queue::Link;

    /// 1000 B take 1 us; 10 us to the next node.
    fn hop(limit: Limit) -> Hop {
        let rate = Rate::from_bits_per_sec(8_000_000_000);
        let link = Link { rate, mean_packet: Bytes::new(1000) };
        let setup = Setup {
            rate,
            delay: Duration::from_nanos(10_000),
            limit,
            policy: Policy::new("droptail", &Params::defaults(&[]), &link).expect("known"),
            pace: Pace::Fixed,
            ecn: false,
            loss: Loss::NONE,
            jitter: None,
            policy_rng: Rng::named(1, "policy"),
            loss_rng: Rng::named(1, "loss"),
            jitter_rng: Rng::named(1, "jitter"),
            observed: true,
        };
        let (from, to) = (Time::ZERO, Time::from_nanos(10_000));
        Hop::new(setup, Schedule::even(from, to, 2, 10))
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
        let report = hop.finish(at(10_000));
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
        let report = hop.finish(at(10_000));
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
}
