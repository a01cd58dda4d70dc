//! Values, facts and columns of a plan in words.

use tusker_measure::stats::{Estimate, Over};
use tusker_measure::table::{NONE, Unit, counted, duration_as, significant, size, verb};
use tusker_transfer::answer::{
    Basis, Better, Fact, PassedOver, PlanPath, PlanRate, PlanRow, PlanSummary, Spent,
};

/// `4 x cubic`, with the buffer where it was chosen.
pub(super) fn label(row: &PlanRow) -> String {
    match row.socket_buffer_enough {
        true => row.name(),
        false => format!("{}, {}", row.name(), size(row.socket_buffer_bytes)),
    }
}

/// How long something takes, in the unit of all times of transfers.
pub(super) fn time(plan: &PlanSummary, seconds: f64) -> String {
    duration_as(seconds, times_in(plan))
}

/// A time whose unit is that of all others: what the path needs at least, which is the same
/// with every buffer.
pub(super) fn times_in(plan: &PlanSummary) -> f64 {
    let shortest = plan.rows.iter().filter_map(|row| row.took_s).fold(f64::INFINITY, f64::min);
    // where every row takes far longer, its unit would be too small
    let near = shortest <= 100.0 * plan.least_s || shortest.is_infinite();
    if near { plan.least_s } else { shortest }
}

/// `15.2 h`, `~46.0 h`.
pub(super) fn took(plan: &PlanSummary, row: &PlanRow) -> String {
    let mark = if row.is_simulated() { "" } else { "~" };
    row.took_s.map_or(NONE.to_owned(), |took| format!("{mark}{}", time(plan, took)))
}

/// The same with its range: `15.2 h (13.8 h to 16.7 h)`.
pub(super) fn took_range(plan: &PlanSummary, row: &PlanRow) -> String {
    let range = plan.took_range(row);
    let range = range.map(|(low, high)| format!(" ({} to {})", time(plan, low), time(plan, high)));
    took(plan, row) + &range.unwrap_or_default()
}

/// `2.75 x`, `~2.75 x`, `today`.
pub(super) fn speed(plan: &PlanSummary, row: &PlanRow) -> String {
    let Some(times) = row.speedup else { return String::new() };
    if plan.is_today(row) {
        return "today".to_owned();
    }
    let sure = row.is_simulated() && plan.today_row().is_some_and(PlanRow::is_simulated);
    format!("{}{} x", if sure { "" } else { "~" }, significant(times, 3))
}

/// `5.87 ± 0.56 Mbit/s`.
pub(super) fn rate(rate: Option<PlanRate>) -> String {
    let over = Over::Batches;
    let rate = rate.map(|rate| Estimate { mean: rate.mean_bps, ci95: rate.ci95_bps, n: 1, over });
    Unit::Rate.estimate(rate)
}

/// Harm as a number: `0.24 ± 0.14`, `~0.4`, `?`.
pub(super) fn harm(row: &PlanRow) -> String {
    // no `-0.0`
    let plain = |value: f64, scale: f64| (value * scale).round() / scale + 0.0;
    match (row.harm, row.harm_ci95) {
        (None, _) if row.has_unknown_harm() => "?".to_owned(),
        (None, _) => String::new(),
        (Some(harm), _) if row.has_estimated_harm() => format!("~{:.1}", plain(harm, 10.0)),
        (Some(harm), None) => format!("{:.2}", plain(harm, 100.0)),
        (Some(harm), Some(half)) => format!("{:.2} ± {half:.2}", plain(harm, 100.0)),
    }
}

/// Harm as a share: `30 % ± 3 %`, `~40 %`.
pub(super) fn loss(row: &PlanRow) -> Option<String> {
    let percent = |share: f64| format!("{:.0} %", (share * 100.0).round() + 0.0);
    let harm = percent(row.harm?);
    Some(match (row.has_estimated_harm(), row.harm_ci95) {
        (true, _) => format!("~{harm}"),
        (false, Some(half)) => format!("{harm} ± {}", percent(half)),
        (false, None) => harm,
    })
}

