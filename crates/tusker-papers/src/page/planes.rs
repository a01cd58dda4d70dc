//! Rows on real sockets, beside what the paper prints and what the simulator says.

use std::fmt::Write;

use tusker_measure::table::NONE;
use tusker_report::figure::Figure;
use tusker_report::page::{Block, Note, Page, Section, Table};

use super::page;
use crate::measure::Measure;
use crate::paper::TableInfo;
use crate::reproduction::{Reproduction, RowResult};

/// The same rows on both planes.
pub(crate) struct Both<'a> {
    /// The tables of the paper.
    pub tables: &'a [TableInfo],
    /// What the simulator says.
    pub simulated: Reproduction,
    /// What was measured.
    pub measured: Reproduction,
    /// Rows that the testbed cannot run, and why.
    pub refused: Vec<(String, String)>,
}

/// A measure of a row: the paper's value, what was simulated, what was measured.
type Three = [Option<f64>; 3];

impl Both<'_> {
    fn pairs(&self) -> impl Iterator<Item = (&RowResult, &RowResult)> {
        self.simulated.rows.iter().filter_map(|row| {
            let measured = self.measured.rows.iter().find(|own| own.id == row.id)?;
            (row.replicates > 0 && measured.replicates > 0).then_some((row, measured))
        })
    }

    fn three(simulated: &RowResult, measured: &RowResult, measure: &Measure) -> Three {
        let cell = |row: &RowResult| row.values.get(&measure.name).cloned().unwrap_or_default();
        let (s, m) = (cell(simulated), cell(measured));
        [s.paper.map(|p| p.value), s.ours.map(|o| o.mean), m.ours.map(|o| o.mean)]
    }

    /// Measures that the simulator has of some row, and the testbed of none.
    fn absent(&self) -> Vec<&str> {
        let lacks = |measure: &&Measure| {
            let all = || self.pairs().map(|(s, m)| Self::three(s, m, measure));
            all().any(|three| three[1].is_some()) && all().all(|three| three[2].is_none())
        };
        self.measured.measures.iter().filter(lacks).map(|m| m.name.as_str()).collect()
    }

    /// What is known of the rows beside their numbers, a sentence each.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let invalid: Vec<&str> =
            self.pairs().filter(|(_, m)| m.invalid > 0).map(|(_, m)| m.id.as_str()).collect();
        if !invalid.is_empty() {
            notes.push(format!(
                "still invalid after several runs, so do not use them: {}; --force runs them again",
                invalid.join(", ")
            ));
        }
        let absent = self.absent();
        if !absent.is_empty() {
            notes.push(format!("not measured on the testbed: {}", absent.join(", ")));
        }
        let refused = self.refused.iter();
        notes.extend(refused.map(|(row, what)| format!("{row} was not run: {what}")));
        notes
    }

    /// A line for each row and measure that the tables show.
    fn table(&self) -> Table {
        let head = ["row", "measure", "paper", "simulated", "measured", "difference"];
        let mut table = Table::new("Simulated and measured", head);
        for (s, m) in self.pairs() {
            let word = if m.invalid > 0 { " INVALID" } else { "" };
            for measure in self.shown(&s.table) {
                let three @ [_, simulated, measured] = Self::three(s, m, measure);
                let digits = measure.decimals;
                let cell = |value: Option<f64>| {
                    value.map_or(NONE.to_owned(), |value| format!("{value:.digits$}"))
                };
                let name = format!("{} {}", measure.name, measure.unit);
                let begin = [format!("{}{word}", m.id), name.trim_end().to_owned()].into_iter();
                let change = relative(simulated, measured);
                let change =
                    change.map_or(NONE.to_owned(), |part| format!("{:+.1} %", 100.0 * part));
                table.row(None, begin.chain(three.map(cell)).chain([change]));
            }
        }
        table
    }

    /// What a table shows.
    fn shown(&self, id: &str) -> impl Iterator<Item = &Measure> {
        let info = self.tables.iter().find(|info| info.id == id);
        let shows = move |m: &&Measure| match info {
            Some(info) => info.show.contains(&m.name),
            None => m.tolerance.is_some(),
        };
        self.measured.measures.iter().filter(shows)
    }

    /// A line per row: of every measure the paper's value, both of ours, and their
    /// difference as a part of what was simulated.
    pub fn csv(&self) -> String {
        let mut text = format!("table,case,{},replicates,invalid", self.measured.paper.variant);
        for Measure { name, .. } in &self.measured.measures {
            for end in ["paper", "simulated", "measured", "difference"] {
                let _ = write!(text, ",{name}_{end}");
            }
        }
        text.push('\n');
        for (s, m) in self.pairs() {
            let _ =
                write!(text, "{},{},{},{},{}", m.table, m.case, m.variant, m.replicates, m.invalid);
            for measure in &self.measured.measures {
                let three @ [_, simulated, measured] = Self::three(s, m, measure);
                for number in three.into_iter().chain([relative(simulated, measured)]) {
                    let _ = write!(text, ",{}", number.map_or(String::new(), |n| n.to_string()));
                }
            }
            text.push('\n');
        }
        text
    }

    /// Both planes first, then what the paper's page has.
    pub fn page(&self, curves: Vec<Figure>) -> Page {
        let mut page = page(&self.measured);
        page.title += ", on real sockets";
        page.table = Some(self.table());
        let note = |text| Note { text, doubt: true };
        page.notes.splice(0..0, self.notes().into_iter().map(note));
        if !curves.is_empty() {
            let blocks = curves.into_iter().map(Block::from).collect();
            page.sections.insert(0, Section { title: "Over time".to_owned(), blocks });
        }
        page
    }
}

/// How far apart the two are, as a part of the first.
fn relative(simulated: Option<f64>, measured: Option<f64>) -> Option<f64> {
    let (simulated, measured) = simulated.zip(measured)?;
    match simulated {
        _ if simulated == measured => Some(0.0),
        0.0 => None,
        _ => Some(measured / simulated - 1.0),
    }
}
