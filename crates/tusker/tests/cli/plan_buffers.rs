//! `tusker plan --buffer A,B`: a plan for each buffer.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::plan::SMALL;
use super::{err, json, ok, out, rejected, run, signal, start};

/// The small plan, with more words.
fn small(more: &str) -> String {
    format!("{SMALL} {more}")
}

/// What each buffer comes to is what a plan with it alone comes to.
#[test]
fn several_buffers_are_printed_for_machines_as_each_alone() {
    let temp = TempDir::new().unwrap();
    let print = |buffer, format| {
        ok(&run(temp.path(), &small(&format!("--buffer {buffer} --format {format}"))))
    };
    let both = json(&print("0.2bdp,1bdp", "json"));
    assert_eq!((&both["format"], &both["complete"]), (&1.into(), &true.into()));
    assert_eq!(both["buffers"], serde_json::json!(["0.2bdp", "1bdp"]));
    assert!(both["command"].as_array().unwrap().contains(&"0.2bdp,1bdp".into()));
    let (plans, csv) = (both["plans"].as_array().unwrap(), print("0.2bdp,1bdp", "csv"));
    let mut lines = csv.lines();
    let head = lines.next().unwrap();
    assert!(head.starts_with("buffer,rank,cc,") && head.ends_with(",good_with_all"), "{head}");
    assert_eq!((plans.len(), csv.lines().count()), (2, 5), "{csv}");
    let good = &both["good_with_all"];
    for (nth, buffer) in ["0.2bdp", "1bdp"].into_iter().enumerate() {
        let mut alone = json(&print(buffer, "json"));
        let mut plan = plans[nth].clone();
        assert_ne!(alone["command"].take(), plan["command"].take());
        assert_eq!(plan, alone);
        for (line, place) in print(buffer, "csv").lines().skip(1).zip(1..) {
            let is_good = good["rows"][nth] == place;
            assert_eq!(lines.next().unwrap(), format!("{buffer},{line},{is_good}"));
        }
        let row = &plan["rows"][(good["rows"][nth].as_u64().unwrap() - 1) as usize];
        assert_eq!((&row["cc"], &row["streams"]), (&good["cc"], &good["streams"]));
    }
    // the first words of the text name the same row
    let text = ok(&run(temp.path(), &small("--buffer 0.2bdp,1bdp")));
    let name = format!("{} x {}", good["streams"], good["cc"].as_str().unwrap());
    assert!(text.lines().next().unwrap().contains(&name), "{name}: {text}");
}

/// Nobody could tell from a line on stderr which buffer it is about.
#[test]
fn progress_names_the_buffer_and_quiet_is_quiet() {
    let temp = TempDir::new().unwrap();
    let print =
        |more| run(temp.path(), &small(&format!("--buffer 0.2bdp,1bdp --format csv {more}")));
    let said = err(&print(""));
    let [first, second] = ["1 of 2: buffer 0.2bdp", "2 of 2: buffer 1bdp"].map(|l| said.find(l));
    assert!(first.is_some() && first < second, "{said}");
    let quiet = print("--quiet");
    assert_eq!(err(&quiet), "");
    assert_eq!(out(&quiet).lines().count(), 5);
}

/// The commands for the row to choose if the buffer is not known are those for the largest
/// buffer. `--for` prints the commands of its row for every buffer: sizes of sockets depend on it.
#[test]
fn the_commands_that_were_asked_for_are_printed_for_each_buffer() {
    let temp = TempDir::new().unwrap();
    let print = |more| ok(&run(temp.path(), &small(&format!("--buffer 0.2bdp,1bdp {more}"))));
    assert!(!print("").contains("Commands for"));
    let heads = |more| -> Vec<String> {
        let text = print(more);
        let heads = text.lines().filter(|line| line.starts_with("Commands for "));
        heads.map(|line| line.split(',').next().unwrap().to_owned()).collect()
    };
    let head = heads("--commands");
    assert!(head.len() == 1 && head[0].ends_with("a bottleneck buffer of 1bdp"), "{head:?}");
    let of = |buffer: &str| format!("Commands for 2 x reno with a bottleneck buffer of {buffer}");
    assert_eq!(heads("--for 2xreno"), [of("0.2bdp"), of("1bdp")]);
}

/// A folder of several buffers, looked at as a whole.
#[test]
fn a_folder_of_several_buffers_is_reported_and_queried_as_one() {
    let temp = TempDir::new().unwrap();
    ok(&run(temp.path(), &small("--buffer 0.2bdp,1bdp --out both")));
    let pages =
        ["both/buffer-0.2bdp/report.html", "both/buffer-1bdp/report.html", "both/report.html"];
    let read = || pages.map(|page| fs::read_to_string(temp.path().join(page)).unwrap());
    let first = read();
    pages.iter().for_each(|page| fs::remove_file(temp.path().join(page)).unwrap());
    let output = run(temp.path(), "report both");
    ok(&output);
    for page in pages {
        assert!(err(&output).contains(&format!("the report is {page}")), "{}", err(&output));
    }
    assert_eq!(read(), first);
    // the answer, and the table of each
    for part in [" if the buffer is not known", "Buffer 0.2bdp", "Buffer 1bdp"] {
        assert!(first[2].contains(part), "{part}");
    }
    // a figure is of one plan, and so is a page
    for more in [&["--figure", "takes", "--svg", "x.svg"][..], &["--out", "x.html"], &["--list"]] {
        let both = format!("{}: both holds 2 plans", more[0]);
        rejected(
            &run(temp.path(), &[&["report", "both"], more].concat()),
            &[&both, "both/buffer-0.2bdp, both/buffer-1bdp"],
        );
    }
    ok(&run(temp.path(), "report both/buffer-1bdp --list"));
}

