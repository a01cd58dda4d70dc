//! The texts and tables of the page.

use tusker_record::stats::{Estimate, Over};
use tusker_record::summary::{
    AUDIT_HEAD, AUDIT_NOTE, GROUP_HEAD, TRANSFER_HEAD, audit_rows, group_cells, total_cells,
    transfer_rows,
};
use tusker_record::table::{NONE, Unit};

use super::Case;
use crate::page::{Block, Table};

/// Rows of a table, at most: the page is for people.
const MOST: usize = 200;

/// One sentence: what this page is about.
pub(super) fn lead(cases: &[Case<'_>]) -> String {
    let summary = cases[0].summary();
    let window = &summary.window;
    let seeds: usize = cases.iter().map(|case| case.summary().seeds.len()).sum();
    let runs = match (cases.len(), summary.seeds.as_slice()) {
        (1, [seed]) => format!("one run, seed {seed}"),
        (1, [first, .., last]) => format!("{seeds} replicates, seeds {first} to {last}"),
        (n, _) => format!("{n} experiments, {seeds} runs together"),
    };
    let same = cases.iter().all(|case| case.summary().window == *window);
    let measured = match same {
        true => format!(", measured from {} s to {} s", window.from_s, window.to_s),
        false => String::new(),
    };
    let real = cases.iter().filter(|case| case.summary().is_measured()).count();
    let plane = match real {
        0 => String::new(),
        n if n == cases.len() => ", on real sockets".to_owned(),
        n => format!(", {n} of them on real sockets"),
    };
    format!("{runs}{measured}{plane}")
}

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

/// A row per flow group, per experiment.
pub(super) fn groups(cases: &[Case<'_>]) -> Table {
    let mut head = GROUP_HEAD;
    head[2] = "congestion control";
    // what a terminal has no room for; without marks and undone reductions the columns go
    let head = head.into_iter().chain(["marked", "undone"]);
    let some = |count: Option<Estimate>| Unit::Count.estimate(count.filter(|n| n.mean > 0.0));
    let mut table = Table::new("Flow groups", head);
    let alone = cases.len() == 1;
    for case in cases {
        let summary = case.summary();
        for (g, group) in summary.groups.iter().enumerate().take(MOST) {
            let name = case.group(g, alone);
            let m = &group.measured;
            let more = [some(m.marked), some(m.undone)];
            let cells = group_cells(group).into_iter().chain(more);
            table.row(Some(name.colour), [name.name].into_iter().chain(cells));
        }
        if summary.groups.len() > 1 {
            let name = if alone { "all".to_owned() } else { format!("{}: all", case.label) };
            table.row(None, [name].into_iter().chain(total_cells(summary)));
        }
        for source in summary.background.iter().take(MOST) {
            let name = if alone { String::new() } else { format!("{}: ", case.label) };
            let rate = Unit::Rate.estimate(source.measured.throughput_bps);
            let name = format!("{name}{} (background)", source.name);
            table.row(None, [name, String::new(), String::new(), rate]);
        }
    }
    table.drop_empty_columns();
    table
}

/// Connections that come and go: a row per group and per class of sizes.
pub(super) fn transfers(cases: &[Case<'_>]) -> Option<Table> {
    let mut table = Table::new("Transfers and pages", TRANSFER_HEAD);
    let mut any = false;
    for case in cases {
        let rows = transfer_rows(case.summary());
        any |= !rows.is_empty();
        for mut row in rows.into_iter().take(MOST) {
            if cases.len() > 1 {
                row[0] = format!("{}: {}", case.label, row[0]);
            }
            let groups = &case.stored.plan.groups;
            let group = groups.iter().position(|group| *group == row[0]);
            table.row(group.map(|g| case.group(g, true).colour), row);
        }
    }
    table.drop_empty_columns();
    any.then_some(table)
}

/// A row per bottleneck, per experiment.
pub(super) fn bottlenecks(cases: &[Case<'_>]) -> Table {
    let head = [
        "bottleneck",
        "rate",
        "queue policy",
        "utilisation",
        "goodput",
        "idle",
        "loss",
        "ties",
        "in step",
        "marked",
        "mean queue",
        "p5",
        "p50",
        "p95",
        "p99",
        "synchronisation",
    ];
    let mut table = Table::new("Bottlenecks", head);
    for case in cases {
        let links = case.summary().links.iter().filter(|link| link.bottleneck).take(MOST);
        for link in links {
            let m = &link.measured;
            let name = match cases.len() {
                1 => link.name.clone(),
                _ => format!("{}: {}", case.label, link.name),
            };
            let packets = |estimate: Option<Estimate>| match estimate {
                Some(_) => format!("{} pkt", Unit::Count.estimate(estimate)),
                None => NONE.to_owned(),
            };
            let quantile = |estimate: Option<Estimate>| {
                estimate.map_or(NONE.to_owned(), |e| Unit::Count.text(e.mean))
            };
            table.row(
                None,
                [
                    name,
                    Unit::Rate.text(link.rate_bps),
                    link.queue.clone(),
                    Unit::Percent.estimate(m.utilisation),
                    Unit::Percent.estimate(m.goodput_utilisation),
                    Unit::Percent.estimate(m.idle),
                    Unit::Probability.estimate(m.loss_rate),
                    Unit::Count.estimate(m.tied.filter(|tied| tied.mean > 0.0)),
                    Unit::Count.estimate(m.in_step.filter(|in_step| in_step.mean > 0.0)),
                    Unit::Count.estimate(m.marked.filter(|marked| marked.mean > 0.0)),
                    packets(m.queue_mean_pkt),
                    quantile(m.queue_p5_pkt),
                    quantile(m.queue_p50_pkt),
                    quantile(m.queue_p95_pkt),
                    quantile(m.queue_p99_pkt),
                    Unit::Index.estimate(m.synchronisation),
                ],
            );
        }
    }
    table.drop_empty_columns();
    table
}

/// Whether packets left on time in real time, a row per replicate, and what the columns mean.
pub(super) fn audits(cases: &[Case<'_>]) -> Vec<Block> {
    let mut table = Table::new("Whether packets left on time", AUDIT_HEAD);
    for case in cases {
        for mut row in audit_rows(case.summary()).into_iter().take(MOST) {
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

/// What the intervals in the tables mean.
pub(super) fn intervals(cases: &[Case<'_>]) -> String {
    let over = cases[0].summary().total.goodput_bps.map(|estimate| (estimate.n, estimate.over));
    let meaning = match over {
        Some((n, Over::Batches)) => format!(
            "± is half of the 95 % confidence interval over {n} batches of the measuring window. \
             One run has no interval of the other measures: --replicates gives them."
        ),
        _ => "± is half of the 95 % confidence interval over replicates (Student's t).".to_owned(),
    };
    format!(
        "{meaning} The share of the fair rate is throughput divided by the max-min fair rate; \
         Jain's index is computed from these shares."
    )
}

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
