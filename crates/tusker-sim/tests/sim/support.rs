//! What the tests of whole simulations share.

use std::ops::ControlFlow;

use tusker_core::Bytes;
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_scenario::Scenario;
use tusker_sim::Engine;

/// Fixed: these tests are about means, not about luck.
pub const SEED: u64 = 1;

/// The plan of a scenario.
pub fn parse(text: &str) -> Plan {
    let plan = Scenario::parse("test.toml", text, &[]).and_then(|scenario| scenario.plan());
    plan.unwrap_or_else(|error| panic!("{error:?} in\n{text}"))
}

/// The run of a plan.
pub fn run(plan: &Plan, seed: u64) -> Run {
    tusker_sim::run(plan, seed, &mut |_| ControlFlow::Continue(())).expect("nothing stops it")
}

/// The same; with `ahead` off, event by event.
pub fn run_ahead(plan: &Plan, seed: u64, ahead: bool) -> Run {
    let run = Engine::new(plan, seed, ahead).run(
        Bytes::new(u64::MAX),
        &mut |_| ControlFlow::Continue(()),
        None,
    );
    run.expect("nothing stops it")
}

/// The plan of a scenario, and its run.
pub fn simulate(text: &str) -> (Plan, Run) {
    let plan = parse(text);
    let run = run(&plan, SEED);
    (plan, run)
}

/// The length of the measuring window, seconds.
pub fn window(plan: &Plan) -> f64 {
    plan.measure_to.since(plan.measure_from).secs()
}

/// Is `value` within `tolerance` (a share) of `expected`?
pub fn assert_near(value: f64, expected: f64, tolerance: f64, what: &str) {
    let off = value / expected - 1.0;
    println!("{what}: {value:.6} against {expected:.6}: {:+.2} %", off * 100.0);
    assert!(off.abs() <= tolerance, "{what}: {value} against {expected}, {:+.2} %", off * 100.0);
}
