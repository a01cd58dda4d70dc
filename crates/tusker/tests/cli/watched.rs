//! Folders of `tusker kernel watch --out`. The tests of the kernel's laws check that the kernel
//! fills such a folder; here, one is made from the recorded lines of a real watch.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use tusker_measure::watched::Watching;
use tusker_store::{Format, watched::Store};

use super::{SMALL, err, ok, rejected, run};

const LINES: &str = include_str!("../../../tusker-measure/src/watched/fixture.jsonl");

pub(super) fn watch(dir: &Path) {
    let mut watching = Watching::new(["tusker", "kernel", "watch"].map(str::to_owned).to_vec());
    LINES.lines().for_each(|line| watching.hear(line).unwrap());
    let (watched, moments) = watching.finish();
    Store::open(dir, Format::default(), false).unwrap().save(watched, &moments).unwrap();
}

#[test]
fn a_page_and_figures_are_made_of_what_was_watched() {
    let temp = TempDir::new().unwrap();
    watch(&temp.path().join("w"));
    assert!(err(&run(temp.path(), "report w")).contains("the report is w/report.html"));
    let page = fs::read_to_string(temp.path().join("w/report.html")).unwrap();
    for text in ["10.9.0.1:46218", "10.16 Mbit/s", "tusker kernel watch", "congestion window"] {
        assert!(page.contains(text), "{text}");
    }
    let listed = ok(&run(temp.path(), "report w --list"));
    assert!(listed.contains("time.cwnd") && listed.contains("time.rate"), "{listed}");
    ok(&run(temp.path(), "report w --figure time.cwnd --svg cwnd.svg"));
    assert!(temp.path().join("cwnd.svg").is_file());
    // what is published is what is there
    let json = fs::read(temp.path().join("w/watched.json")).unwrap();
    let watched: Value = serde_json::from_slice(&json).unwrap();
    let schema: Value = serde_json::from_str(&ok(&run(temp.path(), "schema watched"))).unwrap();
    let (said, known) = (watched.as_object().unwrap(), schema["properties"].as_object().unwrap());
    assert!(said.keys().eq(known.keys()), "{said:?}");
}

#[test]
fn what_cannot_be_is_told() {
    let temp = TempDir::new().unwrap();
    watch(&temp.path().join("w"));
    fs::write(temp.path().join("small.toml"), SMALL).unwrap();
    ok(&run(temp.path(), "run small.toml --out one"));
    let refused = |args: &[&str], why: &str| rejected(&run(temp.path(), args), &[why]);
    refused(&["report", "w", "one"], "no page shows both");
    refused(&["report", "w", "--replicate", "1"], "was watched in the kernel");
    refused(&["kernel", "watch", "--out", "w"], "already holds a recording of `kernel watch`");
    refused(&["kernel", "watch", "--out", "one", "--force"], "holds no tusker results");
    refused(&["run", "small.toml", "--out", "w", "--force"], "holds no tusker results");
    let table = fs::read_dir(temp.path().join("w")).unwrap().map(|entry| entry.unwrap().path());
    let table = table.into_iter().find(|path| path.to_string_lossy().contains("series")).unwrap();
    fs::write(table, "time_s,connection,quantity,value\n").unwrap();
    refused(&["report", "w"], "is damaged");
}
