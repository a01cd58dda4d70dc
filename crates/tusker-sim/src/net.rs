//! Links, rings and receivers: what happens to packets between the decisions of senders.

mod departing;
mod ends;
mod junction;
mod links;
mod warm;
mod watched;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tusker_core::params::Need;
use tusker_core::queue::Header;
use tusker_core::{Duration, Time};
use tusker_path::{Event, Offered, Outcome, Schedule, Sent};
use tusker_plan::budget::Stopped;
use tusker_plan::convergence::Steps;
use tusker_plan::fairness::base_rtt;
use tusker_plan::plan::{self, Plan};

pub use self::ends::{End, Sink};
use self::junction::Crossing;
use self::links::{Sender, Use, ack_lead, senders_of, stage, uses};
use crate::asker::Asker;
use crate::capture::Capture;
use crate::headers::HeaderStore;
use crate::hosts::Hosts;
use crate::measure::{Cuts, LossLog};
use crate::memory::{Tally, Work};
use crate::mixed::Mixed;
use crate::packet::{BlockStore, Blocks, Packet, State, Whose, flag};
use crate::processes::{Processes, Source};
use crate::rings::Rings;
use crate::senders::Senders;
use crate::stage::Stage;
use crate::tcp::{InOrder, ReceiverSlot, Segment};
use crate::topology::{Path, Route, Step, Target, Then, Topology};

/// Everything between senders.
#[derive(Debug)]
pub struct Net {
    pub hops: Vec<Stage>,
    pub steps: Vec<Step>,
    routes: Vec<Route>,
    /// What stations know about each flow and background source.
    senders_of: Vec<Sender>,
    /// Where the packets of each ring go next.
    targets: Vec<Target>,
    rings: Rings,
    crossing: Crossing,
    mixed: Mixed,
    /// For rings of ACKs that were out of order: the rings in which they wait for their
    /// sender.
    taken: BTreeMap<u32, u32>,
    pub hosts: Hosts,
    /// Messages of a station, until they are passed on.
    events: Vec<Event<Packet>>,
    pub processes: Processes,
    blocks: BlockStore,
    headers: HeaderStore,
    /// One per flow.
    pub ends: Vec<End>,
    /// How many flows last for the whole run; slots follow them.
    lasting: usize,
    /// One per background source.
    pub sinks: Vec<Sink>,
    /// One per link.
    pub losses: Vec<LossLog>,
    /// Observed packets, if there is an observer.
    pub capture: Option<Box<Capture>>,
    /// The senders' state, if it is observed.
    pub senders: Option<Box<Senders>>,
    measure: (Time, Time),
    end: Time,
    /// The boundaries of the steps in which arrivals are counted.
    pub steps_at: Arc<[Time]>,
    /// What has been done so far.
    pub work: Work,
}

