//! Text tables, and numbers formatted for people.

use std::borrow::Cow;
use std::fmt;

use tusker_scenario::shown;
use unicode_width::UnicodeWidthChar;

/// A table of text: the first column is left-aligned, all others right-aligned.
///
/// ```
/// # use tusker_measure::table::Table;
/// let mut table = Table::new(["group", "goodput"]);
/// table.row(["S1", "411 Mbit/s"]);
/// assert_eq!(table.to_string(), "group     goodput\nS1     411 Mbit/s\n");
/// ```
///
/// If there is not enough room, [`Table::fit`] leaves columns out:
///
/// ```
/// # use tusker_measure::table::Table;
/// let mut table = Table::new(["group", "p5", "goodput"]).ranks([0, 1, 0]);
/// table.row(["S1", "17", "411 Mbit/s"]);
/// let fitted = table.fit(Some(18));
/// assert_eq!(fitted.text, "group     goodput\nS1     411 Mbit/s\n");
/// assert_eq!(fitted.hidden, ["p5"]);
/// ```
#[derive(Clone, Debug)]
pub struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    bold_head: bool,
    left: bool,
    /// Number of columns at the left that always stay.
    keys: usize,
    /// Ranks of the columns: those of the highest rank are left out first.
    ranks: Vec<usize>,
}

/// Blanks between two columns.
const GAP: usize = 2;

/// A table fitted to a width.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Its lines.
    pub text: String,
    /// Heads of the columns that were left out, from left to right.
    pub hidden: Vec<String>,
}

impl Table {
    /// A table with these column heads.
    pub fn new<S: Into<String>>(head: impl IntoIterator<Item = S>) -> Self {
        let head = head.into_iter().map(|cell| cell_of(cell.into())).collect();
        let rows = Vec::new();
        Self { head, rows, bold_head: false, left: false, keys: 1, ranks: Vec::new() }
    }

    /// Writes the heads in bold, with ANSI codes.
    pub fn bold_head(mut self) -> Self {
        self.bold_head = true;
        self
    }

    /// Left-aligns every column: a table of words, whose cells wrap if there is not
    /// enough room.
    pub fn left(mut self) -> Self {
        self.left = true;
        self
    }

    /// The first this many columns always stay, and so do those without a head; one
    /// if this is not called.
    pub fn keys(mut self, columns: usize) -> Self {
        self.keys = columns;
        self
    }

    /// The rank of each column: those of the highest rank are left out first, and with a column
    /// all those of higher ranks.
    pub fn ranks(mut self, ranks: impl IntoIterator<Item = usize>) -> Self {
        self.ranks = ranks.into_iter().collect();
        self
    }

    /// Adds a row. Missing cells stay blank.
    pub fn row<S: Into<String>>(&mut self, cells: impl IntoIterator<Item = S>) {
        self.rows.push(cells.into_iter().map(|cell| cell_of(cell.into())).collect());
    }

    /// The table in lines of at most `width` columns of a terminal, if there is a limit:
    /// a table of words folds its cells, any other leaves columns out. Key columns and
    /// words are never cut, whatever the width.
    pub fn fit(&self, width: Option<usize>) -> Fitted {
        let widths = self.widths();
        let (mut shown, mut widths) = ((0..widths.len()).collect::<Vec<_>>(), widths);
        if self.left {
            widths = folded(widths, width);
        } else if let Some(width) = width {
            shown = self.most_important(&widths, width);
        }
        let hidden = (0..self.head.len()).filter(|column| !shown.contains(column));
        let hidden = hidden.map(|column| self.head[column].clone());
        Fitted { hidden: hidden.collect(), text: self.write(&shown, &widths) }
    }

