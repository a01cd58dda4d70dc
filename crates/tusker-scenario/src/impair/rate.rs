//! A rate: constant, in steps, or from a file.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::{Deserialize, Serialize, Serializer, de};
use tusker_core::wire::{OPPORTUNITY, Step};
use tusker_core::{Duration, Rate, Time};

use super::trace::{unwritten, written};
use crate::error::{Fault, Mistake, quote};
use crate::forms::{forms, read};
use crate::text::Text;
use tusker_plan::plan::Pace;

/// The rate of a link.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkRate {
    /// A constant rate.
    Fixed(Rate),
    /// Steps.
    Steps(Vec<RateStep>),
    /// A trace file.
    Trace(TraceFile),
}

/// A rate that applies from a given time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RateStep {
    /// From this time on; the first step is at 0 s.
    pub at: Text<Duration>,
    /// The new rate.
    pub rate: Text<Rate>,
}

/// A file with the times at which a packet can leave (Mahimahi's format).
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFile {
    /// Its path.
    pub trace: String,
    /// Its contents in milliseconds, once read.
    pub opportunities: Option<Arc<[u32]>>,
}

impl From<Rate> for LinkRate {
    fn from(rate: Rate) -> Self {
        Self::Fixed(rate)
    }
}

impl LinkRate {
    /// The rate on which queue limits and bandwidth-delay products are based: the
    /// first of several steps, the mean of a trace.
    pub fn nominal(&self) -> Rate {
        match self {
            Self::Fixed(rate) => *rate,
            Self::Steps(steps) => steps.first().map_or(Rate::from_bits_per_sec(1), |s| s.rate.0),
            Self::Trace(file) => {
                let times = file.opportunities.as_deref().unwrap_or_default();
                let period = u64::from(times.last().copied().unwrap_or(1).max(1));
                let bits = times.len() as u64 * OPPORTUNITY.get() * 8;
                Rate::from_bits_per_sec((bits * 1000 / period).max(1))
            }
        }
    }

    /// How it changes; a trace has been checked to be loaded.
    pub(crate) fn pace(&self) -> Pace {
        match self {
            Self::Fixed(_) => Pace::Fixed,
            Self::Steps(steps) => {
                let step = |s: &RateStep| Step { at: Time::ZERO + s.at.0, rate: s.rate.0 };
                Pace::Steps(steps.iter().map(step).collect())
            }
            Self::Trace(file) => Pace::Trace {
                name: file.trace.clone(),
                opportunities: file.opportunities.clone().unwrap_or_default(),
            },
        }
    }

    /// As written in a scenario.
    pub(crate) fn written(rate: Rate, pace: &Pace) -> Self {
        match pace {
            Pace::Fixed => Self::Fixed(rate),
            Pace::Steps(steps) => {
                let step =
                    |s: &Step| RateStep { at: s.at.since(Time::ZERO).into(), rate: s.rate.into() };
                Self::Steps(steps.iter().map(step).collect())
            }
            Pace::Trace { name, opportunities } => Self::Trace(TraceFile {
                trace: name.clone(),
                opportunities: Some(opportunities.clone()),
            }),
        }
    }
}

/// Checks the rate of a link with this delay.
pub(crate) fn check_rate(rate: &LinkRate, delay: Duration, path: &str) -> Result<(), Fault> {
    let wrong = |message: String, help: &str, key: &str| {
        Err(Mistake::new(message, help).at(format!("{path}.{key}")))
    };
    match rate {
        LinkRate::Fixed(_) => Ok(()),
        LinkRate::Steps(steps) => {
            if steps.first().is_none_or(|step| step.at.0 > Duration::ZERO) {
                let help = "begin with { at = \"0s\", rate = \"1Gbit\" }";
                return wrong("the rate at the start is missing".into(), help, "rate");
            }
            match steps.windows(2).position(|pair| pair[0].at.0 >= pair[1].at.0) {
                Some(i) => {
                    let (before, at) = (steps[i].at.0, steps[i + 1].at.0);
                    let message = format!("a step at {at} after one at {before}");
                    wrong(message, "give the steps in the order of time", "rate")
                }
                None => Ok(()),
            }
        }
        LinkRate::Trace(file) if file.opportunities.is_none() => {
            let message = format!("the trace `{}` has not been read", quote(&file.trace));
            wrong(message, "a scenario that is not a file cannot name one; expand it first", "rate")
        }
        LinkRate::Trace(_) if delay == Duration::ZERO => {
            let message = "a trace on a link without delay".into();
            wrong(
                message,
                "the packets of an opportunity leave at once, so a delay is needed: write delay = \"1ms\"",
                "delay",
            )
        }
        LinkRate::Trace(_) => Ok(()),
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceTable {
    trace: String,
    opportunities: Option<String>,
}

const RATE: &str = "a rate such as \"1Gbit\", [{ at = \"0s\", rate = \"1Gbit\" }, ..] or \
                    { trace = \"file\" }";

forms! { 'de LinkRate, RATE =>
    fn visit_str<E: de::Error>(self, text: &str) -> Result<LinkRate, E> {
        read(text).map(LinkRate::Fixed).map_err(Mistake::into_serde)
    }
    fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<LinkRate, A::Error> {
        Vec::deserialize(SeqAccessDeserializer::new(seq)).map(LinkRate::Steps)
    }
    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<LinkRate, A::Error> {
        let table = TraceTable::deserialize(MapAccessDeserializer::new(map))?;
        let opportunities = table.opportunities.map(|text| unwritten(&text)).transpose();
        let opportunities = opportunities.map_err(Mistake::into_serde)?.map(Into::into);
        Ok(LinkRate::Trace(TraceFile { trace: table.trace, opportunities }))
    }
}

impl Serialize for LinkRate {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Fixed(rate) => Text(*rate).serialize(s),
            Self::Steps(steps) => steps.serialize(s),
            Self::Trace(file) => TraceTable {
                trace: file.trace.clone(),
                opportunities: file.opportunities.as_deref().map(written),
            }
            .serialize(s),
        }
    }
}
