//! `tusker evaluate`: a congestion control or a queue policy, by a suite of experiments.

mod csv;
mod page;
mod written;

use std::path::{Path, PathBuf};

use tusker_lab::suite::{
    Baseline, Comparison, Criterion, Evaluation, Expanded, Regression, Request,
};
use tusker_lab::suite::{Subject, Suite, Verdict};
use tusker_lab::sweep::Sweep;
use tusker_lab::{Budget, Elsewhere, Trouble, Watch, group_name};
use tusker_measure::condition::Verdict as Holds;
use tusker_measure::table::{counted, verb};
use tusker_plan::executor::Executor;
use tusker_plan::plane::Plane;
use tusker_report::terminal::{self, Terminal};
use tusker_report::{Page, html};
use tusker_sim::Simulator;
use tusker_store::folder::{self, Change, Kind};
use tusker_store::sweep::Journal;
use tusker_store::{Build, MANIFEST, REPORT};

use super::place::Place;
use super::run::RESULTS;
use crate::args::{EvaluateArgs, EvaluateWhen, Format};
use crate::cluster::Reach;
use crate::failure::Failure;
use crate::junit::{self, Case};
use crate::output::{print, print_and_go_on, say};
use crate::running::{command_line, watcher};
use crate::{interrupt, next, outfile, scenarios, screen};

/// The file with the results.
const EVALUATION: &str = "evaluation.json";

pub fn evaluate(args: &EvaluateArgs) -> Result<(), Failure> {
    if args.list {
        return list(args);
    }
    junit::check(args.junit.as_deref())?;
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let asked = Asked::of(args)?;
    if let Some(name) = &args.print_scenario {
        let expanded = Expanded::of(&asked.suite, &asked.request)?;
        return print(&expanded.scenarios(name)?.join("\n"));
    }
    if let Some(baseline) = &baseline {
        asked.check(baseline)?;
    }
    if let Some(own) = written::in_file(args)? {
        let (evaluation, dir) = written::evaluate(&own, args, &asked)?;
        return finish(args, &evaluation, baseline.as_ref(), &dir);
    }
    let build = scenarios::build(Plane::Simulator);
    let watch = watcher(&args.how);
    let by = (&Simulator as &dyn Executor, Reach::default());
    let run = || asked.run(args, &build, None, by, command_line(), &watch);
    let Done { evaluation, dir, damaged, ended } = interrupt::in_order(run)?;
    if damaged > 0 {
        let (lines, are) = (counted(damaged as u128, "line"), verb(damaged as u128, "is", "are"));
        say(&format!("note: {lines} in {dir}/runs {are} damaged; their runs are repeated"));
    }
    if let Some(trouble) = ended {
        say(&format!("finished runs are in {dir}; the same command continues"));
        return Err(trouble.into());
    }
    finish(args, &evaluation, baseline.as_ref(), &dir)
}

/// What was asked for.
pub struct Asked {
    suite: Suite,
    request: Request,
}

/// What became of it.
pub struct Done {
    pub evaluation: Evaluation,
    /// Where it is stored.
    pub dir: String,
    /// Lines of earlier runs that are not what was written.
    damaged: usize,
    /// Why it ended before everything was done.
    pub ended: Option<Trouble>,
}

/// The suite for this subject if nobody names one.
fn suite_of(args: &EvaluateArgs) -> &str {
    let own = if args.queue.is_some() { "aqm" } else { "rfc9743" };
    args.suite.as_deref().unwrap_or(own)
}

