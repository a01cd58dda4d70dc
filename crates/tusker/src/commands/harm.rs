//! What rivals lost, kept beside the results of `tusker compare --against`, and on pages.

use std::path::Path;

use tusker_record::store::harm;
use tusker_record::store::sweep::unit;
use tusker_record::summary::{Harm, Summary};
use tusker_record::table::NONE;
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
    let head = ["experiment", "cc", "against"].into_iter().chain(names);
    let mut table = Table::new("What rivals lose", head);
    for row in rows {
        let cell = |(name, (mean, half)): (&str, &(Option<f64>, Option<f64>))| {
            let Some(mean) = *mean else { return NONE.to_owned() };
            let unit = unit(name);
            match half.filter(|half| *half > 0.0) {
                Some(half) => format!("{} \u{b1} {}", unit.text(mean), unit.text(half)),
                None => unit.text(mean),
            }
        };
        let values = Harm::ABOUT.iter().map(|(name, _)| *name).zip(&row.values).map(cell);
        table.row(None, row.names.iter().cloned().chain(values));
    }
    let about = "Harm is what the flows behind `against` lose by sharing the path: of goodput (alone - \
                 beside) / alone, of RTT and loss (beside - alone) / beside; 0 is nothing, 1 all, and \
                 below 0 the others helped. `own` is the same beside as many flows of their own kind.";
    let blocks = vec![Block::Table(table), Block::Text(about.to_owned())];
    let behind = page.sections.iter().position(|section| section.title == "Results");
    let at = behind.map_or(page.sections.len(), |at| at + 1);
    page.sections.insert(at, Section { title: "Harm".to_owned(), blocks });
    Ok(())
}
