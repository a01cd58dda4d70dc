//! The texts and tables of the page.

use tusker_measure::stats::Estimate;
use tusker_measure::summary::{
    AUDIT_HEAD, AUDIT_NOTE, BackgroundSummary, Group, GroupSummary, Link, LinkSummary, Summary,
    Total, TransferKind, Transfers, audit_rows,
};
use tusker_measure::table::{NONE, Unit};

use super::{Case, Shown};
use crate::columns::{self, Column};
use crate::page::{Block, Table};

/// Rows of a table, at most: the page is for people.
const MOST: usize = 200;

/// Of the audits, what is left out first where there is not enough room.
const SPARE_OF_AUDITS: [&str; 8] = [
    "emulator CPU",
    "refused",
    "busy",
    "longest away",
    "away",
    "real time",
    "mean lateness",
    "packets",
];

/// What was typed, each once.
pub(super) fn commands(cases: &[Case<'_>]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for case in cases {
        let words = &case.summary().execution.command;
        let text = command(words);
        if !words.is_empty() && !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

/// Who a row of the flow groups is about.
enum Who<'a> {
    Group(&'a GroupSummary),
    All(&'a Summary),
    Background(&'a BackgroundSummary),
}

impl Who<'_> {
    fn group(&self, measure: fn(&Group) -> Option<Estimate>) -> Option<Estimate> {
        if let Self::Group(group) = self { measure(&group.measured) } else { None }
    }

    fn both(
        &self,
        group: fn(&Group) -> Option<Estimate>,
        total: fn(&Total) -> Option<Estimate>,
    ) -> Option<Estimate> {
        match self {
            Self::Group(own) => group(&own.measured),
            Self::All(summary) => total(&summary.total),
            Self::Background(_) => None,
        }
    }

    /// Parallel connections appear twice: each one, and all together.
    fn is_parallel(&self) -> bool {
        let parallel = |g: &GroupSummary| g.applications > 0 && g.applications < g.flows;
        match self {
            Self::Group(group) => parallel(group),
            Self::All(summary) => summary.groups.iter().any(parallel),
            Self::Background(_) => false,
        }
    }

    /// Fairness needs two: connections, or application flows.
    fn several(&self, applications: bool) -> bool {
        match self {
            Self::Group(group) if applications => group.applications > 1,
            Self::Group(group) => group.flows > 1,
            _ => true,
        }
    }

    fn flows(&self) -> String {
        match self {
            Self::Group(own) if own.applications == 0 => format!("up to {}", own.flows),
            Self::Group(own) if self.is_parallel() => {
                format!("{} x {}", own.applications, own.flows / own.applications)
            }
            Self::Group(own) => own.applications.to_string(),
            Self::All(summary) => {
                let lasting = summary.groups.iter().filter(|group| group.applications > 0);
                lasting.map(|group| group.flows).sum::<u32>().to_string()
            }
            Self::Background(_) => String::new(),
        }
    }
}

/// A row per flow group, per experiment.
pub(super) fn groups(cases: &[Shown<'_>]) -> Table {
    let alone = cases.len() == 1;
    let mut rows = Vec::new();
    for case in cases {
        let summary = case.summary;
        for (g, group) in summary.groups.iter().enumerate().take(MOST) {
            let own = case.group(g, alone);
            rows.push((Some(own.colour), (own.name, Who::Group(group))));
        }
        if summary.groups.len() > 1 {
            let name = if alone { "all".to_owned() } else { format!("{}: all", case.label) };
            rows.push((None, (name, Who::All(summary))));
        }
        for source in summary.background.iter().take(MOST) {
            let case = if alone { String::new() } else { format!("{}: ", case.label) };
            let name = format!("{case}{} (background)", source.name);
            rows.push((None, (name, Who::Background(source))));
        }
    }
    type Row<'a> = (String, Who<'a>);
    let some = |estimate: Option<Estimate>| estimate.filter(|count| count.mean > 0.0);
    let columns = vec![
        Column::text("group", |(name, _): &Row<'_>| name.clone()),
        Column::text("flows", |(_, who): &Row<'_>| who.flows()),
        Column::text("cc", |(_, who): &Row<'_>| match who {
            Who::Group(group) => group.cc.join(", "),
            _ => String::new(),
        }),
        Column::number("throughput", Unit::Rate, |(_, who): &Row<'_>| match who {
            Who::Background(source) => source.measured.throughput_bps,
            who => who.both(|g| g.throughput_bps, |t| t.throughput_bps),
        }),
        Column::number("goodput", Unit::Rate, |(_, who): &Row<'_>| {
            who.both(|g| g.goodput_bps, |t| t.goodput_bps)
        })
        .rank(6),
        Column::number("share of fair rate", Unit::Index, |(_, who): &Row<'_>| {
            who.group(|g| g.fair_share)
        }),
        Column::number("Jain", Unit::Index, |(_, who): &Row<'_>| {
            who.both(|g| g.jain, |t| t.jain).filter(|_| who.several(false))
        })
        .rank(2),
        Column::number("share of fair rate per application", Unit::Index, |(_, who): &Row<'_>| {
            who.group(|g| g.applications_fair_share).filter(|_| who.is_parallel())
        })
        .rank(5),
        Column::number("Jain per application", Unit::Index, |(_, who): &Row<'_>| {
            let jain = who.both(|g| g.applications_jain, |t| t.applications_jain);
            jain.filter(|_| who.is_parallel() && who.several(true))
        })
        .rank(3),
        Column::number("loss", Unit::Probability, |(_, who): &Row<'_>| who.group(|g| g.loss_rate)),
        Column::number("retransmitted", Unit::Count, |(_, who): &Row<'_>| {
            who.both(|g| g.retransmissions, |t| t.retransmissions)
        })
        .rank(8),
        Column::number("timeouts", Unit::Count, |(_, who): &Row<'_>| {
            who.both(|g| g.timeouts, |t| t.timeouts)
        })
        .rank(9),
        Column::number("queueing delay", Unit::Time, |(_, who): &Row<'_>| {
            who.group(|g| g.queueing_delay_mean_s)
        }),
        Column::number("delay p95", Unit::Time, |(_, who): &Row<'_>| {
            who.group(|g| g.queueing_delay_p95_s)
        })
        .rank(4),
        Column::number("completed", Unit::Percent, |(_, who): &Row<'_>| who.group(|g| g.completed)),
        Column::number("completion", Unit::Time, |(_, who): &Row<'_>| {
            who.group(|g| g.completion_mean_s)
        }),
        Column::number("completion p95", Unit::Time, |(_, who): &Row<'_>| {
            who.group(|g| g.completion_p95_s)
        })
        .rank(7),
        Column::number("marked", Unit::Count, move |(_, who): &Row<'_>| {
            some(who.group(|g| g.marked))
        })
        .rank(10),
        Column::number("undone", Unit::Count, move |(_, who): &Row<'_>| {
            some(who.group(|g| g.undone))
        })
        .rank(11),
    ];
    let mut table = columns::table("Flow groups", 1, columns, &rows);
    // what is of groups alone stays blank
    let others = table.rows.iter_mut().zip(&rows);
    for (row, _) in others.filter(|(_, (_, (_, who)))| !matches!(who, Who::Group(_))) {
        row.cells.iter_mut().filter(|cell| **cell == NONE).for_each(|cell| cell.text.clear());
    }
    table
}

