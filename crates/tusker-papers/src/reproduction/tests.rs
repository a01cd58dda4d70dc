//! The paper compared with itself, and rows worked out by hand.

use std::cell::OnceCell;
use std::fmt::Write;

use tusker_lab::suite::claims::{Compared, Verdict};

use super::*;
use crate::rows::{Selection, Taken};

fn ghstcp() -> Paper {
    Paper::find("ghstcp").unwrap()
}

#[test]
fn the_papers_own_numbers_bear_its_claims_out_or_a_reason_is_given() {
    for key in Paper::keys() {
        let paper = Paper::find(key).unwrap();
        let mut wrong = String::new();
        for claim in &paper.claims {
            let judged = claim.judge_printed(&paper, &|own| paper.published.value(own));
            // a paper cannot contradict what it does not print
            if judged.of == 0 {
                continue;
            }
            let expected = claim.paper.as_ref().map_or(Verdict::Holds, |p| p.verdict);
            if judged.verdict != expected {
                let _ = writeln!(wrong, "{}: {:?}, not {expected:?}", claim.id, judged.verdict);
                let holds = |own: &&Compared| own.verdict != Verdict::Holds;
                for own in judged.comparisons.iter().filter(holds) {
                    let _ = writeln!(wrong, "    {} {:.3?}", own.test, own.terms);
                }
            }
        }
        assert!(wrong.is_empty(), "{key}:\n{wrong}");
    }
}

#[test]
fn every_row_has_a_scenario_under_every_reading() {
    for key in Paper::keys() {
        let paper = Paper::find(key).unwrap();
        let fits = |row: &Row<'_>, names: &[String]| {
            let taken = paper.take(names, &[]).unwrap();
            let changes = [paper.quick(row), &paper.about.trace.set];
            let changes = changes.into_iter().filter(|changes| !changes.is_empty());
            for changes in [&[][..]].into_iter().chain(changes) {
                let scenario = paper.scenario(row, &taken, changes);
                let scenario = scenario.unwrap_or_else(|e| panic!("{}: {e}", row.id()));
                scenario.plan().unwrap_or_else(|e| panic!("{}, {names:?}: {e}", row.id()));
            }
        };
        paper.rows().iter().for_each(|row| fits(row, &[]));
        // of hundreds of rows under dozens of readings, one of each kind
        for reading in &paper.readings {
            paper.sample().iter().for_each(|row| fits(row, std::slice::from_ref(&reading.name)));
        }
    }
}

#[test]
fn every_reading_changes_something() {
    for key in Paper::keys() {
        let paper = Paper::find(key).unwrap();
        let base = paper.take(&[], &[]).unwrap();
        let text = |row: &Row<'_>, taken: &Taken<'_>| {
            paper.scenario(row, taken, &[]).unwrap().complete().unwrap().to_toml()
        };
        let rows: Vec<_> = paper.rows().into_iter().map(|row| (row, OnceCell::new())).collect();
        for reading in &paper.readings {
            assert!(!reading.why.is_empty(), "{}", reading.name);
            let taken = paper.take(std::slice::from_ref(&reading.name), &[]).unwrap();
            let differs = |(row, unchanged): &(Row<'_>, OnceCell<String>)| {
                text(row, &taken) != *unchanged.get_or_init(|| text(row, &base))
            };
            assert!(
                rows.iter().any(differs) || !reading.measures.is_empty(),
                "{} changes nothing",
                reading.name
            );
        }
    }
}

#[test]
fn a_row_is_the_case_that_the_paper_describes() {
    // Case 13: RED, Reno+SACK behind 100 Mbit/s, gHSTCP+SACK behind 1 Gbit/s
    let paper = ghstcp();
    let selection =
        Selection { cases: vec!["13".into()], at: vec!["100".into()], ..Selection::default() };
    let rows = paper.select(&selection).unwrap();
    assert_eq!(rows.len(), 1);
    let taken = paper.take(&[], &[]).unwrap();
    let plan = paper.scenario(&rows[0], &taken, &[]).unwrap().plan().unwrap();
    let bottleneck = plan.links.iter().find(|link| link.name == "R1->R2").unwrap();
    assert_eq!(bottleneck.queue.policy.name(), "red");
    assert_eq!(bottleneck.rate.bits_per_sec(), 2_500_000_000);
    assert_eq!(bottleneck.propagation().nanos(), 100_000_000);
    let cc: Vec<&str> = plan.flows.iter().map(|flow| flow.cc.name()).collect();
    assert_eq!(cc, [["reno"; 5], ["ghstcp"; 5]].concat());
}

#[test]
fn tables_cases_and_variants_each_cut_down() {
    let paper = ghstcp();
    let count = |tables: &[&str], cases: &[&str], at: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let selection = Selection { tables: owned(tables), cases: owned(cases), at: owned(at) };
        paper.select(&selection).map(|rows| rows.len())
    };
    assert_eq!(count(&[], &[], &[]).unwrap(), 93);
    assert_eq!(count(&["1"], &[], &[]).unwrap(), 12);
    // Case 7 is in Table 2 and was run at three delays; Case 1 is in Table 1
    assert_eq!(count(&["2"], &["7"], &[]).unwrap(), 3);
    assert_eq!(count(&["2"], &["1", "7"], &["50"]).unwrap(), 1);
    let error = count(&["2"], &["1"], &[]).unwrap_err().to_string();
    assert!(error.starts_with("--table 2 --case 1: "), "{error}");
    assert_eq!(count(&[], &["31"], &["50"]).unwrap(), 1);
    assert_eq!(count(&[], &[], &["50"]).unwrap(), 31);
    assert!(count(&[], &["32"], &[]).unwrap_err().to_string().contains("--case 32"));
}

#[test]
fn nothing_run_is_nothing_claimed() {
    let paper = ghstcp();
    let taken = paper.take(&[], &[]).unwrap();
    let rows: Vec<_> = paper.rows().into_iter().map(|row| (row, None)).collect();
    let reproduction = Reproduction::of(&paper, &taken, &rows, &[], false);
    let score = &reproduction.scoreboard;
    assert_eq!((score.rows, score.run, score.within, score.hold), (93, 0, 0, 0));
    assert_eq!(score.open, score.claims);
    assert!(reproduction.rows.iter().all(|row| row.verdict == Verdict::Open));
    let back: Reproduction = serde_json::from_str(&reproduction.to_json()).unwrap();
    assert_eq!(back, reproduction);
    assert_eq!(reproduction.to_csv().lines().count(), 94);
}

/// Written by `TUSKER_BLESS=1 cargo test -p tusker-papers schema`.
#[test]
fn the_published_schema_is_that_of_the_code() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema/reproduction.schema.json");
    if std::env::var_os("TUSKER_BLESS").is_some() {
        std::fs::write(path, Reproduction::schema()).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == Reproduction::schema(),
        "schema/reproduction.schema.json is not up to date: run \
         `TUSKER_BLESS=1 cargo test -p tusker-papers schema` and commit it"
    );
}
