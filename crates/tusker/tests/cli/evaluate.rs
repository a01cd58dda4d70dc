//! `tusker evaluate`: the experiments of a suite, and what they say.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::{err, flat, ok, out, rejected, run};

/// Two experiments that are run within a moment.
const SUITE: &str = r#"
title = "Two experiments"
source = "a test"
subject = "cc"
against = "cubic-linux"
replicates = 2
limits = ["Everything else."]

[path]
rate = "10Mbit"
rtt = "20ms"
buffer = "1bdp"

[duration]
cycles = 16
least = "4s"
most = "4s"
data = "1GB"

[same]
share = 0.1
absolute = 0.05
slight = 0.1

[base]
profile = "linux"
duration = "$duration"

[base.dumbbell]
rate = "$rate"
delay = "0.5$rtt"
queue = { policy = "droptail", limit = "$buffer" }
access = { rate = "10$rate", delay = "0s" }

[[experiments]]
name = "beside"
title = "Beside others"
rivals = ["reno"]
less = ["harm_goodput", "harm_rtt"]

[[experiments]]
name = "shallow"
title = "Shallow buffers"
section = "5.1.3"
path.buffer = ["0.1bdp", "0.5bdp"]
flows = 2
less = ["loss_rate"]
"#;

/// A folder with this suite.
fn suite(text: &str) -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("own")).unwrap();
    fs::write(dir.path().join("own/suite.toml"), text).unwrap();
    dir
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The comparisons by experiment, measure, rival and value of the path.
fn comparisons(evaluation: &Value) -> BTreeMap<[String; 4], Value> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let of = |criterion: &Value| {
        let name = text(&criterion["name"]);
        let one = move |own: &Value| {
            let place = [&own["measure"], &own["rival"], &own["varied"]].map(text);
            let [measure, rival, varied] = place;
            ([name.clone(), measure, rival, varied], own.clone())
        };
        criterion["comparisons"].as_array().unwrap().iter().map(one).collect::<Vec<_>>()
    };
    evaluation["criteria"].as_array().unwrap().iter().flat_map(of).collect()
}

#[test]
fn rfc_9743_has_26_experiments_each_with_verdicts() {
    let dir = TempDir::new().unwrap();
    let small = ["--duration", "1s", "--replicates", "2"];
    let args = [&["evaluate", "reno", "--format", "json", "--out", "o"], &small[..]].concat();
    let found = json(&ok(&run(dir.path(), &args)));
    assert_eq!((&found["suite"], &found["against"]), (&"rfc9743".into(), &"cubic-linux".into()));
    let criteria = found["criteria"].as_array().unwrap();
    assert_eq!(criteria.len(), 26);
    assert_eq!(found["left_out"], json("[]"));
    // 69 with verdicts; and what the law has itself beside two rivals, in nine experiments
    let all = comparisons(&found);
    let judged = all.values().filter(|own| !own["verdict"].is_null()).count();
    assert_eq!((judged, all.len()), (69, 69 + 9 * 2));
    assert_eq!(found["counts"]["comparisons"], 69);
    // one second has too few losses
    assert_eq!(criteria[3]["name"], "deep");
    assert!(
        criteria[3]["comparisons"].as_array().unwrap().iter().all(|c| c["few_episodes"] == true)
    );
    // both have the same runs of the rival alone, and of both rivals beside each other
    let runs = fs::read_to_string(dir.path().join("o/runs/1.jsonl")).unwrap();
    assert!(runs.lines().filter(|line| line.contains("\"run\"")).count() < 2 * 180);
    let page = fs::read_to_string(dir.path().join("o/report.html")).unwrap();
    for text in [
        "<h1>reno and RFC 9743",
        "Bufferbloat: a deep buffer",
        "What is not tested",
        "tunnels (6.2)",
    ] {
        assert!(page.contains(text), "{text}");
    }
    // dctcp needs another kind of ECN
    let args = [&["evaluate", "dctcp", "--format", "json", "--out", "d"], &small[..]].concat();
    let found = json(&ok(&run(dir.path(), &args)));
    let left: Vec<&Value> =
        found["left_out"].as_array().unwrap().iter().map(|own| &own["name"]).collect();
    assert_eq!(left, ["ecn", "ecn-beside"]);
    assert_eq!(found["criteria"].as_array().unwrap().len(), 24);
}

