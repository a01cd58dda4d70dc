//! Rows for which the paper prints numbers, as a table.

use tusker_papers::Paper;
use tusker_papers::paper::Variants;
use tusker_papers::reproduction::{Cell, MeasureInfo, Reproduction, RowResult, RowVerdict};
use tusker_record::table::{NONE, Table, seen};

use super::{estimate, prints, wrapped};
use crate::screen::{Mood, coloured, fit, room};

/// The table, fitted to the screen. The paper's value and ours of every judged measure, and
/// the verdict, stay as long as there is room. Where there is not, the differences of
/// measures that no row misses go first, so that the one that makes a row `off` stays; then
/// what few cases choose moves below the table; and last go whole measures, first the one
/// that the fewest rows miss alone.
pub(super) fn fitted(
    reproduction: &Reproduction,
    id: &str,
    whats: &[&String],
    shown: &[&MeasureInfo],
    paper: &Paper,
) -> String {
    let mut of = Shown { paper, reproduction, id, measures: shown.to_vec() };
    let whole = of.table(whats, &[]);
    let has = |verdict| of.rows().any(|row| row.verdict == verdict);
    let legend = match legend(has(RowVerdict::Off), has(RowVerdict::Undecided)) {
        none if none.is_empty() => none,
        legend => wrapped("", &legend, "  "),
    };
    let Some(width) = room() else { return fit(&whole) + &legend };
    // how many columns, or that it does not fit without even more
    let hidden = |table: &Table| {
        let fitted = table.fit(Some(width));
        let fits = fitted.text.lines().all(|line| seen(line) <= width);
        if fits { fitted.hidden.len() } else { usize::MAX }
    };
    if hidden(&whole) == 0 {
        return fit(&whole) + &legend;
    }
    let calm = shown.iter().filter(|m| prints(reproduction, id, m) && !of.missed(m));
    let calm: Vec<&str> = calm.map(|m| m.head.as_str()).collect();
    let mut gone = Vec::new();
    let (beside, alone) = loop {
        let (beside, alone) = (of.table(whats, &calm), of.table(&[], &calm));
        if hidden(&beside).min(hidden(&alone)) < usize::MAX || of.measures.len() == 1 {
            break (beside, alone);
        }
        gone.push(of.without_one());
    };
    let fewer = hidden(&alone) < hidden(&beside);
    let moved = fewer && (of.cases() <= MOVED || hidden(&beside) == usize::MAX);
    let mut text = if moved { fit(&alone) } else { fit(&beside) } + &legend;
    if moved {
        text += &of.choices(whats);
    }
    let mut told = Vec::new();
    let calm: Vec<&str> =
        calm.into_iter().filter(|head| !gone.iter().any(|(m, _)| m.head == *head)).collect();
    for (measure, alone) in gone {
        let rows = match alone {
            0 => "which no row misses alone".to_owned(),
            1 => "which one row misses alone".to_owned(),
            many => format!("which {many} rows miss alone"),
        };
        told.push(format!("{}, {rows}", measure.head));
    }
    if !calm.is_empty() {
        let what = if calm.len() == 1 { "the difference" } else { "the differences" };
        told.push(format!("{what} of {}, which all rows meet", calm.join(" and ")));
    }
    if !told.is_empty() {
        text += &wrapped("hidden: ", &format!("{}; --wide shows all", told.join("; ")), "  ");
    }
    text
}

/// What so many cases choose may stand below a table only to show one more column in it.
const MOVED: usize = 8;

/// The rows of one table of the paper, with these measures.
struct Shown<'a> {
    paper: &'a Paper,
    reproduction: &'a Reproduction,
    id: &'a str,
    measures: Vec<&'a MeasureInfo>,
}

impl<'a> Shown<'a> {
    /// The rows that were run.
    fn rows(&self) -> impl Iterator<Item = &RowResult> {
        self.reproduction.rows.iter().filter(|row| row.table == self.id && row.replicates > 0)
    }

    /// Whether a row is outside the tolerance of this measure.
    fn missed(&self, m: &MeasureInfo) -> bool {
        let rows = self.reproduction.rows.iter().filter(|row| row.table == self.id);
        rows.filter_map(|row| row.values.get(&m.name)).any(|cell| cell.within == Some(false))
    }

