//! A sweep as a table: a row per point.

use tusker_record::stats::{Estimate, Over};
use tusker_record::store::sweep::{PointSummary, SweepSummary, unit};
use tusker_record::table::Table;

use super::MOST;

/// What is shown unless somebody says what: measures of everything together, and of
/// the first group and link that have it.
const SHOWN: [(&str, &str, &str); 6] = [
    ("goodput", "", "goodput_bps"),
    ("utilisation", "", "utilisation"),
    ("Jain", "", "jain"),
    ("loss", "", "loss_rate"),
    ("mean queue (pkt)", "links.", ".queue_mean_pkt"),
    ("RTT p50", "groups.", ".rtt_p50_s"),
];

/// A row per point: its values, and means with their intervals.
pub fn sweep(summary: &SweepSummary, measures: &[String]) -> String {
    let columns: Vec<(String, String)> = match measures {
        [] => SHOWN.iter().filter_map(|shown| found(summary, shown)).collect(),
        _ => measures.iter().map(|name| (name.clone(), name.clone())).collect(),
    };
    let heads = summary.axes.iter().map(|axis| axis.key.clone());
    let heads = heads.chain(["runs".to_owned()]);
    let mut table = Table::new(heads.chain(columns.iter().map(|(head, _)| head.clone())));
    table = table.bold_head();
    for point in summary.points.iter().take(MOST) {
        let cells = columns.iter().map(|(_, name)| {
            let estimate = estimate(summary, point, name);
            unit(name).estimate(estimate)
        });
        let own = point.values.iter().cloned().chain([point.replicates.to_string()]);
        table.row(own.chain(cells));
    }
    let mut text = table.to_string();
    if let Some(more) = summary.points.len().checked_sub(MOST + 1) {
        text += &format!("and {} more points: --format csv has all\n", more + 1);
    }
    let interval = match text.contains('±') {
        true => "; ±: 95 % confidence over replicates (Student's t)",
        false => "",
    };
    let runs: u32 = summary.points.iter().map(|point| point.replicates).sum();
    let points = summary.points.len();
    format!("{}: {points} points, {runs} runs{interval}\n\n{text}", summary.name)
}

fn estimate(summary: &SweepSummary, point: &PointSummary, name: &str) -> Option<Estimate> {
    let (mean, ci95) = summary.estimate(point, name);
    Some(Estimate { mean: mean?, ci95, n: point.replicates, over: Over::Replicates })
}

/// A column, unless no point has a value, or fairness says nothing of flows that are
/// alone.
fn found(
    summary: &SweepSummary,
    (head, begin, end): &(&str, &str, &str),
) -> Option<(String, String)> {
    let fits = |name: &&String| match *begin {
        "" => name == end,
        begin => name.starts_with(begin) && name.ends_with(end),
    };
    let name = summary.measures.iter().find(fits)?;
    let mut means = summary.points.iter().filter_map(|point| summary.estimate(point, name).0);
    let says = if *end == "jain" { means.any(|mean| mean < 1.0) } else { means.next().is_some() };
    says.then(|| ((*head).to_owned(), name.clone()))
}
