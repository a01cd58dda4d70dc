//! `tusker reproduce PAPER --claim`: one claim, with every seed and reading for which there are
//! runs.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::reproduce::small_paper;
use super::{err, ok, run};

const CLAIMS: &str = r#"
[[claims]]
id = "more"
place = "1"
says = "HSTCP uses more than Reno, at both delays."
tests = ["utilisation(2) > utilisation(1)"]

[[claims]]
id = "half"
place = "2"
says = "Both use half."
tests = ["utilisation(c) > 50"]
where = { c = [1, 2] }
need = "most"
"#;

const CONCLUSIONS: &str = r#"
seeds = [2]
readings = ["tiny-queue"]

[[conclusions]]
id = "better"
says = "HSTCP is better."
claims = ["more", "half"]
"#;

/// With seed 1: 90 > 80 at 10 ms, and 70 < 75 at 20 ms.
const FULL: &str = "table,case,delay,replicates,utilisation_ours,utilisation_ours_ci95\n\
    1,1,10,1,80,\n1,1,20,1,75,\n1,2,10,1,90,\n1,2,20,1,70,\n";

/// With seed 2 it is the same; with a small queue 60 < 70 and 50 < 65.
const RUNS: &str = "reading,seed,case,delay,utilisation\n\
    base,2,1,10,82\nbase,2,1,20,74\nbase,2,2,10,88\nbase,2,2,20,72\n\
    tiny-queue,1,1,10,70\ntiny-queue,1,1,20,65\ntiny-queue,1,2,10,60\ntiny-queue,1,2,20,50\n";

fn folder() -> TempDir {
    let temp = TempDir::new().unwrap();
    small_paper(temp.path());
    let small = temp.path().join("small");
    for (name, text) in [
        ("claims.toml", CLAIMS),
        ("conclusions.toml", CONCLUSIONS),
        ("full.csv", FULL),
        ("conclusions.csv", RUNS),
        ("reasons.toml", "[[claims]]\nids = [\"more\"]\nwhy = \"made up\"\n"),
    ] {
        fs::write(small.join(name), text).unwrap();
    }
    temp
}

fn ask(dir: &Path, args: &[&str]) -> String {
    ok(&run(dir, &[&["reproduce", "small"], args].concat()))
}

/// In one line, as it is read.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const RECORDED: [&str; 4] = ["--claim", "more", "--recorded", "small"];

/// The answers as data.
fn answers(dir: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&ask(dir, &[args, &["--format", "json"]].concat())).unwrap()
}

/// Verdict, comparisons that hold, and all of them, of the first claim.
fn judged(all: &Value) -> (&str, u64, u64) {
    let own = &all["claims"][0]["ours"];
    (own["verdict"].as_str().unwrap(), own["held"].as_u64().unwrap(), own["of"].as_u64().unwrap())
}

/// Comparisons that hold in all runs, all of these, runs, and readings.
fn robust(own: &Value) -> [u64; 4] {
    ["held", "of", "runs", "readings"].map(|key| own["robust"][key].as_u64().unwrap())
}

/// At 10 ms 89 > 81 with two seeds, at 20 ms 71 < 74.5. The single run under the other reading has
/// 60 < 70 and 50 < 65.
#[test]
fn the_verdict_is_that_of_the_base_with_its_robustness_beside_it() {
    let temp = folder();
    let all = answers(temp.path(), &RECORDED);
    assert_eq!(judged(&all), ("partly", 1, 2));
    let own = &all["claims"][0];
    assert_eq!(robust(own), [2, 6, 3, 2]);
    let worst = &own["robust"]["worst"];
    assert_eq!((&worst["reading"], &worst["held"]), (&"tiny-queue".into(), &0.into()));
    let reversed = &own["reversed_by"][0];
    assert_eq!(reversed["reading"], "tiny-queue");
    assert_eq!(reversed["comparisons"], Value::from(vec!["utilisation(2@10) > utilisation(1@10)"]));
    assert_eq!(own["untried"], Value::from(vec!["link"]));
    // half of the distance of two seeds
    let first = &own["ours"]["comparisons"][0]["terms"][0];
    assert_eq!((&first["value"], &first["ci95"]), (&89.0.into(), &1.0.into()));
    // the paper's own are 97.3 and 97.3, 10 and 97.3
    assert_eq!(
        (&own["paper"]["verdict"], &own["paper"]["held"]),
        (&"does_not_hold".into(), &0.into())
    );
    assert_eq!(own["reason"], "made up");
    // 71 in place of 10
    let miss = |row: &Value| row["row"] == "2@20" && row["misses"][0]["ours"] == 71.0;
    assert!(own["rows"].as_array().unwrap().iter().any(miss), "{own}");
}

