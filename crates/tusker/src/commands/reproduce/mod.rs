//! `tusker reproduce`: from the command line to a request, and from its answer to stdout, files
//! and what is said beside them. [`tusker_papers::reproduce`] does what is asked.

mod all;
mod cluster;
mod files;
mod host;
mod verdict;

use std::path::{Path, PathBuf};

use tusker_lab::Watch;
use tusker_papers::page::lists;
use tusker_papers::reproduce::{self, Answered, Over, Request, TESTBED, What};
use tusker_papers::rows::Selection;
use tusker_papers::{Paper, Reproduction, conclusions};
use tusker_plan::plane::Plane;
use tusker_store::REPORT;

pub use self::files::pages;

use self::cluster::Shared;
use self::host::Terminal;
use self::verdict::Failing;
use crate::args::{Format, ReproduceArgs};
use crate::cluster::Reach;
use crate::failure::Failure;
use crate::output::{print, print_and_go_on, say};
use crate::pages;
use crate::pages as page;
use crate::running::{command_line, speed};
use crate::tables;

/// Where results go unless said otherwise.
const RESULTS: &str = "results";

pub fn reproduce(args: &ReproduceArgs) -> Result<(), Failure> {
    if args.paper == all::ALL {
        return all::all(args);
    }
    let paper = Paper::find(&args.paper)?;
    conclusions::check(&paper)?;
    let quiet = args.how.quiet;
    if args.list_readings {
        return page::print(&lists::readings(&paper), quiet);
    }
    if args.claim.list {
        return page::print(&lists::claims(&paper), quiet);
    }
    if !args.claim.asked.is_empty() && on_testbed(args) {
        let message = "--claim: rows on real sockets are judged together";
        return Err(Failure::input(message, "leave out --claim, or --plane testbed"));
    }
    let mut verdict = Failing::asked(args, &[&paper])?;
    let shared = Shared::of(args, || Path::new(RESULTS).join(&paper.about.key))?;
    let request = request(args, shared.dir().to_owned(), command_line())?;
    let host = Terminal { args, shared: &shared, watch: None };
    if args.print_scenario {
        return print(&reproduce::scenario(&paper, &request, &host)?);
    }
    if let Some(out) = args.out.as_ref().filter(|_| args.recorded.is_some()) {
        files::may(out)?;
    }
    let answered = reproduce::answer(&paper, &request, &host)?;
    if let Some(phase) = answered.reproduction().and_then(Reproduction::phase_note)
        && args.how.format != Format::Table
        && args.recorded.is_none()
    {
        say(&format!("note: {phase}"));
    }
    let printed = show(&answered, args);
    let place = (args, &shared);
    let written = files::put(&paper, &request, &answered, place, host.stopped())?;
    if !quiet {
        written.iter().for_each(|line| say(line));
    }
    let others = answered.others.clone();
    let rows = match request.what {
        What::Rows | What::Figures(_) => answered.reproduction().cloned(),
        _ => None,
    };
    let claims = answered.claims().to_vec();
    finish(&paper, &request, answered, &host)?;
    printed?;
    match rows {
        Some(rows) => verdict.add(&paper, &rows, others)?,
        None => verdict.add_claims(&paper, &claims),
    }
    verdict.end()
}

/// Rows and claims for Python, and where they are stored if they are: in `dir` unless a folder
/// was asked for.
pub fn for_python(
    args: &ReproduceArgs,
    dir: Option<&Path>,
    reach: Reach,
    command: Vec<String>,
    watch: &dyn Watch,
) -> Result<(Reproduction, Option<String>), Failure> {
    if args.paper == all::ALL {
        let message = "all: only `tusker reproduce` on the command line has it";
        return Err(Failure::input(message, "one paper at a time gives rows and claims"));
    }
    let paper = Paper::find(&args.paper)?;
    let otherwise = || dir.map_or_else(|| Path::new(RESULTS).join(&paper.about.key), PathBuf::from);
    let shared = Shared::reach(args, otherwise, reach, &|| watch.stopped())?;
    let request = request(args, shared.dir().to_owned(), command)?;
    let host = Terminal { args, shared: &shared, watch: Some(watch) };
    let mut answered = reproduce::answer(&paper, &request, &host)?;
    let place = match answered.outcome.take() {
        None => None,
        Some(outcome) => {
            files::put(&paper, &request, &answered, (args, &shared), watch.stopped())?;
            outcome.ended.map_or(Ok(()), Err)?;
            shared.push(shared.dir(), &|| watch.stopped())?;
            Some(shared.shown(shared.dir()))
        }
    };
    let rows = answered.reproduction().cloned();
    rows.map(|rows| (rows, place))
        .ok_or_else(|| Failure::other("there are no rows", "ask for rows of a paper"))
}

