//! A folder of results, read back.

use std::io;
use std::path::{Path, PathBuf};

use super::content::Content;
use super::manifest::{self, Manifest};
use super::{Distribution, Error, Identity, MEASURES, Quantity, SCENARIO};
use super::{io_error, read, too_many};
use crate::files;
use tusker_measure::summary::{Replicate, Summary, View, nanoseconds};
use tusker_plan::plan::Plan;
use tusker_plan::run::{Series, Trace};
use tusker_scenario::Scenario;

/// Everything that a folder holds about its experiment.
#[derive(Clone, Debug)]
pub struct Stored {
    /// The folder.
    pub dir: PathBuf,
    /// The expanded scenario stored in it.
    pub scenario: String,
    /// The completed scenario.
    pub plan: Plan,
    /// The stored replicates.
    pub replicates: Vec<Replicate>,
    /// Their summary.
    pub summary: Summary,
    /// Distributions of the RTTs of groups and the queues of links, over all
    /// replicates.
    pub distributions: Vec<Distribution>,
    /// The time series of one replicate: its number and the values.
    pub series: Option<(u32, Trace)>,
}

impl Stored {
    /// Reads a folder: the series of this replicate, or of the first that has
    /// some.
    ///
    /// # Errors
    /// If it holds no results, no complete replicate, or results of another version.
    pub fn read(dir: &Path, replicate: Option<u32>) -> Result<Self, Error> {
        let path = dir.join(SCENARIO);
        let manifest = manifest_of(dir)?;
        let scenario = manifest.scenario(dir)?;
        let other = |cause: String| Error::OtherVersion { path: path.clone(), cause };
        let parsed = Scenario::parse(SCENARIO, &scenario, &[]);
        let parsed = parsed.map_err(|error| other(error.to_string()))?;
        let plan = parsed.plan().map_err(|error| other(error.to_string()))?;
        let view = View::new(&plan);
        let replicates = checked(dir, &manifest, &view)?;
        if replicates.is_empty() {
            return Err(Error::NoReplicate(dir.to_owned()));
        }
        let wanted = parsed.replicates.unwrap_or(1);
        let mut summary =
            Summary::of(&name(dir, &manifest), &view, wanted, &replicates).on(&manifest.plane);
        summary.execution.command.clone_from(&manifest.command);
        let series = series(dir, &manifest, &replicates, replicate)?;
        let distributions = distributions(dir, &manifest, &replicates)?;
        let dir = dir.to_owned();
        Ok(Self { dir, scenario, plan, replicates, summary, distributions, series })
    }

    /// Passes on the time series of the first `most` replicates that have some, one
    /// after the other, without keeping them.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn each_trace(&self, most: usize, mut take: impl FnMut(u32, &Trace)) -> Result<(), Error> {
        let manifest = manifest_of(&self.dir)?;
        let have = self.replicates.iter().filter_map(|replicate| {
            Some((replicate.number, table(&self.dir, &manifest, replicate.number, "series")?))
        });
        for (number, path) in have.take(most) {
            match &self.series {
                Some((known, trace)) if *known == number => take(number, trace),
                _ => take(number, &trace_in(&path)?),
            }
        }
        Ok(())
    }
}

/// The replicates of an experiment stored in a folder, without a lock.
///
/// # Errors
/// If there are none, or they belong to another scenario or build, or are damaged.
pub fn replicates(
    dir: &Path,
    identity: &Identity,
    view: &View<'_>,
) -> Result<Vec<Replicate>, Error> {
    let manifest = manifest::resumed(dir, manifest_of(dir)?, identity)?;
    read_back(dir, &manifest, view)
}

/// The manifest of a folder that should contain results.
fn manifest_of(dir: &Path) -> Result<Manifest, Error> {
    match Content::of(dir)? {
        Content::Results(manifest) => *manifest,
        Content::Listed(kind, _) => {
            Err(Error::OtherKind { dir: dir.to_owned(), what: kind.words() })
        }
        Content::Early => Err(Error::NoManifest(dir.to_owned())),
        Content::Unreadable => Err(Manifest::damaged(dir)),
        _ => Err(Error::NoResults(dir.to_owned())),
    }
}

/// The name of the experiment; a run that was killed early has none.
fn name(dir: &Path, manifest: &Manifest) -> String {
    if !manifest.name.is_empty() {
        return manifest.name.clone();
    }
    let full = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    full.file_name().map_or("results".into(), |name| name.to_string_lossy()).into_owned()
}

/// All replicates, after checking every file's hash.
fn checked(dir: &Path, manifest: &Manifest, view: &View<'_>) -> Result<Vec<Replicate>, Error> {
    manifest.present(dir).try_for_each(|number| manifest.verify(dir, number))?;
    read_back(dir, manifest, view)
}

/// The measures of all replicates, in their order.
pub(super) fn read_back(
    dir: &Path,
    manifest: &Manifest,
    view: &View<'_>,
) -> Result<Vec<Replicate>, Error> {
    let read = |number: u32| {
        let seed = manifest.seed + u64::from(number - 1);
        measures(&manifest::replicate(dir, number), view, number, seed)
    };
    manifest.present(dir).map(read).collect()
}

