//! The event loop: until the end, the process that is due first acts, as far ahead as it may.
//!
//! ```text
//!   ring    the first packet in it arrives: at a junction, or an ACK at a sender
//!   timer   of a sender: retransmission, reordering, probe, pacing, room at the host
//!   ack     a delayed ACK is due
//!   source  a background source sends
//!   mixed   the first packet of a ring in which packets overtake each other arrives
//!   service the wire of a link that keeps its packets is free
//!   traffic a connection that comes and goes is requested
//!   trace   a row of the time series is recorded
//! ```

use std::ops::{ControlFlow, Deref};

use tusker_core::{Bytes, Duration, Time};
use tusker_path::{Schedule, room};
use tusker_plan::budget::Stopped;
use tusker_plan::executor::Observe;
use tusker_plan::leave::leave;
use tusker_plan::plan::Plan;
use tusker_plan::run::{self, BATCHES, Run};
use tusker_plan::sources::{Background, Begin, Traffic};

use crate::asker::Asker;
use crate::flow::{FlowState, Slot, totals, watch};
use crate::measure::LossLog;
use crate::memory::{Guard, PAUSE, Tally};
use crate::net::Net;
use crate::packet::{NO_BLOCKS, Packet, flag};
use crate::processes::Source;
use crate::stage::Stage;
use crate::tcp::AckIn;
use crate::topology::Topology;
use crate::trace::Recorder;

/// Queue samples over the measuring window.
const QUEUE_SAMPLES: u64 = 10_000;

/// Events between two reports of progress.
const PROGRESS_EVERY: u64 = 1 << 16;

/// A simulation in progress, with its plan: a reference, or an `Arc` if it outlives the caller's.
#[derive(Debug)]
pub struct Engine<P> {
    plan: P,
    seed: u64,
    net: Net,
    flows: Vec<FlowState>,
    sources: Vec<Background>,
    traffic: Vec<Traffic>,
    recorder: Recorder,
    /// When the next row of the trace is due.
    trace_at: Time,
}

impl<P: Deref<Target = Plan>> Engine<P> {
    /// A plan at time zero. With `ahead` off, every arrival at every link is an event, and
    /// events are handled one by one in order of time, and nothing takes a short way through
    /// TCP's rules: slower, with results that must be the same.
    pub fn new(plan: P, seed: u64, ahead: bool) -> Self {
        let go_on = &mut |_| ControlFlow::Continue(());
        Self::set_up(plan, seed, ahead, go_on).expect("nobody breaks off")
    }

    /// The same, but `progress` may interrupt it.
    ///
    /// # Errors
    /// If it was interrupted.
    pub fn set_up(
        plan: P,
        seed: u64,
        ahead: bool,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
    ) -> Result<Self, Stopped> {
        let mut asker = Asker::new(Time::ZERO, progress);
        let schedules = [BATCHES, 1]
            .map(|n| Schedule::even(plan.measure_from, plan.measure_to, n, QUEUE_SAMPLES));
        let [schedule, window] = &schedules;
        let topology = Topology::new(&plan, ahead);
        asker.made(plan.flows.len())?;
        let net = Net::new(&plan, seed, topology, [schedule, window], ahead, &mut asker)?;
        let flows = plan.flows.iter().map(|f| FlowState::new(&plan, f, seed, window, ahead));
        let mut engine = Self {
            seed,
            net,
            flows: asker.all(flows)?,
            sources: Vec::new(),
            traffic: plan.traffic.iter().map(|t| Traffic::new(&plan, t, seed)).collect(),
            recorder: Recorder::new(&plan),
            trace_at: plan.trace.interval.map_or(Time::NEVER, |_| Time::ZERO),
            plan,
        };
        let plan = &*engine.plan;
        watch(plan, &mut engine.flows[..plan.lasting()]);
        asker.made(plan.flows.len())?;
        for (i, flow) in engine.flows[..plan.lasting()].iter().enumerate() {
            engine.net.processes.set(Source::Timer(i as u32), flow.start);
        }
        for (i, source) in plan.background.iter().enumerate() {
            let source = Background::new(source, seed, plan.end);
            let sends = engine.net.hosts.sends(i, source.next());
            engine.net.processes.set(Source::Background(i as u32), sends);
            engine.sources.push(source);
        }
        for (i, traffic) in plan.traffic.iter().enumerate() {
            for slot in &mut engine.flows[traffic.slots.clone()] {
                slot.slot = Some(Box::new(Slot::new(i, traffic.handshake)));
            }
            engine.net.processes.set(Source::Traffic(i as u32), engine.traffic[i].next());
        }
        Ok(engine)
    }

