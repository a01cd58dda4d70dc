//! `tusker reproduce all`: every paper, one after the other, and one scoreboard.

use tusker_papers::{Paper, Reproduction};
use tusker_report::Page;
use tusker_report::page::Table;

use super::cluster::Shared;
use super::verdict::Failing;
use super::{Job, RESULTS, text};
use crate::args::{Format, ReproduceArgs};
use crate::failure::Failure;
use crate::output::{print, say};
use crate::pages;

/// What stands for every paper that comes with the program.
pub const ALL: &str = "all";

pub fn all(args: &ReproduceArgs) -> Result<(), Failure> {
    refuse_what_names_rows(args)?;
    let papers: Vec<Paper> = Paper::keys().map(Paper::find).collect::<Result<_, _>>()?;
    let mut verdict = Failing::asked(args, &papers.iter().collect::<Vec<_>>())?;
    if let (Some(_), Some(out)) = (&args.recorded, &args.out) {
        papers.iter().try_for_each(|paper| super::results::may(&out.join(&paper.about.key)))?;
    }
    let mut done: Vec<Reproduction> = Vec::new();
    let mut ended = None;
    let shared = Shared::of(args, || RESULTS.into())?;
    for paper in &papers {
        if let Some(recorded) = &args.recorded {
            let one = super::recorded::read(paper, recorded, args)?.reproduction;
            if let Some(out) = &args.out {
                super::recorded::save(&one, &out.join(&paper.about.key), args.how.quiet)?;
            }
            done.push(one);
            continue;
        }
        let key = &paper.about.key;
        let job = Job::new(paper, args, &shared, shared.dir().join(key));
        let (reproduction, outcome) = job.whole()?;
        done.push(reproduction);
        if outcome.ended.is_some() {
            ended = outcome.ended;
            break;
        }
    }
    match args.how.format {
        Format::Table => pages::print(&scoreboard(&done), args.how.quiet)?,
        Format::Json => print(&text::json(&done))?,
        Format::Csv => print(&csv(&done))?,
    }
    match ended {
        None => {
            for (paper, reproduction) in papers.iter().zip(&done) {
                verdict.add(paper, reproduction, [])?;
            }
            verdict.end()
        }
        Some(failure) => {
            say("the same command continues from there");
            Err(failure.into())
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
        ("--conclusions", args.conclusions),
        ("--claim", !args.claim.asked.is_empty()),
        ("--claims", args.claim.list),
        ("--print-scenario", args.print_scenario),
        ("--plane testbed", super::on_testbed(args)),
    ];
    match given.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((flag, _)) => {
            let keys: Vec<&str> = Paper::keys().collect();
            let help = format!("name one: {}", keys.join(", "));
            Err(Failure::input(format!("{flag} applies to one paper, not to all"), help))
        }
    }
}

/// A line per paper.
pub fn scoreboard(all: &[Reproduction]) -> Page {
    let head = [
        "paper",
        "rows",
        "within",
        "constants",
        "claims",
        "hold",
        "partly",
        "undecided",
        "fail",
        "open",
    ];
    let mut table = Table::new("Scoreboard", head).spare(&["open", "constants", "rows"]);
    let mut sums = [0; 10];
    let line = |name: &str, numbers: [usize; 10]| {
        let [run, judged, within, baseline, claims @ ..] = numbers;
        let of = |rows: usize| format!("{rows} of {judged}");
        let cells = [name.to_owned(), run.to_string(), of(within), of(baseline)];
        cells.into_iter().chain(claims.map(|n| n.to_string())).collect::<Vec<_>>()
    };
    for one in all {
        let numbers = numbers(one);
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        table.row(None, line(&one.paper.key, numbers));
    }
    if all.len() > 1 {
        table.row(None, line("together", sums));
    }
    let mut page = Page { title: "Scoreboard".to_owned(), table: Some(table), ..Page::default() };
    if let Some(quick) = all.iter().find_map(Reproduction::quick_note) {
        page.doubt(quick);
    }
    page.note(
        "within: rows whose means are within the tolerances, of those with printed numbers; \
         constants: rows that one constant for each table and measure would reach",
    );
    page
}

fn csv(all: &[Reproduction]) -> String {
    let mut text =
        "paper,rows,judged,within,baseline,claims,hold,partly,undecided,fail,open\n".to_owned();
    for one in all {
        let numbers = numbers(one).map(|number| number.to_string());
        text += &format!("{},{}\n", one.paper.key, numbers.join(","));
    }
    text
}

/// The columns: rows, judged, within, baseline, claims, hold, partly, undecided,
/// fail, open.
fn numbers(one: &Reproduction) -> [usize; 10] {
    let s = &one.scoreboard;
    [
        s.run + s.unprinted,
        s.run,
        s.by_means,
        s.baseline,
        s.claims,
        s.hold,
        s.partly,
        s.undecided,
        s.fail,
        s.open,
    ]
}
