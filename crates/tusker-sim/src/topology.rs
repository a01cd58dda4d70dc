//! Turns the plan's routes into steps: where a packet goes after each link, and whether
//! that needs an event.
//!
//! A link that is fed from only one place sees its packets in the order in which that place
//! released them, and nothing else can come between. What such a link does to a packet
//! depends only on the packet's arrival, so it is computed at once, ahead of the clock,
//! without an event. Where several routes meet, packets wait in a ring for their time, and
//! only the first of each ring is on the agenda.
//!
//! The same holds for a receiver: its ACKs depend only on arrivals.
//!
//! A flow whose route changes begins with a step at a [`Switch`], which knows the route at each
//! time; so does the way of its ACKs. Its packets may overtake each other, so they wait in front
//! of its receiver and its sender.
//!
//! Two kinds of links are exceptions. A link whose policy decides at departure keeps its
//! packets: they enter and leave it through events. And after a link on which packets overtake
//! each other, they wait in a ring that sorts them, even in front of a receiver.

use std::collections::BTreeMap;

use tusker_core::Time;
use tusker_plan::plan::{Flow, Plan};

/// One link of a route, and what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Index of the link, or behind all links, of a switch; [`END`] after the last.
    pub link: u32,
    /// What happens to a packet at the end of this link.
    pub then: Then,
}

/// Marks the end of an ACK's route.
pub const END: u32 = u32::MAX;

/// What happens to a packet at the end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The next link takes it without an event.
    Pass,
    /// It waits in this ring.
    Wait(u32),
    /// It waits in this ring, where it may overtake others.
    Mix(u32),
    /// It has reached its sender's host, and waits in this ring until the host acts.
    Take(u32),
    /// It has arrived: at a receiver or a sink.
    Receive,
}

/// How one flow's packets travel. Indices into [`Topology::steps`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Route {
    /// First step of data.
    pub data: u32,
    /// First step of ACKs.
    pub ack: u32,
    /// The ring in which ACKs wait to enter their first link, if they must.
    pub ack_ring: Option<u32>,
}

/// Routes of a flow's data or ACKs, from a time on each.
pub type Switch = Box<[Path]>;

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// From when on.
    pub from: Time,
    /// Its first step.
    pub step: u32,
    /// The ring in which ACKs wait to enter their first link, if they must.
    pub ring: Option<u32>,
}

/// The steps of all routes.
#[derive(Debug)]
pub struct Topology {
    /// All steps, route after route.
    pub steps: Vec<Step>,
    /// One per flow, then one per background source.
    pub routes: Vec<Route>,
    /// Where the packets of each ring go next.
    pub targets: Vec<Target>,
    /// Rings behind links on which packets overtake each other.
    pub mixed: Vec<bool>,
    /// The rings in front of ends, by the number of the end.
    ends: BTreeMap<usize, usize>,
    /// For rings of ACKs that were out of order: the ring in which they wait after reaching
    /// their sender's host, until the host acts.
    pub taken: BTreeMap<u32, u32>,
    /// Links that need no event.
    pub fused: Vec<bool>,
    /// By their number, from that of links on.
    pub switches: Vec<Switch>,
}

/// Where the packets of a ring go next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Into this link.
    Link(usize),
    /// To this sender: they are ACKs.
    Sender(usize),
    /// They arrive: at this flow's receiver, or the sink behind the flows.
    End(usize),
}

impl Topology {
    /// Lays out the routes of a plan. With `fuse` off every link has a ring: slower, with
    /// results that must be the same. The same applies if links are observed, because these
    /// must not run ahead of the clock. The rings that a plan always needs therefore have
    /// the same numbers in all cases, since the numbers decide ties.
    pub fn new(plan: &Plan, fuse: bool) -> Self {
        let fusable = fusable(plan);
        let mut layout = Layout::new(&fusable);
        let topology = layout.lay_all(plan);
        let watched = &plan.trace.links;
        if fuse && !watched.iter().any(|&link| fusable[link]) {
            return topology;
        }
        let fused = |link: usize| fuse && fusable[link] && !watched.contains(&link);
        let fused: Vec<bool> = (0..fusable.len()).map(fused).collect();
        Layout { fused: &fused, ..layout }.lay_all(plan)
    }
}

