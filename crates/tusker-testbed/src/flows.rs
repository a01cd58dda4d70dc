//! The flows that last for the whole run: opened when they start, polled for their state,
//! and stopped.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration as Wall, Instant};

use tusker_core::Time;
use tusker_plan::plan::{Flow, Plan};
use tusker_plan::run;
use tusker_plan::sources::App;

use crate::books::Book;
use crate::ends::Ends;
use crate::error::Error;
use crate::iperf::Pair;
use crate::opening::{options, whole};
use crate::places::Hosts;
use crate::senders::Senders;
use crate::series::Row;
use crate::socket::{CaState, Connection, Info, Options, Writer};
use crate::ways::ends;

/// How often sockets are polled.
const ASK: Wall = Wall::from_millis(10);

/// The name used for drawing its start time: parallel connections start together.
fn application<'a>(plan: &'a Plan, flow: &'a Flow) -> &'a str {
    flow.application.map_or(&flow.name, |application| &plan.applications[application])
}

/// The start time of each lasting flow.
pub fn starts(plan: &Plan, seed: u64) -> Vec<Time> {
    let lasting = plan.flows[..plan.lasting()].iter();
    lasting.map(|flow| flow.start.time(seed, application(plan, flow))).collect()
}

/// A socket's count of timeouts within the measuring window.
#[derive(Clone, Copy, Debug, Default)]
struct Timeouts {
    before: u64,
    all: u64,
    state: Option<CaState>,
}

impl Timeouts {
    fn look(&mut self, now: Time, plan: &Plan, info: &Info) {
        match info.total_rto {
            Some(total) => self.all = u64::from(total),
            // an older kernel reports only the current state
            None if self.state != Some(info.ca_state) => {
                self.all += u64::from(info.ca_state == CaState::Loss);
            }
            None => {}
        }
        self.state = Some(info.ca_state);
        if now < plan.measure_from {
            self.before = self.all;
        }
    }
}

/// The connections of all lasting flows.
pub struct Flows<'a> {
    plan: &'a Plan,
    seed: u64,
    hosts: &'a Hosts,
    began: Instant,
    starts: Vec<Time>,
    connections: Vec<Option<Connection>>,
    /// Processes used instead of connections, one pair for each flow.
    pairs: Vec<Pair>,
    timeouts: Vec<Timeouts>,
    ends: Vec<Ends>,
    /// Values of all flows, row by row.
    rows: Vec<(Time, Row)>,
    /// The observer of these values, if there is one.
    senders: Option<Senders>,
}

impl<'a> Flows<'a> {
    /// No connection is open yet. If there are pairs of processes, these are the flows.
    pub fn new(
        plan: &'a Plan,
        seed: u64,
        hosts: &'a Hosts,
        began: Instant,
        pairs: Vec<Pair>,
        senders: Option<Senders>,
    ) -> Self {
        let starts = starts(plan, seed);
        Self {
            plan,
            seed,
            hosts,
            began,
            connections: starts.iter().map(|_| None).collect(),
            pairs,
            timeouts: vec![Timeouts::default(); starts.len()],
            ends: vec![Ends::default(); starts.len()],
            starts,
            rows: Vec::new(),
            senders,
        }
    }

    fn now(&self) -> Time {
        Time::from_nanos(self.began.elapsed().as_nanos() as u64)
    }

    /// Opens, polls and stops connections until the end of the plan. Returns false if it
    /// was interrupted. Ends early if another part has `failed`.
    pub fn watch(
        &mut self,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
        failed: &AtomicBool,
    ) -> Result<bool, Error> {
        let mut next_row = Time::ZERO;
        loop {
            let now = self.now();
            if now >= self.plan.end || failed.load(Ordering::Relaxed) {
                return Ok(true);
            }
            if progress(now).is_break() {
                return Ok(false);
            }
            self.open(now)?;
            let row = self.ask()?;
            if let Some(interval) = self.plan.trace.interval.filter(|_| now >= next_row) {
                while next_row <= now {
                    // a row that was missed gets the values of the next poll
                    self.rows.push((next_row, row.clone()));
                    next_row += interval;
                }
            }
            // until the next start if that comes before the next poll
            let now = self.now();
            let next = self.starts.iter().filter(|start| **start > now).min();
            let next = next.map_or(ASK, |start| Wall::from_nanos(start.since(now).nanos()));
            sleep(next.min(ASK));
        }
    }

