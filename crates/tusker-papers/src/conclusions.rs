//! A paper's conclusions, and whether they stand: a handful of sentences, each backed by
//! some of the paper's claims, judged over several seeds and readings of the text.
//!
//! ```text
//!  every claim of a conclusion, on the base:     holds | partly | undecided | does not hold
//!  the same claims on each other reading:        holds | partly | undecided | does not hold
//!
//!  stands       the base holds, and so does every reading that was run
//!  fails        the base does not hold, and neither does any reading
//!  depends on   what is in between: the readings with another verdict,
//!               the seed, or which of the rows one looks at
//! ```
//!
//! The rule is documented in docs/reproduce.md and is the same for all papers. A comparison
//! supports a claim of the base if it holds with every seed and the mean difference exceeds its
//! confidence interval over the seeds. The runs are recorded in `conclusions.csv` ([`runs`]);
//! those of the base with its first seed may be in `full.csv` instead.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_record::stats::Over;

use crate::claims::{Claim, Need, Verdict};
use crate::expr::{Operand, Value};
use crate::judge::{Compared, Judgement};
use crate::paper::{Error, Paper};
use crate::rows::BASE;

mod answer;
mod in_reading;
mod margin;
pub mod runs;
mod seeds;
mod tried;

pub use crate::model::{Conclusion, Conclusions};
pub(crate) use answer::csv::cell;
pub use answer::{Answer, Beside, Compare, Found, InRuns, Mark, Miss, Outcome, RunsInPart};
pub use in_reading::InReading;
pub use margin::{MARGIN_OF, Margin};
use runs::is_same;
pub use runs::{Run, Runs};
use seeds::Seeds;
pub use tried::ReadingInPart;
use tried::Untried;

/// Whether a conclusion stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It holds in the base with every seed, and in every reading that was run.
    Stands,
    /// The verdict differs for some reading, seed or row.
    Depends,
    /// It does not hold in the base, nor in any reading that was run.
    Fails,
    /// Rows that it needs were not run.
    Open,
}

impl Standing {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Stands => "stands",
            Self::Depends => "depends",
            Self::Fails => "fails",
            Self::Open => "not judged",
        }
    }
}

/// A conclusion with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConclusionResult {
    /// Its name.
    pub id: String,
    /// What it says.
    pub says: String,
    /// Whether it stands, by the results recorded beside the paper.
    pub standing: Standing,
    /// What it depends on, in words.
    pub depends_on: Vec<String>,
    /// The verdict on the base.
    pub base: Verdict,
    /// Seeds with which all of its rows were run on the base.
    pub seeds: usize,
    /// These seeds.
    #[serde(default)]
    pub seeds_run: Vec<u64>,
    /// Seeds that `conclusions.toml` asks for and with which not all of its rows were run.
    #[serde(default)]
    pub seeds_lacking: Vec<u64>,
    /// Seeds with which some of its rows were run, but not all.
    #[serde(default)]
    pub in_part: Vec<InPart>,
    /// Rows that it needs.
    #[serde(default)]
    pub rows: usize,
    /// The base is known only as means over so many seeds; 1 if each is known by itself.
    #[serde(default)]
    pub means_of: usize,
    /// Seeds that `conclusions.toml` asks for.
    pub seeds_wanted: usize,
    /// Readings that `conclusions.toml` asks for and that change something here.
    pub readings_wanted: usize,
    /// The verdict on each reading that was run.
    pub readings: Vec<InReading>,
    /// The same under experiments against the text, on which no verdict depends.
    #[serde(default)]
    pub experiments: Vec<InReading>,
    /// Readings that `conclusions.toml` asks for, that change something in the rows of this
    /// conclusion, and that were not run.
    #[serde(default)]
    pub lacking: Vec<String>,
    /// Readings under which some of its rows were run, but not all.
    #[serde(default)]
    pub readings_in_part: Vec<ReadingInPart>,
    /// Readings that were run and change nothing in the rows of this conclusion, so that
    /// they are no evidence for it.
    #[serde(default)]
    pub unmoved: Vec<String>,
    /// Other readings of the text that change something in these rows: it does not ask for
    /// them, and they were not run.
    #[serde(default)]
    pub not_asked: Vec<String>,
    /// How far the base is from the opposite verdict.
    pub margin: Option<Margin>,
    /// The claims that back it, on the base.
    pub claims: Vec<ClaimStands>,
    /// The verdict on the runs reported here alone.
    pub here: Verdict,
}

