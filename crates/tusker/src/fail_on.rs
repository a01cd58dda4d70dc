//! `--fail-on 'utilisation < 0.9'`: a condition that makes a command fail, for
//! scripts.

mod along;
mod condition;
mod values;

use std::collections::BTreeMap;
use std::path::PathBuf;

use tusker_plan::plan::Plan;
use tusker_record::store::sweep::SweepSummary;
use tusker_record::summary::{Summary, View, flat_names};
use tusker_report::results;
use tusker_scenario::sweep::nearest;

pub use self::along::Wheres;
pub use self::condition::is_word;
use self::condition::{Condition, Judged, is_named};
use self::values::Value;
use crate::args::ConditionArgs;
use crate::commands::path_of::path_of;
use crate::failure::Failure;
use crate::junit::{self, Case, State, Suite};
use crate::output::say;

/// What was asked for: conditions, and a file for what becomes of them.
#[derive(Debug)]
pub struct Asked {
    conditions: Vec<Condition>,
    junit: Option<PathBuf>,
}

/// An experiment, or a point of a sweep.
#[derive(Clone, Debug, Default)]
struct Tried {
    name: String,
    /// The name in the file of verdicts.
    suite: String,
    /// On which path, and with which seeds; may be empty.
    how: String,
    values: Vec<Value>,
}

/// The path of an experiment, where its name alone does not tell.
#[derive(Clone, Debug)]
pub struct Place {
    /// The name of the experiment, whatever other paths there are.
    pub name: String,
    /// The path, for people.
    pub path: String,
}

/// Names that are told; the rest is counted.
const TOLD: usize = 5;

impl Asked {
    /// Reads the flags.
    pub fn read(args: &ConditionArgs) -> Result<Self, Failure> {
        let conditions = args.fail_on.iter().map(|text| Condition::read("--fail-on", text));
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
        let there = |measure: &&str| names.iter().any(|name| is_named(measure, name));
        match self.conditions.iter().flat_map(Condition::measures).find(|name| !there(name)) {
            Some(measure) => Err(unknown("--fail-on", measure, &names)),
            None => Ok(()),
        }
    }

    /// The verdict on the one experiment with this plan.
    pub fn one(&self, summary: &Summary, plan: &Plan) -> Result<(), Failure> {
        if self.conditions.is_empty() {
            return Ok(());
        }
        let name = summary.scenario.clone();
        let how = how(Some(path_of(plan)), &summary.seeds);
        let values = values::of_summary(summary);
        self.verdict(&[Tried { suite: name.clone(), name, how, values }])
    }

    /// The verdict on experiments, with a place for each.
    pub fn summaries(&self, summaries: &[Summary], places: &[Place]) -> Result<(), Failure> {
        if self.conditions.is_empty() {
            return Ok(());
        }
        let tried = |(at, own): (usize, &Summary)| {
            let (name, place) = (own.scenario.clone(), places.get(at));
            let suite = place.map_or(name.clone(), |on| format!("{} on {}", on.name, on.path));
            let how = how(place.map(|on| on.path.clone()), &own.seeds);
            Tried { name, suite, how, values: values::of_summary(own) }
        };
        self.verdict(&summaries.iter().enumerate().map(tried).collect::<Vec<_>>())
    }

    /// The verdict on the points of a sweep; `paths` has the path of each, and its first
    /// seed.
    pub fn points(
        &self,
        summary: &SweepSummary,
        paths: &BTreeMap<usize, (String, u64)>,
    ) -> Result<(), Failure> {
        if self.conditions.is_empty() {
            return Ok(());
        }
        let points = values::of_points(summary).into_iter().zip(&summary.points);
        let tried = points.enumerate().map(|(at, ((name, values), point))| {
            let how = paths.get(&at).map_or(String::new(), |(path, first)| {
                let seeds: Vec<u64> = (*first..first + u64::from(point.replicates)).collect();
                how(Some(path.clone()), &seeds)
            });
            Tried { suite: name.clone(), name, how, values }
        });
        self.verdict(&tried.collect::<Vec<_>>())
    }

