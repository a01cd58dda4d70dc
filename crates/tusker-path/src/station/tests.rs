use super::*;
use crate::gate::Limit;
use crate::setup::plain;
use tusker_core::queue::{Link, Policy, Spec};
use tusker_core::{Rate, Rng};

const MS: u64 = 1_000_000;

fn at(ns: u64) -> Time {
    Time::from_nanos(ns)
}

/// 1500 B take 1 ms; 10 ms to the next node; measured from 0 to 1 s.
fn station(policy: &str, limit: Limit, ecn: bool) -> Station<u64> {
    // no sender here slows down, so PIE's probability exceeds 0.1
    let given: &[(&str, f64)] = if policy == "pie" { &[("mark_ecnth", 1.0)] } else { &[] };
    station_with(policy, given, limit, ecn)
}

fn station_with(policy: &str, given: &[(&str, f64)], limit: Limit, ecn: bool) -> Station<u64> {
    let rate = Rate::from_bits_per_sec(12_000_000);
    let link = Link { rate, mean_packet: Bytes::new(1500) };
    let spec = Spec::named(policy, given.iter().copied()).expect("registered");
    let policy = Policy::new(&spec, &link);
    let setup = Setup { limit, policy, ecn, ..plain(rate, Duration::from_millis(10)) };
    Station::new(setup, Some(Schedule::even(Time::ZERO, at(1000 * MS), 2, 1000)))
}

/// A station with its clock, arriving packets and their fates.
struct Bench {
    station: Station<u64>,
    sent: Vec<(u64, u64, bool)>,
    dropped: Vec<(u64, DropCause)>,
}

impl Bench {
    fn new(policy: &str, limit: Limit, ecn: bool) -> Self {
        let station = station(policy, limit, ecn);
        Self { station, sent: Vec::new(), dropped: Vec::new() }
    }

    fn until(&mut self, now: Time) {
        let Self { station, sent, dropped } = self;
        station.advance(now, |event| hear(event, sent, dropped));
    }

    fn arrive(&mut self, ns: u64, flow: u64, item: u64) {
        self.until(at(ns));
        let Self { station, sent, dropped } = self;
        let packet = Offered { size: 1500, ecn: Codepoint::Ect0, dscp: 0, flow, from: 0, to: 0 };
        station.offer(at(ns), packet, item, |event| hear(event, sent, dropped));
    }
}

fn hear(event: Event<u64>, sent: &mut Vec<(u64, u64, bool)>, dropped: &mut Vec<(u64, DropCause)>) {
    match event {
        Event::Sent(Sent { item, marked, arrives, .. }) => {
            let arrives = arrives.expect("nothing is lost").nanos();
            sent.push((item, arrives / MS, marked));
        }
        Event::Dropped { item, cause, .. } => dropped.push((item, cause)),
    }
}

#[test]
fn packets_leave_one_after_the_other() {
    let mut bench = Bench::new("codel", Limit::Packets(3), false);
    for item in 0..4 {
        bench.arrive(0, 0, item);
    }
    // two wait, one is in transmission
    assert_eq!(bench.dropped, [(3, DropCause::Overflow)]);
    assert_eq!(bench.station.backlog(at(0)), 3);
    assert!(bench.station.iter().eq(&[1, 2]));
    bench.until(at(10 * MS));
    assert_eq!(bench.sent, [(0, 11, false), (1, 12, false), (2, 13, false)]);
    let report = bench.station.finish(at(1000 * MS), |_| {}).expect("a schedule");
    let counters = report.window();
    // 3 inside for 1 ms, then 2, then 1
    assert_eq!(counters.area, 6 * MS);
    assert_eq!(counters.busy, Duration::from_millis(3));
    assert_eq!((counters.accepted, counters.overflowed, counters.offered()), (3, 1, 4));
    assert_eq!(report.samples().collect::<Vec<_>>(), [(0, 998), (1, 1), (2, 1)]);
}

