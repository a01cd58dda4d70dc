//! A condition of `--fail-on`: how it is written, and what becomes of it.
//!
//! `MEASURE < LIMIT`, or `MEASURE < LIMIT surely`. The limit is a number, a measure, a factor
//! times a measure, or several of these with ` + ` and ` - ` between them.

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
    /// Whether it is met only where the intervals of both sides do not overlap.
    surely: bool,
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
                    with spaces around + and -: --fail-on 'rtt_p95_s > 150ms', --fail-on \
                    'harm_goodput > harm_goodput_own + 0.1 surely'";

/// The word behind a condition that respects the intervals.
const SURELY: &str = "surely";

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
    /// Reads one.
    pub fn read(text: &str) -> Result<Self, Failure> {
        let (whole, surely) = match text.trim().strip_suffix(SURELY) {
            Some(rest) if rest.ends_with(char::is_whitespace) => (rest.trim(), true),
            _ => (text.trim(), false),
        };
        // a link has an arrow in its name
        let plain = whole.replace("->", "--");
        let at =
            |(sign, _, own): &(&str, &str, Operator)| Some((plain.find(sign)?, sign.len(), *own));
        let found = OPERATORS.iter().find_map(at);
        let wrong = || {
            Failure::input(format!("--fail-on: `{}` is not a condition", text.escape_debug()), HELP)
        };
        let (at, length, operator) = found.ok_or_else(wrong)?;
        let (measure, limit) = (whole[..at].trim(), whole[at + length..].trim());
        let limit = sum(limit).ok_or_else(wrong)?;
        if measure.is_empty() {
            return Err(wrong());
        }
        let (text, measure) = (text.trim().to_owned(), measure.to_owned());
        Ok(Self { text, measure, operator, limit, surely })
    }

    /// The measures that it names.
    pub fn measures(&self) -> impl Iterator<Item = &str> {
        let others = self.limit.iter().filter_map(|term| match term {
            Term::Measure(_, other) => Some(other.as_str()),
            Term::Number(_) => None,
        });
        std::iter::once(self.measure.as_str()).chain(others)
    }

    /// What it requires: what JUnit shows in green.
    pub fn required(&self) -> String {
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
                Some(limit) => self.compare(value, &limit),
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
    fn own<'v>(&self, all: &'v [Value]) -> impl Iterator<Item = &'v Value> {
        let exact = all.iter().any(|value| value.name == self.measure);
        all.iter().filter(move |value| match exact {
            true => value.name == self.measure,
            false => is_named(&self.measure, &value.name),
        })
    }

    /// What the measure `name` is compared with: of another measure, that of the same group,
    /// link or source, or the one of exactly this name. Half its interval is the sum of those
    /// of its terms, so that it is never too narrow, whatever they have in common.
    fn limit(&self, name: &str, all: &[Value]) -> Option<Value> {
        let mut sum = Value { name: name.to_owned(), mean: 0.0, half: Some(0.0) };
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
        }
        Some(sum)
    }

    fn compare(&self, value: &Value, limit: &Value) -> Judged {
        let is_met = self.operator.is_met(value.mean, limit.mean);
        let told = || {
            let (own, other) = value.told(limit);
            let plain = matches!(self.limit.as_slice(), [Term::Number(_)]);
            let other = if plain { String::new() } else { format!(", limit {other}") };
            format!("{} = {own}{other}", value.name)
        };
        let sure = value.half.zip(limit.half).is_some_and(|(own, other)| {
            // no value that both intervals hold
            let (gap, width) = ((value.mean - limit.mean).abs(), own + other);
            gap > width || width == 0.0
        });
        match (self.surely && !sure, is_met) {
            (true, _) if value.half.zip(limit.half).is_none() => {
                Judged::Undecided(told() + ", without an interval: give it --replicates")
            }
            (true, _) => Judged::Undecided(told()),
            (false, true) => Judged::Met(told()),
            (false, false) => Judged::NotMet,
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
        let cell = (Written { label: text.to_owned(), text: String::new() }).cell();
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
mod tests {
    use super::*;

    fn read(text: &str) -> Condition {
        Condition::read(text).expect("it is a condition")
    }

    fn value(name: &str, mean: f64, half: Option<f64>) -> Value {
        Value { name: name.to_owned(), mean, half }
    }

    fn met(text: &str, all: &[Value]) -> Option<String> {
        match read(text).judge(all) {
            Judged::Met(told) => Some(told),
            _ => None,
        }
    }

    #[test]
    fn conditions_are_read_with_units_and_shares() {
        for (text, measure, operator, value) in [
            ("utilisation < 0.9", "utilisation", Operator::Below, 0.9),
            ("utilisation<=90 %", "utilisation", Operator::AtMost, 0.9),
            ("groups.a.rtt_p95_s > 150ms", "groups.a.rtt_p95_s", Operator::Above, 0.15),
            ("links.R1->R2.idle >= 1e-3", "links.R1->R2.idle", Operator::AtLeast, 1e-3),
            ("goodput_bps < 1Gbit", "goodput_bps", Operator::Below, 1e9),
        ] {
            let own = read(text);
            assert_eq!((own.measure.as_str(), own.operator), (measure, operator));
            assert_eq!(own.limit, [Term::Number(value)]);
            assert!(!own.surely);
        }
        for text in [
            "",
            "utilisation",
            "utilisation < ",
            "< 3",
            "jain < 2 * 3",
            "jain < a b",
            "jain < 1 +",
            "jain < + + 1",
            "jain < surely",
        ] {
            assert!(Condition::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_limit_may_be_a_sum() {
        let own = read("rtt_p95_s > 2 * rtt_p50_s - 10ms + groups.a+b2.rtt_p50_s surely");
        let terms = [
            Term::Measure(2.0, "rtt_p50_s".to_owned()),
            Term::Number(-0.01),
            Term::Measure(1.0, "groups.a+b2.rtt_p50_s".to_owned()),
        ];
        assert_eq!((own.limit.as_slice(), own.surely), (terms.as_slice(), true));
        assert_eq!(own.measures().count(), 3);
        let all = [value("groups.a.harm", 0.5, None), value("groups.a.own", 0.375, None)];
        // 0.375 + 0.1 is less than 0.5, and 0.375 + 0.2 is not
        let told = met("harm > own + 0.1", &all).expect("it is met");
        assert_eq!(told, "groups.a.harm = 0.5000, limit 0.4750");
        assert_eq!(met("harm > own + 20%", &all), None);
        // 2 * 0.375 - 0.3 is 0.45
        assert!(met("harm > 2 * own - 30%", &all).is_some());
    }

    #[test]
    fn a_measure_is_compared_with_another_of_the_same_group() {
        let all = [
            value("groups.a.harm", 0.5, None),
            value("groups.a.own", 0.48, None),
            value("groups.b.harm", 0.3, None),
            value("groups.b.own", 0.2, None),
            value("groups.c.harm", 0.9, None),
        ];
        let told = |text: &str| met(text, &all);
        assert_eq!(told("harm > own").unwrap(), "groups.a.harm = 0.5000, limit 0.4800");
        assert_eq!(told("harm > 1.2 * own").unwrap(), "groups.b.harm = 0.3000, limit 0.2400");
        assert_eq!(told("harm > 2*own"), None);
        assert_eq!(
            told("groups.c.harm > 2 * groups.b.own").unwrap(),
            "groups.c.harm = 0.9000, limit 0.4000"
        );
        // without a value to compare it with it is not met, and not passed either
        assert_eq!(read("groups.c.harm > own").judge(&all), Judged::NoValue);
        assert_eq!(read("harm > 1.2 * own").required(), "harm <= 1.2 * own");
        assert_eq!(read("jain<90 %").required(), "jain >= 90 %");
        assert_eq!(read("jain < 0.9 surely").required(), "jain >= 0.9 surely");
    }

    /// 0.53 +- 0.07 beside a limit of 0.4 +- 0.05 has 0.46 to 0.60 beside 0.35 to 0.45.
    #[test]
    fn surely_is_decided_where_the_intervals_do_not_overlap() {
        let all = [value("harm", 0.53, Some(0.07)), value("own", 0.4, Some(0.05))];
        assert!(met("harm > own surely", &all).is_some());
        // 0.45 to 0.55 holds what 0.46 to 0.60 holds
        let judged = read("harm > own + 0.1 surely").judge(&all);
        let Judged::Undecided(told) = judged else { panic!("{judged:?}") };
        assert_eq!(told, "harm = 0.530 \u{b1} 0.070, limit 0.500 \u{b1} 0.050");
        assert!(met("harm > own + 0.1", &all).is_some(), "by the means alone it is met");
        assert!(matches!(read("harm > own + 0.2 surely").judge(&all), Judged::Undecided(_)));
        // 0.65 to 0.75 is above all of 0.46 to 0.60
        assert_eq!(read("harm > own + 0.3 surely").judge(&all), Judged::NotMet);
        // twice the limit has twice the interval: 0.7 to 0.9
        assert_eq!(read("harm < 2 * own surely").judge(&all).rank(), 3);
        assert_eq!(read("harm < 1.5 * own surely").judge(&all).rank(), 2);
        // all runs gave the same
        let same = [value("loss", 0.0, Some(0.0))];
        assert_eq!(read("loss > 0 surely").judge(&same), Judged::NotMet);
        assert!(met("loss >= 0 surely", &same).is_some());
        // one run knows no interval
        let one = [value("jain", 0.2, None)];
        let Judged::Undecided(told) = read("jain < 0.9 surely").judge(&one) else { panic!() };
        assert!(told.contains("without an interval"), "{told}");
    }

    #[test]
    fn two_values_that_would_look_the_same_have_more_digits() {
        let all = [value("harm_rtt", 0.014312, None), value("harm_rtt_own", 0.013, None)];
        let told = met("harm_rtt > 1.1 * harm_rtt_own", &all).expect("0.014312 > 0.0143");
        assert_eq!(told, "harm_rtt = 0.014312, limit 0.0143");
    }

    #[test]
    fn a_bare_name_means_every_group_or_the_total_if_there_is_one() {
        let all = [("jain", 0.9), ("groups.a.jain", 0.5), ("groups.a.rtt_p95_s", 0.2)];
        let all = all.map(|(name, mean)| value(name, mean, None));
        assert_eq!(met("jain < 0.8", &all), None);
        assert_eq!(met("groups.a.jain < 0.8", &all).unwrap(), "groups.a.jain = 0.500");
        let told = met("rtt_p95_s > 150ms", &all).unwrap();
        assert_eq!(told, "groups.a.rtt_p95_s = 200.0 ms");
        assert_eq!(read("ain < 1").judge(&all), Judged::NoValue);
    }
}
