//! Commands as data, from programs: JSON with the options of the command line.
//!
//! Options that several commands have are in objects of their own, such as `how`.

use clap::{Arg, Args, Command, FromArgMatches};
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer};
use serde_json::{Map, Value};
use tusker_core::Bytes;
use tusker_scenario::Written;

use crate::failure::Failure;

/// A request, and the words that say it.
pub struct Request<T> {
    pub args: T,
    pub command: Vec<String>,
}

impl<T: Args + DeserializeOwned> Request<T> {
    /// Reads it. A mistake names the option.
    pub fn read(name: &str, json: &str) -> Result<Self, Failure> {
        let help = format!("`tusker {name} --help` describes all options");
        let wrong = |message: String| Failure::input(message, &help);
        let all: Map<String, Value> =
            serde_json::from_str(json).map_err(|e| wrong(e.to_string()))?;
        let (mut given, mut words) = (Vec::new(), vec!["tusker".to_owned(), name.to_owned()]);
        let mut clap = T::augment_args(Command::new("tusker"));
        clap.build();
        for (group, value) in &all {
            match value {
                Value::Array(own) if own.is_empty() => {}
                Value::Object(own) if !own.is_empty() => {
                    given.extend(own.iter().map(|(key, value)| {
                        let alone = Map::from_iter([(key.clone(), value.clone())]);
                        (key, value, Map::from_iter([(group.clone(), alone.into())]))
                    }));
                }
                _ => given.push((group, value, Map::from_iter([(group.clone(), value.clone())]))),
            }
        }
        let mut options: Vec<&Arg> = Vec::new();
        for (key, value, alone) in given {
            let option = long(key);
            if value.as_str().is_some_and(|text| text.trim().is_empty()) {
                return Err(wrong(format!("{option}: there is no value")));
            }
            // every other option has a default
            T::deserialize(Value::Object(alone)).map_err(|e| wrong(format!("{option}: {e}")))?;
            let is = |arg: &&Arg| arg.get_long() == option.get(2..) || arg.get_id() == key.as_str();
            let Some(arg) = clap.get_arguments().find(is) else { continue };
            let excludes = |other: &&&Arg| {
                let of = |own: &Arg, other: &Arg| {
                    clap.get_arg_conflicts_with(own)
                        .iter()
                        .any(|arg| arg.get_id() == other.get_id())
                };
                of(arg, other) || of(other, arg)
            };
            if let Some(other) = options.iter().find(excludes) {
                return Err(wrong(format!("{other} cannot be used with {arg}")));
            }
            options.push(arg);
            let named = |value: &Value| {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                if arg.is_positional() { text } else { format!("{option}={text}") }
            };
            match value {
                Value::Bool(_) => words.push(option),
                Value::Array(values) => words.extend(values.iter().map(named)),
                value => words.push(named(value)),
            }
        }
        let args = T::deserialize(Value::Object(all)).map_err(|e| wrong(e.to_string()))?;
        Ok(Self { args, command: words })
    }
}

fn long(key: &str) -> String {
    format!("--{}", key.replace('_', "-"))
}

/// What options are if they are not given, with these values of those that must be.
pub(super) fn defaults<T: Args + FromArgMatches>(required: &[&str]) -> T {
    let command = T::augment_args(Command::new("tusker").no_binary_name(true));
    let matches = command.try_get_matches_from(required);
    let args = matches.and_then(|matches| T::from_arg_matches(&matches));
    args.expect("nothing else is required")
}

/// A whole number in a range.
fn number<'de, D: Deserializer<'de>>(d: D, least: u64, most: u64) -> Result<u64, D::Error> {
    let number = serde_json::Number::deserialize(d)?.as_u64();
    let within = number.filter(|number| (least..=most).contains(number));
    within
        .ok_or_else(|| de::Error::custom(format!("expected a whole number from {least} to {most}")))
}

macro_rules! numbers {
    ($($name:ident: $type:ty = $least:literal..=$most:expr;)*) => {$(
        pub fn $name<'de, D: Deserializer<'de>, T: From<$type>>(d: D) -> Result<T, D::Error> {
            let number = number(d, $least, $most)?;
            Ok(<$type>::try_from(number).expect("the range is one of the type").into())
        }
    )*};
}

numbers! {
    count: u32 = 1..=100_000;
    most: u32 = 3..=100_000;
    jobs: u32 = 1..=4096;
    seed: u64 = 0..=i64::MAX as u64;
}

