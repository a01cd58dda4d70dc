//! The words of a script's line.

use std::fmt::Display;
use std::str::FromStr;

use tusker_core::{Duration, Time};

/// Words not yet understood: flags, values, and settings with `=`.
pub struct Words<'a>(pub Vec<&'a str>);

impl<'a> Words<'a> {
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|w| *w != name);
        self.0.len() < before
    }

    pub fn setting(&mut self, name: &str) -> Option<&'a str> {
        let i = self.0.iter().position(|w| w.split_once('=').is_some_and(|(k, _)| k == name))?;
        self.0.remove(i).split_once('=').map(|(_, value)| value)
    }

    pub fn number<T: FromStr>(&mut self, name: &str, default: T) -> Result<T, String> {
        self.setting(name).map_or(Ok(default), parse)
    }

    pub fn time(&mut self, name: &str, default: Duration) -> Result<Duration, String> {
        self.setting(name).map_or(Ok(default), span)
    }

    pub fn first(&mut self) -> Result<&'a str, String> {
        if self.0.is_empty() {
            Err("something is missing here".into())
        } else {
            Ok(self.0.remove(0))
        }
    }

    /// The segments named after `word`, up to the next word that is none.
    pub fn ranges(&mut self, word: &str) -> Result<Vec<(u64, u64)>, String> {
        let Some(i) = self.0.iter().position(|w| *w == word) else { return Ok(Vec::new()) };
        self.0.remove(i);
        let mut all = Vec::new();
        while self.0.get(i).is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit())) {
            all.push(range(self.0.remove(i))?);
        }
        Ok(all)
    }

    pub fn done(self) -> Result<(), String> {
        self.0.first().map_or(Ok(()), |w| Err(format!("`{w}` is not understood here")))
    }
}

/// `7-9` or `7` as a half-open range.
pub fn range(text: &str) -> Result<(u64, u64), String> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    Ok((parse(low)?, parse::<u64>(high)? + 1))
}

pub fn parse<T: FromStr>(text: impl AsRef<str> + Display) -> Result<T, String> {
    text.as_ref().parse().map_err(|_| format!("`{text}` is not a number"))
}

/// `100ms`, `2.5us`, `1s`.
pub fn span(text: &str) -> Result<Duration, String> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let scale = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "ns" => 1e-9,
        _ => return Err(format!("`{text}` is not a time such as 100ms")),
    };
    let number: f64 = parse(&text[..text.len() - unit.len()])?;
    Ok(Duration::from_secs(number * scale))
}

pub fn moment(text: &str) -> Result<Time, String> {
    if text == "never" { Ok(Time::NEVER) } else { Ok(Time::ZERO + span(text)?) }
}

/// `got` is `expected` to the digits it has after the point: half a unit of the
/// last; exactly if it has none, up to a rounding error of f64.
pub fn same(got: f64, expected: &str) -> Result<bool, String> {
    let wanted: f64 = parse(expected)?;
    let last = expected.split_once('.').map_or(0.0, |(_, d)| 0.1_f64.powi(d.len() as i32));
    Ok(got == wanted || (got - wanted).abs() <= 0.5 * last + 1e-9 * wanted.abs())
}

/// The same for times, in the unit of `expected`, up to a nanosecond.
pub fn same_time(got: Duration, expected: &str) -> Result<bool, String> {
    if expected == "never" {
        return Ok(got == Duration::MAX);
    }
    let number = expected.trim_end_matches(char::is_alphabetic);
    let last = number.split_once('.').map_or(0, |(_, d)| d.len());
    let unit = span(&format!(
        "{}{}",
        if last == 0 { 0.0 } else { 0.1_f64.powi(last as i32) },
        &expected[number.len()..]
    ))?;
    Ok(got.nanos().abs_diff(span(expected)?.nanos()) <= unit.nanos() / 2 + 1)
}
