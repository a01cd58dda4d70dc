//! Data files of Flent (`.flent`, `.flent.gz`): JSON with `x_values` in seconds, and `results`,
//! series of Mbit/s and of milliseconds by name, with null for missing values.

use serde_json::{Map, Value};

use crate::measured::{Interval, Measured, Tool};
use crate::{Mistake, choose};

/// What TCP had over time: a series of the file, or all of one direction together.
#[derive(Clone, Debug)]
struct Series {
    name: String,
    /// Mean, Mbit/s.
    rate: f64,
    values: Vec<Option<f64>>,
    streams: u32,
    parts: Vec<Series>,
}

impl Series {
    /// `None` without a value above 0.
    fn new(name: &str, values: Vec<Option<f64>>) -> Option<Self> {
        let count = values.iter().flatten().count();
        let rate = values.iter().flatten().sum::<f64>() / count as f64;
        let name: String = name.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
        (rate > 0.0).then_some(Self { name, rate, values, streams: 1, parts: Vec::new() })
    }
}

/// The TCP series of one direction, or of none that is named, and their sum.
fn direction(
    results: Option<&Map<String, Value>>,
    way: Option<&str>,
    length: usize,
) -> Option<Series> {
    let has = |key: &str, words: &[&str]| {
        let key = key.to_lowercase();
        words.iter().any(|word| key.contains(word))
    };
    let own = results.into_iter().flatten().filter(|(key, _)| {
        has(key, &["tcp"]) && !has(key, &["ping"]) && way.is_none_or(|way| has(key, &[way]))
    });
    let own: Vec<(&String, &Value)> = own.collect();
    let sum = own.iter().find(|(key, _)| has(key, &["sum", "total"]));
    let parts = own.iter().filter(|(key, _)| !has(key, &["sum", "total", "avg"]));
    let mut parts: Vec<Series> =
        parts.filter_map(|(key, values)| Series::new(key, numbers(values))).collect();
    if let (1, None) = (parts.len(), sum) {
        return parts.pop();
    }
    let at = |n: usize| {
        let here: Vec<f64> = parts.iter().filter_map(|own| *own.values.get(n)?).collect();
        (!here.is_empty()).then(|| here.iter().sum())
    };
    let values = match sum {
        Some((_, values)) => numbers(values),
        None => (0..length).map(at).collect(),
    };
    let streams = parts.len().clamp(1, 1_024) as u32;
    Series::new(way.unwrap_or("all"), values).map(|all| Series { streams, parts, ..all })
}

/// Whether a JSON document is of Flent.
pub(crate) fn is(json: &Value) -> bool {
    json.get("x_values").is_some() && json.get("results").is_some()
}

pub(crate) fn measured(name: &str, json: &Value, flow: Option<&str>) -> Result<Measured, Mistake> {
    let times = numbers(&json["x_values"]);
    let results = json["results"].as_object();
    let series = || results.into_iter().flatten();
    let mut all = Vec::new();
    let directions = ["upload", "download"].map(|way| direction(results, Some(way), times.len()));
    all.extend(directions.into_iter().flatten());
    if all.is_empty() {
        all.extend(direction(results, None, times.len()));
    }
    if all.is_empty() {
        let message = format!("{name}: Flent's results have no TCP series with values");
        return Err(Mistake::new(message, "a test such as tcp_upload or rrul"));
    }
    // the streams of one direction are one transfer
    let only = all.len() == 1 && flow.is_none();
    let streams = all.iter().filter(|own| own.streams > 1).flat_map(|own| own.parts.clone());
    let streams: Vec<Series> = streams.collect();
    all.extend(streams);
    let labels: Vec<String> = all.iter().map(|own| own.name.clone()).collect();
    let chosen = if only { 0 } else { choose::named(name, &labels, flow)? };
    let Series { rate, values: total, streams, .. } = all.swap_remove(chosen);
    let ping = series().find(|(key, _)| key.to_lowercase().contains("ping"));
    let ping: Vec<f64> =
        ping.map(|(_, own)| numbers(own).into_iter().flatten().collect()).unwrap_or_default();
    let rtt = (!ping.is_empty()).then(|| ping.iter().sum::<f64>() / ping.len() as f64);
    let least = ping.iter().copied().filter(|own| *own > 0.0).reduce(f64::min);
    // the rate of a time is that of the step before it
    let mut intervals: Vec<Interval> = Vec::new();
    let mut last = times.first().copied().flatten().unwrap_or_default();
    let mut start = None;
    for (time, own) in times.iter().zip(&total) {
        let (Some(time), Some(own)) = (time, own) else { continue };
        let first = *start.get_or_insert(last);
        if *time > last {
            let goodput_bps = own * 1e6;
            let (from_s, to_s) = (last - first, time - first);
            intervals.push(Interval { from_s, to_s, goodput_bps, ..Interval::default() });
            last = *time;
        }
    }
    let seconds = intervals.last().map(|part| part.to_s);
    let connections = if labels.len() > 1 { labels.len() as u32 } else { 0 };
    Ok(Measured {
        tool: Tool::Flent,
        connections,
        goodput_bps: rate * 1e6,
        seconds,
        streams,
        rtt_s: rtt.map(|ms| ms / 1e3),
        min_rtt_s: least.map(|ms| ms / 1e3),
        intervals,
        ..Measured::default()
    })
}

fn numbers(value: &Value) -> Vec<Option<f64>> {
    let all = value.as_array().into_iter().flatten();
    all.map(|own| own.as_f64().filter(|own| own.is_finite() && *own >= 0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_with_two_streams_and_a_ping() {
        let text = r#"{"x_values": [0, 1, 2], "results": {"TCP upload::1": [null, 4, 6],
            "TCP upload::2": [null, 5, 5], "Ping (ms) ICMP": [20.0, 60.0, null]},
            "metadata": {"NAME": "tcp_nup"}}"#;
        let json: Value = serde_json::from_str(text).unwrap();
        assert!(is(&json));
        let own = measured("a", &json, None).unwrap();
        // (9 + 11)/2
        assert_eq!((own.goodput_bps, own.streams, own.seconds), (10e6, 2, Some(2.0)));
        assert_eq!((own.min_rtt_s, own.rtt_s), (Some(0.02), Some(0.04)));
        assert_eq!(own.intervals[1].goodput_bps, 11e6);
        let none: Value = serde_json::from_str(r#"{"x_values": [0], "results": {}}"#).unwrap();
        assert!(measured("a", &none, None).is_err());
    }

    /// As rrul has it: two directions, of which one must be named, or one of their series.
    #[test]
    fn one_of_several_series_is_named() {
        let text = r#"{"x_values": [0, 1], "results": {"TCP upload BE": [4, 6],
            "TCP upload BK": [1, 3], "TCP download": [9, 9], "TCP totals": [14, 18]}}"#;
        let json: Value = serde_json::from_str(text).unwrap();
        let of = |flow| measured("a", &json, flow);
        let refused = of(None).unwrap_err();
        assert_eq!(refused.message, "a has 4 connections");
        let list = "1 upload, 2 TCP download, 3 TCP upload BE, 4 TCP upload BK";
        assert_eq!(refused.help, format!("--flow NUMBER or a part of: {list}"));
        let (all, own) = (of(Some("upload")).unwrap(), of(Some("BK")).unwrap());
        // (5 + 9)/2 of two streams; (1 + 3)/2
        assert_eq!((all.goodput_bps, all.streams), (7e6, 2));
        assert_eq!((own.goodput_bps, own.streams), (2e6, 1));
        assert_eq!(of(Some("2")).unwrap().goodput_bps, 9e6);
    }
}
