//! `tusker reproduce`: a paper's rows, figures and claims, compared with our results.
//!
//! Each row is an experiment in a folder of its own, which is named after the row and the
//! assumptions made in it. So any command that asks for the row under the same assumptions
//! finds it again, and rows under other assumptions are in folders beside it.

mod all;
mod claim;
mod cluster;
mod compared;
mod conclusions;
mod drawings;
mod figures;
mod messages;
mod names;
mod page;
mod readings;
mod recorded;
mod results;
mod row_folders;
mod scenario;
#[cfg(all(target_os = "linux", feature = "testbed"))]
mod testbed;
mod text;
mod verdict;
pub mod whole;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tusker_lab::{Experiment, Lab, Outcome, Ready, Watch};
use tusker_measure::summary::{Summary, View};
use tusker_papers::paper::Figure;
use tusker_papers::rows::{Row, Selection, Taken};
use tusker_papers::stored::FIGURES;
use tusker_papers::{Paper, Reproduction};
use tusker_plan::plane::Plane;
use tusker_scenario::Scenario;
use tusker_store::{Build, Existing, Lock, Store};

pub use self::claim::readings_of;
pub use self::results::pages;

use self::cluster::Shared;
use self::row_folders::{folders, is_outdated, last_part, place, tell_outdated};
use self::verdict::Failing;
use crate::args::{Format, HowArgs, ReproduceArgs};
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{print, say};
use crate::pages;
use crate::running::{command_line, execute_by, lab};
use crate::scenarios::{self, wrong};
use crate::tables;

/// Where results go unless said otherwise.
const RESULTS: &str = "results";

/// The folder of rows that are not drawn over time.
const ROWS: &str = "rows";

/// The page of figures, beside that of rows and claims.
const FIGURES_PAGE: &str = "figures.html";

pub fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    if let Some(path) = args.recorded.as_ref().filter(|_| args.claim.asked.is_empty()) {
        recorded::refuse_several(path)?;
    }
    if args.paper == all::ALL {
        return all::all(args);
    }
    let paper = Paper::find(&args.paper)?;
    tusker_papers::conclusions::check(&paper)?;
    if !args.claim.asked.is_empty() {
        return claim::answer(&paper, args);
    }
    if args.list_readings {
        return print(&text::readings(&paper));
    }
    if args.claim.list {
        return print(&claim::list(&paper));
    }
    let mut verdict = Failing::asked(args, &[&paper])?;
    if let Some(path) = &args.recorded {
        if let Some(out) = &args.out {
            results::may(out)?;
        }
        if args.compare_readings {
            return readings::shown_again(&paper, path, args);
        }
        if args.conclusions {
            return recorded::conclusions(&paper, path, args);
        }
        let recorded = recorded::read(&paper, path, args)?;
        show(&recorded.reproduction, &args.how)?;
        if let Some(out) = &args.out {
            recorded::save(&recorded.reproduction, out, args.how.quiet)?;
        }
        verdict.add(&paper, &recorded.reproduction, recorded.known)?;
        return verdict.end();
    }
    let shared = Shared::of(args, || Path::new(RESULTS).join(&paper.about.key))?;
    let job = Job::new(&paper, args, &shared, shared.dir().to_owned());
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    if on_testbed(args) {
        return testbed::rows(&job, verdict);
    }
    if args.print_scenario {
        return job.print_scenario();
    }
    if args.conclusions {
        return Job { paper: &conclusions::between(&paper, args)?, ..job }.conclusions();
    }
    if args.compare_readings {
        return job.compare_readings();
    }
    if !args.figures.is_empty() {
        return job.figures(verdict);
    }
    job.rows(verdict)
}

/// Whether rows are to be run on real sockets, too.
fn on_testbed(args: &ReproduceArgs) -> bool {
    #[cfg(all(target_os = "linux", feature = "testbed"))]
    return args.on.plane == crate::args::Plane::Testbed;
    #[cfg(not(all(target_os = "linux", feature = "testbed")))]
    {
        let _ = args;
        false
    }
}

