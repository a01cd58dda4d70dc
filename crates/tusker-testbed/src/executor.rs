//! The testbed as one of several executors.

use std::ops::ControlFlow;

use tusker_core::{Bytes, Time};
use tusker_plan::budget::Stopped;
use tusker_plan::executor::Executor;
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

use crate::can;
use crate::experiment::execute;

/// Executes plans on real sockets of this machine, one at a time: two that run at once
/// disturb each other. A run has an audit.
///
/// Memory is held against what the plan is expected to take, before it begins; nothing
/// is counted while packets move, because that would take the time that they need.
#[derive(Clone, Copy, Debug, Default)]
pub struct Testbed;

impl Executor for Testbed {
    fn execute(
        &self,
        plan: &Plan,
        seed: u64,
        memory: Bytes,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<Run, Stopped> {
        can(plan).map_err(|no| Stopped::Failed { why: no.what, remedy: no.help })?;
        let needed = plan.memory();
        if needed.total() > memory.get() {
            return Err(Stopped::OverBudget { budget: memory, needed, at: Time::ZERO });
        }
        match execute(plan, seed, progress) {
            Ok(Some((run, audit))) => Ok(Run { audit: Some(audit), ..run }),
            Ok(None) => Err(Stopped::Interrupted),
            Err(error) => Err(Stopped::Failed {
                why: error.to_string(),
                remedy: "nothing is left behind; mend it and run it again".to_owned(),
            }),
        }
    }
}