impl Net {
    /// All idle. The schedules divide the measuring window into batches, and do not.
    pub fn new(
        plan: &Plan,
        seed: u64,
        topology: Topology,
        schedules: [&Schedule; 2],
        ahead: bool,
        asker: &mut Asker<'_>,
    ) -> Result<Self, Stopped> {
        let uses = uses(plan);
        let stage = |(link, used): (usize, &Use)| stage(plan, link, used, seed, schedules);
        let mut hops = asker.all(uses.iter().enumerate().map(stage))?;
        hops.extend(topology.switches.iter().cloned().map(Stage::Switch));
        let bounds = schedules[0].boundaries();
        let steps = Steps::of(plan);
        let steps: Arc<[Time]> = steps.into_iter().flat_map(Steps::boundaries).collect();
        let both = bounds.iter().chain(&*steps).copied().collect::<BTreeSet<_>>();
        let both: Arc<[Time]> = both.into_iter().collect();
        let slot = |flow| {
            let traffic = plan.traffic.iter().find(|traffic| traffic.slots.contains(&flow));
            traffic.map(|traffic| ReceiverSlot { handshake: traffic.handshake })
        };
        let flows = plan.flows.iter().enumerate();
        let ends = flows.map(|(f, flow)| {
            let by_the_clock = topology.end_ring(f).is_some();
            let ack_lead = if by_the_clock { Duration::ZERO } else { ack_lead(plan, flow) };
            // no further check per packet: the steps are among the boundaries
            let counted = f < plan.lasting() && flow.size.is_none();
            let bounds = if counted { &both } else { bounds };
            let base_rtt = Duration::from_secs(base_rtt(plan, flow));
            End::new(flow, ahead, slot(f), base_rtt, ack_lead, Cuts::new(bounds.clone()))
        });
        let ends = asker.all(ends)?;
        let sink = |_| Sink { arrived: 0, cuts: Cuts::new(bounds.clone()), dropped: 0, late: 0 };
        Ok(Self {
            hops,
            rings: Rings::new(topology.targets.len()),
            crossing: Crossing::default(),
            processes: Processes::new(plan, &topology, ahead),
            steps: topology.steps,
            routes: topology.routes,
            senders_of: senders_of(plan),
            targets: topology.targets,
            taken: topology.taken,
            hosts: Hosts::new(plan, seed),
            mixed: Mixed::default(),
            events: Vec::new(),
            blocks: BlockStore::default(),
            headers: HeaderStore::default(),
            ends,
            lasting: plan.lasting(),
            sinks: plan.background.iter().map(sink).collect(),
            losses: uses.iter().map(|used| LossLog::new(used.longest, used.lasting)).collect(),
            capture: None,
            senders: None,
            measure: (plan.measure_from, plan.measure_to),
            end: plan.end,
            steps_at: steps,
            work: Work::default(),
        })
    }

    /// Adds up the memory of what is under way, with `more` packets before the next check.
    pub fn memory(&self, now: Time, more: usize, tally: &mut Tally) {
        for part in [self.rings.memory(more), self.blocks.memory(more), self.headers.memory(more)] {
            tally.packets(part);
        }
        if let Some(capture) = &self.capture {
            tally.packets(capture.memory(more));
        }
        if let Some(senders) = &self.senders {
            tally.packets(senders.memory(more));
        }
        self.mixed.memory(more).for_each(|ring| tally.packets(ring));
        self.hops.iter().for_each(|stage| tally.packets(stage.memory(now, more)));
        self.ends.iter().for_each(|end| tally.packets(end.receiver.memory(more)));
        self.losses.iter().for_each(|log| tally.setup(log.memory()));
    }

    /// A segment leaves its sender.
    #[inline(always)]
    pub fn send(&mut self, flow: usize, segment: Segment, now: Time, size: u16, ecn: u8) {
        self.forward_inline(self.segment(flow, segment, now, size, ecn), now);
    }

    #[inline(always)]
    fn segment(&self, flow: usize, segment: Segment, now: Time, size: u16, ecn: u8) -> Packet {
        let mut packet = self.data(flow, segment.seq, now, size, 0);
        mark(&mut packet.state, &segment, ecn);
        packet
    }

    /// A segment with headers for routers leaves its sender.
    #[cold]
    #[inline(never)]
    pub fn send_with(
        &mut self,
        flow: usize,
        segment: Segment,
        now: Time,
        size: u16,
        ecn: u8,
        header: Header,
    ) {
        let whose = Whose::new(flow as u32, self.headers.keep_header(header));
        let packet = self.segment(flow, segment, now, size, ecn);
        self.forward(Packet { whose, ..packet }, now);
    }

    /// A background packet leaves its source.
    pub fn send_background(&mut self, source: usize, now: Time, size: u16) {
        let packet = self.data(self.ends.len() + source, 0, now, size, flag::UDP);
        self.forward(packet, now);
    }

    #[inline]
    fn data(&self, flow: usize, seq: u64, now: Time, size: u16, flags: u8) -> Packet {
        Packet::new(flow as u32, seq, now, self.routes[flow].data, size, flags)
    }

    /// The next packet of a ring continues. `entry` is the ring's place on the agenda of
    /// the acting process, where the following packet is entered.
    #[inline(always)]
    pub fn pass_on(&mut self, ring: u32, entry: usize, now: Time) {
        let (packet, behind) = self.rings.pop(ring as usize);
        self.processes.set_own(entry, behind);
        self.forward_inline(packet, now);
    }

