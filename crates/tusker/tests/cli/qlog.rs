//! `--qlog`: what senders report, checked against the drafts that define the format.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use super::traces::small;
use super::{err, ok, rejected, run};

/// The texts of a sequence (RFC 7464, section 2.2): each between a record separator and
/// a line feed.
fn texts(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).unwrap();
    let mut parts = text.split('\u{1e}');
    assert_eq!(parts.next(), Some(""), "a separator comes first");
    let one = |part: &str| {
        let json = part.strip_suffix('\n').expect("a line feed comes last");
        serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
    };
    parts.map(one).collect()
}

/// A name in a definition, whether it must be there, and what it may be.
type Field = (&'static str, bool, fn(&Value) -> bool);

/// Holds an object against a definition. No other names are allowed.
fn holds<'a>(what: &'a Value, definition: &[Field]) -> &'a Map<String, Value> {
    let object = what.as_object().unwrap_or_else(|| panic!("{what} is no object"));
    for (name, needed, fits) in definition {
        match object.get(*name) {
            Some(value) => assert!(fits(value), "{name} in {what}"),
            None => assert!(!needed, "no {name} in {what}"),
        }
    }
    let known: BTreeSet<&str> = definition.iter().map(|(name, ..)| *name).collect();
    assert!(object.keys().all(|name| known.contains(&**name)), "{what}");
    object
}

fn is_one_of(value: &Value, all: &[&str]) -> bool {
    value.as_str().is_some_and(|value| all.contains(&value))
}

/// `QlogFileSeq` of draft-ietf-quic-qlog-main-schema-03, section 6.2, with `TraceSeq`,
/// `CommonFields` and `VantagePoint`: as far as they are used here.
fn is_head(head: &Value) {
    let trace = &holds(
        head,
        &[
            ("qlog_format", true, |v| v == "JSON-SEQ"),
            ("qlog_version", true, |v| v == "0.3"),
            ("title", false, Value::is_string),
            ("description", false, Value::is_string),
            ("trace", true, Value::is_object),
        ],
    )["trace"];
    let fields = holds(
        trace,
        &[("common_fields", false, Value::is_object), ("vantage_point", false, Value::is_object)],
    );
    let is_texts = |v: &Value| {
        v.as_array().is_some_and(|all| !all.is_empty() && all.iter().all(Value::is_string))
    };
    let common: &[Field] = &[
        ("time_format", false, |v| is_one_of(v, &["absolute", "delta", "relative"])),
        ("reference_time", false, Value::is_number),
        ("protocol_type", false, is_texts),
    ];
    holds(&fields["common_fields"], common);
    let point: &[Field] = &[
        ("name", false, Value::is_string),
        ("type", true, |v| is_one_of(v, &["client", "server", "network", "unknown"])),
    ];
    holds(&fields["vantage_point"], point);
}

/// `RecoveryMetricsUpdated` of draft-ietf-quic-qlog-quic-events-03, section 5.2.
const METRICS: &[Field] = &[
    ("min_rtt", false, Value::is_number),
    ("smoothed_rtt", false, Value::is_number),
    ("latest_rtt", false, Value::is_number),
    ("rtt_variance", false, Value::is_number),
    ("pto_count", false, Value::is_u64),
    ("congestion_window", false, Value::is_u64),
    ("bytes_in_flight", false, Value::is_u64),
    ("ssthresh", false, Value::is_u64),
    ("packets_in_flight", false, Value::is_u64),
    ("pacing_rate", false, Value::is_u64),
];

/// `RecoveryPacketLost`, section 5.4, and `PacketHeader` as far as it is used.
const LOST: &[Field] = &[
    ("header", true, |header| {
        let header = holds(
            header,
            &[("packet_type", true, |v| v == "1RTT"), ("packet_number", true, Value::is_u64)],
        );
        !header.is_empty()
    }),
    ("trigger", true, |v| is_one_of(v, &["reordering_threshold", "time_threshold", "pto_expired"])),
];

/// Of each event, name and data; all of them as the drafts have them.
fn events(file: &Path) -> Vec<(f64, String, Value)> {
    let all = texts(file);
    is_head(&all[0]);
    let event = |event: &Value| {
        let fields: &[Field] = &[
            ("time", true, Value::is_number),
            ("name", true, Value::is_string),
            ("data", true, Value::is_object),
        ];
        let event = holds(event, fields);
        let name = event["name"].as_str().unwrap();
        match name {
            "recovery:metrics_updated" => holds(&event["data"], METRICS),
            "recovery:packet_lost" => holds(&event["data"], LOST),
            other => panic!("{other} is not known"),
        };
        (event["time"].as_f64().unwrap(), name.to_owned(), event["data"].clone())
    };
    let events: Vec<_> = all[1..].iter().map(event).collect();
    assert!(events.is_sorted_by_key(|event| event.0), "times go on");
    events
}

