//! Interprets bytes as an edit of a valid file, which reaches code that random bytes would not.

/// An edit: the file, the position, how much is removed, and the replacement.
pub struct Edit<'a> {
    which: usize,
    at: usize,
    drop: usize,
    put: &'a [u8],
}

impl<'a> Edit<'a> {
    /// The edit encoded in these bytes: one byte selects the file, two the position, one
    /// how much is removed; the rest is inserted there.
    pub fn read(bytes: &'a [u8]) -> Option<Self> {
        let (&[which, low, high, drop], put) = bytes.split_first_chunk()?;
        let at = usize::from(u16::from_le_bytes([low, high]));
        Some(Self { which: which.into(), at, drop: drop.into(), put })
    }

    /// One of this many.
    pub fn of(&self, files: usize) -> usize {
        self.which % files
    }

    /// The file with the edit applied; positions wrap around at its end.
    pub fn apply(&self, original: &[u8]) -> Vec<u8> {
        let at = self.at % (original.len() + 1);
        let end = (at + self.drop).min(original.len());
        [&original[..at], self.put, &original[end..]].concat()
    }
}
