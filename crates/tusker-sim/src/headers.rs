//! What travels beside packets of flows that routers speak to: headers with
//! data, and with ACKs what the routers said. A packet has a key to them
//! where others have one to their SACK blocks, so that it grows by nothing.

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

/// Everything carried that is under way: keys are used again.
#[derive(Debug, Default)]
pub struct HeaderStore {
    kept: Vec<Kept>,
    free: Vec<u32>,
}

/// Tells these keys from those of SACK blocks.
const OURS: u32 = 1 << 31;

impl HeaderStore {
    /// This key is one of ours.
    pub fn has(key: u32) -> bool {
        key & OURS != 0 && key != NO_BLOCKS
    }

    /// Keeps a header: its key.
    pub fn keep_header(&mut self, header: Header) -> u32 {
        self.keep(Kept::Header(header))
    }

    /// Keeps what the routers said beside the key to SACK blocks: its key.
    pub fn keep_answer(&mut self, said: f64, blocks: u32) -> u32 {
        self.keep(Kept::Answer(said, blocks))
    }

    fn keep(&mut self, what: Kept) -> u32 {
        if let Some(key) = self.free.pop() {
            self.kept[(key ^ OURS) as usize] = what;
            return key;
        }
        self.kept.push(what);
        (self.kept.len() - 1) as u32 | OURS
    }

    /// Bytes that it takes, and how many it takes at most with so many more packets.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let each = size_of::<Kept>() + size_of::<u32>();
        room(self.kept.len() + more, self.kept.capacity(), each)
    }

    /// The header kept there, if it is one of ours.
    pub fn header(&mut self, key: u32) -> Option<&mut Header> {
        if !Self::has(key) {
            return None;
        }
        match &mut self.kept[(key ^ OURS) as usize] {
            Kept::Header(header) => Some(header),
            Kept::Answer(..) => None,
        }
    }

    /// Takes a header and frees its key, if it is one of ours.
    pub fn take_header(&mut self, key: u32) -> Option<Header> {
        let header = *self.header(key)?;
        self.free.push(key);
        Some(header)
    }

    /// Takes what the routers said and frees its key, if it is one of ours; and
    /// the key to the SACK blocks.
    pub fn take_answer(&mut self, key: u32) -> (Option<f64>, u32) {
        if !Self::has(key) {
            return (None, key);
        }
        match self.kept[(key ^ OURS) as usize] {
            Kept::Answer(said, blocks) => {
                self.free.push(key);
                (Some(said), blocks)
            }
            Kept::Header(_) => (None, NO_BLOCKS),
        }
    }

    /// The key to the SACK blocks beside what the routers said.
    pub fn blocks(&self, key: u32) -> u32 {
        match self.kept[(key ^ OURS) as usize] {
            Kept::Answer(_, blocks) => blocks,
            Kept::Header(_) => NO_BLOCKS,
        }
    }

    /// How much is under way.
    #[cfg(test)]
    pub fn in_use(&self) -> usize {
        self.kept.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_used_again_and_told_from_others() {
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
