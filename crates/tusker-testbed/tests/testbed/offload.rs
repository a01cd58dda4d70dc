//! A piece that a host hands over becomes the packets that the wire would have carried.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};

use crate::support::rights;
use proptest::prelude::*;
use tusker_testbed::Host;
use tusker_testbed::offload::{
    Checksum, ECN, Header, Pieces, TCP_PIECES, TCP_PIECES_6, UDP_PIECES,
};

const TCP: Header =
    Header { checksum: Some(Checksum { start: 20, offset: 16 }), kind: TCP_PIECES, size: 1000 };

/// A piece of `payload` bytes, from 10.0.0.1 to 10.0.0.2, number 65,535, flags FIN, PSH,
/// ACK and CWR, without its checksum.
pub fn piece(payload: usize) -> Vec<u8> {
    let mut bytes = vec![0x45, 0];
    bytes.extend((40 + payload as u16).to_be_bytes());
    bytes.extend([0xff, 0xff, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    bytes.extend([0x9c, 0x40, 0x27, 0x10, 0xff, 0xff, 0xff, 0, 0, 0, 0, 9]);
    bytes.extend([0x50, 0x99, 1, 0, 0, 0, 0, 0]);
    bytes.extend((0..payload).map(|at| at as u8));
    bytes
}

fn packets(header: &Header, bytes: &[u8], mtu: usize) -> Option<Vec<Vec<u8>>> {
    let mut pieces = Pieces::new(header, bytes, mtu)?;
    let mut all = Vec::new();
    let mut packet = Vec::new();
    while pieces.next(&mut packet).is_some() {
        all.push(packet.clone());
    }
    Some(all)
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

/// RFC 1071: the ones' complement sum.
pub fn sum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2);
    let mut sum: u32 =
        words.map(|two| u32::from(two[0]) << 8 | u32::from(*two.get(1).unwrap_or(&0))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    sum as u16
}

#[test]
fn numbers_flags_and_lengths_are_those_of_packets() {
    let all = packets(&TCP, &piece(2500), 1500).expect("a piece");
    let of = |what: fn(&[u8]) -> u32| all.iter().map(|packet| what(packet)).collect::<Vec<u32>>();
    assert_eq!(of(|p| p.len() as u32), [1040, 1040, 540]);
    assert_eq!(of(|p| u32::from(word(p, 2))), [1040, 1040, 540]);
    // one more each, wrapping from 65,535 to 0
    assert_eq!(of(|p| u32::from(word(p, 4))), [0xffff, 0, 1]);
    // 1000 bytes more each, beyond 2^32
    assert_eq!(
        of(|p| u32::from_be_bytes([p[24], p[25], p[26], p[27]])),
        [0xffff_ff00, 0x2e8, 0x6d0]
    );
    // CWR in the first only, FIN and PSH in the last only, ACK in all
    assert_eq!(of(|p| u32::from(p[33])), [0x90, 0x10, 0x19]);
    for packet in &all {
        assert_eq!(sum(&packet[..20]), 0xffff, "the checksum of IP is right");
        // 10.0.0.1 and 10.0.0.2, TCP, 20 bytes and the payload
        let pseudo = 0x0a00 + 1 + 0x0a00 + 2 + 6 + (packet.len() as u16 - 20);
        assert_eq!(word(packet, 36), pseudo, "that of TCP is of its pseudo header");
    }
}

#[test]
fn what_no_host_sends_is_nothing() {
    let bytes = piece(2500);
    let none = |header: Header, bytes: &[u8], mtu, why: &str| {
        assert!(Pieces::new(&header, bytes, mtu).is_none(), "{why}");
    };
    none(TCP, &bytes, 1039, "a piece would be longer than the MTU");
    none(TCP, &bytes[..2000], 1500, "it is cut short");
    none(Header { size: 0, ..TCP }, &bytes, 1500, "pieces without payload");
    none(Header { kind: 4, ..TCP }, &bytes, 1500, "IPv6");
    none(Header { kind: UDP_PIECES, ..TCP }, &bytes, 1500, "UDP that is TCP");
    none(Header::default(), &bytes, 1500, "one packet that is longer than the MTU");
    none(Header::default(), &[], 1500, "no bytes");
    let mut fragment = bytes;
    fragment[6] = 0x20;
    none(TCP, &fragment, 1500, "there are more fragments");
}

/// What the kernel makes of a piece when it forwards it to a device without offloads,
/// compared with our result.
fn beside_the_kernel(header: &Header, bytes: &[u8]) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    let (router, tun) = Host::new("router", Ipv4Addr::new(10, 9, 9, 9), 1500).expect("a host");
    router.sysctl("net.ipv4.ip_forward", "1").expect("it can");
    router.sysctl("net.ipv4.conf.all.send_redirects", "0").expect("it can");
    router.sysctl("net.ipv4.conf.tun0.send_redirects", "0").expect("it can");
    let router = router.with_six();
    if router.has_six() {
        router.sysctl("net.ipv6.conf.all.forwarding", "1").expect("it can");
    }
    tun.send_piece(bytes, header).expect("taken");
    let mut buffer = [0; 65_535];
    let mut kernel = Vec::new();
    while let Ok(length) = tun.recv(&mut buffer) {
        kernel.push(buffer[..length].to_vec());
    }
    let mut ours = packets(header, bytes, 1500).expect("a piece");
    if bytes[0] >> 4 == 6 {
        // multicast of the router's own is none of it
        kernel.retain(|packet| packet[0] >> 4 == 6 && packet[6] == 6);
        for packet in &mut ours {
            packet[7] -= 1;
            let checksum = !sum(&packet[40..]);
            packet[56..58].copy_from_slice(&checksum.to_be_bytes());
        }
        return (kernel, ours);
    }
    let offset = if header.kind & !ECN == TCP_PIECES { 36 } else { 26 };
    for packet in &mut ours {
        // what a router does: RFC 1812, section 5.3.1
        packet[8] -= 1;
        packet[10..12].fill(0);
        let checksum = !sum(&packet[..20]);
        packet[10..12].copy_from_slice(&checksum.to_be_bytes());
        // what a device does: the pseudo header's checksum is already there
        let checksum = !sum(&packet[20..]);
        packet[offset..offset + 2].copy_from_slice(&checksum.to_be_bytes());
    }
    (kernel, ours)
}

/// The checksums of a piece as hosts leave them.
pub fn finish(mut bytes: Vec<u8>, transport: u8, offset: usize) -> Vec<u8> {
    let checksum = !sum(&bytes[..20]);
    bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
    let pseudo =
        [&bytes[12..20], &[0, transport], &((bytes.len() - 20) as u16).to_be_bytes()].concat();
    bytes[offset..offset + 2].copy_from_slice(&sum(&pseudo).to_be_bytes());
    bytes
}

#[test]
fn the_kernel_makes_the_same_packets_of_segments() {
    if !rights("the_kernel_makes_the_same_packets_of_segments") {
        return;
    }
    // 1441 bytes and 4096: neither is a multiple of the other
    for (payload, size) in [(4096, 1441), (1001, 1000), (60_000, 1460), (2000, 1000)] {
        let header = Header { size, kind: TCP_PIECES | ECN, ..TCP };
        let (kernel, ours) = beside_the_kernel(&header, &finish(piece(payload), 6, 36));
        assert_eq!(kernel.len(), payload.div_ceil(usize::from(size)));
        assert!(kernel == ours, "{payload} by {size}");
    }
}

#[test]
fn the_kernel_makes_the_same_packets_of_ipv6() {
    if !rights("the_kernel_makes_the_same_packets_of_ipv6") {
        return;
    }
    if !std::path::Path::new("/proc/net/if_inet6").exists() {
        return eprintln!("skipped: this kernel has no IPv6");
    }
    let address = |last| [0xfd, 0x74, 0x75, 0x73, 0x6b, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, last];
    for (payload, size) in [(4096, 1421), (1001, 1000), (60_000, 1440)] {
        let four = piece(payload);
        let length = (four.len() - 20) as u16;
        let mut bytes = vec![0x60, 0, 0, 0];
        bytes.extend(length.to_be_bytes());
        bytes.extend([6, 64]);
        bytes.extend([address(1), address(2)].concat());
        bytes.extend(&four[20..]);
        // RFC 8200, section 8.1: addresses, length, and the number of TCP
        let pseudo = sum(&[&bytes[8..40], &length.to_be_bytes(), &[0, 6]].concat());
        bytes[56..58].copy_from_slice(&pseudo.to_be_bytes());
        let checksum = Some(Checksum { start: 40, offset: 16 });
        let header = Header { checksum, kind: TCP_PIECES_6 | ECN, size };
        assert!(packets(&Header { kind: TCP_PIECES, ..header }, &bytes, 1500).is_none(), "IPv4");
        let (kernel, ours) = beside_the_kernel(&header, &bytes);
        assert_eq!(kernel.len(), payload.div_ceil(usize::from(size)));
        assert!(kernel == ours, "{payload} by {size}");
    }
}

#[test]
fn the_kernel_makes_the_same_packets_of_datagrams() {
    if !rights("the_kernel_makes_the_same_packets_of_datagrams") {
        return;
    }
    let mut bytes = piece(3000);
    bytes[9] = 17;
    // UDP: ports, length, checksum; what follows is payload
    bytes[24..26].copy_from_slice(&3020_u16.to_be_bytes());
    let bytes = finish(bytes, 17, 26);
    let checksum = Some(Checksum { start: 20, offset: 6 });
    let header = Header { checksum, kind: UDP_PIECES, size: 1200 };
    let (kernel, ours) = beside_the_kernel(&header, &bytes);
    assert_eq!(kernel.iter().map(Vec::len).collect::<Vec<_>>(), [1228, 1228, 640]);
    assert!(kernel == ours);
}

proptest! {
    /// Packets joined together again give the piece.
    #[test]
    fn pieces_are_the_whole(payload in 1_usize..9000, size in 1_u16..1461) {
        let bytes = piece(payload);
        let all = packets(&Header { size, ..TCP }, &bytes, 1500).expect("a piece");
        prop_assert_eq!(all.len(), payload.div_ceil(usize::from(size)));
        prop_assert!(all.iter().all(|packet| packet.len() <= 1500));
        let together: Vec<u8> = all.iter().flat_map(|packet| &packet[40..]).copied().collect();
        prop_assert_eq!(&together, &bytes[40..]);
    }

    /// Works for any bytes.
    #[test]
    fn any_bytes_are_cut_or_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        header in any::<[u8; 10]>(),
    ) {
        let all = packets(&Header::read(header), &bytes, 100);
        prop_assert!(all.into_iter().flatten().all(|packet| packet.len() <= 100));
    }
}

