//! `tusker reproduce`: rows, claims and figures beside the paper's numbers.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use tusker_store::folder::{Change, Kind};

use super::{err, ok, out, run, tusker};

/// A paper small enough to be simulated within a moment: two cases of one table, at two delays.
/// A full link is 1460/1500 = 97.33 %; nobody gets 10 %.
pub(super) fn small_paper(dir: &Path) {
    let small = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tusker-papers/tests/small");
    fs::create_dir(dir.join("small")).unwrap();
    for file in fs::read_dir(small).unwrap().map(|entry| entry.unwrap().path()) {
        fs::copy(&file, dir.join("small").join(file.file_name().unwrap())).unwrap();
    }
}

fn folder() -> TempDir {
    let temp = TempDir::new().unwrap();
    small_paper(temp.path());
    temp
}

fn json(dir: &Path, args: &[&str]) -> Value {
    let args = [&["reproduce", "small", "--format", "json"], args].concat();
    serde_json::from_str(&ok(&run(dir, &args))).expect("stdout is JSON alone")
}

#[test]
fn rows_stand_beside_the_paper_and_claims_are_judged() {
    let temp = folder();
    let all = json(temp.path(), &[]);
    assert_eq!(all["rows"].as_array().unwrap().len(), 4);
    // 4 s with slow start: the latter half is a full link, 97.33 %
    for row in &all["rows"].as_array().unwrap()[..3] {
        assert_eq!(row["verdict"], "holds", "{row}");
        let cell = &row["values"]["utilisation"];
        assert!((cell["ours"]["mean"].as_f64().unwrap() - 97.33).abs() < 1.0, "{cell}");
    }
    assert_eq!(all["rows"][3]["verdict"], "does_not_hold");
    assert_eq!(all["rows"][3]["reason"], "made up");
    assert_eq!(all["claims"][0]["ours"]["verdict"], "holds");
    assert_eq!(all["claims"][0]["paper"]["of"], 4);
    assert_eq!(all["claims"][1]["ours"]["verdict"], "partly");
    assert_eq!(all["claims"][1]["paper"]["verdict"], "holds");
    let score = &all["scoreboard"];
    assert_eq!((&score["within"], &score["run"]), (&3.into(), &4.into()));
    assert_eq!((&score["hold"], &score["partly"]), (&1.into(), &1.into()));

    let text = ok(&run(temp.path(), "reproduce small"));
    assert!(text.contains("rows: 3 of 4 rows are within"), "{text}");
    assert!(text.contains("claims: 1 holds, 1 partly\n"), "{text}");
    let page = fs::read_to_string(temp.path().join("results/small/report.html")).unwrap();
    assert!(page.contains("Made up"), "{page}");
    // 97.3 three times is one constant, 10 is not
    assert!(text.contains("; the best constants reach 3 of 4\n"), "{text}");
    let csv = ok(&run(temp.path(), "reproduce small --format csv"));
    assert_eq!(csv.lines().count(), 5);
    // the same again, from what was printed and without a run
    fs::write(temp.path().join("rows.csv"), &csv).unwrap();
    let again = |args: &[&str]| {
        ok(&run(temp.path(), &[&["reproduce", "small", "--recorded", "rows.csv"], args].concat()))
    };
    assert_eq!(again(&[]), text);
    assert_eq!(again(&["--format", "csv"]), csv);
    // a reason that was found in full runs is not told of quick ones
    let quick = ok(&run(temp.path(), "reproduce small --quick"));
    assert!(quick.contains("3 of 4 rows"), "{quick}");
    for more in [&["--quick"][..], &["--seed", "7"]] {
        assert_eq!(json(temp.path(), more)["rows"][3]["reason"], Value::Null, "{more:?}");
    }
}

#[test]
fn what_was_run_is_not_run_again() {
    let temp = folder();
    let again = |args: &[&str]| err(&run(temp.path(), &[&["reproduce", "small"], args].concat()));
    assert!(!again(&["--case", "1"]).contains("already"));
    // a shorter run, another reading: other assumptions, other folders
    assert!(!again(&["--case", "1", "--quick"]).contains("already"));
    assert!(!again(&["--case", "1", "--reading", "tiny-queue"]).contains("already"));
    // counting otherwise is no other run, and the whole knows its parts
    assert!(again(&["--case", "1", "--reading", "link"]).contains("1 of 1 replicates are done"));
    let whole = again(&[]);
    assert!(whole.contains("case-1-at-10: 1 of 1") && !whole.contains("case-2"), "{whole}");
    assert!(again(&["--replicates", "2"]).contains("1 of 2 replicates are done"));
    assert!(!again(&["--force"]).contains("already"));
}

