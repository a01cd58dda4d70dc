//! qlog of QUIC stacks (draft-ietf-quic-qlog-main-schema): one JSON document, or a sequence of
//! JSON texts, of which the events `packet_sent`, `packet_lost` and `metrics_updated` are read,
//! with or without the name of their category. Times and round trips are in milliseconds.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::measured::{Interval, Measured, Tool};
use crate::{Mistake, choose};

/// Parts of a file.
const PARTS: usize = 40;

/// Whether a document is qlog.
pub(crate) fn is(json: &Value) -> bool {
    json.get("qlog_version").is_some() || json.get("qlog_format").is_some()
}

/// Whether a text is a sequence of JSON texts of qlog.
pub(crate) fn is_sequence(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.contains("\"qlog_"))
}

pub(crate) fn of_document(
    name: &str,
    json: &Value,
    flow: Option<&str>,
) -> Result<Measured, Mistake> {
    let mut all = Connections::default();
    for (nth, trace) in json["traces"].as_array().into_iter().flatten().enumerate() {
        let events = trace["events"].as_array().into_iter().flatten();
        events.for_each(|event| all.take(nth, trace, event));
    }
    all.measured(name, flow)
}

pub(crate) fn of_sequence(name: &str, text: &str, flow: Option<&str>) -> Result<Measured, Mistake> {
    let texts = text.split(['\u{1e}', '\n']).map(str::trim).filter(|text| !text.is_empty());
    // the last one may be incomplete
    let records: Vec<Value> = texts.filter_map(|text| serde_json::from_str(text).ok()).collect();
    let trace = records.first().map_or(&Value::Null, |head| &head["trace"]);
    let mut all = Connections::default();
    records.iter().for_each(|event| all.take(0, trace, event));
    all.measured(name, flow)
}

