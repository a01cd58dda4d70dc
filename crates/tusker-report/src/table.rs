//! A table of a page, and the numbers behind a figure.

/// A table: the first column names the row, all others are values.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Heads of the columns.
    pub head: Vec<String>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The colour of the curves that show the same.
    pub colour: Option<usize>,
    /// Its cells; missing ones stay blank.
    pub cells: Vec<String>,
}

impl Table {
    /// An empty table.
    pub fn new<S: Into<String>>(
        caption: impl Into<String>,
        head: impl IntoIterator<Item = S>,
    ) -> Self {
        let head = head.into_iter().map(Into::into).collect();
        Self { caption: caption.into(), head, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<S: Into<String>>(
        &mut self,
        colour: Option<usize>,
        cells: impl IntoIterator<Item = S>,
    ) {
        self.rows.push(Row { colour, cells: cells.into_iter().map(Into::into).collect() });
    }

    /// Leaves out the columns, except the first, that hold nothing in any row.
    pub fn drop_empty_columns(&mut self) {
        for column in (1..self.head.len()).rev() {
            let blank = |row: &Row| {
                row.cells
                    .get(column)
                    .is_none_or(|c| c.is_empty() || c == tusker_record::table::NONE)
            };
            if self.rows.iter().all(blank) {
                self.head.remove(column);
                for row in self.rows.iter_mut().filter(|row| column < row.cells.len()) {
                    row.cells.remove(column);
                }
            }
        }
    }
}
