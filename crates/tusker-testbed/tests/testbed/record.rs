//! The arrivals at a link, replayed into a new link of the simulator at the same times: the
//! queue makes the same decision about each packet.

use std::ops::ControlFlow;
use std::thread;

use crate::support::rights;
use proptest::prelude::*;
use tusker_core::queue::Codepoint;
use tusker_core::{Rng, Time};
use tusker_path::{DropCause, Event, Hop, Offered, Outcome, Setup, Station, Wire};
use tusker_plan::executor::Job;
use tusker_plan::plan::{Link, Plan};
use tusker_scenario::Scenario;
use tusker_testbed::network::{Left, Network};
use tusker_testbed::packet::Packet;
use tusker_testbed::{Arrival, Became, How, execute};

const SEED: u64 = 7;

const POLICIES: [&str; 5] = ["droptail", "red", "gared", "codel", "pie"];

/// Four flows over 10 Mbit/s with a queue, 20 ms there and back.
fn plan(policy: &str, more: &str) -> Plan {
    let text = format!(
        "profile = 'linux'\nduration = '3s'\n[dumbbell]\nrate = '10Mbit'\ndelay = '10ms'\n\
         queue = {{ policy = '{policy}', limit = '60pkt'{more} }}\n\
         access = {{ rate = '1Gbit', delay = '0ms' }}\n\
         [[flows]]\nname = 'a'\ncc = 'cubic'\ncount = 4\n"
    );
    Scenario::parse("test.toml", &text, &[]).and_then(|s| s.plan()).expect("it is right")
}

fn bottleneck(plan: &Plan) -> usize {
    plan.links.iter().position(|link| link.name == "R1->R2").expect("a dumbbell has it")
}

/// A link of the simulator, with the random streams that docs/design.md names.
fn setup(link: &Link) -> Setup {
    Setup {
        wire: Wire::fixed(link.rate),
        delay: link.delay.clone(),
        limit: link.queue.limit,
        policy: link.queue.policy(link.rate),
        ecn: link.queue.ecn,
        loss: link.loss.clone(),
        jitter: link.jitter.clone(),
        reorder: link.reorder,
        policy_rng: Rng::named(SEED, &format!("policy/{}", link.name)),
        loss_rng: Rng::named(SEED, &format!("loss/{}", link.name)),
        jitter_rng: Rng::named(SEED, &format!("jitter/{}", link.name)),
        observed: true,
        sampled: true,
        waits: true,
    }
}

/// What happens to the same packets at the same times.
fn replay(link: &Link, arrivals: &[Arrival]) -> Vec<Became> {
    let passed = |marked| if marked { Became::Marked } else { Became::Passed };
    let mut all = vec![Became::Waiting; arrivals.len()];
    if !link.queue.acts_at_departure() {
        let mut hop = Hop::new(setup(link), None);
        for (became, a) in all.iter_mut().zip(arrivals) {
            *became = match hop.offer(a.at, a.size, a.ecn_capable, || None) {
                Outcome::Arrives { marked, .. } => passed(marked),
                Outcome::Dropped(DropCause::Loss) => Became::Lost,
                Outcome::Dropped(_) => Became::Dropped,
            };
        }
        return all;
    }
    let mut station = Station::new(setup(link), None);
    let mut hear = |event: Event<usize>| match event {
        Event::Sent(sent) if sent.arrives.is_none() => all[sent.item] = Became::Lost,
        Event::Sent(sent) => all[sent.item] = passed(sent.marked),
        Event::Dropped { item, .. } => all[item] = Became::Dropped,
    };
    for (number, a) in arrivals.iter().enumerate() {
        let flow = a.flow.map_or(u64::MAX, |flow| flow as u64);
        let ecn = if a.ecn_capable { Codepoint::Ect0 } else { Codepoint::NotEct };
        let packet = Offered { size: a.size, ecn, dscp: 0, flow, from: 0, to: 0 };
        station.advance(a.at, &mut hear);
        station.offer(a.at, packet, number, &mut hear);
    }
    // until its queue is empty
    station.advance(Time::from_nanos(1_000_000_000_000), &mut hear);
    all
}

/// The number of each kind: passed, marked, dropped, lost.
fn count(all: &[Became]) -> [usize; 4] {
    [Became::Passed, Became::Marked, Became::Dropped, Became::Lost]
        .map(|kind| all.iter().filter(|became| **became == kind).count())
}

