//! An experiment that passed every check, and the place of its results.

use tusker_plan::plan::Plan;
use tusker_record::store::{Build, Identity, Store};
use tusker_scenario::{Complete, Scenario};

use crate::Trouble;

/// A scenario that passed every check.
#[derive(Clone, Debug)]
pub struct Ready {
    /// What results are called.
    pub name: String,
    /// What tells it from other experiments; its scenario as it is stored.
    pub identity: Identity,
    /// What is executed.
    pub plan: Plan,
    /// Seed of the first replicate; the others have the next ones.
    pub seed: u64,
    /// How many replicates.
    pub replicates: u32,
}

/// More replicates can only be a typing error.
pub const MAX_REPLICATES: u32 = 100_000;

impl Ready {
    /// Fills in every default of a scenario and checks everything. `build` is what
    /// runs it, as far as that decides results.
    ///
    /// # Errors
    /// If something in the scenario cannot be, or it has more than
    /// [`MAX_REPLICATES`].
    pub fn of(name: String, scenario: &Scenario, build: &Build) -> Result<Self, Trouble> {
        Self::new(name, scenario.complete()?, build)
    }

    /// The same of a scenario that was completed.
    ///
    /// # Errors
    /// If it has more than [`MAX_REPLICATES`].
    pub fn new(name: String, scenario: Complete, build: &Build) -> Result<Self, Trouble> {
        let (seed, replicates) = (scenario.seed(), scenario.replicates());
        if replicates > MAX_REPLICATES {
            return Err(Trouble::Replicates(replicates));
        }
        let identity = Identity::of(&scenario, build);
        Ok(Self { name, identity, plan: scenario.into_plan(), seed, replicates })
    }
}

/// An experiment and the place of its results, if they are kept.
#[derive(Debug)]
pub struct Experiment {
    /// What is run.
    pub ready: Ready,
    /// Where results go.
    pub store: Option<Store>,
}
