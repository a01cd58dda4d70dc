//! From the plan's routes to steps: where a packet goes after each link, and
//! whether that needs an event.
//!
//! A link that is fed from one place only sees its packets in the order in
//! which that place let them go, and nothing else can come between. What such
//! a link does to a packet follows from the packet's arrival alone, so it is
//! worked out at once, ahead of the clock: no event. Where several ways meet,
//! packets wait in a ring for their time, and only the first of each ring is on
//! the agenda.
//!
//! The same holds for a receiver: its ACKs follow from what arrives.

use tusker_record::plan::Plan;

/// One link of a route, and what comes after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Index of the link; [`END`] after the last.
    pub link: u32,
    /// What becomes of a packet at the end of this link.
    pub then: Then,
}

/// Marks the end of an ACK's route.
pub const END: u32 = u32::MAX;

/// What becomes of a packet at the end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// The next link takes it without an event.
    Pass,
    /// It waits in this ring.
    Wait(u32),
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

/// The steps of all routes.
#[derive(Debug)]
pub struct Topology {
    /// All steps, route after route.
    pub steps: Vec<Step>,
    /// One per flow, then one per background source.
    pub routes: Vec<Route>,
    /// How many rings there are.
    pub rings: usize,
}

impl Topology {
    /// Lays out the routes of a plan. With `fuse` off every link has a ring:
    /// slower, and the results must be the same. So must they be when links are
    /// watched, which must not run ahead of the clock. Rings that a plan has in
    /// any case therefore have the same numbers in every case: they decide ties.
    pub fn new(plan: &Plan, fuse: bool) -> Self {
        let fusable = fusable(plan);
        let mut layout = Layout::new(&fusable);
        let topology = layout.lay_all(plan);
        let watched: &[usize] = plan.trace.interval.map_or(&[], |_| &plan.trace.links);
        if fuse && !watched.iter().any(|&link| fusable[link]) {
            return topology;
        }
        let fused = |link: usize| fuse && fusable[link] && !watched.contains(&link);
        let fused: Vec<bool> = (0..fusable.len()).map(fused).collect();
        Layout { fused: &fused, ..layout }.lay_all(plan)
    }
}

struct Layout<'a> {
    fused: &'a [bool],
    /// The ring behind each link.
    ring_of: Vec<Option<u32>>,
    /// The ring in which the ACKs of each flow wait for their first link.
    ack_ring_of: Vec<Option<u32>>,
    rings: u32,
}

impl<'a> Layout<'a> {
    fn new(fused: &'a [bool]) -> Self {
        Self { fused, ring_of: vec![None; fused.len()], ack_ring_of: Vec::new(), rings: 0 }
    }

    fn lay_all(&mut self, plan: &Plan) -> Topology {
        let mut steps = Vec::new();
        let mut routes = Vec::new();
        self.ack_ring_of.resize(plan.flows.len(), None);
        for (i, flow) in plan.flows.iter().enumerate() {
            let data = steps.len() as u32;
            self.lay(&mut steps, &flow.route, true);
            let ack = steps.len() as u32;
            self.lay(&mut steps, &flow.reverse, false);
            let first = flow.reverse.first();
            let direct = first.is_some_and(|&link| self.fused[link]);
            let ack_ring = (!direct).then(|| match self.ack_ring_of[i] {
                Some(ring) => ring,
                None => self.new_ring(),
            });
            self.ack_ring_of[i] = ack_ring;
            routes.push(Route { data, ack, ack_ring });
        }
        for source in &plan.background {
            routes.push(Route { data: steps.len() as u32, ..Route::default() });
            self.lay(&mut steps, &source.route, true);
        }
        Topology { steps, routes, rings: self.rings as usize }
    }

    fn lay(&mut self, steps: &mut Vec<Step>, route: &[usize], to_receiver: bool) {
        for (i, &link) in route.iter().enumerate() {
            let then = match route.get(i + 1) {
                Some(&next) if self.fused[next] => Then::Pass,
                None if to_receiver => Then::Receive,
                _ => Then::Wait(self.ring_after(link)),
            };
            steps.push(Step { link: link as u32, then });
        }
        if !to_receiver {
            steps.push(Step { link: END, then: Then::Receive });
        }
    }

    fn ring_after(&mut self, link: usize) -> u32 {
        if let Some(ring) = self.ring_of[link] {
            return ring;
        }
        let ring = self.new_ring();
        self.ring_of[link] = Some(ring);
        ring
    }

    fn new_ring(&mut self) -> u32 {
        self.rings += 1;
        self.rings - 1
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

/// Links that are fed from one place only.
fn fusable(plan: &Plan) -> Vec<bool> {
    let mut feeders: Vec<Option<Feeder>> = vec![None; plan.links.len()];
    let mut single = vec![true; plan.links.len()];
    let mut feed = |link: usize, from: Feeder| match feeders[link] {
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
        walk(&flow.route, Feeder::Sender(i));
        walk(&flow.reverse, Feeder::Receiver(i));
    }
    for (i, source) in plan.background.iter().enumerate() {
        walk(&source.route, Feeder::Background(i));
    }
    single
}
