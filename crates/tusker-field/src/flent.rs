//! Data files of Flent (`.flent`, `.flent.gz`): JSON with `x_values` in seconds, and `results`,
//! series of Mbit/s and of milliseconds by name, with null for missing values.

use serde_json::Value;

use crate::Mistake;
use crate::measured::{Interval, Measured, Tool};

/// Whether a JSON document is of Flent.
pub(crate) fn is(json: &Value) -> bool {
    json.get("x_values").is_some() && json.get("results").is_some()
}

pub(crate) fn measured(name: &str, json: &Value) -> Result<Measured, Mistake> {
    let numbers = |value: &Value| -> Vec<Option<f64>> {
        let all = value.as_array().into_iter().flatten();
        all.map(|own| own.as_f64().filter(|own| own.is_finite() && *own >= 0.0)).collect()
    };
    let times = numbers(&json["x_values"]);
    let results = json["results"].as_object();
    let series = || results.into_iter().flatten();
    let tcp =
        |key: &str| key.to_lowercase().contains("tcp") && !key.to_lowercase().contains("ping");
    let sums = |key: &str| {
        let key = key.to_lowercase();
        ["sum", "totals", "total"].iter().any(|word| key.contains(word))
    };
    // one direction: the sum of it, if there is one
    let direction = |key: &str, way: &str| tcp(key) && key.to_lowercase().contains(way);
    let mean = |all: &[Option<f64>]| {
        let known: Vec<f64> = all.iter().flatten().copied().collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let mut chosen: Option<(f64, Vec<Option<f64>>, u32)> = None;
    for way in ["upload", "download", ""] {
        let own: Vec<_> = series().filter(|(key, _)| direction(key, way)).collect();
        let streams: Vec<_> =
            own.iter().filter(|(key, _)| !sums(key) && !key.contains("avg")).collect();
        let total = own.iter().find(|(key, _)| sums(key)).map(|(_, value)| numbers(value));
        let total = total.unwrap_or_else(|| {
            let all: Vec<Vec<Option<f64>>> =
                streams.iter().map(|(_, value)| numbers(value)).collect();
            let at = |n: usize| {
                let here: Vec<f64> = all.iter().filter_map(|own| *own.get(n)?).collect();
                (!here.is_empty()).then(|| here.iter().sum())
            };
            (0..times.len()).map(at).collect()
        });
        let Some(rate) = mean(&total).filter(|rate| *rate > 0.0) else { continue };
        if chosen.as_ref().is_none_or(|(most, ..)| rate > *most) {
            chosen = Some((rate, total, streams.len().clamp(1, 1_024) as u32));
        }
    }
    let Some((rate, total, streams)) = chosen else {
        let message = format!("{name}: Flent's results have no TCP series with values");
        return Err(Mistake::new(message, "a test such as tcp_upload or rrul"));
    };
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
    Ok(Measured {
        tool: Tool::Flent,
        goodput_bps: rate * 1e6,
        seconds,
        streams,
        rtt_s: rtt.map(|ms| ms / 1e3),
        min_rtt_s: least.map(|ms| ms / 1e3),
        intervals,
        ..Measured::default()
    })
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
        let own = measured("a", &json).unwrap();
        // (9 + 11)/2
        assert_eq!((own.goodput_bps, own.streams, own.seconds), (10e6, 2, Some(2.0)));
        assert_eq!((own.min_rtt_s, own.rtt_s), (Some(0.02), Some(0.04)));
        assert_eq!(own.intervals[1].goodput_bps, 11e6);
        let none: Value = serde_json::from_str(r#"{"x_values": [0], "results": {}}"#).unwrap();
        assert!(measured("a", &none).is_err());
    }
}
