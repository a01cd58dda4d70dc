//! Criteria of suites: a claim is a sentence as inequalities between measures of experiments.
//!
//! An experiment is a case at a variant (`7@50`). Where a claim names no variant, it is held
//! against each at which its cases are run.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use tusker_measure::condition::Verdict;

use self::instances::Instances;

mod instances;
mod judge;
mod operand;

pub use self::instances::Instance;
pub use self::judge::{Compared, Judgement, test};
pub use self::operand::{Operand, RowId};

/// The experiments that claims compare.
pub trait Rows {
    /// The variants, in their order.
    fn variants(&self) -> Vec<String>;

    /// The names of all: `7@50`.
    fn ids(&self) -> BTreeSet<String>;
}

/// The id of a case as files name it: `4`, or `"bic"`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "Id")]
pub struct CaseId(pub String);

#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(u32),
    Name(String),
}

impl From<Id> for CaseId {
    fn from(id: Id) -> Self {
        match id {
            Id::Number(number) => Self(number.to_string()),
            Id::Name(name) => Self(name),
        }
    }
}

/// A sentence as inequalities. The head of `papers/ghstcp/claims.toml` explains its parts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Its name.
    pub id: String,
    /// Where it is said.
    #[serde(default)]
    pub place: String,
    /// What it says, in our words.
    pub says: String,
    /// How the words were turned into numbers.
    #[serde(default)]
    pub read: String,
    /// The comparisons.
    pub tests: Vec<String>,
    /// What the letters stand for.
    #[serde(default, rename = "where")]
    pub letters: BTreeMap<String, Vec<CaseId>>,
    /// Every combination of letters, instead of stepping through all lists together.
    #[serde(default)]
    pub across: bool,
    /// The variants, if not all.
    #[serde(default)]
    pub at: Vec<String>,
    /// How many must hold.
    #[serde(default)]
    pub need: Need,
    /// What the paper's own numbers say, if they do not support it.
    pub paper: Option<Contradiction>,
    /// Only comparisons between these rows count, if it is set.
    #[serde(skip)]
    pub between: Option<BTreeSet<String>>,
    /// What is compared, once it is made: set nothing above after that.
    #[serde(skip)]
    instances: Instances,
}

impl Claim {
    /// A single inequality, of which every comparison must hold.
    pub fn of_test(test: &str, says: &str) -> Self {
        Self {
            id: test.to_owned(),
            place: String::new(),
            says: says.to_owned(),
            read: String::new(),
            tests: vec![test.to_owned()],
            letters: BTreeMap::new(),
            across: false,
            at: Vec::new(),
            need: Need::Every,
            paper: None,
            between: None,
            instances: Instances::default(),
        }
    }
}

/// How many comparisons must hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "NeedText", rename_all = "snake_case")]
#[schemars(!try_from)]
pub enum Need {
    /// All of them; it holds partly if at least half of them hold.
    #[default]
    All,
    /// Every one, and one that fails decides: a test of the user's own is an inequality, which
    /// holds in all rows or does not.
    Every,
    /// At least one: the text says that there are such cases.
    Some,
    /// More than half: the text says that this is mostly so.
    Most,
    /// At least this share, for words such as "almost every".
    Share(f64),
}

/// `need` as it is written in the file.
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
    /// In words: `all`, `every one`, `at least one`, `more than half`, `90 %`.
    pub fn text(self) -> String {
        match self {
            Self::All => "all".to_owned(),
            Self::Every => "every one".to_owned(),
            Self::Some => "at least one".to_owned(),
            Self::Most => "more than half".to_owned(),
            Self::Share(share) => format!("{:.0} %", share * 100.0),
        }
    }

    /// The verdict on `of` comparisons, of which `held` hold and `undecided` are undecided.
    /// docs/reproduce.md gives the rule in words.
    pub fn verdict(self, held: usize, undecided: usize, of: usize) -> Verdict {
        let enough = match self {
            _ if of == 0 => return Verdict::Open,
            Self::All | Self::Every => held == of,
            Self::Some => held > 0,
            Self::Most => 2 * held > of,
            Self::Share(share) => held as f64 >= share * of as f64,
        };
        let lost = match self {
            Self::Some => held + undecided == 0,
            Self::Every => held + undecided < of,
            _ => 2 * (held + undecided) < of,
        };
        match () {
            () if enough => Verdict::Holds,
            () if lost => Verdict::DoesNotHold,
            () if !matches!(self, Self::Some | Self::Every) && 2 * held >= of => Verdict::Partly,
            () => Verdict::Undecided,
        }
    }

    /// The verdict if `missing` more comparisons have no values: open, unless it would be the
    /// same however these came out.
    pub fn verdict_so_far(
        self,
        held: usize,
        undecided: usize,
        of: usize,
        missing: usize,
    ) -> Verdict {
        let all = of + missing;
        let verdict = self.verdict(held, undecided, all);
        let others = [(held + missing, undecided), (held, undecided + missing)];
        let same = |(held, undecided)| self.verdict(held, undecided, all) == verdict;
        if of > 0 && others.into_iter().all(same) { verdict } else { Verdict::Open }
    }
}