#[test]
fn a_terminal_has_the_answer_and_its_comparisons() {
    let temp = folder();
    let output = run(temp.path(), &[&["reproduce", "small"], &RECORDED[..]].concat());
    assert_eq!(
        ok(&output),
        "HSTCP uses more than Reno, at both delays. [1]\n\
         partly in the base, 2 seeds: 1 of 2 comparisons hold\n\
         in all runs: 2 of 6 hold, in 3 runs under 2 of 3 readings; most fail under tiny-queue (0 of 2 hold)\n\
         depends on the reading: tiny-queue (reverses 1)\n\
         \n\
         comparison                                 left        right  difference        verdict  in the paper\n\
         utilisation(2@10) > utilisation(1@10)  89 ± 1.0     81 ± 1.0    +8 ± 1.4          holds    97.3, 97.3\n\
         utilisation(2@20) > utilisation(1@20)  71 ± 1.0  74.5 ± 0.50  -3.5 ± 1.1  does not hold      10, 97.3\n"
    );
    let talk = err(&output);
    let notes: Vec<&str> = talk.lines().filter(|line| line.starts_with("note: ")).collect();
    let within = "note: 0 of 4 rows are within the tolerances of the paper's numbers";
    assert_eq!(notes, ["note: more: made up", within]);
    for step in ["--claim more --replicates 3", "--claim more --compare-readings"] {
        assert!(talk.contains(&format!("reproduce small {step}\n")), "{talk}");
    }
    // everything with --explain
    let wide = ask(temp.path(), &[&RECORDED[..], &["--explain"]].concat());
    for told in ["Each reading and its runs", "Rows that are not as in the paper", "tests: "] {
        assert!(wide.contains(told), "{told}: {wide}");
    }
}

/// The answer about a conclusion of a paper fits on a screen.
#[test]
fn an_answer_has_at_most_25_lines() {
    let temp = TempDir::new().unwrap();
    let asked = ["reproduce", "ghstcp", "--claim", "ghstcp-is-fairer", "--recorded", "papers"];
    let output = run(temp.path(), &asked);
    let lines = ok(&output).lines().count() + err(&output).lines().count();
    assert!(lines <= 25, "{lines}: {}", ok(&output));
    // nine comparisons of fairness and three of S1, with five seeds and under four readings
    let all = run(temp.path(), &[&asked[..], &["--format", "json"]].concat());
    let all: Value = serde_json::from_str(&ok(&all)).unwrap();
    let own = &all["conclusions"][0];
    assert_eq!((&own["verdict"], robust(own)), (&"holds".into(), [107, 108, 9, 5]));
    // by 0.002, while single seeds lie within 0.12 of their mean
    assert_eq!(own["robust"]["worst"]["reading"], "background-1500");
    assert_eq!(own["reversed_by"], Value::Array(Vec::new()));
}

#[test]
fn only_comparisons_between_chosen_rows_count() {
    let temp = folder();
    let at_10 = answers(temp.path(), &[&RECORDED[..], &["--at", "10"]].concat());
    assert_eq!(judged(&at_10), ("holds", 1, 1));
    assert_eq!(at_10["claims"][0]["left_out"], 1);
    let none =
        run(temp.path(), &[&["reproduce", "small"], &RECORDED[..], &["--case", "1"]].concat());
    assert_eq!(none.status.code(), Some(2));
    assert!(flat(&err(&none)).contains("none of its comparisons has all its rows"));
}

#[test]
fn a_test_of_ones_own_is_judged_like_a_claim() {
    let temp = folder();
    let own = |test: &str| answers(temp.path(), &["--claim", test, "--recorded", "small"]);
    // 81 and 74.5; one that fails decides
    assert_eq!(judged(&own("utilisation(1) > 76")), ("does_not_hold", 1, 2));
    // 81 ± 1 at 10 ms; the signs are those of print
    let chance = own("utilisation(1@10) ≥ 2 × 40.5 − 0.5");
    assert_eq!(judged(&chance), ("undecided", 0, 1));
    assert_eq!(
        own("utilisation(1@10) > utilisation(1@20) > utilisation(2@20)")["claims"][0]["ours"]["held"],
        1
    );
    for (test, told) in [
        ("utilisation(3) > 1", "there is no case `3`"),
        ("mor", "did you mean `more`"),
        ("utilisation > 1", "`utilisation` is of no case"),
    ] {
        let wrong = run(temp.path(), &["reproduce", "small", "--claim", test]);
        assert_eq!(wrong.status.code(), Some(2));
        assert!(flat(&err(&wrong)).contains(told), "{}", err(&wrong));
    }
}