/// What a row is based on, in a few words; all simulated times have one unit.
pub(super) fn basis(plan: &PlanSummary, row: &PlanRow) -> String {
    let times = plan.rows.iter().filter(|row| row.runs > 0).map(|row| row.simulated_s);
    let shortest = times.fold(f64::INFINITY, f64::min);
    let runs = if row.runs == 1 { String::new() } else { format!("{} x ", row.runs) };
    let simulated = format!("{runs}{}", duration_as(row.simulated_s, shortest));
    match row.basis {
        Basis::Nothing => NONE.to_owned(),
        Basis::Estimate => "not simulated".to_owned(),
        Basis::Unsettled => format!("{simulated}, unsettled"),
        Basis::Wide if row.runs == 1 => format!("{simulated}, one run"),
        Basis::Wide => format!("{simulated}, wide"),
        Basis::Steady => simulated,
        Basis::Whole => format!("{simulated}, whole"),
    }
}

/// Half of its interval, as a share of the time: `3.2 %`.
pub(super) fn spread(row: &PlanRow) -> String {
    let share = row.took_low_s.zip(row.took_high_s).zip(row.took_s);
    share.map_or(String::new(), |((low, high), took)| {
        let percent = (high - low) / 2.0 / took * 100.0;
        if percent < 0.1 { "< 0.1 %".to_owned() } else { format!("{} %", significant(percent, 2)) }
    })
}

/// The path with this buffer: `20.00 Mbit/s, 40.00 ms, buffer 1bdp, beside 4xcubic-linux`.
pub(super) fn path(path: &PlanPath, buffer: &str) -> String {
    let PlanPath { rate_bps, rtt_s, loss, packet_bytes, with, .. } = path;
    let mut parts = vec![Unit::Rate.text(*rate_bps as f64), Unit::Time.text(*rtt_s)];
    if *loss > 0.0 {
        parts.push(format!("loss {loss:e}"));
    }
    parts.push(format!("buffer {buffer}"));
    if *packet_bytes != 1_500 {
        parts.push(format!("packets of {packet_bytes} B"));
    }
    if !with.is_empty() {
        parts.push(format!("beside {}", with.join(" and ")));
    }
    parts.join(", ")
}

/// `2e8`, `1.5e9`: packets, rounded up to two digits.
fn packets(count: f64) -> String {
    let scale = 10f64.powf(count.max(1.0).log10().floor() - 1.0);
    // what is a whole number of these must not become one more
    format!("{:e}", ((count / scale - 1e-9).ceil() * scale).round())
}

/// `4 x bbr1 (47.7 h, 100 %) and 2 more`.
fn named(plan: &PlanSummary, rows: &[u32]) -> String {
    let first = plan.row(rows[0]);
    let harm = loss(first).map_or(String::new(), |loss| format!(", {loss}"));
    let more = match rows.len() {
        1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    format!("{} ({}{harm}){more}", label(first), took(plan, first))
}

/// A fact as a sentence.
pub(super) fn sentence(plan: &PlanSummary, fact: &Fact) -> String {
    let limit = plan.most_harm() * 100.0;
    match fact {
        Fact::AsFast { row, better } => {
            let better = match better {
                Better::LessHarm => "does less harm",
                Better::TodaysLaw => "keeps today's congestion control",
                Better::FewerStreams => "has fewer connections",
            };
            let row = plan.row(*row);
            let today = if plan.is_today(row) { ", which runs today," } else { "" };
            let takes = took(plan, row);
            format!(
                "{}{today} takes {takes}, about as long or less; the recommended row {better}",
                row.name()
            )
        }
        Fact::PassedOver { because, rows } => {
            let because = match because {
                PassedOver::MayHarm => format!("may lose more than {limit:.0} % of their rate"),
                PassedOver::Harms => format!("lose more than {limit:.0} % of their rate"),
                PassedOver::Unknown => "lose an unknown share of their rate".to_owned(),
            };
            let faster = match plan.chosen() {
                Some(_) => "faster, but not recommended",
                None => "the fastest",
            };
            format!("{faster}: {}; the others {because}", named(plan, rows))
        }
        Fact::PerhapsFaster { rows } => {
            format!("perhaps faster, by a first estimate alone: {}", named(plan, rows))
        }
        Fact::Gentler { row } => {
            format!("about as fast as today, and gentler to the others: {}", named(plan, &[*row]))
        }
        Fact::DefaultBuffers { at_most_bps, at_least_s } => format!(
            "with Linux's default send buffer (4 MiB), what runs today has at most {} and takes {} \
             or more; --socket-buffer 2.8MB,enough simulates both",
            Unit::Rate.text(*at_most_bps),
            time(plan, *at_least_s)
        ),
        Fact::MoreStreams { most } => format!(
            "no row has more than {}; --streams {most},{} tries more",
            counted(*most, "connection"),
            most * 2
        ),
        Fact::Deadline { met, fastest } => {
            let deadline = time(plan, plan.deadline_s.unwrap_or_default());
            let met = format!("{met} of {}", counted(plan.rows.len() as u64, "row"));
            let fastest = fastest
                .map_or(String::new(), |row| format!("; the fastest is {}", named(plan, &[row])));
            format!("within {deadline}: {met}{fastest}")
        }
        Fact::Stopped { by, begun, not_begun, needs_packets } => {
            let by = match by {
                Spent::RowPackets => "--row-packets",
                Spent::Budget => "--budget",
                Spent::Interrupted => "Ctrl-C",
            };
            let parts = [(not_begun.len(), "simulated"), (begun.len(), "as exact as asked for")];
            let parts = parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| {
                let rows = counted(count as u64, "row");
                format!("{rows} {} {what}", verb(count as u64, "was", "were"))
            });
            let enough = needs_packets.map_or(String::new(), |packets_| {
                format!("; {by} {} is likely to be enough", packets(packets_))
            });
            format!("{by} ended before {}{enough}", parts.collect::<Vec<_>>().join(", and "))
        }
        Fact::Tied { rows } => {
            format!("rows 1 to {rows}: their intervals overlap, so the fastest is not certain")
        }
    }
}