impl Topology {
    /// Whether packets overtake each other in this ring.
    pub fn is_mixed(&self, ring: u32) -> bool {
        self.mixed[ring as usize]
    }

    /// The ring in which data waits for the receiver or sink with this number, if it may
    /// arrive out of order.
    pub fn end_ring(&self, end: usize) -> Option<usize> {
        self.ends.get(&end).copied()
    }

    /// The routes behind a step, if it is at a switch.
    pub fn switch(&self, step: u32) -> Option<&[Path]> {
        let links = self.fused.len();
        let number = (self.steps[step as usize].link as usize).checked_sub(links)?;
        self.switches.get(number).map(|paths| &paths[..])
    }

    /// The first ring in which ACKs of this flow wait.
    pub fn first_ack_ring(&self, flow: usize) -> usize {
        let Route { ack, ack_ring, .. } = self.routes[flow];
        let waits = self.steps[ack as usize..].iter().find_map(|step| match step.then {
            Then::Wait(ring) | Then::Mix(ring) | Then::Take(ring) => Some(ring),
            Then::Pass | Then::Receive => None,
        });
        ack_ring.or(waits).expect("ACKs wait at their sender at the latest") as usize
    }
}

struct Layout<'a> {
    fused: &'a [bool],
    /// The ring after a link, or after a flow's receiver, for each target.
    ring_of: BTreeMap<(Behind, Target), u32>,
    targets: Vec<Target>,
    taken: BTreeMap<u32, u32>,
}

/// What a ring comes after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Behind {
    Link(usize),
    Receiver(usize),
    /// A ring in front of a sender's host.
    Host(u32),
    /// The last links of all routes of a flow.
    Routes(usize),
}

impl<'a> Layout<'a> {
    fn new(fused: &'a [bool]) -> Self {
        Self { fused, ring_of: BTreeMap::new(), targets: Vec::new(), taken: BTreeMap::new() }
    }

    fn lay_all(&mut self, plan: &Plan) -> Topology {
        let mut steps = Vec::new();
        let mut routes = Vec::new();
        let mut switches = Vec::new();
        for (i, flow) in plan.flows.iter().enumerate() {
            if !flow.reroutes.is_empty() {
                routes.push(self.lay_changing(plan, &mut steps, &mut switches, (i, flow)));
                continue;
            }
            let data = steps.len() as u32;
            self.lay(plan, &mut steps, &flow.route, Target::End(i));
            let ack = steps.len() as u32;
            self.lay(plan, &mut steps, &flow.reverse, Target::Sender(i));
            let first = flow.reverse[0];
            let ack_ring =
                (!self.fused[first]).then(|| self.ring(Behind::Receiver(i), Target::Link(first)));
            routes.push(Route { data, ack, ack_ring });
        }
        for (i, source) in plan.background.iter().enumerate() {
            routes.push(Route { data: steps.len() as u32, ..Route::default() });
            self.lay(plan, &mut steps, &source.route, Target::End(plan.flows.len() + i));
        }
        let mut mixed = vec![false; self.targets.len()];
        for step in &steps {
            if let Then::Mix(ring) = step.then {
                mixed[ring as usize] = true;
            }
        }
        let ends = self.targets.iter().enumerate().filter_map(|(ring, target)| match target {
            Target::End(end) => Some((*end, ring)),
            _ => None,
        });
        let (ends, targets, taken) = (ends.collect(), self.targets.clone(), self.taken.clone());
        let fused = self.fused.to_vec();
        Topology { steps, routes, targets, mixed, ends, taken, fused, switches }
    }