/// Two packets per ms into a link that carries one, for this long.
fn overload(bench: &mut Bench, ms: u64) {
    for half in 0..2 * ms {
        bench.arrive(half * MS / 2, 0, half);
    }
}

#[test]
fn codel_drops_at_departure() {
    let mut bench = Bench::new("codel", Limit::Unlimited, false);
    overload(&mut bench, 500);
    bench.until(at(500 * MS));
    // a packet that leaves at t has waited for about t/2: above 5 ms from 10 ms
    // on, the first drop 100 ms later
    let (first, cause) = bench.dropped[0];
    assert!((104..=116).contains(&first), "packet {first} arrives at half that many ms");
    assert!(bench.dropped.iter().all(|(_, cause)| *cause == DropCause::Early));
    assert_eq!(cause, DropCause::Early);
    // 100/1 + 100/sqrt(2) + .. over the remaining 390 ms: 1 + 6 or 7
    assert!((7..=8).contains(&bench.dropped.len()), "{:?}", bench.dropped);
    let dropped = bench.dropped.len() as u64;
    let counters = bench.station.counters(at(500 * MS));
    assert_eq!((counters.dropped_early, counters.marked), (dropped, 0));
}

#[test]
fn every_policy_here_marks_instead() {
    for policy in ["codel", "fq_codel", "pie", "cake"] {
        let mut drops = Bench::new(policy, Limit::Unlimited, false);
        overload(&mut drops, 400);
        let mut marks = Bench::new(policy, Limit::Unlimited, true);
        overload(&mut marks, 400);
        marks.until(at(400 * MS));
        assert!(!drops.dropped.is_empty(), "{policy}");
        assert!(drops.sent.iter().all(|(_, _, marked)| !marked), "{policy}");
        assert_eq!(marks.dropped, [], "{policy}");
        let marked = marks.sent.iter().filter(|(_, _, marked)| *marked).count() as u64;
        assert!(marked > 0, "{policy}");
        let counters = marks.station.counters(at(400 * MS));
        assert_eq!((counters.marked, counters.dropped_early), (marked, 0), "{policy}");
    }
}

#[test]
fn at_a_full_station_the_fattest_flow_pays() {
    let mut bench = Bench::new("fq_codel", Limit::Packets(10), false);
    for item in 0..10 {
        bench.arrive(0, 1, item);
    }
    assert_eq!(bench.dropped, []);
    bench.arrive(0, 2, 100);
    // nine of flow 1 wait: five go, from the head
    let gone: Vec<u64> = bench.dropped.iter().map(|(item, _)| *item).collect();
    assert_eq!(gone, [1, 2, 3, 4, 5]);
    bench.until(at(100 * MS));
    let order: Vec<u64> = bench.sent.iter().map(|(item, ..)| *item).collect();
    // flow 1 has spent its quantum, so that the new flow comes first
    assert_eq!(order, [0, 100, 6, 7, 8, 9]);
    // all five at one time, which is no rhythm of arrivals
    let report = bench.station.finish(at(1000 * MS), |_| {}).expect("a schedule");
    let counters = report.window();
    assert_eq!((counters.overflowed, counters.in_step), (5, 0));
}

/// A packet, when the wire took it, and its size.
fn taken(event: Event<u64>) -> Option<(u64, u64)> {
    match event {
        Event::Sent(sent) => Some((sent.item, sent.at.nanos())),
        Event::Dropped { .. } => None,
    }
}

