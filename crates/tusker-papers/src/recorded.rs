//! The results of our runs, kept beside a paper: `quick.csv` and `full.csv`.
//!
//! Both are the output of `tusker reproduce KEY --format csv`, with and without `--quick`.
//! Simulated rows are identical on every machine, down to the last bit. A test can therefore
//! run some of them again and compare them with the file, and pages about all of them can be
//! written without a run.

use std::collections::BTreeMap;
use std::slice;

use tusker_core::units::Time;
use tusker_measure::stats::{Estimate, Over};
use tusker_measure::summary::{Summary, Window, phase_note};

use crate::measure::Measure;
use crate::paper::Paper;
use crate::rows::{BASE, Taken};

/// The column that says under which reading, and with which `--set`, rows were run.
pub const READING: &str = "reading";

/// The column that has the first seed of rows that were run with another one.
pub const SEED: &str = "seed";

/// The column of rows of `--quick`.
pub const QUICK: &str = "quick";

/// With what rows were run that a table holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunWith {
    /// Names of readings; none for the base.
    pub readings: Vec<String>,
    /// Further settings, as of `--set`.
    pub sets: Vec<String>,
    /// The first seed, if it is not that of the paper's scenario.
    pub seed: Option<u64>,
    /// They are those of `--quick`.
    pub quick: bool,
}

impl RunWith {
    /// What the last columns of a table say, the same in every line.
    ///
    /// # Errors
    /// If lines differ, which are then of several commands.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().map(cells);
        let head = lines.next().unwrap_or_default();
        let lines: Vec<Vec<String>> = lines.collect();
        let only = |name: &str| -> Result<Option<&str>, String> {
            let Some(at) = head.iter().position(|cell| cell == name) else { return Ok(None) };
            let mut values = lines.iter().filter_map(|cells| cells.get(at).map(String::as_str));
            let first = values.next().unwrap_or_default();
            match values.find(|value| *value != first) {
                Some(other) => {
                    Err(format!("its rows were run with {name} `{first}` and `{other}`"))
                }
                None => Ok(Some(first).filter(|value| !value.is_empty())),
            }
        };
        let mut parts = only(READING)?.unwrap_or(BASE).split(" --set ");
        let names = parts.next().unwrap_or_default();
        let names = names.split('+').filter(|name| *name != BASE).map(str::to_owned);
        let seed = only(SEED)?.map(|seed| {
            seed.parse().map_err(|_| format!("column `{SEED}`: `{seed}` is not a number"))
        });
        Ok(Self {
            readings: names.collect(),
            sets: parts.map(str::to_owned).collect(),
            seed: seed.transpose()?,
            quick: only(QUICK)? == Some("true"),
        })
    }
}

/// The cells of a line, some of which may stand between quotes.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let (mut quoted, mut last) = (false, ',');
    for c in line.chars() {
        match c {
            ',' if !quoted => cells.push(String::new()),
            '"' => {
                // two of them within quotes stand for one
                if !quoted && last == '"' {
                    cells.last_mut().expect("one at least").push('"');
                }
                quoted = !quoted;
            }
            c => cells.last_mut().expect("one at least").push(c),
        }
        last = c;
    }
    cells
}

/// The results of one row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Finished replicates; 0 if the row was not run.
    pub replicates: usize,
    /// Replicates that the executor itself reported as invalid.
    pub invalid: usize,
    /// The measuring window, if known.
    pub window: Option<Window>,
    /// By measure.
    pub values: BTreeMap<String, Estimate>,
    /// Whether phase effects decide it, if that is known.
    pub in_step: Option<bool>,
}

impl Measured {
    /// The measures of a summary.
    pub fn of(summary: &Summary, measures: &[Measure]) -> Self {
        if summary.seeds.is_empty() {
            return Self::default();
        }
        let value = |m: &Measure| Some((m.name.clone(), m.value(summary)?));
        Self {
            replicates: summary.seeds.len(),
            invalid: summary.invalid.len(),
            window: Some(summary.window),
            values: measures.iter().filter_map(value).collect(),
            in_step: Some(in_step(summary).is_some()),
        }
    }
}

