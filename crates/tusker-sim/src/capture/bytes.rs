//! IPv4, TCP and UDP headers as bytes: RFC 791, 9293, 768, with valid checksums. A
//! packet's payload is all zeros and is not written.

use std::net::Ipv4Addr;

use tusker_core::queue::Codepoint;

use crate::packet::Blocks;

const TCP: u8 = 6;
const UDP: u8 = 17;

/// Flags of a TCP header (RFC 9293, section 3.1; RFC 3168, section 6.1).
pub mod flags {
    /// Opens a connection.
    pub const SYN: u8 = 0x02;
    /// The acknowledgment number counts.
    pub const ACK: u8 = 0x10;
    /// ECN echo.
    pub const ECE: u8 = 0x40;
    /// Congestion window reduced.
    pub const CWR: u8 = 0x80;

    /// The two of these that are part of the ACE field (RFC 9768, section 3.2); its upper
    /// bit is [`ae`](super::Segment::ae).
    pub fn ace(field: u8) -> u8 {
        (field & 0b11) << 6
    }
}

/// Addresses and ports of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    pub from: (Ipv4Addr, u16),
    pub to: (Ipv4Addr, u16),
}

impl Ends {
    /// With both ends swapped.
    pub fn back(self) -> Self {
        Self { from: self.to, to: self.from }
    }
}

/// A TCP segment, without its ends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segment<'a> {
    pub seq: u32,
    pub ack: u32,
    pub flags: u8,
    /// Accurate ECN, the flag before CWR (RFC 9768).
    pub ae: bool,
    pub window: u16,
    /// Only present when a connection opens.
    pub opening: Option<Opening>,
    /// TSval and TSecr (RFC 7323).
    pub stamps: Option<(u32, u32)>,
    /// Sequence numbers of SACK blocks (RFC 2018).
    pub sack: &'a [(u32, u32)],
    /// The traffic class: DSCP and ECN field.
    pub class: u8,
    pub payload: u32,
}

/// Options of the SYN.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    pub mss: u16,
    pub sack_permitted: bool,
    pub scale: u8,
}

/// Room for the headers of a packet: 20 bytes of IPv4 and up to 60 of TCP.
#[derive(Clone, Copy, Debug)]
pub struct Bytes {
    bytes: [u8; 80],
    len: usize,
}

impl Bytes {
    /// A TCP segment.
    pub fn tcp(ends: Ends, segment: &Segment<'_>) -> Self {
        let mut all = Self { bytes: [0; 80], len: 20 };
        all.push(&ends.from.1.to_be_bytes());
        all.push(&ends.to.1.to_be_bytes());
        all.push(&segment.seq.to_be_bytes());
        all.push(&segment.ack.to_be_bytes());
        all.push(&[0, segment.flags]);
        all.push(&segment.window.to_be_bytes());
        // checksum, urgent pointer
        all.push(&[0; 4]);
        all.options(segment);
        all.bytes[32] = (((all.len - 20) / 4) << 4) as u8 | u8::from(segment.ae);
        all.finish(ends, TCP, 36, segment.class, segment.payload)
    }

