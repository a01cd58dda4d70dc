//! A hop that stores its packets, for policies that decide at departure.
//!
//! ```text
//!   offer() --> policy, limit --> | one queue, one per flow, or two | --> wire --> delay
//!                                                                  policy       loss, jitter
//! ```
//!
//! A station has its own time, up to which the fate of its packets has been computed.
//! [`Station::offer`] advances it to the arrival, [`Station::advance`] to a given time, and
//! everything that happens on the way is reported in order with its time. So the wire takes a
//! packet when the wire is free, not when the holder (the code that drives the station) calls,
//! and a holder that is late and irregular gets the same result as a punctual one. What happens
//! to a packet after the wire is known when the wire takes it, as in a [`crate::Hop`].
//!
//! To an arrival, a packet that leaves at the very same instant is still in the queue, unless
//! the holder has already advanced to that instant.
//!
//! Counters: a packet counts as accepted when the wire takes it, and offered
//! packets are those sent or dropped.

mod cake;
mod dual;
mod fair;
mod shaper;

use std::collections::VecDeque;

use tusker_core::queue::{Aqm, Backlog, Codepoint, Meta, TokenBuckets};
use tusker_core::{Bytes, Duration, Time};

use crate::gate::{DropCause, Gate};
use crate::impairments::Impairments;
use crate::lockstep::evicted;
use crate::memory::room;
use crate::meter::{Counters, Meter, Metered, Report, Schedule};
use crate::setup::Setup;
use crate::waits::Waits;
use crate::wire::Wire;
use cake::Cake;
use dual::Dual;
use fair::{Fair, Turn};

/// One direction of a link that stores packets of the holder's type.
#[derive(Debug)]
pub struct Station<T> {
    gate: Gate,
    queue: Queue<T>,
    /// The waiting packets.
    packets: u64,
    bytes: u64,
    /// Size of the packet in transmission, and when its transmission ends.
    sending: Option<(u32, Time)>,
    /// What waits in one queue leaves when these have tokens for it.
    buckets: Option<Box<TokenBuckets>>,
    /// A shaper holds back what waits until then.
    held_until: Option<Time>,
    idle_since: Time,
    wire: Wire,
    impairments: Impairments,
    counters: Counters,
    /// The time up to which `area` has been computed.
    counted: Time,
    /// When the policy or the meter must be called next.
    tell_at: Time,
    /// How long the packets waited that the wire has taken.
    waits: Waits,
    meter: Option<Box<Meter>>,
}

#[derive(Debug)]
enum Queue<T> {
    One(VecDeque<Held<T>>),
    Fair(Box<Fair<T>>),
    Dual(Box<Dual<T>>),
    Cake(Box<Cake<T>>),
}

/// A waiting packet.
#[derive(Debug)]
pub(crate) struct Held<T> {
    pub(crate) item: T,
    pub(crate) size: u32,
    pub(crate) flow: u64,
    pub(crate) arrived: Time,
    pub(crate) can_mark: bool,
    pub(crate) marked: bool,
}

/// What a station must know about an arriving packet.
#[derive(Clone, Copy, Debug)]
pub struct Offered {
    /// Bytes on the wire.
    pub size: u32,
    /// Its ECN codepoint, which says whether it can be marked.
    pub ecn: Codepoint,
    /// Its DSCP, 0 to 63.
    pub dscp: u8,
    /// Its flow; flows may have separate queues.
    pub flow: u64,
    /// The host that it comes from; hosts may have shares of their own.
    pub from: u32,
    /// The host that it goes to.
    pub to: u32,
}

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<T> {
    /// The wire has taken it.
    Sent(Sent<T>),
    /// It was dropped.
    Dropped {
        /// The packet.
        item: T,
        /// Why.
        cause: DropCause,
        /// When.
        at: Time,
    },
}

/// A packet taken by the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent<T> {
    /// The packet.
    pub item: T,
    /// The policy marked it.
    pub marked: bool,
    /// When the wire took it.
    pub at: Time,
    /// When its transmission ends and the wire is free again.
    pub leaves: Time,
    /// When it arrives at the next node; never if it is lost.
    pub arrives: Option<Time>,
}