/// Rows that were recorded, by their names: `7@50`.
///
/// # Errors
/// What is wrong, and in which line.
pub fn read(text: &str, variant: &str) -> Result<BTreeMap<String, Measured>, String> {
    let mut lines = text.lines();
    let head = cells(lines.next().unwrap_or_default());
    let column = |name: &str| {
        let found = head.iter().position(|cell| cell == name);
        found.ok_or_else(|| format!("there is no column `{name}`"))
    };
    let (case, at, replicates) = (column("case")?, column(variant)?, column("replicates")?);
    let measures: Vec<(usize, &str)> =
        head.iter().enumerate().filter_map(|(i, c)| Some((i, c.strip_suffix("_ours")?))).collect();
    let mut rows = BTreeMap::new();
    for (i, line) in lines.enumerate() {
        let place = |message: &str| format!("line {}: {message}", i + 2);
        let cells = cells(line);
        if cells.len() != head.len() {
            return Err(place(&format!("{} cells, not {}", cells.len(), head.len())));
        }
        let number = |column: usize| match cells[column].as_str() {
            "" => Ok(None),
            cell => cell.parse().map(Some).map_err(|_| place(&format!("`{cell}` is not a number"))),
        };
        let replicates = cells[replicates].parse().map_err(|_| place("no count of replicates"))?;
        let over = if replicates == 1 { Over::Batches } else { Over::Replicates };
        let mut measured = Measured { replicates, ..Measured::default() };
        for &(column, name) in &measures {
            // its interval is in the next column
            let (mean, ci95) = (number(column)?, number(column + 1)?);
            if let Some(mean) = mean {
                let n = u32::try_from(replicates).unwrap_or(u32::MAX);
                measured.values.insert(name.to_owned(), Estimate { mean, ci95, n, over });
            }
        }
        rows.insert(format!("{}@{}", cells[case], cells[at]), measured);
    }
    Ok(rows)
}

/// The measuring windows of rows that were recorded, from their scenarios.
///
/// # Errors
/// If a row is not one of the paper's.
pub fn add_windows(
    paper: &Paper,
    taken: &Taken<'_>,
    rows: &mut BTreeMap<String, Measured>,
    quick: bool,
) -> Result<(), String> {
    let own = paper.rows();
    if let Some(unknown) = rows.keys().find(|id| own.iter().all(|row| row.id() != **id)) {
        return Err(format!("{} has no row {unknown}", paper.about.key));
    }
    for row in own {
        let id = row.id();
        let changes = if quick { paper.quick(&row) } else { &[] };
        let Some(measured) = rows.get_mut(&id) else { continue };
        let scenario = paper.scenario(&row, taken, changes);
        let plan = scenario.and_then(|scenario| scenario.plan());
        let plan = plan.map_err(|error| format!("row {id}: {error}"))?;
        let seconds = |time: Time| time.nanos() as f64 / 1e9;
        measured.window = (measured.replicates > 0).then(|| Window {
            from_s: seconds(plan.measure_from),
            to_s: seconds(plan.measure_to),
            end_s: seconds(plan.end),
        });
    }
    Ok(())
}

/// Packets that a full queue dropped in step, and all that it dropped, if phase effects
/// decide this result: at the link with most of them.
pub(crate) fn in_step(summary: &Summary) -> Option<[f64; 2]> {
    phase_note(slice::from_ref(summary))?;
    let dropped = summary
        .links
        .iter()
        .filter_map(|link| Some([link.measured.in_step?.mean, link.measured.overflowed?.mean]));
    dropped.max_by(|a, b| a[0].total_cmp(&b[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_as_they_were_printed() {
        let text = "table,case,cc,buffer,replicates,use_paper,use_paper_ci95,use_ours,use_ours_ci95,use_difference,use_within,verdict\n\
                    1,reno,Reno,b100,1,90,,91.25,0.5,1.25,true,within\n\
                    1,reno,Reno,b200,0,90,,,,,,open\n";
        let rows = read(text, "buffer").unwrap();
        let run = &rows["reno@b100"];
        assert_eq!((run.replicates, run.values["use"].mean), (1, 91.25));
        assert_eq!(run.values["use"].ci95, Some(0.5));
        assert_eq!(rows["reno@b200"], Measured::default());
        let broken = text.replace("91.25", "x");
        assert_eq!(read(&broken, "buffer").unwrap_err(), "line 2: `x` is not a number");
        assert_eq!(read(text, "delay").unwrap_err(), "there is no column `delay`");
    }

    #[test]
    fn a_table_says_with_what_its_rows_were_run() {
        let text = "case,at,reading,seed,quick\n\
                    1,2,\"a+b --set x=1 --set cc={ name = \"\"c\"\", z = 2 }\",7,true\n";
        let set = r#"cc={ name = "c", z = 2 }"#;
        let with = RunWith {
            readings: vec!["a".to_owned(), "b".to_owned()],
            sets: vec!["x=1".to_owned(), set.to_owned()],
            seed: Some(7),
            quick: true,
        };
        assert_eq!(RunWith::read(text), Ok(with));
        assert_eq!(RunWith::read("case,at\n1,2\n"), Ok(RunWith::default()));
        let base = "case,reading\n1,base --set x=1\n";
        let with = RunWith { sets: vec!["x=1".to_owned()], ..RunWith::default() };
        assert_eq!(RunWith::read(base), Ok(with));
        let two = "case,seed\n1,3\n1,4\n";
        assert_eq!(RunWith::read(two).unwrap_err(), "its rows were run with seed `3` and `4`");
    }
}
