//! `tusker sweep`: a scenario over a grid of values, and curves of what came out.

mod next_steps;
mod path;
mod read;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tusker_lab::sweep::{Earlier, Sweep, Swept, Until};
use tusker_lab::{Budget, Elsewhere, News, Trouble, Watch, notes};
use tusker_measure::doubts::Doubt;
use tusker_measure::table::{counted, verb};
use tusker_report::conditions::{Conditions, Wheres};
use tusker_report::page::{Note, Page};
use tusker_report::sweep::seen::Seen;
use tusker_report::sweep::work;
use tusker_report::{doubts, html};
use tusker_scenario::sweep::{Axis, Change, Grid, Template};
use tusker_scenario::{Complete, Scenario};
use tusker_sim::Simulator;
use tusker_store::folder::{self, Kind};
use tusker_store::sweep::{
    AxisSummary, BASE, Dataset, Journal, POINTS, PointSummary, Run, SweepSummary, Varied,
};
use tusker_store::{Build, Columns, MANIFEST, REPORT};

use super::destination::Destination;
use super::run::RESULTS;
use crate::args::{Request, SweepArgs};
use crate::cluster::Cluster;
use crate::done::{self, Done, Means, Value};
use crate::failure::Failure;
use crate::interrupt;
use crate::outfile;
use crate::scenarios;
use crate::tables;

/// What was written into a folder.
struct Stored {
    dataset: PathBuf,
    page: PathBuf,
    /// How many points of earlier sweeps are among those of the folder, and how many are not.
    kept: usize,
    lost: usize,
}

/// The points of a sweep.
#[derive(Debug)]
pub struct Points {
    /// A row per point.
    pub summary: SweepSummary,
    /// Where it is stored: a folder, or one in shared storage.
    pub dir: String,
    /// How many runs were done, how many were there already, and how many points have too wide
    /// an interval.
    pub counts: (usize, usize, usize),
    job: Job,
    swept: Swept,
}

impl Points {
    /// A row per run.
    pub fn runs(&self) -> Columns {
        let (grid, points) = (&self.job.grid, &self.summary.points);
        let (axes, order) = (Varied::of_axes(grid), order(grid));
        let (scenario, runs, doubts) = (&self.swept.scenario, &self.swept.runs, doubts_of(points));
        Dataset { axes: &axes, order: &order, scenario, runs, doubts }.columns()
    }
}

impl Value for Points {
    fn json(&self) -> String {
        self.summary.to_json()
    }

    fn csv(&self) -> String {
        self.summary.to_csv(&self.job.measures)
    }
}