/// Where the paper's text contradicts its own numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// What its numbers say.
    pub verdict: Verdict,
    /// Why.
    pub why: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(toml: &str) -> Claim {
        let head = "id = \"c\"\nplace = \"\"\nsays = \"\"\n";
        toml_edit::de::from_str(&format!("{head}{toml}")).unwrap()
    }

    /// Worked out by hand: (needed, held, within chance, of) and the verdict.
    #[test]
    fn a_verdict_needs_support() {
        use Verdict::{DoesNotHold, Holds, Open, Partly, Undecided};
        let most = Need::Share(0.9);
        for (need, held, chance, of, expected) in [
            (Need::All, 50, 0, 50, Holds),
            (Need::All, 49, 0, 50, Partly),
            (Need::All, 25, 0, 50, Partly),
            // one of 50 is too few
            (Need::All, 24, 0, 50, DoesNotHold),
            (Need::All, 1, 0, 50, DoesNotHold),
            (Need::All, 0, 0, 1, DoesNotHold),
            (Need::All, 0, 0, 0, Open),
            // one of one, within chance: undecided
            (Need::All, 0, 1, 1, Undecided),
            (Need::All, 0, 9, 9, Undecided),
            // at least half are certain, the rest are not
            (Need::All, 8, 1, 9, Partly),
            (Need::All, 5, 4, 9, Partly),
            // chance decides whether it is half
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
            // an inequality of one's own: one that fails decides, whatever the others are
            (Need::Every, 3, 0, 3, Holds),
            (Need::Every, 2, 0, 3, DoesNotHold),
            (Need::Every, 1, 1, 3, DoesNotHold),
            (Need::Every, 2, 1, 3, Undecided),
            (Need::Every, 0, 3, 3, Undecided),
        ] {
            let what = format!("{need:?}: {held}, {chance} within chance, of {of}");
            assert_eq!(need.verdict(held, chance, of), expected, "{what}");
        }
    }

    /// Of three comparisons some were run: (needed, held, within chance, run, not run).
    #[test]
    fn what_was_not_run_leaves_a_claim_open_if_it_could_decide() {
        use Verdict::{DoesNotHold, Holds, Open, Undecided};
        for (need, held, chance, of, missing, expected) in [
            (Need::All, 1, 0, 1, 2, Open),
            (Need::Every, 1, 0, 1, 2, Open),
            // one that fails decides
            (Need::Every, 1, 0, 2, 1, DoesNotHold),
            // two of three fail
            (Need::All, 0, 0, 2, 1, DoesNotHold),
            // the third one could still make it hold in part
            (Need::All, 1, 0, 2, 1, Open),
            (Need::Some, 1, 0, 1, 2, Holds),
            (Need::Some, 0, 0, 1, 2, Open),
            // two of three are most
            (Need::Most, 2, 0, 2, 1, Holds),
            (Need::All, 0, 3, 3, 0, Undecided),
            (Need::All, 0, 0, 0, 3, Open),
        ] {
            let what =
                format!("{need:?}: {held}, {chance} within chance, of {of}, {missing} not run");
            assert_eq!(need.verdict_so_far(held, chance, of, missing), expected, "{what}");
        }
    }

    #[test]
    fn how_many_are_needed_is_a_word_or_a_share() {
        assert_eq!(claim("tests = [\"u(5) > 1\"]\nneed = 0.9").need, Need::Share(0.9));
        for (need, part) in [("\"many\"", "`many`"), ("0.5", "above 0.5"), ("90", "up to 1")] {
            let text = format!("id = \"c\"\nplace = \"\"\nsays = \"\"\ntests = []\nneed = {need}");
            let error = toml_edit::de::from_str::<Claim>(&text).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
