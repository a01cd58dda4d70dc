//! The network between the hosts: what happens to each packet, and when. It uses no clock
//! and no device: times are arguments, so tests can use any times.
//!
//! A packet carries the time at which it is due, not the time at which it was looked at. So
//! looking late delays only the packets that were due by then, and these delays do not
//! accumulate.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};
use std::mem;

use tusker_core::{Duration, Time};
use tusker_path::{Counters, Schedule};
use tusker_plan::plan::Plan;
use tusker_plan::run::BATCHES;

use crate::arrivals::{Arrival, Became, Recorder};
use crate::ip;
use crate::packet::Packet;
use crate::sights::Sights;
use crate::stage::{Fate, Stage};

/// Queue samples over the measuring window, as many as in the simulator.
const QUEUE_SAMPLES: u64 = 10_000;

/// No route passes there.
const FAR: Duration = Duration::from_nanos(u64::MAX / 2);

/// Time and number of the first packet; the end of time if there is none.
fn first(packets: &BinaryHeap<Reverse<Due>>) -> (Time, u64) {
    packets.peek().map_or((Time::NEVER, u64::MAX), |Reverse(due)| (due.at, due.number))
}

/// A packet that is due at the next node.
struct Due {
    at: Time,
    /// Packets that are due at the same time keep their order.
    number: u64,
    packet: Box<Packet>,
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        (self.at, self.number) == (other.at, other.number)
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

/// What leaves the network.
#[derive(Debug)]
pub enum Left {
    /// A packet is due at its host.
    Arrived {
        /// When it was due.
        at: Time,
        /// Index of the host's node.
        node: usize,
        /// The packet.
        packet: Box<Packet>,
    },
    /// A packet was dropped at a link, or lost behind it.
    Dropped {
        /// When it was offered to the link, or later.
        at: Time,
        /// Index of the link.
        link: usize,
        /// The packet.
        packet: Box<Packet>,
    },
}

/// The links of a plan.
pub struct Network {
    stages: Vec<Stage>,
    /// Links and the node at their end, for each pair of communicating hosts.
    routes: Vec<(Vec<usize>, usize)>,
    /// From when on each applies.
    by_ends: BTreeMap<(usize, usize), Vec<(Time, usize)>>,
    /// Those due at their hosts, and those due at the next link of their routes.
    arriving: BinaryHeap<Reverse<Due>>,
    passing: BinaryHeap<Reverse<Due>>,
    /// Links that keep packets.
    stations: Vec<usize>,
    /// The shortest time from the queue of each link to a host, and from any link but the first
    /// of a route.
    to_host: Vec<Duration>,
    pass_to_host: Duration,
    number: u64,
    /// Packets that stages released, between two steps.
    fates: Vec<Fate>,
    /// Buffers of packets that are gone, for reuse.
    #[expect(clippy::vec_box, reason = "those that are on their way are boxes")]
    spare: Vec<Box<Packet>>,
    /// The time up to which it has been advanced.
    reached: Time,
    recorder: Option<Recorder>,
    sights: Option<Sights>,
}

impl Network {
    /// The empty network of a plan.
    pub fn new(plan: &Plan, seed: u64) -> Self {
        let schedule = Schedule::even(plan.measure_from, plan.measure_to, BATCHES, QUEUE_SAMPLES);
        let stages: Vec<Stage> =
            plan.links.iter().map(|link| Stage::new(link, seed, schedule.clone())).collect();
        let stations =
            (0..stages.len()).filter(|&link| matches!(stages[link], Stage::Station(_))).collect();
        let mut network = Self {
            stages,
            routes: Vec::new(),
            by_ends: BTreeMap::new(),
            arriving: BinaryHeap::new(),
            passing: BinaryHeap::new(),
            to_host: vec![FAR; plan.links.len()],
            pass_to_host: FAR,
            stations,
            number: 0,
            reached: Time::ZERO,
            fates: Vec::new(),
            spare: Vec::new(),
            recorder: None,
            sights: None,
        };
        let ways = plan.flows.iter().flat_map(|flow| [&flow.route, &flow.reverse]);
        let ways = ways.chain(plan.background.iter().map(|source| &source.route));
        ways.for_each(|way| network.connect(plan, way));
        for other in plan.flows.iter().flat_map(|flow| &flow.reroutes) {
            network.reroute(plan, &other.route, other.at);
            network.reroute(plan, &other.reverse, other.at);
        }
        network
    }

