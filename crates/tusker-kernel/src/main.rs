//! Laws in the running Linux kernel. `tusker kernel` is this program.
//!
//! stdout is data, stderr is talk. Exit codes: 0 done, 1 something failed, 2 the input
//! is wrong, 130 interrupted.

mod args;
mod commands;
mod control;
mod failure;
mod guardian;
mod interrupt;
mod loaded;
mod machine;
mod objects;
mod path;
mod record;
mod watcher;

use std::process::ExitCode;

fn main() -> ExitCode {
    match args::parse().and_then(args::Asked::run) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
