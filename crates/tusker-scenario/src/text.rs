//! Values that scenario files write as strings, and choices among a few words.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::error::{Mistake, nearest, quote};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use tusker_plan::plan;

/// A value that scenario files write as a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Text<T>(pub T);

impl<T> From<T> for Text<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

/// How such a value is written.
pub trait Written: Sized {
    /// A description with article and example: `a rate such as "2.5Gbit"`.
    const WHAT: &'static str;
    /// Some valid strings.
    const EXAMPLES: &'static [&'static str];
    /// All valid strings, if they can be listed.
    const CHOICES: &'static [&'static str] = &[];

    /// Reads a string: gives the value, or the message and the remedy.
    ///
    /// # Errors
    /// If the string is not a valid value.
    fn read(text: &str) -> Result<Self, (String, String)>;

    /// Writes it so that [`Self::read`] gives the same again.
    fn write(&self) -> String;
}

impl<T: Written> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(&self.0.write())
    }
}

impl<'de, T: Written> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<T: Written> de::Visitor<'_> for Visitor<T> {
            type Value = Text<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(T::WHAT)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<T>, E> {
                let read = T::read(text);
                read.map(Text).map_err(|(m, help)| Mistake::new(m, help).into_serde())
            }
        }
        d.deserialize_str(Visitor(PhantomData))
    }
}

impl<T: Written> JsonSchema for Text<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::WHAT.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        if T::CHOICES.is_empty() {
            json_schema!({ "type": "string", "description": T::WHAT, "examples": T::EXAMPLES })
        } else {
            json_schema!({ "type": "string", "enum": T::CHOICES })
        }
    }
}

/// What is wrong with a string, and the remedy.
pub(super) type Wrong = (String, String);

/// Reads one of a few names.
fn choose<T: Copy>(text: &str, what: &str, choices: &[(&str, T)]) -> Result<T, Wrong> {
    let found = choices.iter().find(|(name, _)| *name == text);
    found.map(|&(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|c| c.0).collect();
        (format!("`{}` is not {what}", quote(text)), nearest(text, &names))
    })
}

macro_rules! written_choices {
    ($($(#[$doc:meta])* $type:ty, $what:literal, { $($name:literal = $value:path),* $(,)? })*) => {$(
        $(#[$doc])*
        impl Written for $type {
            const WHAT: &'static str = $what;
            const EXAMPLES: &'static [&'static str] = Self::CHOICES;
            const CHOICES: &'static [&'static str] = &[$($name),*];
            fn read(text: &str) -> Result<Self, Wrong> {
                choose(text, Self::WHAT, &[$(($name, $value)),*])
            }
            fn write(&self) -> String {
                match self { $($value => $name),* }.into()
            }
        }
    )*};
}

/// What hosts are, other than their TCP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// Linux with the socket buffers that it has by default.
    StockLinux,
}

/// A bundle of TCP settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The defaults of ns-2.35, with a few exceptions (docs/scenario.md).
    Ns2,
    /// The defaults of Linux today.
    Linux,
}

/// A direction through a dumbbell or a parking lot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From the first router to the last.
    Forward,
    /// From the last router to the first.
    Reverse,
}

written_choices! {
    plan::Recovery, "a kind of loss recovery", {
        "reno" = Self::Reno,
        "newreno" = Self::NewReno,
        "sack" = Self::Sack,
        "rack" = Self::RackTlp,
    }
    plan::AfterIdle, "a choice for an unused window", {
        "keep" = Self::Keep,
        "restart" = Self::Restart,
        "halve" = Self::Halve,
    }
    Profile, "a profile", { "ns2" = Self::Ns2, "linux" = Self::Linux }
    Hosts, "a kind of hosts", { "stock-linux" = Self::StockLinux }
    Direction, "a direction", { "forward" = Self::Forward, "reverse" = Self::Reverse }
}

impl Written for plan::Counting {
    const WHAT: &'static str = "\"acks\", \"segments\", \"segments:2\" or \"segments-then-acks\"";
    const EXAMPLES: &'static [&'static str] =
        &["acks", "segments", "segments:2", "segments-then-acks"];
    fn read(text: &str) -> Result<Self, Wrong> {
        match (text, text.strip_prefix("segments:").map(str::parse)) {
            ("acks", _) => Ok(Self::Acks),
            ("segments", _) => Ok(Self::Segments(u32::MAX)),
            ("segments-then-acks", _) => Ok(Self::SegmentsThenAcks),
            (_, Some(Ok(l))) if l > 0 => Ok(Self::Segments(l)),
            _ => Err((
                format!("`{}` is not a way to count", quote(text)),
                format!("expected {}", Self::WHAT),
            )),
        }
    }
    fn write(&self) -> String {
        match self {
            Self::Acks => "acks".into(),
            Self::Segments(u32::MAX) => "segments".into(),
            Self::Segments(l) => format!("segments:{l}"),
            Self::SegmentsThenAcks => "segments-then-acks".into(),
        }
    }
}
