//! Claims over any set of values: ours, or the paper's own.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::expr::{Comparison, Operand, Scope, Value};
use crate::paper::{CaseId, Paper};
use crate::rows::Row;

/// A sentence of the paper as inequalities; the head of `claims.toml` tells
/// what its parts mean.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its name.
    pub id: String,
    /// Where the paper says it.
    pub place: String,
    /// What it says, in our words.
    pub says: String,
    /// How words became numbers.
    #[serde(default)]
    pub read: String,
    /// The comparisons.
    pub tests: Vec<String>,
    /// What letters stand for.
    #[serde(default, rename = "where")]
    pub letters: BTreeMap<String, Vec<CaseId>>,
    /// Every combination of letters, instead of all lists in step.
    #[serde(default)]
    pub across: bool,
    /// The variants, if not all.
    #[serde(default)]
    pub at: Vec<String>,
    /// How many must hold.
    #[serde(default)]
    pub need: Need,
    /// What the paper's own numbers say, if they do not bear it out.
    pub paper: Option<Contradiction>,
}

/// How many comparisons must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "NeedText")]
pub enum Need {
    /// Every one.
    #[default]
    All,
    /// At least one: the text says that there are such cases.
    Some,
    /// More than half: the text says that most are so.
    Most,
    /// At least this share, for words such as "almost every".
    Share(f64),
}

/// `need` as it is written.
#[derive(Deserialize)]
#[serde(untagged)]
enum NeedText {
    Share(f64),
    Word(String),
}

impl TryFrom<NeedText> for Need {
    type Error = String;

    fn try_from(text: NeedText) -> Result<Self, String> {
        let help = "`need` is \"all\", \"some\", \"most\" or a share above 0.5, up to 1";
        match text {
            NeedText::Share(share) if share > 0.5 && share <= 1.0 => Ok(Self::Share(share)),
            NeedText::Share(share) => Err(format!("{share}: {help}")),
            NeedText::Word(word) => match word.as_str() {
                "all" => Ok(Self::All),
                "some" => Ok(Self::Some),
                "most" => Ok(Self::Most),
                _ => Err(format!("`{word}`: {help}")),
            },
        }
    }
}

impl Need {
    /// The verdict on `of` comparisons, of which `held` hold beyond chance and
    /// `chance` hang on chance; docs/reproduce.md has the rule in words.
    pub fn verdict(self, held: usize, chance: usize, of: usize) -> Verdict {
        let enough = match self {
            _ if of == 0 => return Verdict::Open,
            Self::All => held == of,
            Self::Some => held > 0,
            Self::Most => 2 * held > of,
            Self::Share(share) => held as f64 >= share * of as f64,
        };
        let lost = match self {
            Self::Some => held + chance == 0,
            _ => 2 * (held + chance) < of,
        };
        match () {
            () if enough => Verdict::Holds,
            () if lost => Verdict::DoesNotHold,
            () if self != Self::Some && 2 * held >= of => Verdict::Partly,
            () => Verdict::Undecided,
        }
    }
}

/// The paper's text against its own numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// What its numbers say.
    pub verdict: Verdict,
    /// Why.
    pub why: String,
}

/// Whether a claim holds. A comparison supports it if it holds beyond chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As many comparisons support it as it needs.
    Holds,
    /// At least half of its comparisons support it, and it needs more.
    Partly,
    /// Which of the others it is hangs on comparisons that are within chance.
    Undecided,
    /// Fewer than half would support it even if all that are within chance did.
    DoesNotHold,
    /// No comparison has all its rows.
    Open,
}

impl Verdict {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Partly => "partly",
            Self::Undecided => "undecided",
            Self::DoesNotHold => "does not hold",
            Self::Open => "open",
        }
    }

    /// It was judged, and it does not hold in full.
    pub fn falls_short(self) -> bool {
        matches!(self, Self::Partly | Self::Undecided | Self::DoesNotHold)
    }
}

