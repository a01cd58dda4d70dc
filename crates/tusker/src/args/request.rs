//! Requests: the options of a command as data. They come from a command line or, as JSON, from
//! a program, and can be written as a command line again. In JSON, each option is a key.

use clap::{Arg, Args, Command, FromArgMatches};
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer};
use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};
use tusker_core::Bytes;
use tusker_report::page::Step;
use tusker_report::results;
use tusker_scenario::Written;

use super::{
    CompareArgs, DemoArgs, DiagnoseArgs, EvaluateArgs, Format, PlanArgs, ReproduceArgs, RunArgs,
    SweepArgs,
};
use crate::failure::Failure;

/// The options of a command.
pub trait Options: Args + Serialize + Default {
    /// Its name.
    const NAME: &'static str;

    /// The form of the answer on stdout.
    fn format(&self) -> Format;

    /// Whether nothing but the answer is printed.
    fn quiet(&self) -> bool;

    /// What clap knows of them.
    fn definitions() -> Command {
        let mut command = Self::augment_args(Command::new(Self::NAME));
        command.build();
        command
    }
}

macro_rules! options {
    ($($type:ty = $name:literal, $($how:ident)?;)*) => {$(
        impl Options for $type {
            const NAME: &'static str = $name;

            fn format(&self) -> Format {
                self$(.$how)?.format
            }

            fn quiet(&self) -> bool {
                self$(.$how)?.quiet
            }
        }
    )*};
}

options! {
    RunArgs = "run", how;
    CompareArgs = "compare", how;
    SweepArgs = "sweep", how;
    EvaluateArgs = "evaluate", how;
    PlanArgs = "plan",;
    DiagnoseArgs = "diagnose",;
    DemoArgs = "demo", how;
    ReproduceArgs = "reproduce", how;
}

/// The command that was given.
pub fn command_line() -> Vec<String> {
    let words = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned());
    std::iter::once("tusker".to_owned()).chain(words).collect()
}

/// What a command is asked to do, and the words that said so, with the name of the program.
#[derive(Clone, Debug)]
pub struct Request<T> {
    pub args: T,
    pub command: Vec<String>,
}

impl<T> Request<T> {
    /// What was typed.
    pub fn typed(args: T) -> Self {
        Self { args, command: command_line() }
    }
}

impl<T: Options + DeserializeOwned> Request<T> {
    /// Reads it from JSON. A mistake names the option.
    pub fn read(json: &str) -> Result<Self, Failure> {
        let help = format!("`tusker {} --help` describes all options", T::NAME);
        let wrong = |message: String| Failure::input(message, &help);
        let all: Map<String, Value> =
            serde_json::from_str(json).map_err(|e| wrong(e.to_string()))?;
        let clap = T::definitions();
        let groups = groups::<T>();
        let given =
            all.iter().filter(|(_, value)| value.as_array().is_none_or(|own| !own.is_empty()));
        let mut options: Vec<&Arg> = Vec::new();
        for (key, value) in given {
            let option = long(key);
            // every other option has a default
            let alone = grouped(&groups, Map::from_iter([(key.clone(), value.clone())]));
            T::deserialize(alone).map_err(|e| wrong(format!("{option}: {e}")))?;
            if value.as_str().is_some_and(|text| text.trim().is_empty()) {
                return Err(wrong(format!("{option}: there is no value")));
            }
            let Some(arg) = clap.get_arguments().find(|arg| is(arg, key)) else { continue };
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
        }
        let args = T::deserialize(grouped(&groups, all)).map_err(|e| wrong(e.to_string()))?;
        let words = words(&args).unwrap_or_default();
        Ok(Self { args, command: [vec!["tusker".to_owned()], words].concat() })
    }
}

/// The objects of options that several commands share, such as `how`.
fn groups<T: Options>() -> Map<String, Value> {
    let all = serde_json::to_value(T::default()).ok();
    let all = all.and_then(|all| all.as_object().cloned()).unwrap_or_default();
    all.into_iter().filter(|(_, value)| value.is_object()).collect()
}

/// Each option in the object that it belongs to.
fn grouped(groups: &Map<String, Value>, options: Map<String, Value>) -> Value {
    let mut all = Map::new();
    for (key, value) in options {
        let group = groups.iter().find(|(_, own)| own.get(&key).is_some());
        match group.and_then(|(group, _)| {
            all.entry(group).or_insert_with(|| Map::new().into()).as_object_mut()
        }) {
            Some(group) => _ = group.insert(key, value),
            None => _ = all.insert(key, value),
        }
    }
    all.into()
}

