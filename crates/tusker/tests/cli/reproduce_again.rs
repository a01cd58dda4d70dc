//! `tusker reproduce --recorded`: what earlier commands found, in part and as a page; and
//! how a reproduction is put into words.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::reproduce::small_paper;
use super::{err, ok, run};

fn folder() -> TempDir {
    let temp = TempDir::new().unwrap();
    small_paper(temp.path());
    temp
}

/// Text without the ends of its lines, which are where the terminal has them.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn recorded_rows_are_chosen_like_others_and_make_a_page() {
    let temp = folder();
    let temp = temp.path();
    let ask = |args: &[&str]| ok(&run(temp, &[&["reproduce", "small"], args].concat()));
    let own = ask(&["--out", "own"]);
    let csv = ask(&["--out", "own", "--format", "csv"]);
    fs::write(temp.join("rows.csv"), &csv).unwrap();
    // a folder of results is as good as what was printed of it
    assert_eq!(ask(&["--recorded", "own"]), own);
    fs::create_dir_all(temp.join("papers/small")).unwrap();
    fs::write(temp.join("papers/small/full.csv"), &csv).unwrap();
    for place in ["own", "rows.csv", "papers", "papers/small"] {
        let args = ["--recorded", place, "--case", "2", "--at", "20"];
        let one = ask(&[&args[..], &["--format", "csv"]].concat());
        let line = csv.lines().find(|line| line.starts_with("1,2,HSTCP,20,")).unwrap();
        assert_eq!(one, format!("{}\n{line}\n", csv.lines().next().unwrap()), "{place}");
        // its claims are judged on all that was recorded: 4 rows are below 100 %
        let all: Value =
            serde_json::from_str(&ask(&[&args[..], &["--format", "json"]].concat())).unwrap();
        assert_eq!(all["claims"][0]["ours"]["held"], 4, "{place}");
    }
    // a part of what was printed is a record as well
    let part: String = csv.lines().take(3).map(|line| format!("{line}\n")).collect();
    fs::write(temp.join("part.csv"), &part).unwrap();
    assert_eq!(ask(&["--recorded", "part.csv", "--format", "csv"]), part);
    let lacks = run(temp, "reproduce small --recorded part.csv --case 2");
    assert_eq!(lacks.status.code(), Some(2));
    assert!(err(&lacks).contains("none of these rows"), "{}", err(&lacks));

    ask(&["--recorded", "own", "--case", "2", "--out", "page"]);
    let stored = fs::read_to_string(temp.join("page/reproduction.json")).unwrap();
    let stored: Value = serde_json::from_str(&stored).unwrap();
    assert_eq!(stored["rows"].as_array().unwrap().len(), 2);
    let page = fs::read_to_string(temp.join("page/report.html")).unwrap();
    assert!(page.contains("these are 2 of the 4 rows"), "it says what it is of");
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is not on it"));
    assert!(at("<table>") < at("id=\"f-paper-utilisation\""), "its rows come first");
    // what these rows change, not what another one does
    assert!(page.contains("dumbbell.delay=20ms; flows.S.cc=hstcp"));
    ok(&run(temp, "report page"));
    for (args, told) in [
        (["--recorded", "own", "--out", "own"], "it has results of its own"),
        (["--recorded", "own", "--quick", "--quiet"], "leave out --quick"),
    ] {
        let output = run(temp, &[&["reproduce", "small"], &args[..]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(flat(&err(&output)).contains(told), "{}", err(&output));
    }
}

/// A table of rows that were run otherwise says how, and is shown as that.
#[test]
fn a_table_is_shown_with_what_its_rows_were_run_with() {
    let temp = folder();
    let temp = temp.path();
    let ask = |args: &[&str]| ok(&run(temp, &[&["reproduce", "small"], args].concat()));
    let one = ["--case", "1", "--at", "10", "--quiet"];
    for (how, told) in [
        (&["--reading", "tiny-queue", "--set", "seed=9"][..], "tiny-queue --set seed=9"),
        (&["--set", "duration=3s"], "base --set duration=3s"),
    ] {
        let csv = ask(&[&one[..], how, &["--format", "csv"]].concat());
        assert!(csv.lines().next().unwrap().contains(",verdict,reading"), "{csv}");
        fs::write(temp.join("rows.csv"), &csv).unwrap();
        // the same comes out again, and nothing is said of the base
        assert_eq!(ask(&["--recorded", "rows.csv", "--format", "csv"]), csv);
        let text = flat(&ask(&["--recorded", "rows.csv"]));
        assert!(text.contains(told), "{told} is not in {text}");
    }
    let csv = ask(&[&one[..], &["--seed", "7", "--format", "csv"]].concat());
    assert!(csv.lines().next().unwrap().ends_with(",verdict,seed"), "{csv}");
    assert!(csv.lines().nth(1).unwrap().ends_with(",7"), "{csv}");
    let quick = ask(&[&one[..], &["--quick", "--format", "csv"]].concat());
    fs::write(temp.join("rows.csv"), &quick).unwrap();
    let refused = run(temp, "reproduce small --recorded rows.csv");
    assert_eq!(refused.status.code(), Some(2));
    assert!(flat(&err(&refused)).contains("its rows are those of --quick"), "{}", err(&refused));
}

/// A queue of 5 packets instead of 40 leaves a Reno flow three quarters of the link; a
/// setting of a law that no case has does nothing.
#[test]
fn readings_side_by_side_tell_what_they_change() {
    let temp = folder();
    let temp = temp.path();
    let path = temp.join("small/readings.toml");
    let more = "\n[[readings]]\nname = \"for-hstcp\"\nwhy = \"it may be\"\n\
        when = [{ s = [\"HSTCP\"], set = [\"dumbbell.queue=7pkt\"] }]\n\n\
        [[readings]]\nname = \"longer\"\nwhy = \"it may be\"\nset = [\"duration=8s\"]\n\n\
        [[readings]]\nname = \"shorter\"\nwhy = \"it may be\"\nset = [\"duration=3s\"]\n";
    fs::write(&path, fs::read_to_string(&path).unwrap() + more).unwrap();
    let claims = "[[claims]]\nid = \"full\"\nplace = \"1\"\nsays = \"Reno fills the link.\"\n\
        tests = [\"utilisation(1) > 90\"]\n";
    fs::write(temp.join("small/claims.toml"), claims).unwrap();
    let args = ["reproduce", "small", "--case", "1", "--compare-readings", "--quick"];
    let told = run(temp, &args);
    let text = ok(&told);
    assert!(flat(&text).contains("for-hstcp changes nothing in these rows"), "{text}");
    assert!(
        !text.contains("longer") && flat(&err(&told)).contains("sets the same: longer, shorter")
    );
    let wide = run(temp, &[&args[..], &["--explain"]].concat());
    let differs = flat(&ok(&wide));
    assert!(differs.contains("tiny-queue Reno fills the link. holds does not hold"), "{differs}");
    let page = fs::read_to_string(temp.join("results/small/readings.html")).unwrap();
    assert!(
        page.contains("changes nothing in these rows") && page.contains("Reno fills the link.")
    );
    ok(&run(temp, "report results/small --list"));
    // what was compared is shown again
    let again = ["--case", "1", "--compare-readings", "--quick", "--recorded", "results/small"];
    assert_eq!(ok(&run(temp, &[&["reproduce", "small"], &again[..]].concat())), text);
    let saved = [&["reproduce", "small"], &again[..], &["--out", "new/folder"]].concat();
    ok(&run(temp, &saved));
    assert!(temp.join("new/folder/readings.html").is_file());
    let one = ["--quick", "--recorded", "results/small", "--reading", "tiny-queue", "--case", "1"];
    let one = ok(&run(temp, &[&["reproduce", "small"], &one[..]].concat()));
    assert!(one.contains("reading: tiny-queue"), "{one}");
    for (args, told) in [
        (
            &["--quick", "--reading", "longer"][..],
            "longer: it sets `duration`, which --quick sets as well",
        ),
        (&["--reading", "shorter+longer"], "shorter and longer both set `duration`"),
        (&["--reading", "shorter,longer"], "--reading shorter+longer combines them"),
        (
            &["--quick", "--recorded", "results/small", "--reading", "longer"],
            "it has no reading longer help: it has base, tiny-queue, link, for-hstcp",
        ),
        (&["--recorded", "papers", "--compare-readings"], "papers/readings.json: No such"),
        (&["--quick", "--compare-readings", "--reading", "longer"], "leave out --quick"),
    ] {
        let output = run(temp, &[&["reproduce", "small"], args].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(flat(&err(&output)).contains(told), "{}", err(&output));
    }
    let alone = run(temp, "reproduce small --case 1 --reading for-hstcp");
    assert!(err(&alone).contains("for-hstcp changes nothing in these rows"), "{}", err(&alone));
}

#[test]
fn a_quick_look_says_so_beside_every_verdict() {
    let temp = folder();
    let temp = temp.path();
    let args = ["reproduce", "small", "--quick", "--case", "1"];
    let output = run(temp, &args);
    let note = "quick look: not the paper's length; verdicts may change";
    assert!(err(&output).contains(note), "{}", err(&output));
    let next = "reproduce small --case 1 # in the paper's length";
    assert!(flat(&err(&output)).contains(next), "{}", err(&output));
    // what is printed does not depend on where it is stored
    let stored = run(temp, &[&args[..], &["--out", "there", "--jobs=1"]].concat());
    assert_eq!(ok(&stored), ok(&output));
    let page = fs::read_to_string(temp.join("results/small/report.html")).unwrap();
    assert!(page.contains("quick look: not the paper"), "the page");
    let all = run(temp, "reproduce small --case 1");
    assert!(!err(&all).contains("quick look"), "{}", err(&all));
}

#[test]
fn rows_of_another_build_are_run_again() {
    let temp = folder();
    let args = "reproduce small --case 1 --at 10 --out kept";
    ok(&run(temp.path(), args));
    let rows = temp.path().join("kept/rows");
    let names = || {
        let entries = fs::read_dir(&rows).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let own = names().remove(0);
    let again = run(temp.path(), args);
    ok(&again);
    assert!(err(&again).contains("1 of 1 replicates are done already"), "{}", err(&again));
    // the last eight digits are those of the build; early versions had eight in all
    for old in [format!("{}00000000", &own[..own.len() - 8]), "case-1-at-10-0123abcd".to_owned()] {
        fs::rename(rows.join(&own), rows.join(&old)).unwrap();
        let told = run(temp.path(), args);
        ok(&told);
        let text = err(&told).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("1 of 1 rows were run by another build"), "{text}");
        assert_eq!(names().len(), 2, "what it gave stays");
        fs::remove_dir_all(rows.join(&old)).unwrap();
    }
}
