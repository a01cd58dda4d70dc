//! The threads that run a sweep.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tusker_core::{Bytes, Time};
use tusker_plan::plan::Plan;
use tusker_store::sweep::{Journal, Key, Row, Run};

use super::points::{Point, Points};
use super::{Alone, Sweep, Swept};
use crate::lock::lock;
use crate::pool::{self, advance};
use crate::{Elsewhere, News, Order, Trouble, Watch};

/// How long to wait before checking again what other processes are doing.
const AGAIN: Duration = Duration::from_millis(50);

/// A run to be done: number of the replicate, from 1, and point; tasks are taken in this
/// order.
type Task = (u32, usize);

/// What the threads share.
struct Crew<'a> {
    sweep: &'a Sweep<'a>,
    journal: &'a Journal,
    watch: &'a dyn Watch,
    points: &'a [Point],
    /// Memory that each run may use, and the number of concurrent runs.
    share: u64,
    jobs: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: BTreeSet<Task>,
    /// Runs that other processes, or other threads for an equal point, are doing.
    elsewhere: BTreeSet<Task>,
    /// Runs that this process is doing.
    running: BTreeSet<Key>,
    /// How many replicates each point needs, as far as is known.
    wanted: Vec<u32>,
    /// How many of these are finished.
    done: Vec<u32>,
    rows: BTreeMap<(usize, u32), (Key, Arc<Row>)>,
    /// All runs, including those that were there before.
    all: usize,
    ran: usize,
    there: usize,
    wide: usize,
    simulating: Duration,
    simulated: Duration,
    trouble: Option<Trouble>,
}

pub(super) fn run(
    sweep: &Sweep<'_>,
    points: Points,
    journal: &Journal,
    watch: &dyn Watch,
) -> Result<Swept, Trouble> {
    let Points { all: points, scenario } = points;
    let wanted: Vec<u32> = points.iter().map(|point| point.replicates).collect();
    let runs: usize = wanted.iter().map(|&wanted| wanted as usize).sum();
    let largest = points.iter().map(|point| point.memory).max().unwrap_or(0);
    let means = (sweep.jobs, sweep.budget, sweep.elsewhere);
    let jobs = pool::concurrent(means, runs, largest, watch);
    let cores = sweep.elsewhere.map_or(jobs, |there| jobs.min(there.cores()));
    let mut state = State { done: vec![0; points.len()], wanted, ..State::default() };
    for (point, wanted) in state.wanted.clone().into_iter().enumerate() {
        state.waiting.extend((1..=wanted).map(|number| (number, point)));
    }
    state.all = runs;
    let crew = Crew {
        sweep,
        journal,
        watch,
        points: &points,
        share: sweep.budget.bytes() / jobs.max(1) as u64,
        jobs,
        state: Mutex::new(state),
        changed: Condvar::new(),
    };
    let left = crew.take_up();
    watch.tell(News::Begin { runs: left, seconds: None });
    let clock = Instant::now();
    pool::work(jobs, watch, &|| crew.work_off());
    let had = clock.elapsed() * cores as u32;
    watch.tell(News::End);
    let Crew { state, .. } = crew;
    let mut state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Err(error) = journal.sync() {
        state.trouble.get_or_insert(error.into());
    }
    let interrupted = watch.stopped().then_some(Trouble::Interrupted);
    let rows = state.rows.into_iter().map(|((point, replicate), (key, row))| {
        let seed = points[point].seed + u64::from(replicate - 1);
        Run { point, replicate, seed, key, row }
    });
    let mut known = BTreeSet::new();
    let same = points.iter().filter(|point| !known.insert(point.fingerprint.run(point.seed)));
    Ok(Swept {
        runs: rows.collect(),
        scenario,
        ran: state.ran,
        there: state.there,
        wide: state.wide,
        same: same.count(),
        simulating: state.simulating,
        simulated: state.simulated,
        had,
        ended: state.trouble.or(interrupted),
    })
}

