//! A folder of results, read back.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Distribution, Error, Quantity, REPLICATES, SCENARIO, SUMMARY, Store, io_error, read};
use crate::plan::Plan;
use crate::run::{Series, Trace};
use crate::scenario::Scenario;
use crate::summary::{FORMAT, Replicate, Summary, View, nanoseconds};

/// Everything that a folder says about its experiment.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The folder.
    pub dir: PathBuf,
    /// The expanded scenario as it stands there.
    pub scenario: String,
    /// What it comes to.
    pub plan: Plan,
    /// The replicates that are in.
    pub replicates: Vec<Replicate>,
    /// What they come down to.
    pub summary: Summary,
    /// RTTs of groups and queues of links, over all replicates.
    pub distributions: Vec<Distribution>,
    /// What was recorded over time, of one replicate: its number, the values.
    pub series: Option<(u32, Trace)>,
}

impl Stored {
    /// Reads a folder: the series of this replicate, or of the first that has
    /// some.
    ///
    /// # Errors
    /// If it holds no results, none that finished, or those of another version.
    pub fn read(dir: &Path, replicate: Option<u32>) -> Result<Self, Error> {
        let store = Store { dir: dir.to_owned(), format: super::Format::default() };
        let path = store.path(SCENARIO);
        if !path.is_file() || !store.path(REPLICATES).is_dir() {
            return Err(Error::NoResults(dir.to_owned()));
        }
        let scenario = fs::read_to_string(&path).map_err(io_error("read", &path))?;
        let other = |cause: String| Error::OtherVersion { path: path.clone(), cause };
        let parsed = Scenario::parse(SCENARIO, &scenario, &[]);
        let parsed = parsed.map_err(|error| other(error.to_string()))?;
        let plan = parsed.plan().map_err(|error| other(error.to_string()))?;
        let (name, command) = named(&store, dir)?;
        let replicates = store.finished()?;
        if replicates.is_empty() {
            return Err(Error::NoReplicate(dir.to_owned()));
        }
        let view = View::new(&plan);
        check_shape(&view, &replicates).map_err(other)?;
        let wanted = parsed.replicates.unwrap_or(1);
        let mut summary = Summary::of(&name, &view, wanted, &replicates);
        summary.execution.command = command;
        let series = series(&store, &replicates, replicate)?;
        let distributions = distributions(&store, &replicates)?;
        let dir = dir.to_owned();
        Ok(Self { dir, scenario, plan, replicates, summary, distributions, series })
    }
}

/// The name and the command line that `summary.json` has; a run that was killed
/// early has none.
fn named(store: &Store, dir: &Path) -> Result<(String, Vec<String>), Error> {
    let full = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let fallback = full.file_name().map_or("results".into(), |name| name.to_string_lossy());
    let path = store.path(SUMMARY);
    let Ok(text) = fs::read(&path) else { return Ok((fallback.into_owned(), Vec::new())) };
    let other = |cause| Error::OtherVersion { path: path.clone(), cause };
    let value: serde_json::Value =
        serde_json::from_slice(&text).map_err(|error| other(error.to_string()))?;
    if value["format"] != FORMAT {
        return Err(other(format!("its format is {}, not {FORMAT}", value["format"])));
    }
    let words = value["execution"]["command"].as_array().map_or(&[][..], Vec::as_slice);
    let words = words.iter().filter_map(|word| Some(word.as_str()?.to_owned())).collect();
    Ok((value["scenario"].as_str().unwrap_or(&fallback).to_owned(), words))
}

/// Replicates of this plan, as far as can be seen.
fn check_shape(view: &View<'_>, replicates: &[Replicate]) -> Result<(), String> {
    let fits = |replicate: &&Replicate| {
        replicate.groups.len() == view.plan.groups.len()
            && replicate.transfers.len() == view.plan.traffic.len()
            && replicate.links.len() == view.shown.len()
            && replicate.background.len() == view.plan.background.len()
    };
    match replicates.iter().find(|replicate| !fits(replicate)) {
        Some(odd) => Err(format!("replicate {} is not one of this scenario", odd.number)),
        None => Ok(()),
    }
}

