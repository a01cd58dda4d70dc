//! A paper and our numbers side by side: the contents of `reproduction.json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_lab::suite::claims::{Judgement, Operand, Verdict};
use tusker_measure::condition::Value;
use tusker_measure::stats::Estimate;
use tusker_measure::summary::{Summary, Window};
use tusker_plan::plane::Plane;

use crate::conclusions::{self, ConclusionResult};
use crate::measure::Measure;
use crate::paper::Paper;
use crate::recorded::{Measured, in_step};
use crate::rows::{Row, Taken};
pub use part::QUICK_LOOK;
use row::row_result;
pub use scoreboard::{MeasureScore, Scoreboard};

/// Version of the format of `reproduction.json`. It is raised if a field is removed or
/// changes its meaning, not for a new field.
pub const FORMAT: u32 = 5;

/// The contents of `reproduction.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reproduction {
    /// Version of this format.
    pub format: u32,
    /// What is reproduced.
    pub paper: PaperInfo,
    /// Under which assumptions.
    pub reading: ReadingInfo,
    /// Shortened runs, for a quick look; not comparable with the paper's length.
    pub quick: bool,
    /// With `quick`: it leaves all of these rows as long as in the paper.
    #[serde(default)]
    pub in_full: bool,
    /// Which recorded results are older than the program, if they were recorded and
    /// `suite.toml` says so.
    #[serde(default)]
    pub stale: Option<String>,
    /// What is measured.
    pub measures: Vec<Measure>,
    /// The selected rows, in the order of the tables.
    pub rows: Vec<RowResult>,
    /// Every claim of the paper, including those that lack rows.
    pub claims: Vec<ClaimResult>,
    /// The paper's conclusions, and whether they stand by the results recorded beside the
    /// paper.
    #[serde(default)]
    pub conclusions: Vec<ConclusionResult>,
    /// The overall score.
    pub scoreboard: Scoreboard,
    /// The base scenario as text, with the assumptions and the reasons for them.
    pub scenario: String,
    /// How the numbers were produced.
    pub execution: Execution,
}

/// What is reproduced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PaperInfo {
    /// Short name.
    pub key: String,
    /// Title.
    pub title: String,
    /// Who wrote it.
    pub authors: String,
    /// Which part of it is covered.
    pub covers: String,
    /// Rows in its tables.
    pub rows: usize,
    /// The choices of cases: `queue`, `s1`.
    #[serde(default)]
    pub choose: Vec<String>,
    /// What varies between the runs of a case: `delay`.
    pub variant: String,
    /// Its unit.
    pub variant_unit: String,
}

/// Under which assumptions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReadingInfo {
    /// Name of the reading; `base` for that of scenario.toml.
    pub name: String,
    /// Why it is possible.
    pub why: Vec<String>,
    /// What it changes.
    pub changes: Vec<String>,
}

/// One row of the paper's tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RowResult {
    /// Its name: `7@50`.
    pub id: String,
    /// The table that it is in.
    pub table: String,
    /// Its case.
    pub case: String,
    /// The variant at which it was run: `50`.
    pub variant: String,
    /// The variant's position on an axis, if it has one.
    pub x: Option<f64>,
    /// The congestion control that the case is about, if no choice is its name alone.
    #[serde(default)]
    pub law: Option<String>,
    /// The choices of the case: queue policy, congestion controls.
    pub choose: BTreeMap<String, String>,
    /// What the row changes in the base scenario.
    #[serde(default)]
    pub changes: Vec<String>,
    /// Finished replicates; 0 if the row was not run.
    pub replicates: usize,
    /// Replicates that were asked for; 0 if that is not known.
    #[serde(default)]
    pub asked: usize,
    /// Replicates that the executor itself reported as invalid.
    #[serde(default)]
    pub invalid: usize,
    /// The seeds of the replicates; empty if they are not known.
    #[serde(default)]
    pub seeds: Vec<u64>,
    /// Packets dropped in step at a full queue, and all that it dropped, if phase effects
    /// decide the row; null if not, or if it is not known.
    #[serde(default)]
    pub in_step: Option<[f64; 2]>,
    /// The measuring window, if it was run.
    pub window: Option<Window>,
    /// Every measure.
    pub values: BTreeMap<String, Cell>,
    /// Whether all judged measures are within their tolerances.
    pub verdict: Verdict,
    /// Why it is off, if known.
    pub reason: Option<String>,
    /// Where in the repository that is shown.
    #[serde(default)]
    pub reason_source: Option<String>,
}

