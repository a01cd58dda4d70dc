//! How packets are delayed at random.

use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer};
use tusker_core::Duration;
use tusker_core::wire::Spread;

use super::changing::{ChangeKeys, Changing, Quantity, Step, Steps};
use crate::error::{Fault, Mistake, nearest, quote};
use crate::recorded::{Columns, Wanted};
use crate::text::{Text, Written};

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
    pub(crate) fn written(spread: Spread, reorder: Option<bool>) -> Self {
        let (distribution, mean, sd, max) = match spread {
            Spread::Uniform { max } => (Distribution::Uniform, None, None, max),
            Spread::Normal { mean, sd, max } => (Distribution::Normal, Some(mean), Some(sd), max),
            Spread::Exponential { mean, max } => (Distribution::Exponential, Some(mean), None, max),
        };
        Self { distribution, mean, sd, max: Some(max), reorder }
    }
}

/// How a link delays packets, checked.
pub(crate) fn jitter(jitter: Jitter, path: &str) -> Result<Spread, Fault> {
    let Jitter { distribution, mean, sd, max, .. } = jitter;
    let wrong = |message: &str, help: &str| Err(Mistake::new(message, help).at(path));
    Ok(match (distribution, mean, sd, max) {
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
    })
}

/// Whether packets may overtake each other because of it.
pub(crate) fn reorders(jitter: &Changing<Jitter>) -> bool {
    let says = |jitter: &Jitter| jitter.reorder == Some(true);
    match jitter {
        Changing::Constant(jitter) => says(jitter),
        Changing::Steps(Steps { list, .. }) => {
            jitter.reorders() || list.iter().any(|step| says(&step.value))
        }
        Changing::Trace(_) => false,
    }
}

const DISTRIBUTIONS: [(&str, Distribution); 3] = [
    ("uniform", Distribution::Uniform),
    ("normal", Distribution::Normal),
    ("exponential", Distribution::Exponential),
];

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JitterTable {
    distribution: Option<String>,
    mean: Option<Text<Duration>>,
    sd: Option<Text<Duration>>,
    max: Option<Text<Duration>>,
    reorder: Option<bool>,
    #[serde(skip_serializing)]
    steps: Option<Vec<Step<Jitter>>>,
    #[serde(skip_serializing)]
    every: Option<Text<Duration>>,
    #[serde(skip_serializing)]
    trace: Option<String>,
    #[serde(skip_serializing)]
    columns: Option<Columns>,
}

impl Quantity for Jitter {
    const KEY: &'static str = "jitter";
    const STEP: &'static [&'static str] = &["at", "jitter"];
    const RECORDED: Wanted = Wanted::Jitter;
    const WHAT: &'static str = "\"2ms\", { distribution = \"normal\", mean = \"2ms\", sd = \"500us\" } \
                                or [{ at = \"0s\", jitter = \"2ms\" }, ..]";
    type Table = JitterTable;

    fn text(text: &str) -> Option<Result<Self, (String, String)>> {
        Some(Duration::read(text).map(Self::uniform))
    }

    fn table(t: JitterTable) -> Result<Changing<Self>, (String, String)> {
        let others = t.distribution.is_some() || [t.mean, t.sd, t.max].iter().any(Option::is_some);
        let told = ChangeKeys {
            steps: t.steps,
            every: t.every,
            trace: t.trace,
            columns: t.columns,
            reorder: t.reorder,
        };
        if let Some(changing) = told.read(others)? {
            return Ok(changing);
        }
        let Some(name) = t.distribution else {
            return Err((
                "`distribution` is missing here".into(),
                "add `distribution = ...`".into(),
            ));
        };
        let found = DISTRIBUTIONS.iter().find(|(known, _)| *known == name);
        let distribution = found.map(|(_, d)| *d).ok_or_else(|| {
            let message = format!("`{}` is not a distribution", quote(&name));
            (message, nearest(&name, &DISTRIBUTIONS.map(|(name, _)| name)))
        })?;
        let [mean, sd, max] = [t.mean, t.sd, t.max].map(|time| time.map(|t| t.0));
        Ok(Self { distribution, mean, sd, max, reorder: t.reorder }.into())
    }

    fn of_column(ms: f64) -> Option<Self> {
        Duration::of_column(ms).map(Self::uniform)
    }

    fn write<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.serialize(s)
    }

    fn schema(g: &mut SchemaGenerator) -> Schema {
        g.subschema_for::<Self>()
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
            distribution: Some(name.map_or("uniform", |(name, _)| name).to_owned()),
            mean: text(self.mean),
            sd: text(self.sd),
            max: text(self.max),
            reorder: self.reorder,
            steps: None,
            every: None,
            trace: None,
            columns: None,
        }
        .serialize(s)
    }
}
