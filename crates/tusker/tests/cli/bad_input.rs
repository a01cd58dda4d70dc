//! Bad input gets one clear error, exit code 2, and nothing on stdout.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::{SMALL, err, out, rejected, run, run_with_input};

/// One error that mentions `words`, with a remedy; no panic.
#[track_caller]
fn refused(scenario: &[u8], words: &[&str]) {
    let temp = TempDir::new().unwrap();
    fs::write(temp.path().join("bad.toml"), scenario).unwrap();
    for args in [&["run", "bad.toml"][..], &["check", "bad.toml"], &["run", "-", "--no-save"]] {
        let output = run_with_input(temp.path(), args, scenario);
        let text = err(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}\n{text}");
        assert_eq!(text.matches('×').count(), 1, "{args:?}: not one error:\n{text}");
        assert!(!text.contains("panicked"), "{args:?}\n{text}");
        for word in words.iter().chain(&["help:"]) {
            assert!(text.contains(word), "{args:?}: no {word:?} in\n{text}");
        }
        assert_eq!(out(&output), "");
    }
    assert!(!temp.path().join("results").exists(), "bad input leaves no results");
}

#[track_caller]
fn refused_with(from: &str, to: &str, words: &[&str]) {
    assert!(SMALL.contains(from));
    refused(SMALL.replacen(from, to, 1).as_bytes(), words);
}

#[test]
fn a_rate_of_zero() {
    refused_with("\"10Mbit\"", "\"0Mbit\"", &["rate of zero", ":7:8"]);
}

#[test]
fn a_negative_delay() {
    refused_with("\"10ms\"", "\"-10ms\"", &["negative"]);
}

#[test]
fn a_buffer_of_zero() {
    refused_with("\"20pkt\"", "\"0pkt\"", &["zero"]);
}

#[test]
fn a_host_that_cannot_be_reached() {
    refused(
        br#"
profile = "ns2"
duration = "1s"
nodes = ["A", "B", "C"]
[[links]]
from = "A"
to = "B"
rate = "1Mbit"
delay = "1ms"
queue = "10pkt"
[[flows]]
name = "lost"
from = "A"
to = "C"
cc = "reno"
"#,
        &["C"],
    );
}

#[test]
fn a_name_given_twice() {
    let twice = format!("{SMALL}\n[[flows]]\nname = \"a\"\ncc = \"reno\"\n");
    refused(twice.as_bytes(), &["`a`"]);
}

#[test]
fn a_billion_flows() {
    refused_with("count = 2", "count = 1000000000", &["1000000000"]);
}

#[test]
fn numbers_beyond_reason() {
    for (flag, value) in [("--replicates", "4000000000"), ("--seed", "18446744073709551615")] {
        let args = ["run", "-", "--no-save", flag, value];
        rejected(&run_with_input(Path::new("."), &args, SMALL.as_bytes()), &[]);
    }
}

#[test]
fn a_truncated_file() {
    refused(SMALL.split_at(SMALL.find("20pkt").unwrap()).0.as_bytes(), &[]);
}

#[test]
fn a_binary_file() {
    refused(&[0x7f, b'E', b'L', b'F', 0, 0xff, 0xfe, 0x80], &["UTF-8"]);
}

#[test]
fn an_empty_file() {
    refused(b"", &[]);
}

#[test]
fn a_misspelt_name_with_the_nearest_one() {
    refused_with("\"reno\"", "\"rene\"", &["rene", "did you mean `reno`"]);
}

#[test]
fn a_file_that_is_not_there() {
    let temp = TempDir::new().unwrap();
    for args in [["run", "none.toml"], ["check", "none.toml"]] {
        rejected(&run(temp.path(), &args), &["none.toml"]);
    }
}

#[test]
fn wrong_flags_of_compare() {
    let base = ["compare", "--rate", "10Mbit", "--rtt", "20ms", "--cc", "reno", "--duration", "2s"];
    for (more, word) in [
        (vec!["--rate", "fast"], "--rate"),
        (vec!["--rtt", "-1ms"], "--rtt"),
        (vec!["--cc", "renoo"], "did you mean `reno`"),
        (vec!["--cc", "reno:z"], "NAME:PARAM=VALUE"),
        (vec!["--cc", "ghstcp:zz=1"], "zz"),
        (vec!["--queue", "blue"], "blue"),
        (vec!["--buffer", "0pkt"], "zero"),
        (vec!["--profile", "bsd"], "bsd"),
        (vec!["--against", "nobody"], "nobody"),
        (vec!["--flows", "0"], "--flows"),
    ] {
        let mut args: Vec<&str> = base.to_vec();
        if let Some(at) = args.iter().position(|arg| *arg == more[0]) {
            args.drain(at..at + 2);
        }
        args.extend(&more);
        rejected(&run(Path::new("."), &args), &[word]);
    }
}

#[test]
fn a_name_that_explain_does_not_know() {
    rejected(&run(Path::new("."), &["explain", "ghtcp"]), &["did you mean `ghstcp`"]);
}
