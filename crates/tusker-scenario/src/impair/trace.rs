//! Files with the times at which a packet can leave, and how an expanded scenario
//! stores them.

use std::io::Read;
use std::path::Path;

use tusker_core::Duration;

use super::changing::{Quantity, Step, Steps};
use crate::error::{Mistake, quote};
use crate::recorded::{self, Columns, MAX_FILE, MAX_OPPORTUNITIES, Recorded, Wanted};

/// Reads a file with a rate: opportunities, or steps.
pub(crate) fn read_rates(path: &Path) -> Result<Recorded, Mistake> {
    let name = path.display().to_string();
    recorded::read(&name, &read(path)?, Wanted::Rate, Columns::default()).map_err(Mistake::from)
}

/// Reads a file of steps: on each line a time in seconds and a number; delays may have names of
/// columns above them.
pub(crate) fn read_steps<T: Quantity>(
    path: &Path,
    every: Option<Duration>,
    reorder: Option<bool>,
) -> Result<Steps<T>, Mistake> {
    let name = path.display().to_string();
    let mut bytes = read(path)?;
    if recorded::is_gzip(&bytes) {
        bytes = recorded::unpacked(&name, &bytes)?;
    }
    let text = std::str::from_utf8(&bytes).map_err(|_| {
        let message = format!("`{name}` seems to be {}", recorded::seems(&bytes));
        Mistake::new(message, "two numbers on a line, such as `1.5 0.02`")
    })?;
    let lines = text.lines().map(str::trim);
    let head = lines.clone().find(|line| !line.is_empty() && !line.starts_with('#'));
    let named = head.is_some_and(|line| line.starts_with(|c: char| c.is_alphabetic()));
    if !named || T::KEY != Duration::KEY {
        return Ok(Steps { list: parse_steps(&name, text)?, every, reorder });
    }
    let wanted = Wanted::Delay;
    let Recorded::Steps(list) = recorded::read(&name, &bytes, wanted, Columns::default())? else {
        return Err(Mistake::new(format!("`{name}` has no delays"), "a time and a delay per line"));
    };
    let step = |(at, seconds): (f64, f64)| {
        let value = T::of_column(seconds * 1e3)?;
        Some(Step { at: Duration::from_secs(at), value })
    };
    let list = list.into_iter().map(step).collect::<Option<Vec<_>>>();
    let long = || Mistake::new(format!("`{name}` has a delay that is too long"), "milliseconds");
    Ok(Steps { list: list.ok_or_else(long)?, every, reorder })
}

fn read(path: &Path) -> Result<Vec<u8>, Mistake> {
    let name = path.display();
    let unreadable = |e: std::io::Error| {
        Mistake::new(
            format!("cannot read the trace `{name}`: {e}"),
            "its path is relative to the scenario file",
        )
    };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_FILE {
        let message = format!("the trace `{name}` is longer than {} MiB", MAX_FILE >> 20);
        return Err(Mistake::new(message, "use a shorter trace: it is repeated at its end"));
    }
    Ok(bytes)
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
            return Err(Mistake::new(message, "two numbers on a line, such as `1.5 0.02`"));
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

/// A trace as a string: the number of opportunities in each millisecond from 0 on,
/// `0x3` for three times none.
pub(crate) fn written(times: &[u32]) -> String {
    let mut text = String::new();
    let mut put = |count: usize, repeat: u32| {
        let space = if text.is_empty() { "" } else { " " };
        match repeat {
            0 => {}
            1 => text.push_str(&format!("{space}{count}")),
            n => text.push_str(&format!("{space}{count}x{n}")),
        }
    };
    let (mut count, mut repeat, mut next) = (0, 0, 0);
    for group in times.chunk_by(|a, b| a == b) {
        let ms = group[0];
        for (here, times) in [(0, ms - next), (group.len(), 1)] {
            if here == count || times == 0 {
                repeat += times;
            } else {
                put(count, repeat);
                (count, repeat) = (here, times);
            }
        }
        next = ms + 1;
    }
    put(count, repeat);
    text
}

pub(super) fn unwritten(text: &str) -> Result<Vec<u32>, Mistake> {
    let help = "numbers of opportunities in each ms from 0 on, such as \"0 1 2 0x3 1\"";
    let wrong =
        |token: &str| Mistake::new(format!("`{}` says no opportunities", quote(token)), help);
    let (mut times, mut ms) = (Vec::new(), 0_u32);
    for token in text.split_ascii_whitespace() {
        let (count, repeat) = token.split_once('x').unwrap_or((token, "1"));
        let (Ok(count), Ok(repeat)) = (count.parse::<usize>(), repeat.parse::<u32>()) else {
            return Err(wrong(token));
        };
        let end = ms.checked_add(repeat).ok_or_else(|| wrong(token))?;
        let more = count.checked_mul(repeat as usize).ok_or_else(|| wrong(token))?;
        if more.saturating_add(times.len()) > MAX_OPPORTUNITIES {
            let message = format!("a trace of more than {MAX_OPPORTUNITIES} opportunities");
            return Err(Mistake::new(message, "a shorter trace"));
        }
        if count > 0 {
            times.extend((ms..end).flat_map(|ms| std::iter::repeat_n(ms, count)));
        }
        ms = end;
    }
    match times.last() {
        None | Some(0) => Err(Mistake::new("a trace without duration", help)),
        Some(_) => Ok(times),
    }
}
