//! Makes real headers from what the simulator knows about a packet.
//!
//! What is not simulated is either marked with a note or left out:
//! - A connection that is open from the start gets a SYN and SYN-ACK before its first
//!   packet, with a note, so that tools know its options. The opening of
//!   one that comes and goes is simulated; its last ACK comes with the data.
//! - Sequence numbers start at 0; the payload is all zeros; connections are never closed.
//! - Lengths are those of real headers with the simulated payload. A packet takes as
//!   many bytes on the wire as it is simulated with, or as its headers need.
//! - Timestamps count milliseconds since the start, at both ends. Data segments echo the latest
//!   ACK that was seen at the same place, or nothing.

use std::collections::BTreeMap;

use tusker_core::Time;
use tusker_path::DropCause;
use tusker_plan::observe::{Observer, Seen, Wanted, address};
use tusker_plan::plan::{Ecn, Plan, Recovery, Tcp};

use super::Glimpse;
use super::bytes::{Bytes, Ends, Opening, Segment, flags, sequences};
use crate::packet::flag;
use crate::tcp::{FIRST_ACE, epoch, first_of};

/// Headers without options.
const PLAIN: u64 = 40;
/// The timestamps option, padded (RFC 7323, section 3.2).
const STAMPS: u64 = 12;
/// The largest window scale (RFC 7323, section 2.3).
const LARGEST_SCALE: u8 = 14;

/// The opening's value in place of a count, where Not-ECT arrived (RFC 9768, tables 2 and
/// 3).
const NOT_ECT: u8 = 0b010;

const NOT_SIMULATED: &str = "not simulated: this connection is open from the start";

/// Makes headers.
#[derive(Debug)]
pub struct Headers {
    /// One per flow.
    flows: Vec<Connection>,
    /// One per background source.
    /// With their DSCPs.
    sources: Vec<(Ends, u8)>,
    /// For each place and flow, what it has seen.
    known: BTreeMap<(u32, u32), Known>,
    /// For each place, the flows whose ACKs it sees.
    sees_acks: Vec<Vec<bool>>,
}

/// Properties shared by all packets of a flow.
#[derive(Debug)]
struct Connection {
    ends: Ends,
    payload: u32,
    /// The first segment of each connection opens it.
    handshake: bool,
    opening: Opening,
    window: u16,
    /// Whether they fit into data segments and into ACKs.
    stamps: (bool, bool),
    ecn: Ecn,
    dscp: u8,
}

/// What a place knows about a flow.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// The connections, numbered from 1, whose data and whose ACKs were last seen.
    data: u64,
    acks: u64,
    /// TSval of the latest ACK.
    stamp: u32,
}

impl Headers {
    pub fn new(plan: &Plan, wanted: &Wanted) -> Self {
        let ends = |route: &[usize], index: usize| {
            let (first, last) = (route[0], route[route.len() - 1]);
            let port = 10_000 + (index % 30_000) as u16;
            Ends {
                from: (address(plan.links[first].from), 40_000),
                to: (address(plan.links[last].to), port),
            }
        };
        let flows = plan.flows.iter().enumerate().map(|(index, flow)| {
            let of = plan.traffic.iter().find(|traffic| traffic.slots.contains(&index));
            let handshake = of.is_some_and(|traffic| traffic.handshake);
            Connection::new(ends(&flow.route, index), &flow.tcp, handshake)
        });
        let sources = plan.background.iter().enumerate();
        let sees_acks = wanted.places.iter().map(|place| {
            let links = place.links(plan);
            let sees = |link: &usize| links.contains(link);
            plan.flows.iter().map(|flow| flow.reverse.iter().any(sees)).collect()
        });
        Self {
            flows: flows.collect(),
            sources: sources
                .map(|(index, source)| (ends(&source.route, index), source.dscp))
                .collect(),
            known: BTreeMap::new(),
            sees_acks: sees_acks.collect(),
        }
    }

