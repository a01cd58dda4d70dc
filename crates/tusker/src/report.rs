//! Summaries as tables for people.

#[cfg(all(target_os = "linux", feature = "testbed"))]
mod beside;
mod change;
pub mod lone;
mod rivals;
mod sweep;

use tusker_record::stats::{Estimate, Over};
use tusker_record::summary::{
    AUDIT_HEAD, GROUP_HEAD, GroupSummary, LinkSummary, Summary, TRANSFER_HEAD, audit_rows,
    group_cells, invalid_note, total_cells, transfer_rows,
};
use tusker_record::table::{NONE, Table, Unit};

use crate::screen::{fit, most_rows, prose};

#[cfg(all(target_os = "linux", feature = "testbed"))]
pub use beside::beside;
pub use change::change;
pub use rivals::harm;
pub use sweep::{Setting, place, sweep};

/// One experiment: a row per group, a row per bottleneck.
pub fn run(summary: &Summary) -> String {
    let mut groups = Table::new(GROUP_HEAD)
        .bold_head()
        .spare(SPARE_OF_GROUPS)
        .never_without("goodput", ["retransmitted", "timeouts"]);
    for group in summary.groups.iter().take(most_rows()) {
        groups.row([group.name.clone()].into_iter().chain(group_cells(group)));
    }
    if summary.groups.len() > 1 {
        groups.row(["all".to_owned()].into_iter().chain(total_cells(summary)));
    }
    for source in summary.background.iter().take(most_rows()) {
        groups.row([
            source.name.as_str(),
            "",
            "",
            &Unit::Rate.estimate(source.measured.throughput_bps),
        ]);
    }
    groups.drop_empty_columns();
    let bottlenecks = summary.links.iter().filter(|link| link.bottleneck).count();
    let mut tables = fit(&groups);
    tables += &rest(summary.groups.len(), "groups");
    tables += &rest(summary.background.len(), "background sources");
    let rows = transfer_rows(summary);
    if !rows.is_empty() {
        let mut transfers = Table::new(TRANSFER_HEAD).bold_head().spare(SPARE_OF_TRANSFERS);
        rows.iter().take(most_rows()).for_each(|row| transfers.row(row.clone()));
        transfers.drop_empty_columns();
        tables += &format!("\n{}{}", fit(&transfers), rest(rows.len(), "rows of transfers"));
    }
    tables += &format!("\n{}{}", fit(&links(summary)), rest(bottlenecks, "bottlenecks"));
    let kept = audit_rows(summary);
    if !kept.is_empty() {
        let mut table = Table::new(AUDIT_HEAD).bold_head().spare(SPARE_OF_AUDITS);
        kept.iter().take(most_rows()).for_each(|row| table.row(row.clone()));
        tables += &format!("\n{}{}", fit(&table), rest(kept.len(), "replicates"));
    }
    let invalid = invalid_note(summary).map_or(String::new(), |note| prose(&note) + "\n");
    let heading = prose(&format!("{}: {}", summary.scenario, heading(summary, &tables)));
    format!("{heading}\n{invalid}\n{tables}")
}

/// What is left out first where there is not enough room, the least important first.
const SPARE_OF_GROUPS: [&str; 9] = [
    "timeouts",
    "RTT p50",
    "retransmitted",
    "p95",
    "goodput",
    "share of fair rate per application",
    "RTT p95",
    "Jain per application",
    "Jain",
];
const SPARE_OF_TRANSFERS: [&str; 6] = ["p99", "slowest", "mean size", "p50", "begun", "p95"];
const SPARE_OF_LINKS: [&str; 9] =
    ["p5", "p99", "goodput", "idle", "p50", "synchronisation", "in step", "ties", "p95"];
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
const SPARE_OF_COMPARISONS: [&str; 12] = [
    "timeouts",
    "RTT p50",
    "ties",
    "in step",
    "retransmitted",
    "Jain per application",
    "per application",
    "its throughput",
    "mean queue",
    "RTT p95",
    "Jain",
    "utilisation",
];

/// What a table leaves out on a terminal.
fn rest(all: usize, what: &str) -> String {
    match all.saturating_sub(most_rows()) {
        0 => String::new(),
        more => format!("and {more} more {what}; a file or a pipe (| less -S) gets all\n"),
    }
}