/// The measures in the folder of a replicate.
pub(super) fn measures(
    folder: &Path,
    view: &View<'_>,
    number: u32,
    seed: u64,
) -> Result<Replicate, Error> {
    let path = folder.join(MEASURES);
    let text = files::read(&path).map_err(io_error("read", &path))?;
    let other = |cause: String| Error::OtherVersion { path: path.clone(), cause };
    let replicate: Replicate =
        serde_json::from_slice(&text).map_err(|error| other(error.to_string()))?;
    if (replicate.number, replicate.seed) != (number, seed) || !fits(view, &replicate) {
        let odd = format!("it is not replicate {number} of this scenario");
        return Err(other(odd));
    }
    Ok(replicate)
}

/// Checks that this is plausibly a replicate of this plan.
fn fits(view: &View<'_>, replicate: &Replicate) -> bool {
    replicate.groups.len() == view.plan.groups.len()
        && replicate.transfers.len() == view.plan.traffic.len()
        && replicate.links.len() == view.shown.len()
        && replicate.background.len() == view.plan.background.len()
}

/// The table of a replicate, in the format in which it is stored.
fn table(dir: &Path, manifest: &Manifest, number: u32, name: &str) -> Option<PathBuf> {
    let found = ["parquet", "csv"].map(|end| format!("{name}.{end}"));
    found.iter().find_map(|file| manifest.file(dir, number, file))
}

/// The most rows of a table of distributions.
const BUCKETS: u64 = 10_000_000;

fn distributions(
    dir: &Path,
    manifest: &Manifest,
    replicates: &[Replicate],
) -> Result<Vec<Distribution>, Error> {
    let mut found: Vec<Distribution> = Vec::new();
    for replicate in replicates {
        let Some(path) = table(dir, manifest, replicate.number, "distributions") else { continue };
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
        read::rows(&path, BUCKETS, &["subject", "quantity"], &columns, &mut take)
            .map_err(io_error("read", &path))?;
    }
    Ok(found)
}

fn series(
    dir: &Path,
    manifest: &Manifest,
    replicates: &[Replicate],
    wanted: Option<u32>,
) -> Result<Option<(u32, Trace)>, Error> {
    let have = replicates.iter().filter_map(|replicate| {
        Some((replicate.number, table(dir, manifest, replicate.number, "series")?))
    });
    let have: Vec<(u32, PathBuf)> = have.collect();
    let found = match wanted {
        None => have.first(),
        Some(number) => {
            let found = have.iter().find(|(own, _)| *own == number);
            Some(found.ok_or_else(|| {
                let numbers: Vec<String> = have.iter().map(|(own, _)| own.to_string()).collect();
                let have = if numbers.is_empty() { "none".to_owned() } else { numbers.join(", ") };
                Error::NoSeries { dir: dir.to_owned(), number, have }
            })?)
        }
    };
    let Some((number, path)) = found else { return Ok(None) };
    Ok(Some((*number, trace_in(path)?)))
}

/// The table of series of one replicate.
fn trace_in(path: &Path) -> Result<Trace, Error> {
    let mut columns = Gathered::default();
    let mut take = |texts: &[&str], numbers: &[f64]| columns.take(texts, numbers[0], numbers[1]);
    read::rows(path, read::MOST, &["subject", "quantity"], &["time_s", "value"], &mut take)
        .and_then(|()| columns.finish())
        .map_err(io_error("read", path))
}

/// Rows of series, being collected into columns. The first series has a value at
/// every time (`cwnd`, `queue`); others may lack some.
#[derive(Default)]
struct Gathered {
    times: Vec<f64>,
    series: Vec<Series>,
    /// Times without a value.
    gaps: u64,
}

impl Gathered {
    fn take(&mut self, texts: &[&str], time: f64, value: f64) {
        let same = |last: &Series| last.subject == texts[0] && last.quantity == texts[1];
        if !self.series.last().is_some_and(same) {
            let (subject, quantity) = (texts[0].to_owned(), texts[1].to_owned());
            self.series.push(Series { subject, quantity, values: Vec::new() });
        }
        let first = self.series.len() == 1;
        let values = &mut self.series.last_mut().expect("one was pushed").values;
        if first {
            self.times.push(time);
        }
        while self.times.get(values.len()).is_some_and(|&at| at < time) {
            values.push(f64::NAN);
            self.gaps += 1;
            if self.gaps > read::MOST {
                return;
            }
        }
        values.push(value);
    }

    fn finish(mut self) -> io::Result<Trace> {
        let length = self.times.len();
        if self.gaps > read::MOST
            || (length as u64).saturating_mul(self.series.len() as u64) > 2 * read::MOST
        {
            return Err(too_many(read::MOST));
        }
        self.series.iter_mut().for_each(|series| series.values.resize(length, f64::NAN));
        Ok(Trace { times: self.times.into_iter().map(nanoseconds).collect(), series: self.series })
    }
}
