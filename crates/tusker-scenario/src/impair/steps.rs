//! Files with steps of a delay, a loss or a jitter.

use std::path::Path;

use tusker_core::Duration;

use super::changing::{Quantity, Step, Steps};
use super::trace::read;
use crate::error::{Mistake, quote};
use crate::recorded::{self, Columns, Recorded, Seems, Wanted};

/// What is expected.
const LINES: &str = "two numbers on a line, such as `1.5 0.02`";

/// Reads a file of steps: on each line a time in seconds and a number, or a table with names of
/// columns above them.
pub(crate) fn read_steps<T: Quantity>(
    path: &Path,
    columns: &Columns,
    every: Option<Duration>,
    reorder: Option<bool>,
) -> Result<Steps<T>, Mistake> {
    let name = path.display().to_string();
    let mut bytes = read(path)?;
    if recorded::is_gzip(&bytes) {
        bytes = recorded::unpacked(&name, &bytes)?;
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| {
        let seems = Seems::of(&bytes);
        let message = format!("`{name}` seems to be {}", seems.what());
        Mistake::new(message, seems.remedy().unwrap_or(LINES))
    })?;
    let mut lines = text.lines().map(str::trim);
    let head = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    let number = |c: char| c.is_ascii_digit() || "+-.".contains(c);
    if columns.is_empty() && head.is_none_or(|line| line.starts_with(number)) {
        return Ok(Steps { list: parse_steps(&name, text)?, every, reorder });
    }
    let Recorded::Steps(list) = recorded::read(&name, &bytes, T::RECORDED, columns)? else {
        return Err(Mistake::new(format!("`{name}` has no columns"), LINES));
    };
    // delays of a file are in milliseconds
    let scale = if T::RECORDED == Wanted::Loss { 1.0 } else { 1e3 };
    let step = |(at, own): (f64, f64)| {
        let value = T::of_column(own * scale)?;
        Some(Step { at: Duration::from_secs(at), value })
    };
    let list = list.into_iter().map(step).collect::<Option<Vec<_>>>();
    let large = || {
        let help = "say its unit: columns = { value = \"COLUMN ms\" }, or % of a loss";
        Mistake::new(format!("`{name}` has a {} that is too large", T::KEY), help)
    };
    Ok(Steps { list: list.ok_or_else(large)?, every, reorder })
}

/// Two columns, separated by blanks or a comma. Empty lines and those that begin with `#` do not
/// count; the first value applies from the start on.
pub(super) fn parse_steps<T: Quantity>(name: &str, text: &str) -> Result<Vec<Step<T>>, Mistake> {
    let mut list: Vec<Step<T>> = Vec::new();
    let lines = text.lines().map(str::trim).enumerate();
    for (i, line) in lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
        let columns: Option<Vec<f64>> = line
            .split(|c: char| c == ',' || c.is_whitespace())
            .filter(|column| !column.is_empty())
            .map(|column| column.parse().ok())
            .collect();
        let step = match columns.as_deref() {
            Some(&[at, number]) if (0.0..1e9).contains(&at) => {
                T::of_column(number).map(|value| Step { at: Duration::from_secs(at), value })
            }
            _ => None,
        };
        let Some(mut step) = step else {
            let unit = if T::KEY == "loss" { "a share from 0 to 1" } else { "milliseconds" };
            let message = format!(
                "`{name}`, line {}: expected a time in seconds and {unit}, found `{}`",
                i + 1,
                quote(line)
            );
            return Err(Mistake::new(message, LINES));
        };
        match list.last() {
            None => step.at = Duration::ZERO,
            Some(last) if last.at >= step.at => {
                let message = format!("`{name}`, line {}: {} after {}", i + 1, step.at, last.at);
                return Err(Mistake::new(message, "times must increase from line to line"));
            }
            Some(_) => {}
        }
        list.push(step);
    }
    match list.is_empty() {
        true => Err(Mistake::new(format!("`{name}` has no steps"), "a time and a value per line")),
        false => Ok(list),
    }
}
