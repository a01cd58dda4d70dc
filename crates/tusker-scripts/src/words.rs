//! The words of a script's line. Every error names the word that is not understood.

use std::fmt::Display;
use std::str::FromStr;

use tusker_core::{Duration, Time};

/// Words not yet parsed: flags, values, and settings with `=`.
pub struct Words<'a>(pub Vec<&'a str>);

impl<'a> Words<'a> {
    /// Removes this word; true if it was there.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.0.len();
        self.0.retain(|w| *w != name);
        self.0.len() < before
    }

    /// Removes `name=value`.
    pub fn setting(&mut self, name: &str) -> Option<&'a str> {
        let i = self.0.iter().position(|w| w.split_once('=').is_some_and(|(k, _)| k == name))?;
        self.0.remove(i).split_once('=').map(|(_, value)| value)
    }

    /// The same for a number.
    ///
    /// # Errors
    /// If it is not a number.
    pub fn number<T: FromStr>(&mut self, name: &str, default: T) -> Result<T, String> {
        self.setting(name).map_or(Ok(default), parse)
    }

    /// The same for a time.
    ///
    /// # Errors
    /// If it is not a time.
    pub fn time(&mut self, name: &str, default: Duration) -> Result<Duration, String> {
        self.setting(name).map_or(Ok(default), span)
    }

    /// The next word.
    ///
    /// # Errors
    /// If there is none.
    pub fn first(&mut self) -> Result<&'a str, String> {
        if self.0.is_empty() {
            Err("something is missing here".into())
        } else {
            Ok(self.0.remove(0))
        }
    }

    /// The number that the words may start with; otherwise 1.
    ///
    /// # Errors
    /// If a word that starts with a digit is not a number.
    pub fn count(&mut self) -> Result<u32, String> {
        let given = self.0.first().is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit()));
        if given { parse(self.0.remove(0)) } else { Ok(1) }
    }

    /// The segments listed after `word`, up to the next word that is not a range.
    ///
    /// # Errors
    /// If one is not a range.
    pub fn ranges(&mut self, word: &str) -> Result<Vec<(u64, u64)>, String> {
        let Some(i) = self.0.iter().position(|w| *w == word) else { return Ok(Vec::new()) };
        self.0.remove(i);
        let mut all = Vec::new();
        while self.0.get(i).is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit())) {
            all.push(range(self.0.remove(i))?);
        }
        Ok(all)
    }

    /// Checks that nothing is left.
    ///
    /// # Errors
    /// If something is left.
    pub fn done(self) -> Result<(), String> {
        self.0.first().map_or(Ok(()), |w| Err(format!("`{w}` is not understood here")))
    }
}

/// `7-9` or `7` as a half-open range.
///
/// # Errors
/// If it is not a range.
pub fn range(text: &str) -> Result<(u64, u64), String> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    Ok((parse(low)?, parse::<u64>(high)? + 1))
}

/// A number.
///
/// # Errors
/// If it is not a number.
pub fn parse<T: FromStr>(text: impl AsRef<str> + Display) -> Result<T, String> {
    text.as_ref().parse().map_err(|_| format!("`{text}` is not a number"))
}

/// `2/50`.
///
/// # Errors
/// If it does not have this form.
pub fn fraction(text: &str) -> Result<(u32, u32), String> {
    let (a, b) = text.split_once('/').ok_or_else(|| format!("`{text}` is not like 2/50"))?;
    Ok((parse(a)?, parse(b)?))
}

/// `100ms`, `2.5us`, `1s`.
///
/// # Errors
/// If it is not a time.
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

/// The same for a time since the start; `never` is allowed.
///
/// # Errors
/// If it is not a time.
pub fn moment(text: &str) -> Result<Time, String> {
    if text == "never" { Ok(Time::NEVER) } else { Ok(Time::ZERO + span(text)?) }
}

/// `got` equals `expected` to the digits that it has after the point, within half a unit of
/// the last; without a point exactly, up to a rounding error of f64.
///
/// # Errors
/// If `expected` is not a number.
pub fn same(got: f64, expected: &str) -> Result<bool, String> {
    same_within(ROUNDING, got, expected)
}

/// The largest relative rounding error of f64.
pub(crate) const ROUNDING: f64 = 1e-9;

/// The same with this relative tolerance: for laws that do not compute in f64.
///
/// # Errors
/// If `expected` is not a number.
pub fn same_within(slack: f64, got: f64, expected: &str) -> Result<bool, String> {
    let wanted: f64 = parse(expected)?;
    let last = expected.split_once('.').map_or(0.0, |(_, d)| 0.1_f64.powi(d.len() as i32));
    Ok(got == wanted || (got - wanted).abs() <= 0.5 * last + slack * wanted.abs())
}

/// The same for times, in the unit of `expected`, within a nanosecond.
///
/// # Errors
/// If `expected` is not a time.
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
