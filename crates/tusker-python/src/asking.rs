//! The functions of the package.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use tusker::asked::{self, Experiments, Failure, Given};
use tusker_sim::Simulator;

use crate::results::{Runs, SweepRuns};
use crate::waiting::{Looker, wait};

/// A scenario that is no file: what messages call it, its text, and the folder of the
/// files which it names.
type Text = (String, String, PathBuf);

fn given(text: Option<Text>) -> Option<Given> {
    text.map(|(name, text, folder)| Given { name, text, folder })
}

/// The version of the package.
#[pyfunction]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// `tusker run` with these words.
#[pyfunction]
#[pyo3(signature = (words, text=None, progress=None))]
pub fn run(
    py: Python<'_>,
    words: Vec<String>,
    text: Option<Text>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Runs> {
    let given = given(text);
    let experiments = py.detach(|| asked::run(&words, given.as_ref(), &asked::build()));
    execute(py, experiments, progress.as_ref())
}

/// `tusker compare` with these words.
#[pyfunction]
#[pyo3(signature = (words, progress=None))]
pub fn compare(
    py: Python<'_>,
    words: Vec<String>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Runs> {
    let experiments = py.detach(|| asked::compare(&words, &asked::build()));
    execute(py, experiments, progress.as_ref())
}

fn execute(
    py: Python<'_>,
    experiments: Result<Experiments, Failure>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Runs> {
    let experiments = Arc::new(experiments.map_err(|failure| raised(py, &failure))?);
    let (looker, own) = (Arc::new(Looker::default()), experiments.clone());
    let done = wait(py, &looker, progress, move |looker| own.run(&Simulator, looker))?;
    let outcome = done.map_err(|failure| raised(py, &failure))?;
    if let Some(trouble) = outcome.ended {
        return Err(raised(py, &trouble.into()));
    }
    Ok(Runs::new(experiments, outcome.summaries, looker.kept()))
}

/// `tusker sweep` with these words; without a folder in memory.
#[pyfunction]
#[pyo3(signature = (words, text=None, in_memory=true, progress=None))]
pub fn sweep(
    py: Python<'_>,
    words: Vec<String>,
    text: Option<Text>,
    in_memory: bool,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<SweepRuns> {
    let given = given(text);
    let scratch = in_memory.then(tempfile::tempdir).transpose()?;
    let looker = Arc::new(Looker::default());
    let work = move |looker: &Looker| {
        let dir = scratch.as_ref().map(|scratch| scratch.path());
        asked::sweep(&words, given.as_ref(), &asked::build(), dir, &Simulator, looker)
    };
    let done = wait(py, &looker, progress.as_ref(), work)?;
    let done = done.map_err(|failure| raised(py, &failure))?;
    SweepRuns::new(py, done, in_memory)
}

/// A scenario as TOML, of one as JSON.
#[pyfunction]
pub fn toml(json: &str) -> PyResult<String> {
    let wrong = |error: String| PyValueError::new_err(error);
    let value: serde_json::Value =
        serde_json::from_str(json).map_err(|error| wrong(error.to_string()))?;
    toml_edit::ser::to_string_pretty(&value).map_err(|error| wrong(error.to_string()))
}

/// A failure as an exception with the text of the command line.
pub fn raised(py: Python<'_>, failure: &Failure) -> PyErr {
    let Some((text, input)) = asked::told(failure) else {
        return PyKeyboardInterrupt::new_err(());
    };
    let name = if input { "InputError" } else { "Error" };
    let made = py
        .import("tusker._errors")
        .and_then(|errors| errors.getattr(name))
        .and_then(|class| class.call1((&text,)));
    made.map_or_else(|_| PyRuntimeError::new_err(text), PyErr::from_value)
}
