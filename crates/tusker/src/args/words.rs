//! From the words of a command line to a command.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, CommandFactory, Error, FromArgMatches};

use super::{CheckArgs, Cli, CompareArgs, Options, RunArgs, ScreenArgs, SweepArgs};

impl Cli {
    /// Reads words of which the first is the program's name. An option without its value, as a
    /// script with an empty variable gives it, is an error.
    pub fn of(words: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let words: Vec<OsString> = words.into_iter().collect();
        let alone = words.get(1).and_then(|name| alone(name.to_str()?));
        // help, and what is wrong, come from the definitions of all commands
        match alone.map(|command| Self::read(command, words.clone())) {
            Some(Ok(cli)) => Ok(cli),
            _ => Self::read(Self::command(), words),
        }
    }

    fn read(mut command: Command, words: Vec<OsString>) -> Result<Self, Error> {
        let matches = command.try_get_matches_from_mut(words)?;
        if let Some((command, [flag, other])) = idle(&command, &matches) {
            let mut error = Error::new(ErrorKind::ArgumentConflict).with_cmd(command);
            error.insert(ContextKind::InvalidArg, ContextValue::String(flag.to_string()));
            error.insert(ContextKind::PriorArg, ContextValue::String(other.to_string()));
            return Err(error);
        }
        match empty(&command, &matches) {
            Some((command, arg)) => {
                let mut error = Error::new(ErrorKind::InvalidValue).with_cmd(&command);
                error.insert(ContextKind::InvalidArg, ContextValue::String(arg.to_string()));
                error.insert(ContextKind::InvalidValue, ContextValue::String(String::new()));
                Err(error)
            }
            None => Self::from_arg_matches(&matches),
        }
    }
}

/// The definition of a single command: those of all commands take as long as checking a scenario.
fn alone(name: &str) -> Option<Command> {
    let (name, options): (&'static str, fn(Command) -> Command) = match name {
        RunArgs::NAME => (RunArgs::NAME, RunArgs::augment_args),
        CompareArgs::NAME => (CompareArgs::NAME, CompareArgs::augment_args),
        SweepArgs::NAME => (SweepArgs::NAME, SweepArgs::augment_args),
        "check" => ("check", CheckArgs::augment_args),
        _ => return None,
    };
    let program = ScreenArgs::augment_args(Command::new("tusker"));
    Some(program.subcommand(options(Command::new(name))))
}

/// Flags of commands that then run nothing, and the options that have an effect with them.
const NOTHING_IS_RUN: [(&str, &str, &[&str]); 8] = [
    (
        "compare",
        "print_scenario",
        &[
            "rate",
            "rtt",
            "buffer",
            "loss",
            "cc",
            "parallel",
            "flows",
            "queue",
            "ecn",
            "against",
            "duration",
            "profile",
            "recovery",
            "sets",
            "seed",
            "replicates",
        ],
    ),
    ("demo", "print_scenario", &["duration", "seed", "replicates"]),
    ("check", "expand", &["scenario", "sets"]),
    ("evaluate", "list", &["suite", "queue"]),
    (
        "evaluate",
        "print_scenario",
        &["law", "queue", "suite", "against", "rate", "rtt", "duration", "seed", "replicates"],
    ),
    ("reproduce", "list", &["paper"]),
    ("reproduce", "list_readings", &["paper"]),
    (
        "reproduce",
        "print_scenario",
        &["paper", "tables", "cases", "at", "readings", "quick", "sets", "seed", "replicates"],
    ),
];

/// The command, if it has a flag of [`NOTHING_IS_RUN`], and an option without an effect.
fn idle<'a>(command: &'a Command, matches: &ArgMatches) -> Option<(&'a Command, [&'a Arg; 2])> {
    let (name, matches) = matches.subcommand()?;
    let command = command.find_subcommand(name)?;
    let given =
        |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let mut own = NOTHING_IS_RUN.iter().filter(|(of, ..)| *of == name);
    own.find_map(|(_, flag, effective)| {
        let flag = command.get_arguments().find(|arg| arg.get_id() == flag).filter(given)?;
        let effective = |arg: &Arg| {
            let id = arg.get_id().as_str();
            arg.is_global_set() || id == "quiet" || arg == flag || effective.contains(&id)
        };
        let other = command.get_arguments().filter(given).find(|arg| !effective(arg))?;
        Some((command, [flag, other]))
    })
}

