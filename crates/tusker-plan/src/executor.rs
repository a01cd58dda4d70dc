//! The interface of all executors: a plan goes in, a run comes out.

use std::ops::ControlFlow;

use tusker_core::{Bytes, Time};

use crate::budget::Stopped;
use crate::observe::{Observer, Wanted};
use crate::plan::Plan;
use crate::run::Run;

/// One execution of a plan.
pub struct Job<'p, 'a> {
    /// What is executed.
    pub plan: &'p Plan,
    /// The seed of all random streams.
    pub seed: u64,
    /// The most memory that it may take. This decides only whether there is a result, not
    /// what it is.
    pub memory: Bytes,
    /// Called regularly with the time of the experiment; may stop the execution.
    pub progress: &'a mut dyn FnMut(Time) -> ControlFlow<()>,
    /// Who sees packets and senders, and which.
    pub observe: Option<Observe<'a>>,
}

/// An observer and what it wants to see.
pub type Observe<'a> = (&'a Wanted, &'a mut dyn Observer);

impl<'p, 'a> Job<'p, 'a> {
    /// Without a limit of memory, and not observed.
    pub fn new(
        plan: &'p Plan,
        seed: u64,
        progress: &'a mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Self {
        Self { plan, seed, memory: Bytes::new(u64::MAX), progress, observe: None }
    }
}

/// Something that executes plans: a simulator, a testbed.
pub trait Executor: Sync {
    /// Executes a plan.
    ///
    /// # Errors
    /// [`Stopped::Interrupted`] if `progress` stopped it, [`Stopped::OverBudget`] before it
    /// exceeds the memory, [`Stopped::Failed`] if the machine cannot do what the plan needs.
    fn execute(&self, job: Job<'_, '_>) -> Result<Run, Stopped>;
}

/// Running totals of a flow since it started.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Segments that the sender knows to have arrived.
    pub delivered: u64,
    /// Segments sent, retransmissions included.
    pub sent: u64,
    /// Retransmissions among them.
    pub retransmitted: u64,
    /// Congestion episodes (fast retransmits and ECN responses).
    pub episodes: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// RTT samples within the plan's measuring window.
    pub rtt_samples: u64,
    /// Their sum in seconds.
    pub rtt_sum_s: f64,
}

/// A run that is executed piece by piece. The pieces change nothing: what happened by some
/// time is the same, whichever stops there were before.
pub trait Paused {
    /// Continues until this time of the experiment, at most the plan's end. `progress` is
    /// called as [`Job::progress`] is.
    ///
    /// # Errors
    /// The same. The run cannot be continued afterwards.
    fn run_to(
        &mut self,
        at: Time,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<(), Stopped>;

    /// What happened so far, for each flow of the plan in the plan's order.
    fn flows(&self) -> Vec<Progress>;

    /// The present values of what [`crate::plan::Trace`] names, whatever its interval: those
    /// that a trace has, and after them for each link the running totals `dropped`, `marked` and
    /// `busy` (seconds of transmission at its nominal rate). The same values in the same order
    /// every time.
    fn inspect(&mut self, see: &mut dyn FnMut(Subject, &'static str, f64));

    /// Continues to the end of the plan. The run is then that of [`Executor::execute`].
    ///
    /// # Errors
    /// As of [`Self::run_to`].
    fn finish(
        self: Box<Self>,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<Run, Stopped>;

    /// Ends the run where it is.
    fn end(self: Box<Self>) -> Run;
}

/// What a value belongs to, by its index in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A flow.
    Flow(usize),
    /// A link.
    Link(usize),
}

/// An executor whose runs can be executed piece by piece.
pub trait Pausing: Executor {
    /// A run at time zero of a plan whose trace has no interval, which is not observed.
    ///
    /// # Errors
    /// As of [`Executor::execute`].
    fn begin<'p>(&self, job: Job<'p, '_>) -> Result<Box<dyn Paused + 'p>, Stopped>;
}
