//! Packet-by-packet observation while a plan is executed.
//!
//! Observation changes nothing: a run gives the same results with and without it.

use std::net::Ipv4Addr;

use tusker_core::{Duration, Rate, Time};

use crate::plan::Plan;

/// What to observe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Where packets are captured.
    pub places: Vec<Place>,
    /// Indices of the flows whose senders are observed.
    pub flows: Vec<usize>,
}

/// Where packets are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the entrance of this link, before its queue: everything that arrives
    /// there.
    Link(usize),
    /// At all links of this node: what it sends, at the entrances of its links;
    /// what it receives, at their ends.
    Node(usize),
}

impl Place {
    /// Indices of the observed links, in order.
    pub fn links(self, plan: &Plan) -> Vec<usize> {
        match self {
            Self::Link(link) => vec![link],
            Self::Node(node) => {
                let links = plan.links.iter().enumerate();
                let touching = links.filter(|(_, link)| link.from == node || link.to == node);
                touching.map(|(index, _)| index).collect()
            }
        }
    }

    /// Whether packets are seen at the entrance of this link.
    pub fn sees_entrance(self, plan: &Plan, link: usize) -> bool {
        match self {
            Self::Link(own) => own == link,
            Self::Node(node) => plan.links[link].from == node,
        }
    }

    /// Whether packets are seen at the end of this link.
    pub fn sees_end(self, plan: &Plan, link: usize) -> bool {
        matches!(self, Self::Node(node) if plan.links[link].to == node)
    }

    /// Its name.
    pub fn name(self, plan: &Plan) -> &str {
        match self {
            Self::Link(link) => &plan.links[link].name,
            Self::Node(node) => &plan.nodes[node],
        }
    }
}

/// A packet at a place.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Index of the place in [`Wanted::places`].
    pub place: usize,
    /// Index of the link.
    pub link: usize,
    /// Whether it is at the link's end; otherwise it is at the entrance.
    pub inward: bool,
    /// The time. Times at one place do not decrease.
    pub at: Time,
    /// Its first bytes, from the IPv4 header on.
    pub bytes: &'a [u8],
    /// Its size on the wire in bytes; at least the length in its IPv4 header.
    pub size: u32,
    /// Whether the link drops it at once, or loses it.
    pub dropped: bool,
    /// A remark about it.
    pub note: Option<&'a str>,
}

/// An event of a sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SenderEvent {
    /// Its state; at least one value has changed.
    Metrics(Metrics),
    /// It considers a segment lost.
    Lost {
        /// The segment's number; the first segment of a flow that is open from the
        /// start has number 0.
        segment: u64,
        /// The reason.
        trigger: Trigger,
    },
}

/// The state of a sender. Bytes are payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Congestion window, bytes.
    pub window: u64,
    /// Slow-start threshold, bytes; none before the first loss.
    pub threshold: Option<u64>,
    /// The sender's estimate of what is in the network, bytes.
    pub in_flight: u64,
    /// The same in segments.
    pub segments_in_flight: u64,
    /// Smoothed RTT, once there is a sample.
    pub smoothed_rtt: Option<Duration>,
    /// The smallest RTT.
    pub min_rtt: Option<Duration>,
    /// The pacing rate, if its law paces.
    pub pacing: Option<Rate>,
}

/// Why a segment is considered lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Later ones arrived, or duplicate ACKs say so.
    Reordering,
    /// One sent later arrived, and enough time has gone by.
    Time,
    /// The retransmission timer.
    Timeout,
}

/// Receives observations.
pub trait Observer: Send {
    /// A packet was seen.
    fn packet(&mut self, seen: &Seen<'_>);

    /// An event of the sender of this flow. Times of one flow do not decrease.
    fn sender(&mut self, flow: usize, at: Time, event: &SenderEvent);

    /// This many packets could not be reported, because the observer was too slow.
    fn missed(&mut self, packets: u64);
}

const FIRST_ADDRESS: u32 = 0x0a00_0001;

/// The address of a plan's node.
pub fn address(node: usize) -> Ipv4Addr {
    Ipv4Addr::from(FIRST_ADDRESS + node as u32)
}

/// The node with this address.
pub fn node(address: Ipv4Addr) -> Option<usize> {
    u32::from(address).checked_sub(FIRST_ADDRESS).map(|node| node as usize)
}
