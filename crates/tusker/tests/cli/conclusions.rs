//! `tusker reproduce PAPER --conclusions`: which of a paper's conclusions stand.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::reproduce::small_paper;
use super::{err, ok, run};

/// What flows use of a full link is 1460/1500 = 97.33 % of it, never more. A Reno
/// flow fills a link with a buffer of what the path holds, 17 or 33 packets, and
/// with 5 does not; three quarters it uses without any.
const CLAIMS: &str = r#"
[[claims]]
id = "fills"
place = "1"
says = "Both fill the link."
tests = ["utilisation(c) > 96"]
where = { c = [1, 2] }

[[claims]]
id = "more"
place = "1"
says = "Both use more than there is."
tests = ["utilisation(c) > 97.4"]
where = { c = [1, 2] }

[[claims]]
id = "half"
place = "1"
says = "Both use half."
tests = ["utilisation(c) > 50"]
where = { c = [1, 2] }
"#;

const CONCLUSIONS: &str = r#"
seeds = [2]
readings = ["tiny-queue"]

[[conclusions]]
id = "at-least-half"
says = "Half is always used."
claims = ["half"]

[[conclusions]]
id = "full"
says = "The link is full."
claims = ["fills", "half"]

[[conclusions]]
id = "beyond"
says = "More is used than there is."
claims = ["more"]
"#;

fn folder() -> TempDir {
    let temp = TempDir::new().unwrap();
    small_paper(temp.path());
    let small = temp.path().join("small");
    fs::write(small.join("claims.toml"), CLAIMS).unwrap();
    fs::write(small.join("conclusions.toml"), CONCLUSIONS).unwrap();
    temp
}

/// Conclusions as data, by `--conclusions` and these words.
fn asked(dir: &Path, more: &[&str]) -> Value {
    let begin = ["reproduce", "small", "--conclusions", "--quiet", "--format", "json"];
    serde_json::from_str(&ok(&run(dir, &[&begin[..], more].concat()))).unwrap()
}

fn verdicts(all: &Value) -> Vec<(&str, &str)> {
    let all = all.as_array().unwrap().iter();
    all.map(|own| (own["id"].as_str().unwrap(), own["verdict"].as_str().unwrap())).collect()
}

/// Comparisons that hold in all runs, all of these, runs, and readings.
fn robust(own: &Value) -> [u64; 4] {
    ["held", "of", "runs", "readings"].map(|key| own["robust"][key].as_u64().unwrap())
}

#[test]
fn conclusions_are_run_recorded_and_told_again() {
    let temp = folder();
    let all = asked(temp.path(), &[]);
    let expected = [("at-least-half", "holds"), ("full", "holds"), ("beyond", "does_not_hold")];
    assert_eq!(verdicts(&all), expected);
    // four rows with two seeds and under a reading
    assert_eq!(robust(&all[0]), [12, 12, 3, 2]);
    // a buffer of 5 packets fills the link in none of the four rows
    assert_eq!(robust(&all[1]), [20, 24, 3, 2]);
    let reversed = &all[1]["reversed_by"][0];
    assert_eq!(reversed["reading"], "tiny-queue");
    assert_eq!(reversed["comparisons"].as_array().unwrap().len(), 4);
    assert_eq!((&all[0]["seeds"], &all[0]["untried"]), (&vec![1, 2].into(), &vec!["link"].into()));
    let text = ok(&run(temp.path(), "reproduce small --conclusions --quiet"));
    let line = text.lines().find(|line| line.starts_with("The link is full. ")).unwrap();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        line,
        "The link is full. holds 20 of 24 2 of 3 tiny-queue (4 of 8 hold) tiny-queue (4) full"
    );
    // two seeds and a reading
    let ask = |more: &[&str]| {
        ok(&run(temp.path(), &[&["reproduce", "small", "--conclusions", "--quiet"], more].concat()))
    };
    let csv = ask(&["--format", "csv"]);
    let head = "reading,seed,case,delay,utilisation,phase_effects\nbase,1,1,10,9";
    assert!(csv.starts_with(head), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 4 + 4 + 4);
    let small = temp.path().join("small");
    fs::write(small.join("conclusions.csv"), &csv).unwrap();
    let full = ok(&run(temp.path(), "reproduce small --format csv --quiet"));
    fs::write(small.join("full.csv"), full).unwrap();
    shown_as_rows(temp.path(), &csv);
    // what was recorded comes out as it went in
    assert_eq!(ask(&["--recorded", "small", "--format", "csv"]), csv);
    let again = ["reproduce", "small", "--recorded", "small/full.csv"];
    let again = || run(temp.path(), &again);
    assert!(ok(&again()).contains("conclusions, recorded: 2 hold, 1 does not hold"));
    assert!(!err(&again()).contains("stale"), "{}", err(&again()));
    let about = fs::read_to_string(small.join("suite.toml")).unwrap();
    let stale = format!("stale = \"Case 2 is older than its law\"\n{about}");
    fs::write(small.join("suite.toml"), stale).unwrap();
    assert!(err(&again()).contains("stale: Case 2 is older than its law"), "{}", err(&again()));
}