/// The table of a replicate, in whichever format it is there.
fn table(store: &Store, number: u32, name: &str) -> Option<PathBuf> {
    let folder = store.path(REPLICATES).join(format!("{number:04}"));
    let found = ["parquet", "csv"].map(|end| folder.join(format!("{name}.{end}")));
    found.into_iter().find(|path| path.is_file())
}

fn distributions(store: &Store, replicates: &[Replicate]) -> Result<Vec<Distribution>, Error> {
    let mut found: Vec<Distribution> = Vec::new();
    for replicate in replicates {
        // results of an early version have none
        let Some(path) = table(store, replicate.number, "distributions") else { continue };
        let mut take = |texts: &[&str], numbers: &[f64]| {
            let known = |quantity: &Quantity| quantity.name() == texts[1];
            let Some(quantity) = Quantity::ALL.into_iter().find(known) else { return };
            let same = |d: &Distribution| d.subject == texts[0] && d.quantity == quantity;
            let at = found.iter().position(same).unwrap_or_else(|| {
                let subject = texts[0].to_owned();
                found.push(Distribution { subject, quantity, buckets: Vec::new() });
                found.len() - 1
            });
            found[at].add((numbers[0], numbers[1], numbers[2] as u64));
        };
        let columns = ["from", "below", "count"];
        read::rows(&path, &["subject", "quantity"], &columns, &mut take)
            .map_err(io_error("read", &path))?;
    }
    Ok(found)
}

fn series(
    store: &Store,
    replicates: &[Replicate],
    wanted: Option<u32>,
) -> Result<Option<(u32, Trace)>, Error> {
    let have = replicates.iter().filter_map(|replicate| {
        Some((replicate.number, table(store, replicate.number, "series")?))
    });
    let have: Vec<(u32, PathBuf)> = have.collect();
    let found = match wanted {
        None => have.first(),
        Some(number) => {
            let found = have.iter().find(|(own, _)| *own == number);
            Some(found.ok_or_else(|| {
                let numbers: Vec<String> = have.iter().map(|(own, _)| own.to_string()).collect();
                let have = if numbers.is_empty() { "none".to_owned() } else { numbers.join(", ") };
                Error::NoSeries { dir: store.dir.clone(), number, have }
            })?)
        }
    };
    let Some((number, path)) = found else { return Ok(None) };
    let mut columns = Gathered::default();
    read::rows(path, &["subject", "quantity"], &["time_s", "value"], &mut |texts, numbers| {
        columns.take(texts, numbers[0], numbers[1]);
    })
    .map_err(io_error("read", path))?;
    Ok(Some((*number, columns.finish())))
}

/// Rows of series on their way to columns. The first series has a value at
/// every time (`cwnd`, `queue`); others may lack some.
#[derive(Default)]
struct Gathered {
    times: Vec<f64>,
    series: Vec<Series>,
}

impl Gathered {
    fn take(&mut self, texts: &[&str], time: f64, value: f64) {
        let same = |last: &Series| last.subject == texts[0] && last.quantity == texts[1];
        if !self.series.last().is_some_and(same) {
            let (subject, quantity) = (texts[0].to_owned(), texts[1].to_owned());
            let values = Vec::with_capacity(self.times.len());
            self.series.push(Series { subject, quantity, values });
        }
        let first = self.series.len() == 1;
        let values = &mut self.series.last_mut().expect("one was pushed").values;
        if first {
            self.times.push(time);
        }
        while self.times.get(values.len()).is_some_and(|&at| at < time) {
            values.push(f64::NAN);
        }
        values.push(value);
    }

    fn finish(mut self) -> Trace {
        let length = self.times.len();
        self.series.iter_mut().for_each(|series| series.values.resize(length, f64::NAN));
        Trace { times: self.times.into_iter().map(nanoseconds).collect(), series: self.series }
    }
}
