//! The comparisons of a claim: each of its tests for each set of letters and each variant.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use crate::between::among;
use crate::claims::Claim;
use crate::expr::{Comparison, Operand, Scope};
use crate::model::CaseId;
use crate::paper::Paper;
use crate::rows::Row;

/// One comparison.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// The test that it comes from: its place in [`Claim::tests`].
    pub test: usize,
    /// That test.
    pub comparison: Comparison,
    /// What its letters stand for, and the variant.
    pub scope: Scope,
    /// The test with both filled in: `utilisation(5@50) > utilisation(2@50)`.
    pub text: String,
    /// The measures that it compares.
    pub operands: Vec<Operand>,
}

/// A claim's comparisons, which are worked out when they are first asked for and used for
/// each set of values. A copy of the claim works out its own: it may be changed before that.
#[derive(Debug, Default)]
pub(crate) struct Instances(OnceLock<Result<Vec<Instance>, String>>);

impl Clone for Instances {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Claim {
    /// Its comparisons, in the order of its tests.
    ///
    /// # Errors
    /// A message in words, if the claim is malformed.
    pub(crate) fn instances(&self, paper: &Paper) -> Result<&[Instance], String> {
        let known = self.instances.0.get_or_init(|| self.worked_out(paper));
        known.as_deref().map_err(Clone::clone)
    }

    fn worked_out(&self, paper: &Paper) -> Result<Vec<Instance>, String> {
        let letters = if self.across { self.combinations() } else { self.steps()? };
        let variants: Vec<&str> =
            paper.cases.variant.values.iter().map(|variant| variant.name.as_str()).collect();
        let at: Vec<&str> = match self.at.as_slice() {
            [] => variants.clone(),
            at => at.iter().map(String::as_str).collect(),
        };
        if let Some(unknown) = at.iter().find(|name| !variants.contains(name)) {
            return Err(format!("there is no `@{unknown}`, only {}", variants.join(", ")));
        }
        let rows: BTreeSet<String> = paper.rows().iter().map(Row::id).collect();
        let mut instances = Vec::new();
        for (test, written) in self.tests.iter().enumerate() {
            let comparison = Comparison::read(written)?;
            let mut found = false;
            // one that does not name every letter would occur several times
            let mut known = BTreeSet::new();
            for letters in &letters {
                // one that names its variants is the same for all
                let at = if comparison.is_open() { &at[..] } else { &at[..1] };
                for variant in at {
                    let variant = Some((*variant).to_owned());
                    let scope = Scope { letters: letters.clone(), variant };
                    // "all variants" means all those of its cases
                    let operands = comparison.operands(&scope);
                    let here = among(&operands, Some(&rows));
                    let wanted = here || !self.at.is_empty() || !comparison.is_open();
                    let text = comparison.filled(&scope);
                    if wanted && known.insert(text.clone()) {
                        found = true;
                        if among(&operands, self.between.as_ref()) {
                            let comparison = comparison.clone();
                            instances.push(Instance { test, comparison, scope, text, operands });
                        }
                    }
                }
            }
            if !found {
                return Err(format!("no variant has all rows of `{written}`"));
            }
        }
        Ok(instances)
    }

    /// What the letters stand for, stepping through all lists together.
    fn steps(&self) -> Result<Vec<BTreeMap<String, String>>, String> {
        let lengths: Vec<usize> = self.letters.values().map(Vec::len).collect();
        let steps = lengths.first().copied().unwrap_or(1);
        if lengths.iter().any(|&length| length != steps) {
            return Err("the lists of `where` have different lengths".to_owned());
        }
        let step = |step: usize| {
            let letters = self.letters.iter();
            letters.map(|(letter, cases)| (letter.clone(), cases[step].0.clone())).collect()
        };
        Ok((0..steps).map(step).collect())
    }

    /// What the letters stand for, in every combination.
    fn combinations(&self) -> Vec<BTreeMap<String, String>> {
        self.letters.iter().fold(vec![BTreeMap::new()], |known, (letter, cases)| {
            let with = |letters: &BTreeMap<_, _>, case: &CaseId| {
                let mut letters = letters.clone();
                letters.insert(letter.clone(), case.0.clone());
                letters
            };
            known.iter().flat_map(|l| cases.iter().map(move |case| with(l, case))).collect()
        })
    }
}
