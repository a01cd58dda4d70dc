//! The queues of CAKE, as in Linux's `sch_cake.c`: a shaper, queues in sets of eight, and a
//! round robin that gives hosts equal shares.
//!
//! ```text
//!               has sent its quantum
//!   sparse ----------------------------> bulk -----. its turn: deficit + quantum/load
//!     ^ goes first                        |  ^-----'
//!     |                                   | found empty
//!     '------------- decaying <-----------'
//!     a packet       until COBALT has forgotten; then free
//! ```

use std::collections::{BTreeMap, VecDeque};

use tusker_core::queue::{CakeQueues, Cobalt, Verdict};
use tusker_core::{Rng, Time};

use super::fair::Turn;
use super::shaper::Shaper;
use super::{Held, Offered};
use crate::memory::rooms;

/// Queues in all, and in a set.
const QUEUES: usize = 1024;
const WAYS: usize = 8;
/// No queue was ever kept there.
const NONE: u32 = u32::MAX;

/// All queues of a link.
#[derive(Debug)]
pub(super) struct Cake<T> {
    plan: CakeQueues,
    shaper: Option<Shaper>,
    /// Where the queue with each number is kept, once it was used.
    slots: Vec<u32>,
    queues: Vec<Flow<T>>,
    /// Queues that go first, those in turn, and empty ones that COBALT remembers.
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    decaying: VecDeque<u32>,
    /// Bulk queues of each source and of each destination that has any.
    sources: BTreeMap<u32, u32>,
    destinations: BTreeMap<u32, u32>,
    /// Packets that wait.
    packets: usize,
    /// A packet was dropped, and the queue that it is from has the turn.
    again: bool,
}

#[derive(Debug)]
struct Flow<T> {
    packets: VecDeque<Held<T>>,
    bytes: u64,
    deficit: i64,
    cobalt: Cobalt,
    set: Set,
    /// Whose it is, or was last.
    key: u64,
    source: u32,
    destination: u32,
}

/// What a queue counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Free,
    Sparse,
    /// It was sparse, and was empty when it had spent its quantum: among the bulk
    /// queues, but not one of them.
    SparseWait,
    Bulk,
    Decaying,
}

impl<T> Cake<T> {
    pub fn new(plan: CakeQueues) -> Self {
        Self {
            plan,
            shaper: plan.shaper.map(Shaper::new),
            slots: vec![NONE; QUEUES],
            queues: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            decaying: VecDeque::new(),
            sources: BTreeMap::new(),
            destinations: BTreeMap::new(),
            packets: 0,
            again: false,
        }
    }

