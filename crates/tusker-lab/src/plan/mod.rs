//! A plan for a transfer: congestion control x streams x socket buffer, ranked by how
//! long the transfer takes.
//!
//! ```text
//!  Words --Ask::read--> Ask --Planner::run--> PlanSummary, better with every run
//!
//!  estimate.rs   every row: response function, socket buffer, short run (seconds)
//!  settle.rs     row by row, the most promising first: simulated until its interval
//!                is narrow
//!  steady.rs     where the start of a run ends, and the interval of the rest
//! ```
//!
//! A transfer of hours is not simulated as a whole. Its start is simulated, and then the
//! steady state until its rate is known; the rest is extrapolated at that rate, and the row
//! says so.

mod ask;
mod estimate;
mod measured;
mod path;
mod response;
mod settle;
mod steady;
mod typed;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tusker_core::{Bytes, Time};
use tusker_plan::budget::Stopped;
use tusker_plan::executor::Executor;
use tusker_plan::plan::Plan;
use tusker_record::harm::{Better, harm};
use tusker_record::plan::{self, Basis, PlanPath, PlanRate, PlanRow, PlanSummary};
use tusker_record::store::Build;
use tusker_record::store::sweep::{Fingerprint, Journal, Key};
use tusker_record::summary::View;
use tusker_scenario::sweep::cells;
use tusker_scenario::{Limit, Written};

pub use ask::{Ask, LAWS, Words};
pub use response::{grows_until_loss, response};

use crate::lock::lock;
use crate::{Budget, Trouble};
use estimate::Estimate;
use measured::Measured;
use path::{Named, On};
use settle::{Settled, Subject};

/// The means for making a plan.
pub struct Planner<'a> {
    /// What executes plans.
    pub executor: &'a dyn Executor,
    /// Number of concurrent runs; as many as there are cores if `None`.
    pub jobs: Option<usize>,
    /// Memory for all runs together.
    pub memory: Budget,
    /// The build of the executor, as far as it affects results.
    pub build: &'a Build,
    /// Where runs are stored and looked up, if they are.
    pub journal: Option<&'a Journal>,
    /// The time limit; as long as needed if `None`. Rows not done by then say so.
    pub time: Option<Duration>,
    /// Segments that a row may cost.
    pub cost: f64,
    /// Transfers of at most this many segments are simulated as a whole.
    pub whole: f64,
    /// The command line, for the summary.
    pub command: Vec<String>,
}

/// Default cost limit of a row in segments: about a minute on one core.
pub const COST: f64 = 2e8;

/// Size in segments of a transfer that is simulated as a whole: seconds on one core.
pub const WHOLE: f64 = 2e6;

/// Observes the making of a plan. Its methods are called by several threads.
pub trait Onlooker: Sync {
    /// Whether to stop in an orderly way. Called often.
    fn stopped(&self) -> bool {
        false
    }

    /// The ranking has changed. `done` rows are final.
    fn ranking(&self, summary: &PlanSummary, done: usize) {
        let _ = (summary, done);
    }
}

impl Onlooker for crate::Quiet {}

/// A way to do the transfer.
#[derive(Clone, Debug)]
struct Way {
    law: Named,
    streams: u32,
    socket: Bytes,
    /// The socket buffer does not limit it.
    enough: bool,
}

/// What the threads share.
struct Work<'a> {
    planner: &'a Planner<'a>,
    ask: &'a Ask,
    watch: &'a dyn Onlooker,
    deadline: Option<Instant>,
    share: u64,
    ways: Vec<Way>,
    state: Mutex<State>,
    /// Runs that were done or looked up.
    known: Mutex<BTreeMap<Key, Arc<Measured>>>,
}

#[derive(Default)]
struct State {
    estimates: Vec<Option<Estimate>>,
    settled: Vec<Option<Settled>>,
    alone: Option<Settled>,
    done: usize,
    trouble: Option<Trouble>,
}

