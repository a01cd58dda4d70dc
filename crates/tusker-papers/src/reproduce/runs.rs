//! `--conclusions`: the rows that a paper's conclusions need, with every seed and
//! under every reading that `conclusions.toml` names.
//!
//! A folder of results may have more runs: each replicate of a row counts as the run with its
//! seed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tusker_lab::Ready;
use tusker_measure::summary::{Summary, View};
use tusker_scenario::Scenario;
use tusker_store::files;

use super::folders::{self, folders, place};
use super::{Answered, Failure, Job, Measured, ROWS, Request, Value, name, readings};
use crate::conclusions::{self, ConclusionResult, Run, Runs};
use crate::page;
use crate::paper::Paper;
use crate::rows::{BASE, Row, Taken};

/// The paper with only the comparisons between the rows that were asked for, and the
/// conclusions that these are of.
pub(super) fn between(paper: &Paper, request: &Request) -> Result<Paper, Failure> {
    let rows = paper.select(&request.selection)?;
    if rows.len() == paper.rows().len() {
        return Ok(paper.clone());
    }
    let between = paper.between(&rows.iter().map(Row::id).collect());
    if between.conclusions.conclusions.is_empty() && !paper.conclusions.conclusions.is_empty() {
        let message = "none compares these rows with each other";
        let help = "choose more rows with --table, --case or --at";
        return Err(Failure::mistake("--conclusions", message, help));
    }
    Ok(between)
}

