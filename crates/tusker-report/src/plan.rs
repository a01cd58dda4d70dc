//! The page of a plan for a transfer.

use tusker_record::plan::{Basis, PlanRow, PlanSummary, size};

use crate::figure::{Axis, Caption, Dot, Dots, Group, Point, Scatter};
use crate::look;
use crate::page::{Block, Page};
use crate::table::Table;

/// Of so few rows each has its name beside its point; of more, the law.
const NAMED: usize = 12;

/// A page of a plan: its rows as a figure and as a table, harm against time where
/// there are others, and what to type for each row.
pub fn of_plan(summary: &PlanSummary) -> Page {
    let rows = &summary.rows;
    let title = format!("A plan for {}", size(summary.size_bytes));
    // what it comes to is the first section
    let asked = summary.asked_in_a_sentence().map_or_else(String::new, |asked| format!("{asked} "));
    let lead = format!("{asked}The transfer: {}.", summary.title());
    let mut page = Page { title, lead, ..Page::default() };
    // rows of earlier plans are among these
    page.commands.extend(summary.earlier.iter().map(|command| command.join(" ")));
    page.commands.push(summary.command.join(" "));
    page.section("What it comes to", summary.verdict().into_iter().map(Block::Text).collect());
    page.section("Ranking", ranking(summary));
    page.section("How to read it", summary.reading().into_iter().map(Block::Text).collect());
    let known = rows.iter().filter(|row| row.took_s.is_some());
    let (chosen, asked) = (summary.chosen(), summary.asked_for.as_ref());
    let typed = |row: &PlanRow| {
        let mark = match asked.is_some_and(|asked| row.is(asked)) {
            true => " (asked for)",
            false if chosen == Some(row) => " (recommended)",
            false => "",
        };
        Block::More(format!("{}{mark}", label(row)), typed(row))
    };
    page.section("What to type", known.map(typed).collect());
    page
}

/// The rows of a plan as figures and as a table.
pub(crate) fn ranking(summary: &PlanSummary) -> Vec<Block> {
    let (rows, mut blocks) = (&summary.rows, Vec::new());
    let (scale, unit) = summary.time_unit();
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
    blocks.push(Block::from(dots.figure("takes", "How long the transfer takes", caption)));
    if rows.iter().any(|row| row.harm.is_some()) {
        blocks.push(harm(summary, scale, unit).into());
    }
    blocks.push(Block::Table(table(summary)));
    blocks
}

/// All rows, as the terminal has them, with the ends of their intervals.
fn table(summary: &PlanSummary) -> Table {
    let head = ["cc", "streams", "socket buffer", "takes", "at least", "at most", "speed", "harm"];
    let caption = match summary.chosen() {
        Some(_) => {
            "All rows; > marks the recommended one. Socket buffers are payload; Linux is told twice as much"
        }
        None => "All rows. Socket buffers are payload; Linux is told twice as much",
    };
    let head = ["row"].into_iter().chain(head).chain(["simulated", "note"]);
    let mut table = Table::new(caption, head);
    let time = |seconds: Option<f64>| seconds.map_or(String::new(), |s| summary.time(s));
    for (n, row) in summary.rows.iter().enumerate() {
        table.row(
            None,
            [
                summary.place(n).trim().to_owned(),
                row.law.clone(),
                row.streams.to_string(),
                size(row.socket_buffer_bytes),
                summary.took_text(row),
                time(row.took_low_s),
                time(row.took_high_s),
                summary.speed_text(row),
                row.harm_text(),
                summary.known_text(row),
                row.note.clone().unwrap_or_default(),
            ],
        );
    }
    table
}

/// The commands for a row: a block for each host, and one that undoes them.
fn typed(row: &PlanRow) -> Vec<Block> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    for typed in &row.commands {
        let host = format!("{} (as root)", typed.heading());
        let why = if typed.why.is_empty() { String::new() } else { format!("# {}\n", typed.why) };
        let text = format!("{why}{}\n", typed.line);
        match blocks.last_mut() {
            Some((last, before)) if *last == host => *before += &text,
            _ => blocks.push((host, text)),
        }
    }
    blocks.into_iter().map(|(host, text)| Block::Fold(host, text)).collect()
}

/// The same with the mark of the terminal if it is the recommended row.
fn marked(summary: &PlanSummary, row: &PlanRow) -> String {
    let mark = if summary.chosen() == Some(row) { "> " } else { "" };
    format!("{mark}{}", label(row))
}

/// `4 x cubic`, with the buffer where it was chosen.
fn label(row: &PlanRow) -> String {
    let plain = format!("{} x {}", row.streams, row.law);
    match row.socket_buffer_enough {
        true => plain,
        false => format!("{plain}, {}", size(row.socket_buffer_bytes)),
    }
}

