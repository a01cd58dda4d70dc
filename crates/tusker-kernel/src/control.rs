//! `struct control` of `bpf/events.h`: the counters and names that a loaded law reports.

/// Its section, which is also its map's name.
pub const MAP: &str = ".data.tusker";

/// The section of `struct watch`.
pub const WATCH_MAP: &str = ".data.watch";

/// The parameters' section.
pub const PARAMS_MAP: &str = ".rodata.tusker";

/// Longest name, including the byte that ends it.
pub const NAME_BYTES: usize = 16;

/// How many numbers precede the names.
const NUMBERS: usize = 8;

/// Its size in bytes.
const SIZE: usize = 8 * NUMBERS + 2 * NAME_BYTES;

/// The contents of `.data.tusker`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Connections that have ever used the law.
    pub opened: u64,
    /// Those of them that have ended.
    pub closed: u64,
    /// Events lost because the ring was full.
    pub missed: u64,
    /// Windows that shrank after a loss or mark.
    pub shrinks: u64,
    /// Windows that shrank after a timeout.
    pub timeouts: u64,
    /// Those of both that were unneeded and undone.
    pub undone: u64,
    /// Changes of the kernel's recovery state.
    pub states: u64,
    /// Windows and thresholds that were mended because the kernel had skipped a hook.
    pub skipped: u64,
    /// The name by which the kernel knows the law.
    pub name: String,
    /// The law's own name.
    pub law: String,
}

impl Control {
    /// Parses its bytes; `None` if there are too few.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (numbers, names) = bytes.get(..SIZE)?.split_at(8 * NUMBERS);
        let number = |i: usize| {
            u64::from_ne_bytes(numbers[8 * i..8 * i + 8].try_into().expect("eight bytes"))
        };
        Some(Self {
            opened: number(0),
            closed: number(1),
            missed: number(2),
            shrinks: number(3),
            timeouts: number(4),
            undone: number(5),
            states: number(6),
            skipped: number(7),
            name: text(&names[..NAME_BYTES]),
            law: text(&names[NAME_BYTES..]),
        })
    }

    /// Its bytes.
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(SIZE);
        let numbers: [u64; NUMBERS] = [
            self.opened,
            self.closed,
            self.missed,
            self.shrinks,
            self.timeouts,
            self.undone,
            self.states,
            self.skipped,
        ];
        for number in numbers {
            bytes.extend(number.to_ne_bytes());
        }
        for name in [&self.name, &self.law] {
            let mut field = [0; NAME_BYTES];
            let length = name.len().min(NAME_BYTES - 1);
            field[..length].copy_from_slice(&name.as_bytes()[..length]);
            bytes.extend(field);
        }
        bytes
    }

    /// Connections that use the law now.
    pub fn open(&self) -> u64 {
        self.opened.saturating_sub(self.closed)
    }
}

/// The text up to the first zero.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_read_back() {
        let control = Control {
            opened: 30,
            closed: 10,
            missed: 5,
            shrinks: 6,
            timeouts: 7,
            undone: 8,
            states: 9,
            skipped: 10,
            name: "gentle".into(),
            law: "ghstcp".into(),
        };
        let bytes = control.bytes();
        // eight numbers and two names of 16 bytes: bpf/events.h
        assert_eq!(bytes.len(), 96);
        assert_eq!(Control::read(&bytes), Some(control));
        assert_eq!(Control::read(&bytes[..95]), None);
    }
}