    /// Runs to the end within this memory limit. `progress` is called with the simulated
    /// time now and then and may interrupt the run; its memory is then freed, unless
    /// the program ends ([`leave`]).
    ///
    /// # Errors
    /// If `progress` interrupted it, or before it exceeds the memory limit.
    pub fn run(
        mut self,
        memory: Bytes,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
        observe: Option<Observe<'_>>,
    ) -> Result<Run, Stopped> {
        if let Some((wanted, _)) = &observe {
            self.net.observe(&self.plan, wanted);
            wanted.flows.iter().for_each(|&flow| self.flows[flow].observe());
        }
        let mut observer = observe.map(|(_, observer)| observer);
        let mut guard = Guard::new(&self.plan, memory);
        let worked = self.work(&mut guard, progress, |engine| {
            let goes_on = engine.step();
            if let Some(observer) = &mut observer {
                let now = if goes_on { engine.now() } else { Time::NEVER };
                engine.net.tell(now, *observer);
            }
            goes_on
        });
        if worked == Err(Stopped::Interrupted) {
            leave(self);
            return Err(Stopped::Interrupted);
        }
        worked?;
        let mut asker = Asker::new(self.plan.end, progress);
        self.finish(&mut asker)
    }

    /// Calls `step` until it returns `false`, and between calls reports progress and checks
    /// the memory now and then.
    #[inline(always)]
    fn work(
        &mut self,
        guard: &mut Guard,
        progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
        mut step: impl FnMut(&mut Self) -> bool,
    ) -> Result<(), Stopped> {
        let mut unreported = PROGRESS_EVERY;
        loop {
            if unreported >= PROGRESS_EVERY {
                unreported = 0;
                if progress(self.now()).is_break() {
                    return Err(Stopped::Interrupted);
                }
            }
            if !step(self) {
                return Ok(());
            }
            let work = self.net.work.done();
            unreported += work;
            if guard.is_due(work) {
                guard.look(&self.memory(guard.ahead()), self.now())?;
            }
        }
    }

    /// The memory used in addition to the fixed part, if this much work is done before the
    /// next check.
    fn memory(&self, more: usize) -> Tally {
        let mut tally = Tally::default();
        self.net.memory(self.now(), more, &mut tally);
        for flow in &self.flows {
            tally.packets(flow.sender.memory(more));
            tally.setup(flow.round_trips.memory());
        }
        let lists = self.traffic.iter().flat_map(|traffic| traffic.lists(more));
        lists.for_each(|(length, room_for, size)| tally.transfers(room(length, room_for, size)));
        tally.trace(self.recorder.memory());
        tally
    }

    /// Lets the earliest process act as far as it may, or until it has done much work;
    /// `false` when the end is reached.
    #[inline]
    pub fn step(&mut self) -> bool {
        self.net.work.begin();
        let (now, process) = self.net.processes.next();
        if now.min(self.trace_at) > self.plan.end {
            return false;
        }
        if self.trace_at <= now {
            self.record();
            return true;
        }
        if self.net.processes.need_warmth(now) {
            self.net.warm_up(now, |flow| self.flows[flow].warm());
        }
        let until = self.net.processes.begin(process, now).min(self.trace_at);
        let after_end = self.plan.end + Duration::from_nanos(1);
        let until = until.min(after_end);
        loop {
            let (at, entry, source) = self.net.processes.next_action();
            if (at >= until && at != now) || self.net.work.is_enough() {
                break;
            }
            match source {
                Source::Junction(ring) if self.net.capture.is_none() => {
                    self.net.cross(ring, now, until);
                }
                Source::Ring(ring) | Source::Junction(ring) => {
                    self.net.work.events += 1;
                    self.net.pass_on(ring, entry, at);
                }
                Source::Acks(ring) => self.on_acks(ring, entry, at, until),
                Source::Timer(flow) => self.on_timer(flow as usize, entry, at),
                other => self.on_other(other, at),
            }
        }
        self.net.processes.end();
        true
    }