impl Asked {
    pub fn of(args: &EvaluateArgs) -> Result<Self, Failure> {
        let suite = Suite::find(suite_of(args))?;
        let subject = match (suite.subject, &args.law, &args.queue) {
            (Subject::Cc, Some(law), None) => law,
            (Subject::Queue, None, Some(queue)) => queue,
            (Subject::Cc, ..) => {
                let message = format!("the suite {} is for congestion controls", suite.name);
                return Err(Failure::input(message, "name one, without --queue"));
            }
            (Subject::Queue, ..) => {
                let message = format!("the suite {} is for queue policies", suite.name);
                return Err(Failure::input(message, "name one with --queue"));
            }
        };
        let path = [&args.rate, &args.rtt, &args.duration].map(Option::as_deref);
        let mut request = Request::of(&suite, subject.clone(), args.against.clone(), path)?;
        request.replicates = args.how.replicates.unwrap_or(request.replicates);
        request.seed = args.how.seed.unwrap_or(request.seed);
        if request.replicates < 2 {
            let help = "verdicts need intervals: at least 2, better 8";
            return Err(Failure::input("--replicates 1 is too few", help));
        }
        Ok(Self { suite, request })
    }

    /// Makes sure that results can be held to an earlier evaluation.
    fn check(&self, baseline: &Baseline) -> Result<(), Failure> {
        let Self { suite, request } = self;
        Ok(baseline.check(&suite.name, &request.against, request.path())?)
    }

    /// Runs what is not there yet. Results go into `dir`, unless the flags name a folder.
    pub fn run(
        &self,
        args: &EvaluateArgs,
        build: &Build,
        dir: Option<&Path>,
        (executor, reach): (&dyn Executor, Reach),
        command: Vec<String>,
        watch: &dyn Watch,
    ) -> Result<Done, Failure> {
        let Self { suite, request } = self;
        let expanded = Expanded::of(suite, request)?;
        let name = || format!("{}-{}", suite.name, group_name(&request.subject));
        let otherwise = || dir.map_or_else(|| Path::new(RESULTS).join(name()), Path::to_owned);
        let place = Place::of(args.out.as_deref(), args.ray.as_ref(), otherwise)?;
        let cluster = place.reach(args.ray.as_ref(), reach, build, &|| watch.stopped())?;
        let sweep = Sweep {
            executor,
            elsewhere: cluster.as_ref().map(|cluster| cluster as &dyn Elsewhere),
            jobs: args.how.jobs.map(|jobs| jobs as usize),
            budget: args.how.memory.map_or_else(Budget::unasked, Budget::asked),
            points: expanded.len(),
            scenario: &|point| expanded.scenario(point),
            build,
            until: None,
            measures: &[],
        };
        // before there is a folder: a mistake leaves none
        let points = sweep.prepare(watch)?;
        let (journal, found) = Journal::open(place.dir(), Kind::Evaluation)?;
        if let Some(cluster) = &cluster {
            cluster.hand_over(&journal)?;
        }
        let swept = sweep.run(points, &journal, watch)?;
        let evaluation = Evaluation::of(&expanded, &swept.runs, build.version.clone(), command);
        let shown = place.shown(place.dir());
        if swept.ended.is_none() {
            let dir = place.dir();
            let mut change = Change::begin(dir, Kind::Evaluation)?;
            change.put(EVALUATION, evaluation.to_json().as_bytes())?;
            change.commit()?;
            let text = html::html(&page::page(&evaluation, None));
            outfile::write(&dir.join(REPORT), outfile::Kind::Page, text.as_bytes())?;
            let files: [PathBuf; 3] = [EVALUATION, REPORT, MANIFEST].map(|name| dir.join(name));
            let files = files.each_ref().map(PathBuf::as_path);
            place.put(cluster.as_ref(), &files, &|| watch.stopped())?;
        }
        Ok(Done { evaluation, dir: shown, damaged: found.damaged, ended: swept.ended })
    }
}

/// The evaluation that a folder has.
fn stored(dir: &Path) -> Result<Evaluation, Failure> {
    let text = folder::read(dir, Kind::Evaluation, EVALUATION)?;
    let Some(text) = text else {
        let message =
            format!("{} has runs, but no evaluation was made from them yet", dir.display());
        let help = "the command was stopped: the same command continues it";
        return Err(Failure::input(message, help));
    };
    serde_json::from_slice(&text).map_err(|error| {
        let message = format!("{}/{EVALUATION}: {error}", dir.display());
        Failure::input(message, "it was made by another version of Tusker: evaluate again")
    })
}

