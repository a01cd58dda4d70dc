//! What was claimed, judged on runs: a run is a row under a reading with a seed.
//!
//! ```text
//!  Claim ----answer(runs)----> Answer             one claim, with every comparison
//!  Conclusion --judge(runs)--> ConclusionResult   several claims
//! ```
//!
//! The verdict is that of the base: each comparison is judged by the means over its seeds
//! ([`tusker_measure::condition`] has the rule). [`Robust`] is a number beside it: how many
//! comparisons hold by their values in all single runs, under every reading. A reading
//! [reverses](Reversal) a comparison that holds in the base and fails under it beyond chance, or
//! the other way round. docs/reproduce.md says the same; it holds for all papers.
//!
//! The runs are recorded in `conclusions.csv` ([`runs`]); those of the base with its first seed
//! may be in `full.csv` instead.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_lab::suite::claims::{Claim, Need, Operand, Verdict};

use crate::paper::{Error, Paper};
use crate::rows::BASE;

mod answer;
mod csv;
mod marks;
mod relevant;
pub mod runs;

pub use crate::model::{Conclusion, Conclusions};
pub use answer::{Answer, Answers, InReading, InRun, Reversal, Robust, Worst};
pub(crate) use csv::cell;
pub use marks::{Mark, Miss};
pub use runs::{Run, Runs};

/// A conclusion with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConclusionResult {
    /// Its name.
    pub id: String,
    /// What it says.
    pub says: String,
    /// The verdict on the base.
    pub verdict: Verdict,
    /// The seeds of the base.
    pub seeds: Vec<u64>,
    /// How many comparisons of its claims hold in all runs.
    pub robust: Robust,
    /// Readings that reverse comparisons of its claims.
    pub reversed_by: Vec<Reversal>,
    /// Readings that could change it and of which nothing was run.
    pub untried: Vec<String>,
    /// The claims that back it, on the base.
    pub claims: Vec<ClaimStands>,
}

/// One claim of a conclusion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimStands {
    /// Its name.
    pub id: String,
    /// The verdict on the base.
    pub verdict: Verdict,
    /// Comparisons that hold.
    pub held: usize,
    /// Comparisons that are undecided.
    pub undecided: usize,
    /// Comparisons that have values.
    pub of: usize,
}

/// Combines several claims: the conclusion holds if all of them do, and does not hold if
/// fewer than half could.
fn together(claims: &[Verdict]) -> Verdict {
    if claims.contains(&Verdict::Open) {
        return Verdict::Open;
    }
    let count = |verdict: Verdict| claims.iter().filter(|v| **v == verdict).count();
    // a claim that holds in part neither supports nor contradicts
    let open = count(Verdict::Partly) + count(Verdict::Undecided);
    match Need::All.verdict(count(Verdict::Holds), open, claims.len()) {
        Verdict::Undecided if count(Verdict::Undecided) == 0 => Verdict::Partly,
        verdict => verdict,
    }
}

impl Conclusion {
    fn claims_of<'a>(&'a self, paper: &'a Paper) -> impl Iterator<Item = &'a Claim> {
        self.claims.iter().filter_map(|id| paper.claims.iter().find(|claim| claim.id == *id))
    }

    /// What it compares.
    pub fn operands(&self, paper: &Paper) -> Vec<Operand> {
        self.claims_of(paper).flat_map(|claim| claim.operands(paper).unwrap_or_default()).collect()
    }

    /// Judges it on runs.
    pub fn judge(&self, paper: &Paper, runs: &Runs) -> ConclusionResult {
        let rows: BTreeSet<String> = paper.rows().iter().map(crate::rows::Row::id).collect();
        let claims = self.claims_of(paper);
        let answers: Vec<Answer> =
            claims.filter_map(|claim| Answer::of(claim, paper, runs, BASE, None, &rows)).collect();
        self.of(&answers)
    }

    /// The same of its claims that were judged already.
    pub fn of(&self, answers: &[Answer]) -> ConclusionResult {
        let verdicts: Vec<Verdict> = answers.iter().map(|own| own.ours.verdict).collect();
        let mut reversed_by: Vec<Reversal> = Vec::new();
        for own in answers.iter().flat_map(|own| &own.reversed_by) {
            match reversed_by.iter_mut().find(|one| one.reading == own.reading) {
                Some(one) => one.comparisons.extend(own.comparisons.iter().cloned()),
                None => reversed_by.push(own.clone()),
            }
        }
        let untried: BTreeSet<&String> = answers.iter().flat_map(|own| &own.untried).collect();
        let seeds: BTreeSet<u64> = answers.iter().flat_map(|own| own.seeds()).copied().collect();
        ConclusionResult {
            id: self.id.clone(),
            says: self.says.clone(),
            verdict: together(&verdicts),
            seeds: seeds.into_iter().collect(),
            robust: Robust::of(answers.iter().flat_map(|own| &own.readings)),
            reversed_by,
            untried: untried.into_iter().cloned().collect(),
            claims: answers
                .iter()
                .map(|own| ClaimStands {
                    id: own.id.clone(),
                    verdict: own.ours.verdict,
                    held: own.ours.held,
                    undecided: own.ours.undecided,
                    of: own.ours.of,
                })
                .collect(),
        }
    }
}

/// Every conclusion of a paper, judged on runs.
pub fn judge(paper: &Paper, runs: &Runs) -> Vec<ConclusionResult> {
    paper.conclusions.conclusions.iter().map(|one| one.judge(paper, runs)).collect()
}

/// Checks that what was recorded for conclusions can be read.
///
/// # Errors
/// If it cannot.
pub fn check(paper: &Paper) -> Result<(), Error> {
    let Some(text) = &paper.conclusions_csv else { return Ok(()) };
    let help = "`tusker reproduce PAPER --conclusions --format csv` prints it";
    let place = format!("{}/conclusions.csv", paper.about.key);
    let read = Runs::read(text, &paper.cases.variant.name);
    read.map(|_| ()).map_err(|message| Error::new(place, message, help))
}

#[cfg(test)]
mod tests;
