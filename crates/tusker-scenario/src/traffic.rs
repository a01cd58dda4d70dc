//! Traffic as it is written: flows, connections that come and go, UDP.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_core::{Bytes, Duration, Rate};
use tusker_plan::plan;

use super::app::App;
use super::draws::{Draw, Spread};
use super::forms::{Cc, Queue, Start};
use super::limit::Limit;
use super::tcp::Tcp;
use super::text::{Direction, Text};
use super::topology::Access;

/// A group of equal TCP flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flows {
    /// Name of the group; its flows are called `name.0`, `name.1`, ...
    pub name: String,
    /// How many; 1 unless said otherwise.
    pub count: Option<u64>,
    /// Connections of each; 1 unless said otherwise. They share its hosts, its
    /// start and its size, and are called `name.0.0`, `name.0.1`, ...
    pub parallel: Option<u64>,
    /// Node where they enter; a dumbbell's or parking lot's first router
    /// unless said otherwise.
    pub from: Option<String>,
    /// Node where they leave; a dumbbell's or parking lot's last router unless
    /// said otherwise.
    pub to: Option<String>,
    /// `"reverse"` to enter at a dumbbell's or parking lot's last router and
    /// leave at the first.
    pub direction: Option<Text<Direction>>,
    /// Congestion control, with parameters.
    pub cc: Cc,
    /// How losses are found and repaired.
    pub recovery: Option<Text<plan::Recovery>>,
    /// Gives each flow two hosts of its own, attached by links like this.
    /// Without it, in a graph, flows run from node to node.
    pub access: Option<Access>,
    /// The sending host's own queue, before its access link.
    pub host_queue: Option<Text<Limit>>,
    /// When they start; at 0 s unless said otherwise.
    pub start: Option<Start>,
    /// When they stop sending new data; never unless said otherwise.
    pub stop: Option<Text<Duration>>,
    /// How much payload each sends, in equal parts over its parallel
    /// connections; without end unless said otherwise.
    pub size: Option<Text<Bytes>>,
    /// What gives each connection data to send; always more unless said otherwise.
    pub app: Option<App>,
    /// TCP settings, where they differ from the scenario's.
    pub tcp: Option<Tcp>,
}

/// Transfers of random size that come at random times (a Poisson process), each
/// over a TCP connection of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// Name of the group.
    pub name: String,
    /// Transfers per second in the mean.
    pub rate: Option<f64>,
    /// Instead of `rate`: the share of the slowest link on their way that they
    /// ask for, headers included.
    pub load: Option<f64>,
    /// Payload of each.
    pub size: Draw<Text<Bytes>>,
    /// How many can be under way at a time; 100 unless said otherwise. More wait,
    /// and are counted.
    pub connections: Option<u64>,
    /// Each connection takes a round trip to open; yes unless said otherwise.
    pub handshake: Option<bool>,
    /// Node where they enter; as for flows.
    pub from: Option<String>,
    /// Node where they leave; as for flows.
    pub to: Option<String>,
    /// `"reverse"` to enter at a dumbbell's or parking lot's last router and
    /// leave at the first.
    pub direction: Option<Text<Direction>>,
    /// Congestion control, with parameters.
    pub cc: Cc,
    /// How losses are found and repaired.
    pub recovery: Option<Text<plan::Recovery>>,
    /// Gives each connection that can be under way two hosts of its own, as for
    /// flows.
    pub access: Option<Access>,
    /// The sending host's own queue, before its access link.
    pub host_queue: Option<Text<Limit>>,
    /// From when on they come; 0 s unless said otherwise.
    pub start: Option<Text<Duration>>,
    /// From when on no more come; never unless said otherwise.
    pub stop: Option<Text<Duration>>,
    /// TCP settings, where they differ from the scenario's.
    pub tcp: Option<Tcp>,
}

