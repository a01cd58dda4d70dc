//! Work that a host leaves to its device: checksums, and cutting up long segments.
//!
//! A host with such a device hands over up to 64 KiB of one connection as one piece with one
//! header; a network card would cut it into packets. Here [`Pieces`] does that exactly as the
//! kernel would (`tests/testbed/offload.rs` compares them byte by byte), except for the
//! checksums of TCP and UDP: like packets that a host sends to itself, these carry only the
//! checksum of the pseudo header, and the receiving host is told so.
//!
//! Source: Virtual I/O Device (VIRTIO) 1.2, section 5.1.6; `linux/virtio_net.h`.

use crate::ip::{SIX, TCP, UDP, checksum};

/// Bytes of a [`Header`].
pub const HEADER: usize = 10;

/// Where a checksum has yet to be filled in, counted from the packet's first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum {
    /// It covers everything from here on.
    pub start: u16,
    /// It is stored this many bytes after that.
    pub offset: u16,
}

/// A `struct virtio_net_hdr`, which precedes each packet at a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The checksum was left out; only that of the pseudo header is there.
    pub checksum: Option<Checksum>,
    /// 0: one packet. [`TCP_PIECES`] or [`UDP_PIECES`]: several, perhaps with [`ECN`].
    pub kind: u8,
    /// Bytes of payload in all pieces but the last.
    pub size: u16,
}

/// `VIRTIO_NET_HDR_F_NEEDS_CSUM`.
const NEEDS_CHECKSUM: u8 = 1;

/// `VIRTIO_NET_HDR_GSO_TCPV4`.
pub const TCP_PIECES: u8 = 1;

/// `VIRTIO_NET_HDR_GSO_TCPV6`.
pub const TCP_PIECES_6: u8 = 4;

/// `VIRTIO_NET_HDR_GSO_UDP_L4`, of either family.
pub const UDP_PIECES: u8 = 5;

/// `VIRTIO_NET_HDR_GSO_ECN`: the TCP segment reports a reduced window (CWR).
pub const ECN: u8 = 0x80;

impl Header {
    /// Parses what the kernel wrote. Numbers are in this machine's byte order.
    pub fn read(bytes: [u8; HEADER]) -> Self {
        let word = |at: usize| u16::from_ne_bytes([bytes[at], bytes[at + 1]]);
        let left_out = bytes[0] & NEEDS_CHECKSUM != 0;
        Self {
            checksum: left_out.then(|| Checksum { start: word(6), offset: word(8) }),
            kind: bytes[1],
            size: word(4),
        }
    }

    /// For the kernel.
    pub fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[1] = self.kind;
        bytes[4..6].copy_from_slice(&self.size.to_ne_bytes());
        if let Some(Checksum { start, offset }) = self.checksum {
            bytes[0] = NEEDS_CHECKSUM;
            bytes[6..8].copy_from_slice(&start.to_ne_bytes());
            bytes[8..10].copy_from_slice(&offset.to_ne_bytes());
        }
        bytes
    }
}

/// The packets that a host handed over as one piece.
#[derive(Debug)]
pub struct Pieces<'a> {
    bytes: &'a [u8],
    /// The headers that each begins with: IP, and TCP or UDP.
    ip: usize,
    headers: usize,
    /// Payload of each except the last.
    size: usize,
    /// Where the next one's payload begins.
    at: usize,
    number: u16,
    whole: Option<Checksum>,
    transport: u8,
}

impl<'a> Pieces<'a> {
    /// `None` if a host with this `mtu` cannot have sent this. Safe for any bytes; no
    /// packet is longer than the MTU.
    pub fn new(header: &Header, bytes: &'a [u8], mtu: usize) -> Option<Self> {
        let whole = Self {
            bytes,
            ip: 0,
            headers: 0,
            size: bytes.len(),
            at: 0,
            number: 0,
            whole: header.checksum,
            transport: 0,
        };
        let transport = match header.kind & !ECN {
            0 => return (!bytes.is_empty() && bytes.len() <= mtu).then_some(whole),
            TCP_PIECES | TCP_PIECES_6 => TCP,
            UDP_PIECES => UDP,
            _ => return None,
        };
        let (ip, family) = headers_of(bytes, transport)?;
        if header.kind & !ECN != UDP_PIECES && (header.kind & !ECN == TCP_PIECES_6) != (family == 6)
        {
            return None;
        }
        let body = bytes.get(ip..)?;
        let headers = ip
            + match transport {
                TCP => usize::from(body.get(12)? >> 4) * 4,
                _ => 8,
            };
        let least = ip + if transport == TCP { 20 } else { 8 };
        let size = usize::from(header.size);
        if headers < least || headers >= bytes.len() || size == 0 || headers + size > mtu {
            return None;
        }
        Some(Self { ip, headers, size, at: headers, transport, ..whole })
    }

