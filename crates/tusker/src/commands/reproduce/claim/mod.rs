//! `--claim`: one or several claims, judged with every seed and reading for which there are
//! runs.
//!
//! ```text
//!  --claim a,b | 'a(1) > b(2)'      tusker_papers::asked
//!      the rows that they need, as far as --table, --case and --at choose them
//!  --recorded PATH | a run          runs.rs: each replicate is the run of its seed
//!      Claim::answer                tusker_papers::conclusions
//!  text.rs, page.rs, JSON, CSV
//! ```

mod could;
mod differences;
mod known;
mod nearest;
mod numbers;
mod page;
mod pairs;
mod rows;
mod runs;
mod setup;
mod steps;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use tusker_papers::Paper;
use tusker_papers::asked::Asked;
use tusker_papers::claims::{Claim, Verdict};
use tusker_papers::conclusions::{Answer, ConclusionResult, InRuns, Run, Runs};
use tusker_papers::reproduction::QUICK_LOOK;
use tusker_papers::rows::{BASE, Row};

pub use self::numbers::known_cells;
pub use self::text::known as known_table;
pub use self::text::list;
use super::shared::Shared;
use super::sources::Origin;
use super::verdict::Verdict as Failing;
use super::{Job, RESULTS, on_testbed, readings, selection, sources};
use crate::args::{Format, ReproduceArgs};
use crate::failure::Failure;
use crate::output::{print, say};
use crate::running::command_line;

/// What was asked, with the answers.
struct Told<'a> {
    paper: &'a Paper,
    args: &'a ReproduceArgs,
    asked: Vec<One>,
    command: Vec<String>,
    /// Commands that one would run next, and what each is good for.
    steps: Vec<(String, String)>,
    /// Which place has which runs, if there are several.
    origins: Vec<Origin>,
    /// What is known of each claim without one's own runs, by its id, if both were named.
    before: BTreeMap<String, String>,
    /// Which of the rows that were run phase effects decide.
    doubtful: Option<String>,
    /// Whether what comes with the program has the values of these runs, so that both are
    /// judged together.
    agree: bool,
    /// The same of runs of `--quick`, which are judged alone.
    agree_quick: bool,
}

/// One name, and what it stands for.
struct One {
    /// A conclusion, judged on the same runs; none if it is a claim, or if rows were chosen.
    conclusion: Option<ConclusionResult>,
    /// The sentence of the conclusion.
    says: Option<String>,
    /// That its id is also that of a claim, and how to ask for one of the two.
    both: Option<String>,
    answers: Vec<Answer>,
}

