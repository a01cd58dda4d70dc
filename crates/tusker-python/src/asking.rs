//! The functions of the package.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tusker::asked::{self, Experiments, Failure, Given, Reach};
use tusker_sim::Simulator;
use tusker_store::Build;

use crate::made::{PaperRows, PlanMade};
use crate::raised::exception;
use crate::results::{Runs, SweepRuns};
use crate::waiting::{Looker, wait};
use crate::written::{Names, Written};

/// A scenario that is not a file: its name in messages, its text, and the folder of the
/// files that it refers to.
type Text = (String, String, PathBuf);

fn given(text: Option<Text>) -> Option<Given> {
    text.map(|(name, text, folder)| Given { name, text, folder })
}

/// The version of the package.
#[pyfunction]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// `tusker run` as requested in JSON.
#[pyfunction]
#[pyo3(signature = (request, text=None, written=None, progress=None))]
pub fn run(
    py: Python<'_>,
    request: String,
    text: Option<Text>,
    written: Option<Written>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Runs> {
    let given = given(text);
    let (looker, build, names) = begin(py, written)?;
    let complete = move |_: &Looker| asked::run(&request, given.as_ref(), &build);
    let experiments = wait(py, &looker, None, complete)?;
    execute(py, experiments, &looker, names, progress.as_ref())
}

/// `tusker compare` as requested in JSON.
#[pyfunction]
#[pyo3(signature = (request, written=None, progress=None))]
pub fn compare(
    py: Python<'_>,
    request: String,
    written: Option<Written>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Runs> {
    let (looker, build, names) = begin(py, written)?;
    let experiments = wait(py, &looker, None, move |_: &Looker| asked::compare(&request, &build))?;
    execute(py, experiments, &looker, names, progress.as_ref())
}

/// The observer, the executor, and the names of laws and queues written in Python.
fn begin(py: Python<'_>, written: Option<Written>) -> PyResult<(Arc<Looker>, Build, Names)> {
    let (mut looker, mut build) = (Looker::default(), asked::build());
    if let Some((_, _, hash)) = &written {
        build.hash = format!("{}+{hash}", build.hash);
    }
    let names = Names::new(py, written, &looker.raised)?;
    looker.scope = names.scope;
    Ok((Arc::new(looker), build, names))
}

fn execute(
    py: Python<'_>,
    experiments: Result<Experiments, Failure>,
    looker: &Arc<Looker>,
    names: Names,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Runs> {
    let experiments = Arc::new(experiments.map_err(|failure| exception(py, &failure))?);
    let own = experiments.clone();
    let work = move |looker: &Looker| {
        // the names stay registered until the last run has ended
        let _names = names;
        own.run(&Simulator, looker)
    };
    let outcome = wait(py, looker, progress, work)?.map_err(|failure| exception(py, &failure))?;
    if let Some(trouble) = outcome.ended {
        return Err(exception(py, &trouble.into()));
    }
    Ok(Runs::new(experiments, outcome.summaries, looker.kept()))
}

/// How `--ray` reaches a cluster: the Python to use, and the options for shared storage as
/// JSON.
type Through = (OsString, String);

/// `tusker sweep` as requested in JSON; in memory if there is no folder.
#[pyfunction]
#[pyo3(signature = (request, text=None, in_memory=true, written=None, progress=None, through=None))]
pub fn sweep(
    py: Python<'_>,
    request: String,
    text: Option<Text>,
    in_memory: bool,
    written: Option<Written>,
    progress: Option<Bound<'_, PyAny>>,
    through: Option<Through>,
) -> PyResult<SweepRuns> {
    let given = given(text);
    let (python, options) = through.unzip();
    let reach = Reach { python, options, ..Reach::default() };
    let scratch = in_memory.then(tempfile::tempdir).transpose()?;
    let (looker, build, names) = begin(py, written)?;
    let work = move |looker: &Looker| {
        let _names = names;
        let dir = scratch.as_ref().map(|scratch| scratch.path());
        asked::sweep(&request, given.as_ref(), &build, dir, reach, &Simulator, looker)
    };
    let done = wait(py, &looker, progress.as_ref(), work)?;
    let done = done.map_err(|failure| exception(py, &failure))?;
    SweepRuns::new(py, done, in_memory)
}

/// `tusker plan` as requested in JSON.
#[pyfunction]
#[pyo3(signature = (request, progress=None))]
pub fn plan(
    py: Python<'_>,
    request: String,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<PlanMade> {
    let looker = Arc::new(Looker::default());
    let work = move |looker: &Looker| asked::plan(&request, &asked::build(), &Simulator, looker);
    let done = wait(py, &looker, progress.as_ref(), work)?;
    PlanMade::new(py, done.map_err(|failure| exception(py, &failure))?)
}

/// `tusker reproduce` as requested in JSON; in memory if there is no folder.
#[pyfunction]
#[pyo3(signature = (request, in_memory=true, progress=None, through=None))]
pub fn reproduce(
    py: Python<'_>,
    request: String,
    in_memory: bool,
    progress: Option<Bound<'_, PyAny>>,
    through: Option<Through>,
) -> PyResult<PaperRows> {
    let (python, options) = through.unzip();
    let reach = Reach { python, options, ..Reach::default() };
    let scratch = in_memory.then(tempfile::tempdir).transpose()?;
    let looker = Arc::new(Looker::rows_alone());
    let work = move |looker: &Looker| {
        let dir = scratch.as_ref().map(|scratch| scratch.path());
        asked::reproduce(&request, dir, reach, looker)
    };
    let done = wait(py, &looker, progress.as_ref(), work)?;
    PaperRows::new(py, done.map_err(|failure| exception(py, &failure))?, in_memory)
}

/// `tusker evaluate` as requested in JSON; in memory if there is no folder. `evaluation.json`, what
/// the command prints, and the folder.
#[pyfunction]
#[pyo3(signature = (request, in_memory=true, written=None, progress=None, through=None))]
pub fn evaluate(
    py: Python<'_>,
    request: String,
    in_memory: bool,
    written: Option<Written>,
    progress: Option<Bound<'_, PyAny>>,
    through: Option<Through>,
) -> PyResult<(String, String, Option<String>)> {
    let (python, options) = through.unzip();
    let reach = Reach { python, options, ..Reach::default() };
    let scratch = in_memory.then(tempfile::tempdir).transpose()?;
    let (looker, build, names) = begin(py, written)?;
    let work = move |looker: &Looker| {
        let _names = names;
        let dir = scratch.as_ref().map(|scratch| scratch.path());
        asked::evaluate(&request, &build, dir, reach, &Simulator, looker)
    };
    let done = wait(py, &looker, progress.as_ref(), work)?;
    let done = done.map_err(|failure| exception(py, &failure))?;
    Ok((done.evaluation.to_json(), done.text, (!in_memory).then_some(done.dir)))
}

/// Version of the package, and the identity of the simulator in it.
#[pyfunction]
pub fn build() -> (String, String) {
    let build = asked::build();
    (build.version, build.hash)
}

/// The result of a run done for another process: the lines of its row and how many seconds
/// it took; or the error and its remedy.
type Done = (String, f64, Option<(String, String)>);

/// Does one run of a sweep.
#[pyfunction]
pub fn row(py: Python<'_>, scenario: &str, seed: u64) -> Done {
    match py.detach(|| asked::row(scenario, seed)) {
        Ok((lines, wall)) => (lines, wall, None),
        Err(wrong) => (String::new(), 0.0, Some(wrong)),
    }
}

/// Does one replicate of an experiment and puts its files into `dir`; returns the error and
/// its remedy, if there is one.
#[pyfunction]
pub fn replicate(
    py: Python<'_>,
    scenario: &str,
    number: u32,
    traced: bool,
    csv: bool,
    dir: PathBuf,
) -> Option<(String, String)> {
    py.detach(|| asked::replicate(scenario, number, traced, csv, &dir)).err()
}

/// Converts a scenario from JSON to TOML.
#[pyfunction]
pub fn toml(json: &str) -> PyResult<String> {
    let wrong = |error: String| PyValueError::new_err(error);
    let value: serde_json::Value =
        serde_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
    toml_edit::ser::to_string_pretty(&value).map_err(|error| wrong(error.to_string()))
}
