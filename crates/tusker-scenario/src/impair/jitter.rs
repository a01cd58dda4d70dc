//! How packets are delayed at random.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tusker_core::Duration;
use tusker_core::wire::{self, Spread};

use crate::error::{Fault, Mistake, nearest, quote};
use crate::forms::{TextOr, read};
use crate::text::Text;

/// A random delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// `uniform`, `normal` or `exponential`.
    pub distribution: Distribution,
    /// Its mean; not for `uniform`.
    pub mean: Option<Duration>,
    /// Standard deviation; only for `normal`.
    pub sd: Option<Duration>,
    /// The largest delay.
    pub max: Option<Duration>,
    /// Whether packets may overtake each other; no if `None`.
    pub reorder: Option<bool>,
}

/// How delays are distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// All delays are equally likely.
    Uniform,
    /// Most delays are near the mean.
    Normal,
    /// Short delays are most likely.
    Exponential,
}

impl Jitter {
    /// Uniform up to this delay, without reordering.
    pub fn uniform(max: Duration) -> Self {
        Self {
            distribution: Distribution::Uniform,
            mean: None,
            sd: None,
            max: Some(max),
            reorder: None,
        }
    }

    /// As written in a scenario, with every value filled in.
    pub(crate) fn written(jitter: wire::Jitter) -> Self {
        let (distribution, mean, sd, max) = match jitter.spread {
            Spread::Uniform { max } => (Distribution::Uniform, None, None, max),
            Spread::Normal { mean, sd, max } => (Distribution::Normal, Some(mean), Some(sd), max),
            Spread::Exponential { mean, max } => (Distribution::Exponential, Some(mean), None, max),
        };
        Self { distribution, mean, sd, max: Some(max), reorder: Some(jitter.reorder) }
    }
}

/// How a link delays packets, checked.
pub(crate) fn jitter(jitter: Option<Jitter>, path: &str) -> Result<Option<wire::Jitter>, Fault> {
    let Some(Jitter { distribution, mean, sd, max, reorder }) = jitter else { return Ok(None) };
    let wrong = |message: &str, help: &str| Err(Mistake::new(message, help).at(path));
    let spread = match (distribution, mean, sd, max) {
        (Distribution::Uniform, None, None, Some(max)) => Spread::Uniform { max },
        (Distribution::Uniform, None, None, None) => {
            return wrong("uniform jitter without `max`", "add max = \"2ms\"");
        }
        (Distribution::Uniform, ..) => {
            return wrong("uniform jitter has only `max`", "leave out `mean` and `sd`");
        }
        (Distribution::Normal, Some(mean), Some(sd), max) => {
            // hardly any value of a normal distribution is further from the mean
            let max = max.unwrap_or(mean + sd * 4);
            if mean > max || sd > max {
                return wrong("a `mean` or `sd` above `max`", "raise `max`, or leave it out");
            }
            Spread::Normal { mean, sd, max }
        }
        (Distribution::Normal, ..) => {
            return wrong("normal jitter needs `mean` and `sd`", "add both");
        }
        (Distribution::Exponential, Some(mean), None, max) if mean > Duration::ZERO => {
            Spread::Exponential { mean, max: max.unwrap_or(mean * 10) }
        }
        (Distribution::Exponential, ..) => {
            return wrong("exponential jitter needs a `mean` and no `sd`", "write mean = \"1ms\"");
        }
    };
    Ok(Some(wire::Jitter { spread, reorder: reorder.unwrap_or(false) }))
}

const DISTRIBUTIONS: [(&str, Distribution); 3] = [
    ("uniform", Distribution::Uniform),
    ("normal", Distribution::Normal),
    ("exponential", Distribution::Exponential),
];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct JitterTable {
    distribution: String,
    mean: Option<Text<Duration>>,
    sd: Option<Text<Duration>>,
    max: Option<Text<Duration>>,
    reorder: Option<bool>,
}

const JITTER: &str = "\"2ms\", or { distribution = \"normal\", mean = \"2ms\", sd = \"500us\" }";

impl<'de> Deserialize<'de> for Jitter {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = |text: &str| read(text).map(Self::uniform);
        let table = |t: JitterTable| {
            let found = DISTRIBUTIONS.iter().find(|(name, _)| *name == t.distribution);
            let distribution = found.map(|(_, d)| *d).ok_or_else(|| {
                let message = format!("`{}` is not a distribution", quote(&t.distribution));
                let names = DISTRIBUTIONS.map(|(name, _)| name);
                Mistake::new(message, nearest(&t.distribution, &names))
            })?;
            let time = |time: Option<Text<Duration>>| time.map(|t| t.0);
            let (mean, sd, max) = (time(t.mean), time(t.sd), time(t.max));
            Ok(Self { distribution, mean, sd, max, reorder: t.reorder })
        };
        d.deserialize_any(TextOr { what: JITTER, text, table })
    }
}

impl Serialize for Jitter {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if let Self { reorder: None, max: Some(max), .. } = *self
            && *self == Self::uniform(max)
        {
            return Text(max).serialize(s);
        }
        let name = DISTRIBUTIONS.iter().find(|(_, d)| *d == self.distribution);
        let text = |time: Option<Duration>| time.map(Text);
        JitterTable {
            distribution: name.map_or("uniform", |(name, _)| name).to_owned(),
            mean: text(self.mean),
            sd: text(self.sd),
            max: text(self.max),
            reorder: self.reorder,
        }
        .serialize(s)
    }
}
