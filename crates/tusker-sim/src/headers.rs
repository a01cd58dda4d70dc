//! What travels with the packets of flows that communicate with routers: headers on data
//! packets, and the routers' answers on ACKs. A packet holds a key to it in the field where
//! other packets hold the key to their SACK blocks, so packets do not grow.

use tusker_core::queue::Header;
use tusker_path::room;

use crate::packet::NO_BLOCKS;

/// Accompanies one packet.
#[derive(Clone, Copy, Debug)]
enum Kept {
    /// Data: for the routers.
    Header(Header),
    /// ACK: the routers' answer, and the key to the SACK blocks.
    Answer(f64, u32),
}

/// Everything under way; keys are reused.
#[derive(Debug, Default)]
pub struct HeaderStore {
    kept: Vec<Kept>,
    free: Vec<u32>,
}

/// Distinguishes these keys from those of SACK blocks.
const OURS: u32 = 1 << 31;

impl HeaderStore {
    /// Whether this key is one of ours.
    pub fn has(key: u32) -> bool {
        key & OURS != 0 && key != NO_BLOCKS
    }

    /// Stores a header; returns its key.
    pub fn keep_header(&mut self, header: Header) -> u32 {
        self.keep(Kept::Header(header))
    }

    /// Stores the routers' answer with the key to the SACK blocks; returns its key.
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

    /// Bytes in use, and the most with this many more packets.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let each = size_of::<Kept>() + size_of::<u32>();
        room(self.kept.len() + more, self.kept.capacity(), each)
    }

    /// The header stored under this key, if it is one of ours.
    pub fn header(&mut self, key: u32) -> Option<&mut Header> {
        if !Self::has(key) {
            return None;
        }
        match &mut self.kept[(key ^ OURS) as usize] {
            Kept::Header(header) => Some(header),
            Kept::Answer(..) => None,
        }
    }

    /// Removes a header and frees its key, if it is one of ours.
    pub fn take_header(&mut self, key: u32) -> Option<Header> {
        let header = *self.header(key)?;
        self.free.push(key);
        Some(header)
    }

    /// Removes the routers' answer and frees its key, if it is one of ours; also returns
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

    /// The key to the SACK blocks that accompany the routers' answer.
    pub fn blocks(&self, key: u32) -> u32 {
        match self.kept[(key ^ OURS) as usize] {
            Kept::Answer(_, blocks) => blocks,
            Kept::Header(_) => NO_BLOCKS,
        }
    }

    /// How many are under way.
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
        // keys that are not ours stay as they are
        assert_eq!(store.take_answer(7), (None, 7));
        assert_eq!(store.take_header(NO_BLOCKS), None);
        let again = store.keep_answer(0.0, NO_BLOCKS);
        assert!(again == a || again == b);
    }
}
