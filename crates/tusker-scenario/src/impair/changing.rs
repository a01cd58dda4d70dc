//! A quantity of a link: constant, in steps, or from a file.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::{Schema, SchemaGenerator};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeOwned, MapAccess, SeqAccess, Unexpected};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tusker_core::{Duration, Time};
use tusker_plan::plan;

use super::trace::written;
use crate::error::{Fault, Mistake, quote};
use crate::recorded::{Columns, Wanted};
use crate::text::Text;

/// A quantity of a link over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Changing<T> {
    /// Always the same.
    Constant(T),
    /// Steps.
    Steps(Steps<T>),
    /// A file that the scenario names.
    Trace(TraceFile),
}

/// Values that apply from given times on.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps<T> {
    /// In the order of time; the first is at 0 s.
    pub list: Vec<Step<T>>,
    /// The length of a period, if they repeat.
    pub every: Option<Duration>,
    /// Whether packets may overtake each other where a delay falls; no if `None`.
    pub reorder: Option<bool>,
}

/// A value that applies from a given time on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<T> {
    /// From this time on.
    pub at: Duration,
    /// The new value.
    pub value: T,
}

/// A file.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceFile {
    /// Its path.
    pub trace: String,
    /// Which columns of a table count.
    pub columns: Columns,
    /// The length of a period, if its steps repeat.
    pub every: Option<Duration>,
    /// As for steps.
    pub reorder: Option<bool>,
    /// Of a rate: the times at which a packet can leave (Mahimahi's format), in milliseconds,
    /// once read.
    pub opportunities: Option<Arc<[u32]>>,
}

impl TraceFile {
    /// A file that has not been read.
    pub fn named(trace: String) -> Self {
        let columns = Columns::default();
        Self { trace, columns, every: None, reorder: None, opportunities: None }
    }
}

/// A quantity that may change.
pub trait Quantity: Copy + PartialEq + 'static {
    /// Its key in a step.
    const KEY: &'static str;
    /// The keys of a step.
    const STEP: &'static [&'static str];
    /// What a file has of it.
    const RECORDED: Wanted;
    /// What may be written for it, with examples.
    const WHAT: &'static str;
    /// Its table: the changes, and other forms.
    type Table: DeserializeOwned;

    /// A constant, written as a string.
    fn text(_: &str) -> Option<Result<Self, (String, String)>> {
        None
    }
    /// A constant, written as a number.
    fn number(_: f64) -> Option<Self> {
        None
    }
    /// What a table says.
    fn table(table: Self::Table) -> Result<Changing<Self>, (String, String)>;
    /// The value of a step.
    fn in_step<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Self, A::Error> {
        match map.next_value()? {
            Changing::Constant(value) => Ok(value),
            _ => Err(Mistake::new("steps within a step", "one value for each step").into_serde()),
        }
    }
    /// A number of a file: milliseconds, or a share.
    fn of_column(number: f64) -> Option<Self>;
    /// As it is written in a scenario.
    fn write<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error>;
    /// The schema of a constant.
    fn schema(g: &mut SchemaGenerator) -> Schema;
}

impl<T> From<T> for Changing<T> {
    fn from(value: T) -> Self {
        Self::Constant(value)
    }
}

/// The changes that a table describes.
pub struct ChangeKeys<T> {
    pub steps: Option<Vec<Step<T>>>,
    pub every: Option<Text<Duration>>,
    pub trace: Option<String>,
    pub columns: Option<Columns>,
    pub reorder: Option<bool>,
}

