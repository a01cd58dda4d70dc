//! A scenario as it is written. Every field has the name of its key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_core::Duration;

use super::forms::TraceLinks;
use super::source::Source;
use super::tcp::Tcp;
use super::text::{Profile, Text};
use super::topology::{Dumbbell, Link, ParkingLot};
use super::traffic::{Arrivals, Background, Flows, Web};

/// An experiment: topology, traffic, duration, and what to look at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// What it is about, in a line.
    pub title: Option<String>,
    /// Which bundle of TCP settings the flows have unless they say otherwise.
    pub profile: Text<Profile>,
    /// How long the experiment runs.
    pub duration: Text<Duration>,
    /// When it is measured; the latter half unless said otherwise.
    pub measure: Option<Measure>,
    /// Seed of the first replicate; 1 unless said otherwise. Below 2^63.
    pub seed: Option<u64>,
    /// How many times it is run, each with the next seed; 1 unless said
    /// otherwise.
    pub replicates: Option<u32>,
    /// How long hosts take at most until they act on what reaches them, and until
    /// they send; each time is drawn, any up to this alike. The profile's unless said
    /// otherwise; "0s" is at once.
    #[serde(rename = "host_time")]
    pub host_time: Option<Text<Duration>>,
    /// What to record over time; nothing unless said otherwise.
    pub trace: Option<Trace>,
    /// TCP settings of all flows, where they differ from the profile.
    pub tcp: Option<Tcp>,
    /// Topology: one bottleneck between the routers R1 and R2.
    pub dumbbell: Option<Dumbbell>,
    /// Topology: several bottlenecks in a row, between R1, R2, R3, ...
    pub parking_lot: Option<ParkingLot>,
    /// Topology: the names of all nodes of a general graph.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<String>,
    /// Topology: the links of a general graph.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Link>,
    /// TCP flows, in groups of equal ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flows: Vec<Flows>,
    /// TCP connections that come and go: a Poisson process of transfers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrivals: Vec<Arrivals>,
    /// TCP connections that come and go: users who load web pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub web: Vec<Web>,
    /// UDP traffic without congestion control.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<Background>,
    /// The text that it came from; `Source::default()` if there is none.
    #[serde(skip)]
    #[schemars(skip)]
    pub source: Source,
}

/// The measuring window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Its begin.
    pub from: Text<Duration>,
    /// Its end; that of the experiment unless said otherwise.
    pub to: Option<Text<Duration>>,
}

/// What to record over time, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Time between two records.
    pub interval: Text<Duration>,
    /// Windows and RTTs of all flows; yes unless said otherwise.
    pub flows: Option<bool>,
    /// Queues of these links; `"bottleneck"` unless said otherwise.
    pub links: Option<TraceLinks>,
}
