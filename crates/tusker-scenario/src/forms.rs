//! Values with a short form (a string) and a long form (a table).

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, DeserializeOwned, MapAccess};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tusker_core::{Bytes, Duration, congestion, queue};
use tusker_plan::plan;

use super::error::{Mistake, quote};
use super::limit::Limit;
use super::number::{Key, Number, Value};
use super::text::{Text, Written};

/// A congestion control by name, with the parameters that differ from their
/// defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct Cc {
    /// Name in the registry.
    pub name: String,
    /// Parameters by name.
    pub params: Vec<(String, f64)>,
}

impl From<&str> for Cc {
    fn from(name: &str) -> Self {
        Self { name: name.into(), params: Vec::new() }
    }
}

/// A queue: policy, limit, and the policy's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Name in the registry; DropTail if `None`.
    pub policy: Option<String>,
    /// How much fits, counting the packet in transmission.
    pub limit: Limit,
    /// Mark ECN-capable packets instead of dropping them; if `None`, depends on the
    /// policy.
    pub ecn: Option<bool>,
    /// Mean packet size given to the policy; the size of the largest packets on the
    /// link if `None`.
    pub mean_packet: Option<Bytes>,
    /// Parameters by name.
    pub params: Vec<(String, f64)>,
    /// Packets with thresholds of their own.
    pub classes: Vec<Class>,
}

impl Queue {
    /// A DropTail queue.
    pub const fn droptail(limit: Limit) -> Self {
        Self {
            policy: None,
            limit,
            ecn: None,
            mean_packet: None,
            params: Vec::new(),
            classes: Vec::new(),
        }
    }
}

/// Packets with thresholds of their own in a queue with `wred`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Class {
    /// Their DSCPs: a number from 0 to 63, a name such as `"af11"`, a range such as `"8..15"`, or
    /// a list of these.
    pub dscp: DscpSet,
    /// Average queue below which they get no signals, packets. Default: that of the queue.
    pub min_th: Option<f64>,
    /// Average queue at which their probability is `max_p`, packets; 0 for 3 `min_th`. Default:
    /// that of the queue.
    pub max_th: Option<f64>,
    /// Their probability of a signal at `max_th`. Default: that of the queue.
    pub max_p: Option<f64>,
}

/// When flows start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// All at this time.
    At(Duration),
    /// Each at a time drawn uniformly from this range, for each seed separately.
    Uniform(Duration, Duration),
    /// One after the other.
    Staggered {
        /// When the first one starts.
        first: Duration,
        /// The time from one start to the next.
        every: Duration,
    },
}

/// How long hosts take to act: `"10us"` (up to this, uniform) or a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostTime(pub plan::HostTime);

/// Which links to trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceLinks {
    /// The forward links of the dumbbell or parking lot; in a graph the slowest
    /// link of each group.
    Bottleneck,
    /// Every link, access links included.
    All,
    /// These.
    Named(Vec<String>),
}

/// Reads a type that is written in several forms by these methods of a visitor.
macro_rules! forms {
    ($de:lifetime $type:ty, $expected:expr => $($methods:tt)*) => {
        impl<$de> serde::Deserialize<$de> for $type {
            fn deserialize<D: serde::Deserializer<$de>>(d: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl<$de> serde::de::Visitor<$de> for Visitor {
                    type Value = $type;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str($expected)
                    }
                    $($methods)*
                }
                d.deserialize_any(Visitor)
            }
        }
    };
}
pub(super) use forms;

/// Reads `T` from a string, or from a table by way of `Table`.
pub(super) struct TextOr<T, Table> {
    pub what: &'static str,
    pub text: fn(&str) -> Result<T, Mistake>,
    pub table: fn(Table) -> Result<T, Mistake>,
}

impl<'de, T, Table: DeserializeOwned> de::Visitor<'de> for TextOr<T, Table> {
    type Value = T;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.text)(text).map_err(Mistake::into_serde)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let table = Table::deserialize(MapAccessDeserializer::new(map))?;
        (self.table)(table).map_err(Mistake::into_serde)
    }
}

