//! Values of TCP settings that are written as a word, a number or a table.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tusker_core::{Duration, congestion};
use tusker_plan::plan;

use crate::error::{Mistake, quote};
use crate::forms::{Dscp, TextOr, forms, read};
use crate::text::Text;

/// Converts a setting between its written form and its meaning.
pub(super) trait Setting: Copy {
    /// In a plan.
    type Value;
    /// What it stands for.
    fn value(self) -> Self::Value;
    /// How it is written.
    fn of(value: Self::Value) -> Self;
}

macro_rules! settings {
    ($($form:ty as $value:ty, |$from:pat_param| $to:expr, $of:expr;)*) => {$(
        impl Setting for $form {
            type Value = $value;
            fn value(self) -> $value {
                let $from = self;
                $to
            }
            fn of(value: $value) -> Self {
                $of(value)
            }
        }
    )*};
}

settings! {
    bool as bool, |on| on, |on| on;
    u32 as u32, |n| n, |n| n;
    DelayedAck as Option<Duration>, |DelayedAck(time)| time, DelayedAck;
    Segments as Option<u32>, |Segments(n)| n, Segments;
    Gro as Option<plan::Gro>, |Gro(merge)| merge, Gro;
    Dscp as u8, |Dscp(value)| value, Dscp;
    Ecn as plan::Ecn, |Ecn(kind)| kind, Ecn;
    SlowStart as congestion::SlowStart, |written| written.kind(), SlowStart::of_kind;
}

impl<T: Copy> Setting for Text<T> {
    type Value = T;
    fn value(self) -> T {
        self.0
    }
    fn of(value: T) -> Self {
        Self(value)
    }
}

/// How the window grows below ssthresh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SlowStart {
    /// RFC 5681.
    Standard,
    /// RFC 3742: at most `max_ssthresh / 2` segments per round trip above that
    /// window.
    Limited {
        /// In segments; the RFC recommends 100.
        max_ssthresh: u32,
    },
    /// RFC 9406.
    HyStartPlusPlus,
}

impl SlowStart {
    fn kind(self) -> congestion::SlowStart {
        match self {
            Self::Standard => congestion::SlowStart::Standard,
            Self::Limited { max_ssthresh } => {
                congestion::SlowStart::Limited { max_ssthresh: f64::from(max_ssthresh) }
            }
            Self::HyStartPlusPlus => congestion::SlowStart::HyStartPlusPlus,
        }
    }

    fn of_kind(kind: congestion::SlowStart) -> Self {
        match kind {
            congestion::SlowStart::Standard => Self::Standard,
            congestion::SlowStart::Limited { max_ssthresh } => {
                Self::Limited { max_ssthresh: max_ssthresh as u32 }
            }
            congestion::SlowStart::HyStartPlusPlus => Self::HyStartPlusPlus,
        }
    }
}

/// RFC 3742, section 2: "it is recommended that max_ssthresh be set to 100 MSS".
const MAX_SSTHRESH: u32 = 100;

/// How long an ACK may wait for a second segment; `None` if ACKs are not delayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelayedAck(pub Option<Duration>);

/// Explicit congestion notification: off, as in RFC 3168, with an echo that counts
/// marks, or as in L4S.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ecn(pub plan::Ecn);

/// A number of segments; `None` for no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segments(pub Option<u32>);

/// How the receiver's host merges segments; `None` if it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gro(pub Option<plan::Gro>);

/// Linux merges up to 64 KiB, 45 segments of 1448 bytes (`GRO_LEGACY_MAX_SIZE`).
const GRO_SEGMENTS: u32 = 45;

/// What `ethtool -c` shows as rx-usecs of i40e: `I40E_ITR_RX_DEF` of drivers/net/ethernet/intel/
/// i40e/i40e_txrx.h is 20,000 interrupts per second.
const GRO_WAIT: Duration = Duration::from_nanos(50_000);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GroTable {
    segments: Option<u32>,
    wait: Option<Text<Duration>>,
}

forms! { 'de Gro, "false, true or { segments = 45, wait = \"50us\" }" =>
    fn visit_bool<E: de::Error>(self, on: bool) -> Result<Gro, E> {
        Ok(Gro(on.then_some(plan::Gro { segments: GRO_SEGMENTS, wait: GRO_WAIT })))
    }
    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Gro, A::Error> {
        let table = GroTable::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(Gro(Some(plan::Gro {
            segments: table.segments.unwrap_or(GRO_SEGMENTS),
            wait: table.wait.map_or(GRO_WAIT, |wait| wait.0),
        })))
    }
}

impl Serialize for Gro {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(plan::Gro { segments, wait }) => {
                GroTable { segments: Some(segments), wait: Some(Text(wait)) }.serialize(s)
            }
            None => s.serialize_bool(false),
        }
    }
}

#[derive(Clone, Copy)]
struct SlowStartName;