/// Why a row is doubtful.
fn first_estimate(row: &PlanRow) -> String {
    match row.basis {
        Basis::Estimate | Basis::Unsettled => "first-estimate".to_owned(),
        _ => String::new(),
    }
}

fn harm(summary: &PlanSummary, scale: f64, unit: &str) -> crate::figure::Figure {
    let mut scatter = Scatter::new(Axis::new("takes", unit), Axis::new("harm to the others", ""));
    let few = summary.rows.len() <= NAMED;
    for row in &summary.rows {
        let (Some(took), Some(harm)) = (row.took_s, row.harm) else { continue };
        let colour = look::of_law(&row.law);
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
        "Harm is the share of their rate without the transfer that the others lose to it; bars are \
         95 % confidence intervals; hollow: a first estimate, not simulated.",
    )
    .source("took_s, harm and their intervals in the table of the plan (plan)");
    scatter.figure("harm", "What it costs the others", caption)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html;
    use tusker_record::plan::{Basis, PlanPath, PlanRate, PlanWay, Typed};

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
            speedup: None,
            extrapolated: true,
            goodput: Some(rate),
            seen_bps: None,
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
            estimate_harm: None,
            estimate_load: None,
            short_buffer: false,
            estimate_from: String::new(),
            note: None,
            packets: 0.0,
            spent: None,
            needs_packets: None,
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
            segments_per_packet: 1,
            with: vec!["cubic".to_owned()],
        };
        let typed = |on: &str, step: &str, why: &str, line: &str| Typed {
            on: on.to_owned(),
            step: step.to_owned(),
            why: why.to_owned(),
            line: line.to_owned(),
        };
        let commands = vec![
            typed("receiver", "prepare", "buffers", "one"),
            typed("receiver", "prepare", "", "two"),
            typed("sender", "prepare", "buffers", "three"),
            typed("receiver", "undo", "end it", "four"),
        ];
        let reno = PlanRow { commands, ..row("<reno>", 36_000.0, Some(0.25)) };
        let (law, streams, socket_buffer_bytes) = ("cubic".to_owned(), 4, 64_000_000);
        let today = Some(PlanWay { law, streams, socket_buffer_bytes });
        let mut summary = PlanSummary {
            format: 1,
            build: String::new(),
            buffer_assumed: false,
            least_s: 1.0,
            deadline_s: None,
            max_harm: None,
            today,
            asked_for: None,
            recommended: None,
            row_packets: 2e8,
            earlier: vec![vec!["tusker".to_owned(), "earlier".to_owned()]],
            tusker: String::new(),
            command: vec!["tusker".to_owned(), "plan".to_owned()],
            size_bytes: 1_000_000_000_000,
            path,
            alone: None,
            alone_start_s: None,
            alone_unsure: false,
            until: 0.05,
            complete: true,
            rows: vec![reno, row("cubic", 72_000.0, Some(0.5))],
        };
        summary.rank();
        let page = of_plan(&summary);
        let names: Vec<&str> = page.figures().map(|figure| figure.name.as_str()).collect();
        assert_eq!(names, ["takes", "harm"]);
        let html = html::html(&page);
        // 36,000 s are 10 h, 0.9 and 1.1 of that 9 and 11 h
        for text in ["10.0 h", "9.00 h", "11.0 h", "20.0 h", "0.25", "&lt;reno&gt;", "64 MB"] {
            assert!(html.contains(text), "{text}");
        }
        assert!(!html.contains("<reno>"));
        // what it comes to: 72,000 s / 36,000 s; ln(1.1) = 0.0953 and ln(1/0.9) = 0.1054 are
        // 0.1421 together, and 2 exp(0.1421) = 2.31
        let says = "Recommended: 4 x &lt;reno&gt;, 10.0 h (9.00 h to 11.0 h). That is 2.00 (1.74 to 2.31) times \
                    as fast as today (4 x cubic, 20.0 h). The others lose 25 % of \
                    their rate (today: 50 %). 4 connections, each with a socket buffer of up to 129 MB in Linux, for 64 MB of payload and as much bookkeeping.";
        assert!(html.contains(says), "{html}");
        // said once, in the first section; and the mark of the terminal
        assert_eq!(html.matches("Recommended: 4 x").count(), 1, "{html}");
        assert!(html.contains("class=\"lead\">The transfer: 1 TB over"), "{html}");
        assert!(html.contains("&gt; 1<") && !html.contains("&gt; 2<"), "{html}");
        assert!(html.contains("&gt; marks the recommended one"), "{html}");
        assert!(html.contains("tusker earlier") && html.contains("tusker plan"));
        // a block that can be pasted for each host, and a reason once
        for text in ["# buffers\none\ntwo\n</pre>", "# buffers\nthree\n</pre>", "# end it\nfour\n"]
        {
            assert!(html.contains(text), "{text} is not in\n{html}");
        }
    }
}
