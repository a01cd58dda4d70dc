//! The conclusions from a plan, and how to read its table, in sentences for people.

mod recommended;
mod stopped;
mod unkind;

pub(super) use recommended::times_between;
pub use stopped::Pace;

use super::text::{list, packets};
use super::{Basis, HARM_UNKNOWN, PlanRow, PlanSummary, SEND_BUFFER, Spent, size};
use tusker_record::table::Unit;

/// How far first estimates were off where both are known: docs/plan.md has the measurement.
const OFF: &str = "In 172 rows beside other flows that were simulated as well (docs/plan.md), 9 of \
                   10 transfers took 0.65 to 1.4 times as long as estimated, and 9 of 10 values of \
                   harm were between 0.2 less and 0.3 more than estimated; with a buffer of 0.1 BDP, up to 0.6 more";

/// By first estimates, 9 of 10 transfers take at least and at most this many times as long
/// beside others, and all do with nobody else (docs/plan.md).
const TIMES_BESIDE: [f64; 2] = [0.65, 1.4];
const TIMES_ALONE: [f64; 2] = [0.87, 1.1];

/// More connections gain nothing that counts where a transfer takes at most this many times
/// as long as the path needs.
const NEARLY: f64 = 1.05;

/// A transfer that takes this many times as long is worth a word.
const SLOWER: f64 = 1.25;

/// When a row leaves the others enough, the same for all rows.
const RULE: &str = "also at the upper end of what is likely: a simulated harm plus its ±, a first estimate (~) plus 0.3 (0.15 if all flows together fill at most half of the link; else 0.7 if the buffer is below 0.2 BDP)";

/// The most connections that `--streams` takes.
const MOST_STREAMS: u32 = 1_024;

/// In which order a table has its rows.
const ORDER: &str = "order: the shortest time first; a time that is a first estimate (~) counts \
                     as 1.25 times as long";

impl PlanRow {
    /// `4 x bbr1`.
    pub fn name(&self) -> String {
        format!("{} x {}", self.streams, self.law)
    }

    /// `--cc bbr1 --streams 4`.
    pub(super) fn options(&self) -> String {
        format!("--cc {} --streams {}", self.law, self.streams)
    }
}

impl PlanSummary {
    /// What it comes to, a sentence or two per line: the row to use, against today, what
    /// it costs the others; what was passed over; the deadline; the bound of the path.
    pub fn verdict(&self) -> Vec<String> {
        let mut lines = Vec::new();
        match self.chosen() {
            Some(chosen) => {
                lines.extend(self.keep_today(chosen));
                lines.push(self.recommendation(chosen));
            }
            None if self.rows.iter().all(|row| row.took_s.is_none()) => {}
            None => lines.push(self.nothing_kind()),
        }
        lines.extend(self.near_tie());
        lines.extend(self.default_buffers());
        lines.extend(self.more_streams());
        lines.extend(self.gentler());
        lines.extend(self.unkind());
        lines.extend(self.perhaps());
        lines.extend(self.in_time());
        let least = self.time(self.least_s);
        lines.push(format!(
            "At the bottleneck's full rate, without other flows, the transfer would need {least}."
        ));
        lines.extend(self.assumed());
        if self.path.with.is_empty() {
            lines.push(
                "This plan is for a path without other flows. --with 4xcubic-linux, for example, shows what the transfer takes from other flows."
                    .to_owned(),
            );
        }
        lines
    }

    /// What was assumed of the bottleneck's buffer.
    fn assumed(&self) -> Option<String> {
        let bdp = self.path.rate_bps as f64 / 8.0 * self.path.rtt_s;
        self.buffer_assumed.then(|| {
            format!(
                "The bottleneck's buffer is not known. We assume {}, the amount that the path holds ({}). Many buffers are smaller: --buffer 0.1bdp,1bdp makes a plan for both.",
                self.path.buffer,
                size(bdp as u64)
            )
        })
    }

    /// Today's row has socket buffers that do not limit it. Hosts with Linux's default ones,
    /// of which the sender's are the smaller ones, may have far less today, so that more is to
    /// be gained.
    fn default_buffers(&self) -> Option<String> {
        let today = self.today_row().filter(|row| row.socket_buffer_enough)?;
        let rate = f64::from(today.streams) * SEND_BUFFER as f64 / 2.0 * 8.0 / self.path.rtt_s;
        let least = self.size_bytes as f64 * 8.0 / rate;
        (least > SLOWER * today.took_s?).then(|| {
            format!(
                "Today's row, {}, has socket buffers that do not limit it. With Linux's default limit \
                 of a send buffer, 4 MiB, about half of it for payload, it would have at most about \
                 {}, and take {} at least (the third number of `sysctl net.ipv4.tcp_wmem` is this \
                 limit); --socket-buffer 2MB,enough simulates both.",
                today.name(),
                Unit::Rate.text(rate),
                self.time(least)
            )
        })
    }

