//! `tusker evaluate`: a congestion control or a queue policy, by a suite of experiments.

mod written;

use std::path::{Path, PathBuf};

use tusker_lab::suite::{
    Baseline, Comparison, Criterion, Evaluation, Expanded, Regression, Request as Experiments,
    Subject, Suite, Verdict,
};
use tusker_lab::sweep::Sweep;
use tusker_lab::{Budget, Elsewhere, Trouble, Watch, group_name};
use tusker_papers::Paper;
use tusker_papers::page::lists;
use tusker_report::conditions::Judged;
use tusker_report::evaluation::{self, became, named};
use tusker_report::page::{Note, Page, Step};
use tusker_report::terminal::{self, Terminal};
use tusker_report::{html, junit};
use tusker_sim::Simulator;
use tusker_store::folder::{self, Change};
use tusker_store::sweep::Journal;
use tusker_store::{MANIFEST, REPORT};

use super::destination::Destination;
use super::run::RESULTS;
use crate::args::{EvaluateArgs, EvaluateWhen, ReproduceArgs, Request, When, step};
use crate::done::{self, Done, Means, Value};
use crate::failure::Failure;
use crate::outfile::{self, Kind};
use crate::{interrupt, screen};

/// The file with the results.
const EVALUATION: &str = "evaluation.json";

/// The suites, or the experiments of one.
pub fn list(args: &EvaluateArgs) -> Result<Page, Failure> {
    Ok(match &args.suite {
        Some(suite) if Paper::is_suite(suite) => lists::claims(&Paper::find(suite)?),
        Some(suite) => evaluation::experiments(&Suite::find(suite)?),
        None => {
            let all = Suite::names().map(Suite::find).collect::<Result<_, _>>()?;
            let mut page = evaluation::suites(all);
            for paper in Paper::keys().map(Paper::find) {
                let paper = paper?;
                let rows = paper.rows().len().to_string();
                let cells = [paper.about.key, "a paper's claims".to_owned(), rows];
                let cells = cells.into_iter().chain([paper.about.title]);
                page.table.iter_mut().for_each(|table| table.row(None, cells.clone()));
            }
            page
        }
    })
}

/// What `tusker reproduce` is to do, if the suite compares its own experiments: that of a paper,
/// or a folder like one.
///
/// # Errors
/// If an option is given that such a suite does not have.
pub fn of_rows(args: &EvaluateArgs) -> Result<Option<ReproduceArgs>, Failure> {
    let Some(suite) = args.suite.as_ref().filter(|suite| Paper::is_suite(suite)) else {
        return Ok(None);
    };
    let given = [
        (args.law.as_deref().unwrap_or_default(), args.law.is_some()),
        ("--queue", args.queue.is_some()),
        ("--against", args.against.is_some()),
        ("--rate", args.rate.is_some()),
        ("--rtt", args.rtt.is_some()),
        ("--duration", args.duration.is_some()),
        ("--baseline", args.baseline.is_some()),
        ("--junit", args.junit.is_some()),
    ];
    if let Some((option, _)) = given.iter().find(|(_, given)| *given) {
        let message = format!("{option}: the suite {suite} compares its own experiments");
        let help = format!("leave it out; `tusker reproduce {suite}` has options for such a suite");
        return Err(Failure::input(message, help));
    }
    let row = args.print_scenario.as_deref();
    let (case, at) = row.map_or((None, None), |row| match row.split_once('@') {
        Some((case, at)) => (Some(case.to_owned()), Some(at.to_owned())),
        None => (Some(row.to_owned()), None),
    });
    let mut own = ReproduceArgs {
        paper: suite.clone(),
        cases: case.into_iter().collect(),
        at: at.into_iter().collect(),
        print_scenario: row.is_some(),
        how: args.how.clone(),
        ray: args.ray.clone(),
        out: args.out.clone(),
        ..ReproduceArgs::default()
    };
    own.verdict.fail_on.extend(args.fail_on.map(|EvaluateWhen::Worse| When::Worse));
    Ok(Some(own))
}

/// The scenario files of an experiment.
pub fn scenarios(args: &EvaluateArgs, experiment: &str) -> Result<String, Failure> {
    let Job { suite, request } = Job::of(args)?;
    Ok(Expanded::of(&suite, &request)?.scenarios(experiment)?.join("\n"))
}

/// An evaluation, and where it is stored.
#[derive(Debug)]
pub struct Evaluated {
    /// Everything.
    pub evaluation: Evaluation,
    /// A folder, or one in shared storage.
    pub dir: String,
}

impl Value for Evaluated {
    fn json(&self) -> String {
        self.evaluation.to_json()
    }

    fn csv(&self) -> String {
        evaluation::csv(&self.evaluation)
    }
}

/// Evaluates a congestion control or a queue policy, and judges it.
pub fn evaluate(
    request: &Request<EvaluateArgs>,
    means: &Means<'_>,
    watch: &dyn Watch,
) -> Result<Done<Evaluated>, Failure> {
    let args = &request.args;
    outfile::check_each([(&args.junit, Kind::JUnit)])?;
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    let job = Job::of(args)?;
    if let Some(baseline) = &baseline {
        job.check(baseline)?;
    }
    if let Some(own) = written::in_file(args)? {
        let (evaluation, dir) = written::evaluate(&own, args, &job)?;
        return Ok(judged(args, Evaluated { evaluation, dir }, baseline.as_ref()));
    }
    let run = || job.run(request, means, watch);
    let (evaluated, ended) = interrupt::in_order(run)?;
    if let Some(trouble) = ended {
        let text = format!("finished runs are in {}; the same command continues", evaluated.dir);
        let work = vec![Note { text, doubt: true }];
        return Ok(Done::early(Page { work, ..Page::default() }, trouble));
    }
    Ok(judged(args, evaluated, baseline.as_ref()))
}

