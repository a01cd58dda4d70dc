//! Loads laws into the running Linux kernel. `tusker kernel` runs this program.
//!
//! stdout is data, stderr is messages. Exit codes: 0 success, 1 failure, 2 wrong input, 130
//! (SIGINT), 129 (SIGHUP) or 143 (SIGTERM) interrupted.

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
    match args::parse().and_then(args::Request::run) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}