/// A claim judged on a set of values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// Whether it holds.
    pub verdict: Verdict,
    /// How many comparisons hold beyond chance, or at face value where no
    /// interval is known.
    pub held: usize,
    /// How many are within chance: the interval of their difference covers zero.
    pub chance: usize,
    /// How many there are with values.
    pub of: usize,
    /// Comparisons that lack a value.
    pub missing: usize,
    /// Every comparison that has values.
    pub comparisons: Vec<Compared>,
}

/// One comparison of a claim, at one variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// With cases and variants filled in: `utilisation(5@50) > utilisation(2@50)`.
    pub test: String,
    /// The values of its terms.
    pub values: Vec<f64>,
    /// The signs between them.
    pub signs: Vec<String>,
    /// It holds at face value.
    pub holds: bool,
    /// Whether that is more than chance: false if the 95 % interval of a
    /// difference that decides it covers zero; null where there are no intervals.
    pub clear: Option<bool>,
}

impl Compared {
    /// Nobody can tell whether it holds.
    pub fn is_chance(&self) -> bool {
        self.clear == Some(false)
    }

    /// It holds, and not by chance.
    pub fn supports(&self) -> bool {
        self.holds && !self.is_chance()
    }
}

impl Claim {
    /// Every measure of every row that it compares.
    ///
    /// # Errors
    /// In words, if it is not written as a claim is.
    pub fn operands(&self, paper: &Paper) -> Result<Vec<Operand>, String> {
        let mut found = Vec::new();
        for (comparison, scope) in self.instances(paper)? {
            found.extend(comparison.operands(&scope));
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// Judges it on the values that there are.
    ///
    /// # Panics
    /// If it is not written as a claim is, which reading a paper has checked.
    pub fn judge(&self, paper: &Paper, value: &dyn Fn(&Operand) -> Option<Value>) -> Judgement {
        let instances = self.instances(paper).expect("a paper's claims were checked");
        let all = instances.len();
        let compared = instances.into_iter().filter_map(|(comparison, scope)| {
            let decision = comparison.decide(&scope, value)?;
            Some(Compared {
                test: comparison.filled(&scope),
                values: decision.values,
                signs: comparison.relations().collect(),
                holds: decision.holds,
                clear: decision.clear,
            })
        });
        let comparisons: Vec<Compared> = compared.collect();
        let count = |such: fn(&Compared) -> bool| comparisons.iter().filter(|c| such(c)).count();
        let (held, chance) = (count(Compared::supports), count(Compared::is_chance));
        let (of, missing) = (comparisons.len(), all - comparisons.len());
        let verdict = self.need.verdict(held, chance, of);
        Judgement { verdict, held, chance, of, missing, comparisons }
    }

    /// Each test with each set of letters at each variant.
    fn instances<'a>(&'a self, paper: &'a Paper) -> Result<Vec<(Comparison, Scope<'a>)>, String> {
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
        for test in &self.tests {
            let comparison = Comparison::read(test)?;
            let before = instances.len();
            // one that does not name every letter would come several times
            let mut known = BTreeSet::new();
            for letters in &letters {
                // one that names its variants is the same at all
                let at = if comparison.is_open() { &at[..] } else { &at[..1] };
                for variant in at {
                    let scope = Scope { letters: letters.clone(), variant: Some(variant) };
                    // a claim about all variants is about those of its cases
                    let here = comparison.operands(&scope).iter().all(|o| rows.contains(&o.row));
                    let wanted = here || !self.at.is_empty() || !comparison.is_open();
                    if wanted && known.insert(comparison.filled(&scope)) {
                        instances.push((comparison.clone(), scope));
                    }
                }
            }
            if instances.len() == before {
                return Err(format!("no variant has all rows of `{test}`"));
            }
        }
        Ok(instances)
    }

    /// What the letters stand for, all lists in step.
    fn steps(&self) -> Result<Vec<BTreeMap<&str, String>>, String> {
        let lengths: Vec<usize> = self.letters.values().map(Vec::len).collect();
        let steps = lengths.first().copied().unwrap_or(1);
        if lengths.iter().any(|&length| length != steps) {
            return Err("the lists of `where` have different lengths".to_owned());
        }
        let step = |step: usize| {
            let letters = self.letters.iter();
            letters.map(|(letter, cases)| (letter.as_str(), cases[step].0.clone())).collect()
        };
        Ok((0..steps).map(step).collect())
    }

    /// What the letters stand for, each of a list with each of the others.
    fn combinations(&self) -> Vec<BTreeMap<&str, String>> {
        self.letters.iter().fold(vec![BTreeMap::new()], |known, (letter, cases)| {
            let with = |letters: &BTreeMap<_, _>, case: &CaseId| {
                let mut letters = letters.clone();
                letters.insert(letter.as_str(), case.0.clone());
                letters
            };
            known.iter().flat_map(|l| cases.iter().map(move |case| with(l, case))).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(toml: &str) -> Claim {
        let head = "id = \"c\"\nplace = \"\"\nsays = \"\"\n";
        toml_edit::de::from_str(&format!("{head}{toml}")).unwrap()
    }

    /// u(CASE@DELAY) = CASE * 1000 / DELAY, so that at 25, 50, 100 Case 2 has
    /// 80, 40, 20 and Case 5 has 200, 100, 50; Case 9 was not run.
    fn value(operand: &Operand) -> Option<Value> {
        let (case, delay) = operand.row.split_once('@').unwrap();
        let (case, delay): (f64, f64) = (case.parse().unwrap(), delay.parse().unwrap());
        (case != 9.0).then_some(Value { value: case * 1000.0 / delay, ci95: None })
    }

    fn judge(toml: &str) -> (Verdict, usize, usize, usize) {
        let judgement = claim(toml).judge(&Paper::find("ghstcp").unwrap(), &value);
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
            // two of three are most, one is not
            ("tests = [\"u(5) > 90\"]\nneed = \"most\"", (Holds, 2, 3, 0)),
            ("tests = [\"u(5) > 150\"]\nneed = \"most\"", (DoesNotHold, 1, 3, 0)),
            ("tests = [\"u(5) > 900\"]\nneed = \"most\"", (DoesNotHold, 0, 3, 0)),
            // once, not once per delay
            ("tests = [\"u(5@25) > u(5@50) > u(5@100)\"]", (Holds, 1, 1, 0)),
            ("tests = [\"u(a) > u(b)\"]\nwhere = { a = [5, 1], b = [2, 2] }", (Partly, 3, 6, 0)),
            // what is missing is told, and what is there judged
            ("tests = [\"u(9) > u(2)\", \"u(5) > u(2)\"]", (Holds, 3, 3, 3)),
            ("tests = [\"u(9) > u(2)\"]", (Open, 0, 0, 3)),
            ("tests = [\"u(9) > 1\", \"u(5) > 1\"]\nneed = \"some\"", (Holds, 3, 3, 3)),
        ] {
            assert_eq!(judge(toml), expected, "{toml}");
        }
    }

    /// Hand-made: (needed, held, within chance, of) and what that is called.
    #[test]
    fn a_verdict_needs_support() {
        use Verdict::{DoesNotHold, Holds, Open, Partly, Undecided};
        let most = Need::Share(0.9);
        for (need, held, chance, of, expected) in [
            (Need::All, 50, 0, 50, Holds),
            (Need::All, 49, 0, 50, Partly),
            (Need::All, 25, 0, 50, Partly),
            // one of 50 is nothing
            (Need::All, 24, 0, 50, DoesNotHold),
            (Need::All, 1, 0, 50, DoesNotHold),
            (Need::All, 0, 0, 1, DoesNotHold),
            (Need::All, 0, 0, 0, Open),
            // one of one, within chance: nobody can tell
            (Need::All, 0, 1, 1, Undecided),
            (Need::All, 0, 9, 9, Undecided),
            // half and more are certain, the rest is not
            (Need::All, 8, 1, 9, Partly),
            (Need::All, 5, 4, 9, Partly),
            // whether it is half hangs on chance
            (Need::All, 4, 1, 9, Undecided),
            (Need::All, 4, 5, 9, Undecided),
            // 2 + 2 of 9 are fewer than half whatever those two are
            (Need::All, 2, 2, 9, DoesNotHold),
            (Need::Some, 1, 0, 50, Holds),
            (Need::Some, 0, 1, 50, Undecided),
            (Need::Some, 0, 0, 50, DoesNotHold),
            (Need::Most, 26, 24, 50, Holds),
            (Need::Most, 25, 0, 50, Partly),
            (Need::Most, 24, 0, 50, DoesNotHold),
            (Need::Most, 20, 10, 50, Undecided),
            // nine in ten of 50 are 45
            (most, 45, 0, 50, Holds),
            (most, 44, 6, 50, Partly),
            (most, 22, 0, 72, DoesNotHold),
        ] {
            let told = format!("{need:?}: {held}, {chance} within chance, of {of}");
            assert_eq!(need.verdict(held, chance, of), expected, "{told}");
        }
    }

    /// Jain's indices of 0.733 +- 0.356 and 0.529 +- 0.085: their difference,
    /// 0.204 +- 0.366, covers zero.
    #[test]
    fn what_is_within_chance_is_no_support() {
        let paper = Paper::find("ghstcp").unwrap();
        let fairer = claim("tests = [\"u(7) > u(4)\"]\nat = [\"50\"]");
        let with = |intervals: Option<(f64, f64)>| {
            let value = |operand: &Operand| {
                let (value, ci95) = match operand.row.as_str() {
                    "7@50" => (0.733, intervals.map(|(a, _)| a)),
                    _ => (0.529, intervals.map(|(_, b)| b)),
                };
                Some(Value { value, ci95 })
            };
            let judged = fairer.judge(&paper, &value);
            (judged.verdict, judged.held, judged.chance)
        };
        assert_eq!(with(Some((0.356, 0.085))), (Verdict::Undecided, 0, 1));
        // hypot(0.15, 0.085) = 0.172 is less than 0.204
        assert_eq!(with(Some((0.15, 0.085))), (Verdict::Holds, 1, 0));
        // one run each: what was measured is all there is
        assert_eq!(with(None), (Verdict::Holds, 1, 0));
    }

    #[test]
    fn how_many_are_needed_is_a_word_or_a_share() {
        assert_eq!(claim("tests = [\"u(5) > 1\"]\nneed = 0.9").need, Need::Share(0.9));
        for (need, told) in [("\"many\"", "`many`"), ("0.5", "above 0.5"), ("90", "up to 1")] {
            let text = format!("id = \"c\"\nplace = \"\"\nsays = \"\"\ntests = []\nneed = {need}");
            let error = toml_edit::de::from_str::<Claim>(&text).unwrap_err().to_string();
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn letters_go_in_step_or_across() {
        let paper = Paper::find("ghstcp").unwrap();
        let uneven = claim("tests = [\"u(a) > u(b)\"]\nwhere = { a = [1], b = [2, 3] }");
        assert!(uneven.operands(&paper).unwrap_err().contains("different lengths"));
        // 2 > 1, 5 > 1, 5 > 3, and not 2 > 3, at three delays
        let letters = "where = { a = [2, 5], b = [1, 3] }";
        let across = claim(&format!("tests = [\"u(a) > u(b)\"]\nacross = true\n{letters}"));
        let judged = across.judge(&paper, &value);
        assert_eq!((judged.held, judged.of), (9, 12));
        // in step: 2 > 1, 5 > 3
        let in_step = claim(&format!("tests = [\"u(a) > u(b)\"]\n{letters}"));
        assert_eq!(in_step.judge(&paper, &value).of, 6);
        // a letter that a test does not name makes no difference to it
        let one = claim(&format!("tests = [\"u(a) > 0\"]\nacross = true\n{letters}"));
        assert_eq!(one.judge(&paper, &value).of, 6);
    }
}
