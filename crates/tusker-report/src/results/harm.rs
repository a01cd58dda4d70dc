//! What rivals lose in a comparison.

use tusker_measure::stats::{Estimate, Over};
use tusker_measure::summary::{Harm, unit};
use tusker_measure::table::Scaled;
use tusker_store::harm::Row;

use crate::page::{Block, Page, Section, Table};

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
    let tables = ["goodput", "rtt", "loss"].map(|quantity| {
        let of = |(_, name): &(usize, &str)| name.contains(quantity);
        let names = Harm::ENTRIES.iter().map(|entry| entry.name);
        let own: Vec<(usize, &str)> = names.enumerate().filter(of).collect();
        let head = ["experiment", "cc", "against"].into_iter();
        let head = head.chain(own.iter().map(|(_, name)| words(name)));
        let mut table = Table::new(format!("What rivals lose: {}", titled(quantity)), head);
        // one unit per column
        let unit_of = |&(at, name): &(usize, &str)| {
            (at, unit(name).of(rows.iter().map(|row| value(row, at))))
        };
        let units: Vec<(usize, Scaled)> = own.iter().map(unit_of).collect();
        for row in rows {
            let values = units.iter().map(|(at, unit)| unit.estimate(value(row, *at)));
            table.row(None, row.names.iter().cloned().chain(values));
        }
        table
    });
    let about = "Harm is what the flows of `against` lose by sharing the path with those of `cc`. For goodput it \
                 is (alone - beside) / alone, for RTT and loss (beside - alone) / beside. At 0 \
                 they lose nothing, at 1 everything, and below 0 they are better off than alone \
                 (by chance if ± is larger). Harm by loss is unknown (-) if nothing is lost alone. `by its own` is the harm by as many flows of their own congestion control, mean over both groups.";
    let mut blocks: Vec<Block> = tables.into_iter().map(Block::Table).collect();
    blocks.push(Block::Text(about.to_owned()));
    Some(Section { title: "Harm".to_owned(), blocks, sheet: false })
}

/// A quantity as a title has it.
fn titled(quantity: &str) -> &str {
    match quantity {
        "rtt" => "RTT",
        "loss" => "packet loss",
        other => other,
    }
}

/// The head of a measure of harm.
fn words(name: &'static str) -> &'static str {
    match name {
        "goodput_alone_bps" => "its goodput alone",
        "goodput_own_bps" => "beside its own",
        "harm_goodput" => "harm",
        "harm_goodput_own" => "harm by its own",
        "rtt_alone_s" => "its RTT alone",
        "rtt_own_s" => "RTT beside its own",
        "harm_rtt" => "RTT harm",
        "harm_rtt_own" => "RTT harm by its own",
        "loss_alone" => "its loss alone",
        "loss_own" => "loss beside its own",
        "harm_loss" => "loss harm",
        "harm_loss_own" => "loss harm by its own",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_of_harm_has_words() {
        for name in Harm::ENTRIES.iter().map(|entry| entry.name) {
            assert_ne!(words(name), name);
            let tables = ["goodput", "rtt", "loss"].iter().filter(|own| name.contains(**own));
            assert_eq!(tables.count(), 1, "{name} is in one table");
        }
    }
}
