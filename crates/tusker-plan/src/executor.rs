//! The interface of all executors: a plan goes in, a run comes out.

use std::ops::ControlFlow;

use tusker_core::{Bytes, Time};

use crate::budget::Stopped;
use crate::plan::Plan;
use crate::run::Run;

/// Something that executes plans: a simulator, a testbed.
pub trait Executor: Sync {
    /// Executes a plan with the random streams of this seed, within this much
    /// memory. `progress` is called regularly with the time of the experiment, and
    /// may stop the execution.
    ///
    /// # Errors [`Stopped::Interrupted`] if `progress` stopped it,
    /// [`Stopped::OverBudget`] before it exceeds the memory, [`Stopped::Failed`] if
    /// the machine cannot do what the plan needs.
    fn execute(
        &self,
        plan: &Plan,
        seed: u64,
        memory: Bytes,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<Run, Stopped>;
}
