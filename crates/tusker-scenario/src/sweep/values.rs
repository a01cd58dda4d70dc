//! Lists and ranges: `reno,ghstcp:z=2`, `10ms,20ms`, `0.1bdp..2bdp:12:log`.

use super::super::error::{Mistake, Span, quote};
use super::super::quantity::split;
use super::cells::{Cell, cell};
use super::{CC, Value};

/// The most values that a range may have.
const MOST: usize = 100_000;

/// A mistake, and its place in the list.
pub(super) type Wrong = (Mistake, Span);

/// The values of a list, for `key`.
pub(super) fn list(key: &str, text: &str) -> Result<Vec<Value>, Wrong> {
    let mut values: Vec<Value> = Vec::new();
    for span in items(text) {
        let item = text[span.clone()].trim();
        if item.is_empty() {
            let help = "write values with commas between them, as in `reno,hstcp`";
            return Err((Mistake::new("a value is missing", help), span));
        }
        let more = match range(item) {
            None => vec![value(key, item)],
            Some(range) => {
                let range =
                    range.and_then(|range| range.values()).map_err(|m| (m, span.clone()))?;
                range.into_iter().map(Value::plain).collect()
            }
        };
        for value in more {
            if values.contains(&value) {
                let message = format!("`{}` is given twice", quote(&value.label));
                let help = "give each value once";
                return Err((Mistake::new(message, help), span));
            }
            values.push(value);
        }
    }
    Ok(values)
}

/// One value. A congestion control may have parameters after colons.
pub(super) fn value(key: &str, item: &str) -> Value {
    let label = item.to_owned();
    let named = key == CC || key.ends_with(".cc");
    let Some((name, rest)) = item.split_once(':').filter(|_| named && !item.starts_with('{'))
    else {
        return Value::plain(label);
    };
    // `z=2` is unchanged; `500ms` becomes a string
    let pair = |part: &str| match part.split_once('=') {
        Some((key, value)) if value.parse::<f64>().is_err() && !is_word(value) => {
            format!("{key} = {value:?}")
        }
        Some((key, value)) => format!("{key} = {value}"),
        None => part.to_owned(),
    };
    let pairs: Vec<String> = rest.split([':', ',']).map(pair).collect();
    let text = format!("{{ name = {name:?}, {} }}", pairs.join(", "));
    Value { label, text, also: Vec::new() }
}

fn is_word(value: &str) -> bool {
    matches!(value, "true" | "false")
}

/// The places of the items, separated by commas outside brackets and quotes.
/// `z=2,w_low=30` after a name are its parameters.
fn items(text: &str) -> Vec<Span> {
    let (mut spans, mut depth, mut quoted, mut from): (Vec<Span>, _, _, _) =
        (Vec::new(), 0_usize, None, 0);
    let mut push = |span: Span| {
        let item = &text[span.clone()];
        let name = item.split(':').next().unwrap_or_default();
        match spans.last_mut() {
            Some(last) if name.contains('=') && !name.contains(['{', '"', '\'']) => {
                last.end = span.end;
            }
            _ => spans.push(span),
        }
    };
    for (at, c) in text.char_indices() {
        match (quoted, c) {
            (Some(own), c) if own == c => quoted = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quoted = Some(c),
            (None, '{' | '[') => depth += 1,
            (None, '}' | ']') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                push(from..at);
                from = at + 1;
            }
            _ => {}
        }
    }
    push(from..text.len());
    spans
}

/// From one value to another.
pub(super) struct Range {
    from: Bound,
    to: Bound,
    count: Option<usize>,
    log: bool,
    whole: bool,
}

/// An end of a range.
struct Bound {
    /// As it was written, with its unit.
    text: String,
    unit: String,
    /// In its base unit: seconds, bits per second, ...
    value: f64,
    kind: &'static str,
    /// The size of its unit in base units.
    one: f64,
}

const FORM: &str = "write FROM..TO:COUNT, as in `10ms..200ms:5`, followed by \
`:log` for equal ratios and `:whole` for whole numbers";

/// Reads a range; `None` if the text is not a range.
pub(super) fn range(item: &str) -> Option<Result<Range, Mistake>> {
    let (from, rest) = item.split_once("..")?;
    let numeric = |text: &str| text.trim().starts_with(|c: char| c.is_ascii_digit() || c == '.');
    // a path such as ../x.trace
    if !numeric(from) {
        return None;
    }
    Some(read(item, from.trim(), rest.trim()))
}

