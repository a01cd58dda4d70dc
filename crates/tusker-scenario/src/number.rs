//! Parameters of algorithms: the keys, and how their values are written. Whether an
//! algorithm has a parameter is checked against its sheet later.

use std::fmt;

use serde::de::{self, DeserializeSeed};
use serde::{Deserializer, Serialize, Serializer};
use tusker_core::params::Sheet;
use tusker_core::{Bytes, Duration, Rate, congestion, queue};

use super::error::{Mistake, nearest, quote};
use super::limit::Limit;
use super::text::Written;

/// A key of a table with parameters: a common one, or one that some algorithm has.
pub(super) struct Key<'a> {
    /// Whose parameters are valid.
    sheets: &'static [Sheet],
    /// Keys that are no parameters.
    common: &'static [&'static str],
    /// The algorithm, if it was written before this key.
    of: Option<&'a str>,
}

impl<'a> Key<'a> {
    /// A key of a law's table.
    pub fn of_law(of: Option<&'a str>) -> Self {
        Self { sheets: congestion::ALL, common: &["name"], of }
    }

    /// A key of a queue's table.
    pub fn of_queue(of: Option<&'a str>) -> Self {
        Self {
            sheets: queue::ALL,
            common: &["policy", "limit", "ecn", "mean_packet", "classes"],
            of,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<String, D::Error> {
        let key: String = serde::Deserialize::deserialize(d)?;
        let named = self.sheets.iter().find(|sheet| Some(sheet.name) == self.of);
        let params = self.sheets.iter().flat_map(|sheet| sheet.params).map(|param| param.name);
        if self.common.contains(&key.as_str()) || params.clone().any(|name| name == key) {
            return Ok(key);
        }
        let own = |sheet: &Sheet| sheet.params.iter().map(|param| param.name).collect();
        let others: Vec<&str> = named.map_or_else(|| params.collect(), own);
        let mut valid = self.common.to_vec();
        for name in others {
            if !valid.contains(&name) {
                valid.push(name);
            }
        }
        let message = format!("unknown key `{}`", quote(&key));
        Err(Mistake::new(message, nearest(&key, &valid)).into_serde())
    }
}

/// A value of a parameter with this unit: a number, a time if the unit is a second, a
/// rate if it is bits per second, packets if it is packets, a size if it is bytes, `true` or
/// `false` for switches.
pub(super) struct Value(&'static str);

impl Value {
    /// The value of this parameter. The same name has the same unit everywhere.
    pub fn of(sheets: &'static [Sheet], name: &str) -> Self {
        let mut params = sheets.iter().flat_map(|sheet| sheet.params);
        Self(params.find(|param| param.name == name).map_or("", |param| param.unit))
    }

    fn write(&self) -> &'static str {
        match self.0 {
            "s" => "a number of seconds, or a time such as \"500ms\"",
            "pkt" => "a number of packets, such as 5 or \"5pkt\"",
            "bit/s" => "a number of bits per second, or a rate such as \"50Mbit\"",
            "B" => "a number of bytes, or a size such as \"15kB\"",
            "flag" => "true or false",
            _ => "a number",
        }
    }

    fn read(&self, text: &str) -> Option<f64> {
        match (self.0, text.parse::<f64>()) {
            ("flag", number) => number.ok().filter(|n| matches!(n, 0.0 | 1.0)),
            (_, Ok(number)) => Some(number),
            ("s", _) => Duration::read(text).ok().map(Duration::secs),
            ("bit/s", _) => Rate::read(text).ok().map(|rate| rate.bits_per_sec() as f64),
            ("B", _) => Bytes::read(text).ok().map(|bytes| bytes.get() as f64),
            ("pkt", _) => match Limit::read(text) {
                Ok(Limit::Packets(n)) => Some(n as f64),
                _ => None,
            },
            _ => None,
        }
    }

    fn wrong<E: de::Error>(&self, found: &str) -> E {
        let message = format!("expected {}, found {}", self.write(), quote(found));
        Mistake::new(message, format!("write {}", self.write())).into_serde()
    }
}

impl<'de> DeserializeSeed<'de> for Value {
    type Value = f64;
    fn deserialize<D: Deserializer<'de>>(self, d: D) -> Result<f64, D::Error> {
        d.deserialize_any(self)
    }
}

impl de::Visitor<'_> for Value {
    type Value = f64;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.write())
    }
    fn visit_f64<E: de::Error>(self, v: f64) -> Result<f64, E> {
        if self.0 == "flag" && v != 0.0 && v != 1.0 {
            Err(self.wrong(&v.to_string()))
        } else {
            Ok(v)
        }
    }
    fn visit_i64<E: de::Error>(self, v: i64) -> Result<f64, E> {
        self.visit_f64(v as f64)
    }
    fn visit_u64<E: de::Error>(self, v: u64) -> Result<f64, E> {
        self.visit_f64(v as f64)
    }
    fn visit_bool<E: de::Error>(self, v: bool) -> Result<f64, E> {
        if self.0 == "flag" { Ok(f64::from(u8::from(v))) } else { Err(self.wrong(&v.to_string())) }
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<f64, E> {
        self.read(text).ok_or_else(|| self.wrong(&format!("\"{text}\"")))
    }
}

/// A number as it is written: integers without a decimal point.
pub(super) struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if self.0.fract() == 0.0 && self.0.abs() < EXACT {
            s.serialize_i64(self.0 as i64)
        } else {
            s.serialize_f64(self.0)
        }
    }
}
