//! Files of other tools.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use super::{err, ok, out, run, run_with_input};

/// 625 MB in 30 s are 166.7 Mbit/s, with 3.1 MB in flight; the send buffer held it up.
const SS: &str = "ESTAB 0 4194304 10.0.1.29:42314 10.0.1.37:5201
\t cubic wscale:7,7 rto:220 rtt:15.02/0.1 mss:1448 cwnd:430 ssthresh:290 \
bytes_acked:62500000 busy:30000ms sndbuf_limited:28500ms(95.0%) retrans:0/0 minrtt:15.0
";

#[test]
fn a_line_of_ss_is_diagnosed() {
    let words = ["diagnose", "-", "--rate", "100mbit"];
    let told = run_with_input(Path::new("."), &words, SS.as_bytes());
    let text = ok(&told);
    assert!(text.starts_with("Likely: a send buffer"), "{text}");
    assert!(text.contains("tcp_wmem") && text.contains("held up 95 % of the time"), "{text}");
    assert!(err(&told).contains("next:") && err(&told).contains("plan --size"), "{}", err(&told));
    let json = [&words[..], &["--format", "json", "--quiet"]].concat();
    let told = run_with_input(Path::new("."), &json, SS.as_bytes());
    let json: Value = serde_json::from_str(&ok(&told)).unwrap();
    assert_eq!(json["causes"][0]["cause"], "send_buffer");
    assert_eq!(json["causes"][0]["verdict"], "likely");
    let csv = [&words[..], &["--format", "csv", "--quiet"]].concat();
    let told = out(&run_with_input(Path::new("."), &csv, SS.as_bytes()));
    assert!(told.starts_with("cause,needs,simulated") && told.lines().count() == 10, "{told}");
}

/// Public reports whose cause was found: it is among the explanations, and the first line is
/// short.
#[test]
fn causes_of_public_reports_are_found() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/field/diagnose.json");
    let cases: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    for case in cases.as_array().unwrap() {
        let options = case["options"].as_object().unwrap();
        let options = options.iter().map(|(key, own)| format!("--{key}={}", own.as_str().unwrap()));
        let words: Vec<String> = std::iter::once("diagnose".to_owned()).chain(options).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let text = ok(&run(Path::new("."), &words));
        let first = text.lines().next().unwrap();
        assert!(first.len() <= 90 && first.contains(|c: char| c.is_ascii_digit()), "{first}");
        let cause = case["cause"].as_str().unwrap();
        let row = text.lines().find(|line| line.starts_with(&format!("{cause}  ")));
        let row = row.unwrap_or_else(|| panic!("{text}"));
        assert!(row.contains("likely  ") || row.contains("possible"), "{text}");
        assert!(!row.contains("unlikely"), "{text}");
    }
}

/// Two connections in lines of ss; and a page with the curves.
#[test]
fn a_connection_is_chosen_and_drawn() {
    let temp = TempDir::new().unwrap();
    let other =
        SS.replace("42314", "40000").replace("bytes_acked:62500000", "bytes_acked:31250000");
    fs::write(temp.path().join("ss.txt"), format!("{SS}{other}")).unwrap();
    let words = ["diagnose", "ss.txt", "--rate", "100mbit", "--out", "d.html", "--flow", ":40000"];
    // 31.25 MB in 30 s
    let text = ok(&run(temp.path(), &words));
    assert!(text.contains("8.333 Mbit/s is"), "{text}");
    let page = fs::read_to_string(temp.path().join("d.html")).unwrap();
    assert!(page.contains("Over time") && page.contains("send buffer"), "no curve");
    let none = ["diagnose", "ss.txt", "--rate", "100mbit", "--flow", "x"];
    super::rejected(&run(temp.path(), &none), &["no connection `x`", "1 10.0.1.29:42314>"]);
}

