//! The readings that could change what is judged.

use std::collections::BTreeSet;

use tusker_lab::suite::claims::Operand;
use tusker_scenario::Scenario;

use crate::paper::Paper;
use crate::rows::{Row, Taken};

/// The readings of the text that can change these operands: they set something in one of
/// the rows, or count one of the measures in another way. A reading that only sets the seed
/// is none of them: seeds are counted by themselves.
pub(super) fn relevant<'a>(paper: &'a Paper, needed: &[Operand]) -> Vec<&'a str> {
    let ids: BTreeSet<String> = needed.iter().map(|operand| operand.row.to_string()).collect();
    let mut rows = paper.rows();
    rows.retain(|row| ids.contains(&row.id()));
    let names = paper.readings.iter().map(|reading| reading.name.as_str());
    names.filter(|name| changes(paper, name, &rows, needed)).collect()
}

fn changes(paper: &Paper, name: &str, rows: &[Row<'_>], needed: &[Operand]) -> bool {
    let Ok(taken) = paper.take(&[name.to_owned()], &[]) else { return false };
    let sets = |row: &&Row<'_>| {
        let sets = taken.sets_of(&row.case.choose);
        sets.iter().any(|set| !set.starts_with("seed="))
    };
    // what it sets may be what the row has anyway
    let scenario = |row: &Row<'_>, taken: &Taken<'_>| {
        paper.scenario(row, taken, &[]).ok().map(|own| Scenario { seed: None, ..own })
    };
    let base = Taken::with(&[]);
    let differs = |row: &Row<'_>| scenario(row, &taken) != scenario(row, &base);
    needed.iter().any(|o| taken.source(&o.measure).is_some())
        || rows.iter().filter(sets).any(differs)
}
