//! Rings in which packets overtake each other: after links whose jitter may reorder. There are
//! few of them, so each is a heap; after all other links, packets are already in order
//! ([`crate::rings`]).

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use tusker_core::Time;
use tusker_path::room;

use crate::packet::Packet;

/// All such rings, by number.
#[derive(Debug, Default)]
pub struct Mixed {
    rings: BTreeMap<u32, BinaryHeap<Entry>>,
    /// Packets so far: of two that arrive at the same time over the same link, the one sent first
    /// goes first. Over different links, it may have been computed later; these have an order.
    pushed: u64,
}

#[derive(Debug)]
struct Entry {
    link: u32,
    number: u64,
    packet: Packet,
}

impl Mixed {
    /// A packet that has passed this link enters a ring; returns when the first one there is due.
    pub fn push(&mut self, ring: u32, link: u32, packet: Packet) -> Time {
        self.pushed += 1;
        let heap = self.rings.entry(ring).or_default();
        heap.push(Entry { link, number: self.pushed, packet });
        heap.peek().map_or(Time::NEVER, |first| first.packet.at)
    }

    /// The first packet of a ring, and when the next one is due.
    pub fn pop(&mut self, ring: u32) -> Option<(Packet, Time)> {
        let heap = self.rings.get_mut(&ring)?;
        let first = heap.pop()?;
        Some((first.packet, heap.peek().map_or(Time::NEVER, |next| next.packet.at)))
    }

    /// Bytes that each ring uses, and the most with this many more packets.
    pub fn memory(&self, more: usize) -> impl Iterator<Item = (u64, u64)> {
        let heaps = self.rings.values();
        heaps.map(move |heap| room(heap.len() + more, heap.capacity(), size_of::<Entry>()))
    }

    /// All waiting packets.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.rings.values().flatten().map(|entry| &entry.packet)
    }
}

impl Entry {
    fn key(&self) -> (Time, u32, u64) {
        (self.packet.at, self.link, self.number)
    }
}

/// The earliest counts as the greatest, because a heap returns that first.
impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_goes_first_and_equals_by_link_and_in_order() {
        let mut mixed = Mixed::default();
        let packet = |seq: u64, at: u64| Packet {
            at: Time::from_nanos(at),
            ..Packet::new(0, seq, Time::ZERO, 0, 1500, 0)
        };
        let firsts: Vec<u64> = [(1, 50), (2, 30), (3, 50), (4, 30), (5, 40)]
            .map(|(seq, at)| mixed.push(7, 2, packet(seq, at)).nanos())
            .to_vec();
        assert_eq!(firsts, [50, 30, 30, 30, 30]);
        mixed.push(8, 2, packet(6, 1));
        // over another link, computed later
        mixed.push(7, 1, packet(7, 50));
        assert_eq!(mixed.iter().count(), 7);
        let order = std::iter::from_fn(|| mixed.pop(7)).map(|(p, next)| (p.seq, next));
        let at = Time::from_nanos;
        let want = [(2, 30), (4, 40), (5, 50), (7, 50), (1, 50)].map(|(seq, next)| (seq, at(next)));
        let want = want.into_iter().chain([(3, Time::NEVER)]);
        assert!(order.eq(want));
    }
}
