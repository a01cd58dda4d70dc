//! What a suite says of a congestion control or a queue policy: the content of
//! `evaluation.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tusker_measure::condition::{self, Decision, Relation, Value};
use tusker_measure::stats::{Estimate, Over};
use tusker_store::sweep::Run;

use super::claims::{Judgement, Operand};
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
    /// The claims of the suite, judged on the values of what is evaluated.
    #[serde(default)]
    pub claims: Vec<ClaimResult>,
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

/// A claim of the suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimResult {
    /// Its name.
    pub id: String,
    /// What it says.
    pub says: String,
    /// Whether it holds.
    pub judged: Judgement,
}

/// Whether a value is within a tolerance of a published one, and whether that is certain: the
/// variation within a single run does not show what another seed would give.
pub fn within(ours: Estimate, published: Value, tolerance: f64) -> Decision {
    let half = ours.ci95.filter(|_| ours.over == Over::Replicates);
    let ci95 = half.map(|half| half.hypot(published.ci95.unwrap_or(0.0)));
    let difference = Value { value: (ours.mean - published.value).abs(), ci95 };
    Relation::AtMost.decide(difference, Value::exact(tolerance))
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
                    verdict: ours.map_or(condition::Verdict::Open, |ours| {
                        within(ours, Value::exact(own.value), own.tolerance).verdict()
                    }),
                });
            }
        }
        let value = |own: &Operand| {
            let same = |pair: &&super::expand::Pair<'_>| {
                pair.experiment.name == own.row.case && pair.variant() == own.row.variant
            };
            let [mine, _] = values.pair(expanded.pairs.iter().find(same)?, &own.measure);
            mine.map(|mine| Value { value: mine.mean, ci95: mine.ci95 })
        };
        let claims = suite.claims.iter().map(|claim| ClaimResult {
            id: claim.id.clone(),
            says: claim.says.clone(),
            judged: claim.judge(expanded, &value),
        });
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
            claims: claims.collect(),
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
    use std::sync::Arc;

    use tusker_measure::condition::Verdict::{DoesNotHold, Holds, Undecided};
    use tusker_store::Build;
    use tusker_store::sweep::{Fingerprint, Row};

    use super::super::{Request, Suite};
    use super::*;

    /// Of two paths, the subject loses 0.4 of its packets on the first and 0.1 on the second, and
    /// what it is compared with 0.9 on both: with equal runs, these are certain.
    #[test]
    fn claims_are_judged_on_the_values_of_the_subject() {
        let claims = ["loss_rate(deep@1bdp) < loss_rate(deep@0.5bdp)", "loss_rate(deep) < 0.2"];
        let claim = |(i, test): (usize, &&str)| {
            format!("[[claims]]\nid = \"{i}\"\nsays = \"{i}\"\ntests = [\"{test}\"]\n")
        };
        let claims: String = claims.iter().enumerate().map(claim).collect();
        let text = include_str!("../../../../suites/rfc9743/suite.toml");
        let head = &text[..text.find("[[experiments]]").unwrap()];
        let own = "[[experiments]]\nname = \"deep\"\ntitle = \"Deep\"\nless = [\"loss_rate\"]\n\
                   path.buffer = [\"0.5bdp\", \"1bdp\"]\n";
        let suite = Suite::read("own", "own", &format!("{head}{own}{claims}")).unwrap();
        let request = Request::of(&suite, "reno".to_owned(), None, [None; 3]).unwrap();
        let expanded = Expanded::of(&suite, &request).unwrap();
        let mine: Vec<usize> = expanded.pairs.iter().map(|pair| pair.mine.point).collect();
        let plane = tusker_plan::plane::Plane::Simulator;
        let build = Build { version: String::new(), hash: String::new(), plane };
        let names: Arc<[String]> = vec!["loss_rate".to_owned()].into();
        let run = |(point, replicate): (usize, u32)| {
            let loss = mine.iter().position(|own| *own == point).map_or(0.9, |at| [0.4, 0.1][at]);
            let key = Fingerprint::of(&point.to_string(), &build).run(replicate.into());
            let row = Arc::new(Row { names: names.clone(), values: vec![loss] });
            Run { point, replicate, seed: u64::from(replicate), key, row }
        };
        let runs = (0..expanded.len()).flat_map(|point| [(point, 1), (point, 2)]);
        let runs: Vec<Run> = runs.map(run).collect();
        let found = Evaluation::of(&expanded, &runs, String::new(), Vec::new());
        let judged: Vec<_> = found.claims.iter().map(|own| &own.judged).collect();
        assert_eq!((judged[0].verdict, judged[0].of), (Holds, 1));
        assert_eq!(
            (judged[1].verdict, judged[1].held, judged[1].of),
            (condition::Verdict::Partly, 1, 2)
        );
    }

    /// A claim names experiments, paths and measures that there are.
    #[test]
    fn a_mistake_in_a_claim_is_found_before_a_run() {
        let text = include_str!("../../../../suites/rfc9743/suite.toml");
        for (test, part) in [
            ("loss_rate(depp) < 1", "there is no experiment `depp`"),
            ("jain(shallow) < 1", "`jain` is not among the measures of `shallow`"),
            ("loss_rate < 1", "`loss_rate` is of no case"),
            ("loss_rate(shallow@9bdp) < 1", "there is no `shallow@9bdp`"),
        ] {
            let claim = format!("[[claims]]\nid = \"c\"\nsays = \"c\"\ntests = [\"{test}\"]\n");
            let suite = Suite::read("own", "own", &format!("{text}\n{claim}"));
            let expanded = suite.and_then(|suite| {
                let request = Request::of(&suite, "reno".to_owned(), None, [None; 3])?;
                Expanded::of(&suite, &request).map(|_| ())
            });
            let error = expanded.unwrap_err().to_string();
            assert!(error.contains("claim `c`") && error.contains(part), "{error}");
        }
    }

    /// Published are 90 with a tolerance of 3.
    #[test]
    fn a_published_value_is_met_as_a_row_of_a_paper() {
        let ours = |mean, half| Estimate { mean, ci95: Some(half), n: 3, over: Over::Replicates };
        for (ours, verdict) in [
            // 2 and 4 away, with half-widths that leave no doubt
            (ours(92.0, 0.5), Holds),
            (ours(86.0, 0.5), DoesNotHold),
            // 2 and 4 away, within 1.5 of the limit of 3
            (ours(92.0, 1.5), Undecided),
            (ours(86.0, 1.5), Undecided),
        ] {
            assert_eq!(within(ours, Value::exact(90.0), 3.0).verdict(), verdict, "{ours:?}");
        }
    }
}