fn links(summary: &Summary) -> Table {
    let mut table = Table::new([
        "bottleneck",
        "queue",
        "utilisation",
        "goodput",
        "idle",
        "loss",
        "ties",
        "in step",
        "lost on the wire",
        "marked",
        "mean queue",
        "p5",
        "p50",
        "p95",
        "p99",
        "synchronisation",
    ])
    .bold_head()
    .spare(SPARE_OF_LINKS);
    for link in summary.links.iter().filter(|link| link.bottleneck).take(most_rows()) {
        let m = &link.measured;
        let marked = m.marked.filter(|marked| marked.mean > 0.0);
        let on_the_wire = m.wire_loss_rate.filter(|lost| lost.mean > 0.0);
        table.row([
            link.name.clone(),
            link.queue.clone(),
            Unit::Percent.estimate(m.utilisation),
            Unit::Percent.estimate(m.goodput_utilisation),
            Unit::Percent.estimate(m.idle),
            Unit::Probability.estimate(m.loss_rate),
            Unit::Count.estimate(ties(link)),
            Unit::Count.estimate(in_step(link)),
            Unit::Probability.estimate(on_the_wire),
            Unit::Count.estimate(marked),
            format!("{} pkt", Unit::Count.estimate(m.queue_mean_pkt)),
            Unit::Count.estimate(m.queue_p5_pkt),
            Unit::Count.estimate(m.queue_p50_pkt),
            Unit::Count.estimate(m.queue_p95_pkt),
            Unit::Count.estimate(m.queue_p99_pkt),
            Unit::Index.estimate(m.synchronisation),
        ]);
    }
    table.drop_empty_columns();
    table
}

/// Several experiments: a row each. `paths` says what their paths differ in, and
/// `values` those values of each.
pub fn compare(summaries: &[Summary], paths: &[&str], values: &[Vec<String>]) -> String {
    let rivals = summaries.iter().any(|summary| summary.groups.len() > 1);
    let several = |group: &GroupSummary| group.applications < group.flows;
    let parallel = summaries.iter().any(|summary| summary.groups.iter().any(several));
    let mut head = vec!["cc"];
    head.extend(paths);
    head.push("throughput");
    if rivals {
        head.extend(["against", "its throughput", "its share of fair rate"]);
        if parallel {
            head.push("per application");
        }
    }
    head.extend(["utilisation", "Jain"]);
    if parallel {
        head.push("Jain per application");
    }
    // two kinds of loss, where there are two
    let on_the_wire = |s: &Summary| s.total.wire_loss_rate.is_some_and(|lost| lost.mean > 0.0);
    let on_the_wire = summaries.iter().any(on_the_wire);
    if on_the_wire {
        head.extend(["lost in the queue", "lost on the wire"]);
    } else {
        head.push("loss");
    }
    let any = |what: fn(&LinkSummary) -> Option<Estimate>| {
        summaries.iter().any(|summary| bottleneck(summary).and_then(what).is_some())
    };
    let some_marked =
        summaries.iter().any(|s| s.total.mark_rate.is_some_and(|marked| marked.mean > 0.0));
    head.extend(some_marked.then_some("marked"));
    let (some_tied, some_in_step) = (any(ties), any(in_step));
    head.extend(some_tied.then_some("ties"));
    head.extend(some_in_step.then_some("in step"));
    head.extend(["retransmitted", "timeouts", "mean queue", "RTT p50", "RTT p95"]);
    let table = Table::new(head).bold_head().keys(1 + paths.len()).spare(SPARE_OF_COMPARISONS);
    let mut table = table.never_without("its throughput", ["retransmitted", "timeouts"]);
    // one unit per column
    let of = |unit: Unit, group: usize, what: fn(&GroupSummary) -> Option<Estimate>| {
        unit.of(summaries.iter().map(|summary| summary.groups.get(group).and_then(what)))
    };
    let throughput = of(Unit::Rate, 0, |group| group.measured.throughput_bps);
    let its_throughput = of(Unit::Rate, 1, |group| group.measured.throughput_bps);
    let rtt_p50 = of(Unit::Time, 0, |group| group.measured.rtt_p50_s);
    let rtt_p95 = of(Unit::Time, 0, |group| group.measured.rtt_p95_s);
    for (summary, values) in summaries.iter().zip(values) {
        let (group, total) = (&summary.groups[0], &summary.total);
        let mut row = vec![group.name.clone()];
        row.extend(values.clone());
        row.push(throughput.estimate(group.measured.throughput_bps));
        if let Some(rival) = summary.groups.get(1) {
            row.push(rival.name.clone());
            row.push(its_throughput.estimate(rival.measured.throughput_bps));
            row.push(Unit::Index.estimate(rival.measured.fair_share));
            if parallel {
                row.push(Unit::Index.estimate(rival.measured.applications_fair_share));
            }
        }
        row.extend([Unit::Percent.estimate(total.utilisation), Unit::Index.estimate(total.jain)]);
        if parallel {
            row.push(Unit::Index.estimate(total.applications_jain));
        }
        row.push(Unit::Probability.estimate(total.loss_rate));
        if on_the_wire {
            row.push(Unit::Probability.estimate(total.wire_loss_rate));
        }
        if some_marked {
            row.push(Unit::Probability.estimate(total.mark_rate));
        }
        if some_tied {
            row.push(Unit::Count.estimate(bottleneck(summary).and_then(|link| link.measured.tied)));
        }
        if some_in_step {
            let in_step = bottleneck(summary).and_then(|link| link.measured.in_step);
            row.push(Unit::Count.estimate(in_step));
        }
        row.extend([
            Unit::Count.estimate(total.retransmissions),
            Unit::Count.estimate(total.timeouts),
            bottleneck(summary).map_or(NONE.to_owned(), |link| {
                format!("{} pkt", Unit::Count.estimate(link.measured.queue_mean_pkt))
            }),
            rtt_p50.estimate(group.measured.rtt_p50_s),
            rtt_p95.estimate(group.measured.rtt_p95_s),
        ]);
        table.row(row);
    }
    let table = fit(&table);
    let heading = summaries.first().map_or_else(String::new, |first| heading(first, &table));
    format!("{heading}\n\n{table}")
}