#[test]
fn it_keeps_to_its_schema_and_tells_of_what_was_lost() {
    // by the RFCs, not as ns-2's agents do, which send holes again without a word
    for (recovery, trigger) in [
        ("newreno", "reordering_threshold"),
        ("sack", "reordering_threshold"),
        ("rack", "time_threshold"),
    ] {
        let temp = small("");
        let here = temp.path();
        let set = format!("flows.0.recovery={recovery}");
        let args = ["run", "small.toml", "--set", &set, "--set", "flows.0.stop=3s"];
        let args = [&args[..], &["--set", "flows.0.tcp.ns2_details=false"]].concat();
        ok(&run(here, &[&args[..], &["--qlog", "a"]].concat()));
        let summary = fs::read_to_string(here.join("results/small/summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        let counted = |name: &str| summary["total"][name]["mean"].as_f64().unwrap();
        let (mut lost, mut after_timeouts) = (0, 0);
        for flow in ["a.0", "a.1"] {
            let events = events(&here.join(format!("results/small/captures/{flow}.sqlog")));
            // ns-2's window of one segment; no RTT yet. A packet of 1500 bytes has 40
            // of headers
            assert_eq!(events[0].2["congestion_window"], 1_460, "{recovery}");
            assert_eq!(events[0].2["bytes_in_flight"], 1_460, "{recovery}");
            // two links of 100 Mbit/s and one of 10 to the receiver and back: 1500 bytes
            // take 2 x 0.12 + 1.2 ms, 40 take 2 x 3.2 + 32 us, and the way is 2 x 12 ms
            let smallest = events.iter().filter_map(|event| event.2.get("min_rtt")).next_back();
            let smallest = smallest.and_then(Value::as_f64).unwrap();
            assert!((smallest - 25.4784).abs() < 1e-9, "{recovery}: {smallest}");
            let found = events.iter().filter(|event| event.1 == "recovery:packet_lost");
            for (_, _, data) in found {
                match data["trigger"].as_str().unwrap() {
                    "pto_expired" => after_timeouts += 1,
                    said => assert_eq!(said, trigger, "{recovery}"),
                }
                lost += 1;
            }
        }
        assert!(lost > 20, "{recovery}: {lost}");
        let timeouts = counted("timeouts");
        assert_eq!(after_timeouts > 0, timeouts > 0.0, "{recovery}");
        // each is sent again once it is found; without timeouts nothing else is
        if timeouts == 0.0 {
            assert_eq!(f64::from(lost), counted("retransmissions"), "{recovery}");
        } else {
            assert_eq!(recovery, "newreno");
        }
    }
}

#[test]
fn mistakes_are_told() {
    let temp = small("");
    let here = temp.path();
    for (args, message, help) in [
        (&["--qlog", "b"][..], "no flow b", "it has a.0, a.1"),
        (&["--qlog", "a=one.sqlog"], "2 flows for one file", "a file can hold one flow: a.0"),
        (&["--qlog", "a", "--qlog", "a.1"], "a.1 is given twice", "give each once"),
        (&["--qlog", "a.0", "--no-save"], "no results are stored", "--qlog 'a.0=a.0.sqlog'"),
        (&["--qlog", "a.0=small.toml"], "small.toml exists", "another file"),
    ] {
        rejected(&run(here, &[&["run", "small.toml"], args].concat()), &[message, help]);
    }
}

#[test]
#[cfg(all(target_os = "linux", feature = "testbed"))]
fn sockets_of_the_testbed_tell_of_themselves() {
    let temp = small("");
    let here = temp.path();
    let set = |value| ["--set", value];
    let linux = [set("profile=linux"), set("duration=2s")].concat();
    let with = |more: &[&str]| run(here, &[&["testbed", "small.toml"], &linux[..], more].concat());
    rejected(
        &with(&["--client", "iperf3", "--qlog", "a.0=a.sqlog"]),
        &["--qlog a.0", "--client iperf3"],
    );
    if !super::testbed::can_make_hosts("sockets_of_the_testbed_tell_of_themselves") {
        return;
    }
    super::testbed::left_alone("one of three is whole", || {
        let output = with(&["--qlog", "a", "--force", "--out", "real"]);
        // whether it is valid is another question
        assert!(matches!(output.status.code(), Some(0 | 1)), "{}", err(&output));
        let file = here.join("real/captures/a.0.sqlog");
        let events = fs::read(&file).is_ok().then(|| events(&file))?;
        assert!(events.iter().all(|event| event.1 == "recovery:metrics_updated"));
        let values = |name: &str| {
            let all = events.iter().filter_map(|event| event.2.get(name)).map(|v| v.as_f64());
            all.map(|value| value.expect("a number")).collect::<Vec<f64>>()
        };
        let windows = values("congestion_window");
        // a packet of 1500 bytes has 52 of headers with timestamps; Linux begins with ten
        assert!(windows.iter().all(|window| window % 1_448.0 == 0.0), "{windows:?}");
        assert!(windows.iter().any(|&window| window > 14_480.0), "{windows:?}");
        // twice 12 ms, and the wires: see above
        let smallest = values("min_rtt");
        assert!(!smallest.is_empty() && smallest.iter().all(|&rtt| rtt >= 24.0), "{smallest:?}");
        // 10 Mbit/s and 24 ms hold 21 packets, the queue 20
        let most = values("packets_in_flight").into_iter().fold(0.0, f64::max);
        assert!((10.0..=60.0).contains(&most), "{most}");
        Some(())
    });
}
