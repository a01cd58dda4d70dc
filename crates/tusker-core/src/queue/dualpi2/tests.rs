extern crate std;

use std::vec::Vec;

use super::*;
use crate::table::given;
use crate::units::Rate;

const MS: u64 = 1_000_000;

fn dualpi2(values: &[(&str, f64)]) -> DualPi2 {
    let rate = Rate::from_bits_per_sec(12_000_000);
    DualPi2::new(given(values), &Link { rate, mean_packet: Bytes::new(1500) })
}

fn at(ms: u64) -> Time {
    Time::from_nanos(ms * MS)
}

/// p after an update at which the packets at the heads of L and C have waited this long.
fn update(policy: &mut DualPi2, l4s: Option<u64>, classic: Option<u64>) -> f64 {
    let now = policy.poll_at();
    let since = |ms: u64| Time::from_nanos(now.nanos().saturating_sub(ms * MS));
    policy.on_heads(&Heads { l4s: l4s.map(since), classic: classic.map(since) });
    policy.on_poll(now, &Backlog::EMPTY);
    policy.vars.p
}

/// The verdict on a packet that has waited this many us, with this many packets
/// behind it; all of them in L, if it is in L.
fn leave(policy: &mut DualPi2, l4s: bool, us: u64, packets: u32) -> Verdict {
    let now = at(1_000);
    let arrived = Time::from_nanos(now.nanos() - us * 1_000);
    let l4s = l4s.then_some(packets);
    let p = Departing { size: Bytes::new(1500), can_mark: true, arrived, l4s };
    let q = Backlog { packets, bytes: Bytes::new(1500 * u64::from(packets)), idle_since: None };
    policy.on_departure(&p, &q, now, &mut Rng::named(1, "test"))
}

/// How many of this many packets, none of which has waited, get this verdict.
fn told(policy: &mut DualPi2, l4s: bool, verdict: Verdict, packets: u32) -> usize {
    (0..packets).filter(|_| leave(policy, l4s, 0, 10) == verdict).count()
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * want, "got {got}, want {want}");
}

/// RFC 9332, figure 2: with a target of 15 ms and RTT_max of 100 ms T_update is 15 ms,
/// alpha 0.1 * 0.015/0.1^2 = 0.15 and beta 0.3/0.1 = 3.
#[test]
fn p_moves_by_the_error_and_its_change() {
    let mut policy = dualpi2(&[]);
    policy.vars.next = at(100);
    // 0.15 (0.025 - 0.015) + 3 (0.025 - 0)
    close(update(&mut policy, None, Some(25)), 0.076_5);
    // 0.15 (0.010) + 0
    close(update(&mut policy, None, Some(25)), 0.078);
    assert_eq!(policy.poll_at(), at(130));
    // 0.15 (-0.005) + 3 (-0.015)
    close(update(&mut policy, None, Some(10)), 0.078 - 0.045_75);
    // an empty queue: 0.15 (-0.015) + 3 (-0.010) = -0.03225 from 0.03225
    assert!(update(&mut policy, None, None) < 1e-12);
    assert_eq!(update(&mut policy, None, None), 0.0, "no less than 0");
    policy.vars.next = at(2_000);
    assert_eq!(update(&mut policy, None, Some(1_000)), 1.0, "no more than 1");
}

#[test]
fn the_longer_wait_counts() {
    let mut policy = dualpi2(&[("beta", 0.0)]);
    policy.vars.next = at(100);
    // 0.15 (0.035 - 0.015)
    close(update(&mut policy, Some(35), Some(5)), 0.003);
    close(update(&mut policy, Some(5), Some(35)), 0.006);
}

/// p = 0.1: p_L = 0.2 marks one of 5, p_C = 0.01 one of 100.
#[test]
fn a_probability_is_counted_out() {
    let mut policy = dualpi2(&[]);
    policy.vars.p = 0.1;
    let marked: Vec<usize> =
        (1..=16).filter(|_| leave(&mut policy, true, 0, 10) == Verdict::Signal).collect();
    assert_eq!(marked, [5, 10, 15]);
    // a rounding error of the sum may cost the last one
    let classic = told(&mut policy, false, Verdict::Signal, 1_001);
    assert_eq!(classic, 10);
    assert_eq!(policy.stats.l_signals, 3);
}

/// The coupling: p_C = (p_L / k)^2, so p_C = 0.01 for k = 3 and p_L = 0.3.
#[test]
fn the_classic_probability_is_the_square() {
    let mut policy = dualpi2(&[("k", 3.0)]);
    policy.vars.p = 0.1;
    assert_eq!(told(&mut policy, true, Verdict::Signal, 1_001), 300);
    assert_eq!(told(&mut policy, false, Verdict::Signal, 1_001), 10);
}

/// RFC 9332, figure 2: some from 800 us on, all from 1200 us on.
#[test]
fn the_ramp_is_around_a_millisecond() {
    let policy = dualpi2(&[]);
    for (us, native) in [(0.0, 0.0), (800.0, 0.0), (900.0, 0.25), (1_000.0, 0.5), (1_200.0, 1.0)] {
        let got = policy.native(us * 1e-6, 1);
        assert!((got - native).abs() < 1e-9, "{us} us: {got}");
    }
    let step = dualpi2(&[("min_th", 0.001), ("range", 0.0)]);
    assert_eq!((step.native(0.000_999, 1), step.native(0.001, 1)), (0.0, 1.0));
    // Th_len, one packet: none waits behind this one
    assert_eq!(policy.native(0.1, 0), 0.0);
    let mut policy = dualpi2(&[]);
    assert_eq!(leave(&mut policy, true, 1_300, 1), Verdict::Signal);
    assert_eq!(leave(&mut policy, true, 1_300, 0), Verdict::Pass);
    assert_eq!(leave(&mut policy, false, 1_300, 10), Verdict::Pass, "only L has a ramp");
}

#[test]
fn a_queue_of_two_packets_is_left_alone() {
    let mut policy = dualpi2(&[]);
    policy.vars.p = 1.0;
    for l4s in [true, false] {
        assert_eq!(leave(&mut policy, l4s, 0, 1), Verdict::Pass);
        assert_ne!(leave(&mut policy, l4s, 0, 2), Verdict::Pass);
    }
}

/// RFC 9332, A.2: where k p reaches 1, marks carry no more information, so L also
/// drops with p^2, and from p_C = 1/k^2 on C drops what it would have marked.
#[test]
fn overload_is_answered_with_drops() {
    let mut policy = dualpi2(&[]);
    policy.vars.p = 0.49;
    assert_eq!(told(&mut policy, true, Verdict::Drop, 100), 0);
    assert_eq!(told(&mut policy, false, Verdict::Drop, 100), 0);
    let mut policy = dualpi2(&[]);
    policy.vars.p = 0.6;
    // 0.36 are dropped, and each of the others is marked
    assert_eq!(told(&mut policy, true, Verdict::Drop, 101), 36);
    assert_eq!(told(&mut policy, true, Verdict::Pass, 100), 0);
    assert_eq!(told(&mut policy, false, Verdict::Drop, 101), 36);
    assert_eq!(told(&mut policy, false, Verdict::Signal, 100), 0);
}