/// The times are those of exact arithmetic, so that over any interval no more leaves than
/// the rate allows, but for the packet that begins it.
#[test]
fn a_shaper_is_exact_for_each_packet() {
    // 7 Mbit/s for packets with 38 bytes more, at least 84
    let given = [("bandwidth", 7e6), ("overhead", 38.0), ("mpu", 84.0)];
    let mut station = station_with("cake", &given, Limit::Unlimited, false);
    let mut rng = Rng::named(1, "sizes");
    let sizes: Vec<u32> = (0..300).map(|_| rng.range(40.0, 1500.0) as u32).collect();
    let mut sent = Vec::new();
    for (item, &size) in sizes.iter().enumerate() {
        let packet = Offered { size, ecn: Codepoint::Ect0, dscp: 0, flow: 1, from: 0, to: 0 };
        station.offer(at(5 * MS), packet, item as u64, |event| sent.extend(taken(event)));
    }
    // CoDel signals from time to time: marks would be drops without ECN
    station.advance(at(1000 * MS), |event| sent.extend(taken(event)));
    assert!(sent.len() > 250, "{}", sent.len());
    let mut bits = 0;
    for &(item, when) in &sent {
        let exact = u128::from(5 * MS) + (bits * 1_000_000_000_u128).div_ceil(7_000_000);
        assert_eq!(u128::from(when), exact, "packet {item}");
        bits += u128::from((sizes[item as usize] + 38).max(84)) * 8;
    }
    // the wire is busy for what it carries itself, each time from a whole nanosecond on
    let carries = |item: &u64| u64::from(sizes[*item as usize]) * 8_000 / 12;
    let carried: u64 = sent.iter().map(|(item, _)| carries(item)).sum();
    assert_eq!(station.counters(at(1000 * MS)).busy.nanos(), carried);
}

#[test]
fn a_shaper_lets_nothing_go_early_after_a_pause() {
    let given = [("bandwidth", 6e6)];
    let mut station = station_with("cake", &given, Limit::Unlimited, false);
    let mut sent = Vec::new();
    // 2 ms each; the wire takes 1 ms
    for (item, us) in [0, 500, 3_900, 10_000, 10_100].into_iter().enumerate() {
        let packet = Offered { size: 1500, ecn: Codepoint::Ect0, dscp: 0, flow: 1, from: 0, to: 0 };
        let now = at(us * 1000);
        station.advance(now, |event| sent.extend(taken(event)));
        station.offer(now, packet, item as u64, |event| sent.extend(taken(event)));
    }
    assert_eq!(station.due(), Some(at(11 * MS)), "the wire first");
    station.advance(at(11 * MS), |event| sent.extend(taken(event)));
    assert_eq!(station.due(), Some(at(12 * MS)), "then the shaper");
    assert_eq!(station.backlog(at(11 * MS)), 1);
    station.advance(at(20 * MS), |event| sent.extend(taken(event)));
    let us: Vec<u64> = sent.iter().map(|(_, at)| at / 1000).collect();
    assert_eq!(us, [0, 2_000, 4_000, 10_000, 12_000]);
    assert_eq!(station.due(), None);
}

/// Twice what the link carries, by a sender that answers nothing: half must be dropped,
/// and nearly all of it by BLUE, since these packets can be marked. A thin flow beside it
/// loses nothing.
#[test]
fn blue_takes_over_from_an_overflowing_queue() {
    let mut bench = Bench::new("cake", Limit::Packets(50), true);
    let (mut p, mut overflows) = (Vec::new(), Vec::new());
    for second in 0..8_u64 {
        for half in 0..2000 {
            let now = second * 1000 * MS + half * MS / 2;
            bench.arrive(now, 7, 0);
            if half % 20 == 0 {
                bench.arrive(now, 8, 1);
            }
        }
        let dropped = std::mem::take(&mut bench.dropped);
        let full = dropped.iter().filter(|(_, cause)| *cause == DropCause::Overflow).count();
        overflows.push(full);
        assert!(dropped.iter().all(|(item, _)| *item == 0), "the thin flow loses nothing");
        bench.station.inspect(at((second + 1) * 1000 * MS - MS / 2), &mut |name, value| {
            p.extend((name == "drop_prob").then_some(value));
        });
    }
    // 2 packets a ms into 0.9 that the thin flow leaves: 0.55. Until the queue is short, p
    // rises further, by 1/256 each 5.5 ms; then it stays, because the thin flow goes first
    // and nothing waits behind it
    assert!(p[1..].iter().all(|p| (0.55..0.65).contains(p)), "{p:?}");
    assert!(overflows[0] > 300 && overflows[2..].iter().all(|&n| n == 0), "{overflows:?}");
}

