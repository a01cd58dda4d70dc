//! `--fail-on 'utilisation < 0.9'`: a condition that makes a command fail, for
//! scripts.

use std::path::PathBuf;

use tusker_plan::plan::Plan;
use tusker_record::store::sweep::{SweepSummary, unit};
use tusker_record::summary::{Harm, Summary, View, flat_names};
use tusker_scenario::sweep::{Cell, Value, nearest};

use crate::args::ConditionArgs;
use crate::failure::Failure;
use crate::junit::{self, Case, State, Suite};
use crate::output::say;

/// A condition on the mean of a measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    text: String,
    measure: String,
    operator: Operator,
    limit: Limit,
}

/// Whether a measure's name is this one, with or without what it is of.
fn is_named(measure: &str, name: &str) -> bool {
    let end = name.strip_suffix(measure);
    end.is_some_and(|of| of.is_empty() || of.ends_with('.'))
}

/// What a measure is held against.
#[derive(Clone, Debug, PartialEq)]
enum Limit {
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

const OPERATORS: [(&str, Operator); 4] = [
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("<", Operator::Below),
    (">", Operator::Above),
];

impl Condition {
    /// Reads one: `MEASURE < NUMBER`, the number with a unit if you like, or `MEASURE <
    /// FACTOR * MEASURE`.
    fn read(text: &str) -> Result<Self, Failure> {
        // a link has an arrow in its name
        let plain = text.replace("->", "--");
        let at = |(sign, own): &(&str, Operator)| Some((plain.find(sign)?, sign.len(), *own));
        let found = OPERATORS.iter().find_map(at);
        let help = "write MEASURE, then <, <=, > or >=, then a number or a measure: \
                    --fail-on 'rtt_p95_s > 150ms', \
                    --fail-on 'harm_goodput > 1.1 * harm_goodput_own'";
        let wrong = || {
            Failure::input(format!("--fail-on: `{}` is not a condition", text.escape_debug()), help)
        };
        let (at, length, operator) = found.ok_or_else(wrong)?;
        let (measure, value) = (text[..at].trim(), text[at + length..].trim());
        let limit = Limit::read(value).ok_or_else(wrong)?;
        if measure.is_empty() {
            return Err(wrong());
        }
        Ok(Self { text: text.trim().to_owned(), measure: measure.to_owned(), operator, limit })
    }

    /// Whether this is the measure that is meant: by its whole name, or without what
    /// it is of.
    fn means(&self, name: &str) -> bool {
        is_named(&self.measure, name)
    }

    /// Whether it holds of this value of the measure `name`; false where what it is held
    /// against is not known.
    fn holds(&self, name: &str, value: f64, means: &[(String, f64)]) -> bool {
        let Some(limit) = self.limit.value(&self.measure, name, means) else { return false };
        match self.operator {
            Operator::Below => value < limit,
            Operator::AtMost => value <= limit,
            Operator::Above => value > limit,
            Operator::AtLeast => value >= limit,
        }
    }

    /// The values of the measure that is meant.
    fn own<'m>(&self, means: &'m [(String, f64)]) -> Vec<&'m (String, f64)> {
        let exact = means.iter().any(|(name, _)| *name == self.measure);
        let own = means.iter().filter(|(name, _)| match exact {
            true => *name == self.measure,
            false => self.means(name),
        });
        own.collect()
    }

    /// The first value with which it holds, and of what.
    fn first(&self, means: &[(String, f64)]) -> Option<String> {
        let mut own = self.own(means).into_iter();
        let (name, value) = own.find(|(name, value)| self.holds(name, *value, means))?;
        let told = |value| unit(name).text(value);
        let against = match &self.limit {
            Limit::Number(_) => None,
            limit @ Limit::Measure(..) => limit.value(&self.measure, name, means),
        };
        let against = against.map_or(String::new(), |limit| format!(", limit {}", told(limit)));
        Some(format!("{name} = {}{against}", told(*value)))
    }

    /// Whether both sides have a value somewhere.
    fn is_known(&self, means: &[(String, f64)]) -> bool {
        let known =
            |(name, _): &&(String, f64)| self.limit.value(&self.measure, name, means).is_some();
        self.own(means).iter().any(known)
    }
}

