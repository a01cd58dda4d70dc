//! What others wrote is shown on a terminal, not sent to it.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::{SMALL, ok, run, tusker};

/// What acts on a terminal: a title, the end of it, a clearing C1 sequence, and letters that are
/// written backwards.
const ODD: &str = "\u{1b}]0;t\u{7}\u{9b}2J\u{202e}";

/// What is on a terminal after a command, without its colours; `None` without util-linux.
fn on_a_terminal(dir: &Path, args: &[&str]) -> Option<String> {
    let quoted = |arg: &&str| format!("'{}'", arg.replace('\'', "'\\''"));
    let words: Vec<String> = args.iter().map(quoted).collect();
    let line = format!("'{}' {}", env!("CARGO_BIN_EXE_tusker"), words.join(" "));
    let output = Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .current_dir(dir)
        .env("NO_COLOR", "1")
        .env("COLUMNS", "400")
        .stdin(Stdio::null())
        .output();
    Some(String::from_utf8_lossy(&output.ok()?.stdout).replace("\r\n", "\n"))
}

/// No character acts, and something of the text is there.
#[track_caller]
fn is_safe(text: &str, part: &str) {
    let acts = |c: &char| {
        c.is_control() && !matches!(c, '\n' | '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let found: Vec<char> = text.chars().filter(acts).collect();
    assert!(found.is_empty(), "{found:?} in {text:?}");
    let plain: String = text.split(['\n', ' ', '│']).collect();
    assert!(plain.contains(part), "{part} is not in {text:?}");
}

#[test]
fn what_others_wrote_does_not_act_on_the_terminal() {
    let dir = TempDir::new().unwrap();
    let at = dir.path();
    let odd = format!("x{ODD}");
    let name = format!("{odd}.toml");
    let strict = ODD.replace(['\u{1b}', '\u{7}'], "");
    // in TOML, C1 and marks of direction stand for themselves in strings; anything in a comment
    let titled = SMALL.replace("\"small\"", &format!("\"small {strict}\""));
    fs::write(at.join(&name), &titled).unwrap();
    fs::write(at.join("broken.toml"), SMALL.replace("cc =", &format!("cc{ODD} ="))).unwrap();
    fs::write(at.join("value.toml"), SMALL.replace("\"4s\"", &format!("\"{strict}\""))).unwrap();
    let sweep = format!("scenario = \"no{strict}.toml\"\n[over]\ncc = [\"reno\"]\n");
    fs::write(at.join("gone.toml"), sweep).unwrap();
    let sweep = format!("scenario = \"ok.toml\"\n[over]\ntitle = [\"a{strict}\", \"b\"]\n");
    fs::write(at.join("titles.toml"), sweep).unwrap();
    fs::write(at.join("ok.toml"), SMALL).unwrap();
    let set = format!("flows.a.cc={odd}");
    let path = format!("{odd}/x.toml");
    let shown = "\\u{9b}2J\\u{202e}";
    let expand = &["check", &name, "--expand"];
    let cases: &[(&[&str], &str)] = &[
        (&["check", "broken.toml"], "\\u{1b}]0;t\\u{7}\\u{9b}2J\\u{202e}"),
        (&["check", "value.toml"], shown),
        (&["check", &path], shown),
        (&["check", &name], ""),
        (expand, shown),
        (&["run", &name, "--out", &odd, "--quiet"], shown),
        (&["run", "ok.toml", "--no-save", "--set", &set, "--quiet"], shown),
        (&["sweep", "gone.toml"], shown),
        (&["sweep", "titles.toml", "--out", "s", "--quiet"], shown),
        (&["report", &path], shown),
        (&["explain", &odd], shown),
        (&["compare", "--rate", &odd, "--rtt", "1ms", "--cc", "reno"], shown),
        (&[&odd], shown),
        (&["run", "--format", &odd], shown),
    ];
    for (args, part) in cases {
        // messages are for people wherever they go
        let output = run(at, args);
        is_safe(&String::from_utf8_lossy(&output.stderr), "");
        let Some(text) = on_a_terminal(at, args) else { continue };
        is_safe(&text, part);
    }
    // what a program reads is as it was written
    let expanded = ok(&run(at, expand));
    assert!(expanded.contains(&strict), "{expanded}");
}

/// /dev/full takes no byte.
#[cfg(target_os = "linux")]
#[test]
fn help_that_cannot_be_written_is_a_failure() {
    let dir = TempDir::new().unwrap();
    for words in [&["--help"][..], &["--version"], &["sweep", "--help"], &["help", "run"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = tusker(dir.path()).args(words).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("cannot write the output"), "{words:?}: {text}");
    }
}

/// A job in the background of a script ignores SIGINT.
#[cfg(target_os = "linux")]
#[test]
fn signals_that_are_ignored_stay_ignored() {
    let dir = TempDir::new().unwrap();
    fs::write(dir.path().join("long.toml"), SMALL.replace("\"4s\"", "\"4000s\"")).unwrap();
    for signal in ["INT", "TERM", "HUP"] {
        let line = format!(
            "trap '' {signal}; '{}' run long.toml --no-save -q & p=$!; sleep 0.2; \
             kill -{signal} $p; wait $p",
            env!("CARGO_BIN_EXE_tusker")
        );
        let output = Command::new("bash").args(["-c", &line]).current_dir(dir.path()).output();
        assert_eq!(output.unwrap().status.code(), Some(0), "{signal}");
    }
}