/// A seed with which only some rows of a conclusion were run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InPart {
    /// The seed.
    pub seed: u64,
    /// How many rows.
    pub rows: usize,
}

/// One claim of a conclusion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimStands {
    /// Its name.
    pub id: String,
    /// The verdict on the base.
    pub verdict: Verdict,
    /// Comparisons that hold with every seed, and beyond the interval.
    pub held: usize,
    /// Comparisons that depend on chance or on the seed.
    pub chance: usize,
    /// Number of comparisons.
    pub of: usize,
}

/// Seeds from which an interval is meaningful: with two it reaches 12.7 standard errors to
/// each side.
const ENOUGH: usize = 3;

/// Combines several claims: the conclusion holds if all of them do, and does not hold if
/// fewer than half could.
fn together(claims: &[Verdict]) -> Verdict {
    if claims.contains(&Verdict::Open) {
        return Verdict::Open;
    }
    let count = |verdict: Verdict| claims.iter().filter(|v| **v == verdict).count();
    // a claim that holds in part neither supports nor contradicts
    let open = count(Verdict::Partly) + count(Verdict::Undecided);
    match Need::All.verdict(count(Verdict::Holds), open, claims.len()) {
        Verdict::Undecided if count(Verdict::Undecided) == 0 => Verdict::Partly,
        verdict => verdict,
    }
}

/// The verdict on several claims together.
fn verdict_of(claims: &[Judgement]) -> Verdict {
    together(&claims.iter().map(|claim| claim.verdict).collect::<Vec<_>>())
}

/// Whether a reading has the values of the base with the same seed, as far as they were
/// recorded, which is to six digits.
fn changes_nothing(reading: &[&Run], base: &[&Run], needed: &[Operand]) -> bool {
    let value = |run: &Run, operand: &Operand| {
        run.rows.get(&operand.row)?.values.get(&operand.measure).map(|own| own.mean)
    };
    !reading.is_empty()
        && reading.iter().all(|own| {
            let other = base.iter().find(|run| run.seed == own.seed);
            let both = |operand| value(own, operand).zip(value(other?, operand));
            needed.iter().all(|operand| both(operand).is_some_and(|(a, b)| is_same(a, b)))
        })
}

/// Partly and undecided count as the same kind: neither of the other two.
fn kind(verdict: Verdict) -> Verdict {
    if verdict == Verdict::Undecided { Verdict::Partly } else { verdict }
}

/// The intervals within a single run do not count: some measures have none, and what comes
/// from a table never has one. Seeds show more.
fn value_in(run: &Run, operand: &Operand) -> Option<Value> {
    let own = run.rows.get(&operand.row)?.values.get(&operand.measure)?;
    Some(Value { value: own.mean, ci95: own.ci95.filter(|_| own.over != Over::Batches) })
}

/// A value over runs that differ only in their seed.
fn value_over(runs: &[&Run], operand: &Operand) -> Option<Value> {
    if let [only] = runs {
        return value_in(only, operand);
    }
    let each: Option<Vec<f64>> =
        runs.iter().map(|run| Some(value_in(run, operand)?.value)).collect();
    let each = each.filter(|each| !each.is_empty())?;
    let ci95 = tusker_record::stats::half_width(&each).filter(|_| each.len() >= ENOUGH);
    Some(Value { value: tusker_record::stats::mean(&each), ci95 })
}

