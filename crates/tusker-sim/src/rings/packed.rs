//! Rows of numbers in a few bytes each: for packets that wait long, of which successive ones
//! differ little.
//!
//! Each column is expected to go on by the same step. What is stored is by how much it does not,
//! with as many bytes as the largest such difference of the column needs: none for the numbers of
//! segments without losses, one for times behind a busy wire.

/// Bytes read at once; so many follow the last column.
const WORD: usize = size_of::<u64>();

/// Packs rows.
pub fn pack<const N: usize>(rows: &[[u64; N]]) -> Box<[u8]> {
    // all columns at a time
    let change = |three: &[[u64; N]], column: usize| {
        let [a, b, c] = [0, 1, 2].map(|row: usize| three[row][column]);
        c.wrapping_sub(b).wrapping_sub(b.wrapping_sub(a))
    };
    let mut bits = [0; N];
    for three in rows.windows(3) {
        for (column, bits) in bits.iter_mut().enumerate() {
            let change = change(three, column);
            // where two bits differ, up to the sign
            *bits |= change ^ change << 1;
        }
    }
    let mut bytes = Vec::with_capacity(rows.len() * WORD);
    for (column, bits) in bits.into_iter().enumerate() {
        let width = (u64::BITS - bits.leading_zeros()).div_ceil(8) as usize;
        let first = rows.first().map_or(0, |row| row[column]);
        let step = rows.get(1).map_or(0, |row| row[column].wrapping_sub(first));
        bytes.push(width as u8);
        bytes.extend(first.to_le_bytes());
        bytes.extend(step.to_le_bytes());
        if width > 0 {
            // one more than there are, so that each row after the first has one
            let (begin, end) = (bytes.len(), bytes.len() + width * (rows.len() - 1));
            bytes.resize(end + WORD, 0);
            // the next one overwrites the bytes that are not needed
            for (three, at) in rows.windows(3).zip((begin..).step_by(width)) {
                bytes[at..at + WORD].copy_from_slice(&change(three, column).to_le_bytes());
            }
            bytes.truncate(end);
        }
    }
    bytes.extend([0; WORD]);
    bytes.as_slice().into()
}

/// Fills rows with what was packed, as many as were.
pub fn unpack<const N: usize>(bytes: &[u8], rows: &mut [[u64; N]]) {
    let word = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().expect("padded"));
    let mut at = 0;
    for column in 0..N {
        let width = usize::from(bytes[at]);
        let (mut value, mut step) = (word(at + 1), word(at + 1 + WORD));
        at += 1 + 2 * WORD;
        let mut rows = rows.iter_mut();
        if let Some(row) = rows.next() {
            row[column] = value;
        }
        if width == 0 {
            for row in rows {
                value = value.wrapping_add(step);
                row[column] = value;
            }
            continue;
        }
        let rest = u64::BITS as usize - 8 * width;
        for row in rows {
            value = value.wrapping_add(step);
            row[column] = value;
            let change = (word(at) << rest) as i64 >> rest;
            step = step.wrapping_add(change as u64);
            at += width;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_core::Rng;

    fn returns<const N: usize>(rows: &[[u64; N]]) -> usize {
        let bytes = pack(rows);
        let mut found = vec![[7; N]; rows.len()];
        unpack(&bytes, &mut found);
        assert_eq!(found, rows);
        bytes.len()
    }

    #[test]
    fn what_is_packed_comes_back() {
        let mut rng = Rng::named(1, "packed");
        for round in 0..200 {
            let rows: Vec<[u64; 3]> = (0..rng.range(0.0, 70.0) as usize)
                .map(|_| {
                    std::array::from_fn(|_| {
                        (rng.unit() * (1_u64 << rng.range(0.0, 64.0) as u32) as f64) as u64
                    })
                })
                .collect();
            assert!(returns(&rows) <= 3 * (17 + 8 * rows.len()) + 8, "round {round}");
        }
        returns(&[[0, u64::MAX], [u64::MAX, 0], [0, u64::MAX], [u64::MAX, 0]]);
    }

    /// 1,500 bytes at 300 Mbit/s leave every 40,000 ns, sent when ACKs came, within 100 us: a
    /// step may change by 400 us in either direction, which takes three bytes.
    #[test]
    fn successive_packets_take_three_bytes() {
        let mut rng = Rng::named(2, "packed");
        let row = |i: u64| [i * 40_000, i * 40_000 + rng.range(0.0, 1e5) as u64, i, 5];
        let rows: Vec<[u64; 4]> = (1_000_000..1_000_256).map(row).collect();
        // four columns that begin with 17 bytes
        assert_eq!(returns(&rows), 4 * 17 + 3 * 255 + 8);
    }
}
