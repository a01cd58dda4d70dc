//! `tusker plan` from outside.

use std::fs;

use tempfile::TempDir;

use super::{err, ok, out, run};

/// A plan of two rows that takes a moment.
const SMALL: &[&str] = &[
    "plan",
    "--size",
    "10GB",
    "--rate",
    "10mbit",
    "--rtt",
    "20ms",
    "--loss",
    "1e-3",
    "--laws",
    "reno",
    "--streams",
    "1,2",
    "--budget",
    "none",
];

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
        ("--laws", "hstpc", &["`hstpc`", "did you mean `hstcp`"]),
        ("--laws", "ghstcp:q=2", &["ghstcp:q=2"]),
        ("--laws", "ghstcp:z", &["`z`", "NAME:PARAM=NUMBER"]),
        ("--laws", "cubic,cubic", &["twice"]),
        ("--streams", "0", &["`0`", "1..32"]),
        ("--streams", "32..1", &["backwards"]),
        ("--streams", "many", &["`many`"]),
        ("--socket-buffer", "1kB", &["no room"]),
        ("--packet", "10B", &["576B"]),
        ("--until", "90%", &["`90%`", "5%"]),
        ("--budget", "0s", &["no time"]),
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
    let kept: Vec<&str> = SMALL.iter().copied().chain(["--out", "kept"]).collect();
    let first = ok(&run(temp.path(), &kept));
    let journal = temp.path().join("kept/runs/1.jsonl");
    let runs = fs::read_to_string(&journal).unwrap();
    assert!(runs.lines().count() > 4, "{runs}");
    assert_eq!(ok(&run(temp.path(), &kept)), first);
    assert_eq!(fs::read_to_string(&journal).unwrap(), runs, "nothing was run");
    // nor does it matter whether it is kept, or how many run at a time
    let alone: Vec<&str> = SMALL.iter().copied().chain(["--jobs", "1"]).collect();
    assert_eq!(ok(&run(temp.path(), &alone)), first);
    assert!(temp.path().join("kept/plan.json").is_file());
}

#[test]
fn a_plan_is_printed_for_people_and_for_machines() {
    let temp = TempDir::new().unwrap();
    let with = |format| SMALL.iter().copied().chain(["--format", format]).collect::<Vec<_>>();
    let csv = ok(&run(temp.path(), &with("csv")));
    let [head, first, second] = csv.lines().collect::<Vec<_>>()[..] else { panic!("{csv}") };
    assert_eq!(head.split(',').count(), first.split(',').count(), "{csv}");
    assert!(head.starts_with("rank,law,streams,socket_buffer_bytes,basis,took_s"), "{csv}");
    // 1e-3 lets one Reno flow have 1.22/sqrt(1e-3) = 39 segments per 20 ms: more than
    // the path carries; two are as fast or faster
    assert!(first.starts_with("1,reno,") && second.starts_with("2,reno,"), "{csv}");
    let json: serde_json::Value =
        serde_json::from_str(&ok(&run(temp.path(), &with("json")))).unwrap();
    assert_eq!(json["complete"], true);
    let row = &json["rows"][0];
    assert_eq!((&row["basis"], &row["extrapolated"]), (&"steady".into(), &true.into()));
    let lines = row["commands"].as_array().unwrap();
    let typed = |text: &str| lines.iter().any(|c| c["line"].as_str().unwrap().contains(text));
    assert!(typed("tcp_congestion_control=reno") && typed("iperf3 -c"), "{row}");
    let table = ok(&run(temp.path(), SMALL));
    let widest = table.lines().take(4).map(|line| line.chars().count()).max();
    assert!(widest.unwrap() <= 80, "{table}");
    assert!(table.contains("sysctl -w net.core.rmem_max="), "{table}");
}

#[test]
fn what_there_was_no_time_for_says_so() {
    let temp = TempDir::new().unwrap();
    let at = SMALL.iter().position(|word| *word == "none").unwrap();
    let mut args = SMALL.to_vec();
    args[at] = "1ns";
    args.extend(["--format", "json"]);
    let output = run(temp.path(), &args);
    let json: serde_json::Value = serde_json::from_str(&ok(&output)).unwrap();
    assert_eq!(json["complete"], false);
    for row in json["rows"].as_array().unwrap() {
        assert_eq!(row["basis"], "nothing", "{row}");
        assert!(row["note"].as_str().unwrap().contains("time was over"), "{row}");
    }
    assert!(err(&output).contains("--budget"), "{}", err(&output));
}
