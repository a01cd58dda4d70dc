use super::*;
use std::collections::BTreeSet;
use tusker_core::queue::{Codepoint, Kind, Link, Policy, Spec};
use tusker_core::{Bytes, Rate};

const MS: u64 = 1_000_000;

fn cake(values: &[(&str, f64)]) -> Cake<u64> {
    let spec = Spec::with(Kind::Cake, values.iter().copied()).expect("in range");
    let rate = Rate::from_bits_per_sec(12_000_000);
    let link = Link { rate, mean_packet: Bytes::new(1500) };
    Cake::new(tusker_core::queue::Aqm::cake_queues(&Policy::new(&spec, &link)).expect("its queues"))
}

/// A packet of a flow, from one host to another, that carries the flow's number.
fn arrive(cake: &mut Cake<u64>, flow: u64, (from, to): (u32, u32), size: u32) {
    let of = Offered { size, ecn: Codepoint::NotEct, flow, from, to };
    let arrived = Time::ZERO;
    let held = Held { item: flow, size, arrived, can_mark: false, marked: false };
    cake.push(arrived, &of, held, &mut Rng::named(flow, "push"));
}

/// Whose packets leave, in order; none has waited for long.
fn leave(cake: &mut Cake<u64>, times: usize) -> Vec<u64> {
    let mut rng = Rng::named(1, "cake");
    let next = |_| match cake.turn(Time::from_nanos(MS), &mut rng) {
        Some(Turn::Send(held)) => Some(held.item),
        Some(_) => panic!("nothing is dropped or held back"),
        None => None,
    };
    (0..times).map_while(next).collect()
}

const ALONE: (u32, u32) = (0, 0);

#[test]
fn equal_packets_take_turns() {
    let mut cake = cake(&[("by_source", 0.0), ("by_destination", 0.0)]);
    for flow in [1, 1, 1, 2, 2, 2, 3] {
        arrive(&mut cake, flow, ALONE, 1514);
    }
    assert_eq!(leave(&mut cake, 9), [1, 2, 3, 1, 2, 1, 2]);
}

#[test]
fn a_queue_that_was_empty_goes_first_but_only_once() {
    let mut cake = cake(&[("by_source", 0.0), ("by_destination", 0.0)]);
    for flow in [1, 1, 1, 2, 2, 2] {
        arrive(&mut cake, flow, ALONE, 1514);
    }
    assert_eq!(leave(&mut cake, 3), [1, 2, 1]);
    arrive(&mut cake, 3, ALONE, 100);
    assert_eq!(leave(&mut cake, 1), [3], "before the others");
    // 1414 are left, so that it is still one that goes first; then it has spent them
    arrive(&mut cake, 3, ALONE, 1414);
    arrive(&mut cake, 3, ALONE, 1514);
    // old ones then: 1 with nothing, 2 with a quantum, 3 with one, and 1 behind them
    assert_eq!(leave(&mut cake, 6), [3, 2, 3, 1, 2]);
}

/// The paper, section III: a set of 8 makes collisions of a few hundred flows unlikely,
/// where one in 16 of 64 flows meets another in 1024 queues.
#[test]
fn sixty_four_flows_do_not_meet_where_plain_hashing_would_have_them() {
    let mut cake = cake(&[]);
    let mut homes = BTreeSet::new();
    for flow in 0..64 {
        arrive(&mut cake, flow, ALONE, 100);
        homes.insert(cake.plan.isolation.key(flow, 0, 0) % QUEUES as u64);
    }
    assert!(homes.len() < 64, "{} of 64 are apart in any case", homes.len());
    assert_eq!(cake.queues.len(), 64);
    assert!(cake.queues.iter().all(|queue| queue.packets.len() == 1));
}

/// So many flows whose first queue is the same.
fn of_one_home(cake: &Cake<u64>, count: usize) -> Vec<u64> {
    let home = |flow: u64| cake.plan.isolation.key(flow, 0, 0) % QUEUES as u64;
    (0..).filter(|&flow| home(flow) == home(0)).take(count).collect()
}