/// Users who load web pages: a page is of several objects, each of which comes
/// over a TCP connection of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Web {
    /// Name of the group.
    pub name: String,
    /// How many users.
    pub sessions: u64,
    /// The servers' hosts, at the node where objects enter.
    pub servers: Hosts,
    /// The clients' hosts, at the node where objects leave. Users take them in
    /// turn.
    pub clients: Hosts,
    /// How many of the servers each user visits, 4 or all unless said otherwise.
    /// Users take them in turn; each page is of one of them, drawn at random.
    pub servers_per_session: Option<u64>,
    /// How many objects of a page can come at a time; 6 unless said otherwise.
    /// More wait, and are counted.
    pub connections: Option<u64>,
    /// Each connection takes a round trip to open; yes unless said otherwise.
    pub handshake: Option<bool>,
    /// From the end of a page to the begin of the next.
    pub page_interval: Draw<Text<Duration>>,
    /// Objects of a page, rounded up.
    pub objects: Draw<f64>,
    /// From the begin of an object to the begin of the next one.
    pub object_interval: Draw<Text<Duration>>,
    /// Payload of an object.
    pub object_size: Draw<Text<Bytes>>,
    /// Node of the servers; as for flows.
    pub from: Option<String>,
    /// Node of the clients; as for flows.
    pub to: Option<String>,
    /// `"reverse"` for servers at a dumbbell's or parking lot's last router and
    /// clients at the first.
    pub direction: Option<Text<Direction>>,
    /// Congestion control, with parameters.
    pub cc: Cc,
    /// How losses are found and repaired.
    pub recovery: Option<Text<plan::Recovery>>,
    /// Queues of the hosts' links, all but those out of the servers; 10,000
    /// packets unless said otherwise.
    pub queue: Option<Queue>,
    /// Queues out of the servers.
    pub host_queue: Option<Text<Limit>>,
    /// When sessions begin; at 0 s unless said otherwise.
    pub start: Option<Start>,
    /// From when on no more pages begin; never unless said otherwise.
    pub stop: Option<Text<Duration>>,
    /// TCP settings, where they differ from the scenario's.
    pub tcp: Option<Tcp>,
}

/// Hosts that are attached to a node, by a link in both directions each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hosts {
    /// How many.
    pub count: u64,
    /// Rate of their links.
    pub rate: Spread<Text<Rate>>,
    /// One-way propagation delay of their links; 1 ms unless said otherwise.
    pub delay: Option<Spread<Text<Duration>>>,
}

/// UDP sources: at a constant rate with some jitter, or on and off (VBR).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// Name; several are called `name.0`, `name.1`, ...
    pub name: String,
    /// How many; 1 unless said otherwise.
    pub count: Option<u64>,
    /// Node where they enter.
    pub from: Option<String>,
    /// Node where they leave.
    pub to: Option<String>,
    /// `"reverse"` to enter at a dumbbell's or parking lot's last router and
    /// leave at the first.
    pub direction: Option<Text<Direction>>,
    /// Rate of each while it is on, counted on the wire.
    pub rate: Text<Rate>,
    /// A packet on the wire; as large as the flows' unless said otherwise.
    pub packet: Option<Text<Bytes>>,
    /// Each gap varies by up to this fraction either way, from 0 to below 1.
    pub jitter: Option<f64>,
    /// Mean of the exponential on periods; needs `off`.
    pub on: Option<Text<Duration>>,
    /// Mean of the exponential off periods; needs `on`.
    pub off: Option<Text<Duration>>,
    /// Instead of `on` and `off`: the share of the time that they are on, from 0
    /// to 1, in exponential periods.
    pub share: Option<f64>,
    /// With `share`: mean of an on and an off period together; 1 s unless said
    /// otherwise.
    pub period: Option<Text<Duration>>,
    /// When they start; at 0 s unless said otherwise.
    pub start: Option<Start>,
    /// When they stop; never unless said otherwise.
    pub stop: Option<Text<Duration>>,
}
