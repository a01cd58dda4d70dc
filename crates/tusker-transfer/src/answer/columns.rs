//! The rows of a plan as columns, for CSV and for stored tables.

use serde::Serialize;
use tusker_store::{Columns, Values};

use super::{PlanRate, PlanRow, PlanSummary};

/// The value of a row.
enum Cell {
    Int(u64),
    Number(Option<f64>),
    Flag(bool),
    Text(String),
}

/// A column by the name it has, of a plan, the place of a row from 1, and the row.
type Column = (&'static str, fn(&PlanSummary, u32, &PlanRow) -> Cell);

/// Columns that only stored tables have, at the end.
const STORED: usize = 3;

/// All columns.
const COLUMNS: [Column; 28] = [
    ("rank", |_, place, _| Cell::Int(place.into())),
    ("cc", |_, _, row| Cell::Text(row.law.clone())),
    ("streams", |_, _, row| Cell::Int(row.streams.into())),
    ("socket_buffer_bytes", |_, _, row| Cell::Int(row.socket_buffer_bytes)),
    ("basis", |_, _, row| named(row.basis)),
    ("took_s", |_, _, row| Cell::Number(row.took_s)),
    ("took_low_s", |_, _, row| Cell::Number(row.took_low_s)),
    ("took_high_s", |_, _, row| Cell::Number(row.took_high_s)),
    ("extrapolated", |_, _, row| Cell::Flag(row.extrapolated)),
    ("goodput_bps", |_, _, row| mean(row.goodput)),
    ("goodput_ci95_bps", |_, _, row| half(row.goodput)),
    ("others_bps", |_, _, row| mean(row.others)),
    ("others_ci95_bps", |_, _, row| half(row.others)),
    ("harm", |_, _, row| Cell::Number(row.harm)),
    ("harm_ci95", |_, _, row| Cell::Number(row.harm_ci95)),
    ("retransmitted", |_, _, row| Cell::Number(row.retransmitted)),
    ("rtt_s", |_, _, row| Cell::Number(row.rtt_s)),
    ("start_s", |_, _, row| Cell::Number(row.start_s)),
    ("simulated_s", |_, _, row| Cell::Number(Some(row.simulated_s))),
    ("runs", |_, _, row| Cell::Int(row.runs.into())),
    ("episodes", |_, _, row| Cell::Int(row.episodes)),
    ("estimate_bps", |_, _, row| Cell::Number(row.estimate_bps)),
    ("estimate_harm", |_, _, row| Cell::Number(row.estimate_harm)),
    ("speedup", |_, _, row| Cell::Number(row.speedup)),
    ("recommended", |plan, place, _| Cell::Flag(plan.recommended == Some(place))),
    ("estimate_from", |_, _, row| named(row.estimate_from)),
    ("buffer", |plan, _, _| Cell::Text(plan.path.buffer.clone())),
    ("note", |_, _, row| row.note.map_or(Cell::Text(String::new()), named)),
];

fn mean(rate: Option<PlanRate>) -> Cell {
    Cell::Number(rate.map(|rate| rate.mean_bps))
}

fn half(rate: Option<PlanRate>) -> Cell {
    Cell::Number(rate.and_then(|rate| rate.ci95_bps))
}

/// As JSON has it.
fn named(kind: impl Serialize) -> Cell {
    let text = serde_json::to_value(kind).unwrap_or_default();
    Cell::Text(text.as_str().unwrap_or_default().to_owned())
}

impl PlanSummary {
    /// One line per row, in the order of the ranking.
    pub fn to_csv(&self) -> String {
        let columns = &COLUMNS[..COLUMNS.len() - STORED];
        let head: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let mut text = head.join(",") + "\n";
        for (row, place) in self.rows.iter().zip(1..) {
            let cell = |(_, of): &Column| match of(self, place, row) {
                Cell::Int(value) => value.to_string(),
                Cell::Number(value) => value.map_or(String::new(), |value| value.to_string()),
                Cell::Flag(value) => value.to_string(),
                Cell::Text(text) if text.contains([',', '"']) => {
                    format!("\"{}\"", text.replace('"', "\"\""))
                }
                Cell::Text(text) => text,
            };
            text += &(columns.iter().map(cell).collect::<Vec<_>>().join(",") + "\n");
        }
        text
    }

    /// The same, with more of each row, for a stored table.
    pub fn columns(&self) -> Columns {
        let mut table = Columns::default();
        for (name, of) in COLUMNS {
            let (mut ints, mut numbers, mut texts) = (Vec::new(), Vec::new(), Vec::new());
            for (row, place) in self.rows.iter().zip(1..) {
                match of(self, place, row) {
                    Cell::Int(value) => ints.push(value as i64),
                    Cell::Flag(value) => ints.push(value.into()),
                    Cell::Number(value) => numbers.push(value.unwrap_or(f64::NAN)),
                    Cell::Text(text) => texts.push(text),
                }
            }
            let values = match (ints.is_empty(), numbers.is_empty()) {
                (false, _) => Values::Int(ints),
                (_, false) => Values::Float(numbers),
                _ => {
                    let rows = (0..texts.len() as u32).collect();
                    Values::Text(texts, rows)
                }
            };
            table.named(name.to_owned(), values);
        }
        table
    }
}