/// Of both claims together: 2 of 6 and 11 of 12.
#[test]
fn a_conclusion_stands_for_its_claims() {
    let temp = folder();
    let all = answers(temp.path(), &["--claim", "better", "--recorded", "small"]);
    let own = &all["conclusions"][0];
    assert_eq!((&own["verdict"], robust(own)), (&"partly".into(), [13, 18, 3, 2]));
    assert_eq!(own["reversed_by"][0]["comparisons"].as_array().unwrap().len(), 2);
    assert_eq!(all["claims"].as_array().unwrap().len(), 2);
    let list = flat(&ask(temp.path(), &["--claims"]));
    assert!(list.contains("better HSTCP is better. claims: more, half"), "{list}");
    assert!(list.contains("half Both use half. [2] utilisation(c) > 50"), "{list}");
    // an id of both: the conclusion, unless the claim is asked for
    let both = CONCLUSIONS.replace("\"better\"", "\"more\"");
    fs::write(temp.path().join("small/conclusions.toml"), both).unwrap();
    assert_eq!(answers(temp.path(), &RECORDED)["conclusions"][0]["id"], "more");
    let alone = answers(temp.path(), &["--claim", "claim:more", "--recorded", "small"]);
    assert_eq!(
        (alone["conclusions"].as_array().unwrap().len(), judged(&alone)),
        (0, ("partly", 1, 2))
    );
}

#[test]
fn a_page_and_csv_have_the_same() {
    let temp = folder();
    let csv = ask(temp.path(), &[&RECORDED[..], &["--format", "csv"]].concat());
    // the paper, the base and a reading; two comparisons each
    assert_eq!(csv.lines().count(), 1 + 2 * 3);
    let line =
        "\nmore,utilisation(2@20) > utilisation(1@20),tiny-queue,1,50,,65,,-15,,does not hold\n";
    assert!(csv.contains(line), "{csv}");
    ask(temp.path(), &[&RECORDED[..], &["--out", "page", "--title", "More?"]].concat());
    let page = fs::read_to_string(temp.path().join("page/claim-more.html")).unwrap();
    assert!(page.contains("<title>More?</title>"), "{page}");
    assert!(page.contains("utilisation(2@20) &gt; utilisation(1@20)"), "{page}");
    assert!(page.contains("--claim more --recorded small"), "{page}");
    assert!(temp.path().join("page/claim-more.json").is_file());
}

#[test]
fn only_the_rows_of_a_claim_are_run() {
    let temp = folder();
    let rows = || fs::read_dir(temp.path().join("results/small/rows")).unwrap().count();
    // three quarters of a link are used without any queue
    let half = ["--claim", "utilisation(1) > 50", "--quiet"];
    let ask = |more: &[&str]| answers(temp.path(), &[&half[..], more].concat());
    let one = ask(&["--at", "10"]);
    assert_eq!((judged(&one), rows()), (("holds", 1, 1), 1));
    // what is recorded with the paper is not judged, and another way to count needs no run
    assert_eq!(robust(&one["claims"][0]), [2, 2, 2, 2]);
    assert_eq!(one["claims"][0]["untried"], Value::from(vec!["tiny-queue"]));
    let two = ask(&["--replicates", "2"]);
    assert_eq!((judged(&two), rows()), (("holds", 2, 2), 2));
    assert!(temp.path().join("results/small/claim-utilisation-1-50.html").is_file());
    let readings = ask(&["--compare-readings"]);
    // a small queue has rows of its own
    assert_eq!((&readings["claims"][0]["untried"], rows()), (&Value::Array(Vec::new()), 4));
    // what was run is found again
    let again = ask(&["--recorded", "results/small"]);
    assert_eq!(robust(&again["claims"][0]), [10, 10, 5, 3]);
}

