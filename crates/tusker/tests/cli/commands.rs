//! Every command once.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::{SMALL, err, json, ok, read, run, run_with_input, start};

const HERE: &str = ".";

#[test]
fn check_expands_to_what_passes_the_check() {
    let full = ok(&run_with_input(Path::new(HERE), "check - --expand", SMALL.as_bytes()));
    assert!(full.contains("min = \"200ms\""), "the profile is spelled out:\n{full}");
    let again = ok(&run_with_input(Path::new(HERE), "check - --expand", full.as_bytes()));
    assert_eq!(again, full);
    let overview = run_with_input(Path::new(HERE), "check -", SMALL.as_bytes());
    // 2 (10 ms + 2 x 1 ms); half of 10 Mbit/s each
    let text = ok(&overview);
    assert!(text.contains("24ms") && text.contains("5.000 Mbit/s"), "{text}");
    let overview = run_with_input(Path::new(HERE), "check - --format json", SMALL.as_bytes());
    assert_eq!(json(&ok(&overview))["groups"][0]["fair_rate_bps"], 5e6);
}

#[test]
fn published_schemas_are_printed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    for path in fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap().split('.').next().unwrap();
        assert!(ok(&run(Path::new(HERE), &["schema", name])) == read(&path), "{name} differs");
    }
}

#[test]
fn help_completions_and_manual_pages_are_made() {
    let commands = "run compare sweep evaluate plan demo reproduce list explain check schema man";
    for command in commands.split(' ') {
        assert!(ok(&run(Path::new(HERE), &[command, "--help"])).contains("Usage:"));
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(ok(&run(Path::new(HERE), &["completions", shell])).contains("compare"));
    }
    assert!(ok(&run(Path::new(HERE), "man")).contains(".TH tusker 1"));
    let temp = TempDir::new().unwrap();
    ok(&run(temp.path(), "man --out man1"));
    assert!(temp.path().join("man1/tusker-compare.1").is_file());
}

/// One sentence says what `plan` does, in help, README and its page.
#[test]
fn plan_is_described_in_the_same_words_everywhere() {
    let help = ok(&run(Path::new(HERE), "plan --help"));
    let sentence = help.lines().next().expect("the first line of help");
    let rest = sentence.strip_prefix("Plan a transfer: ").expect(sentence);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plan.md");
    let text = fs::read_to_string(page).unwrap();
    assert!(text.contains(&format!("a transfer: {rest}")), "docs/plan.md lacks: {sentence}");
    let all = ok(&run(Path::new(HERE), "--help"));
    assert!(all.contains(sentence) && all.contains("\n  tusker plan --size"), "{all}");
}

#[test]
fn json_is_alone_on_stdout() {
    let args = "run - --no-save --format json --replicates 2";
    let summary = json(&ok(&run_with_input(Path::new(HERE), args, SMALL.as_bytes())));
    assert_eq!(summary["seeds"], serde_json::json!([1, 2]));
    assert_eq!(summary["complete"], true);
    assert_eq!(summary["execution"]["command"][1], "run");
    let rate = summary["total"]["throughput_bps"]["mean"].as_f64().unwrap();
    assert!(rate > 5e6 && rate <= 10e6, "{rate} of 10 Mbit/s");
}

#[test]
fn same_seed_same_summary_on_any_number_of_threads() {
    let one = |jobs: &str| {
        let args = format!("run - --no-save --format json --replicates 3 -j {jobs}");
        let mut summary = json(&ok(&run_with_input(Path::new(HERE), &args, SMALL.as_bytes())));
        summary["execution"] = Value::Null;
        summary
    };
    assert_eq!(one("1"), one("3"));
}

#[test]
fn set_changes_the_scenario_and_flags_win() {
    let args = "run - --no-save --format json --seed 7 --set flows.0.count=3";
    let summary = json(&ok(&run_with_input(Path::new(HERE), args, SMALL.as_bytes())));
    assert_eq!(summary["groups"][0]["flows"], 3);
    assert_eq!(summary["seeds"], serde_json::json!([7]));
}

#[test]
fn what_compare_prints_gives_what_it_gives() {
    let temp = TempDir::new().unwrap();
    let args = "compare --rate 10mbit --rtt 20ms --cc hstcp --duration 4s --queue red:max_p=0.05";
    let json = |output| json(&ok(&output));
    let direct = json(run(temp.path(), &format!("{args} --format json")));
    let text = ok(&run(temp.path(), &format!("{args} --print-scenario")));
    fs::write(temp.path().join("hstcp.toml"), text).unwrap();
    let from_file = json(run(temp.path(), "run hstcp.toml --no-save --format json"));
    assert_eq!(direct[0]["total"], from_file["total"]);
    assert_eq!(direct[0]["groups"], from_file["groups"]);
}

#[test]
fn the_demo_stands_for_two_scenarios_that_run() {
    let text = ok(&run(Path::new(HERE), "demo --print-scenario"));
    assert_eq!(text.matches("[dumbbell]").count(), 2);
    assert!(text.contains("cc = \"hstcp\"") && text.contains("cc = \"ghstcp\""));
    let temp = TempDir::new().unwrap();
    let demo = run(temp.path(), "demo --duration 2s --replicates 2");
    ok(&demo);
    assert!(err(&demo).contains("results/demo.html"), "{}", err(&demo));
    assert!(err(&demo).matches(" compare --rate").count() == 1, "{}", err(&demo));
    let page = fs::read_to_string(temp.path().join("results/demo.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("ghstcp"));
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = start(Path::new(HERE), "completions bash");
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(err(&output), "");
}

/// Measures are many, and listed if asked for. A name is found whatever its capitals.
#[test]
fn names_are_printed_for_people_and_for_programs() {
    let print = |args: &str| ok(&run(Path::new(HERE), args));
    let all = json(&print("list --format json"));
    let kinds =
        |what: &str| all.as_array().unwrap().iter().filter(|entry| entry["kind"] == what).count();
    for what in ["cc", "queue", "traffic", "slow-start", "recovery", "profile", "paper"] {
        let listed = print(&format!("list {what}")).lines().count() - 1;
        assert_eq!((kinds(what), listed > 1), (listed, true), "{what}");
        assert_eq!(print(&format!("list {what} --format csv")).lines().count() - 1, listed);
    }
    assert_eq!(kinds("measure"), 0);
    assert!(print("list measure").contains("groups.NAME.MEASURE"));
    for (name, kind, text) in [
        ("GHSTCP", "cc", "ghstcp, a congestion control"),
        ("Phase-Effects", "word", "phase-effects, a word in the output"),
        ("ngtcp", "paper", "ngtcp, a paper"),
    ] {
        assert!(print(&format!("explain {name}")).starts_with(text));
        assert_eq!(json(&print(&format!("explain {name} --format json")))[0]["kind"], kind);
    }
}

/// Also where the program that loads laws was not built.
#[cfg(unix)]
#[test]
fn help_on_the_kernel_is_there_without_its_program() {
    let dir = TempDir::new().unwrap();
    let alone = dir.path().join("tusker");
    fs::copy(env!("CARGO_BIN_EXE_tusker"), &alone).unwrap();
    let run =
        |words: &[&str]| Command::new(&alone).args(words).env("PATH", "/nowhere").output().unwrap();
    let help = run(&["kernel", "--help"]);
    assert_eq!(help.status.code(), Some(0));
    let text = String::from_utf8(help.stdout).unwrap();
    for word in ["load", "unload", "status", "watch", "prove", "make kernel"] {
        assert!(text.contains(word), "{text}");
    }
    assert_eq!(run(&["kernel", "status"]).status.code(), Some(1));
}
