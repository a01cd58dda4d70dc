//! What every executor offers: a plan goes in, a run comes out.

use std::ops::ControlFlow;

use tusker_core::{Bytes, Time};

use crate::budget::Stopped;
use crate::plan::Plan;
use crate::run::Run;

/// Something that executes plans: a simulator, a testbed.
pub trait Executor: Sync {
    /// Executes a plan with the random streams of this seed, and takes at most so
    /// much memory. `progress` is told the time of the experiment now and then,
    /// within a bounded amount of work, and may break off.
    ///
    /// # Errors
    /// [`Stopped::Interrupted`] if `progress` broke off, [`Stopped::OverBudget`]
    /// before it takes more memory, [`Stopped::Failed`] if the machine does not do
    /// what the plan needs.
    fn execute(
        &self,
        plan: &Plan,
        seed: u64,
        memory: Bytes,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<Run, Stopped>;
}
