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
mod round_trips;
mod senders;
mod stage;
pub mod tcp;
pub mod topology;
mod trace;

use std::ops::ControlFlow;

use tusker_core::Time;
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Executor, Job};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

pub use engine::{Engine, begin};

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
    Simulator.execute(Job::new(plan, seed, progress))
}

/// The simulator as one of the executors.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simulator;

impl Executor for Simulator {
    fn execute(&self, job: Job<'_, '_>) -> Result<Run, Stopped> {
        let Job { plan, seed, memory, progress, observe } = job;
        Engine::set_up(plan, seed, true, progress)?.run(memory, progress, observe)
    }
}
