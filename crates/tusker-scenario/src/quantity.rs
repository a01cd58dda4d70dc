//! Quantities as people write them: rates, times, sizes.
//!
//! `k`, `M`, `G`, `T` are powers of 1000, for both rates and sizes; `KiB`, `MiB`,
//! `GiB` are powers of 1024. So a 64 KB socket buffer that means 65,536 bytes is
//! written `64KiB`.

use tusker_core::{Bytes, Duration, Rate};

use super::error::{nearest, quote};
use super::text::{Written, Wrong};

pub(super) type Unit = (&'static str, u128);

const RATES: &[Unit] = &[
    ("bit", 1),
    ("kbit", 1_000),
    ("Mbit", 1_000_000),
    ("Gbit", 1_000_000_000),
    ("Tbit", 1_000_000_000_000),
];
const TIMES: &[Unit] = &[
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];
pub(super) const SIZES: &[Unit] = &[
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// 100 Tbit/s, ten years, an exbibyte: larger values can only be typing errors.
const MAX_RATE: u128 = 100_000_000_000_000;
const MAX_TIME: u128 = 10 * 365 * 24 * 3_600_000_000_000;
pub(super) const MAX_SIZE: u128 = 1 << 60;

/// The number at the start of a text, and the unit after it.
pub(super) fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let exponent = matches!(bytes[end], b'e' | b'E')
            && matches!(bytes.get(end + 1), Some(b'0'..=b'9' | b'+' | b'-'));
        match bytes[end] {
            b'0'..=b'9' | b'.' | b'_' | b'+' | b'-' => end += 1,
            _ if exponent => end += 2,
            _ => break,
        }
    }
    (text[..end].trim(), text[end..].trim())
}

/// `number x scale`, exact wherever the number is a plain decimal.
pub(super) fn scaled(number: &str, scale: u128, what: &str) -> Result<u128, Wrong> {
    let digits = number.replace('_', "");
    let value: f64 = digits.parse().map_err(|_| {
        (format!("`{}` is not a number", quote(number)), format!("expected {what}"))
    })?;
    if value.is_infinite() {
        return Err((format!("`{}` is too large", quote(number)), format!("expected {what}")));
    }
    if value < 0.0 {
        return Err((format!("`{}` is negative", quote(number)), format!("expected {what}")));
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let plain = |d: &str| d.len() <= 18 && d.bytes().all(|b| b.is_ascii_digit());
    if !plain(whole) || !plain(fraction) {
        return Ok((value * scale as f64).round() as u128);
    }
    let int = |d: &str| d.bytes().fold(0_u128, |n, b| n * 10 + u128::from(b - b'0'));
    let tens = 10_u128.pow(fraction.len() as u32);
    Ok(int(whole) * scale + (int(fraction) * scale + tens / 2) / tens)
}

pub(super) fn quantity(text: &str, units: &[Unit], max: u128, what: &str) -> Result<u64, Wrong> {
    let (number, unit) = split(text);
    if number.is_empty() {
        let known = units.iter().any(|(name, _)| name.eq_ignore_ascii_case(unit));
        let help = match known {
            true => format!("write a number before the unit: 1{unit}"),
            false => format!("a number, then a unit: {}", nearest(unit, &names(units))),
        };
        return Err((format!("expected {what}, found `{}`", quote(text)), help));
    }
    let lower = unit.to_lowercase();
    let bare = lower.strip_suffix("/s").or_else(|| {
        // 100Mbps and 100Mb/s are common too
        lower.strip_suffix("ps").filter(|l| l.ends_with('b'))
    });
    // a capital B would be bytes
    let is_rate = units[0].0 == RATES[0].0 && !unit.contains('B');
    let named = |u: &&Unit| {
        let name = u.0.to_lowercase();
        let rate = is_rate && bare.is_some_and(|b| b == name || format!("{b}it") == name);
        name == lower || rate || (lower == "µs" && name == "us")
    };
    let is_size = units[0].0 == SIZES[0].0;
    if is_size && unit.ends_with('b') {
        let message = format!("`{}` may be bits", quote(unit));
        let bytes = unit.strip_suffix('b').unwrap_or_default();
        let help = format!("write {number}{bytes}B for bytes; for bits, divide by eight");
        return Err((message, help));
    }
    let Some(&(_, scale)) = units.iter().find(named) else {
        if unit.is_empty() {
            let [first, second] = usual(units).map(|unit| format!("`{}{unit}`", quote(number)));
            let valid = names(units).join(", ");
            let help = format!("expected {what}; did you mean {first} or {second}? units: {valid}");
            return Err((format!("`{}` has no unit", quote(text)), help));
        }
        let message = format!("unknown unit `{}`", quote(unit));
        return Err((message, format!("expected {what}; {}", nearest(unit, &names(units)))));
    };
    let value = scaled(number, scale, what)?;
    if value > max {
        let (unit, scale) =
            units.iter().rev().find(|u| max.is_multiple_of(u.1)).unwrap_or(&units[0]);
        return Err((
            format!("`{}` is too large", quote(text)),
            format!("at most {}{unit}", max / scale),
        ));
    }
    Ok(u64::try_from(value).expect("it must be below 2^64"))
}

/// Likely units for a number without one, the most likely first.
fn usual(units: &[Unit]) -> [&'static str; 2] {
    match units[0].0 {
        "ns" => ["ms", "s"],
        "bit" => ["Mbit", "Gbit"],
        _ => ["kB", "MB"],
    }
}

fn names(units: &[Unit]) -> Vec<&'static str> {
    units.iter().map(|u| u.0).collect()
}

