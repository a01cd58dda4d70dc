//! Rows of which the paper prints something, as a table.

use tusker_papers::Paper;
use tusker_papers::paper::Variants;
use tusker_papers::reproduction::{Cell, MeasureInfo, Reproduction, RowResult, RowVerdict};
use tusker_record::table::{NONE, Table};

use super::{estimate, prints, wrapped};
use crate::screen::{Mood, coloured, fit, room};

/// The table, fitted to the screen. Where there is no room for all, the differences of
/// measures that no row misses go first, so that the one that makes a row `off` stays.
pub(super) fn fitted(
    reproduction: &Reproduction,
    id: &str,
    whats: &[&String],
    shown: &[&MeasureInfo],
    paper: &Paper,
) -> String {
    let whole = beside(paper, reproduction, id, whats, shown, &[]);
    if room().is_none() || whole.fit(room()).hidden.is_empty() {
        return fit(&whole);
    }
    let missed = |m: &MeasureInfo| {
        let rows = reproduction.rows.iter().filter(|row| row.table == id);
        rows.filter_map(|row| row.values.get(&m.name)).any(|cell| cell.within == Some(false))
    };
    let calm = shown.iter().filter(|m| prints(reproduction, id, m) && !missed(m));
    let calm: Vec<&str> = calm.map(|m| m.head.as_str()).collect();
    if calm.is_empty() {
        return fit(&whole);
    }
    let table = fit(&beside(paper, reproduction, id, whats, shown, &calm));
    let what = if calm.len() == 1 { "the difference" } else { "the differences" };
    let told = format!("{what} of {}, which all rows meet; --wide shows all", calm.join(" and "));
    table + &wrapped("hidden: ", &told, "  ")
}

/// Rows of which the paper prints something, with its numbers and ours.
fn beside(
    paper: &Paper,
    reproduction: &Reproduction,
    id: &str,
    whats: &[&String],
    shown: &[&MeasureInfo],
    without: &[&str],
) -> Table {
    let differs = |measure: &MeasureInfo| !without.contains(&measure.head.as_str());
    let mut head = vec!["case".to_owned()];
    head.extend(whats.iter().map(|what| what.to_uppercase()));
    let Variants { name, unit, .. } = &paper.cases.variant;
    head.push(if unit.is_empty() { name } else { unit }.clone());
    let printed: Vec<bool> = shown.iter().map(|m| prints(reproduction, id, m)).collect();
    for (measure, &printed) in shown.iter().zip(&printed) {
        match printed {
            true => {
                head.extend([measure.head.clone(), "ours".to_owned()]);
                head.extend(differs(measure).then(|| "diff".to_owned()));
            }
            false => head.push(measure.head.clone()),
        }
    }
    head.push(String::new());
    let keys = whats.len() + 2;
    let groups = shown.iter().rev().filter(|m| m.beside).map(|m| m.head.clone());
    let spare = groups.chain(["diff".to_owned()]);
    let mut table = Table::new(head).bold_head().keys(keys).spare(spare);
    let mut last = "";
    for row in reproduction.rows.iter().filter(|row| row.table == id && row.replicates > 0) {
        let again = row.case == last;
        last = &row.case;
        let once = |text: &str| if again { String::new() } else { text.to_owned() };
        let mut cells = vec![once(&row.case)];
        cells.extend(whats.iter().map(|what| once(row.choose.get(*what).map_or("", |c| c))));
        cells.push(row.variant.clone());
        for (measure, &printed) in shown.iter().zip(&printed) {
            let cell = row.values.get(&measure.name);
            match printed {
                true => {
                    let [paper, ours, difference] = three(cell, measure);
                    cells.extend([paper, ours]);
                    cells.extend(differs(measure).then_some(difference));
                }
                false => cells.push(estimate(cell.and_then(|cell| cell.ours), measure)),
            }
        }
        cells.push(mark(row));
        table.row(cells);
    }
    table
}

fn mark(row: &RowResult) -> String {
    match row.verdict {
        RowVerdict::Within => coloured("ok", Mood::Good),
        RowVerdict::Off => coloured("off", Mood::Bad),
        RowVerdict::Undecided => coloured("?", Mood::Mixed),
        RowVerdict::Open => NONE.to_owned(),
    }
}

/// The paper's value, ours, the difference.
fn three(cell: Option<&Cell>, measure: &MeasureInfo) -> [String; 3] {
    let decimals = measure.decimals;
    let Some(cell) = cell else { return [NONE, NONE, NONE].map(str::to_owned) };
    let paper = cell.paper.map_or(NONE.to_owned(), |printed| {
        let ci = printed.ci95.map_or(String::new(), |ci| format!("±{ci:.decimals$}"));
        format!("{:.decimals$}{ci}", printed.value)
    });
    let difference = cell.difference.map_or(NONE.to_owned(), |d| format!("{d:+.decimals$}"));
    [paper, estimate(cell.ours, measure), difference]
}
