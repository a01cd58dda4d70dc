//! Prices and shares, computed by hand.

use super::*;
use crate::units::{Bytes, Rate};

/// 80 Mbit/s: C = 10,000,000 B/s. Packets have 1000 B, round trips 0.1 s.
fn xcp() -> Xcp {
    let rate = Rate::from_bits_per_sec(80_000_000);
    Xcp::new(XcpParams::default(), &Link { rate, mean_packet: Bytes::new(1000) })
}

const P: Meta = Meta { size: Bytes::new(1000), ecn_capable: false, dscp: 0 };

fn at(us: u64) -> Time {
    Time::from_nanos(us * 1_000)
}

/// A packet that finds `bytes` waiting.
fn arrive(policy: &mut Xcp, us: u64, bytes: u64) {
    let q = Backlog { packets: 1, bytes: Bytes::new(bytes), idle_since: None };
    policy.on_arrival(&P, &q, at(us), &mut Rng::named(1, "test"));
}

/// What the router tells a packet, given its sender's window and what earlier
/// routers told it.
fn told(policy: &mut Xcp, cwnd: f64, feedback: Option<f64>) -> f64 {
    let mut header = Header::Xcp { cwnd, rtt: Some(Duration::from_millis(100)), feedback };
    policy.write(&mut header, &P);
    let Header::Xcp { feedback: Some(told), .. } = header else { unreachable!("it was told") };
    told
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * want.abs(), "got {got}, want {want}");
}

/// Two packets of a window of 10 in the first 50 ms.
fn two_packets() -> Xcp {
    let mut policy = xcp();
    for ms in [10, 20] {
        arrive(&mut policy, 1000 * ms, 0);
        // nothing is known yet, so nothing is given
        assert_eq!(told(&mut policy, 10.0, None), 0.0);
    }
    assert_eq!(policy.poll_at(), at(50_000));
    policy.on_poll(at(50_000), &Backlog::EMPTY);
    policy
}

#[test]
fn the_first_prices_by_hand() {
    // y = 2000 B / 0.05 s = 40,000 B/s; r/w = 0.1/10 = 0.01 s each; d = 0.1 s
    // phi = 0.4 (10,000,000 - 40,000) = 3,984,000 B/s; h = max(0, 4,000 - phi) = 0
    // c_p = 3,984,000 / 0.02 = 199,200,000 B/s^2; c_n = 0
    let mut policy = two_packets();
    close(policy.c_p, 199_200_000.0);
    assert_eq!((policy.c_n, policy.d), (0.0, 0.1));
    // H = 1,992,000 B/s = 1,992,000 * 0.1/1000 = 199.2 segments, to two packets;
    // then everything is handed out
    close(told(&mut policy, 10.0, None), 199.2);
    close(told(&mut policy, 10.0, None), 199.2);
    assert!(told(&mut policy, 10.0, None).abs() < 1e-9);
    // the next interval is d long
    assert_eq!(policy.next, at(150_000));
}

#[test]
fn spare_room_goes_to_all_flows_alike() {
    // a window of 40 sends four packets while one of 10 sends one, and each of the
    // four is told a quarter
    let mut policy = two_packets();
    close(told(&mut policy, 40.0, None), 199.2 / 4.0);
}

#[test]
fn overload_takes_in_proportion_and_shuffles() {
    // One flow at 12,000,000 B/s: 600 packets in 50 ms, w = 1200, r/w = 1/12,000 s.
    // y = 12,000,000, Q = 20,000 B, d = 0.1 s:
    // phi = -0.4 * 2,000,000 - 0.226 * 20,000 / 0.1 = -845,200 B/s
    // h = 1,200,000 - 845,200 = 354,800 B/s
    // c_p = 354,800 / (600/12,000) = 7,096,000; c_n = 1,200,000 / 600,000 = 2
    let mut policy = xcp();
    for i in 0..600 {
        arrive(&mut policy, 80 * i, 20_000);
        told(&mut policy, 1200.0, None);
    }
    policy.standing = 20_000.0;
    policy.next_queue = at(60_000);
    policy.on_poll(at(50_000), &Backlog::EMPTY);
    close(policy.c_p, 7_096_000.0);
    close(policy.c_n, 2.0);
    // per packet 7,096,000/12,000 - 2 * 1000 = -1408.67 B/s, -0.140867 segments;
    // 600 of them take 845,200 B/s
    for _ in 0..600 {
        close(told(&mut policy, 1200.0, None), -0.140_866_666_667);
    }
    assert!(told(&mut policy, 1200.0, None).abs() < 1e-6);
    // a flow at a tenth of the rate loses as much per packet, and is given ten
    // times as much: 7,096,000/1200 - 2000 = 3913.33 B/s
    let mut policy = Xcp { give: 354_800.0, take: 1_200_000.0, c_p: 7_096_000.0, ..policy };
    policy.c_n = 2.0;
    close(told(&mut policy, 120.0, None), 0.391_333_333_333);
}

#[test]
fn the_smallest_of_several_routers_counts() {
    // an earlier router allowed 1 segment more: 10,000 B/s of the 3,984,000
    let mut policy = two_packets();
    assert_eq!(told(&mut policy, 10.0, Some(1.0)), 1.0);
    close(policy.give, 3_974_000.0);
    // an earlier router allowed more: this router's value applies
    close(told(&mut policy, 10.0, Some(300.0)), 199.2);
}

#[test]
fn without_a_round_trip_nothing_changes() {
    let mut policy = two_packets();
    for (before, after) in [(None, 0.0), (Some(3.0), 0.0), (Some(-3.0), -3.0)] {
        let mut header = Header::Xcp { cwnd: 2.0, rtt: None, feedback: before };
        policy.write(&mut header, &P);
        assert_eq!(header, Header::Xcp { cwnd: 2.0, rtt: None, feedback: Some(after) });
    }
}

#[test]
fn others_take_room() {
    // 2000 B with a header, 98,000 without: y = 2,000,000 B/s, h = 0
    let mut policy = xcp();
    for i in 0..100 {
        arrive(&mut policy, 100 * i, 0);
        if i < 2 {
            told(&mut policy, 10.0, None);
        }
    }
    policy.on_poll(at(50_000), &Backlog::EMPTY);
    close(policy.give, 0.4 * 8_000_000.0);
    let mut theirs = Header::Vcp { load: 2 };
    policy.write(&mut theirs, &P);
    assert_eq!(theirs, Header::Vcp { load: 2 });
}

#[test]
fn the_smallest_queue_is_found() {
    // 101,000 B behind the last arrival at 45 ms; 5 ms take 50,000 B
    let mut policy = xcp();
    arrive(&mut policy, 45_000, 100_000);
    policy.on_poll(at(50_000), &Backlog::EMPTY);
    assert_eq!((policy.standing, policy.smallest), (0.0, 51_000.0));
    // (50 ms - 5.1 ms)/2 = 22.45 ms later
    assert_eq!(policy.next_queue, at(72_450));
    for (us, bytes) in [(51_000, 41_000), (60_000, 60_000), (72_000, 90_000)] {
        arrive(&mut policy, us, bytes);
    }
    // now 91,000 - 4,500
    policy.on_poll(at(72_450), &Backlog::EMPTY);
    assert_eq!((policy.standing, policy.smallest), (41_000.0, 86_500.0));
}
