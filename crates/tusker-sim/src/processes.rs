//! Which sources must act in step, and how far each may run ahead.
//!
//! A **process** is a unit that cannot be separated in time: a sender; a junction, where
//! packets from several rings enter one link; or several of these that touch each other
//! without delay, such as the senders of one host. Delayed ACKs belong to the process that
//! they reach first. The slots of connections that come and go form one process with the
//! source that requests them. Within a process everything happens in order of time.
//!
//! Between processes every packet needs some time, for its transmission and propagation. So if
//! the earliest process of all is at time t, the others next act at the time of the second
//! earliest, or when something reaches them that the earliest does from now on: after t plus
//! the shortest path out of it, its **reach**. Whatever they do then needs the shortest path
//! into the earliest process, its **lookahead**. Until then it can act without regard to the
//! others. Whole batches of ACKs or arrivals are handled together, while
//! their data is in the cache and the processor can predict what comes next. Each process sees
//! its events in the same order as if all were handled one by one, so the results are the same.

use std::collections::{BTreeMap, BTreeSet};
use std::hint::black_box;

use tusker_core::{Bytes, Duration, Time};
use tusker_plan::plan::Plan;

use crate::agenda::Agenda;
use crate::tcp::delays_acks;
use crate::topology::{Step, Target, Then, Topology};

/// Lookahead and reach count as at most this, so that the packets under way still fit into the
/// cache.
const BATCH: Duration = Duration::from_millis(5);

/// The reasons for a process to act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The first packet of this ring arrives at a junction.
    Ring(u32),
    /// The same, at a junction that many packets cross in one go (`Net::cross`), since nothing
    /// behind it depends on the order of packets of different rings: each ring has links behind
    /// the junction to itself, and no packet comes back before it has waited in a ring of
    /// another process. The process has only one link.
    Junction(u32),
    /// The first ACK of this ring arrives at its sender.
    Acks(u32),
    /// The timer of this flow's sender.
    Timer(u32),
    /// This background source sends.
    Background(u32),
    /// The delayed ACK of this flow is due.
    DelayedAck(u32),
    /// The first packet of this ring, in which packets overtake each other,
    /// arrives anywhere.
    Mixed(u32),
    /// The wire of this link, which keeps its packets, is free.
    Service(u32),
    /// Connections that come and go: one is requested.
    Traffic(u32),
}

/// The agenda of the sources that act in step: one line of the cache for a sender.
#[derive(Debug)]
#[repr(align(64))]
struct Process {
    /// When each source is due.
    agenda: Agenda,
    sources: Sources,
    /// The shortest path into it from others.
    lookahead: Duration,
    /// The shortest path from it to others.
    reach: Duration,
}

/// The sources of a process by their entry on its agenda.
#[derive(Debug)]
enum Sources {
    /// Of a sender; the second may be missing, and is never due then.
    Two([Source; 2]),
    All(Box<[Source]>),
}

impl Sources {
    fn new(all: Vec<Source>) -> Self {
        match all[..] {
            [] => Self::All(Box::default()),
            [one] => Self::Two([one; 2]),
            [one, two] => Self::Two([one, two]),
            _ => Self::All(all.into()),
        }
    }

    #[inline(always)]
    fn at(&self, entry: usize) -> Source {
        match self {
            Self::Two(two) => two[entry & 1],
            Self::All(all) => all[entry],
        }
    }

    fn as_slice(&self) -> &[Source] {
        match self {
            Self::Two(two) => two,
            Self::All(all) => all,
        }
    }
}

/// A source's place on the agendas.
#[derive(Clone, Copy, Debug, Default)]
struct Home {
    process: u32,
    entry: u32,
}

const _: () = assert!(size_of::<Process>() == 64);

/// All processes of a simulation.
#[derive(Debug)]
pub struct Processes {
    list: Vec<Process>,
    /// When each process acts next, except the acting one.
    clock: Agenda,
    acting: usize,
    soon: Soon,
    /// The acting process; its place on the list holds an empty one.
    actor: Process,
    rings: Vec<Home>,
    timers: Vec<Home>,
    backgrounds: Vec<Home>,
    delayed_acks: Vec<Home>,
    services: Vec<Home>,
    traffic: Vec<Home>,
}

