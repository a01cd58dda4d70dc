//! When a link is down.

use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::{Deserialize, Serialize, Serializer, de};
use tusker_core::{Duration, Time};
use tusker_plan::plan::{self, Outages, Varying};

use super::changing::check_period;
use crate::error::{Fault, Mistake};
use crate::forms::forms;
use crate::text::Text;

/// Outages of a link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Down {
    /// When it is down, in the order of time.
    pub times: Vec<Outage>,
    /// The length of a period, if the outages repeat.
    pub every: Option<Duration>,
    /// Whether waiting packets are dropped instead of kept.
    pub drop: bool,
}

/// An outage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// When it begins.
    pub at: Text<Duration>,
    /// How long it lasts.
    #[serde(rename = "for")]
    pub lasts: Text<Duration>,
}

/// Later than any experiment lasts, and far from the latest time that there is.
const LATEST: Duration = Duration::from_millis(100 * 365 * 86_400_000);

/// When a link is down, checked.
pub(crate) fn outages(down: Option<&Down>, path: &str) -> Result<Option<Outages>, Fault> {
    let Some(Down { times, every, drop }) = down else { return Ok(None) };
    let wrong = |message: String, help: &str| Err(Mistake::new(message, help).at(path));
    let mut steps = vec![plan::Step { at: Time::ZERO, value: false }];
    let mut end = Duration::ZERO;
    for outage in times {
        let (at, lasts) = (outage.at.0, outage.lasts.0);
        if lasts == Duration::ZERO {
            return wrong("an outage of zero".into(), "write for = \"200ms\", or leave it out");
        }
        if at < end {
            let message = format!("an outage at {at} within the one that ends at {end}");
            return wrong(message, "give them in the order of time, one after the other");
        }
        if at > LATEST || lasts > LATEST {
            return wrong(format!("an outage of {lasts} at {at}"), "earlier and shorter");
        }
        if steps.last().is_some_and(|step| step.at == Time::ZERO + at) {
            steps.pop();
        }
        // two in a row are one
        if steps.last().is_none_or(|step| !step.value) {
            steps.push(plan::Step { at: Time::ZERO + at, value: true });
        }
        end = at + lasts;
        steps.push(plan::Step { at: Time::ZERO + end, value: false });
    }
    if let Some(every) = *every {
        let begins = times.last().map_or(Duration::ZERO, |outage| outage.at.0);
        check_period(every, begins, path)?;
        if end > every {
            let message = format!("an outage until {end} in a period of {every}");
            return wrong(message, "end it with the period, and begin another at \"0s\"");
        }
        if end == every {
            steps.pop();
        }
    }
    let down = Varying::steps(steps, *every);
    if every.is_some() && down.values().all(|down| down) {
        return wrong("a link that is always down".into(), "shorter outages, or a longer period");
    }
    let some = !down.is_fixed();
    Ok(some.then_some(Outages { down, drop: *drop }))
}

/// As written in a scenario.
pub(crate) fn written(outages: &Outages) -> Down {
    let (list, every) = outages.down.changes().unwrap_or_default();
    let ends = list.iter().skip(1).map(|step| step.at.since(Time::ZERO)).chain(every);
    let spans = list.iter().zip(ends).filter(|(step, _)| step.value);
    let outage = |(step, end): (&plan::Step<bool>, Duration)| {
        let at = step.at.since(Time::ZERO);
        Outage { at: at.into(), lasts: (end - at).into() }
    };
    Down { times: spans.map(outage).collect(), every, drop: outages.drop }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DownTable {
    at: Option<Text<Duration>>,
    #[serde(rename = "for")]
    lasts: Option<Text<Duration>>,
    times: Option<Vec<Outage>>,
    every: Option<Text<Duration>>,
    waiting: Option<String>,
}

const DOWN: &str = "{ at = \"5s\", for = \"200ms\" }, or a list of these";

forms! { 'de Down, DOWN =>
    fn visit_seq<A: de::SeqAccess<'de>>(self, seq: A) -> Result<Down, A::Error> {
        let times = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
        Ok(Down { times, every: None, drop: false })
    }
    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Down, A::Error> {
        let t = DownTable::deserialize(MapAccessDeserializer::new(map))?;
        let times = match (t.at, t.lasts, t.times) {
            (Some(at), Some(lasts), None) => vec![Outage { at, lasts }],
            (None, None, Some(times)) => times,
            _ => {
                let help = "`at` and `for` for one outage, `times` for several";
                return Err(Mistake::new(format!("expected {DOWN}"), help).into_serde());
            }
        };
        let drop = match t.waiting.as_deref() {
            None | Some("keep") => false,
            Some("drop") => true,
            Some(_) => {
                let message = "packets that wait are kept or dropped";
                return Err(Mistake::new(message, "valid: `keep`, `drop`").into_serde());
            }
        };
        Ok(Down { times, every: t.every.map(|every| every.0), drop })
    }
}

impl Serialize for Down {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if self.every.is_none() && !self.drop {
            return self.times.serialize(s);
        }
        DownTable {
            at: None,
            lasts: None,
            times: Some(self.times.clone()),
            every: self.every.map(Text),
            waiting: self.drop.then(|| "drop".to_owned()),
        }
        .serialize(s)
    }
}
