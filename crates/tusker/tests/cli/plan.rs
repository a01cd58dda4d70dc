//! `tusker plan` from outside.

use std::fs;
use std::path::Path;
use std::process::Output;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use tusker_store::folder::{Change, Kind};

use super::{err, json, noted, ok, out, read, rejected, run, signal, start};

/// A plan of two rows that takes a moment.
pub(super) const SMALL: &str = "plan --size 10GB --rate 10mbit --rtt 20ms --loss 1e-3 --cc reno \
                                --streams 1,2 --today reno --budget none";

#[test]
fn bad_input_names_the_option_and_the_remedy() {
    let temp = TempDir::new().unwrap();
    let good = [("--size", "1GB"), ("--rate", "10mbit"), ("--rtt", "20ms")];
    for (flag, value, words) in [
        ("--size", "0B", &["nothing to move"][..]),
        ("--size", "200", &["no unit", "200MB"]),
        ("--size", "200Tbit", &["unknown unit", "Tbit"]),
        ("--rate", "10", &["no unit", "10Gbit"]),
        ("--rate", "0mbit", &["rate of zero"]),
        ("--rtt", "20", &["no unit", "20ms"]),
        ("--rtt", "0s", &["too short", "1us"]),
        ("--rtt", "-20ms", &["negative"]),
        ("--loss", "1.5", &["`1.5`", "1e-6"]),
        ("--loss", "few", &["`few`", "1e-6"]),
        ("--buffer", "0pkt", &["zero"]),
        ("--buffer", "unlimited", &["`unlimited`", "2MB"]),
        ("--with", "0xcubic", &["`0`", "4xcubic"]),
        ("--with", "4xcubik", &["`cubik`", "did you mean `cubic`"]),
        ("--cc", "hstpc", &["`hstpc`", "did you mean `hstcp`"]),
        ("--cc", "ghstcp:q=2", &["ghstcp:q=2"]),
        ("--cc", "ghstcp:z", &["`z`", "NAME:PARAM=NUMBER"]),
        ("--cc", "cubic,cubic", &["twice"]),
        ("--streams", "0", &["`0`", "1..32"]),
        ("--size", "200Tb", &["`Tb` may be bits", "200TB"]),
        ("--rate", "1bit", &["too slow to plan for", "1kbit"]),
        ("--socket-buffer", "enough,enough", &["given twice", "give each value once\n"]),
        ("--streams", "32..1", &["backwards"]),
        ("--streams", "many", &["`many`"]),
        ("--socket-buffer", "1kB", &["smaller than a packet"]),
        ("--packet", "10B", &["576B"]),
        ("--until", "90%", &["`90%`", "5%"]),
        ("--max-harm", "2", &["`2`", "0.3"]),
        ("--max-harm", "0.3", &["no other flows", "--with 4xcubic"]),
        ("--deadline", "12", &["no unit"]),
        ("--today", "0xcubic", &["`0`", "4xcubic"]),
        ("--today", "cubik", &["`cubik`", "did you mean `cubic`"]),
        ("--for", "4xghstcp:q=2", &["ghstcp:q=2"]),
        ("--row-packets", "few", &["`few`", "2e9"]),
        ("--budget", "0s", &["the time is zero"]),
        ("--budget", "soon", &["a time"]),
    ] {
        let others = good.iter().filter(|(own, _)| *own != flag);
        let mut args = vec!["plan"];
        args.extend(others.flat_map(|(flag, value)| [*flag, *value]));
        args.extend([flag, value]);
        let output = run(temp.path(), &args);
        let text = err(&output);
        assert_eq!(output.status.code(), Some(2), "{flag} {value}\n{text}");
        assert_eq!(text.matches('×').count(), 1, "{flag} {value}: not one error:\n{text}");
        for word in words.iter().chain(&[flag, "help:"]) {
            assert!(text.contains(word), "{flag} {value}: no {word:?} in\n{text}");
        }
        assert_eq!(out(&output), "");
    }
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0, "nothing is left");
}