/// The processes that act soon, when there are thousands.
#[derive(Debug)]
struct Soon {
    /// Before this time.
    until: Time,
    /// How long that is.
    span: Duration,
    processes: Vec<u32>,
    /// The rings of ACKs and the flows of those that are single senders.
    senders: Vec<(u32, u32)>,
}

impl Soon {
    /// As many fit into the cache easily.
    const MOST: usize = 32;

    /// None are found if there are `few`.
    fn new(few: bool) -> Self {
        let until = if few { Time::NEVER } else { Time::ZERO };
        let span = Duration::from_nanos(1_000);
        Self { until, span, processes: Vec::new(), senders: Vec::new() }
    }

    /// The next span, without processes yet. It is longer or shorter if there were few or many
    /// in the last one.
    fn turn_to(&mut self, now: Time) {
        if self.processes.len() > Self::MOST {
            self.span = Duration::from_nanos(self.span.nanos() / 2 + 1);
        } else if self.processes.len() < Self::MOST / 4 {
            self.span = (self.span * 2).min(BATCH);
        }
        self.until = now + self.span;
        self.processes.clear();
        self.senders.clear();
    }
}

impl Processes {
    /// The processes of a plan, none of which has anything to do yet. With `ahead` off none
    /// runs ahead of the others: slower, with results that must be the same.
    pub fn new(plan: &Plan, topology: &Topology, ahead: bool) -> Self {
        let parts = Parts::new(plan, topology);
        let Paths { into: lookaheads, out: reaches, returns } = paths(plan, topology, &parts);
        let meets = meets(plan, topology);
        let apart =
            |ring, target| ahead && !meets.contains(&ring) && !returns.contains(&parts.of(target));
        let mut sources: BTreeMap<usize, Vec<Source>> = BTreeMap::new();
        let mut add = |part: usize, source| sources.entry(part).or_default().push(source);
        for (ring, &target) in topology.targets.iter().enumerate() {
            let ring = ring as u32;
            let source = match target {
                _ if topology.is_mixed(ring) => Source::Mixed(ring),
                Target::Link(_) if apart(ring, target) => Source::Junction(ring),
                Target::Link(_) => Source::Ring(ring),
                Target::Sender(_) => Source::Acks(ring),
                Target::End(_) => unreachable!("only packets out of order wait for an end"),
            };
            add(parts.of(target), source);
        }
        for flow in 0..plan.flows.len() {
            add(parts.sender(flow), Source::Timer(flow as u32));
        }
        for source in 0..plan.background.len() {
            add(parts.background(source), Source::Background(source as u32));
        }
        for flow in (0..plan.flows.len()).filter(|&f| delays_acks(&plan.flows[f].tcp)) {
            add(parts.delayed_ack(topology, flow), Source::DelayedAck(flow as u32));
        }
        for (link, planned) in plan.links.iter().enumerate() {
            if planned.queue.acts_at_departure() {
                add(parts.of(Target::Link(link)), Source::Service(link as u32));
            }
        }
        for (i, traffic) in plan.traffic.iter().enumerate() {
            add(parts.sender(traffic.slots.start), Source::Traffic(i as u32));
        }
        let clock = Agenda::new(sources.len());
        let mut all = Self {
            soon: Soon::new(!ahead || !clock.is_large()),
            clock,
            list: Vec::new(),
            acting: usize::MAX,
            actor: Process {
                agenda: Agenda::new(0),
                sources: Sources::new(Vec::new()),
                lookahead: Duration::ZERO,
                reach: Duration::ZERO,
            },
            rings: vec![Home::default(); topology.targets.len()],
            timers: vec![Home::default(); plan.flows.len()],
            backgrounds: vec![Home::default(); plan.background.len()],
            delayed_acks: vec![Home::default(); plan.flows.len()],
            services: vec![Home::default(); plan.links.len()],
            traffic: vec![Home::default(); plan.traffic.len()],
        };
        for (part, sources) in sources {
            for (entry, &source) in sources.iter().enumerate() {
                *all.home(source) = Home { process: all.list.len() as u32, entry: entry as u32 };
            }
            let agenda = Agenda::new(sources.len());
            let [lookahead, reach] = [&lookaheads, &reaches].map(|paths| match ahead {
                true => paths.get(&part).copied().unwrap_or(Duration::MAX).min(BATCH),
                false => Duration::ZERO,
            });
            let sources = Sources::new(sources);
            all.list.push(Process { agenda, sources, lookahead, reach });
        }
        all
    }