    /// Reports a packet, preceded by anything that must be seen first.
    pub fn tell(&mut self, glimpse: &Glimpse, observer: &mut dyn Observer) {
        let (packet, index) = (&glimpse.packet, glimpse.packet.whose.flow());
        let note = match glimpse.dropped {
            Some(DropCause::Overflow) => Some("dropped: the queue is full"),
            Some(DropCause::Early) => Some("dropped by the queue's policy"),
            Some(DropCause::Loss) => Some("lost on the wire"),
            Some(DropCause::Outage) => Some("dropped: the link is down"),
            None => None,
        };
        let mut tell = |bytes: &Bytes, size: u32, note: Option<&str>| {
            observer.packet(&Seen {
                place: glimpse.place as usize,
                link: glimpse.link as usize,
                inward: glimpse.inward,
                at: glimpse.at,
                bytes: bytes.as_slice(),
                size: size.max(bytes.total()),
                dropped: glimpse.dropped.is_some() && note != Some(NOT_SIMULATED),
                note,
            });
        };
        let size = packet.state.size();
        if packet.is(flag::UDP) {
            let (ends, dscp) = self.sources[index - self.flows.len()];
            return tell(&Bytes::udp(ends, dscp, size.saturating_sub(28)), size, note);
        }
        let flow = &self.flows[index];
        let known = self.known.entry((glimpse.place, index as u32)).or_default();
        // flows that are open from the start have one connection, numbered 0
        let nth = epoch(packet.seq);
        let begin = first_of(nth) + u64::from(flow.handshake);
        let sequence = |segment: u64| flow.sequence(segment, begin);
        let ends = flow.ends_of(nth);
        let is_first = |seen: &mut u64| std::mem::replace(seen, nth + 1) != nth + 1;
        if packet.is(flag::ACK) {
            let first = is_first(&mut known.acks);
            if first && !flow.handshake {
                tell(&flow.syn_ack(ends, glimpse.at, 0), 0, Some(NOT_SIMULATED));
            }
            known.stamp = millis(glimpse.at);
            let echo = millis(packet.sent);
            if first && flow.handshake && packet.seq == begin {
                return tell(&flow.syn_ack(ends, glimpse.at, echo), size, note);
            }
            let (sack, count) = sequences(&glimpse.blocks, sequence);
            let ece = if packet.is(flag::ECE) { flags::ECE } else { 0 };
            let ace = packet.state.ace();
            let segment = Segment {
                seq: 1,
                ack: sequence(packet.seq),
                flags: flags::ACK | ece | flags::ace(ace),
                ae: ace > 3,
                window: flow.window,
                stamps: flow.stamps.1.then_some((known.stamp, echo)),
                sack: &sack[..count],
                ..Segment::default()
            };
            return tell(&Bytes::tcp(ends.back(), &segment), size, note);
        }
        if flow.handshake && packet.seq < begin {
            return tell(&flow.syn(ends, packet.sent), size, note);
        }
        if is_first(&mut known.data) && !flow.handshake {
            tell(&flow.syn(ends, glimpse.at), 0, Some(NOT_SIMULATED));
            if self.sees_acks[glimpse.place as usize][index] && is_first(&mut known.acks) {
                tell(&flow.syn_ack(ends, glimpse.at, millis(glimpse.at)), 0, Some(NOT_SIMULATED));
                known.stamp = millis(glimpse.at);
            }
            let mut segment = Segment { payload: 0, ..flow.data(1, glimpse.at, known.stamp) };
            if flow.ecn.is_accurate() {
                // RFC 9768, section 3.1.1: it reports the ECN field of the SYN-ACK, Not-ECT
                (segment.flags, segment.ae) = (flags::ACK | flags::ace(NOT_ECT), false);
            }
            tell(&Bytes::tcp(ends, &segment), 0, Some(NOT_SIMULATED));
        }
        let mut segment = flow.data(sequence(packet.seq), packet.sent, known.stamp);
        if packet.is(flag::CWR) {
            segment.flags |= flags::CWR;
        }
        segment.class = flow.dscp << 2 | packet.state.codepoint().bits();
        tell(&Bytes::tcp(ends, &segment), size, note);
    }
}