#[test]
fn eight_flows_of_a_set_do_not_meet() {
    let mut cake = cake(&[]);
    let flows = of_one_home(&cake, 9);
    for &flow in flows[..8].iter().chain(&flows[..8]) {
        arrive(&mut cake, flow, ALONE, 100);
    }
    assert_eq!(cake.queues.len(), 8);
    assert!(cake.queues.iter().all(|queue| queue.packets.len() == 2));
    // the ninth shares the queue of the first, which is its own from now on
    arrive(&mut cake, flows[8], ALONE, 100);
    assert_eq!((cake.queues.len(), cake.queues[0].packets.len()), (8, 3));
    assert_eq!(cake.queues[0].key, cake.plan.isolation.key(flows[8], 0, 0));
}

#[test]
fn a_queue_is_free_again_once_it_was_found_empty() {
    let mut cake = cake(&[]);
    let flows = of_one_home(&cake, 9);
    for &flow in &flows[..8] {
        arrive(&mut cake, flow, ALONE, 1514);
    }
    // COBALT was asked at 1 ms about packets that had hardly waited, and remembers until
    // an interval later that it was
    let mut rng = Rng::named(1, "cake");
    assert_eq!(leave(&mut cake, 8).len(), 8);
    arrive(&mut cake, flows[8], ALONE, 1514);
    assert_eq!(cake.queues[0].packets.len(), 1, "all eight are still remembered");
    let late = Time::from_nanos(102 * MS);
    for _ in 0..3 {
        // each time one packet leaves, and one more queue is forgotten
        cake.turn(late, &mut rng);
        arrive(&mut cake, flows[8], ALONE, 1514);
    }
    assert!(cake.queues.iter().any(|queue| queue.set == Set::Free));
}

/// How many of so many packets are those of flow 9, which has a host of its own, where
/// flows 1 to 8 share one.
fn share_of_the_ninth(values: &[(&str, f64)], hosts: impl Fn(u64) -> (u32, u32)) -> f64 {
    let mut cake = cake(values);
    for _ in 0..1000 {
        (1..=9).for_each(|flow| arrive(&mut cake, flow, hosts(flow), 1514));
    }
    let gone = leave(&mut cake, 1000);
    gone.iter().filter(|&&flow| flow == 9).count() as f64 / gone.len() as f64
}

#[test]
fn hosts_share_and_not_their_flows() {
    let sources = |flow| (flow as u32 / 9, 7);
    let sinks = |flow| (7, flow as u32 / 9);
    // flow 9 has a quantum in each turn, each of the others an eighth: a half; the others'
    // first packets came before they were counted
    let apart = [("by_destination", 0.0)];
    assert!((share_of_the_ninth(&apart, sources) - 0.5).abs() < 0.01);
    let apart = [("by_source", 0.0)];
    assert!((share_of_the_ninth(&apart, sinks) - 0.5).abs() < 0.01);
    // by flows alone: a ninth
    let by_flow = [("by_source", 0.0), ("by_destination", 0.0)];
    assert!((share_of_the_ninth(&by_flow, sources) - 1.0 / 9.0).abs() < 0.01);
    // by hosts alone the eight share a queue
    assert!((share_of_the_ninth(&[("by_flow", 0.0)], sources) - 0.5).abs() < 0.01);
}

/// triple-isolate: nine flows from one source to two hosts, eight to one of them. The
/// larger load counts, that of the source: all are alike.
#[test]
fn of_two_loads_the_larger_counts() {
    let share = share_of_the_ninth(&[], |flow| (7, flow as u32 / 9));
    assert!((share - 1.0 / 9.0).abs() < 0.01, "{share}");
    // and where both ends are apart, the pair of the eight has half
    let share = share_of_the_ninth(&[], |flow| (flow as u32 / 9, flow as u32 / 9));
    assert!((share - 0.5).abs() < 0.01, "{share}");
}

#[test]
fn the_fattest_queue_loses_its_first_packet() {
    let mut cake = cake(&[]);
    for flow in [1, 1, 2, 3, 3, 3] {
        arrive(&mut cake, flow, ALONE, 500 * flow as u32);
    }
    // 1000, 1000 and 4500 B
    let gone = |cake: &mut Cake<u64>| cake.drop_from_fattest(Time::from_nanos(MS * 50));
    assert_eq!(gone(&mut cake).map(|held| held.item), Some(3));
    assert_eq!(cake.queues[2].cobalt.p_drop(), 1.0 / 256.0);
    assert_eq!(cake.packets, 5);
    while gone(&mut cake).is_some() {}
    assert_eq!(cake.packets, 0);
    assert_eq!(leave(&mut cake, 1), []);
}
