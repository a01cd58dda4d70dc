//! A link of the emulated network, as one of the two kinds of hop.

use tusker_core::Time;
use tusker_path::{Counters, DropCause, Event, Hop, Offered, Outcome, Report, Schedule, Station};
use tusker_plan::plan::Link;

use crate::ip;
use crate::packet::Packet;

/// Either kind.
pub enum Stage {
    /// Decides at once what happens to a packet.
    Hop(Box<Hop>),
    /// Keeps packets until its wire is free.
    Station(Box<Station<Box<Packet>>>),
}

/// What happened to a packet.
pub enum Fate {
    /// It arrives at the other end at this time; marked, if the policy did that.
    Arrives {
        /// The packet.
        packet: Box<Packet>,
        /// When.
        at: Time,
        /// The policy marked it.
        marked: bool,
    },
    /// The queue dropped it.
    Dropped(Box<Packet>),
    /// The wire carried and lost it.
    Lost(Box<Packet>),
}

impl Stage {
    /// An idle link, with the same random streams as in the simulator.
    pub fn new(link: &Link, seed: u64, schedule: Schedule) -> Self {
        let setup = link.setup(seed);
        if link.queue.acts_at_departure() {
            Self::Station(Box::new(Station::new(setup, Some(schedule))))
        } else {
            Self::Hop(Box::new(Hop::new(setup, Some(schedule))))
        }
    }

    /// A packet arrives at `now`. Reports what happens to it, and to others whose fate a
    /// station decided meanwhile.
    pub fn offer(&mut self, now: Time, packet: Box<Packet>, mut tell: impl FnMut(Fate)) {
        let (size, ecn) = (packet.bytes.len() as u32, packet.ecn);
        match self {
            Self::Hop(hop) => match hop.offer(now, size, ecn.is_capable(), || None) {
                Outcome::Arrives { at, marked } => tell(Fate::Arrives { packet, at, marked }),
                Outcome::Dropped(DropCause::Loss) => tell(Fate::Lost(packet)),
                Outcome::Dropped(_) => tell(Fate::Dropped(packet)),
            },
            Self::Station(station) => {
                let flow =
                    packet.flow.map_or_else(|| ip::connection(&packet.bytes), |flow| flow as u64);
                let (from, to) = ip::hosts(&packet.bytes);
                let offered = Offered { size, ecn, dscp: packet.dscp, flow, from, to };
                station.offer(now, offered, packet, |event| told(event, &mut tell));
            }
        }
    }

    /// Advances to `now`.
    pub fn advance(&mut self, now: Time, mut tell: impl FnMut(Fate)) {
        if let Self::Station(station) = self {
            station.advance(now, |event| told(event, &mut tell));
        }
    }

    /// When it must be advanced at the latest.
    pub fn due(&self) -> Option<Time> {
        match self {
            Self::Hop(_) => None,
            Self::Station(station) => station.due(),
        }
    }

    /// Packets in the queue, the one in transmission included.
    pub fn backlog(&mut self, now: Time) -> usize {
        match self {
            Self::Hop(hop) => hop.backlog(now),
            Self::Station(station) => station.backlog(now),
        }
    }

    /// Its counters from the start to `now`.
    pub fn counters(&mut self, now: Time) -> Counters {
        match self {
            Self::Hop(hop) => hop.counters(now),
            Self::Station(station) => station.counters(now),
        }
    }

    /// The policy's internal values, for traces.
    pub fn inspect(&mut self, now: Time, see: &mut dyn FnMut(&'static str, f64)) {
        match self {
            Self::Hop(hop) => hop.inspect(now, see),
            Self::Station(station) => station.inspect(now, see),
        }
    }

    /// The counters up to `end`.
    pub fn finish(self, end: Time) -> Option<Report> {
        match self {
            Self::Hop(hop) => hop.finish(end),
            Self::Station(station) => station.finish(end, |_| ()),
        }
    }
}

fn told(event: Event<Box<Packet>>, tell: &mut impl FnMut(Fate)) {
    tell(match event {
        Event::Sent(sent) => match sent.arrives {
            Some(at) => Fate::Arrives { packet: sent.item, at, marked: sent.marked },
            None => Fate::Lost(sent.item),
        },
        Event::Dropped { item, .. } => Fate::Dropped(item),
    });
}
