//! What short forms and graphs stand for.

use tusker_core::{Bytes, Duration, Rate, Time, wire};
use tusker_plan::plan::{self, Plan};

use super::{EXAMPLES, GRAPH, SMALL, example, planned};
use crate::forms::{Cc, Queue};
use crate::limit::Limit;
use crate::model::Scenario;
use crate::text::Profile;
use crate::topology::Access;
use crate::traffic::Flows;

#[test]
fn what_is_written_of_a_complete_scenario_has_the_same_plan() {
    for name in EXAMPLES {
        let scenario = example(name);
        let complete = scenario.complete().unwrap_or_else(|e| panic!("{e:?}"));
        let (text, explicit) = (complete.to_toml(), complete.to_scenario());
        let again = Scenario::parse(name, &text, &[]).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        assert_eq!(again, explicit, "{name}: text gives the same scenario");
        let again = again.complete().unwrap();
        assert_eq!(again.to_scenario(), explicit, "{name}: nothing is left to be said");
        assert_eq!(again.plan(), complete.plan(), "{name}: and it has the same plan");
        let own = Scenario::parse(name, &scenario.to_toml(), &[]).unwrap();
        assert_eq!(own, scenario, "{name}: so has the short form");
    }
}

#[test]
fn a_dumbbell_gives_each_flow_two_hosts() {
    let plan = planned(SMALL, &[]);
    let names: Vec<&str> = plan.links.iter().map(|l| l.name.as_str()).collect();
    let route = |flow: &plan::Flow| -> Vec<&str> {
        flow.route.iter().chain(&flow.reverse).map(|&l| names[l]).collect()
    };
    assert_eq!(plan.groups, ["a", "b"]);
    let flows: Vec<&str> = plan.flows.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(flows, ["a.0", "a.1", "b.0"]);
    assert_eq!(
        route(&plan.flows[1]),
        ["a.1.src->R1", "R1->R2", "R2->a.1.dst", "a.1.dst->R2", "R2->R1", "R1->a.1.src"]
    );
    // 10 Mbit/s x 2 (5 + 20 + 5) ms = 600,000 bit = 50 packets of 1500 B
    assert_eq!(plan.links[0].queue.limit, plan::Limit::Packets(50));
    assert_eq!(plan.links[1].queue.limit, plan::Limit::Packets(50));
    // the latter half
    assert_eq!(plan.measure_from, Time::from_nanos(5_000_000_000));
    assert_eq!(plan.measure_to, plan.end);
    assert_eq!(plan.flows[0].start, plan::Start::At(Time::from_nanos(1_000_000_000)));
    assert_eq!(plan.flows[2].start, plan::Start::At(Time::ZERO));
}

#[test]
fn access_delays_of_a_group_are_spread_over_a_range() {
    let plan = planned(
        SMALL,
        &[
            "flows.a.count=4",
            "flows.a.access.delay=[\"1ms\", \"10ms\"]",
            "flows.b.access.delay=[\"3ms\", \"2ms\"]",
        ],
    );
    let delay = |link: &str| {
        let found = plan.links.iter().find(|l| l.name == link).unwrap();
        found.propagation().nanos() as f64 / 1e6
    };
    let of = |i: usize| (delay(&format!("a.{i}.src->R1")), delay(&format!("R2->a.{i}.dst")));
    assert_eq!([of(0), of(1), of(2), of(3)], [(1.0, 1.0), (4.0, 4.0), (7.0, 7.0), (10.0, 10.0)]);
    // a single one is the first
    assert_eq!(delay("b.0.src->R1"), 3.0);
    // the longest round trip counts: 10 Mbit/s x 2 (10 + 20 + 10) ms = 800,000 bit
    assert_eq!(plan.links[0].queue.limit, plan::Limit::Packets(67));
}

#[test]
fn routes_are_shortest_by_delay_then_hops_then_order() {
    let names = |plan: &Plan| -> Vec<String> {
        plan.flows[0].route.iter().map(|&l| plan.links[l].name.clone()).collect()
    };
    assert_eq!(names(&planned(GRAPH, &[])), ["A->C", "C->B"]);
    assert_eq!(names(&planned(GRAPH, &["links.0.delay=20ms"])), ["A->B"]);
    assert_eq!(names(&planned(GRAPH, &["links.0.delay=19ms"])), ["A->B"]);
}

