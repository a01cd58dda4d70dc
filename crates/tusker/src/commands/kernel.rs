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
    Err(cannot_run(&program, &error))
}

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
