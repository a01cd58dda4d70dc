//! Quantities and choices as people write them.
//!
//! `k`, `M`, `G`, `T` are powers of 1000, for rates and sizes alike; `KiB`,
//! `MiB`, `GiB` are powers of 1024. So a 64 KB socket buffer that means 65,536
//! bytes is written `64KiB`.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tusker_core::{Bytes, Duration, Rate};

use super::error::{Mistake, nearest, quote};
use tusker_plan::plan;

/// Something that scenario files write as a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text<T>(pub T);

impl<T> From<T> for Text<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

/// How a thing is written.
pub trait Written: Sized {
    /// With its article and an example: `a rate such as "2.5Gbit"`.
    const WHAT: &'static str;
    /// A few texts that are right.
    const EXAMPLES: &'static [&'static str];
    /// All texts that are right, if they can be listed.
    const CHOICES: &'static [&'static str] = &[];

    /// Reads a text: the thing, or what is wrong and the remedy.
    ///
    /// # Errors
    /// If the text does not stand for such a thing.
    fn read(text: &str) -> Result<Self, (String, String)>;

    /// Writes it so that [`Self::read`] gives the same again.
    fn write(&self) -> String;
}

impl<T: Written> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.0.write())
    }
}

impl<'de, T: Written> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<T: Written> de::Visitor<'_> for Visitor<T> {
            type Value = Text<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::WHAT)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<T>, E> {
                let read = T::read(text);
                read.map(Text).map_err(|(m, help)| Mistake::new(m, help).into_serde())
            }
        }
        d.deserialize_str(Visitor(PhantomData))
    }
}

impl<T: Written> JsonSchema for Text<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::WHAT.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        if T::CHOICES.is_empty() {
            json_schema!({ "type": "string", "description": T::WHAT, "examples": T::EXAMPLES })
        } else {
            json_schema!({ "type": "string", "enum": T::CHOICES })
        }
    }
}

