//! Commands to try after a sweep.

use std::collections::BTreeSet;
use std::path::Path;

use tusker_lab::sweep::Swept;
use tusker_measure::table::counted;
use tusker_store::sweep::SweepSummary;

use crate::next;

/// Says the commands on stderr: the same with `better` values, with values between those of
/// `--where`, and what shows the results.
pub(super) fn say(
    dir: &Path,
    better: Option<(Vec<(&'static str, String)>, &'static str)>,
    finer: Option<&(String, String)>,
    swept: &Swept,
    summary: &SweepSummary,
) {
    let folder = next::path(dir);
    // other results go to another folder: the tables of this one keep its points
    let better = better.map(|(values, what)| {
        let keys =
            values.iter().map(|(key, _)| format!("-{}", key.rsplit('.').next().unwrap_or(key)));
        let other = format!("{}{}", dir.display(), keys.collect::<String>());
        (next::set(&values, &[("--out", &other)]), what.to_owned())
    });
    let finer = finer.and_then(|(key, list)| {
        let what = format!(
            "values between those of --where, {}; figures have them, too",
            cost(key, list, swept, summary)
        );
        Some((next::over(key, list)?, what))
    });
    let steps = better.into_iter().chain(finer).chain([
        (format!("report {folder} --list"), "lists its figures, to export them".to_owned()),
        (
            format!("query {folder} 'select * from runs limit 5'"),
            "asks for any other result".to_owned(),
        ),
    ]);
    next::steps(&steps.collect::<Vec<_>>());
}

/// How many runs these values of the key need, and how long they take: `36 runs, about 25 s of one
/// processor`.
fn cost(key: &str, list: &str, swept: &Swept, summary: &SweepSummary) -> String {
    let along = summary.axes.iter().position(|axis| axis.name() == key);
    let values: BTreeSet<_> =
        summary.points.iter().filter_map(|point| point.values.get(along?)).collect();
    let all: u32 = summary.points.iter().map(|point| point.replicates).sum();
    let share = list.split(',').count() as f64 / values.len().max(1) as f64;
    let runs = (f64::from(all) * share).round();
    let each = swept.simulating.as_secs_f64() / swept.ran.max(1) as f64;
    match swept.ran {
        0 => counted(runs as u128, "run"),
        _ => format!(
            "{}, about {:.0} s of one processor",
            counted(runs as u128, "run"),
            (each * runs).max(1.0)
        ),
    }
}
