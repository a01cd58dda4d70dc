//! The threads that do runs, and how far each run is.

use std::thread;

use tusker_core::Time;
use tusker_plan::plan::Plan;

use crate::{Budget, Elsewhere, News, Watch, memory};

/// The wanted number of threads: as many as there are cores if `None`.
pub(crate) fn threads(jobs: Option<usize>) -> usize {
    jobs.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
}

/// The number of concurrent runs: fewer than wanted if memory does not suffice for so many.
pub(crate) fn concurrent(
    (jobs, budget, elsewhere): (Option<usize>, Budget, Option<&dyn Elsewhere>),
    runs: usize,
    largest: u64,
    watch: &dyn Watch,
) -> usize {
    if let Some(there) = elsewhere {
        // while one is running, the next may have been finished there
        return jobs.unwrap_or(2 * there.cores()).clamp(1, runs.max(1));
    }
    let (wanted, budget) = (threads(jobs).min(runs), budget.bytes());
    let jobs = memory::jobs(wanted, largest, budget);
    if jobs < wanted {
        watch.tell(News::Fewer { jobs, wanted, largest, budget });
    }
    jobs
}

/// Has so many threads do the work. This one is the first, so there is at least one.
pub(crate) fn work(jobs: usize, watch: &dyn Watch, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        for job in 1..jobs {
            let thread = thread::Builder::new();
            if let Err(error) = thread.spawn_scoped(scope, || watch.within(&mut || work())) {
                watch.tell(News::NoThread { jobs: job, wanted: jobs, error: &error });
                break;
            }
        }
        work();
    });
}

/// Tells how far a run is: the steps since those that are `done`.
pub(crate) fn advance(watch: &dyn Watch, plan: &Plan, now: Time, done: &mut u64) {
    let share = now.nanos() as f64 / plan.end.nanos().max(1) as f64;
    let steps = ((share * News::STEPS as f64) as u64).clamp(*done, News::STEPS);
    watch.tell(News::Steps(steps - *done));
    *done = steps;
}
