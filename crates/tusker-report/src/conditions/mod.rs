//! `--fail-on 'utilisation < 0.9'`: what conditions come to in experiments and at the points of
//! sweeps.

mod along;
mod values;

use std::collections::BTreeMap;

pub use tusker_measure::condition::is_word;
use tusker_measure::condition::{Condition, Named, Verdict, is_named};
use tusker_measure::path_of::path_of;
use tusker_measure::summary::{Summary, View, flat_names};
use tusker_plan::plan::Plan;
use tusker_scenario::sweep::{Cell, Value, nearest};
use tusker_store::sweep::SweepSummary;

pub use self::along::{Found, Wheres};
use crate::results;

/// A mistake in a condition, and the remedy.
pub type Mistake = (String, String);

/// Conditions that make a command fail.
#[derive(Debug)]
pub struct Conditions(Vec<Condition>);

/// What conditions come to.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// What is not known.
    pub notes: Vec<String>,
    /// Why the command fails.
    pub causes: Vec<String>,
}

/// An experiment, or a point of a sweep.
#[derive(Clone, Debug, Default)]
struct Tried {
    name: String,
    /// On which path, and with which seeds; may be empty.
    how: String,
    values: Vec<Named>,
}

/// Names that are told; the rest is counted.
const TOLD: usize = 5;

/// How to write a condition.
const HELP: &str = "write MEASURE, then <, <=, > or >=, then a number, a measure or a sum of them \
                    with spaces around + and -: 'rtt_p95_s > 150ms', \
                    'harm_goodput > harm_goodput_own + 0.1 surely'";

/// Reads a condition that this flag was given.
fn read(flag: &str, text: &str) -> Result<Condition, Mistake> {
    let number = |text: &str| match Value::plain(text.to_owned()).cell() {
        Cell::Number(number, _) => Some(number),
        _ => None,
    };
    Condition::read(text, &number).map_err(|why| {
        let text = text.escape_debug();
        (format!("{flag}: `{text}` is not a condition: {why}"), HELP.to_owned())
    })
}

impl Conditions {
    /// Reads the flags.
    ///
    /// # Errors
    /// If one is no condition.
    pub fn read(texts: &[String]) -> Result<Self, Mistake> {
        let conditions = texts.iter().map(|text| read("--fail-on", text));
        Ok(Self(conditions.collect::<Result<_, _>>()?))
    }

    /// Makes sure before a run that its measures are there.
    ///
    /// # Errors
    /// If one is not.
    pub fn check(&self, plan: &Plan) -> Result<(), Mistake> {
        self.check_any(std::iter::once(plan), |_| Vec::new())
    }

    /// The same of several experiments, of which one must have it; `more` measures come
    /// to those of each.
    ///
    /// # Errors
    /// If none has it.
    pub fn check_any<'p>(
        &self,
        plans: impl Iterator<Item = &'p Plan>,
        more: impl Fn(&Plan) -> Vec<String>,
    ) -> Result<(), Mistake> {
        if self.0.is_empty() {
            return Ok(());
        }
        let of = |plan: &'p Plan| [flat_names(&View::new(plan)), more(plan)].concat();
        let names: Vec<String> = plans.flat_map(of).collect();
        let there = |measure: &&str| names.iter().any(|name| is_named(measure, name));
        match self.0.iter().flat_map(Condition::measures).find(|name| !there(name)) {
            Some(measure) => Err(unknown("--fail-on", measure, &names)),
            None => Ok(()),
        }
    }

    /// The verdict on the one experiment with this plan.
    pub fn one(&self, summary: &Summary, plan: &Plan) -> Judged {
        if self.0.is_empty() {
            return Judged::default();
        }
        let name = summary.scenario.clone();
        let how = how(Some(path_of(plan)), &summary.seeds);
        let values = values::of_summary(summary);
        self.verdict(&[Tried { name, how, values }])
    }

    /// The verdict on experiments, with the path of each for people.
    pub fn summaries(&self, summaries: &[Summary], paths: &[String]) -> Judged {
        if self.0.is_empty() {
            return Judged::default();
        }
        let tried = |(at, own): (usize, &Summary)| {
            let (name, place) = (own.scenario.clone(), paths.get(at));
            let how = how(place.cloned(), &own.seeds);
            Tried { name, how, values: values::of_summary(own) }
        };
        self.verdict(&summaries.iter().enumerate().map(tried).collect::<Vec<_>>())
    }

    /// The verdict on the points of a sweep; `paths` has the path of each, and its first
    /// seed.
    pub fn points(&self, summary: &SweepSummary, paths: &BTreeMap<usize, (String, u64)>) -> Judged {
        if self.0.is_empty() {
            return Judged::default();
        }
        let points = values::of_points(summary).into_iter().zip(&summary.points);
        let tried = points.enumerate().map(|(at, ((name, values), point))| {
            let how = paths.get(&at).map_or(String::new(), |(path, first)| {
                let seeds: Vec<u64> = (*first..first + u64::from(point.replicates)).collect();
                how(Some(path.clone()), &seeds)
            });
            Tried { name, how, values }
        });
        self.verdict(&tried.collect::<Vec<_>>())
    }

    /// A line for each condition that is met somewhere, and notes on what is not known.
    fn verdict(&self, all: &[Tried]) -> Judged {
        Judged {
            notes: self.0.iter().flat_map(|own| notes(own, all)).collect(),
            causes: self.0.iter().filter_map(|own| cause(own, all)).collect(),
        }
    }
}

