//! `tusker reproduce all`: every paper, one after the other, and one scoreboard.

use tusker_papers::{Paper, Reproduction};
use tusker_record::table::Table;

use super::{Job, RESULTS, text};
use crate::args::{Format, ReproduceArgs};
use crate::failure::Failure;
use crate::output::{bold, print, say};

/// What stands for every paper that comes with the program.
pub const ALL: &str = "all";

pub fn all(args: &ReproduceArgs) -> Result<(), Failure> {
    refuse_what_names_rows(args)?;
    let mut done: Vec<Reproduction> = Vec::new();
    let mut ended = None;
    for key in Paper::keys() {
        let paper = Paper::find(key)?;
        let folder = args.out.clone().unwrap_or_else(|| RESULTS.into()).join(key);
        let job = Job { paper: &paper, args, folder };
        let (reproduction, outcome) = job.whole()?;
        done.push(reproduction);
        if outcome.ended.is_some() {
            ended = outcome.ended;
            break;
        }
    }
    print(&match args.how.format {
        Format::Table => scoreboard(&done),
        Format::Json => text::json(&done),
        Format::Csv => csv(&done),
    })?;
    match ended {
        None => Ok(()),
        Some(failure) => {
            say("the same command goes on from there");
            Err(failure)
        }
    }
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
        ("--print-scenario", args.print_scenario),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => {
            let keys: Vec<&str> = Paper::keys().collect();
            let help = format!("name one: {}", keys.join(", "));
            Err(Failure::input(format!("{flag} means something in one paper, not in all"), help))
        }
    }
}

/// A line per paper.
pub fn scoreboard(all: &[Reproduction]) -> String {
    let head = ["paper", "rows", "within", "claims", "hold", "partly", "do not", "not judged"];
    let mut table = Table::new(head).bold_head();
    let mut sums = [0; 7];
    for one in all {
        let score = &one.scoreboard;
        let run = score.run + score.unprinted;
        let numbers =
            [run, score.within, score.claims, score.hold, score.partly, score.fail, score.open];
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        let mut cells = numbers.map(|number| number.to_string());
        cells[1] = format!("{} of {}", score.within, score.run);
        table.row(std::iter::once(one.paper.key.clone()).chain(cells));
    }
    if all.len() > 1 {
        let judged: usize = all.iter().map(|one| one.scoreboard.run).sum();
        let mut cells = sums.map(|number| number.to_string());
        cells[1] = format!("{} of {judged}", sums[1]);
        table.row(std::iter::once("together".to_owned()).chain(cells));
    }
    let quick = if all.iter().any(|one| one.quick) { ", quick" } else { "" };
    let about = "rows: that were run; within: the tolerances, of those with printed numbers";
    format!("{}\n\n{table}\n{about}\n", bold(&format!("Scoreboard{quick}")))
}

fn csv(all: &[Reproduction]) -> String {
    let mut text = "paper,rows,judged,within,claims,hold,partly,fail,open\n".to_owned();
    for one in all {
        let s = &one.scoreboard;
        let rows = s.run + s.unprinted;
        text += &format!(
            "{},{rows},{},{},{},{},{},{},{}\n",
            one.paper.key, s.run, s.within, s.claims, s.hold, s.partly, s.fail, s.open
        );
    }
    text
}
