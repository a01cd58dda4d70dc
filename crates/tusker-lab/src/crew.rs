//! Runs the replicates of several experiments on several threads, and keeps finished
//! results whatever happens to the rest.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use tusker_core::{Bytes, Time};
use tusker_measure::summary::{Replicate, Summary, View};
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Executor, Job};
use tusker_plan::leave::leave;

use crate::lock::lock;
use crate::memory::{self, Budget};
use crate::pool::{self, advance};
use crate::{Done, Elsewhere, Experiment, News, Quiet, Ready, Trouble, Watch, Whole};

/// The means for running experiments.
pub struct Lab<'a> {
    /// What executes plans.
    pub executor: &'a dyn Executor,
    /// Does the stored runs instead of this process, if there is such a means.
    pub elsewhere: Option<&'a dyn Elsewhere>,
    /// Number of concurrent runs; as many as there are cores if `None`.
    pub jobs: Option<usize>,
    /// Memory for all runs together.
    pub budget: Budget,
    /// The command line, for summaries.
    pub command: Vec<String>,
    /// One page shows all experiments over time, and how far their replicates differ.
    pub bands: bool,
}

/// The results.
pub struct Outcome {
    /// One summary per experiment, over the replicates that finished.
    pub summaries: Vec<Summary>,
    /// Those replicates, of each experiment.
    pub replicates: Vec<Vec<Replicate>>,
    /// Why it ended before everything was done.
    pub ended: Option<Trouble>,
}

impl Outcome {
    /// Some replicate has finished, so there is something to show.
    pub fn has_results(&self) -> bool {
        self.summaries.iter().any(|summary| !summary.seeds.is_empty())
    }
}

/// With more experiments than this none is traced by default.
const MOST_TRACED: usize = 24;

/// So many runs of several experiments are traced by default, at most.
const RUNS_TRACED: usize = 96;

/// So many replicates of an experiment are traced by default, at most.
const REPLICATES_TRACED: usize = 20;

/// How many replicates of each of so many experiments are traced by default: the first,
/// which the experiment's page shows over time; with bands so many that a page of all can
/// show how far replicates differ.
const fn traced(experiments: usize, bands: bool) -> u32 {
    match experiments {
        2..=MOST_TRACED if bands => {
            let each = RUNS_TRACED / experiments;
            (if each < REPLICATES_TRACED { each } else { REPLICATES_TRACED }) as u32
        }
        0..=MOST_TRACED => 1,
        _ => 0,
    }
}

/// What a run of these experiments simulates in the mean.
fn mean_seconds(experiments: &[Experiment]) -> Option<f64> {
    let runs: f64 = experiments.iter().map(|own| f64::from(own.ready.replicates)).sum();
    let seconds = |own: &Experiment| {
        f64::from(own.ready.replicates) * own.ready.plan.end.since(Time::ZERO).secs()
    };
    (runs > 0.0).then(|| experiments.iter().map(seconds).sum::<f64>() / runs)
}