/// Its page.
pub fn stored_page(dir: &Path) -> Result<Page, Failure> {
    Ok(page::page(&stored(dir)?, None))
}

/// What a terminal without limits and colours shows.
pub fn text(evaluation: &Evaluation) -> String {
    let text = terminal::text(&page::page(evaluation, None), &Terminal::default());
    anstream::adapter::strip_str(&screen::for_stdout(&text)).to_string()
}

/// Prints it, and judges it as the flags want.
fn finish(
    args: &EvaluateArgs,
    evaluation: &Evaluation,
    baseline: Option<&Baseline>,
    dir: &str,
) -> Result<(), Failure> {
    let regressions = baseline.map(|own| own.regressions(evaluation));
    let mut page = page::page(evaluation, regressions.as_deref());
    page.next = page::next(evaluation, dir);
    let shape = screen::terminal(args.how.quiet);
    let text = match args.how.format {
        Format::Table => terminal::text(&page, &shape),
        Format::Json => evaluation.to_json(),
        Format::Csv => csv::csv(evaluation),
    };
    let printed = print_and_go_on(&text, args.how.quiet);
    if !args.how.quiet {
        say(&format!("all values are in {dir}/{REPORT}"));
    }
    terminal::talk(&page, &shape, &next::program()).iter().for_each(|line| say(line));
    let worse = args.fail_on == Some(EvaluateWhen::Worse);
    if let Some(file) = &args.junit {
        let regressions = regressions.as_deref();
        junit::write(file, &suites(evaluation, worse || regressions.is_none(), regressions))?;
    }
    let mut causes: Vec<String> = Vec::new();
    if worse {
        let all = evaluation.comparisons().filter(|(_, own)| own.verdict == Some(Verdict::Worse));
        let cause =
            |(of, own): (&Criterion, &Comparison)| format!("worse: {}", page::named(of, own));
        causes.extend(all.map(cause));
    }
    let became = |own: &Regression<'_>| format!("worse than the baseline: {}", page::became(own));
    causes.extend(regressions.iter().flatten().map(became));
    printed.and(if causes.is_empty() { Ok(()) } else { Err(Failure::Verdict(causes)) })
}

/// A suite for each experiment, with a case for each comparison.
fn suites(
    evaluation: &Evaluation,
    judged: bool,
    regressions: Option<&[Regression<'_>]>,
) -> Vec<junit::Suite> {
    let case = |of: &Criterion, own: &Comparison| {
        let name = page::short(own);
        let regressed = regressions.into_iter().flatten();
        let found = regressed.into_iter().find(|one| std::ptr::eq(one.comparison, own));
        let (verdict, why) = match (found, own.verdict) {
            (Some(one), _) => (Holds::DoesNotHold, vec![page::became(one)]),
            (None, Some(Verdict::Worse)) if judged => {
                (Holds::DoesNotHold, vec![page::named(of, own)])
            }
            (
                None,
                Some(verdict @ (Verdict::Undecided | Verdict::NoInterval | Verdict::NoValue)),
            ) if judged => {
                let why = format!("{}: {}", verdict.words(), page::named(of, own));
                (Holds::Undecided, vec![why])
            }
            _ => (Holds::Holds, Vec::new()),
        };
        Case { name, verdict, why }
    };
    let suite = |of: &Criterion| junit::Suite {
        name: format!("{} {}", evaluation.suite, of.name),
        cases: of.comparisons.iter().map(|own| case(of, own)).collect(),
    };
    evaluation.criteria.iter().map(suite).collect()
}

/// The suites, or the experiments of one.
fn list(args: &EvaluateArgs) -> Result<(), Failure> {
    let page = match &args.suite {
        Some(suite) => page::experiments(&Suite::find(suite)?),
        None => page::suites(Suite::names().map(Suite::find).collect::<Result<_, _>>()?),
    };
    print(&terminal::text(&page, &screen::terminal(false)))
}