/// Prints rows and claims in the format that was asked for.
fn show(reproduction: &Reproduction, how: &HowArgs) -> Result<(), Failure> {
    match how.format {
        Format::Table => pages::print(&page::page(reproduction), how.quiet),
        Format::Json => print(&reproduction.to_json()),
        Format::Csv => print(&reproduction.to_csv()),
    }
}

/// Which rows are meant.
fn selection(args: &ReproduceArgs) -> Selection {
    Selection { tables: args.tables.clone(), cases: args.cases.clone(), at: args.at.clone() }
}

/// What was asked for.
struct Job<'a> {
    paper: &'a Paper,
    args: &'a ReproduceArgs,
    /// Where its results are.
    folder: PathBuf,
    /// What runs its rows.
    plane: Plane,
    /// Where that is for others, and who runs them in place of this process.
    shared: &'a Shared,
    /// Who looks on in place of the terminal.
    watch: Option<&'a dyn Watch>,
    /// The build whose stored rows are read, if it is not this one.
    of_build: Option<Build>,
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

    fn ids(&self) -> impl Iterator<Item = String> {
        self.rows.iter().map(|(row, _)| row.id())
    }

    fn pairs(&self) -> Vec<(Row<'_>, Option<&Summary>)> {
        self.rows.iter().map(|(row, summary)| (*row, Some(summary))).collect()
    }
}

impl<'a> Job<'a> {
    /// Of a paper, told on the terminal.
    fn new(paper: &'a Paper, args: &'a ReproduceArgs, shared: &'a Shared, folder: PathBuf) -> Self {
        let recorded = match verdict::needs_record(args) {
            true => tusker_papers::verdicts::replicates(paper, args.quick),
            false => BTreeMap::new(),
        };
        Self {
            paper,
            args,
            folder,
            plane: Plane::Simulator,
            shared,
            watch: None,
            of_build: None,
            recorded,
        }
    }

    /// All rows, stored and set beside the paper, without a word on stdout.
    fn whole(&self) -> Result<(Reproduction, Outcome), Failure> {
        let taken = Taken::with(&self.args.sets);
        self.tell_assumptions(&taken);
        let (mut measured, outcome) = self.run(&[(&taken, self.paper.rows())], &[], ROWS)?;
        let measured = measured.remove(0);
        let none = Measured::default();
        self.save_all(&taken, &measured, &none)?;
        if outcome.ended.is_none() {
            self.shared.push(&self.folder, &|| self.stopped())?;
        }
        Ok((self.beside(&taken, &measured, &none), outcome))
    }

    fn rows(&self, mut verdict: Failing<'_>) -> Result<(), Failure> {
        let rows = self.paper.select(&self.selection())?;
        let taken = self.taken(&rows)?;
        self.tell_assumptions(&taken);
        let (mut measured, outcome) = self.run(&[(&taken, rows)], &[], ROWS)?;
        let measured = measured.remove(0);
        let more = self.known(&taken, &measured);
        let reproduction = self.beside(&taken, &measured, &more);
        // a page has it among its notes
        if self.args.how.format != Format::Table
            && let Some(note) = reproduction.phase_note()
        {
            self.say(&format!("note: {note}"));
        }
        let printed = show(&reproduction, &self.args.how);
        self.save_all(&taken, &measured, &more)?;
        self.finish(outcome, &[&measured])?;
        verdict.add(self.paper, &reproduction, more.ids())?;
        printed.and(verdict.end())
    }

