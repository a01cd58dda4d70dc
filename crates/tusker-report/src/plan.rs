//! The page of a plan for a transfer.

use tusker_record::plan::{Basis, PlanRow, PlanSummary, duration, size};

use crate::figure::{Axis, Dot, Dots, Group, Point, Scatter};
use crate::look;
use crate::page::{Block, Page};
use crate::table::Table;

/// A page of a plan: its rows as a figure and as a table, harm against time where
/// there are others, and what to type for each row.
pub fn of_plan(summary: &PlanSummary) -> Page {
    let (rows, mut blocks) = (&summary.rows, Vec::new());
    let (scale, unit) = unit(rows);
    let mut dots = Dots::new(Axis::new("takes", unit));
    dots.names = ("first estimate".to_owned(), "simulated".to_owned());
    for row in rows {
        let simulated = matches!(row.basis, Basis::Wide | Basis::Steady | Basis::Whole);
        let took = row.took_s.map(|took| took / scale);
        let estimate = row.estimate_bps.map(|bps| summary.size_bytes as f64 * 8.0 / bps / scale);
        dots.rows.push(Dot {
            label: label(row),
            paper: estimate,
            ours: took.filter(|_| simulated),
            interval: row.took_low_s.zip(row.took_high_s).map(|(a, b)| (a / scale, b / scale)),
            ..Dot::default()
        });
    }
    let caption = "First estimates come from formulas and short runs on a slower path; intervals of \
                   what was simulated are 95 %.";
    blocks.push(Block::from(dots.figure("takes", "How long the transfer takes", caption)));
    if rows.iter().any(|row| row.harm.is_some()) {
        blocks.push(harm(rows, scale, unit).into());
    }
    let mut table = Table::new(
        "All rows",
        [
            "law",
            "streams",
            "socket buffer",
            "takes",
            "at least",
            "at most",
            "harm",
            "simulated",
            "note",
        ],
    );
    let time = |seconds: Option<f64>| seconds.map_or(String::new(), duration);
    for row in rows {
        let simulated = match row.runs {
            0 => String::new(),
            runs => format!("{runs} x {}", duration(row.simulated_s)),
        };
        table.row(
            None,
            [
                row.law.clone(),
                row.streams.to_string(),
                size(row.socket_buffer_bytes),
                time(row.took_s),
                time(row.took_low_s),
                time(row.took_high_s),
                row.harm_text(),
                simulated,
                row.note.clone().unwrap_or_default(),
            ],
        );
    }
    blocks.push(Block::Table(table));
    let title = format!("A plan for {}", size(summary.size_bytes));
    let mut page = Page { title, lead: summary.title(), ..Page::default() };
    page.commands.push(summary.command.join(" "));
    page.section("Ranking", blocks);
    let typed = |row: &PlanRow| {
        let lines = row.commands.iter().map(|c| format!("# {}: {}\n{}\n", c.on, c.why, c.line));
        Block::Fold(label(row), lines.collect())
    };
    page.section("What to type", rows.iter().map(typed).collect());
    page
}

/// `4 x cubic`, with the buffer where it was chosen.
fn label(row: &PlanRow) -> String {
    let plain = format!("{} x {}", row.streams, row.law);
    match row.socket_buffer_enough {
        true => plain,
        false => format!("{plain}, {}", size(row.socket_buffer_bytes)),
    }
}

/// Seconds of the unit in which most of the rows are told, and its name.
fn unit(rows: &[PlanRow]) -> (f64, &'static str) {
    let first = rows.first().and_then(|row| row.took_s).unwrap_or(0.0);
    match first {
        s if s >= 172_800.0 => (86_400.0, "days"),
        s if s >= 5_400.0 => (3_600.0, "hours"),
        s if s >= 90.0 => (60.0, "minutes"),
        _ => (1.0, "seconds"),
    }
}

fn harm(rows: &[PlanRow], scale: f64, unit: &str) -> crate::figure::Figure {
    let mut scatter = Scatter::new(Axis::new("takes", unit), Axis::new("harm to the others", ""));
    for row in rows {
        let (Some(took), Some(harm)) = (row.took_s, row.harm) else { continue };
        let colour = look::of_law(&row.law);
        let half = row.took_low_s.zip(row.took_high_s).map(|(a, b)| (b - a) / 2.0 / scale);
        scatter.points.push(Point {
            label: label(row),
            group: Group { name: row.law.clone(), colour },
            x: (took / scale, half),
            y: (harm, row.harm_ci95),
        });
    }
    let caption =
        "Harm is what the others lose of what they have without the transfer, as a share.";
    scatter.figure("harm", "What it costs the others", caption)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html;
    use tusker_record::plan::{PlanPath, PlanRate};

    fn row(law: &str, took_s: f64, harm: Option<f64>) -> PlanRow {
        let rate = PlanRate { mean_bps: 8e12 / took_s, ci95_bps: None };
        PlanRow {
            law: law.to_owned(),
            streams: 4,
            socket_buffer_bytes: 64_000_000,
            socket_buffer_enough: false,
            basis: Basis::Steady,
            took_s: Some(took_s),
            took_low_s: Some(took_s * 0.9),
            took_high_s: Some(took_s * 1.1),
            extrapolated: true,
            goodput: Some(rate),
            others: None,
            harm,
            harm_ci95: None,
            retransmitted: None,
            rtt_s: None,
            start_s: Some(1.0),
            simulated_s: 20.0,
            runs: 2,
            episodes: 9,
            estimate_bps: Some(1e8),
            estimate_from: String::new(),
            note: None,
            commands: Vec::new(),
        }
    }

    #[test]
    fn a_page_has_every_row_with_its_interval() {
        let path = PlanPath {
            rate_bps: 100_000_000,
            rtt_s: 0.1,
            loss: 0.0,
            buffer: "1bdp".to_owned(),
            packet_bytes: 1_500,
            with: vec!["cubic".to_owned()],
        };
        let summary = PlanSummary {
            format: 1,
            build: String::new(),
            least_s: 1.0,
            deadline_s: None,
            max_harm: None,
            tusker: String::new(),
            command: vec!["tusker".to_owned(), "plan".to_owned()],
            size_bytes: 1_000_000_000_000,
            path,
            alone: None,
            until: 0.05,
            complete: true,
            rows: vec![row("<reno>", 36_000.0, Some(0.25)), row("cubic", 72_000.0, Some(0.5))],
        };
        let page = of_plan(&summary);
        let names: Vec<&str> = page.figures().map(|figure| figure.name.as_str()).collect();
        assert_eq!(names, ["takes", "harm"]);
        let html = html::html(&page);
        // 36,000 s are 10 h, 0.9 and 1.1 of that 9 and 11 h
        for text in ["10.0 h", "9.00 h", "11.0 h", "20.0 h", "0.25", "&lt;reno&gt;", "64 MB"] {
            assert!(html.contains(text), "{text}");
        }
        assert!(!html.contains("<reno>"));
    }
}
