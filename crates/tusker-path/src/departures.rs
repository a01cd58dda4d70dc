//! When the packets of a backlog leave, in order.
//!
//! Nothing is taken out packet by packet: how many have left is a question that
//! only few ask, and `is_full` needs a single look at the packet that was
//! accepted `limit` packets ago. What has left goes when room is needed.

use tusker_core::Time;

/// Times of departure, ascending.
#[derive(Clone, Debug)]
pub(crate) struct Departures {
    /// A circle; a power of two.
    times: Vec<Time>,
    /// Packets accepted in all.
    accepted: u64,
    /// How many of them are known to have left.
    left: u64,
}

/// Room to begin with.
const FEW: usize = 64;

impl Departures {
    /// Nothing is inside.
    pub(crate) fn new() -> Self {
        Self { times: Vec::new(), accepted: 0, left: 0 }
    }

    /// An arrival at `now` finds at least `limit` packets (one or more) inside;
    /// what leaves at this very instant is still there.
    #[inline(always)]
    pub(crate) fn reach(&self, limit: u64, now: Time) -> bool {
        self.accepted - self.left >= limit && self.at(self.accepted - limit) >= now
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

    /// When the packet leaves that has `before` packets before it among those
    /// that [`Self::count`] counted last.
    pub(crate) fn nth(&self, before: usize) -> Time {
        self.at(self.left + before as u64)
    }

    /// All that [`Self::count`] counted last.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Time> {
        (self.left..self.accepted).map(|i| self.at(i))
    }

    #[inline(always)]
    fn at(&self, i: u64) -> Time {
        self.times[i as usize & (self.times.len() - 1)]
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, now: Time) {
        let inside = self.count(now);
        // at least half of the room is free afterwards, so that this is rare
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