impl<T: Quantity> ChangeKeys<T> {
    /// The quantity, unless the table describes none; `others`: it has other keys.
    pub fn read(self, others: bool) -> Result<Option<Changing<T>>, (String, String)> {
        let wrong = |message: &str, help: &str| Err((message.to_owned(), help.to_owned()));
        let (every, reorder) = (self.every.map(|every| every.0), self.reorder);
        match (self.steps, self.trace) {
            (None, None) if every.is_some() => wrong(
                "`every` without steps",
                "add steps = [{ at = \"0s\", .. }, ..], which repeat after this time",
            ),
            (None, None) if self.columns.is_some() => wrong(
                "`columns` without `trace`",
                "add trace = \"FILE\": columns are those of a file",
            ),
            (None, None) => Ok(None),
            (Some(_), Some(_)) => wrong("`steps` together with `trace`", "keep one of the two"),
            _ if others => wrong(&format!("expected {}", T::WHAT), "use one of these forms"),
            (Some(_), None) if self.columns.is_some() => {
                wrong("`columns` together with `steps`", "columns are those of a file: a trace")
            }
            (Some(list), None) => Ok(Some(Changing::Steps(Steps { list, every, reorder }))),
            (None, Some(trace)) => {
                let columns = self.columns.unwrap_or_default();
                let file = TraceFile { columns, every, reorder, ..TraceFile::named(trace) };
                Ok(Some(Changing::Trace(file)))
            }
        }
    }
}

impl<T: Copy> Changing<T> {
    /// The value at the start; `None` of an unread file.
    pub fn first(&self) -> Option<T> {
        match self {
            Self::Constant(value) => Some(*value),
            Self::Steps(steps) => steps.list.first().map(|step| step.value),
            Self::Trace(_) => None,
        }
    }

    /// Whether packets may overtake each other because of it.
    pub(crate) fn reorders(&self) -> bool {
        matches!(self, Self::Steps(Steps { reorder: Some(true), .. }))
    }

    /// As written in a scenario; a constant never says `reorder`.
    pub(crate) fn written<U: Copy>(
        varying: &plan::Varying<U>,
        reorder: Option<bool>,
        written: impl Fn(U) -> T,
    ) -> Self {
        let Some((list, every)) = varying.changes() else {
            return Self::Constant(written(varying.first()));
        };
        let step = |step: &plan::Step<U>| Step {
            at: step.at.since(Time::ZERO),
            value: written(step.value),
        };
        Self::Steps(Steps { list: list.iter().map(step).collect(), every, reorder })
    }
}

/// The shortest period.
const SHORTEST: Duration = Duration::from_millis(1);

/// A period that is not too short, and after the last thing that happens in it.
pub(crate) fn check_period(every: Duration, last: Duration, path: &str) -> Result<(), Fault> {
    let wrong =
        |message: String, help: &str| Err(Mistake::new(message, help).at(format!("{path}.every")));
    match every {
        _ if every < SHORTEST => {
            wrong(format!("a period of {every}"), "at least 1ms, such as every = \"15s\"")
        }
        _ if every <= last => wrong(
            format!("a period of {every} with a step at {last}"),
            "the times of steps are within the period: choose a longer one",
        ),
        _ => Ok(()),
    }
}

/// What an executor takes; each value, with its path, is checked by `one`.
pub(crate) fn varying<T: Quantity, U: Copy>(
    changing: &Changing<T>,
    path: &str,
    one: impl Fn(T, &str) -> Result<U, Fault>,
) -> Result<plan::Varying<U>, Fault> {
    let wrong = |message: String, help: String| Err(Mistake::new(message, help).at(path));
    match changing {
        Changing::Constant(value) => Ok(one(*value, path)?.into()),
        Changing::Trace(file) => wrong(
            format!("the trace `{}` has not been read", quote(&file.trace)),
            "a scenario that is not a file cannot name one; expand it first".into(),
        ),
        Changing::Steps(Steps { list, every, .. }) => {
            let key = T::KEY;
            if list.first().is_none_or(|step| step.at > Duration::ZERO) {
                let help = format!("begin with {{ at = \"0s\", {key} = .. }}");
                return wrong(format!("the {key} at the start is missing"), help);
            }
            if let Some(pair) = list.windows(2).find(|pair| pair[0].at >= pair[1].at) {
                let message = format!("a step at {} after one at {}", pair[1].at, pair[0].at);
                return wrong(message, "give the steps in the order of time".into());
            }
            if let (Some(every), Some(last)) = (*every, list.last()) {
                check_period(every, last.at, path)?;
            }
            let steps = if every.is_some() { ".steps" } else { "" };
            let step = |(i, step): (usize, &Step<T>)| {
                let value = one(step.value, &format!("{path}{steps}.{i}.{key}"))?;
                Ok(plan::Step { at: Time::ZERO + step.at, value })
            };
            let list = list.iter().enumerate().map(step).collect::<Result<_, Fault>>()?;
            Ok(plan::Varying::steps(list, *every))
        }
    }
}

