//! First-in, first-out rings of packets that share their memory.
//!
//! A ring takes chunks from a common pool and returns them when they are empty; the chunk
//! returned last is reused first. So the memory in use is that of the packets under way,
//! not the sum of the rings' maxima, and it stays in the cache.
//!
//! In a long ring, only the chunks at its two ends are open. Those between are packed
//! ([`packed`]), several at a time, until the first ones are needed.

mod packed;

use std::collections::{BTreeMap, VecDeque};
use std::iter;

use tusker_core::Time;
use tusker_path::room;

use crate::packet::Packet;

/// Packets per chunk, as a power of two: 32, but 8 if there are so many rings that chunks begun
/// would take most of the memory.
const CHUNK: u32 = 5;
const SMALL: u32 = 3;
const MANY: usize = 1_000;

/// A ring with this many packets in open chunks is long.
const LONG: u32 = 1 << 13;
/// The open chunks at the head of a ring when the first ones behind them are packed.
const HEAD: u32 = 16;
/// Chunks that are packed together.
const PACK: u32 = 8;
/// Follows the last chunk at the head if the next ones are packed.
const PACKED: u32 = u32::MAX;

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
    /// Of long rings, by number.
    middles: BTreeMap<usize, Middle>,
    /// Packets between chunks and packs.
    rows: Vec<[u64; 6]>,
    /// Memory of the packs, in bytes.
    packed: usize,
}

/// The packed chunks of a long ring.
#[derive(Debug)]
struct Middle {
    packs: VecDeque<Box<[u8]>>,
    /// The open chunk behind them.
    behind: u32,
}

/// Cells of the first packet and after the last one; both are zero if the ring is empty. A
/// tail at the start of a chunk means that there is no room.
#[derive(Clone, Copy, Debug, Default)]
struct Ring {
    head: u32,
    tail: u32,
    /// The cell after the last packet that was seen ([`Rings::see`]); zero if none was.
    seen: u32,
    /// Its chunks that are open.
    open: u32,
}

