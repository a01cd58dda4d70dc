//! How a reproduction went as a whole, and several of them side by side.

use std::fmt::Write;

use tusker_papers::reproduction::baseline::TableScore;
use tusker_papers::reproduction::scoreboard::listed;
use tusker_papers::reproduction::{Reproduction, Scoreboard};

use super::{verdicts, wrapped};

/// How it went as a whole.
pub fn scoreboard(reproduction: &Reproduction) -> String {
    let score = &reproduction.scoreboard;
    let judged = || reproduction.measures.iter().filter(|measure| measure.tolerance.is_some());
    let within: Vec<&str> = judged().map(|measure| measure.within.as_str()).collect();
    let alone: Vec<String> = score
        .measures
        .iter()
        .map(|measure| {
            format!(
                "{} {} of {}",
                measure.name,
                measure.within,
                judged_in(reproduction, &measure.name)
            )
        })
        .collect();
    let of = if score.run == score.rows {
        format!("{} rows", score.rows)
    } else {
        format!("{} rows that were run (the paper has {})", score.run, score.rows)
    };
    let mut text = verdicts("Scoreboard", reproduction.quick_note()) + "\n\n";
    if score.run > 0 {
        let (within, alone) = (listed(&within), alone.join(", "));
        let alone = match score.measures.len() {
            0 | 1 => String::new(),
            _ => format!("; each measure by itself: {alone}"),
        };
        let all = format!("{} of {of} within {within}{alone}", score.by_means);
        text += &wrapped("", &all, "");
        text += &with_intervals(score);
    }
    text += &baseline(score);
    if score.unprinted > 0 {
        let n = score.unprinted;
        let _ = writeln!(text, "{n} rows were run of which the paper prints no number");
    }
    for measure in &score.measures {
        let (Some(absolute), Some(signed)) =
            (measure.mean_absolute_difference, measure.mean_difference)
        else {
            continue;
        };
        let decimals = judged().find(|m| m.name == measure.name).map_or(2, |m| m.decimals);
        let _ = writeln!(
            text,
            "{}: ours minus the paper's is {signed:+.decimals$} on average, {absolute:.decimals$} without signs",
            measure.name
        );
    }
    text + &claims_line(score)
}

/// How sure the rows are, where several seeds give intervals.
fn with_intervals(score: &Scoreboard) -> String {
    if score.undecided_rows == 0 && score.within == score.by_means {
        return String::new();
    }
    let off = score.run - score.within - score.undecided_rows;
    let text = format!(
        "these are the means over the seeds; with their 95 % intervals {} rows are within (ok), {off} \
         are outside (off), and {} are undecided (?): the interval covers a limit of the tolerance",
        score.within, score.undecided_rows
    );
    wrapped("", &text, "")
}

/// Rows in which a measure is judged.
fn judged_in(reproduction: &Reproduction, measure: &str) -> usize {
    let cells = reproduction.rows.iter().filter_map(|row| row.values.get(measure));
    cells.filter(|cell| cell.within.is_some()).count()
}

/// Rows of a table from which on a constant says something: fewer it nearly always reaches.
const ENOUGH: usize = 4;

/// The best constants of the tables that have enough rows: rows reached, rows, and the
/// tables.
pub fn constants(score: &Scoreboard) -> Option<(usize, usize, Vec<&TableScore>)> {
    let tables: Vec<&TableScore> = score.tables.iter().filter(|t| t.run >= ENOUGH).collect();
    let sum = |of: fn(&TableScore) -> usize| tables.iter().map(|table| of(table)).sum();
    let (reached, rows) = (sum(|t| t.baseline), sum(|t| t.run));
    (!tables.is_empty()).then_some((reached, rows, tables))
}

/// What the best constants would reach, as a measure of the score.
pub(super) fn baseline(score: &Scoreboard) -> String {
    let Some((reached, rows, tables)) = constants(score) else { return String::new() };
    let left_out = score.tables.len() - tables.len();
    let alone = match tables.as_slice() {
        [_] if left_out == 0 => String::new(),
        tables => {
            let each = tables.iter().map(|t| {
                format!("table {}: {} of {}, ours {}", t.table, t.baseline, t.run, t.by_means)
            });
            let few = if left_out > 0 { "; tables of fewer than 4 rows are left out" } else { "" };
            format!(" ({}{few})", each.collect::<Vec<_>>().join("; "))
        }
    };
    let text = format!(
        "best constants: with one constant for each table and measure instead of our values, \
         chosen afterwards, {reached} of {rows} would be within{alone}"
    );
    wrapped("", &text, "")
}

fn claims_line(score: &Scoreboard) -> String {
    let judged = score.claims - score.open;
    let claims = if judged == 1 { "claim" } else { "claims" };
    let of = match score.open {
        0 if score.run < score.rows => format!("{judged} {claims} about these rows"),
        0 => format!("{judged} {claims}"),
        open => format!(
            "{judged} {claims} that these rows can judge (the paper has {}; {open} need rows that \
             were not run)",
            score.claims
        ),
    };
    let others = [(score.partly, "partly"), (score.undecided, "undecided"), (score.fail, "not")];
    let others = others.iter().map(|(count, word)| format!(", {count} {word}"));
    let text = format!("{of}: {} hold{}", score.hold, others.collect::<String>());
    wrapped("", &text, "")
}

/// Several reproductions as one JSON array.
pub fn json<'a>(all: impl IntoIterator<Item = &'a Reproduction>) -> String {
    let all: Vec<String> = all.into_iter().map(|one| one.to_json().trim_end().to_owned()).collect();
    format!("[{}]\n", all.join(",\n"))
}
