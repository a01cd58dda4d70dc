//! Every command once.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use super::{SMALL, err, flat, json, ok, run, run_with_input, start};

const HERE: &str = ".";

#[test]
fn list_has_every_law_policy_and_kind_of_traffic() {
    let all = ok(&run(Path::new(HERE), "list"));
    let sheets = tusker_core::congestion::ALL.iter().chain(tusker_core::queue::ALL);
    let traffic = ["greedy", "sized", "parallel", "arrivals", "web", "constant", "onoff", "vbr"];
    for name in sheets.map(|sheet| sheet.name).chain(traffic) {
        assert!(all.lines().any(|line| line.starts_with(name)), "no {name} in\n{all}");
    }
    let queues = ok(&run(Path::new(HERE), "list queue"));
    assert!(queues.contains("gared") && !queues.contains("ghstcp"), "{queues}");
}

#[test]
fn explain_shows_every_parameter_of_everything() {
    for sheet in tusker_core::congestion::ALL.iter().chain(tusker_core::queue::ALL) {
        let page = ok(&run(Path::new(HERE), &["explain", &sheet.name.to_uppercase()]));
        // lines are folded where the page has room
        let page = flat(&page);
        assert!(page.contains(&flat(sheet.title)) && page.contains(&flat(sheet.source)), "{page}");
        for param in sheet.params {
            assert!(page.contains(param.name) && page.contains(&flat(param.about)), "{page}");
        }
    }
    assert!(ok(&run(Path::new(HERE), "explain onoff")).contains("[[background]]"));
    for (name, word) in [
        ("hystart++", "RFC 9406"),
        ("limited", "max_ssthresh"),
        ("standard", "RFC 5681"),
        ("ns2", "profile = \"ns2\""),
        ("linux", "back-pressure"),
        ("rack", "RFC 8985"),
        // a congestion control and a loss recovery
        ("reno", "recovery = \"reno\""),
    ] {
        let page = ok(&run(Path::new(HERE), &["explain", name]));
        assert!(page.contains(word), "{name}: no {word} in\n{page}");
        assert!(ok(&run(Path::new(HERE), "list")).contains(name));
    }
}

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
    for (name, published) in [
        ("scenario", include_str!("../../../../schema/scenario.schema.json")),
        ("summary", include_str!("../../../../schema/summary.schema.json")),
        ("reproduction", include_str!("../../../../schema/reproduction.schema.json")),
        ("watched", include_str!("../../../../schema/watched.schema.json")),
        ("plan", include_str!("../../../../schema/plan.schema.json")),
        ("claim", include_str!("../../../../schema/claim.schema.json")),
        ("evaluation", include_str!("../../../../schema/evaluation.schema.json")),
    ] {
        assert!(ok(&run(Path::new(HERE), &["schema", name])) == published, "{name} differs");
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

/// RFC 3649, Table 3: HighSpeed TCP has 83,981 segments at a loss of 1e-7; 0.12 and 0.835
/// are rounded. Parameters and rules are Kelly's (2003): a = 0.01, b = 1/8.
#[test]
fn names_are_printed_for_programs_too() {
    let entries = |args: &[&str]| -> Vec<Value> {
        serde_json::from_str(&ok(&run(Path::new(HERE), args))).expect("a list in JSON")
    };
    let all = entries(&["list", "--format", "json"]);
    for what in ["cc", "queue", "traffic", "slow-start", "recovery", "profile", "paper"] {
        let listed = ok(&run(Path::new(HERE), &["list", what])).lines().count() - 1;
        assert_eq!(all.iter().filter(|entry| entry["kind"] == what).count(), listed, "{what}");
        assert_eq!(entries(&["list", what, "--format", "json"]).len(), listed, "{what}");
    }
    // measures are many, and listed if asked for
    let measures = entries(&["list", "measure", "--format", "json"]);
    let text = ok(&run(Path::new(HERE), "list measure"));
    let (table, note) = text.split_once("\n\n").expect("a note on full names");
    assert!(note.contains("groups.NAME.MEASURE"), "{note}");
    let listed = table.lines().count() - 1;
    assert!(measures.len() == listed && listed > 80, "{listed}");
    assert!(all.iter().all(|entry| entry["kind"] != "measure"));
    let exponent = &entries(&["explain", "rtt_exponent", "--format", "json"])[0];
    assert_eq!(
        (&exponent["unit"], &exponent["of"]),
        (&"number".into(), &"the whole experiment".into())
    );
    let harm = ok(&run(Path::new(HERE), "explain harm"));
    assert!(harm.contains("harm_goodput, a measure of") && harm.contains("Unit: share"), "{harm}");
    let begun = err(&run(Path::new(HERE), "explain case7-fairer"));
    assert!(begun.contains("did you mean one of these? case7-fairer-than-4"), "{begun}");
    for (name, near) in [("H-TCP", "htcp"), ("htcp-linux", "htcp"), ("TCP-Reno", "reno")] {
        let told = err(&run(Path::new(HERE), &["explain", name]));
        assert!(told.contains(&format!("did you mean `{near}`?")), "{name}: {told}");
    }
    let rfc = &entries(&["explain", "rfc9743", "--format", "json"])[0];
    assert!(rfc["about"].as_str().unwrap().contains("tusker evaluate NAME"), "{rfc}");
    // words of reproduce, and what papers give names to
    for (name, told) in [
        ("robust", "counting each once for every seed and reading that was run"),
        ("depends", "this reading reverses comparisons beyond chance"),
        ("background-1500", "background.udp.packet=1500B"),
        ("case4-s1-still-low", "s1(4) < 250"),
        ("hstcp-starves-reno", "a conclusion of ghstcp"),
        ("claim:ghstcp-is-fairer", "a claim of ghstcp"),
        ("conclusion:ghstcp-is-fairer", "Its claims: ghstcp-is-fairer,"),
        ("ngtcp", "Issues in Performance Evaluation of New TCP Stacks"),
        ("if both groups have sack, gHSTCP is fairer than HSTCP", "fairness(7) > fairness(4)"),
    ] {
        let page = flat(&ok(&run(Path::new(HERE), &["explain", name])));
        assert!(page.contains(told), "{page}");
    }
    for (name, kind, called, key, value) in [
        ("robust", "word", "robust", "about", "How many comparisons of a claim"),
        ("readings", "word", "reading", "about", "One of several ways to understand"),
        ("claims", "word", "claim", "about", "A sentence of a paper"),
        ("conclusions", "word", "conclusion", "about", "A sentence of a paper that holds if"),
        ("hcc", "cc", "hcc", "kind", "cc"),
        ("ngtcp", "paper", "ngtcp", "covers", "Section III"),
        ("background-1500", "reading", "background-1500", "paper", "ghstcp"),
        ("case4-s1-still-low", "claim", "case4-s1-still-low", "tests", "s1(4) < 250"),
        ("hstcp-starves-reno", "conclusion", "hstcp-starves-reno", "paper", "ghstcp"),
        ("--fail-on", "option", "fail-on", "about", "ends the command with exit code 3"),
    ] {
        let entry = &entries(&["explain", "--format", "json", "--", name])[0];
        assert_eq!((&entry["kind"], &entry["name"]), (&kind.into(), &called.into()));
        assert!(entry[key].to_string().contains(value), "{name}: {entry}");
    }
    let error = err(&run(Path::new(HERE), "explain slowdwn_mean"));
    assert!(error.contains("did you mean `slowdown_mean`"), "{error}");
    let scalable = &entries(&["explain", "Scalable", "--format", "json"])[0];
    let defaults: Vec<_> = scalable["parameters"].as_array().expect("a list").iter().collect();
    assert_eq!((&defaults[0]["name"], defaults[0]["default"].as_f64()), (&"a".into(), Some(0.01)));
    assert_eq!((&defaults[1]["name"], defaults[1]["default"].as_f64()), (&"b".into(), Some(0.125)));
    // what is a congestion control and a queue policy
    let xcp = entries(&["explain", "xcp", "--format", "json"]);
    let kinds: Vec<_> = xcp.iter().map(|entry| entry["kind"].clone()).collect();
    assert_eq!(kinds, ["cc", "queue"]);
    let hstcp = &entries(&["explain", "hstcp", "--format", "json"])[0];
    let points = hstcp["response"]["points"].as_array().expect("a closed form");
    let at = points.iter().find(|point| point["loss"] == 1e-7).expect("a point at 1e-7");
    let window = at["window_segments"].as_f64().expect("a number");
    assert!((window / 83_981.0 - 1.0).abs() < 0.005, "{window}");
    assert!(entries(&["explain", "bbr3", "--format", "json"])[0]["response"].is_null());
}

/// Linux calls CUBIC `cubic` and BBRv1 `bbr`; here these are cubic-linux and bbr1.
#[test]
fn explain_says_which_law_is_what_linux_runs_today() {
    let dir = TempDir::new().unwrap();
    let page = |law: &str| ok(&run(dir.path(), &["explain", law]));
    assert!(page("cubic").contains("For what Linux runs today by default, use cubic-linux"));
    assert!(page("bbr3").contains("use bbr1"));
    for law in ["cubic-linux", "bbr1"] {
        assert!(page(law).contains("This is what Linux runs today"), "{}", page(law));
    }
    assert!(page("hstcp").contains("`highspeed`"), "{}", page("hstcp"));
    assert!(!page("copa").contains("In Linux"));
    // heads of columns are found as well as names of measures
    assert!(page("marked").contains("Full name: mark_rate\n"), "{}", page("marked"));
    assert!(page("Mean queue").contains("queue_mean_pkt"), "{}", page("Mean queue"));
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
