//! What a law reports about its connections is what happened to them.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::command::Background;
use crate::support::flow::Flow;
use crate::support::law::{Loaded, fails, tusker};
use crate::support::net::{Bottleneck, Net};
use crate::support::rights::rights;
use crate::support::until;

/// 50 segments fit into the queue, so a window of some hundred has losses.
const BOTTLENECK: Bottleneck = Bottleneck { rate: 100e6, queue: 75_700 };

/// The lines of a file of events.
fn lines(path: &std::path::Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

#[test]
fn events_tell_what_the_kernel_did() {
    if !rights("events tell what the kernel did") {
        return;
    }
    let loaded = Loaded::new("hstcp");
    let net = Net::new(BOTTLENECK);
    let temp = TempDir::new().expect("there is room");
    let file = temp.path().join("events");
    let mut command = tusker(&format!("watch {} --every 0s --events", loaded.name));
    let watch = command.arg(&file).stdout(std::process::Stdio::null()).spawn();
    let watch = Background(watch.expect("it was built with the tests"));
    until("the watch begins", || (!lines(&file).is_empty()).then_some(()));
    let mut flow = Flow::across(&net, &loaded.name);
    let bytes = 5_000_000;
    flow.send(bytes);
    flow.arrived();
    // on the way, and ever
    let retransmitted = flow.info()["retrans"].split('/').next_back().map(str::parse);
    let retransmitted: u64 = retransmitted.expect("two numbers").expect("two numbers");
    drop(flow);
    // it falls silent and ends in order
    drop(loaded);
    until("the watch ends", || {
        lines(&file).last().filter(|line| line["what"] == "end").map(|_| ())
    });
    drop(watch);
    let lines = lines(&file);
    assert_eq!(lines[0]["what"], "watch");
    let of = |what: &str| lines.iter().filter(|line| line["what"] == what).collect::<Vec<_>>();
    assert_eq!(of("open").len(), 1, "one connection took the law");
    assert!(!of("shrink").is_empty(), "a queue of 50 segments loses some");
    // every full segment has 1448 bytes of payload; the last one may be shorter, and the
    // SYN counts as one
    let last = of("ack").last().copied().expect("there were ACKs");
    let segments = (bytes as u64).div_ceil(1448);
    let delivered = last["delivered"].as_u64().expect("a count");
    assert!((segments..=segments + 20).contains(&delivered), "{delivered} of {segments}");
    // segments considered lost were retransmitted, except those that arrived late after all
    let lost = last["lost"].as_u64().expect("a count");
    assert!(lost > 0 && lost.abs_diff(retransmitted) <= 2, "{lost} lost, {retransmitted} again");
    // no event is older than the one before
    let times: Vec<u64> = lines.iter().filter_map(|line| line["time_us"].as_u64()).collect();
    assert!(times.is_sorted());
}

#[test]
fn a_watch_that_cannot_be_says_why() {
    if !rights("a watch that cannot be says why") {
        return;
    }
    let said = fails(&mut tusker("watch no_such_law"), 2);
    assert!(said.contains("no congestion control of Tusker called no_such_law"), "{said}");
    let loaded = Loaded::new("scalable");
    let temp = TempDir::new().expect("there is room");
    let file = temp.path().join("taken");
    fs::write(&file, "mine").expect("there is room");
    let mut command = tusker(&format!("watch {} --events", loaded.name));
    let said = fails(command.arg(&file), 2);
    assert!(said.contains("already exists"), "{said}");
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "mine");
}

#[test]
fn a_law_is_proved_in_the_running_kernel() {
    if !rights("a law is proved in the running kernel") {
        return;
    }
    // it takes its 17 s; the other laws are proved on request
    let proved = tusker("prove ghstcp-refined --steps 1000 --json").output();
    let proved = proved.expect("it was built with the tests");
    let found: Value = serde_json::from_slice(&proved.stdout).expect("a line of JSON");
    assert!(proved.status.success(), "{found:#}");
    let live = &found["live"];
    assert_eq!(live["holds"], true, "{found:#}");
    let count = |key: &str| live[key].as_u64().expect("a count");
    assert!(count("windows") > 1_000 && count("losses") > 0, "{found:#}");
    assert!(count("timeouts") + count("undone") > 0, "{found:#}");
}
