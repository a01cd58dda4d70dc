//! `tusker reproduce --plane testbed`: a paper's rows on real sockets.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::reproduce::small_paper;
use super::testbed::{can_make_hosts, left_alone};
use super::{err, ok, rejected, run};

const ROW: [&str; 10] =
    ["reproduce", "small", "--plane", "testbed", "--quick", "--case", "1", "--at", "10", "--force"];

#[test]
fn a_row_stands_beside_the_paper_and_the_simulator() {
    if !can_make_hosts("a row stands beside the paper and the simulator") {
        return;
    }
    let temp = TempDir::new().unwrap();
    small_paper(temp.path());
    let here = temp.path();
    let done =
        left_alone("it runs", || Some(run(here, &[&ROW[..], &["--format", "csv"]].concat())));
    let text = ok(&done);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    let [head, row] = lines.as_slice() else { panic!("a head and a row: {text}") };
    let cell = |name: &str| {
        let at =
            head.iter().position(|own| *own == name).unwrap_or_else(|| panic!("{name}: {text}"));
        row[at]
    };
    assert_eq!((cell("case"), cell("delay"), cell("utilisation_paper")), ("1", "10", "97.3"));
    // no more than the 834 segments of 1460 B that can end within the 1 s that is measured
    // at 10 Mbit/s, and something
    for plane in ["utilisation_simulated", "utilisation_measured"] {
        let share: f64 = cell(plane).parse().unwrap();
        assert!((1.0..=97.42).contains(&share), "{plane}: {share}");
    }
    let own = here.join("results/small/testbed");
    let kept = fs::read_to_string(own.join("reproduction.json")).unwrap();
    let kept: Value = serde_json::from_str(&kept).unwrap();
    assert_eq!(kept["execution"]["plane"], "testbed");
    let row = kept["rows"].as_array().unwrap().iter().find(|row| row["id"] == "1@10").unwrap();
    assert_eq!(row["invalid"].to_string(), cell("invalid"));

    // what is there is not run again, and says the same
    let again = run(here, &[&ROW[..9], &["--format", "csv"]].concat());
    assert_eq!(ok(&again), text);
    let there = "1 of 1 replicates are done already";
    assert_eq!(err(&again).matches(there).count(), 2, "on both planes: {}", err(&again));

    // over time, with the curves of both
    let figure = "reproduce small --plane testbed --quick --figure 1";
    let done = left_alone("it runs", || Some(run(here, figure)));
    let text = ok(&done);
    let lines: Vec<Vec<&str>> =
        text.lines().map(|line| line.split_whitespace().collect()).collect();
    let at = lines.iter().position(|words| words.first() == Some(&"1@10")).expect("the row");
    let head = ["row", "measure", "paper", "simulated", "measured", "difference"];
    assert_eq!(lines[at - 1], head, "{text}");
    let page = fs::read_to_string(own.join("report.html")).unwrap();
    assert!(page.contains("time-1-at-10") && page.contains("1@10: simulated and measured"));
}

#[test]
fn a_row_that_cannot_be_run_is_named() {
    let temp = TempDir::new().unwrap();
    small_paper(temp.path());
    rejected(
        &run(temp.path(), &[&ROW[..9], &["--set", "flows.S.cc=copa"]].concat()),
        &["1@10 cannot be run on the testbed: this kernel has no"],
    );
    rejected(
        &run(temp.path(), "reproduce all --plane testbed"),
        &["--plane testbed applies to one paper"],
    );
}