fn read(item: &str, from: &str, rest: &str) -> Result<Range, Mistake> {
    let mut words = rest.split(':').map(str::trim);
    let to = words.next().unwrap_or_default();
    let (mut count, mut log, mut whole) = (None, false, false);
    for word in words {
        match word {
            "log" => log = true,
            "lin" => log = false,
            "whole" => whole = true,
            number if number.bytes().all(|b| b.is_ascii_digit()) && !number.is_empty() => {
                let read = number.parse().ok().filter(|n| (2..=MOST).contains(n));
                let wrong = || {
                    let message = format!("`{}` has {number} values", quote(item));
                    Mistake::new(message, format!("from 2 to {MOST}"))
                };
                count = Some(read.ok_or_else(wrong)?);
            }
            other => {
                let message = format!("`{}` in the range `{}`", quote(other), quote(item));
                return Err(Mistake::new(message, FORM));
            }
        }
    }
    let unit = split(to).1;
    // `0.1..2bdp`: one unit for both
    let from = match split(from).1 {
        "" => format!("{from}{unit}"),
        _ => from.to_owned(),
    };
    let bound = |text: &str| {
        let (number, unit) = split(text);
        let parts = number.parse::<f64>().ok().zip(match cell(text) {
            Cell::Number(value, kind) => Some((value, kind)),
            Cell::Text(_) => None,
        });
        let Some((number, (value, kind))) = parts else {
            let message =
                format!("`{}` in the range `{}` is not a number", quote(text), quote(item));
            return Err(Mistake::new(message, FORM));
        };
        let one = if number == 0.0 { 1.0 } else { value / number };
        Ok(Bound { text: text.to_owned(), unit: unit.to_owned(), value, kind, one })
    };
    let (from, to) = (bound(&from)?, bound(to)?);
    if from.kind != to.kind {
        let message =
            format!("`{}` and `{}` are of different kinds", quote(&from.text), quote(&to.text));
        return Err(Mistake::new(message, "give both ends the same unit"));
    }
    if from.value == to.value {
        let message = format!("the range `{}` has no length", quote(item));
        return Err(Mistake::new(message, "give two different ends, or a single value"));
    }
    if log && (from.value <= 0.0 || to.value <= 0.0) {
        let message =
            format!("the range `{}` contains 0: equal ratios cannot reach it", quote(item));
        return Err(Mistake::new(message, "start above 0, or omit `:log`"));
    }
    let whole = whole || matches!(from.kind, "pkt" | "bytes") && from.one == 1.0;
    Ok(Range { from, to, count, log, whole })
}

impl Range {
    /// Its values; the ends as they were written.
    pub(super) fn values(&self) -> Result<Vec<String>, Mistake> {
        let Some(count) = self.count else {
            let message = format!("the range `{}..{}` has no count", self.from.text, self.to.text);
            return Err(Mistake::new(message, FORM));
        };
        let last = count - 1;
        let digits = self.digits(count);
        let inner = (1..last).map(|i| self.at(i as f64 / last as f64, digits));
        let ends = (self.from.text.clone(), self.to.text.clone());
        let mut values: Vec<String> = std::iter::once(ends.0).chain(inner).collect();
        values.push(ends.1);
        // whole numbers may coincide where the range is short
        values.dedup();
        Ok(values)
    }

    /// Digits after the first: as many as needed to distinguish neighbours. Equal ratios are
    /// of round numbers: their rounding, half a unit of the last digit, is at most a quarter
    /// of a step.
    fn digits(&self, count: usize) -> usize {
        let most = 3.max(count.ilog10() as usize + 2);
        let step = (self.to.value / self.from.value).ln().abs() / (count - 1) as f64;
        let round = |digits: &usize| 0.5 * 0.1f64.powi(*digits as i32) <= step / 4.0;
        if self.log { (1..most).find(round).unwrap_or(most) } else { most }
    }

    /// The number of values, if given.
    pub(super) fn count(&self) -> Option<usize> {
        self.count
    }

    /// The value at this fraction of the way from start to end, with this many
    /// digits after the first.
    pub(super) fn at(&self, share: f64, digits: usize) -> String {
        let (from, to) = (self.from.value, self.to.value);
        let value = match self.log {
            true => from * (to / from).powf(share),
            false => from + (to - from) * share,
        };
        let number = value / self.from.one;
        let number = match self.whole {
            true => number.round(),
            false => format!("{number:.digits$e}").parse().unwrap_or(number),
        };
        format!("{number}{}", self.from.unit)
    }
}
