//! `--recorded`: rows of earlier commands, judged again without a run.
//!
//! ```text
//!  PATH is a file                   what --format csv printed, some rows or all
//!  PATH/reproduction.json           a folder of results (--out)
//!  PATH/KEY/reproduction.json       a folder of several of them
//!  PATH/full.csv, PATH/KEY/full.csv a paper's folder, or papers/; quick.csv with --quick
//!  papers                           without such a folder here: what comes with the program
//! ```

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tusker_store::files;

use super::{Answered, Failure, Job, ROWS, readings, stored_as};
use crate::conclusions::{self, Run, Runs};
use crate::recorded::{self, RunWith};
use crate::reproduction::Reproduction;
use crate::rows::{BASE, Row, Taken};
use crate::stored::{self, REPRODUCTION};

/// What helps if a file has the rows of several commands.
const ONE_EACH: &str = "give a file for each of them, as --format csv printed it";

/// `--recorded PATH`.
fn flag(path: &Path) -> String {
    format!("--recorded {}", path.display())
}

/// Whether what comes with the program is meant.
fn comes_along(path: &Path) -> bool {
    path == Path::new("papers") && !path.exists()
}

impl<'a> Job<'a> {
    /// The rows that were asked for, of what `path` has; claims are judged on all of it.
    pub(super) fn recorded(&self, path: &Path) -> Result<Answered, Failure> {
        let (reproduction, others) = self.read(path)?;
        let mut answered = Answered::rows(&reproduction);
        answered.files = stored_as(&reproduction);
        answered.others = others;
        Ok(answered)
    }

    /// Rows that were asked for, and the names of all that are known.
    fn read(&self, path: &Path) -> Result<(Reproduction, BTreeSet<String>), Failure> {
        let wanted: BTreeSet<String> =
            self.paper.select(&self.request.selection)?.iter().map(Row::id).collect();
        let mut all = match (self.request.readings.as_slice(), self.request.seed) {
            ([], None) => self.all(path)?,
            (_, None) => self.under_reading(path)?,
            (_, Some(seed)) => self.with_seed(path, seed)?,
        };
        all.execution.command.clone_from(&self.request.command);
        let run = all.rows.iter().filter(|row| row.replicates > 0);
        let run: BTreeSet<String> = run.map(|row| row.id.clone()).collect();
        let there: BTreeSet<String> = all.rows.iter().map(|row| row.id.clone()).collect();
        if wanted.is_disjoint(&there) {
            let some: Vec<&str> = there.iter().take(8).map(String::as_str).collect();
            let help = format!("it has {}, ...", some.join(", "));
            return Err(Failure::mistake(&flag(path), "it has none of these rows", help));
        }
        Ok((all.only(self.paper, &wanted), run))
    }

    /// What a folder has under a reading: its last command, or one of a comparison.
    fn under_reading(&self, path: &Path) -> Result<Reproduction, Failure> {
        let name = readings::combined(self.request)?.join("+");
        if let Ok(last) = self.all(path)
            && readings::is(&last.reading.name, &name)
        {
            return Ok(last);
        }
        match self.compared_in(path) {
            Ok(all) => {
                let mut all = all.into_iter().map(|one| one.reproduction);
                all.find(|one| readings::is(&one.reading.name, &name)).ok_or_else(|| {
                    let help = "--compare-readings shows which readings it has";
                    Failure::mistake(&flag(path), format!("it has no reading {name}"), help)
                })
            }
            // beside a paper, readings are recorded for its conclusions
            Err(none) => self.with_seed(path, self.paper.seed()?).map_err(|_| none),
        }
    }

    /// The conclusions of the paper by what `path` has instead of what comes with the program.
    pub(super) fn recorded_conclusions(&self, path: &Path) -> Result<Answered, Failure> {
        self.refuse_seed("--conclusions")?;
        let runs = self.runs(path, self.paper.rows_of_conclusions())?;
        let results = conclusions::judge(self.paper, &runs);
        // there may be runs for conclusions alone
        let files = self.read(path).map_or(Vec::new(), |(mut found, _)| {
            found.conclusions.clone_from(&results);
            stored_as(&found)
        });
        Ok(Answered { files, ..self.concluded(results, &runs) })
    }