    /// Takes out the measure that the fewest rows miss alone, the last of several; says how
    /// many do.
    fn without_one(&mut self) -> (&'a MeasureInfo, usize) {
        let misses = |row: &RowResult, m: &MeasureInfo| {
            row.values.get(&m.name).is_some_and(|cell| cell.within == Some(false))
        };
        let alone = |own: &&MeasureInfo| {
            let others = |row: &RowResult| {
                self.measures.iter().any(|m| m.name != own.name && misses(row, m))
            };
            self.rows().filter(|row| misses(row, own) && !others(row)).count()
        };
        let counts: Vec<usize> = self.measures.iter().map(alone).collect();
        let least = (0..counts.len()).rev().min_by_key(|&i| counts[i]).expect("there is one");
        (self.measures.remove(least), counts[least])
    }

    /// How many cases there are.
    fn cases(&self) -> usize {
        let mut cases: Vec<&str> = self.rows().map(|row| row.case.as_str()).collect();
        cases.dedup();
        cases.len()
    }

    /// With the paper's numbers and ours, and what the cases choose of `whats`.
    fn table(&self, whats: &[&String], without: &[&str]) -> Table {
        let differs = |measure: &MeasureInfo| !without.contains(&measure.head.as_str());
        let mut head = vec!["case".to_owned()];
        head.extend(whats.iter().map(|what| what.to_uppercase()));
        let Variants { name, unit, .. } = &self.paper.cases.variant;
        head.push(if unit.is_empty() { name } else { unit }.clone());
        let printed = |m: &&MeasureInfo| prints(self.reproduction, self.id, m);
        let printed: Vec<bool> = self.measures.iter().map(printed).collect();
        let mut kept = Vec::new();
        for (measure, &printed) in self.measures.iter().zip(&printed) {
            match printed {
                true => {
                    kept.extend([head.len(), head.len() + 1]);
                    head.extend([measure.head.clone(), "ours".to_owned()]);
                    head.extend(differs(measure).then(|| "diff".to_owned()));
                }
                false => head.push(measure.head.clone()),
            }
        }
        head.push(String::new());
        let groups = self.measures.iter().rev().filter(|m| m.beside).map(|m| m.head.clone());
        let spare = groups.chain(["diff".to_owned()]);
        let mut table = Table::new(head).bold_head().keys(whats.len() + 2).kept(kept).spare(spare);
        let mut last = "";
        for row in self.rows() {
            let again = row.case == last;
            last = &row.case;
            let once = |text: &str| if again { String::new() } else { text.to_owned() };
            let mut cells = vec![once(&row.case)];
            cells.extend(whats.iter().map(|what| once(row.choose.get(*what).map_or("", |c| c))));
            cells.push(row.variant.clone());
            for (measure, &printed) in self.measures.iter().zip(&printed) {
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

    /// What each case chooses of `whats`: `4: S1 Reno+SACK, S2 HSTCP+SACK`.
    fn choices(&self, whats: &[&String]) -> String {
        let mut text = String::new();
        let mut last = "";
        for row in self.rows() {
            if std::mem::replace(&mut last, &row.case) == row.case {
                continue;
            }
            let chosen = whats.iter().filter_map(|what| {
                Some(format!("{} {}", what.to_uppercase(), row.choose.get(*what)?))
            });
            let chosen: Vec<String> = chosen.collect();
            text += &wrapped(&format!("case {}: ", row.case), &chosen.join(", "), "  ");
        }
        text
    }
}

/// What the marks of a table mean that it has.
pub fn legend(off: bool, undecided: bool) -> String {
    let off = off.then_some("off: beyond the tolerance");
    let undecided = undecided.then_some("?: the interval of the difference includes the tolerance");
    off.into_iter().chain(undecided).collect::<Vec<_>>().join("; ")
}

fn mark(row: &RowResult) -> String {
    let verdict = match row.verdict {
        RowVerdict::Within => coloured("ok", Mood::Good),
        RowVerdict::Off => coloured("off", Mood::Bad),
        RowVerdict::Undecided => coloured("?", Mood::Mixed),
        RowVerdict::Open => NONE.to_owned(),
    };
    match row.lacks_replicates() {
        Some(some) => format!("{verdict} ({some})"),
        None => verdict,
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
