//! Merges segments that arrive at a host whose scenario has `tcp.gro`, as Linux's generic receive
//! offload (GRO) does behind a network card that waits before it raises an interrupt. The host
//! then gets them as one piece.
//!
//! A segment joins those before it if it is the next of its connection and differs in nothing but
//! length, checksums and the flags FIN and PSH. A merge ends with a segment that is shorter or has
//! one of these flags, with one that cannot join, after as many segments as the scenario allows,
//! and when the first has waited for as long as it allows.
//!
//! Source: Linux 6.18, net/ipv4/tcp_offload.c, `tcp_gro_receive`; include/net/gro.h,
//! `inet_gro_flush` and `ipv6_gro_flush`.

use tusker_core::Time;
use tusker_plan::plan::{Gro, Plan};

use crate::offload::{self, CWR, FIN, FLAGS, PSH, RST, SYN, URG, word};
use crate::packet::Packet;
use crate::ways::ends;

/// The longest piece, in bytes: that of IPv4.
const LONGEST: usize = 65_535;

/// The most segments of a piece: a system call takes 1,024 parts.
const MOST: u32 = 1_000;

/// What a host gets at once: a packet, perhaps with others that were merged with it.
#[derive(Debug)]
pub struct Delivery {
    /// When it is due.
    pub at: Time,
    /// Index of the host's node.
    pub node: usize,
    /// The first packet.
    pub first: Box<Packet>,
    /// Those that follow it.
    pub rest: Vec<Box<Packet>>,
    /// Bytes of the headers of each, if there are several.
    headers: usize,
}

impl Delivery {
    /// A packet by itself.
    pub fn single(at: Time, node: usize, first: Box<Packet>) -> Self {
        Self { at, node, first, rest: Vec::new(), headers: 0 }
    }

    /// The header for the host's device. The headers of the first packet become those of the
    /// whole piece.
    pub fn header(&mut self) -> offload::Header {
        let Self { first, rest, .. } = self;
        let payload = rest.iter().map(|packet| packet.bytes.len() - self.headers).sum();
        let joined = rest.last().and_then(|last| {
            let (ip, _) = offload::segment_headers(&last.bytes)?;
            offload::join(&mut first.bytes, payload, last.bytes[ip + FLAGS])
        });
        let single = offload::Header { checksum: first.checksum, ..Default::default() };
        joined.unwrap_or(single)
    }

    /// Its bytes, in parts.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let rest = self.rest.iter().map(|packet| &packet.bytes[self.headers..]);
        std::iter::once(&self.first.bytes[..]).chain(rest)
    }
}

/// A merge that has not ended.
#[derive(Debug)]
struct Open {
    delivery: Delivery,
    most: u32,
    /// Bytes of the IP header of each.
    ip: usize,
    /// Bytes of payload of each, and of all.
    size: usize,
    payload: usize,
    /// All have the same identification in IP, instead of one more each.
    same_id: bool,
}

/// The merges of all hosts.
#[derive(Debug)]
pub struct Merger {
    /// Of each flow of the plan.
    flows: Vec<Option<Gro>>,
    /// Of each node, for packets that belong to no flow: that of its first flow that has one.
    nodes: Vec<Option<Gro>>,
    open: Vec<Open>,
}

impl Merger {
    /// With the settings of a plan.
    pub fn new(plan: &Plan) -> Self {
        let mut nodes = vec![None; plan.nodes.len()];
        for flow in &plan.flows {
            for node in ends(plan, &flow.route) {
                nodes[node] = nodes[node].or(flow.tcp.gro);
            }
        }
        let flows = plan.flows.iter().map(|flow| flow.tcp.gro).collect();
        Self { flows, nodes, open: Vec::new() }
    }