impl SlowStartName {
    const NAMES: &'static [&'static str] = &["standard", "limited", "hystart++"];

    fn read(text: &str) -> Result<SlowStart, Mistake> {
        match text {
            "standard" => Ok(SlowStart::Standard),
            "limited" => Ok(SlowStart::Limited { max_ssthresh: MAX_SSTHRESH }),
            "hystart++" => Ok(SlowStart::HyStartPlusPlus),
            _ => Err(Mistake::new(
                format!("`{}` is not a kind of slow start", quote(text)),
                crate::error::nearest(text, Self::NAMES),
            )),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SlowStartTable {
    name: String,
    max_ssthresh: Option<u32>,
}

impl<'de> Deserialize<'de> for SlowStart {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let table = |t: SlowStartTable| match (SlowStartName::read(&t.name)?, t.max_ssthresh) {
            (kind, None) => Ok(kind),
            (Self::Limited { .. }, Some(0 | 1)) => Err(Mistake::new(
                "max_ssthresh must be at least 2 segments",
                "RFC 3742 recommends 100 segments",
            )),
            (Self::Limited { .. }, Some(max_ssthresh)) => Ok(Self::Limited { max_ssthresh }),
            _ => Err(Mistake::new(
                format!("`{}` slow start has no max_ssthresh", quote(&t.name)),
                "only { name = \"limited\", max_ssthresh = 100 } has it",
            )),
        };
        let what = "\"standard\", \"limited\", { name = \"limited\", max_ssthresh = 100 } or \"hystart++\"";
        d.deserialize_any(TextOr { what, text: SlowStartName::read, table })
    }
}

impl Serialize for SlowStart {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Standard => s.serialize_str("standard"),
            Self::HyStartPlusPlus => s.serialize_str("hystart++"),
            Self::Limited { max_ssthresh } => {
                SlowStartTable { name: "limited".into(), max_ssthresh: Some(max_ssthresh) }
                    .serialize(s)
            }
        }
    }
}

/// Reads `T` from `true` or `false`, or from a string.
struct SwitchOr<T> {
    what: &'static str,
    switch: fn(bool) -> Result<T, Mistake>,
    text: fn(&str) -> Result<T, Mistake>,
}

impl<T> de::Visitor<'_> for SwitchOr<T> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
    fn visit_bool<E: de::Error>(self, on: bool) -> Result<T, E> {
        (self.switch)(on).map_err(Mistake::into_serde)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.text)(text).map_err(Mistake::into_serde)
    }
}

impl<'de> Deserialize<'de> for DelayedAck {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let switch = |on: bool| {
            let help = "Linux waits 40ms, RFC 1122 allows 500ms, ns-2 takes 100ms";
            if on {
                Err(Mistake::new("`true` does not give the delay", help))
            } else {
                Ok(Self(None))
            }
        };
        let text = |text: &str| read(text).map(|time| Self(Some(time)));
        d.deserialize_any(SwitchOr { what: "false or a time such as \"40ms\"", switch, text })
    }
}

impl Serialize for DelayedAck {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(time) => Text(time).serialize(s),
            None => s.serialize_bool(false),
        }
    }
}

/// The words for an echo that counts marks, and for L4S.
const ACCURATE: &str = "accurate";
const L4S: &str = "l4s";

impl<'de> Deserialize<'de> for Ecn {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let what = "false, true, \"accurate\" or \"l4s\"";
        let switch = |on| Ok(Self(if on { plan::Ecn::Classic } else { plan::Ecn::Off }));
        let text = |text: &str| match text {
            ACCURATE => Ok(Self(plan::Ecn::Accurate)),
            L4S => Ok(Self(plan::Ecn::L4s)),
            _ => Err(Mistake::new(
                format!("`{}` is not a kind of ECN", quote(text)),
                "false, true (RFC 3168), \"accurate\" (AccECN, for dctcp) or \
                 \"l4s\" (AccECN and ECT(1), for prague)",
            )),
        };
        d.deserialize_any(SwitchOr { what, switch, text })
    }
}

impl Serialize for Ecn {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            plan::Ecn::Off => s.serialize_bool(false),
            plan::Ecn::Classic => s.serialize_bool(true),
            plan::Ecn::Accurate => s.serialize_str(ACCURATE),
            plan::Ecn::L4s => s.serialize_str(L4S),
        }
    }
}

forms! { 'de Segments, "\"unlimited\" or a number of segments from 2" =>
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Segments, E> {
        match text {
            "unlimited" => Ok(Segments(None)),
            _ => Err(E::invalid_value(de::Unexpected::Str(&quote(text)), &self)),
        }
    }
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Segments, E> {
        match u32::try_from(n) {
            Ok(n) if n >= 2 => Ok(Segments(Some(n))),
            _ => Err(E::invalid_value(de::Unexpected::Signed(n), &self)),
        }
    }
}

impl Serialize for Segments {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(n) => s.serialize_u32(n),
            None => s.serialize_str("unlimited"),
        }
    }
}
