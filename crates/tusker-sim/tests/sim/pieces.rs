//! Runs that are executed piece by piece: what has happened by the time of a pause is what
//! happens in an uninterrupted run that ends then.

use std::ops::ControlFlow;

use crate::captures::for_any;
use crate::engine_support::{Choices, scenario};
use crate::support::{self, parse};
use tusker_core::{Duration, Time};
use tusker_plan::executor::{Job, Pausing, Progress, Subject};
use tusker_plan::plan::{Plan, Trace};
use tusker_plan::run::{Flow, Run, Totals};
use tusker_sim::Simulator;

/// A run with these stops, and what its flows had done at each.
fn in_pieces(plan: &Plan, seed: u64, stops: &[Time]) -> (Vec<Vec<Progress>>, Run) {
    let mut go_on = |_| ControlFlow::Continue(());
    let mut run = Simulator.begin(Job::new(plan, seed, &mut go_on)).expect("not broken off");
    let mut stop = |at: &Time| {
        run.run_to(*at, &mut go_on).expect("not broken off");
        run.flows()
    };
    let seen = stops.iter().map(&mut stop).collect();
    (seen, run.end())
}

/// Sent, retransmitted, episodes, timeouts and round trips.
fn of(flow: &Progress) -> [u64; 5] {
    [flow.sent, flow.retransmitted, flow.episodes, flow.timeouts, flow.rtt_samples]
}

fn counted(flow: &Flow) -> [u64; 5] {
    [flow.sent, flow.retransmitted, flow.episodes, flow.timeouts, flow.rtt.count()]
}

#[test]
fn a_run_with_pauses_is_the_same_run() {
    for_any(60, |numbers, seed| {
        let text = scenario(&mut Choices::new(numbers));
        let plan = Plan { trace: Trace::default(), measure_from: Time::ZERO, ..parse(&text) };
        let plan = Plan { measure_to: plan.end, ..plan };
        let third = Duration::from_nanos(plan.end.since(Time::ZERO).nanos() / 3 + seed);
        let stops = [Time::ZERO + third, Time::ZERO + third * 2];
        let (seen, ended) = in_pieces(&plan, seed, &stops);
        let (straight, _) = in_pieces(&plan, seed, &stops[1..]);
        assert_eq!(seen[1], straight[0], "seed {seed}, in\n{text}");
        for (at, flows) in stops.iter().zip(&seen) {
            let end = Time::from_nanos(at.nanos() - 1);
            let shorter = Plan { end, measure_to: end, ..plan.clone() };
            let whole = support::run(&shorter, seed).flows;
            for (n, (flow, paused)) in whole.iter().zip(flows).enumerate() {
                let name = &plan.flows[n].name;
                assert_eq!(counted(flow), of(paused), "{name}, seed {seed}, in\n{text}");
            }
        }
        for flow in &ended.flows {
            let Totals { sent, arrived, dropped, in_flight, .. } = flow.total;
            assert_eq!(sent, arrived + dropped + in_flight, "seed {seed}, in\n{text}");
        }
    });
}

/// Every link is looked at, as a page does that shows a run as it proceeds.
#[test]
fn a_run_that_is_inspected_at_stops_is_the_run_in_one_go() {
    for_any(60, |numbers, seed| {
        let text = scenario(&mut Choices::new(numbers));
        let plan = parse(&text);
        let trace = Trace { interval: None, flows: true, links: (0..plan.links.len()).collect() };
        let plan = Plan { trace, ..plan };
        let interval = Duration::from_nanos(plan.end.nanos() / 7 + 1);
        let recorded = Trace { interval: Some(interval), ..plan.trace.clone() };
        let recorded = support::run(&Plan { trace: recorded, ..plan.clone() }, seed).trace;

        let mut go_on = |_| ControlFlow::Continue(());
        let mut paused = Simulator.begin(Job::new(&plan, seed, &mut go_on)).expect("no limit");
        for (row, &at) in recorded.times.iter().enumerate() {
            paused.run_to(at, &mut go_on).expect("not broken off");
            let mut columns = recorded.series.iter();
            paused.inspect(&mut |subject, quantity, value| {
                if ["dropped", "marked", "busy"].contains(&quantity) {
                    return;
                }
                let column = columns.next().expect("as many as are recorded");
                let name = match subject {
                    Subject::Flow(flow) => &plan.flows[flow].name,
                    Subject::Link(link) => &plan.links[link].name,
                };
                assert_eq!((name, quantity), (&column.subject, &*column.quantity));
                let same = value.to_bits() == column.values[row].to_bits();
                assert!(same, "{name} {quantity} at {at:?}, seed {seed}, in\n{text}");
            });
            assert!(columns.next().is_none(), "seed {seed}, in\n{text}");
        }
        let finished = paused.finish(&mut go_on).expect("not broken off");
        let [finished, straight] = [finished, support::run(&plan, seed)]
            .map(|run| format!("{:?}", Run { events: 0, ..run }));
        assert!(finished == straight, "seed {seed}, in\n{text}");
    });
}

/// A stop is an error, and nothing more is executed.
#[test]
fn a_run_in_pieces_can_be_interrupted() {
    let plan = parse(
        "profile = 'linux'\nduration = '5s'\n[dumbbell]\nrate = '10Mbit'\ndelay = '10ms'\n\
         queue = '50pkt'\n\
         access = { rate = '100Mbit', delay = '0s' }\n[[flows]]\nname = 'f'\ncc = 'reno'\nstart = '0s'\n",
    );
    let mut go_on = |_| ControlFlow::Continue(());
    let mut run = Simulator.begin(Job::new(&plan, 1, &mut go_on)).expect("not broken off");
    run.run_to(Time::from_nanos(2_000_000_000), &mut go_on).expect("not broken off");
    let before = run.flows();
    // 10 Mbit/s for 2 s are 1,667 packets of 1500 B, less a round trip and a start
    assert!((1_400..1_700).contains(&before[0].delivered), "{before:?}");
    let stopped = run.run_to(plan.end, &mut |_| ControlFlow::Break(()));
    assert!(matches!(stopped, Err(tusker_plan::budget::Stopped::Interrupted)), "{stopped:?}");
    assert_eq!(run.flows(), before);
}