/// Connections that come and go: a row per group, then one per class of sizes if there are
/// several; `None` without any.
pub(super) fn transfers(cases: &[Shown<'_>]) -> Option<Table> {
    type Row<'a> = (String, &'static str, &'a Transfers);
    let mut rows: Vec<(Option<usize>, Row<'_>)> = Vec::new();
    for case in cases {
        let before = if cases.len() > 1 { format!("{}: ", case.label) } else { String::new() };
        for own in case.summary.transfers.iter().take(MOST) {
            let groups = &case.summary.groups;
            let group = groups.iter().position(|group| group.name == own.name);
            let colour = group.map(|g| case.group(g, true).colour);
            let name = format!("{before}{}", own.name);
            rows.push((colour, (name.clone(), counted_as(own.kind), &own.measured)));
            for class in own.classes.iter().filter(|_| own.classes.len() > 1) {
                let size = match class.below_bytes {
                    Some(below) => format!("below {}", bytes(below)),
                    None => format!("from {}", bytes(class.from_bytes)),
                };
                rows.push((None, (format!("{name} {size}"), "", &class.measured)));
            }
        }
    }
    let time = |head: &'static str, measure: fn(&Transfers) -> Option<Estimate>| {
        Column::number(head, Unit::Time, move |(.., m): &Row<'_>| measure(m))
    };
    let count = |head: &'static str, measure: fn(&Transfers) -> Option<Estimate>| {
        Column::number(head, Unit::Count, move |(.., m): &Row<'_>| measure(m))
    };
    let columns = vec![
        Column::text("transfers", |(name, ..): &Row<'_>| name.clone()),
        Column::text("kind", |(_, kind, _): &Row<'_>| (*kind).to_owned()),
        count("begun", |m| m.begun).rank(3),
        Column::number("completed", Unit::Percent, |(.., m): &Row<'_>| m.completed),
        Column::text("mean size", |(.., m): &Row<'_>| {
            m.size_mean_bytes.map_or(NONE.to_owned(), |size| bytes(size.mean))
        })
        .rank(4),
        time("mean time", |m| m.time_mean_s),
        time("time p50", |m| m.time_p50_s).rank(2),
        time("time p95", |m| m.time_p95_s).rank(1),
        time("time p99", |m| m.time_p99_s).rank(5),
        time("slowest", |m| m.time_max_s).rank(6),
        count("slowdown", |m| m.slowdown_mean),
        count("slowdown p50", |m| m.slowdown_p50).rank(2),
        count("slowdown p95", |m| m.slowdown_p95).rank(1),
        count("slowdown p99", |m| m.slowdown_p99).rank(5),
    ];
    (!rows.is_empty()).then(|| columns::table("Transfers and pages", 1, columns, &rows))
}

/// What these transfers are called.
pub(super) fn counted_as(kind: TransferKind) -> &'static str {
    match kind {
        TransferKind::Arrivals => "flows",
        TransferKind::Web => "pages",
    }
}

fn bytes(bytes: f64) -> String {
    let (scale, unit) = match bytes {
        b if b >= 999.5e6 => (1e9, "GB"),
        b if b >= 999.5e3 => (1e6, "MB"),
        b if b >= 999.5 => (1e3, "kB"),
        _ => (1.0, "B"),
    };
    format!("{} {unit}", Unit::Count.text(bytes / scale))
}

/// A row per bottleneck, per experiment.
pub(super) fn bottlenecks(cases: &[Shown<'_>]) -> Table {
    type Row<'a> = (String, &'a LinkSummary);
    let mut rows: Vec<(Option<usize>, Row<'_>)> = Vec::new();
    for case in cases {
        let links = case.summary.links.iter().filter(|link| link.bottleneck).take(MOST);
        rows.extend(links.map(|link| match cases.len() {
            1 => (None, (link.name.clone(), link)),
            _ => (None, (format!("{}: {}", case.label, link.name), link)),
        }));
    }
    let number = |head: &'static str, unit: Unit, measure: fn(&Link) -> Option<Estimate>| {
        Column::number(head, unit, move |(_, link): &Row<'_>| measure(&link.measured))
    };
    // of what hardly ever happens there is a column only where it does
    let rare = |head: &'static str, unit: Unit, measure: fn(&Link) -> Option<Estimate>| {
        Column::number(head, unit, move |(_, link): &Row<'_>| {
            measure(&link.measured).filter(|estimate| estimate.mean > 0.0)
        })
    };
    let quantile = |head: &'static str, measure: fn(&Link) -> Option<Estimate>| {
        Column::packets(head, move |(_, link): &Row<'_>| measure(&link.measured))
    };
    let columns = vec![
        Column::text("bottleneck", |(name, _): &Row<'_>| name.clone()),
        Column::text("rate", |(_, link): &Row<'_>| Unit::Rate.text(link.rate_bps)).rank(4),
        Column::text("queue policy", |(_, link): &Row<'_>| link.queue.clone()),
        number("utilisation", Unit::Percent, |m| m.utilisation),
        number("goodput", Unit::Percent, |m| m.goodput_utilisation).rank(8),
        number("idle", Unit::Percent, |m| m.idle).rank(7),
        number("loss", Unit::Probability, |m| m.loss_rate),
        rare("ties", Unit::Count, |m| m.tied).rank(3),
        rare("in step", Unit::Count, |m| m.in_step).rank(3),
        rare("lost on the wire", Unit::Probability, |m| m.wire_loss_rate),
        rare("marked", Unit::Count, |m| m.marked),
        number("queueing delay", Unit::Time, |m| m.queueing_delay_mean_s),
        number("delay p50", Unit::Time, |m| m.queueing_delay_p50_s).rank(6),
        number("delay p95", Unit::Time, |m| m.queueing_delay_p95_s).rank(1),
        number("delay p99", Unit::Time, |m| m.queueing_delay_p99_s).rank(9),
        quantile("mean queue", |m| m.queue_mean_pkt).rank(2),
        quantile("queue p5", |m| m.queue_p5_pkt).rank(10),
        quantile("queue p50", |m| m.queue_p50_pkt).rank(11),
        quantile("queue p95", |m| m.queue_p95_pkt).rank(11),
        quantile("queue p99", |m| m.queue_p99_pkt).rank(11),
        number("synchronisation", Unit::Index, |m| m.synchronisation).rank(5),
    ];
    columns::table("Bottlenecks", 1, columns, &rows)
}

/// Whether packets left on time in real time, a row per replicate, and what the columns mean.
pub(super) fn audits(cases: &[Shown<'_>]) -> Vec<Block> {
    let mut table = Table::new("Whether packets left on time", AUDIT_HEAD).spare(&SPARE_OF_AUDITS);
    for case in cases {
        for mut row in audit_rows(case.summary).into_iter().take(MOST) {
            if cases.len() > 1 {
                row[0] = format!("{}: {}", case.label, row[0]);
            }
            table.row(None, row);
        }
    }
    match table.rows.is_empty() {
        true => Vec::new(),
        false => vec![Block::Table(table), Block::Text(AUDIT_NOTE.to_owned())],
    }
}

/// What the columns on fairness mean.
pub(super) const SHARES: &str = "The share of the fair rate is throughput divided by the max-min \
    fair rate; Jain's index is computed from these shares.";

/// How the results were made: version, seeds, the scenario.
pub(super) fn origin(cases: &[Case<'_>]) -> Vec<Block> {
    let mut all = Vec::new();
    for case in cases {
        let mut blocks = Vec::new();
        let summary = case.summary();
        let seeds: Vec<String> = summary.seeds.iter().map(u64::to_string).collect();
        let seeds = match seeds.as_slice() {
            [first, _, _, .., last] => format!("{first} to {last}"),
            few => few.join(", "),
        };
        let window = &summary.window;
        let execution = &summary.execution;
        let ran = if summary.is_measured() { "On real sockets" } else { "Simulated" };
        let wall = Unit::Time.text(execution.wall_s);
        let took = match summary.is_measured() {
            true => ("It took", wall),
            false => {
                let speed = execution.speed;
                ("It took", format!("{wall}, {speed:.1} times real time"))
            }
        };
        let facts = [
            ("Scenario", summary.scenario.clone()),
            ("Version", format!("tusker {}", stamp(&case.stored.scenario))),
            ("Seeds", seeds),
            ("Replicates", format!("{} of {}", summary.seeds.len(), summary.wanted)),
            (ran, format!("{} s", window.end_s)),
            ("Measured", format!("from {} s to {} s", window.from_s, window.to_s)),
            ("Results in", case.stored.dir.display().to_string()),
            took,
        ];
        blocks.push(Block::Facts(facts.map(|(name, value)| (name.to_owned(), value)).to_vec()));
        let title = "The scenario, with every default filled in".to_owned();
        blocks.push(Block::Fold(title, case.stored.scenario.clone()));
        match cases.len() {
            1 => all.append(&mut blocks),
            _ => all.push(Block::More(case.label.clone(), blocks)),
        }
    }
    all
}

/// The version that the stored scenario names at its head.
fn stamp(scenario: &str) -> &str {
    let rest = scenario.strip_prefix("# expanded by tusker ");
    rest.and_then(|rest| rest.split(';').next()).unwrap_or("of an unknown version")
}

/// As it can be typed into a shell.
pub fn command(words: &[String]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%".contains(c);
    let quoted = words.iter().map(|word| match !word.is_empty() && word.chars().all(plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_can_be_typed_as_it_stands() {
        let words = ["tusker", "run", "a b.toml", "--set", "x={ y = 'z' }"].map(str::to_owned);
        assert_eq!(command(&words), r"tusker run 'a b.toml' --set 'x={ y = '\''z'\'' }'");
    }
}