/// Converts a string to what it stands for.
pub(super) fn read<T: Written>(text: &str) -> Result<T, Mistake> {
    T::read(text).map_err(|(message, help)| Mistake::new(message, help))
}

forms! { 'de Cc, "a name such as \"reno\", or { name = \"ghstcp\", z = 3.09 }" =>
    fn visit_str<E>(self, name: &str) -> Result<Cc, E> {
        Ok(Cc::from(name))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Cc, A::Error> {
        let (mut name, mut params) = (None::<String>, Vec::new());
        while let Some(key) = map.next_key_seed(Key::of_law(name.as_deref()))? {
            if key == "name" {
                name = Some(map.next_value()?);
            } else {
                let value = map.next_value_seed(Value::of(congestion::ALL, &key))?;
                params.push((key, value));
            }
        }
        let name = name.ok_or_else(|| de::Error::missing_field("name"))?;
        Ok(Cc { name, params })
    }
}

impl Serialize for Cc {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.params.is_empty() {
            return s.serialize_str(&self.name);
        }
        let mut map = s.serialize_map(Some(1 + self.params.len()))?;
        map.serialize_entry("name", &self.name)?;
        for (name, value) in &self.params {
            map.serialize_entry(name, &Number(*value))?;
        }
        map.end()
    }
}

forms! { 'de Queue, "a limit such as \"100pkt\", or { policy = \"red\", limit = \"1bdp\" }" =>
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Queue, E> {
        read(text).map(Queue::droptail).map_err(Mistake::into_serde)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Queue, A::Error> {
        let mut queue = Queue::droptail(Limit::Unlimited);
        let mut limit = None;
        while let Some(key) = map.next_key_seed(Key::of_queue(queue.policy.as_deref()))? {
            match key.as_str() {
                "policy" => queue.policy = Some(map.next_value()?),
                "limit" => limit = Some(map.next_value::<Text<Limit>>()?.0),
                "ecn" => queue.ecn = Some(map.next_value()?),
                "mean_packet" => {
                    queue.mean_packet = Some(map.next_value::<Text<Bytes>>()?.0);
                }
                "classes" => queue.classes = map.next_value()?,
                _ => {
                    let value = map.next_value_seed(Value::of(queue::ALL, &key))?;
                    queue.params.push((key, value));
                }
            }
        }
        queue.limit = limit.ok_or_else(|| de::Error::missing_field("limit"))?;
        Ok(queue)
    }
}

impl Serialize for Queue {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if *self == Self::droptail(self.limit) {
            return Text(self.limit).serialize(s);
        }
        let mut map = s.serialize_map(None)?;
        if let Some(policy) = &self.policy {
            map.serialize_entry("policy", policy)?;
        }
        map.serialize_entry("limit", &Text(self.limit))?;
        for (name, value) in &self.params {
            map.serialize_entry(name, &Number(*value))?;
        }
        if let Some(ecn) = self.ecn {
            map.serialize_entry("ecn", &ecn)?;
        }
        if let Some(size) = self.mean_packet {
            map.serialize_entry("mean_packet", &Text(size))?;
        }
        if !self.classes.is_empty() {
            map.serialize_entry("classes", &self.classes)?;
        }
        map.end()
    }
}

/// A differentiated services codepoint, 0 to 63.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dscp(pub u8);

impl Dscp {
    /// Class selectors (RFC 2474, section 4.2.2), assured forwarding (RFC 2597, section 6) and
    /// expedited forwarding (RFC 3246, section 2.7).
    fn of_name(name: &str) -> Option<u8> {
        let digit = |at: usize, most: u8| {
            let digit = name.as_bytes().get(at)?.checked_sub(b'0')?;
            (digit <= most).then_some(digit)
        };
        match (name.get(..2)?.to_ascii_lowercase().as_str(), name.len()) {
            ("ef", 2) => Some(46),
            ("cs", 3) => Some(8 * digit(2, 7)?),
            ("af", 4) => match (digit(2, 4)?, digit(3, 3)?) {
                (0, _) | (_, 0) => None,
                (class, precedence) => Some(8 * class + 2 * precedence),
            },
            _ => None,
        }
    }
}

