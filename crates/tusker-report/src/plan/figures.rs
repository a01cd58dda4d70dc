//! The rows of a plan as figures.

use tusker_measure::table::duration_unit;
use tusker_transfer::answer::{Basis, PlanRow, PlanSummary};

use super::text::{label, times_in};
use crate::figure::{Axis, Caption, Dot, Dots, Figure, Group, Point, Scatter};
use crate::style;

/// Of so few rows each has its name beside its point; of more, the law.
const NAMED: usize = 12;

/// How long the transfer takes, and what it costs the others.
pub(super) fn figures(summary: &PlanSummary) -> Vec<Figure> {
    let (rows, mut figures) = (&summary.rows, Vec::new());
    let (scale, unit) = time_unit(summary);
    let mut dots = Dots::new(Axis::new("takes", unit));
    dots.names = ("first estimate".to_owned(), "simulated".to_owned());
    for row in rows {
        let took = row.took_s.map(|took| took / scale);
        let estimate = row.estimate_bps.map(|bps| summary.size_bytes as f64 * 8.0 / bps / scale);
        dots.rows.push(Dot {
            label: marked(summary, row),
            paper: estimate,
            ours: took.filter(|_| row.is_simulated()),
            interval: row.took_low_s.zip(row.took_high_s).map(|(a, b)| (a / scale, b / scale)),
            ..Dot::default()
        });
    }
    let mark = if summary.chosen().is_some() { " > marks the recommended row." } else { "" };
    let caption = format!(
        "First estimates come from formulas and short runs on a slower path; intervals of what was \
         simulated are 95 %.{mark}"
    );
    let caption = Caption::from(caption)
        .source("took_s, took_low_s, took_high_s and estimate_bps of the table of the plan (plan)");
    figures.push(dots.figure("takes", "How long the transfer takes", caption));
    if rows.iter().any(|row| row.harm.is_some()) {
        figures.push(harm(summary, scale, unit));
    }
    figures
}

/// Seconds of the unit of all times of transfers, and its name.
fn time_unit(summary: &PlanSummary) -> (f64, &'static str) {
    let (scale, name) = duration_unit(times_in(summary));
    let names = [("d", "days"), ("h", "hours"), ("min", "minutes")];
    let long = names.iter().find(|(short, _)| *short == name).map_or("seconds", |(_, long)| long);
    (scale, long)
}

/// The same with the mark of the terminal if it is the recommended row.
fn marked(summary: &PlanSummary, row: &PlanRow) -> String {
    let mark = if summary.chosen() == Some(row) { "> " } else { "" };
    format!("{mark}{}", label(row))
}

/// Why a row is doubtful.
fn first_estimate(row: &PlanRow) -> String {
    match row.basis {
        Basis::Estimate | Basis::Unsettled => "first-estimate".to_owned(),
        _ => String::new(),
    }
}

fn harm(summary: &PlanSummary, scale: f64, unit: &str) -> Figure {
    let mut scatter = Scatter::new(Axis::new("takes", unit), Axis::new("harm to the others", ""));
    let few = summary.rows.len() <= NAMED;
    for row in &summary.rows {
        let (Some(took), Some(harm)) = (row.took_s, row.harm) else { continue };
        let colour = style::of_law(&row.law);
        let half = row.took_low_s.zip(row.took_high_s).map(|(a, b)| (b - a) / 2.0 / scale);
        scatter.points.push(Point {
            label: marked(summary, row),
            group: Group { name: if few { marked(summary, row) } else { row.law.clone() }, colour },
            x: (took / scale, half),
            y: (harm, row.harm_ci95),
            doubts: first_estimate(row),
        });
    }
    let caption = Caption::from(
        "Harm is the share of their rate without the transfer that the other flows lose to it; bars are \
         95 % confidence intervals; hollow: a first estimate, not simulated.",
    )
    .source("took_s, harm and their intervals in the table of the plan (plan)");
    scatter.figure("harm", "What it costs the others", caption)
}