/// `20ms, buffer 10pkt; seeds 1 to 4`: the path and the seeds, of what is known of both.
fn how(path: Option<String>, seeds: &[u64]) -> String {
    let path = path.filter(|path| !path.is_empty());
    path.into_iter().chain(results::seeds(seeds)).collect::<Vec<_>>().join("; ")
}

/// That no experiment has this measure, and what may be meant.
fn unknown(flag: &str, measure: &str, names: &[String]) -> Mistake {
    let message = format!("{flag}: there is no measure `{}`", measure.escape_debug());
    // most people leave out the part that a measure belongs to
    let last = |name: &String| name.rsplit('.').next().unwrap_or(name).to_owned();
    let bare: Vec<String> = names.iter().map(last).collect();
    let candidates = if measure.contains('.') { names } else { &bare };
    let begins = |name: &&String| !measure.is_empty() && name.starts_with(measure);
    let near = candidates.iter().find(begins).map(String::as_str);
    let near = near.or_else(|| nearest(measure, candidates)).unwrap_or("goodput_bps");
    let harm_is_there = names.iter().any(|name| name.contains(".harm_"));
    let help = match measure.strip_suffix("_ci95") {
        _ if measure.contains("harm") && !harm_is_there => {
            "harm is measured by `tusker compare --against` alone".to_owned()
        }
        Some(own) if names.iter().any(|name| is_named(own, name)) => format!(
            "a condition on `{own}` with `surely` at its end respects the interval; \
             `tusker explain fail-on` tells more"
        ),
        _ => format!("did you mean `{near}`? `tusker list measure` shows all"),
    };
    (message, help)
}

/// What becomes of a condition in an experiment, and with which values.
fn judged(condition: &Condition, tried: &Tried) -> (Verdict, String) {
    let judged = condition.judge(&tried.values);
    let values = judged.with.map_or(String::new(), |with| values::told(condition, &with));
    let all = [values, tried.how.clone()].into_iter().filter(|part| !part.is_empty());
    (judged.verdict, all.collect::<Vec<_>>().join("; "))
}

/// Whether an experiment has the groups that a condition names: beside another rival there is
/// none of this one, and nothing is lacking.
fn concerns(condition: &Condition, tried: &Tried) -> bool {
    let group = |name: &str| {
        let (group, _) = name.strip_prefix("groups.")?.rsplit_once('.')?;
        Some(format!("groups.{group}."))
    };
    let has = |group: String| tried.values.iter().any(|value| value.name.starts_with(&group));
    condition.measures().filter_map(group).all(has)
}

/// Notes on where a condition cannot be judged, and where it is undecided, which is no pass.
fn notes(condition: &Condition, all: &[Tried]) -> Vec<String> {
    let (mut no_value, mut undecided) = (Vec::new(), Vec::new());
    for tried in all {
        let name = &tried.name;
        match judged(condition, tried) {
            (Verdict::Open, _) if !concerns(condition, tried) => {}
            (Verdict::Open, _) => no_value.push(name.clone()),
            (Verdict::Undecided, values) => undecided.push(format!("{name} ({values})")),
            _ => {}
        }
    }
    let note = |how: &str, why: &str, found: &[String]| {
        let (count, of) = (found.len(), all.len());
        (count > 0).then(|| {
            let (text, named) = (&condition.text, named(found));
            format!("--fail-on '{text}' {how} in {count} of {of}{why}: {named}")
        })
    };
    let notes = [
        note("was not judged", ", where a measure has no value", &no_value),
        note(
            "is undecided",
            ", where the sides differ by less than their intervals, or these are not known",
            &undecided,
        ),
    ];
    notes.into_iter().flatten().collect()
}

