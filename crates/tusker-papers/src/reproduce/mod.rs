//! Does what is asked about a paper: runs rows or reads what is stored of them, judges them, and
//! makes a page of what came of it.
//!
//! ```text
//!  Request --answer(paper, host)--> Answered: Value (JSON, CSV), Page, files for the folder
//! ```
//!
//! Each row is an experiment in a folder of its own, which is named after the row and the
//! assumptions made in it. So any request for the row under the same assumptions finds it again,
//! and rows under other assumptions are in folders beside it.

mod claim;
mod folders;
mod planes;
mod readings;
mod recorded;
mod runs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use thiserror::Error;
use tusker_lab::{Experiment, Outcome, Ready, Trouble};
use tusker_measure::summary::{Summary, View};
use tusker_plan::plan::Plan;
use tusker_plan::plane::Plane;
use tusker_report::Page;
use tusker_scenario::Scenario;
use tusker_store::{Build, Existing, Format, Lock, REPORT, Store};

use self::folders::{folders, is_outdated, last_part, place};
pub use self::planes::TESTBED;
use crate::conclusions::{self, Answer, Answers, ConclusionResult};
use crate::paper::{Error as Mistake, Figure, Paper};
use crate::reproduction::Reproduction;
use crate::rows::{Row, Selection, Taken};
use crate::stored::{DrawnFigure, FIGURES, REPRODUCTION};
use crate::{curves, page, verdicts};

/// The folder of rows that are not drawn over time.
const ROWS: &str = "rows";

/// The page of figures, beside that of rows and claims.
pub const FIGURES_PAGE: &str = "figures.html";

/// The page of a comparison of readings, beside that of the base.
pub const READINGS_PAGE: &str = "readings.html";

/// What that page shows.
pub const READINGS: &str = "readings.json";

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum What {
    /// Rows, and the claims on them.
    #[default]
    Rows,
    /// Figures, by their numbers.
    Figures(Vec<String>),
    /// Rows under each reading.
    Readings,
    /// The conclusions.
    Conclusions,
    /// Claims, by their names.
    Claims {
        /// Their names.
        names: Vec<String>,
        /// Under which readings and with which seeds.
        over: Over,
        /// The title of their page, if not the verdict.
        title: Option<String>,
    },
}

/// Under which readings, and with which seeds, the rows of claims are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Over {
    /// The one that is asked for.
    #[default]
    One,
    /// Each of those that are asked for, or of all.
    Readings,
    /// The seeds and readings of conclusions.toml.
    Conclusions,
}

/// What is asked about a paper.
#[derive(Clone, Debug)]
pub struct Request {
    /// What.
    pub what: What,
    /// Of which rows.
    pub selection: Selection,
    /// Names of readings: `a+b` is one.
    pub readings: Vec<String>,
    /// Further changes of every row.
    pub sets: Vec<String>,
    /// In shorter runs.
    pub quick: bool,
    /// The first seed.
    pub seed: Option<u64>,
    /// How many seeds.
    pub replicates: Option<u32>,
    /// As often as the rows that were recorded beside the paper, to be compared with them.
    pub as_recorded: bool,
    /// Nothing is run: this has what was.
    pub recorded: Option<PathBuf>,
    /// On real sockets, beside the simulator.
    pub plane: Plane,
    /// The folder of its results.
    pub folder: PathBuf,
    /// Rows that are there are run again.
    pub force: bool,
    /// In which format tables are stored.
    pub format: Format,
    /// What was typed for it.
    pub command: Vec<String>,
}

/// Who runs rows, and hears how it goes.
pub trait Host {
    /// What runs rows on a plane.
    fn build(&self, plane: Plane) -> Build;

    /// Whether there is enough memory for an experiment.
    ///
    /// # Errors
    /// If there is not.
    fn check(&self, ready: &Ready) -> Result<(), Trouble>;

