//! First-in, first-out rings of packets that share their memory.
//!
//! A ring takes chunks from a common pool and returns them when they are empty; the chunk
//! returned last is reused first. So the memory in use is that of the packets under way,
//! not the sum of the rings' maxima, and it stays in the cache.

use tusker_core::Time;
use tusker_path::room;

use crate::packet::Packet;

/// Packets per chunk, as a power of two: 32, but 8 if there are so many rings that chunks begun
/// would take most of the memory.
const CHUNK: u32 = 5;
const SMALL: u32 = 3;
const MANY: usize = 1_000;

/// A number of rings.
#[derive(Debug)]
pub struct Rings {
    rings: Vec<Ring>,
    /// Packets per chunk: 2 to this.
    chunk: u32,
    /// The bits of a cell's number that give its place in the chunk.
    inside: u32,
    /// Chunk after chunk.
    cells: Vec<Packet>,
    /// The chunk that follows each chunk.
    next: Vec<u32>,
    free: Vec<u32>,
}

/// Cells of the first packet and after the last one; both are zero if the ring is empty. A
/// tail at the start of a chunk means that there is no room.
#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    head: u32,
    tail: u32,
    /// The cell after the last packet that was seen ([`Rings::see`]); zero if none was.
    seen: u32,
}

impl Rings {
    /// This many empty rings.
    pub fn new(rings: usize) -> Self {
        let chunk = if rings < MANY { CHUNK } else { SMALL };
        let rings = vec![Ring::default(); rings];
        let inside = (1 << chunk) - 1;
        Self { rings, chunk, inside, cells: Vec::new(), next: Vec::new(), free: Vec::new() }
    }

    /// Whether a cell is the first of a chunk.
    #[inline(always)]
    fn begins(&self, cell: u32) -> bool {
        cell & self.inside == 0
    }

    /// Appends a packet to a ring. `first` is called with its time if the ring was empty.
    #[inline(always)]
    pub fn push(&mut self, index: usize, packet: Packet, first: impl FnOnce(Time)) {
        debug_assert!(self.last(index).is_none_or(|last| last.at <= packet.at), "in order");
        let inside = self.inside;
        let ring = &mut self.rings[index];
        let mut tail = ring.tail;
        if tail & inside == 0 {
            if tail == 0 {
                first(packet.at);
            }
            tail = self.extend(index);
        } else {
            ring.tail = tail + 1;
        }
        // No other place may take the packet whole: it would be put together in
        // memory for that, and read back from there before it has arrived.
        self.cells[tail as usize] = packet;
    }

    /// The first packet of a ring that is not empty.
    #[inline(always)]
    pub fn first(&self, index: usize) -> &Packet {
        &self.cells[self.rings[index].head as usize]
    }

    /// The first packet of a ring, and the time of the next one.
    ///
    /// # Panics
    /// If the ring is empty.
    #[inline(always)]
    pub fn pop(&mut self, index: usize) -> (Packet, Time) {
        let inside = self.inside;
        let ring = &mut self.rings[index];
        let Ring { head, tail, .. } = *ring;
        assert!(tail > 0, "a ring that is due holds a packet");
        let packet = self.cells[head as usize];
        let next = head + 1;
        ring.head = next;
        let behind = if next == tail || next & inside == 0 {
            self.give_back(index)
        } else {
            self.cells[next as usize].at
        };
        (packet, behind)
    }

    /// The first packet of a ring that was not seen yet, the time of the next one, and whether
    /// it is the first packet of all. It stays until [`Self::take_seen`], and meanwhile the ring
    /// takes no others.
    #[inline(always)]
    pub fn see(&mut self, index: usize) -> (&mut Packet, Time, bool) {
        let Ring { head, tail, seen } = self.rings[index];
        let cell = match seen {
            0 => head,
            seen if self.begins(seen) => self.follows(seen),
            seen => seen,
        };
        let end = cell + 1;
        self.rings[index].seen = end;
        let behind = match end {
            end if end == tail => Time::NEVER,
            end if self.begins(end) => self.cells[self.follows(end) as usize].at,
            end => self.cells[end as usize].at,
        };
        (&mut self.cells[cell as usize], behind, seen == 0)
    }

    /// The first cell of the chunk behind the one that ends here.
    fn follows(&self, end: u32) -> u32 {
        self.next[((end - 1) >> self.chunk) as usize] << self.chunk
    }

    /// Removes the packets that were seen, and appends them to a list.
    pub fn take_seen(&mut self, index: usize, list: &mut Vec<Packet>) {
        let Ring { mut head, tail, seen } = self.rings[index];
        loop {
            let chunk = head >> self.chunk;
            let is_last = (seen - 1) >> self.chunk == chunk;
            let to = if is_last { seen } else { (chunk + 1) << self.chunk };
            list.extend_from_slice(&self.cells[head as usize..to as usize]);
            head = to;
            if to == tail {
                self.free.push(chunk);
                self.rings[index] = Ring::default();
                return;
            }
            if self.begins(to) {
                self.free.push(chunk);
                head = self.follows(to);
            }
            if is_last {
                break;
            }
        }
        self.rings[index] = Ring { head, tail, seen: 0 };
    }

    /// The last packet of a ring.
    fn last(&self, ring: usize) -> Option<&Packet> {
        let Ring { tail, .. } = self.rings[ring];
        (tail > 0).then(|| &self.cells[tail as usize - 1])
    }