#[test]
fn a_claim_takes_rows_that_an_earlier_command_ran() {
    let temp = folder();
    let claim = |value: &Value| value["claims"][0]["ours"]["of"].clone();
    let first = json(temp.path(), &["--case", "1"]);
    assert_eq!((claim(&first), first["rows"].as_array().unwrap().len()), (2.into(), 2));
    let second = json(temp.path(), &["--case", "2"]);
    assert_eq!((claim(&second), second["rows"].as_array().unwrap().len()), (4.into(), 2));
    // and the file has all of them
    let stored = fs::read_to_string(temp.path().join("results/small/reproduction.json")).unwrap();
    let page = fs::read_to_string(temp.path().join("results/small/report.html")).unwrap();
    assert!(page.contains("id=\"f-paper-utilisation\"") && page.contains("class=\"mark\""));
    assert!(page.contains("of 4 rows are within the tolerances"), "the score says of what");
    let stored: Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(stored["scoreboard"]["run"], 4);
}

#[test]
#[cfg(unix)]
fn ctrl_c_shows_finished_rows_and_the_same_command_goes_on() {
    let temp = folder();
    // one job: the first row is in long before the last
    let long =
        ["reproduce", "small", "--set", "duration=2000s", "--replicates", "50", "--jobs", "1"];
    let mut child = tusker(temp.path());
    let child = child.args(long).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let rows = temp.path().join("results/small/rows");
    let first = |path: &Path| {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).any(|row| row.join("replicates/0002").exists())
    };
    let give_up = Instant::now() + Duration::from_secs(120);
    while !first(&rows) {
        assert!(Instant::now() < give_up, "no row came in");
        sleep(Duration::from_millis(5));
    }
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let stopped = child.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(130), "{}", err(&stopped));
    assert!(err(&stopped).contains("the same command continues"), "{}", err(&stopped));
    assert!(out(&stopped).contains("\nrow "), "{}", out(&stopped));
    // fewer replicates are wanted now, so that it ends soon
    let again = [&long[..4], &["--replicates", "1"]].concat();
    let again = run(temp.path(), &again);
    ok(&again);
    assert!(err(&again).contains("1 of 1 replicates are done already"), "{}", err(&again));
}

#[test]
fn readings_are_compared_in_a_line_each() {
    let temp = folder();
    let args = "reproduce small --compare-readings --format csv";
    let text = ok(&run(temp.path(), args));
    let names: Vec<&str> = text.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(names, ["reading", "base", "tiny-queue", "link"]);
    assert!(ok(&run(temp.path(), "reproduce small --readings")).contains("headers may"));
}

#[test]
fn figures_are_series_and_functions() {
    let temp = folder();
    let args = "reproduce small --figure 1,2 --tables-as csv --out o";
    let text = ok(&run(temp.path(), args));
    // 0.078 / w^1.2 = 1e-7 at (780,000)^(5/6) = 81,298
    assert!(text.contains("100000") && text.contains("81298"), "{text}");
    let curves = fs::read_to_string(temp.path().join("o/figures/figure-2.csv")).unwrap();
    assert!(curves.starts_with("loss_rate,reno,hstcp\n"));
    let traced = fs::read_dir(temp.path().join("o/figures")).unwrap();
    let traced = traced.map(|entry| entry.unwrap().path()).find(|path| path.is_dir()).unwrap();
    let series = fs::read_to_string(traced.join("replicates/0001/series.csv")).unwrap();
    assert!(series.contains(",S,cwnd,") || series.contains(",S.0,cwnd,"), "{}", &series[..200]);
    // the page of figures is not that of the tables
    let page = fs::read_to_string(temp.path().join("o/figures.html")).unwrap();
    assert!(page.contains("id=\"f-figure-1-1-at-10\"") && page.contains("id=\"f-figure-2\""));
    assert!(!temp.path().join("o/report.html").exists());
}

/// Draws a figure of a folder as SVG.
fn drawn(folder: &Path, dir: &str, name: &str) -> String {
    let args = ["report", dir, "--figure", name, "--svg", "x.svg", "--png", "x.png"];
    ok(&run(folder, &args));
    assert!(fs::read(folder.join("x.png")).unwrap().starts_with(b"\x89PNG"), "{name}");
    let text = fs::read_to_string(folder.join("x.svg")).unwrap();
    assert!(text.starts_with("<svg ") && !text.contains("NaN"), "{name}");
    text
}

