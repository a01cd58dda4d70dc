//! Which columns of a table count, and in which units.

use serde::{Deserialize, Serialize};

use super::{Wrong, shown};

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Rates, bits per second.
    Rate,
    /// Delays, seconds.
    Delay,
    /// Jitter, seconds.
    Jitter,
    /// Losses, a share of 1.
    Loss,
}

/// Which columns of a table count: each is a name or a number from 1, and perhaps a unit behind
/// a blank.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Columns {
    /// The time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The time in which the value, an amount of data, arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
    /// Only rows with this value in this column: `run_num=3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<String>,
}

impl Columns {
    /// Nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A column: its place, its name, and what says its unit.
#[derive(Clone, Copy)]
pub(super) struct Column<'a> {
    pub place: usize,
    name: &'a str,
    pub unit: &'a str,
}

/// The columns of a table, found.
pub(super) struct Layout<'a> {
    pub time: Column<'a>,
    pub value: Column<'a>,
    pub over: Option<Column<'a>>,
    /// Rows that count: the place of a column, and its value.
    pub rows: Option<(usize, &'a str)>,
}

/// Names of columns, the most particular first; what contains one is one.
const TIMES: [&str; 6] = ["timestamp", "time", "seconds", "elapsed", "seq_num", "sec"];
const RATES: [&str; 10] = [
    "dl_bitrate",
    "bytes_sec",
    "downlink",
    "download",
    "throughput",
    "bandwidth",
    "mbps",
    "mbit",
    "rate",
    "bw",
];
const DELAYS: [&str; 4] = ["rtt", "latency", "delay", "ping"];
const JITTERS: [&str; 2] = ["jitter", "ipdv"];
const LOSSES: [&str; 2] = ["loss", "lost"];

/// Where the columns of a table are. `names` is empty without names; then `first` is the first
/// row.
pub(super) fn layout<'a>(
    file: &str,
    names: &[&'a str],
    first: &[&str],
    wanted: Wanted,
    columns: &'a Columns,
) -> Result<Layout<'a>, Wrong> {
    let count = first.len();
    let number = |place: usize| first.get(place).and_then(|text| super::number(text));
    if names.is_empty() && columns.is_empty() && wanted == Wanted::Rate {
        // published data sets without names: see the module
        let of = |place, unit| Column { place, name: "", unit };
        if count == 6 && (0..6).all(|n| number(n).is_some()) && number(0) > Some(1e9) {
            let (time, over) = (of(1, "ms"), Some(of(5, "ms")));
            return Ok(Layout { time, value: of(4, "bytes"), over, rows: None });
        }
        if count > 6 && first.get(1).is_some_and(|text| super::date(text).is_some()) {
            let value = of(6, "bytes/s");
            return Ok(Layout { time: of(1, ""), value, over: None, rows: None });
        }
    }
    let known: &[&str] = match wanted {
        Wanted::Rate => &RATES,
        Wanted::Delay => &DELAYS,
        Wanted::Jitter => &JITTERS,
        Wanted::Loss => &LOSSES,
    };
    let find = |said: &'a Option<String>, known, place| {
        column(file, names, count, said.as_deref(), known, place)
    };
    let rows = match columns.rows.as_deref() {
        None => None,
        Some(text) => {
            let Some((name, value)) = text.split_once('=') else {
                let message = format!("rows = \"{}\"", shown(text));
                return Err((message, "a column and its value, such as rows = \"run=3\"".into()));
            };
            let own = column(file, names, count, Some(name.trim()), &[], 1)?;
            Some((own.place, value.trim()))
        }
    };
    let over = match &columns.over {
        None => None,
        said => Some(find(said, &[], 3)?),
    };
    let time = find(&columns.time, &TIMES, 1)?;
    Ok(Layout { time, value: find(&columns.value, known, 2)?, over, rows })
}

