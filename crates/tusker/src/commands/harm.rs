//! What rivals lost: stored beside the results of `tusker compare --against`, and shown on
//! pages.

use std::path::Path;

use tusker_record::stats::{Estimate, Over};
use tusker_record::store::harm;
use tusker_record::store::sweep::unit;
use tusker_record::summary::{Harm, Summary};
use tusker_record::table::Scaled;
use tusker_report::Page;
use tusker_report::page::{Block, Section, Table};

use crate::failure::Failure;

/// Writes it into a folder of a comparison.
pub fn write(out: &Path, summaries: &[Summary]) -> Result<(), Failure> {
    Ok(harm::write(out, summaries)?)
}

/// Adds what a folder of a comparison has of it to the page, behind the results.
pub fn show(page: &mut Page, out: &Path) -> Result<(), Failure> {
    let rows = harm::read(out)?;
    if rows.is_empty() {
        return Ok(());
    }
    let names = Harm::ABOUT.iter().map(|(name, _)| *name);
    let head = ["experiment", "cc", "against"].into_iter().chain(names.clone().map(words));
    let mut table = Table::new("What rivals lose", head);
    let value = |row: &harm::Row, at: usize| {
        let (mean, ci95) = *row.values.get(at)?;
        Some(Estimate { mean: mean?, ci95, n: 1, over: Over::Replicates })
    };
    // one unit per column
    let units: Vec<Scaled> = names
        .enumerate()
        .map(|(at, name)| unit(name).of(rows.iter().map(|row| value(row, at))))
        .collect();
    for row in &rows {
        let values = units.iter().enumerate().map(|(at, unit)| unit.estimate(value(row, at)));
        table.row(None, row.names.iter().cloned().chain(values));
    }
    let about = "Harm is what the flows of `against` lose by sharing the path with those of `cc`. For goodput it \
                 is (alone - beside) / alone, for RTT and loss (beside - alone) / beside. At 0 \
                 they lose nothing, at 1 everything, and below 0 they are better off than alone \
                 (by chance if ± is larger). `by its own` is the harm by as many flows of their own congestion control, mean over both groups.";
    let blocks = vec![Block::Table(table), Block::Text(about.to_owned())];
    let behind = page.sections.iter().position(|section| section.title == "Results");
    let at = behind.map_or(page.sections.len(), |at| at + 1);
    page.sections.insert(at, Section { title: "Harm".to_owned(), blocks, sheet: false });
    Ok(())
}

/// The words of the terminal for a measure of harm.
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
        for (name, _) in Harm::ABOUT {
            assert_ne!(words(name), *name);
        }
    }
}
