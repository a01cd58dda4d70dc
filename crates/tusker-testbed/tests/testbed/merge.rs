//! Segments that arrive together are merged as Linux's generic receive offload does.

use proptest::prelude::*;
use tusker_core::Time;
use tusker_testbed::merge::{Delivery, Merger};
use tusker_testbed::offload::{Checksum, ECN, Header, Pieces, TCP_PIECES, TCP_PIECES_6};
use tusker_testbed::packet::Packet;

use crate::offload::{finish, piece, sum};
use crate::valid::plan;

const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;

/// Bytes of payload in a full segment.
const SIZE: usize = 1000;

/// Of a plan with one flow; its receiver's node.
fn merger(gro: &str) -> (Merger, usize) {
    let plan = plan(&format!(
        "profile = 'linux'\nduration = '4s'\n[dumbbell]\nrate = '10Mbit'\ndelay = '4ms'\n\
         queue = '50pkt'\naccess = {{ rate = '1Gbit', delay = '0ms' }}\n\
         [[flows]]\nname = 'a'\ncc = 'reno'\ntcp.gro = {gro}\n"
    ));
    let last = *plan.flows[0].route.last().expect("there is a way");
    (Merger::new(&plan), plan.links[last].to)
}

/// Changes a segment.
type Change = fn(&mut Vec<u8>);

fn us(us: u64) -> Time {
    Time::from_nanos(us * 1_000)
}