impl Limit {
    /// `0.9`, `90 %`, `150ms`, `harm_goodput_own`, `1.1 * harm_goodput_own`.
    fn read(text: &str) -> Option<Self> {
        if let Some(share) = text.strip_suffix('%') {
            return Some(Self::Number(share.trim().parse::<f64>().ok()? / 100.0));
        }
        let cell = (Value { label: text.to_owned(), text: String::new() }).cell();
        if let Cell::Number(number, _) = cell {
            return Some(Self::Number(number));
        }
        let (factor, measure) = match text.split_once('*') {
            Some((factor, measure)) => (factor.trim().parse().ok()?, measure.trim()),
            None => (1.0, text),
        };
        let word = |c: char| c.is_ascii_alphanumeric() || "_.->".contains(c);
        let named = measure.starts_with(|c: char| c.is_ascii_alphabetic());
        (f64::is_finite(factor) && named && measure.chars().all(word))
            .then(|| Self::Measure(factor, measure.to_owned()))
    }

    /// Its value where `name` is held against it: of a measure, that of the same group,
    /// link or source, or the one of exactly this name.
    fn value(&self, measure: &str, name: &str, means: &[(String, f64)]) -> Option<f64> {
        let (factor, other) = match self {
            Self::Number(number) => return Some(*number),
            Self::Measure(factor, other) => (factor, other),
        };
        let beside = name.strip_suffix(measure).map(|of| format!("{of}{other}"));
        let mean = |wanted: &str| means.iter().find(|(name, _)| name == wanted);
        let found = beside.and_then(|name| mean(&name)).or_else(|| mean(other));
        found.map(|(_, value)| factor * value)
    }
}

/// What was asked for: conditions, and a file for what becomes of them.
#[derive(Debug)]
pub struct Asked {
    conditions: Vec<Condition>,
    junit: Option<PathBuf>,
}

/// An experiment, or a point of a sweep: its name and the means of its measures.
type Means = (String, Vec<(String, f64)>);

/// Names that are told; the rest is counted.
const TOLD: usize = 5;

impl Asked {
    /// Reads the flags.
    pub fn read(args: &ConditionArgs) -> Result<Self, Failure> {
        let conditions = args.fail_on.iter().map(|text| Condition::read(text));
        junit::check(args.junit.as_deref())?;
        Ok(Self { conditions: conditions.collect::<Result<_, _>>()?, junit: args.junit.clone() })
    }

    /// Makes sure before a run that its measures are there.
    pub fn check(&self, plan: &Plan) -> Result<(), Failure> {
        self.check_any(std::iter::once(plan), |_| Vec::new())
    }

    /// The same of several experiments, of which one must have it; `more` measures come
    /// to those of each.
    pub fn check_any<'p>(
        &self,
        plans: impl Iterator<Item = &'p Plan>,
        more: impl Fn(&Plan) -> Vec<String>,
    ) -> Result<(), Failure> {
        if self.conditions.is_empty() {
            return Ok(());
        }
        let of = |plan: &'p Plan| [flat_names(&View::new(plan)), more(plan)].concat();
        let names: Vec<String> = plans.flat_map(of).collect();
        let there = |measure: &str| names.iter().any(|name| is_named(measure, name));
        for condition in &self.conditions {
            let other = match &condition.limit {
                Limit::Measure(_, other) => Some(other.as_str()),
                Limit::Number(_) => None,
            };
            for measure in std::iter::once(condition.measure.as_str()).chain(other) {
                if there(measure) {
                    continue;
                }
                let message =
                    format!("--fail-on: there is no measure `{}`", measure.escape_debug());
                let begins = |name: &&String| {
                    let last = name.rsplit('.').next().unwrap_or(name);
                    last.starts_with(measure) && !measure.is_empty()
                };
                let near = names.iter().find(begins).map(String::as_str);
                let near = near.or_else(|| nearest(measure, &names)).unwrap_or("goodput_bps");
                let help = match measure.contains("harm") && !near.contains("harm") {
                    true => "harm is measured by `tusker compare --against` alone".to_owned(),
                    false => format!("did you mean `{near}`? `tusker list measure` shows all"),
                };
                return Err(Failure::input(message, help));
            }
        }
        Ok(())
    }

    /// The verdict on experiments.
    pub fn summaries(&self, summaries: &[Summary]) -> Result<(), Failure> {
        let all = summaries.iter().map(|summary| (summary.scenario.clone(), means(summary)));
        self.verdict(&all.collect::<Vec<_>>())
    }

    /// The verdict on the points of a sweep.
    pub fn points(&self, summary: &SweepSummary) -> Result<(), Failure> {
        if self.conditions.is_empty() {
            return Ok(());
        }
        let all = summary.points.iter().map(|point| {
            let named = summary.axes.iter().zip(&point.values);
            let named: Vec<String> = named.map(|(axis, v)| format!("{}={v}", axis.key)).collect();
            let known = summary.measures.iter().zip(&point.mean);
            let means = known.filter_map(|(name, mean)| Some((name.clone(), (*mean)?)));
            (named.join(" "), means.collect())
        });
        self.verdict(&all.collect::<Vec<_>>())
    }

    /// A line for each condition that holds somewhere; everything else only in the file.
    fn verdict(&self, all: &[Means]) -> Result<(), Failure> {
        if let Some(file) = &self.junit {
            let suite = |(name, means): &Means| Suite {
                name: name.clone(),
                cases: self.conditions.iter().map(|condition| condition.case(means)).collect(),
            };
            junit::write(file, &all.iter().map(suite).collect::<Vec<_>>())?;
        }
        self.conditions.iter().filter_map(|c| c.unknown(all)).for_each(|note| say(&note));
        let causes: Vec<String> = self.conditions.iter().filter_map(|c| c.cause(all)).collect();
        if causes.is_empty() { Ok(()) } else { Err(Failure::Verdict(causes)) }
    }
}

