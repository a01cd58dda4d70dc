//! A table of typed columns, and how it is written as CSV; [`super::parquet`] is
//! the other format.

use std::borrow::Cow;
use std::io::{self, Write};
use tusker_measure::csv::{quoted, written};

/// Values, or rows of CSV, between two checks whether to stop: a multiple of
/// Parquet's batch size.
pub(super) const STEP: usize = 4_096;

/// Whether to stop, as an error of [`io::ErrorKind::Interrupted`].
pub(super) fn go_on(stopped: &dyn Fn() -> bool) -> io::Result<()> {
    if stopped() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
}

/// Columns of equal length, each with its name.
#[derive(Clone, Debug, Default)]
pub struct Columns(pub Vec<(Cow<'static, str>, Values)>);

/// The values of one column.
#[derive(Clone, Debug)]
pub enum Values {
    /// Whole numbers.
    Int(Vec<i64>),
    /// Numbers; NaN is null.
    Float(Vec<f64>),
    /// Text as indices into a list of the texts that occur.
    Text(Vec<String>, Vec<u32>),
}

impl Columns {
    pub(super) fn int(&mut self, name: &'static str, values: impl Iterator<Item = u64>) {
        self.0.push((name.into(), Values::Int(values.map(|v| v as i64).collect())));
    }

    pub(super) fn float(&mut self, name: &'static str, values: impl Iterator<Item = Option<f64>>) {
        self.0.push((name.into(), Values::Float(values.map(|v| v.unwrap_or(f64::NAN)).collect())));
    }

    /// One text per row.
    pub(super) fn text(&mut self, name: &'static str, values: impl Iterator<Item = String>) {
        let texts: Vec<String> = values.collect();
        let rows = (0..texts.len() as u32).collect();
        self.0.push((name.into(), Values::Text(texts, rows)));
    }

    /// Texts that recur.
    pub(super) fn labels(&mut self, name: &'static str, texts: Vec<String>, rows: Vec<u32>) {
        self.0.push((name.into(), Values::Text(texts, rows)));
    }

    /// A column whose name is not known at compile time.
    pub fn named(&mut self, name: String, values: Values) {
        self.0.push((name.into(), values));
    }

    fn rows(&self) -> usize {
        match self.0.first() {
            None => 0,
            Some((_, Values::Int(v))) => v.len(),
            Some((_, Values::Float(v))) => v.len(),
            Some((_, Values::Text(_, v))) => v.len(),
        }
    }

    /// As CSV (RFC 4180): a line of names, then the rows of all parts of a table;
    /// null is empty.
    pub(super) fn write_csv(
        parts: impl Iterator<Item = Self>,
        mut to: impl Write,
        stopped: &dyn Fn() -> bool,
    ) -> io::Result<()> {
        for (nth, part) in parts.enumerate() {
            if nth == 0 {
                let names: Vec<String> = part.0.iter().map(|(name, _)| quoted(name)).collect();
                writeln!(to, "{}", names.join(","))?;
            }
            for row in 0..part.rows() {
                if row % STEP == 0 {
                    go_on(stopped)?;
                }
                part.write_row(row, &mut to)?;
            }
        }
        to.flush()
    }

    fn write_row(&self, row: usize, to: &mut impl Write) -> io::Result<()> {
        for (column, (_, values)) in self.0.iter().enumerate() {
            if column > 0 {
                write!(to, ",")?;
            }
            match values {
                Values::Int(v) => write!(to, "{}", v[row])?,
                Values::Float(v) if v[row].is_nan() => {}
                Values::Float(v) => write!(to, "{}", written(v[row]))?,
                Values::Text(texts, v) => write!(to, "{}", quoted(&texts[v[row] as usize]))?,
            }
        }
        writeln!(to)
    }
}

/// A table of two rows, for tests.
#[cfg(test)]
pub(super) fn example() -> Columns {
    let mut columns = Columns::default();
    columns.text("name", ["a,b".to_owned(), "c\"d".to_owned()].into_iter());
    columns.int("seed", [1, 2].into_iter());
    columns.float("goodput_bps", [Some(0.1), None].into_iter());
    columns.labels("queue", vec!["red".to_owned()], vec![0, 0]);
    columns
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn csv_quotes_what_needs_it_and_leaves_null_empty() {
        let mut text = Vec::new();
        Columns::write_csv([example()].into_iter(), &mut text, &|| false).unwrap();
        let expected = "name,seed,goodput_bps,queue\n\"a,b\",1,0.1,red\n\"c\"\"d\",2,,red\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }

    /// Four columns of 100,000 rows, in two parts.
    #[test]
    fn it_asks_every_few_thousand_values_whether_to_stop() {
        let part = || {
            let mut columns = Columns::default();
            columns.int("number", 0..50_000);
            columns.float("half", (0..50_000).map(|i| Some(f64::from(i) / 2.0)));
            columns.float("nothing", (0..50_000).map(|_| None));
            columns.labels("name", vec!["x".to_owned()], vec![0; 50_000]);
            columns
        };
        let ask = |write: &dyn Fn(&dyn Fn() -> bool) -> io::Result<()>, most: usize| {
            let asked = Cell::new(0);
            let written = write(&|| {
                asked.set(asked.get() + 1);
                asked.get() > most
            });
            (asked.get(), written.map_err(|error| error.kind()))
        };
        let parts = || [part(), part()].into_iter();
        let csv = |stopped: &dyn Fn() -> bool| Columns::write_csv(parts(), io::sink(), stopped);
        let parquet =
            |stopped: &dyn Fn() -> bool| super::super::parquet::write(parts(), io::sink(), stopped);
        // 50,000 / 4,096 is 12.2: 13 times for a part, or for a column of it
        assert_eq!(ask(&csv, usize::MAX), (2 * 13, Ok(())));
        assert_eq!(ask(&parquet, usize::MAX), (2 * 4 * 13, Ok(())));
        for most in [0, 20] {
            let stopped = (most + 1, Err(io::ErrorKind::Interrupted));
            assert_eq!(ask(&csv, most), stopped);
            assert_eq!(ask(&parquet, most), stopped);
        }
    }
}