#[test]
fn a_scenario_made_by_hand_prints_short_and_reads_back() {
    let ms = Duration::from_millis;
    let rate = Rate::from_bits_per_sec;
    let queue = Queue::droptail(Limit::Bdp(0.5));
    let mut s = Scenario::dumbbell(Profile::Linux, rate(1_000_000_000), ms(48), queue);
    s.dumbbell.as_mut().unwrap().access = Some(Access {
        rate: Some(rate(10_000_000_000).into()),
        delay: Some(ms(1).into()),
        queue: None,
    });
    s.flows = vec![Flows { count: Some(2), ..Flows::new("reno", "reno") }];
    let text = r#"profile = "linux"
duration = "100s"

[dumbbell]
rate = "1Gbit"
delay = "48ms"
queue = "0.5bdp"
access = { rate = "10Gbit", delay = "1ms" }

[[flows]]
name = "reno"
count = 2
cc = "reno"
"#;
    assert_eq!(s.to_toml(), text);
    assert_eq!(Scenario::parse("made", text, &[]).unwrap(), s);
    // without a text, the path gives the place
    s.flows[0].cc = Cc::from("renno");
    let error = s.plan().unwrap_err();
    assert!(
        error.to_string().starts_with("flows.0.cc.name: unknown congestion control"),
        "{error}"
    );
}

#[test]
fn a_parking_lot_is_routers_in_a_row() {
    let plan = example("parking-lot.toml").plan().unwrap();
    assert_eq!(plan.nodes[..4], ["R1", "R2", "R3", "R4"]);
    let rates: Vec<u64> = plan.links[..6].iter().map(|l| l.rate.bits_per_sec()).collect();
    assert_eq!(
        rates,
        [1_000_000_000, 1_000_000_000, 500_000_000, 500_000_000, 1_000_000_000, 1_000_000_000]
    );
    // the longest base RTT is that of `long`: 2 (1 + 30 + 1) = 64 ms; half of
    // 0.5 Gbit/s x 64 ms = 32 Mbit is 16 Mbit = 1333.3 packets of 1500 B
    assert_eq!(plan.links[2].queue.limit, plan::Limit::Packets(1333));
    assert_eq!(plan.trace.links, [0, 2, 4]);
    // five seconds apart
    let starts: Vec<plan::Start> = plan.flows[2..4].iter().map(|f| f.start).collect();
    let at = |s: u64| plan::Start::At(Time::from_nanos(s * 1_000_000_000));
    assert_eq!(starts, [at(1), at(6)]);
    assert_eq!(plan.flows[5].stop, Some(Time::from_nanos(150_000_000_000)));
    // UDP goes back over all hops, R4 to R1
    let names: Vec<&str> =
        plan.background[9].route.iter().map(|&l| plan.links[l].name.as_str()).collect();
    assert_eq!(names, ["R4->R3", "R3->R2", "R2->R1"]);
    let half = Duration::from_millis(500);
    assert_eq!(plan.background[9].pattern, plan::Pattern::OnOff { on: half, off: half });
    assert_eq!(plan.background[9].name, "web.9");
}

#[test]
fn a_graph_has_links_with_two_different_sides() {
    let plan = example("graph.toml").plan().unwrap();
    let link = |name: &str| plan.links.iter().find(|l| l.name == name).unwrap();
    assert_eq!(link("B->D").loss, wire::Loss::Bernoulli(1e-6).into());
    assert_eq!(link("D->B").loss, wire::Loss::NONE.into());
    assert_eq!(link("D->B").rate.bits_per_sec(), 100_000_000);
    assert_eq!(link("D->B").queue.limit, plan::Limit::Packets(1000));
    assert_eq!(link("detour.in.reverse").to, 0);
    // flows without access links run from node to node
    let route: Vec<&str> =
        plan.flows[0].route.iter().map(|&l| plan.links[l].name.as_str()).collect();
    assert_eq!(route, ["A->B", "B->D"]);
    let file = &plan.flows[3];
    assert_eq!(file.route.len(), 3);
    assert_eq!(file.size, Some(Bytes::new(100_000_000)));
    assert_eq!(file.tcp.receive_buffer, Some(Bytes::new(512 * 1024)));
    assert_eq!((file.tcp.delayed_ack, file.tcp.min_rto), (None, Duration::from_millis(1000)));
    assert_eq!(file.tcp.recovery, plan::Recovery::Sack);
}