/// A visitor of a form of `T`.
struct Visitor<T>(PhantomData<T>);

impl<'de, T: Quantity> de::Visitor<'de> for Visitor<Changing<T>> {
    type Value = Changing<T>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::WHAT)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Changing<T>, E> {
        let read = T::text(text);
        let read = read.ok_or_else(|| E::invalid_type(Unexpected::Str(text), &self))?;
        read.map(Changing::Constant).map_err(|wrong| Mistake::from(wrong).into_serde())
    }
    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Changing<T>, E> {
        let read = T::number(number);
        read.map(Changing::Constant)
            .ok_or_else(|| E::invalid_type(Unexpected::Float(number), &self))
    }
    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Changing<T>, E> {
        let read = T::number(number as f64);
        read.map(Changing::Constant)
            .ok_or_else(|| E::invalid_type(Unexpected::Signed(number), &self))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Changing<T>, A::Error> {
        let list = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
        Ok(Changing::Steps(Steps { list, every: None, reorder: None }))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Changing<T>, A::Error> {
        let table = T::Table::deserialize(MapAccessDeserializer::new(map))?;
        T::table(table).map_err(|wrong| Mistake::from(wrong).into_serde())
    }
}

impl<'de, T: Quantity> Deserialize<'de> for Changing<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_any(Visitor::<Self>(PhantomData))
    }
}

impl<'de, T: Quantity> de::Visitor<'de> for Visitor<Step<T>> {
    type Value = Step<T>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a step such as {{ at = \"5s\", {} = .. }}", T::KEY)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Step<T>, A::Error> {
        let (mut at, mut value) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "at" => at = Some(map.next_value::<Text<Duration>>()?.0),
                key if key == T::KEY => value = Some(T::in_step(&mut map)?),
                key => return Err(de::Error::unknown_field(key, T::STEP)),
            }
        }
        let missing = de::Error::missing_field;
        let at = at.ok_or_else(|| missing("at"))?;
        Ok(Step { at, value: value.ok_or_else(|| missing(T::KEY))? })
    }
}

impl<'de, T: Quantity> Deserialize<'de> for Step<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        d.deserialize_struct("Step", T::STEP, Visitor::<Self>(PhantomData))
    }
}

/// A constant as it is written.
struct Own<'a, T>(&'a T);

impl<T: Quantity> Serialize for Own<'_, T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        self.0.write(s)
    }
}

impl<T: Quantity> Serialize for Step<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let mut map = s.serialize_map(Some(2))?;
        map.serialize_entry("at", &Text(self.at))?;
        map.serialize_entry(T::KEY, &Own(&self.value))?;
        map.end()
    }
}

impl<T: Quantity> Serialize for Changing<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let (every, reorder) = match self {
            Self::Constant(value) => return value.write(s),
            Self::Steps(Steps { list, every: None, reorder: None }) => return list.serialize(s),
            Self::Steps(steps) => (steps.every, steps.reorder),
            Self::Trace(file) => (file.every, file.reorder),
        };
        let mut map = s.serialize_map(None)?;
        match self {
            Self::Constant(_) => {}
            Self::Steps(steps) => map.serialize_entry("steps", &steps.list)?,
            Self::Trace(file) => {
                map.serialize_entry("trace", &file.trace)?;
                if !file.columns.is_empty() {
                    map.serialize_entry("columns", &file.columns)?;
                }
                if let Some(opportunities) = &file.opportunities {
                    map.serialize_entry("opportunities", &written(opportunities))?;
                }
            }
        }
        if let Some(every) = every {
            map.serialize_entry("every", &Text(every))?;
        }
        if let Some(reorder) = reorder {
            map.serialize_entry("reorder", &reorder)?;
        }
        map.end()
    }
}
