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

#[test]
fn conclusions_are_run_recorded_and_told_again() {
    let temp = folder();
    let ask = |more: &[&str]| {
        ok(&run(temp.path(), &[&["reproduce", "small", "--conclusions", "--quiet"], more].concat()))
    };
    let told: Value = serde_json::from_str(&ask(&["--format", "json"])).unwrap();
    let standing = |i: usize| told[i]["standing"].as_str().unwrap();
    assert_eq!([standing(0), standing(1), standing(2)], ["stands", "depends", "fails"]);
    // a buffer of 5 packets fills the link in none of the four rows
    let reading = "the reading tiny-queue (partly: utilisation(1@10) > 96 and 3 more fail)";
    assert_eq!(told[1]["depends_on"][0], reading);
    assert_eq!((&told[0]["seeds"], &told[0]["seeds_wanted"]), (&2.into(), &2.into()));
    let text = ask(&[]);
    let full = format!("The link is full. [full] depends on {reading} margin (share ");
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(&full), "{text}");
    let wanted = "run: seeds 1 and 2; other readings: tiny-queue; not tried, though it could change the verdict: \
        link";
    assert!(flat.contains(wanted), "{text}");
    // two seeds and a reading
    let csv = ask(&["--format", "csv"]);
    let head = "reading,seed,case,delay,utilisation,phase_effects\nbase,1,1,10,9";
    assert!(csv.starts_with(head), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 4 + 4 + 4);
    let small = temp.path().join("small");
    fs::write(small.join("conclusions.csv"), &csv).unwrap();
    let full = ok(&run(temp.path(), &["reproduce", "small", "--format", "csv", "--quiet"]));
    fs::write(small.join("full.csv"), full).unwrap();
    shown_as_rows(temp.path(), &csv);
    // what was recorded comes out as it went in
    assert_eq!(ask(&["--recorded", "small", "--format", "csv"]), csv);
    let again = ok(&run(temp.path(), &["reproduce", "small", "--recorded", "small/full.csv"]));
    let again = again.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        again.contains(reading)
            && again.contains("verdict from the recorded runs of one seed alone: holds")
            && again.contains("Claims one seed: with another, a verdict may differ"),
        "{again}"
    );
    assert!(!again.contains("STALE"), "{again}");
    let about = fs::read_to_string(small.join("paper.toml")).unwrap();
    let stale = format!("stale = \"Case 2 is older than its law\"\n{about}");
    fs::write(small.join("paper.toml"), stale).unwrap();
    let again = ok(&run(temp.path(), &["reproduce", "small", "--recorded", "small/full.csv"]));
    assert!(again.contains("\nSTALE: Case 2 is older than its law\n"), "{again}");
    // rows of one case alone tell of no conclusion
    let one = ["reproduce", "small", "--case", "1", "--quiet", "--out", "one"];
    let one = ok(&run(temp.path(), &one));
    assert!(!one.contains("Conclusions"), "{one}");
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
    let row = format!(" 1 Reno 10 97.30 {} ", value("base,2,1,10,"));
    assert!(told.contains(&row), "{second}");
    let other = ok(&ask(&["--reading", "tiny-queue"]));
    let told = other.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("reading: tiny-queue "), "{other}");
    assert!(
        told.contains(&format!(" 1 Reno 10 97.30 {} ", value("tiny-queue,1,1,10,"))),
        "{other}"
    );
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

/// Four rows of 4 s, with two seeds and under one reading: twelve runs.
#[test]
fn what_conclusions_cost_is_told_before_they_are_run() {
    let temp = folder();
    let told = |args: &[&str]| {
        let output = run(temp.path(), &[&["reproduce", "small"], args].concat());
        ok(&output);
        err(&output)
    };
    let first = told(&["--conclusions"]);
    let cost = "12 runs, 0 of them stored already; 12 to do, 48 s of simulated time: how long \
                that takes is shown once two runs are done\n";
    assert!(first.contains(cost), "{first}");
    let again = told(&["--conclusions"]);
    assert!(again.contains("12 runs, all of them stored already\n"), "{again}");
    // the other reading only counts otherwise
    let readings = told(&["--compare-readings"]);
    assert!(readings.contains("8 runs, all of them stored already\n"), "{readings}");
    assert!(!told(&["--conclusions", "--quiet"]).contains("stored already"));
}

