//! A set of segment numbers as sorted, disjoint ranges.
//!
//! SACK reports and losses come in runs, so an operation costs the logarithm of the number
//! of runs between its place and that of the one before, and the usual ones (extending the
//! last run, cutting off the front) cost nothing.

use std::collections::VecDeque;

use tusker_path::room;

/// Half-open ranges `[low, high)`, ascending, not touching each other.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    runs: VecDeque<(u64, u64)>,
    len: u64,
    /// Where the last operation within the set took place, roughly: retransmissions arrive in
    /// order, each close to the one before.
    finger: usize,
}

impl Ranges {
    /// How many numbers are in the set.
    #[inline]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the set is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes in use, and the most with this many more runs.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        room(self.runs.len() + more, self.runs.capacity(), size_of::<(u64, u64)>())
    }

    /// The runs, ascending.
    pub fn runs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.runs.iter().copied()
    }

    /// One more than the highest number.
    pub fn end(&self) -> Option<u64> {
        self.runs.back().map(|r| r.1)
    }

    /// Whether the number is in the set.
    pub fn contains(&self, n: u64) -> bool {
        self.run_at(n).is_some()
    }

    /// The run that holds `n`.
    pub fn run_at(&self, n: u64) -> Option<(u64, u64)> {
        let i = self.first_above(n);
        self.runs.get(i).copied().filter(|r| r.0 <= n)
    }

    /// The first run that does not end below `n`, nor at it: from the finger in steps that
    /// double, then by halving.
    fn first_above(&self, n: u64) -> usize {
        let is_below = |i: usize| self.runs[i].1 <= n;
        let len = self.runs.len();
        // the front, where ACKs cut, and the end, where SACK mostly extends the last run
        if len == 0 || !is_below(0) {
            return 0;
        }
        if is_below(len - 1) {
            return len;
        }
        let near_end = len.saturating_sub(4);
        let start = if is_below(near_end) { near_end } else { self.finger.min(len - 1) };
        let (mut low, mut high, mut step) = (0, len - 1, 1);
        if is_below(start) {
            low = start;
            while low + step < high {
                if !is_below(low + step) {
                    high = low + step;
                    break;
                }
                low += step;
                step *= 2;
            }
        } else {
            high = start;
            while low + step < high {
                if is_below(high - step) {
                    low = high - step;
                    break;
                }
                high -= step;
                step *= 2;
            }
        }
        // `low` is below, `high` is not
        while low + 1 < high {
            let middle = low.midpoint(high);
            if is_below(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        high
    }

    /// The `k`-th highest number (1 is the highest).
    pub fn kth_highest(&self, mut k: u64) -> Option<u64> {
        for &(low, high) in self.runs.iter().rev() {
            if high - low >= k {
                return Some(high - k);
            }
            k -= high - low;
        }
        None
    }

    /// Empties the set.
    pub fn clear(&mut self) {
        self.runs.clear();
        self.len = 0;
    }

    /// Adds `[low, high)`; `added` is called with each part that was not in the set.
    /// Returns the run that now contains it.
    pub fn insert(&mut self, low: u64, high: u64, mut added: impl FnMut(u64, u64)) -> (u64, u64) {
        if low >= high {
            return (low, low);
        }
        // the usual case: at or beyond the end
        match self.runs.back_mut() {
            Some(last) if low > last.1 => {}
            Some(last) if low >= last.0 => {
                if high > last.1 {
                    added(last.1, high);
                    self.len += high - last.1;
                    last.1 = high;
                }
                return *last;
            }
            Some(_) => return self.insert_within(low, high, added),
            None => {}
        }
        added(low, high);
        self.len += high - low;
        self.runs.push_back((low, high));
        (low, high)
    }

    #[cold]
    fn insert_within(
        &mut self,
        low: u64,
        high: u64,
        mut added: impl FnMut(u64, u64),
    ) -> (u64, u64) {
        // the runs that touch [low, high) merge into one
        let from = low.checked_sub(1).map_or(0, |below| self.first_above(below));
        self.finger = from;
        if let Some(&run) = self.runs.get(from)
            && run.0 <= low
            && high <= run.1
        {
            return run;
        }
        let to = from + self.runs.range(from..).take_while(|r| r.0 <= high).count();
        let mut at = low;
        for &(a, b) in self.runs.range(from..to) {
            if at < a {
                added(at, a);
                self.len += a - at;
            }
            at = at.max(b);
        }
        if at < high {
            added(at, high);
            self.len += high - at;
        }
        if from == to {
            self.runs.insert(from, (low, high));
        } else {
            self.runs[from] = (low.min(self.runs[from].0), high.max(self.runs[to - 1].1));
            self.runs.drain(from + 1..to);
        }
        self.runs[from]
    }

    /// Removes `[low, high)`.
    pub fn remove(&mut self, low: u64, high: u64) {
        if low >= high || self.runs.front().is_none_or(|first| high <= first.0) {
            return;
        }
        let from = self.first_above(low);
        let to = from + self.runs.range(from..).take_while(|r| r.0 < high).count();
        if from == to {
            return;
        }
        self.finger = from;
        let removed: u64 = self.runs.range(from..to).map(|&(a, b)| b.min(high) - a.max(low)).sum();
        self.len -= removed;
        let (head, tail) = (self.runs[from].0, self.runs[to - 1].1);
        match (head < low, tail > high) {
            (false, false) => drop(self.runs.drain(from..to)),
            (true, false) => {
                self.runs[from].1 = low;
                self.runs.drain(from + 1..to);
            }
            (false, true) => {
                self.runs[to - 1].0 = high;
                self.runs.drain(from..to - 1);
            }
            (true, true) if to - from == 1 => {
                self.runs[from].1 = low;
                self.runs.insert(to, (high, tail));
            }
            (true, true) => {
                self.runs[from].1 = low;
                self.runs[to - 1].0 = high;
                self.runs.drain(from + 1..to - 1);
            }
        }
    }

    /// Removes everything below `n`; returns how many numbers that were.
    #[inline]
    pub fn remove_below(&mut self, n: u64) -> u64 {
        let before = self.len;
        while let Some(first) = self.runs.front_mut() {
            if first.0 >= n {
                break;
            }
            if first.1 > n {
                self.len -= n - first.0;
                first.0 = n;
                break;
            }
            self.len -= first.1 - first.0;
            self.runs.pop_front();
        }
        before - self.len
    }

    /// Removes the lowest number.
    pub fn pop_first(&mut self) -> Option<u64> {
        let first = self.runs.front_mut()?;
        let n = first.0;
        first.0 += 1;
        if first.0 == first.1 {
            self.runs.pop_front();
        }
        self.len -= 1;
        Some(n)
    }

    /// The parts of `[low, high)` that are not in the set, ascending.
    pub fn gaps(&self, low: u64, high: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let from = self.first_above(low);
        let mut at = low;
        self.runs
            .range(from..)
            .copied()
            .chain(std::iter::once((u64::MAX, u64::MAX)))
            .map_while(move |(a, b)| {
                let gap = (at, a.min(high));
                let open = at < high;
                at = b;
                open.then_some(gap)
            })
            .filter(|gap| gap.0 < gap.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tusker_core::Rng;

    fn numbers(ranges: &Ranges) -> Vec<u64> {
        ranges.runs.iter().flat_map(|&(a, b)| a..b).collect()
    }

    /// Compared with a plain set of numbers.
    #[test]
    fn behaves_like_a_set_of_numbers() {
        for seed in 0..200 {
            let mut rng = Rng::named(seed, "ranges");
            let (mut ranges, mut model) = (Ranges::default(), BTreeSet::new());
            // a few runs, and so many that most operations are far from the one before
            let (span, operations) = if seed % 8 == 0 { (2_000.0, 1_500) } else { (60.0, 120) };
            for _ in 0..operations {
                let low = rng.range(0.0, span) as u64;
                let high = low + rng.range(0.0, 12.0) as u64;
                match rng.range(0.0, 6.0) as u32 {
                    0..=2 => {
                        let mut fresh = Vec::new();
                        let run = ranges.insert(low, high, |a, b| fresh.extend(a..b));
                        if low < high {
                            assert_eq!(ranges.run_at(low), Some(run), "seed {seed}");
                        }
                        let expected: Vec<u64> = (low..high).filter(|&n| model.insert(n)).collect();
                        assert_eq!(fresh, expected, "seed {seed}");
                    }
                    3 => {
                        ranges.remove(low, high);
                        model.retain(|n| !(low..high).contains(n));
                    }
                    4 => {
                        let cut = low / 4;
                        let below = model.iter().filter(|&&n| n < cut).count() as u64;
                        model.retain(|&n| n >= cut);
                        assert_eq!(ranges.remove_below(cut), below, "seed {seed}");
                    }
                    _ => assert_eq!(ranges.pop_first(), model.pop_first(), "seed {seed}"),
                }
                assert_eq!(numbers(&ranges), model.iter().copied().collect::<Vec<_>>(), "{seed}");
                assert_eq!(ranges.len(), model.len() as u64, "seed {seed}");
                assert_eq!(ranges.kth_highest(3), model.iter().rev().nth(2).copied());
                assert_eq!(ranges.contains(low), model.contains(&low));
                let gaps: Vec<u64> = ranges.gaps(low, high).flat_map(|(a, b)| a..b).collect();
                let holes: Vec<u64> = (low..high).filter(|n| !model.contains(n)).collect();
                assert_eq!(gaps, holes, "seed {seed}");
            }
        }
    }
}
