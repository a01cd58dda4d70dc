//! Nothing of the user's is overwritten, and nothing is computed for a folder or a file that
//! cannot get the results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::reproduce::small_paper;
use super::{SMALL, err, ok, run, start};

/// Every file and folder below a folder, and what is in it; hidden locks apart.
fn tree(dir: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path.clone());
            }
            found.insert(path.clone(), fs::read(&path).ok());
        }
    }
    found
}

/// A folder with the small scenario and paper, and with one that takes hours.
fn folder() -> TempDir {
    let temp = TempDir::new().unwrap();
    fs::create_dir(temp.path().join("long")).unwrap();
    small_paper(temp.path());
    fs::write(temp.path().join("small.toml"), SMALL).unwrap();
    let long = SMALL.replace("4s", "1000000s").replace("10Mbit", "10Gbit");
    fs::write(temp.path().join("long.toml"), long).unwrap();
    let long = small_paper_long(&temp.path().join("small"));
    for (name, text) in long {
        fs::write(temp.path().join("long").join(name), text).unwrap();
    }
    temp
}

/// The files of the small paper, with runs that take hours.
fn small_paper_long(small: &Path) -> Vec<(String, String)> {
    let files = fs::read_dir(small).unwrap().map(|entry| entry.unwrap());
    let texts = files.map(|file| {
        let text = fs::read_to_string(file.path()).unwrap();
        let name = file.file_name().into_string().unwrap();
        let long = name == "scenario.toml";
        (name, if long { text.replace("duration = \"", "duration = \"90000") } else { text })
    });
    texts.collect()
}