impl Crew<'_> {
    fn key(&self, (number, point): Task) -> Key {
        let point = &self.points[point];
        point.fingerprint.run(point.seed + u64::from(number - 1))
    }

    /// Collects everything that exists before anything is run; returns how many runs are
    /// left.
    fn take_up(&self) -> usize {
        let mut state = lock(&self.state);
        loop {
            let known = |task: &Task| Some((*task, self.journal.row(&self.key(*task))?));
            let found: Vec<(Task, Arc<Row>)> = state.waiting.iter().filter_map(known).collect();
            if found.is_empty() {
                return state.waiting.len();
            }
            for (task, row) in found {
                state.waiting.remove(&task);
                state.there += 1;
                // a point may need more replicates now
                self.finish(&mut state, task, row);
            }
        }
    }

    /// Takes one task after another until nothing is left anywhere.
    fn work_off(&self) {
        let mut state = lock(&self.state);
        loop {
            if state.trouble.is_some() || self.watch.stopped() {
                self.changed.notify_all();
                return;
            }
            if let Some(task) = state.waiting.pop_first() {
                let key = self.key(task);
                if !state.running.insert(key) {
                    state.elsewhere.insert(task);
                    continue;
                }
                let nth = state.ran + state.running.len();
                let of = state.all - state.there;
                drop(state);
                self.watch.tell(News::Run { name: "sweep", nth: nth.min(of), of });
                let done = self.run(task, key);
                state = lock(&self.state);
                state.running.remove(&key);
                match done {
                    Ok(Some((row, here))) => {
                        let count = if here { &mut state.ran } else { &mut state.there };
                        *count += 1;
                        self.finish(&mut state, task, row);
                    }
                    Ok(None) => {
                        state.elsewhere.insert(task);
                    }
                    Err(Trouble::Interrupted) => {}
                    Err(trouble) => {
                        state.trouble.get_or_insert(trouble);
                    }
                }
                self.changed.notify_all();
                continue;
            }
            if state.running.is_empty() && state.elsewhere.is_empty() {
                return;
            }
            let wait = self.changed.wait_timeout(state, AGAIN);
            let timed;
            (state, timed) = wait.unwrap_or_else(PoisonError::into_inner);
            if timed.timed_out() {
                let again = std::mem::take(&mut state.elsewhere);
                state.waiting.extend(again);
            }
        }
    }

    /// A run is finished: its point may be complete, or need more of them.
    fn finish(&self, state: &mut State, (number, point): Task, row: Arc<Row>) {
        state.rows.insert((point, number), (self.key((number, point)), row));
        state.done[point] += 1;
        let wanted = state.wanted[point];
        let Some(until) = self.sweep.until.as_ref().filter(|_| state.done[point] == wanted) else {
            return;
        };
        let own = state.rows.range((point, 1)..=(point, wanted));
        let values: Vec<Option<f64>> = own.map(|(_, (_, row))| row.value(&until.measure)).collect();
        let next = until.next(&values);
        if next > wanted {
            state.wanted[point] = next;
            state.waiting.extend((wanted + 1..=next).map(|number| (number, point)));
            state.all += (next - wanted) as usize;
            self.watch.tell(News::Begin { runs: state.all - state.there, seconds: None });
        } else if !until.narrow(&values.into_iter().flatten().collect::<Vec<_>>()) {
            state.wide += 1;
        }
    }

    /// A run, and whether it was done here; `None` if another process is doing it.
    fn run(&self, task: Task, key: Key) -> Result<Option<(Arc<Row>, bool)>, Trouble> {
        let journal = self.journal;
        let Some(claim) = journal.claim(key)? else { return Ok(None) };
        journal.refresh()?;
        if let Some(row) = journal.row(&key) {
            self.watch.tell(News::Steps(News::STEPS));
            return Ok(Some((row, false)));
        }
        if let Some(elsewhere) = self.sweep.elsewhere {
            let row = self.order(elsewhere, task, key)?;
            return Ok(Some((journal.add(claim, row)?, true)));
        }
        let point = &self.points[task.1];
        let made;
        let plan = match &point.plan {
            Some(plan) => plan,
            None => {
                made = (self.sweep.scenario)(task.1)?.into_plan();
                &made
            }
        };
        let row = self.simulate(task, plan)?;
        Ok(Some((journal.add(claim, row)?, true)))
    }

    fn simulate(&self, (number, point): Task, plan: &Plan) -> Result<Row, Trouble> {
        let seed = self.points[point].seed + u64::from(number - 1);
        let name = || format!("point {}", point + 1);
        let mut done = 0;
        let mut tell = |now: Time| {
            advance(self.watch, plan, now, &mut done);
            if self.watch.stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let alone = Alone {
            executor: self.sweep.executor,
            name: (&name, number),
            memory: (Bytes::new(self.share), self.jobs),
            names: self.journal.names(),
        };
        let (row, wall) = alone.row(plan, seed, &mut tell)?;
        advance(self.watch, plan, plan.end, &mut done);
        self.took(wall, plan);
        Ok(row)
    }

    /// Has another process do a run.
    fn order(&self, elsewhere: &dyn Elsewhere, task: Task, key: Key) -> Result<Row, Trouble> {
        let (number, point) = task;
        let complete = (self.sweep.scenario)(point)?;
        let scenario = complete.to_toml();
        let Point { seed, memory, .. } = self.points[point];
        let seed = seed + u64::from(number - 1);
        let order = Order { scenario: &scenario, seed, key, memory };
        let made = elsewhere.make(&order, &|| self.watch.stopped())?;
        if made.key != key {
            return Err(Trouble::OtherRun { point: point + 1, seed });
        }
        self.watch.tell(News::Steps(News::STEPS));
        self.took(made.wall, &complete.into_plan());
        Ok(made.row)
    }

    fn took(&self, wall: Duration, plan: &Plan) {
        let mut state = lock(&self.state);
        state.simulating += wall;
        state.simulated += Duration::from_nanos(plan.end.nanos());
    }
}