impl Lab<'_> {
    /// Checks the expected memory of a run against the budget before anything is run.
    ///
    /// # Errors
    /// [`Trouble::TooLarge`].
    pub fn check(&self, ready: &Ready) -> Result<(), Trouble> {
        let expected = memory::expected(&ready.plan);
        // another machine has memory of its own
        if self.elsewhere.is_some() || expected.total() <= self.budget.bytes() {
            return Ok(());
        }
        Err(Trouble::TooLarge { name: ready.name.clone(), expected, budget: self.budget })
    }

    /// Runs every replicate that is not in the stores yet: first replicate 1 of every
    /// experiment, then replicate 2 of each, and so on.
    ///
    /// # Errors
    /// If stored results cannot be continued. Later errors are in [`Outcome::ended`], next
    /// to everything that was finished before.
    pub fn run(&self, experiments: &[Experiment], watch: &dyn Watch) -> Result<Outcome, Trouble> {
        let work = |experiment| Work::new(experiment, &self.command);
        let works = experiments.iter().map(work).collect::<Result<Vec<_>, _>>()?;
        let there = |work: &Work<'_>| lock(&work.finished).len();
        let counted: Vec<(&str, usize, usize)> = works
            .iter()
            .map(|work| {
                let ready = &work.experiment.ready;
                (ready.name.as_str(), there(work), ready.replicates as usize)
            })
            .collect();
        watch.tell(News::There(&counted));
        let most = experiments.iter().map(|e| e.ready.replicates).max().unwrap_or(0);
        let tasks: Vec<(&Work<'_>, u32)> = (1..=most)
            .flat_map(|number| works.iter().map(move |work| (work, number)))
            .filter(|(work, number)| work.lacks(*number))
            .collect();
        let firsts = tasks.iter().filter(|(_, number)| *number == tasks[0].1);
        let memory =
            |(work, _): &(&Work<'_>, u32)| memory::expected(&work.experiment.ready.plan).total();
        let largest = firsts.map(memory).max().unwrap_or(0);
        let means = (self.jobs, self.budget, self.elsewhere);
        let jobs = pool::concurrent(means, tasks.len(), largest, watch);
        let crew = Crew {
            executor: self.executor,
            elsewhere: self.elsewhere,
            watch,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            trouble: Mutex::new(works.iter().find_map(Work::impossible)),
            traced: traced(experiments.len(), self.bands),
            jobs,
            share: self.budget.bytes() / jobs.max(1) as u64,
        };
        watch.tell(News::Begin { runs: tasks.len(), seconds: mean_seconds(experiments) });
        pool::work(jobs, watch, &|| crew.work_off(&tasks));
        watch.tell(News::End);
        let trouble = crew.trouble.into_inner().unwrap_or_else(PoisonError::into_inner);
        let interrupted = watch.stopped().then_some(Trouble::Interrupted);
        let summaries = works.iter().map(|work| work.summary(&lock(&work.finished))).collect();
        let replicates = works.iter().map(|work| lock(&work.finished).clone()).collect();
        if interrupted.is_some() {
            leave(works);
        }
        Ok(Outcome { summaries, replicates, ended: trouble.or(interrupted) })
    }
}

/// What the threads share.
struct Crew<'a> {
    executor: &'a dyn Executor,
    elsewhere: Option<&'a dyn Elsewhere>,
    watch: &'a dyn Watch,
    next: AtomicUsize,
    stop: AtomicBool,
    trouble: Mutex<Option<Trouble>>,
    /// So many replicates of each experiment are traced for the report.
    traced: u32,
    /// Concurrent runs, and the memory that each may use.
    jobs: usize,
    share: u64,
}

