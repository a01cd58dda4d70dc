//! `--conclusions`: the rows that a paper's conclusions need, with every seed and
//! under every reading that `conclusions.toml` names.
//!
//! A folder of results may have more runs: each replicate of a row counts as the run with its
//! seed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tusker_lab::Ready;
use tusker_measure::summary::{Summary, View};
use tusker_papers::claims::Verdict;
use tusker_papers::conclusions::{ConclusionResult, Run, Runs};
use tusker_papers::recorded::Measured as Recorded;
use tusker_papers::reproduction::QUICK_LOOK;
use tusker_papers::rows::{BASE, Row, Taken};
use tusker_papers::{Paper, Reproduction, conclusions};
use tusker_plan::plane::Plane;
use tusker_report::Page;
use tusker_report::page::{Meaning, Span, Table};
use tusker_scenario::Scenario;
use tusker_store::Build;
use tusker_store::files;

use super::row_folders::{folders, place};
use super::{Job, Measured, ROWS, readings, row_folders, selection, text};
use crate::args::{Format, ReproduceArgs};
use crate::failure::Failure;
use crate::output::print;
use crate::pages;
use crate::scenarios;

/// The paper with only the comparisons between the rows that were asked for, and the
/// conclusions that these are of.
pub(super) fn between(paper: &Paper, args: &ReproduceArgs) -> Result<Paper, Failure> {
    let rows = paper.select(&selection(args))?;
    if rows.len() == paper.rows().len() {
        return Ok(paper.clone());
    }
    let between = paper.between(&rows.iter().map(Row::id).collect());
    if between.conclusions.conclusions.is_empty() && !paper.conclusions.conclusions.is_empty() {
        let message = "--conclusions: none compares these rows with each other";
        return Err(Failure::input(message, "choose more rows with --table, --case or --at"));
    }
    Ok(between)
}

