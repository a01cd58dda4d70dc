//! Which bytes of a connection have arrived, to tell new bytes from repeated ones.

use std::collections::BTreeMap;

/// The bytes of one connection that have arrived.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Everything before this has arrived; `None` before the first segment.
    next: Option<u64>,
    /// What has arrived beyond that: start and end of ranges that do not touch.
    beyond: BTreeMap<u64, u64>,
}

impl Seen {
    /// For a connection whose first byte has this number.
    pub fn from(first: u32) -> Self {
        Self { next: Some(u64::from(first) + (1 << 32)), beyond: BTreeMap::new() }
    }

    /// A segment arrives; returns how many of its bytes are new. Unless the first number is
    /// known, the first segment is taken as the connection's first.
    pub fn arrive(&mut self, seq: u32, length: u32) -> u32 {
        let next = *self.next.get_or_insert(u64::from(seq) + (1 << 32));
        let begin = unwrap(seq, next);
        let end = begin + u64::from(length);
        if end <= next {
            return 0;
        }
        let fresh = self.add(begin.max(next), end);
        while let Some(entry) = self.beyond.first_entry()
            && Some(*entry.key()) <= self.next
        {
            let end = entry.remove();
            self.next = self.next.max(Some(end));
        }
        fresh as u32
    }

    /// Adds a range that starts at `next` or later; returns how much of it is new.
    fn add(&mut self, begin: u64, end: u64) -> u64 {
        if Some(begin) == self.next && self.beyond.first_key_value().is_none_or(|(b, _)| *b >= end)
        {
            // in order, the usual case
            self.next = Some(end);
            return end - begin;
        }
        let (mut from, mut to, mut known) = (begin, end, 0);
        let touching: Vec<(u64, u64)> = self
            .beyond
            .range(..=end)
            .rev()
            .take_while(|(_, e)| **e >= begin)
            .map(|(b, e)| (*b, *e))
            .collect();
        for (b, e) in touching {
            known += e.min(end).saturating_sub(b.max(begin));
            from = from.min(b);
            to = to.max(e);
            self.beyond.remove(&b);
        }
        self.beyond.insert(from, to);
        end - begin - known
    }
}

/// The number near `near` with these lower 32 bits.
fn unwrap(seq: u32, near: u64) -> u64 {
    let apart = seq.wrapping_sub(near as u32).cast_signed();
    near.wrapping_add_signed(i64::from(apart))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn what_comes_again_is_not_new() {
        let mut seen = Seen::default();
        assert_eq!(seen.arrive(100, 10), 10);
        assert_eq!(seen.arrive(100, 10), 0);
        // a hole, its other side, and the hole with both sides again
        assert_eq!(seen.arrive(120, 10), 10);
        assert_eq!(seen.arrive(125, 10), 5);
        assert_eq!(seen.arrive(105, 30), 10);
        assert_eq!(seen.arrive(135, 1), 1);
        assert!(seen.beyond.is_empty());
    }

    #[test]
    fn numbers_begin_anew_after_4_gib() {
        let mut seen = Seen::default();
        assert_eq!(seen.arrive(u32::MAX - 9, 10), 10);
        assert_eq!(seen.arrive(0, 10), 10);
        assert_eq!(seen.arrive(u32::MAX - 4, 10), 0);
    }

    proptest! {
        /// Compared with a set of all bytes.
        #[test]
        fn ranges_are_sets(segments in prop::collection::vec((0_u32..300, 1_u32..40), 1..60)) {
            let mut seen = Seen::default();
            seen.arrive(u32::MAX - 49, 1);
            let mut all: BTreeSet<u32> = [0].into();
            for (at, length) in segments {
                let bytes = (1 + at..1 + at + length).filter(|b| all.insert(*b)).count() as u32;
                prop_assert_eq!(seen.arrive((u32::MAX - 49).wrapping_add(1 + at), length), bytes);
            }
        }
    }
}
