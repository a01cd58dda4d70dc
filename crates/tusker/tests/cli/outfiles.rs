//! Files that the user names, or that a paper's folder names, and what becomes of
//! those that are there already.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use tempfile::TempDir;

use super::{SMALL, err, noted, ok, rejected, run, small, tusker};

/// A folder with the small scenario and its results in `one`.
fn results() -> TempDir {
    let temp = small();
    ok(&run(temp.path(), "run small.toml --out one"));
    temp
}

/// A comparison that takes a moment.
const BOTH: &[&str] =
    &["compare", "--rate", "10mbit", "--rtt", "20ms", "--cc", "reno,hstcp", "--duration", "4s"];

#[test]
fn only_a_file_of_the_same_kind_is_replaced() {
    let temp = results();
    let here = temp.path();
    let drawn = |args: &[&str]| run(here, &[&["report", "one"], args].concat());
    let scenario = fs::read(here.join("one/scenario.toml")).unwrap();
    for args in [
        &["--out", "one/scenario.toml"][..],
        &["--figure", "time", "--svg", "one/scenario.toml"],
        &["--figure", "time", "--png", "one/scenario.toml"],
        &["--figure", "time", "--data", "one/scenario.toml"],
    ] {
        rejected(&drawn(args), &["help:"]);
        assert_eq!(fs::read(here.join("one/scenario.toml")).unwrap(), scenario, "{args:?}");
    }
    rejected(&run(here, &[BOTH, &["--report", "small.toml"]].concat()), &[]);
    assert_eq!(fs::read_to_string(here.join("small.toml")).unwrap(), SMALL);
    // its own kind, twice
    for _ in 0..2 {
        ok(&drawn(&["--out", "page.html"]));
        ok(&drawn(&["--figure", "time", "--svg", "a.svg", "--png", "a.png", "--data", "a.csv"]));
    }
    // a page of somebody else's
    fs::write(here.join("page.html"), "<!doctype html><title>mine</title>").unwrap();
    rejected(&drawn(&["--out", "page.html"]), &[]);
}

#[test]
fn an_unwritable_report_is_told_before_the_run() {
    let temp = results();
    // a day of simulated time at full rate would take hours
    let long = ["--duration", "86400s", "--rate", "100gbit", "--report", "nowhere/page.html"];
    let args: Vec<&str> =
        ["compare", "--rtt", "20ms", "--cc", "reno"].into_iter().chain(long).collect();
    let output = run(temp.path(), &args);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(err(&output).contains("nowhere/page.html"), "{}", err(&output));
}

#[test]
fn a_comparison_can_be_gone_on_with() {
    let temp = results();
    let args = [BOTH, &["--out", "both"]].concat();
    ok(&run(temp.path(), &args));
    rejected(&run(temp.path(), &args), &[]);
    noted(
        &run(temp.path(), &[&args[..], &["--resume", "--replicates", "2"]].concat()),
        &["hstcp: 1 of 2 replicates are done already"],
    );
    for name in ["reno", "hstcp"] {
        assert!(temp.path().join("both").join(name).join("replicates/0002").is_dir());
    }
}

#[test]
#[cfg(unix)]
fn a_reader_that_goes_away_costs_no_report() {
    let temp = results();
    let mut child = tusker(temp.path())
        .args(["run", "small.toml", "--out", "two"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(err(&output).contains("stdout was closed"), "{}", err(&output));
    assert!(temp.path().join("two/report.html").is_file());
}

/// A copy of a paper's folder, with a change to its `suite.toml`.
fn paper(folder: &Path, from: &str, to: &str) {
    let papers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers/ghstcp");
    fs::create_dir(folder).unwrap();
    for entry in fs::read_dir(papers).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
    let file = folder.join("suite.toml");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(&file, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn nothing_that_a_paper_names_leaves_its_folder() {
    let temp = TempDir::new().unwrap();
    let within = temp.path().join("deep/within");
    fs::create_dir_all(&within).unwrap();
    for (name, from, to, told) in [
        ("a", "key = \"ghstcp\"", "key = \"../../escaped\"", "key is `../../escaped`"),
        ("b", "id = \"1\"", "id = \"x/../../../../pwn\"", "figure's id is `x/../../../../pwn`"),
        ("c", "key = \"ghstcp\"", "key = \"/tmp/x\"", "key is `/tmp/x`"),
        ("d", "key = \"ghstcp\"", "key = \"\"", "key is ``"),
    ] {
        paper(&within.join(name), from, to);
        let output = run(&within, &["reproduce", name, "--figure", "1,x/../../../../pwn"]);
        rejected(&output, &[told, "suite.toml"]);
    }
    let left: Vec<_> = fs::read_dir(temp.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}
