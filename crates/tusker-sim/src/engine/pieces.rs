//! Simulations that are executed piece by piece.

use std::ops::ControlFlow;

use tusker_core::{Bytes, Time};
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Paused, Pausing, Progress};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

use super::{Engine, PROGRESS_EVERY};
use crate::Simulator;
use crate::asker::Asker;
use crate::flow::{FlowState, totals};
use crate::memory::{Guard, PAUSE};

/// A simulation that waits to be continued.
struct Waiting<'a> {
    engine: Engine<'a>,
    guard: Guard,
}

impl Paused for Waiting<'_> {
    fn run_to(
        &mut self,
        at: Time,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<(), Stopped> {
        self.engine.run_to(at, &mut self.guard, progress)
    }

    fn flows(&self) -> Vec<Progress> {
        self.engine.progress()
    }

    fn end(self: Box<Self>) -> Run {
        self.engine.end()
    }
}

impl Pausing for Simulator {
    fn begin<'a>(
        &self,
        plan: &'a Plan,
        seed: u64,
        memory: Bytes,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<Box<dyn Paused + 'a>, Stopped> {
        let engine = Engine::set_up(plan, seed, true, progress)?;
        Ok(Box::new(Waiting { engine, guard: Guard::new(plan, memory) }))
    }
}

impl Engine<'_> {
    /// Handles everything that happens before this time, in a plan without a trace.
    ///
    /// # Errors
    /// See [`Self::run`].
    fn run_to(
        &mut self,
        at: Time,
        guard: &mut Guard,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<(), Stopped> {
        // nobody acts beyond it, as before the row of a trace
        self.trace_at = at.min(self.plan.end);
        let mut unreported = PROGRESS_EVERY;
        while self.net.processes.next().0 < self.trace_at {
            if unreported >= PROGRESS_EVERY {
                unreported = 0;
                if progress(self.now()).is_break() {
                    return Err(Stopped::Interrupted);
                }
            }
            let before = self.events;
            self.step();
            let more = (before + PAUSE) as i64 - self.net.pause_at;
            let work = self.events - before + more as u64;
            unreported += work;
            if guard.is_due(work) {
                guard.look(&self.memory(guard.ahead()), self.now())?;
            }
        }
        Ok(())
    }

    /// What happened so far, flow by flow.
    fn progress(&self) -> Vec<Progress> {
        let progress = |flow: &FlowState| {
            let (counters, _) = totals(&flow.sender);
            let rtt_samples = flow.rtt.count();
            Progress {
                delivered: flow.sender.delivered(),
                sent: counters.sent,
                retransmitted: counters.retransmitted,
                episodes: counters.episodes,
                timeouts: counters.timeouts,
                rtt_samples,
                rtt_sum_s: flow.rtt.mean().unwrap_or(0.0) * 1e-9 * rtt_samples as f64,
            }
        };
        self.flows.iter().map(progress).collect()
    }

    /// Ends the run where it is.
    fn end(self) -> Run {
        let mut go_on = |_| ControlFlow::Continue(());
        let mut asker = Asker::new(self.plan.end, &mut go_on);
        self.finish(&mut asker).expect("nobody breaks off")
    }
}
