//! The answer to one claim: every comparison, with every seed and under every reading for which
//! runs are known.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tried::{cannot_change, could_change};
use super::{Run, Runs, changes_nothing, judged, value_over};
use crate::claims::Claim;
use crate::expr::{Operand, Value};
use crate::instances::Instance;
use crate::judge::Judgement;
use crate::paper::Paper;
use crate::rows::BASE;

mod beside;
pub(super) mod csv;
mod depends;
mod found;
mod marks;
mod readings;
mod words;

pub use beside::Beside;
pub use found::{Compare, Found, InRuns, Outcome};
pub use marks::{Mark, Miss};

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
    /// How many of its comparisons must hold: `all`, `at least one`, `more than half`, `90 %`; of
    /// a test of the user's own `every one`, so that one that fails decides.
    pub need: String,
    /// The verdict and what it rests on, in one line.
    pub told: String,
    /// The reading under which it is judged; the other readings are in `readings`.
    pub reading: String,
    /// Comparisons that were left out, because one of their rows was not chosen.
    pub left_out: usize,
    /// Its comparisons.
    pub comparisons: Vec<Compare>,
    /// On the paper's own numbers.
    pub paper: InRuns,
    /// Why the paper's own numbers do not support it, if so.
    pub paper_reason: Option<String>,
    /// Why ours do not, if known.
    pub reason: Option<String>,
    /// Where in the repository that is shown.
    pub reason_source: Option<String>,
    /// On all seeds together: the verdict.
    pub all: InRuns,
    /// On each seed by itself; empty if there is only one.
    pub seeds: Vec<InRuns>,
    /// Under each other reading that is known: with each seed, then with several together.
    pub readings: Vec<InRuns>,
    /// What was recorded with the program, beside runs of one's own; empty if these are what
    /// was recorded.
    #[serde(default)]
    pub recorded: Vec<InRuns>,
    /// Other measures of its rows, which say who gets what.
    #[serde(default)]
    pub beside: Vec<Beside>,
    /// Readings that change nothing in its rows, by their scenarios or by what was measured:
    /// they are no evidence for it.
    pub unmoved: Vec<String>,
    /// Readings that could change it and were neither tried nor recorded.
    pub untried: Vec<String>,
    /// Runs that have only some of its rows, and are left out.
    #[serde(default)]
    pub in_part: Vec<RunsInPart>,
    /// The same runs with their comparisons, as far as they have the rows: they decide nothing.
    #[serde(default)]
    pub parts: Vec<InRuns>,
    /// Readings under which its verdict is another one than without them and with the same
    /// seed, each with that verdict and why; empty unless it holds or does not hold.
    #[serde(default)]
    pub depends_on: Vec<String>,
}

/// Runs of a reading with only some of the rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunsInPart {
    /// The reading.
    pub reading: String,
    /// The seed of each run.
    pub seeds: Vec<u64>,
}

impl RunsInPart {
    /// Of these runs; none without runs.
    pub(super) fn of(reading: &str, runs: &[&Run]) -> Option<Self> {
        let seeds: Vec<u64> = runs.iter().map(|run| run.seed).collect();
        (!seeds.is_empty()).then(|| Self { reading: reading.to_owned(), seeds })
    }

    /// `newreno with seeds 2 and 3`.
    pub fn text(&self) -> String {
        format!("{} {}", self.reading, words::with_seeds(&self.seeds))
    }
}

impl Claim {
    /// What these runs say of it under `reading`, with what they say of it under others.
    /// Only comparisons of which every row is among `rows` count; none if there is none.
    pub fn answer(
        &self,
        paper: &Paper,
        runs: &Runs,
        reading: &str,
        rows: &BTreeSet<String>,
    ) -> Option<Answer> {
        self.answer_with(paper, runs, reading, None, rows)
    }

    /// The same; if the seeds of the base are known for some of its rows only, by `mean`, which
    /// has the mean over several for each row, as far as that has more of them.
    pub fn answer_or_mean(
        &self,
        paper: &Paper,
        runs: &Runs,
        mean: Option<&Run>,
        reading: &str,
        rows: &BTreeSet<String>,
    ) -> Option<Answer> {
        let answer = self.answer(paper, runs, reading, rows)?;
        let Some(mean) = mean.filter(|_| answer.all.missing > 0 && reading == BASE) else {
            return Some(answer);
        };
        let mut others = runs.clone();
        others.0.retain(|run| run.reading != BASE);
        others.0.insert(0, mean.clone());
        let other = self.answer(paper, &others, reading, rows)?;
        Some(if other.all.missing < answer.all.missing { other } else { answer })
    }

