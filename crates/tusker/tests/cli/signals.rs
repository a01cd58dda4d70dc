//! The exit codes of commands that a signal ends, as shells report them: 128 and the number
//! of the signal, which POSIX gives for `kill`: SIGHUP 1, SIGINT 2, SIGTERM 15.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::{SMALL, err, tusker};

const CODES: [(&str, i32); 3] = [("HUP", 129), ("INT", 130), ("TERM", 143)];

/// Each takes much longer than a test.
const RUN: [&str; 4] = ["run", "small.toml", "--set", "duration=2000s"];
const SWEEP: [&str; 6] =
    ["sweep", "small.toml", "--set", "duration=2000s", "--over", "cc=reno,cubic"];

fn start(dir: &Path, mut command: Command) -> Child {
    fs::write(dir.join("small.toml"), SMALL).unwrap();
    command.args(["--replicates", "500", "--jobs", "1", "--out", "long"]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn send(child: &Child, signal: &str) {
    let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

fn until(there: impl Fn() -> bool) {
    let give_up = Instant::now() + Duration::from_secs(120);
    while !there() {
        assert!(Instant::now() < give_up, "no run has ended");
        sleep(Duration::from_millis(5));
    }
}

/// The exit code after each signal, once this file is not empty.
fn codes(args: &[&str], file: &str) {
    for (signal, code) in CODES {
        let temp = TempDir::new().unwrap();
        let mut command = tusker(temp.path());
        command.args(args);
        let child = start(temp.path(), command);
        until(|| fs::metadata(temp.path().join(file)).is_ok_and(|file| file.len() > 0));
        send(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "SIG{signal}: {}", err(&output));
        assert!(err(&output).contains("long"), "SIG{signal}, in order: {}", err(&output));
    }
}

#[test]
fn a_run_ends_with_the_code_of_the_signal() {
    codes(&RUN, "long/replicates/0001/measures.json");
}

#[test]
fn a_sweep_ends_with_the_code_of_the_signal() {
    codes(&SWEEP, "long/runs/1.jsonl");
}
