//! What each row measured under each reading, with a line for each reading.

use tusker_papers::reproduction::{Cell, MeasureInfo, Reproduction, RowResult, RowVerdict};
use tusker_record::table::NONE;

use super::rows::legend;
use super::{Compared, estimate};

/// Rows under readings with their measures: the paper's line, the base, then each reading
/// that changes something in the row.
pub struct ByRow {
    /// Column heads.
    pub head: Vec<String>,
    /// One for each row and reading.
    pub lines: Vec<Vec<String>>,
}

impl ByRow {
    /// What the marks in the last column mean; empty if there is none to explain.
    pub fn legend(&self) -> String {
        let marks = || self.lines.iter().filter_map(|line| line.last());
        let has = |mark: &str| marks().any(|own| own.starts_with(mark));
        legend(has("off"), has("?"))
    }
}

/// Of every row that the base has.
pub fn by_row(all: &[Compared]) -> ByRow {
    let Some(Compared { reproduction: base, .. }) = all.first() else {
        return ByRow { head: Vec::new(), lines: Vec::new() };
    };
    let run = || base.rows.iter().filter(|row| row.replicates > 0);
    let shown = |m: &&MeasureInfo| {
        let has = |row: &RowResult| row.values.get(&m.name).is_some_and(|c| c.ours.is_some());
        (m.tolerance.is_some() || m.beside) && run().any(has)
    };
    let measures: Vec<&MeasureInfo> = base.measures.iter().filter(shown).collect();
    let mut head = vec!["row".to_owned(), "reading".to_owned()];
    head.extend(measures.iter().map(|m| m.head.clone()));
    head.push(String::new());
    let mut lines = Vec::new();
    for row in run() {
        let mut named = Some(row.id.clone());
        let mut line = |reading: &str, cells: Vec<String>, end: &str| {
            let row = named.take().unwrap_or_default();
            let begin = [row, reading.to_owned()].into_iter();
            lines.push(begin.chain(cells).chain([end.to_owned()]).collect());
        };
        let cell = |row: &RowResult, m: &MeasureInfo| row.values.get(&m.name).cloned();
        let printed = |cell: Option<Cell>, m: &MeasureInfo| {
            let paper = cell.and_then(|cell| cell.paper);
            paper.map_or(NONE.to_owned(), |p| format!("{:.*}", m.decimals, p.value))
        };
        let theirs: Vec<String> = measures.iter().map(|m| printed(cell(row, m), m)).collect();
        if theirs.iter().any(|text| text != NONE) {
            line("(the paper)", theirs, "");
        }
        for one in all.iter().filter(|one| !one.same).map(|one| &one.reproduction) {
            let Some(own) = changed(base, row, one) else { continue };
            let ours = |m: &&MeasureInfo| estimate(cell(own, m).and_then(|cell| cell.ours), m);
            let verdict = match own.verdict {
                RowVerdict::Within => "ok",
                RowVerdict::Off => "off",
                RowVerdict::Undecided => "?",
                RowVerdict::Open => "",
            };
            let end = match own.lacks_replicates() {
                Some(some) => format!("{verdict} ({some})"),
                None => verdict.to_owned(),
            };
            line(&one.reading.name, measures.iter().map(ours).collect(), end.trim());
        }
    }
    ByRow { head, lines }
}

/// The row under a reading; none if it was not run, or if the reading changes nothing in it.
fn changed<'a>(
    base: &Reproduction,
    row: &RowResult,
    one: &'a Reproduction,
) -> Option<&'a RowResult> {
    let own = one.rows.iter().find(|own| own.id == row.id && own.replicates > 0)?;
    let same = own.changes == row.changes && own.values == row.values;
    (one.reading.name == base.reading.name || !same).then_some(own)
}
