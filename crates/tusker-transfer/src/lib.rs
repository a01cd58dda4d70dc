//! A plan for a transfer: congestion control x streams x socket buffer, ranked by how
//! long the transfer takes.
//!
//! ```text
//!  Words --Ask::read--> Ask --Planner::run--> PlanSummary, better with every run
//!
//!  estimate.rs   every row: response function, socket buffer, short run (seconds)
//!  equilibrium.rs  harm by response functions, for such an estimate
//!  order.rs      which row is next: those on which the answer depends first
//!  settle.rs     one row: simulated until its interval is narrow
//!  growing.rs    a run that is continued until it is long enough
//!  steady.rs     where the start of a run ends, and the interval of the rest
//!  spans.rs      harm: the others with and without the transfer, over equal spans
//!  rows.rs       what is known of each row
//!  commands.rs   what to set for each row, and the commands
//! ```
//!
//! A transfer that takes hours is not simulated as a whole. Its start is simulated, and then
//! the steady state until its rate is known; the rest is extrapolated at that rate, and the row
//! says so.
//!
//! [`answer`] has the results, and [`planned`] what a folder keeps of them.

pub mod answer;
mod ask;
mod commands;
mod equilibrium;
mod estimate;
mod growing;
mod measured;
mod order;
mod path;
pub mod planned;
mod rows;
mod settle;
mod spans;
mod steady;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tusker_core::Bytes;
use tusker_lab::lock::lock;
use tusker_lab::{Budget, Trouble};
use tusker_plan::executor::Pausing;
use tusker_scenario::{Limit, Written};
use tusker_store::Build;
use tusker_store::sweep::{Journal, Key};

pub use ask::{Ask, LAWS, Words};

use answer::{PlanPath, PlanRow, PlanSummary, PlanWay};
use estimate::Estimate;
use measured::Measured;
use order::{ALONE, ALONE_WELL};
use path::Named;
use settle::{Settled, Subject};

/// The means for making a plan.
pub struct Planner<'a> {
    /// What executes plans.
    pub executor: &'a dyn Pausing,
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
    /// Packets after which no further rows are begun; any number if `None`.
    pub packets: Option<f64>,
    /// Packets that a row may cost.
    pub cost: f64,
    /// Transfers of at most this many packets are simulated as a whole.
    pub whole: f64,
    /// The command line, for the summary.
    pub command: Vec<String>,
}

/// Default cost limit of a row in packets: about five minutes on one core.
pub const COST: f64 = 1e9;

/// How much more than the estimated load a run is expected to carry: it begins with a burst.
const LOAD_MARGIN: f64 = 1.25;

/// Size in packets of a transfer that is simulated as a whole: seconds on one core.
pub const WHOLE: f64 = 2e6;

/// Observes the making of a plan. Its methods are called by several threads.
pub trait Onlooker: Sync {
    /// Whether to stop in an orderly way. Called often.
    fn stopped(&self) -> bool {
        false
    }

    /// One of several plans begins, which this text names.
    fn next(&self, text: &str) {
        let _ = text;
    }

    /// A plan is done.
    fn end(&self) {}

    /// The ranking has changed. `done` rows are final.
    fn ranking(&self, summary: &PlanSummary, done: usize) {
        let _ = (summary, done);
    }
}

impl Onlooker for tusker_lab::Quiet {}

/// A way to do the transfer.
#[derive(Clone, Debug)]
struct Way {
    law: Named,
    streams: u32,
    socket: Bytes,
    /// The socket buffer does not limit it.
    enough: bool,
}

impl Way {
    /// Its row.
    fn row(&self) -> PlanWay {
        PlanWay {
            law: self.law.label.clone(),
            streams: self.streams,
            socket_buffer_bytes: self.socket.get(),
        }
    }
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
    /// The packets of the budget are spent.
    spent: AtomicBool,
    /// Runs that were done or looked up.
    known: Mutex<BTreeMap<Key, Arc<Measured>>>,
}

#[derive(Default)]
struct State {
    estimates: Vec<Option<Estimate>>,
    settled: Vec<Option<Settled>>,
    alone: Option<Settled>,
    done: usize,
    /// Packets simulated so far.
    packets: f64,
    trouble: Option<Trouble>,
}

