//! The lines of `tusker-kernel watch --events`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Version of the lines.
pub(super) const FORMAT: u32 = 1;

/// A line.
#[derive(Debug, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub(super) enum Line {
    /// The first: what is watched.
    Watch(Head),
    /// The last.
    End {
        time_us: u64,
        missed: Option<u64>,
    },
    Open(Event),
    Ack(Event),
    Grow(Event),
    Shrink(Event),
    Timeout(Event),
    State(Event),
    Undo(Event),
    Close(Event),
}

/// What is watched.
#[derive(Debug, Deserialize)]
pub(super) struct Head {
    pub format: u32,
    pub name: String,
    pub law: String,
    pub parameters: BTreeMap<String, f64>,
    pub shows: Vec<String>,
    pub every_us: u64,
    pub time_us: u64,
    pub began: String,
    pub kernel: String,
    pub tusker: String,
}

/// What happened to a connection; windows in segments, totals since its beginning.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    pub time_us: u64,
    pub flow: String,
    pub from: String,
    pub to: String,
    pub state: String,
    pub cwnd: f64,
    pub ssthresh: Option<f64>,
    pub srtt_us: u32,
    pub rtt_min_us: u32,
    pub in_flight: u32,
    pub delivered: u32,
    pub lost: u32,
    pub mss: u32,
    pub values: BTreeMap<String, f64>,
}
