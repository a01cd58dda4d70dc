//! A plan as text: a table for people, CSV, and durations in common units.

use std::fmt::Write;

use super::{Basis, PlanPath, PlanRate, PlanRow, PlanSummary};
use tusker_record::table::{NONE, Table, Unit};

/// `35.2 s`, `12.1 min`, `45.3 h`, `2.21 d`: three digits, in hours up to two days.
pub fn duration(seconds: f64) -> String {
    duration_as(seconds, seconds)
}

/// `2.75`, `15.8`, `158`: three digits.
pub(super) fn speed(times: f64) -> String {
    let decimals = match times {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{times:.decimals$}")
}

/// `2e8`, `1.5e9`: packets, rounded up to two digits.
pub(super) fn packets(count: f64) -> String {
    let scale = 10f64.powf(count.max(1.0).log10().floor() - 1.0);
    // what is a whole number of these must not become one more
    format!("{:e}", ((count / scale - 1e-9).ceil() * scale).round())
}

/// `row 2`, `rows 2, 3 and 5 to 9`: places in ascending order.
pub(super) fn list(places: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &place in places {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == place => *end = place,
            _ => runs.push((place, place)),
        }
    }
    let one = |&(from, to): &(usize, usize)| match to - from {
        0 => from.to_string(),
        1 => format!("{from}, {to}"),
        _ => format!("{from} to {to}"),
    };
    let text = runs.iter().map(one).collect::<Vec<_>>().join(", ");
    match text.rsplit_once(", ") {
        Some((before, last)) => format!("rows {before} and {last}"),
        None if places.len() > 1 => format!("rows {text}"),
        None => format!("row {text}"),
    }
}

/// Where a unit begins, its seconds, and its name.
fn unit_of(seconds: f64) -> (f64, f64, &'static str) {
    const UNITS: [(f64, f64, &str); 4] =
        [(172_800.0, 86_400.0, "d"), (5_400.0, 3_600.0, "h"), (90.0, 60.0, "min"), (0.0, 1.0, "s")];
    *UNITS.iter().find(|(from, ..)| seconds >= *from).unwrap_or(&UNITS[3])
}

/// The same in the unit of another time: one unit for a whole column.
fn duration_as(seconds: f64, other: f64) -> String {
    if !seconds.is_finite() {
        return NONE.to_owned();
    }
    let (_, scale, name) = unit_of(other);
    let value = seconds / scale;
    let decimals = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        v if v >= 0.9995 => 2,
        _ => 3,
    };
    format!("{value:.decimals$} {name}")
}

/// `200 TB`, `64 MB`: in powers of 1000, three digits.
pub fn size(bytes: u64) -> String {
    const UNITS: [(f64, &str); 5] =
        [(1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B")];
    let bytes = bytes as f64;
    let (scale, name) = UNITS.iter().find(|(scale, _)| bytes >= *scale).unwrap_or(&UNITS[4]);
    let value = bytes / scale;
    let decimals = match value {
        v if v >= 99.95 || v.fract() == 0.0 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$} {name}")
}

impl PlanRate {
    /// `9.21 Gbit/s`, to three digits.
    pub fn text(&self) -> String {
        rate(self.mean_bps)
    }
}

fn rate(bps: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")];
    let (scale, name) = UNITS.iter().find(|(scale, _)| bps >= 0.9995 * scale).unwrap_or(&UNITS[3]);
    let value = bps / scale;
    let decimals = match value {
        v if v >= 99.95 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.decimals$} {name}")
}

impl PlanRow {
    /// Harm to the others: `0.24 ± 0.14`; `~0.4` if it is only estimated.
    pub fn harm_text(&self) -> String {
        // no `-0.0`
        let plain = |value: f64, decimals: usize| {
            let text = format!("{value:.decimals$}");
            match text.trim_start_matches(['-', '0', '.']).is_empty() {
                true => text.trim_start_matches('-').to_owned(),
                false => text,
            }
        };
        match (self.harm, self.harm_ci95) {
            (None, _) if self.has_unknown_harm() => "?".to_owned(),
            (None, _) => String::new(),
            (Some(harm), _) if self.has_estimated_harm() => format!("~{}", plain(harm, 1)),
            (Some(harm), None) => plain(harm, 2),
            (Some(harm), Some(half)) => format!("{} ± {half:.2}", plain(harm, 2)),
        }
    }

    /// What the row is based on, in a few words; `unit` is a time in whose unit the
    /// simulated time is told.
    fn basis_text(&self, unit: f64) -> String {
        let runs = match self.runs {
            1 => String::new(),
            runs => format!("{runs} x "),
        };
        let simulated = format!("{runs}{}", duration_as(self.simulated_s, unit));
        match self.basis {
            Basis::Nothing => NONE.to_owned(),
            Basis::Estimate => "not simulated".to_owned(),
            Basis::Unsettled => format!("{simulated}, unsettled"),
            Basis::Wide if self.runs == 1 => format!("{simulated}, one run"),
            Basis::Wide => format!("{simulated}, wide"),
            Basis::Steady => simulated,
            Basis::Whole => format!("{simulated}, whole"),
        }
    }

    /// Half of its interval, as a share of the time.
    fn spread(&self) -> Option<f64> {
        let (low, high) = (self.took_low_s?, self.took_high_s?);
        Some((high - low) / 2.0 / self.took_s?)
    }
}

/// `3.2 %`, with two digits.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent < 0.1 {
        return "< 0.1 %".to_owned();
    }
    let decimals = if percent >= 9.95 { 0 } else { 1 };
    format!("{percent:.decimals$} %")
}