/// The values are those of `tusker compare` on the same path.
#[test]
fn an_experiment_is_what_compare_runs() {
    let dir = suite(SUITE);
    let args = "evaluate hstcp --suite own --format json";
    let all = comparisons(&json(&ok(&run(dir.path(), args))));
    let args = "compare --rate 10mbit --rtt 20ms --cc hstcp,cubic-linux --against reno --duration 4s \
                --replicates 2 --format json";
    let compared = json(&ok(&run(dir.path(), &args.split(' ').collect::<Vec<_>>())));
    for (at, side) in [(0, "value"), (1, "against")] {
        let groups = &compared[at]["groups"];
        let harm = &groups[1]["harm"];
        let own = |measure: &str| {
            let key = ["beside", measure, "reno", ""].map(str::to_owned);
            all[&key][side].clone()
        };
        let near = |a: &Value, b: &Value| {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() <= 1e-9 * b.abs(), "{a} {b}");
        };
        for (ours, theirs) in [
            (own("harm_goodput"), &harm["harm_goodput"]),
            (own("harm_rtt"), &harm["harm_rtt"]),
            (own("goodput_bps"), &groups[0]["goodput_bps"]),
        ] {
            near(&ours["mean"], &theirs["mean"]);
            near(&ours["ci95"], &theirs["ci95"]);
        }
    }
}

#[test]
fn the_terminal_has_an_answer_a_table_and_next_steps() {
    let dir = suite(SUITE);
    let output = run(dir.path(), "evaluate scalable --suite own");
    let text = ok(&output);
    let answer: Vec<&str> = text.split("\n\n").next().unwrap().lines().collect();
    assert!(
        answer[0].starts_with("scalable against cubic-linux, own: of 4 comparisons, "),
        "{text}"
    );
    assert!(
        answer.len() <= 10 && text.contains("\nBeside others ") && text.contains("5.1.3"),
        "{text}"
    );
    let told = err(&output);
    assert!(told.contains("results/own-scalable/report.html"), "{told}");
    assert!(
        told.contains("note: ") && told.contains("--baseline results/own-scalable/evaluation.json"),
        "{told}"
    );
    // its figure, as those of other folders
    let listed = ok(&run(dir.path(), "report results/own-scalable --list"));
    assert_eq!(listed, "figure  what it shows\nharm    Harm to the goodput of others\n");
    let args = "report results/own-scalable --figure harm --svg harm.svg";
    ok(&run(dir.path(), args));
    assert!(fs::read_to_string(dir.path().join("harm.svg")).unwrap().contains("beside reno"));
    // the same command has nothing left to run
    let before = fs::read_to_string(dir.path().join("results/own-scalable/runs/1.jsonl")).unwrap();
    assert_eq!(ok(&run(dir.path(), "evaluate scalable --suite own")), text);
    let after = fs::read_to_string(dir.path().join("results/own-scalable/runs/1.jsonl")).unwrap();
    assert_eq!(before, after);
    let csv = ok(&run(dir.path(), "evaluate scalable --suite own --format csv"));
    let rows: Vec<&str> = csv.lines().collect();
    assert!(rows[0].starts_with("experiment,section,measure,rival,varied,better,mean,ci95,"));
    // two harms and the goodput beside reno; two buffers
    assert_eq!(rows.len(), 1 + 3 + 2, "{csv}");
    assert!(rows[4].starts_with("shallow,5.1.3,loss_rate,,0.1bdp,less,"), "{csv}");
}

/// Scalable TCP gives way by an eighth, and Reno by a half (RFC 5681; Kelly 2003): beside
/// Scalable TCP, Reno gets far less.
#[test]
fn a_law_is_held_to_what_it_was() {
    let dir = suite(SUITE);
    let with = |more: &[&str]| {
        run(
            dir.path(),
            &[
                &["evaluate"],
                more,
                &["--suite", "own", "-q", "--duration", "20s", "--replicates", "4"],
            ]
            .concat(),
        )
    };
    let before = ok(&with(&["reno", "--format", "json"]));
    fs::write(dir.path().join("reno.json"), before).unwrap();
    let baseline = ["--baseline", "reno.json", "--junit", "ci.xml"];
    let same = with(&[&["reno"], &baseline[..]].concat());
    assert_eq!(same.status.code(), Some(0), "{}", err(&same));
    let worse = with(&[&["scalable"], &baseline[..]].concat());
    assert_eq!(worse.status.code(), Some(3), "{}", err(&worse));
    assert!(err(&worse).contains("failed on worse than the baseline: "), "{}", err(&worse));
    let xml = fs::read_to_string(dir.path().join("ci.xml")).unwrap();
    let xml = roxmltree::Document::parse(&xml).unwrap();
    let root = xml.root_element();
    assert_eq!(root.attribute("tests"), Some("5"));
    assert_ne!(root.attribute("failures"), Some("0"));
    // another path cannot be compared
    rejected(
        &with(&[&["reno", "--rtt", "30ms", "--out", "o"], &baseline[..]].concat()),
        &["made with another setting"],
    );
    assert!(!dir.path().join("o").exists());
    // beside what it is compared with
    let failed = with(&["scalable", "--fail-on", "worse"]);
    let told = err(&failed);
    let counted = json(&ok(&with(&["scalable", "--format", "json"])))["counts"]["worse"].as_u64();
    let lines = told.lines().filter(|line| line.starts_with("failed on worse: ")).count() as u64;
    assert_eq!((Some(lines), failed.status.code()), (counted, Some(if lines > 0 { 3 } else { 0 })));
}

