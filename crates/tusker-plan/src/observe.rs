//! What is looked at packet by packet while a plan is executed, and who is told.
//!
//! Looking changes nothing: a run that is observed gives what it gives unobserved.

use std::net::Ipv4Addr;
use std::ops::ControlFlow;

use tusker_core::{Bytes, Duration, Rate, Time};

use crate::budget::Stopped;
use crate::executor::Executor;
use crate::plan::Plan;
use crate::run::Run;

/// What to observe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Where packets are captured.
    pub places: Vec<Place>,
    /// Indices of the flows whose senders tell of themselves.
    pub flows: Vec<usize>,
}

/// Where packets are captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the entrance of this link, before its queue: all that comes to it.
    Link(usize),
    /// At all links of this node: what it sends as it comes to a link's entrance, what
    /// it receives as it arrives at a link's end.
    Node(usize),
}

impl Place {
    /// Indices of the links that are looked at, in their order.
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

    /// Packets are seen as they come to this link.
    pub fn sees_entrance(self, plan: &Plan, link: usize) -> bool {
        match self {
            Self::Link(own) => own == link,
            Self::Node(node) => plan.links[link].from == node,
        }
    }

    /// Packets are seen as they arrive at the end of this link.
    pub fn sees_end(self, plan: &Plan, link: usize) -> bool {
        matches!(self, Self::Node(node) if plan.links[link].to == node)
    }

    /// What it is called.
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
    /// It arrives at the link's end; otherwise it comes to its entrance.
    pub inward: bool,
    /// When. Times of one place do not decrease.
    pub at: Time,
    /// Its first bytes, from the IPv4 header on.
    pub bytes: &'a [u8],
    /// Bytes that it takes on the wire; at least as many as its IPv4 header says.
    pub size: u32,
    /// The link drops it at once, or loses it.
    pub dropped: bool,
    /// What is to be known of it besides.
    pub note: Option<&'a str>,
}

/// What a sender tells of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// How it stands; at least one value has changed.
    Metrics(Metrics),
    /// It takes a segment for lost.
    Lost {
        /// The segment's number; the first of a flow that is open from the start is 0.
        segment: u64,
        /// Why.
        trigger: Trigger,
    },
}

/// How a sender stands. Bytes are payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metrics {
    /// Congestion window, bytes.
    pub window: u64,
    /// Slow-start threshold, bytes; none before the first loss.
    pub threshold: Option<u64>,
    /// In the network, as the sender reckons, bytes.
    pub in_flight: u64,
    /// The same in segments.
    pub segments_in_flight: u64,
    /// Smoothed RTT, once there is a sample.
    pub smoothed_rtt: Option<Duration>,
    /// The smallest RTT.
    pub min_rtt: Option<Duration>,
    /// At which rate its law has it send, if the law says so.
    pub pacing: Option<Rate>,
}

/// Why a segment is taken for lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// Later ones arrived, or duplicate ACKs say so.
    Reordering,
    /// One sent later arrived, and enough time has gone by.
    Time,
    /// The retransmission timer.
    Timeout,
}

/// Whoever is told.
pub trait Observer: Send {
    /// A packet was seen.
    fn packet(&mut self, seen: &Seen<'_>);

    /// The sender of this flow tells of itself. Of one flow, times do not decrease.
    fn sender(&mut self, flow: usize, at: Time, told: &Told);

    /// So many packets could not be told, because the observer was too slow.
    fn missed(&mut self, packets: u64);
}

/// An executor that can be observed.
pub trait Observable: Executor {
    /// Executes a plan as [`Executor::execute`] does, and tells an observer what it
    /// wants to see.
    ///
    /// # Errors
    /// The same.
    fn execute_observed(
        &self,
        plan: &Plan,
        seed: u64,
        memory: Bytes,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
        wanted: &Wanted,
        observer: &mut dyn Observer,
    ) -> Result<Run, Stopped>;
}

/// The address of a plan's node.
pub fn address(node: usize) -> Ipv4Addr {
    Ipv4Addr::from(0x0a00_0001 + node as u32)
}