const ZERO: &str = "for an outage of a link write down = { at = \"5s\", for = \"200ms\" }";

/// A rate, or zero.
pub(super) fn rate_or_zero(text: &str) -> Result<Rate, Wrong> {
    quantity(text, RATES, MAX_RATE, Rate::WHAT).map(Rate::from_bits_per_sec)
}

impl Written for Rate {
    const WHAT: &'static str = "a rate such as \"2.5Gbit\"";
    const EXAMPLES: &'static [&'static str] = &["2.5Gbit", "100Mbit", "64kbit"];
    fn read(text: &str) -> Result<Self, Wrong> {
        match quantity(text, RATES, MAX_RATE, Self::WHAT)? {
            0 => Err(("a rate of zero sends nothing".into(), ZERO.into())),
            bits => Ok(Self::from_bits_per_sec(bits)),
        }
    }
    fn write(&self) -> String {
        self.to_string()
    }
}

impl Written for Duration {
    const WHAT: &'static str = "a time such as \"50ms\"";
    const EXAMPLES: &'static [&'static str] = &["50ms", "1.5s", "200us"];
    fn read(text: &str) -> Result<Self, Wrong> {
        quantity(text, TIMES, MAX_TIME, Self::WHAT).map(Self::from_nanos)
    }
    fn write(&self) -> String {
        self.to_string()
    }
}

impl Written for Bytes {
    const WHAT: &'static str = "a size such as \"1500B\" or \"64KiB\"";
    const EXAMPLES: &'static [&'static str] = &["1500B", "64KiB", "10MB"];
    fn read(text: &str) -> Result<Self, Wrong> {
        quantity(text, SIZES, MAX_SIZE, Self::WHAT).map(Self::new)
    }
    fn write(&self) -> String {
        self.to_string()
    }
}

/// A buffer: a size, or `None` for no limit.
impl Written for Option<Bytes> {
    const WHAT: &'static str = "\"unlimited\" or a size such as \"64KiB\"";
    const EXAMPLES: &'static [&'static str] = &["unlimited", "64KiB"];
    fn read(text: &str) -> Result<Self, Wrong> {
        if text == "unlimited" { Ok(None) } else { Bytes::read(text).map(Some) }
    }
    fn write(&self) -> String {
        self.map_or_else(|| "unlimited".into(), |size| size.write())
    }
}
