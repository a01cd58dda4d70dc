//! The lines of a file of finished runs.
//!
//! ```text
//! {"names":["goodput_bps",...],"check":"0123456789abcdef"}
//! {"run":"<key>","of":"<hash of the names>","values":[1e6,null,...],"check":"..."}
//! ```
//!
//! The line with the names comes before the first row that uses them. `check` is the beginning
//! of the BLAKE3 hash of everything before it in the line.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::super::manifest::Build;
use crate::files::hash;

/// Identifies a point: a hash of its scenario and of the build that runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(blake3::Hash);

impl Fingerprint {
    /// From a scenario with every value filled in except seed and replicates, as
    /// written by [`tusker_scenario::sweep::cells`], and from what runs it.
    pub fn of(scenario: &str, build: &Build) -> Self {
        Self(blake3::hash(format!("{} {scenario}", build.hash).as_bytes()))
    }

    /// The key of the run with this seed.
    pub fn run(&self, seed: u64) -> Key {
        let mut text = self.0.as_bytes().to_vec();
        text.extend(seed.to_le_bytes());
        let mut key = [0; 16];
        key.copy_from_slice(&blake3::hash(&text).as_bytes()[..16]);
        Key(key)
    }
}

/// Identifies a run: its point and its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key([u8; 16]);

impl Key {
    /// In hexadecimal.
    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn read(text: &str) -> Option<Self> {
        let mut key = [0; 16];
        let whole = text.len() == 32 && text.is_ascii();
        for (i, byte) in key.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
        }
        whole.then_some(Self(key))
    }

    /// The position of the byte that is locked for it.
    pub(super) fn place(&self) -> i64 {
        let (first, _) = self.0.split_at(8);
        i64::from_le_bytes(first.try_into().expect("there are eight")) & (i64::MAX >> 1)
    }
}

/// The results of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The names of its values, shared by rows of the same kind.
    pub names: Arc<[String]>,
    /// The values; NaN where there is none.
    pub values: Vec<f64>,
}

impl Row {
    /// The value of this name.
    pub fn value(&self, name: &str) -> Option<f64> {
        let at = self.names.iter().position(|own| own == name)?;
        self.values.get(at).copied().filter(|value| !value.is_nan())
    }

    /// The lines of a file with only this row, for the run with this key: the form
    /// that is sent between machines and kept in object stores.
    pub fn to_lines(&self, key: &Key) -> String {
        names(&self.names) + &row(key, &hash_of(&self.names), &self.values)
    }

    /// Reads such a file; `None` if it is damaged.
    pub fn of_lines(text: &str) -> Option<(Key, Self)> {
        let mut reader = Reader::default();
        let rows: Vec<_> = text.lines().filter_map(|l| reader.read(l.as_bytes())).collect();
        let [only] = <[(Key, Self); 1]>::try_from(rows).ok()?;
        (reader.damaged == 0).then_some(only)
    }
}

const CHECK: &str = ",\"check\":\"";

/// Length of a check sum in hexadecimal digits.
const SUM: usize = 16;

fn sum(text: &str) -> String {
    let mut sum = hash(text.as_bytes());
    sum.truncate(SUM);
    sum
}

fn closed(mut text: String) -> String {
    let sum = sum(&text);
    text += CHECK;
    text += &sum;
    text += "\"}\n";
    text
}

/// The identifier of these names in rows.
pub(super) fn hash_of(names: &[String]) -> String {
    sum(&names.join("\n"))
}

/// The line of names.
pub(super) fn names(names: &[String]) -> String {
    let list = serde_json::to_string(names).expect("names are text");
    closed(format!("{{\"names\":{list}"))
}

/// The line of a row; `of` is the hash of its names.
pub(super) fn row(key: &Key, of: &str, values: &[f64]) -> String {
    // values that are not finite become null
    let list = serde_json::to_string(values).expect("values are numbers");
    closed(format!("{{\"run\":\"{}\",\"of\":\"{of}\",\"values\":{list}", key.hex()))
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Names { names: Vec<String> },
    Row { run: String, of: String, values: Vec<Option<f64>> },
}