#[test]
fn the_report_of_its_folder_is_its_page_and_draws_every_figure() {
    let temp = folder();
    let temp = temp.path();
    ok(&run(temp, "reproduce small --figure 2 --out o"));
    ok(&run(temp, "reproduce small --out o"));
    ok(&run(temp, "reproduce small --figure 1 --out o"));
    let [table, figures] = ["o/report.html", "o/figures.html"].map(|name| temp.join(name));
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    let written = (read(&table), read(&figures));
    // figures of earlier commands stay
    assert!(written.1.contains("f-figure-1-1-at-10") && written.1.contains("f-figure-2"));
    fs::remove_file(&table).unwrap();
    fs::remove_file(&figures).unwrap();
    let told = run(temp, "report o");
    ok(&told);
    assert!(err(&told).contains("o/report.html") && err(&told).contains("o/figures.html"));
    assert_eq!((read(&table), read(&figures)), written);

    let listed = ok(&run(temp, "report o --list"));
    for name in ["paper-utilisation", "figure-1-1-at-10.cwnd", "figure-1-1-at-10.queue", "figure-2"]
    {
        assert!(listed.lines().any(|line| line.starts_with(name)), "{name} is not in\n{listed}");
    }
    for line in listed.lines().skip(1) {
        drawn(temp, "o", line.split_whitespace().next().unwrap());
    }
    // four rows are four points, and two in the key, around one line and its band; a mark
    // is a disc or a shape
    let points = drawn(temp, "o", "paper-utilisation");
    let marks = ["<circle ", "class=\"m\""].map(|mark| points.matches(mark).count());
    assert_eq!(marks.iter().sum::<usize>(), 4 + 2, "{marks:?}");
    assert_eq!(points.matches("fill-opacity").count(), 1, "the band");
    assert!(points.contains("case 1") && points.contains(">utilisation, paper (%)<"), "{points}");
    // powers of ten at both axes
    let response = drawn(temp, "o", "figure-2");
    for text in [
        ">\u{2212}10</tspan>",
        ">\u{2212}8</tspan>",
        ">4</tspan>",
        ">loss rate<",
        ">average window (segments)<",
    ] {
        assert!(response.contains(text), "{text} is not in\n{response}");
    }
    let wrong = run(temp, "report o --figure figure-3 --svg x.svg");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("figure-2"), "{}", err(&wrong));

    // all on one page, if a file is named
    ok(&run(temp, "report o --out one.html"));
    let one = read(&temp.join("one.html"));
    assert!(one.contains("f-paper-utilisation") && one.contains("f-figure-2"));
}

#[test]
fn what_is_wrong_with_a_folder_of_a_reproduction_is_told() {
    let temp = folder();
    let temp = temp.path();
    ok(&run(temp, "reproduce small --case 1 --out o"));
    let told = |args: &[&str], words: &[&str]| {
        let output = run(temp, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let text = err(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(text.contains(word), "{word:?} is not in\n{text}");
        }
    };
    told(&["report", "o", "a"], &["o is a reproduction and a is not", "o/rows"]);
    told(&["report", "o", "--replicate", "1"], &["o has no series over time", "--figure"]);
    let text = fs::read_to_string(temp.join("o/reproduction.json")).unwrap();
    let put = |text: &str| {
        let mut change = Change::begin(&temp.join("o"), Kind::Reproduction).unwrap();
        change.put("reproduction.json", text.as_bytes()).unwrap();
        change.commit().unwrap();
    };
    put(&text.replacen("\"format\": 5", "\"format\": 0", 1));
    told(&["report", "o"], &["o/reproduction.json", "its format is 0, not 5", "tusker reproduce"]);
    put(&text[..text.len() / 2]);
    told(&["report", "o"], &["cannot be read by this version"]);
}

#[test]
fn a_row_is_a_scenario_file() {
    let temp = folder();
    let args = "reproduce ghstcp --case 7 --at 100 --print-scenario";
    let text = ok(&run(temp.path(), args));
    fs::write(temp.path().join("case7.toml"), text).unwrap();
    ok(&run(temp.path(), "check case7.toml"));
}

#[test]
fn mistakes_are_told_with_a_remedy() {
    let temp = folder();
    for (args, told) in [
        (&["reproduce", "gstcp"][..], "did you mean `ghstcp`"),
        (&["reproduce", "small", "--set", "durration=3s"], "duration"),
    ] {
        let output = run(temp.path(), args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", out(&output));
        assert!(err(&output).contains(told), "{args:?}: {}", err(&output));
    }
    let broken = temp.path().join("small/claims.toml");
    let text = fs::read_to_string(&broken).unwrap();
    fs::write(&broken, text.replace("utilisation(c)", "utilization(c)")).unwrap();
    let told = err(&run(temp.path(), "reproduce small"));
    assert!(told.contains("small/claims.toml") && told.contains("`utilization`"), "{told}");
}
