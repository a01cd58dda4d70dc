//! Runs the points of a grid: each scenario several times, what the folder has
//! already left alone, with other processes on the same folder.
//!
//! Tasks are runs, not points: every point's first replicate comes first, then every
//! second one. A thread takes a task, claims it against other processes, looks
//! whether one of them has finished it meanwhile, runs it and adds its row. What
//! another process is at is looked at again later; if that one dies, its claim goes
//! with it.
//!
//! Runs may be done elsewhere ([`Elsewhere`]): a thread here waits for each. Tasks,
//! claims, rows and tables stay here, so what comes out is the same.
//!
//! Nothing of the result depends on the order in which all this happens: which
//! replicates a point has follows from the results of those before them alone
//! ([`Until`]).

mod alone;
mod crew;
mod points;
mod until;

use std::time::Duration;

use tusker_plan::executor::Executor;
use tusker_record::store::Build;
use tusker_record::store::sweep::{Journal, Run, Varied};
use tusker_scenario::Complete;

use crate::{Budget, Elsewhere, Trouble, Watch};
pub use alone::{Alone, alone};
pub use until::Until;

/// What is run, and with what.
pub struct Sweep<'a> {
    /// What executes plans.
    pub executor: &'a dyn Executor,
    /// What does the runs in place of this process, if anything does.
    pub elsewhere: Option<&'a dyn Elsewhere>,
    /// Runs at the same time; as many as there are cores if `None`.
    pub jobs: Option<usize>,
    /// Memory for all runs together.
    pub budget: Budget,
    /// How many points there are.
    pub points: usize,
    /// The scenario of a point, from 0; asked by several threads, and more than once.
    pub scenario: &'a (dyn Fn(usize) -> Result<Complete, Trouble> + Sync),
    /// What runs it, as far as that decides results.
    pub build: &'a Build,
    /// How narrow intervals are to be, if they are.
    pub until: Option<Until>,
    /// Measures that must be there, apart from that of `until`.
    pub measures: &'a [String],
}

/// The points of a sweep, each of which passed every check.
pub struct Prepared(points::Points);

/// What came out.
#[derive(Debug, Default)]
pub struct Swept {
    /// The runs, by point and replicate.
    pub runs: Vec<Run>,
    /// Every value of the scenarios.
    pub scenario: Varied,
    /// How many runs were done here.
    pub ran: usize,
    /// How many were there before, or done by another process.
    pub there: usize,
    /// Points whose interval is too wide after the most replicates.
    pub wide: usize,
    /// Points with the same scenario as one before them.
    pub same: usize,
    /// Wall time of all runs together that were done here, as if they ran one after
    /// another.
    pub simulating: Duration,
    /// Simulated time of these.
    pub simulated: Duration,
    /// Wall time that the threads had for all of it.
    pub had: Duration,
    /// Why it ended before everything was done.
    pub ended: Option<Trouble>,
}

impl Sweep<'_> {
    /// Checks every point. Nothing is written, so that a mistake in any of them leaves
    /// no folder.
    ///
    /// # Errors
    /// If a point cannot be.
    pub fn prepare(&self, watch: &dyn Watch) -> Result<Prepared, Trouble> {
        points::prepare(self, watch).map(Prepared)
    }

    /// Runs what is not there yet; results go into the journal.
    ///
    /// # Errors
    /// If a thread cannot be had. What happens later is in [`Swept::ended`].
    pub fn run(
        &self,
        points: Prepared,
        journal: &Journal,
        watch: &dyn Watch,
    ) -> Result<Swept, Trouble> {
        crew::run(self, points.0, journal, watch)
    }

    fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(cores).max(1)
    }
}