/// Folders are looked at before anything is simulated.
#[test]
fn a_folder_that_cannot_take_the_plans_is_refused_at_once() {
    let temp = TempDir::new().unwrap();
    let refused = |args: &str, words: &[&str]| {
        rejected(&run(temp.path(), args), &[words, &["help:"]].concat());
    };
    ok(&run(temp.path(), &small("--buffer 1bdp --out one")));
    let both = |out| small(&format!("--buffer 0.2bdp,1bdp --out {out}"));
    refused(&both("one"), &["one", "holds a plan", "another folder"]);
    assert!(!temp.path().join("one/buffer-0.2bdp").exists());
    ok(&run(temp.path(), &both("both")));
    let alone = small("--buffer 1bdp --out both");
    refused(&alone, &["both", "holds plans with several buffers", "both/buffer-1bdp"]);
    // another transfer: the second folder is in the way, not the first
    fs::remove_dir_all(temp.path().join("both/buffer-0.2bdp")).unwrap();
    let other = both("both").replace("10GB", "20GB");
    refused(&other, &["both/buffer-1bdp: another plan is in it", "remove"]);
    assert!(!temp.path().join("both/buffer-0.2bdp").exists());
}

/// Ctrl-C while the first of two buffers is simulated.
#[test]
fn ctrl_c_prints_the_buffers_that_were_begun_and_the_same_command_goes_on() {
    let temp = TempDir::new().unwrap();
    let args = small("--until 0.1% --buffer 0.2bdp,1bdp --out both");
    let journal = |buffer: &str| temp.path().join(format!("both/buffer-{buffer}/runs/1.jsonl"));
    let runs =
        |file: &Path| fs::read_to_string(file).unwrap_or_default().matches("{\"run\":").count();
    let interrupted = |format, more: usize| {
        let before = runs(&journal("0.2bdp"));
        let child = start(temp.path(), &format!("{args} --format {format}"));
        let give_up = Instant::now() + Duration::from_secs(120);
        while runs(&journal("0.2bdp")) < before + more {
            assert!(Instant::now() < give_up, "no run came in");
            sleep(Duration::from_millis(2));
        }
        signal(&child, "INT");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", err(&output));
        out(&output)
    };
    let both = json(&interrupted("json", 3));
    assert_eq!((&both["complete"], &both["good_with_all"]), (&false.into(), &Value::Null));
    assert_eq!(both["buffers"], serde_json::json!(["0.2bdp", "1bdp"]));
    assert_eq!(both["plans"].as_array().unwrap().len(), 1);
    assert_eq!(both["plans"][0]["complete"], false);
    let there = fs::read_to_string(journal("0.2bdp")).unwrap();
    let csv = interrupted("csv", 2);
    assert!(csv.starts_with("buffer,rank,") && csv.lines().count() == 3, "{csv}");
    assert!(fs::read_to_string(journal("0.2bdp")).unwrap().starts_with(&there));
    assert!(!journal("1bdp").exists());
}

/// One Reno flow behind a fifth of the BDP or a whole one: a plan for each, in a folder of its
/// own.
#[test]
fn several_buffers_have_a_plan_each() {
    let temp = TempDir::new().unwrap();
    ok(&run(temp.path(), &small("--buffer 0.2bdp,1bdp --out both")));
    for folder in ["both/buffer-0.2bdp", "both/buffer-1bdp"] {
        assert!(temp.path().join(folder).join("plan.json").is_file(), "{folder}");
    }
    for (more, word) in [
        ("0.2bdp,unlimited", "not the size of a buffer"),
        ("1bdp,", "a value is missing"),
        ("1bdp,1bdp", "twice"),
    ] {
        rejected(&run(temp.path(), &small(&format!("--buffer {more}"))), &[word]);
    }
}

#[test]
fn a_buffer_that_nobody_named_is_said_to_be_assumed() {
    let temp = TempDir::new().unwrap();
    let text = |more| ok(&run(temp.path(), &small(more)));
    assert!(text("").contains("buffer 1bdp (buffer assumed)"));
    assert!(!text("--buffer 1bdp").contains("assumed"));
}

/// Every command that is printed, pasted into a shell.
#[test]
fn each_hint_that_is_printed_can_be_pasted() {
    let temp = TempDir::new().unwrap();
    // all rows take too much: today's has a whole command on stderr, kept or not
    let unkind = small("--with 2xreno --max-harm 0 --buffer 0.2bdp,1bdp");
    for (out, folder) in [("", ""), (" --out both", " --out both/buffer-1bdp")] {
        let output = run(temp.path(), &format!("{unkind}{out}"));
        let said = err(&output);
        assert!(!ok(&output).contains("Commands for "));
        let typed = said.lines().find_map(|line| line.strip_prefix("next: ")).unwrap();
        let (_, typed) = typed.split_once(" plan ").unwrap();
        let typed = typed.split("  #").next().unwrap().trim();
        assert!(typed.contains(folder), "{typed}");
        let pasted = ok(&run(temp.path(), &format!("plan {typed}")));
        assert!(pasted.contains("Commands for "), "{pasted}");
    }
}