/// As in Linux: that a queue is empty is seen when it has its turn, and nobody has while
/// nothing waits.
#[test]
fn blue_of_a_flow_that_is_alone_does_not_fall() {
    let mut bench = Bench::new("cake", Limit::Packets(10), true);
    let p_at = |bench: &mut Bench, ms: u64| {
        let mut p = 0.0;
        bench.until(at(ms * MS));
        bench.station.inspect(at(ms * MS), &mut |name, value| {
            p = if name == "drop_prob" { value } else { p };
        });
        p
    };
    (0..200).for_each(|n| bench.arrive(n * MS / 2, 7, n));
    let high = p_at(&mut bench, 120);
    assert!(high > 10.0 / 256.0, "{high}");
    (0..50).for_each(|n| bench.arrive((200 + 10 * n) * MS, 7, n));
    assert_eq!(p_at(&mut bench, 700), high);
    // packets of another one behind it, enough to end both turns: it falls each time
    for n in 0..50 {
        bench.arrive((1000 + 10 * n) * MS, 7, n);
        (0..5).for_each(|_| bench.arrive((1000 + 10 * n) * MS, 8, n));
    }
    let low = p_at(&mut bench, 1600);
    assert!((high - 100.0 / 4096.0..high - 45.0 / 4096.0).contains(&low), "{low}");
}

/// Flow 0, a packet of 1500 bytes each, and when it leaves the link of 12 Mbit/s in
/// microseconds: 1 ms after it was taken.
fn leave(given: &[(&str, f64)], arrivals: &[u64]) -> Vec<u64> {
    let mut station = station_with("tbf", given, Limit::Unlimited, false);
    let mut left = Vec::new();
    for (&us, item) in arrivals.iter().zip(0..) {
        let packet =
            Offered { size: 1500, ecn: Codepoint::NotEct, dscp: 0, flow: 0, from: 0, to: 0 };
        station.offer(at(us * 1000), packet, item, |event| left.push(event));
    }
    station.advance(at(1000 * MS), |event| left.push(event));
    let left = left.into_iter().map(|event| match event {
        Event::Sent(sent) => sent.leaves.nanos() / 1000,
        Event::Dropped { .. } => panic!("there is no limit"),
    });
    left.collect()
}

/// 3 Mbit/s are 1500 bytes in 4 ms. Of a bucket of 3000 the first two leave at the rate of the
/// link; the third was 1 ms in transmission behind them when the second took the last token but
/// 375 (1 ms at 375 bytes a millisecond): it waits for the other 1125, until 4 ms. Then one
/// leaves every 4 ms. After a pause there are 3000 again.
#[test]
fn tbf_sends_a_burst_and_then_at_its_rate() {
    let bucket = [("rate", 3e6), ("burst", 3000.0)];
    let arrivals = [0, 0, 0, 0, 0, 100_000, 100_000, 100_000];
    let left = [1_000, 2_000, 5_000, 9_000, 13_000, 101_000, 102_000, 105_000];
    assert_eq!(leave(&bucket, &arrivals), left);
    // with a peakrate of 6 Mbit/s and an mtu of 1500, one leaves every 2 ms at most
    let peak = [("rate", 3e6), ("burst", 3000.0), ("peakrate", 6e6), ("mtu", 1500.0)];
    assert_eq!(leave(&peak, &arrivals[..4]), [1_000, 3_000, 5_000, 9_000]);
}

