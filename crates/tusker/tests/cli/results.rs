//! Results on disk: whole after every replicate, never overwritten unasked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::{SMALL, Words, err, noted, ok, out, rejected, run, small, tusker};

fn summary(dir: &Path) -> Value {
    let text = fs::read_to_string(dir.join("summary.json")).unwrap();
    let mut summary: Value = serde_json::from_str(&text).unwrap();
    summary["execution"] = Value::Null;
    summary
}

/// Replicates that are there under their right name; each must be whole.
fn replicates(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir.join("replicates")).unwrap();
    let found: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.file_name().unwrap().to_string_lossy().starts_with('.'))
        .collect();
    for path in &found {
        let measures = fs::read(path.join("measures.json")).unwrap();
        let measures: Value = serde_json::from_slice(&measures).expect("a replicate is whole");
        assert!(measures["number"].is_u64());
        for table in ["flows", "links"] {
            let bytes = fs::read(path.join(format!("{table}.parquet"))).unwrap();
            assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{table} is whole");
        }
    }
    found
}

#[test]
fn a_stored_scenario_gives_the_same_results_again() {
    let temp = small();
    noted(&run(temp.path(), "run small.toml --replicates 2"), &["results/small"]);
    ok(&run(temp.path(), "run results/small/scenario.toml --out again"));
    assert_eq!(replicates(&temp.path().join("again")).len(), 2);
    let mut again = summary(&temp.path().join("again"));
    again["scenario"] = "small".into();
    assert_eq!(again, summary(&temp.path().join("results/small")));
}

#[test]
fn a_trace_lies_beside_its_scenario_and_is_kept_with_the_result() {
    let temp = TempDir::new().unwrap();
    let here = temp.path();
    fs::create_dir(here.join("sub")).unwrap();
    let text = SMALL.replace("rate = \"10Mbit\"", "rate = { trace = \"up.trace\" }");
    fs::write(here.join("sub/s.toml"), text).unwrap();
    let trace = here.join("sub/up.trace");
    fs::write(&trace, "1\n3\n3\n7\n").unwrap();
    // 4 x 1504 B in 7 ms
    let checked = ok(&run(here, "check sub/s.toml"));
    assert!(checked.contains("6.875 Mbit/s on average, up.trace of 7ms"), "{checked}");
    ok(&run(here, "run sub/s.toml --out first"));
    // the stored scenario runs without the file
    fs::remove_file(&trace).unwrap();
    ok(&run(here, "run first/scenario.toml --out again"));
    let mut again = summary(&here.join("again"));
    again["scenario"] = "s".into();
    assert_eq!(again, summary(&here.join("first")));
    fs::write(&trace, "1\ntwo\n").unwrap();
    let failed = run(here, "check sub/s.toml");
    assert_eq!(failed.status.code(), Some(2));
    let message: String = err(&failed).split_whitespace().collect();
    assert!(message.contains("up.trace`,line2:") && message.contains("`two`"), "{message}");
}

#[test]
fn a_second_run_leaves_the_first_one_alone() {
    let temp = small();
    ok(&run(temp.path(), "run small.toml"));
    ok(&run(temp.path(), "run small.toml"));
    assert!(temp.path().join("results/small-2/summary.json").is_file());

    let args = "run small.toml --out results/small";
    rejected(&run(temp.path(), args), &["--resume", "--force"]);
    ok(&run(temp.path(), &format!("{args} --force")));
}

#[test]
fn resuming_runs_what_is_missing_and_gives_the_same() {
    let temp = small();
    let run = |args: &[&str]| run(temp.path(), &[&["run", "small.toml"], args].concat());
    ok(&run(&["--out", "whole", "--replicates", "3"]));
    ok(&run(&["--out", "parts", "--replicates", "1"]));
    noted(
        &run(&["--out", "parts", "--replicates", "3", "--resume"]),
        &["1 of 3 replicates are done already"],
    );
    assert_eq!(summary(&temp.path().join("parts")), summary(&temp.path().join("whole")));

    rejected(&run(&["--out", "parts", "--resume", "--set", "duration=5s"]), &[]);
}

/// Replicates that take a while, many of them.
const LONG: &str = "run small.toml --set duration=2000s --replicates 500 --jobs 2 --out long";

/// Starts a long run, ends it somehow once a replicate is in, and gives back
/// the exit code and what it said.
fn interrupted(dir: &Path, signal: &str) -> (Option<i32>, String) {
    let child = tusker(dir)
        .args(LONG.words())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let give_up = Instant::now() + Duration::from_secs(120);
    while !dir.join("long/replicates/0002").exists() {
        assert!(Instant::now() < give_up, "no replicate came in");
        sleep(Duration::from_millis(5));
    }
    let kill = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    (output.status.code(), out(&output) + &err(&output))
}

#[test]
#[cfg(unix)]
fn kill_9_leaves_finished_replicates_whole() {
    let temp = small();
    assert_eq!(interrupted(temp.path(), "-KILL").0, None, "it was killed");
    let dir = temp.path().join("long");
    let found = replicates(&dir).len();
    assert!((1..500).contains(&found), "{found} replicates");
    // what was under way may be in without being summed up, even all there is
    let summed_up = dir.join("summary.json").exists();
    let seeds = if summed_up { summary(&dir)["seeds"].as_array().unwrap().len() } else { 0 };
    assert!(seeds <= found && seeds + 2 >= found, "{seeds} summed up of {found}");
    // and the rest can be run: here all that is left of as many as there are
    let wanted = (found + 1).to_string();
    ok(&run(temp.path(), &format!("{} --resume", LONG.replace("500", &wanted))));
    assert_eq!(summary(&dir)["complete"], true);
}

#[test]
#[cfg(unix)]
fn ctrl_c_shows_what_is_finished() {
    let temp = small();
    let (code, text) = interrupted(temp.path(), "-INT");
    assert_eq!(code, Some(130), "{text}");
    assert!(text.contains("of 500 replicates are in long"), "{text}");
    assert!(text.contains("R1->R2"), "the table of what finished:\n{text}");
    replicates(&temp.path().join("long"));
    assert_eq!(summary(&temp.path().join("long"))["complete"], false);
}