/// The words of a command line that say these options, without the name of the program: every
/// option whose value differs from the one that it has by default, in the order of the help.
/// `None` if some path is not text.
pub fn words<T: Options>(args: &T) -> Option<Vec<String>> {
    let flat = |args: &T| {
        let Ok(Value::Object(groups)) = serde_json::to_value(args) else { return None };
        let mut all = Map::new();
        for (key, value) in groups {
            match value {
                Value::Object(own) => all.extend(own),
                value => _ = all.insert(key, value),
            }
        }
        Some(all)
    };
    let (own, plain) = (flat(args)?, flat(&T::default())?);
    let mut words = vec![T::NAME.to_owned()];
    for arg in T::definitions().get_arguments() {
        let Some((key, value)) = own.iter().find(|(key, _)| is(arg, key)) else { continue };
        if plain.get(key) == Some(value) {
            continue;
        }
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let values: Vec<String> = match (value, arg.get_value_delimiter()) {
            (Value::Bool(_), _) => Vec::new(),
            (Value::Array(all), Some(comma)) => {
                vec![all.iter().map(text).collect::<Vec<_>>().join(&comma.to_string())]
            }
            (Value::Array(all), None) => all.iter().map(text).collect(),
            (value, _) => vec![text(value)],
        };
        let option = format!("--{}", arg.get_long().unwrap_or_default());
        if value.is_boolean() {
            words.push(option.clone());
        }
        for value in values {
            match arg.is_positional() {
                true => words.push(value),
                false if value.starts_with('-') => words.push(format!("{option}={value}")),
                false => words.extend([option.clone(), value]),
            }
        }
    }
    Some(words)
}

/// A command to type next, and what it is good for.
pub fn step<T: Options>(args: &T, what: impl Into<String>) -> Option<Step> {
    Some(Step::new(results::command(&words(args)?), what))
}

/// The command with every word of its answer.
pub fn explained<T: Options>(args: &T, what: &str) -> Option<Step> {
    let step = step(args, what)?;
    Some(Step { command: step.command + EXPLAIN, ..step })
}

/// The option of all commands for every word of an answer.
pub const EXPLAIN: &str = " --explain";

