//! Conditions on the measures of an experiment, which are named as in the dataset of a sweep:
//! `jain`, `groups.S1.goodput_bps`.

use super::{Comparison, Decision, Value, Verdict};

/// A comparison that may end with `surely` or `possibly`.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As it was written.
    pub text: String,
    /// The comparison.
    pub comparison: Comparison<String>,
    word: Word,
}

/// How it counts what its intervals leave open.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Word {
    /// Without a word the means decide.
    Plain,
    /// It is undecided.
    Surely,
    /// It counts as met.
    Possibly,
}

/// How these are written behind a condition.
const WORDS: [(&str, Word); 2] = [("surely", Word::Surely), ("possibly", Word::Possibly)];

/// A measure of an experiment or of a point of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Its name: `groups.S1.jain`.
    pub name: String,
    /// Its mean, with half of its interval.
    pub value: Value,
}

/// What becomes of a condition in one experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Whether it is met.
    pub verdict: Verdict,
    /// With which values, unless some are missing.
    pub with: Option<With>,
}

/// The values that decide on a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct With {
    /// The measure that it is first about.
    pub name: String,
    /// Its sides.
    pub decision: Decision,
    /// The other measures, as the condition names them.
    pub others: Vec<Named>,
}

/// Whether this is a word that a condition may end with.
pub fn is_word(text: &str) -> bool {
    WORDS.iter().any(|(word, _)| *word == text)
}

/// Whether a measure's name is this one, with or without what it is of.
pub fn is_named(measure: &str, name: &str) -> bool {
    let end = name.strip_suffix(measure);
    end.is_some_and(|of| of.is_empty() || of.ends_with('.'))
}

impl Condition {
    /// Reads one; `number` reads numbers with units.
    ///
    /// # Errors
    /// A message in words, if it is not a condition.
    pub fn read(text: &str, number: &dyn Fn(&str) -> Option<f64>) -> Result<Self, String> {
        let text = text.trim();
        let behind = WORDS.iter().find_map(|(name, word)| {
            let rest = text.strip_suffix(name)?;
            rest.ends_with(char::is_whitespace).then(|| (rest.trim(), *word))
        });
        let (whole, word) = behind.unwrap_or((text, Word::Plain));
        let comparison = Comparison::read(whole, number)?.try_map(|own| match own.case {
            None => Ok(own.measure.clone()),
            Some(_) => Err(format!("`{own}` names a case of a paper")),
        })?;
        if comparison.measures().is_empty() {
            return Err(format!("`{text}` names no measure"));
        }
        Ok(Self { text: text.to_owned(), comparison, word })
    }

    /// The measures that it names.
    pub fn measures(&self) -> impl Iterator<Item = &str> {
        self.comparison.measures().into_iter().map(String::as_str)
    }

    /// The measure that it is first about.
    pub fn measure(&self) -> &str {
        self.measures().next().unwrap_or_default()
    }

    /// What becomes of it in an experiment with these values: it is met if it is for one of the
    /// groups, links or sources that its first measure may be of.
    pub fn judge(&self, all: &[Named]) -> Judged {
        let rank = |verdict: Verdict| match verdict {
            Verdict::Open => 0,
            Verdict::DoesNotHold => 1,
            Verdict::Partly | Verdict::Undecided => 2,
            Verdict::Holds => 3,
        };
        let mut worst = Judged { verdict: Verdict::Open, with: None };
        for value in self.own(all) {
            let judged = self.judge_one(value, all);
            if rank(judged.verdict) > rank(worst.verdict) {
                worst = judged;
            }
        }
        worst
    }

    /// The values of the measure that it is first about: by its whole name, or without what it is
    /// of.
    pub fn own<'v>(&self, all: &'v [Named]) -> impl Iterator<Item = &'v Named> {
        let measure = self.measure().to_owned();
        let exact = all.iter().any(|own| own.name == measure);
        all.iter().filter(move |own| match exact {
            true => own.name == measure,
            false => is_named(&measure, &own.name),
        })
    }

    fn judge_one(&self, first: &Named, all: &[Named]) -> Judged {
        let of = first.name.strip_suffix(self.measure()).unwrap_or_default();
        let named = |wanted: &str| all.iter().find(|own| own.name == wanted);
        // another measure is that of the same group, link or source, or the one of this name
        let find = |measure: &str| match measure == self.measure() {
            true => Some(first),
            false => named(&format!("{of}{measure}")).or_else(|| named(measure)),
        };
        let decision = self.comparison.decide(&|measure| Some(find(measure)?.value));
        let Some(decision) = decision else {
            return Judged { verdict: Verdict::Open, with: None };
        };
        let verdict = match self.word {
            Word::Plain => decision.plain(),
            Word::Surely => decision.surely(),
            Word::Possibly => decision.possibly(),
        };
        let other = |measure: &str| {
            let value = find(measure).filter(|_| measure != self.measure())?.value;
            Some(Named { name: measure.to_owned(), value })
        };
        let others = self.measures().filter_map(other).collect();
        Judged { verdict, with: Some(With { name: first.name.clone(), decision, others }) }
    }

    /// Whether it counts, by its word, what the values leave open.
    pub fn has_word(&self) -> bool {
        self.word != Word::Plain
    }
}
