//! Reads IP packets for the emulator, and writes one thing: ECN marks.

use std::net::Ipv4Addr;

use tusker_core::queue::Codepoint;

use crate::addresses;

/// The fields that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Source host, by its IPv4 address also if the packet is one of IPv6.
    pub from: Ipv4Addr,
    /// Destination host, in the same way.
    pub to: Ipv4Addr,
    /// The transport protocol.
    pub protocol: Protocol,
    /// Ports of TCP or UDP.
    pub ports: Option<(u16, u16)>,
    /// For TCP.
    pub segment: Option<Segment>,
    /// Whether it can be marked instead of dropped, and its ECN field.
    pub ecn: Codepoint,
    /// The DSCP, above it in the same byte (RFC 2474, section 3).
    pub dscp: u8,
}

/// The transport protocol of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// A TCP segment.
    Tcp,
    /// A UDP datagram.
    Udp,
    /// Anything else, by its number.
    Other(u8),
}

impl Protocol {
    fn number(self) -> u8 {
        match self {
            Self::Tcp => TCP,
            Self::Udp => UDP,
            Self::Other(number) => number,
        }
    }
}

/// The fields that are read from a TCP segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of its first byte.
    pub seq: u32,
    /// The number up to which everything in the other direction has arrived.
    pub ack: Option<u32>,
    /// Bytes of payload.
    pub payload: u32,
    /// It opens a connection.
    pub syn: bool,
    /// Nothing follows it.
    pub fin: bool,
    /// The sender has reduced its window (RFC 3168).
    pub cwr: bool,
}

/// Protocol number of TCP.
pub const TCP: u8 = 6;

/// Protocol number of UDP.
pub const UDP: u8 = 17;

/// RFC 3168, section 5: the two lowest bits of the second byte.
const ECN: u8 = 0b11;

/// Bytes of the header of IPv6.
pub const SIX: usize = 40;

impl Header {
    /// Reads a packet; `None` if it is not a complete packet between hosts of an emulated
    /// network. Safe for any bytes.
    pub fn read(packet: &[u8]) -> Option<Self> {
        match packet.first()? >> 4 {
            4 => Self::four(packet),
            6 => Self::six(packet),
            _ => None,
        }
    }

    fn four(packet: &[u8]) -> Option<Self> {
        let head: &[u8; 20] = packet.get(..20)?.try_into().ok()?;
        let header = usize::from(head[0] & 0x0f) * 4;
        let total = usize::from(u16::from_be_bytes([head[2], head[3]]));
        if header < 20 || total < header || total != packet.len() {
            return None;
        }
        let address = |at: usize| Ipv4Addr::new(head[at], head[at + 1], head[at + 2], head[at + 3]);
        // only the first fragment has ports
        let first = u16::from_be_bytes([head[6], head[7]]) & 0x1fff == 0;
        let body = packet.get(header..)?;
        Some(Self::of((address(12), address(16)), head[9], first, body, head[1]))
    }

    /// RFC 8200, section 3. What extension headers hide is not looked for.
    fn six(packet: &[u8]) -> Option<Self> {
        let head: &[u8; SIX] = packet.get(..SIX)?.try_into().ok()?;
        let payload = usize::from(u16::from_be_bytes([head[4], head[5]]));
        if payload + SIX != packet.len() {
            return None;
        }
        let address = |at: usize| addresses::of_six(head[at..at + 16].try_into().ok()?);
        // the traffic class is in the first two bytes
        let class = head[0] << 4 | head[1] >> 4;
        Some(Self::of((address(8)?, address(24)?), head[6], true, &packet[SIX..], class))
    }

    fn of(
        (from, to): (Ipv4Addr, Ipv4Addr),
        protocol: u8,
        first: bool,
        body: &[u8],
        class: u8,
    ) -> Self {
        let ports = match (protocol, first) {
            (TCP | UDP, true) => body
                .get(..4)
                .map(|p| (u16::from_be_bytes([p[0], p[1]]), u16::from_be_bytes([p[2], p[3]]))),
            _ => None,
        };
        let segment = if protocol == TCP && first { segment(body) } else { None };
        let protocol = match protocol {
            TCP => Protocol::Tcp,
            UDP => Protocol::Udp,
            other => Protocol::Other(other),
        };
        // RFC 3168, section 5: ECN is the two lowest bits
        let (ecn, dscp) = (Codepoint::from_bits(class), class >> 2);
        Self { from, to, protocol, ports, segment, ecn, dscp }
    }
}