impl Rings {
    /// This many empty rings.
    pub fn new(rings: usize) -> Self {
        let chunk = if rings < MANY { CHUNK } else { SMALL };
        let rings = vec![Ring::default(); rings];
        Self {
            rings,
            chunk,
            inside: (1 << chunk) - 1,
            cells: Vec::new(),
            next: Vec::new(),
            free: Vec::new(),
            middles: BTreeMap::new(),
            rows: Vec::new(),
            packed: 0,
        }
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

    /// The cell of the first packet of a ring, which is now seen, unless one was seen before. What
    /// was seen stays until [`Self::take_seen`], and meanwhile the ring takes no others.
    #[inline(always)]
    pub fn see_first(&mut self, index: usize) -> Option<u32> {
        let Ring { head, seen, .. } = self.rings[index];
        (seen == 0).then(|| {
            self.rings[index].seen = head + 1;
            head
        })
    }

    /// The packet in a cell, which is now the last one of its ring that was seen.
    #[inline(always)]
    pub fn see(&mut self, index: usize, cell: u32) -> &mut Packet {
        self.rings[index].seen = cell + 1;
        &mut self.cells[cell as usize]
    }

    /// The cell and the time of the packet behind the one in a cell of a ring; if there is none,
    /// the same cell, and never.
    #[inline(always)]
    pub fn behind(&mut self, index: usize, cell: u32) -> (u32, Time) {
        let next = match cell + 1 {
            end if end == self.rings[index].tail => return (cell, Time::NEVER),
            end if self.begins(end) => self.follows(index, end),
            end => end,
        };
        (next, self.cells[next as usize].at)
    }

    /// Reads where a ring begins (`net/warm.rs`). The value is nothing.
    #[inline(always)]
    pub fn warm(&self, ring: u32) -> u64 {
        u64::from(self.rings[ring as usize].head)
    }

    /// The same: its first packet.
    #[inline(always)]
    pub fn warm_first(&self, ring: u32) -> u64 {
        let head = self.rings[ring as usize].head as usize;
        self.cells.get(head).map_or(0, |packet| packet.at.nanos() ^ packet.seq)
    }

    /// The same: where its next packet goes.
    #[inline(always)]
    pub fn warm_end(&self, ring: u32) -> u64 {
        let tail = self.rings[ring as usize].tail as usize;
        self.cells.get(tail).map_or(0, |packet| packet.at.nanos())
    }

    /// The first cell of the chunk of a ring behind the one that ends here.
    #[cold]
    #[inline(never)]
    fn follows(&mut self, ring: usize, end: u32) -> u32 {
        let chunk = (end - 1) >> self.chunk;
        let next = match self.next[chunk as usize] {
            PACKED => self.unpack(ring, chunk),
            next => next,
        };
        next << self.chunk
    }

    /// Removes the packets that were seen, and appends them to a list.
    pub fn take_seen(&mut self, index: usize, list: &mut Vec<Packet>) {
        let Ring { mut head, tail, seen, .. } = self.rings[index];
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
                head = self.follows(index, to);
                self.free.push(chunk);
                self.rings[index].open -= 1;
            }
            if is_last {
                break;
            }
        }
        let ring = &mut self.rings[index];
        (ring.head, ring.seen) = (head, 0);
    }

    /// The last packet of a ring.
    fn last(&self, ring: usize) -> Option<&Packet> {
        let Ring { tail, .. } = self.rings[ring];
        (tail > 0).then(|| &self.cells[tail as usize - 1])
    }

    /// All waiting packets.
    pub fn iter(&self) -> impl Iterator<Item = Packet> {
        self.rings.iter().enumerate().flat_map(|(index, &ring)| {
            let head = (ring.tail > 0).then_some(ring.head);
            let middle = self.middles.get(&index);
            let behind = middle.map(|middle| middle.behind << self.chunk);
            let packs = middle.into_iter().flat_map(|middle| &middle.packs);
            let packed = packs.flat_map(|pack| {
                let mut rows = vec![[0; 6]; self.pack_size()];
                packed::unpack(pack, &mut rows);
                rows.into_iter().map(Packet::from_row)
            });
            self.open(ring, head).chain(packed).chain(self.open(ring, behind))
        })
    }

    /// The packets of a ring from a cell on, as far as they are not packed.
    fn open(&self, ring: Ring, first: Option<u32>) -> impl Iterator<Item = Packet> {
        // a head may have the same number as a full tail, that of the chunk before it
        let end = move |cell: u32| match (cell ^ (ring.tail - 1)) >> self.chunk {
            0 => ring.tail,
            _ => (cell | self.inside) + 1,
        };
        let cells = iter::successors(first, move |&cell| {
            let next = self.next[(cell >> self.chunk) as usize];
            (end(cell) != ring.tail && next != PACKED).then_some(next << self.chunk)
        });
        cells.flat_map(move |cell| self.cells[cell as usize..end(cell) as usize].iter().copied())
    }

    /// Packets that are packed together.
    fn pack_size(&self) -> usize {
        (PACK << self.chunk) as usize
    }

    /// Bytes in use, and the most with this many more packets: each ring may start a chunk, and
    /// each long one may open a pack.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let chunk = 1 << self.chunk;
        let each = size_of::<Packet>() + size_of::<u32>().div_ceil(chunk);
        let free = self.free.len() * chunk;
        let begun = more + self.rings.len().min(more) * chunk;
        let opened = self.middles.len() * self.pack_size();
        let cells = self.cells.len() + (begun + opened).saturating_sub(free);
        let (taken, soon) = room(cells, self.cells.capacity(), each);
        (taken + self.packed as u64, soon + self.packed as u64)
    }

    /// A chunk that no ring has.
    fn take_chunk(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            let empty = Packet::new(0, 0, Time::ZERO, 0, 0, 0);
            self.cells.extend(iter::repeat_n(empty, 1 << self.chunk));
            self.next.push(0);
            (self.next.len() - 1) as u32
        })
    }

    /// Appends a chunk; returns its first cell, which is now taken.
    #[cold]
    #[inline(never)]
    fn extend(&mut self, ring: usize) -> u32 {
        if self.rings[ring].open << self.chunk >= LONG {
            self.pack(ring);
        }
        let chunk = self.take_chunk();
        let ring = &mut self.rings[ring];
        if ring.tail == 0 {
            ring.head = chunk << self.chunk;
        } else {
            self.next[((ring.tail >> self.chunk) - 1) as usize] = chunk;
        }
        ring.tail = (chunk << self.chunk) + 1;
        ring.open += 1;
        chunk << self.chunk
    }

    /// Packs the next chunks of a long ring.
    #[inline(never)]
    fn pack(&mut self, index: usize) {
        let Self { rings, middles, next, cells, rows, free, .. } = self;
        let ring = &mut rings[index];
        let middle = middles.entry(index).or_insert_with(|| {
            let head = ring.head >> self.chunk;
            let last = (1..HEAD).fold(head, |chunk, _| next[chunk as usize]);
            let behind = std::mem::replace(&mut next[last as usize], PACKED);
            Middle { packs: VecDeque::new(), behind }
        });
        rows.clear();
        for _ in 0..PACK {
            let cell = (middle.behind << self.chunk) as usize;
            let packets = &cells[cell..=cell + self.inside as usize];
            rows.extend(packets.iter().map(|packet| packet.to_row()));
            free.push(middle.behind);
            middle.behind = next[middle.behind as usize];
        }
        let pack = packed::pack(rows);
        self.packed += bytes(&pack);
        middle.packs.push_back(pack);
        ring.open -= PACK;
    }

    /// Opens the first packed chunks of a ring, behind this chunk; returns the first.
    #[inline(never)]
    fn unpack(&mut self, index: usize, chunk: u32) -> u32 {
        let middle = self.middles.get_mut(&index).expect("a ring with packed chunks is long");
        let pack = middle.packs.pop_front().expect("there are packed chunks");
        let behind = if middle.packs.is_empty() { middle.behind } else { PACKED };
        if behind != PACKED {
            self.middles.remove(&index);
        }
        self.packed -= bytes(&pack);
        let mut rows = std::mem::take(&mut self.rows);
        rows.resize(self.pack_size(), [0; 6]);
        packed::unpack(&pack, &mut rows);
        let mut last = chunk;
        for rows in rows.chunks_exact(1 << self.chunk) {
            let chunk = self.take_chunk();
            let cell = (chunk << self.chunk) as usize;
            let cells = self.cells[cell..].iter_mut().zip(rows);
            cells.for_each(|(cell, &row)| *cell = Packet::from_row(row));
            self.next[last as usize] = chunk;
            last = chunk;
        }
        self.next[last as usize] = behind;
        self.rows = rows;
        self.rings[index].open += PACK;
        self.next[chunk as usize]
    }

    /// The chunk before the head is empty, or the whole ring; returns the time of the next
    /// packet.
    #[cold]
    #[inline(never)]
    fn give_back(&mut self, index: usize) -> Time {
        let Ring { head: end, tail, .. } = self.rings[index];
        let chunk = (end - 1) >> self.chunk;
        if end == tail {
            self.free.push(chunk);
            self.rings[index] = Ring::default();
            return Time::NEVER;
        }
        let head = self.follows(index, end);
        self.free.push(chunk);
        let ring = &mut self.rings[index];
        (ring.head, ring.open) = (head, ring.open - 1);
        self.cells[head as usize].at
    }
}

