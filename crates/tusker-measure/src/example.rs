//! A plan and a run made by hand, for tests.
//!
//! ```text
//! A --100 Mbit/s--\
//!                  R --1 Gbit/s--> D     window 10 s .. 20 s
//! B ---1 Gbit/s---/
//! ```

use std::sync::Arc;

use tusker_core::congestion::{self, Decisions, Modes};
use tusker_core::wire::Loss;
use tusker_core::{Bytes, Duration, Rate, Time, queue};

use tusker_plan::plan::{
    Background, Flow, HostTime, Limit, Link, Pace, Pattern, Plan, Queue, Recovery, Start, Tcp,
    Trace,
};
use tusker_plan::run::{self, BATCHES, Run};

/// A plan with two groups on one bottleneck.
pub fn plan() -> Plan {
    let link = |name: &str, from, to, bps| Link {
        name: name.to_owned(),
        from,
        to,
        rate: Rate::from_bits_per_sec(bps),
        delay: Duration::from_millis(10).into(),
        queue: Arc::new(Queue {
            policy: queue::Spec::new(queue::Kind::DropTail),
            classes: Vec::new(),
            limit: Limit::Packets(100),
            ecn: false,
            mean_packet: Bytes::new(1500),
        }),
        loss: Loss::NONE.into(),
        pace: Pace::Fixed,
        outages: None,
        jitter: None.into(),
        reorder: false,
    };
    let flow = |name: &str, group, route: Vec<usize>, size| Flow {
        name: name.to_owned(),
        group,
        application: Some(group),
        reverse: vec![],
        reroutes: vec![],
        route,
        cc: congestion::Spec::new(congestion::Kind::Reno),
        tcp: tcp(),
        start: Start::At(Time::ZERO),
        stop: None,
        size,
        app: None,
    };
    Plan {
        nodes: ["A", "B", "R", "D"].map(String::from).to_vec(),
        links: vec![
            link("A->R", 0, 2, 100_000_000),
            link("B->R", 1, 2, 1_000_000_000),
            link("R->D", 2, 3, 1_000_000_000),
        ],
        groups: vec!["slow".to_owned(), "fast".to_owned()],
        flows: vec![
            flow("slow.0", 0, vec![0, 2], Some(Bytes::new(1_000_000))),
            flow("fast.0", 1, vec![1, 2], None),
        ],
        applications: vec!["slow.0".to_owned(), "fast.0".to_owned()],
        traffic: Vec::new(),
        background: vec![Background {
            name: "udp".to_owned(),
            route: vec![2],
            rate: Rate::from_bits_per_sec(10_000_000),
            packet: Bytes::new(1000),
            dscp: 0,
            pattern: Pattern::Constant { jitter: 0.0 },
            start: Start::At(Time::ZERO),
            stop: None,
        }],
        end: secs(20.0),
        measure_from: secs(10.0),
        measure_to: secs(20.0),
        host_time: HostTime::ZERO,
        trace: Trace::default(),
    }
}

/// What a run of it measured.
pub fn run(seed: u64) -> Run {
    let mut slow = run::Flow {
        start: secs(1.0),
        finished: Some(secs(3.5)),
        arrived: 50_000,
        delivered: 49_000,
        batches: [2_450; BATCHES],
        sent: 50_500,
        retransmitted: 500,
        episodes: 3,
        timeouts: 1,
        dropped: 505,
        modes: Some(Modes {
            below: Decisions { made: 40, gentle: 10, switches: 18 },
            above: Decisions { made: 50, gentle: 45, switches: 7 },
        }),
        min_rtt: Some(Duration::from_nanos(1)),
        ..run::Flow::default()
    };
    // exact below 64 ns
    (1..=60).for_each(|ns| slow.rtt.record(ns));
    let fast = run::Flow {
        arrived: 600_000,
        delivered: 600_000,
        batches: [30_000; BATCHES],
        sent: 606_000,
        retransmitted: 6_000,
        episodes: 7,
        total: run::Totals { delivered: 900_000, ..run::Totals::default() },
        ..run::Flow::default()
    };
    let mut bottleneck = run::Link {
        offered: 700_000,
        overflowed: 6_000,
        tied: 60,
        in_step: 2_000,
        dropped_early: 1_000,
        sent_bytes: 975_000_000,
        busy: Duration::from_secs(7.8),
        busy_batches: Some(Box::new([Duration::from_millis(390); BATCHES])),
        queue_mean: 31.5,
        losses: Some(run::Losses { episodes: 4, synchronisation: 0.75, ..Default::default() }),
        ..run::Link::default()
    };
    (1..=60).for_each(|packets| bottleneck.queue.record(packets));
    Run {
        seed,
        flows: vec![slow, fast],
        links: vec![run::Link::default(), run::Link::default(), bottleneck],
        traffic: Vec::new(),
        background: vec![run::Background {
            arrived: 12_250,
            arrived_bytes: 12_250_000,
            total: run::Totals { sent: 25_000, dropped: 500, ..run::Totals::default() },
        }],
        trace: run::Trace {
            times: vec![secs(0.0), secs(0.5)],
            series: vec![run::Series {
                subject: "slow.0".to_owned(),
                quantity: "cwnd".to_owned(),
                values: vec![f64::NAN, 12.5],
            }],
        },
        audit: None,
        events: 4_000_000,
        wall: std::time::Duration::from_secs(2),
    }
}

fn secs(s: f64) -> Time {
    Time::ZERO + Duration::from_secs(s)
}

fn tcp() -> Tcp {
    Tcp {
        recovery: Recovery::Sack,
        initial_window: 2,
        min_rto: Duration::from_millis(200),
        granularity: Duration::from_millis(10),
        sack_bytes: true,
        ..Tcp::PLAIN
    }
}