impl PlanSummary {
    /// The question, in one line.
    pub fn title(&self) -> String {
        let PlanPath { rate_bps, rtt_s, loss, buffer, packet_bytes, with, .. } = &self.path;
        let mut text = format!("{} over {}", size(self.size_bytes), rate(*rate_bps as f64));
        let _ = write!(text, ", {}", Unit::Time.text(*rtt_s));
        if *loss > 0.0 {
            let _ = write!(text, ", loss {loss:e}");
        }
        let _ = write!(text, ", buffer {buffer}");
        if *packet_bytes != 1_500 {
            let _ = write!(text, ", packets of {packet_bytes} B");
        }
        if !with.is_empty() {
            let _ = write!(text, ", beside {}", with.join(" and "));
        }
        if let Some(today) = &self.today {
            let _ = write!(text, "; today {} x {}", today.streams, today.law);
        }
        text
    }

    /// How long something takes, in the unit of all times of transfers.
    pub fn time(&self, seconds: f64) -> String {
        duration_as(seconds, self.times_in())
    }

    /// A time whose unit is that of all others: what the path needs at least, which is the
    /// same with every buffer.
    fn times_in(&self) -> f64 {
        let shortest = self.rows.iter().filter_map(|row| row.took_s).fold(f64::INFINITY, f64::min);
        // where every row takes far longer, its unit would be too small
        let near = shortest <= 100.0 * self.least_s || shortest.is_infinite();
        if near { self.least_s } else { shortest }
    }

    /// Seconds of the unit of all times of transfers, and its name.
    pub fn time_unit(&self) -> (f64, &'static str) {
        let (_, scale, name) = unit_of(self.times_in());
        let names = [("d", "days"), ("h", "hours"), ("min", "minutes"), ("s", "seconds")];
        let name = names.iter().find(|(short, _)| *short == name).map_or("seconds", |(_, n)| n);
        (scale, name)
    }

    /// What a row is based on, in a few words.
    pub fn known_text(&self, row: &PlanRow) -> String {
        row.basis_text(self.simulated_in())
    }

    /// A simulated time, in the unit of all of them.
    pub(super) fn simulated_time(&self, seconds: f64) -> String {
        duration_as(seconds, self.simulated_in())
    }

    /// The shortest simulated time, whose unit is that of all.
    fn simulated_in(&self) -> f64 {
        let simulated = self.rows.iter().filter(|row| row.runs > 0).map(|row| row.simulated_s);
        Some(simulated.fold(f64::INFINITY, f64::min)).filter(|s| s.is_finite()).unwrap_or(0.0)
    }