/// The events of each connection, by its trace and group: several connections may be in a file,
/// and both ends of one.
#[derive(Default)]
struct Connections<'a> {
    places: BTreeMap<(usize, &'a str), usize>,
    all: Vec<(String, Vec<&'a Value>)>,
}

impl<'a> Connections<'a> {
    /// An event, if it is of those that are read.
    fn take(&mut self, nth: usize, trace: &'a Value, event: &'a Value) {
        if !READ.contains(&kind(event)) {
            return;
        }
        let common = &trace["common_fields"];
        let groups = [&event["group_id"], &common["group_id"], &common["ODCID"]];
        let group = groups.into_iter().find_map(Value::as_str).unwrap_or_default();
        let all = &mut self.all;
        let place = *self.places.entry((nth, group)).or_insert_with(|| {
            let title = trace["title"].as_str().unwrap_or("trace");
            let end = trace["vantage_point"]["type"].as_str().unwrap_or_default();
            let words = [title, end, group].into_iter().filter(|word| !word.is_empty());
            let words = words.collect::<Vec<_>>().join(" ");
            let label = words.chars().take(60).map(|c| if c.is_control() { '?' } else { c });
            all.push((label.collect(), Vec::new()));
            all.len() - 1
        });
        all[place].1.push(event);
    }

    fn measured(self, name: &str, flow: Option<&str>) -> Result<Measured, Mistake> {
        let labels: Vec<String> = self.all.iter().map(|(label, _)| label.clone()).collect();
        let chosen = match labels.len() {
            // whatever is asked for, nothing is there
            0 => return measured(name, std::iter::empty()),
            _ => choose::named(name, &labels, flow)?,
        };
        let own = measured(name, self.all[chosen].1.iter().copied())?;
        let connections = if labels.len() > 1 { labels.len() as u32 } else { 0 };
        Ok(Measured { connections, ..own })
    }
}

/// Events that are read.
const READ: [&str; 4] =
    ["packet_sent", "packet_lost", "metrics_updated", "recovery_metrics_updated"];

/// The name of an event without its category.
fn kind(event: &Value) -> &str {
    let name = event["name"].as_str().unwrap_or_default();
    name.rsplit(':').next().unwrap_or(name)
}

fn measured<'a>(name: &str, events: impl Iterator<Item = &'a Value>) -> Result<Measured, Mistake> {
    let positive = |value: &Value| value.as_f64().filter(|own| own.is_finite() && *own > 0.0);
    let mut first = f64::INFINITY;
    let mut last = f64::NEG_INFINITY;
    let mut sent: Vec<(f64, f64)> = Vec::new();
    let (mut rtts, mut windows) = (Vec::<(f64, f64)>::new(), Vec::<(f64, f64)>::new());
    let (mut lost, mut rtt, mut count) = (0_u64, 0.0, 0_u64);
    let (mut least, mut window) = (f64::INFINITY, 0.0_f64);
    for event in events {
        let Some(time) = event["time"].as_f64() else { continue };
        let (seconds, data) = (time / 1e3, &event["data"]);
        if !seconds.is_finite() {
            continue;
        }
        first = first.min(seconds);
        last = last.max(seconds);
        match kind(event) {
            "packet_sent" => {
                let length = positive(&data["raw"]["length"])
                    .or_else(|| positive(&data["header"]["packet_size"]))
                    .unwrap_or(1_200.0);
                sent.push((seconds, length));
            }
            "packet_lost" => lost += 1,
            "metrics_updated" | "recovery_metrics_updated" => {
                let own = positive(&data["latest_rtt"]).or_else(|| positive(&data["smoothed_rtt"]));
                if let Some(own) = own {
                    (rtt, count) = (rtt + own, count + 1);
                    least = least.min(own);
                    rtts.push((seconds, own / 1e3));
                }
                windows.extend(positive(&data["congestion_window"]).map(|own| (seconds, own)));
                least = positive(&data["min_rtt"]).map_or(least, |own| least.min(own));
                window = positive(&data["congestion_window"]).map_or(window, |own| window.max(own));
            }
            _ => {}
        }
    }
    let seconds = last - first;
    if count == 0 && sent.is_empty() {
        let message = format!("{name}: no event packet_sent or metrics_updated with a time");
        return Err(Mistake::new(message, "a qlog file of the main schema, of the sender"));
    }
    let total: f64 = sent.iter().map(|own| own.1).sum();
    // what was lost was sent again
    let kept = if sent.is_empty() { 0.0 } else { 1.0 - (lost as f64 / sent.len() as f64).min(1.0) };
    let each = seconds / PARTS as f64;
    let part = |at: f64| (((at - first) / each) as usize).min(PARTS - 1);
    let in_parts = |all: &[(f64, f64)]| -> Vec<Vec<f64>> {
        let mut parts = vec![Vec::new(); PARTS];
        all.iter().filter(|_| each > 0.0).for_each(|(at, own)| parts[part(*at)].push(*own));
        parts
    };
    let (lengths, rtts, windows) = (in_parts(&sent), in_parts(&rtts), in_parts(&windows));
    let interval = |n: usize| Interval {
        from_s: n as f64 * each,
        to_s: (n + 1) as f64 * each,
        goodput_bps: lengths[n].iter().sum::<f64>() * kept * 8.0 / each,
        rtt_s: mean(&rtts[n]),
        cwnd_bytes: windows[n].last().copied(),
    };
    let flows = seconds > 0.0 && (total > 0.0 || count > 0);
    Ok(Measured {
        tool: Tool::Qlog,
        goodput_bps: if flows && total > 0.0 { total * kept * 8.0 / seconds } else { 0.0 },
        seconds: Some(seconds).filter(|seconds| *seconds > 0.0),
        streams: 1,
        rtt_s: (count > 0).then(|| rtt / count as f64 / 1e3),
        min_rtt_s: Some(least / 1e3).filter(|least| least.is_finite()),
        retransmits: Some(lost),
        cwnd_bytes: Some(window).filter(|window| *window > 0.0),
        intervals: if flows { (0..PARTS).map(interval).collect() } else { Vec::new() },
        ..Measured::default()
    })
}

