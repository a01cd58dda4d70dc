//! The answer to one claim: every comparison in the base, and under every reading and seed of
//! which there are runs.

use std::collections::BTreeSet;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_lab::suite::claims::{Claim, Compared, Instance, Judgement, Need, Operand, Verdict};
use tusker_measure::condition::{Decision, Value};
use tusker_measure::stats::{half_width, mean};

use super::marks::{self, Mark};
use super::relevant::relevant;
use super::{ConclusionResult, Run, Runs};
use crate::paper::Paper;
use crate::rows::BASE;

/// Seeds from which their spread is known: with two, Student's t is 12.7 standard errors.
const ENOUGH: usize = 3;

/// The answer to one claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// Its name; the test itself if it is one of the user's own.
    pub id: String,
    /// What it says.
    pub says: String,
    /// Where the paper says it; empty for a test of the user's own.
    pub place: String,
    /// How the words were turned into numbers.
    pub read: String,
    /// Its tests, as they are written.
    pub tests: Vec<String>,
    /// How many of its comparisons must hold.
    pub need: Need,
    /// On our numbers, under the reading that judges it.
    pub ours: Judgement,
    /// On the paper's own numbers.
    pub paper: Judgement,
    /// Why the paper's own numbers do not support it, if so.
    pub paper_reason: Option<String>,
    /// Why ours do not, if known.
    pub reason: Option<String>,
    /// Where in the repository that is shown.
    pub reason_source: Option<String>,
    /// How many comparisons hold in all runs.
    pub robust: Robust,
    /// Readings that reverse comparisons.
    pub reversed_by: Vec<Reversal>,
    /// Each reading of which there are runs: first the one that judges it.
    pub readings: Vec<InReading>,
    /// Readings that were run and have the same values in its rows.
    pub unmoved: Vec<String>,
    /// Readings that could change it and of which nothing was run.
    pub untried: Vec<String>,
    /// The rows that it compares.
    pub row_ids: Vec<String>,
    /// Those of them that were run, beside the paper.
    pub rows: Vec<Mark>,
    /// Comparisons that were left out, because one of their rows was not chosen.
    pub left_out: usize,
}

/// A claim under one reading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InReading {
    /// The reading.
    pub reading: String,
    /// It is an experiment against the paper's text, which counts for nothing.
    pub experiment: bool,
    /// Over its seeds.
    pub judged: Judgement,
    /// Its runs.
    pub runs: Vec<InRun>,
}

/// A claim in the runs of one seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InRun {
    /// The seed; none for means over several that are not known one by one.
    pub seed: Option<u64>,
    /// Comparisons that hold by their values alone.
    pub held: usize,
    /// Comparisons that have values.
    pub of: usize,
    /// Those that do not hold.
    pub fail: Vec<String>,
}

/// How many comparisons hold by their values, each counted once in each run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Robust {
    /// Those that hold.
    pub held: usize,
    /// All of them.
    pub of: usize,
    /// Seeds and readings that were run.
    pub runs: usize,
    /// Readings among these, the base included.
    pub readings: usize,
    /// The reading under which most comparisons fail in a run, if any does.
    pub worst: Option<Worst>,
}

/// What a reading does to a claim or conclusion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Worst {
    /// The reading.
    pub reading: String,
    /// Comparisons that hold by their values.
    pub held: usize,
    /// All of them.
    pub of: usize,
}

/// A reading under which comparisons are the opposite of the base, beyond chance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reversal {
    /// The reading.
    pub reading: String,
    /// These comparisons.
    pub comparisons: Vec<String>,
}

impl Robust {
    /// Of all readings but experiments.
    pub(super) fn of<'a>(readings: impl Iterator<Item = &'a InReading>) -> Self {
        let mut all: Vec<Worst> = Vec::new();
        let mut runs: BTreeSet<(&str, Option<u64>)> = BTreeSet::new();
        for own in readings.filter(|own| !own.experiment) {
            let sum = |of: fn(&InRun) -> usize| own.runs.iter().map(of).sum::<usize>();
            let (held, of) = (sum(|run| run.held), sum(|run| run.of));
            runs.extend(own.runs.iter().map(|run| (own.reading.as_str(), run.seed)));
            match all.iter_mut().find(|one| one.reading == own.reading) {
                Some(one) => (one.held, one.of) = (one.held + held, one.of + of),
                None => all.push(Worst { reading: own.reading.clone(), held, of }),
            }
        }
        let harm = |own: &&Worst| {
            let seeds = runs.iter().filter(|(reading, _)| *reading == own.reading).count();
            (own.of - own.held) as f64 / seeds as f64
        };
        let failing = all.iter().filter(|own| own.reading != BASE && own.held < own.of);
        // of equal ones the first
        let worst = failing.rev().max_by(|a, b| harm(a).total_cmp(&harm(b)));
        Self {
            held: all.iter().map(|own| own.held).sum(),
            of: all.iter().map(|own| own.of).sum(),
            runs: runs.len(),
            readings: all.len(),
            worst: worst.cloned(),
        }
    }
}

