//! The engine's part of a sweep of short runs, for `bench/bench.py --only sweep`: the
//! scenario with a queue of 110 packets, 111, ... Prints the CPU seconds used by the runs
//! alone, in one thread, on Linux: `cargo run --release -p tusker-sim --example short_runs
//! -- bench/short.toml 1000`

use std::ops::ControlFlow;

use tusker_plan::executor::{Executor, Job};
use tusker_scenario::Scenario;
use tusker_sim::Simulator;

/// CPU time of this thread in nanoseconds.
fn cpu() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("this is Linux");
    text.split(' ').next().and_then(|first| first.parse().ok()).expect("a number comes first")
}

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("the first argument is a scenario");
    let runs = args.next().map_or(1_000, |runs| runs.parse().expect("a number of runs"));
    let text = std::fs::read_to_string(&path).expect("the scenario can be read");
    let plans: Vec<_> = (0..runs)
        .map(|nth| {
            let set = format!("dumbbell.queue={}pkt", 110 + nth);
            let scenario = Scenario::parse(&path, &text, &[set]).expect("the scenario is right");
            scenario.complete().expect("the scenario can be").into_plan()
        })
        .collect();
    let before = cpu();
    for plan in &plans {
        let tell = &mut |_| ControlFlow::Continue(());
        let run = Simulator.execute(Job::new(plan, 1, tell));
        assert!(run.is_ok(), "nothing stops it");
    }
    println!("cpu_s={}", (cpu() - before) as f64 / 1e9);
}
