//! What a suite says of a congestion control or a queue policy: the content of
//! `evaluation.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_measure::condition::{self, Relation, Value};
use tusker_measure::stats::Estimate;
use tusker_store::sweep::Run;

use super::values::Values;
use super::{Better, Expanded, Overall, Subject, Verdict};

/// The content of `evaluation.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evaluation {
    /// Version of this format.
    pub format: u32,
    /// Version of Tusker.
    pub tusker: String,
    /// The command line.
    pub command: Vec<String>,
    /// Name of the suite.
    pub suite: String,
    /// Title of the suite.
    pub title: String,
    /// The document that asks for these experiments.
    pub source: String,
    /// What is evaluated.
    pub subject: Subject,
    /// Its name, with parameters.
    pub name: String,
    /// What it is compared with.
    pub against: String,
    /// On which path, and how.
    pub path: OnPath,
    /// How often each verdict was given.
    pub counts: Counts,
    /// The experiments.
    pub criteria: Vec<Criterion>,
    /// Published values of what is evaluated or compared with, beside ours.
    #[serde(default)]
    pub published: Vec<Published>,
    /// Experiments that were left out.
    pub left_out: Vec<LeftOut>,
    /// What the suite does not cover.
    pub limits: Vec<String>,
}

/// The path of most experiments, and how they were run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OnPath {
    /// Rate of the bottleneck.
    pub rate_bps: u64,
    /// Round-trip time without queueing.
    pub rtt_s: f64,
    /// Simulated time of a run.
    pub duration_s: f64,
    /// Runs of each experiment.
    pub replicates: u32,
    /// The seed of the first.
    pub seed: u64,
}

/// How often each verdict was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Comparisons with a verdict.
    pub comparisons: u32,
    /// `better`.
    pub better: u32,
    /// `slightly_better`.
    pub slightly_better: u32,
    /// `same`.
    pub same: u32,
    /// `slightly_worse`.
    pub slightly_worse: u32,
    /// `worse`.
    pub worse: u32,
    /// `undecided`.
    pub undecided: u32,
    /// `no_interval` and `no_value`.
    pub unknown: u32,
    /// Of runs with too few congestion episodes for a long-term mean.
    pub few_episodes: u32,
}

/// An experiment, and what it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// Name of the experiment.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// The sections of the source that ask for it.
    pub section: String,
    /// The verdict of all its measures.
    pub verdict: Overall,
    /// Its comparisons.
    pub comparisons: Vec<Comparison>,
}

/// One measure of both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// The measure.
    pub measure: String,
    /// Which values of it are better.
    pub better: Better,
    /// Whose flows share the path.
    pub rival: Option<String>,
    /// The value of the path, if the experiment has several paths.
    pub varied: Option<String>,
    /// Of what is evaluated.
    pub value: Option<Estimate>,
    /// Of what it is compared with.
    pub against: Option<Estimate>,
    /// How they compare; null if the value is only for later evaluations to compare with.
    pub verdict: Option<Verdict>,
    /// Some runs had too few congestion episodes for a long-term mean.
    pub few_episodes: bool,
}

/// A published value beside ours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// The experiment.
    pub experiment: String,
    /// The congestion control or queue policy.
    pub of: String,
    /// The measure.
    pub measure: String,
    /// The value of the path, if the experiment has several paths.
    pub varied: Option<String>,
    /// The published value.
    pub value: f64,
    /// How far ours may be from it.
    pub tolerance: f64,
    /// Where it is published.
    pub source: String,
    /// Ours.
    pub ours: Option<Estimate>,
    /// Whether ours is within the tolerance, as in the rows of papers: undecided if its interval
    /// covers a limit of the tolerance, open if there is none.
    pub verdict: condition::Verdict,
}

/// Whether a value is within a tolerance of a published one.
fn within(ours: Option<Estimate>, published: f64, tolerance: f64) -> condition::Verdict {
    ours.map_or(condition::Verdict::Open, |ours| {
        let apart = Value { value: (ours.mean - published).abs(), ci95: ours.ci95 };
        Relation::AtMost.decide(apart, Value::exact(tolerance)).verdict()
    })
}

/// An experiment that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// Name of the experiment.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// Why.
    pub reason: String,
}

/// Of a law beside others: one that gets nothing harms nobody.
const OWN: &str = "goodput_bps";

impl Evaluation {
    /// Version of the format.
    pub const FORMAT: u32 = 1;