/// A claim judged on runs that differ only in their seed.
fn judged(paper: &Paper, claim: &Claim, runs: &[&Run]) -> Judgement {
    let mut judged = claim.judge(paper, &|operand| value_over(runs, operand));
    if runs.len() < 2 {
        return judged;
    }
    for run in runs {
        let one = claim.judge(paper, &|operand| value_in(run, operand));
        for compared in &mut judged.comparisons {
            let same = one.comparisons.iter().find(|other| other.test == compared.test);
            // if seeds disagree it is chance, whatever their interval
            if same.is_some_and(|same| same.holds != compared.holds) {
                compared.clear = Some(false);
            }
        }
    }
    let count = |such: fn(&Compared) -> bool| judged.comparisons.iter().filter(|c| such(c)).count();
    (judged.held, judged.chance) = (count(Compared::supports), count(Compared::is_chance));
    judged.verdict = claim.need.verdict(judged.held, judged.chance, judged.of);
    judged
}

impl Conclusion {
    fn claims_of<'a>(&'a self, paper: &'a Paper) -> impl Iterator<Item = &'a Claim> {
        self.claims.iter().filter_map(|id| paper.claims.iter().find(|claim| claim.id == *id))
    }

    /// Each of its claims on these runs.
    fn judged_on(&self, paper: &Paper, runs: &[&Run]) -> Vec<Judgement> {
        self.claims_of(paper).map(|claim| judged(paper, claim, runs)).collect()
    }

    /// Rows that it needs.
    pub fn operands(&self, paper: &Paper) -> Vec<Operand> {
        self.claims_of(paper).flat_map(|claim| claim.operands(paper).unwrap_or_default()).collect()
    }

