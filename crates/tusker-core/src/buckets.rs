//! Log-linear buckets of non-negative integers: each power of two is cut into equally wide
//! buckets, so that a bucket is narrow compared with the values in it.

/// The number of the bucket of a value, if each power of two is cut into 2^`sub` buckets.
/// Values below 2^(`sub` + 1) have buckets of their own.
#[inline]
pub const fn bucket(value: u64, sub: u32) -> usize {
    let bits = 64 - value.leading_zeros();
    let shift = bits.saturating_sub(sub + 1);
    (((shift as u64) << sub) + (value >> shift)) as usize
}

/// The lowest value of a bucket, and how many values it holds.
pub const fn bounds(bucket: usize, sub: u32) -> (u64, u64) {
    let shift = ((bucket as u64) >> sub).saturating_sub(1);
    ((bucket as u64 - (shift << sub)) << shift, 1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_values_are_exact_and_large_ones_in_narrow_buckets() {
        for sub in [5, 6] {
            let parts = 1 << sub;
            for value in [0, 1, 31, 32, 63, 64, 65, 127, 128, 1000, 123_456_789, u64::MAX / 2] {
                let (low, width) = bounds(bucket(value, sub), sub);
                assert!(low <= value && value - low < width, "{value} not in [{low}, +{width})");
                assert!(width == 1 || width * parts <= low, "{value} in a bucket {width} wide");
                assert!(value >= 2 * parts || width == 1, "{value} is exact");
            }
        }
    }
}
