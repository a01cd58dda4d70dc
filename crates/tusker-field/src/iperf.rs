//! `iperf3 --json`.
//!
//! Keys as in iperf 3.1 to 3.17: `start.test_start`, `intervals[].sum`,
//! `intervals[].streams[].{snd_cwnd, rtt}`, `end.{sum_sent, sum_received,
//! cpu_utilization_percent}`; `rtt` is in microseconds, `snd_cwnd` in bytes.

use serde_json::Value;

use crate::Mistake;
use crate::measured::{Interval, Measured, Tool};
use crate::mistake::quote;

const HELP: &str = "iperf3 -c HOST --json > FILE gives such a file, with `end` and `intervals`";

/// Whether a JSON document is of iperf3.
pub(crate) fn is(json: &Value) -> bool {
    json.get("intervals").is_some() && json.get("start").is_some()
}

pub(crate) fn measured(name: &str, json: &Value) -> Result<Measured, Mistake> {
    if let Some(error) = json["error"].as_str().filter(|_| json["end"]["sum_sent"].is_null()) {
        let message = format!("{name}: iperf3 reports an error: {}", quote(error));
        return Err(Mistake::new(message, "repeat the measurement"));
    }
    let (start, end) = (&json["start"]["test_start"], &json["end"]);
    if start["protocol"].as_str().is_some_and(|protocol| protocol != "TCP") {
        let message = format!("{name}: a test of {}", quote(&start["protocol"].to_string()));
        return Err(Mistake::new(message, "measure TCP: without --udp"));
    }
    let sum = [&end["sum_received"], &end["sum_sent"]];
    let rate = sum.iter().find_map(|sum| positive(&sum["bits_per_second"]));
    let Some(goodput_bps) = rate else {
        let message = format!("{name}: no goodput in end.sum_received.bits_per_second");
        return Err(Mistake::new(message, HELP));
    };
    let intervals: Vec<&Value> = json["intervals"].as_array().into_iter().flatten().collect();
    let omitted = |interval: &&&Value| interval["sum"]["omitted"].as_bool() != Some(true);
    let of_streams = |key: &str| -> Vec<f64> {
        let streams = intervals.iter().filter(omitted);
        let streams = streams.flat_map(|i| i["streams"].as_array().into_iter().flatten());
        streams.filter_map(|stream| positive(&stream[key])).collect()
    };
    let rtts = of_streams("rtt");
    let of_end = |key: &str| -> Vec<f64> {
        let streams = end["streams"].as_array().into_iter().flatten();
        streams.filter_map(|stream| positive(&stream["sender"][key])).collect()
    };
    let least = |all: &[f64]| all.iter().copied().reduce(f64::min);
    let most = |all: &[f64]| all.iter().copied().reduce(f64::max);
    let mean_rtt = (!rtts.is_empty()).then(|| rtts.iter().sum::<f64>() / rtts.len() as f64);
    let cpu = &end["cpu_utilization_percent"];
    let cpu = ["host_total", "remote_total"].iter().filter_map(|key| positive(&cpu[*key]));
    let part = |interval: &&Value| {
        let sum = &interval["sum"];
        let [from_s, to_s] = ["start", "end"].map(|key| sum[key].as_f64());
        let (from_s, to_s) = (from_s?, to_s?);
        let rate = sum["bits_per_second"].as_f64().filter(|rate| rate.is_finite() && *rate >= 0.0);
        (to_s > from_s && from_s >= 0.0).then_some(())?;
        let of_streams = |key: &str| -> Vec<f64> {
            let streams = interval["streams"].as_array().into_iter().flatten();
            streams.filter_map(|stream| positive(&stream[key])).collect()
        };
        let (rtts, windows) = (of_streams("rtt"), of_streams("snd_cwnd"));
        let sum = |all: &[f64]| (!all.is_empty()).then(|| all.iter().sum::<f64>());
        Some(Interval {
            from_s,
            to_s,
            goodput_bps: rate?,
            rtt_s: sum(&rtts).map(|us| us / 1e6 / rtts.len() as f64),
            cwnd_bytes: sum(&windows),
        })
    };
    Ok(Measured {
        tool: Tool::Iperf3,
        goodput_bps,
        seconds: positive(&end["sum_sent"]["seconds"]).or_else(|| positive(&start["duration"])),
        streams: start["num_streams"].as_u64().map_or(1, |n| n.clamp(1, 1024) as u32),
        congestion: end["sender_tcp_congestion"].as_str().map(str::to_owned),
        rtt_s: mean_rtt.or_else(|| most(&of_end("mean_rtt"))).map(|us| us / 1e6),
        min_rtt_s: least(&of_end("min_rtt")).or_else(|| least(&rtts)).map(|us| us / 1e6),
        retransmits: end["sum_sent"]["retransmits"].as_u64(),
        cwnd_bytes: most(&of_end("max_snd_cwnd")).or_else(|| most(&of_streams("snd_cwnd"))),
        cpu: cpu.map(|percent| percent / 100.0).reduce(f64::max),
        target_bps: positive(&start["target_bitrate"]),
        intervals: intervals.iter().filter(omitted).filter_map(part).collect(),
        ..Measured::default()
    })
}

/// A number above 0.
fn positive(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite() && *number > 0.0)
}
