//! A packet on its way.

use tusker_core::queue::Codepoint;

use crate::offload::Checksum;

/// A packet in the network.
#[derive(Debug, Default)]
pub struct Packet {
    /// The whole of it, from the IP header on.
    pub bytes: Vec<u8>,
    /// What its sender left out of it.
    pub checksum: Option<Checksum>,
    /// The flow of the plan that it belongs to, in either direction; sources come after
    /// the flows.
    pub flow: Option<usize>,
    /// Whether it can be marked instead of dropped, and as what.
    pub ecn: Codepoint,
    /// Number of its route; the network sets this and the next.
    pub route: usize,
    /// How many links of that are behind it.
    pub passed: usize,
    /// Its number among the arrivals that a [`Recorder`](crate::arrivals::Recorder) writes
    /// down, if it has come to that link.
    pub recorded: usize,
}