impl Planner<'_> {
    /// Whether an earlier plan is about the same transfer on the same path.
    pub fn continues(&self, ask: &Ask, earlier: &PlanSummary) -> bool {
        earlier.same_question(&self.about(ask, Vec::new()))
    }

    /// Ranks all ways, row by row, until every row is known or time runs out.
    ///
    /// # Errors
    /// If a run fails. An interruption is no error: the summary is then incomplete.
    pub fn run(&self, ask: &Ask, watch: &dyn Onlooker) -> Result<PlanSummary, Trouble> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.jobs.unwrap_or_else(cores).max(1);
        let mut ways = Vec::new();
        for law in &ask.laws {
            for &streams in &ask.streams {
                for socket in &ask.sockets {
                    let enough = socket.is_none();
                    let socket = socket.unwrap_or_else(|| ask.on.enough());
                    ways.push(Way { law: law.clone(), streams, socket, enough });
                }
            }
        }
        let state = State {
            estimates: vec![None; ways.len()],
            settled: vec![None; ways.len()],
            ..State::default()
        };
        let work = Work {
            planner: self,
            ask,
            watch,
            deadline: self.time.map(|time| Instant::now() + time),
            share: self.memory.bytes() / jobs as u64,
            ways,
            state: Mutex::new(state),
            known: Mutex::default(),
        };
        let rows: Vec<usize> = (0..work.ways.len()).collect();
        work.all(&rows, jobs, &|row| {
            let estimate = work.estimate(&work.ways[row])?;
            lock(&work.state).estimates[row] = Some(estimate);
            work.tell();
            Ok(())
        });
        let alone = (!ask.on.others.is_empty()).then_some(usize::MAX);
        // first every row roughly, then every row to the requested precision
        for first in [true, false] {
            let order: Vec<usize> = alone.into_iter().chain(work.promising()).collect();
            work.all(&order, jobs, &|row| work.do_row(row, first));
        }
        let mut state = lock(&work.state);
        if let Some(trouble) = state.trouble.take() {
            return Err(trouble);
        }
        drop(state);
        Ok(work.summary())
    }

    /// A plan with these rows, before anything else is known.
    fn about(&self, ask: &Ask, rows: Vec<PlanRow>) -> PlanSummary {
        let on = &ask.on;
        let with = |(count, law): &(u32, Named)| match count {
            1 => law.label.clone(),
            count => format!("{count}x{}", law.label),
        };
        PlanSummary {
            format: plan::FORMAT,
            tusker: env!("CARGO_PKG_VERSION").to_owned(),
            build: self.build.hash.clone(),
            command: self.command.clone(),
            size_bytes: ask.size.get(),
            path: PlanPath {
                rate_bps: on.rate.bits_per_sec(),
                rtt_s: on.rtt.nanos() as f64 / 1e9,
                loss: on.loss,
                buffer: match on.buffer {
                    Limit::Bytes(bytes) => plan::size(bytes),
                    limit => limit.write(),
                },
                packet_bytes: on.packet.get(),
                with: on.others.iter().map(with).collect(),
            },
            least_s: ask.size.get() as f64 * 8.0 * on.packet.get() as f64
                / on.payload()
                / on.rate.bits_per_sec() as f64,
            deadline_s: ask.deadline.map(|time| time.secs()),
            max_harm: ask.max_harm,
            alone: None,
            until: ask.until,
            complete: false,
            rows,
        }
    }
}