    fn home(&mut self, source: Source) -> &mut Home {
        match source {
            Source::Ring(i) | Source::Junction(i) | Source::Acks(i) | Source::Mixed(i) => {
                &mut self.rings[i as usize]
            }
            Source::Timer(i) => &mut self.timers[i as usize],
            Source::Background(i) => &mut self.backgrounds[i as usize],
            Source::DelayedAck(i) => &mut self.delayed_acks[i as usize],
            Source::Service(i) => &mut self.services[i as usize],
            Source::Traffic(i) => &mut self.traffic[i as usize],
        }
    }

    /// The earliest process, and when it acts.
    #[inline]
    pub fn next(&self) -> (Time, usize) {
        self.clock.next()
    }

    /// Whether what the next senders need should be read (`net/warm.rs`).
    #[inline]
    pub fn need_warmth(&self, now: Time) -> bool {
        now >= self.soon.until
    }

    /// The senders that act soon after `now`: their rings of ACKs and their flows.
    pub fn act_soon(&mut self, now: Time) -> &[(u32, u32)] {
        let Self { list, clock, soon, .. } = self;
        soon.turn_to(now);
        let Soon { until, processes, senders, .. } = soon;
        clock.due_before(*until, |process| processes.push(process as u32));
        for &process in &*processes {
            black_box(list[process as usize].reach);
        }
        senders.extend(processes.iter().filter_map(
            |&process| match list[process as usize].sources {
                Sources::Two([Source::Acks(ring), Source::Timer(flow)]) => Some((ring, flow)),
                _ => None,
            },
        ));
        senders
    }

    /// This process acts now; returns the time up to which it may, if the earliest event
    /// anywhere is at `now`.
    pub fn begin(&mut self, process: usize, now: Time) -> Time {
        self.acting = process;
        std::mem::swap(&mut self.actor, &mut self.list[process]);
        self.clock.set(process, Time::NEVER);
        self.clock.next().0.min(now + self.actor.reach) + self.actor.lookahead
    }

    /// When the acting process next does something, the source's entry on its agenda, and
    /// the source.
    #[inline(always)]
    pub fn next_action(&self) -> (Time, usize, Source) {
        let (at, entry) = self.actor.agenda.next();
        (at, entry, self.actor.sources.at(entry))
    }

    /// The agenda of the acting process, and the sources by their entry on it.
    pub fn acting(&mut self) -> (&mut Agenda, &[Source]) {
        (&mut self.actor.agenda, self.actor.sources.as_slice())
    }

    /// When the acting process does something other than this source on its agenda, if
    /// there is only one other source.
    #[inline(always)]
    pub fn other_of_two(&self, entry: usize) -> Option<Time> {
        self.actor.agenda.other_of_two(entry)
    }

    /// The acting process pauses.
    pub fn end(&mut self) {
        let at = self.actor.agenda.next().0;
        std::mem::swap(&mut self.actor, &mut self.list[self.acting]);
        self.clock.set(self.acting, at);
        self.acting = usize::MAX;
    }

    /// The first packet of the ring with this entry on the acting process's agenda was
    /// removed; the next packet is due at this time.
    #[inline(always)]
    pub fn set_own(&mut self, entry: usize, at: Time) {
        self.actor.agenda.set(entry, at);
    }

    /// The timer of a sender of the acting process, if it becomes due earlier. A timer that
    /// is postponed keeps its place on the agenda; when it fires, it finds that it is not
    /// due yet.
    #[inline]
    pub fn advance_timer(&mut self, flow: usize, at: Time) {
        let entry = self.timers[flow].entry as usize;
        if at < self.actor.agenda.at(entry) {
            self.set_own_rarely(entry, at);
        }
    }

