//! Texts that several outputs share: headings, values and readings.

use std::fmt::Write;

pub use tusker_measure::condition::number;
use tusker_measure::stats::{Estimate, Over};
use tusker_measure::table::NONE;
use tusker_papers::reproduction::baseline::TableScore;
use tusker_papers::reproduction::{Cell, ClaimResult, MeasureInfo, Reproduction, Scoreboard};
use tusker_papers::{Paper, rows::BASE};

use crate::screen::paragraph;

/// What was measured, and what ± is behind the values of measures that are shown
/// with their intervals.
pub fn heading(reproduction: &Reproduction, with_interval: &dyn Fn(&str) -> bool) -> String {
    let run = || reproduction.rows.iter().filter(|row| row.replicates > 0);
    if run().next().is_none() {
        return "no row finished\n".to_owned();
    }
    let mut windows: Vec<String> = Vec::new();
    for window in run().filter_map(|row| row.window) {
        let window = format!("from {} s to {} s", window.from_s, window.to_s);
        if !windows.contains(&window) {
            windows.push(window);
        }
    }
    let mut text = match windows.len() {
        0..=3 => format!("measured {}", windows.join(", or ")),
        many => format!("measured in {many} different windows"),
    };
    let most = run().map(|row| row.replicates.max(row.asked)).max().unwrap_or(0);
    let up_to = if run().any(|row| row.lacks_replicates().is_some()) { "up to " } else { "" };
    let _ = match most {
        1 => {
            let mut seeds: Vec<&u64> = run().flat_map(|row| &row.seeds).collect();
            seeds.sort_unstable();
            seeds.dedup();
            match seeds.as_slice() {
                [one] => write!(text, "; one run per row, seed {one}"),
                _ => write!(text, "; one run per row"),
            }
        }
        _ => write!(text, "; means of {up_to}{most} replicates"),
    };
    let shown = || run().flat_map(|row| &row.values).filter(|(name, _)| with_interval(name));
    let cells = || shown().map(|(_, cell)| cell);
    let ours = cells().filter_map(|cell| cell.ours).find(|ours| ours.ci95.is_some());
    let printed = cells().any(|cell| cell.paper.is_some_and(|paper| paper.ci95.is_some()));
    text += match ours.map(|ours| ours.over) {
        None if printed => "; ±: the paper's own",
        None => "",
        Some(Over::Replicates) => "; ±: 95 % confidence over replicates",
        Some(Over::Batches) => "; ±: 95 % confidence over batches of the run",
    };
    let info = |name: &str| reproduction.measures.iter().find(|m| m.name == name);
    let is_cut = |(name, cell): (&String, &Cell)| {
        let half = cell.ours.and_then(|ours| Some((ours.mean, ours.ci95?)));
        info(name).zip(half).is_some_and(|(m, (mean, half))| m.cut(mean, half).is_some())
    };
    if shown().any(is_cut) {
        text += "; [ ]: an interval cut off at the end of the measure's range";
    }
    if reproduction.reading.name != BASE {
        let _ = write!(text, "; reading: {}", reproduction.reading.name);
    }
    wrapped("", &text, "")
}

/// What each column head means.
pub fn heads(reproduction: &Reproduction, measures: &[&MeasureInfo]) -> String {
    let head = |m: &&MeasureInfo| {
        let fair = reproduction.fair_share(m);
        let fair = fair.map_or(String::new(), |fair| format!(" ({fair})"));
        format!("{}: {}{fair}", m.head, m.about)
    };
    measures.iter().map(head).collect::<Vec<_>>().join("; ")
}

/// A mean and half its interval; one that passes the bounds of its measure is cut there
/// and has its ends.
pub fn estimate(ours: Option<Estimate>, measure: &MeasureInfo) -> String {
    let decimals = measure.decimals;
    ours.map_or(NONE.to_owned(), |ours| {
        let cut = ours.ci95.and_then(|half| measure.cut(ours.mean, half));
        let interval = match (cut, ours.ci95) {
            (Some((low, high)), _) => format!(" [{low:.decimals$}, {high:.decimals$}]"),
            (None, Some(half)) => format!("±{half:.decimals$}"),
            (None, None) => String::new(),
        };
        format!("{:.decimals$}{interval}", ours.mean)
    })
}

/// What else the text may mean, and what each reading sets.
pub fn readings(paper: &Paper) -> String {
    let mut text = format!("{BASE:<20}  what --print-scenario shows\n");
    for reading in &paper.readings {
        let indent = " ".repeat(22);
        let experiment = if reading.experiment { "experiment: " } else { "" };
        let why = format!("{experiment}{}", reading.why);
        text += &wrapped(&format!("{:<20}  ", reading.name), &why, &indent);
        let sets = reading.when.iter().flat_map(|when| &when.set).chain(&reading.set);
        let counts = reading.measures.iter().map(|(name, of)| format!("{name} = {of}"));
        let mut changes: Vec<String> = sets.cloned().chain(counts).collect();
        changes.dedup();
        text += &wrapped(&indent, &format!("sets {}", changes.join("; ")), &indent);
    }
    text
}

/// The claims whose verdict is not that of the base, each with that of the base.
pub fn other_verdicts<'a>(
    base: &'a Reproduction,
    other: &'a Reproduction,
) -> Vec<(&'a ClaimResult, &'a ClaimResult)> {
    let before = |claim: &ClaimResult| base.claims.iter().find(|known| known.id == claim.id);
    let pairs = other.claims.iter().filter_map(|claim| Some((claim, before(claim)?)));
    pairs.filter(|(claim, before)| claim.ours.verdict != before.ours.verdict).collect()
}

/// What is judged where rows were chosen.
pub const BETWEEN: &str = "only comparisons between the chosen rows";

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

/// Several reproductions as one JSON array.
pub fn json<'a>(all: impl IntoIterator<Item = &'a Reproduction>) -> String {
    let all: Vec<String> = all.into_iter().map(|one| one.to_json().trim_end().to_owned()).collect();
    format!("[{}]\n", all.join(",\n"))
}

/// A paragraph that begins with `first` and goes on under `indent`.
pub fn wrapped(first: &str, text: &str, indent: &str) -> String {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let (mut empty, width) = (true, paragraph());
    for word in text.split_whitespace() {
        let gap = usize::from(!empty);
        if !empty && line.chars().count() + gap + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line += word;
        empty = false;
    }
    lines.push(line);
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_stay_within_the_width() {
        let text = wrapped("holds  ", &"word ".repeat(60), "       ");
        assert!(text.lines().all(|line| line.chars().count() <= 100));
        assert!(text.starts_with("holds  word word") && text.contains("\n       word"));
    }
}