    /// The recommended row has the most connections that were tried, and more might be
    /// faster.
    fn more_streams(&self) -> Option<String> {
        let chosen = self.chosen()?;
        let most = self.rows.iter().map(|row| row.streams).max()?;
        let gains = chosen.took_s.is_some_and(|took| took > NEARLY * self.least_s);
        (chosen.streams == most && gains && most <= MOST_STREAMS / 4).then(|| {
            let twice = most * 2;
            format!("No row had more than {most} connections; --streams {most},{twice} tries more.")
        })
    }

    /// Which rows meet the deadline.
    fn in_time(&self) -> Option<String> {
        let deadline = self.deadline_s?;
        let asked = self.time(deadline);
        let met = |row: &&PlanRow| row.took_s.is_some_and(|took| took <= deadline);
        let (count, all) = (self.rows.iter().filter(met).count(), self.rows.len());
        let first = self.rows.iter().filter(|row| row.took_s.is_some());
        let first = first.min_by(|a, b| a.took_s.partial_cmp(&b.took_s).expect("no NaN"));
        Some(match first.filter(|_| count == 0) {
            Some(first) => {
                let took = self.short(first);
                format!("Within {asked}: no row; the fastest is {}, {took}.", first.name())
            }
            None => format!("Within {asked}: {count} of {all} rows."),
        })
    }

    /// `58.5 h`, `about 46.0 h`.
    fn short(&self, row: &PlanRow) -> String {
        let about = if row.is_simulated() { "" } else { "about " };
        row.took_s.map_or("?".to_owned(), |took| format!("{about}{}", self.time(took)))
    }

    /// The same with the range in which it is likely, never below what the path needs:
    /// `58.5 h (57.0 h to 60.2 h)`.
    pub(super) fn took(&self, row: &PlanRow) -> String {
        let ends = self.ends(row);
        let ends = ends.map(|(low, high)| format!(" ({} to {})", self.time(low), self.time(high)));
        self.short(row) + &ends.unwrap_or_default()
    }

    /// The range in which its time is likely.
    pub(super) fn ends(&self, row: &PlanRow) -> Option<(f64, f64)> {
        let times = if self.path.with.is_empty() { TIMES_ALONE } else { TIMES_BESIDE };
        let ends = match row.is_simulated() {
            true => row.took_low_s.zip(row.took_high_s),
            false => row.took_s.map(|took| (took * times[0], took * times[1])),
        };
        ends.map(|(low, high)| (low.max(self.least_s), high.max(self.least_s)))
    }

    /// How to read the table: a line for each word in it, and what is to be said of rows.
    pub fn reading(&self) -> Vec<String> {
        let mut lines = self.legend();
        lines.extend(self.notes());
        lines
    }

    /// A line for each word in the table: the same for every buffer.
    pub fn legend(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.rows.len() > 1 {
            lines.push(ORDER.to_owned());
        }
        let all = |basis: Basis| self.rows.iter().filter(move |row| row.basis == basis);
        let any = |basis: Basis| all(basis).next().is_some();
        if any(Basis::Steady) || any(Basis::Wide) {
            lines.push(
                "takes: time of the whole transfer. If `simulated` shows a time, this much was simulated, start included, and the rest of the transfer is assumed to have the rate of the steady state. ±: half of the 95 % interval"
                    .to_owned(),
            );
        }
        if self.rows.iter().any(|row| row.speedup.is_some()) {
            let today = self.today_row().map_or(String::new(), PlanRow::name);
            lines.push(format!("speed: how many times as fast as today's {today}"));
        }
        if self.rows.iter().any(|row| row.took_s.is_some() && !row.is_simulated()) {
            lines.push(format!(
                "~: a first estimate, from the lowest of three rates: what the socket buffers allow, what random loss allows (by a formula), and what a short run on a slower path shows. {OFF}"
            ));
        }
        if all(Basis::Wide).any(|row| row.runs == 1) {
            lines.push(
                "one run: the interval comes from a single run; runs with other seeds may differ by more"
                    .to_owned(),
            );
        }
        if all(Basis::Wide).any(|row| row.runs > 1) {
            let until = self.until * 100.0;
            lines.push(format!("wide: ± is larger than --until asks for ({until} %)"));
        }
        if any(Basis::Whole) {
            lines.push("whole: the transfer was simulated to its end".to_owned());
        }
        if any(Basis::Unsettled) {
            lines.push(
                "unsettled: the simulation did not reach the long-term rate; the row has its \
                 first estimate"
                    .to_owned(),
            );
        }
        if self.rows.iter().any(|row| row.harm.is_some() || row.has_unknown_harm()) {
            lines.push(format!(
                "harm: the share of their rate that the flows of --with lose because of the \
                 transfer (1: all of it). A row is recommended only if this is at most {}, {RULE}",
                self.most_harm()
            ));
        }
        if self.rows.iter().any(PlanRow::has_unknown_harm) {
            lines.push(format!(
                "?: harm is not known, because its ± is more than {HARM_UNKNOWN}: the row or the \
                 others without the transfer must be simulated for longer"
            ));
        }
        if self.rows.iter().any(|row| row.harm.is_some_and(|harm| harm < 0.0)) {
            lines.push(
                "harm below 0: the others had more beside the transfer than without it; if ± is \
                 larger, that is chance"
                    .to_owned(),
            );
        }
        lines
    }

