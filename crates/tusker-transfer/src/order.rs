//! Which row is simulated next. The rows on which the answer depends come first, so that there
//! is an answer however early the budget runs out. The order is: what runs today; what the other
//! flows get without the transfer; the rows that would be recommended, if their first estimates
//! were true, instead of the one that is recommended so far, the fastest first; that one; rows
//! that are compared over several plans; what the others get without the transfer to the
//! requested precision, because all rows are compared with it; and then all others.
//!
//! Rows are simulated in rounds of a fixed number. What is next is decided between rounds, and so
//! is whether the packets of the budget are spent. So the answer depends neither on the number of
//! jobs nor on the speed of the machine.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::answer::PlanRow;

use super::{Way, Work};
use tusker_lab::Trouble;
use tusker_lab::lock::lock;

/// Rows of a round: more would be begun before it is known that they cannot win, and fewer would
/// leave cores idle.
const ROUND: usize = 4;

/// Stands for the others without the transfer.
pub(super) const ALONE: usize = usize::MAX;

/// Stands for them, simulated as well as was asked at once: the harm of all rows hangs on it.
pub(super) const ALONE_WELL: usize = usize::MAX - 1;

impl Work<'_> {
    /// The first estimates of all rows.
    pub(super) fn estimates(&self, jobs: usize) {
        let next = AtomicUsize::new(0);
        let next = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < self.ways.len());
        self.all(jobs, &next, &|row| {
            let estimate = self.estimate(&self.ways[row])?;
            lock(&self.state).estimates[row] = Some(estimate);
            self.tell();
            Ok(())
        });
    }

    /// Simulates every row, roughly at `first`, in rounds.
    pub(super) fn rows(&self, jobs: usize, first: bool) {
        let mut begun = BTreeSet::<usize>::new();
        while !self.stopped() && lock(&self.state).trouble.is_none() {
            let next = self.order().into_iter().filter(|row| !begun.contains(row));
            let round: Vec<usize> = next.take(ROUND).collect();
            if round.is_empty() {
                return;
            }
            begun.extend(&round);
            let next = AtomicUsize::new(0);
            let next = || round.get(next.fetch_add(1, Ordering::Relaxed)).copied();
            self.all(jobs, &next, &|row| self.do_row(row, first));
            self.spend();
        }
    }

    /// All rows, and the others alone if there are any. Today's row and the one asked for
    /// are first, because the others are compared with them; rows that harm the others too
    /// much are last.
    fn order(&self) -> Vec<usize> {
        let summary = self.summary();
        let place = |row: &PlanRow| self.ways.iter().position(|way| row.is(&way.row()));
        let (unkind, kind): (Vec<&PlanRow>, Vec<&PlanRow>) =
            summary.rows.iter().partition(|row| summary.harms_too_much(row));
        let chosen = summary.chosen().and_then(place);
        // by estimate faster and harmless: what a first estimate may be wrong by is lifted by
        // simulation
        let before = summary.recommended.map_or(summary.rows.len(), |n| n as usize - 1);
        let may_win = summary.rows[..before].iter();
        let may_win = may_win.filter(|row| row.took_s.is_some() && !summary.harms_too_much(row));
        let may_win: Vec<usize> = may_win.filter_map(place).collect();
        // with several plans, what may be good with all of them counts more
        let others = !self.ask.on.others.is_empty();
        let (alone, well) = (others.then_some(ALONE), others.then_some(ALONE_WELL));
        let is = |way: &Way, (law, streams): &(String, u32)| {
            way.law.label == *law && way.streams == *streams
        };
        let early = self.ask.early.iter();
        let early = early.filter_map(|named| self.ways.iter().position(|way| is(way, named)));
        let rest = kind.into_iter().chain(unkind).filter_map(place);
        let mut order: Vec<usize> = (0..self.ask.pinned()).collect();
        let early: Vec<usize> = early.collect();
        let (best, early) = early.split_at(early.len().min(1));
        let first = best.iter().copied();
        let first = first.chain(alone).chain(may_win).chain(early.iter().copied()).chain(chosen);
        for row in first.chain(well).chain(rest) {
            if !order.contains(&row) {
                order.push(row);
            }
        }
        order
    }

    /// Does something with one after the other, several at a time.
    fn all(
        &self,
        jobs: usize,
        next: &(dyn Fn() -> Option<usize> + Sync),
        task: &(dyn Fn(usize) -> Result<(), Trouble> + Sync),
    ) {
        let work_off = || {
            while !self.stopped() && lock(&self.state).trouble.is_none() {
                let Some(row) = next() else { return };
                match task(row) {
                    Ok(()) | Err(Trouble::Interrupted) => {}
                    Err(trouble) => {
                        lock(&self.state).trouble.get_or_insert(trouble);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..jobs.min(self.ways.len() + 1) {
                // this thread does everything if the system allows no other
                if std::thread::Builder::new().spawn_scoped(scope, work_off).is_err() {
                    break;
                }
            }
            work_off();
        });
    }
}
