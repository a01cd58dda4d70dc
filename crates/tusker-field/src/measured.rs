//! What another tool measured.

use serde::Serialize;

/// Where values come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// Options of the command.
    #[default]
    Options,
    /// `iperf3 --json`.
    Iperf3,
    /// `ss -tin`.
    Ss,
    /// Flent.
    Flent,
    /// A qlog file.
    Qlog,
    /// A packet capture.
    Pcap,
}

/// What another tool measured of one transfer. What it does not say is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    /// Where the values come from.
    pub tool: Tool,
    /// Goodput of all its connections, bits per second.
    pub goodput_bps: f64,
    /// How long it took, seconds.
    pub seconds: Option<f64>,
    /// Its parallel connections.
    pub streams: u32,
    /// Connections with data in the file, of which this is one; 0 if it tells none apart.
    pub connections: u32,
    /// The kernel's name of the congestion control.
    pub congestion: Option<String>,
    /// Mean round trip while it ran, seconds.
    pub rtt_s: Option<f64>,
    /// The shortest round trip, seconds.
    pub min_rtt_s: Option<f64>,
    /// Retransmitted segments.
    pub retransmits: Option<u64>,
    /// Largest window of the congestion control of one connection, bytes.
    pub cwnd_bytes: Option<f64>,
    /// Share of the time in which data was under way, but the receiver's window was full.
    pub receive_limited: Option<f64>,
    /// Share of that time in which the send buffer was empty, but full of unacknowledged data.
    pub send_limited: Option<f64>,
    /// The application had nothing to send.
    pub app_limited: Option<bool>,
    /// Share of one core that the sender and the receiver used, the larger of the two.
    pub cpu: Option<f64>,
    /// The rate at which the application was told to send, bits per second.
    pub target_bps: Option<f64>,
    /// It over time.
    pub intervals: Vec<Interval>,
}

/// A part of a transfer; what was not measured is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Interval {
    /// Its start, seconds.
    pub from_s: f64,
    /// Its end, seconds.
    pub to_s: f64,
    /// Goodput, bits per second.
    pub goodput_bps: f64,
    /// Mean round trip, seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_s: Option<f64>,
    /// Congestion window at its end, of all connections, bytes; in a capture, the most that was
    /// in flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwnd_bytes: Option<f64>,
}