    /// A packet arrives at the host of a node. Times must not decrease from call to call.
    pub fn arrive(
        &mut self,
        at: Time,
        node: usize,
        packet: Box<Packet>,
        deliver: &mut impl FnMut(Delivery),
    ) {
        self.end(at, deliver);
        let gro = match packet.flow {
            Some(flow) => self.flows.get(flow).copied().flatten(),
            None => self.nodes[node],
        };
        let headers = gro.and_then(|gro| Some((gro, offload::segment_headers(&packet.bytes)?)));
        let Some((gro, (ip, headers))) = headers else {
            return deliver(Delivery::single(at, node, packet));
        };
        let flags = packet.bytes[ip + FLAGS];
        let payload = packet.bytes.len() - headers;
        let before = self.open.iter().position(|open| open.is_connection(node, &packet.bytes, ip));
        if let Some(index) = before {
            let open = &mut self.open[index];
            if !open.can_join(&packet, headers) {
                self.deliver(index, at, deliver);
            } else {
                open.join(packet);
                let count = 1 + open.delivery.rest.len() as u32;
                if payload < open.size || flags & (PSH | FIN) != 0 || count >= open.most {
                    self.deliver(index, at, deliver);
                }
                return;
            }
        }
        let alone = payload == 0
            || flags & (URG | PSH | RST | SYN | FIN) != 0
            || packet.checksum.is_none()
            // options of IP
            || packet.bytes[0] >> 4 == 4 && ip != 20;
        if alone {
            return deliver(Delivery::single(at, node, packet));
        }
        self.open.push(Open {
            delivery: Delivery {
                at: at + gro.wait,
                node,
                first: packet,
                rest: Vec::new(),
                headers,
            },
            most: gro.segments.min(MOST),
            ip,
            size: payload,
            payload,
            same_id: false,
        });
    }

    /// Ends the merges that have waited long enough at `now`, in order of time.
    pub fn end(&mut self, now: Time, deliver: &mut impl FnMut(Delivery)) {
        while let Some(index) = self.earliest().filter(|&index| self.open[index].delivery.at <= now)
        {
            let at = self.open[index].delivery.at;
            self.deliver(index, at, deliver);
        }
    }

    /// When a merge ends next.
    pub fn next(&self) -> Option<Time> {
        self.earliest().map(|index| self.open[index].delivery.at)
    }

    fn earliest(&self) -> Option<usize> {
        (0..self.open.len()).min_by_key(|&index| self.open[index].delivery.at)
    }

    fn deliver(&mut self, index: usize, at: Time, deliver: &mut impl FnMut(Delivery)) {
        // keeps the order of those that end at the same time
        let open = self.open.remove(index);
        deliver(Delivery { at, ..open.delivery });
    }
}

impl Open {
    /// Whether a packet to this node is of the same connection, in the same direction.
    fn is_connection(&self, node: usize, bytes: &[u8], ip: usize) -> bool {
        let first = &self.delivery.first.bytes;
        let addresses = if self.ip == 20 { 12..20 } else { 8..40 };
        self.delivery.node == node
            && self.ip == ip
            && first[0] >> 4 == bytes[0] >> 4
            && first[addresses.clone()] == bytes[addresses]
            && first[ip..ip + 4] == bytes[ip..ip + 4]
    }

    /// Whether the segment is the next, and differs in nothing that the host must see.
    fn can_join(&mut self, packet: &Packet, headers: usize) -> bool {
        let (first, bytes) = (&self.delivery.first.bytes, &packet.bytes);
        let count = 1 + self.delivery.rest.len() as u16;
        let same_network = if first[0] >> 4 == 6 {
            // traffic class and flow label; hop limit
            first[..4] == bytes[..4] && first[7] == bytes[7]
        } else {
            let apart = word(bytes, 4).wrapping_sub(word(first, 4));
            self.same_id |= count == 1 && apart == 0;
            // traffic class, "don't fragment", hop limit; identification
            first[1] == bytes[1]
                && first[6] == bytes[6]
                && first[8] == bytes[8]
                && apart == if self.same_id { 0 } else { count }
        };
        let (a, b) = (&first[self.ip..self.delivery.headers], &bytes[self.ip..headers]);
        let number =
            |segment: &[u8]| u32::from_be_bytes([segment[4], segment[5], segment[6], segment[7]]);
        let payload = bytes.len() - headers;
        same_network
            && packet.checksum.is_some()
            && headers == self.delivery.headers
            && number(b) == number(a).wrapping_add(self.payload as u32)
            && a[8..FLAGS] == b[8..FLAGS]
            && (a[FLAGS] ^ b[FLAGS]) & !(CWR | FIN | PSH) == 0
            && b[FLAGS] & CWR == 0
            // window; options
            && a[14..16] == b[14..16]
            && a[20..] == b[20..]
            && (1..=self.size).contains(&payload)
            && headers + self.payload + payload <= LONGEST
    }

    fn join(&mut self, packet: Box<Packet>) {
        self.payload += packet.bytes.len() - self.delivery.headers;
        self.delivery.rest.push(packet);
    }
}
