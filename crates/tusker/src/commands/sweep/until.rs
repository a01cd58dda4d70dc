//! `--until`: whether the intervals of a sweep are as narrow as was asked for.

use tusker_lab::sweep::Until;
use tusker_report::sweep::{Narrow, place};
use tusker_store::sweep::{PointSummary, SweepSummary};

use super::Asked;
use crate::failure::Failure;

impl Asked {
    /// That the interval of every point is narrow enough.
    pub(super) fn met(&self, summary: &SweepSummary) -> Option<Narrow> {
        let until = self.until.as_ref()?;
        let narrow = |point: &PointSummary| {
            let share = width(until, summary, point);
            share.is_some_and(|share| share <= until.share)
        };
        let met = || Narrow { measure: until.measure.clone(), share: until.share };
        summary.points.iter().all(narrow).then(met)
    }

    /// The note on points whose interval is still too wide after the most replicates: how
    /// many, and the widest.
    pub(super) fn wide(&self, summary: &SweepSummary) -> Option<String> {
        let until = self.until.as_ref()?;
        let share = |point| width(until, summary, point).filter(|share| *share > until.share);
        let wide = summary.points.iter().filter_map(|point| Some((point, share(point)?)));
        let count = wide.clone().count();
        let (widest, share) = wide.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        Some(format!(
            "the interval is wider than {} % at {count} of {} points after {} replicates; the widest, \
             {:.1} % of the mean of {}, is at {}; --most allows more replicates, and longer runs \
             need fewer",
            per_cent(until.share),
            summary.points.len(),
            until.most,
            share * 100.0,
            until.measure,
            place(summary, widest)
        ))
    }
}

/// Half of the interval at a point as a share of the mean, if it has one.
fn width(until: &Until, summary: &SweepSummary, point: &PointSummary) -> Option<f64> {
    match summary.estimate(point, &until.measure) {
        (Some(_), Some(0.0)) => Some(0.0),
        (Some(mean), Some(half)) => Some(half / mean.abs()),
        _ => None,
    }
}

fn per_cent(share: f64) -> f64 {
    (share * 1e8).round() / 1e6
}

/// `2%`, or a number between 0 and 1.
pub(super) fn share(text: &str) -> Result<f64, Failure> {
    let plain = text.trim().trim_start_matches('±').trim();
    let (number, scale) = match plain.strip_suffix('%') {
        Some(number) => (number.trim(), 0.01),
        None => (plain, 1.0),
    };
    let share = number.parse::<f64>().ok().map(|number| number * scale);
    share.filter(|share| *share > 0.0 && *share < 1.0).ok_or_else(|| {
        let message = format!("--until: `{}` is not a share of the mean", text.escape_debug());
        Failure::input(message, "write a share such as 2%")
    })
}
