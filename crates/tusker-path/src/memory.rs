//! What growing costs in memory.

/// Bytes that a growing vector with this capacity takes, and how many it takes at
/// most by the time when it holds `length` values of this size: what is full is
/// copied to a room of twice its size, or of what it needs.
pub fn room(length: usize, capacity: usize, size: usize) -> (u64, u64) {
    let taken = capacity * size;
    let soon = match length > capacity {
        true => taken + length.max(2 * capacity) * size,
        false => taken,
    };
    (taken as u64, soon as u64)
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
