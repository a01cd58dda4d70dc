//! Programs that a test runs.

use std::process::{Child, Command, Output};

/// `program` with these arguments.
pub fn command<S: AsRef<str>>(program: &str, args: &[S]) -> Command {
    let mut command = Command::new(program);
    command.args(args.iter().map(AsRef::as_ref)).env("LC_ALL", "C");
    command
}

/// Runs it to its end.
///
/// # Panics
/// If it cannot be run.
pub fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// Runs it to its end; what it printed.
///
/// # Panics
/// If it fails.
pub fn done(command: &mut Command) -> String {
    let output = output(command);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}: {said}", output.status);
    String::from_utf8(output.stdout).expect("these programs print text")
}

/// A line of words, run to its end: `sh("ip netns list")`.
///
/// # Panics
/// If it fails.
pub fn sh(line: &str) -> String {
    done(&mut command("sh", &["-c", line]))
}

/// A program in the background, killed when it is dropped.
#[derive(Debug)]
pub struct Background(pub Child);

impl Drop for Background {
    fn drop(&mut self) {
        // it may have ended by itself
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
