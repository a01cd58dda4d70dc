//! The limit of a queue, as people write it.

use tusker_plan::plan;

use super::error::{nearest, quote};
use super::quantity::{MAX_SIZE, SIZES, quantity, scaled, split};
use super::text::{Written, Wrong};

/// The limit of a queue, as given in a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Without a limit.
    Unlimited,
    /// This many packets.
    Packets(u64),
    /// This many bytes.
    Bytes(u64),
    /// This many bandwidth-delay products.
    Bdp(f64),
    /// Local senders wait for room in a queue of this many packets; `None` for the
    /// size that Linux would allow at the link's rate.
    Backpressure(Option<u64>),
}

impl From<plan::Limit> for Limit {
    fn from(limit: plan::Limit) -> Self {
        match limit {
            plan::Limit::Unlimited => Self::Unlimited,
            plan::Limit::Packets(n) => Self::Packets(n),
            plan::Limit::Bytes(n) => Self::Bytes(n),
            plan::Limit::Backpressure(n) => Self::Backpressure(Some(n)),
        }
    }
}

impl Written for Limit {
    const WHAT: &'static str = "a queue limit such as \"10000pkt\", \"1MB\" or \"0.5bdp\"";
    const EXAMPLES: &'static [&'static str] =
        &["10000pkt", "1MB", "0.5bdp", "unlimited", "backpressure", "backpressure:83pkt"];

    fn read(text: &str) -> Result<Self, Wrong> {
        let (number, unit) = split(text);
        let lower = unit.to_lowercase();
        let packets = |number: &str| {
            let n = scaled(number, 1, Self::WHAT)?;
            let whole = number.bytes().all(|b| b.is_ascii_digit() || b == b'_');
            match u32::try_from(n) {
                Ok(0) => Err((
                    "a queue limit of zero lets nothing through".into(),
                    "the packet in transmission counts: at least 1pkt".into(),
                )),
                Ok(n) if whole => Ok(u64::from(n)),
                Ok(_) => Err((
                    format!("`{}` is not a whole number of packets", quote(number)),
                    format!("expected {}", Self::WHAT),
                )),
                Err(_) => Err((
                    format!("`{}` is too large", quote(text)),
                    format!("at most {}pkt, or \"unlimited\"", u32::MAX),
                )),
            }
        };
        match (number, lower.as_str()) {
            ("", "unlimited") => Ok(Self::Unlimited),
            ("", "backpressure") => Ok(Self::Backpressure(None)),
            ("", rest) if rest.starts_with("backpressure:") => {
                match split(&rest["backpressure:".len()..]) {
                    (number, "pkt") if !number.is_empty() => {
                        Ok(Self::Backpressure(Some(packets(number)?)))
                    }
                    _ => Err((
                        format!(
                            "expected a number of packets after `backpressure:`, found `{}`",
                            quote(rest)
                        ),
                        "write \"backpressure\" or \"backpressure:83pkt\"".into(),
                    )),
                }
            }
            ("", word) => Err((
                format!("expected {}, found `{}`", Self::WHAT, quote(text)),
                nearest(word, &["unlimited", "backpressure", "10000pkt", "1MB", "0.5bdp"]),
            )),
            (number, "pkt" | "pkts" | "packet" | "packets" | "p") => {
                packets(number).map(Self::Packets)
            }
            (number, "bdp") => {
                // checked as a number, then read with its fraction
                scaled(number, 1, Self::WHAT)?;
                let bdp: f64 = number.replace('_', "").parse().unwrap_or(0.0);
                if bdp > 0.0 && bdp <= 1e6 {
                    Ok(Self::Bdp(bdp))
                } else {
                    Err((
                        format!("`{}` is not between 0 and 1,000,000 bdp", quote(text)),
                        format!("expected {}", Self::WHAT),
                    ))
                }
            }
            (_, _) if SIZES.iter().any(|u| u.0.to_lowercase() == lower) => {
                match quantity(text, SIZES, MAX_SIZE, Self::WHAT)? {
                    0 => Err((
                        "a queue limit of zero lets nothing through".into(),
                        "give room for at least one packet".into(),
                    )),
                    bytes => Ok(Self::Bytes(bytes)),
                }
            }
            ("0", "") => Err((
                "a queue limit of zero lets nothing through".into(),
                format!("expected {}", Self::WHAT),
            )),
            (_, "") => Err((
                format!("`{}` has no unit", quote(text)),
                format!("expected {}; did you mean `{}pkt`?", Self::WHAT, quote(number)),
            )),
            (_, _) => Err((
                format!("unknown unit `{}`", quote(unit)),
                format!(
                    "expected {}; {}",
                    Self::WHAT,
                    nearest(unit, &["pkt", "bdp", "B", "kB", "MB", "KiB", "MiB"])
                ),
            )),
        }
    }

    fn write(&self) -> String {
        match self {
            Self::Unlimited => "unlimited".into(),
            Self::Packets(n) => format!("{n}pkt"),
            Self::Bytes(n) => format!("{n}B"),
            Self::Bdp(n) => format!("{n}bdp"),
            Self::Backpressure(None) => "backpressure".into(),
            Self::Backpressure(Some(n)) => format!("backpressure:{n}pkt"),
        }
    }
}