    fn figures(&self, mut verdict: Failing<'_>) -> Result<(), Failure> {
        let ids = self.args.figures.iter();
        let figures: Vec<Vec<&Figure>> =
            ids.map(|id| self.paper.figures(id)).collect::<Result<_, _>>()?;
        let figures = figures.concat();
        let (sweeps, over_time): (Vec<&Figure>, Vec<&Figure>) =
            figures.iter().partition(|figure| figure.is_of_tables());
        let (swept, traced) = (self.rows_of(&sweeps), self.rows_of(&over_time));
        let taken = self.taken(&[swept.clone(), traced.clone()].concat())?;
        if !swept.is_empty() || !traced.is_empty() {
            self.tell_assumptions(&taken);
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
        let more = self.known(&taken, &measured);
        let reproduction = self.beside(&taken, &measured, &more);
        let mut written = Vec::new();
        for figure in &figures {
            written.extend(figures::write_curves(figure, &self.folder)?);
            self.save_figure(figure, &taken, &measured)?;
        }
        print(&match self.args.how.format {
            Format::Table => {
                let texts: Vec<String> =
                    figures.iter().map(|figure| figures::text(figure, &reproduction)).collect();
                let heading = match measured.rows.is_empty() {
                    true => String::new(),
                    false => {
                        let shown = |name: &str| {
                            figures.iter().any(|f| f.show.iter().any(|own| own == name))
                        };
                        text::heading(&reproduction, &shown) + "\n"
                    }
                };
                heading + &texts.join("\n")
            }
            Format::Json => reproduction.to_json(),
            Format::Csv => reproduction.to_csv(),
        })?;
        if !self.stopped() {
            written.extend(self.write_figures_page()?);
        }
        if !self.args.how.quiet {
            for path in written {
                say(&format!("written: {}", self.shared.shown(&path)));
            }
            if has_series {
                let folder = self.shared.shown(&self.folder.join(FIGURES));
                say(&format!("series over time: {folder}/*/replicates/*/series.*"));
            }
        }
        self.finish(outcome, &[&measured])?;
        verdict.add(self.paper, &reproduction, more.ids())?;
        verdict.end()
    }

    /// Every row of these figures, once, in the order of the tables.
    fn rows_of(&self, figures: &[&Figure]) -> Vec<Row<'a>> {
        let wanted: BTreeSet<String> = figures.iter().flat_map(|f| f.row_ids()).collect();
        self.paper.rows().into_iter().filter(|row| wanted.contains(&row.id())).collect()
    }

    fn selection(&self) -> Selection {
        selection(self.args)
    }

    fn scenario(
        &self,
        row: &Row<'_>,
        taken: &Taken<'_>,
        more: &[String],
    ) -> Result<Scenario, Failure> {
        let mut changes = Vec::new();
        if self.args.quick {
            changes.extend_from_slice(match on_testbed(self.args) {
                true => self.paper.quick_on_testbed(row),
                false => self.paper.quick(row),
            });
        }
        changes.extend_from_slice(more);
        let mut scenario = self.paper.scenario(row, taken, &changes).map_err(wrong)?;
        scenario.replicates = self.recorded.get(&row.id()).copied().or(scenario.replicates);
        Ok(scenario)
    }

    fn ready(&self, row: &Row<'_>, taken: &Taken<'_>, more: &[String]) -> Result<Ready, Failure> {
        let scenario = self.scenario(row, taken, more)?;
        let name = format!("case-{}-at-{}", row.case.id, row.variant.name);
        if self.args.conclusions {
            // --seed is the first of several, which are set already
            return Ok(Ready::of(name, &scenario, &scenarios::build(self.plane))?);
        }
        scenarios::ready_on(self.plane, name, scenario, &self.args.how)
    }

    /// Runs what is not there yet.
    fn execute(&self, experiments: &[Experiment]) -> Result<Outcome, Failure> {
        #[cfg(all(target_os = "linux", feature = "testbed"))]
        if self.plane == Plane::Testbed {
            return testbed::execute(experiments, &self.args.how);
        }
        match self.watch {
            None => execute_by(self.lab(), experiments, &self.args.how),
            Some(watch) => Ok(self.lab().run(experiments, watch)?),
        }
    }

