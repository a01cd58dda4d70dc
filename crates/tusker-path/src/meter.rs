//! Counts what passes a hop between given times.
//!
//! A hop may process packets ahead of the clock of the code that drives it, so counters are
//! split by the packets' own times: when a packet passes a boundary, the counters are copied
//! with their values at the boundary.

use std::collections::BTreeMap;
use std::sync::Arc;

use tusker_core::{Duration, Time};

use crate::waits::Waits;

/// Running totals of a hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packet-nanoseconds in the queue, the one in transmission included.
    pub area: u64,
    /// Dropped because the queue was full.
    pub overflowed: u64,
    /// Those of them that came at the very tick at which a departing packet would
    /// have made room, so that the order of the two decided.
    pub tied: u64,
    /// Those of them that missed the next departure by the same time to the nanosecond
    /// as one of the last that did (`lockstep.rs`).
    pub in_step: u64,
    /// Dropped by the policy, or by an outage.
    pub dropped_early: u64,
    /// Lost on the wire.
    pub lost: u64,
    /// Marked by the policy.
    pub marked: u64,
    /// Accepted into the queue.
    pub accepted: u64,
    /// Their bytes.
    pub accepted_bytes: u64,
    /// Time for which the wire has been busy.
    pub busy: Duration,
}

/// When counters are copied, and how often the queue is sampled.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// In ascending order, at least two: the first and the last bound the measuring
    /// window.
    boundaries: Arc<[Time]>,
    /// Time between queue samples within the window; not zero.
    sample_every: Duration,
}

impl Schedule {
    /// A window divided into equal batches, with this many queue samples.
    ///
    /// # Panics
    /// If the window is empty or there are no batches.
    pub fn even(from: Time, to: Time, batches: usize, samples: u64) -> Self {
        assert!(from < to && batches > 0, "a measuring window has a length");
        let (start, length) = (from.nanos(), to.since(from).nanos());
        let at = |i: usize| {
            let part = u128::from(length) * i as u128 / batches as u128;
            Time::from_nanos(start + part as u64)
        };
        Self {
            boundaries: (0..=batches).map(at).collect(),
            sample_every: Duration::from_nanos((length / samples.max(1)).max(1)),
        }
    }

    /// Where the window and its batches begin and end, in ascending order.
    pub fn boundaries(&self) -> &Arc<[Time]> {
        &self.boundaries
    }
}

/// Counters at the boundaries. There are many links, and at most of them nothing is dropped or
/// marked: what is rare is kept only if it happens.
#[derive(Clone, Debug, Default)]
struct Marks {
    usual: Vec<Usual>,
    /// As many, or none: all are zero.
    rare: Vec<Rare>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Usual {
    accepted: u64,
    accepted_bytes: u64,
    busy: Duration,
    area: u64,
}

/// In the order of [`Counters`], from `overflowed` to `marked`.
type Rare = [u64; 6];

impl Marks {
    fn len(&self) -> usize {
        self.usual.len()
    }

    fn memory(&self) -> usize {
        self.usual.capacity() * size_of::<Usual>() + self.rare.capacity() * size_of::<Rare>()
    }

    /// One of `all`.
    fn push(&mut self, counters: &Counters, all: usize) {
        let Counters { accepted, accepted_bytes, busy, area, .. } = *counters;
        self.usual.reserve_exact(all - self.usual.len());
        let Counters { overflowed, tied, in_step, dropped_early, lost, marked, .. } = *counters;
        let rare = [overflowed, tied, in_step, dropped_early, lost, marked];
        if !self.rare.is_empty() || rare != Rare::default() {
            self.rare.reserve_exact(all - self.rare.len());
            self.rare.resize(self.usual.len(), Rare::default());
            self.rare.push(rare);
        }
        self.usual.push(Usual { accepted, accepted_bytes, busy, area });
    }

    /// What was counted between two marks.
    fn between(&self, from: usize, to: usize) -> Counters {
        let (a, b) = (self.usual[from], self.usual[to]);
        let rare = |i: usize| self.rare.get(i).copied().unwrap_or_default();
        let (before, after) = (rare(from), rare(to));
        let [overflowed, tied, in_step, dropped_early, lost, marked] =
            std::array::from_fn(|i| after[i] - before[i]);
        Counters {
            overflowed,
            tied,
            in_step,
            dropped_early,
            lost,
            marked,
            accepted: b.accepted - a.accepted,
            accepted_bytes: b.accepted_bytes - a.accepted_bytes,
            busy: b.busy - a.busy,
            area: b.area - a.area,
        }
    }
}

/// Copies counters at the boundaries and asks for queue samples.
#[derive(Clone, Debug)]
pub struct Meter {
    schedule: Schedule,
    marks: Marks,
    /// How often each queue length was seen: most hops of a large network are idle,
    /// and at the others few lengths are common.
    samples: BTreeMap<u32, u64>,
    /// How often it was empty.
    empty: u64,
    /// [`Time::NEVER`] if the queue is not sampled.
    next_sample: Time,
    next: Time,
}

/// The state that a meter reads. It never asks for an earlier time than before.
pub(crate) trait Metered {
    /// The counters at `at`.
    fn counters_at(&mut self, at: Time) -> Counters;