#[test]
fn tbf_drops_what_finds_its_queue_full() {
    let mut station = station_with("tbf", &[("rate", 3e6)], Limit::Packets(2), false);
    let mut dropped = Vec::new();
    for item in 0..4 {
        let packet =
            Offered { size: 1500, ecn: Codepoint::NotEct, dscp: 0, flow: 0, from: 0, to: 0 };
        station.offer(at(2 * MS), packet, item, |event| match event {
            Event::Dropped { item, cause, .. } => dropped.push((item, cause)),
            Event::Sent(_) => {}
        });
    }
    // one is in transmission, one waits
    assert_eq!(dropped, [(2, DropCause::Overflow), (3, DropCause::Overflow)]);
}

/// Flow 0 offers twice what the link carries, flow 1 a tenth: only the queue of flow 0 has a
/// drop probability.
#[test]
fn fq_pie_controls_each_queue_by_itself() {
    let mut bench = Bench::new("fq_pie", Limit::Unlimited, false);
    for half in 0..2_000 {
        bench.arrive(half * MS / 2, 0, half);
        if half % 20 == 7 {
            bench.arrive(half * MS / 2, 1, 10_000 + half);
        }
    }
    let early = |&(item, cause): &(u64, DropCause)| item < 10_000 && cause == DropCause::Early;
    assert!(bench.dropped.iter().all(early), "{:?}", bench.dropped);
    assert!(bench.dropped.len() > 100, "{}", bench.dropped.len());
}

#[test]
fn fq_drops_what_arrives_at_a_full_queue() {
    let mut bench = Bench::new("fq", Limit::Packets(4), false);
    for (item, flow) in [0, 0, 1, 1, 1, 0].into_iter().enumerate() {
        bench.arrive(0, flow, item as u64);
    }
    assert_eq!(bench.dropped, [(4, DropCause::Overflow), (5, DropCause::Overflow)]);
}

/// Down from 2.5 to 6 ms.
#[test]
fn an_outage_drops_what_waits_or_keeps_it() {
    let step = |(ns, value)| crate::Step { at: at(ns), value };
    let times = [(0, false), (2 * MS + MS / 2, true), (6 * MS, false)].map(step);
    let rate = Rate::from_bits_per_sec(12_000_000);
    let link = Link { rate, mean_packet: Bytes::new(1500) };
    let spec = Spec::named("codel", []).expect("registered");
    for drop in [false, true] {
        let down = crate::Varying::steps(times.into(), None);
        let wire = Wire::steps(rate.into(), Some(crate::Outages { down, drop }), rate);
        let policy = Policy::new(&spec, &link);
        let setup = Setup { wire, policy, ..plain(rate, Duration::from_millis(10)) };
        let mut station = Station::new(setup, None);
        let (mut fates, packet) = (
            Vec::new(),
            Offered { size: 1500, ecn: Codepoint::NotEct, dscp: 0, flow: 0, from: 0, to: 0 },
        );
        let fate = |event| match event {
            Event::Sent(sent) => (sent.item, Ok(sent.arrives.map(|at| at.nanos() / 1000))),
            Event::Dropped { item, cause, at } => (item, Err((cause, at.nanos() / 1000))),
        };
        for (item, ns) in [(0, 0), (1, 0), (2, 0), (3, 0), (4, 5 * MS), (5, 6 * MS)] {
            station.offer(at(ns), packet, item, |event| fates.push(fate(event)));
        }
        station.advance(at(20 * MS), |event| fates.push(fate(event)));
        fates.sort_by_key(|(item, _)| *item);
        let sent = |us| Ok(Some(us));
        let cut = |us| Err((DropCause::Outage, us));
        // half of the third is sent before the outage, and half after it
        let expected = match drop {
            false => [11_000, 12_000, 16_500, 17_500, 18_500, 19_500].map(sent),
            true => [sent(11_000), sent(12_000), cut(2_000), cut(2_500), cut(5_000), sent(17_000)],
        };
        assert_eq!(fates.iter().map(|(_, fate)| *fate).collect::<Vec<_>>(), expected, "{drop}");
    }
}
