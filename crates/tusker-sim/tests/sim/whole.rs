//! Whole simulations of scenarios, for tests that compare means with arithmetic.

use std::ops::ControlFlow;

use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_scenario::Scenario;

/// Fixed: these tests are about means, not about luck.
const SEED: u64 = 1;

/// The plan of a scenario, and its run.
pub fn simulate(text: &str) -> (Plan, Run) {
    let scenario = Scenario::parse("test.toml", text, &[]).expect("a scenario");
    let plan = scenario.plan().expect("a plan");
    let run = tusker_sim::run(&plan, SEED, &mut |_| ControlFlow::Continue(())).expect("runs");
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
