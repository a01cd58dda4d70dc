//! The reference workload without the command line, for profilers:
//! `cargo run --release -p tusker-sim --example reference -- 100 hstcp`

use std::ops::ControlFlow;

use tusker_core::wire::Loss;
use tusker_core::{Bytes, Duration, Rate, Time, congestion, queue};
use tusker_plan::plan::{self, Plan};

fn queue(limit: plan::Limit) -> plan::Queue {
    plan::Queue {
        policy: queue::Spec::new(queue::Kind::DropTail),
        classes: Vec::new(),
        limit,
        ecn: false,
        mean_packet: Bytes::new(1500),
    }
}

fn link(
    name: String,
    from: usize,
    to: usize,
    mbit: u64,
    ms: u64,
    limit: plan::Limit,
) -> plan::Link {
    plan::Link {
        name,
        from,
        to,
        rate: Rate::from_bits_per_sec(mbit * 1_000_000),
        delay: Duration::from_millis(ms).into(),
        queue: queue(limit).into(),
        loss: Loss::NONE.into(),
        pace: plan::Pace::Fixed,
        outages: None,
        jitter: None.into(),
        reorder: false,
    }
}

fn tcp() -> plan::Tcp {
    plan::Tcp {
        recovery: plan::Recovery::Sack,
        limited_transmit: true,
        forget_sack_on_timeout: true,
        initial_window: 2,
        initial_rto: Duration::from_secs(3.0),
        min_rto: Duration::from_secs(0.2),
        granularity: Duration::from_millis(10),
        ..plan::Tcp::PLAIN
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds: f64 = args.next().map_or(100.0, |s| s.parse().expect("seconds"));
    let fast = args.next().unwrap_or("reno".into());
    let full = plan::Limit::Packets(10_000);
    let mut links = vec![
        link("R1->R2".into(), 0, 1, 2500, 50, full),
        link("R2->R1".into(), 1, 0, 2500, 50, plan::Limit::Unlimited),
    ];
    let mut flows = Vec::new();
    for i in 0..10 {
        let (cc, mbit, group) = if i < 5 { ("reno", 100, 0) } else { (&*fast, 1000, 1) };
        let (s, d, base) = (2 + 2 * i, 3 + 2 * i, links.len());
        for (name, a, b) in [("s", s, 0), ("S", 0, s), ("d", 1, d), ("D", d, 1)] {
            links.push(link(format!("{name}{i}"), a, b, mbit, 1, plan::Limit::Unlimited));
        }
        flows.push(plan::Flow {
            name: format!("S{}.{}", group + 1, i % 5),
            group,
            application: Some(i),
            route: vec![base, 0, base + 2],
            reverse: vec![base + 3, 1, base + 1],
            reroutes: Vec::new(),
            cc: congestion::Spec::named(cc, []).expect("known"),
            tcp: tcp(),
            start: plan::Start::Uniform(Time::ZERO, Time::from_nanos(1_000_000_000)),
            stop: None,
            size: None,
            app: None,
        });
    }
    let end = Time::ZERO + Duration::from_secs(seconds);
    let plan = Plan {
        nodes: (0..22).map(|n| format!("n{n}")).collect(),
        links,
        groups: vec!["S1".into(), "S2".into()],
        applications: flows.iter().map(|flow| flow.name.clone()).collect(),
        flows,
        traffic: vec![],
        background: vec![],
        end,
        measure_from: Time::ZERO + Duration::from_secs(seconds / 2.0),
        measure_to: end,
        host_time: plan::HostTime::ZERO,
        trace: plan::Trace::default(),
    };
    let clock = clock();
    let run = tusker_sim::run(&plan, 1, &mut |_| ControlFlow::Continue(())).expect("runs");
    let wall = clock.elapsed().as_secs_f64();
    let delivered: u64 = run.flows.iter().map(|f| f.total.delivered).sum();
    for (planned, flow) in plan.flows.iter().zip(&run.flows) {
        println!(
            "{} {:8.2} Mbit/s  timeouts {} episodes {} retransmitted {} dropped {}",
            planned.name,
            flow.delivered as f64 * 1460.0 * 8.0 / (seconds / 2.0) / 1e6,
            flow.timeouts,
            flow.episodes,
            flow.retransmitted,
            flow.dropped,
        );
    }
    let bottleneck = &run.links[0];
    let losses = bottleneck.losses.unwrap_or_default();
    println!(
        "bottleneck busy {:.4}  queue mean {:.1}  episodes {}  synchronisation {:.2}",
        bottleneck.busy.secs() / (seconds / 2.0),
        bottleneck.queue_mean,
        losses.episodes,
        losses.synchronisation,
    );
    println!(
        "{delivered} segments, {} events in {wall:.3} s: {:.2} M segments/s, {:.1} ns each, {:.2} events each",
        run.events,
        delivered as f64 / wall / 1e6,
        wall * 1e9 / delivered as f64,
        run.events as f64 / delivered as f64,
    );
}

#[expect(clippy::disallowed_methods, reason = "how long a run takes is measured from outside")]
fn clock() -> std::time::Instant {
    std::time::Instant::now()
}
