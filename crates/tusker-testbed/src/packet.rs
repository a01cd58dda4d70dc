//! A packet on its way.

use tusker_core::queue::Codepoint;

use crate::offload::Checksum;

/// A packet in the network.
#[derive(Debug, Default)]
pub struct Packet {
    /// All of it, from the IP header on.
    pub bytes: Vec<u8>,
    /// The checksum that its sender left out.
    pub checksum: Option<Checksum>,
    /// The flow of the plan that it belongs to, in either direction; sources are numbered
    /// after the flows.
    pub flow: Option<usize>,
    /// Whether it can be marked instead of dropped, and its ECN field.
    pub ecn: Codepoint,
    /// Its DSCP.
    pub dscp: u8,
    /// Number of its route; set by the network, like the next field.
    pub route: usize,
    /// How many links of the route it has passed.
    pub passed: usize,
    /// Its number among the arrivals of a [`Recorder`](crate::arrivals::Recorder), if it
    /// has arrived at the recorded link.
    pub recorded: usize,
}