    /// What is to be said of single rows, and of the others without the transfer.
    pub fn notes(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.coarse());
        lines.extend(self.of_harm());
        lines.extend(self.seen());
        lines.extend(self.limits());
        let ties = self.ties();
        if ties > 1 {
            lines.push(format!(
                "{}: their intervals overlap, so which is faster is not certain",
                list(&(1..=ties).collect::<Vec<_>>())
            ));
        }
        lines
    }

    /// How coarse the simulation is.
    fn coarse(&self) -> Option<String> {
        let each = self.path.segments_per_packet;
        let any = self.rows.iter().any(|row| row.runs > 0);
        (each > 1 && any).then(|| {
            format!(
                "To be faster, the simulation treats {each} packets of {} B as one, which is lost \
                 as a whole (docs/plan.md)",
                self.path.packet_bytes
            )
        })
    }

    /// What the others have without the transfer.
    fn of_harm(&self) -> Option<String> {
        let Some(alone) = self.alone else {
            let simulated = self.rows.iter().any(|row| row.is_simulated() && row.harm.is_some());
            return simulated.then(|| {
                "All harm is a first estimate: the others without the transfer were not simulated"
                    .to_owned()
            });
        };
        let half = alone
            .ci95_bps
            .filter(|half| *half > alone.mean_bps * 1e-3)
            .map_or(String::new(), |half| format!(" ± {}", Unit::Rate.text(half)));
        let rate = Unit::Rate.text(alone.mean_bps);
        let without = "Without the transfer, the flows of --with have";
        Some(match self.alone_start_s {
            None if self.alone_unsure => {
                format!("{without} ~{rate}{half}: less exact than asked for")
            }
            None => format!("{without} {rate}{half}"),
            Some(start) => {
                let start = self.simulated_time(start);
                let rough = match self.rows.iter().any(PlanRow::is_simulated) {
                    true => {
                        ". The harm of simulated rows compares these seconds with the same ones \
                         beside the transfer, so it is rough"
                    }
                    false => "",
                };
                format!("{without} ~{rate}: first {start} only, not their long-term rate{rough}")
            }
        })
    }

    /// What rows carried whose rate had not settled.
    fn seen(&self) -> Option<String> {
        let one = |(n, row): (usize, &PlanRow)| {
            let seen = Unit::Rate.text(row.seen_bps?);
            Some(format!("row {}, {}: {seen}", n + 1, row.name()))
        };
        let each: Vec<String> = self.rows.iter().enumerate().filter_map(one).collect();
        (!each.is_empty()).then(|| {
            format!(
                "Unsettled rows carried, in the second half of what was simulated ({}), and were \
                 still changing",
                each.join("; ")
            )
        })
    }

    /// Which limit ended what, and what may be enough.
    fn limits(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for row in self.rows.iter().filter(|row| row.spent == Some(Spent::RowPackets)) {
            let why = row.note.as_ref().map_or(String::new(), |note| format!("{note}; "));
            let after = self.simulated_time(row.simulated_s);
            let count = match row.packets {
                count if count > 0.0 => format!(" ({} packets in all its runs)", packets(count)),
                _ => String::new(),
            };
            let enough = row.needs_packets.map_or(String::new(), |needs| {
                format!(". It needs at least --row-packets {}", packets(needs))
            });
            lines.push(format!(
                "{}: {why}the longest run has {after}, and a longer one would exceed \
                 --row-packets{count}{enough}",
                row.name()
            ));
        }
        let places = |spent: Spent, begun: bool| {
            let out = |(n, row): (usize, &PlanRow)| {
                (row.spent == Some(spent) && (row.runs > 0) == begun).then_some(n + 1)
            };
            self.rows.iter().enumerate().filter_map(out).collect::<Vec<_>>()
        };
        for (spent, when) in [
            (Spent::Budget, "The --budget ended before"),
            (Spent::Interrupted, "You interrupted the simulation before"),
        ] {
            for (begun, what) in [(true, "known as well as asked"), (false, "simulated at all")] {
                let rows = places(spent, begun);
                if !rows.is_empty() {
                    let are = if rows.len() == 1 { "was" } else { "were" };
                    lines.push(format!("{when} {} {are} {what}", list(&rows)));
                }
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests;