    /// How wide each column is.
    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0).max(self.head.len());
        let mut widths = vec![0; columns];
        for row in std::iter::once(&self.head).chain(&self.rows) {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(seen(cell));
            }
        }
        widths
    }

    /// The columns that fit, chosen by importance.
    fn most_important(&self, widths: &[usize], width: usize) -> Vec<usize> {
        // a column without a head says what a row is, or how it came out
        let named = |column: &usize| self.head.get(*column).is_some_and(|head| !head.is_empty());
        let is_key = |column: &usize| *column < self.keys || !named(column);
        let (mut shown, mut order): (Vec<usize>, Vec<usize>) = (0..widths.len()).partition(is_key);
        // those of the same rank from left to right
        let rank = |column: usize| self.ranks.get(column).copied().unwrap_or(0);
        order.sort_by_key(|&column| rank(column));
        let mut last = usize::MAX;
        let mut used = shown.iter().map(|&column| widths[column] + GAP).sum::<usize>();
        for column in order {
            if rank(column) <= last && used + widths[column] <= width {
                used += widths[column] + GAP;
                shown.push(column);
            } else {
                last = last.min(rank(column));
            }
        }
        shown.sort_unstable();
        shown
    }

    fn write(&self, shown: &[usize], widths: &[usize]) -> String {
        let mut text = String::new();
        if self.bold_head {
            text += &format!("{CODE}[1m{}{CODE}[0m\n", self.line(&self.head, shown, widths));
        } else {
            text += &format!("{}\n", self.line(&self.head, shown, widths));
        }
        for row in &self.rows {
            for line in lines_of(row, widths) {
                text += &format!("{}\n", self.line(&line, shown, widths));
            }
        }
        text
    }

    fn line(&self, cells: &[String], shown: &[usize], widths: &[usize]) -> String {
        let mut text = String::new();
        for &column in shown {
            let cell = cells.get(column).map_or("", String::as_str);
            let blanks = " ".repeat(widths[column].saturating_sub(seen(cell)));
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
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fit(None).text)
    }
}

/// The widths of columns of words that share `width`: narrow ones keep their own
/// width, the others get equal widths.
fn folded(mut widths: Vec<usize>, width: Option<usize>) -> Vec<usize> {
    let Some(width) = width else { return widths };
    let gaps = GAP * widths.len().saturating_sub(1);
    let mut room = width.saturating_sub(gaps + widths.first().copied().unwrap_or(0));
    let mut order: Vec<usize> = (1..widths.len()).collect();
    order.sort_by_key(|&column| widths[column]);
    for (nth, &column) in order.iter().enumerate() {
        widths[column] = widths[column].min(room / (order.len() - nth));
        room -= widths[column];
    }
    widths
}

/// A row as the lines that its cells need at these column widths.
fn lines_of(row: &[String], widths: &[usize]) -> Vec<Vec<String>> {
    let fold = |(cell, &width): (&String, &usize)| match seen(cell) <= width {
        true => vec![cell.clone()],
        false => fold(cell, width),
    };
    let folded: Vec<Vec<String>> = row.iter().zip(widths).map(fold).collect();
    let lines = folded.iter().map(Vec::len).max().unwrap_or(1);
    let line = |n| folded.iter().map(|cell| cell.get(n).cloned().unwrap_or_default()).collect();
    (0..lines).map(line).collect()
}