/// Compares the record with what happens in the simulator, packet by packet.
fn same(name: &str, plan: &Plan, arrivals: &[Arrival]) -> [usize; 4] {
    assert!(arrivals.is_sorted_by_key(|a| a.at), "{name}: times never decrease");
    let again = replay(&plan.links[bottleneck(plan)], arrivals);
    let mut waiting = 0;
    for (number, (a, became)) in arrivals.iter().zip(&again).enumerate() {
        if a.became == Became::Waiting {
            waiting += 1;
        } else {
            assert_eq!(a.became, *became, "{name}: packet {number} of {}, {a:?}", arrivals.len());
        }
    }
    assert!(waiting <= 60, "{name}: {waiting} packets in a queue of 60");
    count(&again)
}

#[test]
fn the_simulator_decides_the_same_about_what_real_sockets_sent() {
    if !rights("the simulator decides the same about what real sockets sent") {
        return;
    }
    // punctuality does not matter here, so all run at once
    let counts = thread::scope(|scope| {
        let runs = POLICIES.map(|policy| {
            scope.spawn(move || {
                let plan = plan(policy, ", ecn = true");
                let how = How { record: Some(bottleneck(&plan)), ..How::default() };
                let go_on = &mut |_| ControlFlow::Continue(());
                let done = execute(Job::new(&plan, SEED, go_on), how);
                let arrivals = done.expect("it can").expect("nobody breaks off").arrivals;
                assert!(arrivals.iter().all(|a| a.flow.is_some_and(|flow| flow < 4)));
                assert!(arrivals.iter().all(|a| (40..=1500).contains(&a.size)));
                (policy, same(policy, &plan, &arrivals))
            })
        });
        runs.map(|run| run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    eprintln!("passed, marked, dropped, lost: {counts:?}");
    // four CUBIC flows start with more than a queue of 60 and a path of 17 packets hold
    for (policy, [passed, _, dropped, _]) in counts {
        assert!(passed > 100 && dropped > 0, "{policy}: {dropped} dropped, {passed} passed");
    }
}

/// Packets arrive at the bottleneck after these pauses in us, and every third of them can
/// be marked.
fn recorded(plan: &Plan, pauses: &[u64]) -> Vec<Arrival> {
    let mut network = Network::new(plan, SEED);
    let link = bottleneck(plan);
    network.record(link);
    let flow = &plan.flows[0];
    let to = plan.links[*flow.route.last().expect("a way")].to;
    let route = network.route(Time::ZERO, plan.links[flow.route[0]].from, to).expect("they talk");
    let mut gone = 0;
    let mut tell = |_: Left| gone += 1;
    let mut at = Time::ZERO;
    for (number, pause) in pauses.iter().enumerate() {
        at += tusker_core::Duration::from_nanos(pause * 1_000);
        network.advance(at, &mut tell);
        let bytes = vec![0; 64 + number * 131 % 1437];
        let packet = Packet {
            bytes,
            flow: Some(0),
            ecn: [Codepoint::Ect0, Codepoint::NotEct][usize::from(number % 3 != 0)],
            ..Packet::default()
        };
        network.send(at, route, Box::new(packet), &mut tell);
    }
    network.advance(Time::from_nanos(60_000_000_000), &mut tell);
    assert_eq!(gone, pauses.len(), "each packet has its end");
    let arrivals = network.recorded();
    assert_eq!(arrivals.len(), pauses.len(), "and each came to the link");
    assert!(network.recorded().is_empty(), "it is over");
    arrivals
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Every policy, with marks and losses.
    #[test]
    fn the_simulator_decides_the_same_about_any_packets(
        pauses in prop::collection::vec(0_u64..1_200, 1_000..3_000),
        policy in prop::sample::select(POLICIES.to_vec()),
    ) {
        let plan = plan(policy, ", ecn = true");
        let arrivals = recorded(&plan, &pauses);
        prop_assert!(arrivals.iter().all(|a| a.became != Became::Waiting));
        same(policy, &plan, &arrivals);
    }
}

#[test]
fn marks_drops_and_losses_are_told_apart() {
    // 784 B on average every 400 us are one and a half times the wire's rate
    let pauses = [400; 4_000];
    for policy in POLICIES {
        let mut plan = plan(policy, ", ecn = true");
        let link = bottleneck(&plan);
        plan.links[link].loss = tusker_core::wire::Loss::Bernoulli(0.02).into();
        let arrivals = recorded(&plan, &pauses);
        let [passed, marked, dropped, lost] = same(policy, &plan, &arrivals);
        eprintln!("{policy}: {passed} passed, {marked} marked, {dropped} dropped, {lost} lost");
        assert!(passed > 0 && dropped > 0 && lost > 0, "{policy}");
        assert_eq!(marked > 0, policy != "droptail", "{policy}");
    }
}
