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
mod python;
#[cfg(all(target_os = "linux", feature = "testbed"))]
mod real;
mod report;
mod running;
mod scenarios;
mod screen;
mod tables;
mod traces;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

/// Does what the words of the command line ask for.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
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

/// Whether a command leaves the keyboard's signals to the program that it runs.
fn looks_after_signals(command: &Command) -> bool {
    match command {
        #[cfg(all(target_os = "linux", feature = "testbed"))]
        Command::Shell(args) => !args.watch,
        _ => false,
    }
}
