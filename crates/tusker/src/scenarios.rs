//! From the command line to scenarios that are ready to run.

use std::io::Read;
use std::path::Path;

use miette::Report;
use tusker_record::plan::Plan;
use tusker_record::scenario::{self, Scenario};
use tusker_record::store::{Build, Identity};

use crate::args::HowArgs;
use crate::failure::Failure;

/// A scenario that passed every check.
pub struct Ready {
    /// What results are called.
    pub name: String,
    /// What tells it from other experiments; its scenario as it is stored.
    pub identity: Identity,
    /// What is executed.
    pub plan: Plan,
    /// Seed of the first replicate.
    pub seed: u64,
    /// How many replicates.
    pub replicates: u32,
}

/// More can only be a typing error.
const MAX_REPLICATES: u32 = 100_000;

/// Reads a scenario file, or stdin for `-`.
pub fn load(path: &Path, sets: &[String]) -> Result<Scenario, Failure> {
    if path != Path::new("-") {
        return Scenario::load(path, sets).map_err(wrong);
    }
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).map_err(|error| {
        Failure::input(format!("cannot read stdin: {error}"), "pipe a scenario file into it")
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("<stdin> is not text: byte {} is not UTF-8", at + 1);
        Failure::input(message, "a scenario is a TOML file in UTF-8")
    })?;
    let mut scenario = Scenario::parse("<stdin>", &text, sets).map_err(wrong)?;
    scenario.read_traces(Path::new("")).map_err(wrong)?;
    Ok(scenario)
}

/// A name for the results of the scenario at this path.
pub fn name(path: &Path) -> String {
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = match stem(path) {
        _ if path == Path::new("-") => None,
        // a stored result that is run again: results/dumbbell/scenario.toml
        Some(own) if own == "scenario" => {
            let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            full.parent().and_then(stem).or(Some(own))
        }
        own => own,
    };
    // `..` and what is hidden are no names for a folder of results
    match name.as_deref().map(|name| name.trim_start_matches('.')) {
        None => "stdin".to_owned(),
        Some("") => "scenario".to_owned(),
        Some(plain) => plain.to_owned(),
    }
}

/// What this program is, as far as it decides results: see `build.rs`.
fn build() -> Build {
    let (version, hash) = (env!("CARGO_PKG_VERSION"), env!("TUSKER_BUILD"));
    Build { version: version.to_owned(), hash: hash.to_owned() }
}

/// What the flags change in a scenario.
pub fn apply(scenario: &mut Scenario, how: &HowArgs) {
    scenario.seed = how.seed.or(scenario.seed);
    scenario.replicates = how.replicates.or(scenario.replicates);
}

/// Fills in every default and checks everything.
pub fn ready(name: String, mut scenario: Scenario, how: &HowArgs) -> Result<Ready, Failure> {
    apply(&mut scenario, how);
    // first the plan: what is wrong is shown in the text that the user wrote
    let plan = scenario.plan().map_err(wrong)?;
    let expanded = scenario.expanded().map_err(wrong)?;
    let replicates = expanded.replicates.unwrap_or(1);
    if replicates > MAX_REPLICATES {
        let help = format!("at most {MAX_REPLICATES}; ten give good confidence intervals");
        return Err(Failure::input(format!("{replicates} replicates are too many"), help));
    }
    let identity = Identity::of(&expanded, &build());
    Ok(Ready { name, identity, plan, seed: expanded.seed.unwrap_or(1), replicates })
}

/// A mistake in a scenario.
pub fn wrong(error: scenario::Error) -> Failure {
    Failure::Input(Report::new(error))
}