    /// Lays all routes of a flow, with a switch before its data and one before its ACKs.
    fn lay_changing(
        &mut self,
        plan: &Plan,
        steps: &mut Vec<Step>,
        switches: &mut Vec<Switch>,
        (i, flow): (usize, &Flow),
    ) -> Route {
        let times = std::iter::once(Time::ZERO).chain(flow.reroutes.iter().map(|other| other.at));
        let (mut data, mut acks) = (Vec::new(), Vec::new());
        for ((from, route), reverse) in times.zip(flow.routes()).zip(flow.reverses()) {
            data.push(Path { from, step: steps.len() as u32, ring: None });
            self.lay(plan, steps, route, Target::End(i));
            let first = reverse[0];
            let ring =
                (!self.fused[first]).then(|| self.ring(Behind::Receiver(i), Target::Link(first)));
            acks.push(Path { from, step: steps.len() as u32, ring });
            self.lay(plan, steps, reverse, Target::Sender(i));
        }
        let [data, ack] = [data, acks].map(|paths| {
            let link = (plan.links.len() + switches.len()) as u32;
            switches.push(paths.into());
            steps.push(Step { link, then: Then::Pass });
            steps.len() as u32 - 1
        });
        Route { data, ack, ack_ring: None }
    }

    /// Lays a route to a receiver, or for ACKs to a sender.
    fn lay(&mut self, plan: &Plan, steps: &mut Vec<Step>, route: &[usize], end: Target) {
        for (i, &link) in route.iter().enumerate() {
            let target = route.get(i + 1).map_or(end, |&next| Target::Link(next));
            let takes_time = !plan.host_time.is_zero();
            let routes = match target {
                Target::Sender(i) | Target::End(i) => plan.flows.get(i),
                Target::Link(_) => None,
            };
            let several = routes.is_some_and(|flow| !flow.reroutes.is_empty());
            let then = match target {
                _ if several || plan.links[link].reorders() => {
                    let behind = match target {
                        Target::Sender(i) | Target::End(i) if several => Behind::Routes(i),
                        _ => Behind::Link(link),
                    };
                    let ring = self.ring(behind, target);
                    if takes_time && matches!(target, Target::Sender(_)) {
                        let taken = self.ring(Behind::Host(ring), target);
                        self.taken.insert(ring, taken);
                    }
                    Then::Mix(ring)
                }
                Target::Sender(_) if takes_time => {
                    Then::Take(self.ring(Behind::Link(link), target))
                }
                Target::Link(next) if self.fused[next] => Then::Pass,
                Target::End(_) => Then::Receive,
                _ => Then::Wait(self.ring(Behind::Link(link), target)),
            };
            steps.push(Step { link: link as u32, then });
        }
        if matches!(end, Target::Sender(_)) {
            steps.push(Step { link: END, then: Then::Receive });
        }
    }

    fn ring(&mut self, behind: Behind, target: Target) -> u32 {
        *self.ring_of.entry((behind, target)).or_insert_with(|| {
            self.targets.push(target);
            (self.targets.len() - 1) as u32
        })
    }
}

/// Where packets enter a link from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Feeder {
    Link(usize),
    Sender(usize),
    Receiver(usize),
    Background(usize),
}

/// Links that are fed from only one place and in order, and keep no packets.
fn fusable(plan: &Plan) -> Vec<bool> {
    let mut feeders: Vec<Option<Feeder>> = vec![None; plan.links.len()];
    let mut single: Vec<bool> =
        plan.links.iter().map(|link| !link.queue.acts_at_departure()).collect();
    let mut feed = |link: usize, from: Feeder| match feeders[link] {
        _ if matches!(from, Feeder::Link(before) if plan.links[before].reorders()) => {
            single[link] = false;
        }
        Some(known) if known != from => single[link] = false,
        _ => feeders[link] = Some(from),
    };
    let mut walk = |route: &[usize], origin: Feeder| {
        let mut from = origin;
        for &link in route {
            feed(link, from);
            from = Feeder::Link(link);
        }
    };
    for (i, flow) in plan.flows.iter().enumerate() {
        flow.routes().for_each(|route| walk(route, Feeder::Sender(i)));
        flow.reverses().for_each(|route| walk(route, Feeder::Receiver(i)));
    }
    for (i, source) in plan.background.iter().enumerate() {
        walk(&source.route, Feeder::Background(i));
    }
    single
}