    /// All waiting packets.
    pub fn iter(&self) -> impl Iterator<Item = &Packet> {
        self.rings.iter().flat_map(move |ring| {
            // a head may have the same number as a full tail, that of the chunk before it
            let mut cell = (ring.tail > 0).then_some(ring.head);
            std::iter::from_fn(move || {
                let at = cell?;
                cell = match at + 1 {
                    end if end == ring.tail => None,
                    end if self.begins(end) => {
                        Some(self.next[((end >> self.chunk) - 1) as usize] << self.chunk)
                    }
                    inside => Some(inside),
                };
                Some(&self.cells[at as usize])
            })
        })
    }

    /// Bytes in use, and the most with this many more packets: each ring may start a chunk.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let chunk = 1 << self.chunk;
        let each = size_of::<Packet>() + size_of::<u32>().div_ceil(chunk);
        let free = self.free.len() * chunk;
        let begun = more + self.rings.len().min(more) * chunk;
        room(self.cells.len() + begun.saturating_sub(free), self.cells.capacity(), each)
    }

    /// Appends a chunk; returns its first cell, which is now taken.
    #[cold]
    #[inline(never)]
    fn extend(&mut self, ring: usize) -> u32 {
        let chunk = self.free.pop().unwrap_or_else(|| {
            let empty = Packet::new(0, 0, Time::ZERO, 0, 0, 0);
            self.cells.extend(std::iter::repeat_n(empty, 1 << self.chunk));
            self.next.push(0);
            (self.next.len() - 1) as u32
        });
        let ring = &mut self.rings[ring];
        if ring.tail == 0 {
            ring.head = chunk << self.chunk;
        } else {
            self.next[((ring.tail >> self.chunk) - 1) as usize] = chunk;
        }
        ring.tail = (chunk << self.chunk) + 1;
        chunk << self.chunk
    }

    /// The chunk before the head is empty, or the whole ring; returns the time of the next
    /// packet.
    #[cold]
    #[inline(never)]
    fn give_back(&mut self, ring: usize) -> Time {
        let ring = &mut self.rings[ring];
        let chunk = (ring.head - 1) >> self.chunk;
        self.free.push(chunk);
        if ring.head == ring.tail {
            *ring = Ring::default();
            Time::NEVER
        } else {
            ring.head = self.next[chunk as usize] << self.chunk;
            self.cells[ring.head as usize].at
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;
    use tusker_core::Rng;

    fn packet(seq: u64) -> Packet {
        Packet::new(0, seq, Time::from_nanos(seq), 0, 1500, 0)
    }

    #[test]
    fn behaves_like_queues() {
        behaves_like(3);
        behaves_like(MANY);
    }

    fn behaves_like(number: usize) {
        let mut rng = Rng::named(11, "rings");
        let mut rings = Rings::new(number);
        let mut model = vec![VecDeque::new(); 3];
        for seq in 0..20_000 {
            let ring = rng.range(0.0, 3.0) as usize;
            // long stretches of filling and of emptying
            let fills = rng.unit() < if seq / 1000 % 2 == 0 { 0.7 } else { 0.3 };
            if fills || model[ring].is_empty() {
                let mut was_empty = false;
                rings.push(ring, packet(seq), |_| was_empty = true);
                assert_eq!(was_empty, model[ring].is_empty());
                model[ring].push_back(seq);
            } else if seq % 3 == 0 {
                // as many as two chunks hold, and more
                let many = (rng.range(1.0, 70.0) as usize).min(model[ring].len());
                let time = |seq: Option<&u64>| seq.map_or(Time::NEVER, |&s| Time::from_nanos(s));
                for i in 0..many {
                    let (packet, behind, is_first) = rings.see(ring);
                    assert_eq!((Some(&packet.seq), is_first), (model[ring].get(i), i == 0));
                    assert_eq!(behind, time(model[ring].get(i + 1)));
                    // it is taken as it was left
                    packet.at = Time::NEVER;
                }
                let mut taken = Vec::new();
                rings.take_seen(ring, &mut taken);
                assert!(taken.iter().all(|packet| packet.at == Time::NEVER));
                assert!(taken.iter().map(|packet| packet.seq).eq(model[ring].drain(..many)));
            } else {
                let (popped, behind) = rings.pop(ring);
                assert_eq!(Some(popped.seq), model[ring].pop_front());
                let next = model[ring].front().map_or(Time::NEVER, |&s| Time::from_nanos(s));
                assert_eq!(behind, next);
            }
        }
        let all: Vec<u64> = rings.iter().map(|p| p.seq).collect();
        assert_eq!(all, model.into_iter().flatten().collect::<Vec<_>>());
    }

    #[test]
    fn a_head_with_the_number_of_the_tail_is_not_an_empty_ring() {
        let mut rings = Rings::new(2);
        let chunk = 1 << CHUNK;
        // chunk 0 goes to the other ring and returns as the last of this one, which then
        // starts where chunk 0 ends
        rings.push(1, packet(0), |_| {});
        (0..chunk).for_each(|seq| rings.push(0, packet(seq), |_| {}));
        rings.pop(1);
        (chunk..2 * chunk).for_each(|seq| rings.push(0, packet(seq), |_| {}));
        assert_eq!(rings.rings[0].head, rings.rings[0].tail);
        assert!(rings.iter().map(|p| p.seq).eq(0..2 * chunk));
        for seq in 0..2 * chunk {
            assert_eq!(rings.pop(0).0.seq, seq);
        }
        assert_eq!(rings.iter().count(), 0);
    }

    #[test]
    fn emptied_chunks_are_used_again() {
        let mut rings = Rings::new(2);
        for round in 0..100 {
            (0..1000).for_each(|seq| rings.push(round % 2, packet(seq), |_| {}));
            for _ in 0..1000 {
                rings.pop(round % 2);
            }
        }
        // 1000 packets need 32 chunks of 32
        assert_eq!(rings.next.len(), 32);
    }
}
