//! Laws that are in the kernel for as long as a test needs them.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{self, Child, ChildStderr, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::Value;

use super::command::{command, done, output};

static COUNT: AtomicU32 = AtomicU32::new(0);

/// `tusker kernel` with these words.
pub fn tusker(words: &str) -> Command {
    command(env!("CARGO_BIN_EXE_tusker-kernel"), &words.split_whitespace().collect::<Vec<_>>())
}

/// A name for a law that no other test uses.
pub fn fresh_name() -> String {
    format!("t{}_{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The congestion controls that this machine's programs can choose.
///
/// # Panics
/// If the kernel does not report them.
pub fn available() -> Vec<String> {
    let list = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    list.expect("every Linux has it").split_whitespace().map(str::to_owned).collect()
}

/// What `status --json` reports about a law; `None` if nothing.
///
/// # Panics
/// If it fails.
pub fn status(name: &str) -> Option<Value> {
    let all: Value = serde_json::from_str(&done(&mut tusker("status --json"))).expect("JSON");
    all.as_array().expect("a list").iter().find(|law| law["name"] == name).cloned()
}

/// A running `tusker kernel load`. Ended by SIGTERM when it is dropped.
#[derive(Debug)]
pub struct Loaded {
    /// The law's name in the kernel.
    pub name: String,
    child: Child,
    stderr: BufReader<ChildStderr>,
}

impl Loaded {
    /// Loads a law under its own name.
    ///
    /// # Panics
    /// If that fails, or prints anything except that the law is loaded: libbpf and the
    /// verifier must have no warnings.
    pub fn new(law: &str) -> Self {
        Self::with(law, "")
    }

    /// The same, with more options.
    ///
    /// # Panics
    /// As [`Self::new`].
    pub fn with(law: &str, options: &str) -> Self {
        let name = fresh_name();
        let mut child = tusker(&format!("load {law} --as {name} {options}"))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it was built with the tests");
        let mut stderr = BufReader::new(child.stderr.take().expect("it was asked for"));
        let mut line = String::new();
        stderr.read_line(&mut line).expect("it speaks in UTF-8");
        let loaded = Self { name, child, stderr };
        if line != format!("{} is in the kernel; Ctrl-C unloads it\n", loaded.name) {
            panic!("load {law}: {line}{}", loaded.end("KILL").said());
        }
        loaded
    }

    /// The process that holds the law.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal and waits for its end.
    ///
    /// # Panics
    /// If it does not end, or prints anything more.
    pub fn end(mut self, signal: &str) -> Ended {
        self.signal(signal);
        let mut more = String::new();
        self.stderr.read_to_string(&mut more).expect("it speaks in UTF-8");
        let status = self.child.wait().expect("it is our child");
        Ended { code: status.code(), more }
    }

    fn signal(&self, signal: &str) {
        let pid = self.child.id().to_string();
        // it may have ended, which the caller finds out
        output(&mut command("kill", &["-s", signal, &pid]));
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal("TERM");
            let _ = self.child.wait();
        }
    }
}

/// How a `load` ended.
#[derive(Debug)]
pub struct Ended {
    /// `None`: killed.
    pub code: Option<i32>,
    more: String,
}

impl Ended {
    /// What it printed in addition to the line that the law is loaded.
    pub fn said(&self) -> &str {
        &self.more
    }
}

/// Runs a command that has to fail with this exit code; returns its message.
///
/// # Panics
/// If it ends otherwise, or prints data.
pub fn fails(command: &mut Command, code: i32) -> String {
    let Output { status, stdout, stderr } = output(command);
    let said = String::from_utf8(stderr).expect("it speaks in UTF-8");
    assert_eq!(status.code(), Some(code), "{command:?}: {said}");
    assert!(stdout.is_empty(), "{command:?} printed data");
    said
}