impl<T> Station<T> {
    /// An idle station. Without a schedule nothing is metered, and it may run
    /// without end.
    pub fn new(setup: Setup, schedule: Option<Schedule>) -> Self {
        let impairments = Impairments::new(&setup);
        let policy = &setup.policy;
        let queue = if let Some(queues) = policy.flow_queues() {
            Queue::Fair(Box::new(Fair::new(queues, policy.clone())))
        } else if let Some(two) = policy.two_queues() {
            Queue::Dual(Box::new(Dual::new(two)))
        } else if let Some(cake) = policy.cake_queues() {
            Queue::Cake(Box::new(Cake::new(cake)))
        } else {
            Queue::One(VecDeque::new())
        };
        let buckets = policy.token_buckets().map(Box::new);
        Self {
            buckets,
            gate: Gate::new(setup.policy, setup.policy_rng, setup.ecn, setup.limit),
            queue,
            packets: 0,
            bytes: 0,
            sending: None,
            held_until: None,
            idle_since: Time::ZERO,
            wire: setup.wire,
            impairments,
            counters: Counters::default(),
            counted: Time::ZERO,
            tell_at: Time::ZERO,
            waits: Waits::new(setup.waits),
            meter: schedule.map(|schedule| Box::new(Meter::new(schedule, true))),
        }
    }