/// What was recorded with the second seed, and under the other reading, is shown as rows.
fn shown_as_rows(folder: &Path, csv: &str) {
    let ask = |more: &[&str]| {
        run(folder, &[&["reproduce", "small", "--recorded", "small"], more].concat())
    };
    let value = |begin: &str| -> String {
        let line = csv.lines().find_map(|line| line.strip_prefix(begin)).unwrap();
        let cell = line.split(',').next().unwrap();
        format!("{:.2}", cell.parse::<f64>().unwrap())
    };
    let second = ok(&ask(&["--seed", "2"]));
    let told = second.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("one run per row, seed 2 "), "{second}");
    let row = format!(" 1@10 97.30 {} ", value("base,2,1,10,"));
    assert!(told.contains(&row), "{second}");
    let other = ok(&ask(&["--reading", "tiny-queue"]));
    let told = other.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("reading: tiny-queue "), "{other}");
    assert!(told.contains(&format!(" 1@10 97.30 {} ", value("tiny-queue,1,1,10,"))), "{other}");
    for (args, error, help) in [
        (&["--seed", "7"][..], "it has no rows with seed 7", "it has seeds 1 and 2"),
        (
            &["--seed", "2", "--reading", "tiny-queue"],
            "it has no rows of the reading tiny-queue with seed 2",
            "of the reading tiny-queue it has seed 1",
        ),
        (&["--seed", "2", "--conclusions"], "shows every seed", "leave out --seed"),
    ] {
        let output = ask(args);
        assert_eq!(output.status.code(), Some(2));
        let told = err(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(error) && told.contains(help), "{told}");
    }
}

#[test]
fn replicates_are_the_runs_of_their_seeds() {
    let temp = folder();
    let ok_run = |args: &[&str]| {
        ok(&run(temp.path(), &[&["reproduce", "small", "--quiet"], args].concat()));
    };
    ok_run(&["--replicates", "3", "--out", "three"]);
    let whole = asked(temp.path(), &["--recorded", "three"]);
    // `link` only counts otherwise, so that the same runs are those of this reading
    assert_eq!(robust(&whole[0]), [24, 24, 6, 2]);
    assert_eq!(whole[0]["untried"], Value::from(vec!["tiny-queue"]));
    // with a page of it
    asked(temp.path(), &["--recorded", "three", "--out", "shown"]);
    let page = fs::read_to_string(temp.path().join("shown/report.html")).unwrap();
    // which opens with the conclusions
    let place = |title: &str| page.find(&format!(">{title}</h2>"));
    let [first, rows] = ["Conclusions", "Rows"].map(place);
    assert!(first.is_some() && first < rows, "{page}");
    // two of the four rows
    ok_run(&["--case", "1", "--replicates", "2", "--out", "part"]);
    let part = asked(temp.path(), &["--recorded", "part"]);
    assert_eq!((part[0]["verdict"].as_str(), robust(&part[0])[1]), (Some("open"), 8));
}

/// What --compare-readings ran in a folder was tried, whatever its seeds and length.
#[test]
fn readings_compared_in_a_folder_count_as_tried() {
    let temp = folder();
    for (out, more, length) in [
        ("plain", &[][..], &[][..]),
        ("seeded", &["--seed", "2"], &[]),
        ("several", &["--replicates", "2"], &[]),
        ("short", &[], &["--quick"]),
    ] {
        let compare = ["reproduce", "small", "--quiet", "--compare-readings", "--out", out];
        ok(&run(temp.path(), &[&compare[..], more, length].concat()));
        let all = asked(temp.path(), &[&["--recorded", out], length].concat());
        assert_eq!(
            (robust(&all[0])[3], &all[0]["untried"]),
            (3, &Value::Array(Vec::new())),
            "{out}"
        );
    }
}

#[test]
fn a_first_seed_leaves_the_others_as_they_are() {
    let temp = folder();
    let all = asked(temp.path(), &["--seed", "7"]);
    assert_eq!(all[0]["seeds"], Value::from(vec![2, 7]));
    // four rows with either seed, and under a reading
    let rows = fs::read_dir(temp.path().join("results/small/rows")).unwrap().count();
    assert_eq!(rows, 12);
}
