//! A hop that keeps its packets, for policies that decide at departure.
//!
//! ```text
//!   offer() --> policy, limit --> | one queue, or one per flow | --> serve() --> wire --> delay
//!                                                                policy          loss, jitter
//! ```
//!
//! The holder calls [`Station::serve`] when [`Station::offer`] says that the wire
//! is free, and then at each time at which a packet has left. What a packet meets
//! behind the wire is known when it is taken, as in a [`crate::Hop`].
//!
//! Offered is what was sent or dropped: a packet counts as accepted when the wire
//! takes it.

use std::collections::VecDeque;

use tusker_core::queue::{Aqm, Backlog, Meta, Policy, Verdict};
use tusker_core::{Bytes, Duration, Rng, Time};

use crate::fair::{Fair, Turn};
use crate::hop::{DropCause, Limit, Setup};
use crate::memory::room;
use crate::meter::{Counters, Due, Meter, Report, Schedule};
use crate::paced::Paced;
use crate::impairments::Impairments;
use crate::wire::Wire;

/// One direction of a link that keeps packets of the holder's type.
#[derive(Debug)]
pub struct Station<T> {
    policy: Policy,
    policy_rng: Rng,
    poll_at: Time,
    ecn: bool,
    limit: Limit,
    queue: Queue<T>,
    /// What waits.
    packets: u64,
    bytes: u64,
    /// Size of the packet in transmission, and when it has left.
    sending: Option<(u32, Time)>,
    idle_since: Time,
    wire: Wire,
    paced: Option<Paced>,
    delay: Duration,
    impairments: Impairments,
    counters: Counters,
    /// Up to when `area` is counted.
    counted: Time,
    meter: Meter,
}

#[derive(Debug)]
enum Queue<T> {
    One(VecDeque<Held<T>>),
    Fair(Box<Fair<T>>),
}

/// A packet that waits.
#[derive(Debug)]
pub(crate) struct Held<T> {
    pub(crate) item: T,
    pub(crate) size: u32,
    pub(crate) arrived: Time,
    pub(crate) can_mark: bool,
    pub(crate) marked: bool,
}

/// A packet that the wire has taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent<T> {
    /// The packet.
    pub item: T,
    /// The policy marked it.
    pub marked: bool,
    /// When it arrives at the next node; never if it is lost.
    pub arrives: Option<Time>,
    /// When it has left, so that the wire is free again.
    pub leaves: Time,
}

impl<T> Station<T> {
    /// An idle station.
    pub fn new(setup: Setup, schedule: Schedule) -> Self {
        let queue = match setup.policy.flow_queues() {
            Some(queues) => Queue::Fair(Box::new(Fair::new(queues, setup.policy.clone()))),
            None => Queue::One(VecDeque::new()),
        };
        Self {
            poll_at: setup.policy.poll_at(),
            policy: setup.policy,
            policy_rng: setup.policy_rng,
            ecn: setup.ecn,
            limit: setup.limit,
            queue,
            packets: 0,
            bytes: 0,
            sending: None,
            idle_since: Time::ZERO,
            wire: Wire::new(setup.rate),
            paced: Paced::new(setup.pace, setup.rate),
            delay: setup.delay,
            impairments: Impairments::new(setup.loss, setup.loss_rng, setup.jitter, setup.jitter_rng),
            counters: Counters::default(),
            counted: Time::ZERO,
            meter: Meter::new(schedule),
        }
    }

