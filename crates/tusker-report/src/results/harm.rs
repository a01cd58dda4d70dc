//! What rivals lose in a comparison.

use tusker_measure::stats::{Estimate, Over};
use tusker_measure::summary::Harm;
use tusker_store::harm::Row;

use crate::columns::{self, Column};
use crate::page::{Block, Page, Section};

/// Adds what rivals lose to the page of results, behind these.
pub fn add_harm(page: &mut Page, rows: &[Row]) {
    let behind = page.sections.iter().position(|section| section.title == super::RESULTS);
    let at = behind.map_or(page.sections.len(), |at| at + 1);
    section(rows).into_iter().for_each(|section| page.sections.insert(at, section));
}

/// The section; none without a rival.
pub(super) fn section(rows: &[Row]) -> Option<Section> {
    if rows.is_empty() {
        return None;
    }
    let value = |row: &Row, at: usize| {
        let (mean, ci95) = *row.values.get(at)?;
        Some(Estimate { mean: mean?, ci95, n: 1, over: Over::Replicates })
    };
    // a table for each quantity: one of all is too wide for a sheet of paper
    let tables = [("goodput", "goodput"), ("rtt", "RTT"), ("loss", "packet loss")];
    let tables = tables.map(|(quantity, title)| {
        let mut columns: Vec<Column<'_, &Row>> = Vec::new();
        for (at, head) in ["experiment", "cc", "against"].into_iter().enumerate() {
            columns.push(Column::text(head, move |row: &&Row| row.names[at].clone()));
        }
        let own = Harm::ENTRIES.iter().enumerate();
        for (at, entry) in own.filter(|(_, entry)| entry.name.contains(quantity)) {
            columns.push(Column::measure(entry, move |row: &&Row| value(row, at)).kept(true));
        }
        let rows: Vec<(Option<usize>, &Row)> = rows.iter().map(|row| (None, row)).collect();
        columns::table(format!("What rivals lose: {title}"), 3, columns, &rows)
    });
    let about = "Harm is what the flows of `against` lose by sharing the path with those of `cc`. For goodput it \
                 is (alone - beside) / alone, for RTT and loss (beside - alone) / beside. At 0 \
                 they lose nothing, at 1 everything, and below 0 they are better off than alone \
                 (by chance if ± is larger). Harm by loss is unknown (-) if nothing is lost alone. `by its own` is the harm by as many flows of their own congestion control, mean over both groups.";
    let mut blocks: Vec<Block> = tables.into_iter().map(Block::Table).collect();
    blocks.push(Block::Text(about.to_owned()));
    Some(Section { title: "Harm".to_owned(), blocks })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_of_harm_is_in_one_table() {
        for name in Harm::ENTRIES.iter().map(|entry| entry.name) {
            let tables = ["goodput", "rtt", "loss"].iter().filter(|own| name.contains(**own));
            assert_eq!(tables.count(), 1, "{name} is in one table");
        }
    }
}