    /// Judges it on the recorded results; `here` is the verdict on a claim in other runs.
    pub fn judge(
        &self,
        paper: &Paper,
        runs: &Runs,
        here: &dyn Fn(&str) -> Verdict,
    ) -> ConclusionResult {
        let needed = self.operands(paper);
        let mut base: Vec<&Run> = runs.of(BASE);
        let seeds = Seeds::of(paper, &base, &needed);
        // a seed for which only other conclusions' rows were run says nothing about this one
        if base.iter().any(|run| run.has(&needed)) {
            base.retain(|run| run.has(&needed));
        }
        let judgements: Vec<(&Claim, Judgement)> =
            self.claims_of(paper).map(|claim| (claim, judged(paper, claim, &base))).collect();
        let verdicts: Vec<Verdict> = judgements.iter().map(|(_, j)| j.verdict).collect();
        let in_base = match judgements.iter().any(|(_, j)| j.missing > 0) {
            true => Verdict::Open,
            false => together(&verdicts),
        };
        let (unmoved, moved): (Vec<&str>, Vec<&str>) = runs
            .readings()
            .into_iter()
            .partition(|name| changes_nothing(&runs.of(name), &base, &needed));
        // a reading is compared with the base's runs with its own seeds, if the base has them
        let alone = |own: &[&Run]| {
            let has = |seed: u64| own.iter().any(|run| run.seed == seed);
            let mut same: Vec<&Run> = base.iter().copied().filter(|run| has(run.seed)).collect();
            if same.is_empty() {
                same.extend(base.first());
            }
            self.judged_on(paper, &same)
        };
        let pairs = moved.into_iter().map(|name| {
            let mut own = runs.of(name);
            // some of its rows alone may give another verdict
            own.retain(|run| run.has(&needed));
            let base = alone(&own);
            (InReading::of(name, &self.judged_on(paper, &own), &base), verdict_of(&base))
        });
        let pairs = pairs.filter(|(reading, _)| reading.verdict != Verdict::Open);
        let (experiments, pairs): (Vec<_>, Vec<_>) =
            pairs.partition(|(reading, _)| paper.is_experiment(&reading.name));
        let experiments = experiments.into_iter().map(|(reading, _)| reading).collect();
        let (readings, in_its_base): (Vec<InReading>, Vec<Verdict>) = pairs.into_iter().unzip();
        let otherwise =
            readings.iter().zip(in_its_base).filter(|(r, b)| kind(r.verdict) != kind(*b));
        let others: Vec<String> = otherwise.map(|(reading, _)| reading.told()).collect();
        let standing = match in_base {
            Verdict::Open => Standing::Open,
            Verdict::Holds if others.is_empty() => Standing::Stands,
            Verdict::DoesNotHold if others.is_empty() => Standing::Fails,
            _ => Standing::Depends,
        };
        let comparisons: Vec<&Compared> =
            judgements.iter().flat_map(|(_, j)| &j.comparisons).collect();
        let mut depends_on = match in_base {
            Verdict::Partly | Verdict::Undecided => margin::where_it_holds(&comparisons),
            _ => Vec::new(),
        };
        if standing == Standing::Depends {
            depends_on.extend(others);
        }
        let here: Vec<Verdict> = self.claims.iter().map(|id| here(id)).collect();
        let mut can = tried::could_change(paper, &needed);
        can.retain(|name| !paper.is_experiment(name));
        let untried = Untried::of(paper, &can, &readings, &unmoved);
        ConclusionResult {
            id: self.id.clone(),
            says: self.says.clone(),
            standing,
            depends_on,
            base: in_base,
            seeds: seeds.run.len(),
            seeds_run: seeds.run,
            seeds_lacking: seeds.lacking,
            in_part: seeds.in_part,
            rows: seeds.rows,
            means_of: seeds.means_of,
            seeds_wanted: paper.conclusions.seeds.len() + 1,
            readings_wanted: {
                let wanted = paper.conclusions.readings.iter().map(String::as_str);
                wanted.filter(|name| can.contains(name) && !unmoved.contains(name)).count()
            },
            lacking: untried.lacking,
            not_asked: untried.not_asked,
            readings_in_part: ReadingInPart::all(paper, runs, &needed),
            unmoved: unmoved.iter().map(|name| (*name).to_owned()).collect(),
            readings,
            experiments,
            margin: Margin::of(&comparisons, in_base != Verdict::DoesNotHold),
            claims: judgements
                .iter()
                .map(|(claim, j)| ClaimStands {
                    id: claim.id.clone(),
                    verdict: j.verdict,
                    held: j.held,
                    chance: j.chance,
                    of: j.of,
                })
                .collect(),
            here: together(&here),
        }
    }
}

/// Every conclusion of a paper, judged on the results recorded beside it.
pub fn judge(paper: &Paper, here: &dyn Fn(&str) -> Verdict) -> Vec<ConclusionResult> {
    let runs = paper.recorded_runs();
    judge_on(paper, &runs, here)
}

/// The same for other runs.
pub fn judge_on(
    paper: &Paper,
    runs: &Runs,
    here: &dyn Fn(&str) -> Verdict,
) -> Vec<ConclusionResult> {
    paper.conclusions.conclusions.iter().map(|one| one.judge(paper, runs, here)).collect()
}

/// Checks that what was recorded for conclusions can be read.
///
/// # Errors
/// If it cannot.
pub fn check(paper: &Paper) -> Result<(), Error> {
    let Some(text) = &paper.conclusions_csv else { return Ok(()) };
    let help = "`tusker reproduce PAPER --conclusions --format csv` prints it";
    let place = format!("{}/conclusions.csv", paper.about.key);
    let read = Runs::read(text, &paper.cases.variant.name);
    read.map(|_| ()).map_err(|message| Error::new(place, message, help))
}

/// As JSON text.
///
/// # Panics
/// Never: they are plain data.
pub fn to_json(all: &[ConclusionResult]) -> String {
    serde_json::to_string_pretty(all).expect("plain data") + "\n"
}

#[cfg(test)]
mod tests;