    /// Opens what is due and stops what has reached its end.
    fn open(&mut self, now: Time) -> Result<(), Error> {
        let flows = self.plan.flows[..self.starts.len()].iter();
        for (i, flow) in flows.enumerate() {
            if let Some(connection) = &self.connections[i] {
                if flow.stop.is_some_and(|stop| now >= stop) {
                    connection.stop();
                }
                continue;
            }
            if now < self.starts[i] {
                continue;
            }
            if let Some(pair) = self.pairs.get_mut(i) {
                if !pair.has_begun() {
                    pair.begin(self.plan, self.hosts, now)?;
                }
                continue;
            }
            let [from, to] = ends(self.plan, &flow.route).map(|node| self.hosts.of(node));
            // the simulator's senders never give up either
            let left = Wall::from_nanos(self.plan.end.since(now).nanos());
            let app = App::new(flow, self.starts[i], self.seed);
            let segment = flow.tcp.payload().get();
            let writer = app.map(|app| Writer::new(app, self.began, segment));
            let options = Options { patience: left, writer, ..options(self.plan, self.hosts, i)? };
            let bytes = flow.size.map(|bytes| whole(flow, bytes.get()));
            self.connections[i] = Some(Connection::begin(from, to, &options, bytes)?);
        }
        Ok(())
    }

    /// What the sockets report now: cwnd, ssthresh, srtt, flight, delivered.
    fn ask(&mut self) -> Result<Row, Error> {
        let mut values = vec![[f64::NAN; 5]; self.connections.len()];
        self.pairs.iter().try_for_each(Pair::check)?;
        for (i, connection) in self.connections.iter().enumerate() {
            let Some(connection) = connection else { continue };
            // fails if the connection broke
            connection.wait(Wall::ZERO)?;
            let info = connection.info()?;
            // others were asked before
            let now = self.now();
            self.ends[i].look(now, self.plan, &self.plan.flows[i], &info);
            if now < self.plan.measure_to {
                self.timeouts[i].look(now, self.plan, &info);
            }
            if let Some(senders) = &mut self.senders {
                senders.look(i, now, &info);
            }
            let ssthresh = info.snd_ssthresh.map_or(f64::INFINITY, f64::from);
            values[i] = [
                f64::from(info.snd_cwnd),
                ssthresh,
                info.rtt.as_secs_f64(),
                f64::from(info.unacked),
                f64::from(info.delivered),
            ];
        }
        Ok(values)
    }

    /// Ends all connections. Pairs of processes end by themselves while packets still move,
    /// and are returned.
    pub fn close(&mut self) -> Vec<Pair> {
        self.connections.clear();
        std::mem::take(&mut self.pairs)
    }

    /// The flow whose sender had nothing to send for the largest part of the time, and the
    /// flow that its receiver, without a configured buffer, held back for the largest part.
    pub fn lacked(&self) -> [Option<(String, f64)>; 2] {
        let said = self.plan.flows.iter().zip(&self.ends);
        let said = said.filter_map(|(flow, ends)| Some((flow, ends.lacked()?)));
        let (mut idle, mut held) = (Vec::new(), Vec::new());
        for (flow, (nothing, window)) in said {
            idle.push((flow.name.clone(), nothing));
            // both buffers of a scenario limit the receiver's window
            if flow.tcp.largest_window().is_none() {
                held.push((flow.name.clone(), window));
            }
        }
        let largest = |all: Vec<(String, f64)>| all.into_iter().max_by(|a, b| a.1.total_cmp(&b.1));
        [idle, held].map(largest)
    }

    /// What was recorded over time.
    pub fn rows(&self) -> &[(Time, Row)] {
        &self.rows
    }

    /// The flows' results, from these records and from what was seen of each flow on the
    /// wire.
    pub fn finish(&self, books: Vec<Book>) -> Vec<run::Flow> {
        let flows = books.into_iter().enumerate().map(|(i, book)| {
            let Some(timeouts) = self.timeouts.get(i) else {
                let slot = &self.plan.flows[i];
                return book.finish(slot.start.time(self.seed, &slot.name));
            };
            let mut flow = book.finish(self.starts[i]);
            if timeouts.state.is_some() {
                flow.timeouts = timeouts.all - timeouts.before;
            }
            flow
        });
        flows.collect()
    }
}