    /// How long a row takes; `~46.0 h` if it is only estimated.
    pub fn took_text(&self, row: &PlanRow) -> String {
        let mark = if row.is_simulated() { "" } else { "~" };
        row.took_s.map_or(NONE.to_owned(), |took| format!("{mark}{}", self.time(took)))
    }

    /// How many times as fast as today: `2.75 x`, `~2.75 x`, `today`.
    pub fn speed_text(&self, row: &PlanRow) -> String {
        let Some(times) = row.speedup else { return String::new() };
        if self.is_today(row) {
            return "today".to_owned();
        }
        let sure = row.is_simulated() && self.today_row().is_some_and(PlanRow::is_simulated);
        format!("{}{} x", if sure { "" } else { "~" }, speed(times))
    }

    /// One line per row, for people.
    pub fn table(&self) -> Table {
        self.table_of(|_| true)
    }

    /// The same with some of the rows.
    pub fn table_of(&self, is_shown: impl Fn(&PlanRow) -> bool) -> Table {
        let mut table = Table::new([
            "",
            "cc",
            "streams",
            "socket buffer",
            "takes",
            "±",
            "speed",
            "goodput",
            "harm",
            "simulated",
        ])
        .bold_head()
        .keys(3)
        .spare(["goodput", "socket buffer", "±", "harm"]);
        let first = self.rows.first().map(|row| row.socket_buffer_bytes);
        let chosen = self.rows.iter().any(|row| Some(row.socket_buffer_bytes) != first);
        for (n, row) in self.rows.iter().enumerate().filter(|(_, row)| is_shown(row)) {
            // one that all have is not for choosing; it stands among the commands
            let buffer = if chosen { size(row.socket_buffer_bytes) } else { String::new() };
            let goodput = row.goodput.as_ref().map_or(NONE.to_owned(), PlanRate::text);
            table.row([
                self.place(n),
                row.law.clone(),
                row.streams.to_string(),
                buffer,
                self.took_text(row),
                row.spread().map_or(String::new(), percent),
                self.speed_text(row),
                goodput,
                row.harm_text(),
                self.known_text(row),
            ]);
        }
        table.drop_empty_columns();
        table
    }

    /// `> 2` for the recommended row, `  1` for others; `1` if none is recommended.
    pub fn place(&self, n: usize) -> String {
        let place = n as u32 + 1;
        match self.recommended {
            None => place.to_string(),
            Some(chosen) if chosen == place => format!("> {place}"),
            Some(_) => format!("  {place}"),
        }
    }

