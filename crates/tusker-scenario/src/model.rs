//! A scenario as it is written. Every field has the name of its key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_core::{Bytes, Duration, Rate};

use super::draws::{Draw, Spread};
use super::forms::{Cc, DelayedAck, Ecn, Hops, Queue, Segments, SlowStart, Start, TraceLinks};
use super::impair::{Jitter, LinkRate, Loss};
use super::source::Source;
use super::text::{Direction, Limit, Profile, Text};
use tusker_plan::plan;

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

/// One bottleneck link between the routers R1 and R2.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Dumbbell {
    /// Rate of the bottleneck.
    pub rate: LinkRate,
    /// One-way propagation delay of the bottleneck.
    pub delay: Text<Duration>,
    /// Queue before the bottleneck.
    pub queue: Queue,
    /// How packets are lost on the wire: a probability from 0 to below 1, or in
    /// bursts.
    pub loss: Option<Loss>,
    /// Random delay on the wire beyond the propagation delay.
    pub jitter: Option<Jitter>,
    /// What is different from R2 to R1.
    pub reverse: Option<Reverse>,
    /// Access links of all flows that do not say otherwise.
    pub access: Option<Access>,
}

/// Several bottlenecks in a row. Flows run from the first router to the last
/// unless they say otherwise with `from` and `to`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParkingLot {
    /// How many bottlenecks, or what each has different.
    pub hops: Hops,
    /// Rate of each bottleneck.
    pub rate: LinkRate,
    /// One-way propagation delay of each bottleneck.
    pub delay: Text<Duration>,
    /// Queue before each bottleneck.
    pub queue: Queue,
    /// How packets are lost on each wire: a probability from 0 to below 1, or in
    /// bursts.
    pub loss: Option<Loss>,
    /// Random delay on each wire beyond the propagation delay.
    pub jitter: Option<Jitter>,
    /// What is different in the other direction.
    pub reverse: Option<Reverse>,
    /// Access links of all flows that do not say otherwise.
    pub access: Option<Access>,
}

/// What one hop of a parking lot has different from the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hop {
    /// Rate.
    pub rate: Option<LinkRate>,
    /// One-way propagation delay.
    pub delay: Option<Text<Duration>>,
    /// Queue.
    pub queue: Option<Queue>,
    /// How packets are lost on the wire.
    pub loss: Option<Loss>,
    /// Random delay beyond the propagation delay.
    pub jitter: Option<Jitter>,
}

/// A link of a general graph, in both directions unless `duplex = false`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Link {
    /// Name; `from->to` unless said otherwise. The other direction is called
    /// `to->from`, or `name.reverse`.
    pub name: Option<String>,
    /// Node at its one end.
    pub from: String,
    /// Node at its other end.
    pub to: String,
    /// Rate.
    pub rate: LinkRate,
    /// One-way propagation delay.
    pub delay: Text<Duration>,
    /// Queue before the wire.
    pub queue: Queue,
    /// How packets are lost on the wire: a probability from 0 to below 1, or in
    /// bursts.
    pub loss: Option<Loss>,
    /// Random delay on the wire beyond the propagation delay.
    pub jitter: Option<Jitter>,
    /// Whether there is a way back; yes unless said otherwise.
    pub duplex: Option<bool>,
    /// What is different on the way back.
    pub reverse: Option<Reverse>,
}

/// What is different in the other direction of a link: rate, delay and queue
/// are the same, and there is neither loss nor jitter unless said here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reverse {
    /// Rate.
    pub rate: Option<LinkRate>,
    /// One-way propagation delay.
    pub delay: Option<Text<Duration>>,
    /// Queue.
    pub queue: Option<Queue>,
    /// How packets are lost on the wire.
    pub loss: Option<Loss>,
    /// Random delay beyond the propagation delay.
    pub jitter: Option<Jitter>,
}

/// The links between a flow's own two hosts and the routers, both of this
/// rate and delay in both directions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// Rate.
    pub rate: Option<Text<Rate>>,
    /// One-way propagation delay of each of the two; 1 ms unless said
    /// otherwise. From a range the flows of the group take delays at even
    /// distances, the first one the first end and the last one the other.
    pub delay: Option<Spread<Text<Duration>>>,
    /// Queues of the access links, all but the sending host's own (see
    /// `host_queue`); 10,000 packets unless said otherwise.
    pub queue: Option<Queue>,
}

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

/// TCP settings; what is not said is the next level's: a flow's, the
/// scenario's, the profile's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// How losses are found and repaired. A group of flows says this outside
    /// of `tcp`.
    pub recovery: Option<Text<plan::Recovery>>,
    /// Proportional rate reduction (RFC 9937); needs SACK or RACK.
    pub prr: Option<bool>,
    /// New data for the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: Option<bool>,
    /// Restart the retransmission timer at the first partial ACK only (RFC
    /// 6582, section 4).
    pub impatient: Option<bool>,
    /// Where ns-2.35's agents differ from the RFCs in recovery, growth and timer,
    /// do as they do (docs/ns2-notes.md). Nothing for `rack`.
    pub ns2_details: Option<bool>,
    /// Forget after a timeout what SACK reported (RFC 2018, section 8).
    pub forget_sack_on_timeout: Option<bool>,
    /// `false`, or how long an ACK waits for a second segment.
    pub delayed_ack: Option<DelayedAck>,
    /// Segments before the first ACK.
    pub initial_window: Option<u32>,
    /// Slow-start threshold at the start, in segments.
    pub initial_ssthresh: Option<Segments>,
    /// Below ssthresh.
    pub slow_start: Option<SlowStart>,
    /// What the window counts (RFC 3465).
    pub counting: Option<Text<plan::Counting>>,
    /// RFC 7323 timestamps.
    pub timestamps: Option<bool>,
    /// Explicit congestion notification: `false`, `true` (RFC 3168) or
    /// `"accurate"`, with an echo that counts marks (RFC 8257).
    pub ecn: Option<Ecn>,
    /// Space segments out over the round trip.
    pub pacing: Option<bool>,
    /// A full data packet on the wire.
    pub packet: Option<Text<Bytes>>,
    /// Its headers; 40 B, and 12 B for timestamps, unless said otherwise.
    pub header: Option<Text<Bytes>>,
    /// An ACK on the wire; as long as the header unless said otherwise.
    pub ack: Option<Text<Bytes>>,
    /// An ACK grows by its SACK blocks.
    pub sack_bytes: Option<bool>,
    /// Payload that the sender may have outstanding.
    pub send_buffer: Option<Text<Option<Bytes>>>,
    /// Payload that the receiver holds out of order.
    pub receive_buffer: Option<Text<Option<Bytes>>>,
    /// The retransmission timer.
    pub rto: Option<Rto>,
}

/// The retransmission timer (RFC 6298).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rto {
    /// Before the first sample.
    pub initial: Option<Text<Duration>>,
    /// Lower bound.
    pub min: Option<Text<Duration>>,
    /// Upper bound.
    pub max: Option<Text<Duration>>,
    /// Clock granularity.
    pub granularity: Option<Text<Duration>>,
}
