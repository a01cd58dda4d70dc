//! Results for Python.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use tusker::api::{self, Failure, Points, Ran};
use tusker_lab::Ready;
use tusker_measure::summary::{Summary, View, flat_names, flat_values};
use tusker_scenario::Scenario;
use tusker_scenario::sweep::{Value, cells};
use tusker_store::sweep::{Dataset, Fingerprint, PointSummary, Row, Run, SweepSummary, Varied};
use tusker_store::{Columns, Existing, Values, tables_of};

use crate::raised::{Raised, exception};
use crate::table::Table;
use crate::waiting::{Kept, Looker};
use crate::written::{Names, Written};

/// The runs of several experiments.
#[pyclass(frozen, module = "tusker._tusker")]
pub struct Runs {
    ran: Ran,
    kept: Vec<Kept>,
    notes: Vec<String>,
}

impl Runs {
    /// From experiments that have run, watched by this one.
    pub fn new(ran: Ran, looker: &Looker) -> Self {
        Self { ran, kept: looker.kept(), notes: looker.notes() }
    }

    fn ready(&self, nth: usize) -> PyResult<&Ready> {
        self.ran.experiments.get(nth).ok_or_else(|| PyIndexError::new_err(nth))
    }

    fn of<'a>(&'a self, ready: &'a Ready) -> impl Iterator<Item = &'a Kept> {
        self.kept.iter().filter(move |kept| kept.name == ready.name)
    }
}

#[pymethods]
impl Runs {
    /// The number of experiments.
    fn __len__(&self) -> usize {
        self.ran.experiments.len()
    }

    /// The name of each.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.ran.experiments.iter().map(|ready| ready.name.as_str()).collect()
    }

    /// What distinguishes each from the others.
    #[getter]
    fn varied(&self) -> Vec<Vec<(&'static str, String)>> {
        self.ran.varied.clone()
    }

    /// Notes about scenarios that rarely do what was intended.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// The summaries, as in `summary.json`.
    #[getter]
    fn summaries(&self) -> Vec<String> {
        self.ran.summaries.iter().map(Summary::to_json).collect()
    }

    /// The scenario of an experiment as TOML, with all values filled in.
    fn scenario(&self, nth: usize) -> PyResult<String> {
        Ok(self.ready(nth)?.identity.text().to_owned())
    }

    /// A table of an experiment, if it has one of this name, with its replicates one after
    /// the other.
    fn table(&self, py: Python<'_>, nth: usize, name: &str) -> PyResult<Option<Table>> {
        let ready = self.ready(nth)?;
        let columns: Vec<Columns> = py.detach(|| {
            let view = View::new(&ready.plan);
            let mut found = Vec::new();
            for Kept { replicate, run, .. } in self.of(ready) {
                for (own, parts) in tables_of(&view, replicate, run) {
                    if own == name {
                        found.extend(parts);
                    }
                }
            }
            found
        });
        if columns.is_empty() { Ok(None) } else { Table::of(columns).map(Some) }
    }

    /// One row per run, for all experiments or one: the varied values, every measure, every
    /// value of the scenario.
    #[pyo3(signature = (only=None))]
    fn runs(&self, py: Python<'_>, only: Option<usize>) -> PyResult<Table> {
        let columns =
            py.detach(|| self.dataset(only)).map_err(|failure| exception(py, &failure))?;
        Table::of([columns])
    }

    /// Stores an experiment in a folder, as `tusker run --out` does.
    fn save(&self, py: Python<'_>, nth: usize, dir: PathBuf, force: bool) -> PyResult<()> {
        let ready = self.ready(nth)?;
        let stored = py.detach(|| {
            let runs = self.of(ready).map(|kept| (&kept.replicate, &kept.run));
            api::save(ready, &self.ran.summaries[nth], runs, &dir, force)
        });
        stored.map_err(|failure| exception(py, &failure))
    }

    /// Makes a folder that of a comparison, in which all experiments are saved, if nothing is
    /// in the way.
    fn claim(&self, py: Python<'_>, dir: PathBuf, force: bool) -> PyResult<()> {
        let existing = if force { Existing::Replace } else { Existing::Refuse };
        let names = self.ran.experiments.iter().map(|ready| ready.name.as_str());
        api::claim(&dir, names, existing).map_err(|failure| exception(py, &failure))
    }

    /// Writes the page for several folders of results into a folder. Laws and queues
    /// written in Python must be registered to read them.
    #[staticmethod]
    fn page(
        py: Python<'_>,
        dirs: Vec<PathBuf>,
        into: PathBuf,
        written: Option<Written>,
    ) -> PyResult<()> {
        let names = Names::new(py, written, &Arc::new(Raised::default()))?;
        let made = py.detach(|| names.scope.within(|| api::page(&dirs, &into)));
        made.map_err(|failure| exception(py, &failure))
    }
}