/// One measure of one row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The paper's value.
    pub paper: Option<Printed>,
    /// Our value, in the paper's unit.
    pub ours: Option<Estimate>,
    /// Ours minus the paper's.
    pub difference: Option<f64>,
    /// Whether the difference is within the tolerance; null if it is not judged.
    pub within: Option<bool>,
    /// Whether that is more than chance: false if the 95 % interval of the difference, over
    /// replicates, covers the tolerance; null for a single run.
    #[serde(default)]
    pub clear: Option<bool>,
}

/// A printed number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Printed {
    /// The value.
    pub value: f64,
    /// Half of its 95 % confidence interval, if printed.
    pub ci95: Option<f64>,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimResult {
    /// Its name.
    pub id: String,
    /// Where the paper says it.
    pub place: String,
    /// What it says.
    pub says: String,
    /// How the words were turned into numbers.
    pub read: String,
    /// Judged on our numbers.
    pub ours: Judgement,
    /// Judged on the paper's own numbers; open if it does not print them.
    pub paper: Judgement,
    /// Why the paper's own numbers do not support it, if so.
    pub paper_reason: Option<String>,
    /// Why ours do not, if known.
    pub reason: Option<String>,
    /// Where in the repository that is shown.
    #[serde(default)]
    pub reason_source: Option<String>,
    /// It names at least one of the rows that were run.
    #[serde(default)]
    pub touches: bool,
}

/// How the numbers were produced.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Execution {
    /// Version of Tusker.
    pub tusker: String,
    /// The command line.
    pub command: Vec<String>,
    /// Wall time of all rows, as if they had been run one after another.
    pub wall_s: f64,
    /// What ran them: `simulator` or `testbed`.
    #[serde(default)]
    pub plane: String,
    /// They were recorded earlier, and nothing was run for this.
    #[serde(default)]
    pub recorded: bool,
}

impl Execution {
    fn on(plane: Plane, wall_s: f64) -> Self {
        let (tusker, plane) = (env!("CARGO_PKG_VERSION").to_owned(), plane.name().to_owned());
        Self { tusker, plane, wall_s, ..Self::default() }
    }
}

