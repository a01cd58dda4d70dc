//! The results of a plan or of a reproduction, for Python.

use std::path::PathBuf;

use pyo3::prelude::*;
use tusker::api::Planned;
use tusker_papers::{Reproduction, columns};

use crate::table::Table;

/// Ways to do a transfer, ranked.
#[pyclass(frozen, module = "tusker._tusker")]
pub struct PlanMade {
    summary: String,
    rows: Py<Table>,
    dir: Option<PathBuf>,
}

impl PlanMade {
    /// From a finished plan.
    pub fn new(py: Python<'_>, made: Planned) -> PyResult<Self> {
        let Planned { summary, dir } = made;
        let rows = Py::new(py, Table::of([summary.columns()])?)?;
        Ok(Self { summary: summary.to_json(), rows, dir })
    }
}

#[pymethods]
impl PlanMade {
    /// One row per way to do the transfer.
    #[getter]
    fn rows(&self, py: Python<'_>) -> Py<Table> {
        self.rows.clone_ref(py)
    }

    /// Everything, as in `plan.json`.
    #[getter]
    fn summary(&self) -> &str {
        &self.summary
    }

    /// The folder, if there is one.
    #[getter]
    fn dir(&self) -> Option<&PathBuf> {
        self.dir.as_ref()
    }
}

/// A paper's rows and claims next to ours.
#[pyclass(frozen, module = "tusker._tusker")]
pub struct PaperRows {
    summary: String,
    rows: Py<Table>,
    claims: Py<Table>,
    dir: Option<String>,
}

impl PaperRows {
    /// From rows that have run; `in_memory` if their folder no longer exists.
    pub fn new(
        py: Python<'_>,
        (reproduction, dir): (Reproduction, Option<String>),
        in_memory: bool,
    ) -> PyResult<Self> {
        Ok(Self {
            summary: reproduction.to_json(),
            rows: Py::new(py, Table::of([columns::rows(&reproduction)])?)?,
            claims: Py::new(py, Table::of([columns::claims(&reproduction)])?)?,
            dir: dir.filter(|_| !in_memory),
        })
    }
}

#[pymethods]
impl PaperRows {
    /// One row per row of the paper's tables.
    #[getter]
    fn rows(&self, py: Python<'_>) -> Py<Table> {
        self.rows.clone_ref(py)
    }

    /// One row per claim.
    #[getter]
    fn claims(&self, py: Python<'_>) -> Py<Table> {
        self.claims.clone_ref(py)
    }

    /// Everything, as in `reproduction.json`.
    #[getter]
    fn summary(&self) -> &str {
        &self.summary
    }

    /// The folder, if there is one.
    #[getter]
    fn dir(&self) -> Option<&str> {
        self.dir.as_deref()
    }
}
