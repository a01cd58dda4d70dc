//! Runs that are valid.

use std::ops::ControlFlow;

use tusker_plan::executor::Job;
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;
use tusker_scenario::Scenario;
use tusker_testbed::{Audit, How, Limits, Measured, execute};

pub fn plan(text: &str) -> Plan {
    Scenario::parse("test.toml", text, &[]).and_then(|s| s.plan()).expect("it is right")
}

/// A valid run; on a busy machine it gets three attempts.
pub fn valid(plan: &Plan) -> (Run, Audit) {
    for _ in 0..3 {
        let go_on = &mut |_| ControlFlow::Continue(());
        let done = execute(Job::new(plan, 1, go_on), How::default());
        let Measured { run, audit, .. } =
            done.expect("this machine can").expect("nobody breaks off");
        let faults = audit.faults(&Limits::of(plan));
        if faults.is_empty() {
            return (run, audit);
        }
        eprintln!("an invalid run: {}", faults.join("; "));
    }
    panic!("three invalid runs, one after the other");
}
