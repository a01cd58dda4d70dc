//! A single run of a sweep, which another process may do.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tusker_core::{Bytes, Time};
use tusker_measure::summary::{View, flat_names, flat_values, has_flat_names};
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Executor, Job};
use tusker_plan::plan::Plan;
use tusker_scenario::Scenario;
use tusker_scenario::sweep::cells;
use tusker_store::Build;
use tusker_store::sweep::{Fingerprint, Row};

use crate::{Budget, Made, Trouble};

/// A run and what it may take.
pub struct Alone<'a> {
    /// What executes plans.
    pub executor: &'a dyn Executor,
    /// Its name in messages among several runs: `point 3`, and its replicate.
    pub name: (&'a dyn Fn() -> String, u32),
    /// Memory, and how many runs share it.
    pub memory: (Bytes, usize),
    /// Keys of runs that were done before, of which one may be this run's.
    pub names: Option<Arc<[String]>>,
}

impl Alone<'_> {
    /// The results of a run of a plan, and how long it took.
    pub(super) fn row(
        &self,
        plan: &Plan,
        seed: u64,
        tell: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<(Row, Duration), Trouble> {
        let (name, number) = self.name;
        let (memory, jobs) = self.memory;
        let clock = Instant::now();
        let run = self.executor.execute(Job { memory, ..Job::new(plan, seed, tell) });
        let wall = clock.elapsed();
        let mut run = run.map_err(|stopped| match stopped {
            Stopped::Interrupted => Trouble::Interrupted,
            Stopped::Failed { why, remedy } => {
                Trouble::Failed { name: name(), replicate: number, why, remedy }
            }
            stopped => Trouble::OverBudget { name: name(), replicate: number, stopped, jobs },
        })?;
        run.wall = wall;
        let view = View::new(plan);
        let replicate = view.replicate(number, &run);
        if let Some(trouble) = Trouble::impossible(&name(), view.impossible_in(&replicate, &run)) {
            return Err(trouble);
        }
        let last = self.names.clone().filter(|names| has_flat_names(&view, names));
        let names = last.unwrap_or_else(|| flat_names(&view).into());
        Ok((Row { names, values: flat_values(&replicate) }, wall))
    }
}

/// Runs a scenario, given as TOML with all values filled in, with this seed.
///
/// # Errors
/// If the scenario is invalid, does not fit into memory, or fails.
pub fn alone(
    executor: &dyn Executor,
    build: &Build,
    scenario: &str,
    seed: u64,
    budget: Budget,
) -> Result<Made, Trouble> {
    let complete = Scenario::parse("<scenario>", scenario, &[])?.complete()?;
    let (_, text) = cells(complete.to_scenario());
    let key = Fingerprint::of(&text, build).run(seed);
    let plan = complete.into_plan();
    let expected = plan.memory();
    let name = || format!("the run with seed {seed}");
    if expected.total() > budget.bytes() {
        return Err(Trouble::TooLarge { name: name(), expected, budget });
    }
    let memory = (Bytes::new(budget.bytes()), 1);
    let alone = Alone { executor, name: (&name, 1), memory, names: None };
    let (row, wall) = alone.row(&plan, seed, &mut |_| ControlFlow::Continue(()))?;
    Ok(Made { key, row, wall })
}
