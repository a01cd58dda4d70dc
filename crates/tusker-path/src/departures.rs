//! When the packets of a backlog leave, in order.
//!
//! Nothing is removed packet by packet: the number of departures is rarely needed,
//! and `is_full` only looks at the packet that was accepted `limit` packets ago.
//! Departed packets are removed when room is needed.

use tusker_core::Time;

/// Times of departure, ascending.
#[derive(Clone, Debug)]
pub(crate) struct Departures {
    /// A ring; its size is a power of two.
    times: Vec<Time>,
    /// Total number of packets accepted.
    accepted: u64,
    /// How many of them are known to have left.
    left: u64,
}

/// Initial capacity.
const FEW: usize = 64;

impl Departures {
    /// Nothing is inside.
    pub(crate) fn new() -> Self {
        Self { times: Vec::new(), accepted: 0, left: 0 }
    }

    /// An arrival at `now` finds at least `limit` packets (one or more) inside;
    /// a packet that leaves at this very instant still counts.
    #[inline(always)]
    pub(crate) fn reach(&self, limit: u64, now: Time) -> bool {
        self.accepted - self.left >= limit && self.at(self.accepted - limit) >= now
    }

    /// When fewer than `limit` packets will be inside again, if at least that many
    /// are inside now.
    pub(crate) fn makes_room(&self, limit: u64) -> Time {
        self.at(self.accepted - limit)
    }

    /// A packet is accepted at `now` and leaves at `leaves`.
    #[inline(always)]
    pub(crate) fn push(&mut self, leaves: Time, now: Time) {
        if self.accepted - self.left >= self.times.len() as u64 {
            self.make_room(now);
        }
        let mask = self.times.len() - 1;
        self.times[self.accepted as usize & mask] = leaves;
        self.accepted += 1;
    }

    /// How many an arrival at `now` finds inside.
    pub(crate) fn count(&mut self, now: Time) -> usize {
        while self.left < self.accepted && self.at(self.left) < now {
            self.left += 1;
        }
        (self.accepted - self.left) as usize
    }

    /// When the packet with `before` packets before it leaves, among those that
    /// [`Self::count`] counted last.
    pub(crate) fn nth(&self, before: usize) -> Time {
        self.at(self.left + before as u64)
    }

    /// All that [`Self::count`] counted last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Time> {
        (self.left..self.accepted).map(|i| self.at(i))
    }

    /// Memory in bytes, now and at most after this many more packets have been
    /// accepted of which none has left at `now`.
    ///
    /// This does not modify anything: a meter may still ask for the count at an
    /// earlier time.
    pub(crate) fn memory(&self, now: Time, more: usize) -> (u64, u64) {
        const EACH: usize = size_of::<Time>();
        let (mut gone, mut from, mut to) = (self.left, self.left, self.accepted);
        while from < to {
            let middle = from + (to - from) / 2;
            if self.at(middle) < now {
                (gone, from) = (middle + 1, middle + 1);
            } else {
                to = middle;
            }
        }
        let inside = (self.accepted - gone) as usize + more;
        let taken = self.times.capacity() * EACH;
        let soon = match 2 * inside >= self.times.len() {
            // the current size, what is kept of it, and the capacity after that
            true => taken + (inside + (4 * inside).max(FEW).next_power_of_two()) * EACH,
            false => taken,
        };
        (taken as u64, soon as u64)
    }

    #[inline(always)]
    fn at(&self, i: u64) -> Time {
        self.times[i as usize & (self.times.len() - 1)]
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, now: Time) {
        let inside = self.count(now);
        // at least half of the room is free afterwards, so this is rare
        if 2 * inside >= self.times.len() {
            let kept: Vec<Time> = self.iter().collect();
            self.times = vec![Time::ZERO; (4 * inside).max(FEW).next_power_of_two()];
            self.accepted = self.left;
            for time in kept {
                let mask = self.times.len() - 1;
                self.times[self.accepted as usize & mask] = time;
                self.accepted += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use tusker_core::Rng;

    /// Nothing leaves: whatever is pushed, the predicted memory was right.
    #[test]
    fn the_room_that_it_takes_is_known_before() {
        let mut departures = Departures::new();
        let mut most = 0;
        for round in 0..200_u64 {
            let (taken, soon) = departures.memory(Time::ZERO, 100);
            assert!(taken <= most || round == 0, "{taken} bytes, {most} were foretold");
            for _ in 0..100 {
                departures.push(Time::from_nanos(1 + round), Time::ZERO);
            }
            most = soon;
        }
        // 20,000 times of 8 bytes, in a power of two
        assert_eq!(departures.memory(Time::ZERO, 0).0 % 65_536, 0);
        assert!(departures.memory(Time::ZERO, 0).0 >= 160_000);
    }

    #[test]
    fn counts_like_a_queue_from_which_packets_are_taken() {
        for seed in 0..20 {
            let mut rng = Rng::named(seed, "departures");
            let (mut ours, mut model) = (Departures::new(), VecDeque::new());
            let (mut now, mut busy) = (0, 0);
            for i in 0..5_000 {
                // long stretches of filling and of emptying
                now += rng.range(0.0, if i / 500 % 2 == 0 { 4.0 } else { 30.0 }) as u64;
                let at = Time::from_nanos(now);
                while model.front().is_some_and(|&leaves| leaves < at) {
                    model.pop_front();
                }
                for limit in [1, 2, 60, 200] {
                    let full = model.len() as u64 >= limit;
                    assert_eq!(ours.reach(limit, at), full, "seed {seed}, packet {i}");
                }
                if i % 7 == 0 {
                    assert_eq!(ours.count(at), model.len(), "seed {seed}, packet {i}");
                    assert!(ours.iter().eq(model.iter().copied()), "seed {seed}, packet {i}");
                }
                busy = now.max(busy) + 10;
                ours.push(Time::from_nanos(busy), at);
                model.push_back(Time::from_nanos(busy));
            }
        }
    }
}