    /// As [`Self::answer`], with these seeds of `reading` alone.
    pub fn answer_with(
        &self,
        paper: &Paper,
        runs: &Runs,
        reading: &str,
        seeds: Option<&Range<u64>>,
        rows: &BTreeSet<String>,
    ) -> Option<Answer> {
        let all = self.compared(paper);
        let count = all.len();
        let chosen = |one: &Compare| one.rows.iter().all(|row| rows.contains(row));
        let comparisons: Vec<Compare> = all.into_iter().filter(chosen).collect();
        if comparisons.is_empty() {
            return None;
        }
        let own: BTreeSet<&String> = comparisons.iter().flat_map(|one| &one.rows).collect();
        let mut needed = self.operands(paper).unwrap_or_default();
        needed.retain(|operand| own.contains(&operand.row));
        let runs = only(runs, rows);
        let any = |run: &&Run| needed.iter().any(|o| run.rows.contains_key(&o.row));
        let mut base: Vec<&Run> = runs.of(reading).into_iter().filter(any).collect();
        base.retain(|run| seeds.is_none_or(|asked| asked.contains(&run.seed)));
        // a seed with only some of its rows says nothing beside those that have all
        let (whole, part): (Vec<&Run>, Vec<&Run>) =
            base.iter().copied().partition(|run| run.has(&needed));
        let (own, part) = if whole.is_empty() { (base, Vec::new()) } else { (whole, part) };
        let line = |of: &[&Run]| self.line(paper, of, &comparisons);
        let alone = |run: &&Run| line(&[*run]);
        let mut answer = Answer {
            id: self.id.clone(),
            says: self.says.clone(),
            place: self.place.clone(),
            read: self.read.clone(),
            tests: self.tests.clone(),
            need: self.need.text(),
            told: String::new(),
            reading: reading.to_owned(),
            left_out: count - comparisons.len(),
            paper: self.on_paper(paper, rows, &comparisons),
            paper_reason: self.paper.as_ref().map(|paper| paper.why.clone()),
            reason: None,
            reason_source: None,
            all: InRuns { reading: reading.to_owned(), ..line(&own) },
            seeds: if own.len() > 1 { own.iter().map(alone).collect() } else { Vec::new() },
            readings: Vec::new(),
            recorded: Vec::new(),
            beside: beside::of(paper, &own, &comparisons),
            unmoved: Vec::new(),
            untried: Vec::new(),
            in_part: Vec::new(),
            parts: part.iter().map(alone).collect(),
            depends_on: Vec::new(),
            comparisons: comparisons.clone(),
        };
        let could = could_change(paper, &needed);
        let known = |part: &str| paper.readings.iter().any(|reading| reading.name == part);
        let one = |part: &str| could.contains(&part) || !known(part);
        let can = |name: &str| name.split('+').any(one);
        answer.unmoved = cannot_change(paper, &could);
        let mut others: Vec<&str> = if reading == BASE { Vec::new() } else { vec![BASE] };
        others.extend(runs.readings().into_iter().filter(|name| *name != reading && can(name)));
        // with every seed, as another reading may be known with another seed than this one
        let of_base = runs.of(BASE);
        answer.in_part.extend(RunsInPart::of(reading, &part));
        for name in others {
            let of = runs.of(name).into_iter().filter(any);
            let (of, part): (Vec<&Run>, Vec<&Run>) = of.partition(|run| run.has(&needed));
            // rows that the reading leaves as they are in the base are the base's, not run with it
            let is_base = |run: &&Run| of_base.iter().any(|base| run.is_part_of(base));
            let part: Vec<&Run> = part.into_iter().filter(|run| !is_base(run)).collect();
            answer.parts.extend(part.iter().map(alone));
            answer.in_part.extend(RunsInPart::of(name, &part));
            let same = |base: &[&Run]| changes_nothing(&of, base, &needed);
            match () {
                () if of.is_empty() => {}
                () if same(&own) || (name != BASE && same(&of_base)) => {
                    answer.unmoved.push(name.to_owned());
                }
                () => {
                    answer.readings.extend(of.iter().map(alone));
                    answer.readings.extend((of.len() > 1).then(|| line(&of)));
                }
            }
        }
        let tried = |name: &&str| {
            let known = answer.readings.iter().any(|own| own.reading == **name);
            known || *name == reading || answer.unmoved.iter().any(|own| own == *name)
        };
        let untried = could.into_iter().filter(|name| !tried(name) && !paper.is_experiment(name));
        answer.untried = untried.map(str::to_owned).collect();
        Some(answer.with_recorded(paper, Vec::new()))
    }

