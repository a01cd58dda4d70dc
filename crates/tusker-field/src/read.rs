//! What a file is, by what is in it.

use std::io::Read;

use crate::measured::Measured;
use crate::{Mistake, iperf, ss};

/// The most bytes of a file that are read, and of what is packed in it.
pub const MAX_BYTES: u64 = 64 << 20;

/// What a file measured. `name` is what messages call it.
///
/// # Errors
/// If it is none of the formats; the message says what it seems to be.
pub fn read(name: &str, bytes: &[u8]) -> Result<Measured, Mistake> {
    let kind = Kind::of(bytes);
    match kind {
        Kind::Gzip => read(name, &unpacked(name, bytes)?),
        Kind::Json(json) if iperf::is(&json) => iperf::measured(name, &json),
        Kind::Text(text) if ss::is(text) => ss::measured(name, text),
        other => {
            let message = format!("{name} seems to be {}, not a measurement", other.describe());
            Err(Mistake::new(message, "expected the output of `iperf3 --json` or of `ss -tin`"))
        }
    }
}

/// What bytes are.
enum Kind<'a> {
    Empty,
    Gzip,
    Pcap,
    Json(serde_json::Value),
    Text(&'a str),
    Binary,
}

impl<'a> Kind<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        let magic = bytes.get(..4).unwrap_or_default();
        let captures: [&[u8]; 5] = [
            &[0xa1, 0xb2, 0xc3, 0xd4],
            &[0xd4, 0xc3, 0xb2, 0xa1],
            &[0xa1, 0xb2, 0x3c, 0x4d],
            &[0x4d, 0x3c, 0xb2, 0xa1],
            &[0x0a, 0x0d, 0x0d, 0x0a],
        ];
        match std::str::from_utf8(bytes) {
            _ if bytes.is_empty() => Self::Empty,
            _ if magic.starts_with(&[0x1f, 0x8b]) => Self::Gzip,
            _ if captures.contains(&magic) => Self::Pcap,
            Err(_) => Self::Binary,
            Ok(text) => match serde_json::from_str(text) {
                Ok(json @ serde_json::Value::Object(_)) => Self::Json(json),
                _ => Self::Text(text),
            },
        }
    }

    /// With the command that takes it, if there is one.
    fn describe(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Gzip => "compressed by gzip",
            Self::Pcap => "a packet capture",
            Self::Json(_) => "JSON of another program than iperf3",
            Self::Text(text) if text.contains("[dumbbell]") => {
                "a scenario, which `tusker run` takes"
            }
            Self::Text(text) if text.contains("Mbits/sec") || text.contains("Gbits/sec") => {
                "iperf's output for people, without --json"
            }
            Self::Text(_) => "another text",
            Self::Binary => "binary",
        }
    }
}

/// What gzip packed, as far as it is not too much.
pub(crate) fn unpacked(name: &str, bytes: &[u8]) -> Result<Vec<u8>, Mistake> {
    let mut all = Vec::new();
    let packed = flate2::read::MultiGzDecoder::new(bytes);
    let read = packed.take(MAX_BYTES + 1).read_to_end(&mut all);
    let broken = |e: std::io::Error| Mistake::new(format!("{name}: {e}"), "pack it again");
    read.map_err(broken)?;
    if all.len() as u64 > MAX_BYTES {
        let message = format!("{name}: more than {} MiB when unpacked", MAX_BYTES >> 20);
        return Err(Mistake::new(message, "take a part of it"));
    }
    // gzip within gzip has no end
    match all.starts_with(&[0x1f, 0x8b]) {
        true => Err(Mistake::new(format!("{name}: packed by gzip twice"), "unpack it once")),
        false => Ok(all),
    }
}
