//! A link of a simulation: one of the two kinds of hop, [`Hop`] or [`Station`].

use tusker_core::Time;
use tusker_path::{Counters, Hop, Report, Station};

use crate::packet::Packet;
use crate::topology::Switch;

/// Either kind.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are hops, and each packet needs one")]
pub enum Stage {
    /// Decides at once what happens to a packet.
    Hop(Hop),
    /// The same, with an observer of its packets.
    Watched(Box<Hop>),
    /// Keeps packets until its wire is free.
    Station(Box<Station<Packet>>),
    /// No link: where the route of a packet is chosen.
    Switch(Switch),
}

impl Stage {
    /// Packets in the queue at `now`, the one in transmission included.
    pub fn backlog(&mut self, now: Time) -> usize {
        match self {
            Self::Hop(hop) => hop.backlog(now),
            Self::Watched(hop) => hop.backlog(now),
            Self::Station(station) => station.backlog(now),
            Self::Switch(_) => 0,
        }
    }

    /// Bytes used by its records, and the most if this many more packets arrive and none
    /// leaves.
    pub fn memory(&self, now: Time, more: usize) -> (u64, u64) {
        match self {
            Self::Hop(hop) => hop.memory(now, more),
            Self::Watched(hop) => hop.memory(now, more),
            Self::Station(station) => station.memory(more),
            Self::Switch(_) => (0, 0),
        }
    }

    /// When the backlog falls below this many packets if nothing more arrives.
    ///
    /// # Panics
    /// At a station: senders cannot wait for room there, and scenarios reject it.
    #[inline(always)]
    pub fn room_at(&mut self, now: Time, packets: usize) -> Time {
        match self {
            Self::Hop(hop) => hop.room_at(now, packets),
            Self::Watched(hop) => hop.room_at(now, packets),
            Self::Station(_) | Self::Switch(_) => {
                panic!("back-pressure needs a queue that only senders decide about")
            }
        }
    }

    /// The policy's internal values, for traces.
    pub fn inspect(&mut self, now: Time, see: &mut dyn FnMut(&'static str, f64)) {
        match self {
            Self::Hop(hop) => hop.inspect(now, see),
            Self::Watched(hop) => hop.inspect(now, see),
            Self::Station(station) => station.inspect(now, see),
            Self::Switch(_) => {}
        }
    }

    /// What it has counted up to `now`.
    pub fn counters(&mut self, now: Time) -> Counters {
        match self {
            Self::Hop(hop) => hop.counters(now),
            Self::Watched(hop) => hop.counters(now),
            Self::Station(station) => station.counters(now),
            Self::Switch(_) => Counters::default(),
        }
    }

    /// Its packets are observed from now on.
    pub fn watched(self) -> Self {
        match self {
            Self::Hop(hop) => Self::Watched(Box::new(hop)),
            other => other,
        }
    }

    /// The meter's counts until `end`.
    ///
    /// # Panics
    /// If it was made without a schedule; links of a simulation always have one.
    pub fn finish(self, end: Time) -> Report {
        let report = match self {
            Self::Hop(hop) => hop.finish(end),
            Self::Watched(hop) => hop.finish(end),
            // the engine has served it up to the end
            Self::Station(station) => station.finish(end, |_| {}),
            Self::Switch(_) => None,
        };
        report.expect("every link of a simulation has a schedule")
    }
}
