//! A page as CSV (RFC 4180): the table of its answer.

use tusker_measure::csv::quoted;

use crate::page::{Page, Table};

/// The table of the answer; nothing without one.
pub fn csv(page: &Page) -> String {
    page.table.as_ref().map_or_else(String::new, of_table)
}

/// A table, with its heads in the first line.
fn of_table(table: &Table) -> String {
    let head = line(table.columns.iter().map(|column| column.head.as_str()));
    let rows = table.rows.iter().map(|row| line(row.cells.iter().map(|cell| cell.text.as_str())));
    head + &rows.collect::<String>()
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Span;

    #[test]
    fn cells_with_commas_and_quotes_are_quoted() {
        let mut table = Table::new("t", ["cc", "what"]);
        table.row(None, [Span::from("reno"), Span::good("a, \"b\"")]);
        let page = Page { table: Some(table), ..Page::default() };
        assert_eq!(csv(&page), "cc,what\nreno,\"a, \"\"b\"\"\"\n");
        assert_eq!(csv(&Page::default()), "");
    }
}