    /// The time of the next event, at most the end.
    pub fn now(&self) -> Time {
        self.net.processes.next().0.min(self.trace_at).min(self.plan.end)
    }

    #[cold]
    fn record(&mut self) {
        self.net.work.events += 1;
        let hops = &mut self.net.hops;
        let values = self.recorder.record(self.trace_at, &self.plan, &self.flows, hops);
        self.net.work.add(values as u64);
        self.trace_at += self.plan.trace.interval.expect("only a traced plan gets here");
    }

    #[inline(always)]
    fn on_ack(&mut self, packet: &Packet, now: Time) {
        let flow = packet.whose.flow();
        let state = &mut self.flows[flow];
        state.cuts.pass_with(now, || totals(&state.sender));
        let rtt = now.since(packet.sent);
        if (self.plan.measure_from..self.plan.measure_to).contains(&now) {
            state.round_trips.record(rtt);
        }
        let ack = acks::plain(packet, now, packet.is(flag::ECE));
        let key = packet.whose.blocks();
        if key == NO_BLOCKS {
            state.sender.on_ack(&ack);
        } else {
            let (blocks, feedback) = self.net.take(key, packet.seq);
            state.sender.on_ack_slow(&AckIn { blocks: blocks.as_slice(), feedback, ..ack });
        }
        if state.sender.is_finished() && state.finished.is_none() {
            state.finished = Some(now);
            if state.slot.is_some() {
                return self.on_slot_done(flow, now);
            }
        }
        state.pump(&mut self.net, flow, now);
    }

    #[cold]
    #[inline(never)]
    fn on_ack_seldom(&mut self, packet: &Packet, now: Time) {
        self.on_ack(packet, now);
    }

    #[cold]
    #[inline(never)]
    fn on_other(&mut self, source: Source, now: Time) {
        self.net.work.events += 1;
        match source {
            Source::Background(i) => self.on_background(i as usize, now),
            Source::DelayedAck(flow) => self.net.on_delayed_ack(flow as usize, now),
            Source::Service(link) => self.net.serve(link as usize, now),
            Source::Mixed(ring) => {
                if let Some(packet) = self.net.pass_mixed(ring, now) {
                    self.on_ack_seldom(&packet, now);
                }
            }
            Source::Traffic(i) => self.on_traffic(i as usize, now),
            Source::Ring(_) | Source::Junction(_) | Source::Acks(_) | Source::Timer(_) => {
                unreachable!("what is hot is handled where it is")
            }
        }
    }

    /// The timer of a flow, with this entry on the agenda, fires.
    #[inline(never)]
    fn on_timer(&mut self, flow: usize, entry: usize, now: Time) {
        self.net.work.events += 1;
        let state = &mut self.flows[flow];
        let postponed = state.postponed_timer(now);
        self.net.processes.set_own(entry, postponed.unwrap_or(Time::NEVER));
        if postponed.is_some() {
            return;
        }
        state.cuts.pass_with(now, || totals(&state.sender));
        state.sender.on_timer(now);
        state.pump(&mut self.net, flow, now);
    }

    /// A source sends, and finds out when it sends next.
    fn on_background(&mut self, i: usize, now: Time) {
        if self.sources[i].is_settled() {
            self.net.send_background(i, now, self.plan.background[i].packet.get() as u16);
            self.sources[i].on_sent();
        } else {
            // it continues what it was doing: not an event of its own
            self.net.work.events -= 1;
        }
        let settled = self.sources[i].settle(PAUSE);
        let next = match settled {
            true => self.net.hosts.sends(i, self.sources[i].next()),
            false => now,
        };
        self.net.work.add(if settled { 0 } else { PAUSE });
        self.net.processes.set(Source::Background(i as u32), next);
    }

    /// Connections are requested.
    fn on_traffic(&mut self, i: usize, now: Time) {
        let mut left = PAUSE;
        self.net.work.events -= u64::from(self.traffic[i].paused);
        while let Some(begin) = self.traffic[i].act(now, &mut left) {
            self.open(begin, now);
        }
        self.traffic[i].paused = left == 0;
        self.net.work.add(PAUSE - left);
        self.net.processes.set(Source::Traffic(i as u32), self.traffic[i].next());
    }