/// What the words of the table mean, as far as they occur in it.
pub(super) fn legend(plan: &PlanSummary) -> Vec<(String, String)> {
    let any = |is: &dyn Fn(&PlanRow) -> bool| plan.rows.iter().any(is);
    let harm = any(&|row| row.harm.is_some() || row.has_unknown_harm());
    let until = format!("± is more than --until {} %", plan.until * 100.0);
    let lines: [(&str, bool, &str); 11] = [
        ("order", true, "the shortest time first; a first estimate (~) counts 1.25 times as long"),
        ("takes", true, "time of the whole transfer; ±: half of its 95 % interval"),
        ("simulated", any(&PlanRow::is_simulated), SIMULATED),
        ("speed", any(&|row| row.speedup.is_some()), "how many times as fast as today's row"),
        ("~", any(&|row| row.took_s.is_some() && !row.is_simulated()), ESTIMATE),
        (
            "one run",
            any(&|row| row.basis == Basis::Wide && row.runs == 1),
            "the interval is of a single run; other seeds may differ by more",
        ),
        ("wide", any(&|row| row.basis == Basis::Wide && row.runs > 1), &until),
        ("whole", any(&|row| row.basis == Basis::Whole), "simulated to the end of the transfer"),
        (
            "unsettled",
            any(&|row| row.basis == Basis::Unsettled),
            "the simulation did not reach the long-term rate; the row has its first estimate",
        ),
        ("harm", harm, HARM),
        ("?", any(&PlanRow::has_unknown_harm), "harm is not known: its ± is more than 0.5"),
    ];
    let lines = lines.into_iter().filter(|(_, occurs, _)| *occurs);
    lines.map(|(word, _, text)| (word.to_owned(), text.to_owned())).collect()
}

const SIMULATED: &str = "simulated time, start included; the rest of the transfer is assumed to \
                         have the rate of the steady state";

const ESTIMATE: &str = "a first estimate: the lowest of what the socket buffers allow, what random \
                        loss allows, and what a short run on a slower path shows (docs/plan.md \
                        says how far off it may be)";

const HARM: &str = "share of their rate that the flows of --with lose to the transfer (1: all). A \
                    row is recommended only if this is within --max-harm even with its ±, or with \
                    0.3 more than a first estimate (0.15 if all flows together fill at most half \
                    of the link; else 0.7 if the buffer is below 0.2 BDP)";

#[cfg(test)]
mod tests {
    use super::packets;

    #[test]
    fn packets_are_rounded_up_to_two_digits() {
        assert_eq!(["2e8", "3.1e8", "1e3"], [2e8, 3.001e8, 999.5].map(packets)[..]);
    }
}
