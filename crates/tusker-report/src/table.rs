//! A table of a page, and the numbers behind a figure.

use tusker_measure::table::NONE;

use crate::span::Span;

/// A table: the first columns say what a row is, all others are values.
#[derive(Clone, Debug)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// How many of them say what a row is: these are never left out.
    pub keys: usize,
    /// Columns of words, which are set to the left and broken into lines.
    pub words: bool,
    /// Whether some number has a confidence interval.
    pub intervals: bool,
    /// The rows.
    pub rows: Vec<Row>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            caption: String::new(),
            columns: Vec::new(),
            keys: 1,
            words: false,
            intervals: false,
            rows: Vec::new(),
        }
    }
}

/// A column of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// Its head.
    pub head: String,
    /// Where there is not enough room, columns of the highest rank are left out first; of
    /// equal ranks the last.
    pub rank: usize,
}

/// A row of a table.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The colour of the curves that show the same.
    pub colour: Option<usize>,
    /// Its cells; missing ones stay blank.
    pub cells: Vec<Span>,
}

impl Table {
    /// An empty table.
    pub fn new<S: Into<String>>(
        caption: impl Into<String>,
        head: impl IntoIterator<Item = S>,
    ) -> Self {
        let column = |head: S| Column { head: head.into(), rank: 0 };
        let columns = head.into_iter().map(column).collect();
        Self { caption: caption.into(), columns, ..Self::default() }
    }

    /// Heads of the columns that are left out first where there is not enough room, the least
    /// important one first.
    pub fn spare(mut self, heads: &[&str]) -> Self {
        for column in &mut self.columns {
            let at = heads.iter().position(|head| *head == column.head);
            column.rank = at.map_or(0, |at| heads.len() - at);
        }
        self
    }

    /// Adds a row.
    pub fn row<S: Into<Span>>(
        &mut self,
        colour: Option<usize>,
        cells: impl IntoIterator<Item = S>,
    ) {
        self.rows.push(Row { colour, cells: cells.into_iter().map(Into::into).collect() });
    }

    /// Leaves out the columns, except the first, that hold nothing in any row.
    pub fn drop_empty_columns(&mut self) {
        for column in (1..self.columns.len()).rev() {
            let blank = |row: &Row| {
                row.cells.get(column).is_none_or(|cell| cell.text.is_empty() || *cell == NONE)
            };
            if self.rows.iter().all(blank) {
                self.columns.remove(column);
                for row in self.rows.iter_mut().filter(|row| column < row.cells.len()) {
                    row.cells.remove(column);
                }
            }
        }
    }
}