    /// A UDP datagram.
    pub fn udp(ends: Ends, dscp: u8, payload: u32) -> Self {
        let mut all = Self { bytes: [0; 80], len: 20 };
        all.push(&ends.from.1.to_be_bytes());
        all.push(&ends.to.1.to_be_bytes());
        all.push(&(8 + payload as u16).to_be_bytes());
        all.push(&[0; 2]);
        all.finish(ends, UDP, 26, dscp << 2 | Codepoint::NotEct.bits(), payload)
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Length of the whole packet, as given in its IPv4 header.
    pub fn total(&self) -> u32 {
        u32::from(u16::from_be_bytes([self.bytes[2], self.bytes[3]]))
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    /// Options, with no-operations before each to pad them to whole words, as in Linux.
    fn options(&mut self, segment: &Segment<'_>) {
        if let Some(Opening { mss, sack_permitted, scale }) = segment.opening {
            self.push(&[2, 4]);
            self.push(&mss.to_be_bytes());
            if sack_permitted {
                self.push(&[1, 1, 4, 2]);
            }
            self.push(&[1, 3, 3, scale]);
        }
        if let Some((value, echo)) = segment.stamps {
            self.push(&[1, 1, 8, 10]);
            self.push(&value.to_be_bytes());
            self.push(&echo.to_be_bytes());
        }
        if !segment.sack.is_empty() {
            self.push(&[1, 1, 5, 2 + 8 * segment.sack.len() as u8]);
            for (low, high) in segment.sack {
                self.push(&low.to_be_bytes());
                self.push(&high.to_be_bytes());
            }
        }
    }

    /// The IPv4 header, and the checksum of its payload at this position.
    fn finish(mut self, ends: Ends, protocol: u8, at: usize, class: u8, payload: u32) -> Self {
        let within = self.len - 20 + payload as usize;
        let (from, to) = (ends.from.0.octets(), ends.to.0.octets());
        // RFC 9293, section 3.1, and RFC 768: a pseudo header, too
        let pseudo = sum(&from) + sum(&to) + u32::from(protocol) + within as u32;
        let checksum = match !fold(pseudo + sum(&self.bytes[20..self.len])) {
            // RFC 768: zero is no checksum
            0 if protocol == UDP => 0xffff,
            checksum => checksum,
        };
        self.bytes[at..at + 2].copy_from_slice(&checksum.to_be_bytes());
        self.bytes[0] = 0x45;
        self.bytes[1] = class;
        self.bytes[2..4].copy_from_slice(&(20 + within as u16).to_be_bytes());
        // RFC 6864, section 4.1: with "don't fragment" the number is arbitrary
        self.bytes[6] = 0x40;
        self.bytes[8] = 64;
        self.bytes[9] = protocol;
        self.bytes[12..16].copy_from_slice(&from);
        self.bytes[16..20].copy_from_slice(&to);
        let checksum = !fold(sum(&self.bytes[..20]));
        self.bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
        self
    }
}

/// SACK blocks as sequence numbers.
pub fn sequences(blocks: &Blocks, of: impl Fn(u64) -> u32) -> ([(u32, u32); Blocks::MOST], usize) {
    let mut all = [(0, 0); Blocks::MOST];
    for (place, (low, high)) in all.iter_mut().zip(blocks.as_slice()) {
        *place = (of(*low), of(*high));
    }
    (all, blocks.as_slice().len())
}

/// Sum of 16-bit words (RFC 1071).
fn sum(bytes: &[u8]) -> u32 {
    let word = |pair: &[u8]| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
    bytes.chunks(2).map(word).sum()
}

fn fold(mut sum: u32) -> u16 {
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of https://en.wikipedia.org/wiki/Internet_checksum, as worked out there:
    /// its sum without the checksum is 0x479e, so the checksum is 0xb861.
    #[test]
    fn checksum_of_a_known_header() {
        let header = [
            0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x00, 0x00, 0xc0, 0xa8,
            0x00, 0x01, 0xc0, 0xa8, 0x00, 0xc7,
        ];
        assert_eq!(!fold(sum(&header)), 0xb861);
    }

    /// RFC 9768, figure 2: AE, CWR and ECE form the ACE field; 5 is 0b101, so AE, which is
    /// the last bit of the byte with the header's length, and ECE are set.
    #[test]
    fn the_ace_field_is_three_flags() {
        let at = |octet| (Ipv4Addr::new(10, 0, 0, octet), 1);
        let flags = flags::ACK | flags::ace(5);
        let segment = Segment { flags, ae: true, ..<_>::default() };
        let bytes = Bytes::tcp(Ends { from: at(1), to: at(2) }, &segment);
        assert_eq!(bytes.as_slice()[32..34], [0x51, 0x50]);
        assert_eq!(flags::ace(0b111), flags::CWR | flags::ECE);
        assert_eq!(flags::ace(0b110), flags::CWR);
    }

    /// What a receiver checks: the sum over everything, checksum included, is all ones.
    #[test]
    fn a_receiver_finds_both_checksums_right() {
        let ends = Ends {
            from: (Ipv4Addr::new(10, 0, 0, 1), 40_000),
            to: (Ipv4Addr::new(10, 0, 0, 4), 10_000),
        };
        let sack = [(0xffff_0000, 17), (99, 12_345)];
        let stamps = Some((77, u32::MAX));
        let tcp = Segment { seq: 7, ack: 9, flags: flags::ACK, window: 65_535, ..<_>::default() };
        let segments = [
            Segment { payload: 1_448, class: Codepoint::Ce.bits(), ..tcp },
            Segment { stamps, sack: &sack, ..tcp },
            Segment {
                opening: Some(Opening { mss: 1_460, sack_permitted: true, scale: 14 }),
                stamps,
                ..tcp
            },
        ];
        let packets = segments.iter().map(|segment| Bytes::tcp(ends, segment));
        for packet in packets.chain([Bytes::udp(ends, 46, 182), Bytes::udp(ends.back(), 0, 0)]) {
            let bytes = packet.as_slice();
            assert_eq!(fold(sum(&bytes[..20])), 0xffff);
            let within = packet.total() - 20;
            let pseudo = sum(&bytes[12..20]) + u32::from(bytes[9]) + within;
            assert_eq!(fold(pseudo + sum(&bytes[20..])), 0xffff, "{packet:?}");
        }
    }
}
