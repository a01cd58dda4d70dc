//! A run together with the plan that it borrows.

#![expect(unsafe_code, reason = "a run borrows its plan, and both are kept")]

use std::ptr::NonNull;

use tusker_core::Bytes;
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Job, Paused, Pausing as _};
use tusker_plan::plan::Plan;
use tusker_sim::Simulator;

/// A run in pieces and its plan.
pub struct Held {
    /// Borrows the plan: it never leaves this struct, and is dropped before the plan.
    run: Option<Box<dyn Paused + 'static>>,
    plan: NonNull<Plan>,
}

impl Held {
    /// A run at time zero.
    pub fn new(plan: Plan, seed: u64, memory: Bytes) -> Result<Self, Stopped> {
        let plan = NonNull::from(Box::leak(Box::new(plan)));
        // from here on the plan is freed whatever happens
        let mut held = Self { run: None, plan };
        // SAFETY: the plan is on the heap, nobody changes it, and `drop` frees it only after the
        // run has been dropped
        let borrowed: &'static Plan = unsafe { plan.as_ref() };
        let mut go_on = |_| std::ops::ControlFlow::Continue(());
        let job = Job { memory, ..Job::new(borrowed, seed, &mut go_on) };
        held.run = Some(Simulator.begin(job)?);
        Ok(held)
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        // SAFETY: it lives as long as this, and nobody changes it
        unsafe { self.plan.as_ref() }
    }

    /// The plan, and the run until [`Self::take`].
    pub fn parts(&mut self) -> (&Plan, Option<&mut (dyn Paused + 'static)>) {
        // SAFETY: as for `plan`; the run is another object
        (unsafe { self.plan.as_ref() }, self.run.as_deref_mut())
    }

    /// Hands the run to `work`, which ends it.
    pub fn take<T>(&mut self, work: impl FnOnce(Box<dyn Paused + '_>) -> T) -> Option<T> {
        self.run.take().map(work)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.run = None;
        // SAFETY: it came from a box, and what borrowed it is gone
        drop(unsafe { Box::from_raw(self.plan.as_ptr()) });
    }
}
