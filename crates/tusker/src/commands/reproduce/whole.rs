//! A reproduction for callers other than the command line.

use std::path::{Path, PathBuf};

use tusker_lab::Watch;
use tusker_papers::{Paper, Reproduction};

use super::cluster::Shared;
use super::{Job, RESULTS, ROWS, all, on_testbed, recorded};
use crate::args::ReproduceArgs;
use crate::cluster::Reach;
use crate::failure::Failure;

/// Rows and claims, and where they are stored if they are: in `dir` unless a folder was
/// asked for.
pub fn rows(
    args: &ReproduceArgs,
    dir: Option<&Path>,
    reach: Reach,
    command: Vec<String>,
    watch: &dyn Watch,
) -> Result<(Reproduction, Option<String>), Failure> {
    refuse(args)?;
    let paper = Paper::find(&args.paper)?;
    if let Some(path) = &args.recorded {
        let mut reproduction = recorded::read(&paper, path, args)?.reproduction;
        reproduction.execution.command = command;
        return Ok((reproduction, None));
    }
    let own = || Path::new(RESULTS).join(&paper.about.key);
    let otherwise = || dir.map_or_else(own, PathBuf::from);
    let shared = Shared::reach(args, otherwise, reach, &|| watch.stopped())?;
    let folder = shared.dir().to_owned();
    let job = Job { watch: Some(watch), ..Job::new(&paper, args, &shared, folder) };
    let rows = paper.select(&job.selection())?;
    let taken = job.taken(&rows)?;
    let (mut measured, outcome) = job.run(&[(&taken, rows)], &[], ROWS)?;
    let measured = measured.remove(0);
    let more = job.known(&taken, &measured);
    job.save_all(&taken, &measured, &more)?;
    if let Some(trouble) = outcome.ended {
        return Err(trouble.into());
    }
    shared.push(&job.folder, &|| watch.stopped())?;
    let mut reproduction = job.beside(&taken, &measured, &more);
    reproduction.execution.command = command;
    Ok((reproduction, Some(shared.shown(&job.folder))))
}

/// What prints something else than rows and claims is the command line's alone.
fn refuse(args: &ReproduceArgs) -> Result<(), Failure> {
    let given = [
        ("--figure", !args.figures.is_empty()),
        ("--readings", args.list_readings),
        ("--claim", !args.claim.asked.is_empty()),
        ("--claims", args.claim.list),
        ("--compare-readings", args.compare_readings),
        ("--print-scenario", args.print_scenario),
        ("--plane testbed", on_testbed(args)),
        ("--fail-on", !args.verdict.fail_on.is_empty()),
        ("--junit", args.verdict.junit.is_some()),
        ("all", args.paper == all::ALL),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((what, _)) => {
            let message = format!("{what}: only `tusker reproduce` on the command line has it");
            Err(Failure::input(message, "leave it out; one paper at a time gives rows and claims"))
        }
    }
}