impl Planner<'_> {
    /// Whether an earlier plan is about the same transfer on the same path.
    pub fn continues(&self, ask: &Ask, earlier: &PlanSummary) -> bool {
        earlier.same_question(&self.about(ask, Vec::new()))
    }

    /// Whether an earlier plan has the row that is asked for, or else all rows, so that commands
    /// need no run.
    pub fn answers(&self, ask: &Ask, earlier: &PlanSummary) -> bool {
        let known =
            |way: PlanWay| earlier.rows.iter().any(|row| row.is(&way) && row.took_s.is_some());
        earlier.build == self.build.hash
            && match self.about(ask, Vec::new()).asked_for {
                Some(way) => known(way),
                None => ask.ways().iter().all(|way| known(way.row())),
            }
    }

    /// Ranks all ways, row by row, until every row is known or time runs out.
    ///
    /// # Errors
    /// If a run fails. An interruption is no error: the summary is then incomplete.
    pub fn run(&self, ask: &Ask, watch: &dyn Onlooker) -> Result<PlanSummary, Trouble> {
        let jobs = self.jobs();
        let work = self.work(ask, watch);
        work.estimates(jobs);
        // first every row roughly, then every row to the requested precision
        for first in [true, false] {
            work.rows(jobs, first);
        }
        work.end()
    }

    fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.unwrap_or_else(cores).max(1)
    }

    fn work<'a>(&'a self, ask: &'a Ask, watch: &'a dyn Onlooker) -> Work<'a> {
        let ways = ask.ways();
        let state = State {
            estimates: vec![None; ways.len()],
            settled: vec![None; ways.len()],
            ..State::default()
        };
        Work {
            planner: self,
            ask,
            watch,
            deadline: self.time.map(|time| Instant::now() + time),
            share: self.memory.bytes() / self.jobs() as u64,
            ways,
            state: Mutex::new(state),
            spent: AtomicBool::new(false),
            known: Mutex::default(),
        }
    }

    /// A plan with these rows, before anything else is known.
    fn about(&self, ask: &Ask, rows: Vec<PlanRow>) -> PlanSummary {
        let on = &ask.on;
        let with = |(count, law): &(u32, Named)| match count {
            1 => law.label.clone(),
            count => format!("{count}x{}", law.label),
        };
        PlanSummary {
            format: answer::FORMAT,
            tusker: env!("CARGO_PKG_VERSION").to_owned(),
            build: self.build.hash.clone(),
            command: self.command.clone(),
            size_bytes: ask.size.get(),
            path: PlanPath {
                rate_bps: on.rate.bits_per_sec(),
                rtt_s: on.rtt.nanos() as f64 / 1e9,
                loss: on.loss,
                buffer: match on.buffer {
                    Limit::Bytes(bytes) => tusker_measure::table::size(bytes),
                    limit => limit.write(),
                },
                packet_bytes: on.packet.get(),
                segments_per_packet: on.each,
                with: on.others.iter().map(with).collect(),
            },
            buffer_assumed: ask.buffer_assumed,
            least_s: ask.size.get() as f64 * 8.0 * on.packet.get() as f64
                / on.payload()
                / on.rate.bits_per_sec() as f64,
            deadline_s: ask.deadline.map(|time| time.secs()),
            max_harm: ask.max_harm,
            today: ask.today.as_ref().map(|named| ask.named(named).row()),
            asked_for: ask.asked_for.as_ref().map(|named| ask.named(named).row()),
            row_packets: self.cost,
            until: ask.until,
            rows,
            ..PlanSummary::default()
        }
    }
}

impl Work<'_> {
    /// What is known, unless a run failed.
    fn end(&self) -> Result<PlanSummary, Trouble> {
        let trouble = lock(&self.state).trouble.take();
        trouble.map_or_else(|| Ok(self.summary()), Err)
    }

    fn stopped(&self) -> bool {
        self.watch.stopped()
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || self.spent.load(Ordering::Relaxed)
    }

    /// Notes between rounds, so that it does not depend on the machine, whether more may be
    /// simulated.
    fn spend(&self) {
        let packets = lock(&self.state).packets;
        if self.planner.packets.is_some_and(|most| packets >= most) {
            self.spent.store(true, Ordering::Relaxed);
        }
    }

    /// Simulates a row, or the others alone.
    fn do_row(&self, row: usize, first: bool) -> Result<(), Trouble> {
        let on = &self.ask.on;
        let (full, each) = (on.segments_per_second(), f64::from(on.each));
        let way = self.ways.get(row);
        let estimate = lock(&self.state).estimates.get(row).cloned().flatten();
        if way.is_some() && estimate.is_none() {
            // time had run out
            return Ok(());
        }
        let load = match way {
            Some(_) => estimate.as_ref().and_then(|estimate| estimate.load),
            None => self.others_at_loss().map(|segments| segments / full),
        };
        let goodput = estimate.map_or(full * on.payload() * 8.0, |estimate| estimate.goodput);
        let own = goodput / 8.0 / on.payload();
        let segments = match on.others.is_empty() {
            true => own,
            // full, unless random loss keeps all flows smaller
            false => full * load.map_or(1.0, |load| (LOAD_MARGIN * load).min(1.0)),
        };
        let full = way.is_some() && load.is_none_or(|load| load >= 1.0);
        let subject = Subject { way, packets: segments / each, full, goodput };
        let put = |settled: &Settled| {
            let mut state = lock(&self.state);
            let known = match row {
                ALONE | ALONE_WELL => &mut state.alone,
                row => &mut state.settled[row],
            };
            // a run that was stopped may show less than an earlier one
            let less = |known: &Settled| settled.rank() < known.rank();
            if !known.as_ref().is_some_and(less) {
                *known = Some(settled.clone());
            }
        };
        let roughly = first && row != ALONE_WELL;
        let settled = self.settle(&subject, roughly, &mut |settled| {
            put(settled);
            self.tell();
        })?;
        if let Some(settled) = &settled {
            put(settled);
        }
        if !first && !self.stopped() && way.is_some() {
            lock(&self.state).done += 1;
            self.tell();
        }
        Ok(())
    }

    fn tell(&self) {
        let done = lock(&self.state).done;
        self.watch.ranking(&self.summary(), done);
    }
}
