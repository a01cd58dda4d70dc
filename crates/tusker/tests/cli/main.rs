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
mod memory;
mod messages;
mod outfiles;
mod plan;
mod plan_buffers;
#[cfg(all(target_os = "linux", feature = "testbed"))]
mod planes;
mod qlog;
#[cfg(unix)]
mod ray;
mod recorded;
mod report;
mod reproduce;
mod reproduce_again;
mod results;
mod screen;
#[cfg(unix)]
mod serve;
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
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
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

/// Arguments: a list, or a line with blanks between them.
trait Words {
    fn words(&self) -> Vec<&str>;
}

impl Words for str {
    fn words(&self) -> Vec<&str> {
        self.split_whitespace().collect()
    }
}

impl Words for String {
    fn words(&self) -> Vec<&str> {
        self.as_str().words()
    }
}

impl Words for [&str] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl<const N: usize> Words for [&str; N] {
    fn words(&self) -> Vec<&str> {
        self.to_vec()
    }
}

impl Words for Vec<&str> {
    fn words(&self) -> Vec<&str> {
        self.clone()
    }
}

impl<W: Words + ?Sized> Words for &W {
    fn words(&self) -> Vec<&str> {
        (**self).words()
    }
}

/// Runs it with these arguments.
fn run(dir: &Path, args: &(impl Words + ?Sized)) -> Output {
    tusker(dir).args(args.words()).output().expect("the program starts")
}

/// Starts it with these arguments, and keeps what it prints.
fn start(dir: &Path, args: &(impl Words + ?Sized)) -> Child {
    let mut command = tusker(dir);
    command.args(args.words()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the program starts")
}

/// Runs it in a shell that has done something first, such as setting a limit.
#[cfg(unix)]
fn in_shell(dir: &Path, first: &str, args: &(impl Words + ?Sized)) -> Output {
    let script = format!("{first}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_tusker")]).args(args.words());
    command.current_dir(dir).env("NO_COLOR", "1").output().expect("there is a shell")
}

/// Sends a signal.
#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let kill = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(kill.expect("util-linux is here").success());
}

/// JSON, with the text in the message if it is none.
#[track_caller]
fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[track_caller]
fn read(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs it with this on stdin.
fn run_with_input(dir: &Path, args: &(impl Words + ?Sized), input: &[u8]) -> Output {
    let mut child = tusker(dir)
        .args(args.words())
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
