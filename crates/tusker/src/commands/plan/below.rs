//! What stands below the table of a plan: what it comes down to, how to read it, and
//! what to type.

use std::fmt::Write;

use tusker_record::plan::{Basis, PlanRow, PlanSummary, duration};
use tusker_record::table::{Unit, fold};

use crate::screen::paragraph;

/// Harm that goes without a word of warning: the others keep half of what they had.
const MUCH: f64 = 0.5;

pub fn text(summary: &PlanSummary) -> String {
    let blocks = [folded(&verdict(summary)), folded(&reading(summary)), to_type(summary)];
    let some = blocks.iter().filter(|block| !block.is_empty());
    some.map(String::as_str).collect::<Vec<_>>().join("\n")
}

/// Lines no longer than they are easily read; what is indented stays as it is.
fn folded(text: &str) -> String {
    let line = |line: &str| match line.starts_with(' ') {
        true => format!("{line}\n"),
        false => fold(line, paragraph()).join("\n") + "\n",
    };
    text.lines().map(line).collect()
}

/// `4 x bbr1`.
fn name(row: &PlanRow) -> String {
    format!("{} x {}", row.streams, row.law)
}

/// `4 x bbr1 (47.9 h, harm 1.00)`.
fn row(row: &PlanRow) -> String {
    let took = row.took_s.map_or("?".to_owned(), duration);
    let harm = match row.harm_text() {
        none if none.is_empty() => String::new(),
        harm => format!(", harm {harm}"),
    };
    format!("{} ({took}{harm})", name(row))
}

/// What it comes down to: the bound of the path, the deadline, the harm.
fn verdict(summary: &PlanSummary) -> String {
    let mut text = format!(
        "No way can be faster than {}: the bottleneck at its full rate, with nobody else.\n",
        duration(summary.least_s)
    );
    if let Some(deadline) = summary.deadline_s {
        let asked = duration(deadline);
        let met = |row: &&PlanRow| row.took_s.is_some_and(|took| took <= deadline);
        let (in_time, all) = (summary.rows.iter().filter(met).count(), summary.rows.len());
        text += &match summary.rows.first().filter(|_| in_time == 0) {
            Some(first) => format!("Within {asked}: no row; the fastest is {}.\n", row(first)),
            None => format!("Within {asked}: {in_time} of {all} rows.\n"),
        };
    }
    let chosen = summary.chosen();
    if let Some(most) = summary.max_harm {
        text += &match chosen {
            Some(chosen) => format!("Fastest with harm of at most {most}: {}.\n", row(chosen)),
            None => format!("No row is known to harm the others by {most} or less.\n"),
        };
        return text;
    }
    let Some(harmful) = chosen.filter(|row| row.harm.is_some_and(|harm| harm > MUCH)) else {
        return text;
    };
    let lost = harmful.harm.unwrap_or_default() * 100.0;
    let _ = writeln!(
        text,
        "Careful: with {} the others on the path lose {lost:.0} % of their rate.",
        name(harmful)
    );
    let gentle = |row: &&PlanRow| row.harm.is_some_and(|harm| harm <= MUCH);
    text += &match summary.rows.iter().find(gentle) {
        Some(gentle) => format!(
            "The fastest row that leaves them half of it: {}; --max-harm {MUCH} prints what to \
             type for that one.\n",
            row(gentle)
        ),
        None => "No row leaves them half of it.\n".to_owned(),
    };
    text
}

/// How to read the table.
fn reading(summary: &PlanSummary) -> String {
    let mut text = String::new();
    let all = |basis: Basis| summary.rows.iter().filter(move |row| row.basis == basis);
    let any = |basis: Basis| all(basis).next().is_some();
    if any(Basis::Steady) || any(Basis::Wide) {
        text += "takes: the start was simulated; the rest is extrapolated at the long-term rate \
                 of the runs under `simulated`. ±: 95 % confidence\n";
    }
    if any(Basis::Wide) {
        let until = summary.until * 100.0;
        let _ = writeln!(text, "wide: the interval is wider than the {until} % of --until");
    }
    if any(Basis::Whole) {
        text += "whole: the transfer was simulated to its end\n";
    }
    if any(Basis::Estimate) {
        text += "first estimate: the least of what the socket buffers, random loss (by the law's \
                 formula) and a short run on a slower path allow; it can be far off\n";
    }
    if any(Basis::Unsettled) {
        text += "unsettled: still the first estimate; the long-term rate was not reached within \
                 the packets that may be simulated for a row (--row-packets 2e9 allows more):\n";
        for row in all(Basis::Unsettled) {
            let note = row.note.as_deref().unwrap_or_default();
            let spent = duration(row.simulated_s);
            let _ = writeln!(text, "  {}: {note} after {spent}", name(row));
        }
    }
    if summary.rows.iter().any(|row| row.harm.is_some()) {
        text += "harm: the share of their rate that the others lose to the transfer; 1 is all";
        if let Some(alone) = summary.alone {
            let _ = write!(text, ". Without it they have {}", Unit::Rate.text(alone.mean_bps));
        }
        text += "\n";
        if any(Basis::Estimate) || any(Basis::Unsettled) {
            text += "~: estimated by short runs on a slower path\n";
        }
    }
    let ties = summary.ties();
    if ties > 1 {
        let _ = writeln!(text, "rows 1 to {ties} cannot be told apart by their intervals");
    }
    text
}

/// What to type for the recommended row.
fn to_type(summary: &PlanSummary) -> String {
    let Some(chosen) = summary.chosen() else { return String::new() };
    let mut text = format!("To type, as root, for {}:\n", name(chosen));
    let (mut on, mut why) = ("", "");
    for typed in &chosen.commands {
        if on != typed.on {
            let _ = write!(text, "\n  # on the {}\n", typed.on);
        }
        if (on, why) != (&typed.on, &typed.why) {
            let _ = writeln!(text, "  # {}", typed.why);
        }
        (on, why) = (&typed.on, &typed.why);
        let _ = writeln!(text, "  {}", typed.line);
    }
    text
}