#[test]
fn a_plan_that_is_made_again_takes_no_new_run_and_says_the_same() {
    let temp = TempDir::new().unwrap();
    let kept = format!("{SMALL} --out kept");
    let first = ok(&run(temp.path(), &kept));
    let journal = temp.path().join("kept/runs/1.jsonl");
    let runs = fs::read_to_string(&journal).unwrap();
    assert!(runs.lines().count() > 4, "{runs}");
    assert_eq!(ok(&run(temp.path(), &kept)), first);
    assert_eq!(fs::read_to_string(&journal).unwrap(), runs, "nothing was run");
    // nor does it matter whether it is kept, or how many run at a time
    assert_eq!(ok(&run(temp.path(), &format!("{SMALL} --jobs 1"))), first);
    assert!(temp.path().join("kept/plan.json").is_file());
}

#[test]
fn a_plan_is_printed_for_people_and_for_machines() {
    let temp = TempDir::new().unwrap();
    let with = |format| format!("{SMALL} --format {format}");
    let csv = ok(&run(temp.path(), &with("csv")));
    let [head, first, second] = csv.lines().collect::<Vec<_>>()[..] else { panic!("{csv}") };
    assert_eq!(head.split(',').count(), first.split(',').count(), "{csv}");
    assert!(head.starts_with("rank,cc,streams,socket_buffer_bytes,basis,took_s"), "{csv}");
    // 1e-3 lets one Reno flow have 1.22/sqrt(1e-3) = 39 segments per 20 ms: more than
    // the path carries; two are as fast or faster
    assert!(first.starts_with("1,reno,") && second.starts_with("2,reno,"), "{csv}");
    let json = json(&ok(&run(temp.path(), &with("json"))));
    assert_eq!(json["complete"], true);
    let row = &json["rows"][0];
    assert_eq!((&row["basis"], &row["extrapolated"]), (&"steady".into(), &true.into()));
    let lines = row["commands"].as_array().unwrap();
    let typed = |text: &str| lines.iter().any(|c| c["line"].as_str().unwrap().contains(text));
    assert!(typed("tcp_congestion_control=reno") && typed("iperf3 -c"), "{row}");
    let table = ok(&run(temp.path(), SMALL));
    let rows = table.lines().skip_while(|line| !line.trim_start().starts_with("cc "));
    let widest = rows.take(3).map(|line| line.chars().count()).max();
    assert!(widest.expect("it has a table") <= 80, "{table}");
    // the answer comes first, and what to type only if it is asked for
    assert!(table.starts_with("Use ") && table.lines().count() <= 30, "{table}");
    let settings = "sysctl -w net.core.rmem_max=";
    assert!(!table.contains(settings), "{table}");
    let commands = ok(&run(temp.path(), &format!("{SMALL} --commands")));
    assert!(commands.starts_with(&table) && commands.contains(settings), "{commands}");
    let explained = ok(&run(temp.path(), &format!("{SMALL} --explain")));
    assert!(explained.starts_with(&table) && explained.contains("How to read it"), "{explained}");
}

#[test]
fn what_there_was_no_time_for_says_so() {
    let temp = TempDir::new().unwrap();
    let hurried = SMALL.replace("--budget none", "--budget 1ns");
    let output = run(temp.path(), &format!("{hurried} --format json"));
    let json = json(&ok(&output));
    assert_eq!(json["complete"], false);
    for row in json["rows"].as_array().unwrap() {
        assert_eq!(row["basis"], "nothing", "{row}");
        assert!(row["note"].as_str().unwrap().contains("the budget ran out"), "{row}");
    }
    assert!(err(&output).contains("--budget"), "{}", err(&output));
}

/// The report and the table of a folder are what the plan printed.
#[test]
fn a_stored_plan_has_a_page_and_a_table() {
    let temp = TempDir::new().unwrap();
    let kept = format!("{SMALL} --out kept");
    ok(&run(temp.path(), &kept));
    let page = temp.path().join("kept/report.html");
    let first = fs::read_to_string(&page).unwrap();
    fs::remove_file(&page).unwrap();
    noted(&run(temp.path(), "report kept"), &["the report is kept/report.html"]);
    assert_eq!(fs::read_to_string(&page).unwrap(), first);
    rejected(&run(temp.path(), "report kept --replicate 1"), &["leave it out"]);
    let mut change = Change::begin(&temp.path().join("kept"), Kind::Plan).unwrap();
    change.put("plan.json", b"{ \"format\": 99 }").unwrap();
    change.commit().unwrap();
    rejected(&run(temp.path(), "report kept"), &["kept/plan.json cannot be read"]);
}