    /// Memory in bytes of its packets and its meter, now and at most after this
    /// many more packets have arrived of which none has left.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let (taken, soon) = match &self.queue {
            Queue::One(queue) => room(queue.len() + more, queue.capacity(), size_of::<Held<T>>()),
            Queue::Fair(fair) => fair.memory(more),
            Queue::Dual(dual) => dual.memory(more),
            Queue::Cake(cake) => cake.memory(more),
        };
        let kept = self.meter.as_ref().map_or(0, |meter| meter.memory()) + self.waits.memory();
        (kept + taken, kept + soon)
    }

    /// A packet arrives at `now`. Times must not decrease between calls of any
    /// method. `tell` is called with everything that happened before `now`, and
    /// then at `now`.
    pub fn offer(&mut self, now: Time, packet: Offered, item: T, mut tell: impl FnMut(Event<T>)) {
        self.go_on(now, &mut tell);
        self.catch_up(now);
        if let Err((item, cause)) = self.admit(now, packet, item, &mut tell) {
            return tell(Event::Dropped { item, cause, at: now });
        }
        if self.sending.is_none() && self.held_until.is_none() {
            self.take_next(now, &mut tell);
        }
    }

    /// Advances to `now`; all earlier arrivals must have been offered. `tell` is
    /// called with everything that happened. Call this at [`Self::due`] or later.
    pub fn advance(&mut self, now: Time, mut tell: impl FnMut(Event<T>)) {
        while let Some(free) = self.due().filter(|&free| free <= now) {
            self.serve(free, &mut tell);
        }
    }

    /// When something happens next if nothing arrives: the transmission in progress
    /// ends, or the shaper releases a packet.
    #[inline]
    pub fn due(&self) -> Option<Time> {
        self.sending.map(|(_, leaves)| leaves).or(self.held_until)
    }

    /// Advances to `now`, without what happens at that instant.
    fn go_on(&mut self, now: Time, tell: &mut impl FnMut(Event<T>)) {
        while let Some(free) = self.due().filter(|&free| free < now) {
            self.serve(free, tell);
        }
    }

    /// Accepts a packet, if the policy and the limit allow it.
    fn admit(
        &mut self,
        now: Time,
        offered: Offered,
        item: T,
        tell: &mut impl FnMut(Event<T>),
    ) -> Result<(), (T, DropCause)> {
        let Offered { size, ecn, dscp, flow, .. } = offered;
        let ecn_capable = ecn.is_capable();
        let packet = Meta { size: Bytes::new(u64::from(size)), ecn_capable, dscp };
        let waiting = self.waiting();
        let sending = self.sending.map_or(0, |(size, _)| u64::from(size));
        let (packets, bytes) = (self.packets + 1, self.bytes + u64::from(size));
        let inside = (self.inside() + 1, bytes + sending);
        // a holder that has already advanced to this tick sees no tie
        let next = self.sending.map(|(size, leaves)| (leaves.since(now), size));
        let Self { gate, counters, .. } = self;
        let slot = match &mut self.queue {
            Queue::Fair(fair) => fair.slot(flow),
            _ => 0,
        };
        let verdict = match &mut self.queue {
            Queue::Fair(fair) => fair.judge(slot, &packet, now, gate.rng()),
            _ => gate.verdict(now, &packet, &waiting),
        };
        let marked = match gate.settle(verdict, &packet, counters) {
            Ok(marked) => marked,
            Err(cause) => return Err((item, cause)),
        };
        let can_mark = gate.can_mark(ecn_capable);
        let held = Held { item, size, flow, arrived: now, can_mark, marked };
        match &mut self.queue {
            Queue::One(queue) => {
                if let Err(cause) = gate.has_room(inside, next, counters) {
                    return Err((held.item, cause));
                }
                queue.push_back(held);
                (self.packets, self.bytes) = (packets, bytes);
            }
            Queue::Dual(dual) => {
                if let Err(cause) = gate.has_room(inside, next, counters) {
                    return Err((held.item, cause));
                }
                dual.push(held, ecn.is_l4s());
                (self.packets, self.bytes) = (packets, bytes);
            }
            Queue::Fair(fair) => {
                if fair.is_full(slot) {
                    counters.overflowed += 1;
                    return Err((held.item, DropCause::Overflow));
                }
                if fair.drops_arriving()
                    && let Err(cause) = gate.has_room(inside, next, counters)
                {
                    return Err((held.item, cause));
                }
                fair.push(slot, held);
                (self.packets, self.bytes) = (packets, bytes);
                let one = u64::from(self.sending.is_some());
                let limit = gate.limit();
                while self.packets > 0 && !limit.holds(self.packets + one, self.bytes + sending) {
                    let room = limit.holds(self.packets, self.bytes);
                    let missed = next.map_or(Duration::ZERO, |(missed, _)| missed);
                    fair.make_room(|held| {
                        self.packets -= 1;
                        self.bytes -= u64::from(held.size);
                        evicted(missed, room, counters);
                        let cause = DropCause::Overflow;
                        tell(Event::Dropped { item: held.item, cause, at: now });
                    });
                }
            }
            Queue::Cake(cake) => {
                cake.push(now, &offered, held, gate.rng());
                (self.packets, self.bytes) = (packets, bytes);
                let one = u64::from(self.sending.is_some());
                let limit = gate.limit();
                while !limit.holds(self.packets + one, self.bytes + sending) {
                    let Some(held) = cake.drop_from_fattest(now) else { break };
                    let missed = next.map_or(Duration::ZERO, |(missed, _)| missed);
                    let room = limit.holds(self.packets, self.bytes);
                    self.packets -= 1;
                    self.bytes -= u64::from(held.size);
                    evicted(missed, room, counters);
                    let cause = DropCause::Overflow;
                    tell(Event::Dropped { item: held.item, cause, at: now });
                }
            }
        }
        Ok(())
    }

    /// The transmission in progress ends at `now`, or the shaper releases a packet.
    fn serve(&mut self, now: Time, tell: &mut impl FnMut(Event<T>)) {
        self.catch_up(now);
        if self.sending.take().is_some() {
            self.idle_since = now;
        }
        self.held_until = None;
        self.take_next(now, tell);
    }

    /// The wire is free at `now`: it takes the next packet that the policy passes.
    fn take_next(&mut self, now: Time, tell: &mut impl FnMut(Event<T>)) {
        loop {
            match self.next(now) {
                Some(Turn::Send(held)) => match self.wire.cuts(now, held.size) {
                    None => return tell(Event::Sent(self.send(now, held))),
                    Some(until) => {
                        self.counters.dropped_early += 1;
                        let (size, cause) = (held.size, DropCause::Outage);
                        tell(Event::Dropped { item: held.item, cause, at: now });
                        if until > now {
                            self.sending = Some((size, until));
                            return;
                        }
                    }
                },
                Some(Turn::Drop(held)) => {
                    self.counters.dropped_early += 1;
                    let cause = DropCause::Early;
                    tell(Event::Dropped { item: held.item, cause, at: now });
                }
                Some(Turn::Wait(until)) => {
                    self.held_until = Some(until);
                    return;
                }
                None => return self.gate.on_empty(now),
            }
        }
    }

    /// The policy's verdict on the next packet.
    fn next(&mut self, now: Time) -> Option<Turn<T>> {
        let turn = match &mut self.queue {
            Queue::Fair(fair) => fair.turn(now, self.gate.rng())?,
            Queue::Cake(cake) => cake.turn(now, self.gate.rng())?,
            Queue::One(queue) => {
                let size = Bytes::new(u64::from(queue.front()?.size));
                let ready = self.buckets.as_mut().map(|buckets| buckets.ready(now, size));
                if let Some(until) = ready.filter(|&ready| ready > now) {
                    return Some(Turn::Wait(until));
                }
                let held = queue.pop_front()?;
                let behind = behind(self.packets, self.bytes, held.size);
                let said = self.gate.judge_leaving(now, &held.departing(None), &behind);
                if let Some(buckets) = self.buckets.as_mut().filter(|_| said.is_some()) {
                    buckets.take(now, size);
                }
                Turn::new(held, said)
            }
            Queue::Dual(dual) => {
                let next = dual.next()?;
                let credit = next.credit();
                let behind = behind(self.packets, self.bytes, next.held.size);
                let departing = next.held.departing(next.l4s);
                let said = self.gate.judge_leaving(now, &departing, &behind);
                if said.is_some() {
                    dual.sent(credit);
                }
                Turn::new(next.held, said)
            }
        };
        if let Turn::Send(held) | Turn::Drop(held) = &turn {
            self.packets -= 1;
            self.bytes -= u64::from(held.size);
        }
        Some(turn)
    }

    fn send(&mut self, now: Time, held: Held<T>) -> Sent<T> {
        let Held { item, size, marked, arrived, .. } = held;
        self.waits.record(now.since(arrived));
        self.counters.marked += u64::from(marked);
        let leaves = self.wire.send(now, size);
        self.sending = Some((size, leaves));
        let arrives = self.impairments.arrives(leaves);
        self.counters.lost += u64::from(arrives.is_none());
        Sent { item, marked, at: now, leaves, arrives }
    }

    /// Packets inside at `now`, the one in transmission included.
    ///
    /// # Panics
    /// In a debug build, if something is due before `now`: call [`Self::advance`] first.
    pub fn backlog(&mut self, now: Time) -> usize {
        self.catch_up(now);
        self.present_at(now) as usize
    }

    /// The policy's internal values at `now`, for traces.
    ///
    /// # Panics
    /// As [`Self::backlog`].
    pub fn inspect(&mut self, now: Time, see: &mut dyn FnMut(&'static str, f64)) {
        self.catch_up(now);
        match &self.queue {
            Queue::One(_) | Queue::Dual(_) => self.gate.inspect(see),
            Queue::Fair(fair) => fair.inspect(see),
            Queue::Cake(cake) => cake.inspect(see),
        }
    }

    /// The waiting packets, without the one in transmission.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let held: Box<dyn Iterator<Item = &Held<T>>> = match &self.queue {
            Queue::One(queue) => Box::new(queue.iter()),
            Queue::Fair(fair) => Box::new(fair.iter()),
            Queue::Dual(dual) => Box::new(dual.iter()),
            Queue::Cake(cake) => Box::new(cake.iter()),
        };
        held.map(|held| &held.item)
    }

    /// The counters at `now`.
    ///
    /// # Panics
    /// As [`Self::backlog`].
    pub fn counters(&mut self, now: Time) -> Counters {
        self.catch_up(now);
        self.counters_at(now)
    }

    /// Finishes at `end`: returns what was metered, if there is a schedule. `tell`
    /// is called with what happened before.
    pub fn finish(mut self, end: Time, mut tell: impl FnMut(Event<T>)) -> Option<Report> {
        self.go_on(end, &mut tell);
        self.catch_up(end);
        self.meter.map(|meter| meter.report(self.waits))
    }

    fn waiting(&self) -> Backlog {
        Backlog {
            packets: self.packets as u32,
            bytes: Bytes::new(self.bytes),
            idle_since: self.sending.is_none().then_some(self.idle_since),
        }
    }

    fn inside(&self) -> u64 {
        self.packets + u64::from(self.sending.is_some())
    }

    /// Makes the calls to the policy and the meter that are due by `now`. The queue
    /// has not changed since the last call.
    #[inline]
    fn catch_up(&mut self, now: Time) {
        debug_assert!(self.due().is_none_or(|due| due >= now), "due before {now:?}");
        if now >= self.tell_at {
            self.tell_policy_and_meter(now);
        }
        self.count_area(now);
    }

    #[cold]
    #[inline(never)]
    fn tell_policy_and_meter(&mut self, now: Time) {
        while self.gate.poll_at() <= now {
            let waiting = self.waiting();
            match &mut self.queue {
                Queue::Dual(dual) => self.gate.tell_heads(&dual.heads()),
                Queue::Fair(fair) => fair.poll(self.gate.poll_at()),
                Queue::One(_) | Queue::Cake(_) => {}
            }
            self.gate.poll(&waiting);
        }
        self.tell_at = self.gate.poll_at();
        if let Some(mut meter) = self.meter.take() {
            while meter.next() <= now {
                meter.look(now, self);
            }
            self.waits.within(meter.measures());
            self.tell_at = self.tell_at.min(meter.next());
            self.meter = Some(meter);
        }
    }

    fn count_area(&mut self, to: Time) {
        self.counters.area += self.inside() * to.since(self.counted).nanos();
        self.counted = to.max(self.counted);
    }
}

/// The rest of the queue behind a packet of this size.
fn behind(packets: u64, bytes: u64, size: u32) -> Backlog {
    Backlog {
        packets: packets as u32 - 1,
        bytes: Bytes::new(bytes - u64::from(size)),
        idle_since: None,
    }
}

impl<T> Metered for Station<T> {
    fn counters_at(&mut self, at: Time) -> Counters {
        self.count_area(at);
        let (accepted, accepted_bytes) = self.wire.accepted();
        let busy = self.wire.busy_by(at);
        Counters { accepted, accepted_bytes, busy, ..self.counters }
    }

    fn present_at(&mut self, at: Time) -> u32 {
        let leaves = self.sending.is_some_and(|(_, leaves)| leaves <= at);
        (self.inside() - u64::from(leaves)) as u32
    }
}

#[cfg(test)]
mod tests;