    /// A line for each condition that is met somewhere, and notes on what is not known;
    /// everything else only in the file.
    fn verdict(&self, all: &[Tried]) -> Result<(), Failure> {
        if let Some(file) = &self.junit {
            let suite = |tried: &Tried| Suite {
                name: tried.suite.clone(),
                cases: self.conditions.iter().map(|condition| condition.case(tried)).collect(),
            };
            junit::write(file, &all.iter().map(suite).collect::<Vec<_>>())?;
        }
        self.conditions.iter().flat_map(|own| own.notes(all)).for_each(|note| say(&note));
        let causes: Vec<String> = self.conditions.iter().filter_map(|c| c.cause(all)).collect();
        if causes.is_empty() { Ok(()) } else { Err(Failure::Verdict(causes)) }
    }
}

/// `20ms, buffer 10pkt; seeds 1 to 4`: the path and the seeds, of what is known of both.
fn how(path: Option<String>, seeds: &[u64]) -> String {
    let path = path.filter(|path| !path.is_empty());
    path.into_iter().chain(results::seeds(seeds)).collect::<Vec<_>>().join("; ")
}

/// That no experiment has this measure, and what may be meant.
fn unknown(flag: &str, measure: &str, names: &[String]) -> Failure {
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
    Failure::input(message, help)
}

impl Condition {
    /// What becomes of it, with all that is to be told.
    fn verdict(&self, tried: &Tried) -> Judged {
        let with = |value: String| match tried.how.as_str() {
            "" => value,
            how => format!("{value}; {how}"),
        };
        match self.judge(&tried.values) {
            Judged::Met(value) => Judged::Met(with(value)),
            Judged::Undecided(value) => Judged::Undecided(with(value)),
            other => other,
        }
    }

    /// Whether an experiment has the groups that it names: beside another rival there is none of
    /// this one, and nothing is lacking.
    fn concerns(&self, tried: &Tried) -> bool {
        let group = |name: &str| {
            let (group, _) = name.strip_prefix("groups.")?.rsplit_once('.')?;
            Some(format!("groups.{group}."))
        };
        let has = |group: String| tried.values.iter().any(|value| value.name.starts_with(&group));
        self.measures().filter_map(group).all(has)
    }

    /// Notes on where it cannot be judged, and where it is undecided, which is no pass.
    fn notes(&self, all: &[Tried]) -> Vec<String> {
        let (mut no_value, mut undecided) = (Vec::new(), Vec::new());
        for tried in all {
            let name = &tried.name;
            match self.verdict(tried) {
                Judged::NoValue if !self.concerns(tried) => {}
                Judged::NoValue => no_value.push(name.clone()),
                Judged::Undecided(value) => undecided.push(format!("{name} ({value})")),
                Judged::Met(_) | Judged::NotMet => {}
            }
        }
        let note = |how: &str, why: &str, found: &[String]| {
            let (count, of) = (found.len(), all.len());
            (count > 0).then(|| {
                let named = named(found);
                format!("note: --fail-on '{}' {how} in {count} of {of}{why}: {named}", self.text)
            })
        };
        let notes = [
            note("was not judged", ", where a measure has no value", &no_value),
            note("is undecided", ", where the intervals overlap or are not known", &undecided),
        ];
        notes.into_iter().flatten().collect()
    }

    /// Where it is met, if anywhere.
    fn cause(&self, all: &[Tried]) -> Option<String> {
        let found = |tried: &Tried| match self.verdict(tried) {
            Judged::Met(value) => Some(format!("{} ({value})", tried.name)),
            _ => None,
        };
        let failed: Vec<String> = all.iter().filter_map(found).collect();
        let (text, count, of) = (&self.text, failed.len(), all.len());
        (count > 0).then(|| format!("{text}: {count} of {of}: {}", named(&failed)))
    }

