//! From the command line to scenarios that are ready to run.

use std::path::{Path, PathBuf};

use miette::Report;
use tusker_lab::Ready;
use tusker_plan::plane::Plane;
#[cfg(all(target_os = "linux", feature = "testbed"))]
use tusker_scenario::Complete;
use tusker_scenario::sweep::Template;
use tusker_scenario::{MAX_BYTES, Scenario};
use tusker_store::Build;
use tusker_store::files::read_at_most;

use crate::args::HowArgs;
use crate::failure::Failure;

/// Reads a scenario file, or stdin for `-`.
pub fn load(path: &Path, sets: &[String]) -> Result<Scenario, Failure> {
    if path != Path::new("-") {
        return Scenario::load(path, sets).map_err(wrong);
    }
    let mut scenario = Scenario::parse("<stdin>", &stdin()?, sets).map_err(wrong)?;
    scenario.read_traces(Path::new("")).map_err(wrong)?;
    Ok(scenario)
}

/// The text of a scenario file, or stdin for `-`: its name for messages, the text,
/// and the folder that the files which it names are in.
pub fn text(path: &Path) -> Result<(String, String, PathBuf), Failure> {
    if path == Path::new("-") {
        return Ok(("<stdin>".to_owned(), stdin()?, PathBuf::new()));
    }
    let text = Scenario::read(path).map_err(wrong)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok((path.display().to_string(), text, folder.to_owned()))
}

fn stdin() -> Result<String, Failure> {
    // as long as a file may be
    let bytes = read_at_most(std::io::stdin(), MAX_BYTES as u64).map_err(|error| {
        Failure::input(format!("cannot read stdin: {error}"), "pipe a scenario file into it")
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("<stdin> is not text: byte {} is not UTF-8", at + 1);
        Failure::input(message, "a scenario is a TOML file in UTF-8")
    })
}

/// A scenario that did not come from a file or stdin.
#[derive(Clone, Debug)]
pub struct Given {
    /// What messages call it.
    pub name: String,
    /// TOML.
    pub text: String,
    /// The folder that the files which it names are in.
    pub folder: PathBuf,
}

impl Given {
    /// What its results are called.
    pub const NAME: &'static str = "scenario";

    /// It, to make the points of a sweep from.
    pub fn template(&self) -> Template {
        Template::new(self.name.clone(), self.text.clone(), self.folder.clone())
    }

    /// Reads it.
    pub fn load(&self, sets: &[String]) -> Result<Scenario, Failure> {
        let mut scenario = Scenario::parse(&self.name, &self.text, sets).map_err(wrong)?;
        scenario.read_traces(&self.folder).map_err(wrong)?;
        Ok(scenario)
    }
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
pub fn build(plane: Plane) -> Build {
    let hash = match plane {
        Plane::Simulator => env!("TUSKER_BUILD"),
        Plane::Testbed => env!("TUSKER_TESTBED_BUILD"),
    };
    Build { version: env!("CARGO_PKG_VERSION").to_owned(), hash: hash.to_owned(), plane }
}

/// What the flags change in a scenario.
pub fn apply(scenario: &mut Scenario, how: &HowArgs) {
    scenario.seed = how.seed.or(scenario.seed);
    scenario.replicates = how.replicates.or(scenario.replicates);
}

/// Fills in every default and checks everything, of what is to run on a plane.
#[cfg(all(target_os = "linux", feature = "testbed"))]
pub fn ready_on(
    plane: Plane,
    name: String,
    scenario: Scenario,
    how: &HowArgs,
) -> Result<Ready, Failure> {
    ready_by(&build(plane), name, scenario, how)
}

/// The same for what this build is to run.
pub fn ready_by(
    build: &Build,
    name: String,
    mut scenario: Scenario,
    how: &HowArgs,
) -> Result<Ready, Failure> {
    apply(&mut scenario, how);
    Ok(Ready::of(name, &scenario, build)?)
}

/// A scenario that was completed, ready to be run by this build.
#[cfg(all(target_os = "linux", feature = "testbed"))]
pub fn completed(name: String, scenario: Complete) -> Result<Ready, Failure> {
    Ok(Ready::new(name, scenario, &build(Plane::Simulator))?)
}

/// A mistake in a scenario.
pub fn wrong(error: tusker_scenario::Error) -> Failure {
    Failure::Input(Report::new(error))
}
