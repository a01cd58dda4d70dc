//! An experiment that passed every check, and the place of its results.

use tusker_plan::plan::Plan;
use tusker_record::store::{Build, Identity, Store};
use tusker_scenario::Scenario;

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
        // first the plan: what is wrong is shown in the text that the user wrote
        let plan = scenario.plan()?;
        let expanded = scenario.expanded()?;
        let replicates = expanded.replicates.unwrap_or(1);
        if replicates > MAX_REPLICATES {
            return Err(Trouble::Replicates(replicates));
        }
        let identity = Identity::of(&expanded, build);
        Ok(Self { name, identity, plan, seed: expanded.seed.unwrap_or(1), replicates })
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