/// Both write runs, and a page: one folder is of one of them.
#[test]
fn a_plan_and_a_sweep_keep_out_of_each_others_folders() {
    let temp = TempDir::new().unwrap();
    fs::write(temp.path().join("small.toml"), super::SMALL).unwrap();
    let sweep = |out| format!("sweep small.toml --over cc=reno --quiet --out {out}");
    let plan = |out| format!("{SMALL} --quiet --out {out}");
    ok(&run(temp.path(), &sweep("s")));
    ok(&run(temp.path(), &plan("p")));
    for (words, what) in [(plan("s"), "a sweep"), (sweep("p"), "a plan")] {
        rejected(&run(temp.path(), &words), &[&format!("holds {what}"), "help:"]);
    }
    rejected(&run(temp.path(), "report p s"), &["p is a plan and s is a sweep"]);
}

/// One that goes on for a minute at least, in runs that take a moment.
const LONG: &str = "plan --size 10TB --rate 10mbit --rtt 20ms --loss 1e-3 --cc reno,cubic \
                    --streams 1 --today reno --until 0.1% --budget none --format csv --out long";

/// The keys of the runs that a journal has, whole lines alone.
fn keys(journal: &Path) -> Vec<String> {
    let text = fs::read_to_string(journal).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let key = |line: &str| line.strip_prefix("{\"run\":\"").map(|rest| rest[..32].to_owned());
    whole.lines().filter_map(key).collect()
}

/// Begins the long plan, and ends it by Ctrl-C when it has so many runs.
fn interrupted(dir: &Path, runs: usize) -> Output {
    let child = start(dir, LONG);
    let give_up = Instant::now() + Duration::from_secs(120);
    while keys(&dir.join("long/runs/1.jsonl")).len() < runs {
        assert!(Instant::now() < give_up, "no run came in");
        sleep(Duration::from_millis(5));
    }
    signal(&child, "INT");
    child.wait_with_output().unwrap()
}

#[test]
fn ctrl_c_prints_what_is_known_and_keeps_every_run() {
    let temp = TempDir::new().unwrap();
    let output = interrupted(temp.path(), 3);
    assert_eq!(output.status.code(), Some(130), "{}", err(&output));
    let csv = out(&output);
    assert!(csv.starts_with("rank,cc,") && csv.lines().count() == 3, "{csv}");
    let plan = json(&read(temp.path().join("long/plan.json")));
    assert_eq!(plan["complete"], false);
    assert_eq!(plan["rows"].as_array().unwrap().len(), 2);
    assert!(temp.path().join("long/report.html").is_file());
    // the same command goes on: no run that is there is done again
    let before = keys(&temp.path().join("long/runs/1.jsonl"));
    let output = interrupted(temp.path(), before.len() + 2);
    assert_eq!(output.status.code(), Some(130), "{}", err(&output));
    let mut all = keys(&temp.path().join("long/runs/1.jsonl"));
    assert_eq!(all[..before.len()], before);
    let runs = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), runs, "a run was done twice");
}

/// It would go on for minutes: three runs of the long plan are far from what it asks for.
#[test]
fn commands_for_a_row_of_a_stored_plan_need_no_run() {
    let temp = TempDir::new().unwrap();
    interrupted(temp.path(), 3);
    let journal = temp.path().join("long/runs/1.jsonl");
    let before = keys(&journal);
    let asked = LONG.replace(" --budget none --format csv", "");
    let output = run(temp.path(), &format!("{asked} --for 1xreno"));
    let told = ok(&output);
    assert!(told.contains("Commands for 1 x reno"), "{told}");
    assert!(err(&output).contains("nothing was simulated"), "{}", err(&output));
    assert_eq!(keys(&journal), before);
}

