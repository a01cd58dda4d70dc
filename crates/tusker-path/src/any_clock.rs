//! The same arrivals have the same fates, whatever the clock of the code that drives a hop or a
//! station. One driver acts at every time at which something is due, as a simulator does;
//! another wakes up late and irregularly, as a real-time program does, passes on all arrivals
//! since it last woke up with their times, and queries the state in between.

use tusker_core::params::Need;
use tusker_core::queue::{ALL, Codepoint, Header, Link, Policy, Spec};
use tusker_core::wire::{Loss, Spread};
use tusker_core::{Bytes, Duration, Rate, Rng, Sheet, Time};

use crate::{
    Event, Hop, Limit, Offered, Outages, Outcome, Report, Schedule, Setup, Station, Step, Varying,
    Wire,
};

const END: u64 = 2_000_000_000;

fn at(ns: u64) -> Time {
    Time::from_nanos(ns)
}

/// A packet, with its arrival time.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Time,
    packet: Offered,
}

/// 12 Mbit/s on average, or 1500 bytes a millisecond, are offered 1.3 times that,
/// in bursts and with pauses. Some packets arrive at the very instant at which others arrive or
/// leave.
fn arrivals(rng: &mut Rng) -> Vec<Arrival> {
    let (mut all, mut now) = (Vec::new(), 0_u64);
    while now < END {
        let size = if rng.unit() < 0.2 { 100 } else { 1500 };
        let ecn = match rng.unit() {
            u if u < 0.3 => Codepoint::Ect0,
            u if u < 0.5 => Codepoint::Ect1,
            _ => Codepoint::NotEct,
        };
        let flow = rng.range(0.0, 5.0) as u64;
        all.push(Arrival {
            at: at(now),
            packet: Offered { size, ecn, dscp: 0, flow, from: flow as u32 / 2, to: 0 },
        });
        now += match rng.unit() {
            u if u < 0.2 => 0,
            u if u < 0.5 => 1_000_000,
            u if u < 0.995 => rng.exponential(1_000_000.0) as u64,
            _ => rng.exponential(50_000_000.0) as u64,
        };
    }
    all
}

fn pick<T: Clone>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.range(0.0, from.len() as f64) as usize].clone()
}

/// Steps at these milliseconds.
fn varying<T: Copy, const N: usize>(list: [(u64, T); N], every: Option<u64>) -> Varying<T> {
    let list = list.map(|(ms, value)| Step { at: at(ms * 1_000_000), value });
    Varying::steps(list.into(), every.map(Duration::from_millis))
}

/// A link with this policy; everything else is drawn at random.
fn setup(sheet: &Sheet, seed: u64) -> Setup {
    let mut rng = Rng::named(seed, "setup");
    let rate = Rate::from_bits_per_sec(12_000_000);
    let link = Link { rate, mean_packet: Bytes::new(1500) };
    let steps = varying([(0, 12), (500, 6), (900, 40)], None)
        .map(|mbit: u64| Rate::from_bits_per_sec(mbit * 1_000_000));
    let down = varying([(0, false), (200, true), (230, false)], Some(300));
    let outages = |drop| Some(Outages { down: down.clone(), drop });
    let wires = [
        Wire::fixed(rate),
        Wire::steps(steps.clone(), None, rate),
        Wire::steps(steps.clone(), outages(false), rate),
        Wire::steps(steps, outages(true), rate),
        Wire::trace([1, 2, 2, 2, 5].into(), rate),
    ];
    let ms = Duration::from_millis;
    let delays = [ms(10).into(), varying([(0, ms(10)), (40, ms(2))], Some(100))];
    let losses =
        [Loss::NONE.into(), varying([(0, Loss::Bernoulli(0.01)), (700, Loss::NONE)], None)];
    let values = [
        ("min_th", 5.0),
        ("max_th", 15.0),
        ("w_q", 0.1),
        ("t_update", 0.004),
        ("bandwidth", 9e6),
        ("rate", 9e6),
        ("peakrate", 20e6),
    ];
    // policies without this parameter are unchanged
    let known = |(name, _): &(&str, f64)| sheet.params.iter().any(|p| p.name == *name);
    let spec = Spec::named(sheet.name, values.into_iter().filter(known)).expect("in range");
    let spread = Spread::Uniform { max: Duration::from_millis(2) };
    Setup {
        wire: pick(&mut rng, &wires),
        delay: pick(&mut rng, &delays),
        limit: pick(&mut rng, &[Limit::Unlimited, Limit::Packets(60), Limit::Bytes(50_000)]),
        policy: Policy::new(&spec, &link),
        ecn: rng.unit() < 0.5,
        loss: pick(&mut rng, &losses),
        jitter: pick(&mut rng, &[None, Some(spread)]).into(),
        reorder: false,
        policy_rng: Rng::named(seed, "policy"),
        loss_rng: Rng::named(seed, "loss"),
        jitter_rng: Rng::named(seed, "jitter"),
        observed: true,
        sampled: true,
        waits: true,
    }
}

