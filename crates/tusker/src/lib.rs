//! The command line of Tusker: congestion control for long fat networks. The program
//! (`main.rs`) only calls [`main`]; [`api`] offers the same commands to other callers,
//! such as the Python package.
//!
//! stdout is data (tables, JSON, CSV), stderr is messages (progress, where results
//! are, errors). Exit codes: 0 done, 1 something failed, 2 the input is wrong,
//! 3 a condition of --fail-on is met, 129, 130 or 143 interrupted.

pub mod api;
mod args;
mod cluster;
mod commands;
mod done;
mod failure;
mod interrupt;
mod output;
mod pages;
mod progress;
mod python;
#[cfg(all(target_os = "linux", feature = "testbed"))]
mod real;
mod running;
mod scenarios;
mod screen;
mod tables;

use std::borrow::Cow;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::thread;

use args::{CheckArgs, Cli, Command, EvaluateArgs};
use failure::Failure;
use tusker_store::outfile;

/// Does what the words of the command line ask for.
pub fn main() -> ExitCode {
    let spacious = tusker_lab::memory::main_stack().is_some_and(|bytes| bytes >= STACK as u64);
    let read = || Cli::of(std::env::args_os());
    let read = if spacious { read() } else { on_own_stack(read) };
    let cli = match read {
        Ok(cli) => cli,
        Err(answer) => return answered(&answer),
    };
    let args::ScreenArgs { wide, explain, color } = cli.screen;
    screen::begin(wide, explain, color);
    // both while there is one thread
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    real::enter(&cli.command);
    match needs_one_thread(&cli.command) || (spacious && only_simulates(&cli.command)) {
        true => obey(cli),
        false => on_own_stack(|| obey(cli)),
    }
}

/// Whether a command enters a user namespace later, which a process with threads cannot.
fn needs_one_thread(command: &Command) -> bool {
    match command {
        #[cfg(all(target_os = "linux", feature = "testbed"))]
        Command::Shell(args) => args.join,
        _ => false,
    }
}

/// Whether a command may use the main thread. Hosts may not: they handle signals, and enter
/// namespaces, by threads.
fn only_simulates(command: &Command) -> bool {
    matches!(command, Command::Run(_) | Command::Compare(_) | Command::Sweep(_) | Command::Check(_))
}

/// Bytes of the stack of [`on_own_stack`], as much as a main thread usually has.
const STACK: usize = 8 << 20;

/// Does something on a stack of its own: the main thread's may be small (`ulimit -s`).
fn on_own_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let spawned = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = spawned.unwrap_or_else(|error| {
            // there is no memory for anything
            eprintln!("cannot begin a thread: {error}; free some memory, or raise `ulimit -v`");
            std::process::exit(1);
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn obey(cli: Cli) -> ExitCode {
    if !looks_after_signals(&cli.command) {
        interrupt::listen();
    }
    tusker_plan::leave::program_ends_when_stopped();
    let done = match cli.command {
        Command::Run(args) if args.open => commands::serve::after_run(args),
        Command::Run(args) => running::typed(args, commands::run::run),
        Command::Compare(args) if args.print_scenario => {
            commands::compare::scenarios(&args).and_then(|text| output::print(&text))
        }
        Command::Compare(args) => running::typed(args, commands::compare::compare),
        Command::Sweep(args) => running::typed(args, commands::sweep::sweep),
        Command::Evaluate(args) => evaluate(args),
        Command::Plan(args) => commands::plan::typed(args),
        Command::Diagnose(args) => commands::diagnose::diagnose(&args),
        Command::Import(args) => commands::import::import(&args),
        Command::Report(args) => commands::report::report(&args),
        Command::Serve(args) => commands::serve::serve(&args),
        Command::Demo(args) if args.print_scenario => {
            commands::demo::scenarios(&args).and_then(|text| output::print(&text))
        }
        Command::Demo(args) => {
            if !args.how.quiet {
                output::say(commands::demo::ABOUT);
            }
            running::typed(args, commands::demo::demo)
        }
        Command::Reproduce(args) => commands::reproduce::reproduce(&args),
        #[cfg(all(target_os = "linux", feature = "testbed"))]
        Command::Testbed(args) => commands::testbed::testbed(&args),
        #[cfg(all(target_os = "linux", feature = "testbed"))]
        Command::Shell(args) => commands::shell::shell(&args),
        Command::Kernel(args) => commands::kernel::kernel(&args),
        Command::List(args) => commands::names::list(&args)
            .and_then(|done| done.print_on(&screen::reader(), args.format, false)),
        Command::Explain(args) => commands::names::explain(&args)
            .and_then(|done| done.print_on(&screen::reader(), args.format, false)),
        Command::Check(args) => check(&args),
        Command::Schema(args) => commands::generated::schema(&args),
        Command::Completions(args) => commands::generated::completions(&args),
        Command::Man(args) => commands::generated::man(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn check(args: &CheckArgs) -> Result<(), Failure> {
    match args.expand {
        true => commands::check::expanded(args).and_then(|text| output::print(&text)),
        false => commands::check::check(args)?.print_on(&screen::reader(), args.format, false),
    }
}

fn evaluate(args: EvaluateArgs) -> Result<(), Failure> {
    use commands::evaluate as own;
    if args.list {
        return own::list(&args).and_then(|page| pages::print(&page, false));
    }
    if let Some(rows) = own::of_rows(&args)? {
        return commands::reproduce::reproduce(&rows);
    }
    match &args.print_scenario {
        Some(experiment) => own::scenarios(&args, experiment).and_then(|text| output::print(&text)),
        None => running::typed(args, own::evaluate),
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
