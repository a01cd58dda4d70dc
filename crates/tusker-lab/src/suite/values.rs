//! The values of measures, from the runs of points.

use std::collections::BTreeMap;

use tusker_measure::harm::{self, Better};
use tusker_measure::stats::{Estimate, Over, half_width, mean};
use tusker_store::sweep::{PointSummary, Run};

use super::Expanded;
use super::expand::{Pair, Side};
use super::verdict::{harm_of, is_share_of_runs};

/// The runs of all points.
pub(super) struct Values<'a> {
    runs: BTreeMap<usize, &'a [Run]>,
    points: BTreeMap<usize, PointSummary>,
}

impl<'a> Values<'a> {
    pub fn of(expanded: &Expanded<'_>, runs: &'a [Run]) -> Self {
        let runs: BTreeMap<usize, &[Run]> =
            runs.chunk_by(|a, b| a.point == b.point).map(|own| (own[0].point, own)).collect();
        let point = |(&point, runs): (&usize, &&[Run])| {
            let names = &runs[0].row.names;
            let expected = Some(expanded.expected(point));
            (point, PointSummary::of(Vec::new(), Vec::new(), names, runs, expected))
        };
        let points = runs.iter().map(point).collect();
        Self { runs, points }
    }

    /// Both values of a measure.
    pub fn pair(&self, pair: &Pair<'_>, measure: &str) -> [Option<Estimate>; 2] {
        [&pair.mine, &pair.its].map(|side| match harm_of(measure) {
            Some((better, of)) => self.harm(pair.alone.as_ref()?, side, better, of),
            None => self.value(side, measure),
        })
    }

    /// Whether a mean of this point says where in its cycle a window was, and not what it is in
    /// the long run.
    pub fn few_episodes(&self, side: &Side) -> bool {
        use tusker_measure::doubts::Kind::{FewEpisodes, NoCycle};
        let point = self.points.get(&side.point);
        point.is_some_and(|own| {
            own.doubts.iter().any(|doubt| [FewEpisodes, NoCycle].contains(&doubt.kind))
        })
    }

    fn value(&self, side: &Side, measure: &str) -> Option<Estimate> {
        let names = &self.runs.get(&side.point)?[0].row.names;
        let point = &self.points[&side.point];
        let of_group = side.group.iter().map(|group| format!("groups.{group}.{measure}"));
        let mut wanted = of_group.chain([measure.to_owned()]);
        let at = wanted.find_map(|name| names.iter().position(|own| *own == name))?;
        let ci95 = point.ci95[at].filter(|_| !is_share_of_runs(measure));
        estimate(point.mean[at]?, ci95, point.replicates)
    }

    /// What the rival loses, seed by seed.
    fn harm(&self, alone: &Side, side: &Side, better: Better, of: &str) -> Option<Estimate> {
        let value = |run: &Run, groups: &[String]| {
            let own =
                groups.iter().filter_map(|group| run.row.value(&format!("groups.{group}.{of}")));
            let own: Vec<f64> = own.collect();
            (!own.is_empty()).then(|| mean(&own))
        };
        let alones = self.runs.get(&alone.point)?;
        let one = |run: &Run| {
            let before = alones.iter().find(|own| own.seed == run.seed)?;
            let (before, now) = (value(before, &alone.rivals)?, value(run, &side.rivals)?);
            // of a group that loses nothing alone, any loss at all would be all harm
            let counts = of != "loss_rate" || before > 0.0;
            harm::harm(better, before, now).filter(|_| counts)
        };
        let all: Vec<f64> = self.runs.get(&side.point)?.iter().filter_map(one).collect();
        if all.is_empty() {
            return None;
        }
        estimate(mean(&all), half_width(&all), all.len() as u32)
    }
}

/// To twelve digits: what rounding leaves of equal values is no difference.
fn estimate(mean: f64, ci95: Option<f64>, n: u32) -> Option<Estimate> {
    let digits = |value: f64| format!("{value:.11e}").parse().unwrap_or(value);
    let ci95 = ci95.map(|half| if half < 1e-12 * mean.abs() { 0.0 } else { digits(half) });
    Some(Estimate { mean: digits(mean), ci95, n, over: Over::Replicates })
}