    /// Connects the hosts at both ends of these links, unless they already have a route.
    pub fn connect(&mut self, plan: &Plan, way: &[usize]) {
        if way.is_empty() {
            return;
        }
        let ends = plan.ends(way);
        let routes = &mut self.routes;
        self.by_ends.entry(ends).or_insert_with(|| {
            routes.push((way.to_vec(), ends.1));
            vec![(Time::ZERO, routes.len() - 1)]
        });
        self.take(plan, way);
    }

    /// Packets may take these links to a host.
    fn take(&mut self, plan: &Plan, way: &[usize]) {
        let mut left = Duration::ZERO;
        for (before, &link) in way.iter().enumerate().rev() {
            left += plan.links[link].propagation();
            self.to_host[link] = self.to_host[link].min(left);
            if before > 0 {
                self.pass_to_host = self.pass_to_host.min(left);
            }
        }
    }

    /// What the hosts at both ends send takes these links from now on.
    fn reroute(&mut self, plan: &Plan, way: &[usize], at: Time) {
        let ends = plan.ends(way);
        let routes = self.by_ends.entry(ends).or_default();
        if routes.last().is_none_or(|(last, _)| *last < at) {
            routes.push((at, self.routes.len()));
            self.routes.push((way.to_vec(), ends.1));
            self.take(plan, way);
        }
    }

    /// The route of what one node sends to another at `now`, if hosts there communicate.
    pub fn route(&self, now: Time, from: usize, to: usize) -> Option<usize> {
        let routes = self.by_ends.get(&(from, to))?;
        let route = routes.iter().rev().find(|(at, _)| *at <= now);
        route.map(|(_, route)| *route)
    }

    /// Storage for a packet, reused or new. The caller must set all its fields.
    pub fn room(&mut self) -> Box<Packet> {
        self.spare.pop().unwrap_or_default()
    }

    /// The packet's storage may be reused.
    pub fn give_back(&mut self, packet: Box<Packet>) {
        self.spare.push(packet);
    }

    /// A host sends a packet at `now`. Times must not decrease from call to call, and
    /// [`Self::advance`] must have reached this time.
    pub fn send(
        &mut self,
        now: Time,
        route: usize,
        mut packet: Box<Packet>,
        tell: &mut impl FnMut(Left),
    ) {
        (packet.route, packet.passed) = (route, 0);
        self.offer(now, packet, tell);
    }

    /// Advances to `now` and reports what left the network by then, in order of time.
    pub fn advance(&mut self, now: Time, tell: &mut impl FnMut(Left)) {
        self.reached = now;
        loop {
            // a free wire of a station takes the next packet before others arrive
            let station = self
                .stations
                .iter()
                .filter_map(|&link| self.stages[link].due().map(|at| (at, link)));
            let station = station.min().filter(|(at, _)| *at <= now);
            let passes = first(&self.passing) < first(&self.arriving);
            let packets = if passes { &mut self.passing } else { &mut self.arriving };
            let packet = packets.peek().map(|Reverse(due)| due.at).filter(|at| *at <= now);
            match (station, packet) {
                (Some((at, link)), packet) if packet.is_none_or(|packet| at <= packet) => {
                    let mut fates = mem::take(&mut self.fates);
                    self.stages[link].advance(at, |fate| fates.push(fate));
                    fates.drain(..).for_each(|fate| self.follow(at, link, fate, tell));
                    self.fates = fates;
                }
                (_, Some(_)) => {
                    let Some(Reverse(due)) = packets.pop() else { return };
                    self.arrive(due, tell);
                }
                _ => return,
            }
        }
    }

    /// Before this, nothing is due at a host, so it need not be advanced earlier: what happens
    /// within does not depend on when it is looked at.
    pub fn next(&self) -> Option<Time> {
        let at = |packets: &BinaryHeap<Reverse<Due>>| packets.peek().map(|Reverse(due)| due.at);
        let passing = at(&self.passing).map(|at| at + self.pass_to_host);
        let stations = self.stations.iter();
        let stations =
            stations.filter_map(|&link| Some(self.stages[link].due()? + self.to_host[link]));
        stations.chain(at(&self.arriving)).chain(passing).min()
    }

    /// Packets in the queue of a link.
    pub fn backlog(&mut self, link: usize, now: Time) -> usize {
        self.stages[link].backlog(now)
    }