/// The first argument that was given an empty value, and whose it is.
fn empty(command: &Command, matches: &ArgMatches) -> Option<(Command, Arg)> {
    // what goes on to another program is its own
    let own = |arg: &&Arg| !arg.is_trailing_var_arg_set() && !arg.is_last_set();
    let given = |arg: &&Arg| {
        let id = arg.get_id().as_str();
        let typed = matches.try_contains_id(id).is_ok()
            && matches.value_source(id) == Some(ValueSource::CommandLine);
        let blank = || {
            let mut raw = matches.try_get_raw(id).ok().flatten().into_iter().flatten();
            let named = arg.get_long().is_some();
            raw.any(|value| match named {
                true => value.to_string_lossy().trim().is_empty(),
                false => value.is_empty(),
            })
        };
        arg.get_action().takes_values() && typed && blank()
    };
    let found = command.get_arguments().filter(own).find(given);
    found.map(|arg| (command.clone(), arg.clone())).or_else(|| {
        let (name, matches) = matches.subcommand()?;
        empty(command.find_subcommand(name)?, matches)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(all: &[&str]) -> Vec<OsString> {
        all.iter().map(OsString::from).collect()
    }

    #[test]
    fn no_option_of_any_command_takes_an_empty_value() {
        let mut all = Cli::command();
        all.build();
        let mut seen = 0;
        for command in all.get_subcommands().filter(|command| command.get_name() != "help") {
            let named = command.get_arguments().filter_map(|arg| Some((arg, arg.get_long()?)));
            for (arg, long) in named.filter(|(arg, _)| arg.get_action().takes_values()) {
                for value in ["", " "] {
                    let option = format!("--{long}={value}");
                    let given = words(&["tusker", command.get_name(), &option]);
                    // its own parser refuses it, or it is found
                    let matches = all.clone().ignore_errors(true).try_get_matches_from(&given);
                    let found = matches.ok().and_then(|matches| empty(&all, &matches));
                    let found = found.is_some_and(|(_, found)| found.get_id() == arg.get_id());
                    let refused = all.clone().try_get_matches_from(&given).is_err_and(|error| {
                        matches!(
                            error.kind(),
                            ErrorKind::InvalidValue
                                | ErrorKind::ValueValidation
                                | ErrorKind::WrongNumberOfValues
                        )
                    });
                    assert!(found || refused, "{} {option:?}", command.get_name());
                    seen += 1;
                }
            }
        }
        assert!(seen > 100, "{seen}");
        let of = |all: &[&str]| Cli::of(words(all)).map(|_| ()).map_err(|error| error.to_string());
        let told = of(&["tusker", "explain", ""]).unwrap_err();
        assert!(told.contains("a value is required for '"), "{told}");
        let plan = ["tusker", "plan", "--size", "1MB", "--rate", "1mbit", "--rtt", "1ms"];
        let told = of(&[&plan[..], &["--with", ""]].concat()).unwrap_err();
        assert!(told.contains("'--with <LIST>'"), "{told}");
        assert_eq!(of(&plan), Ok(()));
    }

    #[test]
    fn a_command_alone_has_the_arguments_that_it_has_among_all() {
        let mut all = Cli::command();
        all.build();
        let mut seen = 0;
        for among in all.get_subcommands() {
            let Some(mut program) = alone(among.get_name()) else { continue };
            program.build();
            let own = program.find_subcommand(among.get_name()).expect("it is there");
            // an order shows in help alone
            let arguments = |command: &Command| {
                let all = command.get_arguments().filter(|arg| arg.get_id() != "version");
                let arguments = all.map(|arg| format!("{:?}", arg.clone().display_order(0)));
                let groups = command.get_groups().map(|group| format!("{group:?}"));
                arguments.chain(groups).collect::<Vec<_>>()
            };
            assert!(arguments(own) == arguments(among), "{}", among.get_name());
            seen += 1;
        }
        assert_eq!(seen, 4);
    }

    #[test]
    fn no_option_is_taken_that_has_no_effect() {
        let path = "--rate 1mbit --rtt 1ms --cc reno";
        for (typed, flag, other) in [
            (format!("compare {path} --print-scenario --out a"), "--print-scenario", "--out"),
            (
                format!("compare {path} --print-scenario --fail-on x<1"),
                "--print-scenario",
                "--fail",
            ),
            ("demo --print-scenario --jobs 2".to_owned(), "--print-scenario", "--jobs"),
            ("check a.toml --expand --format json".to_owned(), "--expand", "--format"),
            ("evaluate --list --fail-on worse".to_owned(), "--list", "--fail-on"),
            ("evaluate --list --replicates 3".to_owned(), "--list", "--replicates"),
            ("evaluate a --print-scenario b --out c".to_owned(), "--print-scenario", "--out"),
            ("reproduce a --readings --format json".to_owned(), "--readings", "--format"),
            ("reproduce a --readings --case 4".to_owned(), "--readings", "--case"),
            ("reproduce a --claims --out b".to_owned(), "--claims", "--out"),
            ("reproduce a --claims --recorded b".to_owned(), "--claims", "--recorded"),
            ("reproduce a --print-scenario --force".to_owned(), "--print-scenario", "--force"),
            ("reproduce a --recorded b --memory 1GB".to_owned(), "--recorded", "--memory"),
            ("reproduce a --conclusions --fail-on fails".to_owned(), "--conclusions", "--fail-on"),
        ] {
            let all: Vec<&str> = std::iter::once("tusker").chain(typed.split(' ')).collect();
            let told = Cli::of(words(&all)).err().map_or(String::new(), |error| error.to_string());
            assert!(told.contains(&format!("argument '{flag}")), "{typed}: {told}");
            assert!(told.contains(&format!("with '{other}")), "{typed}: {told}");
        }
        let typed = "reproduce a --print-scenario --case 4 --quick --wide -q";
        let all: Vec<&str> = std::iter::once("tusker").chain(typed.split(' ')).collect();
        assert!(Cli::of(words(&all)).is_ok());
    }
}