impl Condition {
    /// A note on where it cannot be judged, which is no pass.
    fn unknown(&self, all: &[Means]) -> Option<String> {
        let unknown: Vec<&str> = all
            .iter()
            .filter(|(_, means)| !self.is_known(means))
            .map(|(name, _)| name.as_str())
            .collect();
        let named = unknown[..unknown.len().min(TOLD)].join(", ");
        let (count, of) = (unknown.len(), all.len());
        (count > 0).then(|| {
            format!(
                "note: --fail-on '{}' was not judged in {count} of {of}, where a measure has no \
                 value: {named}",
                self.text
            )
        })
    }

    /// Where it holds, if anywhere.
    fn cause(&self, all: &[Means]) -> Option<String> {
        let found = |(name, means): &Means| Some(format!("{name} ({})", self.first(means)?));
        let failed: Vec<String> = all.iter().filter_map(found).collect();
        let more = match failed.len().saturating_sub(TOLD) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = failed[..failed.len().min(TOLD)].join(", ");
        let (text, count, of) = (&self.text, failed.len(), all.len());
        (count > 0).then(|| format!("{text}: {count} of {of}: {named}{more}"))
    }

    /// What it requires: what JUnit shows in green.
    fn required(&self) -> String {
        let (sign, kept) = match self.operator {
            Operator::Below => ("<", ">="),
            Operator::AtMost => ("<=", ">"),
            Operator::Above => (">", "<="),
            Operator::AtLeast => (">=", "<"),
        };
        let limit = self.text.rsplit_once(sign).map_or("", |(_, limit)| limit.trim());
        format!("{} {kept} {limit}", self.measure)
    }

    /// What becomes of it in one experiment.
    fn case(&self, means: &[(String, f64)]) -> Case {
        let state = match self.first(means) {
            Some(value) => State::Failed(vec![value]),
            None if self.is_known(means) => State::Passed,
            None => State::Skipped("the measure has no value here".to_owned()),
        };
        Case { name: self.required(), state }
    }
}

