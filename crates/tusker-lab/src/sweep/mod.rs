//! Runs the points of a grid: each scenario several times. Results that the folder already
//! has are kept, and other processes may work in the same folder.
//!
//! Tasks are runs, not points: first replicate 1 of every point, then replicate 2 of each, and
//! so on. A thread takes a task, claims it so that no other process runs it, checks whether one
//! of them has finished it in the meantime, and if not, runs it and adds its row. Runs claimed
//! by another process are checked again later; if that process dies, its claim disappears with
//! it.
//!
//! Runs may be done elsewhere ([`Elsewhere`]), with a thread here waiting for each. Tasks,
//! claims, rows and tables stay here, so the results are the same.
//!
//! The results do not depend on the order of these steps: which replicates a point has
//! depends only on the results of its earlier replicates ([`Until`]).

mod alone;
mod crew;
mod earlier;
mod points;
mod until;

use std::time::Duration;

use tusker_plan::executor::Executor;
use tusker_scenario::Complete;
use tusker_store::Build;
use tusker_store::sweep::{Journal, Run, Varied};

use crate::{Budget, Elsewhere, Trouble, Watch};
pub use alone::{Alone, alone};
pub use earlier::{Earlier, Whole};
pub use until::Until;

/// What is run, and the means for it.
pub struct Sweep<'a> {
    /// What executes plans.
    pub executor: &'a dyn Executor,
    /// Does the runs instead of this process, if there is such a means.
    pub elsewhere: Option<&'a dyn Elsewhere>,
    /// Number of concurrent runs; as many as there are cores if `None`.
    pub jobs: Option<usize>,
    /// Memory for all runs together.
    pub budget: Budget,
    /// How many points there are.
    pub points: usize,
    /// The scenario of a point, numbered from 0; called by several threads, and more than
    /// once.
    pub scenario: &'a (dyn Fn(usize) -> Result<Complete, Trouble> + Sync),
    /// The build of the executor, as far as it affects results.
    pub build: &'a Build,
    /// The target width of intervals, if there is one.
    pub until: Option<Until>,
    /// Measures that must exist, in addition to that of `until`.
    pub measures: &'a [String],
}

/// The points of a sweep, each of which passed every check.
pub struct Prepared(points::Points);

/// The results.
#[derive(Debug, Default)]
pub struct Swept {
    /// The runs, by point and replicate.
    pub runs: Vec<Run>,
    /// Every value of the scenarios.
    pub scenario: Varied,
    /// How many runs were done here.
    pub ran: usize,
    /// How many existed before, or were done by another process.
    pub there: usize,
    /// Points whose interval is still too wide after the largest number of replicates.
    pub wide: usize,
    /// Points with the same scenario as an earlier one.
    pub same: usize,
    /// Wall time of all runs done here, as if they had been run one after another.
    pub simulating: Duration,
    /// Simulated time of these runs.
    pub simulated: Duration,
    /// Wall time available to the threads in total.
    pub had: Duration,
    /// Why it ended before everything was done.
    pub ended: Option<Trouble>,
}

impl Sweep<'_> {
    /// Checks every point. Nothing is written, so a mistake in any of them leaves no folder
    /// behind.
    ///
    /// # Errors
    /// If a point is invalid.
    pub fn prepare(&self, watch: &dyn Watch) -> Result<Prepared, Trouble> {
        points::prepare(self, watch).map(Prepared)
    }

    /// Does the runs that do not exist yet; results go into the journal.
    ///
    /// # Errors
    /// If no thread can be started. Later errors are in [`Swept::ended`].
    pub fn run(
        &self,
        points: Prepared,
        journal: &Journal,
        watch: &dyn Watch,
    ) -> Result<Swept, Trouble> {
        crew::run(self, points.0, journal, watch)
    }
}