/// Where a condition is met, if anywhere.
fn cause(condition: &Condition, all: &[Tried]) -> Option<String> {
    let found = |tried: &Tried| match judged(condition, tried) {
        (Verdict::Holds, values) => Some(format!("{} ({values})", tried.name)),
        _ => None,
    };
    let failed: Vec<String> = all.iter().filter_map(found).collect();
    let (text, count, of) = (&condition.text, failed.len(), all.len());
    (count > 0).then(|| format!("{text}: {count} of {of}: {}", named(&failed)))
}

/// The first few of them.
fn named(all: &[String]) -> String {
    let more = match all.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    all[..all.len().min(TOLD)].join(", ") + &more
}

#[cfg(test)]
mod tests {
    use tusker_measure::condition::Value;

    use super::*;

    fn read(text: &str) -> Condition {
        super::read("--fail-on", text).expect("it is a condition")
    }

    fn named(name: &str, value: f64, ci95: Option<f64>) -> Named {
        Named { name: name.to_owned(), value: Value { value, ci95 } }
    }

    fn jain(mean: f64) -> Tried {
        let values = vec![named("jain", mean, Some(0.1))];
        Tried { name: "x".to_owned(), values, ..Tried::default() }
    }

    #[test]
    fn each_condition_that_is_met_is_a_line_and_one_without_a_value_is_no_pass() {
        let asked =
            Conditions(vec![read("loss_rate > 1%"), read("jain < 0.8"), read("jain < 0.4")]);
        let lines = asked.verdict(&[jain(0.9), jain(0.3)]).causes;
        assert_eq!(
            lines,
            [
                "jain < 0.8: 1 of 2: x (jain = 0.30 \u{b1} 0.10)",
                "jain < 0.4: 1 of 2: x (jain = 0.30 \u{b1} 0.10)"
            ]
        );
        assert_eq!(asked.verdict(&[jain(0.9)]).causes, [""; 0]);
        let told = notes(&asked.0[0], &[jain(0.5)]);
        assert!(told[0].contains("'loss_rate > 1%' was not judged in 1 of 1"), "{told:?}");
        assert!(notes(&asked.0[1], &[jain(0.5)]).is_empty());
        // an experiment with other groups lacks nothing, one with this group does
        let beside = |group: &str| Tried {
            values: vec![named(&format!("groups.{group}.jain"), 1.0, None)],
            ..Tried::default()
        };
        let harm = read("groups.reno.harm_goodput > 0.5");
        assert_eq!(notes(&harm, &[beside("cubic")]), [""; 0]);
        assert_eq!(notes(&harm, &[beside("reno"), beside("cubic")]).len(), 1);
    }

    #[test]
    fn what_is_undecided_is_a_note_and_neither_failed_nor_passed() {
        let asked = Conditions(vec![read("jain < 0.8 surely")]);
        // from 0.75 to 0.95
        assert_eq!(asked.verdict(&[jain(0.85)]).causes, [""; 0]);
        let told = notes(&asked.0[0], &[jain(0.85), jain(0.3)]);
        assert!(told[0].contains("is undecided in 1 of 2"), "{told:?}");
        assert!(told[0].ends_with(": x (jain = 0.85 \u{b1} 0.10)"), "{told:?}");
        assert_eq!(asked.verdict(&[jain(0.3)]).causes.len(), 1);
    }

    #[test]
    fn a_slip_of_the_pen_is_told_what_may_be_meant() {
        let names = |more: &[&str]| {
            let all = ["jain", "goodput_bps", "groups.cubic.goodput_bps"];
            all.iter().chain(more).map(|name| (*name).to_owned()).collect::<Vec<_>>()
        };
        let told = |measure: &str, names: &[String]| unknown("--fail-on", measure, names).1;
        let with = names(&["groups.cubic.harm_goodput", "groups.cubic.harm_goodput_own"]);
        let help = told("harm_godput", &with);
        assert!(help.contains("did you mean `harm_goodput`?"), "{help}");
        let help = told("groups.cubic.harm_godput", &with);
        assert!(help.contains("did you mean `groups.cubic.harm_goodput`?"), "{help}");
        let help = told("harm_goodput_ci95", &with);
        assert!(help.contains("`surely`"), "{help}");
        assert!(told("harm_goodput", &names(&[])).contains("--against"));
    }
}