/// Reads the lines of one file, in their order.
#[derive(Debug, Default)]
pub(super) struct Reader {
    known: BTreeMap<String, Arc<[String]>>,
    /// Number of damaged lines.
    pub damaged: usize,
}

impl Reader {
    /// The next line, without its end.
    pub fn read(&mut self, line: &[u8]) -> Option<(Key, Row)> {
        let row = self.checked(line);
        if row.is_none() {
            self.damaged += 1;
        }
        row?
    }

    /// A row, or `Some(None)` for a line of names.
    fn checked(&mut self, line: &[u8]) -> Option<Option<(Key, Row)>> {
        let text = std::str::from_utf8(line).ok()?;
        let at = text.len().checked_sub(CHECK.len() + SUM + 2)?;
        let (head, tail) = (text.get(..at)?, text.get(at..)?);
        let own = tail.strip_prefix(CHECK)?.strip_suffix("\"}")?;
        if own != sum(head) {
            return None;
        }
        match serde_json::from_str(text).ok()? {
            Line::Names { names } => {
                self.known.insert(hash_of(&names), names.into());
                Some(None)
            }
            Line::Row { run, of, values } => {
                let names = self.known.get(&of)?.clone();
                let values: Vec<f64> = values.into_iter().map(|v| v.unwrap_or(f64::NAN)).collect();
                let row = (names.len() == values.len()).then_some(Row { names, values })?;
                Some(Some((Key::read(&run)?, row)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> (Key, Vec<f64>, [String; 2]) {
        let (key, values) = (Key([7; 16]), vec![0.1 + 0.2, f64::NAN, -3e-300]);
        let all = ["a", "b", "c"].map(str::to_owned);
        let of = hash_of(&all);
        (key, values.clone(), [names(&all), row(&key, &of, &values)])
    }

    #[test]
    fn a_row_is_read_back_to_the_last_bit() {
        let (key, values, [names, row]) = lines();
        let mut reader = Reader::default();
        assert_eq!(reader.read(names.trim_end().as_bytes()), None);
        let (own, read) = reader.read(row.trim_end().as_bytes()).unwrap();
        assert_eq!(own, key);
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&read.values), bits(&values));
        assert_eq!((read.value("a"), read.value("b")), (Some(0.1 + 0.2), None));
        assert_eq!(reader.damaged, 0);
    }

    #[test]
    fn a_row_alone_is_read_back_and_a_damaged_one_is_none() {
        let row = Row { names: ["a".into(), "b".into()].into(), values: vec![0.1 + 0.2, -3e-300] };
        let text = row.to_lines(&Key([9; 16]));
        assert_eq!(Row::of_lines(&text), Some((Key([9; 16]), row)));
        for at in 0..text.len() {
            // the end of the last line may be missing
            let cut = Row::of_lines(&text[..at]).is_some();
            assert_eq!(cut, at == text.len() - 1, "the first {at} bytes");
        }
        assert_eq!(Row::of_lines(&text.repeat(2)), None, "one row alone");
    }

    /// If any byte is changed or the end is missing, there is no row and the line
    /// is counted.
    #[test]
    fn damage_is_noticed() {
        let (_, _, [names, row]) = lines();
        let row = row.trim_end().as_bytes();
        for at in 0..row.len() {
            let mut reader = Reader::default();
            reader.read(names.trim_end().as_bytes());
            let mut changed = row.to_vec();
            changed[at] ^= 0x01;
            assert_eq!(reader.read(&changed), None, "byte {at}");
            assert_eq!(reader.read(&row[..at]), None, "the first {at} bytes");
            assert_eq!(reader.damaged, 2);
        }
        // without its names a row is meaningless
        assert_eq!(Reader::default().read(row), None);
    }
}