/// The memory of a pack: its bytes, its place in the list, and the allocator's record.
fn bytes(pack: &[u8]) -> usize {
    pack.len() + size_of::<Box<[u8]>>() + 2 * size_of::<usize>()
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
                let mut cell = rings.see_first(ring).expect("none was seen");
                for i in 0..many {
                    let (next, behind) = rings.behind(ring, cell);
                    assert_eq!(behind, time(model[ring].get(i + 1)));
                    let packet = rings.see(ring, cell);
                    assert_eq!(Some(&packet.seq), model[ring].get(i));
                    // it is taken as it was left
                    packet.at = Time::NEVER;
                    assert_eq!(rings.see_first(ring), None);
                    cell = next;
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

    /// Twenty thousand packets of one flow behind a busy wire, and then others that have nothing in
    /// common: those between the ends take a tenth of the memory, if they can.
    #[test]
    fn long_rings_are_packed() {
        let mut rng = Rng::named(12, "long");
        let mut rings = Rings::new(2);
        let mut model = VecDeque::new();
        let mut at = 0;
        for seq in 0..40_000 {
            let simple = seq < 20_000;
            at += if simple { 12_000 } else { rng.range(0.0, 1e9) as u64 };
            let (sent, flags) =
                if simple { (at, 0) } else { (at / 3, rng.range(0.0, 255.0) as u8) };
            let flow = if simple { 0 } else { rng.range(0.0, 9.0) as u32 };
            let sent = Time::from_nanos(sent);
            let packet = Packet::new(flow, seq, sent, flow + 1, 1500, flags);
            let packet = Packet { at: Time::from_nanos(at), ..packet };
            rings.push(1, packet, |_| {});
            model.push_back(packet.to_row());
            if seq == 19_999 {
                let most = 8_192 * 48 + 12_000 * 5;
                assert!(rings.cells.len() * 48 + rings.packed < most, "{rings:?}");
                assert!(rings.iter().map(Packet::to_row).eq(model.iter().copied()));
            }
        }
        assert!(rings.iter().map(Packet::to_row).eq(model.iter().copied()));
        while !model.is_empty() {
            let many = (rng.range(0.0, 256.0) as usize).min(model.len());
            let wanted: Vec<_> = model.drain(..many).collect();
            let found: Vec<_> = if rng.unit() < 0.5 {
                (0..many).map(|_| rings.pop(1).0).collect()
            } else {
                let mut taken = Vec::new();
                if many > 0 {
                    let mut cell = rings.see_first(1).expect("none was seen");
                    (1..many).for_each(|_| cell = rings.behind(1, cell).0);
                    rings.see(1, cell);
                    rings.take_seen(1, &mut taken);
                }
                taken
            };
            assert!(found.into_iter().map(Packet::to_row).eq(wanted));
        }
        assert_eq!((rings.iter().count(), rings.packed, rings.middles.len()), (0, 0, 0));
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