/// Whether an argument has this name in JSON.
fn is(arg: &Arg, key: &str) -> bool {
    arg.get_long() == long(key).get(2..) || arg.get_id() == key
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

/// A size as [`memory`] reads it, in the largest unit of which it is a multiple.
pub fn size<S: Serializer>(size: &Option<Bytes>, s: S) -> Result<S::Ok, S::Error> {
    let text = |size: Bytes| {
        let units = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
        let unit = units.into_iter().find(|(_, unit)| size.get().is_multiple_of(*unit));
        let (name, unit) = unit.filter(|_| size.get() > 0).unwrap_or(("B", 1));
        format!("{}{name}", size.get() / unit)
    };
    size.map(text).serialize(s)
}

/// A list with commas between its values.
pub fn list<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<String>, D::Error> {
    Ok(String::deserialize(d)?.split(',').map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command as Asked};

    fn wrong<T: Options + DeserializeOwned>(json: &str) -> String {
        match Request::<T>::read(json).err() {
            Some(Failure::Input(report)) => report.to_string(),
            other => panic!("{json}: {other:?}"),
        }
    }

    #[test]
    fn what_is_not_given_is_as_on_the_command_line() {
        let json = r#"{"cc": "reno,hstcp", "rate": "1mbit", "rtt": "1ms", "ecn": true,
            "set": ["seed=2", "title=a b"], "jobs": 2, "memory": "2GB"}"#;
        let Request::<CompareArgs> { args, command } = Request::read(json).unwrap();
        assert_eq!(
            (args.cc, args.flows, args.buffer.as_str()),
            (vec!["reno".to_owned(), "hstcp".to_owned()], 1, "1bdp")
        );
        assert_eq!((args.how.jobs, args.how.memory), (Some(2), Some(Bytes::new(2_000_000_000))));
        assert!(args.ecn && !args.resume);
        let words = "tusker compare --rate 1mbit --rtt 1ms --cc reno,hstcp --ecn --set seed=2 \
                     --set 'title=a b' --jobs 2 --memory 2GB";
        assert_eq!(results::command(&command), words);
        let Request::<SweepArgs> { args, command } =
            Request::read(r#"{"file": "a.toml"}"#).unwrap();
        assert_eq!((args.most, args.path.flows), (100, 1));
        assert_eq!(command, ["tusker", "sweep", "a.toml"]);
        let read = Request::<PlanArgs>::read("{}").unwrap();
        assert_eq!((read.args.today.as_str(), read.args.until.as_str()), ("cubic-linux", "5%"));
        assert!(
            Request::<ReproduceArgs>::read(r#"{"recorded": "a", "set": []}"#)
                .unwrap()
                .args
                .out
                .is_none()
        );
        assert!(Request::<EvaluateArgs>::read("{}").unwrap().args.suite.is_none());
    }

    /// What was typed, as the words of its options.
    fn again(typed: &str) -> String {
        let words = std::iter::once("tusker").chain(typed.split(' ')).map(Into::into);
        let words = match Cli::of(words).unwrap().command {
            Asked::Run(args) => words_of(&args),
            Asked::Compare(args) => words_of(&args),
            Asked::Sweep(args) => words_of(&args),
            Asked::Evaluate(args) => words_of(&args),
            Asked::Plan(args) => words_of(&args),
            Asked::Demo(args) => words_of(&args),
            Asked::Reproduce(args) => words_of(&args),
            other => panic!("{other:?}"),
        };
        results::command(&words)
    }

    fn words_of<T: Options>(args: &T) -> Vec<String> {
        words(args).unwrap()
    }

    #[test]
    fn a_request_is_written_as_the_command_that_makes_it() {
        for (typed, written) in [
            // a list, a flag, an option whose name in the code is another, and a default
            (
                "compare --rtt 1ms --rate=1gbit --cc reno,hstcp:z=2 --flows 1 -q --ecn --set a=1",
                "compare --rate 1gbit --rtt 1ms --cc reno,hstcp:z=2 --ecn --set a=1 --quiet",
            ),
            (
                "run --no-save --pcap S1=a.pcapng a.toml --fail-on jain<1 --fail-on jain>0 --seed 7",
                "run a.toml --seed 7 --pcap S1=a.pcapng --fail-on 'jain<1' --fail-on 'jain>0' --no-save",
            ),
            (
                "sweep a.toml --over cc=reno,cubic --measure jain,utilisation --tables csv -j 2",
                "sweep a.toml --over cc=reno,cubic --measure jain,utilisation --jobs 2 --tables csv",
            ),
            (
                "sweep --rate 1gbit --rtt 1ms --buffer=-1bdp --most 9",
                "sweep --rate 1gbit --rtt 1ms --buffer=-1bdp --most 9",
            ),
            (
                "evaluate --fail-on worse --queue red --format csv",
                "evaluate --queue red --fail-on worse --format csv",
            ),
            (
                "plan --for 2xreno --size 1GB --rate 1gbit --rtt 9ms --laws reno --memory 2GB",
                "plan --size 1GB --rate 1gbit --rtt 9ms --cc reno --for 2xreno --memory 2GB",
            ),
            ("demo --report a.html", "demo --report a.html"),
            (
                "reproduce ghstcp --quick --delay 5,10 --claim a --case 4",
                "reproduce ghstcp --case 4 --at 5,10 --quick --claim a",
            ),
        ] {
            let words = again(typed);
            assert_eq!(words, written);
            if !words.contains('\'') {
                assert_eq!(again(&words), words, "it says the same again");
            }
        }
    }

    #[test]
    fn a_mistake_is_in_its_option() {
        for (told, expected) in [
            (
                wrong::<CompareArgs>(r#"{"flows": 0}"#),
                "--flows: expected a whole number from 1 to 100000",
            ),
            (
                wrong::<RunArgs>(r#"{"jobs": 5000}"#),
                "--jobs: expected a whole number from 1 to 4096",
            ),
            (wrong::<RunArgs>(r#"{"seed": -1}"#), "--seed: expected a whole number from 0 to"),
            (wrong::<RunArgs>(r#"{"memory": "2"}"#), "--memory: `2` has no unit"),
            (wrong::<RunArgs>(r#"{"sed": 1}"#), "--sed: unknown field `sed`, expected one of"),
            (wrong::<RunArgs>(r#"{"outt": 1}"#), "--outt: unknown field `outt`"),
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
                wrong::<RunArgs>(r#"{"out": "a", "force": true, "resume": true}"#),
                "cannot be used with",
            ),
        ] {
            assert!(told.contains(expected), "{told}");
        }
    }
}