type Unit = (&'static str, u128);

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
const SIZES: &[Unit] = &[
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

/// 100 Tbit/s, ten years, an exbibyte: beyond them lie only typing errors.
const MAX_RATE: u128 = 100_000_000_000_000;
const MAX_TIME: u128 = 10 * 365 * 24 * 3_600_000_000_000;
const MAX_SIZE: u128 = 1 << 60;

type Wrong = (String, String);

/// The number at the start of a text and the unit after it.
fn split(text: &str) -> (&str, &str) {
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
fn scaled(number: &str, scale: u128, what: &str) -> Result<u128, Wrong> {
    let digits = number.replace('_', "");
    let value: f64 = digits.parse().ok().filter(|v: &f64| v.is_finite()).ok_or_else(|| {
        (format!("`{}` is not a number", quote(number)), format!("expected {what}"))
    })?;
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

fn quantity(text: &str, units: &[Unit], max: u128, what: &str) -> Result<u64, Wrong> {
    let (number, unit) = split(text);
    if number.is_empty() {
        let help = format!("a number, then a unit: {}", nearest(unit, &names(units)));
        return Err((format!("expected {what}, found `{}`", quote(text)), help));
    }
    let lower = unit.to_lowercase();
    let bare = lower.strip_suffix("/s").or_else(|| {
        // 100Mbps and 100Mb/s are common, too
        lower.strip_suffix("ps").filter(|l| l.ends_with('b'))
    });
    // a capital B would be bytes
    let is_rate = units[0].0 == RATES[0].0 && !unit.contains('B');
    let named = |u: &&Unit| {
        let name = u.0.to_lowercase();
        let rate = is_rate && bare.is_some_and(|b| b == name || format!("{b}it") == name);
        name == lower || rate || (lower == "µs" && name == "us")
    };
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
    Ok(u64::try_from(value).expect("all upper bounds are below 2^64"))
}

/// What a number without a unit most likely has, the likelier first.
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

impl Written for Rate {
    const WHAT: &'static str = "a rate such as \"2.5Gbit\"";
    const EXAMPLES: &'static [&'static str] = &["2.5Gbit", "100Mbit", "64kbit"];
    fn read(text: &str) -> Result<Self, Wrong> {
        match quantity(text, RATES, MAX_RATE, Self::WHAT)? {
            0 => Err(("a rate of zero sends nothing".into(), format!("expected {}", Self::WHAT))),
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

/// How much a queue holds, as far as a scenario says it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// As much as comes.
    Unlimited,
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(u64),
    /// So many bandwidth-delay products.
    Bdp(f64),
    /// Local senders wait for room in so many packets; `None` for the size
    /// that Linux would allow at the link's rate.
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

/// Reads one of a few names.
fn choose<T: Copy>(text: &str, what: &str, choices: &[(&str, T)]) -> Result<T, Wrong> {
    let found = choices.iter().find(|(name, _)| *name == text);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|c| c.0).collect();
        (format!("`{}` is not {what}", quote(text)), nearest(text, &names))
    })
}

macro_rules! written_choices {
    ($($(#[$doc:meta])* $type:ty, $what:literal, { $($name:literal = $value:path),* $(,)? })*) => {$(
        $(#[$doc])*
        impl Written for $type {
            const WHAT: &'static str = $what;
            const EXAMPLES: &'static [&'static str] = Self::CHOICES;
            const CHOICES: &'static [&'static str] = &[$($name),*];
            fn read(text: &str) -> Result<Self, Wrong> {
                choose(text, Self::WHAT, &[$(($name, $value)),*])
            }
            fn write(&self) -> String {
                match self { $($value => $name),* }.into()
            }
        }
    )*};
}

/// A bundle of TCP settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// As ns-2.35 has it unless told otherwise: what the papers used.
    Ns2,
    /// As Linux has it today.
    Linux,
}

/// Which way through a dumbbell or a parking lot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the first router to the last.
    Forward,
    /// From the last router to the first.
    Reverse,
}

written_choices! {
    plan::Recovery, "a loss recovery", {
        "reno" = Self::Reno,
        "newreno" = Self::NewReno,
        "sack" = Self::Sack,
        "rack" = Self::RackTlp,
    }
    Profile, "a profile", { "ns2" = Self::Ns2, "linux" = Self::Linux }
    Direction, "a direction", { "forward" = Self::Forward, "reverse" = Self::Reverse }
}

impl Written for plan::Counting {
    const WHAT: &'static str = "\"acks\", \"segments\" or \"segments:2\"";
    const EXAMPLES: &'static [&'static str] = &["acks", "segments", "segments:2"];
    fn read(text: &str) -> Result<Self, Wrong> {
        match (text, text.strip_prefix("segments:").map(str::parse)) {
            ("acks", _) => Ok(Self::Acks),
            ("segments", _) => Ok(Self::Segments(u32::MAX)),
            (_, Some(Ok(l))) if l > 0 => Ok(Self::Segments(l)),
            _ => Err((
                format!("`{}` is not a way to count", quote(text)),
                format!("expected {}", Self::WHAT),
            )),
        }
    }
    fn write(&self) -> String {
        match self {
            Self::Acks => "acks".into(),
            Self::Segments(u32::MAX) => "segments".into(),
            Self::Segments(l) => format!("segments:{l}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(text: &str) -> Result<u64, Wrong> {
        Rate::read(text).map(Rate::bits_per_sec)
    }

    #[test]
    fn units_as_people_write_them() {
        for text in
            ["2.5Gbit", "2.5 Gbit/s", "2.5gbit", "2.5Gbps", "2500Mbit", "2.5Gb/s", "2.5e9bit"]
        {
            assert_eq!(rate(text), Ok(2_500_000_000), "{text}");
        }
        assert_eq!(Duration::read("50ms"), Ok(Duration::from_millis(50)));
        assert_eq!(Duration::read("0.05 s"), Ok(Duration::from_millis(50)));
        assert_eq!(Duration::read("1.5µs"), Ok(Duration::from_nanos(1500)));
        assert_eq!(Bytes::read("64kB"), Ok(Bytes::new(64_000)));
        assert_eq!(Bytes::read("64KB"), Ok(Bytes::new(64_000)));
        assert_eq!(Bytes::read("64KiB"), Ok(Bytes::new(65_536)));
        assert_eq!(Limit::read("10_000pkt"), Ok(Limit::Packets(10_000)));
        assert_eq!(Limit::read("0.5bdp"), Ok(Limit::Bdp(0.5)));
        assert_eq!(Limit::read("1MB"), Ok(Limit::Bytes(1_000_000)));
        assert_eq!(Limit::read("backpressure:83pkt"), Ok(Limit::Backpressure(Some(83))));
    }

    #[test]
    fn what_is_written_reads_the_same() {
        for bits in [1, 999, 64_000, 1_234_567_891, 2_500_000_000, 99_999_999_999_999] {
            let rate = Rate::from_bits_per_sec(bits);
            assert_eq!(Rate::read(&rate.write()), Ok(rate), "{}", rate.write());
        }
        for ns in [0, 1, 1_234_567_890_123_456_789 / 10, 50_000_000] {
            let time = Duration::from_nanos(ns);
            assert_eq!(Duration::read(&time.write()), Ok(time), "{}", time.write());
        }
        for limit in [Limit::Unlimited, Limit::Bdp(0.1), Limit::Backpressure(None)] {
            assert_eq!(Limit::read(&limit.write()), Ok(limit));
        }
    }

    #[test]
    fn mistakes_say_what_was_expected() {
        let zero = rate("0Mbit").unwrap_err();
        assert_eq!(zero.0, "a rate of zero sends nothing");
        let negative = Duration::read("-5ms").unwrap_err();
        assert_eq!(negative.0, "`-5` is negative");
        let unit = rate("5Gbyte").unwrap_err();
        assert_eq!(unit.0, "unknown unit `Gbyte`");
        assert_eq!(rate("5MB/s").unwrap_err().0, "unknown unit `MB/s`");
        assert!(unit.1.contains("did you mean `Gbit`"), "{}", unit.1);
        let bare = rate("100").unwrap_err();
        assert_eq!(bare.0, "`100` has no unit");
        assert!(bare.1.contains("did you mean `100Mbit` or `100Gbit`?"), "{}", bare.1);
        let bare = Duration::read("100").unwrap_err();
        assert!(bare.1.contains("did you mean `100ms` or `100s`?"), "{}", bare.1);
        assert_eq!(
            Limit::read("0pkt").unwrap_err().0,
            "a queue limit of zero lets nothing through"
        );
        assert_eq!(rate("1e300Gbit").unwrap_err().1, "at most 100Tbit");
        assert_eq!(
            rate("nanGbit").unwrap_err().0,
            "expected a rate such as \"2.5Gbit\", found `nanGbit`"
        );
    }
}
