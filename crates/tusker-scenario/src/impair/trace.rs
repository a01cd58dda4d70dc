//! Files with the times at which a packet can leave, and how an expanded scenario
//! stores them.

use std::io::Read;
use std::path::Path;

use crate::error::{Mistake, quote};
use crate::recorded::{self, Columns, MAX_FILE, MAX_OPPORTUNITIES, Recorded, Wanted};

/// Reads a file with a rate: opportunities, or steps.
pub(crate) fn read_rates(path: &Path, columns: &Columns) -> Result<Recorded, Mistake> {
    let name = path.display().to_string();
    recorded::read(&name, &read(path)?, Wanted::Rate, columns).map_err(Mistake::from)
}

/// The contents of a file that a scenario names.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Mistake> {
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
