//! Judges claims on any set of values: ours, or those of a paper.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_measure::condition::{Comparison, Decision, Value, Written};

use super::{CaseId, Claim, Instance, Need, Operand, RowId, Rows, Verdict};

/// A claim judged on a set of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// The verdict; open if comparisons that lack a value could change it.
    pub verdict: Verdict,
    /// How many comparisons hold.
    pub held: usize,
    /// How many are undecided.
    pub undecided: usize,
    /// How many have values.
    pub of: usize,
    /// How many lack a value.
    pub missing: usize,
    /// All of them.
    pub comparisons: Vec<Compared>,
}

/// One comparison of a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// With cases and variants filled in: `utilisation(5@50) > utilisation(2@50)`.
    pub test: String,
    /// The measure of its first operand.
    #[serde(default)]
    pub measure: String,
    /// Whether it holds.
    pub verdict: Verdict,
    /// The values of its terms; empty if one is missing.
    pub terms: Vec<Value>,
    /// Each term minus the next.
    pub differences: Vec<Value>,
}

impl Judgement {
    /// Of these comparisons.
    pub fn of(need: Need, comparisons: Vec<Compared>) -> Self {
        let count = |verdict| comparisons.iter().filter(|own| own.verdict == verdict).count();
        let (held, undecided) = (count(Verdict::Holds), count(Verdict::Undecided));
        let missing = count(Verdict::Open);
        let of = comparisons.len() - missing;
        let verdict = need.verdict_so_far(held, undecided, of, missing);
        Self { verdict, held, undecided, of, missing, comparisons }
    }

    /// The verdict of the comparisons that have values alone.
    #[must_use]
    pub fn as_far(self, need: Need) -> Self {
        Self { verdict: need.verdict(self.held, self.undecided, self.of), ..self }
    }

    /// How many do not hold.
    pub fn failed(&self) -> usize {
        self.of - self.held - self.undecided
    }
}

impl Compared {
    /// What was decided of a comparison, if it has values.
    pub fn of(own: &Instance, decision: Option<Decision>) -> Self {
        let measure = own.operands.first().map_or(String::new(), |first| first.measure.clone());
        let verdict = decision.as_ref().map_or(Verdict::Open, Decision::verdict);
        let (terms, differences) =
            decision.map_or_else(Default::default, |own| (own.terms, own.differences));
        Self { test: own.text.clone(), measure, verdict, terms, differences }
    }
}

/// Reads a test of a claim.
///
/// # Errors
/// A message in words, if it is malformed.
pub fn test(text: &str) -> Result<Comparison<Written>, String> {
    let comparison = Comparison::read(text, &|number| number.parse().ok())?;
    match comparison.measures().iter().find(|own| own.case.is_none()) {
        Some(Written { measure, .. }) => Err(format!("`{measure}` is of no case in `{text}`")),
        None => Ok(comparison),
    }
}