impl Answer {
    /// The seeds of the runs that judge it.
    pub fn seeds(&self) -> impl Iterator<Item = &u64> {
        self.readings.first().into_iter().flat_map(|own| &own.runs).filter_map(|r| r.seed.as_ref())
    }

    /// Adds the known reason if it falls short under the base assumptions.
    pub fn explain(&mut self, paper: &Paper, quick: bool) {
        let own_seed = paper.seed().is_ok_and(|seed| self.seeds().any(|own| *own == seed));
        let base = self.readings.first().is_some_and(|own| own.reading == BASE);
        if base && own_seed && self.ours.verdict.falls_short() {
            let found = paper.reasons.of_claim(&self.id, quick);
            self.reason = found.map(|reason| reason.why.clone());
            self.reason_source = found.and_then(|reason| reason.source.clone());
        }
    }
}

/// Answers to what was asked about a paper, as they are printed and stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answers {
    /// The paper.
    pub paper: String,
    /// The reading that judges.
    pub reading: String,
    /// Rows were shorter than the paper's.
    pub quick: bool,
    /// Conclusions that were asked about.
    pub conclusions: Vec<ConclusionResult>,
    /// Claims, those of the conclusions included.
    pub claims: Vec<Answer>,
}

impl Answers {
    /// As JSON text.
    ///
    /// # Panics
    /// Never: they are plain data.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("plain data") + "\n"
    }

    /// The JSON Schema of that.
    ///
    /// # Panics
    /// Never: a schema is plain data.
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Self);
        serde_json::to_string_pretty(&schema).expect("plain data") + "\n"
    }
}

impl Answer {
    /// What these runs say of a claim under `reading`, with `seeds` alone if there are any, and
    /// under others. Only comparisons of which every row is among `rows` count; none if there is
    /// none.
    pub fn of(
        claim: &Claim,
        paper: &Paper,
        runs: &Runs,
        reading: &str,
        seeds: Option<&Range<u64>>,
        rows: &BTreeSet<String>,
    ) -> Option<Self> {
        let all = claim.instances(paper).unwrap_or_default();
        let among = |own: &&Instance| {
            own.operands.iter().all(|operand| rows.contains(&operand.row.to_string()))
        };
        let own: Vec<&Instance> = all.iter().filter(among).collect();
        if own.is_empty() {
            return None;
        }
        let needed: Vec<Operand> = own.iter().flat_map(|one| one.operands.clone()).collect();
        let with = |run: &&Run| seeds.is_none_or(|wanted| wanted.contains(&run.seed));
        let judging: Vec<&Run> = runs.of(reading).into_iter().filter(with).collect();
        let base = match reading {
            BASE => judging.clone(),
            _ => runs.of(BASE),
        };
        let in_reading = |reading: &str, runs: &[&Run]| {
            let compared = own.iter().map(|one| Compared::of(one, decided(one, runs, &base)));
            InReading {
                reading: reading.to_owned(),
                experiment: paper.is_experiment(reading),
                judged: Judgement::of(claim.need, compared.collect()),
                runs: in_runs(runs, &own),
            }
        };
        let first = in_reading(reading, &judging);
        let mut readings = vec![first];
        let mut unmoved = Vec::new();
        let others = std::iter::once(BASE).chain(runs.readings());
        for name in others.filter(|name| *name != reading) {
            let of = runs.of(name);
            match changes_nothing(&of, &base, &needed) && name != BASE {
                true => unmoved.push(name.to_owned()),
                false => readings.push(in_reading(name, &of)),
            }
        }
        readings.retain(|own| own.reading == reading || own.judged.of > 0);
        let was_run = |name: &str| {
            readings.iter().any(|own| own.reading == name && own.judged.of > 0)
                || unmoved.iter().any(|own| own == name)
        };
        let untried = relevant(paper, &needed).into_iter();
        let untried = untried.filter(|name| !was_run(name) && !paper.is_experiment(name));
        let untried = untried.map(str::to_owned).collect();
        let mut ids: Vec<String> = Vec::new();
        for id in needed.iter().map(|operand| operand.row.to_string()) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let paper_value = |operand: &Operand| paper.published.value(operand);
        let on_paper = own.iter().map(|o| Compared::of(o, o.comparison.decide(&paper_value)));
        Some(Self {
            id: claim.id.clone(),
            says: claim.says.clone(),
            place: claim.place.clone(),
            read: claim.read.clone(),
            tests: claim.tests.clone(),
            need: claim.need,
            ours: readings[0].judged.clone(),
            paper: Judgement::of(claim.need, on_paper.collect()).as_far(claim.need),
            paper_reason: claim.paper.as_ref().map(|paper| paper.why.clone()),
            reason: None,
            reason_source: None,
            robust: Robust::of(readings.iter()),
            reversed_by: reversals(&readings),
            unmoved,
            untried,
            rows: marks::of(paper, &judging, &ids),
            row_ids: ids,
            left_out: all.len() - own.len(),
            readings,
        })
    }
}