impl Work<'_> {
    fn stopped(&self) -> bool {
        self.watch.stopped() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Does something with each of these, several at a time, started in order.
    fn all(
        &self,
        rows: &[usize],
        jobs: usize,
        task: &(dyn Fn(usize) -> Result<(), Trouble> + Sync),
    ) {
        let next = AtomicUsize::new(0);
        let work_off = || {
            while !self.stopped() && lock(&self.state).trouble.is_none() {
                let Some(&row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                match task(row) {
                    Ok(()) | Err(Trouble::Interrupted) => {}
                    Err(trouble) => {
                        lock(&self.state).trouble.get_or_insert(trouble);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs.min(rows.len()) {
                // this thread does everything if the system allows no other
                if std::thread::Builder::new().spawn_scoped(scope, work_off).is_err() {
                    break;
                }
            }
            work_off();
        });
    }

    /// The rows, the shortest transfer first by what is known.
    fn promising(&self) -> Vec<usize> {
        let state = lock(&self.state);
        let goodput = |row: &usize| match &state.settled[*row] {
            Some(settled) if settled.basis != Basis::Unsettled => settled.rate(false).mean,
            _ => state.estimates[*row].as_ref().map_or(0.0, |estimate| estimate.goodput),
        };
        let mut rows: Vec<usize> = (0..self.ways.len()).collect();
        rows.sort_by(|a, b| goodput(b).total_cmp(&goodput(a)));
        rows
    }

    /// Simulates a row, or the others alone.
    fn do_row(&self, row: usize, first: bool) -> Result<(), Trouble> {
        let on = &self.ask.on;
        let full = on.rate.bits_per_sec() as f64 / 8.0 / on.packet.get() as f64;
        let way = self.ways.get(row);
        let estimate = lock(&self.state).estimates.get(row).cloned().flatten();
        if way.is_some() && estimate.is_none() {
            // time had run out
            return Ok(());
        }
        let goodput = estimate.map_or(full * on.payload() * 8.0, |estimate| estimate.goodput);
        let own = goodput / 8.0 / on.payload();
        let segments = if on.others.is_empty() { own } else { full };
        let subject = Subject { way, segments, goodput };
        let put = |settled: &Settled| {
            let mut state = lock(&self.state);
            match row {
                usize::MAX => state.alone = Some(settled.clone()),
                row => state.settled[row] = Some(settled.clone()),
            }
        };
        let settled = self.settle(&subject, first, &mut |settled| {
            put(settled);
            self.tell();
        })?;
        if let Some(settled) = &settled {
            put(settled);
        }
        if !first && !self.stopped() && row != usize::MAX {
            lock(&self.state).done += 1;
            self.tell();
        }
        Ok(())
    }

    fn tell(&self) {
        let done = lock(&self.state).done;
        self.watch.ranking(&self.summary(), done);
    }

    /// Runs a scenario, or uses the stored results.
    fn measured(
        &self,
        on: &On,
        way: Option<&Way>,
        seconds: f64,
        seed: u64,
    ) -> Result<Arc<Measured>, Trouble> {
        let complete = path::scenario(on, way, seconds).complete()?;
        let (_, text) = cells(complete.to_scenario());
        // stored results of a plan are not a sweep's rows
        let key = Fingerprint::of(&format!("plan {text}"), self.planner.build).run(seed);
        if let Some(measured) = lock(&self.known).get(&key) {
            return Ok(measured.clone());
        }
        let measured = Arc::new(self.found_or_done(key, &complete.into_plan(), seed)?);
        lock(&self.known).insert(key, measured.clone());
        Ok(measured)
    }

    fn found_or_done(&self, key: Key, plan: &Plan, seed: u64) -> Result<Measured, Trouble> {
        let Some(journal) = self.planner.journal else { return self.simulate(plan, seed) };
        loop {
            if let Some(measured) = journal.row(&key).and_then(|row| Measured::read(&row)) {
                return Ok(measured);
            }
            if let Some(claim) = journal.claim(key)? {
                journal.refresh()?;
                if journal.row(&key).is_none() {
                    let measured = self.simulate(plan, seed)?;
                    journal.add(claim, measured.row())?;
                    return Ok(measured);
                }
                continue;
            }
            // another process or thread is running it
            if self.stopped() {
                return Err(Trouble::Interrupted);
            }
            std::thread::sleep(Duration::from_millis(50));
            journal.refresh()?;
        }
    }

    fn simulate(&self, plan: &Plan, seed: u64) -> Result<Measured, Trouble> {
        let name = || "plan".to_owned();
        let expected = plan.memory();
        if expected.total() > self.share {
            let budget = self.planner.memory;
            return Err(Trouble::TooLarge { name: name(), expected, budget });
        }
        let mut tell = |_: Time| match self.stopped() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let run = self.planner.executor.execute(plan, seed, Bytes::new(self.share), &mut tell);
        let run = run.map_err(|stopped| match stopped {
            Stopped::Interrupted => Trouble::Interrupted,
            Stopped::Failed { why, remedy } => {
                Trouble::Failed { name: name(), replicate: seed as u32, why, remedy }
            }
            stopped => {
                Trouble::OverBudget { name: name(), replicate: seed as u32, stopped, jobs: 1 }
            }
        })?;
        let view = View::new(plan);
        let replicate = view.replicate(1, &run);
        if let Some(trouble) = Trouble::impossible("plan", view.impossible_in(&replicate, &run)) {
            return Err(trouble);
        }
        Ok(Measured::of(plan, &run))
    }
}

impl Work<'_> {
    /// What is known so far.
    fn summary(&self) -> PlanSummary {
        let state = lock(&self.state);
        let alone = state.alone.as_ref().map(|settled| rate(settled, true));
        let over = self.stopped();
        let rows = self.ways.iter().enumerate().map(|(n, way)| {
            let mut row = self.row(way, state.estimates[n].as_ref());
            match &state.settled[n] {
                Some(settled) => self.fill(&mut row, settled, alone),
                None if over => row.note = Some("not simulated: time ran out".to_owned()),
                None => {}
            }
            row
        });
        let final_ = |settled: &Option<Settled>| settled.is_some();
        let complete = !over && state.done == self.ways.len() && state.settled.iter().all(final_);
        let summary = self.planner.about(self.ask, rows.collect());
        let mut summary = PlanSummary { alone, complete, ..summary };
        summary.rank();
        summary
    }

    /// A row by its first estimate.
    fn row(&self, way: &Way, estimate: Option<&Estimate>) -> PlanRow {
        let took = estimate.map(|estimate| self.ask.size.get() as f64 * 8.0 / estimate.goodput);
        let rate = |estimate: &Estimate| PlanRate { mean_bps: estimate.goodput, ci95_bps: None };
        PlanRow {
            law: way.law.label.clone(),
            streams: way.streams,
            socket_buffer_bytes: way.socket.get(),
            socket_buffer_enough: way.enough,
            basis: estimate.map_or(Basis::Nothing, |_| Basis::Estimate),
            took_s: took,
            took_low_s: None,
            took_high_s: None,
            extrapolated: estimate.is_some(),
            goodput: estimate.map(rate),
            others: None,
            harm: estimate.and_then(|estimate| estimate.harm),
            harm_ci95: None,
            retransmitted: None,
            rtt_s: None,
            start_s: None,
            simulated_s: 0.0,
            runs: 0,
            episodes: 0,
            estimate_bps: estimate.map(|estimate| estimate.goodput),
            estimate_from: estimate.map_or(String::new(), |estimate| estimate.from.to_owned()),
            note: None,
            commands: typed::commands(way),
        }
    }

    /// The results of the simulation.
    fn fill(&self, row: &mut PlanRow, settled: &Settled, alone: Option<PlanRate>) {
        let runs = &settled.runs;
        let sum = |of: fn(&Measured) -> f64| runs.iter().map(|run| of(run)).sum::<f64>();
        row.basis = settled.basis;
        row.note.clone_from(&settled.note);
        row.simulated_s = runs[0].length();
        row.runs = runs.len() as u32;
        row.episodes = sum(|run| run.episodes) as u64;
        let (sent, again) = (sum(|run| run.sent), sum(|run| run.again));
        row.retransmitted = (sent > 0.0).then(|| again / sent);
        row.rtt_s = Some(sum(|run| run.rtt) / runs.len() as f64).filter(|rtt| rtt.is_finite());
        let size = self.ask.size.get() as f64;
        match settled.basis {
            Basis::Steady | Basis::Wide => {
                let mean = settled.rate(false);
                let before = runs.iter().map(|run| run.ours[settled.from]).sum::<f64>();
                let start = settled.from as f64 * runs[0].bin;
                let rest = (size - before / runs.len() as f64).max(0.0) * 8.0;
                let took = |rate: f64| start + rest / rate;
                row.took_s = Some(took(mean.mean));
                row.took_low_s = Some(took(mean.mean + mean.half));
                row.took_high_s = Some(mean.mean - mean.half).filter(|rate| *rate > 0.0).map(took);
                row.start_s = Some(start);
                row.extrapolated = true;
                row.goodput = Some(rate(settled, false));
            }
            Basis::Whole => {
                let times: Vec<f64> = runs.iter().filter_map(|run| run.took(size)).collect();
                let mean = tusker_record::stats::mean(&times);
                let half = tusker_record::stats::half_width(&times);
                row.took_s = Some(mean);
                row.took_low_s = half.map(|half| mean - half);
                row.took_high_s = half.map(|half| mean + half);
                row.extrapolated = false;
                let bps = size * 8.0 / mean;
                let ci95_bps = half.map(|half| bps * half / mean);
                row.goodput = Some(PlanRate { mean_bps: bps, ci95_bps });
            }
            Basis::Unsettled | Basis::Estimate | Basis::Nothing => return,
        }
        if self.ask.on.others.is_empty() {
            return;
        }
        let others = rate(settled, true);
        row.others = Some(others);
        let Some(alone) = alone else { return };
        row.harm = harm(Better::More, alone.mean_bps, others.mean_bps);
        let part = |rate: PlanRate| Some(rate.ci95_bps? / rate.mean_bps);
        row.harm_ci95 = part(alone).zip(part(others)).map(|(a, b)| {
            // 1 - y/x: the relative uncertainties of x and y add in quadrature
            others.mean_bps / alone.mean_bps * (a * a + b * b).sqrt()
        });
    }
}

/// The rate of the transfer or of the others.
fn rate(settled: &Settled, others: bool) -> PlanRate {
    let mean = settled.rate(others);
    PlanRate { mean_bps: mean.mean, ci95_bps: Some(mean.half).filter(|half| half.is_finite()) }
}