/// The means of all measures of an experiment, named as in the dataset of a sweep.
fn means(summary: &Summary) -> Vec<(String, f64)> {
    let mut means = Vec::new();
    let mut add = |name: String, mean: Option<f64>| means.extend(mean.map(|mean| (name, mean)));
    for (name, value) in summary.total.iter() {
        add(name.to_owned(), value.map(|value| value.mean));
    }
    for group in &summary.groups {
        for (name, value) in group.measured.iter() {
            add(format!("groups.{}.{name}", group.name), value.map(|value| value.mean));
        }
        for (name, value) in group.harm.iter().flat_map(Harm::iter) {
            add(format!("groups.{}.{name}", group.name), value.map(|value| value.mean));
        }
    }
    for transfers in &summary.transfers {
        for (name, value) in transfers.measured.iter() {
            add(format!("transfers.{}.{name}", transfers.name), value.map(|value| value.mean));
        }
    }
    for link in &summary.links {
        for (name, value) in link.measured.iter() {
            add(format!("links.{}.{name}", link.name), value.map(|value| value.mean));
        }
    }
    for source in &summary.background {
        for (name, value) in source.measured.iter() {
            add(format!("background.{}.{name}", source.name), value.map(|value| value.mean));
        }
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Condition {
        Condition::read(text).expect("it is a condition")
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
            assert_eq!(own.limit, Limit::Number(value));
        }
        for text in ["", "utilisation", "utilisation < ", "< 3", "jain < 2 * 3", "jain < a b"] {
            assert!(Condition::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_measure_is_held_against_another_of_the_same_group() {
        let means = [
            ("groups.a.harm", 0.5),
            ("groups.a.own", 0.48),
            ("groups.b.harm", 0.3),
            ("groups.b.own", 0.2),
            ("groups.c.harm", 0.9),
        ];
        let means: Vec<(String, f64)> = means.map(|(name, v)| (name.to_owned(), v)).into();
        let told = |text: &str| read(text).first(&means);
        assert_eq!(told("harm > own").unwrap(), "groups.a.harm = 0.5000, limit 0.4800");
        assert_eq!(told("harm > 1.2 * own").unwrap(), "groups.b.harm = 0.3000, limit 0.2400");
        assert_eq!(told("harm > 2*own"), None);
        assert_eq!(
            told("groups.c.harm > 2 * groups.b.own").unwrap(),
            "groups.c.harm = 0.9000, limit 0.4000"
        );
        // nothing to hold it against is no pass
        let case = read("groups.c.harm > own").case(&means);
        assert!(matches!(case.state, State::Skipped(_)));
        assert_eq!(read("harm > 1.2 * own").required(), "harm <= 1.2 * own");
        assert_eq!(read("jain<90 %").required(), "jain >= 90 %");
    }

    #[test]
    fn each_condition_that_holds_is_a_line_and_one_without_a_value_is_no_pass() {
        let asked = Asked {
            conditions: vec![read("loss_rate > 1%"), read("jain < 0.8"), read("jain < 0.4")],
            junit: None,
        };
        let means = |jain| ("x".to_owned(), vec![("jain".to_owned(), jain)]);
        let Err(Failure::Verdict(lines)) = asked.verdict(&[means(0.9), means(0.3)]) else {
            panic!("two conditions hold");
        };
        assert_eq!(
            lines,
            ["jain < 0.8: 1 of 2: x (jain = 0.300)", "jain < 0.4: 1 of 2: x (jain = 0.300)",]
        );
        assert!(asked.verdict(&[means(0.9)]).is_ok());
        let states = asked.conditions.iter().map(|c| c.case(&means(0.5).1).state);
        let states: Vec<State> = states.collect();
        assert!(matches!(states[0], State::Skipped(_)), "{states:?}");
        assert_eq!(states[1], State::Failed(vec!["jain = 0.500".to_owned()]));
        assert_eq!(states[2], State::Passed);
        let note = asked.conditions[0].unknown(&[means(0.5)]).expect("a note");
        assert!(note.contains("'loss_rate > 1%' was not judged in 1 of 1"), "{note}");
        assert_eq!(asked.conditions[1].unknown(&[means(0.5)]), None);
    }

    #[test]
    fn a_bare_name_means_every_group_or_the_total_if_there_is_one() {
        let means = [("jain", 0.9), ("groups.a.jain", 0.5), ("groups.a.rtt_p95_s", 0.2)];
        let means: Vec<(String, f64)> = means.map(|(name, v)| (name.to_owned(), v)).into();
        assert_eq!(read("jain < 0.8").first(&means), None);
        assert_eq!(read("groups.a.jain < 0.8").first(&means).unwrap(), "groups.a.jain = 0.500");
        let told = read("rtt_p95_s > 150ms").first(&means).unwrap();
        assert_eq!(told, "groups.a.rtt_p95_s = 200.0 ms");
        assert!(!read("ain < 1").means("jain"));
    }
}