/// What was asked for, once for all.
fn request(
    args: &ReproduceArgs,
    folder: PathBuf,
    command: Vec<String>,
) -> Result<Request, Failure> {
    let what = match () {
        () if !args.claim.asked.is_empty() => What::Claims {
            names: args.claim.asked.clone(),
            over: match (args.compare_readings, args.conclusions) {
                (true, _) => Over::Readings,
                (false, true) => Over::Conclusions,
                (false, false) => Over::One,
            },
            title: args.claim.title.clone(),
        },
        () if args.conclusions => What::Conclusions,
        () if args.compare_readings => What::Readings,
        () if !args.figures.is_empty() => What::Figures(args.figures.clone()),
        () => What::Rows,
    };
    Ok(Request {
        what,
        selection: Selection {
            tables: args.tables.clone(),
            cases: args.cases.clone(),
            at: args.at.clone(),
        },
        readings: args.readings.clone(),
        sets: args.sets.clone(),
        quick: args.quick,
        seed: args.how.seed,
        replicates: args.how.replicates,
        as_recorded: verdict::needs_record(args),
        recorded: args.recorded.clone(),
        plane: if on_testbed(args) { Plane::Testbed } else { Plane::Simulator },
        folder,
        force: args.force,
        format: tables::format(args.tables_format)?,
        command,
    })
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

/// Prints an answer in the format that was asked for.
fn show(answered: &Answered, args: &ReproduceArgs) -> Result<(), Failure> {
    let quiet = args.how.quiet;
    match args.how.format {
        Format::Table => answered.pages.iter().enumerate().try_for_each(|(i, own)| {
            if i > 0 {
                print("\n")?;
            }
            page::print(own, quiet)
        }),
        Format::Json => print_and_go_on(&answered.value.json(), quiet),
        Format::Csv => print_and_go_on(&answered.csv, quiet),
    }
}

/// Says what is kept of rows that were run, and where; the trouble that ended them.
fn finish(
    paper: &Paper,
    request: &Request,
    answered: Answered,
    host: &Terminal<'_>,
) -> Result<(), Failure> {
    let Some(outcome) = answered.outcome else { return Ok(()) };
    let testbed = request.plane == Plane::Testbed;
    let dir = if testbed { request.folder.join(TESTBED) } else { request.folder.clone() };
    let folder = host.shared.shown(&dir);
    if let Some(trouble) = outcome.ended {
        say(&kept(&answered.runs, &folder));
        return Err(trouble.into());
    }
    host.shared.push(&dir, &crate::interrupt::stopped)?;
    if host.args.how.quiet {
        return Ok(());
    }
    if outcome.summaries.iter().any(|own| !own.seeds.is_empty()) && !testbed {
        say(&speed(&outcome.summaries));
    }
    let own = dir.join(REPORT);
    let claim = matches!(request.what, What::Claims { .. });
    let report = match own.is_file() {
        true if claim => {
            format!("; all rows run so far, not only this claim's: {}", host.shared.shown(&own))
        }
        true => format!(", the report is {}", host.shared.shown(&own)),
        false => String::new(),
    };
    say(&format!("results are in {folder}{report}"));
    // a claim has its own next steps
    if !claim {
        // a folder is found by its path, not by its name
        let name = match host.args.paper.as_str() {
            all::ALL => paper.about.key.clone(),
            own => pages::path(Path::new(own)),
        };
        let list = (format!("report {} --list", pages::path(&dir)), "lists its figures, to export");
        let readings =
            (format!("reproduce {name} --readings"), "lists other ways to read the text");
        let local = host.args.ray.is_none();
        pages::steps(local.then_some(list).into_iter().chain([readings]).collect());
    }
    Ok(())
}

/// What is kept of rows that were interrupted: the finished and the asked for runs of each.
fn kept(rows: &[(usize, usize)], folder: &str) -> String {
    let again = "the same command continues from there";
    if rows.iter().all(|(_, all)| *all <= 1) {
        let done = rows.iter().filter(|(done, all)| done >= all).count();
        return format!("{done} of {} rows are in {folder}; {again}", rows.len());
    }
    // each run is kept by itself, as soon as it is finished
    let sum = |(done, all), (own, of): &(usize, usize)| (done + own, all + of);
    match rows.iter().fold((0, 0), sum) {
        (0, all) => format!("none of {all} runs was finished, so nothing is kept"),
        (1, all) => format!("1 of {all} runs is kept in {folder}; {again}"),
        (done, all) => format!("{done} of {all} runs are kept in {folder}; {again}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six rows of three runs each.
    #[test]
    fn each_finished_run_of_a_row_is_kept() {
        let again = "the same command continues from there";
        let mut rows = [(0, 3); 6];
        assert_eq!(kept(&rows, "r"), "none of 18 runs was finished, so nothing is kept");
        rows[0].0 = 1;
        assert_eq!(kept(&rows, "r"), format!("1 of 18 runs is kept in r; {again}"));
        rows[1].0 = 3;
        assert_eq!(kept(&rows, "r"), format!("4 of 18 runs are kept in r; {again}"));
        assert_eq!(kept(&[(1, 1), (0, 1)], "r"), format!("1 of 2 rows are in r; {again}"));
    }
}
