//! The results of a claim's comparisons in some runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Mark;
use crate::claims::Verdict;
use crate::expr::Value;
use crate::judge::Compared;
use crate::reproduction::Printed;

/// A comparison, apart from its numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Compare {
    /// As it is written: `fairness(g) > fairness(h)`.
    pub test: String,
    /// With cases and variants filled in: `fairness(7@50) > fairness(4@50)`.
    pub text: String,
    /// The signs between its terms.
    pub signs: Vec<String>,
    /// Its measures: `fairness`.
    pub measures: Vec<String>,
    /// Its rows, in the order in which it names them: `7@50`, `4@50`.
    pub rows: Vec<String>,
    /// Their cases, if all are at one variant; else the rows.
    pub cases: Vec<String>,
    /// That variant: `50`.
    pub at: Option<String>,
}

/// A claim in runs of one reading: with one seed, or with several together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InRuns {
    /// The reading; `paper` for the paper's own numbers.
    pub reading: String,
    /// It is an experiment against the paper's text: no verdict depends on it.
    #[serde(default)]
    pub experiment: bool,
    /// The seeds; empty if they are not known, as those of the paper.
    pub seeds: Vec<u64>,
    /// They are means of so many replicates, which are not known one by one.
    pub means_of: usize,
    /// The verdict; open if comparisons that lack a value could change it.
    pub verdict: Verdict,
    /// Comparisons that hold beyond chance.
    pub held: usize,
    /// Comparisons that are within chance.
    pub chance: usize,
    /// Comparisons that have all their values.
    pub of: usize,
    /// Comparisons that lack a value.
    pub missing: usize,
    /// Each comparison, in the order of `Answer::comparisons`.
    pub found: Vec<Found>,
    /// Each row that is compared: whether it agrees with the paper.
    #[serde(default)]
    pub rows: Vec<Mark>,
}

impl InRuns {
    /// The verdict in words; `incomplete` if only some comparisons have their values, and the
    /// others could change it.
    pub fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Open if self.of > 0 => "incomplete",
            verdict => verdict.text(),
        }
    }

    /// How one of the rows that are compared agrees with the paper.
    pub fn mark(&self, row: &str) -> Option<&Mark> {
        self.rows.iter().find(|mark| mark.row == row)
    }
}

/// A comparison with its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// How it came out.
    pub outcome: Outcome,
    /// The value of each term, with half of its 95 % interval; empty if one is missing.
    pub terms: Vec<Printed>,
    /// Each term minus the next, with half of the interval by which it is judged.
    pub differences: Vec<Printed>,
}

/// How a comparison came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It holds.
    Holds,
    /// The interval of a difference includes zero, or seeds disagree.
    Chance,
    /// It does not hold.
    Fails,
    /// A value is missing.
    Missing,
}

impl Outcome {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Chance => "within chance",
            Self::Fails => "does not hold",
            Self::Missing => "no value",
        }
    }
}

impl Found {
    /// By how much it holds, negative if it does not: of a chain, the least of its pairs.
    pub fn margin(&self, signs: &[String]) -> Option<f64> {
        let ahead = |(own, sign): (&Printed, &String)| match sign.starts_with('<') {
            true => -own.value,
            false => own.value,
        };
        self.differences.iter().zip(signs).map(ahead).min_by(f64::total_cmp)
    }

    /// Whether its values are as it says, whatever chance may have done; none without values.
    pub fn is_so(&self, signs: &[String]) -> Option<bool> {
        let is = |(own, sign): (&Printed, &String)| match sign.as_str() {
            "<" => own.value < 0.0,
            "<=" => own.value <= 0.0,
            ">" => own.value > 0.0,
            _ => own.value >= 0.0,
        };
        let known = !self.differences.is_empty();
        known.then(|| self.differences.iter().zip(signs).all(is))
    }

    pub(super) fn of(compared: Option<&Compared>, terms: &[Value]) -> Self {
        let outcome = match compared {
            None => Outcome::Missing,
            Some(one) if one.is_chance() => Outcome::Chance,
            Some(one) if one.holds => Outcome::Holds,
            Some(_) => Outcome::Fails,
        };
        let halves = compared.map_or(&[][..], |one| one.halves.as_slice());
        let differences = terms.windows(2).enumerate().map(|(i, pair)| Printed {
            value: pair[0].value - pair[1].value,
            ci95: halves.get(i).copied().flatten(),
        });
        Self {
            outcome,
            differences: differences.collect(),
            terms: terms.iter().map(|own| Printed { value: own.value, ci95: own.ci95 }).collect(),
        }
    }
}