forms! { 'de Dscp, "a DSCP: a number from 0 to 63, or a name such as \"af11\", \"cs1\" or \"ef\"" =>
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Dscp, E> {
        let unknown = || E::invalid_value(de::Unexpected::Str(&quote(text)), &self);
        Dscp::of_name(text).map(Dscp).ok_or_else(unknown)
    }
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Dscp, E> {
        match u8::try_from(n) {
            Ok(n) if n < 64 => Ok(Dscp(n)),
            _ => Err(E::invalid_value(de::Unexpected::Signed(n), &self)),
        }
    }
}

impl Serialize for Dscp {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_u8(self.0)
    }
}

/// Differentiated services codepoints: bit n for n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DscpSet(pub u64);

impl DscpSet {
    fn of_text(text: &str) -> Option<u64> {
        let one = |text: &str| {
            let number = || text.parse().ok().filter(|number| *number < 64);
            Dscp::of_name(text).or_else(number)
        };
        let Some((first, last)) = text.split_once("..") else { return Some(1 << one(text)?) };
        let (first, last) = (one(first.trim())?, one(last.trim())?);
        (first <= last).then(|| u64::MAX << first & u64::MAX >> (63 - last))
    }
}

forms! { 'de DscpSet, "DSCPs: numbers from 0 to 63, names such as \"af11\", ranges such as \"8..15\"" =>
    fn visit_str<E: de::Error>(self, text: &str) -> Result<DscpSet, E> {
        let unknown = || E::invalid_value(de::Unexpected::Str(&quote(text)), &self);
        DscpSet::of_text(text).map(DscpSet).ok_or_else(unknown)
    }
    fn visit_i64<E: de::Error>(self, n: i64) -> Result<DscpSet, E> {
        match u8::try_from(n) {
            Ok(n) if n < 64 => Ok(DscpSet(1 << n)),
            _ => Err(E::invalid_value(de::Unexpected::Signed(n), &self)),
        }
    }
    fn visit_u64<E: de::Error>(self, n: u64) -> Result<DscpSet, E> {
        self.visit_i64(n.cast_signed())
    }
    fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<DscpSet, A::Error> {
        let mut all = 0;
        while let Some(DscpSet(own)) = seq.next_element()? {
            all |= own;
        }
        if all == 0 {
            return Err(de::Error::invalid_length(0, &self));
        }
        Ok(DscpSet(all))
    }
}

impl Serialize for DscpSet {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut runs = Vec::new();
        let mut left = self.0;
        while left != 0 {
            let first = left.trailing_zeros();
            let last = first + (left >> first).trailing_ones() - 1;
            runs.push(if first == last { format!("{first}") } else { format!("{first}..{last}") });
            left &= !(u64::MAX << first & u64::MAX >> (63 - last));
        }
        runs.serialize(s)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StartTable {
    uniform: Option<[Text<Duration>; 2]>,
    first: Option<Text<Duration>>,
    every: Option<Text<Duration>>,
}

const START: &str = "\"1s\", { uniform = [\"0s\", \"1s\"] } or { first = \"0s\", every = \"10s\" }";

impl<'de> Deserialize<'de> for Start {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let table = |t: StartTable| match (t.uniform, t.first, t.every) {
            (Some([from, to]), None, None) if from.0 <= to.0 => Ok(Self::Uniform(from.0, to.0)),
            (Some([from, to]), None, None) => Err(Mistake::new(
                format!("the range from {} to {} runs backwards", from.0, to.0),
                "give the earlier time first",
            )),
            (None, Some(first), Some(every)) => {
                Ok(Self::Staggered { first: first.0, every: every.0 })
            }
            _ => Err(Mistake::new(format!("expected {START}"), "use one of these forms")),
        };
        let text = |text: &str| read(text).map(Self::At);
        d.deserialize_any(TextOr { what: START, text, table })
    }
}

