//! The testbed as one of several executors.

use std::ops::ControlFlow;

use tusker_core::{Bytes, Time};
use tusker_plan::budget::Stopped;
use tusker_plan::executor::Executor;
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

use crate::can_with;
use crate::experiment::{Client, Measured, execute_with};
use crate::iperf::Iperf3;

/// Executes plans on real sockets of this machine, one at a time: two that run at once
/// disturb each other. A run has an audit.
///
/// Memory is held against what the plan is expected to take, before it begins; nothing
/// is counted while packets move, because that would take the time that they need.
#[derive(Clone, Copy, Debug, Default)]
pub struct Testbed;

impl Testbed {
    /// Executes a plan as [`Executor::execute`] does, with this client.
    ///
    /// # Errors
    /// The same.
    pub fn execute_with(
        &self,
        plan: &Plan,
        seed: u64,
        memory: Bytes,
        client: Client,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<(Run, Vec<Iperf3>), Stopped> {
        can_with(plan, client).map_err(|no| Stopped::Failed { why: no.what, remedy: no.help })?;
        let needed = plan.memory();
        if needed.total() > memory.get() {
            return Err(Stopped::OverBudget { budget: memory, needed, at: Time::ZERO });
        }
        match execute_with(plan, seed, client, progress) {
            Ok(Some(Measured { run, audit, iperf3 })) => {
                Ok((Run { audit: Some(audit), ..run }, iperf3))
            }
            Ok(None) => Err(Stopped::Interrupted),
            Err(error) => Err(Stopped::Failed {
                why: error.to_string(),
                remedy: "nothing is left behind; mend it and run it again".to_owned(),
            }),
        }
    }
}

impl Executor for Testbed {
    fn execute(
        &self,
        plan: &Plan,
        seed: u64,
        memory: Bytes,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<Run, Stopped> {
        self.execute_with(plan, seed, memory, Client::Ours, progress).map(|(run, _)| run)
    }
}
