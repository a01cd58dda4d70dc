//! Tables from typed values: a column says how its value is found in a row.

use tusker_measure::stats::{Estimate, Over};
use tusker_measure::summary::Entry;
use tusker_measure::table::{NONE, Scaled, Unit};

use crate::page::{self, Span, Table};

/// A value of a cell.
pub(crate) enum Value {
    /// Words.
    Text(String),
    /// A number, and what stands behind its unit.
    Number(Unit, Option<Estimate>, String),
}

/// A column of a table whose rows are made from `T`.
pub(crate) struct Column<'a, T> {
    head: String,
    rank: usize,
    is_kept: bool,
    value: Box<dyn Fn(&T) -> Value + 'a>,
}

impl<'a, T> Column<'a, T> {
    /// A column of words.
    pub(crate) fn text(head: impl Into<String>, value: impl Fn(&T) -> String + 'a) -> Self {
        let value = move |row: &T| Value::Text(value(row));
        Self::new(head, value)
    }

    /// A column of anything.
    pub(crate) fn new(head: impl Into<String>, value: impl Fn(&T) -> Value + 'a) -> Self {
        Self { head: head.into(), rank: 0, is_kept: false, value: Box::new(value) }
    }

    /// The column of a measure, with its heading, unit and rank; empty if that has none.
    pub(crate) fn measure(entry: &Entry, value: impl Fn(&T) -> Option<Estimate> + 'a) -> Self {
        let (unit, is_rare, behind) = (entry.quantity.shown(), entry.is_rare, entry.suffix());
        let there = move |own: &Estimate| !is_rare || own.mean > 0.0;
        let value = move |row: &T| Value::Number(unit, value(row).filter(there), behind.to_owned());
        Self::new(entry.heading, value).rank(entry.rank.unwrap_or(0))
    }

    /// The same with another head.
    pub(crate) fn head(mut self, head: &str) -> Self {
        self.head = head.to_owned();
        self
    }

    /// The column is there even without any value.
    pub(crate) fn kept(mut self, is_kept: bool) -> Self {
        self.is_kept = is_kept;
        self
    }

    /// Where there is not enough room, columns of the highest rank are left out first.
    pub(crate) fn rank(mut self, rank: usize) -> Self {
        self.rank = rank;
        self
    }
}

/// A table of these rows, the first `keys` columns of which say what a row is. All numbers of a
/// column have one unit; columns without any value are left out.
pub(crate) fn table<T>(
    caption: impl Into<String>,
    keys: usize,
    columns: Vec<Column<'_, T>>,
    rows: &[(Option<usize>, T)],
) -> Table {
    let mut table = Table { keys, ..Table::new(caption, Vec::<String>::new()) };
    for (colour, _) in rows {
        table.row(*colour, Vec::<String>::new());
    }
    for (nth, column) in columns.into_iter().enumerate() {
        let values: Vec<Value> = rows.iter().map(|(_, row)| (column.value)(row)).collect();
        let any = values.iter().any(|value| match value {
            Value::Text(text) => !text.is_empty() && text != NONE,
            Value::Number(_, estimate, _) => estimate.is_some(),
        });
        if !any && nth >= keys && !column.is_kept {
            continue;
        }
        let unit = values.iter().find_map(|value| match value {
            Value::Number(unit, ..) => Some(*unit),
            Value::Text(_) => None,
        });
        let estimates = values.iter().map(|value| match value {
            Value::Number(_, estimate, _) => *estimate,
            Value::Text(_) => None,
        });
        table.intervals |= estimates.clone().flatten().any(has_interval);
        let scaled: Option<Scaled> = unit.map(|unit| unit.of(estimates));
        for (row, value) in table.rows.iter_mut().zip(values) {
            let cell = match (value, &scaled) {
                (Value::Text(text), _) => text.into(),
                (Value::Number(_, None, _), _) | (_, None) => NONE.into(),
                (Value::Number(_, estimate, behind), Some(unit)) => {
                    Span::estimate(unit.estimate(estimate) + &behind, estimate)
                }
            };
            row.cells.push(cell);
        }
        table.columns.push(page::Column { head: column.head, rank: column.rank });
    }
    table
}

/// Whether a number is written with ±.
pub(crate) fn has_interval(estimate: Estimate) -> bool {
    estimate.ci95.is_some_and(|half| half > 0.0 || estimate.over == Over::Replicates)
}

#[cfg(test)]
mod tests {
    use tusker_measure::summary::{Link, Total};

    use super::*;
    use crate::Page;
    use crate::terminal::{self, Terminal};

    fn estimate(mean: f64, ci95: Option<f64>) -> Option<Estimate> {
        Some(Estimate { mean, ci95, n: 4, over: Over::Batches })
    }

    #[test]
    fn a_column_has_one_unit_and_goes_without_a_value() {
        let columns = || {
            vec![
                Column::text("cc", |row: &(&str, f64)| row.0.to_owned()),
                Column::measure(Total::entry("goodput_bps"), |row: &(&str, f64)| {
                    estimate(row.1, None)
                })
                .head("rate"),
                Column::measure(Link::entry("queue_mean_pkt"), |row: &(&str, f64)| {
                    estimate(row.1 / 1e8, None)
                })
                .head("queue"),
                Column::measure(Total::entry("loss_rate"), |_: &(&str, f64)| None),
            ]
        };
        let rows = [(None, ("reno", 1.2e9)), (None, ("cubic", 3e8))];
        let table = table("t", 1, columns(), &rows);
        assert!(!table.intervals);
        let page = Page { table: Some(table), ..Page::default() };
        let expected = "\u{fdd0}[1mcc            rate   queue\u{fdd0}[0m\n\
                        reno   1.200 Gbit/s  12 pkt\n\
                        cubic  0.3000 Gbit/s   3 pkt\n";
        let expected = expected.replace("cc            rate", "cc              rate");
        let expected = expected.replace("reno   1.200", "reno    1.200");
        assert_eq!(terminal::text(&page, &Terminal::default()), expected);
    }

    #[test]
    fn whether_some_number_has_an_interval_is_known() {
        let column =
            |ci95| vec![Column::measure(Total::entry("jain"), move |(): &()| estimate(1.0, ci95))];
        for (ci95, intervals) in [(None, false), (Some(0.0), false), (Some(0.1), true)] {
            assert_eq!(table("t", 0, column(ci95), &[(None, ())]).intervals, intervals);
        }
    }

    /// 488 ± 717 reaches zero, 717 ± 488 does not.
    #[test]
    fn a_value_whose_interval_reaches_zero_is_marked() {
        let column = Column::measure(Total::entry("goodput_bps"), |row: &Option<Estimate>| *row);
        let rows = [(488e6, 717e6), (717e6, 488e6), (-1.5, 1.5), (5.0, 0.0), (0.0, 0.0)];
        let rows = rows.map(|(mean, half)| (None, estimate(mean, Some(half))));
        let table = table("t", 0, vec![column], &rows);
        let is_vague: Vec<bool> =
            table.rows.iter().map(|row| row.cells[0].meaning == page::Meaning::Vague).collect();
        assert_eq!(is_vague, [true, false, true, false, false]);
    }
}