#[test]
fn readings_seeds_and_conclusions_go_with_a_claim() {
    let temp = folder();
    let tiny = answers(temp.path(), &[&RECORDED[..], &["--reading", "tiny-queue"]].concat());
    assert_eq!((judged(&tiny), &tiny["reading"]), (("does_not_hold", 0, 2), &"tiny-queue".into()));
    assert_eq!(tiny["claims"][0]["reversed_by"][0]["reading"], "base");
    let none =
        run(temp.path(), &[&["reproduce", "small", "--reading", "link"], &RECORDED[..]].concat());
    assert_eq!(none.status.code(), Some(2));
    assert!(flat(&err(&none)).contains("it has them under base, tiny-queue"), "{}", err(&none));
    let second = answers(temp.path(), &[&RECORDED[..], &["--seed", "2"]].concat());
    assert_eq!((judged(&second), robust(&second["claims"][0])), (("partly", 1, 2), [1, 4, 2, 2]));
    // a full link is 97.33 %, with a queue of 5 packets less: seeds 1 and 2 of conclusions.toml
    let full = ["--claim", "utilisation(1) > 96", "--conclusions", "--quiet"];
    let full = answers(temp.path(), &full);
    assert_eq!(judged(&full), ("holds", 2, 2));
    assert_eq!(full["claims"][0]["reversed_by"][0]["reading"], "tiny-queue");
}

/// Both places are judged together; each reading of the second one counts, also a combined one.
#[test]
fn several_places_are_judged_together() {
    let temp = folder();
    let claim = ["--claim", "utilisation(1) > 50", "--at", "10"];
    let one = |more: &[&str]| answers(temp.path(), &[&claim[..], more].concat());
    one(&["--reading", "link+tiny-queue", "--out", "mine", "--quiet"]);
    let both = one(&["--recorded", "small,mine"]);
    let readings = both["claims"][0]["readings"].as_array().unwrap();
    let names: Vec<&str> = readings.iter().map(|own| own["reading"].as_str().unwrap()).collect();
    assert_eq!(names, ["base", "tiny-queue", "link+tiny-queue"]);
    let rows = run(temp.path(), &["reproduce", "small", "--recorded", "small,mine"]);
    assert_eq!(rows.status.code(), Some(2));
    assert!(flat(&err(&rows)).contains("only --claim judges several together"));
}

/// Of two comparisons one was not run: 80 < 90 at 10 ms, and nothing at 20.
#[test]
fn what_was_run_in_part_is_no_success() {
    let temp = folder();
    let some: Vec<&str> = FULL.lines().filter(|line| !line.contains(",20,")).collect();
    fs::write(temp.path().join("part.csv"), some.join("\n") + "\n").unwrap();
    let file = temp.path().join("claims.xml");
    let asked = ["--claim", "more", "--recorded", "part.csv"];
    let script = ["--fail-on", "fails", "--junit", file.to_str().unwrap()];
    let output = run(temp.path(), &[&["reproduce", "small"], &asked[..], &script].concat());
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert!(fs::read_to_string(&file).unwrap().contains(r#"tests="1" failures="1""#));
    assert_eq!(judged(&answers(temp.path(), &asked)), ("open", 1, 1));
}

#[test]
fn a_claim_that_does_not_hold_fails_a_script() {
    let temp = folder();
    let file = temp.path().join("claims.xml");
    // 80 and 90 at 10 ms with seed 1, 82 and 88 with seed 2
    let script = |test: &str, more: &[&str]| {
        let asked = ["reproduce", "small", "--recorded", "small", "--at", "10", "--claim", test];
        run(temp.path(), &[&asked[..], more].concat())
    };
    let own = "utilisation(1) > utilisation(2)";
    let with_file = ["--fail-on", "fails", "--junit", file.to_str().unwrap()];
    let fails = script(own, &with_file);
    assert_eq!(fails.status.code(), Some(3), "{}", err(&fails));
    let told = flat(&err(&fails));
    let cause = format!("small, claim {own}: does not hold, 0 of 1 comparisons");
    assert!(told.contains(&cause), "{told}");
    let suites = fs::read_to_string(&file).unwrap();
    assert!(suites.contains(r#"name="small.claims" tests="1" failures="1""#), "{suites}");
    ok(&script(own, &[]));
    ok(&script("more", &with_file));
    let suites = fs::read_to_string(&file).unwrap();
    assert!(suites.contains(r#"tests="1" failures="0""#), "{suites}");
}

#[test]
fn what_cannot_be_combined_is_refused() {
    let temp = folder();
    for more in [&["--figure", "1"][..], &["--print-scenario"], &["--fail-on", "worse"]] {
        let output = run(temp.path(), &[&["reproduce", "small", "--claim", "more"], more].concat());
        assert_eq!(output.status.code(), Some(2), "{more:?}");
    }
    let all = run(temp.path(), &["reproduce", "all", "--claim", "more"]);
    assert!(err(&all).contains("--claim applies to one paper"), "{}", err(&all));
}
