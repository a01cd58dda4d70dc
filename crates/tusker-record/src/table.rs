//! Text tables, and numbers as people read them.

use std::fmt;

use unicode_width::UnicodeWidthStr;

use crate::stats::Estimate;

/// A table of text: the first column to the left, all others to the right.
///
/// ```
/// # use tusker_record::table::Table;
/// let mut table = Table::new(["group", "goodput"]);
/// table.row(["S1", "411 Mbit/s"]);
/// assert_eq!(table.to_string(), "group     goodput\nS1     411 Mbit/s\n");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    bold_head: bool,
    left: bool,
}

/// Blanks between two columns.
const GAP: usize = 2;

impl Table {
    /// A table with these column heads.
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        Self { head: head.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Writes the heads in bold, with ANSI codes.
    pub fn bold_head(mut self) -> Self {
        self.bold_head = true;
        self
    }

    /// Sets every column to the left: a table of words.
    pub fn left(mut self) -> Self {
        self.left = true;
        self
    }

    /// Adds a row. Missing cells stay blank.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// Leaves out the columns, except the first, that hold nothing in any row.
    pub fn drop_empty_columns(&mut self) {
        for column in (1..self.head.len()).rev() {
            let empty =
                |row: &Vec<String>| row.get(column).is_none_or(|c| c.is_empty() || c == NONE);
            if self.rows.iter().all(empty) {
                self.head.remove(column);
                for row in &mut self.rows {
                    if column < row.len() {
                        row.remove(column);
                    }
                }
            }
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0).max(self.head.len());
        let mut widths = vec![0; columns];
        for row in std::iter::once(&self.head).chain(&self.rows) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        let line = |row: &[String]| {
            let mut text = String::new();
            for (column, width) in widths.iter().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                let blanks = " ".repeat(width - cell.width());
                if column == 0 {
                    text += &format!("{cell}{blanks}");
                } else if self.left {
                    text += &format!("{:GAP$}{cell}{blanks}", "");
                } else {
                    text += &format!("{:GAP$}{blanks}{cell}", "");
                }
            }
            text.truncate(text.trim_end().len());
            text
        };
        if self.bold_head {
            writeln!(f, "\x1b[1m{}\x1b[0m", line(&self.head))?;
        } else {
            writeln!(f, "{}", line(&self.head))?;
        }
        self.rows.iter().try_for_each(|row| writeln!(f, "{}", line(row)))
    }
}

/// What stands for a value that does not exist.
pub const NONE: &str = "-";

/// A unit with its multiples, and how many significant digits are shown.
#[derive(Clone, Copy, Debug)]
pub enum Unit {
    /// Bits per second: `411 Mbit/s`.
    Rate,
    /// Seconds: `52.3 ms`.
    Time,
    /// A share of 1 as per cent: `97.41 %`.
    Percent,
    /// A small probability: `0.00013`, `1.2e-6`.
    Probability,
    /// A number between 0 and 1: `0.913`.
    Index,
    /// A count or a number of packets: `8,431`.
    Count,
}

impl Unit {
    /// A value, as text with its unit.
    pub fn text(self, value: f64) -> String {
        let (scale, unit) = self.scale(value);
        format!("{}{unit}", self.number(value, scale))
    }

    /// An estimate: the mean, and half the 95 % confidence interval if known.
    pub fn estimate(self, estimate: Option<Estimate>) -> String {
        let Some(estimate) = estimate else { return NONE.to_owned() };
        let (scale, unit) = self.scale(estimate.mean);
        let mean = self.number(estimate.mean, scale);
        let Some(ci) = estimate.ci95.filter(|&ci| ci > 0.0) else {
            return format!("{mean}{unit}");
        };
        // as many decimals as the mean has: more would only look exact
        let decimals = mean.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        match self {
            Self::Probability => format!("{mean} ± {}", self.number(ci, scale)),
            _ => format!("{mean} ± {:.decimals$}{unit}", ci / scale),
        }
    }

