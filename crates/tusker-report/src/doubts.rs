//! What is said of doubtful results: of the same doubts that are stored with them.

use std::collections::BTreeMap;

use tusker_core::congestion::Bound;
use tusker_measure::cycle::Least;
use tusker_measure::doubts::{Doubt, Expected, FEW, Kind};
use tusker_measure::summary::Summary;
use tusker_measure::table::Unit;
use tusker_plan::plan::Plan;
use tusker_store::sweep::{PointsDoubt, SweepSummary};

/// So many points are named.
const NAMED: usize = 3;

/// The notes on some experiments, each with its plan, whose doubts are about groups; `option`
/// sets a longer duration. With several experiments, each is named.
pub fn of_runs<'a>(
    all: impl IntoIterator<Item = (&'a Plan, &'a Summary)>,
    option: &str,
) -> Vec<String> {
    let all: Vec<(&Plan, &Summary)> = all.into_iter().collect();
    let several = all.len() > 1;
    let name = |summary: &Summary, doubt: &Doubt| {
        let group = doubt.group.clone().unwrap_or_default();
        match (several, summary.groups.len()) {
            (true, 1) => summary.scenario.clone(),
            (true, _) => format!("{} ({group})", summary.scenario),
            (false, _) => group,
        }
    };
    let doubts = || {
        let own = all.iter().flat_map(|(plan, summary)| {
            summary.doubts.iter().map(move |doubt| (*plan, *summary, doubt))
        });
        own.filter(|(.., doubt)| doubt.group.is_some())
    };
    let few: Vec<_> = doubts().filter(|(.., doubt)| doubt.kind == Kind::FewEpisodes).collect();
    let mut notes: Vec<String> = Vec::new();
    if !few.is_empty() {
        // an experiment of which all groups are meant goes by its name alone
        let mut names: Vec<String> = Vec::new();
        for (_, summary, doubt) in &few {
            let own = few.iter().filter(|(_, other, _)| std::ptr::eq(*other, *summary)).count();
            names.push(match several && own == summary.groups.len() {
                true => summary.scenario.clone(),
                false => name(summary, doubt),
            });
        }
        names.dedup();
        let cycle = |(plan, _, doubt): &(&Plan, &Summary, &Doubt)| {
            Expected::of(plan).cycle(doubt.group.as_deref().unwrap_or_default())
        };
        let far = few.iter().filter(|(.., doubt)| doubt.cycle_s.is_some());
        let far = far.filter_map(|one| Some((one.0, cycle(one)?)));
        let far = far.max_by(|(_, a), (_, b)| a.reckoned_s.total_cmp(&b.reckoned_s));
        let longest = few.iter().filter_map(|(.., doubt)| doubt.duration_s).max_by(f64::total_cmp);
        let own = few.iter().filter_map(cycle).max_by(|a, b| a.about_s.total_cmp(&b.about_s));
        let rest = match (far, own, longest) {
            (Some((plan, far)), ..) => format!(
                ": on this path {} from one loss to the next, and the run shows only the start",
                far.too_long_for(plan.measure_to.since(plan.measure_from).secs())
            ),
            (None, Some(own), Some(longest)) => format!(
                " (on this path {} from one loss to the next). Use {option}{longest}s",
                own.about()
            ),
            _ => String::new(),
        };
        notes.push(format!(
            "{}: fewer than {FEW} congestion episodes per flow in the measuring window, which \
             is too few for a long-term mean{rest}",
            names.join(", "),
        ));
    }
    let others = doubts().filter(|(.., doubt)| doubt.kind != Kind::FewEpisodes);
    notes.extend(
        others.map(|(_, summary, doubt)| format!("{}: {}", name(summary, doubt), doubt.about)),
    );
    notes
}

/// The notes on the points of a sweep.
pub fn of_points(summary: &SweepSummary) -> Vec<String> {
    let note = |told: &PointsDoubt| {
        let more = match told.points.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let places = told.points.iter().take(NAMED);
        let places: Vec<String> =
            places.map(|&point| summary.place(&summary.points[point])).collect();
        let longer = match (told.cycle_s, told.duration_s) {
            (Some(cycle), _) => format!(
                " From one loss to the next a flow takes up to about {}; the runs show only the \
                 start.",
                Unit::Time.text(cycle)
            ),
            (None, Some(duration)) => {
                format!(" Use a longer duration (--set duration={duration}s).")
            }
            (None, None) => String::new(),
        };
        format!("{}. Where: {}{more}.{longer}", told.text(), places.join(", "))
    };
    summary.doubts().iter().map(note).collect()
}

/// A duration that should be long enough for all points of a sweep; `None` if all are.
pub fn long_enough(summary: &SweepSummary) -> Option<f64> {
    summary.doubts().into_iter().find_map(|told| told.duration_s)
}

/// The note before the first run of a sweep, if it is known of a law that it takes too long for
/// the measuring window of some point.
pub fn ahead<'a>(points: impl IntoIterator<Item = &'a Expected>) -> Option<String> {
    let mut laws = BTreeMap::<&str, Least>::new();
    for least in points.into_iter().flat_map(Expected::too_slow) {
        let longest = laws.entry(least.law).or_insert(least);
        longest.seconds = longest.seconds.max(least.seconds);
    }
    let takes = |least: &Least| {
        let how = match least.bound {
            Bound::AtLeast => "at least",
            Bound::About => "up to about",
        };
        format!("{} takes {how} {}", least.law, Unit::Time.text(least.seconds))
    };
    let laws: Vec<String> = laws.values().map(takes).collect();
    (!laws.is_empty()).then(|| {
        format!(
            "from one loss to the next {}; a long-term mean needs {FEW} of these in the \
             measuring window, which is too short for that. Points that have fewer are marked in \
             the results",
            laws.join(", "),
        )
    })
}