#[test]
fn a_file_that_is_no_measurement_is_named() {
    let temp = TempDir::new().unwrap();
    fs::write(temp.path().join("a.toml"), super::SMALL).unwrap();
    for (words, messages) in [
        (&["diagnose", "a.toml", "--rate", "1gbit"][..], ["seems to be a scenario", "tusker run"]),
        (&["diagnose", "none", "--rate", "1gbit"], ["cannot read none", "help:"]),
        (&["diagnose", "--rate", "1gbit"], ["--measured is missing", "help:"]),
    ] {
        super::rejected(&run(temp.path(), words), &messages);
    }
}

#[test]
fn an_imported_scenario_is_one_that_runs() {
    let temp = TempDir::new().unwrap();
    let line = "tc qdisc add dev eth0 root netem delay 20ms 2ms loss 1% rate 5mbit";
    let told = run(temp.path(), &["import", line]);
    let toml = ok(&told);
    assert!(toml.contains("rate = \"5Mbit\"") && toml.contains("loss = 0.01"), "{toml}");
    assert!(err(&told).contains("note:") && err(&told).contains("GSO"), "{}", err(&told));
    let words = ["run", "-", "--no-save", "--set", "duration=4s", "--format", "csv", "--quiet"];
    ok(&run_with_input(temp.path(), &words, toml.as_bytes()));
    fs::write(temp.path().join("5g.csv"), "time,downlink_mbps\n0,8\n2,4\n").unwrap();
    let toml = ok(&run(temp.path(), "import 5g.csv --quiet"));
    ok(&run_with_input(temp.path(), &words, toml.as_bytes()));
    // the same file in a scenario, where the mean of two rates is 6 Mbit/s
    let own = super::SMALL.replace("rate = \"10Mbit\"", "rate = { trace = \"5g.csv\" }");
    fs::write(temp.path().join("a.toml"), own).unwrap();
    let csv = ok(&run(temp.path(), "run a.toml --no-save --format csv --quiet"));
    assert!(csv.lines().count() > 1, "{csv}");
    super::rejected(&run(temp.path(), &["import", "tc qdisc add dev a root warp"]), &["`warp`"]);
}

/// Options that would change nothing.
#[test]
fn commands_have_no_columns_and_traces_no_uplink() {
    let temp = TempDir::new().unwrap();
    fs::write(temp.path().join("5g.csv"), "time,downlink_mbps\n0,8\n2,4\n").unwrap();
    let tc = "tc qdisc add dev eth0 root netem delay 20ms rate 5mbit";
    for (words, message) in [
        (&["import", tc, "--time", "1"][..], "--time: a command has no columns"),
        (&["import", "mm-delay 10", "--value", "2"], "--value: a command has no columns"),
        (&["import", tc, "--rows", "run=1"], "--rows: a command has no columns"),
        (&["import", tc, "--upload"], "has no uplink"),
        (&["import", "mm-delay 10", "--upload"], "has no uplink"),
        (&["import", "5g.csv", "--upload"], "--upload: 5g.csv is a trace, of one direction"),
    ] {
        super::rejected(&run(temp.path(), words), &[message, "help: leave it out"]);
    }
    ok(&run(temp.path(), &["import", "mm-loss uplink 0.1", "--upload"]));
}

#[test]
fn a_report_draws_what_was_measured() {
    let temp = super::small();
    ok(&run(temp.path(), "run small.toml --quiet --out r"));
    let flent = r#"{"x_values": [0, 1, 2, 3], "results": {"TCP upload": [4, 5, 6, 7]}}"#;
    fs::write(temp.path().join("a.flent"), flent).unwrap();
    ok(&run(temp.path(), "report r --with a.flent --out a.html"));
    let page = fs::read_to_string(temp.path().join("a.html")).unwrap();
    assert!(page.contains("a.flent (measured)") && page.contains("5.500 Mbit/s"), "no curve");
    let data = "report r --with a.flent --figure time.goodput --data d.csv";
    ok(&run(temp.path(), data));
    let data = fs::read_to_string(temp.path().join("d.csv")).unwrap();
    assert!(data.lines().next().unwrap().contains("a.flent (measured)"), "{data}");
    let none = "report r --with small.toml --out b.html";
    super::rejected(&run(temp.path(), none), &["seems to be a scenario"]);
}
