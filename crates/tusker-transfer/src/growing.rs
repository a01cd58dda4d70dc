//! A run that is continued until it is long enough, so that nothing is simulated twice.
//!
//! ```text
//!   start of the run   start of the transfer
//!         |   others    |bin|bin|bin| ...  to the first length, in 400 bins
//!                                   |bin|bin| ...  and on, in bins of the same length
//! ```
//!
//! The length of a run is counted in bins. What is known at one length does not depend on
//! earlier lengths at which the run was judged, so it is stored for each of these lengths.

use std::ops::ControlFlow;
use std::sync::Arc;

use tusker_core::{Bytes, Duration, Time};
use tusker_measure::summary::View;
use tusker_plan::budget::Stopped;
use tusker_plan::executor::{Job, Paused};
use tusker_plan::plan::Plan;
use tusker_scenario::sweep::cells;
use tusker_store::sweep::{Fingerprint, Key};

use super::measured::{Measured, Sums};
use super::path::{self, BINS, On};
use super::{Way, Work};
use tusker_lab::Trouble;
use tusker_lab::lock::lock;

/// Part of the first length that a run must have so that it is judged at all.
const ENOUGH: usize = BINS / 2;

/// What is simulated: the others and perhaps the transfer, for as long as anybody wants.
pub(super) struct Path {
    plan: Plan,
    text: String,
    from: Time,
    bin: Duration,
}

impl Path {
    /// With 400 bins in this many seconds.
    pub(super) fn new(on: &On, way: Option<&Way>, first: f64) -> Result<Self, Trouble> {
        let complete = path::scenario(on, way).complete()?;
        let (_, text) = cells(complete.to_scenario());
        let (mut plan, from) = (complete.into_plan(), Time::ZERO + on.ahead());
        // it ends where it is left
        plan.end = plan.horizon();
        plan.measure_to = plan.end;
        let first = first.min(plan.end.since(from).secs());
        let bin = Duration::from_nanos(Duration::from_secs(first / BINS as f64).nanos().max(1));
        Ok(Self { plan, text, from, bin })
    }

    /// So many bins in seconds.
    pub(super) fn seconds(&self, bins: usize) -> f64 {
        self.bin.secs() * bins as f64
    }

    /// How many bins this many seconds have, as far as a run can be so long.
    pub(super) fn bins(&self, seconds: f64) -> usize {
        let longest = self.plan.end.since(self.from).secs();
        (seconds.min(longest) / self.bin.secs()).floor().max(1.0) as usize
    }
}

/// A run with one seed.
pub(super) struct Growing<'a> {
    work: &'a Work<'a>,
    path: &'a Path,
    seed: u64,
    /// The simulation, once it was needed.
    paused: Option<Box<dyn Paused + 'a>>,
    /// Its totals at the edges of bins.
    sums: Vec<Sums>,
}

impl<'a> Growing<'a> {
    /// Nothing is simulated yet.
    pub(super) fn new(work: &'a Work<'a>, path: &'a Path, seed: u64) -> Self {
        Self { work, path, seed, paused: None, sums: Vec::new() }
    }

    /// What is known after so many bins: simulated, or looked up.
    pub(super) fn until(&mut self, bins: usize) -> Result<Arc<Measured>, Trouble> {
        let (work, path) = (self.work, self.path);
        // stored results of a plan are not a sweep's rows
        let text = format!("plan {bins} x {} ns {}", path.bin.nanos(), path.text);
        let key = Fingerprint::of(&text, work.planner.build).run(self.seed);
        if let Some(measured) = lock(&work.known).get(&key) {
            return Ok(measured.clone());
        }
        let measured = Arc::new(self.found_or_done(key, bins)?);
        lock(&work.known).insert(key, measured.clone());
        Ok(measured)
    }

    /// What is known if the simulation was stopped; nothing if that is little.
    pub(super) fn so_far(&self) -> Option<Measured> {
        let bins = self.sums.len().saturating_sub(1);
        (bins >= ENOUGH).then(|| Measured::of(self.path.bin, &self.sums))
    }

    fn found_or_done(&mut self, key: Key, bins: usize) -> Result<Measured, Trouble> {
        let Some(journal) = self.work.planner.journal else { return self.simulate(bins) };
        loop {
            if let Some(measured) = journal.row(&key).and_then(|row| Measured::read(&row)) {
                return Ok(measured);
            }
            if let Some(claim) = journal.claim(key)? {
                journal.refresh()?;
                if journal.row(&key).is_none() {
                    let measured = self.simulate(bins)?;
                    journal.add(claim, measured.row())?;
                    return Ok(measured);
                }
                continue;
            }
            // another process or thread is running it
            if self.work.stopped() {
                return Err(Trouble::Interrupted);
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
            journal.refresh()?;
        }
    }

    fn simulate(&mut self, bins: usize) -> Result<Measured, Trouble> {
        let expected = self.path.plan.memory();
        if expected.total() > self.work.share {
            let budget = self.work.planner.memory;
            return Err(Trouble::TooLarge { name: "plan".to_owned(), expected, budget });
        }
        let before = self.cost();
        let went = self.go_on(bins);
        lock(&self.work.state).packets += self.cost() - before;
        went.map_err(|stopped| self.trouble(stopped))?;
        Ok(Measured::of(self.path.bin, &self.sums[..=bins]))
    }

    /// Packets simulated so far.
    fn cost(&self) -> f64 {
        self.sums.last().map_or(0.0, Sums::cost)
    }

    fn go_on(&mut self, bins: usize) -> Result<(), Stopped> {
        let (work, path) = (self.work, self.path);
        let mut tell = |_: Time| match work.stopped() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let paused = match &mut self.paused {
            Some(paused) => paused,
            none => {
                let memory = Bytes::new(work.share);
                let job = Job { memory, ..Job::new(&path.plan, self.seed, &mut tell) };
                let mut paused = work.planner.executor.begin(job)?;
                paused.run_to(path.from, &mut tell)?;
                self.sums.push(Sums::of(&path.plan, &paused.flows()));
                none.insert(paused)
            }
        };
        while self.sums.len() <= bins {
            let at = path.from + path.bin * self.sums.len() as u64;
            paused.run_to(at, &mut tell)?;
            self.sums.push(Sums::of(&path.plan, &paused.flows()));
        }
        Ok(())
    }

    fn trouble(&self, stopped: Stopped) -> Trouble {
        let (name, replicate) = ("plan".to_owned(), self.seed as u32);
        match stopped {
            Stopped::Interrupted => Trouble::Interrupted,
            Stopped::Failed { why, remedy } => Trouble::Failed { name, replicate, why, remedy },
            stopped => Trouble::OverBudget { name, replicate, stopped, jobs: 1 },
        }
    }

    /// Ends the run. Its results must be physically possible.
    pub(super) fn end(self) -> Result<(), Trouble> {
        let Some(paused) = self.paused else { return Ok(()) };
        let (view, run) = (View::new(&self.path.plan), paused.end());
        let replicate = view.replicate(1, &run);
        let found = Trouble::impossible("plan", view.impossible_in(&replicate, &run));
        found.map_or(Ok(()), Err)
    }
}