/// A segment of IPv4 or IPv6 with timestamps, the `nth` of its connection, and with this many
/// bytes of payload.
fn segment(six: bool, nth: usize, payload: usize) -> Vec<u8> {
    let length = 32 + payload;
    let mut bytes = if six {
        let mut bytes = vec![0x60, 0, 0, 7];
        bytes.extend((length as u16).to_be_bytes());
        bytes.extend([6, 64]);
        bytes.extend([0xfd; 15].into_iter().chain([1]));
        bytes.extend([0xfd; 15].into_iter().chain([2]));
        bytes
    } else {
        let mut bytes = vec![0x45, 0];
        bytes.extend((20 + length as u16).to_be_bytes());
        bytes.extend((100 + nth as u16).to_be_bytes());
        bytes.extend([0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        bytes
    };
    bytes.extend([0x9c, 0x40, 0x27, 0x10]);
    bytes.extend((1 + (nth * SIZE) as u32).to_be_bytes());
    bytes.extend([0, 0, 0, 9, 0x80, 0x10, 1, 0, 0, 0, 0, 0]);
    // RFC 7323: two bytes of padding, kind, length, TSval, TSecr
    bytes.extend([1, 1, 8, 10, 0, 0, 0, 5, 0, 0, 0, 6]);
    bytes.extend((0..payload).map(|at| (nth + at) as u8));
    bytes
}

fn packet(bytes: Vec<u8>) -> Box<Packet> {
    let start = if bytes[0] >> 4 == 6 { 40 } else { 20 };
    let checksum = Some(Checksum { start, offset: 16 });
    Box::new(Packet { bytes, checksum, flow: Some(0), ..Packet::default() })
}

/// What a host gets of packets that arrive a microsecond after one another: when, and of how
/// many.
fn delivered(gro: &str, packets: Vec<Vec<u8>>) -> Vec<(u64, usize)> {
    let (mut merger, node) = merger(gro);
    let mut all = Vec::new();
    let mut deliver = |due: Delivery| all.push((due.at.nanos() / 1_000, 1 + due.rest.len()));
    for (at, bytes) in packets.into_iter().enumerate() {
        merger.arrive(us(at as u64), node, packet(bytes), &mut deliver);
    }
    merger.end(us(1_000_000), &mut deliver);
    assert_eq!(merger.next(), None);
    all
}

/// Byte by byte what the sending host handed over: lengths, checksums, identification, and flags
/// of which CWR was in the first segment only, FIN and PSH in the last.
#[test]
fn merged_segments_are_the_piece_again() {
    let whole = finish(piece(2500), 6, 36);
    let checksum = Some(Checksum { start: 20, offset: 16 });
    let header = Header { checksum, kind: TCP_PIECES | ECN, size: 1000 };
    let mut pieces = Pieces::new(&header, &whole, 1500).expect("a piece");
    let (mut merger, node) = merger("true");
    let mut all = Vec::new();
    for at in 0..3 {
        let mut packet = Packet { flow: Some(0), ..Packet::default() };
        packet.checksum = pieces.next(&mut packet.bytes).expect("three segments");
        merger.arrive(us(at), node, Box::new(packet), &mut |due| all.push(due));
    }
    let [due] = &mut all[..] else { panic!("{all:?}") };
    assert_eq!(due.at, us(2), "FIN ends it");
    assert_eq!(due.header(), header);
    assert!(due.parts().collect::<Vec<_>>().concat() == whole);
}

/// RFC 8200, sections 3 and 8.1: payload length 32 + 2,400; no checksum of IP, and the pseudo
/// header has addresses, length and the number of TCP.
#[test]
fn segments_of_ipv6_are_merged() {
    let (mut merger, node) = merger("true");
    let mut all = Vec::new();
    for (nth, payload) in [(0, SIZE), (1, SIZE), (2, 400)] {
        let bytes = segment(true, nth, payload);
        merger.arrive(us(nth as u64), node, packet(bytes), &mut |due| all.push(due));
    }
    let [due] = &mut all[..] else { panic!("{all:?}") };
    let checksum = Some(Checksum { start: 40, offset: 16 });
    assert_eq!(due.header(), Header { checksum, kind: TCP_PIECES_6, size: 1000 });
    let bytes = due.parts().collect::<Vec<_>>().concat();
    let mut expected = segment(true, 0, SIZE);
    expected.extend(&segment(true, 1, SIZE)[72..]);
    expected.extend(&segment(true, 2, 400)[72..]);
    expected[4..6].copy_from_slice(&2432_u16.to_be_bytes());
    let pseudo = sum(&[&expected[8..40], &2432_u16.to_be_bytes(), &[0, 6]].concat());
    expected[56..58].copy_from_slice(&pseudo.to_be_bytes());
    assert!(bytes == expected);
}

#[test]
fn a_merge_ends_when_the_scenario_says() {
    let full = |count: usize| (0..count).map(|nth| segment(false, nth, SIZE)).collect::<Vec<_>>();
    // the first waits for 50 us
    assert_eq!(delivered("true", full(3)), [(50, 3)]);
    assert_eq!(delivered("{ segments = 45, wait = '2us' }", full(5)), [(2, 2), (4, 2), (6, 1)]);
    assert_eq!(delivered("{ segments = 3, wait = '9us' }", full(4)), [(2, 3), (12, 1)]);
    assert_eq!(delivered("false", full(2)), [(0, 1), (1, 1)]);
    // 65 times 1,000 bytes after headers of 52: one more would be longer than 65,535
    let long = full(70);
    assert_eq!(delivered("{ segments = 100, wait = '1ms' }", long), [(65, 65), (1_065, 5)]);
}

#[test]
fn only_what_belongs_together_is_merged() {
    let follows = |change: Change| {
        let mut second = segment(false, 1, SIZE);
        change(&mut second);
        delivered("true", vec![segment(false, 0, SIZE), second, segment(false, 2, SIZE)])
    };
    let cases: [(&str, Change); 9] = [
        ("traffic class: a mark", |p| p[1] = 3),
        ("hop limit", |p| p[8] = 63),
        ("may be fragmented", |p| p[6] = 0),
        ("identification", |p| p[5] += 5),
        ("a hole", |p| p[27] += 1),
        ("another ACK", |p| p[31] += 1),
        ("window", |p| p[35] += 1),
        ("TSval", |p| p[47] += 1),
        ("longer than the first", |p| {
            p.push(0);
            p[3] += 1;
        }),
    ];
    for (what, change) in cases {
        assert_eq!(follows(change), [(1, 1), (2, 1), (52, 1)], "{what}");
    }
    // a merge may begin with CWR
    assert_eq!(follows(|p| p[33] |= CWR), [(1, 1), (51, 2)]);
    // these are the last of their merge
    assert_eq!(follows(|p| p[33] |= PSH), [(1, 2), (52, 1)]);
    assert_eq!(follows(|p| p[33] |= FIN), [(1, 2), (52, 1)]);
    // another connection waits by itself; the third does not follow the first
    assert_eq!(follows(|p| p[21] += 1), [(2, 1), (51, 1), (52, 1)]);
    // an ACK without payload is never merged, and does not overtake
    let ack = vec![segment(false, 0, SIZE), segment(false, 1, 0)];
    assert_eq!(delivered("true", ack), [(1, 1), (1, 1)]);
    // no identification at all, which RFC 6864 allows
    let same = |nth| {
        let mut bytes = segment(false, nth, SIZE);
        bytes[4..6].fill(0);
        bytes
    };
    assert_eq!(delivered("true", (0..4).map(same).collect()), [(50, 4)]);
}

proptest! {
    /// Works for any bytes, and loses none.
    #[test]
    fn any_packets_arrive(packets in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..90), 0..20)) {
        let many = packets.len();
        let all = delivered("true", packets);
        prop_assert_eq!(all.iter().map(|(_, count)| count).sum::<usize>(), many);
        prop_assert!(all.is_sorted_by_key(|(at, _)| at));
    }
}