fn schedule() -> Schedule {
    Schedule::even(at(END / 10), at(END), 9, 500)
}

/// When a late driver wakes up: a few or many arrivals after the last time.
fn wake_ups(rng: &mut Rng) -> Vec<Time> {
    let (mut all, mut now) = (Vec::new(), 0);
    while now < END {
        let lateness = pick(rng, &[100_000.0, 3_000_000.0, 40_000_000.0]);
        now += 1 + rng.exponential(lateness) as u64;
        all.push(at(now));
    }
    all
}

/// The contents of a report, for comparison.
fn told(report: &Report) -> String {
    let batches: Vec<_> = report.batches().collect();
    format!("{batches:?} {:?}", report.samples().collect::<Vec<_>>())
}

fn station(sheet: &Sheet, seed: u64) -> Station<usize> {
    Station::new(setup(sheet, seed), Some(schedule()))
}

/// Acts whenever something is due.
fn serve_exactly(mut station: Station<usize>, all: &[Arrival]) -> (Vec<Event<usize>>, String) {
    let mut events = Vec::new();
    for (item, arrival) in all.iter().enumerate() {
        while let Some(due) = station.due().filter(|&due| due < arrival.at) {
            station.advance(due, |event| events.push(event));
        }
        station.offer(arrival.at, arrival.packet, item, |event| events.push(event));
    }
    while let Some(due) = station.due().filter(|&due| due < at(END)) {
        station.advance(due, |event| events.push(event));
    }
    let report = station.finish(at(END), |event| events.push(event)).expect("a schedule");
    (events, told(&report))
}

/// Acts when it wakes up, and queries the state then.
fn serve_late(
    mut station: Station<usize>,
    all: &[Arrival],
    rng: &mut Rng,
) -> (Vec<Event<usize>>, String) {
    let (mut events, mut next) = (Vec::new(), 0);
    for now in wake_ups(rng) {
        while let Some(arrival) = all.get(next).filter(|arrival| arrival.at <= now) {
            station.offer(arrival.at, arrival.packet, next, |event| events.push(event));
            next += 1;
        }
        if now < at(END) && rng.unit() < 0.5 {
            station.advance(now, |event| events.push(event));
            station.backlog(now);
            station.inspect(now, &mut |_, _| ());
            station.counters(now);
        }
    }
    let report = station.finish(at(END), |event| events.push(event)).expect("a schedule");
    (events, told(&report))
}

#[test]
fn a_station_that_is_served_late_decides_the_same() {
    let keeps = |sheet: &&Sheet| sheet.needs.contains(&Need::Departures);
    for sheet in ALL.iter().filter(keeps) {
        let mut signals = 0;
        // all that these drop is what finds no room
        let only_limit = ["tbf", "fq", "sfq"].contains(&sheet.name);
        for seed in 0..60 {
            let mut rng = Rng::named(seed, sheet.name);
            let all = arrivals(&mut rng);
            let (events, report) = serve_exactly(station(sheet, seed), &all);
            let late = serve_late(station(sheet, seed), &all, &mut rng);
            let about = format!("{}, seed {seed}", sheet.name);
            let differ = events.iter().zip(&late.0).find(|(a, b)| a != b);
            assert!(differ.is_none(), "{about}: {differ:?}");
            assert_eq!(events.len(), late.0.len(), "{about}");
            assert_eq!(report, late.1, "{about}");
            signals += events
                .iter()
                .filter(|event| match event {
                    Event::Sent(sent) => sent.marked,
                    Event::Dropped { cause, .. } => only_limit || *cause == crate::DropCause::Early,
                })
                .count();
        }
        assert!(signals > 100, "{} has decided little: {signals}", sheet.name);
    }
}