    /// A connection starts in a slot.
    fn open(&mut self, Begin { slot: flow, bytes }: Begin, now: Time) {
        let state = &mut self.flows[flow];
        state.cuts.pass_with(now, || totals(&state.sender));
        state.open(&self.plan.flows[flow], bytes);
        state.pump(&mut self.net, flow, now);
    }

    /// Everything that the sender in a slot had to send is acknowledged: the opening of a
    /// connection, or all its data.
    #[cold]
    #[inline(never)]
    fn on_slot_done(&mut self, flow: usize, now: Time) {
        let state = &mut self.flows[flow];
        if state.establish(&self.plan.flows[flow]) {
            return state.pump(&mut self.net, flow, now);
        }
        let i = state.slot.as_ref().expect("only slots get here").traffic;
        let arrived = self.net.ends[flow].last_fresh;
        if let Some(begin) = self.traffic[i].on_done(flow, now, arrived) {
            self.open(begin, now);
        }
        self.net.processes.set(Source::Traffic(i as u32), self.traffic[i].next());
    }

    fn finish(self, asker: &mut Asker<'_>) -> Result<Run, Stopped> {
        let Self { plan, mut net, .. } = self;
        let (waiting, events) = (net.waiting(), net.work.events);
        net.stop();
        let flows = self.flows.into_iter().zip(net.ends).zip(&waiting);
        let window = Schedule::even(plan.measure_from, plan.measure_to, BATCHES, QUEUE_SAMPLES);
        let (window, steps) = (window.boundaries(), &*net.steps_at);
        let flows = flows.map(|((state, end), &waiting)| state.finish(end, waiting, window, steps));
        let flows = match asker.all(flows) {
            Ok(flows) => flows,
            Err(stopped) => {
                leave((net.hops, net.losses));
                return Err(stopped);
            }
        };
        let background = net.sinks.into_iter().zip(&self.sources).zip(&plan.background);
        let on_the_way = &waiting[plan.flows.len()..];
        let background = background.zip(on_the_way).map(|(((sink, source), planned), &waiting)| {
            let marks = sink.cuts.finish(&sink.arrived);
            let arrived = marks[marks.len() - 1] - marks[0];
            run::Background {
                arrived,
                arrived_bytes: arrived * planned.packet.get(),
                total: run::Totals {
                    sent: source.sent,
                    arrived: sink.arrived,
                    dropped: sink.dropped,
                    in_flight: waiting + sink.late,
                    delivered: sink.arrived,
                },
            }
        });
        let links = net.hops.into_iter().zip(net.losses);
        let link = |(hop, log): (Stage, LossLog)| run::Link {
            losses: Some(run::Losses {
                episodes: log.episodes(),
                synchronisation: log.synchronisation(),
                gap: log.gap(),
            }),
            ..hop.finish(plan.end).into()
        };
        let links = match asker.all(links.map(link)) {
            Ok(links) => links,
            Err(stopped) => {
                leave(flows);
                return Err(stopped);
            }
        };
        Ok(Run {
            seed: self.seed,
            flows,
            links,
            background: background.collect(),
            traffic: self
                .traffic
                .into_iter()
                .map(|t| run::Traffic { transfers: t.transfers })
                .collect(),
            trace: self.recorder.finish(),
            audit: None,
            events,
            wall: std::time::Duration::ZERO,
        })
    }

    /// Sent, arrived, dropped and on the way, over all flows and background sources: the
    /// quantities that conservation is about.
    pub fn totals(&self) -> run::Totals {
        let ends = || self.net.ends.iter();
        let sinks = || self.net.sinks.iter();
        let sent = self.flows.iter().map(|f| f.sender.counters().sent);
        run::Totals {
            sent: sent.chain(self.sources.iter().map(|s| s.sent)).sum(),
            arrived: ends().map(|e| e.arrivals.arrived).chain(sinks().map(|s| s.arrived)).sum(),
            dropped: ends().map(|e| e.dropped_total).chain(sinks().map(|s| s.dropped)).sum(),
            in_flight: ends().map(|e| e.late).chain(sinks().map(|s| s.late)).sum::<u64>()
                + self.net.waiting().iter().sum::<u64>(),
            delivered: ends().map(|e| e.arrivals.delivered).sum(),
        }
    }
}

mod acks;
mod pieces;

pub use pieces::begin;
#[cfg(test)]
mod tests;
