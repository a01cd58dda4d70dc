//! What `tusker kernel watch` observed of a law in the running kernel.
//!
//! Nothing is known about the path there, so this is not a run of a scenario: there
//! is a law, its connections, and what its events said about them. [`Watching`]
//! makes it from the lines that `tusker-kernel watch --events` writes;
//! `tusker_store::watched` keeps it in a folder.

mod event;
mod inner;
mod watching;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use inner::Inner;
pub use watching::{MOST_CONNECTIONS, MOST_MOMENTS, Moment, Watching};

/// Version of `watched.json`.
pub const FORMAT: u32 = 1;

/// The kernel's recovery states in the order of their numbers (`tcp_ca_state` of
/// linux/tcp.h): the quantity `state`.
pub const STATES: [&str; 5] = ["open", "disorder", "cwr", "recovery", "loss"];

/// The quantities of every connection, in the order of [`Moment::values`].
pub const QUANTITIES: [&str; 7] =
    ["cwnd", "ssthresh", "srtt", "in_flight", "delivered_bytes", "lost", "state"];

/// What was seen: `watched.json`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Watched {
    /// Version of this format.
    pub format: u32,
    /// Where the connections ran: `kernel`.
    pub plane: Plane,
    /// Version of the program that watched.
    pub tusker: String,
    /// The command line.
    pub command: Vec<String>,
    /// The kernel's name for the law.
    pub name: String,
    /// The law, as `tusker explain` knows it.
    pub law: String,
    /// The parameters with which it was loaded.
    pub parameters: BTreeMap<String, f64>,
    /// Internal state that the law shows; each is a quantity of the series.
    pub shows: Vec<String>,
    /// Kernel release.
    pub kernel: String,
    /// When the watching began, UTC.
    pub began: String,
    /// Duration.
    pub duration_s: f64,
    /// Requested interval between reported ACKs of a connection; 0: all of them.
    pub every_s: f64,
    /// Time between kept moments of a connection; 0: all reported ones were kept.
    pub spacing_s: f64,
    /// Number of kept moments of all connections.
    pub moments: u64,
    /// Events lost because the kernel's ring buffer was full; unknown if the law was
    /// unloaded at the end.
    pub missed: Option<u64>,
    /// Connections beyond the 10,000 that have a row here.
    pub more_connections: u64,
    /// The connections, in the order in which they were first seen.
    pub connections: Vec<Connection>,
    /// The table of moments.
    pub series: SeriesFile,
    /// Hash of all this, with `check` empty.
    pub check: String,
}

/// Where connections ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Plane {
    /// The running Linux kernel.
    #[default]
    Kernel,
}

/// A connection. Counts cover the time in which it was watched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    /// Its number in the series, from 1.
    pub number: u32,
    /// Address and port of this end; the address is 0.0.0.0 with IPv6.
    pub from: String,
    /// Address and port of the other end.
    pub to: String,
    /// When it was first seen, since the watching began.
    pub began_s: f64,
    /// When it was last seen.
    pub ended_s: f64,
    /// Whether its beginning was seen.
    pub opened: bool,
    /// Whether its end was seen.
    pub closed: bool,
    /// Payload that arrived, in whole segments.
    pub delivered_bytes: u64,
    /// Payload bits that arrived per second, from `began_s` to `ended_s`.
    pub rate_bps: Option<f64>,
    /// Segments considered lost.
    pub lost: u64,
    /// Times that the window shrank after a loss or mark.
    pub shrinks: u64,
    /// Times that the window shrank after a timeout.
    pub timeouts: u64,
    /// Times that a reduction counted in `shrinks` or `timeouts` turned out to be spurious.
    pub undone: u64,
    /// Smallest RTT known to the kernel.
    pub rtt_min_s: Option<f64>,
}

/// A table beside `watched.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SeriesFile {
    /// Its name: `series.parquet` or `series.csv`.
    pub file: String,
    /// Its BLAKE3 hash.
    pub hash: String,
}

impl Watched {
    /// The JSON Schema of `watched.json`.
    ///
    /// # Panics
    /// Never: a schema is plain data.
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Self);
        let mut text = serde_json::to_string_pretty(&schema).expect("a schema is plain data");
        text.push('\n');
        text
    }

    /// As JSON.
    ///
    /// # Panics
    /// Never: all of it is plain data.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("it is plain data");
        text.push('\n');
        text
    }

    /// The quantities of the series, in the order of a moment's values.
    pub fn quantities(&self) -> impl Iterator<Item = &str> {
        QUANTITIES.into_iter().chain(self.shows.iter().map(String::as_str))
    }
}

impl Connection {
    /// Both ends, for people.
    pub fn ends(&self) -> String {
        format!("{} to {}", self.from, self.to)
    }
}

#[cfg(test)]
mod tests;