fn mean(all: &[f64]) -> Option<f64> {
    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten packets of 1,250 bytes in 90 ms, one of them lost: 9 x 1250 x 8 / 0.09 = 1 Mbit/s.
    #[test]
    fn a_sequence_and_a_document() {
        let event = |n: u32| {
            format!(
                r#"{{"time": {}, "name": "transport:packet_sent", "data": {{"raw": {{"length": 1250}}}}}}"#,
                n * 10
            )
        };
        let mut events: Vec<String> = (0..10).map(event).collect();
        let data = r#""data": {"smoothed_rtt": 50, "min_rtt": 40, "congestion_window": 12000}"#;
        events.push(format!(r#"{{"time": 20, "name": "quic:recovery_metrics_updated", {data}}}"#));
        events.push(r#"{"time": 30, "name": "recovery:packet_lost", "data": {}}"#.to_owned());
        let head = r#"{"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": {}}"#;
        let sequence = format!("\u{1e}{head}\n\u{1e}{}\n", events.join("\n\u{1e}"));
        assert!(is_sequence(&sequence));
        let own = of_sequence("a", &sequence, None).unwrap();
        assert!((own.goodput_bps / 1e6 - 1.0).abs() < 1e-9, "{own:?}");
        assert_eq!((own.retransmits, own.min_rtt_s, own.rtt_s), (Some(1), Some(0.04), Some(0.05)));
        let text = format!(
            r#"{{"qlog_version": "0.3", "traces": [{{"events": [{}]}}]}}"#,
            events.join(",")
        );
        let document: Value = serde_json::from_str(&text).unwrap();
        assert!(is(&document));
        assert_eq!(of_document("a", &document, None).unwrap(), own);
        assert!(of_sequence("a", head, None).is_err());
    }

    /// Two connections at one end, and the other end of the first: 1 and 2 and 1 packets of 1,250
    /// bytes.
    #[test]
    fn one_of_several_connections_is_named() {
        let event = |time: u32, group: &str| {
            format!(
                r#"{{"time": {time}, "name": "transport:packet_sent", "group_id": "{group}",
                "data": {{"raw": {{"length": 1250}}}}}}"#
            )
        };
        let lost = r#"{"time": 10, "name": "recovery:packet_lost", "group_id": "aa", "data": {}}"#;
        let events = [event(0, "aa"), event(0, "bb"), event(10, "bb"), lost.to_owned()];
        let text = format!(
            r#"{{"qlog_version": "0.3", "traces": [
            {{"title": "up", "vantage_point": {{"type": "server"}}, "events": [{}]}},
            {{"vantage_point": {{"type": "client"}}, "common_fields": {{"ODCID": "aa"}},
              "events": [{{"time": 5, "name": "packet_sent", "data": {{}}}}]}}]}}"#,
            events.join(",")
        );
        let document: Value = serde_json::from_str(&text).unwrap();
        let of = |flow| of_document("a", &document, flow);
        let refused = of(None).unwrap_err();
        assert_eq!(refused.message, "a has 3 connections");
        let list = "1 up server aa, 2 up server bb, 3 trace client aa";
        assert_eq!(refused.help, format!("--flow NUMBER or a part of: {list}"));
        // 2,500 bytes in 10 ms
        let second = of(Some("bb")).unwrap();
        assert_eq!((second.goodput_bps, second.retransmits), (2e6, Some(0)));
        assert_eq!(second, of(Some("2")).unwrap());
        assert_eq!(of(Some("server aa")).unwrap().retransmits, Some(1));
        assert!(of(Some("aa")).unwrap_err().message.contains("several connections"));
        let sequence = format!(
            "\u{1e}{{\"qlog_version\": \"0.3\", \"trace\": {{}}}}\n{}\n",
            events.map(|event| event.replace('\n', " ")).join("\n")
        );
        assert_eq!(of_sequence("a", &sequence, None).unwrap_err().message, "a has 2 connections");
        assert_eq!(of_sequence("a", &sequence, Some("bb")).unwrap().goodput_bps, 2e6);
    }
}
