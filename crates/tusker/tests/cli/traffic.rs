//! Connections that come and go: in tables, JSON, CSV, stored tables and the
//! page.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::{err, ok, out, run};

const SHORT: &str = r#"
profile = "ns2"
duration = "20s"
measure = { from = "2s" }

[dumbbell]
rate = "10Mbit"
delay = "10ms"
queue = "50pkt"
access = { rate = "100Mbit", delay = "1ms" }

[[flows]]
name = "long"
cc = "reno"
recovery = "sack"

[[arrivals]]
name = "short"
cc = "reno"
recovery = "sack"
rate = 3
size = { list = ["4kB", "40kB"] }
connections = 2
stop = "15s"

[[web]]
name = "pages"
cc = "reno"
sessions = 2
servers = { count = 2, rate = "1Gbit" }
clients = { count = 2, rate = "1Gbit" }
page_interval = "500ms"
objects = 2
object_interval = "50ms"
object_size = "3kB"
"#;

#[test]
fn transfers_are_told_wherever_results_are() {
    let temp = TempDir::new().unwrap();
    fs::write(temp.path().join("short.toml"), SHORT).unwrap();
    let first = run(temp.path(), "run short.toml --out r --tables csv");
    ok(&first);
    // two connections beside a full queue are too few for three transfers a second
    assert!(err(&first).contains("of `short`: connections that had to wait"), "{}", err(&first));

    let text = fs::read_to_string(temp.path().join("r/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&text).unwrap();
    let transfers = summary["transfers"].as_array().unwrap();
    assert_eq!(transfers.len(), 2);
    assert_eq!((&transfers[0]["kind"], &transfers[1]["kind"]), (&"arrivals".into(), &"web".into()));
    let of = |t: usize, key: &str| transfers[t][key]["mean"].as_f64();
    let begun = of(0, "begun").unwrap();
    // 39 are expected in 13 s, with a deviation of 6
    assert!((20.0..60.0).contains(&begun), "{begun}");
    assert_eq!(of(0, "completed"), Some(1.0));
    assert!(of(0, "slowdown_p50").unwrap() > 1.0 && of(1, "slowdown_p50").is_none());
    assert_eq!(of(1, "size_mean_bytes"), Some(6000.0));

    // every row of the table is one of these, or began before the window
    let stored = fs::read_to_string(temp.path().join("r/replicates/0001/transfers.csv")).unwrap();
    let rows: Vec<Vec<&str>> = stored.lines().map(|line| line.split(',').collect()).collect();
    let head = rows[0].join(",");
    assert_eq!(
        head,
        "replicate,seed,group,begin_s,end_s,time_s,bytes,objects,waited,ideal_s,slowdown"
    );
    let within = |row: &&Vec<&str>| row[2] == "short" && row[3].parse::<f64>().unwrap() >= 2.0;
    let times: Vec<f64> = rows[1..].iter().filter(within).map(|r| r[5].parse().unwrap()).collect();
    assert_eq!(times.len() as f64, begun);
    let mean = times.iter().sum::<f64>() / begun;
    assert!((mean / of(0, "time_mean_s").unwrap() - 1.0).abs() < 1e-9, "{mean}");
    let flows = fs::read_to_string(temp.path().join("r/replicates/0001/flows.csv")).unwrap();
    assert_eq!(flows.lines().count(), 2, "no slot is a flow:\n{flows}");

    let page = fs::read_to_string(temp.path().join("r/report.html")).unwrap();
    for word in ["completion-cdf", "Transfers and pages", "connections that had to wait"] {
        assert!(page.contains(word), "{word}");
    }
    ok(&run(temp.path(), "report r --figure completion-cdf --svg c.svg"));
    assert!(fs::read_to_string(temp.path().join("c.svg")).unwrap().contains("pages"));

    let csv = ok(&run(temp.path(), "run short.toml --no-save -q --format csv"));
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = rows[0].iter().position(|name| *name == "transfers_begun").unwrap();
    assert_eq!(rows[1][column], "");
    assert_eq!(rows[2][column].parse::<f64>().unwrap(), begun);
    // a flow's own row is as it was
    assert_eq!((rows[1][1], rows[2][1], rows[3][1]), ("long", "short", "pages"));
}

#[test]
fn what_was_expanded_gives_the_same_transfers() {
    let temp = TempDir::new().unwrap();
    let text = SHORT.replace("rate = 3\n", "load = 0.2\n").replace("connections = 2\n", "");
    fs::write(temp.path().join("short.toml"), text).unwrap();
    let expanded = ok(&run(temp.path(), "check short.toml --expand"));
    for line in ["[[arrivals]]", "connections = 100", "handshake = true", "[[web]]", "rate = 11."] {
        assert!(expanded.contains(line), "{line} is not in\n{expanded}");
    }
    fs::write(temp.path().join("full.toml"), expanded).unwrap();
    let json = |file: &str| -> Value {
        let output = run(temp.path(), &["run", file, "--no-save", "-q", "--format", "json"]);
        serde_json::from_str(&ok(&output)).unwrap()
    };
    let (short, full) = (json("short.toml"), json("full.toml"));
    assert_eq!(short["transfers"], full["transfers"]);
    assert_eq!(short["groups"], full["groups"]);
    for name in ["arrivals", "web", "parallel", "vbr"] {
        let page = run(temp.path(), &["explain", name]);
        assert!(ok(&page).contains("a kind of traffic"), "{}", out(&page));
    }
}

/// Only transfers use the queue, which marks; all of them end before the run does, so each
/// packet that the queue marked arrives. Without ECN there is no mark, and no column for it.
#[test]
fn marks_of_transfers_are_told_wherever_results_are() {
    let temp = TempDir::new().unwrap();
    let scenario = |ecn: bool| {
        format!(
            "profile = 'linux'\nduration = '20s'\nmeasure = {{ from = '0s' }}\n\
             [dumbbell]\nrate = '10Mbit'\ndelay = '10ms'\n\
             queue = {{ policy = 'step', k = 5, limit = '1000pkt', ecn = {ecn} }}\n\
             access = {{ rate = '1Gbit', delay = '1ms' }}\n\
             [[arrivals]]\nname = 'short'\ncc = 'reno'\nload = 0.5\nsize = '200kB'\n\
             stop = '10s'\ntcp.ecn = {ecn}\n"
        )
    };
    for ecn in [true, false] {
        let name = format!("ecn-{ecn}");
        fs::write(temp.path().join(format!("{name}.toml")), scenario(ecn)).unwrap();
        let file = format!("{name}.toml");
        let args = ["run", &file, "--out", &name, "--tables", "csv", "--format", "csv"];
        let csv = ok(&run(temp.path(), &args));
        let text = fs::read_to_string(temp.path().join(&name).join("summary.json")).unwrap();
        let json: Value = serde_json::from_str(&text).unwrap();
        let group = &json["groups"][0];
        let links = json["links"].as_array().unwrap().iter();
        let queued: f64 = links.map(|link| link["marked"]["mean"].as_f64().unwrap()).sum();
        assert_eq!(json["transfers"][0]["completed"]["mean"], 1.0);
        assert_eq!(group["marked"]["mean"].as_f64(), Some(queued));
        assert_eq!(queued > 0.0, ecn, "{queued}");
        let [head, row] = csv.lines().collect::<Vec<_>>()[..] else { panic!("{csv}") };
        let mut columns = head.split(',').zip(row.split(','));
        let marked = columns.find(|(name, _)| *name == "marked").unwrap().1;
        assert_eq!(marked.parse(), Ok(queued), "{csv}");
        let undone = columns.find(|(name, _)| *name == "undone").unwrap().1;
        assert_eq!(undone.parse().ok(), group["undone"]["mean"].as_f64(), "{csv}");
        let page = fs::read_to_string(temp.path().join(&name).join("report.html")).unwrap();
        let groups = page.split("Flow groups").nth(2).or(page.split("Flow groups").nth(1));
        let table = groups.unwrap().split("</table>").next().unwrap();
        assert_eq!(table.contains(">marked<"), ecn, "{table}");
    }
}