#[test]
fn a_host_hands_over_long_pieces_when_it_may() {
    if !rights("a_host_hands_over_long_pieces_when_it_may") {
        return;
    }
    let (left, one) = Host::new("left", Ipv4Addr::new(10, 0, 0, 1), 1500).expect("a host");
    let (right, other) = Host::new("right", Ipv4Addr::new(10, 0, 0, 2), 1500).expect("a host");
    one.offload().expect("it can");
    other.offload().expect("it can");
    let listener = right.run(|| TcpListener::bind(("0.0.0.0", 9000))).expect("entered");
    let listener = listener.expect("bound");
    let receiver = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a connection");
        let mut all = vec![0; 14_000];
        stream.read_exact(&mut all).expect("all of it");
        all
    });
    // 14,600 bytes are the first window
    let sender = std::thread::spawn(move || {
        let stream = left.run(|| TcpStream::connect(("10.0.0.2", 9000))).expect("entered");
        let mut stream = stream.expect("open");
        stream.write_all(&[7; 14_000]).expect("sent");
        stream
    });
    let mut longest = 0;
    let mut buffer = vec![0; 65_535];
    let mut packet = Vec::new();
    while !receiver.is_finished() {
        for (from, to) in [(&one, &other), (&other, &one)] {
            while let Ok((length, header)) = from.recv_piece(&mut buffer) {
                longest = longest.max(length);
                let mut pieces = Pieces::new(&header, &buffer[..length], 1500).expect("a piece");
                while let Some(checksum) = pieces.next(&mut packet) {
                    let one = Header { checksum, ..Header::default() };
                    to.send_piece(&packet, &one).expect("taken");
                }
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // checksums were left out, and every byte was accepted
    assert!(receiver.join().expect("in order").iter().all(|byte| *byte == 7));
    drop(sender.join().expect("in order"));
    assert!(longest > 1500, "the longest piece has {longest} B");
}
