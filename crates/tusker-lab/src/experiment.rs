//! An experiment that passed every check, and where its results go.

use std::sync::Arc;

use tusker_plan::plan::Plan;
use tusker_scenario::{Complete, Scenario};
use tusker_store::{Build, Identity, Store};

use crate::Trouble;

/// A scenario that passed every check.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The name of the results.
    pub name: String,
    /// Identifies the experiment: its scenario as stored.
    pub identity: Identity,
    /// What is executed: with thousands of flows it is large, and copies share it.
    pub plan: Arc<Plan>,
    /// Seed of the first replicate; the others use the seeds that follow.
    pub seed: u64,
    /// How many replicates.
    pub replicates: u32,
}

/// More replicates than this can only be a typing error.
pub const MAX_REPLICATES: u32 = 100_000;

impl Ready {
    /// Fills in all defaults of a scenario and checks everything. `build` identifies the
    /// executor's build as far as it affects results.
    ///
    /// # Errors
    /// If something in the scenario is invalid, or it has more than [`MAX_REPLICATES`].
    pub fn of(name: String, scenario: &Scenario, build: &Build) -> Result<Self, Trouble> {
        Self::new(name, scenario.complete()?, build)
    }

    /// The same for a completed scenario.
    ///
    /// # Errors
    /// If it has more than [`MAX_REPLICATES`].
    pub fn new(name: String, scenario: Complete, build: &Build) -> Result<Self, Trouble> {
        let (seed, replicates) = (scenario.seed(), scenario.replicates());
        if replicates > MAX_REPLICATES {
            return Err(Trouble::Replicates(replicates));
        }
        let identity = Identity::of(&scenario, build);
        let plan = Arc::new(scenario.into_plan());
        Ok(Self { name, identity, plan, seed, replicates })
    }
}

/// An experiment, and where its results go if they are kept.
#[derive(Debug)]
pub struct Experiment {
    /// What is run.
    pub ready: Ready,
    /// Where results go.
    pub store: Option<Store>,
}