impl Reproduction {
    /// These rows with their results, set beside the paper. The rows of `more` are not
    /// listed but are used to judge claims.
    pub fn of(
        paper: &Paper,
        taken: &Taken<'_>,
        rows: &[(Row<'_>, Option<&Summary>)],
        more: &[(Row<'_>, Option<&Summary>)],
        quick: bool,
    ) -> Self {
        let measures = measures(paper, taken);
        let measured = |summary: &&Summary| Measured::of(summary, &measures);
        let result = |(row, summary): &(Row<'_>, Option<&Summary>)| {
            let measured = summary.as_ref().map(measured).unwrap_or_default();
            let on_testbed = summary.is_some_and(Summary::is_measured);
            RowResult {
                asked: summary.map_or(0, |summary| summary.wanted as usize),
                changes: part::changes(paper, row, taken, quick, on_testbed),
                in_step: summary.and_then(in_step),
                seeds: summary.map_or(Vec::new(), |summary| summary.seeds.clone()),
                ..row_result(paper, &measures, row, &measured)
            }
        };
        let results = rows.iter().chain(more).map(result).collect();
        let run = || rows.iter().chain(more).filter_map(|(_, summary)| *summary);
        let plane = match run().any(Summary::is_measured) {
            true => Plane::Testbed,
            false => Plane::Simulator,
        };
        let wall_s = rows.iter().filter_map(|(_, summary)| *summary);
        let wall_s = wall_s.map(|summary| summary.execution.wall_s).sum();
        let execution = Execution::on(plane, wall_s);
        Self::judged(paper, taken, results, rows.len(), quick, execution)
    }

    /// Every recorded row, under the base assumptions.
    pub fn recorded(paper: &Paper, recorded: &BTreeMap<String, Measured>, quick: bool) -> Self {
        // what was recorded beside a paper is one run with its seed
        Self::recorded_with(paper, &Taken::with(&[]), paper.seed().ok(), recorded, quick)
    }

    /// The same of rows that were recorded under a reading, with a seed where there is one
    /// run of each.
    pub fn recorded_with(
        paper: &Paper,
        taken: &Taken<'_>,
        seed: Option<u64>,
        recorded: &BTreeMap<String, Measured>,
        quick: bool,
    ) -> Self {
        let (measures, none) = (measures(paper, taken), Measured::default());
        let rows = paper.rows();
        let result = |row: &Row<'_>| {
            let measured = recorded.get(&row.id()).unwrap_or(&none);
            let single = measured.replicates == 1;
            RowResult {
                changes: part::changes(paper, row, taken, quick, false),
                seeds: seed.filter(|_| single).into_iter().collect(),
                ..row_result(paper, &measures, row, measured)
            }
        };
        let results: Vec<RowResult> = rows.iter().map(result).collect();
        let execution = Execution { recorded: true, ..Execution::on(Plane::Simulator, 0.0) };
        let this = Self::judged(paper, taken, results, rows.len(), quick, execution);
        Self { stale: paper.about.stale.clone(), ..this }
    }

    /// The first `shown` of these rows; claims are judged on all.
    fn judged(
        paper: &Paper,
        taken: &Taken<'_>,
        mut rows: Vec<RowResult>,
        shown: usize,
        quick: bool,
        execution: Execution,
    ) -> Self {
        let measures = measures(paper, taken);
        let mut claims = judged_claims(paper, &rows);
        // the known reasons are about simulations with the paper's seed
        let seed = paper.seed().ok();
        let own_seed = rows.iter().filter_map(|row| row.seeds.first()).all(|s| Some(*s) == seed);
        if taken.is_base() && own_seed && execution.plane == Plane::Simulator.name() {
            explain::explain(paper, &mut rows, &mut claims, quick);
        }
        rows.truncate(shown);
        let about = &paper.about;
        Self {
            format: FORMAT,
            paper: PaperInfo {
                key: about.key.clone(),
                title: about.title.clone(),
                authors: about.authors.clone(),
                covers: about.covers.clone(),
                rows: paper.published.rows(),
                choose: paper.cases.choose.keys().cloned().collect(),
                variant: paper.cases.variant.name.clone(),
                variant_unit: paper.cases.variant.unit.clone(),
            },
            reading: ReadingInfo { name: taken.name(), why: taken.why(), changes: taken.changes() },
            quick,
            in_full: part::in_full(paper, &rows, quick),
            stale: None,
            scoreboard: Scoreboard::of(paper, &measures, &rows, &claims),
            measures: measures.into_iter().map(Measure::into_stored).collect(),
            rows,
            conclusions: conclusions::judge(paper, &paper.recorded_runs()),
            claims,
            scenario: paper.scenario.to_string(),
            execution,
        }
    }

    /// As JSON text.
    ///
    /// # Panics
    /// Never: it is plain data.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }

    /// The JSON Schema of `reproduction.json`.
    ///
    /// # Panics
    /// Never: a schema is plain data.
    pub fn schema() -> String {
        let schema = schemars::schema_for!(Self);
        let mut text = serde_json::to_string_pretty(&schema).expect("plain data");
        text.push('\n');
        text
    }
}

/// A paper's measures, each with the source that the reading gives.
fn measures(paper: &Paper, taken: &Taken<'_>) -> Vec<Measure> {
    let measures = paper.about.measures.iter().map(|measure| Measure {
        of: taken.source(&measure.name).unwrap_or(&measure.of).to_owned(),
        ..measure.clone()
    });
    measures.collect()
}

fn judged_claims(paper: &Paper, rows: &[RowResult]) -> Vec<ClaimResult> {
    let by_id: BTreeMap<&str, &RowResult> = rows.iter().map(|row| (row.id.as_str(), row)).collect();
    let ours = |operand: &Operand| {
        let cell = by_id.get(operand.row.to_string().as_str())?.values.get(&operand.measure)?;
        cell.ours.map(|ours| Value { value: ours.mean, ci95: ours.ci95 })
    };
    let run = |operand: &Operand| {
        by_id.get(operand.row.to_string().as_str()).is_some_and(|r| r.replicates > 0)
    };
    let claims = paper.claims.iter().map(|claim| ClaimResult {
        id: claim.id.clone(),
        place: claim.place.clone(),
        says: claim.says.clone(),
        read: claim.read.clone(),
        ours: claim.judge(paper, &ours),
        paper: claim.judge_printed(paper, &|own| paper.published.value(own)),
        paper_reason: claim.paper.as_ref().map(|paper| paper.why.clone()),
        reason: None,
        reason_source: None,
        touches: claim.operands(paper).is_ok_and(|all| all.iter().any(run)),
    });
    claims.collect()
}

pub mod baseline;
mod csv;
mod explain;
mod part;
mod phase;
pub(crate) mod row;
pub mod scoreboard;
#[cfg(test)]
mod tests;
