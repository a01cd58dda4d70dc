//! What travels beside packets of flows that routers speak to: headers with
//! data, and with ACKs what the routers said. A packet has the number of a slot
//! where others have that of their SACK blocks, so that it grows by nothing.

use tusker_core::queue::Header;
use tusker_path::room;

use crate::packet::NO_BLOCKS;

/// Beside one packet.
#[derive(Clone, Copy, Debug)]
enum Kept {
    /// Data: for the routers.
    Header(Header),
    /// ACK: what they said, and where the SACK blocks are kept.
    Answer(f64, u32),
}

/// Everything carried that is under way: slots are used again.
#[derive(Debug, Default)]
pub struct HeaderStore {
    slots: Vec<Kept>,
    free: Vec<u32>,
}

/// Tells these slots from those of SACK blocks.
const OURS: u32 = 1 << 31;

impl HeaderStore {
    /// This slot is one of ours.
    pub fn has(slot: u32) -> bool {
        slot & OURS != 0 && slot != NO_BLOCKS
    }

    /// Keeps a header: where.
    pub fn keep_header(&mut self, header: Header) -> u32 {
        self.keep(Kept::Header(header))
    }

    /// Keeps what the routers said beside the slot of SACK blocks: where.
    pub fn keep_answer(&mut self, said: f64, blocks: u32) -> u32 {
        self.keep(Kept::Answer(said, blocks))
    }

    fn keep(&mut self, what: Kept) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[(slot ^ OURS) as usize] = what;
            return slot;
        }
        self.slots.push(what);
        (self.slots.len() - 1) as u32 | OURS
    }

    /// Bytes that it takes, and how many it takes at most with so many more packets.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let each = size_of::<Kept>() + size_of::<u32>();
        room(self.slots.len() + more, self.slots.capacity(), each)
    }

    /// The header kept there, if it is one of ours.
    pub fn header(&mut self, slot: u32) -> Option<&mut Header> {
        if !Self::has(slot) {
            return None;
        }
        match &mut self.slots[(slot ^ OURS) as usize] {
            Kept::Header(header) => Some(header),
            Kept::Answer(..) => None,
        }
    }

    /// Takes a header and frees its slot, if it is one of ours.
    pub fn take_header(&mut self, slot: u32) -> Option<Header> {
        let header = *self.header(slot)?;
        self.free.push(slot);
        Some(header)
    }

    /// Takes what the routers said and frees its slot, if it is one of ours; and
    /// the slot of the SACK blocks.
    pub fn take_answer(&mut self, slot: u32) -> (Option<f64>, u32) {
        if !Self::has(slot) {
            return (None, slot);
        }
        match self.slots[(slot ^ OURS) as usize] {
            Kept::Answer(said, blocks) => {
                self.free.push(slot);
                (Some(said), blocks)
            }
            Kept::Header(_) => (None, NO_BLOCKS),
        }
    }

    /// How much is under way.
    #[cfg(test)]
    pub fn in_use(&self) -> usize {
        self.slots.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_used_again_and_told_from_others() {
        let mut store = HeaderStore::default();
        let a = store.keep_header(Header::Vcp { load: 1 });
        let b = store.keep_answer(2.5, 7);
        assert!(HeaderStore::has(a) && HeaderStore::has(b));
        assert!(!HeaderStore::has(NO_BLOCKS) && !HeaderStore::has(7));
        if let Some(Header::Vcp { load }) = store.header(a) {
            *load = 3;
        }
        assert_eq!(store.take_header(a), Some(Header::Vcp { load: 3 }));
        assert_eq!(store.take_answer(b), (Some(2.5), 7));
        assert_eq!(store.in_use(), 0);
        // what is not ours stays what it is
        assert_eq!(store.take_answer(7), (None, 7));
        assert_eq!(store.take_header(NO_BLOCKS), None);
        let again = store.keep_answer(0.0, NO_BLOCKS);
        assert!(again == a || again == b);
    }
}
