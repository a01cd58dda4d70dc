//! The commands for callers other than the command line, such as the Python package: they take
//! requests as JSON, which become the same types as options, and print nothing.
//!
//! ```text
//!   JSON --> args --> experiments --Lab--> Outcome      run, compare
//!                 --> points -------Sweep-> SweepDone   sweep
//!                 --> a question ---Planner-> PlanDone  plan
//!                 --> rows of a paper --Lab-> ReproductionDone
//!                 --> a suite ------Sweep-> EvaluationDone
//! ```

use std::path::{Path, PathBuf};

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};
use tusker_lab::suite::Evaluation;
use tusker_lab::sweep::alone;
use tusker_lab::{Budget, Experiment, Lab, Outcome, Ready, Trouble, Watch};
use tusker_measure::summary::{Replicate, Summary, View};
use tusker_papers::Reproduction;
use tusker_plan::executor::{Executor, Pausing};
use tusker_plan::run::Run;
use tusker_scenario::Scenario;
use tusker_store::sweep::{BASE, POINTS, SweepSummary};
use tusker_store::{Build, Columns, Existing, Format, Store};
use tusker_transfer::Onlooker;
use tusker_transfer::answer::PlanSummary;

use crate::args::{
    CompareArgs, EvaluateArgs, HowArgs, PlanArgs, ReproduceArgs, Request, RunArgs, SaveArgs,
    SweepArgs,
};
pub use crate::cluster::Reach;
use crate::commands;
pub use crate::commands::folders::claim;
use crate::commands::folders::{open, open_each};
use crate::commands::place::Place;
use crate::fail_on::Asked as Conditions;
pub use crate::failure::Failure;
use crate::notes;
use crate::scenarios;
pub use crate::scenarios::{Given, wrong};
use crate::tables;

