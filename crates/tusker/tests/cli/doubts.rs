//! A doubt about results stands wherever the results stand, and what it advises helps.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::{Words, err, ok, run};

/// The doubts about the first result of a comparison: kind and advised duration.
fn doubts(dir: &Path, args: &[&str]) -> Vec<(String, Option<f64>)> {
    let output = run(dir, &[args, &["--format", "json", "--quiet"]].concat());
    let all: Value = serde_json::from_str(&ok(&output)).unwrap();
    let doubts = all[0]["doubts"].as_array().cloned().unwrap_or_default();
    let told =
        |doubt: &Value| (doubt["kind"].as_str().unwrap().to_owned(), doubt["duration_s"].as_f64());
    doubts.iter().map(told).collect()
}

/// 64 KiB on 95.7 ms are 44 segments of 1460 bytes in a round trip: 44 x 1500 x 8 / 0.0957 =
/// 5.52 Mbit/s, of a link of 1 Gbit/s, which never loses a packet.
#[test]
fn a_flow_that_its_window_limits_is_called_so() {
    let dir = TempDir::new().unwrap();
    let args = "compare --rate 1gbit --rtt 95.7ms --cc cubic-linux --duration 20s".words();
    for (key, other) in [("tcp.receive_buffer", "tcp.send_buffer"), ("tcp.send_buffer", "receive")]
    {
        let set = format!("{key}=64KiB");
        let args = [&args[..], &["--set", &set]].concat();
        let said = err(&run(dir.path(), &args));
        assert!(said.contains(&format!("limited by {key} = 65536B")), "{said}");
        // 1 Gbit/s x 95.7 ms / 8 = 11,962,500 bytes, and what a transmission takes
        assert!(said.contains("the path holds 1196"), "{said}");
        assert!(!said.contains("Use ") && !said.contains("too few"), "{said}");
        assert!(!said.contains("stock-linux"), "{said}");
        assert!(!said.contains(other), "{said}");
        assert_eq!(doubts(dir.path(), &args), [("window-limited".to_owned(), None)]);
    }
    // nothing limits the windows: what those of stock hosts would get is said. 2,796,202 bytes in
    // 95.7 ms are 234 Mbit/s, of 963 Mbit/s of data
    let said = err(&run(dir.path(), &args));
    assert!(said.contains("at most 233.7 Mbit/s here, 24 % of"), "{said}");
    let stock = [&args[..], &["--set", "hosts=stock-linux"]].concat();
    let said = err(&run(dir.path(), &stock));
    assert!(said.contains("limited by tcp.send_buffer = 2796202B"), "{said}");
    assert!(!said.contains("a longer --duration"), "{said}");
    let receiver = [&args[..], &["--set", "tcp.rmem=2MiB"]].concat();
    let said = err(&run(dir.path(), &receiver));
    assert!(said.contains("limited by tcp.rmem = 2097152B (1048576B of data)"), "{said}");
    // a buffer that is far larger than the window is no limit
    let short = [&args[..4], &["100ms", "--cc", "reno", "--duration", "2s"]].concat();
    let short = [&short[..], &["--set", "tcp.receive_buffer=1GB"]].concat();
    assert_eq!(doubts(dir.path(), &short)[0].0, "few-episodes");
}

/// With a queue of 0.5 BDP, W = 50 segments and 25 round trips of 25 ms are 0.6 s. With 20 BDP it
/// is 700, and 350 round trips of 220 ms are 77 s.
#[test]
fn a_doubt_goes_where_the_data_goes() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    let path = ["sweep", "--rate", "20mbit", "--rtt", "20ms"];
    let over = ["--over", "cc=reno", "--over", "dumbbell.queue=0.5bdp,20bdp", "--duration", "20s"];
    let args = [&path[..], &over, &["--tables", "csv", "--out", "s", "--quiet"]].concat();
    let output = run(dir.path(), &args);
    assert!(err(&output).contains("fewer than 3 congestion"), "{}", err(&output));
    ok(&output);
    let json: Value = serde_json::from_str(&at("s/sweep.json")).unwrap();
    let few: Vec<bool> =
        json["points"].as_array().unwrap().iter().map(|p| !p["doubts"].is_null()).collect();
    assert_eq!(few, [false, true], "{json}");
    let doubtful = few.iter().filter(|few| **few).count();
    let csv = ok(&run(dir.path(), &[&args[..args.len() - 1], &["--format", "csv"]].concat()));
    assert!(csv.lines().next().unwrap().contains(",replicates,doubts,"), "{csv}");
    assert_eq!(csv.matches(",few-episodes,").count(), doubtful, "{csv}");
    let runs = at("s/runs.csv");
    assert!(runs.lines().next().unwrap().contains(",doubts,"), "{runs}");
    assert_eq!(runs.matches(",few-episodes,").count(), doubtful, "{runs}");
    let page = at("s/report.html");
    let sentence = format!("fewer than 3 congestion episodes per flow at {doubtful} of 2 points");
    assert!(page.contains(&sentence) && page.contains("few-episodes"), "no doubt on the page");
    let figure = ["report", "s", "--figure", "utilisation-dumbbell-queue"];
    let files = ["--svg", "f.svg", "--data", "f.csv", "--caption", "f.txt"];
    ok(&run(dir.path(), &[&figure[..], &files].concat()));
    assert!(at("f.txt").contains(&format!("Hollow: {sentence}")), "{}", at("f.txt"));
    assert_eq!(at("f.csv").matches(",few-episodes").count(), doubtful);
    // a disc is drawn as a ring
    let drawn = at("f.svg");
    let marks: Vec<&str> = drawn.split("<circle ").skip(1).collect();
    let rings = marks.iter().filter(|mark| mark.contains("fill=\"none\"")).count();
    assert_eq!((marks.len(), rings), (2, 1));
}

/// The runs of one folder: its summary, its page and its CSV.
#[test]
fn a_run_has_its_doubts_too() {
    let dir = TempDir::new().unwrap();
    let text = "profile = 'linux'\nduration = '10s'\n[dumbbell]\nrate = '100Mbit'\ndelay = '100ms'\nqueue = '1bdp'\n\
                access = { rate = '1Gbit', delay = '0s' }\n[[flows]]\nname = 'f'\ncc = 'reno'\n";
    fs::write(dir.path().join("s.toml"), text).unwrap();
    let output = run(dir.path(), "run s.toml --out o --format csv");
    assert!(ok(&output).contains(",few-episodes"), "{}", ok(&output));
    assert!(err(&output).contains("note: f: fewer than 3 congestion"), "{}", err(&output));
    let summary = fs::read_to_string(dir.path().join("o/summary.json")).unwrap();
    assert!(summary.contains("\"kind\": \"few-episodes\""), "{summary}");
    let page = fs::read_to_string(dir.path().join("o/report.html")).unwrap();
    assert!(page.contains("too few for a long-term mean"));
}
