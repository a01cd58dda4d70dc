//! Runs the replicates of some experiments on several threads, and keeps what
//! is finished whatever happens to the rest.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::ProgressBar;
use tusker_core::{Bytes, Time};
use tusker_record::budget::{Stopped, size};
use tusker_record::plan::Plan;
use tusker_record::store::{self, Store};
use tusker_record::summary::{Replicate, Summary, View};

use crate::args::HowArgs;
use crate::failure::Failure;
use crate::memory;
use crate::output::{progress, say};
use crate::scenarios::Ready;

/// An experiment and the place of its results, if they are stored.
pub struct Experiment {
    /// What is run.
    pub ready: Ready,
    /// Where results go.
    pub store: Option<Store>,
}

/// What came out.
pub struct Outcome {
    /// One summary per experiment, of the replicates that finished.
    pub summaries: Vec<Summary>,
    /// Why it ended before everything was done.
    pub ended: Option<Failure>,
}

impl Outcome {
    /// Some replicate finished, so that there is something to show.
    pub fn has_results(&self) -> bool {
        self.summaries.iter().any(|summary| !summary.seeds.is_empty())
    }
}

/// Of more experiments none is traced unasked.
const MOST_TRACED: usize = 24;

/// Steps of the progress bar per replicate.
const STEPS: u64 = 1_000;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Runs every replicate that is not in the stores yet.
pub fn execute(experiments: &[Experiment], how: &HowArgs) -> Result<Outcome, Failure> {
    let works = experiments.iter().map(Work::new).collect::<Result<Vec<_>, _>>()?;
    tell_what_is_there(&works);
    let most = experiments.iter().map(|e| e.ready.replicates).max().unwrap_or(0);
    // every experiment's first replicate, then every second one, ...
    let tasks: Vec<(&Work<'_>, u32)> = (1..=most)
        .flat_map(|number| works.iter().map(move |work| (work, number)))
        .filter(|(work, number)| work.lacks(*number))
        .collect();
    let jobs = jobs(&tasks, how);
    stop_on_interrupt();
    let crew = Crew {
        bar: progress(tasks.len() as u64 * STEPS, how.quiet),
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        trouble: Mutex::new(works.iter().find_map(Work::impossible)),
        traced: experiments.len() <= MOST_TRACED,
        jobs,
        share: memory::budget(how) / jobs.max(1) as u64,
    };
    std::thread::scope(|scope| {
        // this thread works as well, so that there is one whatever the system allows
        for job in 1..jobs {
            let thread = std::thread::Builder::new();
            if let Err(error) = thread.spawn_scoped(scope, || crew.work_off(&tasks)) {
                say(&format!("{job} of {jobs} runs at the same time: {error}"));
                break;
            }
        }
        crew.work_off(&tasks);
    });
    crew.bar.finish_and_clear();
    let trouble = crew.trouble.into_inner().unwrap_or_else(PoisonError::into_inner);
    let interrupted = INTERRUPTED.load(Ordering::Relaxed).then_some(Failure::Interrupted);
    let summaries = works.iter().map(|work| work.summary(&lock(&work.finished))).collect();
    Ok(Outcome { summaries, ended: trouble.or(interrupted) })
}

/// What the threads share.
struct Crew {
    bar: ProgressBar,
    next: AtomicUsize,
    stop: AtomicBool,
    trouble: Mutex<Option<Failure>>,
    /// First replicates are traced for the report: not of a whole paper.
    traced: bool,
    /// Runs at the same time, and the memory that each may take.
    jobs: usize,
    share: u64,
}

/// How many runs at the same time: fewer than wanted if their memory does not
/// suffice.
fn jobs(tasks: &[(&Work<'_>, u32)], how: &HowArgs) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let wanted = how.jobs.map_or(cores, |jobs| jobs as usize).min(tasks.len());
    let firsts = tasks.iter().filter(|(_, number)| *number == tasks[0].1);
    let expected = |(work, _): &(&Work<'_>, u32)| memory::expected(&work.experiment.ready.plan);
    let largest = firsts.map(|task| expected(task).total()).max().unwrap_or(0);
    let budget = memory::budget(how);
    let jobs = memory::jobs(wanted, largest, budget);
    if jobs < wanted && !how.quiet {
        say(&format!(
            "{jobs} of {wanted} runs at a time: one takes about {} of the {} of memory for all",
            size(largest),
            size(budget)
        ));
    }
    jobs
}

impl Crew {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || INTERRUPTED.load(Ordering::Relaxed)
    }

    /// Takes one task after the other until none is left.
    fn work_off(&self, tasks: &[(&Work<'_>, u32)]) {
        while !self.stopped() {
            let Some((work, number)) = tasks.get(self.next.fetch_add(1, Ordering::Relaxed)) else {
                return;
            };
            let last = tasks.len() - 1;
            self.bar.set_message(match last {
                0 => work.experiment.ready.name.clone(),
                _ => format!(
                    "{} of {} runs",
                    self.next.load(Ordering::Relaxed).min(last + 1),
                    last + 1
                ),
            });
            if let Err(failure) = self.run(work, *number) {
                self.stop.store(true, Ordering::Relaxed);
                // the first trouble is the one to tell
                lock(&self.trouble).get_or_insert(failure);
            }
        }
    }

    fn run(&self, work: &Work<'_>, number: u32) -> Result<(), Failure> {
        let ready = &work.experiment.ready;
        let mut done = 0;
        let mut tell = |now: Time| {
            let steps = share(now, &ready.plan);
            self.bar.inc(steps - done);
            done = steps;
            if self.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let seed = ready.seed + u64::from(number - 1);
        // what the report shows over time; measures are those without a trace
        let traced = (self.traced && number == 1 && work.experiment.store.is_some())
            .then(|| work.view.traced_for_report());
        let plan = traced.as_ref().unwrap_or(&ready.plan);
        let run = match tusker_sim::run_within(plan, seed, Bytes::new(self.share), &mut tell) {
            Ok(run) => run,
            Err(Stopped::Interrupted) => return Ok(()),
            Err(stopped) => return Err(memory::over(&ready.name, number, &stopped, self.jobs)),
        };
        self.bar.inc(STEPS - done);
        let replicate = work.view.replicate(number, &run);
        // it is kept, and so is what comes after it, but it is not a result
        let impossible = work.view.impossible_in(&replicate, &run);
        if let Some(failure) = Failure::impossible(&ready.name, &impossible) {
            lock(&self.trouble).get_or_insert(failure);
        }
        if let Some(store) = &work.experiment.store {
            let needed = store::memory_of(&run);
            if needed.total() > self.share {
                let (budget, at) = (Bytes::new(self.share), plan.end);
                let stopped = Stopped::OverBudget { budget, needed, at };
                return Err(memory::over(&ready.name, number, &stopped, self.jobs));
            }
            store.save(&work.view, &replicate, &run)?;
        }
        work.add(replicate)
    }
}

/// An experiment under way.
struct Work<'a> {
    experiment: &'a Experiment,
    view: View<'a>,
    finished: Mutex<Vec<Replicate>>,
}

impl<'a> Work<'a> {
    fn new(experiment: &'a Experiment) -> Result<Self, Failure> {
        let plan = &experiment.ready.plan;
        let view = View::new(plan);
        let mut finished = match &experiment.store {
            Some(store) => store.finished(&view)?,
            None => Vec::new(),
        };
        finished.retain(|replicate| replicate.number <= experiment.ready.replicates);
        let work = Self { experiment, view, finished: Mutex::new(finished) };
        if let Some(store) = &experiment.store {
            let finished = lock(&work.finished);
            if !finished.is_empty() {
                store.save_summary(&work.summary(&finished))?;
            }
        }
        Ok(work)
    }

    /// Numbers that cannot be in what is there already.
    fn impossible(&self) -> Option<Failure> {
        let name = &self.experiment.ready.name;
        let found = |replicate| Failure::impossible(name, &self.view.impossible(replicate));
        lock(&self.finished).iter().find_map(found)
    }

    fn lacks(&self, number: u32) -> bool {
        number <= self.experiment.ready.replicates
            && lock(&self.finished).iter().all(|replicate| replicate.number != number)
    }

    /// Takes a replicate in and writes the summary anew.
    fn add(&self, replicate: Replicate) -> Result<(), Failure> {
        let mut finished = lock(&self.finished);
        finished.push(replicate);
        match &self.experiment.store {
            Some(store) => Ok(store.save_summary(&self.summary(&finished))?),
            None => Ok(()),
        }
    }

    fn summary(&self, finished: &[Replicate]) -> Summary {
        let ready = &self.experiment.ready;
        let mut summary = Summary::of(&ready.name, &self.view, ready.replicates, finished);
        let arguments = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned());
        summary.execution.command = std::iter::once("tusker".to_owned()).chain(arguments).collect();
        summary
    }
}

/// Says what needs no run: one line for each experiment, or for all of many.
fn tell_what_is_there(works: &[Work<'_>]) {
    const MANY: usize = 4;
    let mut there: Vec<(&Work<'_>, usize)> =
        works.iter().map(|work| (work, lock(&work.finished).len())).collect();
    let wanted = |work: &Work<'_>| work.experiment.ready.replicates as usize;
    if works.len() > MANY {
        let done: usize = there.iter().map(|(_, done)| done).sum();
        let all: usize = works.iter().map(wanted).sum();
        if done > 0 {
            say(&format!("{done} of {all} runs are there already"));
        }
        return;
    }
    there.retain(|(_, done)| *done > 0);
    for (work, done) in there {
        let name = &work.experiment.ready.name;
        say(&format!("{name}: {done} of {} replicates are there already", wanted(work)));
    }
}

/// How far a run has come, in steps of the progress bar.
fn share(now: Time, plan: &Plan) -> u64 {
    let share = now.nanos() as f64 / plan.end.nanos().max(1) as f64;
    ((share * STEPS as f64) as u64).min(STEPS)
}

/// The first Ctrl-C (or SIGTERM, SIGHUP) ends the run in order, the second at
/// once.
fn stop_on_interrupt() {
    // nohup: the run is to outlive its terminal, and the handler would take that
    // signal as well
    if ignores_hangup() {
        return;
    }
    let stop = || {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        say("stopping; Ctrl-C again stops at once");
    };
    // without a handler Ctrl-C ends the program, which loses no finished replicate
    let _ = ctrlc::set_handler(stop);
}

/// Whether this process was told to ignore SIGHUP, where Linux says so.
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // bit 0 is signal 1
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|m| m & 1 == 1)
}

/// A panic of another thread says nothing about what was finished before.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