/// A number shared by the packets of one connection in one direction, for queues that
/// separate flows: a hash of addresses, protocol, and ports if any.
pub fn connection(packet: &[u8]) -> u64 {
    let Some(header) = Header::read(packet) else { return u64::MAX };
    let (from, to) = header.ports.unwrap_or_default();
    let parts = [
        u64::from(u32::from(header.from)) << 32 | u64::from(u32::from(header.to)),
        u64::from(header.protocol.number()) << 32 | u64::from(from) << 16 | u64::from(to),
    ];
    // FNV-1a
    parts.iter().flat_map(|part| part.to_be_bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The addresses of the hosts that a packet comes from and goes to.
pub fn hosts(packet: &[u8]) -> (u32, u32) {
    Header::read(packet).map_or((0, 0), |header| (header.from.into(), header.to.into()))
}

/// Of a TCP segment (RFC 9293, section 3.1).
fn segment(body: &[u8]) -> Option<Segment> {
    const FIN: u8 = 0x01;
    const SYN: u8 = 0x02;
    const ACK: u8 = 0x10;
    const CWR: u8 = 0x80;
    let number = |at: usize| Some(u32::from_be_bytes(body.get(at..at + 4)?.try_into().ok()?));
    let (seq, ack) = (number(4)?, number(8)?);
    let offset = usize::from(body.get(12)? >> 4) * 4;
    let payload = body.len().checked_sub(offset.max(20))?;
    let flags = *body.get(13)?;
    let is = |flag: u8| flags & flag != 0;
    Some(Segment {
        seq,
        ack: is(ACK).then_some(ack),
        payload: u32::try_from(payload).ok()?,
        syn: is(SYN),
        fin: is(FIN),
        cwr: is(CWR),
    })
}

/// The checksum of all IP protocols (RFC 1071) over an even number of bytes.
pub fn checksum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks_exact(2).map(|two| u32::from(u16::from_be_bytes([two[0], two[1]])));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

/// Marks a packet: sets both ECN bits and updates the header's checksum (RFC 1624, equation
/// 3). For packets that [`Header::read`] accepted.
pub fn mark(packet: &mut [u8]) {
    if packet[0] >> 4 == 6 {
        // its header has no checksum
        packet[1] |= ECN << 4;
        return;
    }
    let word = |packet: &[u8], at: usize| u16::from_be_bytes([packet[at], packet[at + 1]]);
    let before = word(packet, 0);
    packet[1] |= ECN;
    let after = word(packet, 0);
    // HC' = ~(~HC + ~m + m')
    let mut sum = u32::from(!word(packet, 10)) + u32::from(!before) + u32::from(after);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    packet[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::{Header, Ipv4Addr, Segment, TCP, addresses, connection, hosts, mark};
    use proptest::prelude::*;

    /// An IPv4 header of 20 bytes with its checksum, and a TCP header of 20 with 4 bytes
    /// of data.
    fn packet() -> Vec<u8> {
        let mut p = vec![0_u8; 44];
        p[0] = 0x45;
        p[1] = 0b10;
        p[2..4].copy_from_slice(&44_u16.to_be_bytes());
        p[8] = 64;
        p[9] = TCP;
        p[12..16].copy_from_slice(&[10, 0, 0, 1]);
        p[16..20].copy_from_slice(&[10, 0, 0, 2]);
        p[20..22].copy_from_slice(&40_000_u16.to_be_bytes());
        p[22..24].copy_from_slice(&5_001_u16.to_be_bytes());
        p[24..28].copy_from_slice(&7_u32.to_be_bytes());
        p[32] = 5 << 4;
        // CWR and FIN
        p[33] = 0x81;
        let sum = checksum(&p);
        p[10..12].copy_from_slice(&sum.to_be_bytes());
        p
    }

    /// RFC 791, section 3.1: the ones' complement of the ones' complement sum.
    fn checksum(p: &[u8]) -> u16 {
        let mut sum = 0_u32;
        for word in p[..20].chunks(2) {
            sum += u32::from(u16::from_be_bytes([word[0], word[1]]));
        }
        while sum > 0xffff {
            sum = (sum & 0xffff) + (sum >> 16);
        }
        !(sum as u16)
    }

    #[test]
    fn a_segment_is_read() {
        let header = Header::read(&packet()).unwrap();
        assert_eq!(header.from, Ipv4Addr::new(10, 0, 0, 1));
        assert_eq!(header.to, Ipv4Addr::new(10, 0, 0, 2));
        assert_eq!(header.ports, Some((40_000, 5_001)));
        let segment = Segment { seq: 7, ack: None, payload: 4, syn: false, fin: true, cwr: true };
        assert_eq!(header.segment, Some(segment));
        assert!(header.ecn.is_capable());
    }

    #[test]
    fn a_mark_keeps_the_checksum_right() {
        for ecn in [0b01, 0b10] {
            let mut p = packet();
            p[1] = ecn;
            p[10..12].fill(0);
            let sum = checksum(&p);
            p[10..12].copy_from_slice(&sum.to_be_bytes());
            mark(&mut p);
            assert_eq!(p[1], 0b11);
            // over a header with its checksum the sum is all ones: RFC 1071
            assert_eq!(checksum(&p), 0);
        }
    }

    #[test]
    fn connections_are_told_apart() {
        let one = packet();
        let mut again = one.clone();
        // another sequence number
        again[24] = 1;
        assert_eq!(connection(&one), connection(&again));
        // source, destination, protocol, either port
        for at in [15, 19, 9, 21, 23] {
            let mut other = one.clone();
            other[at] ^= 1;
            assert_ne!(connection(&one), connection(&other), "byte {at}");
        }
        assert_eq!(connection(&[]), connection(&[1, 2, 3]));
    }

    #[test]
    fn hosts_are_its_addresses() {
        let mut packet = packet();
        packet[12..20].copy_from_slice(&[10, 0, 0, 1, 10, 0, 1, 2]);
        assert_eq!(hosts(&packet), (0x0a00_0001, 0x0a00_0102));
        assert_eq!(hosts(&packet[..9]), (0, 0));
    }

    #[test]
    fn what_is_cut_short_is_nothing() {
        let p = packet();
        for length in 0..p.len() {
            assert_eq!(Header::read(&p[..length]), None, "{length} bytes");
        }
        let mut long = p.clone();
        long.push(0);
        assert_eq!(Header::read(&long), None);
        let mut six = p;
        six[0] = 0x65;
        assert_eq!(Header::read(&six), None);
    }

    /// RFC 8200, section 3, and RFC 3168: traffic class 0x03 is in the lower half of the first
    /// byte and the upper half of the second.
    #[test]
    fn a_packet_of_ipv6_is_read_and_marked() {
        let four = packet();
        let mut p = vec![0x60, 0x20, 0, 0, 0, 24, TCP, 64];
        for host in [1, 2] {
            p.extend(addresses::six(Ipv4Addr::new(10, 0, 0, host)).octets());
        }
        p.extend(&four[20..]);
        let (read, other) = (Header::read(&p).unwrap(), Header::read(&four).unwrap());
        assert_eq!(read, other);
        assert_eq!(connection(&p), connection(&four));
        mark(&mut p);
        assert_eq!((p[0], p[1]), (0x60, 0x30));
        assert!(Header::read(&p[..63]).is_none());
        // to all nodes of the link
        p[24..40].copy_from_slice(&"ff02::1".parse::<std::net::Ipv6Addr>().unwrap().octets());
        assert_eq!(Header::read(&p), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut bytes = bytes;
            if let Some(header) = Header::read(&bytes) {
                mark(&mut bytes);
                let marked = Header::read(&bytes).expect("a mark breaks nothing");
                prop_assert_eq!((header.from, header.to), (marked.from, marked.to));
            }
        }
    }
}