/// Runs a scenario at every point of a grid, and judges the points.
pub fn sweep(
    request: &Request<SweepArgs>,
    means: &Means<'_>,
    watch: &dyn Watch,
) -> Result<Done<Points>, Failure> {
    let Request { args, command } = request;
    args.path.check(args.file.is_some())?;
    let job = Job::of(args, means.given)?;
    let (format, conditions) = (tables::format(args.tables)?, done::conditions(&args.verdict)?);
    let wheres = Wheres::read(&args.wheres)?;
    let otherwise = || means.dir.map_or_else(|| job.dir(), Path::to_owned);
    let destination = Destination::of(args.out.as_deref(), args.ray.as_ref(), otherwise)?;
    let dir = destination.dir();
    job.check(args, &conditions)?;
    job.check_wheres(args, &wheres)?;
    let (mut swept, cluster) = interrupt::in_order(|| job.run(args, means, &destination, watch))?;
    if watch.stopped() {
        // a moment after the last was done
        swept.ended.get_or_insert(Trouble::Interrupted);
    }
    if let Some(trouble) = swept.ended {
        let (runs, dir) = (swept.runs.len() as u128, destination.shown(dir));
        let (are, runs) = (verb(runs, "is", "are"), counted(runs, "run"));
        let text = format!("{runs} {are} in {dir}; the same command continues");
        let work = vec![Note { text, doubt: true }];
        return Ok(Done::early(Page { work, ..Page::default() }, trouble));
    }
    let mut summary = job.summary(&swept, command.clone());
    // what only prints the same points again leaves the command that made them, if one did
    let same = |earlier: &SweepSummary| {
        earlier.earlier.is_empty()
            && (&earlier.axes, &earlier.points) == (&summary.axes, &summary.points)
    };
    if let Some(before) = SweepSummary::read(dir).ok().filter(same) {
        summary.command = before.command;
    }
    // what earlier sweeps left in the folder says where a condition holds, too
    let earlier = job.earlier(args, &swept, means.build, dir);
    let all = earlier.as_ref().ok().and_then(|earlier| job.all(args, earlier, &summary, dir));
    let found = wheres.find(all.as_ref().unwrap_or(&summary));
    let met = job.until.as_ref().and_then(|until| work::narrow(until, &summary));
    let mut page = tusker_report::sweep::answer(&summary, &job.measures, met.as_ref());
    page.more = found.tables;
    let stored = earlier.and_then(|earlier| {
        let rows = (&summary, all.as_ref());
        let stored = job.store(&swept, rows, earlier, dir, format)?;
        let [points, base, manifest] = [POINTS, BASE, MANIFEST].map(|name| dir.join(name));
        let files: [&Path; 5] = [&stored.dataset, &points, &base, &stored.page, &manifest];
        destination.put(cluster.as_ref(), &files, &|| watch.stopped())?;
        Ok(stored)
    });
    job.notes(args, &summary).into_iter().for_each(|note| page.doubt(note));
    page.notes.extend(found.notes);
    let ended = stored.map(|stored| {
        let files = [&stored.dataset, &stored.page].map(|file| destination.shown(file));
        page.work.extend(work::work(&swept, &files));
        page.work.extend(work::earlier(stored.kept, stored.lost, &destination.shown(dir)));
    });
    // what is in shared storage has to be fetched first
    if args.ray.is_none() {
        let better = job.better(args, &summary);
        page.next = next_steps::steps(args, dir, better, found.finer.as_ref(), &swept, &summary);
    }
    let judged = ended.is_ok().then(|| conditions.points(&summary, &job.seen().paths));
    let (dir, counts) = (destination.shown(dir), (swept.ran, swept.there, swept.wide));
    let points = Points { summary, dir, counts, job, swept };
    let mut done = Done { value: Some(points), page, ended: ended.err() };
    if let Some(judged) = judged {
        done.judge(judged);
    }
    Ok(done)
}

/// What was asked for.
#[derive(Debug)]
struct Job {
    name: String,
    grid: Grid,
    sets: Vec<String>,
    /// Of `--seed`.
    seed: Option<u64>,
    replicates: Option<u32>,
    until: Option<Until>,
    measures: Vec<String>,
    source: Template,
    /// How many axes come from a file, and which.
    from_file: (usize, String),
    seen: Mutex<Seen>,
}

impl Job {
    /// Where results go unless somebody says it.
    fn dir(&self) -> PathBuf {
        Path::new(RESULTS).join(&self.name)
    }

    /// Makes sure that the measures of these conditions are there.
    fn check(&self, args: &SweepArgs, conditions: &Conditions) -> Result<(), Failure> {
        Ok(conditions.check(self.scenario(0, args)?.plan())?)
    }

    /// Makes sure that there is something along which these can hold.
    fn check_wheres(&self, args: &SweepArgs, wheres: &Wheres) -> Result<(), Failure> {
        let numeric = self.grid.axes().any(|axis| AxisSummary::of(axis).numeric);
        Ok(wheres.check(numeric, self.scenario(0, args)?.plan())?)
    }