/// The seeds of some runs; `None` without a run.
pub fn seeds(seeds: &[u64]) -> Option<String> {
    match seeds {
        [] => None,
        [seed] => Some(format!("seed {seed}")),
        [first, .., last] => Some(format!("seeds {first} to {last}")),
    }
}

/// What was measured, and what the intervals in the table mean.
fn heading(summary: &Summary, table: &str) -> String {
    let window = &summary.window;
    let measured = format!("measured from {} s to {} s", window.from_s, window.to_s);
    let runs = match (seeds(&summary.seeds), summary.seeds.len()) {
        (None, _) => "no run finished".to_owned(),
        (Some(seed), 1) => format!("one run, {seed}"),
        (Some(seeds), count) => format!("means of {count} replicates, {seeds}"),
    };
    let over = summary.total.goodput_bps.map(|estimate| (estimate.n, estimate.over));
    let interval = match over {
        _ if !table.contains('±') => String::new(),
        // goodput and utilisation are counted by batch, the rest over the whole window
        Some((n, Over::Batches)) => format!(
            "; ±: 95 % confidence over {n} batches of the run; some columns have none (--replicates 4 gives ± to all)"
        ),
        _ => "; ±: 95 % confidence over replicates (Student's t)".to_owned(),
    };
    let plane = if summary.is_measured() { ", on real sockets" } else { "" };
    prose(&format!("{measured}; {runs}{plane}{interval}"))
}

/// How fast it went, for stderr.
pub fn speed(summaries: &[Summary]) -> String {
    let wall: f64 = summaries.iter().map(|s| s.execution.wall_s).sum();
    let simulated: f64 = summaries.iter().map(|s| s.execution.speed * s.execution.wall_s).sum();
    let segments: f64 =
        summaries.iter().map(|s| s.execution.segments_per_s * s.execution.wall_s).sum();
    let per_second = |amount: f64| if wall > 0.0 { amount / wall } else { 0.0 };
    let several = summaries.iter().map(|s| s.seeds.len()).sum::<usize>() > 1;
    let took = match several {
        true => format!("runs of {wall:.1} s altogether"),
        false => format!("{wall:.1} s"),
    };
    format!(
        "{simulated:.0} s simulated in {took}: {:.1} x real time, {:.2} million segments/s",
        per_second(simulated),
        per_second(segments) / 1e6
    )
}

/// Several summaries as one JSON array.
pub fn json(summaries: &[Summary]) -> String {
    let all: Vec<String> = summaries.iter().map(|summary| summary.to_json()).collect();
    let all: Vec<&str> = all.iter().map(|text| text.trim_end()).collect();
    format!("[{}]\n", all.join(",\n"))
}

fn bottleneck(summary: &Summary) -> Option<&LinkSummary> {
    summary.links.iter().find(|link| link.bottleneck)
}

/// Drops that the order of two events decided, if there are any.
fn ties(link: &LinkSummary) -> Option<Estimate> {
    link.measured.tied.filter(|tied| tied.mean > 0.0)
}

/// Drops that a beat decided, if there are any.
fn in_step(link: &LinkSummary) -> Option<Estimate> {
    link.measured.in_step.filter(|in_step| in_step.mean > 0.0)
}