/// A comparison over the seeds with which all its rows were run, or else by their means.
fn decided(one: &Instance, runs: &[&Run], base: &[&Run]) -> Option<Decision> {
    let single: Vec<&Run> = runs.iter().copied().filter(|run| has_single(run, one)).collect();
    if single.is_empty() {
        let means = runs.iter().find(|run| run.has(&one.operands))?;
        return one.comparison.decide(&|operand| value_in(means, operand));
    }
    let base: Vec<&Run> = base.iter().copied().filter(|run| has_single(run, one)).collect();
    one.comparison.decide(&|operand| value_over(&single, &base, operand))
}

fn has_single(run: &Run, one: &Instance) -> bool {
    let single = |operand| run.estimate(operand).is_some_and(|(row, _)| row.replicates <= 1);
    one.operands.iter().all(single)
}

fn value_in(run: &Run, operand: &Operand) -> Option<Value> {
    let (_, own) = run.estimate(operand)?;
    Some(Value { value: own.mean, ci95: own.ci95 })
}

/// The mean over runs that differ only in their seed. With fewer than three of them its interval
/// is taken from the spread of single runs of the base, if that is known; else two runs have half
/// of their distance, and one has the interval within it.
fn value_over(runs: &[&Run], base: &[&Run], operand: &Operand) -> Option<Value> {
    let of = |runs: &[&Run]| {
        let each = runs.iter().map(|run| Some(value_in(run, operand)?.value));
        each.collect::<Option<Vec<f64>>>()
    };
    let (each, spread) = (of(runs)?, of(base)?);
    let root = |runs: &[f64]| (runs.len() as f64).sqrt();
    let ci95 = match each.as_slice() {
        _ if each.len() >= ENOUGH => half_width(&each),
        _ if spread.len() >= ENOUGH => {
            half_width(&spread).map(|half| half * root(&spread) / root(&each))
        }
        [a, b] => Some((a - b).abs() / 2.0),
        _ => value_in(runs[0], operand)?.ci95,
    };
    Some(Value { value: mean(&each), ci95 })
}

/// The comparisons of each run by their values; means over seeds have those of which no single
/// run is known.
fn in_runs(runs: &[&Run], own: &[&Instance]) -> Vec<InRun> {
    let single = |one: &Instance| runs.iter().any(|run| has_single(run, one));
    let part = |run: &Run, seed: Option<u64>| {
        let (mut held, mut of, mut fail) = (0, 0, Vec::new());
        let such = |one: &&&Instance| match seed {
            Some(_) => has_single(run, one),
            None => !single(one),
        };
        for one in own.iter().filter(such) {
            let Some(decision) = one.comparison.decide(&|operand| value_in(run, operand)) else {
                continue;
            };
            of += 1;
            match decision.by_values {
                true => held += 1,
                false => fail.push(one.text.clone()),
            }
        }
        (of > 0).then_some(InRun { seed, held, of, fail })
    };
    let both = |run: &&Run| [part(run, Some(run.seed)), part(run, None)];
    runs.iter().flat_map(both).flatten().collect()
}

/// Comparisons that hold in the base and fail under a reading, or the other way round.
fn reversals(readings: &[InReading]) -> Vec<Reversal> {
    let [first, others @ ..] = readings else { return Vec::new() };
    let opposite = |a: Verdict, b: Verdict| {
        matches!(
            (a, b),
            (Verdict::Holds, Verdict::DoesNotHold) | (Verdict::DoesNotHold, Verdict::Holds)
        )
    };
    let of = |own: &InReading| {
        let pairs = first.judged.comparisons.iter().zip(&own.judged.comparisons);
        let reversed = pairs.filter(|(base, own)| opposite(base.verdict, own.verdict));
        let comparisons: Vec<String> = reversed.map(|(base, _)| base.test.clone()).collect();
        let reading = own.reading.clone();
        (!comparisons.is_empty()).then_some(Reversal { reading, comparisons })
    };
    others.iter().filter(|own| !own.experiment).filter_map(of).collect()
}

/// Whether a reading has the values of the base with the same seed in all that is known of both,
/// to the six digits that are recorded.
fn changes_nothing(reading: &[&Run], base: &[&Run], needed: &[Operand]) -> bool {
    let same = |a: f64, b: f64| (a - b).abs() <= 1e-5 * a.abs().max(b.abs());
    let mut any = false;
    let all = reading.iter().all(|own| {
        let other = base.iter().find(|run| run.seed == own.seed);
        needed.iter().all(|operand| {
            let Some((_, a)) = own.estimate(operand) else { return true };
            any = true;
            let b = other.and_then(|run| run.estimate(operand));
            b.is_some_and(|(_, b)| same(a.mean, b.mean))
        })
    });
    all && any
}
