//! `--claim`: one or several claims, judged with every seed and reading for which there are
//! runs.
//!
//! ```text
//!  --claim a,b | 'a(1) > b(2)'      tusker_papers::asked
//!      the rows that they need, as far as --table, --case and --at choose them
//!  --recorded PATH | a run          runs.rs: each replicate is the run of its seed
//!      Claim::answer                tusker_papers::conclusions: Answers
//!  page.rs: a page for the terminal and as HTML; JSON; CSV
//! ```

mod list;
mod page;
mod runs;

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use tusker_papers::Paper;
use tusker_papers::asked::Asked;
use tusker_papers::claims::Claim;
use tusker_papers::conclusions::{Answer, Answers, Runs};
use tusker_papers::rows::{BASE, Row};
use tusker_report::Page;

pub use self::list::list;
pub use self::page::readings as readings_of;
use super::verdict::Failing;
use super::{Job, cluster::Shared, figures, on_testbed, readings, recorded, selection};
use crate::args::{Format, ReproduceArgs};
use crate::failure::Failure;
use crate::output::{print, say};
use crate::pages;
use crate::running::command_line;

/// Answers to `--claim`.
pub fn answer(paper: &Paper, args: &ReproduceArgs) -> Result<(), Failure> {
    if on_testbed(args) {
        let message = "--claim: rows on real sockets are judged together";
        return Err(Failure::input(message, "leave out --claim, or --plane testbed"));
    }
    let mut verdict = Failing::asked(args, &[paper])?;
    let asked = paper.asked(&args.claim.asked)?;
    let rows = needed(paper, args, &asked)?;
    let Some(path) = &args.recorded else {
        let shared = Shared::of(args, || Path::new(super::RESULTS).join(&paper.about.key))?;
        let job = Job::new(paper, args, &shared, shared.dir().to_owned());
        return job.claims(&asked, &rows, verdict);
    };
    if let Some(out) = &args.out {
        super::results::may(out)?;
    }
    let runs = recorded::runs_of_all(paper, path, args, &rows)?;
    let answers = judged(paper, args, &asked, &runs, &rows)?;
    nothing_recorded(&answers, args, path)?;
    let page = page::page(paper, args, &answers, None);
    show(&answers, &page, args)?;
    if let Some(out) = &args.out {
        let page = save(paper, out, args, &asked, &answers, &page)?;
        if !args.how.quiet {
            say(&format!("the claim's page, which can be sent: {}", page.display()));
        }
    }
    verdict.add_claims(paper, &answers.claims);
    verdict.end()
}

/// Prints answers in the format that was asked for.
fn show(answers: &Answers, page: &Page, args: &ReproduceArgs) -> Result<(), Failure> {
    match args.how.format {
        Format::Table => pages::print(page, args.how.quiet),
        Format::Json => print(&answers.json()),
        Format::Csv => print(&Answer::csv(&answers.claims)),
    }
}

/// The rows that the comparisons need, as far as they were chosen.
fn needed<'a>(
    paper: &'a Paper,
    args: &ReproduceArgs,
    asked: &[Asked],
) -> Result<Vec<Row<'a>>, Failure> {
    let chosen = paper.select(&selection(args))?;
    let ids: BTreeSet<String> = chosen.iter().map(Row::id).collect();
    let none = Runs::default();
    let claims = || asked.iter().flat_map(|one| &one.claims);
    let answers = claims().filter_map(|claim| claim.answer(paper, &none, BASE, None, &ids));
    let rows: BTreeSet<String> = answers.flat_map(|answer| answer.row_ids).collect();
    if rows.is_empty() {
        let needs = |claim: &Claim| claim.operands(paper).unwrap_or_default();
        let all: BTreeSet<String> =
            claims().flat_map(needs).map(|operand| operand.row.to_string()).collect();
        let some: Vec<String> = all.into_iter().take(6).collect();
        let message = "--claim: none of its comparisons has all its rows among the chosen ones";
        let help = format!(
            "it compares {}, ...; leave out --table, --case or --at, or name more",
            some.join(", ")
        );
        return Err(Failure::input(message, help));
    }
    Ok(chosen.into_iter().filter(|row| rows.contains(&row.id())).collect())
}

