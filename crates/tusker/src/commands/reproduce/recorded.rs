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

use tusker_papers::claims::Verdict;
use tusker_papers::conclusions::{self, Run, Runs};
use tusker_papers::recorded::RunWith;
use tusker_papers::rows::{BASE, Row, Taken};
use tusker_papers::stored::{self, REPRODUCTION};
use tusker_papers::{Paper, Reproduction, recorded};
use tusker_store::REPORT;
use tusker_store::files;

use super::cluster::Shared;
use super::conclusions::{between, show};
use super::{Job, ROWS, figures, page, readings, selection};
use crate::args::ReproduceArgs;
use crate::failure::Failure;
use crate::output::say;

/// Rows that were asked for, and everything that is known.
pub struct Recorded {
    /// What was asked for.
    pub reproduction: Reproduction,
    /// Every row that is there: claims are judged on all.
    pub known: BTreeSet<String>,
}

/// What `path` has of a paper, of the rows that were asked for.
pub fn read(paper: &Paper, path: &Path, args: &ReproduceArgs) -> Result<Recorded, Failure> {
    let asked: BTreeSet<String> =
        paper.select(&selection(args))?.iter().map(|row| row.id()).collect();
    let mut all = match (args.readings.as_slice(), args.how.seed) {
        ([], None) => all(paper, path, args.quick)?,
        (_, None) => under_reading(paper, path, args)?,
        (_, Some(seed)) => with_seed(paper, path, args, seed)?,
    };
    all.execution.command = super::command_line();
    let run = all.rows.iter().filter(|row| row.replicates > 0);
    let known: BTreeSet<String> = run.map(|row| row.id.clone()).collect();
    let there: BTreeSet<String> = all.rows.iter().map(|row| row.id.clone()).collect();
    if asked.is_disjoint(&there) {
        let some: Vec<&str> = there.iter().take(8).map(String::as_str).collect();
        let message = format!("--recorded {}: it has none of these rows", path.display());
        return Err(Failure::input(message, format!("it has {}, ...", some.join(", "))));
    }
    Ok(Recorded { reproduction: all.only(paper, &asked), known })
}

/// What a folder has under a reading: its last command, or one of a comparison.
fn under_reading(
    paper: &Paper,
    path: &Path,
    args: &ReproduceArgs,
) -> Result<Reproduction, Failure> {
    let name = readings::combined(args)?.join("+");
    if let Ok(last) = all(paper, path, args.quick)
        && readings::is(&last.reading.name, &name)
    {
        return Ok(last);
    }
    let stored = match readings::stored(paper, path, args) {
        Ok(stored) => stored.into_iter().map(|one| one.reproduction),
        // beside a paper, readings are recorded for its conclusions
        Err(none) => {
            let seed = paper.seed().map_err(crate::scenarios::wrong)?;
            return with_seed(paper, path, args, seed).map_err(|_| none);
        }
    };
    let found = stored.into_iter().find(|one| readings::is(&one.reading.name, &name));
    found.ok_or_else(|| {
        let message = format!("--recorded {}: it has no reading {name}", path.display());
        Failure::input(message, "--compare-readings shows which readings it has")
    })
}

/// `--recorded PATH --conclusions`: those of the paper, or of the comparisons between the
/// rows that were asked for, by what `path` has instead of what comes with the program.
pub fn conclusions(paper: &Paper, path: &Path, args: &ReproduceArgs) -> Result<(), Failure> {
    readings::refuse_seed(args, "--conclusions")?;
    let chosen = between(paper, args)?;
    let runs = runs(&chosen, path, args, chosen.rows_of_conclusions())?;
    let results = conclusions::judge_on(&chosen, &runs, &|_| Verdict::Open);
    show(&chosen, args, &results, &runs)?;
    if let Some(out) = &args.out {
        let mut found = read(paper, path, args)?.reproduction;
        found.conclusions = results;
        save(&found, out, args.how.quiet)?;
    }
    Ok(())
}

/// Of these rows, every run that `path` has of its own, or else those beside the paper.
fn runs(
    paper: &Paper,
    path: &Path,
    args: &ReproduceArgs,
    rows: Vec<Row<'_>>,
) -> Result<Runs, Failure> {
    let file = file(paper, path, args.quick);
    let folders = [path.join(&paper.about.key), path.to_owned()];
    let folder = folders.iter().find(|folder| folder.join(ROWS).is_dir());
    let folder = folder.map_or(file.parent().unwrap_or(path), PathBuf::as_path);
    let own = runs_in(paper, folder, args, rows)?;
    match own.0.is_empty() {
        true => recorded_runs(paper, &file, &all(paper, path, args.quick)?, args.quick),
        false => Ok(own),
    }
}