impl Told<'_> {
    fn answers(&self) -> impl Iterator<Item = &Answer> {
        self.asked.iter().flat_map(|one| &one.answers)
    }

    /// The verdict of each answer by its id.
    fn reasoned(&self) -> BTreeMap<String, String> {
        let of = |answer: &Answer| (answer.id.clone(), answer.reasoned(self.paper));
        self.answers().map(of).collect()
    }

    /// What a verdict rests on, and what it would be without one's own runs.
    fn facts(&self, answer: &Answer) -> Vec<(String, String)> {
        let mut facts = answer.facts(self.paper);
        let before = self.before.get(&answer.id);
        facts.extend(before.map(|before| ("without own runs".to_owned(), before.clone())));
        facts
    }

    /// The rows that are compared.
    fn rows(&self) -> Vec<Row<'_>> {
        let ids = self.answers().flat_map(|answer| &answer.comparisons).flat_map(|one| &one.rows);
        let ids: BTreeSet<&String> = ids.collect();
        self.paper.rows().into_iter().filter(|row| ids.contains(&row.id())).collect()
    }

    /// What `--quick` means for these verdicts; nothing if the rows are as long as the paper's.
    fn quick(&self) -> Option<&'static str> {
        let shorter = |row: &Row<'_>| !self.paper.quick(row).is_empty();
        (self.args.quick && self.rows().iter().any(shorter)).then_some(QUICK_LOOK)
    }

    /// Which recorded results are older than the program, if these may be.
    fn stale(&self) -> Option<&str> {
        let stale = self.paper.about.stale.as_deref();
        let Some(path) = self.args.recorded.as_ref() else {
            return stale.filter(|_| self.answers().any(|answer| !answer.recorded.is_empty()));
        };
        let own = |path: &PathBuf| sources::is_own(path, &self.paper.about.key);
        stale.filter(|_| !sources::sources(path).iter().all(own))
    }

    /// Why what comes with the program is judged with these runs, or is not shown beside them.
    fn not_beside(&self) -> Option<String> {
        if self.agree {
            return Some(
                "Your runs have the values that were recorded with the program, so the recorded \
                 seeds and readings count as well."
                    .to_owned(),
            );
        }
        let none = self.args.recorded.is_some() || recorded_too(self.args);
        let there = self.paper.full_csv.is_some();
        (there && !none).then(|| {
            let same = match self.agree_quick {
                true => {
                    "Your runs have the values that were recorded with the program for --quick. "
                }
                false => "",
            };
            format!(
                "{same}Other recorded results have the paper's length and no --set, so they are \
                 not shown beside these runs; the same command with --recorded papers, and \
                 without --quick and --set, shows them."
            )
        })
    }

    /// What JSON has, once each.
    fn distinct(&self) -> Vec<Answer> {
        let mut all: Vec<Answer> = Vec::new();
        for answer in self.answers() {
            if !all.iter().any(|known| known.id == answer.id) {
                all.push(answer.clone());
            }
        }
        all
    }

    fn shown(&self) -> String {
        match self.args.how.format {
            Format::Table => text::told(self),
            Format::Json => Answer::json(&self.distinct()),
            Format::Csv => Answer::csv(&self.distinct(), &self.paper.cases.variant.name),
        }
    }

    /// A name for its files: `claim-case7-fairer-than-4`.
    fn file(&self) -> String {
        const LONGEST: usize = 60;
        let ids: Vec<&str> = match self.asked.as_slice() {
            [One { conclusion: Some(own), .. }] => vec![own.id.as_str()],
            all => all.iter().flat_map(|one| &one.answers).map(|a| a.id.as_str()).collect(),
        };
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = ids.join("-").chars().map(plain).collect();
        let parts: Vec<&str> = name.split('-').filter(|part| !part.is_empty()).collect();
        let name: String = parts.join("-").chars().take(LONGEST).collect();
        format!("claim-{}", name.trim_end_matches('-'))
    }

    /// The page and what it shows as JSON; where the page is.
    fn save(&self, folder: &Path) -> Result<PathBuf, Failure> {
        let path = folder.join(format!("{}.html", self.file()));
        let json = format!("{}.json", self.file());
        super::figures::write(folder, &json, &Answer::json(&self.distinct()))?;
        super::figures::write_page(&path, &page::page(self))?;
        Ok(path)
    }
}

/// `tusker reproduce PAPER --claim ...`.
pub fn answer(paper: &Paper, args: &ReproduceArgs) -> Result<(), Failure> {
    refuse(args)?;
    if args.list_readings {
        return print(&could::could_change(paper, args)?);
    }
    let mut verdict = Failing::asked(args, &[paper])?;
    let asked = paper.asked(&args.claim.asked)?;
    let rows = needed(paper, args, &asked)?;
    if let Some(path) = &args.recorded {
        if let Some(out) = &args.out {
            super::saved::may(out)?;
        }
        let runs = sources::runs(paper, path, args, &rows)?;
        let mean = sources::mean(paper, path, args);
        let before = match runs.recorded(paper) {
            Some(alone) => {
                judged(paper, args, asked.clone(), (&alone, mean.as_ref()), &rows)?.reasoned()
            }
            None => BTreeMap::new(),
        };
        let mut told = judged(paper, args, asked, (&runs.all, mean.as_ref()), &rows)?;
        told.before = before;
        nothing_recorded(&told, path)?;
        // those that change nothing have the values of the base
        let shown = told.answers().flat_map(known::runs).map(|runs| runs.reading.as_str());
        let judged = told.answers().next().map_or(BASE, |answer| answer.reading.as_str());
        let origins = runs.origins(paper, &shown.collect(), judged);
        told.origins = origins;
        let results = Path::new(RESULTS).join(&paper.about.key);
        let shared = Shared::of(args, || results.clone())?;
        told.steps = steps::all(&told, &Job::new(paper, args, &shared, results));
        print(&told.shown())?;
        if let Some(out) = &args.out {
            let page = told.save(out)?;
            if !args.how.quiet {
                say(&format!("the claim's page, which can be sent: {}", page.display()));
            }
        }
        verdict.add_claims(paper, &told.distinct());
        return verdict.end();
    }
    let shared = Shared::of(args, || Path::new(RESULTS).join(&paper.about.key))?;
    let job = Job::new(paper, args, &shared, shared.dir().to_owned());
    job.claims(asked, &rows, verdict)
}

