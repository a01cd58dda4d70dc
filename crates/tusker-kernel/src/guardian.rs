//! Before Linux 6.4 a registered law stays in the kernel until it is removed, even if the
//! process that registered it has ended. Therefore a second process stands by and removes
//! it when the first has ended for any reason.

use std::env;
use std::io::{Read as _, stdin};
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, ExitCode, Stdio};

use libbpf_rs::{MapCore as _, MapHandle};

use crate::failure::Failure;

/// The command that runs the guardian; hidden from users.
pub const COMMAND: &str = "guard";

/// It waits while this is open, and acts when the kernel closes it.
#[derive(Debug)]
pub struct Guardian(#[expect(dead_code, reason = "held open until this process ends")] ChildStdin);

impl Guardian {
    /// Starts it for the registered map.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn of(ops_id: u32) -> Result<Self, Failure> {
        let mut child = Command::new(env::current_exe()?)
            .args([COMMAND, &ops_id.to_string()])
            // Ctrl-C is for the main process
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| {
                Failure::other(
                    format!("cannot start the process that unloads the law: {error}"),
                    "is the machine short of memory or processes?",
                )
            })?;
        Ok(Self(child.stdin.take().expect("it was asked for")))
    }
}

/// Waits until the other end is closed, and then unloads the law.
pub fn guard(ops_id: u32) -> ExitCode {
    // nothing is ever written; an error also counts as the end
    let _ = stdin().read_to_end(&mut Vec::new());
    // already unloaded if all went well
    let done = MapHandle::from_map_id(ops_id).and_then(|map| map.delete(&0_u32.to_ne_bytes()));
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
