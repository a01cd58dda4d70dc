//! A rate: constant, in steps, or opportunities to send from a file.

use schemars::{Schema, SchemaGenerator};
use serde::de::MapAccess;
use serde::{Deserialize, Serialize, Serializer};
use tusker_core::wire::OPPORTUNITY;
use tusker_core::{Duration, Rate};
use tusker_plan::plan::Pace;

use super::changing::{ChangeKeys, Changing, Quantity, Step, Steps, TraceFile, varying};
use super::trace::unwritten;
use crate::error::{Fault, Mistake};
use crate::forms::forms;
use crate::quantity::rate_or_zero;
use crate::recorded::{Columns, Wanted};
use crate::text::{Text, Written};

/// The rate of a link.
pub type LinkRate = Changing<Rate>;

/// A rate of which the file has been read.
pub(crate) fn nominal(rate: &LinkRate) -> Rate {
    match rate {
        Changing::Trace(file) => {
            let times = file.opportunities.as_deref().unwrap_or_default();
            let period = u64::from(times.last().copied().unwrap_or(1).max(1));
            let bits = times.len() as u64 * OPPORTUNITY.get() * 8;
            Rate::from_bits_per_sec((bits * 1000 / period).max(1))
        }
        _ => rate.first().unwrap_or(Rate::from_bits_per_sec(1)),
    }
}

/// How the rate of a link changes, checked; `least` is its shortest delay.
pub(crate) fn pace(rate: &LinkRate, least: Duration, path: &str) -> Result<Pace, Fault> {
    let at = format!("{path}.rate");
    let wrong = |message: &str, help: &str, key: &str| {
        Err(Mistake::new(message, help).at(format!("{path}.{key}")))
    };
    match rate {
        Changing::Constant(_) => Ok(Pace::Fixed),
        Changing::Trace(file) if file.opportunities.is_some() && least == Duration::ZERO => wrong(
            "a trace on a link without delay",
            "the packets of an opportunity leave at once, so a delay is needed: write delay = \"1ms\"",
            "delay",
        ),
        Changing::Trace(TraceFile { trace, opportunities: Some(opportunities), .. }) => {
            Ok(Pace::Trace { name: trace.clone(), opportunities: opportunities.clone() })
        }
        Changing::Steps(_) | Changing::Trace(_) => {
            let rates = varying(rate, &at, |rate, _| Ok(rate))?;
            let zero = |rate: Rate| rate.bits_per_sec() == 0;
            if zero(rates.first()) {
                let help = "the first rate is that on which queues are based: begin with it, or \
                            write down = { at = \"0s\", for = \"200ms\" }";
                return wrong("a rate of zero at the start", help, "rate");
            }
            match rates.changes() {
                Some((list, None)) if list.last().is_some_and(|step| zero(step.value)) => wrong(
                    "the last rate is zero, so nothing is ever sent again",
                    "add a step with a rate at the end of the outage",
                    "rate",
                ),
                _ => Ok(Pace::Steps(rates)),
            }
        }
    }
}

/// As written in a scenario.
pub(crate) fn written(rate: Rate, pace: &Pace) -> LinkRate {
    match pace {
        Pace::Fixed => rate.into(),
        Pace::Steps(rates) => Changing::written(rates, None, |rate| rate),
        Pace::Trace { name, opportunities } => Changing::Trace(TraceFile {
            opportunities: Some(opportunities.clone()),
            ..TraceFile::named(name.clone())
        }),
    }
}

/// A rate of a step, which may be zero.
struct InStep(Rate);

forms! { 'de InStep, "a rate such as \"1Gbit\", or \"0bit\" for an outage" =>
    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<InStep, E> {
        rate_or_zero(text).map(InStep).map_err(|wrong| Mistake::from(wrong).into_serde())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateTable {
    trace: Option<String>,
    columns: Option<Columns>,
    opportunities: Option<String>,
    steps: Option<Vec<Step<Rate>>>,
    every: Option<Text<Duration>>,
}

impl Quantity for Rate {
    const KEY: &'static str = "rate";
    const STEP: &'static [&'static str] = &["at", "rate"];
    const RECORDED: Wanted = Wanted::Rate;
    const WHAT: &'static str = "a rate such as \"1Gbit\", [{ at = \"0s\", rate = \"1Gbit\" }, ..] \
                                or { trace = \"file\" }";
    type Table = RateTable;

    fn text(text: &str) -> Option<Result<Self, (String, String)>> {
        Some(Written::read(text))
    }

    fn table(t: RateTable) -> Result<Changing<Self>, (String, String)> {
        let told = ChangeKeys {
            steps: t.steps,
            every: t.every,
            trace: t.trace,
            columns: t.columns,
            reorder: None,
        };
        let opportunities = t.opportunities.map(|text| unwritten(&text)).transpose();
        let wrong = |mistake: Mistake| (mistake.message, mistake.help.unwrap_or_default());
        let opportunities = opportunities.map_err(wrong)?.map(Into::into);
        match told.read(false)? {
            Some(Changing::Trace(TraceFile { every: Some(_), .. })) => Err((
                "`every` together with `trace`".into(),
                "a trace of opportunities repeats at its end by itself".into(),
            )),
            Some(Changing::Trace(file)) => Ok(Changing::Trace(TraceFile { opportunities, ..file })),
            Some(Changing::Steps(steps)) if opportunities.is_none() => Ok(Changing::Steps(steps)),
            _ => Err((
                format!("expected {}", <Self as Quantity>::WHAT),
                "use one of these forms".into(),
            )),
        }
    }

    fn in_step<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Self, A::Error> {
        map.next_value().map(|InStep(rate)| rate)
    }

    fn of_column(_: f64) -> Option<Self> {
        None
    }

    fn write<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        Text(*self).serialize(s)
    }

    fn schema(g: &mut SchemaGenerator) -> Schema {
        g.subschema_for::<Text<Self>>()
    }
}

impl From<Steps<Rate>> for LinkRate {
    fn from(steps: Steps<Rate>) -> Self {
        Self::Steps(steps)
    }
}
