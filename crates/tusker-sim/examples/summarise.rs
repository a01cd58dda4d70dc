//! Runs scenario files and prints a few numbers of each run, one per line, for
//! scripts that compare simulators:
//! `cargo run --release -p tusker-sim --example summarise -- SEEDS FILE...`
//!
//! Lines are `file,seed,key,value` with the keys of bench/ns2/oracle.csv. One definition
//! differs: our goodput is what the receiver has, theirs what the sender knows to have
//! arrived.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;

use tusker_plan::plan::Plan;
use tusker_plan::run::{self, Run};
use tusker_scenario::Scenario;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let seeds = args.next().and_then(|n| n.parse::<u64>().ok());
    let files: Vec<String> = args.collect();
    let (Some(seeds), false) = (seeds, files.is_empty()) else {
        eprintln!("usage: summarise SEEDS FILE...");
        return ExitCode::from(2);
    };
    for file in &files {
        let plan = match Scenario::load(Path::new(file), &[]).and_then(|s| s.plan()) {
            Ok(plan) => plan,
            Err(error) => {
                eprintln!("{error:?}");
                return ExitCode::from(2);
            }
        };
        for seed in 1..=seeds {
            let clock = clock();
            let run = tusker_sim::run(&plan, seed, &mut |_| ControlFlow::Continue(()));
            let mut run = run.expect("nobody breaks off");
            run.wall = clock.elapsed();
            summary(&plan, &run, &mut |key, value| println!("{file},{seed},{key},{value}"));
        }
    }
    ExitCode::SUCCESS
}

#[expect(clippy::disallowed_methods, reason = "how long a run takes is measured from outside")]
fn clock() -> std::time::Instant {
    std::time::Instant::now()
}

fn summary(plan: &Plan, run: &Run, see: &mut dyn FnMut(&str, f64)) {
    let seconds = plan.measure_to.since(plan.measure_from).secs();
    for (g, group) in plan.groups.iter().enumerate() {
        let flows = || run.flows.iter().zip(&plan.flows).filter(|(_, p)| p.group == g);
        let sum = |what: fn(&run::Flow) -> u64| flows().map(|(f, _)| what(f)).sum::<u64>() as f64;
        let payload = flows().map(|(_, p)| p.tcp.payload().get()).next().unwrap_or(0);
        let goodput = sum(|f| f.delivered) * payload as f64 * 8.0 / seconds / 1e6;
        see(&format!("{group}.goodput_mbps"), goodput);
        see(&format!("{group}.timeouts.half"), sum(|f| f.timeouts));
        see(&format!("{group}.fast_retransmits.half"), sum(|f| f.episodes));
        see(&format!("{group}.retransmitted.half"), sum(|f| f.retransmitted));
    }
    for (i, (flow, planned)) in run.flows.iter().zip(&plan.flows).enumerate() {
        let bits = flow.delivered * planned.tcp.payload().get() * 8;
        see(&format!("flow.{i}.goodput_mbps"), bits as f64 / seconds / 1e6);
    }
    // a dumbbell's bottleneck is its first link
    let link = &run.links[0];
    let utilisation = link.busy.secs() / seconds;
    see("utilisation", utilisation);
    see("queue_mean", link.queue_mean - utilisation);
    see("loss_episodes", link.losses.unwrap_or_default().episodes as f64);
    see("bottleneck.drops.half", (link.overflowed + link.dropped_early) as f64);
    see("wall_s", run.wall.as_secs_f64());
}
