//! The event engine, TCP endpoints and traffic: executes a plan packet by
//! packet, deterministically.
//!
//! Why it is fast is told in [`topology`] (most links need no event of their
//! own), [`processes`] (who may run ahead of whom), [`agenda`] (sources, not
//! packets, are ordered) and in the scoreboard of [`tcp`] (runs, not segments).

pub mod agenda;
mod background;
mod carried;
mod engine;
mod measure;
mod mixed;
mod net;
pub mod packet;
pub mod processes;
mod rings;
mod slot;
mod stage;
pub mod tcp;
pub mod topology;
mod trace;
mod traffic;

use std::ops::ControlFlow;

use tusker_core::Time;
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

pub use engine::Engine;

/// Simulates a plan. `progress` is told the simulated time now and then and
/// may break off; then there is no result.
pub fn run(
    plan: &Plan,
    seed: u64,
    progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
) -> Option<Run> {
    Engine::new(plan, seed, true).run(progress)
}
