//! A packet on its way.

/// A packet in the network.
#[derive(Debug)]
pub struct Packet {
    /// The whole of it, from the IP header on.
    pub bytes: Vec<u8>,
    /// The flow of the plan that it belongs to, in either direction; sources come after
    /// the flows.
    pub flow: Option<usize>,
    /// It can be marked instead of dropped.
    pub ecn_capable: bool,
    /// Number of its route.
    pub(crate) route: usize,
    /// How many links of that are behind it.
    pub(crate) passed: usize,
}
