//! A sweep as a table: a row per point.

use tusker_record::stats::{Estimate, Over};
use tusker_record::store::sweep::{PointSummary, SweepSummary, unit};
use tusker_record::table::Table;

use super::MOST;
use crate::screen::{fit, prose};

/// A row per point: its values, and means with their intervals.
pub fn sweep(summary: &SweepSummary, measures: &[String]) -> String {
    let columns: Vec<(String, String)> = match measures {
        [] => {
            let first = summary.first().into_iter();
            first.map(|(title, name)| (title.to_owned(), name.to_owned())).collect()
        }
        _ => measures.iter().map(|name| (name.clone(), name.clone())).collect(),
    };
    let heads = summary.axes.iter().map(|axis| axis.key.clone());
    let heads = heads.chain(["runs".to_owned()]);
    let mut table = Table::new(heads.chain(columns.iter().map(|(head, _)| head.clone())));
    table = table.bold_head().keys(summary.axes.len());
    for point in summary.points.iter().take(MOST) {
        let cells = columns.iter().map(|(_, name)| {
            let estimate = estimate(summary, point, name);
            let end = if estimate.is_some() && name.ends_with("_pkt") { " pkt" } else { "" };
            unit(name).estimate(estimate) + end
        });
        let own = point.values.iter().cloned().chain([point.replicates.to_string()]);
        table.row(own.chain(cells));
    }
    let mut text = fit(&table);
    if let Some(more) = summary.points.len().checked_sub(MOST + 1) {
        text += &format!("and {} more points: --format csv has all\n", more + 1);
    }
    let interval = match text.contains('±') {
        true => "; ±: 95 % confidence over replicates (Student's t)",
        false => "",
    };
    let runs: u32 = summary.points.iter().map(|point| point.replicates).sum();
    let points = summary.points.len();
    let heading = prose(&format!("{}: {points} points, {runs} runs{interval}", summary.name));
    format!("{heading}\n\n{text}")
}

fn estimate(summary: &SweepSummary, point: &PointSummary, name: &str) -> Option<Estimate> {
    let (mean, ci95) = summary.estimate(point, name);
    Some(Estimate { mean: mean?, ci95, n: point.replicates, over: Over::Replicates })
}