    /// Of these rows, every run that `path` has of its own, or else those beside the paper.
    fn runs(&self, path: &Path, rows: Vec<Row<'a>>) -> Result<Runs, Failure> {
        let file = self.file(path);
        let folders = [path.join(&self.paper.about.key), path.to_owned()];
        let folder = folders.iter().find(|folder| folder.join(ROWS).is_dir());
        let folder = folder.map_or(file.parent().unwrap_or(path), PathBuf::as_path);
        let own = self.runs_in(folder, &rows, None)?;
        match own.0.is_empty() {
            true => self.recorded_runs(&file, &self.all(path)?),
            false => Ok(own),
        }
    }

    /// Rows that were recorded with one seed, under the reading that was asked for.
    fn with_seed(&self, path: &Path, seed: u64) -> Result<Reproduction, Failure> {
        let paper = self.paper;
        let names = readings::combined(self.request)?;
        let taken = paper.take(&names, &[])?;
        let mut rows = paper.rows();
        rows.retain(|row| paper.overruled(row, &names, self.shorter(row)).is_none());
        let mut all = self.runs(path, rows)?;
        // a mean over seeds is none of them
        all.0.iter_mut().for_each(|run| run.rows.retain(|_, measured| measured.replicates == 1));
        let name = if names.is_empty() { BASE.to_owned() } else { names.join("+") };
        let run = all.of(&name).into_iter().find(|run| run.seed == seed && !run.rows.is_empty());
        let Some(run) = run else {
            let own = all.0.iter().filter(|run| run.reading == name && !run.rows.is_empty());
            let seeds: BTreeSet<u64> = own.map(|run| run.seed).collect();
            let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
            let of =
                if names.is_empty() { String::new() } else { format!(" of the reading {name}") };
            let help = match seeds.as_slice() {
                [] => format!("it has no single run{of}"),
                [one] => format!("{of} it has seed {one}").trim_start().to_owned(),
                [more @ .., last] => format!("{of} it has seeds {} and {last}", more.join(", ")),
            };
            let message = format!("it has no rows{of} with seed {seed}");
            return Err(Failure::mistake(&flag(path), message, help.trim()));
        };
        let mut rows = run.rows.clone();
        let quick = self.request.quick;
        recorded::add_windows(paper, &taken, &mut rows, quick).map_err(|message| {
            let help = "record it again: `tusker reproduce PAPER --conclusions --format csv`";
            Failure::mistake(&flag(path), message, help)
        })?;
        let there: BTreeSet<String> = rows.keys().cloned().collect();
        let found = Reproduction::recorded_with(paper, &taken, Some(seed), &rows, quick);
        Ok(found.only(paper, &there))
    }

