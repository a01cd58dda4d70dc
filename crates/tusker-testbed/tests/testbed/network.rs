//! What happens to packets between hosts, tested without a clock and without devices.

use proptest::prelude::*;
use tusker_core::Time;
use tusker_plan::plan::Plan;
use tusker_scenario::Scenario;
use tusker_testbed::network::{Left, Network};
use tusker_testbed::packet::Packet;

fn plan(queue: &str) -> Plan {
    let text = format!(
        "profile = 'linux'\nduration = '10s'\n\
         [dumbbell]\nrate = '12Mbit'\ndelay = '10ms'\nqueue = {queue}\n\
         access = {{ rate = '1.2Gbit', delay = '1ms' }}\n\
         [[flows]]\nname = 'a'\ncc = 'reno'\n"
    );
    Scenario::parse("test.toml", &text, &[]).and_then(|s| s.plan()).expect("it is right")
}

fn us(us: u64) -> Time {
    Time::from_nanos(us * 1_000)
}

/// Numbers of the packets and when they left: positive if they arrived.
fn lead(plan: &Plan, sent: &[u64], looks: &[u64]) -> Vec<(usize, bool, u64)> {
    let mut network = Network::new(plan, 1);
    let flow = &plan.flows[0];
    let from = plan.links[flow.route[0]].from;
    let to = plan.links[*flow.route.last().unwrap()].to;
    let route = network.route(Time::ZERO, from, to).expect("the hosts of a flow talk");
    let mut seen = Vec::new();
    let mut note = |left: Left| {
        let (arrived, at, packet) = match left {
            Left::Arrived { at, packet, .. } => (true, at, packet),
            Left::Dropped { at, packet, .. } => (false, at, packet),
        };
        // the packet's number is stored in place of its identification
        let number = u16::from_be_bytes([packet.bytes[4], packet.bytes[5]]);
        seen.push((usize::from(number), arrived, at.nanos() / 1_000));
    };
    let mut looks = looks.iter().peekable();
    for (number, &at) in sent.iter().enumerate() {
        while let Some(&look) = looks.next_if(|look| **look <= at) {
            network.advance(us(look), &mut note);
        }
        network.advance(us(at), &mut note);
        let mut bytes = vec![0; 1500];
        bytes[4..6].copy_from_slice(&(number as u16).to_be_bytes());
        let packet = Packet { bytes, flow: Some(0), ..Packet::default() };
        network.send(us(at), route, Box::new(packet), &mut note);
    }
    for &look in looks {
        network.advance(us(look), &mut note);
    }
    network.advance(us(60_000_000), &mut note);
    assert_eq!(network.next(), None, "nothing is left");
    seen.sort_unstable();
    seen
}

#[test]
fn packets_are_due_when_the_links_say() {
    // 1500 B take 10 us at 1.2 Gbit/s and 1 ms at 12 Mbit/s. The first is at the router
    // after 10 us + 1 ms, at the other after 1 ms + 10 ms more, at the host after
    // 10 us + 1 ms more: 13.02 ms; the next ones a millisecond each later.
    let plan = plan("{ policy = 'droptail', limit = '100pkt' }");
    let seen = lead(&plan, &[0, 0, 0, 5_000], &[]);
    assert_eq!(seen, [(0, true, 13_020), (1, true, 14_020), (2, true, 15_020), (3, true, 18_020)]);
}

#[test]
fn a_full_queue_drops() {
    // of four that arrive together, a queue of two keeps the one in transmission and one
    // more: packets are 10 us apart at the router and take 1 ms there
    let plan = plan("{ policy = 'droptail', limit = '2pkt' }");
    let seen = lead(&plan, &[0, 0, 0, 0], &[]);
    let arrived: Vec<(usize, bool)> = seen.iter().map(|(n, arrived, _)| (*n, *arrived)).collect();
    assert_eq!(arrived, [(0, true), (1, true), (2, false), (3, false)]);
    // the third is at the router after 3 * 10 us + 1 ms
    assert_eq!(seen[2].2, 1_030);
}

proptest! {
    /// Polling rarely and at odd times gives the same result as polling often.
    #[test]
    fn late_looks_change_nothing(
        gaps in prop::collection::vec(0_u64..3_000, 1..80),
        looks in prop::collection::vec(0_u64..20_000, 0..60),
        policy in prop::sample::select(vec!["droptail", "red", "codel", "fq_codel", "cake", "pie", "dualpi2", "policer", "tbf", "fq", "sfq", "fq_pie"]),
    ) {
        let plan = plan(&format!("{{ policy = '{policy}', limit = '8pkt' }}"));
        let ascending = |steps: &[u64]| -> Vec<u64> {
            steps.iter().scan(0, |at, step| { *at += step; Some(*at) }).collect()
        };
        let sent = ascending(&gaps);
        prop_assert_eq!(lead(&plan, &sent, &ascending(&looks)), lead(&plan, &sent, &[]));
    }

    /// Whoever advances it whenever it is due finds every packet at its host in time.
    #[test]
    fn nothing_arrives_before_the_next_look(
        gaps in prop::collection::vec(0_u64..3_000, 1..80),
        policy in prop::sample::select(vec!["droptail", "codel", "fq_codel", "tbf"]),
    ) {
        let plan = plan(&format!("{{ policy = '{policy}', limit = '8pkt' }}"));
        let mut network = Network::new(&plan, 1);
        let flow = &plan.flows[0];
        let route = network.route(Time::ZERO, plan.links[flow.route[0]].from, plan.links[flow.route[2]].to);
        let route = route.expect("the hosts of a flow talk");
        let (mut late, mut looks) = (Vec::new(), 0);
        let mut advance = |network: &mut Network, now: Time| {
            looks += 1;
            network.advance(now, &mut |left| match left {
                Left::Arrived { at, .. } if at < now => late.push((at, now)),
                _ => {}
            });
        };
        let mut at = 0;
        for gap in gaps {
            at += gap;
            while let Some(next) = network.next().filter(|next| *next <= us(at)) {
                advance(&mut network, next);
            }
            advance(&mut network, us(at));
            let packet = Packet { bytes: vec![0; 1500], flow: Some(0), ..Packet::default() };
            network.send(us(at), route, Box::new(packet), &mut |_| ());
        }
        while let Some(next) = network.next() {
            advance(&mut network, next);
        }
        prop_assert_eq!(late, []);
        // more often than packets is too often
        prop_assert!(looks < 4 * 80);
    }
}
