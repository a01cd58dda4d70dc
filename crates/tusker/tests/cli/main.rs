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
mod field;
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
#[cfg(unix)]
mod signals;
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

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

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

/// A folder with that path in it.
fn small() -> TempDir {
    let temp = TempDir::new().unwrap();
    fs::write(temp.path().join("small.toml"), SMALL).unwrap();
    temp
}

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

/// Without the line breaks and frames of messages.
fn flat(text: &str) -> String {
    text.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A mistake of the user's: exit code 2, nothing on stdout, and a message with these words.
#[track_caller]
fn rejected(output: &Output, words: &[&str]) {
    ended(output, 2, words);
    assert_eq!(out(output), "");
}

/// It did what it was told, and says these words beside.
#[track_caller]
fn noted(output: &Output, words: &[&str]) {
    ended(output, 0, words);
}

#[track_caller]
fn ended(output: &Output, code: i32, words: &[&str]) {
    let text = flat(&err(output));
    assert_eq!(output.status.code(), Some(code), "{text}");
    for word in words {
        assert!(text.contains(word), "no {word:?} in\n{text}");
    }
}
