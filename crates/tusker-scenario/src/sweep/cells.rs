//! The values of a scenario as cells of a table; numbers are in their base unit.

use tusker_core::{Bytes, Duration, Rate};

use super::super::quantity::split;
use super::super::text::Written;
use crate::Scenario;

/// A value of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number, and the suffix of its column's name: `bps`, `s`, `bytes`, `pkt`,
    /// `bdp`; empty for a number without a unit.
    Number(f64, &'static str),
    /// Anything else.
    Text(String),
}

impl Cell {
    /// The name of a column of such cells.
    pub fn column(&self, path: &str) -> String {
        match self {
            Self::Number(_, "") | Self::Text(_) => path.to_owned(),
            Self::Number(_, unit) => format!("{path}_{unit}"),
        }
    }
}

/// Converts a string to what it stands for.
pub(super) fn cell(text: &str) -> Cell {
    let (number, unit) = split(text);
    let Ok(plain) = number.parse::<f64>() else { return Cell::Text(text.to_owned()) };
    match unit {
        "" => return Cell::Number(plain, ""),
        "bdp" | "BDP" => return Cell::Number(plain, "bdp"),
        "pkt" => return Cell::Number(plain, "pkt"),
        _ => {}
    }
    // try only the possible forms: producing error messages takes long
    let lower = unit.to_lowercase();
    let read = match lower.as_str() {
        "ns" | "us" | "\u{b5}s" | "ms" | "s" | "min" | "h" => {
            Duration::read(text).map(|time| Cell::Number(time.nanos() as f64 / 1e9, "s"))
        }
        rate if rate.contains("bit") || rate.ends_with("bps") || rate.ends_with("b/s") => {
            Rate::read(text).map(|rate| Cell::Number(rate.bits_per_sec() as f64, "bps"))
        }
        size if size.ends_with('b') => {
            Bytes::read(text).map(|size| Cell::Number(size.get() as f64, "bytes"))
        }
        _ => return Cell::Text(text.to_owned()),
    };
    read.unwrap_or_else(|_| Cell::Text(text.to_owned()))
}

impl super::Value {
    /// As a cell of a table.
    pub fn cell(&self) -> Cell {
        cell(&self.label)
    }
}

/// Every value of a scenario with its path, in the order of the paths, and a text
/// of all of them that identifies the scenario. Links are `links.A->B`, flows and
/// other lists use the names of their elements. The title, the seed and the number
/// of replicates are not included.
pub fn cells(scenario: Scenario) -> (Vec<(String, Cell)>, String) {
    let bare = Scenario { title: None, seed: None, replicates: None, ..scenario };
    let value = serde_json::to_value(&bare).expect("a scenario is plain data");
    let mut cells = Vec::new();
    add(&mut cells, &mut String::new(), &value);
    cells.sort_by(|a, b| a.0.cmp(&b.0));
    (cells, value.to_string())
}

/// The value at a path, which is left unchanged.
fn add(cells: &mut Vec<(String, Cell)>, path: &mut String, value: &serde_json::Value) {
    use serde_json::Value;
    let mut below = |key: &str, cells: &mut Vec<(String, Cell)>, value: &Value| {
        let length = path.len();
        if length > 0 {
            path.push('.');
        }
        path.push_str(key);
        add(cells, path, value);
        path.truncate(length);
    };
    match value {
        Value::Null => {}
        Value::Bool(yes) => cells.push((path.clone(), Cell::Text(yes.to_string()))),
        Value::Number(number) => {
            cells.push((path.clone(), Cell::Number(number.as_f64().unwrap_or(f64::NAN), "")));
        }
        Value::String(text) => cells.push((path.clone(), cell(text))),
        Value::Object(table) => {
            table.iter().for_each(|(key, value)| below(key, cells, value));
        }
        Value::Array(list) if list.iter().all(Value::is_object) => {
            for (i, element) in list.iter().enumerate() {
                let text = |key: &str| element.get(key).and_then(Value::as_str);
                let name = match (text("name"), text("from"), text("to")) {
                    (Some(name), ..) => name.to_owned(),
                    (None, Some(from), Some(to)) => format!("{from}->{to}"),
                    _ => i.to_string(),
                };
                below(&name, cells, element);
            }
        }
        Value::Array(_) => cells.push((path.clone(), Cell::Text(value.to_string()))),
    }
}
