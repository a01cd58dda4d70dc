//! Rows for which the paper prints no numbers, as a table for each measure.

use tusker_papers::Paper;
use tusker_papers::reproduction::{MeasureInfo, Reproduction};
use tusker_record::stats::Estimate;
use tusker_record::table::Table;

use super::estimate;

/// The variants of the rows of a table that were run.
fn variants<'a>(paper: &'a Paper, reproduction: &Reproduction, id: &str) -> Vec<&'a String> {
    let rows = || reproduction.rows.iter().filter(|row| row.table == id && row.replicates > 0);
    let order = paper.cases.variant.values.iter().map(|variant| &variant.name);
    order.filter(|name| rows().any(|row| row.variant == **name)).collect()
}

/// Whether a matrix has intervals: those over several seeds, as long as there is room. More
/// columns would make it unreadable; --format csv has all intervals.
pub(super) fn has_intervals(paper: &Paper, reproduction: &Reproduction, id: &str) -> bool {
    let mut rows = reproduction.rows.iter().filter(|row| row.table == id && row.replicates > 0);
    variants(paper, reproduction, id).len() <= 3 && rows.all(|row| row.replicates > 1)
}

/// One measure of rows of which the paper prints nothing: a line per case, a
/// column per variant.
pub(super) fn matrix(
    paper: &Paper,
    reproduction: &Reproduction,
    id: &str,
    measure: &MeasureInfo,
) -> Table {
    let rows = || reproduction.rows.iter().filter(|row| row.table == id && row.replicates > 0);
    let columns = variants(paper, reproduction, id);
    let with_interval = has_intervals(paper, reproduction, id);
    let unit = format!(" {}", measure.unit);
    // the head of some has it already
    let named = measure.unit.is_empty() || measure.head.ends_with(&unit);
    let mut head = vec![measure.head.clone() + if named { "" } else { &unit }];
    head.extend(columns.iter().map(|name| (*name).clone()));
    let mut table = Table::new(head).bold_head();
    let mut cases: Vec<&str> = rows().map(|row| row.case.as_str()).collect();
    cases.dedup();
    for case in cases {
        let cell = |name: &&String| {
            let row = rows().find(|row| row.case == case && row.variant == **name);
            let ours = row.and_then(|row| row.values.get(&measure.name)?.ours);
            let shown =
                |own: Estimate| Estimate { ci95: own.ci95.filter(|_| with_interval), ..own };
            estimate(ours.map(shown), measure)
        };
        table.row(std::iter::once(case.to_owned()).chain(columns.iter().map(cell)));
    }
    table
}