impl<'a> Job<'a> {
    /// Runs what the conclusions of [`between`] need.
    pub(super) fn conclusions(&self) -> Result<Answered, Failure> {
        let wanted = &self.paper.conclusions;
        if wanted.conclusions.is_empty() {
            let key = &self.paper.about.key;
            let message = format!("{key} has no conclusions.toml");
            let help =
                "papers/ghstcp in the source code has one; its first lines describe the format";
            return Err(Failure::mistake("--conclusions", message, help));
        }
        let seed = self.first_seed()?;
        let rows = self.paper.rows_of_conclusions();
        let mut assumptions = self.seeds(seed)?;
        let mut sets = self.request.sets.clone();
        sets.extend(self.request.seed.map(|own| format!("seed={own}")));
        for name in self.not_replaced(&rows, wanted.readings.clone()) {
            let taken = self.paper.take(std::slice::from_ref(&name), &sets)?;
            assumptions.push((name, seed, taken));
        }
        let all: Vec<_> = assumptions.iter().map(|(_, _, taken)| (taken, rows.clone())).collect();
        let (measured, outcome) = self.run(&all, &[], ROWS)?;
        let run =
            |((reading, seed, taken), measured): (&(String, u64, Taken<'_>), &Measured<'_>)| {
                let own = self.of_rows(taken, measured, &Measured::default());
                Run { reading: reading.clone(), seed: *seed, rows: own.measured(true) }
            };
        let runs = Runs(assumptions.iter().zip(&measured).map(run).collect());
        let results = conclusions::judge(self.paper, &runs);
        let answered = self.concluded(results, &runs);
        Ok(answered.ran(outcome, &measured.iter().collect::<Vec<_>>()))
    }

    /// Conclusions that were judged on runs.
    pub(super) fn concluded(&self, all: Vec<ConclusionResult>, runs: &Runs) -> Answered {
        let Request { selection, quick, .. } = self.request;
        let page = page::conclusions::page(self.paper, &all, *quick, !selection.is_all());
        Answered::new(Value::Conclusions(all), runs.to_csv(self.paper), page)
    }

    /// The first seed that is asked for, or that of the paper's scenario.
    pub(super) fn first_seed(&self) -> Result<u64, Failure> {
        Ok(self.request.seed.map_or_else(|| self.paper.seed(), Ok)?)
    }

    /// The base with this seed, and with those of conclusions.toml.
    pub(super) fn seeds(&self, first: u64) -> Result<Vec<(String, u64, Taken<'a>)>, Failure> {
        let seeds = std::iter::once(first).chain(self.paper.conclusions.seeds.iter().copied());
        let taken = |own| {
            let sets = [self.request.sets.clone(), vec![format!("seed={own}")]].concat();
            Ok((BASE.to_owned(), own, self.paper.take(&[], &sets)?))
        };
        seeds.map(taken).collect()
    }

    /// The base and every reading, with every first seed with which one of these rows was run.
    pub(super) fn stored(&self, rows: &[Row<'a>]) -> Result<Vec<(String, Taken<'a>)>, Failure> {
        let folder = self.folder.join(ROWS);
        let own: Vec<String> = rows.iter().map(|row| name(row) + "-").collect();
        let mut there = folders(&folder);
        there.retain(|dir| own.iter().any(|name| dir.starts_with(name)));
        let seeds: BTreeSet<u64> =
            there.iter().filter_map(|dir| first_seed(&folder.join(dir))).collect();
        let mut assumptions: Vec<(String, Taken<'a>)> = Vec::new();
        for seed in seeds {
            let sets = [format!("seed={seed}")];
            assumptions.push((BASE.to_owned(), Taken::with(&sets)));
            assumptions.extend(readings_with(self.paper, &sets)?);
            for name in folders::combined(&self.folder, ROWS)? {
                // an older version of the paper may have had others
                let taken = self.paper.take(&readings::parts(&name), &sets);
                assumptions.extend(taken.ok().map(|taken| (name, taken)));
            }
        }
        Ok(assumptions)
    }

    /// The runs that the folder has of these rows, by this build, with any seed.
    pub(super) fn read_runs(
        &self,
        rows: &[Row<'a>],
        assumptions: &[(String, Taken<'_>)],
    ) -> Result<Runs, Failure> {
        let folder = self.folder.join(ROWS);
        let mut runs = Runs::default();
        for (reading, taken) in assumptions {
            let mut by_seed: BTreeMap<u64, Vec<(Row<'a>, Summary)>> = BTreeMap::new();
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
                runs.add(reading, seed, self.reproduction(taken, &rows, &[]).measured(true));
            }
        }
        Ok(runs)
    }

    /// A row by itself, whatever seed and replicates the command asks for.
    pub(super) fn alone(&self, row: &Row<'a>, taken: &Taken<'_>) -> Result<Ready, Failure> {
        let scenario = self.scenario(row, taken, &[])?;
        Ok(Ready::of(name(row), &scenario, &self.host.build(self.plane))?)
    }
}

/// The first seed with which a row was run that is in a folder.
fn first_seed(dir: &Path) -> Option<u64> {
    let text = files::read(&dir.join("scenario.toml")).ok()?;
    Scenario::parse("scenario.toml", std::str::from_utf8(&text).ok()?, &[]).ok()?.seed
}

/// Every reading of a paper, and every seed that its conclusions ask for.
pub(super) fn possible<'a>(
    paper: &'a Paper,
    sets: &[String],
) -> Result<Vec<(String, Taken<'a>)>, Failure> {
    let mut assumptions: Vec<(String, Taken<'a>)> = vec![(BASE.to_owned(), Taken::with(sets))];
    for seed in &paper.conclusions.seeds {
        let sets = [sets, &[format!("seed={seed}")]].concat();
        assumptions.push((BASE.to_owned(), Taken::with(&sets)));
    }
    assumptions.extend(readings_with(paper, sets)?);
    Ok(assumptions)
}

/// Every reading, with these settings. One that only sets the seed is a seed of the base.
fn readings_with<'a>(
    paper: &'a Paper,
    sets: &[String],
) -> Result<Vec<(String, Taken<'a>)>, Failure> {
    let mut assumptions = Vec::new();
    for reading in &paper.readings {
        let name = std::slice::from_ref(&reading.name);
        if !paper.take(name, &[])?.changes().iter().all(|change| change.starts_with("seed=")) {
            assumptions.push((reading.name.clone(), paper.take(name, sets)?));
        }
    }
    Ok(assumptions)
}