/// The column that is asked for, or that has such a name, or else the one at this place.
fn column<'a>(
    file: &str,
    names: &[&'a str],
    count: usize,
    said: Option<&'a str>,
    known: &[&str],
    place: usize,
) -> Result<Column<'a>, Wrong> {
    let list = || match names {
        [] => format!("columns are 1 to {count}"),
        names => format!("columns: {}", shown(&names.join(", "))),
    };
    if let Some(said) = said {
        let (name, unit) = said.split_once(' ').unwrap_or((said, ""));
        let named = names.iter().position(|own| *own == said || *own == name);
        let numbered = name.parse().ok().filter(|n| (1..=count).contains(n)).map(|n: usize| n - 1);
        let Some(at) = named.or(numbered) else {
            return Err((format!("`{file}` has no column `{}`", shown(said)), list()));
        };
        let name = names.get(at).copied().unwrap_or_default();
        return Ok(Column { place: at, name, unit: if unit.is_empty() { name } else { unit } });
    }
    let is = |own: &str, known: &str| own.to_lowercase().contains(known);
    let found = known.iter().find_map(|known| names.iter().position(|own| is(own, known)));
    let second = (count >= place && (names.is_empty() || count == 2)).then_some(place - 1);
    match found.or(second) {
        Some(place) => {
            let name = names.get(place).copied().unwrap_or_default();
            Ok(Column { place, name, unit: name })
        }
        None => {
            let what = if place == 1 { "time" } else { "value" };
            let message = format!("`{file}`: which column has the {what}? {}", list());
            let help = "say it: columns = { time = \"NAME\", value = \"NAME UNIT\" }";
            Err((message, help.into()))
        }
    }
}

impl Column<'_> {
    /// What its values are multiplied by; `None` if nothing says its unit.
    pub fn scale(&self, wanted: Wanted) -> Option<f64> {
        match wanted {
            Wanted::Rate => rate_unit(self.unit),
            Wanted::Loss => Some(if self.unit.contains('%') { 0.01 } else { 1.0 }),
            Wanted::Jitter => Some(time_unit(self.unit).unwrap_or(1e-3)),
            Wanted::Delay => {
                let lower = self.name.to_lowercase();
                // a link has half of a round trip
                let round_trip = ["rtt", "ping"].iter().any(|word| lower.contains(word));
                let share = if round_trip { 0.5 } else { 1.0 };
                Some(time_unit(self.unit).unwrap_or(1e-3) * share)
            }
        }
    }
}

/// Bits per second of a unit, or of a column's name that has one; without `/s`, bits.
fn rate_unit(name: &str) -> Option<f64> {
    let lower = name.to_lowercase();
    let has = |all: &[&str]| all.iter().any(|part| lower.contains(part));
    let bytes = lower.contains("byte") || name.contains("B/s") || name.contains("Bps");
    let of = |prefix: char| {
        let mut starts = lower
            .match_indices(prefix)
            .filter(|(at, _)| !lower[..*at].ends_with(|c: char| c.is_ascii_alphabetic()));
        starts.any(|(at, _)| {
            ["bit", "bps", "b/s", "byte"].iter().any(|unit| lower[at + 1..].starts_with(unit))
        })
    };
    let bits = match () {
        () if of('g') => 1e9,
        () if of('m') => 1e6,
        () if of('k') => 1e3,
        () if has(&["bitrate"]) => 1e3,
        () if bytes || has(&["bps", "bit/s", "bits"]) => 1.0,
        () => return None,
    };
    Some(if bytes { 8.0 * bits } else { bits })
}

/// Seconds of a unit of time, or of a column's name that has one.
pub(super) fn time_unit(name: &str) -> Option<f64> {
    let lower = name.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric());
    words.find_map(|word| match word {
        "s" | "sec" | "seconds" => Some(1.0),
        "ms" | "msec" | "milliseconds" => Some(1e-3),
        "us" | "usec" | "microseconds" => Some(1e-6),
        "ns" => Some(1e-9),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A byte is 8 bits, whatever the prefix.
    #[test]
    fn units_of_rates() {
        for (name, expected) in [
            ("download", None),
            ("Mbit/s", Some(1e6)),
            ("Mb/s", Some(1e6)),
            ("MB/s", Some(8e6)),
            ("DL_bitrate", Some(1e3)),
            ("x kB/s", Some(8e3)),
            ("bytes_sec", Some(8.0)),
            ("gbps", Some(1e9)),
            ("MBps", Some(8e6)),
            ("bit/s", Some(1.0)),
            ("throughput_bps", Some(1.0)),
            ("numbytes", Some(8.0)),
        ] {
            assert_eq!(rate_unit(name), expected, "{name}");
        }
    }
}