    /// What to divide by, and what is written behind the number.
    fn scale(self, value: f64) -> (f64, &'static str) {
        let of = |scales: &[(f64, &'static str)]| {
            let fits = scales.iter().find(|(scale, _)| value.abs() >= 0.9995 * scale);
            *fits.or(scales.last()).expect("a unit has a scale")
        };
        match self {
            Self::Rate => {
                of(&[(1e9, " Gbit/s"), (1e6, " Mbit/s"), (1e3, " kbit/s"), (1.0, " bit/s")])
            }
            Self::Time => of(&[(1.0, " s"), (1e-3, " ms"), (1e-6, " us")]),
            Self::Percent => (0.01, " %"),
            Self::Probability | Self::Index | Self::Count => (1.0, ""),
        }
    }

    fn number(self, value: f64, scale: f64) -> String {
        let scaled = value / scale;
        match self {
            Self::Percent => format!("{scaled:.2}"),
            Self::Index => format!("{scaled:.3}"),
            Self::Probability if scaled == 0.0 => "0".to_owned(),
            Self::Probability if scaled.abs() < 1e-4 => format!("{scaled:.1e}"),
            Self::Probability => significant(scaled, 2),
            Self::Count if scaled.abs() >= 1e3 => thousands(scaled),
            Self::Count if scaled.fract() == 0.0 => thousands(scaled),
            Self::Rate | Self::Time | Self::Count => significant(scaled, 4),
        }
    }
}

/// With at least so many significant digits, none of them an exponent; no
/// digit before the point is lost.
fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    // of the rounded number: 999.96 has four digits before the point
    let rounded = format!("{:.*e}", digits as usize - 1, value.abs());
    let magnitude: i32 = rounded.split_once('e').map_or(0, |(_, e)| e.parse().unwrap_or(0));
    let decimals = (digits - 1 - magnitude).clamp(0, 6) as usize;
    format!("{value:.decimals$}")
}

/// Rounded to an integer, with a comma every three digits.
fn thousands(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = if value < 0.0 { "-".to_owned() } else { String::new() };
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Over;

    #[test]
    fn numbers_read_as_people_write_them() {
        for (unit, value, text) in [
            (Unit::Rate, 2.5e9, "2.500 Gbit/s"),
            (Unit::Rate, 411_234_567.0, "411.2 Mbit/s"),
            (Unit::Rate, 999_999.0, "1.000 Mbit/s"),
            (Unit::Rate, 0.0, "0 bit/s"),
            (Unit::Time, 0.0523, "52.30 ms"),
            (Unit::Time, 12.0, "12.00 s"),
            (Unit::Percent, 0.974_123, "97.41 %"),
            (Unit::Probability, 0.000_132, "0.00013"),
            (Unit::Probability, 1.24e-6, "1.2e-6"),
            (Unit::Probability, 0.0, "0"),
            (Unit::Index, 0.91349, "0.913"),
            (Unit::Count, 8431.0, "8,431"),
            (Unit::Count, 1_234_567.8, "1,234,568"),
            (Unit::Count, 843.12, "843.1"),
            (Unit::Count, 0.0, "0"),
        ] {
            assert_eq!(unit.text(value), text, "{unit:?} {value}");
        }
    }

    #[test]
    fn an_interval_shares_the_scale_of_its_mean() {
        let estimate = Estimate { mean: 411e6, ci95: Some(2.5e6), n: 5, over: Over::Replicates };
        assert_eq!(Unit::Rate.estimate(Some(estimate)), "411.0 ± 2.5 Mbit/s");
        let alone = Estimate { ci95: None, ..estimate };
        assert_eq!(Unit::Rate.estimate(Some(alone)), "411.0 Mbit/s");
        assert_eq!(Unit::Rate.estimate(None), "-");
    }

    #[test]
    fn columns_line_up_by_what_the_eye_sees() {
        let mut table = Table::new(["a", "b", "c"]);
        table.row(["x", "1 ± 2", "-"]);
        table.row(["longer", "3", ""]);
        table.drop_empty_columns();
        assert_eq!(table.to_string(), "a           b\nx       1 ± 2\nlonger      3\n");
    }
}