    /// One line per row, in the order of the ranking.
    pub fn to_csv(&self) -> String {
        let mut text = String::from(
            "rank,cc,streams,socket_buffer_bytes,basis,took_s,took_low_s,took_high_s,\
             extrapolated,goodput_bps,goodput_ci95_bps,others_bps,others_ci95_bps,harm,harm_ci95,\
             retransmitted,rtt_s,start_s,simulated_s,runs,episodes,estimate_bps,estimate_harm,speedup,\
             recommended\n",
        );
        let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        for (n, row) in self.rows.iter().enumerate() {
            let law = match row.law.contains([',', '"']) {
                true => format!("\"{}\"", row.law.replace('"', "\"\"")),
                false => row.law.clone(),
            };
            let basis = serde_json::to_value(row.basis).unwrap_or_default();
            let cells = [
                (n + 1).to_string(),
                law,
                row.streams.to_string(),
                row.socket_buffer_bytes.to_string(),
                basis.as_str().unwrap_or_default().to_owned(),
                number(row.took_s),
                number(row.took_low_s),
                number(row.took_high_s),
                row.extrapolated.to_string(),
                number(row.goodput.map(|rate| rate.mean_bps)),
                number(row.goodput.and_then(|rate| rate.ci95_bps)),
                number(row.others.map(|rate| rate.mean_bps)),
                number(row.others.and_then(|rate| rate.ci95_bps)),
                number(row.harm),
                number(row.harm_ci95),
                number(row.retransmitted),
                number(row.rtt_s),
                number(row.start_s),
                row.simulated_s.to_string(),
                row.runs.to_string(),
                row.episodes.to_string(),
                number(row.estimate_bps),
                number(row.estimate_harm),
                number(row.speedup),
                (self.recommended == Some(n as u32 + 1)).to_string(),
            ];
            let _ = writeln!(text, "{}", cells.join(","));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_the_unit_that_people_use() {
        for (seconds, text) in [
            (0.25, "0.250 s"),
            (35.2, "35.2 s"),
            (90.0, "1.50 min"),
            (726.0, "12.1 min"),
            (163_080.0, "45.3 h"),
            (190_944.0, "2.21 d"),
            (8_640_000.0, "100 d"),
        ] {
            assert_eq!(duration(seconds), text);
        }
    }

    #[test]
    fn places_and_packets_are_written_as_people_do() {
        assert_eq!(list(&[2]), "row 2");
        assert_eq!(list(&[2, 3]), "rows 2 and 3");
        assert_eq!(list(&[4, 5, 6]), "rows 4 to 6");
        assert_eq!(list(&[2, 4, 5, 6, 9]), "rows 2, 4 to 6 and 9");
        assert_eq!(["2e8", "3.1e8", "1e3"], [2e8, 3.001e8, 999.5].map(packets)[..]);
        assert_eq!(["0.51", "2.75", "15.8", "158"], [0.512, 2.752, 15.8, 158.4].map(speed)[..]);
    }

    /// Nothing arrived today: nothing is so many times as fast.
    #[test]
    fn what_never_ends_is_no_number() {
        let row = |law, took| super::super::made::row(law, Basis::Steady, took, 1);
        let rows = vec![row("reno", f64::INFINITY), row("cubic", 100.0)];
        let mut plan = super::super::made::plan(rows, true);
        let (law, socket_buffer_bytes) = ("reno".to_owned(), 1_000);
        plan.today = Some(super::super::PlanWay { law, streams: 1, socket_buffer_bytes });
        plan.rank();
        let text = plan.rows.iter().map(|row| plan.took_text(row) + &plan.speed_text(row));
        let text = text.collect::<Vec<_>>().join(" ") + &plan.verdict().join(" ");
        assert!(text.starts_with("100 s -") || text.starts_with("1.67 min"), "{text}");
        assert!(!text.contains("inf") && !text.contains("NaN"), "{text}");
        let unknown = [f64::NAN, f64::INFINITY].map(|value| Unit::Rate.text(value));
        assert_eq!(unknown, [NONE, NONE]);
    }

    #[test]
    fn a_column_has_one_unit() {
        assert_eq!(duration_as(2_592_000.0, 172_000.0), "720 h");
    }

    /// The path needs 46 h with every buffer. The fastest rows take 47 h with one and 49 h with
    /// another, which are more than two days; both are told in hours. 96 s and 32 s of
    /// simulation are both told in seconds.
    #[test]
    fn plans_for_several_buffers_and_simulated_times_have_one_unit() {
        let row = |hours: f64, simulated_s| PlanRow {
            simulated_s,
            ..super::super::made::row("cubic", Basis::Steady, hours * 3_600.0, 1)
        };
        for (hours, text) in [(47.0, "47.0 h"), (49.0, "49.0 h")] {
            let mut plan = super::super::made::plan(vec![row(hours, 32.0), row(218.0, 96.0)], true);
            plan.least_s = 46.0 * 3_600.0;
            assert_eq!(plan.took_text(&plan.rows[0]), text);
            assert_eq!(plan.took_text(&plan.rows[1]), "218 h");
            assert_eq!(plan.time_unit(), (3_600.0, "hours"));
            let known = plan.rows.iter().map(|row| plan.known_text(row)).collect::<Vec<_>>();
            assert_eq!(known, ["32.0 s", "96.0 s"]);
        }
    }

    #[test]
    fn sizes_are_in_powers_of_a_thousand() {
        for (bytes, text) in
            [(200_000_000_000_000, "200 TB"), (1_500, "1.50 kB"), (404_000_000, "404 MB")]
        {
            assert_eq!(size(bytes), text);
        }
    }
}
