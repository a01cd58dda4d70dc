//! `tusker reproduce all`: every paper, one after the other, and one scoreboard.

use tusker_papers::page::lists::{scoreboard, scores_csv};
use tusker_papers::reproduce::{self, Value};
use tusker_papers::{Paper, Reproduction};

use super::cluster::Shared;
use super::host::Terminal;
use super::verdict::Failing;
use super::{RESULTS, files, on_testbed, request};
use crate::args::{Format, ReproduceArgs};
use crate::failure::Failure;
use crate::output::{print, say};
use crate::pages;
use crate::running::command_line;

/// What stands for every paper that comes with the program.
pub const ALL: &str = "all";

pub fn all(args: &ReproduceArgs) -> Result<(), Failure> {
    refuse_what_names_rows(args)?;
    let papers: Vec<Paper> = Paper::keys().map(Paper::find).collect::<Result<_, _>>()?;
    let mut verdict = Failing::asked(args, &papers.iter().collect::<Vec<_>>())?;
    let shared = Shared::of(args, || RESULTS.into())?;
    let host = Terminal { args, shared: &shared, watch: None };
    if let (Some(_), Some(out)) = (&args.recorded, &args.out) {
        papers.iter().try_for_each(|paper| files::may(&out.join(&paper.about.key)))?;
    }
    let (mut done, mut ended) = (Vec::<Reproduction>::new(), None);
    for paper in &papers {
        let folder = shared.dir().join(&paper.about.key);
        let request = request(args, folder, command_line())?;
        let mut answered = reproduce::answer(paper, &request, &host)?;
        done.extend(answered.reproduction().cloned());
        let lines = files::put(paper, &request, &answered, (args, &shared), host.stopped())?;
        if !args.how.quiet {
            lines.iter().for_each(|line| say(line));
        }
        ended = answered.outcome.take().and_then(|outcome| outcome.ended);
        if ended.is_some() {
            break;
        }
        shared.push(&request.folder, &crate::interrupt::stopped)?;
    }
    match args.how.format {
        Format::Table => pages::print(&scoreboard(&done), args.how.quiet)?,
        Format::Json => print(&Value::Several(done.clone()).json())?,
        Format::Csv => print(&scores_csv(&done))?,
    }
    if let Some(trouble) = ended {
        say("the same command continues from there");
        return Err(trouble.into());
    }
    for (paper, reproduction) in papers.iter().zip(&done) {
        verdict.add(paper, reproduction, [])?;
    }
    verdict.end()
}

/// Rows and figures have names within a paper only.
fn refuse_what_names_rows(args: &ReproduceArgs) -> Result<(), Failure> {
    let given = [
        ("--table", !args.tables.is_empty()),
        ("--case", !args.cases.is_empty()),
        ("--at", !args.at.is_empty()),
        ("--figure", !args.figures.is_empty()),
        ("--reading", !args.readings.is_empty()),
        ("--readings", args.list_readings),
        ("--compare-readings", args.compare_readings),
        ("--conclusions", args.conclusions),
        ("--claim", !args.claim.asked.is_empty()),
        ("--claims", args.claim.list),
        ("--print-scenario", args.print_scenario),
        ("--plane testbed", on_testbed(args)),
    ];
    let Some((flag, _)) = given.iter().find(|(_, given)| *given) else { return Ok(()) };
    let keys: Vec<&str> = Paper::keys().collect();
    let help = format!("name one: {}", keys.join(", "));
    Err(Failure::input(format!("{flag} applies to one paper, not to all"), help))
}
