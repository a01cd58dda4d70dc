//! Events of senders for qvis and other tools: qlog 0.3 as JSON text sequences
//! (draft-ietf-quic-qlog-main-schema-03, section 6.2; RFC 7464), with the recovery events of
//! draft-ietf-quic-qlog-quic-events-03, section 5. Later drafts call them
//! `quic:recovery_metrics_updated` and `quic:packet_lost`, but tools read the earlier names.
//!
//! A segment counts as a packet, with its number; unlike in QUIC, retransmissions
//! keep the number.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value, json};
use tusker_core::{Duration, Time};
use tusker_plan::observe::{Metrics, SenderEvent, Trigger};

/// Between two texts of a sequence (RFC 7464, section 2.2), before each.
const SEPARATOR: u8 = 0x1e;

/// The start of a file.
pub const MAGIC: [u8; 2] = [SEPARATOR, b'{'];

/// A file that is being written.
#[derive(Debug)]
pub struct Qlog<W> {
    out: W,
    last: Option<Metrics>,
}

/// An event (section 3.4 of the main schema).
#[derive(Serialize)]
struct Event {
    time: f64,
    name: &'static str,
    data: Value,
}

impl<W: Write> Qlog<W> {
    /// Begins a file about a flow.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(out: W, flow: &str, about: &str) -> io::Result<Self> {
        let mut file = Self { out, last: None };
        file.text(&json!({
            "qlog_version": "0.3",
            "qlog_format": "JSON-SEQ",
            "title": flow,
            "description": about,
            "trace": {
                "common_fields": {
                    "protocol_type": ["TCP"],
                    "time_format": "relative",
                    "reference_time": 0.0,
                },
                "vantage_point": { "name": flow, "type": "client" },
            },
        }))?;
        Ok(file)
    }

    /// Writes an event of the sender at a given time.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn sender(&mut self, at: Time, event: &SenderEvent) -> io::Result<()> {
        let time = millis(at.nanos());
        let (name, data) = match event {
            SenderEvent::Metrics(metrics) => {
                let data = changed(metrics, self.last.as_ref());
                self.last = Some(*metrics);
                if data.is_empty() {
                    return Ok(());
                }
                ("recovery:metrics_updated", Value::Object(data))
            }
            SenderEvent::Lost { segment, trigger } => {
                let header = json!({ "packet_type": "1RTT", "packet_number": segment });
                let data = json!({ "header": header, "trigger": trigger_name(*trigger) });
                ("recovery:packet_lost", data)
            }
        };
        self.text(&Event { time, name, data })
    }

    /// Ends the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn text(&mut self, value: &impl Serialize) -> io::Result<()> {
        self.out.write_all(&[SEPARATOR])?;
        serde_json::to_writer(&mut self.out, value)?;
        self.out.write_all(b"\n")
    }
}

fn trigger_name(trigger: Trigger) -> &'static str {
    match trigger {
        Trigger::Reordering => "reordering_threshold",
        Trigger::Time => "time_threshold",
        Trigger::Timeout => "pto_expired",
    }
}

/// The fields of `RecoveryMetricsUpdated` that have changed.
fn changed(now: &Metrics, before: Option<&Metrics>) -> Map<String, Value> {
    let old = before.map(fields);
    let fields = fields(now).into_iter().enumerate();
    let fresh = fields.filter(|(i, (_, value))| old.as_ref().is_none_or(|old| old[*i].1 != *value));
    fresh.filter_map(|(_, (name, value))| Some((name.to_owned(), value?))).collect()
}

fn fields(metrics: &Metrics) -> [(&'static str, Option<Value>); 7] {
    let time = |time: Option<Duration>| time.map(|time| millis(time.nanos()).into());
    [
        ("min_rtt", time(metrics.min_rtt)),
        ("smoothed_rtt", time(metrics.smoothed_rtt)),
        ("congestion_window", Some(metrics.window.into())),
        ("bytes_in_flight", Some(metrics.in_flight.into())),
        ("ssthresh", metrics.threshold.map(Into::into)),
        ("packets_in_flight", Some(metrics.segments_in_flight.into())),
        ("pacing_rate", metrics.pacing.map(|rate| rate.bits_per_sec().into())),
    ]
}

fn millis(nanos: u64) -> f64 {
    nanos as f64 / 1e6
}
