//! A condition of `--fail-on`: how it is written, and how it is judged.
//!
//! `MEASURE < LIMIT`, optionally followed by `surely` or `possibly`. The limit is a number, a
//! measure, a factor times a measure, or several of these with ` + ` and ` - ` between them.

use tusker_scenario::sweep::{Cell, Value as Written};

use super::values::Value;
use crate::failure::Failure;

/// A condition on the mean of a measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As it was written.
    pub text: String,
    /// The measure on its left.
    pub measure: String,
    operator: Operator,
    limit: Vec<Term>,
    word: Word,
}

/// A part of the sum that a measure is compared with.
#[derive(Clone, Debug, PartialEq)]
enum Term {
    Number(f64),
    /// So many times another measure of the same group, link or source.
    Measure(f64, String),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operator {
    Below,
    AtMost,
    Above,
    AtLeast,
}

/// How it is written; what is required instead; and what it is.
const OPERATORS: [(&str, &str, Operator); 4] = [
    ("<=", ">", Operator::AtMost),
    (">=", "<", Operator::AtLeast),
    ("<", ">=", Operator::Below),
    (">", "<=", Operator::Above),
];

/// How to write one.
const HELP: &str = "write MEASURE, then <, <=, > or >=, then a number, a measure or a sum of them \
                    with spaces around + and -: 'rtt_p95_s > 150ms', \
                    'harm_goodput > harm_goodput_own + 0.1 surely'";

/// What becomes of a condition where the intervals of both sides overlap.
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

/// Whether this is a word that a condition may end with.
pub fn is_word(text: &str) -> bool {
    WORDS.iter().any(|(word, _)| *word == text)
}

/// What becomes of a condition in one experiment.
#[derive(Clone, Debug, PartialEq)]
pub enum Judged {
    /// It is met; the first value that meets it.
    Met(String),
    /// It may be met or not: the first value whose interval does not decide.
    Undecided(String),
    /// It is not met.
    NotMet,
    /// A side has no value.
    NoValue,
}

/// Whether a measure's name is this one, with or without what it is of.
pub fn is_named(measure: &str, name: &str) -> bool {
    let end = name.strip_suffix(measure);
    end.is_some_and(|of| of.is_empty() || of.ends_with('.'))
}

impl Condition {
    /// Reads one that this flag was given.
    pub fn read(flag: &str, text: &str) -> Result<Self, Failure> {
        let behind = WORDS.iter().find_map(|(name, word)| {
            let rest = text.trim().strip_suffix(name)?;
            rest.ends_with(char::is_whitespace).then(|| (rest.trim(), *word))
        });
        let (whole, word) = behind.unwrap_or((text.trim(), Word::Plain));
        // a link has an arrow in its name
        let plain = whole.replace("->", "--");
        let at =
            |(sign, _, own): &(&str, &str, Operator)| Some((plain.find(sign)?, sign.len(), *own));
        let found = OPERATORS.iter().find_map(at);
        let wrong = || {
            Failure::input(format!("{flag}: `{}` is not a condition", text.escape_debug()), HELP)
        };
        let (at, length, operator) = found.ok_or_else(wrong)?;
        let (measure, limit) = (whole[..at].trim(), whole[at + length..].trim());
        let limit = sum(limit).ok_or_else(wrong)?;
        if measure.is_empty() {
            return Err(wrong());
        }
        let (text, measure) = (text.trim().to_owned(), measure.to_owned());
        Ok(Self { text, measure, operator, limit, word })
    }

    /// The measures that it names.
    pub fn measures(&self) -> impl Iterator<Item = &str> {
        let others = self.limit.iter().filter_map(|term| match term {
            Term::Measure(_, other) => Some(other.as_str()),
            Term::Number(_) => None,
        });
        std::iter::once(self.measure.as_str()).chain(others)
    }

    /// What it requires: what JUnit shows in green. With a word it is the condition denied:
    /// `jain >= 0.9 surely` would say more than is required.
    pub fn required(&self) -> String {
        if self.word != Word::Plain {
            return format!("not: {}", self.text);
        }
        let same = |(_, _, own): &&(&str, &str, Operator)| *own == self.operator;
        let (sign, kept, _) = OPERATORS.iter().find(same).expect("it is one of them");
        let limit = self.text.rsplit_once(sign).map_or("", |(_, limit)| limit.trim());
        format!("{} {kept} {limit}", self.measure)
    }

    /// What becomes of it in an experiment with these values.
    pub fn judge(&self, all: &[Value]) -> Judged {
        let mut worst = Judged::NoValue;
        for value in self.own(all) {
            let judged = match self.limit(&value.name, all) {
                Some((limit, parts)) => self.compare(value, &limit, &parts),
                None => Judged::NoValue,
            };
            if judged.rank() > worst.rank() {
                worst = judged;
            }
        }
        worst
    }