/// It is refused as a mistake of the user, long before it could have computed anything, and
/// everything is as it was.
#[track_caller]
fn refused(dir: &Path, args: &str, what: &str) {
    let before = tree(dir);
    let mut child = start(dir, args);
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(120) {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    let told = err(&output);
    assert_eq!(output.status.code(), Some(2), "{args:?}, {what}: {told}");
    assert!(output.stdout.is_empty() && told.contains("help:"), "{args:?}, {what}: {told}");
    let after = tree(dir);
    let new: Vec<_> = after.keys().filter(|path| !before.contains_key(*path)).collect();
    assert!(new.is_empty(), "{args:?}, {what}: {new:?}");
    assert!(after == before, "{args:?}, {what}: a file changed");
}

/// The commands that write a folder, `x`; all would take hours.
fn commands() -> Vec<String> {
    let compare = "compare --cc reno --against cubic --rate 10gbit --rtt 20ms --duration 1000000s";
    let plan = "plan --size 200TB --loss 1e-6 --budget none --rate 10gbit --rtt 20ms";
    let sweep = "sweep long.toml --over cc=reno,cubic";
    let mut all = Vec::new();
    for (command, more) in [
        ("run long.toml", &["", "--force", "--resume"][..]),
        (compare, &["", "--force"]),
        (sweep, &["", "--tables csv"]),
        (plan, &["", "--buffer 0.2bdp,1bdp"]),
        ("reproduce long", &["", "--force", "--figure 1", "--compare-readings"]),
        ("reproduce small --recorded r", &[""]),
        #[cfg(target_os = "linux")]
        ("kernel watch", &["", "--force"]),
    ] {
        all.extend(more.iter().map(|more| format!("{command} --out x {more}")));
    }
    all
}

/// Names that tusker's own files have, in a folder that is somebody else's.
const NAMES: &[&[&str]] = &[
    &["thesis.tex"],
    &["runs/1.jsonl"],
    &["runs/events.out.tfevents", "runs.parquet", "base.toml", "sweep.json"],
    &["plan.json", "plan.parquet"],
    &["reproduction.json", "rows/notes"],
    &["figures/figure-1.json"],
    &["harm.csv", "reno/notes"],
    &["report.html"],
    &["scenario.toml", "replicates/0001/measures.json", "replicates/20240101"],
    &["buffer-0.2bdp/plan.json"],
    &["watched.json", "series.parquet"],
    &["manifest.json"],
    &["manifest.json", "scenario.toml", "replicates/0001/flows.csv", "captures/mine.pcapng"],
];

#[test]
fn a_folder_of_somebody_elses_is_refused_by_every_command() {
    let temp = folder();
    let here = temp.path();
    ok(&run(here, "reproduce small --out r"));
    for names in NAMES {
        for name in *names {
            let path = here.join("x").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{ \"name\": \"mine\", \"replicates\": {} }").unwrap();
        }
        for args in commands() {
            refused(here, &args, names[0]);
        }
        fs::remove_dir_all(here.join("x")).unwrap();
    }
}

/// A folder that each command made itself, in which somebody has put a file.
#[test]
fn a_file_of_somebody_elses_in_our_folder_is_refused_by_every_command() {
    let temp = folder();
    let here = temp.path();
    let (run_small, plan) = ("run small.toml", super::plan::SMALL);
    let plans = &format!("{plan} --buffer 0.2bdp,1bdp");
    let compare = "compare --cc reno --against cubic --rate 10mbit --rtt 20ms --duration 4s";
    let (resumed, forced) = ("--resume --replicates 2", "--force");
    for (made, more, names) in [
        (run_small, resumed, &["report.html"][..]),
        (run_small, forced, &["report.html", "replicates/0001/notes"]),
        (compare, resumed, &["report.html", "reno-against-cubic/report.html"]),
        (compare, forced, &["report.html"]),
        ("sweep small.toml --over cc=reno", "", &["report.html", "runs.csv"]),
        (plan, "", &["report.html", "plan.csv"]),
        (plans, "", &["report.html", "buffer-1bdp/report.html"]),
        ("reproduce small", "", &["report.html", "figures.html", "claim-x.html"]),
        ("reproduce small --figure 1,2", "", &["figures.html", "readings.json"]),
        ("reproduce small --compare-readings", "", &["readings.html"]),
    ] {
        let made = &format!("{made} --out x");
        let again = &format!("{made} {more}");
        ok(&run(here, made));
        for name in names {
            let path = here.join("x").join(name);
            if !path.parent().unwrap().is_dir() {
                // it is named otherwise
                panic!("{made:?} has no {name}");
            }
            let before = fs::read(&path).ok();
            fs::write(&path, "<!doctype html><title>mine</title>").unwrap();
            refused(here, again, name);
            match before {
                Some(before) => fs::write(&path, before).unwrap(),
                None => fs::remove_file(&path).unwrap(),
            }
        }
        ok(&run(here, again));
        fs::remove_dir_all(here.join("x")).unwrap();
    }
}

/// Files that the user names: all are looked at before one is written, or anything computed.
#[test]
fn a_file_of_somebody_elses_is_refused_before_anything_is_written() {
    let temp = folder();
    let here = temp.path();
    ok(&run(here, "run small.toml --out one"));
    fs::write(here.join("mine"), "my own notes\n").unwrap();
    let drawn = ["--svg", "--png", "--pdf", "--data", "--caption"];
    for own in drawn {
        for other in drawn.iter().filter(|other| **other != own) {
            refused(here, &format!("report one --figure time {other} new {own} mine"), own);
        }
    }
    refused(here, "report one --out mine", "--out");
    let compare = "compare --cc reno --rate 10gbit --rtt 20ms --duration 1000000s";
    for args in [
        "run long.toml --no-save --pcap R1->R2=mine",
        "run long.toml --no-save --qlog a.0=mine",
        &format!("{compare} --report mine"),
        &format!("{compare} --report mine --out x"),
        "demo --report mine",
    ] {
        refused(here, args, "a named file");
    }
    ok(&run(here, "man --out pages"));
    let page = here.join("pages/tusker-run.1");
    let whole = fs::read(&page).unwrap();
    fs::write(&page, ".TH mine\n").unwrap();
    refused(here, "man --out pages", "a manual page");
    fs::write(&page, whole).unwrap();
    ok(&run(here, "man --out pages"));
}