impl Crew<'_> {
    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.watch.stopped()
    }

    /// Takes one task after another until none is left.
    fn work_off(&self, tasks: &[(&Work<'_>, u32)]) {
        while !self.stopped() {
            let nth = self.next.fetch_add(1, Ordering::Relaxed);
            let Some((work, number)) = tasks.get(nth) else { return };
            let name = work.experiment.ready.name.as_str();
            self.watch.tell(News::Run { name, nth: nth + 1, of: tasks.len() });
            if let Err(trouble) = self.run(work, *number) {
                self.stop.store(true, Ordering::Relaxed);
                // only the first trouble is reported
                lock(&self.trouble).get_or_insert(trouble);
            }
        }
    }

    fn run(&self, work: &Work<'_>, number: u32) -> Result<(), Trouble> {
        let ready = &work.experiment.ready;
        if let (Some(there), Some(store)) = (self.elsewhere, &work.experiment.store) {
            let order = Whole {
                scenario: ready.identity.text(),
                number,
                traced: number <= self.traced,
                format: store.format(),
                memory: memory::expected(&ready.plan).total(),
            };
            let fill = |folder: &Path| there.fill(&order, folder, &|| self.stopped());
            let replicate = match store.adopt(&work.view, number, fill) {
                Err(Trouble::Interrupted) => return Ok(()),
                done => done?,
            };
            self.watch.tell(News::Steps(News::STEPS));
            work.add(replicate)?;
            return match there.kept(store.dir(), &|| self.stopped()) {
                Err(Trouble::Interrupted) => Ok(()),
                kept => kept,
            };
        }
        let mut done = 0;
        let mut tell = |now: Time| {
            advance(self.watch, &ready.plan, now, &mut done);
            if self.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let seed = ready.seed + u64::from(number - 1);
        // what the report shows over time; the measures are the same without a trace
        let kept = work.experiment.store.is_some() || self.watch.keeps_runs();
        let traced = (number <= self.traced && kept).then(|| work.view.traced_for_report());
        let plan = traced.as_ref().unwrap_or(&ready.plan);
        let over = |stopped| Trouble::OverBudget {
            name: ready.name.clone(),
            replicate: number,
            stopped,
            jobs: self.jobs,
        };
        let clock = Instant::now();
        let memory = Bytes::new(self.share);
        let job = Job { memory, ..Job::new(plan, seed, &mut tell) };
        let mut run = match self.executor.execute(job) {
            Ok(run) => run,
            Err(Stopped::Interrupted) => {
                leave(traced);
                return Ok(());
            }
            Err(Stopped::Failed { why, remedy }) => {
                let name = ready.name.clone();
                return Err(Trouble::Failed { name, replicate: number, why, remedy });
            }
            Err(stopped) => return Err(over(stopped)),
        };
        run.wall = clock.elapsed();
        advance(self.watch, &ready.plan, ready.plan.end, &mut done);
        let replicate = work.view.replicate(number, &run);
        // it is kept, like those after it, but it is not a valid result
        let impossible = work.view.impossible_in(&replicate, &run);
        if let Some(trouble) = Trouble::impossible(&ready.name, impossible) {
            lock(&self.trouble).get_or_insert(trouble);
        }
        if let Some(store) = &work.experiment.store {
            let needed = tusker_store::memory_of(plan, &run);
            if needed.total() > self.share {
                let (budget, at) = (Bytes::new(self.share), plan.end);
                return Err(over(Stopped::OverBudget { budget, needed, at }));
            }
            // the failure of another run is no reason to lose this one
            match store.save(&work.view, &replicate, &run, &|| self.watch.stopped()) {
                Err(tusker_store::Error::Stopped) => {
                    leave((run, replicate, traced));
                    return Ok(());
                }
                saved => saved?,
            }
        }
        self.watch.take(Done { name: &ready.name, replicate: &replicate, run });
        work.add(replicate)
    }
}

/// Runs a single replicate of an experiment and stores it in its own folder.
///
/// # Errors
/// If it does not fit into memory, cannot be stored, or fails.
pub fn replicate(
    executor: &dyn Executor,
    experiment: &Experiment,
    number: u32,
    traced: bool,
    budget: Budget,
) -> Result<(), Trouble> {
    let lab =
        Lab { executor, elsewhere: None, jobs: Some(1), budget, command: Vec::new(), bands: false };
    lab.check(&experiment.ready)?;
    let crew = Crew {
        executor,
        elsewhere: None,
        watch: &Quiet,
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
        trouble: Mutex::new(None),
        traced: if traced { number } else { 0 },
        jobs: 1,
        share: budget.bytes(),
    };
    crew.run(&Work::new(experiment, &[])?, number)?;
    let trouble = crew.trouble.into_inner().unwrap_or_else(PoisonError::into_inner);
    trouble.map_or(Ok(()), Err)
}

/// An experiment under way.
struct Work<'a> {
    experiment: &'a Experiment,
    command: &'a [String],
    view: View<'a>,
    finished: Mutex<Vec<Replicate>>,
}

impl<'a> Work<'a> {
    fn new(experiment: &'a Experiment, command: &'a [String]) -> Result<Self, Trouble> {
        let plan = &experiment.ready.plan;
        let view = View::new(plan);
        let mut finished = match &experiment.store {
            Some(store) => store.finished(&view)?,
            None => Vec::new(),
        };
        finished.retain(|replicate| replicate.number <= experiment.ready.replicates);
        let work = Self { experiment, command, view, finished: Mutex::new(finished) };
        if let Some(store) = &experiment.store {
            let finished = lock(&work.finished);
            if !finished.is_empty() {
                store.save_summary(&work.summary(&finished))?;
            }
        }
        Ok(work)
    }

    /// Impossible numbers among the stored results.
    fn impossible(&self) -> Option<Trouble> {
        let name = &self.experiment.ready.name;
        let found = |replicate| Trouble::impossible(name, self.view.impossible(replicate));
        lock(&self.finished).iter().find_map(found)
    }

    fn lacks(&self, number: u32) -> bool {
        number <= self.experiment.ready.replicates
            && lock(&self.finished).iter().all(|replicate| replicate.number != number)
    }

    /// Adds a replicate and updates the summary.
    fn add(&self, replicate: Replicate) -> Result<(), Trouble> {
        let mut finished = lock(&self.finished);
        finished.push(replicate);
        match &self.experiment.store {
            Some(store) => Ok(store.save_summary(&self.summary(&finished))?),
            None => Ok(()),
        }
    }

    fn summary(&self, finished: &[Replicate]) -> Summary {
        let ready = &self.experiment.ready;
        let mut summary = Summary::of(&ready.name, &self.view, ready.replicates, finished)
            .on(ready.identity.build().plane.name());
        summary.execution.command = self.command.to_vec();
        summary
    }
}

#[cfg(test)]
mod tests {
    use super::traced;

    /// One experiment: the first replicate. 2 x 20 = 40 and 4 x 20 = 80 runs are less than
    /// 96, 9 x 10 = 90 are, and 24 x 4 = 96 are just that many.
    #[test]
    fn replicates_of_a_comparison_are_traced_as_long_as_they_are_few() {
        let found = [1, 2, 4, 9, 24, 25].map(|experiments| traced(experiments, true));
        assert_eq!(found, [1, 20, 20, 10, 4, 0]);
        let found = [1, 2, 24, 25].map(|experiments| traced(experiments, false));
        assert_eq!(found, [1, 1, 1, 0]);
    }
}