    /// The next packet of a ring, and when the one after it is due.
    #[inline(always)]
    pub fn pop(&mut self, ring: u32) -> (Packet, Time) {
        self.rings.pop(ring as usize)
    }

    /// Moves a packet on from its step, as far as is determined by now.
    #[inline(never)]
    pub fn forward(&mut self, packet: Packet, at: Time) {
        self.forward_inline(packet, at);
    }

    /// [`Self::forward`] inlined, for the event loop.
    ///
    /// The packet is taken apart and put together again where it comes to rest: otherwise
    /// it would stay in memory as a whole, and be read back from there before the write has
    /// completed.
    #[inline(always)]
    pub fn forward_inline(&mut self, packet: Packet, mut at: Time) {
        let Packet { mut sent, mut reached, mut seq, whose, mut state, .. } = packet;
        let mut next = state.step();
        loop {
            let step = self.steps[next];
            let link = step.link as usize;
            next += 1;
            let Stage::Hop(hop) = &mut self.hops[link] else {
                state.set_step(next);
                return self.keep(link, Packet { at, sent, reached, seq, whose, state });
            };
            let outcome = hop.offer(at, state.size(), state.is(flag::ECT), || {
                self.headers.header(whose.blocks())
            });
            let marked = match outcome {
                Outcome::Arrives { at: arrives, marked } => {
                    at = arrives;
                    marked
                }
                Outcome::Dropped(_) => {
                    let packet = Packet { at, sent, reached, seq, whose, state };
                    return self.on_drop(link, packet);
                }
            };
            if marked {
                state.mark(flag::CE);
            }
            match step.then {
                Then::Pass => {}
                Then::Wait(ring) => {
                    state.set_step(next);
                    return self.wait(ring, Packet { at, sent, reached, seq, whose, state });
                }
                Then::Take(ring) => {
                    at = self.hosts.sees(whose.flow(), at);
                    state.set_step(next);
                    return self.wait(ring, Packet { at, sent, reached, seq, whose, state });
                }
                Then::Mix(ring) => {
                    state.set_step(next);
                    return self.mix(ring, Packet { at, sent, reached, seq, whose, state });
                }
                Then::Receive => {
                    let flow = whose.flow();
                    let taken = match state.is(flag::UDP) {
                        true => InOrder::No,
                        false => self.ends[flow].receiver.take_in_order(seq, sent, at, state),
                    };
                    let cause = match taken {
                        InOrder::Acknowledged(cause) => cause,
                        InOrder::Waits(until) => {
                            self.ends[flow].count(at, true, self.end);
                            return self.await_delayed_ack(flow, until);
                        }
                        InOrder::No => {
                            let packet = Packet { at, sent, reached, seq, whose, state };
                            return self.receive_slow(packet);
                        }
                    };
                    let end = &mut self.ends[flow];
                    end.count(at, true, self.end);
                    let route = self.routes[flow];
                    (sent, reached, seq) = (cause.sent, cause.reached, seq + 1);
                    at = self.hosts.answers(flow, at);
                    state = State::ack(cause.again, end.ack_size);
                    next = route.ack as usize;
                    if let Some(ring) = route.ack_ring {
                        state.set_step(next);
                        return self.wait(ring, Packet { at, sent, reached, seq, whose, state });
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn wait(&mut self, ring: u32, packet: Packet) {
        let Self { rings, processes, .. } = self;
        rings.push(ring as usize, packet, |at| processes.set(Source::Ring(ring), at));
    }

    /// A packet waits for its time in a ring where it may overtake others.
    #[cold]
    #[inline(never)]
    fn mix(&mut self, ring: u32, packet: Packet) {
        let link = self.steps[packet.state.step() - 1].link;
        let first = self.mixed.push(ring, link, packet);
        self.processes.set(Source::Mixed(ring), first);
    }

    /// The first packet of such a ring arrives. An ACK that reaches its sender is returned.
    pub fn pass_mixed(&mut self, ring: u32, now: Time) -> Option<Packet> {
        let (packet, behind) = self.mixed.pop(ring)?;
        self.processes.set(Source::Mixed(ring), behind);
        match self.targets[ring as usize] {
            Target::Sender(_) => match self.taken.get(&ring) {
                Some(&taken) => {
                    let at = self.hosts.sees(packet.whose.flow(), now);
                    self.wait(taken, Packet { at, ..packet });
                }
                None => return Some(packet),
            },
            Target::Link(_) => self.forward(packet, now),
            Target::End(_) => self.receive_slow(packet),
        }
        None
    }

    /// A packet reaches a station, which keeps it, or an observed link. Its step is already
    /// the next one.
    #[cold]
    #[inline(never)]
    fn keep(&mut self, link: usize, packet: Packet) {
        match &self.hops[link] {
            Stage::Watched(_) => return self.pass_watched(link, packet),
            Stage::Switch(paths) => {
                let path = paths.iter().rev().find(|path| path.from <= packet.at);
                let Path { step, ring, .. } = *path.unwrap_or(&paths[0]);
                return self.enter(packet, step, ring);
            }
            Stage::Hop(_) | Stage::Station(_) => {}
        }
        self.see_enter(link, &packet, None);
        let now = packet.at;
        let Stage::Station(station) = &mut self.hops[link] else { return };
        let is_ack = packet.is(flag::ACK);
        let Sender { from, to, dscp } = self.senders_of[packet.whose.flow()];
        let (from, to, dscp) = if is_ack { (to, from, 0) } else { (from, to, dscp) };
        let offered = Offered {
            size: packet.state.size(),
            ecn: packet.state.codepoint(),
            dscp,
            // a connection's data and its ACKs count as two flows
            flow: 2 * packet.whose.flow() as u64 + u64::from(is_ack),
            from,
            to,
        };
        let (was_due, mut first) = (station.due(), None);
        let events = &mut self.events;
        station.offer(now, offered, packet, |event| hear(event, &mut first, events));
        let due = station.due();
        if due != was_due {
            self.processes.set(Source::Service(link as u32), due.unwrap_or(Time::NEVER));
        }
        self.go_on(link, first);
    }

    /// A packet takes a route.
    fn enter(&mut self, mut packet: Packet, step: u32, ring: Option<u32>) {
        packet.state.set_step(step as usize);
        match ring {
            Some(ring) => self.wait(ring, packet),
            None => self.forward(packet, packet.at),
        }
    }

    /// The wire of a station is free.
    pub fn serve(&mut self, link: usize, now: Time) {
        let Stage::Station(station) = &mut self.hops[link] else { return };
        let (events, mut first) = (&mut self.events, None);
        station.advance(now, |event| hear(event, &mut first, events));
        let due = station.due();
        self.processes.set(Source::Service(link as u32), due.unwrap_or(Time::NEVER));
        self.go_on(link, first);
    }

    /// Passes on the messages of a station: first a packet that it has sent, then the
    /// others.
    fn go_on(&mut self, link: usize, first: Option<Sent<Packet>>) {
        if let Some(sent) = first {
            self.leave(link, sent);
        }
        if self.events.is_empty() {
            return;
        }
        let mut events = std::mem::take(&mut self.events);
        for event in events.drain(..) {
            match event {
                Event::Dropped { item, at, .. } => self.on_drop(link, Packet { at, ..item }),
                Event::Sent(sent) => self.leave(link, sent),
            }
        }
        self.events = events;
    }

    /// The wire of a station has accepted a packet.
    fn leave(&mut self, link: usize, sent: Sent<Packet>) {
        let mut packet = sent.item;
        if sent.marked {
            packet.state.mark(flag::CE);
        }
        let Some(at) = sent.arrives else {
            return self.on_drop(link, Packet { at: sent.at, ..packet });
        };
        packet.at = at;
        self.arrive(link, packet);
    }

    /// A packet arrives at the end of a link, at `packet.at`.
    fn arrive(&mut self, link: usize, packet: Packet) {
        self.see_arrive(link, &packet);
        match self.steps[packet.state.step() - 1].then {
            Then::Pass => self.forward(packet, packet.at),
            Then::Wait(ring) => self.wait(ring, packet),
            Then::Mix(ring) => self.mix(ring, packet),
            Then::Take(ring) => {
                let at = self.hosts.sees(packet.whose.flow(), packet.at);
                self.wait(ring, Packet { at, ..packet });
            }
            Then::Receive if matches!(self.hops[link], Stage::Watched(_)) => self.receive(packet),
            Then::Receive => self.receive_slow(packet),
        }
    }

    #[cold]
    #[inline(never)]
    fn on_drop(&mut self, link: usize, packet: Packet) {
        let at = packet.at;
        let flow = packet.whose.flow();
        let measured = (self.measure.0..self.measure.1).contains(&at);
        if packet.state.is(flag::ACK) {
            self.take(packet.whose.blocks(), packet.seq);
            return;
        }
        self.headers.take_header(packet.whose.blocks());
        if packet.state.is(flag::UDP) {
            let sink = &mut self.sinks[flow - self.ends.len()];
            let count = if at <= self.end { &mut sink.dropped } else { &mut sink.late };
            *count += 1;
            return;
        }
        let end = &mut self.ends[flow];
        if at > self.end {
            end.late += 1;
            return;
        }
        end.dropped_total += 1;
        if measured {
            end.dropped += 1;
            self.losses[link].on_drop(at, Some(flow).filter(|&flow| flow < self.lasting));
        }
    }

    /// Data that accompanies the ACK with this number: SACK blocks, and the routers' answer.
    pub fn take(&mut self, key: u32, ack: u64) -> (Blocks, Option<f64>) {
        let (said, blocks) = self.headers.take_answer(key);
        (self.blocks.take(blocks, ack), said)
    }

    /// Nothing moves any more: frees the packets under way, so that results take their place.
    pub fn stop(&mut self) {
        self.rings = Rings::new(0);
        self.mixed = Mixed::default();
        self.blocks = BlockStore::default();
        self.headers = HeaderStore::default();
    }

    /// Headers and answers that are under way.
    #[cfg(test)]
    pub fn headers_in_use(&self) -> usize {
        self.headers.in_use()
    }

    /// Data packets of each flow, then of each background source, that wait in rings and at
    /// stations.
    pub fn waiting(&self) -> Vec<u64> {
        let mut waiting = vec![0; self.routes.len()];
        let kept = self.hops.iter().filter_map(|stage| match stage {
            Stage::Station(station) => Some(station.iter()),
            Stage::Hop(_) | Stage::Watched(_) | Stage::Switch(_) => None,
        });
        let packets = self.rings.iter().chain(self.mixed.iter().chain(kept.flatten()).copied());
        for packet in packets.filter(|p| !p.state.is(flag::ACK)) {
            waiting[packet.whose.flow()] += 1;
        }
        waiting
    }
}

/// Stores a station's messages. Nearly always there is one packet that was sent, and
/// nothing needs to be stored.
#[inline]
fn hear(event: Event<Packet>, first: &mut Option<Sent<Packet>>, rest: &mut Vec<Event<Packet>>) {
    match event {
        Event::Sent(sent) if first.is_none() && rest.is_empty() => *first = Some(sent),
        event => rest.push(event),
    }
}

/// Sets the flags of a segment; `ecn`: those of new data.
#[inline(always)]
fn mark(state: &mut State, segment: &Segment, ecn: u8) {
    let mut flags = 0;
    if segment.retransmission {
        flags |= flag::RETRANSMISSION;
    }
    // RFC 3168, section 6.1.5: retransmissions are not ECN-capable; those of L4S
    // are (RFC 8311, section 4.3)
    if !segment.retransmission || ecn & flag::ECT1 != 0 {
        flags |= ecn;
    }
    if segment.cwr {
        flags |= flag::CWR;
    }
    state.mark(flags);
    if segment.push {
        state.push();
    }
}

/// The flow's congestion control needs headers from routers.
pub fn hears_routers(flow: &plan::Flow) -> bool {
    flow.cc.needs(Need::RouterFeedback)
}
