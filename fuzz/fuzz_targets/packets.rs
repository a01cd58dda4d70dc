//! Arbitrary bytes as a piece that a host hands to its device: never a panic; no packet is
//! longer than the MTU; the packets joined together give the piece; each can be read and
//! marked.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tusker_core::queue::Codepoint;
use tusker_testbed::ip::{self, Header as Ip, TCP, UDP};
use tusker_testbed::offload::{
    Checksum, ECN, HEADER, Header, Pieces, TCP_PIECES, TCP_PIECES_6, UDP_PIECES,
};

fuzz_target!(|bytes: &[u8]| {
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER>() else { return };
    let Some((mtu, rest)) = rest.split_first_chunk::<2>() else { return };
    let mtu = usize::from(u16::from_le_bytes(*mtu));
    read_and_mark(rest);
    cut(&Header::read(*header), rest, mtu);
    // lengths and protocols that fit, which chance would not find
    for (kind, transport) in [(TCP_PIECES, TCP), (UDP_PIECES, UDP), (TCP_PIECES | ECN, TCP)] {
        let mut fits = rest.to_vec();
        if let Some(head) = fits.first_chunk_mut::<20>() {
            head[0] = 0x40 | head[0] & 0x0f;
            head[2..4].copy_from_slice(&(rest.len() as u16).to_be_bytes());
            head[6..8].fill(0);
            head[9] = transport;
        }
        read_and_mark(&fits);
        cut(&Header { kind, ..Header::read(*header) }, &fits, mtu);
    }
});

fn read_and_mark(bytes: &[u8]) {
    let connection = ip::connection(bytes);
    let Some(before) = Ip::read(bytes) else { return };
    let mut marked = bytes.to_vec();
    ip::mark(&mut marked);
    // RFC 3168: both bits, and nothing else but the header's checksum, which IPv6 has not
    let six = bytes[0] >> 4 == 6;
    assert_eq!(marked[1], bytes[1] | if six { 0b11 << 4 } else { 0b11 });
    assert_eq!(ip::connection(&marked), connection);
    assert_eq!(Ip::read(&marked), Some(Ip { ecn: Codepoint::Ce, ..before }));
    marked[1] = bytes[1];
    if six {
        return assert_eq!(marked, bytes);
    }
    marked[10..12].copy_from_slice(&bytes[10..12]);
    assert_eq!(marked, bytes);
}

/// Cuts a piece as the emulator does, and checks the packets by RFC 791, 768 and 9293.
fn cut(header: &Header, bytes: &[u8], mtu: usize) {
    let Some(mut pieces) = Pieces::new(header, bytes, mtu) else { return };
    let (mut packet, mut together) = (Vec::new(), Vec::new());
    let (mut number, mut headers) = (0_usize, 0);
    while let Some(checksum) = pieces.next(&mut packet) {
        assert!(!packet.is_empty() && packet.len() <= mtu, "{} of {mtu} B", packet.len());
        if header.kind & !ECN == 0 {
            assert_eq!((packet.as_slice(), checksum), (bytes, header.checksum));
            together.extend_from_slice(&packet);
            continue;
        }
        let six = bytes[0] >> 4 == 6;
        let ip = if six { 40 } else { usize::from(bytes[0] & 0x0f) * 4 };
        let tcp = matches!(header.kind & !ECN, TCP_PIECES | TCP_PIECES_6);
        headers = ip + if tcp { usize::from(bytes[ip + 12] >> 4) * 4 } else { 8 };
        let offset = if tcp { 16 } else { 6 };
        assert_eq!(checksum, Some(Checksum { start: ip as u16, offset }));
        // it is a complete packet with the same source and destination; IPv6 of others is not read
        let Some(read) = Ip::read(&packet) else {
            assert!(six && Ip::read(bytes).is_none(), "a packet");
            return;
        };
        assert_eq!(Ip::read(bytes).map(|whole| whole.ports), Some(read.ports));
        assert_eq!(ip::connection(&packet), ip::connection(bytes));
        let word = |bytes: &[u8], at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        if !six {
            assert_eq!(sum(&packet[..ip]), 0xffff, "the checksum of the header is right");
            assert_eq!(word(&packet, 4), word(bytes, 4).wrapping_add(number as u16));
        }
        if tcp {
            let seq = |bytes: &[u8]| Ip::read(bytes).and_then(|ip| ip.segment).map(|tcp| tcp.seq);
            let of_whole = seq(bytes).expect("a segment");
            assert_eq!(seq(&packet), Some(of_whole.wrapping_add(together.len() as u32)));
        } else {
            assert_eq!(usize::from(word(&packet, ip + 4)), packet.len() - ip);
        }
        together.extend_from_slice(&packet[headers..]);
        number += 1;
        let last = together.len() == bytes.len() - headers;
        assert!(last || packet.len() == headers + usize::from(header.size), "one is short");
    }
    assert_eq!(together, bytes[headers..], "what was handed over, in order");
    assert!(pieces.next(&mut packet).is_none(), "it is over");
}

/// RFC 1071: the ones' complement sum.
fn sum(bytes: &[u8]) -> u16 {
    let mut sum: u32 =
        bytes.chunks_exact(2).map(|two| u32::from(u16::from_be_bytes([two[0], two[1]]))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}