impl Claim {
    /// Every measure of every row that it compares.
    ///
    /// # Errors
    /// A message in words, if the claim is malformed.
    pub fn operands(&self, rows: &dyn Rows) -> Result<Vec<Operand>, String> {
        let mut found: Vec<Operand> =
            self.instances(rows)?.iter().flat_map(|one| one.operands.clone()).collect();
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Judges it on the values available.
    ///
    /// # Panics
    /// If the claim is malformed, which reading its suite has ruled out.
    pub fn judge(&self, rows: &dyn Rows, value: &dyn Fn(&Operand) -> Option<Value>) -> Judgement {
        let instances = self.instances(rows).expect("claims were checked");
        let compared = instances.iter().map(|own| Compared::of(own, own.comparison.decide(value)));
        Judgement::of(self.need, compared.collect())
    }

    /// Judges it on the numbers that a paper prints, as far as it prints them.
    pub fn judge_printed(
        &self,
        rows: &dyn Rows,
        value: &dyn Fn(&Operand) -> Option<Value>,
    ) -> Judgement {
        self.judge(rows, value).as_far(self.need)
    }

    /// Its comparisons, in the order of its tests.
    ///
    /// # Errors
    /// A message in words, if the claim is malformed.
    pub fn instances(&self, rows: &dyn Rows) -> Result<&[Instance], String> {
        self.instances.get_or_make(|| self.compared(rows))
    }

    fn compared(&self, all: &dyn Rows) -> Result<Vec<Instance>, String> {
        let letters = if self.across { self.combinations() } else { self.steps()? };
        let variants = all.variants();
        let at = if self.at.is_empty() { &variants } else { &self.at };
        if let Some(unknown) = at.iter().find(|name| !variants.contains(name)) {
            return Err(format!("there is no `@{unknown}`, only {}", variants.join(", ")));
        }
        let rows = all.ids();
        let mut instances = Vec::new();
        for written in &self.tests {
            let comparison = test(written)?;
            let is_open = comparison.measures().iter().any(|own| own.variant.is_none());
            let mut found = false;
            // one that does not name every letter would occur several times
            let mut made = BTreeSet::new();
            for letters in &letters {
                // one that names its variants is the same for all
                let at = if is_open { &at[..] } else { &at[..1] };
                for variant in at {
                    let filled = filled(&comparison, letters, variant);
                    let operands: Vec<Operand> = filled.measures().into_iter().cloned().collect();
                    // "all variants" means all those of its cases
                    let here = among(&operands, Some(&rows));
                    let wanted = here || !self.at.is_empty() || !is_open;
                    let text = filled.to_string();
                    if wanted && made.insert(text.clone()) {
                        found = true;
                        if among(&operands, self.between.as_ref()) {
                            instances.push(Instance { comparison: filled, text, operands });
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
        self.letters.iter().fold(vec![BTreeMap::new()], |before, (letter, cases)| {
            let with = |letters: &BTreeMap<_, _>, case: &CaseId| {
                let mut letters = letters.clone();
                letters.insert(letter.clone(), case.0.clone());
                letters
            };
            before.iter().flat_map(|l| cases.iter().map(move |case| with(l, case))).collect()
        })
    }
}

/// Whether all of these are of the rows; any is if there are none to be among.
fn among(operands: &[Operand], rows: Option<&BTreeSet<String>>) -> bool {
    rows.is_none_or(|rows| operands.iter().all(|operand| rows.contains(&operand.row.to_string())))
}

/// A test with letters and the variant filled in.
fn filled(
    test: &Comparison<Written>,
    letters: &BTreeMap<String, String>,
    at: &str,
) -> Comparison<Operand> {
    let operand = |own: &Written| {
        let case = own.case.clone().unwrap_or_default();
        let case = letters.get(&case).cloned().unwrap_or(case);
        let variant = own.variant.clone().unwrap_or_else(|| at.to_owned());
        let row = RowId { case, variant };
        Ok::<_, std::convert::Infallible>(Operand { measure: own.measure.clone(), row })
    };
    let Ok(filled) = test.try_map(operand);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases 1 to 9 at three delays.
    struct Delays;

    impl Rows for Delays {
        fn variants(&self) -> Vec<String> {
            ["25", "50", "100"].map(str::to_owned).to_vec()
        }

        fn ids(&self) -> BTreeSet<String> {
            let case = |case| self.variants().into_iter().map(move |at| format!("{case}@{at}"));
            (1..=9).flat_map(case).collect()
        }
    }

    fn claim(toml: &str) -> Claim {
        let head = "id = \"c\"\nplace = \"\"\nsays = \"\"\n";
        toml_edit::de::from_str(&format!("{head}{toml}")).unwrap()
    }

    /// u(CASE@DELAY) = CASE * 1000 / DELAY, so that at 25, 50, 100 Case 2 has
    /// 80, 40, 20 and Case 5 has 200, 100, 50; Case 9 was not run.
    fn value(operand: &Operand) -> Option<Value> {
        let number = |text: &String| text.parse::<f64>().unwrap();
        let (case, delay) = (number(&operand.row.case), number(&operand.row.variant));
        (case != 9.0).then_some(Value { value: case * 1000.0 / delay, ci95: None })
    }

    fn judge(toml: &str) -> (Verdict, usize, usize, usize) {
        let judgement = claim(toml).judge(&Delays, &value);
        (judgement.verdict, judgement.held, judgement.of, judgement.missing)
    }

    #[test]
    fn a_claim_is_held_against_every_variant_and_letter() {
        use Verdict::{DoesNotHold, Holds, Open, Partly};
        for (toml, expected) in [
            ("tests = [\"u(5) > u(2)\"]", (Holds, 3, 3, 0)),
            ("tests = [\"u(5) > 90\"]", (Partly, 2, 3, 0)),
            ("tests = [\"u(5) > 90\"]\nat = [\"100\"]", (DoesNotHold, 0, 1, 0)),
            ("tests = [\"u(5) > 90\"]\nneed = \"some\"", (Holds, 2, 3, 0)),
            ("tests = [\"u(5) > 900\"]\nneed = \"some\"", (DoesNotHold, 0, 3, 0)),
            // two of three are "most", one is not
            ("tests = [\"u(5) > 90\"]\nneed = \"most\"", (Holds, 2, 3, 0)),
            ("tests = [\"u(5) > 150\"]\nneed = \"most\"", (DoesNotHold, 1, 3, 0)),
            ("tests = [\"u(5) > 900\"]\nneed = \"most\"", (DoesNotHold, 0, 3, 0)),
            // counted once, not once per delay
            ("tests = [\"u(5@25) > u(5@50) > u(5@100)\"]", (Holds, 1, 1, 0)),
            ("tests = [\"u(a) > u(b)\"]\nwhere = { a = [5, 1], b = [2, 2] }", (Partly, 3, 6, 0)),
            // missing values leave it open, unless the others decide
            ("tests = [\"u(9) > u(2)\", \"u(5) > u(2)\"]", (Open, 3, 3, 3)),
            ("tests = [\"u(9) > u(2)\"]", (Open, 0, 0, 3)),
            ("tests = [\"u(9) > 1\", \"u(5) > 1\"]\nneed = \"some\"", (Holds, 3, 3, 3)),
        ] {
            assert_eq!(judge(toml), expected, "{toml}");
        }
    }

    /// Jain's indices of 0.733 +- 0.356 and 0.529 +- 0.085: their difference,
    /// 0.204 +- 0.366, covers zero.
    #[test]
    fn what_is_within_chance_is_no_support() {
        let fairer = claim("tests = [\"u(7) > u(4)\"]\nat = [\"50\"]");
        let with = |intervals: Option<(f64, f64)>| {
            let value = |operand: &Operand| {
                let (value, ci95) = match operand.row.to_string().as_str() {
                    "7@50" => (0.733, intervals.map(|(a, _)| a)),
                    _ => (0.529, intervals.map(|(_, b)| b)),
                };
                Some(Value { value, ci95 })
            };
            let judged = fairer.judge(&Delays, &value);
            (judged.verdict, judged.held, judged.undecided)
        };
        assert_eq!(with(Some((0.356, 0.085))), (Verdict::Undecided, 0, 1));
        // hypot(0.15, 0.085) = 0.172 is less than 0.204
        assert_eq!(with(Some((0.15, 0.085))), (Verdict::Holds, 1, 0));
        // one run each: only the measured values count
        assert_eq!(with(None), (Verdict::Holds, 1, 0));
    }

    #[test]
    fn letters_go_in_step_or_across() {
        let uneven = claim("tests = [\"u(a) > u(b)\"]\nwhere = { a = [1], b = [2, 3] }");
        assert!(uneven.operands(&Delays).unwrap_err().contains("different lengths"));
        // 2 > 1, 5 > 1, 5 > 3, and not 2 > 3, at three delays
        let letters = "where = { a = [2, 5], b = [1, 3] }";
        let across = claim(&format!("tests = [\"u(a) > u(b)\"]\nacross = true\n{letters}"));
        let judged = across.judge(&Delays, &value);
        assert_eq!((judged.held, judged.of), (9, 12));
        // stepping together: 2 > 1, 5 > 3
        let in_step = claim(&format!("tests = [\"u(a) > u(b)\"]\n{letters}"));
        assert_eq!(in_step.judge(&Delays, &value).of, 6);
        // a letter that a test does not name does not affect it
        let one = claim(&format!("tests = [\"u(a) > 0\"]\nacross = true\n{letters}"));
        assert_eq!(one.judge(&Delays, &value).of, 6);
    }
}
