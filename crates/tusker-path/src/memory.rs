//! The memory cost of growing vectors and queues.

use std::collections::VecDeque;

/// Memory in bytes of a vector with this capacity, and its peak by the time it
/// holds `length` values of this size: a full vector is copied to one of twice its
/// size, or of the size needed.
pub fn room(length: usize, capacity: usize, size: usize) -> (u64, u64) {
    let taken = capacity * size;
    let soon = match length > capacity {
        true => taken + length.max(2 * capacity) * size,
        false => taken,
    };
    (taken as u64, soon as u64)
}

/// The same for the queues of many flows; all of what comes may go to one, the longest.
pub fn rooms<'a, T: 'a>(
    queues: impl Iterator<Item = &'a VecDeque<T>> + Clone,
    more: usize,
) -> (u64, u64) {
    let longest = queues.clone().max_by_key(|queue| queue.capacity());
    let grows = longest.map_or(0, |queue| {
        let (taken, soon) = room(queue.len() + more, queue.capacity(), size_of::<T>());
        soon - taken
    });
    let taken = queues.map(|queue| queue.capacity() * size_of::<T>()).sum::<usize>() as u64;
    (taken, taken + grows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_full_is_copied() {
        assert_eq!(room(10, 16, 8), (128, 128));
        assert_eq!(room(17, 16, 8), (128, 128 + 256));
        assert_eq!(room(100, 16, 8), (128, 128 + 800));
    }
}
