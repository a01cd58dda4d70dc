//! A conclusion under one reading of the text, and which comparisons fail under it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::margin::shortened;
use super::verdict_of;
use crate::claims::Verdict;
use crate::judge::{Compared, Judgement};

/// The verdict on a conclusion under one reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InReading {
    /// The reading.
    pub name: String,
    /// The verdict.
    pub verdict: Verdict,
    /// Comparisons that fail under it, of claims that do not hold; first those that hold in
    /// the base with the same seed.
    #[serde(default)]
    pub fail: Vec<String>,
    /// The same of comparisons within chance.
    #[serde(default)]
    pub chance: Vec<String>,
}

impl InReading {
    /// Of the claims under a reading; `base` has the same ones in the base.
    pub(super) fn of(name: &str, claims: &[Judgement], base: &[Judgement]) -> Self {
        let known = base.iter().flat_map(|claim| &claim.comparisons);
        let hold: BTreeSet<&str> = known.filter(|c| c.supports()).map(|c| &*c.test).collect();
        let short = claims.iter().filter(|claim| claim.verdict != Verdict::Holds);
        let against = short.flat_map(|claim| &claim.comparisons).filter(|c| !c.supports());
        let mut against: Vec<&Compared> = against.collect();
        against.sort_by_key(|c| !hold.contains(c.test.as_str()));
        let (chance, fail): (Vec<_>, Vec<_>) = against.into_iter().partition(|c| c.is_chance());
        let tests = |of: Vec<&Compared>| of.into_iter().map(|c| c.test.clone()).collect();
        Self {
            name: name.to_owned(),
            verdict: verdict_of(claims),
            fail: tests(fail),
            chance: tests(chance),
        }
    }

    /// The comparison that [`Self::told`] names.
    pub(crate) fn named(&self) -> Option<String> {
        self.fail.first().or(self.chance.first()).map(|test| shortened(test))
    }

    /// `the reading newreno (partly: fairness(7@50) > fairness(4@50) and 2 more fail)`.
    pub fn told(&self) -> String {
        let named = |[one, several]: [&str; 2], tests: &[String]| {
            let [first, more @ ..] = tests else { return String::new() };
            match more.len() {
                0 => format!(": {} {one}", shortened(first)),
                more => format!(": {} and {more} more {several}", shortened(first)),
            }
        };
        let why = match self.fail.as_slice() {
            [] => named(["is within chance", "are within chance"], &self.chance),
            tests => named(["fails", "fail"], tests),
        };
        format!("the reading {} ({}{why})", self.name, self.verdict.text())
    }
}
