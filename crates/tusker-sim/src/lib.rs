//! The event engine, TCP endpoints and traffic. Together they execute a plan packet by packet,
//! deterministically.
//!
//! To see why it is fast, read [`topology`] (most links need no events of their own),
//! [`processes`] (who may run ahead of whom), [`agenda`] (it orders sources, not packets) and
//! the scoreboard of [`tcp`] (it stores runs, not segments).

pub mod agenda;
mod asker;
mod capture;
mod engine;
mod flow;
mod headers;
mod hosts;
mod measure;
mod memory;
mod mixed;
mod net;
pub mod packet;
pub mod processes;
mod rings;
mod senders;
mod stage;
pub mod tcp;
pub mod topology;
mod trace;

use std::ops::ControlFlow;

use tusker_core::{Bytes, Time};
use tusker_plan::budget::Stopped;
use tusker_plan::executor::Executor;
use tusker_plan::observe::{Observable, Observer, Wanted};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

pub use engine::Engine;

/// Simulates a plan. `progress` is called with the simulated time now and then and may
/// interrupt the run.
///
/// # Errors
/// [`Stopped::Interrupted`] if `progress` interrupted it.
pub fn run(
    plan: &Plan,
    seed: u64,
    progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
) -> Result<Run, Stopped> {
    run_within(plan, seed, Bytes::new(u64::MAX), progress)
}

/// The same within this memory limit. The limit decides only whether there is a result, not
/// what it is.
///
/// # Errors
/// As for [`run`]; [`Stopped::OverBudget`] before it exceeds the limit.
pub fn run_within(
    plan: &Plan,
    seed: u64,
    memory: Bytes,
    progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
) -> Result<Run, Stopped> {
    Engine::set_up(plan, seed, true, progress)?.run(memory, progress)
}

/// The simulator as one of the executors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulator;

impl Executor for Simulator {
    fn execute(
        &self,
        plan: &Plan,
        seed: u64,
        memory: Bytes,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<Run, Stopped> {
        run_within(plan, seed, memory, progress)
    }
}

impl Observable for Simulator {
    fn execute_observed(
        &self,
        plan: &Plan,
        seed: u64,
        memory: Bytes,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
        wanted: &Wanted,
        observer: &mut dyn Observer,
    ) -> Result<Run, Stopped> {
        let engine = Engine::set_up(plan, seed, true, progress)?;
        engine.run_observed(memory, progress, Some((wanted, observer)))
    }
}
