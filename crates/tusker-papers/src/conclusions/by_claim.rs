//! One claim under every reading and seed that was recorded, at each variant by itself.

use super::margin::variants;
use super::{Run, changes_nothing, judged};
use crate::claims::{Claim, Verdict};
use crate::judge::Judgement;
use crate::paper::Paper;
use crate::rows::BASE;

/// What recorded runs say of a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimInRuns {
    /// The reading, or `base`.
    pub reading: String,
    /// The seed; none for several seeds together.
    pub seed: Option<u64>,
    /// Seeds behind each value, where it is a mean over several.
    pub means_of: usize,
    /// At each variant of the paper: comparisons that support it, and all of those that
    /// are about this variant alone.
    pub at: Vec<(usize, usize)>,
    /// Those about several variants.
    pub across: (usize, usize),
    /// The verdict on all of them.
    pub verdict: Verdict,
}

impl Claim {
    /// What was recorded beside the paper says of it: a line for each run with all that it
    /// needs, and one for the seeds of the base together if there are several.
    pub fn in_recorded_runs(&self, paper: &Paper) -> Vec<ClaimInRuns> {
        let runs = paper.recorded_runs();
        let needed = self.operands(paper).unwrap_or_default();
        let known: Vec<&Run> = runs.0.iter().filter(|run| run.has(&needed)).collect();
        let line = |of: &[&Run], seed: Option<u64>| {
            let judgement = judged(paper, self, of);
            let replicates = of.iter().flat_map(|run| run.rows.values()).map(|row| row.replicates);
            let count = |wanted: &dyn Fn(&[String]) -> bool| counted(&judgement, wanted);
            let order = paper.cases.variant.values.iter();
            ClaimInRuns {
                reading: of.first().map_or(String::new(), |run| run.reading.clone()),
                seed,
                means_of: if of.len() == 1 { replicates.max().unwrap_or(1) } else { 1 },
                at: order.map(|own| count(&|names| names == [own.name.clone()])).collect(),
                across: count(&|names| names.len() > 1),
                verdict: judgement.verdict,
            }
        };
        let base: Vec<&Run> = known.iter().filter(|run| run.reading == BASE).copied().collect();
        // a reading that sets nothing in these rows says nothing of the claim
        let says = |run: &&&Run| run.reading == BASE || !changes_nothing(&[**run], &base, &needed);
        let mut lines: Vec<ClaimInRuns> =
            known.iter().filter(says).map(|run| line(&[*run], Some(run.seed))).collect();
        if base.len() > 1 {
            lines.insert(base.len(), line(&base, None));
        }
        lines
    }
}

/// Comparisons that support a claim, and all, of those whose variants are wanted.
fn counted(judgement: &Judgement, wanted: &dyn Fn(&[String]) -> bool) -> (usize, usize) {
    let names = |test: &str| {
        let mut names = variants(test);
        names.sort();
        names.dedup();
        names
    };
    let own: Vec<_> = judgement.comparisons.iter().filter(|c| wanted(&names(&c.test))).collect();
    (own.iter().filter(|c| c.supports()).count(), own.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = "table,case,delay,replicates,fairness_ours,fairness_ours_ci95\n\
        1,4,25,1,0.7,\n1,4,50,1,0.6,\n1,4,100,1,0.5,\n\
        2,7,25,1,0.6,\n2,7,50,1,0.8,\n2,7,100,1,0.7,\n";

    /// Case 7 is fairer than Case 4 at 50 and 100 ms with seed 1, everywhere with seed 2,
    /// and nowhere under a reading.
    #[test]
    fn a_claim_is_shown_at_every_variant_and_reading() {
        let mut paper = Paper::find("ghstcp").unwrap();
        paper.full_csv = Some(FULL.into());
        let line = |reading: &str, seed: u64, case: u32, values: [f64; 3]| {
            let delays = [25, 50, 100].into_iter().zip(values);
            let lines = delays.map(|(at, value)| format!("{reading},{seed},{case},{at},{value}\n"));
            lines.collect::<String>()
        };
        let more = [
            line("base", 2, 4, [0.5, 0.5, 0.5]),
            line("base", 2, 7, [0.9, 0.9, 0.9]),
            line("newreno", 1, 4, [0.9, 0.9, 0.9]),
            line("newreno", 1, 7, [0.5, 0.5, 0.5]),
            // as the base with this seed
            line("sack", 1, 4, [0.7, 0.6, 0.5]),
            line("sack", 1, 7, [0.6, 0.8, 0.7]),
        ];
        let head = "reading,seed,case,delay,fairness\n";
        paper.conclusions_csv = Some(format!("{head}{}", more.concat()).into());
        let claim = paper.claims.iter().find(|c| c.id == "case7-fairer-than-4").unwrap();
        let lines = claim.in_recorded_runs(&paper);
        let told: Vec<_> = lines
            .iter()
            .map(|l| (l.reading.as_str(), l.seed, l.at.iter().map(|at| at.0).collect(), l.verdict))
            .collect::<Vec<(&str, Option<u64>, Vec<usize>, Verdict)>>();
        assert_eq!(
            told,
            [
                ("base", Some(1), vec![0, 1, 1], Verdict::Partly),
                ("base", Some(2), vec![1, 1, 1], Verdict::Holds),
                ("base", None, vec![0, 1, 1], Verdict::Partly),
                ("newreno", Some(1), vec![0, 0, 0], Verdict::DoesNotHold),
            ]
        );
        assert!(lines.iter().all(|line| line.at.iter().all(|at| at.1 == 1)));
    }
}