/// What is evaluated, and how.
struct Job {
    suite: Suite,
    request: Experiments,
}

/// The suite for this subject if nobody names one.
fn suite_of(args: &EvaluateArgs) -> &str {
    let own = if args.queue.is_some() { "aqm" } else { "rfc9743" };
    args.suite.as_deref().unwrap_or(own)
}

impl Job {
    fn of(args: &EvaluateArgs) -> Result<Self, Failure> {
        let name = suite_of(args);
        if Paper::is_suite(name) {
            let message = format!("the suite {name} compares its own experiments");
            return Err(Failure::input(message, "tusker.reproduce runs it"));
        }
        let suite = Suite::find(name)?;
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
        let mut request = Experiments::of(&suite, subject.clone(), args.against.clone(), path)?;
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

    /// Runs what is not there yet; why it ended before everything was done.
    fn run(
        &self,
        request: &Request<EvaluateArgs>,
        means: &Means<'_>,
        watch: &dyn Watch,
    ) -> Result<(Evaluated, Option<Trouble>), Failure> {
        let Request { args, command } = request;
        let Means { build, dir, .. } = *means;
        let Self { suite, request } = self;
        let expanded = Expanded::of(suite, request)?;
        let name = || format!("{}-{}", suite.name, group_name(&request.subject));
        let otherwise = || dir.map_or_else(|| Path::new(RESULTS).join(name()), Path::to_owned);
        let destination = Destination::of(args.out.as_deref(), args.ray.as_ref(), otherwise)?;
        let stopped = || watch.stopped();
        let cluster = destination.reach(args.ray.as_ref(), means.reach.clone(), build, &stopped)?;
        let sweep = Sweep {
            executor: &Simulator,
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
        let (journal, found) = Journal::open(destination.dir(), folder::Kind::Evaluation)?;
        if let Some(cluster) = &cluster {
            cluster.hand_over(&journal)?;
        }
        done::tell_damaged(found.damaged, &destination.shown(destination.dir()), watch);
        let swept = sweep.run(points, &journal, watch)?;
        let (version, command) = (build.version.clone(), command.clone());
        let evaluation = Evaluation::of(&expanded, &swept.runs, version, command);
        let shown = destination.shown(destination.dir());
        if swept.ended.is_none() {
            let dir = destination.dir();
            let mut change = Change::begin(dir, folder::Kind::Evaluation)?;
            change.put(EVALUATION, evaluation.to_json().as_bytes())?;
            change.commit()?;
            let text = html::html(&evaluation::page(&evaluation, None));
            outfile::write(&dir.join(REPORT), Kind::Page, text.as_bytes())?;
            let files: [PathBuf; 3] = [EVALUATION, REPORT, MANIFEST].map(|name| dir.join(name));
            let files = files.each_ref().map(PathBuf::as_path);
            destination.put(cluster.as_ref(), &files, &|| watch.stopped())?;
        }
        Ok((Evaluated { evaluation, dir: shown }, swept.ended))
    }
}

/// The evaluation that a folder has.
fn stored(dir: &Path) -> Result<Evaluation, Failure> {
    let text = folder::read(dir, folder::Kind::Evaluation, EVALUATION)?;
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
    Ok(evaluation::page(&stored(dir)?, None))
}

/// What a terminal without limits and colours shows.
pub fn text(evaluation: &Evaluation) -> String {
    let text = terminal::text(&evaluation::page(evaluation, None), &Terminal::default());
    anstream::adapter::strip_str(&screen::for_stdout(&text)).to_string()
}

/// An evaluation, judged as the flags want.
fn judged(
    args: &EvaluateArgs,
    evaluated: Evaluated,
    baseline: Option<&Baseline>,
) -> Done<Evaluated> {
    let Evaluated { evaluation, dir } = &evaluated;
    let regressions = baseline.map(|own| own.regressions(evaluation));
    let mut page = evaluation::page(evaluation, regressions.as_deref());
    page.next = next(args, evaluation, dir);
    page.work(format!("all values are in {dir}/{REPORT}"));
    let mut judged = Judged::default();
    let worse = args.fail_on == Some(EvaluateWhen::Worse);
    if worse {
        let all = evaluation.comparisons().filter(|(_, own)| own.verdict == Some(Verdict::Worse));
        let cause = |(of, own): (&Criterion, &Comparison)| format!("worse: {}", named(of, own));
        judged.causes.extend(all.map(cause));
    }
    let became = |own: &Regression<'_>| format!("worse than the baseline: {}", became(own));
    judged.causes.extend(regressions.iter().flatten().map(became));
    let mut done = Done { value: None, page, ended: None };
    if let Some(file) = &args.junit {
        let all = regressions.as_deref();
        let suites = evaluation::verdicts(evaluation, worse || all.is_none(), all);
        done.ended = outfile::write(file, Kind::JUnit, &junit::xml(&suites)).err().map(Into::into);
    }
    done.judge(judged);
    done.value = Some(evaluated);
    done
}

/// What to do next.
fn next(args: &EvaluateArgs, evaluation: &Evaluation, dir: &str) -> Vec<Step> {
    let longer = format!("{}s", 3.0 * evaluation.path.duration_s);
    let longer = EvaluateArgs { duration: Some(longer), ..args.clone() };
    let few = evaluation.counts.few_episodes > 0;
    let longer = few.then(|| step(&longer, "makes runs long enough for long-term means"));
    let baseline = EvaluateArgs {
        baseline: Some(Path::new(dir).join(EVALUATION)),
        out: Some("later".into()),
        ..args.clone()
    };
    let baseline = step(&baseline, "fails if a later version is surely worse than this one");
    longer.flatten().into_iter().chain(baseline).collect()
}