    /// Runs what is not there yet, here or on the cluster that is asked for.
    fn run(
        &self,
        args: &SweepArgs,
        means: &Means<'_>,
        destination: &Destination,
        watch: &dyn Watch,
    ) -> Result<(Swept, Option<Cluster>), Failure> {
        let (build, reach) = (means.build, means.reach.clone());
        let cluster = destination.reach(args.ray.as_ref(), reach, build, &|| watch.stopped())?;
        let elsewhere = cluster.as_ref().map(|cluster| cluster as &dyn Elsewhere);
        let sweep = Sweep {
            executor: &Simulator,
            elsewhere,
            jobs: args.how.jobs.map(|jobs| jobs as usize),
            budget: args.how.memory.map_or_else(Budget::unasked, Budget::asked),
            points: self.grid.len(),
            scenario: &|point| self.scenario(point, args),
            build,
            until: self.until.clone(),
            measures: &self.measures,
        };
        // before there is a folder: a mistake in any point leaves none
        let points = sweep.prepare(watch)?;
        let (journal, found) = Journal::open(destination.dir(), Kind::Sweep)?;
        done::tell_damaged(found.damaged, &destination.dir().display().to_string(), watch);
        if found.runs == 0
            && let Some(text) = doubts::ahead(self.seen().expected.values())
        {
            watch.tell(News::Note { text: &text, doubt: false });
        }
        if let Some(cluster) = &cluster {
            cluster.hand_over(&journal)?;
        }
        let swept = sweep.run(points, &journal, watch)?;
        Ok((swept, cluster))
    }

    /// Those points of earlier sweeps in the folder that can stand beside these.
    fn earlier(
        &self,
        args: &SweepArgs,
        swept: &Swept,
        build: &Build,
        dir: &Path,
    ) -> Result<Earlier, Failure> {
        let complete = |changes| self.complete(changes, args);
        Ok(Earlier::of(dir, (&self.grid, swept), build, &complete)?)
    }

    /// A row for each point of the folder, if it has more than the sweep at hand; with the
    /// commands of the earlier sweeps.
    fn all(
        &self,
        args: &SweepArgs,
        earlier: &Earlier,
        summary: &SweepSummary,
        dir: &Path,
    ) -> Option<SweepSummary> {
        let whole = earlier.whole.as_ref()?;
        let mut seen = Seen::default();
        for runs in whole.runs.chunk_by(|a, b| a.point == b.point) {
            let point = runs[0].point;
            seen.look(point, &self.complete(whole.grid.changes(point), args).ok()?);
        }
        let runs = (&whole.runs[..], &whole.scenario);
        let mut all = self.summary_of(&whole.grid, runs, &seen, summary.command.clone());
        if let Ok(before) = SweepSummary::read(dir) {
            all.after(before);
        }
        Some(all)
    }

    /// Writes the dataset, the points and the page: of `all` that the folder has, if that is
    /// more than the sweep at hand.
    fn store(
        &self,
        swept: &Swept,
        (summary, all): (&SweepSummary, Option<&SweepSummary>),
        earlier: Earlier,
        dir: &Path,
        format: tusker_store::Format,
    ) -> Result<Stored, Failure> {
        let Earlier { whole, kept, lost } = earlier;
        let mut change = folder::Change::begin(dir, Kind::Sweep)?;
        let (dataset, summary) = match (&whole, all) {
            (Some(whole), Some(all)) => {
                let rows = (&whole.runs[..], &all.points[..]);
                (dataset(&whole.grid, &whole.scenario, rows, &mut change, format)?, all)
            }
            _ => {
                let rows = (&swept.runs[..], &summary.points[..]);
                (dataset(&self.grid, &swept.scenario, rows, &mut change, format)?, summary)
            }
        };
        summary.put(&mut change, self.source.text())?;
        change.commit()?;
        let text = html::html(&tusker_report::sweep::of_sweep(summary));
        let page = dir.join(REPORT);
        outfile::write(&page, outfile::Kind::Page, text.as_bytes())?;
        Ok(Stored { dataset, page, kept, lost })
    }

