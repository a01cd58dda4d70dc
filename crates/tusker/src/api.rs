//! The commands for callers other than the command line, such as the Python package: requests
//! are JSON, answers are values, and nothing is printed.

use std::path::{Path, PathBuf};

use miette::Diagnostic;
use tusker_lab::sweep::alone;
use tusker_lab::{Budget, Experiment, Ready, Trouble, Watch};
use tusker_measure::summary::{Replicate, Summary, View};
use tusker_papers::Reproduction;
use tusker_plan::run::Run;
use tusker_scenario::Scenario;
use tusker_sim::Simulator;
use tusker_store::{Build, Existing, Format, Store};
use tusker_transfer::Onlooker;

use crate::args::{
    CompareArgs, DiagnoseArgs, EvaluateArgs, ImportArgs, PlanArgs, ReproduceArgs, Request, RunArgs,
    SweepArgs,
};
pub use crate::cluster::Reach;
use crate::commands;
pub use crate::commands::evaluate::{Evaluated, text};
pub use crate::commands::folders::claim;
use crate::commands::folders::open;
pub use crate::commands::plan::Planned;
pub use crate::commands::run::Ran;
pub use crate::commands::sweep::Points;
pub use crate::done::Means;
pub use crate::failure::Failure;
use crate::scenarios;
pub use crate::scenarios::{Given, wrong};

/// `tusker run`, of `{"scenario": FILE, "seed": 1}`. With a scenario that was given,
/// FILE is `-`. Nothing is stored without a folder.
///
/// # Errors
/// As the command line's.
pub fn run(request: &str, means: &Means<'_>, watch: &dyn Watch) -> Result<Ran, Failure> {
    let mut request = Request::<RunArgs>::read(request)?;
    request.args.no_save = request.args.save.out.is_none();
    commands::run::run(&request, means, watch)?.into_result()
}

/// `tusker compare`.
///
/// # Errors
/// As the command line's.
pub fn compare(request: &str, means: &Means<'_>, watch: &dyn Watch) -> Result<Ran, Failure> {
    commands::compare::compare(&Request::<CompareArgs>::read(request)?, means, watch)?.into_result()
}

/// `tusker sweep`, and what makes its results doubtful; FILE is `-` with a scenario that was
/// given.
///
/// # Errors
/// As the command line's.
pub fn sweep(
    request: &str,
    means: &Means<'_>,
    watch: &dyn Watch,
) -> Result<(Points, Vec<String>), Failure> {
    let mut done = commands::sweep::sweep(&Request::<SweepArgs>::read(request)?, means, watch)?;
    let notes = std::mem::take(&mut done.page.notes).into_iter().map(|note| note.text).collect();
    Ok((done.into_result()?, notes))
}

/// `tusker plan`. What is interrupted is kept, as far as there is a folder, and an error.
///
/// # Errors
/// As the command line's.
pub fn plan(request: &str, means: &Means<'_>, watch: &dyn Onlooker) -> Result<Planned, Failure> {
    commands::plan::plan(&Request::<PlanArgs>::read(request)?, means, &Simulator, watch)?
        .into_result()
}

/// `tusker diagnose`, as JSON.
///
/// # Errors
/// As the command line's.
pub fn diagnose(request: &str, watch: &dyn Watch) -> Result<String, Failure> {
    let request = Request::<DiagnoseArgs>::read(request)?;
    let (found, _) = commands::diagnose::diagnosis(&request.args, watch)?;
    Ok(serde_json::to_string(&found).expect("all of it is plain data"))
}

/// `tusker import`: the scenario as TOML, and where it differs.
///
/// # Errors
/// As the command line's.
pub fn import(request: &str) -> Result<(String, Vec<String>), Failure> {
    let wrong = |e: serde_json::Error| Failure::input(e.to_string(), "`tusker import --help`");
    let args: ImportArgs = serde_json::from_str(request).map_err(wrong)?;
    let (imported, _) = commands::import::imported(&args)?;
    let notes = imported.differences.iter().map(ToString::to_string).collect();
    Ok((imported.scenario.to_toml(), notes))
}

