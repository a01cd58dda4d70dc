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
    let of = Offered { size, ecn: Codepoint::NotEct, dscp: 0, flow, from, to };
    let arrived = Time::ZERO;
    let held = Held { item: flow, size, flow, arrived, can_mark: false, marked: false };
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

/// Of 64 flows in 1024 queues two pairs meet in the mean (64 * 63/2/1024); that nine of
/// them have the same set of 128 is hardly possible.
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

/// Of n flows in 128 sets of 8, k have the same set with the binomial probability of n and
/// 1/128; k - 8 of them share a queue. That makes 3.62 of 500 flows in the mean, where
/// 1024 plain queues would have 104.26 flows that come to one that is taken.
#[test]
fn so_many_flows_meet_as_the_binomial_distribution_says() {
    const TIMES: u64 = 40;
    let (mut shared, mut plain) = (0, 0);
    for time in 0..TIMES {
        let mut cake = cake(&[]);
        let mut homes = BTreeSet::new();
        for flow in 500 * time..500 * (time + 1) {
            arrive(&mut cake, flow, ALONE, 100);
            homes.insert(cake.plan.isolation.key(flow, 0, 0) % QUEUES as u64);
        }
        shared += 500 - cake.queues.len();
        plain += 500 - homes.len();
    }
    let mean = |sum: usize| sum as f64 / TIMES as f64;
    assert!((mean(shared) - 3.62).abs() < 1.0, "{}", mean(shared));
    assert!((mean(plain) - 104.26).abs() < 4.0, "{}", mean(plain));
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

/// Linux looks at one of the empty queues that COBALT remembers first of all, once for
/// each packet that leaves, however many others wait.
#[test]
fn an_empty_queue_is_forgotten_while_others_are_busy() {
    let mut cake = cake(&[]);
    arrive(&mut cake, 1, ALONE, 1514);
    (0..10).for_each(|_| arrive(&mut cake, 2, ALONE, 1514));
    assert_eq!(leave(&mut cake, 4), [1, 2, 2, 2]);
    assert_eq!(cake.queues[0].set, Set::Decaying);
    // asked at 1 ms, it is remembered for an interval
    let mut rng = Rng::named(1, "cake");
    cake.turn(Time::from_nanos(100 * MS), &mut rng);
    assert_eq!(cake.queues[0].set, Set::Decaying);
    cake.turn(Time::from_nanos(102 * MS), &mut rng);
    assert_eq!(cake.queues[0].set, Set::Free);
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

/// Every queue that is not free is in one list, every packet in one queue, and hosts have
/// as many bulk queues as there are.
fn check(cake: &Cake<u64>) {
    let mut listed: Vec<u32> = cake.new.iter().chain(&cake.old).copied().collect();
    listed.extend(&cake.decaying);
    listed.sort_unstable();
    let busy = |set: Set| set != Set::Free;
    let used: Vec<u32> = (0..cake.queues.len() as u32)
        .filter(|&slot| busy(cake.queues[slot as usize].set))
        .collect();
    assert_eq!(listed, used);
    assert_eq!(cake.packets, cake.queues.iter().map(|queue| queue.packets.len()).sum::<usize>());
    for queue in &cake.queues {
        assert_eq!(queue.bytes, queue.packets.iter().map(|held| u64::from(held.size)).sum::<u64>());
        let waits = matches!(queue.set, Set::Free | Set::Decaying | Set::SparseWait);
        assert!(!waits || queue.packets.is_empty(), "{:?}", queue.set);
    }
    let bulk = cake.queues.iter().filter(|queue| queue.set == Set::Bulk).count();
    for table in [&cake.sources, &cake.destinations] {
        assert_eq!(table.values().sum::<u32>() as usize, bulk);
    }
}

#[test]
fn the_books_are_balanced_whatever_comes() {
    for seed in 0..6 {
        let mut rng = Rng::named(seed, "steps");
        let shaped = [("bandwidth", 10e6), ("atm", 1.0), ("overhead", 40.0)];
        let mut cake = cake(if seed % 2 == 0 { &[] } else { &shaped });
        // a few flows that come back, or so many that sets are full
        let flows = if seed % 3 == 0 { 20.0 } else { 3000.0 };
        let (mut now, mut inside) = (0, 0_usize);
        for step in 0..20_000 {
            now += rng.exponential(700_000.0) as u64 * u64::from(rng.unit() < 0.6);
            let at = Time::from_nanos(now);
            if rng.unit() < 0.55 {
                let flow = (rng.unit() * rng.unit() * flows) as u64;
                let (from, to) = (flow as u32 % 7, flow as u32 % 5);
                let size = rng.range(40.0, 1500.0) as u32;
                let of = Offered { size, ecn: Codepoint::Ect0, dscp: 0, flow, from, to };
                let can_mark = rng.unit() < 0.5;
                let held = Held { item: flow, size, flow, arrived: at, can_mark, marked: false };
                cake.push(at, &of, held, &mut rng);
                inside += 1;
                if inside > 500 {
                    inside -= usize::from(cake.drop_from_fattest(at).is_some());
                }
            } else {
                match cake.turn(at, &mut rng) {
                    Some(Turn::Send(_) | Turn::Drop(_)) => inside -= 1,
                    Some(Turn::Wait(until)) => assert!(until > at),
                    None => assert_eq!(inside, 0),
                }
            }
            assert_eq!(cake.packets, inside);
            if step % 50 == 0 {
                check(&cake);
            }
        }
    }
}
