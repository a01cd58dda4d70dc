//! How much memory a simulation takes, and whether it may go on.
//!
//! What is fixed is known from the plan ([`tusker_plan::plan::Plan::setup`]).
//! The rest grows with what the network does: packets in rings and queues, what
//! ends remember of segments, transfers and objects that wait. Nothing counts
//! that while it happens. All of it is added up when the most that the work since
//! the last time can have taken might pass the budget: rarely as long as there is
//! much room, and after every [`PAUSE`] of work when there is little.
//!
//! A vector that is full moves to a room of twice its size, and both are there for
//! a moment. So what counts is not what is taken but what will be by the next
//! look: a large vector that may be full by then counts with the room that it will
//! move to.

use tusker_core::{Bytes, Time};
use tusker_plan::budget::{Memory, Stopped};
use tusker_plan::plan::Plan;

/// Work that is done without looking up: events, segments sent beyond one per
/// event, objects asked for, periods of a source gone through.
pub const PAUSE: u64 = 1 << 12;

/// What the plan reserves for work until the next look, with some to spare.
const ROOM: u64 = 12_000_000;

/// A vector below this size counts with what it takes now.
const SMALL: u64 = 1 << 20;

/// Memory added up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    taken: u64,
    needed: Memory,
}

impl Tally {
    /// Packets under way: bytes that are taken, and that may be by the next look.
    pub fn packets(&mut self, part: (u64, u64)) {
        self.needed.packets += self.larger(part);
    }

    /// Transfers, the same.
    pub fn transfers(&mut self, part: (u64, u64)) {
        self.needed.transfers += self.larger(part);
    }

    /// A trace.
    pub fn trace(&mut self, bytes: u64) {
        self.needed.trace += self.larger((bytes, bytes));
    }

    /// What is counted of flows and links.
    pub fn setup(&mut self, bytes: u64) {
        self.needed.setup += self.larger((bytes, bytes));
    }

    fn larger(&mut self, (taken, soon): (u64, u64)) -> u64 {
        self.taken += taken;
        if taken < SMALL { taken } else { soon }
    }
}

/// Watches over the memory of one simulation.
#[derive(Debug)]
pub struct Guard {
    budget: u64,
    setup: u64,
    /// Bytes that one piece of work takes at most, apart from vectors that move.
    each: u64,
    /// Between two looks there is at least so much work.
    least: u64,
    /// Work until the next look.
    left: u64,
}

impl Guard {
    /// Everything is as the plan has it, in so much memory.
    pub fn new(plan: &Plan, budget: Bytes) -> Self {
        let longest = |routes: [&Vec<usize>; 2]| routes.map(Vec::len).iter().sum();
        let flows = plan.flows.iter().map(|flow| longest([&flow.route, &flow.reverse]));
        let sources = plan.background.iter().map(|source| source.route.len());
        let links: usize = flows.chain(sources).max().unwrap_or(0);
        // a time per link, of which only an eighth of the room may be taken; the
        // packet, what its sender and its receiver know of it, its transfer
        let each = 64 * links as u64 + 256;
        let things = plan.flows.len() + plan.links.len() + plan.background.len();
        // adding up takes less time than the work
        let least = PAUSE.max(2 * things as u64);
        Self { budget: budget.get(), setup: plan.setup(), each, least, left: 0 }
    }

    /// So much work was done; it is time to look.
    pub fn is_due(&mut self, work: u64) -> bool {
        self.left = self.left.saturating_sub(work);
        self.left == 0
    }

    /// Work that must be thought of when memory is added up.
    pub fn ahead(&self) -> usize {
        (self.least + 2 * PAUSE) as usize
    }

    /// This is what it takes at a simulated time.
    ///
    /// # Errors
    /// If it might pass the budget before the next look.
    pub fn look(&mut self, tally: &Tally, at: Time) -> Result<(), Stopped> {
        let mut needed = tally.needed;
        needed.setup += self.setup;
        let taken = tally.taken + self.setup;
        let work = self.ahead() as u64 * self.each;
        // the plan has room for a little of it
        let work = work.saturating_sub(ROOM);
        if needed.total().saturating_add(work) > self.budget {
            // to whom it goes is not known yet: to what grows most
            let most = [&mut needed.packets, &mut needed.transfers].into_iter().max();
            *most.expect("there are two") += work;
            return Err(Stopped::OverBudget { budget: Bytes::new(self.budget), needed, at });
        }
        // a vector that moves is there twice over: the old one and one twice as large
        let room = (self.budget / 3).saturating_sub(taken);
        self.left = (room / self.each).max(self.least);
        Ok(())
    }
}