/// What is about one row or all of them, and not about a claim.
fn refuse(args: &ReproduceArgs) -> Result<(), Failure> {
    if on_testbed(args) {
        let message = "--claim: rows on real sockets are judged together";
        return Err(Failure::input(message, "leave out --claim, or --plane testbed"));
    }
    Ok(())
}

/// The rows of these claims, as far as they are chosen; an error if no comparison has all
/// of its rows among them.
fn needed<'a>(
    paper: &'a Paper,
    args: &ReproduceArgs,
    asked: &[Asked],
) -> Result<Vec<Row<'a>>, Failure> {
    let chosen = paper.select(&selection(args))?;
    let ids: BTreeSet<String> = chosen.iter().map(Row::id).collect();
    let none = Runs::default();
    let answers = claims(asked).filter_map(|claim| claim.answer(paper, &none, BASE, &ids));
    let rows: BTreeSet<String> =
        answers.flat_map(|answer| answer.comparisons).flat_map(|one| one.rows).collect();
    if rows.is_empty() {
        let mut all: Vec<String> = claims(asked)
            .flat_map(|claim| claim.operands(paper).unwrap_or_default())
            .map(|operand| operand.row)
            .collect();
        all.dedup();
        let message = "--claim: none of its comparisons has all its rows among the chosen ones";
        let help = format!(
            "it compares {}; leave out --table, --case or --at, or name more",
            text::shortened(&all, " and")
        );
        return Err(Failure::input(message, help));
    }
    Ok(chosen.into_iter().filter(|row| rows.contains(&row.id())).collect())
}

fn claims(asked: &[Asked]) -> impl Iterator<Item = &Claim> {
    asked.iter().flat_map(|one| &one.claims)
}

/// Every claim that was asked about, on these runs, or by means where these lack rows.
fn judged<'a>(
    paper: &'a Paper,
    args: &'a ReproduceArgs,
    asked: Vec<Asked>,
    (runs, mean): (&Runs, Option<&Run>),
    rows: &[Row<'_>],
) -> Result<Told<'a>, Failure> {
    let reading = reading(args)?;
    let seeds = seeds(args);
    let recorded = recorded_too(args).then(|| (paper.recorded_runs(), paper.recorded_mean()));
    let ids: BTreeSet<String> = rows.iter().map(Row::id).collect();
    // what was recorded by a program that gives the same is as good as one's own runs
    let fresh = recorded.as_ref().filter(|_| paper.about.stale.is_none());
    let joined = fresh.and_then(|(recorded, _)| runs.with_agreeing(recorded, &ids));
    let agree = joined.is_some();
    let quick = paper.recorded_quick().filter(|_| args.quick && args.sets.is_empty());
    let quick = quick.filter(|_| args.recorded.is_none() && paper.about.stale.is_none());
    let agree_quick =
        quick.is_some_and(|quick| runs.with_agreeing(&Runs(vec![quick]), &ids).is_some());
    let runs = joined.as_ref().unwrap_or(runs);
    let recorded = recorded.filter(|_| !agree);
    let one = |asked: Asked| {
        let answers = asked.claims.iter();
        let one = |claim: &Claim| match &seeds {
            None => claim.answer_or_mean(paper, runs, mean, &reading, &ids),
            Some(seeds) => claim.answer_with(paper, runs, &reading, Some(seeds), &ids),
        };
        let mut answers: Vec<Answer> = answers.filter_map(one).collect();
        for answer in &mut answers {
            let own = asked.claims.iter().find(|claim| claim.id == answer.id);
            let recorded = own.zip(recorded.as_ref()).and_then(|(claim, (runs, mean))| {
                claim.answer_or_mean(paper, runs, mean.as_ref(), &reading, &ids)
            });
            let recorded = recorded.map_or(Vec::new(), |recorded| besides(answer, recorded));
            *answer = answer.clone().with_recorded(paper, recorded);
        }
        if args.sets.is_empty() {
            answers.iter_mut().for_each(|answer| answer.explain(paper, args.quick));
        }
        let whole = answers.len() == asked.claims.len() && answers.iter().all(|a| a.left_out == 0);
        let mut runs = runs.clone();
        let asked_for = |seed| seeds.as_ref().is_none_or(|seeds| seeds.contains(&seed));
        runs.0.retain(|run| run.reading != reading || asked_for(run.seed));
        let conclusion = asked.conclusion.as_ref().filter(|_| whole && reading == BASE);
        let both = asked.conclusion.as_ref().filter(|_| asked.both).map(|own| {
            format!(
                "{0} is the id of a conclusion and of a claim; these are all claims of the \
                 conclusion, and --claim claim:{0} asks for the claim alone",
                own.id
            )
        });
        One {
            both,
            conclusion: conclusion.map(|own| own.judge(paper, &runs, &|_| Verdict::Open)),
            says: asked.conclusion.map(|own| own.says),
            answers,
        }
    };
    let asked = asked.into_iter().map(one).filter(|one| !one.answers.is_empty()).collect();
    let (steps, origins, before, doubtful) = Default::default();
    Ok(Told {
        paper,
        args,
        asked,
        command: command_line(),
        steps,
        origins,
        before,
        doubtful,
        agree,
        agree_quick,
    })
}

