//! What is said of the work of a sweep: whether its intervals are as narrow as was asked for, how
//! many runs it took, and what became of earlier sweeps in its folder.

use tusker_lab::sweep::{Swept, Until};
use tusker_measure::table::{counted, verb};
use tusker_store::sweep::{PointSummary, SweepSummary};

use super::Narrow;
use crate::page::Note;

/// That the interval of every point is narrow enough.
pub fn narrow(until: &Until, summary: &SweepSummary) -> Option<Narrow> {
    let narrow = |point| width(until, summary, point).is_some_and(|share| share <= until.share);
    let met = || Narrow { measure: until.measure.clone(), share: until.share };
    summary.points.iter().all(narrow).then(met)
}

/// The note on points whose interval is still too wide after the most replicates: how many, and
/// the widest.
pub fn wide(until: &Until, summary: &SweepSummary) -> Option<String> {
    let share = |point| width(until, summary, point).filter(|share| *share > until.share);
    let wide = summary.points.iter().filter_map(|point| Some((point, share(point)?)));
    let count = wide.clone().count();
    let (widest, share) = wide.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
    Some(format!(
        "the interval is wider than {} % at {count} of {} points after {} replicates; the widest, \
         {:.1} % of the mean of {}, is at {}; --most allows more replicates, and longer runs \
         need fewer",
        (until.share * 1e8).round() / 1e6,
        summary.points.len(),
        until.most,
        share * 100.0,
        until.measure,
        summary.place(widest)
    ))
}

/// Half of the interval at a point as a share of the mean, if it has one.
fn width(until: &Until, summary: &SweepSummary, point: &PointSummary) -> Option<f64> {
    match summary.estimate(point, &until.measure) {
        (Some(_), Some(0.0)) => Some(0.0),
        (Some(mean), Some(half)) => Some(half / mean.abs()),
        _ => None,
    }
}

/// How it went, and where the results are.
pub fn work(swept: &Swept, [dataset, page]: &[String; 2]) -> Vec<Note> {
    let Swept { ran, there, .. } = swept;
    let mut lines = Vec::new();
    let same = swept.same as u128;
    if same > 0 {
        let (points, has, is) =
            (counted(same, "point"), verb(same, "has", "have"), verb(same, "is", "are"));
        lines.push(format!(
            "note: {points} {has} the same scenario as an earlier point and {is} not run again"
        ));
    }
    let share = swept.simulating.as_secs_f64() / swept.had.as_secs_f64().max(1e-9);
    let simulated = swept.simulated.as_secs_f64();
    lines.push(match (ran, there) {
        (0, 1) => "the only run is done already".to_owned(),
        (0, _) => format!("all {there} runs are done already"),
        _ => format!(
            "{}, {there} done already; {simulated:.0} s simulated in {:.1} s of all \
             threads together, {:.0} % of it in runs",
            counted(*ran as u128, "run"),
            swept.had.as_secs_f64(),
            share * 100.0
        ),
    });
    lines.push(format!("a row per run is in {dataset}, the report with curves is {page}"));
    lines.into_iter().map(|text| Note { text, doubt: false }).collect()
}

/// What became of earlier sweeps in the folder `dir`: how many of their points were kept, and how
/// many are lost.
pub fn earlier(kept: usize, lost: usize, dir: &str) -> Vec<Note> {
    let mut lines = Vec::new();
    if kept > 0 {
        lines.push(format!(
            "--where, the data set and the report also have {} of earlier sweeps in {dir}",
            counted(kept as u128, "point")
        ));
    }
    if lost > 0 {
        lines.push(format!(
            "note: {} of an earlier sweep in {dir} {} no longer in its tables and on \
             its page, because\n      they are of another scenario or build, or vary other \
             keys; the command of that sweep brings them back",
            counted(lost as u128, "point"),
            verb(lost as u128, "is", "are")
        ));
    }
    lines.into_iter().map(|text| Note { text, doubt: false }).collect()
}