    /// Bytes that its packets and its meter take, and how many they take at most
    /// when so many more packets have come of which none has left.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let (taken, soon) = match &self.queue {
            Queue::One(queue) => room(queue.len() + more, queue.capacity(), size_of::<Held<T>>()),
            Queue::Fair(fair) => fair.memory(more),
        };
        let kept = self.meter.memory();
        (kept + taken, kept + soon)
    }

    /// A packet of a flow arrives at `now`. What is dropped, this packet or
    /// others, is given to `dropped`. `true` if the wire is free: call
    /// [`Self::serve`] at once.
    pub fn offer(
        &mut self,
        now: Time,
        (size, ecn_capable, flow): (u32, bool, u64),
        item: T,
        mut dropped: impl FnMut(T, DropCause),
    ) -> bool {
        self.advance(now);
        let meta = Meta { size: Bytes::new(u64::from(size)), ecn_capable };
        let backlog = self.backlog_now();
        let verdict = self.policy.on_arrival(&meta, &backlog, now, &mut self.policy_rng);
        let can_mark = self.ecn && ecn_capable;
        if verdict == Verdict::Drop || (verdict == Verdict::Signal && !can_mark) {
            self.counters.dropped_early += 1;
            dropped(item, DropCause::Early);
            return false;
        }
        let marked = verdict == Verdict::Signal;
        let held = Held { item, size, arrived: now, can_mark, marked };
        match &mut self.queue {
            Queue::One(queue) => {
                let (packets, bytes) = (self.packets + 1, self.bytes + u64::from(size));
                if is_over(self.limit, packets, bytes, self.sending) {
                    self.counters.overflowed += 1;
                    self.policy.on_overflow();
                    dropped(held.item, DropCause::Overflow);
                    return false;
                }
                queue.push_back(held);
                (self.packets, self.bytes) = (packets, bytes);
            }
            Queue::Fair(fair) => {
                fair.push(flow, held);
                self.packets += 1;
                self.bytes += u64::from(size);
                while self.packets > 0
                    && is_over(self.limit, self.packets, self.bytes, self.sending)
                {
                    fair.drop_from_fattest(|held| {
                        self.packets -= 1;
                        self.bytes -= u64::from(held.size);
                        self.counters.overflowed += 1;
                        dropped(held.item, DropCause::Overflow);
                    });
                }
            }
        }
        self.sending.is_none()
    }

    /// The wire is free at `now`: the packet that it takes, if one waits. What is
    /// dropped on the way is given to `dropped`.
    pub fn serve(&mut self, now: Time, mut dropped: impl FnMut(T, DropCause)) -> Option<Sent<T>> {
        self.advance(now);
        if self.sending.take().is_some() {
            self.idle_since = now;
        }
        loop {
            match self.next(now) {
                Some(Turn::Send(held)) => return Some(self.send(now, held)),
                Some(Turn::Drop(held)) => {
                    self.counters.dropped_early += 1;
                    dropped(held.item, DropCause::Early);
                }
                None => {
                    self.policy.on_empty(now);
                    return None;
                }
            }
        }
    }

    /// What the policy says of the packet that is next.
    fn next(&mut self, now: Time) -> Option<Turn<T>> {
        let turn = match &mut self.queue {
            Queue::Fair(fair) => fair.turn(now, &mut self.policy_rng)?,
            Queue::One(queue) => {
                let mut held = queue.pop_front()?;
                let behind = Backlog {
                    packets: self.packets as u32 - 1,
                    bytes: Bytes::new(self.bytes - u64::from(held.size)),
                    idle_since: None,
                };
                let leaving = held.departing();
                match self.policy.on_departure(&leaving, &behind, now, &mut self.policy_rng) {
                    Verdict::Pass => Turn::Send(held),
                    Verdict::Signal if held.can_mark => {
                        held.marked = true;
                        Turn::Send(held)
                    }
                    _ => Turn::Drop(held),
                }
            }
        };
        let (Turn::Send(held) | Turn::Drop(held)) = &turn;
        self.packets -= 1;
        self.bytes -= u64::from(held.size);
        Some(turn)
    }

    fn send(&mut self, now: Time, held: Held<T>) -> Sent<T> {
        let Held { item, size, marked, .. } = held;
        self.counters.marked += u64::from(marked);
        let leaves = match &mut self.paced {
            Some(paced) => paced.send(now, size),
            None => self.wire.send(now, size),
        };
        self.sending = Some((size, leaves));
        let arrives = if self.impairments.loses() {
            self.counters.lost += 1;
            None
        } else {
            Some(self.impairments.delays(leaves + self.delay))
        };
        Sent { item, marked, arrives, leaves }
    }

    /// Packets that are there at `now`, the one in transmission included.
    pub fn backlog(&mut self, now: Time) -> usize {
        self.advance(now);
        self.present(now) as usize
    }

    /// The policy's inner values at `now`, for traces.
    pub fn inspect(&mut self, now: Time, see: &mut dyn FnMut(&'static str, f64)) {
        self.advance(now);
        match &self.queue {
            Queue::One(_) => self.policy.inspect(see),
            Queue::Fair(fair) => fair.inspect(see),
        }
    }

    /// The packets that wait, without the one in transmission.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        let (one, fair) = match &self.queue {
            Queue::One(queue) => (Some(queue.iter()), None),
            Queue::Fair(fair) => (None, Some(fair.iter())),
        };
        one.into_iter().flatten().chain(fair.into_iter().flatten()).map(|held| &held.item)
    }

    /// Closes the books at `end`: what the meter saw.
    pub fn finish(mut self, end: Time) -> Report {
        self.advance(end);
        self.meter.report(true)
    }

    fn backlog_now(&self) -> Backlog {
        Backlog {
            packets: self.packets as u32,
            bytes: Bytes::new(self.bytes),
            idle_since: self.sending.is_none().then_some(self.idle_since),
        }
    }

    fn inside(&self) -> u64 {
        self.packets + u64::from(self.sending.is_some())
    }

    /// Packets that are there at `at`, without one that leaves at this instant.
    fn present(&self, at: Time) -> u64 {
        self.inside() - u64::from(self.sending.is_some_and(|(_, leaves)| leaves <= at))
    }

    /// Tells the meter and the policy what they want to know before `now`.
    fn advance(&mut self, now: Time) {
        while self.poll_at <= now {
            let backlog = self.backlog_now();
            self.policy.on_poll(self.poll_at, &backlog);
            self.poll_at = self.policy.poll_at();
        }
        while let Some(due) = self.meter.due(now) {
            match due {
                Due::Boundary(at) => {
                    self.count_area(at);
                    self.meter.mark(self.counters_at(at));
                }
                Due::Sample(at) => match self.present(at) {
                    0 => self.meter.sample_empty(now),
                    packets => self.meter.sample(packets as u32),
                },
            }
        }
        self.count_area(now);
    }

    fn count_area(&mut self, to: Time) {
        self.counters.area += self.inside() * to.since(self.counted).nanos();
        self.counted = to.max(self.counted);
    }

    fn counters_at(&self, at: Time) -> Counters {
        let ((accepted, accepted_bytes), busy) = match &self.paced {
            Some(paced) => (paced.accepted(), paced.carried_by(at)),
            None => (self.wire.accepted(), self.wire.busy_by(at)),
        };
        Counters { accepted, accepted_bytes, busy, ..self.counters }
    }
}

/// More waits than there is room for, the packet in transmission counted.
fn is_over(limit: Limit, packets: u64, bytes: u64, sending: Option<(u32, Time)>) -> bool {
    let (one, its_size) = sending.map_or((0, 0), |(size, _)| (1, u64::from(size)));
    match limit {
        Limit::Unlimited => false,
        Limit::Packets(most) => packets + one > most,
        Limit::Bytes(most) => bytes + its_size > most,
    }
}

#[cfg(test)]
mod tests;