    /// Its comparisons, apart from their numbers.
    fn compared(&self, paper: &Paper) -> Vec<Compare> {
        let all = self.instances(paper).unwrap_or_default();
        all.iter().map(|own| compare(&self.tests[own.test], own)).collect()
    }

    /// In runs that differ only in their seed.
    fn line(&self, paper: &Paper, of: &[&Run], comparisons: &[Compare]) -> InRuns {
        let replicates = of.iter().flat_map(|run| run.rows.values()).map(|row| row.replicates);
        let means_of = if of.len() == 1 { replicates.max().unwrap_or(1) } else { 1 };
        let own = self.counted(
            paper,
            &judged(paper, self, of),
            &|operand| value_over(of, operand),
            comparisons,
        );
        InRuns {
            experiment: of.first().is_some_and(|run| paper.is_experiment(&run.reading)),
            reading: of.first().map_or(String::new(), |run| run.reading.clone()),
            seeds: of.iter().map(|run| run.seed).collect(),
            means_of,
            verdict: self.need.verdict_so_far(own.held, own.chance, own.of, own.missing),
            rows: marks::of(paper, of, comparisons),
            ..own
        }
    }

    fn on_paper(&self, paper: &Paper, rows: &BTreeSet<String>, comparisons: &[Compare]) -> InRuns {
        let value = |operand: &Operand| {
            rows.contains(&operand.row).then(|| paper.published.value(operand)).flatten()
        };
        let own = self.counted(paper, &self.judge(paper, &value), &value, comparisons);
        InRuns { reading: "paper".to_owned(), ..own }
    }

    fn counted(
        &self,
        paper: &Paper,
        judgement: &Judgement,
        value: &dyn Fn(&Operand) -> Option<Value>,
        comparisons: &[Compare],
    ) -> InRuns {
        let instances = self.instances(paper).unwrap_or_default();
        let instances: BTreeMap<&String, &Instance> =
            instances.iter().map(|own| (&own.text, own)).collect();
        let found = |one: &Compare| {
            let compared = judgement.comparisons.iter().find(|known| known.test == one.text);
            let instance = instances.get(&one.text);
            let terms = instance.map_or(Vec::new(), |own| own.comparison.values(&own.scope, value));
            Found::of(compared, &terms)
        };
        let found: Vec<Found> = comparisons.iter().map(found).collect();
        let lack = found.iter().filter(|one| one.outcome == Outcome::Missing).count();
        InRuns {
            reading: String::new(),
            experiment: false,
            seeds: Vec::new(),
            means_of: 1,
            verdict: judgement.verdict,
            held: judgement.held,
            chance: judgement.chance,
            of: judgement.of,
            missing: lack,
            found,
            rows: Vec::new(),
        }
    }
}

impl Answer {
    /// With what was recorded beside these runs, which decides nothing but is known.
    #[must_use]
    pub fn with_recorded(mut self, paper: &Paper, recorded: Vec<InRuns>) -> Self {
        self.untried.retain(|name| !recorded.iter().any(|own| own.reading == *name));
        self.recorded = recorded;
        self.depends_on = self.other_verdicts(paper);
        self.told = self.sentence(paper);
        self
    }
}

fn compare(test: &str, own: &Instance) -> Compare {
    let operands = &own.operands;
    let rows = distinct(operands.iter().map(|operand| operand.row.clone()));
    let parts: Vec<(&str, &str)> =
        rows.iter().map(|row| row.split_once('@').unwrap_or((row, ""))).collect();
    let at = distinct(parts.iter().map(|(_, at)| (*at).to_owned()));
    let cases = match at.len() {
        1 => parts.iter().map(|(case, _)| (*case).to_owned()).collect(),
        _ => rows.clone(),
    };
    Compare {
        test: test.to_owned(),
        text: own.text.clone(),
        signs: own.comparison.relations().collect(),
        measures: distinct(operands.iter().map(|operand| operand.measure.clone())),
        cases,
        rows,
        at: (at.len() == 1).then(|| at[0].clone()),
    }
}

/// These rows of the runs alone.
fn only(runs: &Runs, rows: &BTreeSet<String>) -> Runs {
    let mut runs = runs.clone();
    for run in &mut runs.0 {
        run.rows.retain(|row, _| rows.contains(row));
    }
    runs
}

/// Without repetitions, in the order of their first occurrence.
fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

#[cfg(test)]
mod tests;
