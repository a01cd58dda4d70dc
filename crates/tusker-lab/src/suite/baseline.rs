//! An earlier evaluation, to which a later version of the same law or policy is held.

use std::path::Path;

use tusker_measure::stats::Estimate;

use super::verdict::is_worse;
use super::{Comparison, Evaluation, asked};
use crate::Trouble;

/// An earlier evaluation.
#[derive(Clone, Debug)]
pub struct Baseline(Evaluation);

/// A comparison whose value is certainly worse than it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression<'a> {
    /// Name of the experiment.
    pub experiment: &'a str,
    /// The comparison as it is now.
    pub comparison: &'a Comparison,
    /// The value before, and now.
    pub values: [Estimate; 2],
}

impl Baseline {
    /// Reads `evaluation.json`.
    ///
    /// # Errors
    /// If it cannot be read, or is something else.
    pub fn read(file: &Path) -> Result<Self, Trouble> {
        let place = file.display();
        let help = "name a file that `tusker evaluate --format json` wrote, or evaluation.json of its folder";
        let text = tusker_store::files::text(file)
            .map_err(|error| asked(format!("--baseline {place}: cannot be read: {error}"), help))?;
        match serde_json::from_str::<Evaluation>(&text) {
            Ok(own) if own.format == Evaluation::FORMAT => Ok(Self(own)),
            Ok(own) => {
                let what = format!(
                    "--baseline {place}: format {}, not {}",
                    own.format,
                    Evaluation::FORMAT
                );
                Err(asked(what, "make it again with this version of Tusker"))
            }
            Err(error) => {
                Err(asked(format!("--baseline {place}: is no evaluation: {error}"), help))
            }
        }
    }

    /// Makes sure that an evaluation with this request can be held to it.
    ///
    /// # Errors
    /// If it has another suite, path or rival.
    pub fn check(&self, suite: &str, against: &str, path: super::OnPath) -> Result<(), Trouble> {
        let before = &self.0;
        let differs = match () {
            () if before.suite != suite => format!("suite {}", before.suite),
            () if before.against != against => format!("--against {}", before.against),
            () if before.path != path => format!(
                "{} bit/s, {} s, runs of {} s, {} replicates, seed {}",
                before.path.rate_bps,
                before.path.rtt_s,
                before.path.duration_s,
                before.path.replicates,
                before.path.seed
            ),
            () => return Ok(()),
        };
        let message = format!("--baseline: it was made with another setting: {differs}");
        Err(asked(message, "use the same suite, path, duration, replicates and --against"))
    }

    /// The values before, of each comparison of now that was made then.
    pub fn pairs<'a>(
        &self,
        now: &'a Evaluation,
    ) -> impl Iterator<Item = (&'a str, &'a Comparison, Option<Estimate>)> {
        now.comparisons().filter_map(|(criterion, own)| {
            let same = |before: &&Comparison| {
                (&before.measure, &before.rival, &before.varied)
                    == (&own.measure, &own.rival, &own.varied)
            };
            let before = self.0.criteria.iter().find(|before| before.name == criterion.name)?;
            let before = before.comparisons.iter().find(same)?;
            Some((criterion.name.as_str(), own, before.value))
        })
    }

    /// What is certainly worse now.
    pub fn regressions<'a>(&self, now: &'a Evaluation) -> Vec<Regression<'a>> {
        let worse =
            self.pairs(now).filter_map(|(experiment, comparison, before)| {
                let values = [before?, comparison.value?];
                let [before, now] = values;
                is_worse(&comparison.measure, comparison.better, now, before)
                    .then_some(Regression { experiment, comparison, values })
            });
        worse.collect()
    }
}
