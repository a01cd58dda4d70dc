//! `--ray` where there is no cluster, or not for long. A script stands in for the Python
//! process that talks to a cluster; `python/cluster` has a real one.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

use super::{SMALL, tusker};

/// A sweep whose Python is this script.
fn sweep(dir: &Path, script: &str, more: &[&str]) -> Output {
    fs::write(dir.join("small.toml"), SMALL).unwrap();
    let python = dir.join("python");
    fs::write(&python, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
    let words = ["sweep", "small.toml", "--over", "cc=reno,hstcp", "--ray", "auto"];
    tusker(dir).args(words).args(more).env("TUSKER_PYTHON", &python).output().unwrap()
}

fn said(output: &Output) -> String {
    // lines are broken where they are too long
    let text = String::from_utf8_lossy(&output.stderr).replace(['│', '\n'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn without_the_package_it_is_said_how_to_get_it() {
    let temp = tempfile::tempdir().unwrap();
    let script = "echo \"Error while finding module specification for 'tusker.ray' \
                  (ModuleNotFoundError: No module named 'tusker')\" >&2; exit 1";
    let output = sweep(temp.path(), script, &[]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("needs Python with the packages tusker and ray"), "{text}");
    assert!(text.contains("No module named 'tusker'"), "{text}");
    assert!(text.contains("pip install './python[ray]'"), "{text}");
    assert!(output.stdout.is_empty());
}

#[test]
fn without_a_cluster_its_words_are_passed_on() {
    let temp = tempfile::tempdir().unwrap();
    let script = r#"read -r hello; echo '{"fatal":"no Ray cluster: refused","help":"start one"}'"#;
    let output = sweep(temp.path(), script, &[]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("no Ray cluster: refused") && text.contains("start one"), "{text}");
}

/// The process dies after it took an order: its last words are told, and the folder is
/// whole.
#[test]
fn a_cluster_that_is_gone_ends_the_sweep() {
    let temp = tempfile::tempdir().unwrap();
    let script = r#"read -r hello; echo '{"ready":2}'; read -r order; echo 'GCS is gone' >&2"#;
    let output = sweep(temp.path(), script, &["--out", "few"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("GCS is gone") && text.contains("the same command runs what is missing"),
        "{text}"
    );
    let words = ["sweep", "small.toml", "--over", "cc=reno,hstcp", "--out", "few", "--quiet"];
    let again = tusker(temp.path()).args(words).output().unwrap();
    assert!(again.status.success(), "{}", said(&again));
}

#[test]
fn what_comes_back_is_checked() {
    let temp = tempfile::tempdir().unwrap();
    let answer = |said: &str| {
        format!(
            r#"read -r hello; echo '{{"ready":1}}'; read -r order; echo '{said}'; while read -r order; do :; done"#
        )
    };
    for (said_there, expected) in [
        (r#"{"id":1,"row":"{}","wall":0.1}"#, "a row from the cluster is damaged"),
        (
            r#"{"id":1,"failed":"node x has tusker 9.9.9","help":"install"}"#,
            "node x has tusker 9.9.9",
        ),
    ] {
        let output = sweep(temp.path(), &answer(said_there), &["--jobs", "1"]);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn shared_storage_is_for_clusters() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("small.toml"), SMALL).unwrap();
    let words = ["sweep", "small.toml", "--over", "cc=reno", "--out", "s3://lab/few"];
    let output = tusker(temp.path()).args(words).output().unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("--out s3://lab/few") && text.contains("add --ray"), "{text}");
}

/// It made a folder `s3:` on this machine before.
#[test]
fn so_is_what_a_paper_gave() {
    let temp = tempfile::tempdir().unwrap();
    let words = ["reproduce", "hcc", "--case", "reno", "--at", "b100", "--out", "s3://lab/hcc"];
    let output = tusker(temp.path()).args(words).output().unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("--out s3://lab/hcc") && text.contains("add --ray"), "{text}");
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0, "nothing is left");
}