/// Whether what comes with the program is shown beside runs of these rows: these are as long.
fn recorded_too(args: &ReproduceArgs) -> bool {
    args.recorded.is_none() && !args.quick && args.sets.is_empty()
}

/// What was recorded of a claim that its own runs do not have.
fn besides(own: &Answer, recorded: Answer) -> Vec<InRuns> {
    let Answer { seeds, all, readings, .. } = recorded;
    let mut found: Vec<InRuns> = seeds.into_iter().chain([all]).chain(readings).collect();
    let known = |one: &InRuns| {
        let all = own.seeds.iter().chain([&own.all]).chain(&own.readings);
        all.filter(|o| o.of > 0).any(|o| o.reading == one.reading && o.seeds == one.seeds)
    };
    found.retain(|one| one.of > 0 && !known(one));
    found
}

/// The reading under which claims are judged; with --compare-readings the base, since each
/// of --reading is one of those it is compared with.
fn reading(args: &ReproduceArgs) -> Result<String, Failure> {
    let names = if args.compare_readings { Vec::new() } else { readings::combined(args)? };
    Ok(if names.is_empty() { BASE.to_owned() } else { names.join("+") })
}

/// With --seed, this seed and those that follow; else every seed.
fn seeds(args: &ReproduceArgs) -> Option<Range<u64>> {
    let first = args.how.seed.filter(|_| !args.conclusions)?;
    let count = u64::from(args.how.replicates.unwrap_or(1));
    Some(first..first.saturating_add(count))
}

/// The error if nothing recorded says anything of these claims.
fn nothing_recorded(told: &Told<'_>, path: &Path) -> Result<(), Failure> {
    if told.answers().any(|answer| answer.all.of > 0) {
        return Ok(());
    }
    let mut known: Vec<&str> = Vec::new();
    for own in told.answers().flat_map(|answer| &answer.readings) {
        if !known.contains(&own.reading.as_str()) {
            known.push(&own.reading);
        }
    }
    let reading = told.answers().next().map_or("", |answer| answer.reading.as_str());
    let seed = told.args.how.seed.map_or(String::new(), |seed| format!(" with seed {seed}"));
    let message = format!(
        "--recorded {}: it has none of these rows under the reading {reading}{seed}",
        path.display()
    );
    let help = match known.as_slice() {
        [] => "leave out --recorded to run them".to_owned(),
        names => format!("it has them under {}", names.join(", ")),
    };
    Err(Failure::input(message, help))
}
