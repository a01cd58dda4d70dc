//! The seeds with which a conclusion's rows were run on the base.

use std::collections::BTreeSet;

use super::{ConclusionResult, InPart, Run};
use crate::expr::Operand;
use crate::paper::Paper;

/// What is known of each seed.
pub(super) struct Seeds {
    /// All rows were run with them.
    pub run: Vec<u64>,
    /// Asked for by the paper's files, and not all rows were run with them.
    pub lacking: Vec<u64>,
    /// Some rows were run with them.
    pub in_part: Vec<InPart>,
    /// Rows that are needed.
    pub rows: usize,
    /// Seeds behind each value, where it is a mean over several.
    pub means_of: usize,
}

impl Seeds {
    /// Of the runs of the base; `needed` is what a conclusion compares.
    pub fn of(paper: &Paper, base: &[&Run], needed: &[Operand]) -> Self {
        let rows: BTreeSet<&str> = needed.iter().map(|operand| operand.row.as_str()).collect();
        let there = |run: &Run, row: &str| {
            let mut own = needed.iter().filter(|operand| operand.row == row);
            own.all(|o| run.rows.get(row).is_some_and(|m| m.values.contains_key(&o.measure)))
        };
        let (mut run, mut in_part, mut means_of) = (Vec::new(), Vec::new(), 1);
        for own in base {
            let count = rows.iter().filter(|row| there(own, row)).count();
            match count {
                0 => {}
                all if all == rows.len() => run.push(own.seed),
                some => in_part.push(InPart { seed: own.seed, rows: some }),
            }
            let replicates = rows.iter().filter_map(|row| Some(own.rows.get(*row)?.replicates));
            means_of = replicates.fold(means_of, usize::max);
        }
        let wanted = paper.seed().into_iter().chain(paper.conclusions.seeds.iter().copied());
        let lacking = match run.len() > paper.conclusions.seeds.len() {
            true => Vec::new(),
            false => wanted.filter(|seed| !run.contains(seed)).collect(),
        };
        Self { run, lacking, in_part, rows: rows.len(), means_of }
    }
}

impl ConclusionResult {
    /// `seeds 1 and 2, not seed 3`, `no row; seeds 1 to 3 are asked for`, `6 of 18 rows with
    /// seeds 1 and 2, not seed 3`.
    pub(super) fn seeds_told(&self) -> String {
        if self.means_of > 1 {
            return format!("means of {} seeds, not each by itself", self.means_of);
        }
        if self.seeds > 0 && self.seeds_run.is_empty() {
            // stored by a version that did not name them
            return format!("{} of {} seeds", self.seeds, self.seeds_wanted);
        }
        if self.seeds_run.is_empty() && self.in_part.is_empty() {
            return format!("no row; {} asked for", listed(&self.seeds_lacking, "is", "are"));
        }
        let mut parts = Vec::new();
        if !self.seeds_run.is_empty() {
            parts.push(listed(&self.seeds_run, "", ""));
        }
        let mut counts: Vec<usize> = self.in_part.iter().map(|part| part.rows).collect();
        counts.dedup();
        for count in counts {
            let of = self.in_part.iter().filter(|part| part.rows == count);
            let seeds: Vec<u64> = of.map(|part| part.seed).collect();
            parts.push(format!("{count} of {} rows with {}", self.rows, listed(&seeds, "", "")));
        }
        let in_part = |seed: &&u64| self.in_part.iter().any(|part| part.seed == **seed);
        let none: Vec<u64> =
            self.seeds_lacking.iter().filter(|seed| !in_part(seed)).copied().collect();
        if !none.is_empty() {
            parts.push(format!("not {}", listed(&none, "", "")));
        }
        parts.join(", ")
    }

    /// Whether some of the seeds that it asks for lack all or some of its rows.
    pub fn lacks_seeds(&self) -> bool {
        self.seeds < self.seeds_wanted
    }
}

/// `seed 1 is`, `seeds 1, 2 and 7 are`, `seeds 1 to 5 are`.
fn listed(seeds: &[u64], one: &str, more: &str) -> String {
    let consecutive = seeds.len() > 2 && seeds.windows(2).all(|two| two[0] + 1 == two[1]);
    let named: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let text = match named.as_slice() {
        [] => "no seed".to_owned(),
        [seed] => format!("seed {seed}"),
        [first, .., last] if consecutive => format!("seeds {first} to {last}"),
        [some @ .., last] => format!("seeds {} and {last}", some.join(", ")),
    };
    let verb = if seeds.len() == 1 { one } else { more };
    format!("{text} {verb}").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_listed_as_people_do() {
        for (seeds, told) in [
            (&[1][..], "seed 1 is"),
            (&[1, 2], "seeds 1 and 2 are"),
            (&[1, 2, 7], "seeds 1, 2 and 7 are"),
            (&[1, 2, 3, 4, 5], "seeds 1 to 5 are"),
        ] {
            assert_eq!(listed(seeds, "is", "are"), told);
        }
    }
}