/// One table of the file is one experiment.
#[test]
fn an_experiment_is_added_in_one_file() {
    let embedded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suites/rfc9743/suite.toml");
    let embedded = fs::read_to_string(embedded).unwrap();
    let more = "\n[[experiments]]\nname = \"slow\"\ntitle = \"A slow link\"\nsection = \"6.3\"\n\
                path.rate = \"1Mbit\"\nmore = [\"utilisation\"]\n";
    let dir = suite(&(embedded + more));
    let listed = ok(&run(dir.path(), "evaluate --list --suite own"));
    assert_eq!(listed.lines().count(), 1 + 27, "{listed}");
    assert!(listed.lines().last().unwrap().starts_with("slow "), "{listed}");
    let dir = suite(&format!("{SUITE}{more}"));
    let args = "evaluate reno --suite own --format json";
    let found = json(&ok(&run(dir.path(), args)));
    let slow = &found["criteria"][2];
    assert_eq!((&slow["title"], &slow["section"]), (&"A slow link".into(), &"6.3".into()));
    assert!(slow["comparisons"][0]["value"]["mean"].as_f64().unwrap() > 0.5);
    // the next one runs only what is new
    let runs = |dir: &TempDir| {
        let text = fs::read_to_string(dir.path().join("results/own-reno/runs/1.jsonl")).unwrap();
        text.lines().filter(|line| line.contains("\"run\"")).count()
    };
    let before = runs(&dir);
    let again = format!("{SUITE}{more}").replace("1Mbit\"", "1Mbit\"\nflows = 2");
    fs::write(dir.path().join("own/suite.toml"), again).unwrap();
    ok(&run(dir.path(), args));
    assert_eq!(runs(&dir) - before, 4);
}

/// An experiment alone, with curves over time.
#[test]
fn the_scenario_of_an_experiment_can_be_run_by_itself() {
    let dir = suite(SUITE);
    let args = "evaluate hstcp --suite own --print-scenario";
    let text = ok(&run(dir.path(), &format!("{args} beside")));
    assert_eq!(text.matches("[[flows]]").count(), 2, "{text}");
    fs::write(dir.path().join("one.toml"), text).unwrap();
    let alone = ok(&run(dir.path(), "run one.toml --no-save --format csv"));
    assert!(alone.contains(",hstcp,") && alone.contains(",reno,"), "{alone}");
    assert!(!dir.path().join("results").exists());
    rejected(&run(dir.path(), &format!("{args} deep")), &["there are beside, shallow"]);
}