impl Connection {
    fn new(ends: Ends, tcp: &Tcp, handshake: bool) -> Self {
        // of a buffer that grows, the largest window
        let tuned = tcp.rmem.map(|memory| memory.get() / 2);
        let given = tcp.receive_buffer.map(tusker_core::Bytes::get);
        let payload = tcp.payload().get();
        let buffer = given.into_iter().chain(tuned).min().unwrap_or(u64::MAX);
        let mut scale = 0;
        while scale < LARGEST_SCALE && buffer >> scale > 0xffff {
            scale += 1;
        }
        let room = |size: tusker_core::Bytes| tcp.timestamps && size.get() >= PLAIN + STAMPS;
        let stamps = (room(tcp.header), room(tcp.ack));
        let options = if stamps.0 { STAMPS } else { 0 };
        Self {
            ends,
            payload: payload as u32,
            handshake,
            opening: Opening {
                // RFC 6691, section 2: options are not counted
                mss: (payload + options).min(0xffff) as u16,
                sack_permitted: matches!(tcp.recovery, Recovery::Sack | Recovery::RackTlp),
                scale,
            },
            window: (buffer >> scale).min(0xffff) as u16,
            stamps,
            ecn: tcp.ecn,
            dscp: tcp.dscp,
        }
    }

    /// The n-th connection has its own port.
    fn ends_of(&self, nth: u64) -> Ends {
        let mut ends = self.ends;
        ends.from.1 += (nth % 25_000) as u16;
        ends
    }

    /// A segment's sequence number, where the first one with data has number 1.
    fn sequence(&self, segment: u64, begin: u64) -> u32 {
        let bytes = segment.wrapping_sub(begin).wrapping_mul(u64::from(self.payload));
        bytes.wrapping_add(1) as u32
    }

    fn data(&self, seq: u32, sent: Time, echo: u32) -> Segment<'static> {
        // the other end sends nothing that could be marked: the count stays
        let ace = if self.ecn.is_accurate() { FIRST_ACE } else { 0 };
        Segment {
            seq,
            ack: 1,
            flags: flags::ACK | flags::ace(ace),
            ae: ace > 3,
            window: self.window,
            stamps: self.stamps.0.then_some((millis(sent), echo)),
            payload: self.payload,
            ..Segment::default()
        }
    }

    fn syn(&self, ends: Ends, at: Time) -> Bytes {
        // RFC 3168, section 6.1.1: both flags request ECN; with AE also set, AccECN
        let ecn = if self.ecn.is_on() { flags::ECE | flags::CWR } else { 0 };
        let stamps = self.stamps.0.then_some((millis(at), 0));
        let opening = self.opening(0, flags::SYN | ecn, stamps);
        Bytes::tcp(ends, &Segment { ae: self.ecn.is_accurate(), ..opening })
    }

    fn syn_ack(&self, ends: Ends, at: Time, echo: u32) -> Bytes {
        let ecn = match self.ecn {
            Ecn::Off => 0,
            Ecn::Classic => flags::ECE,
            // RFC 9768, table 2: AccECN, and the SYN was Not-ECT
            Ecn::Accurate | Ecn::L4s => flags::ace(NOT_ECT),
        };
        let stamps = self.stamps.1.then_some((millis(at), echo));
        Bytes::tcp(ends.back(), &self.opening(1, flags::SYN | flags::ACK | ecn, stamps))
    }

    fn opening(&self, ack: u32, flags: u8, stamps: Option<(u32, u32)>) -> Segment<'static> {
        Segment {
            ack,
            flags,
            // RFC 7323, section 2.2: it is not scaled here
            window: if self.opening.scale == 0 { self.window } else { 0xffff },
            opening: Some(self.opening),
            stamps,
            ..Segment::default()
        }
    }
}

fn millis(time: Time) -> u32 {
    (time.nanos() / 1_000_000) as u32
}