    #[cold]
    #[inline(never)]
    fn set_own_rarely(&mut self, entry: usize, at: Time) {
        self.set_own(entry, at);
    }

    /// Sets the time of any source.
    #[cold]
    #[inline(never)]
    pub fn set(&mut self, source: Source, at: Time) {
        let Home { process, entry } = *self.home(source);
        let (process, entry) = (process as usize, entry as usize);
        if process == self.acting {
            return self.actor.agenda.set(entry, at);
        }
        let agenda = &mut self.list[process].agenda;
        agenda.set(entry, at);
        self.clock.set(process, agenda.next().0);
    }
}

/// Which senders, background sources, links and ends form one process.
struct Parts {
    /// For each of them, the representative of its process.
    parent: Vec<usize>,
    flows: usize,
    background: usize,
    links: usize,
}

impl Parts {
    fn new(plan: &Plan, topology: &Topology) -> Self {
        let (flows, background) = (plan.flows.len(), plan.background.len());
        let links = plan.links.len();
        let all = 2 * (flows + background) + links;
        let mut parts = Self { parent: (0..all).collect(), flows, background, links };
        // the slots of one demand share its work
        for traffic in &plan.traffic {
            for slot in traffic.slots.clone() {
                let (a, b) = (parts.root(traffic.slots.start), parts.root(slot));
                parts.parent[a.max(b)] = a.min(b);
            }
        }
        // what sends into a junction acts in step with it
        let firsts = plan.flows.iter().enumerate();
        let firsts = firsts.flat_map(|(i, f)| f.routes().map(move |route| (i, route[0])));
        let sources = plan.background.iter().enumerate().map(|(i, b)| (flows + i, b.route[0]));
        for (sender, link) in firsts.chain(sources) {
            if !topology.fused[link] {
                parts.join(sender, flows + background + link);
            }
        }
        // and so does a receiver that sends its ACKs into one
        for (i, flow) in plan.flows.iter().enumerate() {
            let firsts = flow.reverses().filter_map(|route| route.first());
            for &link in firsts.filter(|&&link| !topology.fused[link]) {
                if topology.end_ring(i).is_some() {
                    parts.join(flows + background + links + i, flows + background + link);
                }
            }
        }
        parts
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// Where the delayed ACK of a flow becomes due: at its receiver, if that waits for
    /// arrivals, otherwise where it goes first.
    fn delayed_ack(&self, topology: &Topology, flow: usize) -> usize {
        let ring = topology.end_ring(flow).unwrap_or_else(|| topology.first_ack_ring(flow));
        self.of(topology.targets[ring])
    }

    fn root(&self, mut part: usize) -> usize {
        while self.parent[part] != part {
            part = self.parent[part];
        }
        part
    }

    fn sender(&self, flow: usize) -> usize {
        self.root(flow)
    }

    fn background(&self, source: usize) -> usize {
        self.root(self.flows + source)
    }

    fn of(&self, target: Target) -> usize {
        match target {
            Target::Sender(flow) => self.sender(flow),
            Target::Link(link) => self.root(self.flows + self.background + link),
            Target::End(end) => self.root(self.flows + self.background + self.links + end),
        }
    }
}

/// Rings in front of links behind which the order of packets from different rings may matter.
fn meets(plan: &Plan, topology: &Topology) -> BTreeSet<u32> {
    let waits = topology.steps.iter().zip(1_usize..).filter_map(|(step, next)| match step.then {
        Then::Wait(ring) if matches!(topology.targets[ring as usize], Target::Link(_)) => {
            Some((ring, next))
        }
        _ => None,
    });
    let acks =
        topology.routes.iter().filter_map(|route| Some((route.ack_ring?, route.ack as usize)));
    let entries: Vec<_> = waits.chain(acks).collect();
    // packets of a flow whose route changes meet again behind their last links
    if plan.flows.iter().any(|flow| !flow.reroutes.is_empty()) {
        return entries.into_iter().map(|(ring, _)| ring).collect();
    }
    let mut owners = BTreeMap::new();
    let mut meets = BTreeSet::new();
    for (ring, number) in entries {
        let Step { link, then } = topology.steps[number];
        let next = topology.steps.get(number + 1).filter(|_| then == Then::Pass);
        let owner = next.map(|next| *owners.entry(next.link).or_insert(ring));
        if owner != Some(ring) || plan.links[link as usize].queue.acts_at_departure() {
            meets.extend([ring].into_iter().chain(owner));
        }
    }
    meets
}

/// The ways of packets between parts.
#[derive(Default)]
struct Paths {
    /// The shortest into each part from any other.
    into: BTreeMap<usize, Duration>,
    /// The shortest from each part to any other.
    out: BTreeMap<usize, Duration>,
    /// Parts whose packets come back at once: they wait there next, too.
    returns: BTreeSet<usize>,
}

fn paths(plan: &Plan, topology: &Topology, parts: &Parts) -> Paths {
    let mut ways = Ways { plan, topology, parts, paths: Paths::default() };
    for (i, flow) in plan.flows.iter().enumerate() {
        let (route, tcp) = (topology.routes[i], &flow.tcp);
        // the opening of a connection is only a header
        let smallest = if flow.application.is_some() { tcp.packet } else { tcp.header };
        if let [Some(data), Some(acks)] = [route.data, route.ack].map(|step| topology.switch(step))
        {
            for path in data {
                ways.walk(path.step, parts.sender(i), Duration::ZERO, smallest);
            }
            for path in acks {
                let mut from = parts.of(Target::End(i));
                if let Some(ring) = path.ring {
                    from = ways.arrive(ring, from, Duration::ZERO);
                }
                ways.walk(path.step, from, Duration::ZERO, tcp.ack);
            }
            continue;
        }
        let (mut from, mut way) = ways.walk(route.data, parts.sender(i), Duration::ZERO, smallest);
        if delays_acks(tcp) && topology.end_ring(i).is_none() {
            // it must also be known that no segment arrives meanwhile
            ways.arrive(topology.first_ack_ring(i) as u32, from, way);
        }
        if let Some(ring) = route.ack_ring {
            (from, way) = (ways.arrive(ring, from, way), Duration::ZERO);
        }
        ways.walk(route.ack, from, way, tcp.ack);
    }
    for (i, source) in plan.background.iter().enumerate() {
        let route = topology.routes[plan.flows.len() + i];
        ways.walk(route.data, parts.background(i), Duration::ZERO, source.packet);
    }
    ways.paths
}

struct Ways<'a> {
    plan: &'a Plan,
    topology: &'a Topology,
    parts: &'a Parts,
    paths: Paths,
}