    fn lab(&self) -> Lab<'_> {
        // rows are compared by their measures: no page shows replicates of several over time
        Lab { elsewhere: self.shared.elsewhere(), bands: false, ..lab(&self.args.how) }
    }

    fn stopped(&self) -> bool {
        self.watch.map_or_else(interrupt::stopped, Watch::stopped)
    }

    /// Runs rows under readings, each scenario once however many ask for it.
    fn run<'r>(
        &self,
        wanted: &[(&Taken<'_>, Vec<Row<'r>>)],
        changes: &[String],
        folder: &str,
    ) -> Result<(Vec<Measured<'r>>, Outcome), Failure> {
        self.claim()?;
        let (name, folder) = (folder, self.folder.join(folder));
        let existing = if self.args.force { Existing::Replace } else { Existing::Resume };
        let format = tables::format(self.args.tables_format)?;
        // a folder of a paper has hundreds of rows: one lock for all of them
        let lock = Arc::new(Lock::take(&self.folder)?);
        let there = folders(&folder);
        let mut outdated = 0;
        let mut experiments: Vec<Experiment> = Vec::new();
        let mut places: BTreeMap<PathBuf, usize> = BTreeMap::new();
        let mut asked: Vec<Vec<(Row<'r>, usize)>> = Vec::new();
        let mut room = Vec::new();
        for (taken, rows) in wanted {
            let mut of = Vec::new();
            for row in rows {
                let ready = self.ready(row, taken, changes)?;
                self.lab().check(&ready)?;
                let dir = folder.join(place(&ready));
                let index = match places.get(&dir) {
                    Some(&index) => index,
                    None => {
                        let needed = tusker_store::estimate(&ready.plan, ready.replicates, format);
                        if !dir.is_dir() && is_outdated(&ready, &there) {
                            outdated += 1;
                        }
                        Store::check(&dir, existing)?;
                        experiments.push(Experiment { ready, store: None });
                        room.push(needed);
                        places.insert(dir, experiments.len() - 1);
                        experiments.len() - 1
                    }
                };
                of.push((*row, index));
            }
            asked.push(of);
        }
        // nothing of them is in the way: now they are made
        for (dir, &index) in &places {
            let Experiment { ready, store } = &mut experiments[index];
            let (own, needed) = (&ready.identity, room[index]);
            *store = Some(Store::within(&lock, dir, own, existing, format, needed)?);
        }
        if self.watch.is_none() {
            tell_outdated(outdated, experiments.len(), &self.shared.shown(&folder));
        }
        row_folders::note_combined(&self.folder, name, wanted.iter().map(|(taken, _)| *taken))?;
        let outcome = self.execute(&experiments)?;
        let names: BTreeMap<usize, String> =
            places.iter().map(|(dir, &index)| (index, last_part(dir))).collect();
        let measured = asked.into_iter().map(|rows| {
            let folder = |(row, index): &(Row<'_>, usize)| (row.id(), names[index].clone());
            let folders = rows.iter().map(folder).collect();
            let summary = |(row, index): (Row<'r>, usize)| (row, outcome.summaries[index].clone());
            Measured { folders, rows: rows.into_iter().map(summary).collect() }
        });
        Ok((measured.collect(), outcome))
    }

    /// All other rows that are in the folder under the same assumptions.
    fn known(&self, taken: &Taken<'_>, measured: &Measured<'_>) -> Measured<'a> {
        let folder = self.folder.join(ROWS);
        let mut rows = Vec::new();
        for row in self.paper.rows() {
            if measured.rows.iter().any(|(known, _)| known.id() == row.id()) {
                continue;
            }
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
                    self.say(&format!("{} is left out: {error}", row.id()));
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

    fn beside(
        &self,
        taken: &Taken<'_>,
        measured: &Measured<'_>,
        more: &Measured<'_>,
    ) -> Reproduction {
        let (rows, more) = (measured.pairs(), more.pairs());
        self.reproduction(taken, &rows, &more)
    }

    fn reproduction(
        &self,
        taken: &Taken<'_>,
        rows: &[(Row<'_>, Option<&Summary>)],
        more: &[(Row<'_>, Option<&Summary>)],
    ) -> Reproduction {
        let mut reproduction = Reproduction::of(self.paper, taken, rows, more, self.args.quick);
        reproduction.execution.command = command_line();
        reproduction
    }
}