/// Two ways from A to D: over B (2 x 5 ms) and over C (2 x 9 ms).
const DIAMOND: &str = "profile = 'linux'\nduration = '9s'\nnodes = ['A', 'B', 'C', 'D']\n\
    links = [{ from = 'A', to = 'B', rate = '10Mbit', delay = '5ms', queue = '9pkt' }, \
    { from = 'B', to = 'D', rate = '10Mbit', delay = '5ms', queue = '9pkt' }, \
    { from = 'A', to = 'C', rate = '10Mbit', delay = '9ms', queue = '9pkt' }, \
    { from = 'C', to = 'D', rate = '10Mbit', delay = '9ms', queue = '9pkt', name = 'slow' }, \
    { from = 'D', to = 'C', rate = '10Mbit', delay = '90ms', queue = '9pkt', name = 'one', duplex = false }]\n\
    [[flows]]\nname = 'f'\nfrom = 'A'\nto = 'D'\ncc = 'reno'\naccess = { rate = '1Gbit' }\n";

#[test]
fn a_route_is_chosen_and_changes() {
    let plan = |route: &str| {
        let set = format!("flows.f.route={route}");
        let scenario = Scenario::parse("d.toml", DIAMOND, &[set]);
        let complete = scenario.and_then(|s| s.complete()).unwrap_or_else(|e| panic!("{e:?}"));
        let again = Scenario::parse("again.toml", &complete.to_toml(), &[]).and_then(|s| s.plan());
        assert_eq!(again.unwrap_or_else(|e| panic!("{e:?}")), *complete.plan());
        complete.into_plan()
    };
    let names = |plan: &Plan, links: &[usize]| -> Vec<String> {
        let inner = &links[1..links.len() - 1];
        inner.iter().map(|&link| plan.links[link].name.clone()).collect()
    };
    let plan_of = plan(
        "[{ at = '0s', via = [] }, { at = '2s', via = ['C'] }, { at = '4s', via = ['A->B'] }]",
    );
    let flow = &plan_of.flows[0];
    assert_eq!(names(&plan_of, &flow.route), ["A->B", "B->D"]);
    assert_eq!(
        flow.reroutes.iter().map(|other| other.at.nanos() / 1_000_000_000).collect::<Vec<_>>(),
        [2, 4]
    );
    assert_eq!(names(&plan_of, &flow.reroutes[0].route), ["A->C", "slow"]);
    assert_eq!(names(&plan_of, &flow.reroutes[0].reverse), ["slow.reverse", "C->A"]);
    assert_eq!(flow.reroutes[1].route, flow.route);
    let plan_of = plan("[{ at = '0s', via = ['C'], back = ['one'] }]");
    assert_eq!(names(&plan_of, &plan_of.flows[0].reverse), ["one", "C->A"]);
    let wrong = |route: &str| {
        let set = format!("flows.f.route={route}");
        let plan = Scenario::parse("d.toml", DIAMOND, &[set]).and_then(|s| s.plan());
        plan.map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(wrong("[{ at = '1s', via = ['C'] }]"), "the route at the start is missing");
    assert_eq!(wrong("[{ at = '0s', via = ['E'] }]"), "no node or link is called `E`");
    assert_eq!(
        wrong("[{ at = '0s', via = ['D', 'one'] }]"),
        "the link `one` has no reverse direction"
    );
    assert_eq!(
        wrong("[{ at = '0s', via = ['A->B', 'A', 'A->B'] }]"),
        "a route that passes `A->B` twice"
    );
    assert_eq!(
        wrong("[{ at = '0s', via = [] }, { at = '0s', via = [] }]"),
        "a route at 0s after one at 0s"
    );
}
