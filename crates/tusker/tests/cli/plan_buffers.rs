//! `tusker plan --buffer A,B`: a plan for each buffer.

use tempfile::TempDir;

use super::plan::{SMALL, folded};
use super::{err, ok, out, run};

/// One Reno flow behind a fifth of the BDP or a whole one: a plan for each, in a folder of its
/// own, and a last word on both.
#[test]
fn several_buffers_have_a_plan_each_and_a_last_word() {
    let temp = TempDir::new().unwrap();
    let args = [SMALL, &["--buffer", "0.2bdp,1bdp", "--out", "both"]].concat();
    let text = ok(&run(temp.path(), &args));
    let text = folded(&text);
    for part in ["buffer 0.2bdp; today", "buffer 1bdp; today", "buffer 0.2bdp: Recommended: "] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let last = text.split("If the buffer is not known: ").nth(1).unwrap();
    assert!(last.contains(" with 0.2bdp, ") && last.contains(" with 1bdp;"), "{last}");
    for folder in ["both/buffer-0.2bdp", "both/buffer-1bdp"] {
        assert!(temp.path().join(folder).join("plan.json").is_file(), "{folder}");
    }
    for (more, word) in [
        (&["--buffer", "0.2bdp,unlimited"][..], "not the size of a buffer"),
        (&["--buffer", "1bdp,2bdp", "--format", "csv"], "one buffer with --format"),
        (&["--buffer", "1bdp,1bdp"], "twice"),
    ] {
        let output = run(temp.path(), &[SMALL, more].concat());
        assert_eq!(output.status.code(), Some(2), "{}", err(&output));
        assert!(out(&output).is_empty() && err(&output).contains(word), "{}", err(&output));
    }
}

/// 10 Mbit/s x 20 ms are 25 kB; the same path, but known.
#[test]
fn a_buffer_that_nobody_named_is_said_to_be_assumed() {
    let temp = TempDir::new().unwrap();
    let text = |more: &[&str]| folded(&ok(&run(temp.path(), &[SMALL, more].concat())));
    let assumed = "We assume 1bdp, the amount that the path holds (25 kB)";
    assert!(text(&[]).contains(assumed), "{}", text(&[]));
    let known = text(&["--buffer", "1bdp"]);
    assert!(!known.contains("We assume"), "{known}");
}