impl Ways<'_> {
    /// Follows a route from its step `first`, with the packet `way` away from the part
    /// `from`; returns where it ends, from which part and how far.
    fn walk(
        &mut self,
        first: u32,
        mut from: usize,
        mut way: Duration,
        size: Bytes,
    ) -> (usize, Duration) {
        for step in &self.topology.steps[first as usize..] {
            let Some(link) = self.plan.links.get(step.link as usize) else { break };
            way += link.shortest(size);
            match step.then {
                Then::Pass => {}
                Then::Wait(ring) | Then::Mix(ring) | Then::Take(ring) => {
                    (from, way) = (self.arrive(ring, from, way), Duration::ZERO);
                    if let Target::End(_) = self.topology.targets[ring as usize] {
                        break;
                    }
                }
                Then::Receive => break,
            }
        }
        (from, way)
    }

    /// A packet enters a ring, coming from a part that is `way` away; returns the ring's
    /// part.
    fn arrive(&mut self, ring: u32, from: usize, way: Duration) -> usize {
        let to = self.parts.of(self.topology.targets[ring as usize]);
        if to == from {
            self.paths.returns.insert(to);
        } else {
            let Paths { into, out, .. } = &mut self.paths;
            for (paths, part) in [(into, to), (out, from)] {
                let shortest = paths.entry(part).or_insert(Duration::MAX);
                *shortest = way.min(*shortest);
            }
        }
        to
    }
}