impl<'a> Job<'a> {
    /// Runs what the conclusions of [`between`] need.
    pub(super) fn conclusions(&self) -> Result<(), Failure> {
        let wanted = &self.paper.conclusions;
        if wanted.conclusions.is_empty() {
            let key = &self.paper.about.key;
            return Err(Failure::input(
                format!("--conclusions: {key} has no conclusions.toml"),
                "papers/ghstcp in the source code has one; its first lines describe the format",
            ));
        }
        let seed = self.args.how.seed.map_or_else(|| self.paper.seed(), Ok);
        let seed = seed.map_err(scenarios::wrong)?;
        let mut asked: Vec<(String, u64, Taken<'_>)> = Vec::new();
        for own in std::iter::once(seed).chain(wanted.seeds.iter().copied()) {
            let mut sets = self.args.sets.clone();
            sets.push(format!("seed={own}"));
            asked.push((BASE.to_owned(), own, self.paper.take(&[], &sets)?));
        }
        let rows = self.paper.rows_of_conclusions();
        let mut sets = self.args.sets.clone();
        sets.extend(self.args.how.seed.map(|own| format!("seed={own}")));
        for name in self.not_replaced(&rows, wanted.readings.clone()) {
            let taken = self.paper.take(std::slice::from_ref(&name), &sets)?;
            asked.push((name, seed, taken));
        }
        let all: Vec<_> = asked.iter().map(|(_, _, taken)| (taken, rows.clone())).collect();
        let (measured, outcome) = self.run(&all, &[], ROWS)?;
        let run =
            |((reading, seed, taken), measured): (&(String, u64, Taken<'_>), &Measured<'_>)| {
                let beside = self.beside(taken, measured, &Measured::default());
                Run { reading: reading.clone(), seed: *seed, rows: measured_in(beside) }
            };
        let runs = Runs(asked.iter().zip(&measured).map(run).collect());
        let results = conclusions::judge_on(self.paper, &runs, &|_| Verdict::Open);
        show(self.paper, self.args, &results, &runs)?;
        self.finish(outcome, &measured.iter().collect::<Vec<_>>())
    }

    /// The base and every reading, with every first seed with which one of these rows was run.
    pub(super) fn stored(&self, rows: &[Row<'_>]) -> Result<Vec<(String, Taken<'a>)>, Failure> {
        let folder = self.folder.join(ROWS);
        let own: Vec<String> = rows.iter().map(|row| name(row) + "-").collect();
        let mut there = folders(&folder);
        there.retain(|dir| own.iter().any(|name| dir.starts_with(name)));
        let seeds: BTreeSet<u64> =
            there.iter().filter_map(|dir| first_seed(&folder.join(dir))).collect();
        let mut asked: Vec<(String, Taken<'a>)> = Vec::new();
        for seed in seeds {
            let sets = [format!("seed={seed}")];
            asked.push((BASE.to_owned(), Taken::with(&sets)));
            asked.extend(readings_with(self.paper, &sets)?);
            for name in row_folders::combined(&self.folder, ROWS)? {
                // an older version of the paper may have had others
                let taken = self.paper.take(&readings::parts(&name), &sets);
                asked.extend(taken.ok().map(|taken| (name, taken)));
            }
        }
        Ok(asked)
    }

    /// The runs that the folder has of these rows, by this build or [`Job::of_build`], with any
    /// seed.
    pub(super) fn read_runs(
        &self,
        rows: &[Row<'_>],
        asked: &[(String, Taken<'_>)],
    ) -> Result<Runs, Failure> {
        let folder = self.folder.join(ROWS);
        let mut runs = Runs::default();
        for (reading, taken) in asked {
            let mut by_seed: BTreeMap<u64, Vec<(Row<'_>, Summary)>> = BTreeMap::new();
            for row in rows {
                // what a reading changes may not fit this row
                let Ok(ready) = self.alone(row, taken) else { continue };
                let dir = folder.join(place(&ready));
                if !dir.is_dir() {
                    continue;
                }
                let view = View::new(&ready.plan);
                for replicate in tusker_store::replicates(&dir, &ready.identity, &view)? {
                    let one = Summary::of(&ready.name, &view, 1, std::slice::from_ref(&replicate));
                    by_seed.entry(replicate.seed).or_default().push((*row, one));
                }
            }
            for (seed, rows) in by_seed {
                let rows: Vec<_> = rows.iter().map(|(row, own)| (*row, Some(own))).collect();
                runs.add(reading, seed, measured_in(self.reproduction(taken, &rows, &[])));
            }
        }
        Ok(runs)
    }

    /// A row by itself, whatever seed and replicates the command asks for.
    pub(super) fn alone(&self, row: &Row<'_>, taken: &Taken<'_>) -> Result<Ready, Failure> {
        let scenario = self.scenario(row, taken, &[])?;
        let build = self.of_build.clone().unwrap_or_else(|| scenarios::build(self.plane));
        Ok(Ready::of(name(row), &scenario, &build)?)
    }

    /// Of the other builds whose rows are in the folder, the one that ran most of these.
    pub(super) fn stored_build(&self, rows: &[Row<'_>]) -> Option<Build> {
        let folder = self.folder.join(ROWS);
        let own: Vec<String> = rows.iter().map(|row| name(row) + "-").collect();
        let mut found: BTreeMap<String, (usize, Build)> = BTreeMap::new();
        let there = folders(&folder);
        for dir in there.iter().filter(|dir| own.iter().any(|name| dir.starts_with(name))) {
            let Some(build) = build_of(&folder.join(dir), self.plane) else { continue };
            if build == scenarios::build(self.plane) {
                continue;
            }
            found.entry(build.hash.clone()).or_insert((0, build)).0 += 1;
        }
        found.into_values().max_by_key(|(count, _)| *count).map(|(_, build)| build)
    }
}

/// What a row's experiment is called.
fn name(row: &Row<'_>) -> String {
    format!("case-{}-at-{}", row.case.id, row.variant.name)
}

/// The first seed with which a row was run that is in a folder.
fn first_seed(dir: &Path) -> Option<u64> {
    let text = files::read(&dir.join("scenario.toml")).ok()?;
    Scenario::parse("scenario.toml", std::str::from_utf8(&text).ok()?, &[]).ok()?.seed
}

/// What ran the row in a folder.
fn build_of(dir: &Path, plane: Plane) -> Option<Build> {
    let text = files::read(&dir.join("manifest.json")).ok()?;
    let manifest: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let text = |key: &str| Some(manifest[key].as_str()?.to_owned());
    Some(Build { version: text("tusker")?, hash: text("build")?, plane })
}

/// Every reading of a paper, and every seed that its conclusions ask for.
pub(super) fn possible<'a>(
    paper: &'a Paper,
    sets: &[String],
) -> Result<Vec<(String, Taken<'a>)>, Failure> {
    let mut asked: Vec<(String, Taken<'a>)> = vec![(BASE.to_owned(), Taken::with(sets))];
    for seed in &paper.conclusions.seeds {
        let sets = [sets, &[format!("seed={seed}")]].concat();
        asked.push((BASE.to_owned(), Taken::with(&sets)));
    }
    asked.extend(readings_with(paper, sets)?);
    Ok(asked)
}

/// Every reading, with these settings. One that only sets the seed is a seed of the base.
fn readings_with<'a>(
    paper: &'a Paper,
    sets: &[String],
) -> Result<Vec<(String, Taken<'a>)>, Failure> {
    let mut asked = Vec::new();
    for reading in &paper.readings {
        let name = std::slice::from_ref(&reading.name);
        if !paper.take(name, &[])?.changes().iter().all(|change| change.starts_with("seed=")) {
            asked.push((reading.name.clone(), paper.take(name, sets)?));
        }
    }
    Ok(asked)
}

/// What was measured in each row.
fn measured_in(reproduction: Reproduction) -> BTreeMap<String, Recorded> {
    let own = reproduction.rows.into_iter().map(|row| {
        let values = row.values.into_iter();
        let values = values.filter_map(|(name, cell)| Some((name, cell.ours?))).collect();
        let (replicates, window) = (row.replicates, row.window);
        let in_step = (replicates > 0).then_some(row.in_step.is_some());
        (row.id, Recorded { replicates, window, values, in_step, ..Recorded::default() })
    });
    own.collect()
}

/// Prints conclusions in the format that was asked for; `runs` is what judged them.
pub(super) fn show(
    paper: &Paper,
    args: &ReproduceArgs,
    all: &[ConclusionResult],
    runs: &Runs,
) -> Result<(), Failure> {
    match args.how.format {
        Format::Table => pages::print(&page(paper, args, all), args.how.quiet),
        Format::Json => print(&conclusions::to_json(all)),
        Format::Csv => print(&runs.to_csv(paper)),
    }
}

fn page(paper: &Paper, args: &ReproduceArgs, all: &[ConclusionResult]) -> Page {
    let mut page = Page {
        title: format!("Conclusions of {}", paper.about.title),
        table: Some(table(&all.iter().collect::<Vec<_>>())),
        ..Page::default()
    };
    let shorter = |row: &Row<'_>| !paper.quick(row).is_empty();
    if args.quick && paper.rows_of_conclusions().iter().any(shorter) {
        page.doubt(QUICK_LOOK);
    }
    if [&args.tables, &args.cases, &args.at].iter().any(|names| !names.is_empty()) {
        page.note(text::BETWEEN);
    }
    page.note("the verdict is that of the base; --claim ID shows every comparison");
    page
}

/// Each with its verdict, and how robust that is.
pub(super) fn table(all: &[&ConclusionResult]) -> Table {
    let head = [
        "conclusion",
        "verdict",
        "hold in all runs",
        "readings",
        "most fail under",
        "reversed by",
        "id",
    ];
    let mut table = Table::new("Conclusions, judged by the recorded results", head);
    table.words = true;
    for one in all {
        let robust = &one.robust;
        let worst = robust.worst.as_ref();
        let worst =
            worst.map_or(String::new(), |w| format!("{} ({} of {} hold)", w.reading, w.held, w.of));
        let reversed = one.reversed_by.iter();
        let reversed = reversed.map(|own| format!("{} ({})", own.reading, own.comparisons.len()));
        let cells = [
            Span::from(one.says.clone()),
            Span::new(one.verdict.text(), Meaning::from(one.verdict)),
            Span::from(format!("{} of {}", robust.held, robust.of)),
            Span::from(format!("{} of {}", robust.readings, robust.readings + one.untried.len())),
            Span::from(worst),
            Span::from(reversed.collect::<Vec<_>>().join(", ")),
            Span::from(one.id.clone()),
        ];
        table.row(None, cells);
    }
    table
}
