//! How much memory a simulation takes, and whether it may continue.
//!
//! The fixed part is known from the plan ([`tusker_plan::plan::Plan::setup`]). The rest grows
//! with what the network does: packets in rings and queues, the ends' records of segments,
//! transfers, and waiting objects. It is not counted as it grows. It is added up whenever the
//! work since the last check might have exceeded the budget: rarely if there is much room, and
//! after every [`PAUSE`] of work if there is little.
//!
//! A full vector moves to memory of twice its size, and for a moment both exist. So what counts
//! is not the current memory, but what may be needed before the next check: for a large vector
//! that may be full by then, the memory that it would move to is included.

use tusker_core::{Bytes, Time};
use tusker_plan::budget::{Memory, Stopped};
use tusker_plan::plan::Plan;

/// Work done between checks: events, segments sent beyond one per event, objects requested,
/// periods of a source.
pub const PAUSE: u64 = 1 << 12;

/// Counts work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work {
    /// All events so far.
    pub events: u64,
    /// The number of events at which enough work is done. Work larger than an event lowers
    /// it, perhaps below zero.
    enough_at: i64,
}

impl Work {
    /// The next [`PAUSE`] of work begins.
    #[inline]
    pub fn begin(&mut self) {
        self.enough_at = (self.events + PAUSE) as i64;
    }

    /// Counts work that is larger than the event that it is part of.
    #[inline]
    pub fn add(&mut self, more: u64) {
        self.enough_at -= more as i64;
    }

    /// Whether a [`PAUSE`] of work is done.
    #[inline]
    pub fn is_enough(&self) -> bool {
        self.events as i64 >= self.enough_at
    }

    /// The events until a [`PAUSE`] of work is done.
    #[inline]
    pub fn left(&self) -> u64 {
        (self.enough_at - self.events as i64).max(0) as u64
    }

    /// The work since [`Self::begin`].
    #[inline]
    pub fn done(&self) -> u64 {
        ((self.events + PAUSE) as i64 - self.enough_at) as u64
    }
}

/// What the plan reserves for work until the next check, with some to spare.
const ROOM: u64 = 12_000_000;

/// A vector smaller than this counts with its current size.
const SMALL: u64 = 1 << 20;

/// Memory added up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    taken: u64,
    needed: Memory,
}

impl Tally {
    /// Packets under way: bytes in use, and bytes that may be in use at the next check.
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

    /// What is counted for flows and links.
    pub fn setup(&mut self, bytes: u64) {
        self.needed.setup += self.larger((bytes, bytes));
    }

    fn larger(&mut self, (taken, soon): (u64, u64)) -> u64 {
        self.taken += taken;
        if taken < SMALL { taken } else { soon }
    }
}

/// Watches the memory of one simulation.
#[derive(Debug)]
pub struct Guard {
    budget: u64,
    setup: u64,
    /// The most bytes that one piece of work takes, apart from vectors that move.
    each: u64,
    /// The least work between two checks.
    least: u64,
    /// Work until the next check.
    left: u64,
}

impl Guard {
    /// The plan's estimates, with this memory limit.
    pub fn new(plan: &Plan, budget: Bytes) -> Self {
        let flows = plan.flows.iter().map(|flow| {
            let there = flow.routes().map(Vec::len).max().unwrap_or_default();
            there + flow.reverses().map(Vec::len).max().unwrap_or_default()
        });
        let sources = plan.background.iter().map(|source| source.route.len());
        let links: usize = flows.chain(sources).max().unwrap_or(0);
        // a time per link, where only an eighth of the memory may be in use; the packet,
        // what its sender and its receiver know about it, its transfer
        let each = 64 * links as u64 + 256;
        let things = plan.flows.len() + plan.links.len() + plan.background.len();
        // adding up takes less time than the work
        let least = PAUSE.max(2 * things as u64);
        Self { budget: budget.get(), setup: plan.setup(), each, least, left: 0 }
    }

    /// This much work was done; returns whether it is time to check.
    pub fn is_due(&mut self, work: u64) -> bool {
        self.left = self.left.saturating_sub(work);
        self.left == 0
    }

    /// Work to allow for when memory is added up.
    pub fn ahead(&self) -> usize {
        (self.least + 2 * PAUSE) as usize
    }

    /// The memory in use at a simulated time.
    ///
    /// # Errors
    /// If it might exceed the budget before the next check.
    pub fn look(&mut self, tally: &Tally, at: Time) -> Result<(), Stopped> {
        let mut needed = tally.needed;
        needed.setup += self.setup;
        let taken = tally.taken + self.setup;
        let work = self.ahead() as u64 * self.each;
        // the plan has room for a little of it
        let work = work.saturating_sub(ROOM);
        if needed.total().saturating_add(work) > self.budget {
            // which part will grow is not known: assume the one that grows most
            let most = [&mut needed.packets, &mut needed.transfers].into_iter().max();
            *most.expect("there are two") += work;
            return Err(Stopped::OverBudget { budget: Bytes::new(self.budget), needed, at });
        }
        // a vector that moves exists twice: the old one and one twice as large
        let room = (self.budget / 3).saturating_sub(taken);
        self.left = (room / self.each).max(self.least);
        Ok(())
    }
}