    /// From the runs of all points.
    pub fn of(expanded: &Expanded<'_>, runs: &[Run], tusker: String, command: Vec<String>) -> Self {
        let (suite, request) = (expanded.suite, expanded.request);
        let values = Values::of(expanded, runs);
        let of_same = |a: &super::expand::Pair<'_>, b: &super::expand::Pair<'_>| {
            a.experiment.name == b.experiment.name
        };
        let criterion = |pairs: &[super::expand::Pair<'_>]| {
            let experiment = pairs[0].experiment;
            let judged = experiment.measures().map(|(name, better)| (name, better, true));
            let own = pairs[0].rival.as_ref().map(|_| (OWN, Better::More, false));
            let all = judged.chain(own).flat_map(|of| pairs.iter().map(move |pair| (of, pair)));
            let comparisons: Vec<Comparison> = all
                .map(|((measure, better, judged), pair)| {
                    let [value, against] = values.pair(pair, measure);
                    let verdict = || Verdict::of(measure, better, suite.same, value, against);
                    Comparison {
                        measure: measure.to_owned(),
                        better,
                        rival: pair.rival.clone(),
                        varied: pair.varied.clone(),
                        value,
                        against,
                        verdict: judged.then(verdict),
                        few_episodes: [&pair.mine, &pair.its]
                            .iter()
                            .any(|own| values.few_episodes(own)),
                    }
                })
                .collect();
            let verdicts: Vec<Verdict> = comparisons.iter().filter_map(|own| own.verdict).collect();
            Criterion {
                name: experiment.name.clone(),
                title: experiment.title.clone(),
                section: experiment.section.clone(),
                verdict: Overall::of(&verdicts),
                comparisons,
            }
        };
        let mut published = Vec::new();
        for pair in &expanded.pairs {
            for own in &pair.experiment.published {
                let sides = [&request.subject, &request.against];
                let side = sides.iter().position(|name| own.of == **name);
                let here = own.at.is_none() || own.at == pair.varied;
                let Some(side) = side.filter(|_| here) else { continue };
                let ours = values.pair(pair, &own.measure)[side];
                published.push(Published {
                    experiment: pair.experiment.name.clone(),
                    of: own.of.clone(),
                    measure: own.measure.clone(),
                    varied: pair.varied.clone(),
                    value: own.value,
                    tolerance: own.tolerance,
                    source: own.source.clone(),
                    ours,
                    verdict: within(ours, own.value, own.tolerance),
                });
            }
        }
        let criteria: Vec<Criterion> = expanded.pairs.chunk_by(of_same).map(criterion).collect();
        Self {
            format: Self::FORMAT,
            tusker,
            command,
            suite: suite.name.clone(),
            title: suite.title.clone(),
            source: suite.source.clone(),
            subject: suite.subject,
            name: request.subject.clone(),
            against: request.against.clone(),
            path: request.path(),
            counts: Counts::of(&criteria),
            criteria,
            published,
            left_out: expanded.left_out.clone(),
            limits: suite.limits.clone(),
        }
    }

    /// All comparisons, each with its criterion.
    pub fn comparisons(&self) -> impl Iterator<Item = (&Criterion, &Comparison)> {
        self.criteria.iter().flat_map(|one| one.comparisons.iter().map(move |own| (one, own)))
    }

    /// As the text of `evaluation.json`.
    ///
    /// # Panics
    /// Never: it is plain data.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("an evaluation is plain data") + "\n"
    }
}

impl Counts {
    fn of(criteria: &[Criterion]) -> Self {
        let mut counts = Self::default();
        for one in criteria.iter().flat_map(|one| &one.comparisons) {
            let Some(verdict) = one.verdict else { continue };
            counts.comparisons += 1;
            counts.few_episodes += u32::from(one.few_episodes);
            *match verdict {
                Verdict::Better => &mut counts.better,
                Verdict::SlightlyBetter => &mut counts.slightly_better,
                Verdict::Same => &mut counts.same,
                Verdict::SlightlyWorse => &mut counts.slightly_worse,
                Verdict::Worse => &mut counts.worse,
                Verdict::Undecided => &mut counts.undecided,
                Verdict::NoInterval | Verdict::NoValue => &mut counts.unknown,
            } += 1;
        }
        counts
    }
}

/// The JSON Schema of `evaluation.json`.
pub fn schema() -> String {
    let schema = schemars::schema_for!(Evaluation);
    serde_json::to_string_pretty(&schema).expect("a schema is plain data") + "\n"
}

#[cfg(test)]
mod tests {
    use tusker_measure::condition::Verdict::{DoesNotHold, Holds, Open, Undecided};
    use tusker_measure::stats::Over;

    use super::*;

    /// Published are 90 with a tolerance of 3.
    #[test]
    fn a_published_value_is_met_as_a_row_of_a_paper() {
        let ours =
            |mean, half| Some(Estimate { mean, ci95: Some(half), n: 3, over: Over::Replicates });
        for (ours, verdict) in [
            // 2 and 4 away, with half-widths that leave no doubt
            (ours(92.0, 0.5), Holds),
            (ours(86.0, 0.5), DoesNotHold),
            // 2 and 4 away, within 1.5 of the limit of 3
            (ours(92.0, 1.5), Undecided),
            (ours(86.0, 1.5), Undecided),
            (None, Open),
        ] {
            assert_eq!(within(ours, 90.0, 3.0), verdict, "{ours:?}");
        }
    }
}