#[test]
fn mistakes_are_named_and_leave_no_folder() {
    let dir = suite(SUITE);
    let wrong = |args: &[&str], expected: &[&str]| {
        let output = run(dir.path(), &[&["evaluate"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", err(&output));
        let told = flat(&err(&output));
        expected.iter().for_each(|text| assert!(told.contains(text), "{text}: {told}"));
        assert!(out(&output).is_empty() && !dir.path().join("results").exists());
    };
    wrong(&["rno", "--suite", "own"], &["unknown congestion control `rno`", "did you mean `reno`"]);
    wrong(
        &["reno", "--suite", "own", "--against", "cubik"],
        &["--against cubik", "did you mean `cubic`"],
    );
    wrong(&["htcp:nothing=1", "--suite", "own"], &["htcp:nothing=1"]);
    wrong(&["htcp:1", "--suite", "own"], &["`1` in `htcp:1` is not a parameter"]);
    wrong(&["reno", "--suite", "rfc"], &["there is no suite `rfc`", "rfc9743"]);
    wrong(&["cubic-linux", "--suite", "own"], &["compared with itself", "--against"]);
    wrong(
        &["reno", "--suite", "own", "--replicates", "1"],
        &["--replicates 1 is too few", "at least 2"],
    );
    wrong(&["reno", "--suite", "own", "--rate", "5"], &["--rate: "]);
    wrong(&["my_law.py", "--suite", "own"], &["which class of this file?", "FILE.py:CLASS"]);
    wrong(&["--queue", "red", "--suite", "own"], &["is for congestion controls"]);
    wrong(
        &["reno", "--suite", "own", "--baseline", "own/suite.toml"],
        &["--baseline own/suite.toml: is no evaluation"],
    );
    for (from, to, told) in [
        ("$rate\"\ndelay", "$speed\"\ndelay", "`$speed` is no variable"),
        ("0.5$rtt", "half$rtt", "`half` before `$rtt` is not a number"),
        ("loss_rate", "loss_rte", "own/shallow: there is no measure `loss_rte`"),
        ("rivals = [\"reno\"]", "flows = 1", "`harm_goodput` needs `rivals`"),
        ("\"shallow\"", "\"beside\"", "there are two experiments `beside`"),
        ("flows = 2", "flow = 2", "unknown field `flow`"),
    ] {
        assert!(SUITE.contains(from), "{from}");
        fs::write(dir.path().join("own/suite.toml"), SUITE.replacen(from, to, 1)).unwrap();
        wrong(&["reno", "--suite", "own"], &[told]);
    }
}

/// DropTail keeps a queue of about two BDP full (RFC 7567, section 1.1), which CoDel does not
/// (RFC 8289).
#[test]
fn a_queue_policy_is_evaluated_by_rfc_7928() {
    let dir = TempDir::new().unwrap();
    let small = ["--duration", "10s", "--replicates", "3", "--format", "json"];
    let args = [&["evaluate", "--queue", "droptail"], &small[..]].concat();
    let found = json(&ok(&run(dir.path(), &args)));
    assert_eq!((&found["suite"], &found["subject"]), (&"aqm".into(), &"queue".into()));
    assert_eq!((&found["name"], &found["against"]), (&"droptail".into(), &"fq_codel".into()));
    // 16 experiments, of which one needs a queue that can mark
    assert_eq!(found["criteria"].as_array().unwrap().len(), 15);
    assert_eq!(found["left_out"][0]["name"], "ecn");
    let all = comparisons(&found);
    let delay = ["friendly", "groups.tcp.queueing_delay_p95_s", "", ""].map(str::to_owned);
    assert_eq!(all[&delay]["verdict"], "worse", "{:?}", all[&delay]);
    let args = "evaluate --queue gared:max_p=0.2 --against red:min_th=20,max_th=60 --duration 2s \
                --replicates 2 --format csv";
    let text = ok(&run(dir.path(), &args.split(' ').collect::<Vec<_>>()));
    assert!(text.lines().any(|line| line.starts_with("ecn,4.5,")), "{text}");
    assert!(dir.path().join("results/aqm-gared+max_p0.2/evaluation.json").is_file());
    rejected(&run(dir.path(), "evaluate reno --suite aqm"), &["for queue policies"]);
}

/// A folder with cases is run as `tusker reproduce` runs it, and both find the same results.
#[test]
fn a_suite_of_claims_compares_its_own_experiments() {
    let temp = TempDir::new().unwrap();
    let dir = temp.path();
    super::reproduce::small_paper(dir);
    let found = ok(&run(dir, "evaluate --suite small --replicates 2 --format csv"));
    assert!(dir.join("results/small/reproduction.json").is_file());
    let again = ok(&run(dir, "reproduce small --replicates 2 --format csv"));
    assert_eq!(found, again);
    assert_eq!(found.lines().count(), 1 + 4, "{found}");
    let one = ok(&run(dir, "evaluate --suite small --print-scenario 2@10"));
    assert_eq!(one, ok(&run(dir, "reproduce small --case 2 --at 10 --print-scenario")));
    let list = ok(&run(dir, "evaluate --suite small --list"));
    assert!(list.contains("goodput as a share of the rate"), "{list}");
    for (args, told) in [
        ("reno --suite small", "reno: the suite small compares its own experiments"),
        ("--suite small --against reno", "--against: the suite small compares its own"),
        ("--suite small --print-scenario 3@10", "--case 3"),
        ("--suite rfc9743", "the suite rfc9743 is for congestion controls"),
    ] {
        rejected(&run(dir, &format!("evaluate {args}")), &[told, "help:"]);
    }
    // without this file, it is a suite with a subject
    fs::remove_file(dir.join("small/cases.toml")).unwrap();
    rejected(&run(dir, "evaluate reno --suite small"), &["small/suite.toml", "docs/suites.md"]);
}
