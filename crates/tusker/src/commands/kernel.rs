//! `tusker kernel`: laws in the running kernel. What does it is a program of its own,
//! because it needs clang and libelf to be built and rights to be of use; this one
//! needs neither.

use std::env;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Command;

use crate::args::KernelArgs;
use crate::failure::Failure;

const PROGRAM: &str = "tusker-kernel";

/// Becomes `tusker-kernel`; comes back only if that cannot be.
pub fn kernel(args: &KernelArgs) -> Result<(), Failure> {
    let beside = beside();
    let program = beside.as_ref().map_or_else(|| OsString::from(PROGRAM), OsString::from);
    let error = instead(Command::new(&program).args(&args.args));
    if error.kind() == ErrorKind::NotFound {
        return Err(Failure::other(
            format!("{PROGRAM} is neither beside this program nor in PATH"),
            "`make kernel` builds it: it needs Linux, clang and libelf",
        ));
    }
    Err(Failure::other(format!("cannot run {}: {error}", program.display()), "is it whole?"))
}

/// The program, if it is there.
pub fn program() -> Option<Command> {
    beside().map(Command::new)
}

/// Where it is built and installed: in the folder of this program.
fn beside() -> Option<PathBuf> {
    let path = env::current_exe().ok()?.with_file_name(PROGRAM);
    path.exists().then_some(path)
}

#[cfg(unix)]
fn instead(command: &mut Command) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

#[cfg(not(unix))]
fn instead(_: &mut Command) -> std::io::Error {
    ErrorKind::NotFound.into()
}
