//! A scenario as it is written. Every field has the name of its key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_core::Duration;

use super::forms::{HostTime, TraceLinks};
use super::source::Source;
use super::tcp::Tcp;
use super::text::{Hosts, Profile, Text};
use super::topology::{Dumbbell, Link, ParkingLot};
use super::traffic::{Arrivals, Background, Flows, Web};

/// An experiment: topology, traffic, duration, and what to record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Scenario {
    /// What it is about, in one line.
    pub title: Option<String>,
    /// The profile: default TCP settings of all flows.
    pub profile: Text<Profile>,
    /// How long the experiment runs.
    pub duration: Text<Duration>,
    /// The measuring window. Default: the second half.
    pub measure: Option<Measure>,
    /// Seed of the first replicate, below 2^63. Default: 1.
    pub seed: Option<u64>,
    /// Number of runs, each with the next seed. Default: 1.
    pub replicates: Option<u32>,
    /// How long hosts take to act on what reaches them, and to send; drawn each time.
    /// Default: the profile's. "0s": hosts act at once.
    #[serde(rename = "host_time")]
    pub host_time: Option<HostTime>,
    /// Hosts with these socket buffers, unless `tcp` gives others. Default: nothing limits them.
    pub hosts: Option<Text<Hosts>>,
    /// What to record over time. Default: nothing.
    pub trace: Option<Trace>,
    /// TCP settings of all flows that differ from the profile.
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
    /// TCP flows, in groups of identical flows.
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
    /// The text it was read from; `Source::default()` if there is none.
    #[serde(skip)]
    #[schemars(skip)]
    pub source: Source,
}

/// The measuring window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// Its start.
    pub from: Text<Duration>,
    /// Its end. Default: the end of the experiment.
    pub to: Option<Text<Duration>>,
}

/// What to record over time, and how often.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Time between two records.
    pub interval: Text<Duration>,
    /// Whether to record windows and RTTs of all flows. Default: true.
    pub flows: Option<bool>,
    /// Links whose queues are recorded. Default: `"bottleneck"`.
    pub links: Option<TraceLinks>,
}
