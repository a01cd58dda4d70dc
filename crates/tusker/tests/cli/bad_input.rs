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
    for args in ["run bad.toml", "check bad.toml", "run - --no-save"] {
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

/// Where these words of the small scenario are others.
#[test]
fn a_wrong_value_is_named() {
    for (from, to, words) in [
        ("\"10Mbit\"", "\"0Mbit\"", &["rate of zero", ":7:8"][..]),
        ("\"10ms\"", "\"-10ms\"", &["negative"]),
        ("\"20pkt\"", "\"0pkt\"", &["zero"]),
        ("count = 2", "count = 1000000000", &["1000000000"]),
        ("\"reno\"", "\"rene\"", &["rene", "did you mean `reno`"]),
    ] {
        assert!(SMALL.contains(from));
        refused(SMALL.replacen(from, to, 1).as_bytes(), words);
    }
}

/// Files that are no scenario, and scenarios that cannot be.
#[test]
fn a_wrong_file_is_told() {
    let lost = "profile = 'ns2'\nduration = '1s'\nnodes = ['A', 'B', 'C']\n[[links]]\nfrom = 'A'\n\
                to = 'B'\nrate = '1Mbit'\ndelay = '1ms'\nqueue = '10pkt'\n[[flows]]\nname = 'lost'\n\
                from = 'A'\nto = 'C'\ncc = 'reno'\n";
    refused(lost.as_bytes(), &["C"]);
    refused(format!("{SMALL}\n[[flows]]\nname = \"a\"\ncc = \"reno\"\n").as_bytes(), &["`a`"]);
    refused(SMALL.split_at(SMALL.find("20pkt").unwrap()).0.as_bytes(), &[]);
    refused(&[0x7f, b'E', b'L', b'F', 0, 0xff, 0xfe, 0x80], &["UTF-8"]);
    refused(b"", &[]);
}

#[test]
fn numbers_beyond_reason() {
    for (flag, value) in [("--replicates", "4000000000"), ("--seed", "18446744073709551615")] {
        let args = ["run", "-", "--no-save", flag, value];
        rejected(&run_with_input(Path::new("."), &args, SMALL.as_bytes()), &[]);
    }
}

#[test]
fn a_file_that_is_not_there() {
    let temp = TempDir::new().unwrap();
    for args in ["run none.toml", "check none.toml"] {
        rejected(&run(temp.path(), args), &["none.toml"]);
    }
}

#[test]
fn a_name_that_explain_does_not_know() {
    rejected(&run(Path::new("."), "explain ghtcp"), &["did you mean `ghstcp`"]);
}