impl Runs {
    fn dataset(&self, only: Option<usize>) -> Result<Columns, Failure> {
        let all = &self.ran.experiments;
        let mut doubts = Vec::new();
        let (mut axes, mut scenario) = (Varied::new(all.len()), Varied::new(all.len()));
        let mut runs = Vec::new();
        let wanted = |point: &usize| only.is_none_or(|only| only == *point);
        for (point, ready) in all.iter().enumerate().filter(|(point, _)| wanted(point)) {
            doubts.push(self.ran.summaries[point].doubts.as_slice());
            for (key, label) in &self.ran.varied[point] {
                let value = Value::plain(label.clone());
                axes.set(point, (*key).to_owned(), value.cell());
            }
            let said = Scenario::parse(&ready.name, ready.identity.text(), &[]);
            let (values, text) = cells(said.map_err(api::wrong)?);
            values.into_iter().for_each(|(path, cell)| scenario.set(point, path, cell));
            let fingerprint = Fingerprint::of(&text, ready.identity.build());
            let names: Arc<[String]> = flat_names(&View::new(&ready.plan)).into();
            for Kept { replicate, .. } in self.of(ready) {
                let row = Row { names: names.clone(), values: flat_values(replicate) };
                let seed = replicate.seed;
                let key = fingerprint.run(seed);
                let replicate = replicate.number;
                runs.push(Run { point, replicate, seed, key, row: Arc::new(row) });
            }
        }
        let order = self.ran.varied.first();
        let order: Vec<String> =
            order.into_iter().flatten().map(|(key, _)| (*key).to_owned()).collect();
        let dataset =
            Dataset { axes: &axes, order: &order, scenario: &scenario, runs: &runs, doubts };
        Ok(dataset.columns())
    }
}

/// The runs of a sweep.
#[pyclass(frozen, module = "tusker._tusker")]
pub struct SweepRuns {
    summary: SweepSummary,
    table: Py<Table>,
    dir: Option<String>,
    notes: Vec<String>,
    counts: (usize, usize, usize),
}

impl SweepRuns {
    /// From a sweep that has run.
    pub fn new(
        py: Python<'_>,
        points: Points,
        notes: Vec<String>,
        in_memory: bool,
    ) -> PyResult<Self> {
        let table = Py::new(py, Table::of([points.runs()])?)?;
        let Points { summary, dir, counts, .. } = points;
        let dir = (!in_memory).then_some(dir);
        Ok(Self { summary, table, dir, notes, counts })
    }
}

#[pymethods]
impl SweepRuns {
    /// One row per run.
    #[getter]
    fn runs(&self, py: Python<'_>) -> Py<Table> {
        self.table.clone_ref(py)
    }

    /// One row per point: the varied values, and mean and interval of every measure.
    #[getter]
    fn points(&self) -> PyResult<Table> {
        Table::of([points(&self.summary)])
    }

    /// One row per point, as in `sweep.json`.
    #[getter]
    fn summary(&self) -> String {
        self.summary.to_json()
    }

    /// The folder, if there is one.
    #[getter]
    fn dir(&self) -> Option<&str> {
        self.dir.as_deref()
    }

    /// What makes results doubtful.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// How many runs were done, how many already existed, and how many points have too wide
    /// an interval.
    #[getter]
    fn counts(&self) -> (usize, usize, usize) {
        self.counts
    }
}

fn points(summary: &SweepSummary) -> Columns {
    let points = || summary.points.iter();
    let mut table = Columns::default();
    let mut add = |name: String, values| table.0.push((name.into(), values));
    add("point".to_owned(), Values::Int((1..=summary.points.len() as i64).collect()));
    for (at, axis) in summary.axes.iter().enumerate() {
        let number = |value: Option<f64>| value.unwrap_or(f64::NAN);
        let values = if axis.numeric {
            Values::Float(points().map(|point| number(point.numbers[at])).collect())
        } else {
            let texts = points().map(|point| point.values[at].clone()).collect();
            Values::Text(texts, (0..summary.points.len() as u32).collect())
        };
        add(axis.column(), values);
    }
    let replicates = points().map(|point| i64::from(point.replicates)).collect();
    add("replicates".to_owned(), Values::Int(replicates));
    for (at, measure) in summary.measures.iter().enumerate() {
        let column = |of: fn(&PointSummary) -> &Vec<Option<f64>>| {
            Values::Float(points().map(|point| of(point)[at].unwrap_or(f64::NAN)).collect())
        };
        add(measure.clone(), column(|point| &point.mean));
        add(format!("{measure}_ci95"), column(|point| &point.ci95));
    }
    table
}
