//! A plan on real sockets, from hosts to a run.

mod rights;

use std::ops::ControlFlow;

use rights::rights;
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_scenario::Scenario;
use tusker_testbed::{Audit, Limits, can, execute};

fn plan(text: &str) -> Plan {
    Scenario::parse("test.toml", text, &[]).and_then(|s| s.plan()).expect("it is right")
}

const PATH: &str = "profile = 'linux'\nduration = '8s'\n\
    [dumbbell]\nrate = '10Mbit'\ndelay = '40ms'\nqueue = { policy = 'droptail', limit = '2bdp' }\n\
    access = { rate = '1Gbit', delay = '0ms' }\n";

/// A valid run; a machine that was busy gets three chances.
fn valid(plan: &Plan) -> (Run, Audit) {
    for _ in 0..3 {
        let done = execute(plan, 1, &mut |_| ControlFlow::Continue(()));
        let (run, audit) = done.expect("this machine can").expect("nobody breaks off");
        let faults = audit.faults(&Limits::of(plan));
        if faults.is_empty() {
            return (run, audit);
        }
        eprintln!("an invalid run: {}", faults.join("; "));
    }
    panic!("three invalid runs, one after the other");
}

#[test]
fn a_flow_fills_its_link() {
    if !rights("a flow fills its link") {
        return;
    }
    let plan = plan(&format!("{PATH}[[flows]]\nname = 'a'\ncc = 'cubic'\n"));
    let (run, audit) = valid(&plan);
    let window = plan.measure_to.since(plan.measure_from).secs();
    // packets of 1500 B at 10 Mbit/s; a queue of two bandwidth-delay products
    // keeps the link busy while a window of 0.7 of it grows again
    let most = 10e6 / 12_000.0 * window;
    let delivered = run.flows[0].delivered as f64;
    assert!(delivered <= most + 1.0, "{delivered} of {most} segments");
    assert!(delivered >= 0.95 * most, "{delivered} of {most} segments");
    assert!(audit.packets as f64 >= delivered, "{audit:?}");
    // 2 * 40 ms of propagation, and 1500 B at 10 Mbit/s and twice at 1 Gbit/s: 81.224 ms;
    // the kernel adds what it takes to answer
    let rtt = run.flows[0].min_rtt.expect("there were samples").secs();
    assert!((0.0812..0.0862).contains(&rtt), "{rtt} s");
    let total = run.flows[0].total;
    assert_eq!(total.sent, total.arrived + total.dropped + total.in_flight);
}

#[test]
fn flows_share_a_queue_that_marks_nothing_and_drops() {
    if !rights("flows share a queue that marks nothing and drops") {
        return;
    }
    let plan = plan(&format!(
        "{}[[flows]]\nname = 'a'\ncc = 'reno'\ncount = 4\n",
        PATH.replace("droptail', limit = '2bdp'", "codel', limit = '1000pkt'")
    ));
    let (run, _) = valid(&plan);
    let window = plan.measure_to.since(plan.measure_from).secs();
    let delivered: u64 = run.flows.iter().map(|flow| flow.delivered).sum();
    let most = 10e6 / 12_000.0 * window;
    assert!((0.9 * most..=most + 4.0).contains(&(delivered as f64)), "{delivered} of {most}");
    // CoDel drops before the queue is full, and keeps it short
    let bottleneck = plan.links.iter().position(|link| link.name == "R1->R2").unwrap();
    let link = &run.links[bottleneck];
    assert!(link.dropped_early > 0, "{link:?}");
    assert_eq!(link.overflowed, 0, "{link:?}");
    assert_eq!(run.flows.iter().filter(|flow| flow.delivered > 0).count(), 4);
}

#[test]
fn parallel_connections_begin_together() {
    if !rights("parallel connections begin together") {
        return;
    }
    let plan = plan(&format!(
        "{PATH}[[flows]]\nname = 'a'\ncc = 'reno'\nparallel = 3\n\
         start = {{ uniform = ['0s', '2s'] }}\n"
    ));
    let (run, _) = valid(&plan);
    let starts: Vec<f64> = run.flows.iter().map(|flow| flow.start.nanos() as f64 * 1e-9).collect();
    // each waits for the round trip of 81 ms in which the one before opens
    assert!((0.0..0.5).contains(&(starts[2] - starts[0])), "{starts:?}");
}

#[test]
fn segments_are_as_long_as_the_plan_says() {
    if !rights("segments are as long as the plan says") {
        return;
    }
    let plan = plan(&format!(
        "{PATH}[[flows]]\nname = 'a'\ncc = 'reno'\n\
         [[flows]]\nname = 'b'\ncc = 'reno'\ntcp = {{ packet = '600B' }}\n"
    ));
    let (run, _) = valid(&plan);
    // were they longer, more payload would arrive than a full segment's for each
    for flow in &run.flows {
        let (arrived, delivered) = (flow.total.arrived as f64, flow.total.delivered as f64);
        assert!(arrived > 100.0 && delivered <= arrived, "{delivered} of {arrived}");
        assert!(delivered >= 0.9 * arrived, "{delivered} of {arrived}");
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let with = |more: &str| plan(&format!("{PATH}[[flows]]\nname = 'a'\ncc = 'reno'\n{more}"));
    assert_eq!(can(&with("")), Ok(()));
    let udp = "[[background]]\nname = 'u'\nfrom = 'R1'\nto = 'R2'\nrate = '1Mbit'\n";
    let refusal = can(&with(udp)).unwrap_err();
    assert!(refusal.what.contains("without congestion control"), "{refusal:?}");
    let fast = plan(
        &format!("{PATH}[[flows]]\nname = 'a'\ncc = 'reno'\n")
            .replace("10Mbit", "10Gbit")
            .replace("1Gbit", "100Gbit"),
    );
    let refusal = can(&fast).unwrap_err();
    assert!(refusal.what.contains("10000 Mbit/s"), "{refusal:?}");
    let many = "[[flows]]\nname = 'b'\ncc = 'reno'\nparallel = 1001\n";
    let refusal = can(&with(many)).unwrap_err();
    assert!(refusal.what.contains("1002 flows"), "{refusal:?}");
    let long =
        plan(&format!("{PATH}[[flows]]\nname = 'a'\ncc = 'reno'\ntcp = {{ packet = '40000B' }}\n"));
    let refusal = can(&long).unwrap_err();
    assert!(refusal.what.contains("40000 B"), "{refusal:?}");
}