/// Rows that were recorded with one seed, under the reading that was asked for.
fn with_seed(
    paper: &Paper,
    path: &Path,
    args: &ReproduceArgs,
    seed: u64,
) -> Result<Reproduction, Failure> {
    let names = readings::combined(args)?;
    let taken = paper.take(&names, &[])?;
    let mut rows = paper.rows();
    let shorter = |row: &Row<'_>| if args.quick { paper.quick(row).to_vec() } else { Vec::new() };
    rows.retain(|row| paper.overruled(row, &names, &shorter(row)).is_none());
    let mut all = runs(paper, path, args, rows)?;
    // a mean over seeds is none of them
    all.0.iter_mut().for_each(|run| run.rows.retain(|_, measured| measured.replicates == 1));
    let name = if names.is_empty() { BASE.to_owned() } else { names.join("+") };
    let run = all.of(&name).into_iter().find(|run| run.seed == seed && !run.rows.is_empty());
    let Some(run) = run else {
        let own = all.0.iter().filter(|run| run.reading == name && !run.rows.is_empty());
        let seeds: BTreeSet<u64> = own.map(|run| run.seed).collect();
        let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
        let of = if names.is_empty() { String::new() } else { format!(" of the reading {name}") };
        let help = match seeds.as_slice() {
            [] => format!("it has no single run{of}"),
            [one] => format!("{of} it has seed {one}").trim_start().to_owned(),
            [more @ .., last] => format!("{of} it has seeds {} and {last}", more.join(", ")),
        };
        let message = format!("--recorded {}: it has no rows{of} with seed {seed}", path.display());
        return Err(Failure::input(message, help.trim().to_owned()));
    };
    let mut rows = run.rows.clone();
    recorded::add_windows(paper, &taken, &mut rows, args.quick).map_err(|message| {
        let help = "record it again: `tusker reproduce PAPER --conclusions --format csv`";
        Failure::input(format!("--recorded {}: {message}", path.display()), help)
    })?;
    let there: BTreeSet<String> = rows.keys().cloned().collect();
    let found = Reproduction::recorded_with(paper, &taken, Some(seed), &rows, args.quick);
    Ok(found.only(paper, &there))
}

/// Every run of these rows that is in a folder of results, replicate by replicate; none if it
/// is no such folder.
fn runs_in(
    paper: &Paper,
    folder: &Path,
    args: &ReproduceArgs,
    rows: Vec<Row<'_>>,
) -> Result<Runs, Failure> {
    if !folder.join(ROWS).is_dir() {
        return Ok(Runs::default());
    }
    let shared = Shared::of(args, || folder.to_owned())?;
    let mut job = Job::new(paper, args, &shared, folder.to_owned());
    let asked = job.stored(&rows)?;
    by_any_build(&mut job, &rows, &asked)
}

