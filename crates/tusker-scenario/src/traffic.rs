//! Traffic as written in a scenario: flows, connections that come and go, UDP.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_core::{Bytes, Duration, Rate};
use tusker_plan::plan;

use super::app::App;
use super::draws::{Draw, Spread};
use super::forms::{Cc, Dscp, Queue, Start};
use super::limit::Limit;
use super::tcp::Tcp;
use super::text::{self, Direction, Text};
use super::topology::Access;

/// A group of identical TCP flows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Flows {
    /// Name of the group; its flows are called `name.0`, `name.1`, ...
    pub name: String,
    /// How many. Default: 1.
    pub count: Option<u64>,
    /// Parallel connections per flow. Default: 1. They share the flow's hosts,
    /// start and size, and are called `name.0.0`, `name.0.1`, ...
    pub parallel: Option<u64>,
    /// Node where they enter. Default: first router of the dumbbell or parking lot.
    pub from: Option<String>,
    /// Node where they leave. Default: last router of the dumbbell or parking lot.
    pub to: Option<String>,
    /// `"reverse"` to enter at a dumbbell's or parking lot's last router and
    /// leave at the first.
    pub direction: Option<Text<Direction>>,
    /// Congestion control, with parameters.
    pub cc: Cc,
    /// How losses are detected and repaired.
    pub recovery: Option<Text<plan::Recovery>>,
    /// The routes that they take, one after the other. Default: the shortest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub route: Vec<RouteStep>,
    /// Gives each flow two hosts of its own, attached by links like this. Without
    /// it, flows in a graph run from node to node.
    pub access: Option<Access>,
    /// The sending host's own queue, before its access link.
    pub host_queue: Option<Text<Limit>>,
    /// When they start. Default: 0 s.
    pub start: Option<Start>,
    /// When they stop sending new data. Default: never.
    pub stop: Option<Text<Duration>>,
    /// Payload that each sends, divided evenly among its parallel connections.
    /// Default: unlimited.
    pub size: Option<Text<Bytes>>,
    /// The application that gives each connection data to send. Default: there is
    /// always more data.
    pub app: Option<App>,
    /// Their hosts; see the scenario's `hosts`.
    pub hosts: Option<Text<text::Hosts>>,
    /// TCP settings that differ from the scenario's.
    pub tcp: Option<Tcp>,
}

/// A route that applies from a given time on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RouteStep {
    /// From this time on; the first is at 0 s.
    pub at: Text<Duration>,
    /// Nodes and links that it passes, in order; in between it is the shortest.
    pub via: Vec<String>,
    /// The same for the way back. Default: `via` backwards.
    pub back: Option<Vec<String>>,
}

/// Transfers of random size that start at random times (a Poisson process), each
/// over a separate TCP connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arrivals {
    /// Name of the group.
    pub name: String,
    /// Mean number of transfers per second.
    pub rate: Option<f64>,
    /// Instead of `rate`: offered load as a share of the slowest link on their
    /// path, headers included.
    pub load: Option<f64>,
    /// Payload of each.
    pub size: Draw<Text<Bytes>>,
    /// How many can be in progress at the same time. Default: 100. Further ones
    /// wait, and are counted.
    pub connections: Option<u64>,
    /// Whether each connection takes a round trip to open. Default: true.
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
    /// How losses are detected and repaired.
    pub recovery: Option<Text<plan::Recovery>>,
    /// Gives each connection that can be in progress two hosts of its own, as for
    /// flows.
    pub access: Option<Access>,
    /// The sending host's own queue, before its access link.
    pub host_queue: Option<Text<Limit>>,
    /// When arrivals begin. Default: 0 s.
    pub start: Option<Text<Duration>>,
    /// When arrivals end. Default: never.
    pub stop: Option<Text<Duration>>,
    /// Their hosts; see the scenario's `hosts`.
    pub hosts: Option<Text<text::Hosts>>,
    /// TCP settings that differ from the scenario's.
    pub tcp: Option<Tcp>,
}

/// Users who load web pages: a page has several objects, each of which is loaded
/// over a separate TCP connection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Web {
    /// Name of the group.
    pub name: String,
    /// How many users.
    pub sessions: u64,
    /// The servers' hosts, at the node where objects enter.
    pub servers: Hosts,
    /// The clients' hosts, at the node where objects leave. They are assigned to
    /// users in turn.
    pub clients: Hosts,
    /// How many of the servers each user visits. Default: 4, or all if there are
    /// fewer. Servers are assigned to users in turn; each page comes from one of
    /// them, drawn at random.
    pub servers_per_session: Option<u64>,
    /// How many objects of a page can be loaded at the same time. Default: 6.
    /// Further ones wait, and are counted.
    pub connections: Option<u64>,
    /// Whether each connection takes a round trip to open. Default: true.
    pub handshake: Option<bool>,
    /// From the end of a page to the start of the next.
    pub page_interval: Draw<Text<Duration>>,
    /// Objects of a page, rounded up.
    pub objects: Draw<f64>,
    /// From the start of an object to the start of the next.
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
    /// How losses are detected and repaired.
    pub recovery: Option<Text<plan::Recovery>>,
    /// Queues of the hosts' links, except those out of the servers. Default: 10,000
    /// packets.
    pub queue: Option<Queue>,
    /// Queues out of the servers.
    pub host_queue: Option<Text<Limit>>,
    /// When sessions begin. Default: 0 s.
    pub start: Option<Start>,
    /// When no more pages begin. Default: never.
    pub stop: Option<Text<Duration>>,
    /// Their hosts; see the scenario's `hosts`.
    pub hosts: Option<Text<text::Hosts>>,
    /// TCP settings that differ from the scenario's.
    pub tcp: Option<Tcp>,
}

/// Hosts attached to a node, each by a link in both directions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hosts {
    /// How many.
    pub count: u64,
    /// Rate of their links.
    pub rate: Spread<Text<Rate>>,
    /// One-way propagation delay of their links. Default: 1 ms.
    pub delay: Option<Spread<Text<Duration>>>,
}

/// UDP sources: constant rate with some jitter, or on and off (VBR).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// Name; several are called `name.0`, `name.1`, ...
    pub name: String,
    /// How many. Default: 1.
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
    /// Size of a packet on the wire. Default: that of the flows' packets.
    pub packet: Option<Text<Bytes>>,
    /// DSCP of their packets: a number from 0 to 63, or a name such as `"af11"`, `"cs1"` or
    /// `"ef"`. Default: 0.
    pub dscp: Option<Dscp>,
    /// Each gap varies by up to this fraction either way, from 0 to below 1.
    pub jitter: Option<f64>,
    /// Mean of the exponential on periods; needs `off`.
    pub on: Option<Text<Duration>>,
    /// Mean of the exponential off periods; needs `on`.
    pub off: Option<Text<Duration>>,
    /// Instead of `on` and `off`: the share of the time for which they are on, from
    /// 0 to 1, with exponential periods.
    pub share: Option<f64>,
    /// With `share`: mean length of an on and an off period together. Default: 1 s.
    pub period: Option<Text<Duration>>,
    /// When they start. Default: 0 s.
    pub start: Option<Start>,
    /// When they stop. Default: never.
    pub stop: Option<Text<Duration>>,
}