/// A text in lines of at most `width`, broken between words; a longer word is
/// broken after a hyphen or a slash, if it has one.
pub fn fold(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for mut word in text.split_whitespace() {
        while seen(word) > width {
            let fits = |(at, sign): &(usize, &str)| seen(&word[..at + sign.len()]) <= width;
            let breaks = word.match_indices(['-', '/']).take_while(fits);
            let Some((at, sign)) = breaks.last() else { break };
            let (head, rest) = word.split_at(at + sign.len());
            lines.push(head.to_owned());
            word = rest;
        }
        match lines.last_mut() {
            Some(line) if seen(line) + 1 + seen(word) <= width => *line += &format!(" {word}"),
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// As wide as it is shown.
fn cell_of(text: String) -> String {
    match shown(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(safe) => safe,
    }
}

/// Stands for the escape character of our own colour codes until they are printed, so that they
/// differ from what others wrote. It is a character that no text has (Unicode, section 23.7).
pub const CODE: char = '\u{fdd0}';

/// The width of a text on a terminal, not counting colour codes.
pub fn seen(text: &str) -> usize {
    let (mut width, mut in_code) = (0, false);
    for c in text.chars() {
        match c {
            CODE => in_code = true,
            'm' if in_code => in_code = false,
            _ if in_code => {}
            c => width += c.width().unwrap_or(0),
        }
    }
    width
}

/// Shown for a value that does not exist.
pub const NONE: &str = "-";

/// The form of a verb for so many things: `is`, `are`.
pub fn verb<'w>(number: impl Into<u128>, one: &'w str, many: &'w str) -> &'w str {
    if number.into() == 1 { one } else { many }
}

/// A number of things: `1 flow`, `2 flows`.
pub fn counted(number: impl Into<u128>, thing: &str) -> String {
    match number.into() {
        1 => format!("1 {thing}"),
        number => format!("{number} {thing}s"),
    }
}

mod unit;

pub use unit::{Scaled, Unit, duration, duration_as, duration_unit, significant, size};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_by_what_the_eye_sees() {
        let mut table = Table::new(["a", "b", "c"]);
        table.row(["x", "1 ± 2", "-"]);
        table.row(["longer", "3", ""]);
        assert_eq!(table.to_string(), "a           b  c\nx       1 ± 2  -\nlonger      3\n");
    }

    #[test]
    fn a_narrow_table_leaves_out_what_matters_least_and_keeps_its_keys() {
        let mut table =
            Table::new(["link", "queue", "p5", "loss", "p99"]).keys(2).ranks([0, 0, 1, 0, 2]);
        table.row(["R1->R2", "red", "7", "0.00013", "12"]);
        // 6 + 2 + 5, then 2 + 7 for the loss, 2 + 2 for p5, 2 + 3 for p99
        for (width, head, hidden) in [
            (31, "link    queue  p5     loss  p99", vec![]),
            (30, "link    queue  p5     loss", vec!["p99"]),
            (26, "link    queue  p5     loss", vec!["p99"]),
            (25, "link    queue     loss", vec!["p5", "p99"]),
            (21, "link    queue", vec!["p5", "loss", "p99"]),
            (1, "link    queue", vec!["p5", "loss", "p99"]),
        ] {
            let Fitted { text, hidden: found } = table.fit(Some(width));
            assert_eq!(
                (text.lines().next().unwrap(), found),
                (head, hidden.into_iter().map(str::to_owned).collect()),
                "{width}"
            );
        }
        assert_eq!(table.fit(None).text, table.to_string());
    }

    /// 4, 9, 3 and 2 wide, with gaps of 2: in 14 columns there is room for c, but not for b.
    #[test]
    fn what_matters_less_goes_with_what_matters_more() {
        let mut table = Table::new(["aaaa", "bbbbbbbbb", "ccc", "dd"]).ranks([0, 1, 2, 1]);
        table.row(["1", "2", "3", "4"]);
        assert_eq!(table.fit(Some(14)).hidden, ["bbbbbbbbb", "ccc"]);
        assert_eq!(table.fit(Some(19)).hidden, ["ccc"]);
    }

    #[test]
    fn a_table_of_words_folds_them_under_their_column() {
        let mut table = Table::new(["law", "", "source"]).left();
        table.row(["reno", "short", "RFC 5681, section 3.1, equations 3 and 4"]);
        let text = "law          source\n\
                    reno  short  RFC 5681, section\n             3.1, equations 3\n             and 4\n";
        assert_eq!(table.fit(Some(30)).text, text);
        assert!(table.to_string().lines().all(|line| line.len() < 60 && !line.starts_with(' ')));
    }

    #[test]
    fn a_long_name_is_broken_behind_a_hyphen() {
        let lines = fold("see draft-cardwell-iccrg-bbr-00", 16);
        assert_eq!(lines, ["see", "draft-cardwell-", "iccrg-bbr-00"]);
        assert_eq!(fold("abcdefgh i", 4), ["abcdefgh", "i"]);
    }

    #[test]
    fn colours_take_no_room() {
        let mut table = Table::new(["a", "b"]);
        table.row(["\u{fdd0}[31mx\u{fdd0}[0m", "1"]);
        assert_eq!(table.to_string(), "a  b\n\u{fdd0}[31mx\u{fdd0}[0m  1\n");
    }
}
