//! `tusker kernel`: laws in the running kernel. A separate program, tusker-kernel, does the
//! work, because it needs clang and libelf to be built and privileges to run; this program
//! needs neither. But this program stores what tusker-kernel reports on a law (`watch
//! --out`).

#[cfg(unix)]
mod watch;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{Error, ErrorKind};
use std::path::PathBuf;
use std::process::Command;

use crate::args::KernelArgs;
use crate::failure::Failure;
use crate::output::print;

const PROGRAM: &str = "tusker-kernel";

/// Becomes `tusker-kernel`, and comes back only if that cannot be; or watches with it
/// and stores what it tells.
pub fn kernel(args: &KernelArgs) -> Result<(), Failure> {
    #[cfg(unix)]
    if let Some(wanted) = watch::Wanted::of(&args.args)? {
        return watch::watch(&wanted);
    }
    let program = program();
    let error = instead(Command::new(&program).args(&args.args));
    let help = args.args.iter().any(|arg| arg == "--help" || arg == "-h" || arg == "help");
    if error.kind() == ErrorKind::NotFound && (help || args.args.is_empty()) {
        return print(HELP);
    }
    Err(cannot_run(&program, &error))
}

/// What is said where the program that knows more is missing.
const HELP: &str = "\
Load congestion controls into the running Linux kernel, and watch them there

Usage: tusker kernel <COMMAND>

Commands:
  load    Load a law into the kernel
  unload  Remove a law from the kernel
  status  List the loaded laws
  watch   Show what a law does to the connections that use it, while it happens
  prove   Show that a law behaves the same in Rust and in the kernel

The program tusker-kernel does this, and is neither beside this program nor in PATH.
`make kernel` builds it: it needs Linux, clang and libelf. docs/kernel.md describes it.
";

/// What to run.
fn program() -> OsString {
    beside().map_or_else(|| OsString::from(PROGRAM), OsString::from)
}

fn cannot_run(program: &OsStr, error: &Error) -> Failure {
    if error.kind() == ErrorKind::NotFound {
        return Failure::other(
            format!("{PROGRAM} is neither beside this program nor in PATH"),
            "`make kernel` builds it: it needs Linux, clang and libelf",
        );
    }
    Failure::other(
        format!("cannot run {}: {error}", program.display()),
        "`make kernel` builds it again",
    )
}

/// The program, if it is there.
#[cfg(all(target_os = "linux", feature = "testbed"))]
pub fn found() -> Option<Command> {
    beside().map(Command::new)
}

/// Where it is built and installed: in the folder of this program.
fn beside() -> Option<PathBuf> {
    let path = env::current_exe().ok()?.with_file_name(PROGRAM);
    path.exists().then_some(path)
}

#[cfg(unix)]
fn instead(command: &mut Command) -> Error {
    std::os::unix::process::CommandExt::exec(command)
}

#[cfg(not(unix))]
fn instead(_: &mut Command) -> Error {
    ErrorKind::NotFound.into()
}
