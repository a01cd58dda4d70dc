//! The texts and tables of the page.

use tusker_measure::stats::Estimate;
use tusker_measure::summary::{
    AUDIT_HEAD, AUDIT_NOTE, BackgroundSummary, Entry, Group, GroupSummary, Link, LinkSummary,
    Summary, TransferKind, Transfers, audit_rows,
};
use tusker_measure::table::{NONE, Unit};
use tusker_store::SCENARIO;

use super::{Case, Shown};
use crate::columns::{self, Column};
use crate::page::{Block, Live, Table};

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
    /// A measure of a group, as far as this has it, too.
    fn value(&self, name: &str) -> Option<Estimate> {
        let value = match self {
            Self::Group(group) => group.measured.named(name),
            Self::All(summary) => summary.total.named(name),
            Self::Background(source) if name == "throughput_bps" => source.measured.throughput_bps,
            Self::Background(_) => None,
        };
        let told = match name {
            "jain" => self.several(false),
            "applications_jain" => self.is_parallel() && self.several(true),
            "applications_fair_share" => self.is_parallel(),
            "loss_rate" => matches!(self, Self::Group(_)),
            _ => true,
        };
        value.filter(|_| told)
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
    let mut columns = vec![
        Column::text("group", |(name, _): &Row<'_>| name.clone()),
        Column::text("flows", |(_, who): &Row<'_>| who.flows()),
        Column::text("cc", |(_, who): &Row<'_>| match who {
            Who::Group(group) => group.cc.join(", "),
            _ => String::new(),
        }),
    ];
    columns.extend(measures(Group::ENTRIES, |(_, who): &Row<'_>, name| who.value(name)));
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
                    Some(below) => format!("below {}", Unit::Bytes.text(below)),
                    None => format!("from {}", Unit::Bytes.text(class.from_bytes)),
                };
                rows.push((None, (format!("{name} {size}"), "", &class.measured)));
            }
        }
    }
    let mut columns = vec![
        Column::text("transfers", |(name, ..): &Row<'_>| name.clone()),
        Column::text("kind", |(_, kind, _): &Row<'_>| (*kind).to_owned()),
    ];
    columns.extend(measures(Transfers::ENTRIES, |(.., own): &Row<'_>, name| own.named(name)));
    (!rows.is_empty()).then(|| columns::table("Transfers and pages", 1, columns, &rows))
}

/// What these transfers are called.
pub(super) fn counted_as(kind: TransferKind) -> &'static str {
    match kind {
        TransferKind::Arrivals => "flows",
        TransferKind::Web => "pages",
    }
}

/// The columns of the measures that tables have.
fn measures<'a, T: 'a>(
    entries: &'static [Entry],
    value: impl Fn(&T, &str) -> Option<Estimate> + Copy + 'a,
) -> impl Iterator<Item = Column<'a, T>> {
    let there = entries.iter().filter(|entry| entry.rank.is_some());
    there.map(move |entry| Column::measure(entry, move |row: &T| value(row, entry.name)))
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
    let mut columns = vec![
        Column::text("bottleneck", |(name, _): &Row<'_>| name.clone()),
        Column::text("rate", |(_, link): &Row<'_>| Unit::Rate.text(link.rate_bps)).rank(4),
        Column::text("queue policy", |(_, link): &Row<'_>| link.queue.clone()),
    ];
    let value = |(_, link): &Row<'_>, name: &str| link.measured.named(name);
    columns.extend(measures(Link::ENTRIES, value));
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
        let file = format!("{}/{SCENARIO}", case.stored.dir.display());
        blocks.push(Block::Live(Live {
            scenario: case.stored.scenario.clone(),
            command: command(&["tusker", "run", &file, "--open"].map(str::to_owned)),
            page: None,
        }));
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