/// A size as in scenario files.
pub fn memory<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Bytes>, D::Error> {
    let text = String::deserialize(d)?;
    let read = Bytes::read(&text).map_err(|(message, help)| format!("{message}; {help}"));
    read.map(Some).map_err(de::Error::custom)
}

/// A list with commas between its values.
pub fn list<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    Ok(String::deserialize(d)?.split(',').map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{CompareArgs, EvaluateArgs, PlanArgs, ReproduceArgs, RunArgs, SweepArgs};

    fn wrong<T: Args + DeserializeOwned>(json: &str) -> String {
        match Request::<T>::read("command", json).err() {
            Some(Failure::Input(report)) => report.to_string(),
            other => panic!("{json}: {other:?}"),
        }
    }

    #[test]
    fn what_is_not_given_is_as_on_the_command_line() {
        let json = r#"{"cc": "reno,hstcp", "rate": "1mbit", "rtt": "1ms", "ecn": true,
            "set": ["seed=2", "title=a b"], "how": {"jobs": 2, "memory": "2GB"}}"#;
        let Request::<CompareArgs> { args, command } = Request::read("compare", json).unwrap();
        assert_eq!(
            (args.cc, args.flows, args.buffer.as_str()),
            (vec!["reno".to_owned(), "hstcp".to_owned()], 1, "1bdp")
        );
        assert_eq!((args.how.jobs, args.how.memory), (Some(2), Some(Bytes::new(2_000_000_000))));
        assert!(args.ecn && !args.resume);
        let mut words = command;
        words[2..].sort_unstable();
        let sorted = [
            "--cc=reno,hstcp",
            "--ecn",
            "--jobs=2",
            "--memory=2GB",
            "--rate=1mbit",
            "--rtt=1ms",
            "--set=seed=2",
            "--set=title=a b",
        ];
        assert_eq!(words, [&["tusker", "compare"][..], &sorted].concat());
        let Request::<SweepArgs> { args, command } =
            Request::read("sweep", r#"{"file": "a.toml"}"#).unwrap();
        assert_eq!((args.most, args.path.flows), (100, 1));
        assert_eq!(command, ["tusker", "sweep", "a.toml"]);
        let read = Request::<PlanArgs>::read("plan", "{}").unwrap();
        assert_eq!((read.args.today.as_str(), read.args.until.as_str()), ("cubic-linux", "5%"));
        assert!(
            Request::<ReproduceArgs>::read("reproduce", r#"{"recorded": "a", "set": []}"#)
                .unwrap()
                .args
                .out
                .is_none()
        );
        assert!(Request::<EvaluateArgs>::read("evaluate", "{}").unwrap().args.suite.is_none());
    }

    #[test]
    fn a_mistake_is_in_its_option() {
        for (told, expected) in [
            (
                wrong::<CompareArgs>(r#"{"flows": 0}"#),
                "--flows: expected a whole number from 1 to 100000",
            ),
            (
                wrong::<RunArgs>(r#"{"how": {"jobs": 5000}}"#),
                "--jobs: expected a whole number from 1 to 4096",
            ),
            (
                wrong::<RunArgs>(r#"{"how": {"seed": -1}}"#),
                "--seed: expected a whole number from 0 to",
            ),
            (wrong::<RunArgs>(r#"{"how": {"memory": "2"}}"#), "--memory: `2` has no unit"),
            (wrong::<RunArgs>(r#"{"sed": 1}"#), "--sed: unknown field `sed`, expected one of"),
            (wrong::<RunArgs>(r#"{"save": {"outt": 1}}"#), "--outt: unknown field `outt`"),
            (wrong::<PlanArgs>(r#"{"today": " "}"#), "--today: there is no value"),
            (
                wrong::<PlanArgs>(r#"{"size": 5}"#),
                "--size: invalid type: integer `5`, expected a string",
            ),
            (
                wrong::<ReproduceArgs>(r#"{"recorded": "a", "set": ["seed=1"]}"#),
                "--recorded <PATH> cannot be used with --set <KEY=VALUE>",
            ),
            (
                wrong::<RunArgs>(r#"{"save": {"out": "a", "force": true, "resume": true}}"#),
                "cannot be used with",
            ),
        ] {
            assert!(told.contains(expected), "{told}");
        }
    }
}