    /// Packets inside at `at`, without one that leaves at this instant.
    fn present_at(&mut self, at: Time) -> u32;
}

impl Counters {
    /// Packets that arrived, whatever happened to them.
    pub fn offered(&self) -> u64 {
        self.accepted + self.overflowed + self.dropped_early
    }
}

impl Meter {
    /// Without `sampled` the queue is not sampled.
    pub(crate) fn new(schedule: Schedule, sampled: bool) -> Self {
        let first = schedule.boundaries[0];
        Self {
            schedule,
            marks: Marks::default(),
            samples: BTreeMap::new(),
            empty: 0,
            next_sample: if sampled { first } else { Time::NEVER },
            next: first,
        }
    }

    /// Approximate memory in bytes: a node of the tree holds at most eleven
    /// lengths.
    pub(crate) fn memory(&self) -> u64 {
        (self.samples.len() * 32 + self.marks.memory()) as u64
    }

    /// When something is due next.
    #[inline]
    pub(crate) fn next(&self) -> Time {
        self.next
    }

    /// Processes what is due at [`Self::next`], which has come. Nothing arrives
    /// from then to `now`.
    pub(crate) fn look(&mut self, now: Time, at: &mut impl Metered) {
        if self.next_sample < self.next_boundary() {
            match at.present_at(self.next) {
                0 => self.sample_empty(now),
                packets => self.sample(packets),
            }
        } else {
            self.marks.push(&at.counters_at(self.next), self.schedule.boundaries.len());
        }
        self.schedule_next();
    }

    /// Whether the window has begun, and not ended.
    pub(crate) fn measures(&self) -> bool {
        (1..self.schedule.boundaries.len()).contains(&self.marks.len())
    }

    fn sample(&mut self, packets: u32) {
        *self.samples.entry(packets).or_default() += 1;
        self.next_sample += self.schedule.sample_every;
    }

    /// The queue has been empty since the sample that is due, and stays empty
    /// up to `now`: all samples until then or until the next boundary.
    fn sample_empty(&mut self, now: Time) {
        let last = now.nanos().min(self.next_boundary().nanos() - 1);
        let every = self.schedule.sample_every;
        let times = (last - self.next_sample.nanos()) / every.nanos() + 1;
        self.empty += times;
        self.next_sample += every * times;
    }

    fn schedule_next(&mut self) {
        let boundary = self.next_boundary();
        // after the last boundary nothing is sampled any more
        self.next = if boundary == Time::NEVER { boundary } else { boundary.min(self.next_sample) };
    }

    fn next_boundary(&self) -> Time {
        self.schedule.boundaries.get(self.marks.len()).copied().unwrap_or(Time::NEVER)
    }

    pub(crate) fn report(mut self, waits: Waits) -> Report {
        if self.empty > 0 {
            self.samples.insert(0, self.empty);
        }
        let Self { schedule, marks, samples, .. } = self;
        Report { boundaries: schedule.boundaries, marks, samples, waits }
    }
}

/// The result of a meter.
#[derive(Clone, Debug)]
pub struct Report {
    boundaries: Arc<[Time]>,
    marks: Marks,
    samples: BTreeMap<u32, u64>,
    waits: Waits,
}

impl Report {
    /// Counters over the whole window, or the part of it that had passed at the
    /// end.
    pub fn window(&self) -> Counters {
        match self.marks.len() {
            0 => Counters::default(),
            marks => self.between(0, marks - 1),
        }
    }

    /// Counters of each batch.
    pub fn batches(&self) -> impl Iterator<Item = Counters> {
        (1..self.marks.len()).map(|i| self.between(i - 1, i))
    }

    /// Length of the window.
    pub fn length(&self) -> Duration {
        self.boundaries[self.boundaries.len() - 1].since(self.boundaries[0])
    }

    /// Packets in the queue, sampled at even distances over the window: each length
    /// and how often it was seen. Empty if the queue is not tracked.
    pub fn samples(&self) -> impl Iterator<Item = (u32, u64)> {
        self.samples.iter().map(|(&packets, &times)| (packets, times))
    }

    /// How long the packets of the window waited for their transmission. Empty if the queue
    /// is not tracked.
    pub fn waits(&self) -> &Waits {
        &self.waits
    }

    fn between(&self, from: usize, to: usize) -> Counters {
        self.marks.between(from, to)
    }
}