    /// Packets in the queue of a link, its counters from the start to the time that the
    /// network has reached, and that time.
    pub fn state(&mut self, link: usize) -> (Time, usize, Counters) {
        let (now, stage) = (self.reached, &mut self.stages[link]);
        (now, stage.backlog(now), stage.counters(now))
    }

    /// The inner values of a link's policy.
    pub fn inspect(&mut self, link: usize, now: Time, see: &mut dyn FnMut(&'static str, f64)) {
        self.stages[link].inspect(now, see);
    }

    /// Packets that are on the way.
    pub fn on_the_way(&self) -> usize {
        self.arriving.len() + self.passing.len()
    }

    /// From now on records what arrives at a link.
    pub fn record(&mut self, link: usize) {
        self.recorder = Some(Recorder::new(link));
    }

    /// The arrivals at the link since [`Self::record`] was called; ends the recording.
    pub fn recorded(&mut self) -> Vec<Arrival> {
        self.recorder.take().map(Recorder::finish).unwrap_or_default()
    }

    /// From now on records the packets that pass.
    pub(crate) fn look(&mut self, sights: Option<Sights>) {
        self.sights = sights;
    }

    /// Hands over the recorded packets, if there are enough.
    pub(crate) fn hand_over(&mut self) {
        if let Some(sights) = &mut self.sights {
            sights.hand_over();
        }
    }

    /// What the links counted until `end`.
    pub fn finish(mut self, end: Time) -> Vec<Option<tusker_path::Report>> {
        if let Some(sights) = self.sights.take() {
            sights.finish();
        }
        self.stages.into_iter().map(|stage| stage.finish(end)).collect()
    }

    /// A packet is at the next node.
    fn arrive(&mut self, due: Due, tell: &mut impl FnMut(Left)) {
        let Due { at, packet, .. } = due;
        let (links, node) = &self.routes[packet.route];
        if let Some(sights) = &mut self.sights {
            sights.arrives(at, links[packet.passed - 1], &packet.bytes);
        }
        if packet.passed == links.len() {
            return tell(Left::Arrived { at, node: *node, packet });
        }
        self.offer(at, packet, tell);
    }

    fn offer(&mut self, at: Time, mut packet: Box<Packet>, tell: &mut impl FnMut(Left)) {
        let link = self.routes[packet.route].0[packet.passed];
        if let Some(recorder) = &mut self.recorder {
            recorder.offered(at, link, &mut packet);
        }
        let seen = self.sights.as_mut().map_or(0, |sights| sights.enters(at, link, &packet.bytes));
        if let Stage::Hop(_) = self.stages[link] {
            // one packet in, one answer out
            let mut only = None;
            self.stages[link].offer(at, packet, |fate| only = Some(fate));
            if let Some(fate) = only {
                if let Some(sights) = &mut self.sights {
                    sights.became(seen, &fate);
                }
                self.follow(at, link, fate, tell);
            }
            return;
        }
        let mut fates = mem::take(&mut self.fates);
        self.stages[link].offer(at, packet, |fate| fates.push(fate));
        fates.drain(..).for_each(|fate| self.follow(at, link, fate, tell));
        self.fates = fates;
    }

    fn follow(&mut self, now: Time, link: usize, fate: Fate, tell: &mut impl FnMut(Left)) {
        if let Some(recorder) = &mut self.recorder {
            let (packet, became) = match &fate {
                Fate::Arrives { packet, marked: false, .. } => (packet, Became::Passed),
                Fate::Arrives { packet, marked: true, .. } => (packet, Became::Marked),
                Fate::Dropped(packet) => (packet, Became::Dropped),
                Fate::Lost(packet) => (packet, Became::Lost),
            };
            recorder.became(link, packet, became);
        }
        match fate {
            Fate::Arrives { mut packet, at, marked } => {
                if marked {
                    ip::mark(&mut packet.bytes);
                }
                packet.passed += 1;
                self.number += 1;
                let arrives = packet.passed == self.routes[packet.route].0.len();
                let packets = if arrives { &mut self.arriving } else { &mut self.passing };
                packets.push(Reverse(Due { at, number: self.number, packet }));
            }
            Fate::Dropped(packet) | Fate::Lost(packet) => {
                tell(Left::Dropped { at: now, link, packet });
            }
        }
    }
}