/// A header that depends on the packet's number.
fn header(sheet: &Sheet, number: usize) -> Option<Header> {
    let rtt = Some(Duration::from_millis(20 + number as u64 % 50));
    match (sheet.name, number % 4) {
        (_, 0) => None,
        ("xcp", _) => Some(Header::Xcp { cwnd: 10.0, rtt, feedback: None }),
        _ => Some(Header::Vcp { load: 0 }),
    }
}

/// `looks` says up to where a driver queries the state before the next arrival.
fn hop_fates(
    mut hop: Hop,
    sheet: &Sheet,
    all: &[Arrival],
    mut looks: impl FnMut(Time, Time) -> Vec<Time>,
) -> (Vec<(Outcome, Option<Header>)>, Option<String>) {
    let (mut fates, mut before) = (Vec::new(), Time::ZERO);
    for (number, Arrival { at, packet }) in all.iter().enumerate() {
        for now in looks(before, *at) {
            hop.backlog(now);
            hop.inspect(now, &mut |_, _| ());
            hop.counters(now);
        }
        let mut header = header(sheet, number);
        let outcome = hop.offer(*at, packet.size, packet.ecn.is_capable(), || header.as_mut());
        fates.push((outcome, header));
        before = *at;
    }
    (fates, hop.finish(at(END.max(before.nanos()))).as_ref().map(told))
}

#[test]
fn a_hop_decides_the_same_whoever_looks() {
    let decides_at_once = |sheet: &&Sheet| !sheet.needs.contains(&Need::Departures);
    for sheet in ALL.iter().filter(decides_at_once) {
        let mut changed = 0;
        for seed in 0..40 {
            let mut rng = Rng::named(seed, sheet.name);
            let all = arrivals(&mut rng);
            let make = |schedule| Hop::new(setup(sheet, seed), schedule);
            let quiet = hop_fates(make(Some(schedule())), sheet, &all, |_, _| Vec::new());
            let looked = hop_fates(make(Some(schedule())), sheet, &all, |from, to| {
                let times = (0..2).map(|_| rng.range(from.nanos() as f64, to.nanos() as f64));
                let mut times: Vec<Time> = times.map(|ns| at(ns as u64)).collect();
                times.sort();
                times
            });
            let open = hop_fates(make(None), sheet, &all, |_, _| Vec::new());
            let about = format!("{}, seed {seed}", sheet.name);
            assert!(quiet.0 == looked.0, "{about}: looking changes what is decided");
            assert_eq!(quiet.1, looked.1, "{about}");
            assert!(quiet.0 == open.0, "{about}: measuring changes what is decided");
            assert_eq!(open.1, None, "{about}");
            changed += quiet.0.iter().filter(|(outcome, _)| is_drop_or_mark(outcome)).count();
        }
        assert!(changed > 100, "{} has decided little: {changed}", sheet.name);
    }
}

fn is_drop_or_mark(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Dropped(_) | Outcome::Arrives { marked: true, .. })
}

#[test]
fn a_live_station_counts_without_a_schedule() {
    let sheet = ALL.iter().find(|sheet| sheet.name == "codel").expect("registered");
    let mut rng = Rng::named(1, "live");
    let all = arrivals(&mut rng);
    let mut station = Station::new(setup(sheet, 1), None);
    let (mut sent, mut dropped) = (0, 0);
    for (item, arrival) in all.iter().enumerate() {
        station.offer(arrival.at, arrival.packet, item, |event| match event {
            Event::Sent(_) => sent += 1,
            Event::Dropped { .. } => dropped += 1,
        });
        if item % 100 == 0 {
            let counters = station.counters(arrival.at);
            assert_eq!(counters.accepted, sent);
            assert_eq!(counters.overflowed + counters.dropped_early, dropped);
        }
    }
    assert!(station.finish(at(2 * END), |_| {}).is_none());
}
