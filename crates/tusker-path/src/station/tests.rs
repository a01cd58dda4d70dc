use super::*;
use crate::gate::Limit;
use tusker_core::queue::{Link, Policy, Spec};
use tusker_core::wire::Loss;
use tusker_core::{Rate, Rng};

const MS: u64 = 1_000_000;

fn at(ns: u64) -> Time {
    Time::from_nanos(ns)
}

/// 1500 B take 1 ms; 10 ms to the next node; measured from 0 to 1 s.
fn station(policy: &str, limit: Limit, ecn: bool) -> Station<u64> {
    let rate = Rate::from_bits_per_sec(12_000_000);
    let link = Link { rate, mean_packet: Bytes::new(1500) };
    // no sender here slows down, so PIE's probability exceeds 0.1
    let given = (policy == "pie").then_some(("mark_ecnth", 1.0));
    let spec = Spec::named(policy, given).expect("registered");
    let setup = Setup {
        wire: Wire::fixed(rate),
        delay: Duration::from_millis(10),
        limit,
        policy: Policy::new(&spec, &link),
        ecn,
        loss: Loss::NONE,
        jitter: None,
        policy_rng: Rng::named(1, "policy"),
        loss_rng: Rng::named(1, "loss"),
        jitter_rng: Rng::named(1, "jitter"),
        observed: true,
    };
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
        let packet = Offered { size: 1500, ecn: Codepoint::Ect0, flow };
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
    for policy in ["codel", "fq_codel", "pie"] {
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
}
