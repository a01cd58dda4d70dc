//! Linux before 6.4 keeps a law that was registered until somebody takes it out: the end
//! of the process that registered it does nothing. There a second process stands by,
//! which does it when the first is gone, however that came.

use std::env;
use std::io::{Read as _, stdin};
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdin, Command, ExitCode, Stdio};

use libbpf_rs::{MapCore as _, MapHandle};

use crate::failure::Failure;

/// The command that becomes the guardian; not for people.
pub const COMMAND: &str = "guard";

/// It stands by as long as this lives, and acts when the kernel closes it.
#[derive(Debug)]
pub struct Guardian(#[expect(dead_code, reason = "held open until this process ends")] ChildStdin);

impl Guardian {
    /// Starts it for the map that is registered.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn of(ops_id: u32) -> Result<Self, Failure> {
        let mut child = Command::new(env::current_exe()?)
            .args([COMMAND, &ops_id.to_string()])
            // Ctrl-C is for us
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| {
                Failure::other(
                    format!("cannot start the process that takes the law out: {error}"),
                    "is the machine short of memory or processes?",
                )
            })?;
        Ok(Self(child.stdin.take().expect("it was asked for")))
    }
}

/// What it does: waits until nobody can write any more, and takes the law out.
pub fn guard(ops_id: u32) -> ExitCode {
    // nobody writes, and an error is an end as well
    let _ = stdin().read_to_end(&mut Vec::new());
    // it is out already if all went well
    let done = MapHandle::from_map_id(ops_id).and_then(|map| map.delete(&0_u32.to_ne_bytes()));
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
