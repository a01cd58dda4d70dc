//! What other readings of the text and other seeds explain: each row that was recorded with
//! them is set beside the same row of the base.
//!
//! ```text
//!  explains   rows that are off in the base and within their tolerances under it
//!  loses      rows that are within in the base and off under it
//! ```
//!
//! For a paper that prints no numbers, the same is done with claims that hold.

use std::collections::BTreeSet;

use crate::claims::Verdict;
use crate::conclusions::{Run, Runs};
use crate::paper::Paper;
use crate::reproduction::{JudgedRows, RowResult};
use crate::rows::BASE;

/// A reading, or another seed, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hypothesis {
    /// The name of the reading, or `seed 2`, or both.
    pub name: String,
    /// What it supposes.
    pub supposes: String,
    /// Rows that were run.
    pub rows: usize,
    /// Those with printed numbers.
    pub printed: usize,
    /// Rows within their tolerances, with it and in the base.
    pub within: [usize; 2],
    /// Rows that it explains; of a paper that prints none, claims.
    pub explains: Vec<String>,
    /// Rows, or claims, that it loses.
    pub loses: Vec<String>,
    /// Claims that these rows judge.
    pub claims: usize,
    /// Claims that hold, with it and in the base.
    pub hold: [usize; 2],
}

/// All that were recorded beside a paper.
pub fn recorded(paper: &Paper) -> Vec<Hypothesis> {
    let runs = paper.recorded_runs();
    let own = paper.seed().unwrap_or(1);
    let others = runs.0.iter().filter(|run| run.reading != BASE || run.seed != own);
    others.filter_map(|run| one(paper, &runs, run, own)).collect()
}

/// A run beside the base: with its own seed, or, if it is the base, with the paper's.
fn one(paper: &Paper, runs: &Runs, run: &Run, own: u64) -> Option<Hypothesis> {
    let is_base = run.reading == BASE;
    let seed = if is_base { own } else { run.seed };
    let base = runs.of(BASE).into_iter().find(|base| base.seed == seed)?;
    let rows: BTreeSet<String> =
        run.rows.keys().filter(|id| base.rows.contains_key(*id)).cloned().collect();
    let among = paper.between(&rows);
    let judged = |of: &Run| {
        let taken = paper.take(std::slice::from_ref(&of.reading), &[]).ok()?;
        Some(JudgedRows::of(&among, &taken, &of.rows, &rows))
    };
    let both = [judged(run)?, judged(base)?];
    let [with, without] = &both;
    let reading = paper.readings.iter().find(|reading| reading.name == run.reading);
    let turned = |from: Verdict, to: Verdict| {
        let pairs = with.rows.iter().zip(&without.rows);
        let turned = pairs.filter(|(now, then)| then.verdict == from && now.verdict == to);
        turned.map(|(now, _): (&RowResult, _)| now.id.clone()).collect::<Vec<_>>()
    };
    let explains = turned(Verdict::DoesNotHold, Verdict::Holds);
    let loses = turned(Verdict::Holds, Verdict::DoesNotHold);
    // measures that were not recorded decide nothing
    let open = |i: usize| {
        let claims = [with.claims.get(i), without.claims.get(i)];
        claims.iter().flatten().any(|claim| claim.ours.missing > 0)
    };
    let closed: Vec<usize> = (0..with.claims.len()).filter(|i| !open(*i)).collect();
    let hold = |r: &JudgedRows| {
        let claims = closed.iter().filter_map(|i| r.claims.get(*i));
        let hold = claims.filter(|claim| claim.ours.verdict == Verdict::Holds);
        hold.map(|claim| claim.id.clone()).collect::<Vec<_>>()
    };
    let [held, before] = both.each_ref().map(hold);
    let only = |some: &[String], others: &[String]| {
        some.iter().filter(|id| !others.contains(id)).cloned().collect::<Vec<_>>()
    };
    let printed = with.scoreboard.run;
    Some(Hypothesis {
        name: match (is_base, run.seed == own) {
            (true, _) => format!("seed {}", run.seed),
            (false, true) => run.reading.clone(),
            (false, false) => format!("{}, seed {}", run.reading, run.seed),
        },
        supposes: match reading {
            Some(reading) => reading.why.clone(),
            None => "nothing else: the base with another seed".to_owned(),
        },
        rows: rows.len(),
        printed,
        within: both.each_ref().map(|r| r.scoreboard.within),
        explains: if printed > 0 { explains } else { only(&held, &before) },
        loses: if printed > 0 { loses } else { only(&before, &held) },
        claims: closed.len(),
        hold: [held.len(), before.len()],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values are those that the paper prints, or 0.1 away from them; the tolerance of the
    /// index is 0.05.
    #[test]
    fn a_hypothesis_explains_rows_and_loses_others() {
        let mut paper = Paper::find("ghstcp").unwrap();
        let printed =
            |measure: &str, row: &str| paper.published.printed(measure, row).unwrap().value;
        let (four, seven) = (printed("fairness", "4@50"), printed("fairness", "7@50"));
        let (use_4, use_7) = (printed("utilisation", "4@50"), printed("utilisation", "7@50"));
        // in the base Case 4 is met and Case 7 is not; Case 7 is fairer
        let full = format!(
            "table,case,delay,replicates,utilisation_ours,utilisation_ours_ci95,fairness_ours,\
             fairness_ours_ci95\n1,4,50,1,{use_4},,{four},\n2,7,50,1,{use_7},,{},\n",
            seven - 0.1
        );
        paper.full_csv = Some(full.into());
        // under the reading it is the other way round, and Case 4 is fairer
        let more = format!(
            "reading,seed,case,delay,utilisation,fairness\n\
             newreno,1,4,50,{use_4},{}\nnewreno,1,7,50,{use_7},{seven}\n\
             base,2,4,50,{use_4},{four}\nnewreno,2,4,50,{use_4},{four}\n",
            seven + 0.01
        );
        paper.conclusions_csv = Some(more.into());
        let found = recorded(&paper);
        let names: Vec<&str> = found.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["newreno", "seed 2", "newreno, seed 2"]);
        let one = &found[0];
        assert_eq!((one.rows, one.printed, one.within), (2, 2, [1, 1]));
        assert_eq!((one.explains.join(","), one.loses.join(",")), ("7@50".into(), "4@50".into()));
        let fairer = paper.between(&["4@50".to_owned(), "7@50".to_owned()].into()).claims.len();
        assert!(one.claims <= fairer && one.hold[0] < one.hold[1], "{one:?}");
        assert_eq!((found[1].rows, found[1].within), (1, [1, 1]));
    }
}