    /// Bytes that it takes, and how many it takes at most when so many more packets
    /// have come: all to one queue, the longest.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let (taken, soon) = rooms(self.queues.iter().map(|flow| &flow.packets), more);
        let others = self.queues.capacity() * size_of::<Flow<T>>() + self.slots.capacity() * 4;
        (taken + others as u64, soon + others as u64)
    }

    /// A packet comes to the end of its flow's queue.
    pub fn push(&mut self, now: Time, of: &Offered, held: Held<T>, rng: &mut Rng) {
        if let Some(shaper) = self.shaper.as_mut().filter(|_| self.packets == 0) {
            shaper.wake(now);
        }
        self.packets += 1;
        let slot = self.slot(of);
        let queue = &mut self.queues[slot as usize];
        queue.bytes += u64::from(held.size);
        queue.packets.push_back(held);
        match queue.set {
            Set::Free | Set::Decaying => {
                if queue.set == Set::Decaying {
                    // one with a deficit waits among the old ones
                    self.decaying.retain(|&other| other != slot);
                    self.old.retain(|&other| other != slot);
                }
                self.queues[slot as usize].set = Set::Sparse;
                self.new.push_back(slot);
                self.queues[slot as usize].deficit = self.quantum(slot, rng);
            }
            Set::SparseWait => {
                queue.set = Set::Bulk;
                self.count(slot, 1);
            }
            Set::Sparse | Set::Bulk => {}
        }
    }

    /// The queue for a packet: its flow's own, else a free one of its set, else the
    /// first of them, which it shares from now on.
    fn slot(&mut self, of: &Offered) -> u32 {
        let key = self.plan.isolation.key(of.flow, of.from, of.to);
        let home = (key % QUEUES as u64) as usize;
        let set = home - home % WAYS;
        let ways = (0..WAYS).map(|i| set + (home + i) % WAYS);
        let own = |way: &usize| self.queues.get(self.slots[*way] as usize);
        let known = ways.clone().find(|way| own(way).is_some_and(|queue| queue.key == key));
        let free = |way: &usize| own(way).is_none_or(|queue| queue.set == Set::Free);
        let way = known.or_else(|| ways.clone().find(free)).unwrap_or(home);
        let slot = self.slots[way];
        if slot == NONE {
            self.queues.push(Flow {
                packets: VecDeque::new(),
                bytes: 0,
                deficit: 0,
                cobalt: self.plan.cobalt,
                set: Set::Free,
                key,
                source: of.from,
                destination: of.to,
            });
            self.slots[way] = (self.queues.len() - 1) as u32;
            return self.slots[way];
        }
        let Flow { key: before, set, .. } = self.queues[slot as usize];
        if before != key || set == Set::Free {
            // what it holds of another flow counts for the new one's hosts
            if set == Set::Bulk {
                self.count(slot, -1);
            }
            let queue = &mut self.queues[slot as usize];
            (queue.key, queue.source, queue.destination) = (key, of.from, of.to);
            if set == Set::Bulk {
                self.count(slot, 1);
            }
        }
        slot
    }

    /// A queue becomes a bulk one of its hosts, or is one no more.
    fn count(&mut self, slot: u32, change: i32) {
        let Flow { source, destination, .. } = self.queues[slot as usize];
        for (table, host) in [(&mut self.sources, source), (&mut self.destinations, destination)] {
            let count = table.entry(host).or_insert(0);
            *count = count.saturating_add_signed(change);
            if *count == 0 {
                table.remove(&host);
            }
        }
    }

    /// What a queue may send in its turn: the more its hosts have, the less each.
    fn quantum(&self, slot: u32, rng: &mut Rng) -> i64 {
        let Flow { source, destination, .. } = self.queues[slot as usize];
        let CakeQueues { isolation, quantum, .. } = self.plan;
        let load = |told_apart: bool, table: &BTreeMap<u32, u32>, host| match told_apart {
            true => table.get(&host).copied().unwrap_or(1),
            false => 1,
        };
        let sources = load(isolation.by_source(), &self.sources, source);
        let load = sources.max(load(isolation.by_destination(), &self.destinations, destination));
        match load {
            1 => i64::from(quantum),
            _ => (f64::from(quantum) / f64::from(load) + rng.unit()) as i64,
        }
    }

    /// What is next at `now`; nothing if nothing waits.
    pub fn turn(&mut self, now: Time, rng: &mut Rng) -> Option<Turn<T>> {
        if self.packets == 0 {
            self.again = false;
            return None;
        }
        if let Some(next) = self.shaper.map(|shaper| shaper.next()).filter(|&next| next > now) {
            return Some(Turn::Wait(next));
        }
        // once each time, COBALT forgets something of an empty queue
        let mut decays = !self.again && !self.decaying.is_empty();
        loop {
            let list = match (decays, self.new.is_empty()) {
                (true, _) => &mut self.decaying,
                (_, false) => &mut self.new,
                _ => &mut self.old,
            };
            decays = false;
            let slot = *list.front()?;
            let queue = &self.queues[slot as usize];
            if queue.deficit <= 0 {
                list.pop_front();
                self.next_turn(slot, rng);
            } else if queue.packets.is_empty() {
                list.pop_front();
                self.found_empty(slot, now);
            } else if let Some(turn) = self.leave(slot, now, rng) {
                return Some(turn);
            }
        }
    }

    /// A queue has spent what it had: to the end of the turns.
    fn next_turn(&mut self, slot: u32, rng: &mut Rng) {
        let queue = &mut self.queues[slot as usize];
        if queue.set == Set::Sparse {
            if queue.packets.is_empty() {
                queue.set = Set::SparseWait;
            } else {
                queue.set = Set::Bulk;
                self.count(slot, 1);
            }
        }
        let quantum = self.quantum(slot, rng);
        self.queues[slot as usize].deficit += quantum;
        self.old.push_back(slot);
    }

    /// It is a queue's turn, and nothing waits there.
    fn found_empty(&mut self, slot: u32, now: Time) {
        let queue = &mut self.queues[slot as usize];
        queue.cobalt.is_empty(now);
        let was = queue.set;
        queue.set = if queue.cobalt.at_rest(now) { Set::Free } else { Set::Decaying };
        if queue.set == Set::Decaying {
            self.decaying.push_back(slot);
        }
        if was == Set::Bulk {
            self.count(slot, -1);
        }
    }

    /// COBALT decides about the first packet of a queue.
    fn leave(&mut self, slot: u32, now: Time, rng: &mut Rng) -> Option<Turn<T>> {
        let queue = &mut self.queues[slot as usize];
        let held = queue.packets.pop_front()?;
        queue.bytes -= u64::from(held.size);
        self.packets -= 1;
        let last = queue.packets.is_empty();
        let mark = match queue.cobalt.leaves(&held.departing(None), last, now, rng) {
            Verdict::Pass => false,
            Verdict::Signal if held.can_mark => true,
            Verdict::Signal | Verdict::Drop => {
                self.again = true;
                return Some(Turn::Drop(held));
            }
        };
        self.again = false;
        let length = self.plan.framing.length(held.size);
        queue.deficit -= i64::from(length);
        if let Some(shaper) = &mut self.shaper {
            shaper.charge(length);
        }
        Some(Turn::Send(Held { marked: held.marked || mark, ..held }))
    }

    /// There is no room: the queue with the most bytes loses its first packet.
    pub fn drop_from_fattest(&mut self, now: Time) -> Option<Held<T>> {
        // the first of equals
        let queue = self.queues.iter_mut().rev().max_by_key(|queue| queue.bytes)?;
        let held = queue.packets.pop_front()?;
        queue.bytes -= u64::from(held.size);
        self.packets -= 1;
        queue.cobalt.overflows(now);
        Some(held)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Held<T>> {
        self.queues.iter().flat_map(|queue| &queue.packets)
    }

    pub fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        let count = |what: fn(&Flow<T>) -> bool| {
            self.queues.iter().filter(|queue| what(queue)).count() as f64
        };
        see("sparse_queues", count(|queue| matches!(queue.set, Set::Sparse | Set::SparseWait)));
        see("bulk_queues", count(|queue| queue.set == Set::Bulk));
        see("decaying_queues", count(|queue| queue.set == Set::Decaying));
        see("dropping", count(|queue| queue.cobalt.is_dropping()));
        let p = self.queues.iter().map(|queue| queue.cobalt.p_drop());
        see("drop_prob", p.fold(0.0, f64::max));
    }
}

#[cfg(test)]
mod tests;
