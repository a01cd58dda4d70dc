//! The command line from outside: what it prints where, and how it ends.

mod answers;
mod bad_input;
mod claim;
mod commands;
mod compare;
mod conclusions;
mod controls;
mod damage;
mod doubts;
mod evaluate;
mod fail_on;
mod figures;
mod foreign;
#[cfg(all(target_os = "linux", feature = "testbed"))]
mod hints;
mod memory;
mod messages;
mod outfiles;
mod plan;
mod plan_buffers;
#[cfg(all(target_os = "linux", feature = "testbed"))]
mod planes;
mod qlog;
mod query;
#[cfg(unix)]
mod ray;
mod recorded;
mod report;
mod reproduce;
mod reproduce_again;
mod results;
mod screen;
#[cfg(all(target_os = "linux", feature = "testbed"))]
mod shell;
mod store;
mod sweep;
mod sweep_labels;
mod sweep_path;
mod sweep_where;
#[cfg(all(target_os = "linux", feature = "testbed"))]
mod testbed;
mod too_short;
mod traces;
mod traffic;
mod until;
mod verdicts;
mod watched;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A path that is simulated within a moment.
const SMALL: &str = r#"
title = "small"
profile = "ns2"
duration = "4s"

[dumbbell]
rate = "10Mbit"
delay = "10ms"
queue = "20pkt"
access = { rate = "100Mbit", delay = "1ms" }

[[flows]]
name = "a"
count = 2
cc = "reno"
recovery = "sack"
"#;

/// The program, in this folder, without colours.
fn tusker(dir: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tusker"));
    command.current_dir(dir).env("NO_COLOR", "1").env_remove("COLUMNS").stdin(Stdio::null());
    command
}

/// Runs it with these arguments.
fn run(dir: &Path, args: &[&str]) -> Output {
    tusker(dir).args(args).output().expect("the program starts")
}

/// Runs it with this on stdin.
fn run_with_input(dir: &Path, args: &[&str], input: &[u8]) -> Output {
    let mut child = tusker(dir)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // it may have seen enough before the end, which is no failure of the test
    let _ = child.stdin.take().expect("stdin is a pipe").write_all(input);
    child.wait_with_output().expect("the program ends")
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("stdout is text")
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("stderr is text")
}

/// It did what it was told.
#[track_caller]
fn ok(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "stderr:\n{}", err(output));
    out(output)
}
