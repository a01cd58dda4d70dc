//! From the words of a command line to a command.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory, Error, FromArgMatches};

use super::Cli;

impl Cli {
    /// Reads words of which the first is the program's name. An option without its value, as a
    /// script with an empty variable gives it, is an error.
    pub fn of(words: impl IntoIterator<Item = OsString>) -> Result<Self, Error> {
        let mut command = Self::command();
        command.build();
        let matches = command.clone().try_get_matches_from(words)?;
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
}