/// What these runs say, and no other ones.
fn judged(
    paper: &Paper,
    args: &ReproduceArgs,
    asked: &[Asked],
    runs: &Runs,
    rows: &[Row<'_>],
) -> Result<Answers, Failure> {
    let (reading, seeds) = (reading(args)?, seeds(args));
    let ids: BTreeSet<String> = rows.iter().map(Row::id).collect();
    let shorter = |row: &Row<'_>| !paper.quick(row).is_empty();
    let mut answers = Answers {
        paper: paper.about.key.clone(),
        quick: args.quick && rows.iter().any(shorter),
        reading,
        conclusions: Vec::new(),
        claims: Vec::new(),
    };
    for one in asked {
        let of = |claim: &Claim| claim.answer(paper, runs, &answers.reading, seeds.as_ref(), &ids);
        let mut found: Vec<Answer> = one.claims.iter().filter_map(of).collect();
        if args.sets.is_empty() {
            found.iter_mut().for_each(|answer| answer.explain(paper, args.quick));
        }
        let whole = found.len() == one.claims.len();
        answers.conclusions.extend(one.conclusion.iter().filter(|_| whole).map(|c| c.of(&found)));
        for answer in found {
            if !answers.claims.iter().any(|known| known.id == answer.id) {
                answers.claims.push(answer);
            }
        }
    }
    Ok(answers)
}

/// The reading under which claims are judged; the base if several are run.
fn reading(args: &ReproduceArgs) -> Result<String, Failure> {
    let names = if args.compare_readings { Vec::new() } else { readings::combined(args)? };
    Ok(if names.is_empty() { BASE.to_owned() } else { names.join("+") })
}

/// With `--seed`, the seeds that judge.
fn seeds(args: &ReproduceArgs) -> Option<Range<u64>> {
    let first = args.how.seed.filter(|_| !args.conclusions)?;
    let count = u64::from(args.how.replicates.unwrap_or(1));
    Some(first..first.saturating_add(count))
}

/// Saves the page and its JSON; where the page is.
fn save(
    paper: &Paper,
    folder: &Path,
    args: &ReproduceArgs,
    asked: &[Asked],
    answers: &Answers,
    page: &Page,
) -> Result<PathBuf, Failure> {
    const LONGEST: usize = 60;
    let ids: Vec<&str> = match asked {
        [Asked { conclusion: Some(own), .. }] => vec![own.id.as_str()],
        all => all.iter().flat_map(|one| &one.claims).map(|claim| claim.id.as_str()).collect(),
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = ids.join("-").chars().map(plain).collect();
    let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
    let name: String = parts.join("-").chars().take(LONGEST).collect();
    let name = format!("claim-{}", name.trim_end_matches('-'));
    let path = folder.join(format!("{name}.html"));
    let mut page = page.clone();
    let about = &paper.about;
    page.lead = format!("{}; {}; {}", about.title, about.authors, about.covers);
    page.commands = vec![tusker_report::results::command(&command_line())];
    page.title = args.claim.title.clone().unwrap_or(page.title);
    figures::write(folder, &format!("{name}.json"), &answers.json())?;
    figures::write_page(&path, &page)?;
    Ok(path)
}

fn nothing_recorded(answers: &Answers, args: &ReproduceArgs, path: &Path) -> Result<(), Failure> {
    if answers.claims.iter().any(|answer| answer.ours.of > 0) {
        return Ok(());
    }
    let others = answers.claims.iter().flat_map(|answer| &answer.readings[1..]);
    let known: BTreeSet<&str> = others.map(|own| own.reading.as_str()).collect();
    let seed = args.how.seed.map_or(String::new(), |seed| format!(" with seed {seed}"));
    let message = format!(
        "--recorded {}: it has none of these rows under the reading {}{seed}",
        path.display(),
        answers.reading
    );
    let help = match known.len() {
        0 => "leave out --recorded to run them".to_owned(),
        _ => format!("it has them under {}", Vec::from_iter(known).join(", ")),
    };
    Err(Failure::input(message, help))
}
