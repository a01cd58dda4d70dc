//! Simulations that are executed piece by piece.

use std::ops::{ControlFlow, Deref};
use std::sync::Arc;

use tusker_core::{Bytes, Time};
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Job, Paused, Pausing, Progress, Subject};
use tusker_plan::plan::Plan;
use tusker_plan::run::Run;

use super::Engine;
use crate::Simulator;
use crate::asker::Asker;
use crate::flow::{FlowState, totals};
use crate::memory::Guard;
use crate::trace::{of_flow, of_link};

/// A simulation that waits to be continued.
struct Waiting<P> {
    engine: Engine<P>,
    guard: Guard,
}

impl<P: Deref<Target = Plan>> Paused for Waiting<P> {
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

    fn inspect(&mut self, see: &mut dyn FnMut(Subject, &'static str, f64)) {
        self.engine.inspect(see);
    }

    fn finish(
        self: Box<Self>,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<Run, Stopped> {
        let Self { mut engine, mut guard } = *self;
        engine.trace_at = Time::NEVER;
        engine.work(&mut guard, progress, Engine::step)?;
        let mut asker = Asker::new(engine.plan.end, progress);
        engine.finish(&mut asker)
    }

    fn end(self: Box<Self>) -> Run {
        self.engine.end()
    }
}

impl Pausing for Simulator {
    fn begin<'p>(&self, job: Job<'p, '_>) -> Result<Box<dyn Paused + 'p>, Stopped> {
        let guard = Guard::new(job.plan, job.memory);
        let engine = Engine::set_up(job.plan, job.seed, true, job.progress)?;
        Ok(Box::new(Waiting { engine, guard }))
    }
}

/// [`Pausing::begin`] for a run that is kept longer than a reference to its plan could be.
///
/// # Errors
/// The same, but nobody interrupts it.
pub fn begin(plan: Arc<Plan>, seed: u64, memory: Bytes) -> Result<Box<dyn Paused>, Stopped> {
    let guard = Guard::new(&plan, memory);
    let engine = Engine::set_up(plan, seed, true, &mut |_| ControlFlow::Continue(()))?;
    Ok(Box::new(Waiting { engine, guard }))
}

impl<P: Deref<Target = Plan>> Engine<P> {
    /// Handles everything that happens before this time, in a plan whose trace has no interval.
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
        self.work(guard, progress, |engine| {
            engine.net.processes.next().0 < engine.trace_at && engine.step()
        })
    }

    /// What happened so far, flow by flow.
    fn progress(&self) -> Vec<Progress> {
        let progress = |flow: &FlowState| {
            let (counters, _) = totals(&flow.sender);
            let (rtt, _) = flow.round_trips.clone().finish();
            let rtt_samples = rtt.count();
            Progress {
                delivered: flow.sender.delivered(),
                sent: counters.sent,
                retransmitted: counters.retransmitted,
                episodes: counters.episodes,
                timeouts: counters.timeouts,
                rtt_samples,
                rtt_sum_s: rtt.mean().unwrap_or(0.0) * 1e-9 * rtt_samples as f64,
            }
        };
        self.flows.iter().map(progress).collect()
    }

    /// The values at the last stop.
    fn inspect(&mut self, see: &mut dyn FnMut(Subject, &'static str, f64)) {
        let trace = &self.plan.trace;
        // before the first stop, nothing is due
        let now = if self.trace_at == Time::NEVER { Time::ZERO } else { self.trace_at };
        if trace.flows {
            for (i, state) in self.flows[..self.plan.lasting()].iter().enumerate() {
                of_flow(state, &mut |quantity, value| see(Subject::Flow(i), quantity, value));
            }
        }
        for &link in &trace.links {
            let hop = &mut self.net.hops[link];
            let mut see = |quantity, value| see(Subject::Link(link), quantity, value);
            of_link(hop, now, &mut see);
            let counters = hop.counters(now);
            see("dropped", (counters.overflowed + counters.dropped_early + counters.lost) as f64);
            see("marked", counters.marked as f64);
            see("busy", counters.busy.secs());
        }
    }

    /// Ends the run where it is.
    fn end(self) -> Run {
        let mut go_on = |_| ControlFlow::Continue(());
        let mut asker = Asker::new(self.plan.end, &mut go_on);
        self.finish(&mut asker).expect("nobody breaks off")
    }
}
