//! Counters that are kept while a simulation runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use tusker_core::{Duration, Time};

/// Copies running totals whenever a boundary is passed, so that what happened between two
/// boundaries is known afterwards.
#[derive(Clone, Debug)]
pub struct Cuts<C> {
    boundaries: Arc<[Time]>,
    marks: Vec<C>,
    next: Time,
}

impl<C: Copy> Cuts<C> {
    /// Nothing has been passed yet. Boundaries must ascend.
    pub fn new(boundaries: Arc<[Time]>) -> Self {
        let next = boundaries.first().copied().unwrap_or(Time::NEVER);
        Self { boundaries, marks: Vec::new(), next }
    }

    /// The next boundary.
    #[inline(always)]
    pub fn next(&self) -> Time {
        self.next
    }

    /// Something is about to be counted at `now`; these are the totals before.
    #[inline]
    pub fn pass(&mut self, now: Time, totals: &C) {
        self.pass_with(now, || *totals);
    }

    /// The same for totals that are only computed at a boundary.
    #[inline]
    pub fn pass_with(&mut self, now: Time, totals: impl FnOnce() -> C) {
        if now >= self.next {
            self.cut(now, &totals());
        }
    }

    #[cold]
    fn cut(&mut self, now: Time, totals: &C) {
        // there are many receivers, and no more marks than boundaries
        self.marks.reserve_exact(self.boundaries.len() - self.marks.len());
        while now >= self.next {
            self.marks.push(*totals);
            self.next = self.boundaries.get(self.marks.len()).copied().unwrap_or(Time::NEVER);
        }
    }

    /// Totals at the boundaries; those after the last event are `last`.
    pub fn finish(mut self, last: &C) -> Vec<C> {
        self.marks.resize(self.boundaries.len(), *last);
        self.marks
    }

    /// Totals at each of these, which are among the boundaries.
    pub fn finish_at<const N: usize>(self, last: &C, wanted: [&[Time]; N]) -> [Vec<C>; N] {
        let boundaries = Arc::clone(&self.boundaries);
        let marks = self.finish(last);
        let mark = |time: &Time| marks[boundaries.partition_point(|boundary| boundary < time)];
        wanted.map(|times| times.iter().map(mark).collect())
    }
}

/// Groups the drops at one link into loss episodes: what share of the flows through the
/// link does each hit?
#[derive(Clone, Debug)]
pub struct LossLog {
    gap: Duration,
    /// Flows through the link.
    flows: u32,
    /// Most links never drop.
    drops: Option<Box<Drops>>,
}

#[derive(Clone, Debug, Default)]
struct Drops {
    last: Time,
    /// The last episode that hit each flow that was ever hit.
    hit_in: BTreeMap<usize, u64>,
    hits: u64,
    episodes: u64,
}

impl LossLog {
    /// Drops further apart than `gap` belong to different episodes.
    pub fn new(gap: Duration, flows: u32) -> Self {
        Self { gap, flows, drops: None }
    }

    /// A packet was dropped that belongs to this flow, or to one that is not counted.
    pub fn on_drop(&mut self, at: Time, flow: Option<usize>) {
        let drops = self.drops.get_or_insert_default();
        if drops.episodes == 0 || at.since(drops.last) > self.gap {
            drops.episodes += 1;
        }
        drops.last = at;
        if let Some(flow) = flow
            && drops.hit_in.insert(flow, drops.episodes) != Some(drops.episodes)
        {
            drops.hits += 1;
        }
    }

    /// Approximate size in bytes.
    pub fn memory(&self) -> u64 {
        self.drops.as_ref().map_or(0, |drops| drops.hit_in.len() as u64 * 32)
    }

    /// The gap that separates episodes.
    pub fn gap(&self) -> Duration {
        self.gap
    }

    /// How many episodes there were.
    pub fn episodes(&self) -> u64 {
        self.drops.as_ref().map_or(0, |drops| drops.episodes)
    }

    /// Mean share of the link's flows that an episode hits.
    pub fn synchronisation(&self) -> f64 {
        let Some(drops) = &self.drops else { return 0.0 };
        let possible = drops.episodes * u64::from(self.flows);
        if possible == 0 { 0.0 } else { drops.hits as f64 / possible as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn totals_are_cut_at_boundaries() {
        let mut cuts = Cuts::new(Arc::from([at(10), at(20), at(30)]));
        let mut total = 0_u64;
        for ms in [1, 9, 10, 25] {
            cuts.pass(at(ms), &total);
            total += 1;
        }
        // two before 10 ms, one before 20 ms, one before 30 ms
        assert_eq!(cuts.finish(&total), [2, 3, 4]);
    }

    #[test]
    fn some_of_the_boundaries_are_told_apart() {
        let mut cuts = Cuts::new(Arc::from([at(0), at(10), at(20), at(30)]));
        let mut total = 0_u64;
        for ms in [1, 9, 10, 25] {
            cuts.pass(at(ms), &total);
            total += 1;
        }
        let found = cuts.finish_at(&total, [&[at(10), at(30)], &[at(0), at(20)], &[]]);
        assert_eq!(found, [vec![2, 4], vec![0, 3], vec![]]);
    }

    #[test]
    fn half_the_flows_hit_in_each_episode() {
        let mut log = LossLog::new(Duration::from_millis(100), 4);
        for (ms, flow) in [(0, 0), (5, 0), (50, 1), (500, 2), (510, 3)] {
            log.on_drop(at(ms), Some(flow));
        }
        assert_eq!((log.episodes(), log.synchronisation()), (2, 0.5));
    }
}