    /// Runs what is not stored yet.
    ///
    /// # Errors
    /// If it cannot begin.
    fn run(&self, plane: Plane, experiments: &[Experiment]) -> Result<Outcome, Trouble>;

    /// Why a plan cannot be run on real sockets, if it cannot.
    fn refuses(&self, plan: &Plan) -> Option<String>;

    /// Whether this process may run a plan on real sockets.
    ///
    /// # Errors
    /// If it may not.
    fn may(&self, plan: &Plan) -> Result<(), HostError>;

    /// Makes a folder that of a reproduction, before the first row is run.
    ///
    /// # Errors
    /// If it cannot be.
    fn claim(&self, folder: &Path) -> Result<(), HostError>;

    /// Says how it goes; with `always` also to whoever wants nothing but data.
    fn say(&self, text: &str, always: bool);

    /// What a file of the results is called for whoever reads them.
    fn shown(&self, file: &Path) -> String {
        file.display().to_string()
    }
}

/// Why a host refuses, in words of its own.
pub type HostError = Box<dyn std::error::Error + Send + Sync>;

/// Why there is no answer.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum Failure {
    /// Something is wrong with what was asked, or with the paper.
    Mistake(#[from] Mistake),
    /// Rows could not be run.
    Trouble(#[from] Trouble),
    /// Results could not be stored or read.
    Store(#[from] tusker_store::Error),
    /// A row is no scenario.
    Scenario(#[from] tusker_scenario::Error),
    /// The host refuses.
    Host(#[from] HostError),
}

impl Failure {
    fn mistake(place: &str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Mistake::new(place, message, help).into()
    }
}

/// What came of it, as data.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Rows and claims.
    Rows(Box<Reproduction>),
    /// The same under each reading, or on both planes.
    Several(Vec<Reproduction>),
    /// Conclusions.
    Conclusions(Vec<ConclusionResult>),
    /// Claims.
    Claims(Box<Answers>),
}

impl Value {
    /// As JSON text.
    ///
    /// # Panics
    /// Never: it is plain data.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }
}

/// A file for the folder of results.
#[derive(Clone, Debug)]
pub enum File {
    /// Data, by its name.
    Data(String, String),
    /// A page, by its name.
    Page(String, Box<Page>),
}

/// What came of it.
pub struct Answered {
    /// As data.
    pub value: Value,
    /// As CSV.
    pub csv: String,
    /// For people: one, or one for each figure.
    pub pages: Vec<Page>,
    /// What goes into the folder.
    pub files: Vec<File>,
    /// The stored rows besides those that were asked for; claims are judged on all.
    pub others: BTreeSet<String>,
    /// What was run, if anything was.
    pub outcome: Option<Outcome>,
    /// Of each row, the finished runs and all that were asked for.
    pub runs: Vec<(usize, usize)>,
}

impl Answered {
    fn new(value: Value, csv: String, page: Page) -> Self {
        Self {
            value,
            csv,
            pages: vec![page],
            files: Vec::new(),
            others: BTreeSet::new(),
            outcome: None,
            runs: Vec::new(),
        }
    }

    fn rows(reproduction: &Reproduction) -> Self {
        let (csv, page) = (reproduction.to_csv(), page::page(reproduction));
        Self::new(Value::Rows(Box::new(reproduction.clone())), csv, page)
    }

    fn ran(mut self, outcome: Outcome, measured: &[&Measured<'_>]) -> Self {
        // readings that change nothing in a row share its folder
        let mut rows: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for of in measured {
            for (i, (row, summary)) in of.rows.iter().enumerate() {
                let place = of.folders.get(i).map(|(_, folder)| folder.clone());
                let runs = (summary.seeds.len(), summary.wanted as usize);
                rows.insert(place.unwrap_or_else(|| row.id()), runs);
            }
        }
        self.runs = rows.into_values().collect();
        self.outcome = Some(outcome);
        self
    }

    /// Rows and claims, if it is about these.
    pub fn reproduction(&self) -> Option<&Reproduction> {
        match &self.value {
            Value::Rows(own) => Some(own),
            // the measured ones
            Value::Several(own) => own.last(),
            _ => None,
        }
    }

    /// The claims that were asked for.
    pub fn claims(&self) -> &[Answer] {
        match &self.value {
            Value::Claims(own) => &own.claims,
            _ => &[],
        }
    }
}

/// What is asked of a paper.
///
/// # Errors
/// If it cannot be answered.
pub fn answer(paper: &Paper, request: &Request, host: &dyn Host) -> Result<Answered, Failure> {
    conclusions::check(paper)?;
    let paper = &match request.what {
        What::Conclusions => runs::between(paper, request)?,
        _ => paper.clone(),
    };
    let job = Job::new(paper, request, host);
    match (&request.what, &request.recorded) {
        (What::Claims { names, .. }, path) => job.claims(names, path.as_deref()),
        (_, None) if request.plane == Plane::Testbed => job.on_both_planes(),
        (What::Rows | What::Figures(_), Some(path)) => job.recorded(path),
        (What::Readings, Some(path)) => job.recorded_readings(path),
        (What::Conclusions, Some(path)) => job.recorded_conclusions(path),
        (What::Rows, None) => job.rows(),
        (What::Figures(ids), None) => job.figures(ids),
        (What::Readings, None) => job.readings(),
        (What::Conclusions, None) => job.conclusions(),
    }
}

/// The scenario of the only row that is asked for; else what several set in the base, or the base.
///
/// # Errors
/// If there is no such row.
pub fn scenario(paper: &Paper, request: &Request, host: &dyn Host) -> Result<String, Failure> {
    let job = Job::new(paper, request, host);
    let taken = paper.take(&readings::combined(request)?, &request.sets)?;
    let rows = paper.select(&request.selection)?;
    if request.selection.is_all() && taken.changes().is_empty() && !request.quick {
        return Ok(paper.scenario.to_string());
    }
    if let [row] = rows.as_slice() {
        return Ok(job.seeded(job.scenario(row, &taken, &[])?).to_toml());
    }
    let mut text = format!(
        "# What these rows of {} set in the base; one row alone, as in --case 7 --at 50,\n\
         # gives a whole scenario, and --print-scenario without rows gives the base\n",
        paper.about.key
    );
    for row in rows {
        let changes = paper.changes(&row, &taken, job.shorter(&row));
        text += &format!("\n# {}\n{}\n", row.id(), changes.join("\n"));
    }
    Ok(text)
}

/// A request about a paper.
struct Job<'a> {
    paper: &'a Paper,
    request: &'a Request,
    host: &'a dyn Host,
    /// Where its results are.
    folder: PathBuf,
    /// What runs its rows.
    plane: Plane,
    /// How often rows are run that are compared with recorded ones: as often as these.
    recorded: BTreeMap<String, u32>,
}

/// Rows under a reading, with what was measured in each.
#[derive(Default)]
struct Measured<'a> {
    rows: Vec<(Row<'a>, Summary)>,
    /// The folder of each within that of all.
    folders: Vec<(String, String)>,
}

impl Measured<'_> {
    fn extend(&mut self, more: Self) {
        self.rows.extend(more.rows);
        self.folders.extend(more.folders);
    }

    fn ids(&self) -> BTreeSet<String> {
        self.rows.iter().map(|(row, _)| row.id()).collect()
    }

    fn pairs(&self) -> Vec<(Row<'_>, Option<&Summary>)> {
        self.rows.iter().map(|(row, summary)| (*row, Some(summary))).collect()
    }
}

impl<'a> Job<'a> {
    fn new(paper: &'a Paper, request: &'a Request, host: &'a dyn Host) -> Self {
        let recorded = match request.as_recorded {
            true => verdicts::replicates(paper, request.quick),
            false => BTreeMap::new(),
        };
        let folder = request.folder.clone();
        Self { paper, request, host, folder, plane: Plane::Simulator, recorded }
    }

    fn rows(&self) -> Result<Answered, Failure> {
        let rows = self.paper.select(&self.request.selection)?;
        let taken = self.taken(&rows)?;
        self.say_assumptions(&taken);
        let (mut measured, outcome) = self.run(&[(&taken, rows)], &[], ROWS)?;
        let measured = measured.remove(0);
        let more = self.others(&taken, &measured);
        let mut answered = Answered::rows(&self.of_rows(&taken, &measured, &more));
        answered.files = self.files(&taken, &measured, &more);
        answered.others = more.ids();
        Ok(answered.ran(outcome, &[&measured]))
    }

    fn figures(&self, ids: &[String]) -> Result<Answered, Failure> {
        let figures = self.named(ids)?;
        let (sweeps, over_time): (Vec<&Figure>, Vec<&Figure>) =
            figures.iter().partition(|figure| figure.is_of_tables());
        let (swept, traced) = (self.rows_of(&sweeps), self.rows_of(&over_time));
        let taken = self.taken(&[swept.clone(), traced.clone()].concat())?;
        if !swept.is_empty() || !traced.is_empty() {
            self.say_assumptions(&taken);
        }
        let has_series = !traced.is_empty();
        // a sweep's rows are those of the tables, others are run with a trace
        let (mut measured, mut outcome) = self.run(&[(&taken, swept)], &[], ROWS)?;
        let mut measured = measured.remove(0);
        if outcome.ended.is_none() && has_series {
            let changes = &self.paper.about.trace.set;
            let (mut more, traced) = self.run(&[(&taken, traced)], changes, FIGURES)?;
            measured.extend(more.remove(0));
            outcome = traced;
        }
        let more = self.others(&taken, &measured);
        let mut answered = Answered::rows(&self.of_rows(&taken, &measured, &more));
        answered.pages.clear();
        for figure in figures {
            if let Some((found, range)) = figure.curves.as_deref().and_then(curves::named) {
                let name = format!("{FIGURES}/figure-{}.csv", figure.id);
                answered.files.push(File::Data(name, curves::csv(&found, range)));
            }
            let drawn = self.drawn(figure, &taken, &measured);
            answered.pages.push(page::figures::numbers(&drawn));
            answered.files.push(File::Data(drawn.file(), drawn.to_json()));
        }
        answered.others = more.ids();
        Ok(answered.ran(outcome, &[&measured]))
    }

    /// The figures with these numbers.
    fn named(&self, ids: &[String]) -> Result<Vec<&'a Figure>, Mistake> {
        let found = ids.iter().map(|id| self.paper.figures(id));
        Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// A figure with its rows.
    fn drawn(&self, figure: &Figure, taken: &Taken<'_>, measured: &Measured<'_>) -> DrawnFigure {
        let wanted = figure.row_ids();
        let own = |id: &str| wanted.iter().any(|row| row == id);
        let mut rows = measured.pairs();
        rows.retain(|(row, _)| own(&row.id()));
        let over_time = !figure.is_of_tables();
        let folders = measured.folders.iter().filter(|(id, _)| over_time && own(id));
        let folders = folders.cloned().collect();
        DrawnFigure::new(figure, folders, self.reproduction(taken, &rows, &[]))
    }

    /// Every row of these figures, once, in the order of the tables.
    fn rows_of(&self, figures: &[&Figure]) -> Vec<Row<'a>> {
        let wanted: BTreeSet<String> = figures.iter().flat_map(|f| f.row_ids()).collect();
        self.paper.rows().into_iter().filter(|row| wanted.contains(&row.id())).collect()
    }

    /// What `--quick` changes in a row.
    fn shorter(&self, row: &Row<'a>) -> &'a [String] {
        match (self.request.quick, self.request.plane) {
            (false, _) => &[],
            (true, Plane::Simulator) => self.paper.quick(row),
            (true, Plane::Testbed) => self.paper.quick_on_testbed(row),
        }
    }

    fn scenario(
        &self,
        row: &Row<'a>,
        taken: &Taken<'_>,
        more: &[String],
    ) -> Result<Scenario, Failure> {
        let changes = [self.shorter(row), more].concat();
        let mut scenario = self.paper.scenario(row, taken, &changes)?;
        scenario.replicates = self.recorded.get(&row.id()).copied().or(scenario.replicates);
        Ok(scenario)
    }

    /// With the seed and the replicates that are asked for.
    fn seeded(&self, mut scenario: Scenario) -> Scenario {
        scenario.seed = self.request.seed.or(scenario.seed);
        scenario.replicates = self.request.replicates.or(scenario.replicates);
        scenario
    }

    fn ready(&self, row: &Row<'a>, taken: &Taken<'_>, more: &[String]) -> Result<Ready, Failure> {
        let scenario = self.scenario(row, taken, more)?;
        // a first seed is that of several, which are set already
        let several = match &self.request.what {
            What::Conclusions => true,
            What::Claims { over, .. } => *over == Over::Conclusions,
            _ => false,
        };
        let scenario = if several { scenario } else { self.seeded(scenario) };
        Ok(Ready::of(name(row), &scenario, &self.host.build(self.plane))?)
    }

    /// Runs rows under readings, each scenario once however many ask for it.
    fn run(
        &self,
        wanted: &[(&Taken<'_>, Vec<Row<'a>>)],
        changes: &[String],
        folder: &str,
    ) -> Result<(Vec<Measured<'a>>, Outcome), Failure> {
        self.host.claim(&self.folder)?;
        let (name, folder) = (folder, self.folder.join(folder));
        let existing = if self.request.force { Existing::Replace } else { Existing::Resume };
        let format = self.request.format;
        // a folder of a paper has hundreds of rows: one lock for all of them
        let lock = Arc::new(Lock::take(&self.folder)?);
        let there = folders(&folder);
        let mut outdated = 0;
        let mut experiments: Vec<Experiment> = Vec::new();
        let mut places: BTreeMap<PathBuf, usize> = BTreeMap::new();
        let mut rows_of: Vec<Vec<(Row<'a>, usize)>> = Vec::new();
        let mut room = Vec::new();
        for (taken, rows) in wanted {
            let mut of = Vec::new();
            for row in rows {
                let ready = self.ready(row, taken, changes)?;
                self.host.check(&ready)?;
                let dir = folder.join(place(&ready));
                let index = match places.get(&dir) {
                    Some(&index) => index,
                    None => {
                        let needed = tusker_store::estimate(&ready.plan, ready.replicates, format);
                        outdated += usize::from(!dir.is_dir() && is_outdated(&ready, &there));
                        Store::check(&dir, existing)?;
                        experiments.push(Experiment { ready, store: None });
                        room.push(needed);
                        places.insert(dir, experiments.len() - 1);
                        experiments.len() - 1
                    }
                };
                of.push((*row, index));
            }
            rows_of.push(of);
        }
        // nothing of them is in the way: now they are made
        for (dir, &index) in &places {
            let Experiment { ready, store } = &mut experiments[index];
            let (own, needed) = (&ready.identity, room[index]);
            *store = Some(Store::within(&lock, dir, own, existing, format, needed)?);
        }
        if outdated > 0 {
            let (of, folder) = (experiments.len(), self.host.shown(&folder));
            let text = format!(
                "{outdated} of {of} rows were run by another build of tusker and are run again; \
                 what it gave stays in {folder}"
            );
            self.host.say(&text, true);
        }
        folders::note_combined(&self.folder, name, wanted.iter().map(|(taken, _)| *taken))?;
        let outcome = self.host.run(self.plane, &experiments)?;
        let names: BTreeMap<usize, String> =
            places.iter().map(|(dir, &index)| (index, last_part(dir))).collect();
        let measured = rows_of.into_iter().map(|rows| {
            let folder = |(row, index): &(Row<'_>, usize)| (row.id(), names[index].clone());
            let folders = rows.iter().map(folder).collect();
            let summary = |(row, index): (Row<'a>, usize)| (row, outcome.summaries[index].clone());
            Measured { folders, rows: rows.into_iter().map(summary).collect() }
        });
        Ok((measured.collect(), outcome))
    }

    /// All other rows that are in the folder under the same assumptions.
    fn others(&self, taken: &Taken<'_>, measured: &Measured<'_>) -> Measured<'a> {
        let folder = self.folder.join(ROWS);
        let (mut rows, there) = (Vec::new(), measured.ids());
        for row in self.paper.rows().into_iter().filter(|row| !there.contains(&row.id())) {
            // changes that were meant for others may not fit it
            let Ok(ready) = self.ready(&row, taken, &[]) else { continue };
            let dir = folder.join(place(&ready));
            if !dir.is_dir() {
                continue;
            }
            let view = View::new(&ready.plan);
            let mut finished = match tusker_store::replicates(&dir, &ready.identity, &view) {
                Ok(finished) => finished,
                // it was not asked for, but its claims stay open
                Err(error) => {
                    self.host.say(&format!("{} is left out: {error}", row.id()), true);
                    continue;
                }
            };
            finished.retain(|replicate| replicate.number <= ready.replicates);
            if !finished.is_empty() {
                let summary = Summary::of(&ready.name, &view, ready.replicates, &finished);
                rows.push((row, summary.on(self.plane.name())));
            }
        }
        Measured { rows, folders: Vec::new() }
    }

    fn of_rows(
        &self,
        taken: &Taken<'_>,
        measured: &Measured<'_>,
        more: &Measured<'_>,
    ) -> Reproduction {
        self.reproduction(taken, &measured.pairs(), &more.pairs())
    }

    fn reproduction(
        &self,
        taken: &Taken<'_>,
        rows: &[(Row<'_>, Option<&Summary>)],
        more: &[(Row<'_>, Option<&Summary>)],
    ) -> Reproduction {
        let quick = self.request.quick;
        let mut reproduction = Reproduction::of(self.paper, taken, rows, more, quick);
        reproduction.execution.command.clone_from(&self.request.command);
        reproduction
    }

    /// Everything that is known, as `reproduction.json` and as a page.
    fn files(&self, taken: &Taken<'_>, measured: &Measured<'_>, more: &Measured<'_>) -> Vec<File> {
        let mut rows = measured.pairs();
        rows.extend(more.pairs());
        let order: BTreeMap<String, usize> =
            self.paper.rows().iter().enumerate().map(|(i, row)| (row.id(), i)).collect();
        rows.sort_by_key(|(row, _)| order.get(&row.id()).copied());
        stored_as(&self.reproduction(taken, &rows, &[]))
    }

    fn say_assumptions(&self, taken: &Taken<'_>) {
        let about = &self.paper.about;
        let say = |text: &str| self.host.say(text, false);
        say(&about.title);
        say(&about.authors);
        say(&format!("{}; reading: {}", about.covers, taken.name()));
        if self.request.quick {
            let own = Some(&about.testbed.quick);
            let own = own.filter(|q| self.request.plane == Plane::Testbed && !q.is_empty());
            let changes = own.unwrap_or(&about.quick).join(", ");
            let some = self.paper.cases.cases.iter().any(|case| case.quick.is_some());
            let most = if some { " (most rows)" } else { "" };
            say(&format!(
                "quick: {changes}{most}; without --quick the runs have their full length"
            ));
        }
    }
}

/// Rows and claims as the files of a folder.
fn stored_as(reproduction: &Reproduction) -> Vec<File> {
    vec![
        File::Data(REPRODUCTION.to_owned(), reproduction.to_json()),
        File::Page(REPORT.to_owned(), Box::new(page::page(reproduction))),
    ]
}

/// What a row's experiment is called.
fn name(row: &Row<'_>) -> String {
    format!("case-{}-at-{}", row.case.id, row.variant.name)
}