    /// What becomes of it in one experiment.
    fn case(&self, tried: &Tried) -> Case {
        let state = match self.verdict(tried) {
            Judged::Met(value) => State::Failed(vec![value]),
            Judged::Undecided(value) => State::Skipped(format!("undecided: {value}")),
            Judged::NotMet => State::Passed,
            Judged::NoValue => State::Skipped("the measure has no value here".to_owned()),
        };
        Case { name: self.required(), state }
    }
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
    use super::*;

    fn read(text: &str) -> Condition {
        Condition::read("--fail-on", text).expect("it is a condition")
    }

    fn jain(mean: f64) -> Tried {
        let values = vec![Value { name: "jain".to_owned(), mean, half: Some(0.1) }];
        Tried { name: "x".to_owned(), values, ..Tried::default() }
    }

    #[test]
    fn each_condition_that_is_met_is_a_line_and_one_without_a_value_is_no_pass() {
        let asked = Asked {
            conditions: vec![read("loss_rate > 1%"), read("jain < 0.8"), read("jain < 0.4")],
            junit: None,
        };
        let Err(Failure::Verdict(lines)) = asked.verdict(&[jain(0.9), jain(0.3)]) else {
            panic!("two conditions are met");
        };
        assert_eq!(
            lines,
            [
                "jain < 0.8: 1 of 2: x (jain = 0.30 \u{b1} 0.10)",
                "jain < 0.4: 1 of 2: x (jain = 0.30 \u{b1} 0.10)"
            ]
        );
        assert!(asked.verdict(&[jain(0.9)]).is_ok());
        let states = asked.conditions.iter().map(|c| c.case(&jain(0.5)).state);
        let states: Vec<State> = states.collect();
        assert!(matches!(states[0], State::Skipped(_)), "{states:?}");
        assert_eq!(states[1], State::Failed(vec!["jain = 0.50 \u{b1} 0.10".to_owned()]));
        assert_eq!(states[2], State::Passed);
        let notes = asked.conditions[0].notes(&[jain(0.5)]);
        assert!(notes[0].contains("'loss_rate > 1%' was not judged in 1 of 1"), "{notes:?}");
        assert!(asked.conditions[1].notes(&[jain(0.5)]).is_empty());
        // an experiment with other groups lacks nothing, one with this group does
        let beside = |group: &str| Tried {
            values: vec![Value { name: format!("groups.{group}.jain"), mean: 1.0, half: None }],
            ..Tried::default()
        };
        let harm = read("groups.reno.harm_goodput > 0.5");
        assert_eq!(harm.notes(&[beside("cubic")]), [""; 0]);
        assert_eq!(harm.notes(&[beside("reno"), beside("cubic")]).len(), 1);
    }

    #[test]
    fn what_is_undecided_is_a_note_and_neither_failed_nor_passed() {
        let asked = Asked { conditions: vec![read("jain < 0.8 surely")], junit: None };
        // from 0.75 to 0.95
        assert!(asked.verdict(&[jain(0.85)]).is_ok());
        let notes = asked.conditions[0].notes(&[jain(0.85), jain(0.3)]);
        assert_eq!(
            notes,
            ["note: --fail-on 'jain < 0.8 surely' is undecided in 1 of 2, where the intervals \
              overlap or are not known: x (jain = 0.85 \u{b1} 0.10)"]
        );
        let State::Skipped(why) = asked.conditions[0].case(&jain(0.85)).state else { panic!() };
        assert_eq!(why, "undecided: jain = 0.85 \u{b1} 0.10");
        assert!(asked.verdict(&[jain(0.3)]).is_err());
    }

    #[test]
    fn a_slip_of_the_pen_is_told_what_may_be_meant() {
        let names = |more: &[&str]| {
            let all = ["jain", "goodput_bps", "groups.cubic.goodput_bps"];
            all.iter().chain(more).map(|name| (*name).to_owned()).collect::<Vec<_>>()
        };
        let told = |measure: &str, names: &[String]| match unknown("--fail-on", measure, names) {
            Failure::Input(report) => report.help().expect("it has help").to_string(),
            other => panic!("{other:?}"),
        };
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
