//! What rivals lost, in the folder of a comparison: `harm.csv`, a row for each experiment
//! with a rival. Every measure has a column for its mean and one for half its 95 %
//! confidence interval; a measure without a value is left empty.

use std::fmt::Write;
use std::io::{self, BufRead};
use std::path::Path;

use super::folder::{self, Change, Kind};
use super::read::fields;
use super::{Error, invalid, io_error};
use tusker_measure::csv::quoted;
use tusker_measure::summary::{Harm, Summary};

/// Name of the file.
pub const HARM: &str = "harm.csv";

const HEAD: [&str; 3] = ["scenario", "cc", "against"];

/// A row: the experiment, the law under test and the rival, then mean and interval of
/// each measure, in the order of [`Harm::ENTRIES`].
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the experiment, of the law under test, of the rival.
    pub names: [String; 3],
    /// Of each measure.
    pub values: Vec<(Option<f64>, Option<f64>)>,
}

/// A row for each of these experiments that has a rival.
pub fn of(summaries: &[Summary]) -> Vec<Row> {
    let row = |summary: &Summary| {
        let (first, rival) = (summary.groups.first()?, summary.groups.last()?);
        let values = rival
            .harm
            .as_ref()?
            .iter()
            .map(|(_, value)| (value.map(|own| own.mean), value.and_then(|own| own.ci95)));
        let names = [&summary.scenario, &first.name, &rival.name].map(String::clone);
        Some(Row { names, values: values.collect() })
    };
    summaries.iter().filter_map(row).collect()
}

/// Writes the file into `dir`; if nobody has a rival, it is not there afterwards.
///
/// # Errors
/// If it cannot be written; the one before stays.
pub fn write(dir: &Path, summaries: &[Summary]) -> Result<(), Error> {
    let mut text = HEAD.join(",");
    for name in Harm::ENTRIES.iter().map(|entry| entry.name) {
        let _ = write!(text, ",{name},{name}_ci95");
    }
    text.push('\n');
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let rows = of(summaries);
    for Row { names, values } in &rows {
        text += &names.each_ref().map(|name| quoted(name)).join(",");
        for (mean, ci95) in values {
            let _ = write!(text, ",{},{}", number(*mean), number(*ci95));
        }
        text.push('\n');
    }
    let mut change = Change::begin(dir, Kind::Comparison)?;
    match rows.is_empty() {
        false => change.put(HARM, text.as_bytes())?,
        // of a comparison that was here before
        true => change.remove(HARM),
    }
    change.commit()
}

/// Reads it back; nothing if there is none.
///
/// # Errors
/// If it is not such a file, or has changed since it was stored.
pub fn read(dir: &Path) -> Result<Vec<Row>, Error> {
    match folder::read(dir, Kind::Comparison, HARM)? {
        Some(text) => rows(&text).map_err(io_error("read", &dir.join(HARM))),
        None => Ok(Vec::new()),
    }
}

fn rows(text: &[u8]) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for line in text.lines().skip(1) {
        let cells = fields(&line?);
        if cells.len() != HEAD.len() + 2 * Harm::ENTRIES.len() {
            return Err(invalid("a row has not one cell for each column"));
        }
        let number = |cell: &String| match cell.as_str() {
            "" => Ok(None),
            cell => cell.parse().map(Some).map_err(|_| invalid(format!("`{cell}` is no number"))),
        };
        let (names, values) = cells.split_at(HEAD.len());
        let pairs = values.chunks(2).map(|pair| Ok((number(&pair[0])?, number(&pair[1])?)));
        rows.push(Row {
            names: [names[0].clone(), names[1].clone(), names[2].clone()],
            values: pairs.collect::<io::Result<_>>()?,
        });
    }
    Ok(rows)
}