/// `tusker evaluate`.
///
/// # Errors
/// As the command line's.
pub fn evaluate(request: &str, means: &Means<'_>, watch: &dyn Watch) -> Result<Evaluated, Failure> {
    commands::evaluate::evaluate(&Request::<EvaluateArgs>::read(request)?, means, watch)?
        .into_result()
}

/// `tusker reproduce`: rows and claims, and where they are stored: a folder, or one in shared
/// storage; `None` where nothing was run.
///
/// # Errors
/// As the command line's; if something is asked for that prints no rows and claims.
pub fn reproduce(
    request: &str,
    means: Means<'_>,
    watch: &dyn Watch,
) -> Result<(Reproduction, Option<String>), Failure> {
    let Request::<ReproduceArgs> { mut args, command } = Request::read(request)?;
    args.how.quiet = true;
    commands::reproduce::for_python(&args, means.dir, means.reach, command, watch)
}

/// Does one run of a sweep, given as [`tusker_lab::sweep::alone`] wants it: the lines of
/// its row and how many seconds it took, or what is wrong and the remedy.
///
/// # Errors
/// If the scenario cannot be, takes more than three quarters of the free memory, or its
/// run ends with an error.
pub fn row(scenario: &str, seed: u64) -> Result<(String, f64), (String, String)> {
    let made = alone(&Simulator, &build(), scenario, seed, Budget::unasked());
    let made = made.map_err(|trouble| plain(&trouble))?;
    Ok((made.row.to_lines(&made.key), made.wall.as_secs_f64()))
}

/// Does one replicate of an experiment, given as TOML with every value said: its files
/// are in `DIR/replicates/NUMBER` then.
///
/// # Errors
/// As of [`row`]; if the files cannot be written.
pub fn replicate(
    scenario: &str,
    number: u32,
    traced: bool,
    csv: bool,
    dir: &Path,
) -> Result<(), (String, String)> {
    let done = || {
        let scenario = Scenario::parse("<scenario>", scenario, &[])?;
        let ready = Ready::of("replicate".to_owned(), &scenario, &build())?;
        let format = if csv { Format::Csv } else { Format::Parquet };
        let store = Some(Store::open(dir, &ready.identity, Existing::Refuse, format, 0)?);
        let experiment = Experiment { ready, store };
        tusker_lab::replicate(&Simulator, &experiment, number, traced, Budget::unasked())
    };
    done().map_err(|trouble: Trouble| plain(&trouble))
}

/// What is wrong, and the remedy.
fn plain(trouble: &Trouble) -> (String, String) {
    let help = trouble.help().map(|help| help.to_string());
    (trouble.to_string(), help.unwrap_or_default())
}

/// Stores the runs of an experiment in a folder, as `tusker run --out` does.
///
/// # Errors
/// If the folder has something else in it, or cannot be written.
pub fn save<'a>(
    ready: &Ready,
    summary: &Summary,
    runs: impl Iterator<Item = (&'a Replicate, &'a Run)>,
    dir: &Path,
    force: bool,
) -> Result<(), Failure> {
    let existing = commands::run::existing_of(force, false);
    let store = open(ready, dir, existing, Format::default())?;
    let view = View::new(&ready.plan);
    for (replicate, run) in runs {
        store.save(&view, replicate, run, &|| false)?;
    }
    Ok(store.save_summary(summary)?)
}

/// Writes the page of some folders of results into a folder.
///
/// # Errors
/// If the results cannot be read or the page not be written.
pub fn page(dirs: &[PathBuf], into: &Path) -> Result<(), Failure> {
    let page = commands::report::page(dirs, None)?;
    let file = into.join(tusker_store::REPORT);
    let text = tusker_report::html::html(&page);
    Ok(crate::outfile::write(&file, crate::outfile::Kind::Page, text.as_bytes())?)
}

/// The simulator as this program builds it, as far as that decides results.
pub fn build() -> Build {
    scenarios::build(tusker_plan::plane::Plane::Simulator)
}
