//! The command line of Tusker: congestion control for long fat networks. The program
//! (`main.rs`) only calls [`main`]; [`asked`] offers the same commands to other callers,
//! such as the Python package.
//!
//! stdout is data (tables, JSON, CSV), stderr is messages (progress, where results
//! are, errors). Exit codes: 0 done, 1 something failed, 2 the input is wrong,
//! 3 a condition of --fail-on is met, 130 interrupted.

mod args;
pub mod asked;
mod cluster;
mod commands;
mod fail_on;
mod failure;
mod interrupt;
mod junit;
mod names;
mod next;
mod notes;
mod outfile;
mod output;
mod pace;
#[cfg(all(target_os = "linux", feature = "testbed"))]
mod real;
mod report;
mod running;
mod scenarios;
mod screen;
mod tables;
mod traces;

use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use args::{Cli, Command};
use failure::Failure;

/// Does what the words of the command line ask for.
pub fn main() -> ExitCode {
    let cli = match Cli::of(std::env::args_os()) {
        Ok(cli) => cli,
        Err(answer) => return answered(&answer),
    };
    screen::begin(cli.wide, cli.color);
    // both while there is one thread
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    real::enter(&cli.command);
    if !looks_after_signals(&cli.command) {
        interrupt::listen();
    }
    tusker_plan::leave::program_ends_when_stopped();
    let done = match cli.command {
        Command::Run(args) => commands::run::run(&args),
        Command::Compare(args) => commands::compare::compare(&args),
        Command::Sweep(args) => commands::sweep::sweep(&args),
        Command::Plan(args) => commands::plan::plan(&args),
        Command::Report(args) => commands::report::report(&args),
        Command::Query(args) => commands::query::query(&args),
        Command::Demo(args) => commands::demo::demo(&args),
        Command::Reproduce(args) => commands::reproduce::reproduce(&args),
        #[cfg(all(target_os = "linux", feature = "testbed"))]
        Command::Testbed(args) => commands::testbed::testbed(&args),
        #[cfg(all(target_os = "linux", feature = "testbed"))]
        Command::Shell(args) => commands::shell::shell(&args),
        Command::Kernel(args) => commands::kernel::kernel(&args),
        Command::List(args) => commands::sheets::list(&args),
        Command::Explain(args) => commands::sheets::explain(&args),
        Command::Check(args) => commands::check::check(&args),
        Command::Schema(args) => commands::generated::schema(&args),
        Command::Completions(args) => commands::generated::completions(&args),
        Command::Man(args) => commands::generated::man(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Prints help, the version, or what is wrong with the words of the command line.
fn answered(answer: &clap::Error) -> ExitCode {
    let plain = answer.render().to_string();
    let printed = match tusker_scenario::shown(&plain) {
        Cow::Borrowed(_) => answer.print(),
        // what was typed would act on the terminal
        Cow::Owned(text) => write!(std::io::stderr(), "{text}"),
    };
    let code = u8::try_from(answer.exit_code()).unwrap_or(2);
    match printed {
        Err(error) if code == 0 && error.kind() != ErrorKind::BrokenPipe => {
            Failure::from(error).report()
        }
        _ => ExitCode::from(code),
    }
}

/// Whether a command leaves the keyboard's signals to the program that it runs.
fn looks_after_signals(command: &Command) -> bool {
    match command {
        #[cfg(all(target_os = "linux", feature = "testbed"))]
        Command::Shell(args) => !args.watch,
        _ => false,
    }
}
