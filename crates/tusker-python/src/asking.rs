//! The functions of the package.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tempfile::TempDir;
use tusker::api::{self, Evaluated, Failure, Given, Means, Reach};
use tusker_store::Build;

use crate::made::{PaperRows, PlanMade};
use crate::raised::exception;
use crate::results::{Runs, SweepRuns};
use crate::waiting::{Looker, wait};
use crate::written::{Names, Written};

/// A scenario that is not a file: its name in messages, its text, and the folder of the
/// files that it refers to.
type Text = (String, String, PathBuf);

/// The version of the package.
#[pyfunction]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// How `--ray` reaches a cluster: the Python to use, and the options for shared storage as
/// JSON.
type Through = (OsString, String);

/// A call of a function of the package.
struct Call {
    looker: Looker,
    build: Build,
    /// Laws and queues written in Python, registered until the work has ended.
    names: Names,
    given: Option<Given>,
    reach: Reach,
    /// The folder of what stays in memory.
    scratch: Option<TempDir>,
}

impl Call {
    fn new(py: Python<'_>, written: Option<Written>) -> PyResult<Self> {
        let (mut looker, mut build) = (Looker::default(), api::build());
        if let Some((_, _, hash)) = &written {
            build.hash = format!("{}+{hash}", build.hash);
        }
        let names = Names::new(py, written, &looker.raised)?;
        looker.scope = names.scope;
        let (given, reach, scratch) = (None, Reach::default(), None);
        Ok(Self { looker, build, names, given, reach, scratch })
    }

    /// With a scenario that is not a file.
    fn given(mut self, text: Option<Text>) -> Self {
        self.given = text.map(|(name, text, folder)| Given { name, text, folder });
        self
    }

    /// In a folder that goes away, if it is `in_memory`; a cluster is reached like that.
    fn stored(mut self, in_memory: bool, through: Option<Through>) -> PyResult<Self> {
        let (python, options) = through.unzip();
        self.reach = Reach { python, options, ..Reach::default() };
        self.scratch = in_memory.then(tempfile::tempdir).transpose()?;
        Ok(self)
    }

    /// Does the work in another thread; what it came to, and who watched it.
    fn wait<T: Send + 'static>(
        self,
        py: Python<'_>,
        progress: Option<&Bound<'_, PyAny>>,
        work: impl FnOnce(Means<'_>, &Looker) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<(T, Arc<Looker>)> {
        let Self { looker, build, names, given, reach, scratch } = self;
        let looker = Arc::new(looker);
        let work = move |looker: &Looker| {
            let _names = names;
            let dir = scratch.as_ref().map(TempDir::path);
            work(Means { build: &build, reach, given: given.as_ref(), dir }, looker)
        };
        let done = wait(py, &looker, progress, work)?;
        Ok((done.map_err(|failure| exception(py, &failure))?, looker))
    }
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
    let call = Call::new(py, written)?.given(text);
    let work = move |means: Means<'_>, looker: &Looker| api::run(&request, &means, looker);
    let (ran, looker) = call.wait(py, progress.as_ref(), work)?;
    Ok(Runs::new(ran, &looker))
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
    let work = move |means: Means<'_>, looker: &Looker| api::compare(&request, &means, looker);
    let (ran, looker) = Call::new(py, written)?.wait(py, progress.as_ref(), work)?;
    Ok(Runs::new(ran, &looker))
}

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
    let call = Call::new(py, written)?.given(text).stored(in_memory, through)?;
    let work = move |means: Means<'_>, looker: &Looker| api::sweep(&request, &means, looker);
    let ((points, notes), looker) = call.wait(py, progress.as_ref(), work)?;
    SweepRuns::new(py, points, [looker.notes(), notes].concat(), in_memory)
}

/// `tusker plan` as requested in JSON.
#[pyfunction]
#[pyo3(signature = (request, progress=None))]
pub fn plan(
    py: Python<'_>,
    request: String,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<PlanMade> {
    let work = move |means: Means<'_>, looker: &Looker| api::plan(&request, &means, looker);
    PlanMade::new(py, Call::new(py, None)?.wait(py, progress.as_ref(), work)?.0)
}

/// `tusker diagnose` as requested in JSON; the diagnosis as JSON.
#[pyfunction]
pub fn diagnose(py: Python<'_>, request: String) -> PyResult<String> {
    let work = move |_: Means<'_>, looker: &Looker| api::diagnose(&request, looker);
    Ok(Call::new(py, None)?.wait(py, None, work)?.0)
}

/// `tusker import` as requested in JSON: a scenario, and notes.
#[pyfunction]
pub fn import_(py: Python<'_>, request: &str) -> PyResult<(String, Vec<String>)> {
    py.detach(|| api::import(request)).map_err(|failure| exception(py, &failure))
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
    let mut call = Call::new(py, None)?.stored(in_memory, through)?;
    call.looker = Looker::rows_alone();
    let work = move |means: Means<'_>, looker: &Looker| api::reproduce(&request, means, looker);
    PaperRows::new(py, call.wait(py, progress.as_ref(), work)?.0, in_memory)
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
    let call = Call::new(py, written)?.stored(in_memory, through)?;
    let work = move |means: Means<'_>, looker: &Looker| api::evaluate(&request, &means, looker);
    let (Evaluated { evaluation, dir }, _) = call.wait(py, progress.as_ref(), work)?;
    Ok((evaluation.to_json(), api::text(&evaluation), (!in_memory).then_some(dir)))
}

/// Version of the package, and the identity of the simulator in it.
#[pyfunction]
pub fn build() -> (String, String) {
    let build = api::build();
    (build.version, build.hash)
}

/// The result of a run done for another process: the lines of its row and how many seconds
/// it took; or the error and its remedy.
type Done = (String, f64, Option<(String, String)>);

/// Does one run of a sweep.
#[pyfunction]
pub fn row(py: Python<'_>, scenario: &str, seed: u64) -> Done {
    match py.detach(|| api::row(scenario, seed)) {
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
    py.detach(|| api::replicate(scenario, number, traced, csv, &dir)).err()
}

/// Converts a scenario from JSON to TOML.
#[pyfunction]
pub fn toml(json: &str) -> PyResult<String> {
    let wrong = |error: String| PyValueError::new_err(error);
    let value: serde_json::Value =
        serde_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
    toml_edit::ser::to_string_pretty(&value).map_err(|error| wrong(error.to_string()))
}