    /// Writes the next packet into `packet` and returns the checksum that is left out of
    /// it; `None` if there are no more.
    pub fn next(&mut self, packet: &mut Vec<u8>) -> Option<Option<Checksum>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        packet.clear();
        if self.headers == 0 {
            packet.extend_from_slice(rest);
            self.at = self.bytes.len();
            return Some(self.whole);
        }
        let payload = &rest[..self.size.min(rest.len())];
        packet.extend_from_slice(&self.bytes[..self.headers]);
        packet.extend_from_slice(payload);
        let first = self.at == self.headers;
        let last = payload.len() == rest.len();
        let before = (self.at - self.headers) as u32;
        let (ip, transport) = packet.split_at_mut(self.ip);
        let length = transport.len() as u16;
        if ip[0] >> 4 == 4 {
            put(ip, 4, word(ip, 4).wrapping_add(self.number));
        }
        let pseudo = set_length(ip, self.transport, length);
        let offset = if self.transport == TCP { TCP_CHECKSUM } else { 6 };
        put(transport, offset, pseudo);
        if self.transport == TCP {
            let seq = u32::from_be_bytes([transport[4], transport[5], transport[6], transport[7]]);
            transport[4..8].copy_from_slice(&seq.wrapping_add(before).to_be_bytes());
            // FIN and PSH go into the last packet, CWR into the first
            if !last {
                transport[FLAGS] &= !(FIN | PSH);
            }
            if !first {
                transport[FLAGS] &= !CWR;
            }
        } else {
            put(transport, 4, length);
        }
        self.at += payload.len();
        self.number = self.number.wrapping_add(1);
        Some(Some(Checksum { start: self.ip as u16, offset: offset as u16 }))
    }
}

/// Bytes of the IP header of a TCP segment, and of its headers together; `None` if it is none,
/// or a fragment.
pub fn segment_headers(bytes: &[u8]) -> Option<(usize, usize)> {
    let (ip, _) = headers_of(bytes, TCP)?;
    let headers = ip + usize::from(bytes.get(ip + 12)? >> 4) * 4;
    (headers >= ip + 20 && headers <= bytes.len()).then_some((ip, headers))
}

/// The reverse of [`Pieces`]: the headers of a segment become those of a piece to which `more`
/// bytes of payload belong, up to 65,535 in all. `flags` are those of the last segment. Returns
/// the header for the device; `None` if it is no segment.
pub fn join(first: &mut [u8], more: usize, flags: u8) -> Option<Header> {
    let (ip, headers) = segment_headers(first)?;
    let size = (first.len() - headers) as u16;
    let length = (first.len() - ip + more) as u16;
    let (network, segment) = first.split_at_mut(ip);
    let pseudo = set_length(network, TCP, length);
    put(segment, TCP_CHECKSUM, pseudo);
    segment[FLAGS] |= flags & (FIN | PSH);
    let kind = if network[0] >> 4 == 6 { TCP_PIECES_6 } else { TCP_PIECES };
    let kind = if segment[FLAGS] & CWR != 0 { kind | ECN } else { kind };
    let checksum = Some(Checksum { start: ip as u16, offset: TCP_CHECKSUM as u16 });
    Some(Header { checksum, kind, size })
}

/// An IP header is now that of a packet with `length` bytes after it. Returns the checksum of
/// its pseudo header.
fn set_length(ip: &mut [u8], transport: u8, length: u16) -> u16 {
    // addresses, protocol and length: RFC 9293, section 3.1, and RFC 8200, section 8.1
    let mut pseudo = [0; SIX];
    if ip[0] >> 4 == 6 {
        put(ip, 4, length);
        pseudo[..32].copy_from_slice(&ip[8..SIX]);
    } else {
        // RFC 791, section 3.1: total length, and the header's checksum
        put(ip, 2, ip.len() as u16 + length);
        put(ip, 10, 0);
        put(ip, 10, checksum(ip));
        pseudo[..8].copy_from_slice(&ip[12..20]);
    }
    // zeros elsewhere change no sum
    put(&mut pseudo, 34, length);
    pseudo[39] = transport;
    !checksum(&pseudo)
}

/// Bytes of the IP header of a piece, and its version; `None` if it is none of this transport
/// protocol, or a fragment.
fn headers_of(bytes: &[u8], transport: u8) -> Option<(usize, u8)> {
    let head: &[u8; 20] = bytes.get(..20)?.try_into().ok()?;
    if head[0] >> 4 == 6 {
        let payload = usize::from(u16::from_be_bytes([head[4], head[5]]));
        return (payload + SIX == bytes.len() && head[6] == transport).then_some((SIX, 6));
    }
    let ip = usize::from(head[0] & 0x0f) * 4;
    let total = usize::from(u16::from_be_bytes([head[2], head[3]]));
    // more fragments, or not the first
    let fragment = u16::from_be_bytes([head[6], head[7]]) & 0x3fff != 0;
    let is = head[0] >> 4 == 4 && ip >= 20 && total == bytes.len() && !fragment;
    (is && head[9] == transport).then_some((ip, 4))
}

/// Flags of TCP (RFC 9293, section 3.1), in this byte of a segment.
pub(crate) const FLAGS: usize = 13;
pub(crate) const FIN: u8 = 0x01;
pub(crate) const SYN: u8 = 0x02;
pub(crate) const RST: u8 = 0x04;
pub(crate) const PSH: u8 = 0x08;
pub(crate) const URG: u8 = 0x20;
pub(crate) const CWR: u8 = 0x80;

/// Where a segment has its checksum.
const TCP_CHECKSUM: usize = 16;

/// The two bytes from `at` on, as a number.
pub fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn put(bytes: &mut [u8], at: usize, word: u16) {
    bytes[at..at + 2].copy_from_slice(&word.to_be_bytes());
}