#[test]
fn one_that_was_stopped_leaves_the_whole_plan_that_is_there() {
    let temp = TempDir::new().unwrap();
    let kept = format!("{SMALL} --out kept");
    let printed = ok(&run(temp.path(), &kept));
    let rows = || {
        let plan = json(&read(temp.path().join("kept/plan.json")));
        (plan["rows"].clone(), plan["complete"].clone())
    };
    let whole = rows();
    let kept = kept.replace("--budget none", "--budget 1ns");
    let output = run(temp.path(), &kept);
    assert_eq!(ok(&output), printed);
    assert!(err(&output).contains("the plan that was there is part of it"), "{}", err(&output));
    assert_eq!(rows(), whole);
    // another size is another question
    let kept = kept.replace("10GB", "20GB");
    rejected(&run(temp.path(), &kept), &["another plan is in it: 10 GB over", "remove"]);
    assert_eq!(rows(), whole);
}

/// What runs today has a row of its own, whatever else was asked for, and so has what
/// `--for` names; with neither there is nothing to compare with.
#[test]
fn today_is_a_row() {
    let temp = TempDir::new().unwrap();
    let small = SMALL.replace("--today reno --budget none", "--budget 1ns --format json");
    let rows = |more: &str| {
        let json = json(&ok(&run(temp.path(), &format!("{small} {more}"))));
        let row = |row: &Value| format!("{}x{}", row["streams"], row["cc"]);
        json["rows"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(rows(""), ["1x\"cubic-linux\"", "1x\"reno\"", "2x\"reno\""]);
    assert_eq!(rows("--today none"), ["1x\"reno\"", "2x\"reno\""]);
    let named = rows("--today 2xreno --for 4xbbr1");
    assert_eq!(named, ["2x\"reno\"", "4x\"bbr1\"", "1x\"reno\""]);
}

/// Beside one Reno flow on a clean path: two flows of the transfer and one of the
/// others have 2/3 of the path, one and one have 1/2, so that the others lose about
/// 0.67 and 0.5 of the whole path that they had.
#[test]
fn harm_is_told_limited_and_warned_about() {
    let temp = TempDir::new().unwrap();
    let asked = "plan --size 10GB --rate 10mbit --rtt 20ms --cc reno --streams 1,2 --with reno \
                 --today reno --budget none";
    let plan = |more: &str| ok(&run(temp.path(), &format!("{asked} {more}")));
    let json = |more: &str| json(&plan(&format!("--format json {more}")));
    let kinds = |json: &Value, kind: &str| -> Vec<Value> {
        let all = json["facts"].as_array().unwrap().iter();
        all.filter(|fact| fact["kind"] == kind).cloned().collect()
    };
    let limited = json("--max-harm 0.6 --deadline 3h");
    assert_eq!(limited["recommended"], 2);
    let passed = kinds(&limited, "passed_over");
    assert_eq!((&passed[0]["because"], &passed[0]["rows"][0]), (&"harms".into(), &1.into()));
    let deadline = kinds(&limited, "deadline");
    assert_eq!((&deadline[0]["met"], &deadline[0]["fastest"]), (&0.into(), &1.into()));
    let table = plan("--for 2xreno");
    assert!(table.contains("Commands for 2 x reno"), "{table}");
    // two flows of three have 2/3 of the path, one of two has 1/2: 4/3 as fast
    let json = json("");
    // 10 GB x 1500/1448 over 10 Mbit/s: 8,287 s
    assert!((json["least_s"].as_f64().unwrap() - 8_287.0).abs() < 1.0);
    let speedup = json["rows"][0]["speedup"].as_f64().unwrap();
    assert!((speedup - 4.0 / 3.0).abs() < 0.1, "{speedup}");
    assert_eq!(json["rows"][1]["speedup"], 1.0);
    // first estimates have harm, too; what may be simulated is less than the shortest run
    let csv = plan("--row-packets 2e3 --format csv");
    let rows = csv.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    for (cells, expected) in rows.zip([2.0 / 3.0, 0.5]) {
        assert_eq!(cells[4], "unsettled", "{csv}");
        let harm: f64 = cells[13].parse().unwrap();
        assert!((harm - expected).abs() < 0.15, "{csv}");
    }
}

/// The page of a row that was asked for marks its commands.
#[test]
fn the_page_marks_the_row_that_was_asked_for() {
    let temp = TempDir::new().unwrap();
    ok(&run(temp.path(), &format!("{SMALL} --for 1xcubic --out kept")));
    let page = read(temp.path().join("kept/report.html"));
    assert!(page.contains("1 x cubic (asked for)"), "{page}");
}
