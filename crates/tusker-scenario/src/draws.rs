//! Random values: a distribution, or a range over which hosts are spread.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{self, IntoDeserializer, MapAccess};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tusker_core::{Bytes, Duration};

use super::error::{Fault, Mistake};
use super::text::Text;
use tusker_plan::plan::Distribution;

/// A distribution from which a value is drawn each time.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw<T> {
    /// Always this.
    Constant(T),
    /// Exponential with this mean.
    Exponential(T),
    /// Pareto.
    Pareto {
        /// Mean.
        mean: T,
        /// Above 1; up to 2 the variance is infinite.
        shape: f64,
    },
    /// One of these.
    List {
        /// The values.
        values: Vec<T>,
        /// Relative frequencies; all equal if `None`.
        weights: Option<Vec<f64>>,
    },
}

/// One value for all hosts, or the ends of a range over which they are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread<T>(pub T, pub T);

impl From<Duration> for Spread<Text<Duration>> {
    fn from(all: Duration) -> Self {
        Self(all.into(), all.into())
    }
}

/// A quantity that can be drawn.
pub trait Amount: Copy + PartialEq + Serialize + for<'de> Deserialize<'de> {
    /// What it is, with an example.
    const WHAT: &'static str;
    /// In bytes, seconds or as a count.
    fn value(self) -> f64;
}

impl Amount for Text<Bytes> {
    const WHAT: &'static str = "\"100kB\" or { pareto = \"12kB\", shape = 1.2 }";
    fn value(self) -> f64 {
        self.0.get() as f64
    }
}

impl Amount for Text<Duration> {
    const WHAT: &'static str = "\"500ms\" or { exponential = \"500ms\" }";
    fn value(self) -> f64 {
        self.0.secs()
    }
}

impl Amount for f64 {
    const WHAT: &'static str = "a number such as 3, or { pareto = 3, shape = 1.5 }";
    fn value(self) -> f64 {
        self
    }
}

impl<T: Amount> Draw<T> {
    /// For executors; `least` is the smallest value that makes sense.
    pub(super) fn distribution(&self, least: f64, path: &str) -> Result<Distribution, Fault> {
        let enough = |value: T, key: &str| {
            let value = value.value();
            if value >= least && value.is_finite() {
                return Ok(value);
            }
            let message = format!("a value of {value} is out of range");
            Err(Mistake::new(message, format!("at least {least}")).at(format!("{path}{key}")))
        };
        Ok(match self {
            Self::Constant(value) => Distribution::Constant(enough(*value, "")?),
            Self::Exponential(mean) => Distribution::Exponential(enough(*mean, ".exponential")?),
            Self::Pareto { mean, shape } => {
                if !(*shape > 1.0 && *shape <= 100.0) {
                    let help = "above 1, where a mean exists, up to 100; heavy tails have 1.1 to 2";
                    let mistake = Mistake::new(format!("a shape of {shape} is out of range"), help);
                    return Err(mistake.at(format!("{path}.shape")));
                }
                Distribution::Pareto { mean: enough(*mean, ".pareto")?, shape: *shape }
            }
            Self::List { values, weights } => {
                let equal = vec![1.0; values.len()];
                let weights = weights.as_ref().unwrap_or(&equal);
                // of any size, as long as their sum is finite
                let largest = weights.iter().copied().fold(0.0, f64::max);
                let scale = if weights.iter().sum::<f64>().is_finite() { 1.0 } else { largest };
                let weights: Vec<f64> = weights.iter().map(|w| w / scale).collect();
                let sum: f64 = weights.iter().sum();
                let fits = |w: &f64| *w >= 0.0 && w.is_finite();
                if weights.len() != values.len() || !weights.iter().all(fits) || sum <= 0.0 {
                    let message = format!("{} weights for {} values", weights.len(), values.len());
                    let help = "one weight from 0 for each value, not all of them 0";
                    return Err(Mistake::new(message, help).at(format!("{path}.weights")));
                }
                let one = |(i, (value, weight)): (usize, (&T, f64))| {
                    Ok((enough(*value, &format!(".list.{i}"))?, weight / sum))
                };
                let list = values.iter().zip(weights).enumerate().map(one);
                Distribution::List(list.collect::<Result<_, Fault>>()?)
            }
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, bound = "T: Amount")]
struct Table<T> {
    exponential: Option<T>,
    pareto: Option<T>,
    shape: Option<f64>,
    list: Option<Vec<T>>,
    weights: Option<Vec<f64>>,
}

impl<'de, T: Amount> Deserialize<'de> for Draw<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<'de, T: Amount> de::Visitor<'de> for Visitor<T> {
            type Value = Draw<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::WHAT)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Draw<T>, E> {
                T::deserialize(text.into_deserializer()).map(Draw::Constant)
            }
            fn visit_i64<E: de::Error>(self, n: i64) -> Result<Draw<T>, E> {
                T::deserialize(n.into_deserializer()).map(Draw::Constant)
            }
            fn visit_f64<E: de::Error>(self, n: f64) -> Result<Draw<T>, E> {
                T::deserialize(n.into_deserializer()).map(Draw::Constant)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Draw<T>, A::Error> {
                let t = Table::<T>::deserialize(MapAccessDeserializer::new(map))?;
                match (t.exponential, t.pareto, t.shape, t.list, t.weights) {
                    (Some(mean), None, None, None, None) => Ok(Draw::Exponential(mean)),
                    (None, Some(mean), Some(shape), None, None) => Ok(Draw::Pareto { mean, shape }),
                    (None, None, None, Some(values), weights) if !values.is_empty() => {
                        Ok(Draw::List { values, weights })
                    }
                    _ => {
                        let help = "{ exponential = MEAN }, { pareto = MEAN, shape = 1.5 }, \
                                    { list = [..] } or { list = [..], weights = [..] }";
                        Err(Mistake::new(format!("expected {}", T::WHAT), help).into_serde())
                    }
                }
            }
        }
        d.deserialize_any(Visitor(PhantomData))
    }
}

impl<T: Amount> Serialize for Draw<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = match self {
            Self::Constant(value) => return value.serialize(s),
            _ => s.serialize_map(None)?,
        };
        match self {
            Self::Constant(_) => {}
            Self::Exponential(mean) => map.serialize_entry("exponential", mean)?,
            Self::Pareto { mean, shape } => {
                map.serialize_entry("pareto", mean)?;
                map.serialize_entry("shape", shape)?;
            }
            Self::List { values, weights } => {
                map.serialize_entry("list", values)?;
                if let Some(weights) = weights {
                    map.serialize_entry("weights", weights)?;
                }
            }
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de> + Copy> Deserialize<'de> for Spread<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Copy> de::Visitor<'de> for Visitor<T> {
            type Value = Spread<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("one value for all, or a range [\"lowest\", \"highest\"]")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Spread<T>, E> {
                T::deserialize(text.into_deserializer()).map(|value| Spread(value, value))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Spread<T>, A::Error> {
                let (low, high) = (seq.next_element()?, seq.next_element()?);
                let more = seq.next_element::<de::IgnoredAny>()?;
                match (low, high, more) {
                    (Some(low), Some(high), None) => Ok(Spread(low, high)),
                    _ => Err(de::Error::custom("a range has two ends")),
                }
            }
        }
        d.deserialize_any(Visitor(PhantomData))
    }
}

impl<T: Serialize + PartialEq> Serialize for Spread<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.0 == self.1 { self.0.serialize(s) } else { [&self.0, &self.1].serialize(s) }
    }
}