/// Experiments that passed every check.
#[derive(Debug)]
pub struct Experiments {
    /// What is run.
    pub ready: Vec<Ready>,
    /// What tells one of a comparison from the others, the same names for all: the
    /// congestion control, and what its path is.
    pub varied: Vec<Vec<(&'static str, String)>>,
    /// The command that asks for this.
    pub command: Vec<String>,
    /// What to expect of the scenarios.
    pub notes: Vec<String>,
    jobs: Option<usize>,
    budget: Budget,
    out: Out,
}

/// Where results go, if they go anywhere at once.
#[derive(Debug, Default)]
struct Out {
    dir: Option<PathBuf>,
    existing: Existing,
    format: Format,
    /// A folder for each experiment within it.
    several: bool,
}

/// What a sweep came to.
#[derive(Debug)]
pub struct SweepDone {
    /// A row per point.
    pub summary: SweepSummary,
    /// A row per run.
    pub runs: Columns,
    /// Where it is stored: a folder, or one in shared storage.
    pub dir: String,
    /// What makes results doubtful.
    pub notes: Vec<String>,
    /// How many runs were done, how many were there already, and how many points have
    /// too wide an interval.
    pub ran: usize,
    /// See [`Self::ran`].
    pub there: usize,
    /// See [`Self::ran`].
    pub wide: usize,
}

/// What `tusker run` is asked to do: `{"scenario": FILE, "how": {"seed": 1}}`. With a scenario
/// that was given, FILE is `-`.
///
/// # Errors
/// As the command line's.
pub fn run(request: &str, given: Option<&Given>, build: &Build) -> Result<Experiments, Failure> {
    let Request::<RunArgs> { args, command } = Request::read("run", request)?;
    let (name, scenario) = match given {
        Some(given) => (Given::NAME.to_owned(), given.load(&args.sets)?),
        None => (scenarios::name(&args.scenario), scenarios::load(&args.scenario, &args.sets)?),
    };
    let ready = scenarios::ready_by(build, name, scenario, &args.how)?;
    let SaveArgs { out, force, resume, tables } = args.save;
    let out = Out { format: tables::format(tables)?, ..Out::of(out, (force, resume))? };
    Experiments::new(vec![ready], vec![Vec::new()], command, &args.how, out)
}

/// What `tusker compare` is asked to do.
///
/// # Errors
/// As the command line's.
pub fn compare(request: &str, build: &Build) -> Result<Experiments, Failure> {
    let Request::<CompareArgs> { args, command } = Request::read("compare", request)?;
    let made = commands::compare::experiments(&args, build)?;
    let asked = &made.matches.all[..made.matches.asked];
    let several = asked.iter().any(|own| own.against != asked[0].against);
    let varied = made.matches.all.iter().zip(&made.named).map(|(own, values)| {
        let path = made.heads.iter().copied().zip(values.iter().cloned());
        let against = own.against.clone().filter(|_| several).map(|rival| ("against", rival));
        std::iter::once(("cc", own.cc.clone())).chain(against).chain(path).collect()
    });
    // only the command line also runs what shows how much the rivals lose
    let asked = made.matches.asked;
    let varied = varied.take(asked).collect();
    let ready = made.experiments.into_iter().take(asked).map(|own| own.ready).collect();
    let out = Out::of(args.out, (args.force, args.resume))?;
    let out = Out { several: true, ..out };
    Experiments::new(ready, varied, command, &args.how, out)
}

/// Does what `tusker sweep` is asked to; FILE is `-` with a scenario
/// that was given. Results go into `dir`, if that is said. `--ray` is reached as `reach`
/// says.
///
/// # Errors
/// As the command line's.
pub fn sweep(
    request: &str,
    given: Option<&Given>,
    build: &Build,
    dir: Option<&Path>,
    reach: Reach,
    executor: &dyn Executor,
    watch: &dyn Watch,
) -> Result<SweepDone, Failure> {
    let Request::<SweepArgs> { args, command } = Request::read("sweep", request)?;
    args.path.check(args.file.is_some())?;
    let asked = commands::sweep::Asked::of(&args, given)?;
    let format = tables::format(args.tables)?;
    let otherwise = || dir.map_or_else(|| asked.dir(), Path::to_owned);
    let place = Place::of(args.out.as_deref(), args.ray.as_ref(), otherwise)?;
    asked.check(&args, &Conditions::read(&args.verdict)?)?;
    let (swept, cluster) = asked.run(&args, build, &place, (executor, reach), watch, &|_| {})?;
    let dir = place.dir();
    if let Some(trouble) = swept.ended {
        return Err(trouble.into());
    }
    let summary = asked.summary(&swept, command);
    let earlier = asked.earlier(&args, &swept, build, dir)?;
    let all = asked.all(&args, &earlier, &summary, dir);
    let stored = asked.store(&swept, (&summary, all.as_ref()), earlier, dir, format)?;
    let [points, base, manifest] =
        [POINTS, BASE, tusker_store::MANIFEST].map(|name| dir.join(name));
    let files: [&Path; 5] = [&stored.dataset, &points, &base, &stored.page, &manifest];
    place.put(cluster.as_ref(), &files, &|| watch.stopped())?;
    let runs = asked.columns(&swept);
    let notes = asked.notes(&summary);
    let (ran, there, wide) = (swept.ran, swept.there, swept.wide);
    Ok(SweepDone { summary, runs, dir: place.shown(dir), notes, ran, there, wide })
}

/// What a plan came to.
#[derive(Debug)]
pub struct PlanDone {
    /// The ranking.
    pub summary: PlanSummary,
    /// The same as a table, a row per way to do the transfer.
    pub rows: Columns,
    /// The folder with what it stands on, if it is kept.
    pub dir: Option<PathBuf>,
}

/// Makes the plan for a transfer that `tusker plan` is asked for. What is
/// interrupted is kept, as far as there is a folder, and an error.
///
/// # Errors
/// As the command line's.
pub fn plan(
    request: &str,
    build: &Build,
    executor: &dyn Pausing,
    watch: &dyn Onlooker,
) -> Result<PlanDone, Failure> {
    let Request::<PlanArgs> { args, command } = Request::read("plan", request)?;
    commands::plan::one_buffer(&args)?;
    let made = commands::plan::Made::of(&args, build, executor, command, watch, Vec::new())?;
    made.store()?;
    if watch.stopped() {
        return Err(Failure::Interrupted);
    }
    let (rows, dir) = (made.summary.columns(), made.dir().map(Path::to_owned));
    Ok(PlanDone { summary: made.summary, rows, dir })
}

/// What a reproduction came to.
#[derive(Debug)]
pub struct ReproductionDone {
    /// Rows and claims, as in `reproduction.json`.
    pub reproduction: Reproduction,
    /// Where it is stored: a folder, or one in shared storage; `None` where nothing was
    /// run.
    pub dir: Option<String>,
}

/// Runs the rows of a paper that `tusker reproduce` is asked for, and sets
/// them beside what it prints. Results go into `dir`, unless the request says a folder.
/// `--ray` is reached as `reach` says.
///
/// # Errors
/// As the command line's; if something is asked for that prints no rows and claims.
pub fn reproduce(
    request: &str,
    dir: Option<&Path>,
    reach: Reach,
    watch: &dyn Watch,
) -> Result<ReproductionDone, Failure> {
    let Request::<ReproduceArgs> { mut args, command } = Request::read("reproduce", request)?;
    args.how.quiet = true;
    let done = commands::reproduce::for_python(&args, dir, reach, command, watch)?;
    let (reproduction, dir) = done;
    Ok(ReproductionDone { reproduction, dir })
}

/// What an evaluation came to.
#[derive(Debug)]
pub struct EvaluationDone {
    /// Everything, as in `evaluation.json`.
    pub evaluation: Evaluation,
    /// What the command line prints.
    pub text: String,
    /// Where it is stored: a folder, or one in shared storage.
    pub dir: String,
}

/// Evaluates what `tusker evaluate` is asked to. Results go into `dir`, unless
/// the request says a folder. `--ray` is reached as `reach` says.
///
/// # Errors
/// As the command line's.
pub fn evaluate(
    request: &str,
    build: &Build,
    dir: Option<&Path>,
    reach: Reach,
    executor: &dyn Executor,
    watch: &dyn Watch,
) -> Result<EvaluationDone, Failure> {
    let Request::<EvaluateArgs> { args, command } = Request::read("evaluate", request)?;
    let asked = commands::evaluate::Asked::of(&args)?;
    let done = asked.run(&args, build, dir, (executor, reach), command, watch)?;
    if let Some(trouble) = done.ended {
        return Err(trouble.into());
    }
    let text = commands::evaluate::text(&done.evaluation);
    Ok(EvaluationDone { evaluation: done.evaluation, text, dir: done.dir })
}

/// Does one run of a sweep, given as [`tusker_lab::sweep::alone`] wants it: the lines of
/// its row and how many seconds it took, or what is wrong and the remedy.
///
/// # Errors
/// If the scenario cannot be, takes more than three quarters of the free memory, or its
/// run ends with an error.
pub fn row(scenario: &str, seed: u64) -> Result<(String, f64), (String, String)> {
    let made = alone(&tusker_sim::Simulator, &build(), scenario, seed, Budget::unasked());
    let made = made.map_err(|trouble| plain(&trouble))?;
    Ok((made.row.to_lines(&made.key), made.wall.as_secs_f64()))
}

/// Does one replicate of an experiment, given as TOML with every value said: its files
/// are in `DIR/replicates/NUMBER` then.
///
/// # Errors
/// As of [`row`]; if the files cannot be written.
pub fn replicate(
    scenario: &str,
    number: u32,
    traced: bool,
    csv: bool,
    dir: &Path,
) -> Result<(), (String, String)> {
    let done = || {
        let scenario = Scenario::parse("<scenario>", scenario, &[])?;
        let ready = Ready::of("replicate".to_owned(), &scenario, &build())?;
        let format = if csv { Format::Csv } else { Format::Parquet };
        let own = &ready.identity;
        let store = Some(Store::open(dir, own, Existing::Refuse, format, 0)?);
        let experiment = Experiment { ready, store };
        let (with, budget) = (&tusker_sim::Simulator, Budget::unasked());
        tusker_lab::replicate(with, &experiment, number, traced, budget)
    };
    done().map_err(|trouble: Trouble| plain(&trouble))
}

/// What is wrong, and the remedy.
fn plain(trouble: &Trouble) -> (String, String) {
    let help = trouble.help().map(|help| help.to_string());
    (trouble.to_string(), help.unwrap_or_default())
}

impl Experiments {
    fn new(
        ready: Vec<Ready>,
        varied: Vec<Vec<(&'static str, String)>>,
        command: Vec<String>,
        how: &HowArgs,
        out: Out,
    ) -> Result<Self, Failure> {
        let budget = how.memory.map_or_else(Budget::unasked, Budget::asked);
        let jobs = how.jobs.map(|jobs| jobs as usize);
        let notes = notes::all(ready.iter().map(|ready| &ready.plan));
        Ok(Self { ready, varied, command, notes, jobs, budget, out })
    }

    /// Runs all of it.
    ///
    /// # Errors
    /// If a run is expected to take too much memory, or the results cannot be stored.
    /// What happens later is in the outcome.
    pub fn run(&self, executor: &dyn Executor, watch: &dyn Watch) -> Result<Outcome, Failure> {
        let command = self.command.clone();
        let (jobs, budget) = (self.jobs, self.budget);
        let lab = Lab { executor, elsewhere: None, jobs, budget, command, bands: true };
        for ready in &self.ready {
            lab.check(ready)?;
        }
        let all = self.ready.iter().cloned().map(|ready| Experiment { ready, store: None });
        let mut experiments: Vec<Experiment> = all.collect();
        let Out { dir, existing, format, several } = &self.out;
        match (dir, &mut experiments[..]) {
            (Some(dir), all) if *several => open_each(all, dir, *existing)?,
            (Some(dir), [one]) => one.store = Some(open(&one.ready, dir, *existing, *format)?),
            _ => {}
        }
        let outcome = lab.run(&experiments, watch)?;
        if let (Some(dir), true) = (dir, outcome.has_results() && !watch.stopped()) {
            let dirs = experiments.iter().filter_map(|e| e.store.as_ref()).map(Store::dir);
            let dirs: Vec<PathBuf> = dirs.map(Path::to_owned).collect();
            page(&dirs, dir)?;
        }
        Ok(outcome)
    }
}

impl Out {
    fn of(dir: Option<PathBuf>, (force, resume): (bool, bool)) -> Result<Self, Failure> {
        if dir.is_none() && (force || resume) {
            let option = if force { "--force" } else { "--resume" };
            return Err(Failure::input(format!("{option}: no folder"), "give one with --out"));
        }
        let existing = commands::run::existing_of(force, resume);
        Ok(Self { dir, existing, ..Self::default() })
    }
}

/// Stores the runs of an experiment in a folder, as `tusker run --out` does.
///
/// # Errors
/// If the folder has something else in it, or cannot be written.
pub fn save<'a>(
    ready: &Ready,
    summary: &Summary,
    runs: impl Iterator<Item = (&'a Replicate, &'a Run)>,
    dir: &Path,
    force: bool,
) -> Result<(), Failure> {
    let existing = commands::run::existing_of(force, false);
    let store = open(ready, dir, existing, Format::default())?;
    let view = View::new(&ready.plan);
    for (replicate, run) in runs {
        store.save(&view, replicate, run, &|| false)?;
    }
    Ok(store.save_summary(summary)?)
}

/// Writes the page of some folders of results into a folder.
///
/// # Errors
/// If the results cannot be read or the page not be written.
pub fn page(dirs: &[PathBuf], into: &Path) -> Result<(), Failure> {
    let page = commands::report::page(dirs, None)?;
    let file = into.join(tusker_store::REPORT);
    let text = tusker_report::html::html(&page);
    crate::outfile::write(&file, crate::outfile::Kind::Page, text.as_bytes())
}

/// The simulator as this program builds it, as far as that decides results.
pub fn build() -> Build {
    scenarios::build(tusker_plan::plane::Plane::Simulator)
}

/// What the command line prints on stderr of a failure, without colours, and whether
/// the user can mend it; nothing of what is no error.
pub fn told(failure: &Failure) -> Option<(String, bool)> {
    let (report, input) = match failure {
        Failure::Input(report) | Failure::NotRun(report, _) => (report, true),
        Failure::Other(report) => (report, false),
        Failure::Verdict(causes) => {
            let lines = causes.iter().map(|cause| format!("failed on {cause}"));
            return Some((lines.collect::<Vec<_>>().join("\n"), false));
        }
        Failure::PipeClosed | Failure::Interrupted | Failure::Told(_) => return None,
    };
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor());
    let mut text = String::new();
    let written = handler.with_width(80).render_report(&mut text, report.as_ref());
    if written.is_err() {
        text = report.to_string();
    }
    Some((text.trim_matches('\n').to_owned(), input))
}