    /// The values of the measure that is meant: by its whole name, or without what it is
    /// of.
    pub fn own<'v>(&self, all: &'v [Value]) -> impl Iterator<Item = &'v Value> {
        let exact = all.iter().any(|value| value.name == self.measure);
        all.iter().filter(move |value| match exact {
            true => value.name == self.measure,
            false => is_named(&self.measure, &value.name),
        })
    }

    /// What the measure `name` is compared with: of another measure, that of the same group,
    /// link or source, or the one of exactly this name. Half its interval is the sum of those
    /// of its terms, so that it is never too narrow, whatever they have in common. With it
    /// come the values that it was computed from, by the names that the condition has.
    fn limit(&self, name: &str, all: &[Value]) -> Option<(Value, Vec<Value>)> {
        let mut sum = Value { name: name.to_owned(), mean: 0.0, half: Some(0.0) };
        let mut parts = Vec::new();
        for term in &self.limit {
            let (factor, other) = match term {
                Term::Number(number) => {
                    sum.mean += number;
                    continue;
                }
                Term::Measure(factor, other) => (factor, other),
            };
            let of = name.strip_suffix(self.measure.as_str());
            let beside = of.map(|of| format!("{of}{other}"));
            let named = |wanted: &str| all.iter().find(|value| value.name == wanted);
            let found = beside.and_then(|name| named(&name)).or_else(|| named(other))?;
            sum.mean += factor * found.mean;
            sum.half = sum.half.zip(found.half).map(|(sum, half)| sum + factor.abs() * half);
            parts.push(Value { name: other.clone(), ..found.clone() });
        }
        Some((sum, parts))
    }

    fn compare(&self, value: &Value, limit: &Value, parts: &[Value]) -> Judged {
        let is_met = self.operator.is_met(value.mean, limit.mean);
        let told = || {
            let (own, other) = value.told(limit);
            let plain = matches!(self.limit.as_slice(), [Term::Number(_)]);
            let other = if plain { String::new() } else { format!(", limit {other}") };
            let parts = match parts {
                // the limit is this value itself
                [one] if one.mean == limit.mean => String::new(),
                parts => parts.iter().map(|of| format!(", {} = {}", of.name, of.text())).collect(),
            };
            format!("{} = {own}{other}{parts}", value.name)
        };
        let sure = value.half.zip(limit.half).is_some_and(|(own, other)| {
            // no value that both intervals hold
            let (gap, width) = ((value.mean - limit.mean).abs(), own + other);
            gap > width || width == 0.0
        });
        let known = value.half.zip(limit.half).is_some();
        let without = if known { "" } else { ", without an interval: give it --replicates" };
        match (self.word, sure) {
            (Word::Surely, false) => Judged::Undecided(told() + without),
            (Word::Possibly, false) if known => Judged::Met(told() + ", undecided"),
            (Word::Possibly, false) => Judged::Met(told() + without),
            _ if is_met => Judged::Met(told()),
            _ => Judged::NotMet,
        }
    }
}

impl Judged {
    /// Which of several decides.
    fn rank(&self) -> u8 {
        match self {
            Self::NoValue => 0,
            Self::NotMet => 1,
            Self::Undecided(_) => 2,
            Self::Met(_) => 3,
        }
    }
}

impl Operator {
    fn is_met(self, value: f64, limit: f64) -> bool {
        match self {
            Self::Below => value < limit,
            Self::AtMost => value <= limit,
            Self::Above => value > limit,
            Self::AtLeast => value >= limit,
        }
    }
}

/// `0.9`, `90 %`, `150ms`, `harm_goodput_own`, `1.1 * harm_goodput_own + 0.1`.
fn sum(text: &str) -> Option<Vec<Term>> {
    let mut terms: Vec<Term> = Vec::new();
    let (mut sign, mut words) = (1.0, Vec::new());
    for word in text.split_whitespace().chain(std::iter::once("+")) {
        match word {
            "+" | "-" => {
                terms.push(Term::read(&words.join(" "), sign)?);
                (sign, words) = (if word == "-" { -1.0 } else { 1.0 }, Vec::new());
            }
            word => words.push(word),
        }
    }
    Some(terms)
}

impl Term {
    fn read(text: &str, sign: f64) -> Option<Self> {
        if let Some(share) = text.strip_suffix('%') {
            return Some(Self::Number(sign * share.trim().parse::<f64>().ok()? / 100.0));
        }
        let cell = Written::plain(text.to_owned()).cell();
        if let Cell::Number(number, _) = cell {
            return Some(Self::Number(sign * number));
        }
        let (factor, measure) = match text.split_once('*') {
            Some((factor, measure)) => (factor.trim().parse().ok()?, measure.trim()),
            None => (1.0, text),
        };
        let word = |c: char| c.is_ascii_alphanumeric() || "_.->+".contains(c);
        let named = measure.starts_with(|c: char| c.is_ascii_alphabetic());
        (f64::is_finite(factor) && named && measure.chars().all(word))
            .then(|| Self::Measure(sign * factor, measure.to_owned()))
    }
}

#[cfg(test)]
mod tests;