/// Of case 1 alone nothing is compared with case 2: two rows with two seeds and under one
/// reading, and the conclusion about both cases is left out.
#[test]
fn of_chosen_rows_only_comparisons_between_them_count() {
    let temp = folder();
    let small = temp.path().join("small");
    let both = "\n[[claims]]\nid = \"alike\"\nplace = \"1\"\nsays = \"Both get the same.\"\n\
        tests = [\"abs(utilisation(1) - utilisation(2)) < 50\"]\n";
    fs::write(small.join("claims.toml"), format!("{CLAIMS}{both}")).unwrap();
    let alike = "\n[[conclusions]]\nid = \"alike\"\nsays = \"They are alike.\"\n\
        claims = [\"alike\"]\n";
    fs::write(small.join("conclusions.toml"), format!("{CONCLUSIONS}{alike}")).unwrap();
    let ask = |more: &[&str]| {
        let output = run(temp.path(), &[&["reproduce", "small", "--conclusions"], more].concat());
        (ok(&output).split_whitespace().collect::<Vec<_>>().join(" "), err(&output))
    };
    let (told, cost) = ask(&["--case", "1"]);
    assert!(cost.contains("6 runs, 0 of them stored already"), "{cost}");
    assert!(told.starts_with("Conclusions, only comparisons between the chosen rows "), "{told}");
    assert!(told.contains("stands in the base and 1 other reading"), "{told}");
    assert!(told.contains("tiny-queue (partly: utilisation(1@10) > 96 and 1 more fail)"), "{told}");
    assert!(told.contains("More is used") && !told.contains("They are alike."), "{told}");
    let again = ask(&["--case", "1", "--recorded", "results/small"]).0;
    assert!(again.starts_with("Conclusions, only comparisons") && !again.contains("They are"));
    // both cases at one of two delays
    let (told, _) = ask(&["--at", "10"]);
    assert!(told.contains("They are alike.") && !told.contains("@20"), "{told}");
    let whole = ask(&[]).0;
    assert!(whole.starts_with(
        "Conclusions utilisation(1@10) is the measure utilisation in case 1 at delay 10 ms"
    ));
    // a claim that compares no two of the chosen rows leaves nothing
    let both = "[[claims]]\nid = \"alike\"\nplace = \"1\"\nsays = \"Both get the same.\"\n\
        tests = [\"utilisation(1) < utilisation(2)\"]\n";
    fs::write(small.join("claims.toml"), both).unwrap();
    let only = alike.trim_start();
    fs::write(small.join("conclusions.toml"), only).unwrap();
    let none = run(temp.path(), &["reproduce", "small", "--conclusions", "--case", "1"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(err(&none).contains("none compares these rows with each other"), "{}", err(&none));
}

#[test]
fn replicates_are_the_runs_of_their_seeds() {
    let temp = folder();
    let told = |args: &[&str]| {
        let text = ok(&run(temp.path(), &[&["reproduce", "small", "--quiet"], args].concat()));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let three = told(&["--replicates", "3", "--out", "three"]);
    assert!(three.contains(" Claims ") && !three.contains("one seed"), "{three}");
    let whole = told(&["--recorded", "three", "--conclusions"]);
    // `link` only counts otherwise, so that the same runs are those of this reading
    assert!(whole.contains("stands in the base and 1 other reading; 1 reading"), "{whole}");
    let runs = "run: seeds 1 to 3; other readings: link; not tried, though it could change the verdict: \
        tiny-queue";
    assert!(whole.contains(runs), "{whole}");
    assert!(!whole.contains("What is lacking"), "{whole}");
    // with a page of it
    told(&["--recorded", "three", "--conclusions", "--out", "shown"]);
    let page = fs::read_to_string(temp.path().join("shown/report.html")).unwrap();
    assert!(page.contains("stands in the base and 1 other reading"), "{page}");
    // which opens with the conclusions
    let place = |title: &str| page.find(&format!(">{title}</h2>"));
    let [tiles, score] = ["Conclusions", "How much of the paper holds"].map(place);
    assert!(tiles.is_some() && tiles < score, "{page}");
    // two of the four rows
    told(&["--case", "1", "--replicates", "2", "--out", "part"]);
    let part = told(&["--recorded", "part", "--conclusions"]);
    assert!(part.contains("Half is always used. [at-least-half] not judged"), "{part}");
    let runs = "run: 2 of 4 rows with seeds 1 and 2; tried in part: link (2 of 4 rows); not tried";
    assert!(part.contains(runs), "{part}");
    let command = "What is lacking is run by tusker reproduce small --conclusions --out part";
    assert!(part.ends_with(command), "{part}");
    // which makes it complete, and what it ran is found again
    let run = told(&["--conclusions", "--out", "part"]);
    let again = told(&["--recorded", "part", "--conclusions"]);
    assert!(run.contains("run: seeds 1 and 2; other readings: tiny-queue;"), "{run}");
    assert!(again.contains("run: seeds 1 and 2; other readings: tiny-queue, link"), "{again}");
}

/// What --compare-readings ran in a folder was tried, whatever its seeds and length; at one
/// of two delays it was tried in part.
#[test]
fn readings_compared_in_a_folder_count_as_tried() {
    let temp = folder();
    let ask = |args: &[&str]| {
        let text = ok(&run(temp.path(), &[&["reproduce", "small", "--quiet"], args].concat()));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (out, more, length) in [
        ("plain", &[][..], &[][..]),
        ("seeded", &["--seed", "2"], &[]),
        ("several", &["--replicates", "2"], &[]),
        ("short", &[], &["--quick"]),
    ] {
        ask(&[&["--compare-readings", "--out", out], more, length].concat());
        let told = ask(&[&["--conclusions", "--recorded", out], length].concat());
        assert!(told.contains("; other readings: tiny-queue, link "), "{out}: {told}");
        assert!(!told.contains("tried"), "{out}: {told}");
    }
    ask(&["--compare-readings", "--at", "10", "--out", "part"]);
    let part = ask(&["--conclusions", "--recorded", "part"]);
    assert!(part.contains("; tried in part: tiny-queue (2 of 4 rows), link (2 of 4 rows) "));
    let part = ask(&["--conclusions", "--recorded", "part", "--at", "10"]);
    assert!(part.contains("; other readings: tiny-queue, link "), "{part}");
}

#[test]
fn a_first_seed_leaves_the_others_as_they_are() {
    let temp = folder();
    let args = ["reproduce", "small", "--conclusions", "--quiet", "--seed", "7"];
    let told = ok(&run(temp.path(), &args));
    assert!(told.contains("run: seeds 7 and 2;"), "{told}");
    // four rows with either seed, and under a reading
    let rows = fs::read_dir(temp.path().join("results/small/rows")).unwrap().count();
    assert_eq!(rows, 12);
}

#[test]
fn what_conclusions_name_must_be_there() {
    let temp = folder();
    let small = temp.path().join("small");
    for (file, text, told) in [
        ("conclusions.toml", CONCLUSIONS.replace("\"more\"", "\"mor\""), "no claim `mor`"),
        (
            "conclusions.toml",
            CONCLUSIONS.replace("tiny-queue", "no-queue"),
            "no reading `no-queue`",
        ),
        ("conclusions.toml", CONCLUSIONS.replace("beyond", "full"), "two conclusions `full`"),
        ("conclusions.csv", "a,b,c,d\n".to_owned(), "reading,seed,case,delay"),
    ] {
        fs::write(small.join("conclusions.toml"), CONCLUSIONS).unwrap();
        fs::write(small.join(file), text).unwrap();
        let output = run(temp.path(), &["reproduce", "small", "--conclusions"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains(told) && err(&output).contains(file), "{}", err(&output));
    }
    fs::remove_file(small.join("conclusions.csv")).unwrap();
    fs::remove_file(small.join("conclusions.toml")).unwrap();
    let output = run(temp.path(), &["reproduce", "small", "--conclusions"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("small has no conclusions.toml"), "{}", err(&output));
}