    /// Every run of these rows by this build that is in a folder of results, replicate by
    /// replicate; none if it is no such folder.
    fn runs_in(
        &self,
        folder: &Path,
        rows: &[Row<'a>],
        more: Option<(String, Taken<'a>)>,
    ) -> Result<Runs, Failure> {
        if !folder.join(ROWS).is_dir() {
            return Ok(Runs::default());
        }
        let mut job = Job::new(self.paper, self.request, self.host);
        job.folder = folder.to_owned();
        let mut assumptions = job.stored(rows)?;
        assumptions.extend(more);
        job.read_runs(rows, &assumptions)
    }

    /// Every run of these rows that a place has, with any seed and under any reading.
    pub(super) fn runs_of(&self, path: &Path, rows: &[Row<'a>]) -> Result<Runs, Failure> {
        let name = readings::combined(self.request).unwrap_or_default();
        for folder in [path.to_owned(), path.join(&self.paper.about.key)] {
            let more = match name.len() {
                0 | 1 => None,
                _ => Some((name.join("+"), self.paper.take(&name, &[])?)),
            };
            let runs = self.runs_in(&folder, rows, more)?;
            if !runs.0.is_empty() {
                return Ok(runs);
            }
        }
        self.recorded_runs(&self.file(path), &self.all(path)?)
    }

    /// Rows of the base by what was printed of them, and other seeds and readings, which are
    /// recorded in full length only.
    fn recorded_runs(&self, file: &Path, all: &Reproduction) -> Result<Runs, Failure> {
        let (paper, quick) = (self.paper, self.request.quick);
        if comes_along(file) && !quick {
            return Ok(paper.recorded_runs());
        }
        let seed = all.rows.iter().find_map(|row| row.seeds.first().copied());
        let seed = seed.map_or_else(|| paper.seed(), Ok)?;
        let base = Run { reading: all.reading.name.clone(), seed, rows: all.measured(false) };
        let mut runs = Runs::default();
        let more = file.with_file_name("conclusions.csv");
        if !quick && more.is_file() {
            let help = "`tusker reproduce PAPER --conclusions --format csv` prints it";
            let place = more.display().to_string();
            let wrong = |message: String| Failure::mistake(&place, message, help);
            let text = files::text(&more).map_err(|error| wrong(error.to_string()))?;
            runs = Runs::read(&text, &paper.cases.variant.name).map_err(wrong)?;
        }
        Ok(Runs::joined(base, runs))
    }

    /// The file in which `path` has something of the paper.
    fn file(&self, path: &Path) -> PathBuf {
        if !path.is_dir() {
            return path.to_owned();
        }
        let own = path.join(&self.paper.about.key);
        let csv = self.csv();
        let places =
            [path.join(REPRODUCTION), own.join(REPRODUCTION), path.join(csv), own.join(csv)];
        places.iter().find(|file| file.is_file()).cloned().unwrap_or_else(|| own.join(csv))
    }

    /// The name of recorded rows of this length.
    fn csv(&self) -> &'static str {
        if self.request.quick { "quick.csv" } else { "full.csv" }
    }

    fn all(&self, path: &Path) -> Result<Reproduction, Failure> {
        let (paper, quick) = (self.paper, self.request.quick);
        let (key, path, csv) = (&paper.about.key, self.file(path), self.csv());
        let help = format!(
            "give a file that `tusker reproduce {key} --format csv` printed, a folder of results, \
             or a folder like papers/ that holds {key}/{csv}"
        );
        let wrong = |message: String, help: &str| {
            Failure::mistake(&path.display().to_string(), message, help)
        };
        if path.file_name().is_some_and(|name| name == REPRODUCTION) {
            let folder = path.parent().unwrap_or(Path::new("."));
            let Some(found) = stored::reproduction(folder)? else {
                return Err(wrong("cannot be read".to_owned(), &help));
            };
            let own = &found.paper.key;
            if own != key {
                let help = format!("tusker reproduce {own} reads it");
                return Err(wrong(format!("it is of the paper {own}"), &help));
            }
            return match (found.quick, quick) {
                (true, false) => {
                    Err(wrong("its runs are those of --quick".to_owned(), "add --quick"))
                }
                (false, true) => {
                    Err(wrong("its runs have their full length".to_owned(), "leave out --quick"))
                }
                _ => Ok(found),
            };
        }
        let own = if quick { &paper.quick_csv } else { &paper.full_csv };
        let text = match own {
            Some(own) if comes_along(&path) => Ok(own.to_string()),
            _ => files::text(&path),
        };
        let text = text.map_err(|error| wrong(format!("cannot be read: {error}"), &help))?;
        let with = RunWith::read(&text).map_err(|message| wrong(message, ONE_EACH))?;
        if with.quick && !quick {
            return Err(wrong("its rows are those of --quick".to_owned(), "add --quick"));
        }
        let rows = recorded::read(&text, &paper.cases.variant.name);
        let mut rows = rows.map_err(|message| wrong(message, &help))?;
        let taken = paper.take(&with.readings, &with.sets)?;
        recorded::add_windows(paper, &taken, &mut rows, quick)
            .map_err(|message| wrong(message, &help))?;
        let there: BTreeSet<String> = rows.keys().cloned().collect();
        let seed = with.seed.or_else(|| paper.seed().ok());
        let found = Reproduction::recorded_with(paper, &taken, seed, &rows, quick);
        Ok(found.only(paper, &there))
    }
}