    /// What makes results doubtful: a note each.
    fn notes(&self, args: &SweepArgs, summary: &SweepSummary) -> Vec<String> {
        let seen = self.seen();
        let notes = [seen.misnamed(), seen.lone(&|key, value| self.has(key, value, args))];
        let losses = summary.points.iter().filter_map(|one| summary.estimate(one, "loss_rate").0);
        let (losses, all) = (losses.filter(|loss| *loss > notes::MUCH), summary.points.len());
        let most = losses.clone().reduce(f64::max);
        let worst = format!("{} of {all} points: the worst", losses.count());
        let lossy = notes::lossy([(worst.as_str(), most)]);
        let notes = notes
            .into_iter()
            .flatten()
            .chain(self.until.as_ref().and_then(|until| work::wide(until, summary)))
            .chain(lossy);
        doubts::of_points(summary).into_iter().chain(notes).collect()
    }

    /// Values with which results would be less doubtful, and what they are for.
    fn better(
        &self,
        args: &SweepArgs,
        summary: &SweepSummary,
    ) -> Option<(Vec<(&'static str, String)>, &'static str)> {
        self.seen().better(summary, &|key, value| self.has(key, value, args))
    }

    /// Whether the scenario takes this value, and no axis has another.
    fn has(&self, key: &str, value: &str, args: &SweepArgs) -> bool {
        let mut sets = self.sets.clone();
        sets.push(format!("{key}={value}"));
        let amend = |scenario: &mut Scenario| scenarios::apply(scenario, &args.how);
        self.grid.axes().all(|axis| axis.key != key)
            && self.source.complete(&sets, &self.grid.changes(0), &amend).is_ok()
    }

    /// The scenario of a point.
    fn scenario(&self, point: usize, args: &SweepArgs) -> Result<Complete, Trouble> {
        let mut changes = self.grid.changes(point);
        for change in changes.iter_mut().take(self.from_file.0) {
            change.from.clone_from(&self.from_file.1);
        }
        let complete = self.complete(changes, args)?;
        self.seen().look(point, &complete);
        Ok(complete)
    }

    /// The scenario with these changes.
    fn complete(&self, changes: Vec<Change>, args: &SweepArgs) -> Result<Complete, Trouble> {
        let amend = |scenario: &mut Scenario| {
            scenario.replicates = self.replicates.or(scenario.replicates);
            scenarios::apply(scenario, &args.how);
        };
        Ok(self.source.complete(&self.sets, &changes, &amend)?)
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A row per point; `command` is what was typed.
    fn summary(&self, swept: &Swept, command: Vec<String>) -> SweepSummary {
        self.summary_of(&self.grid, (&swept.runs[..], &swept.scenario), &self.seen(), command)
    }

    fn summary_of(
        &self,
        grid: &Grid,
        runs: (&[Run], &Varied),
        seen: &Seen,
        command: Vec<String>,
    ) -> SweepSummary {
        let mut summary =
            SweepSummary::of((self.name.clone(), command), grid, runs, &seen.expected);
        (summary.setting, summary.lone) = (Some(seen.setting()), seen.is_lone());
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        summary.set = Some(self.sets.iter().cloned().chain(seed).collect());
        summary
    }
}

/// Puts a row per run into a folder.
fn dataset(
    grid: &Grid,
    scenario: &Varied,
    (runs, points): (&[Run], &[PointSummary]),
    change: &mut folder::Change,
    format: tusker_store::Format,
) -> Result<PathBuf, Failure> {
    let (axes, order) = (Varied::of_axes(grid), order(grid));
    let doubts = doubts_of(points);
    let table = Dataset { axes: &axes, order: &order, scenario, runs, doubts };
    Ok(table.put(change, format)?)
}

/// The axes in their order.
fn order(grid: &Grid) -> Vec<String> {
    grid.axes().map(Axis::name).map(str::to_owned).collect()
}

fn doubts_of(points: &[PointSummary]) -> Vec<&[Doubt]> {
    points.iter().map(|point| point.doubts.as_slice()).collect()
}