impl Serialize for Start {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let table = match *self {
            Self::At(time) => return Text(time).serialize(s),
            Self::Uniform(from, to) => {
                StartTable { uniform: Some([Text(from), Text(to)]), first: None, every: None }
            }
            Self::Staggered { first, every } => {
                StartTable { uniform: None, first: Some(first.into()), every: Some(every.into()) }
            }
        };
        table.serialize(s)
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HostTimeTable {
    exponential: Text<Duration>,
}

impl<'de> Deserialize<'de> for HostTime {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let what = "\"10us\" or { exponential = \"5us\" }";
        let table = |t: HostTimeTable| Ok(Self(plan::HostTime::Exponential(t.exponential.0)));
        let text = |text: &str| read(text).map(|most| Self(plan::HostTime::UpTo(most)));
        d.deserialize_any(TextOr { what, text, table })
    }
}

impl Serialize for HostTime {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            plan::HostTime::UpTo(most) => Text(most).serialize(s),
            plan::HostTime::Exponential(mean) => {
                HostTimeTable { exponential: Text(mean) }.serialize(s)
            }
        }
    }
}

forms! { 'de TraceLinks, "\"bottleneck\", \"all\" or a list of link names" =>
    fn visit_str<E: de::Error>(self, text: &str) -> Result<TraceLinks, E> {
        match text {
            "bottleneck" => Ok(TraceLinks::Bottleneck),
            "all" => Ok(TraceLinks::All),
            name => Ok(TraceLinks::Named(vec![name.to_owned()])),
        }
    }
    fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<TraceLinks, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(TraceLinks::Named)
    }
}

impl Serialize for TraceLinks {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bottleneck => s.serialize_str("bottleneck"),
            Self::All => s.serialize_str("all"),
            Self::Named(names) => names.serialize(s),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codepoints of RFC 2597, section 6, RFC 2474, section 4.2.2.1, and RFC 3246, in binary
    /// as they are printed there.
    #[test]
    fn names_of_codepoints_are_those_of_the_rfcs() {
        for (name, value) in [
            ("AF11", 0b00_1010),
            ("af13", 0b00_1110),
            ("af21", 0b01_0010),
            ("af43", 0b10_0110),
            ("cs0", 0),
            ("cs6", 0b11_0000),
            ("EF", 0b10_1110),
        ] {
            assert_eq!(Dscp::of_name(name), Some(value), "{name}");
        }
        for name in ["af14", "af01", "af51", "cs8", "ef1", "f", "be", ""] {
            assert_eq!(Dscp::of_name(name), None, "{name}");
        }
    }

    /// IP precedence 1 is 001 and any three bits (RFC 2474, section 4.2.2): 8 to 15.
    #[test]
    fn sets_of_codepoints_have_names_numbers_and_ranges() {
        for (text, set) in [
            ("8..15", Some(0xff00)),
            ("cs1..15", Some(0xff00)),
            ("0..63", Some(u64::MAX)),
            ("63", Some(1 << 63)),
            ("af11", Some(1 << 10)),
            ("15..8", None),
            ("64", None),
            ("0..64", None),
            ("", None),
        ] {
            assert_eq!(DscpSet::of_text(text), set, "{text}");
        }
        let json: DscpSet = serde_json::from_str(r#"["8..10", 46, "af43"]"#).unwrap();
        assert_eq!(json.0, 0b111 << 8 | 1 << 46 | 1 << 38);
        assert_eq!(serde_json::to_string(&json).unwrap(), r#"["8..10","38","46"]"#);
        assert!(serde_json::from_str::<DscpSet>("[]").is_err());
    }
}