/// The runs of these rows by this build, or else by the other one that ran most of them.
fn by_any_build(
    job: &mut Job<'_>,
    rows: &[Row<'_>],
    asked: &[(String, Taken<'_>)],
) -> Result<Runs, Failure> {
    let runs = job.read_runs(rows, asked)?;
    if !runs.0.is_empty() {
        return Ok(runs);
    }
    job.of_build = job.stored_build(rows);
    let runs = job.read_runs(rows, asked)?;
    if !runs.0.is_empty() {
        tell_build(job);
    }
    Ok(runs)
}

/// Every run that is known of these rows, with any seed and under any reading.
pub fn runs_of(
    paper: &Paper,
    path: &Path,
    args: &ReproduceArgs,
    rows: &[Row<'_>],
) -> Result<Runs, Failure> {
    for folder in [path.to_owned(), path.join(&paper.about.key)] {
        if !folder.join(ROWS).is_dir() {
            continue;
        }
        let shared = Shared::of(args, || folder.clone())?;
        let mut job = Job::new(paper, args, &shared, folder.clone());
        let mut asked = job.stored(rows)?;
        let name = readings::combined(args).unwrap_or_default();
        if name.len() > 1 {
            asked.push((name.join("+"), paper.take(&name, &[])?));
        }
        let runs = by_any_build(&mut job, rows, &asked)?;
        if !runs.0.is_empty() {
            return Ok(runs);
        }
    }
    let all = all(paper, path, args.quick)?;
    recorded_runs(paper, &file(paper, path, args.quick), &all, args.quick)
}

/// Says that another build ran what is shown.
fn tell_build(job: &Job<'_>) {
    if let Some(build) = job.of_build.as_ref().filter(|_| !job.args.how.quiet) {
        say(&format!(
            "the rows in {} were run by another build of tusker (version {}, build {}); they are \
             shown as they are, and without --recorded they would be run again",
            job.folder.display(),
            build.version,
            build.hash.get(..8).unwrap_or(&build.hash)
        ));
    }
}

/// Whether what comes with the program is meant.
fn comes_along(path: &Path) -> bool {
    path == Path::new("papers") && !path.exists()
}

/// Rows of the base by what was printed of them, and other seeds and readings, which are
/// recorded in full length only.
fn recorded_runs(
    paper: &Paper,
    file: &Path,
    all: &Reproduction,
    quick: bool,
) -> Result<Runs, Failure> {
    if comes_along(file) && !quick {
        return Ok(paper.recorded_runs());
    }
    let seed = all.rows.iter().find_map(|row| row.seeds.first().copied());
    let seed = seed.map_or_else(|| paper.seed(), Ok).map_err(crate::scenarios::wrong)?;
    let base = Run { reading: all.reading.name.clone(), seed, rows: all.measured() };
    let mut runs = Runs::default();
    let more = file.with_file_name("conclusions.csv");
    if !quick && more.is_file() {
        let help = "`tusker reproduce PAPER --conclusions --format csv` prints it";
        let wrong =
            |message: String| Failure::input(format!("{}: {message}", more.display()), help);
        let text = files::text(&more).map_err(|error| wrong(error.to_string()))?;
        runs = Runs::read(&text, &paper.cases.variant.name).map_err(wrong)?;
    }
    Ok(Runs::joined(base, runs))
}

/// Writes `reproduction.json` and the page of it, where `--out` says so.
pub fn save(reproduction: &Reproduction, folder: &Path, quiet: bool) -> Result<(), Failure> {
    if folder.join(ROWS).is_dir() {
        let message = format!("--out {}: it has results of its own", folder.display());
        return Err(Failure::input(message, "name another folder for what is recorded"));
    }
    figures::write(folder, REPRODUCTION, &reproduction.to_json())?;
    let path = folder.join(REPORT);
    figures::write_page(&path, &page::page(reproduction))?;
    if !quiet {
        say(&format!("the report is {}", path.display()));
    }
    Ok(())
}

/// The file in which `path` has something of a paper.
fn file(paper: &Paper, path: &Path, quick: bool) -> PathBuf {
    if !path.is_dir() {
        return path.to_owned();
    }
    let own = path.join(&paper.about.key);
    let csv = if quick { "quick.csv" } else { "full.csv" };
    let places = [path.join(REPRODUCTION), own.join(REPRODUCTION), path.join(csv), own.join(csv)];
    places.iter().find(|file| file.is_file()).cloned().unwrap_or_else(|| own.join(csv))
}

fn all(paper: &Paper, path: &Path, quick: bool) -> Result<Reproduction, Failure> {
    let (key, path) = (&paper.about.key, file(paper, path, quick));
    let csv = if quick { "quick.csv" } else { "full.csv" };
    let help = format!(
        "give a file that `tusker reproduce {key} --format csv` printed, a folder of results, or \
         a folder like papers/ that holds {key}/{csv}"
    );
    let wrong = |message: String, help: &str| {
        Failure::input(format!("{}: {message}", path.display()), help.to_owned())
    };
    if path.file_name().is_some_and(|name| name == REPRODUCTION) {
        let folder = path.parent().unwrap_or(Path::new("."));
        let Some(known) = stored::reproduction(folder)? else {
            return Err(wrong("cannot be read".to_owned(), &help));
        };
        if known.paper.key != *key {
            let message = format!("it is of the paper {}", known.paper.key);
            return Err(wrong(message, &format!("tusker reproduce {} reads it", known.paper.key)));
        }
        return match (known.quick, quick) {
            (true, false) => Err(wrong("its runs are those of --quick".to_owned(), "add --quick")),
            (false, true) => {
                Err(wrong("its runs have their full length".to_owned(), "leave out --quick"))
            }
            _ => Ok(known),
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

/// What helps if a file has the rows of several commands.
const ONE_EACH: &str = "give a file for each of them, as --format csv printed it";

/// The places that a path names: itself if there is such a one, or else those between commas.
pub fn sources(path: &Path) -> Vec<PathBuf> {
    match path.to_str() {
        Some(text) if text.contains(',') && !path.exists() => {
            text.split(',').filter(|part| !part.is_empty()).map(PathBuf::from).collect()
        }
        _ => vec![path.to_owned()],
    }
}

/// The error if several are named where one is shown.
pub fn refuse_several(path: &Path) -> Result<(), Failure> {
    let several = sources(path).len();
    if several < 2 {
        return Ok(());
    }
    let message = format!("--recorded {}: these are {several} places", path.display());
    Err(Failure::input(message, "only --claim judges several together; name one of them"))
}

/// Every run of these rows that one of the places has. Where two have other numbers for a row,
/// the first counts.
pub fn runs_of_all(
    paper: &Paper,
    path: &Path,
    args: &ReproduceArgs,
    rows: &[Row<'_>],
) -> Result<Runs, Failure> {
    let mut all = Runs::default();
    for source in sources(path) {
        let differ = all.add_all(runs_of(paper, &source, args, rows)?);
        if differ > 0 && !args.how.quiet {
            let place = source.display();
            say(&format!(
                "{differ} rows of {place} have other numbers in an earlier place, which counts"
            ));
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_stand_between_places_unless_a_folder_has_them() {
        let temp = tempfile::TempDir::new().unwrap();
        let odd = temp.path().join("a,b");
        std::fs::create_dir(&odd).unwrap();
        assert_eq!(sources(&odd), std::slice::from_ref(&odd));
        assert_eq!(sources(Path::new("papers,mine")), [Path::new("papers"), Path::new("mine")]);
        assert_eq!(sources(Path::new("papers")), [Path::new("papers")]);
        assert!(refuse_several(Path::new("papers,mine")).is_err());
    }
}
