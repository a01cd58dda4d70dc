//! `tusker reproduce PAPER --conclusions`: which of a paper's conclusions stand.

use std::fs;

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
    assert_eq!(told[1]["depends_on"][0], "the reading tiny-queue (partly)");
    assert_eq!((&told[0]["seeds"], &told[0]["seeds_wanted"]), (&2.into(), &2.into()));
    let text = ask(&[]);
    let full = "depends on the reading tiny-queue (partly); 1 reading that could change it was not \
        tried The link is full.";
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains(full), "{text}");
    let wanted = "run: 2 of 2 seeds; other readings: tiny-queue; not tried: link";
    assert!(flat.contains(wanted), "{text}");
    // two seeds and a reading
    let csv = ask(&["--format", "csv"]);
    assert!(csv.starts_with("reading,seed,case,delay,utilisation\nbase,1,1,10,9"), "{csv}");
    assert_eq!(csv.lines().count(), 1 + 4 + 4 + 4);
    let small = temp.path().join("small");
    fs::write(small.join("conclusions.csv"), &csv).unwrap();
    let full = ok(&run(temp.path(), &["reproduce", "small", "--format", "csv", "--quiet"]));
    fs::write(small.join("full.csv"), full).unwrap();
    let again = ok(&run(temp.path(), &["reproduce", "small", "--recorded", "small/full.csv"]));
    let again = again.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted = "on the reading tiny-queue (partly)";
    assert!(
        again.contains(wanted)
            && again.contains("the recorded runs of one seed by themselves: holds"),
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
