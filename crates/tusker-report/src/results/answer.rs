//! The pages of one experiment and of several: the answer, its table, and the other tables.

use tusker_measure::stats::{Estimate, Over};
use tusker_measure::summary::{
    Group, Harm, Link, LinkSummary, PLANES_HEAD, Summary, Total, invalid_note, nothing_note,
    on_planes, phase_note, waiting_note,
};
use tusker_measure::table::{Unit, counted};
use tusker_store::harm;

use super::contest::{Comparison, narrow, winners};
use super::{Shown, harm as harms, looks, tables};
use crate::columns::{self, Column, has_interval};
use crate::page::{Block, Line, Page, Span, Table};

/// Bottlenecks and groups of transfers that the answer names, at most.
const NAMED: usize = 3;

/// What an experiment gave.
pub fn of_run(summary: &Summary) -> Page {
    let shown = [shown(summary)];
    let (main, _) = main_table(&shown);
    let mut page = Page {
        title: summary.scenario.clone(),
        lead: format!("{}: {}", summary.scenario, lead(summary, Some(&main))),
        answer: answer(summary),
        table: Some(main),
        ..Page::default()
    };
    page.section("Results", rest(&shown));
    for note in doubts(summary) {
        page.doubt(note);
    }
    page
}

/// What was simulated of a scenario beside what was measured of it.
pub fn of_planes(simulated: &Summary, measured: &Summary) -> Page {
    let mut page = of_run(measured);
    let mut table = Table::new("Simulated and measured", PLANES_HEAD);
    for row in on_planes(simulated, measured) {
        table.row(None, row.cells());
    }
    let groups = page.table.replace(table);
    let blocks = page.sections.iter_mut().map(|section| &mut section.blocks).next();
    blocks
        .into_iter()
        .for_each(|blocks| blocks.splice(..0, groups.clone().map(Block::Table)).for_each(drop));
    page
}

/// What the columns on harm are.
const HARM: &str = "; harm: share of their goodput that the flows of `against` lose beside those of \
    `cc`; by its own: the same beside flows of their own congestion control";

/// A comparison.
pub fn of_comparison(comparison: Comparison<'_>) -> Page {
    let Comparison { summaries, .. } = comparison;
    let table = compared(comparison);
    let mut lead = summaries.first().map_or_else(String::new, |first| lead(first, Some(&table)));
    if summaries.iter().any(|own| own.groups.last().is_some_and(|group| group.harm.is_some())) {
        lead += HARM;
    }
    let mut page = Page {
        title: "A comparison".to_owned(),
        lead,
        answer: winners(comparison),
        table: Some(table),
        ..Page::default()
    };
    page.sections.extend(harms::section(&harm::of(summaries)));
    let shown: Vec<Shown<'_>> = summaries.iter().map(shown).collect();
    let (groups, _) = main_table(&shown);
    let mut blocks = vec![Block::Table(groups)];
    blocks.extend(rest(&shown));
    page.section("Results", blocks);
    page
}

fn shown(summary: &Summary) -> Shown<'_> {
    let looks = looks([summary]).remove(0);
    Shown { summary, label: summary.scenario.clone(), looks }
}

/// The table of flow groups; where all connections come and go, that of transfers. And whether
/// it is the latter.
pub(super) fn main_table(cases: &[Shown<'_>]) -> (Table, bool) {
    let mut groups = cases.iter().flat_map(|case| &case.summary.groups);
    let lasting = groups.any(|group| group.applications > 0);
    match tables::transfers(cases).filter(|_| !lasting) {
        Some(transfers) => (transfers, true),
        None => (tables::groups(cases), false),
    }
}

/// All other tables.
pub(super) fn rest(cases: &[Shown<'_>]) -> Vec<Block> {
    let (_, is_transfers) = main_table(cases);
    let other = match is_transfers {
        true => Some(tables::groups(cases)),
        false => tables::transfers(cases),
    };
    let mut blocks: Vec<Block> = other.map(Block::Table).into_iter().collect();
    blocks.push(Block::Table(tables::bottlenecks(cases)));
    blocks.push(Block::Text(tables::SHARES.to_owned()));
    blocks.extend(tables::audits(cases));
    blocks
}

/// What makes the results of an experiment doubtful, whatever they are.
pub(super) fn doubts(summary: &Summary) -> Vec<String> {
    let phase = phase_note(std::slice::from_ref(summary));
    [nothing_note(summary), waiting_note(summary), phase].into_iter().flatten().collect()
}

/// The bottlenecks, fairness and transfers of an experiment.
pub(super) fn answer(summary: &Summary) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    lines.extend(invalid_note(summary).map(|note| vec![Span::bad(note)]));
    let bottlenecks = summary.links.iter().filter(|link| link.bottleneck);
    lines.extend(bottlenecks.clone().take(NAMED).map(bottleneck));
    let more = bottlenecks.count().saturating_sub(NAMED);
    if more > 0 {
        lines.push(vec![Span::muted(format!("and {}", counted(more as u128, "more bottleneck")))]);
    }
    let flows =
        summary.groups.iter().map(|group| if group.applications > 0 { group.flows } else { 0 });
    let flows: u32 = flows.sum();
    if let (2.., Some(jain)) = (flows, summary.total.jain) {
        let jain = Unit::Index.estimate(Some(jain));
        lines.push(vec![
            Span::strong("fairness"),
            format!(": Jain's index {jain} over {flows} flows").into(),
        ]);
    }
    for own in summary.transfers.iter().take(NAMED) {
        let m = &own.measured;
        let (begun, kind) = (Unit::Count.estimate(m.begun), tables::counted_as(own.kind));
        let parts = [
            (Unit::Percent, " completed", "", m.completed),
            (Unit::Time, "", "mean time ", m.time_mean_s),
            (Unit::Time, "", "p95 ", m.time_p95_s),
        ];
        let parts = parts.into_iter().filter_map(|(unit, behind, before, estimate)| {
            estimate.map(|own| format!(", {before}{}{behind}", unit.estimate(Some(own))))
        });
        let text = format!(": {begun} {kind}{}", parts.collect::<String>());
        lines.push(vec![Span::strong(own.name.clone()), text.into()]);
    }
    lines
}

/// `R1->R2 (100.0 Mbit/s, droptail): utilisation 96 ± 2 %, loss 0.01 %, queueing delay 4 ms, p95
/// 9 ms`.
fn bottleneck(link: &LinkSummary) -> Line {
    let m = &link.measured;
    let parts = [
        ("utilisation", Unit::Percent, m.utilisation),
        ("loss", Unit::Probability, m.loss_rate),
        ("queueing delay", Unit::Time, m.queueing_delay_mean_s),
        ("p95", Unit::Time, m.queueing_delay_p95_s),
    ];
    let parts = parts.into_iter().filter_map(|(name, unit, estimate)| {
        estimate.map(|own| format!("{name} {}", unit.estimate(Some(own))))
    });
    let (rate, queue) = (Unit::Rate.text(link.rate_bps), &link.queue);
    let text = format!(" ({rate}, {queue}): {}", parts.collect::<Vec<_>>().join(", "));
    vec![Span::strong(link.name.clone()), text.into()]
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
pub(super) fn lead(summary: &Summary, table: Option<&Table>) -> String {
    let window = &summary.window;
    let measured = format!("measured from {} s to {} s", window.from_s, window.to_s);
    let runs = match (seeds(&summary.seeds), summary.seeds.len()) {
        (None, _) => "no run finished".to_owned(),
        (Some(seed), 1) => format!("one run, {seed}"),
        (Some(seeds), count) => format!("means of {count} replicates, {seeds}"),
    };
    let plane = if summary.is_measured() { ", on real sockets" } else { "" };
    let own = summary.total.goodput_bps.is_some_and(has_interval);
    let any = own || table.is_some_and(|table| table.intervals);
    let interval = if any { format!("; {}", interval(summary)) } else { String::new() };
    format!("{measured}; {runs}{plane}{interval}")
}

/// One sentence: what this page is about.
pub(super) fn lead_of_all(cases: &[Shown<'_>]) -> String {
    if let [case] = cases {
        return lead(case.summary, None);
    }
    let summary = cases[0].summary;
    let window = &summary.window;
    let seeds: usize = cases.iter().map(|case| case.summary.seeds.len()).sum();
    let runs = format!("{} experiments, {seeds} runs together", cases.len());
    let same = cases.iter().all(|case| case.summary.window == *window);
    let measured = match same {
        true => format!(", measured from {} s to {} s", window.from_s, window.to_s),
        false => String::new(),
    };
    let real = cases.iter().filter(|case| case.summary.is_measured()).count();
    let plane = match real {
        0 => String::new(),
        n if n == cases.len() => ", on real sockets".to_owned(),
        n => format!(", {n} of them on real sockets"),
    };
    let interval = match summary.total.goodput_bps.is_some_and(has_interval) {
        true => format!("; {}", interval(summary)),
        false => String::new(),
    };
    format!("{runs}{measured}{plane}{interval}")
}

/// What ± means.
fn interval(summary: &Summary) -> String {
    match summary.total.goodput_bps {
        // goodput and utilisation are counted by batch, the rest over the whole window
        Some(Estimate { n, over: Over::Batches, .. }) => format!(
            "±: 95 % confidence over {n} batches of the run; some columns have none (--replicates 4 \
             gives ± to all)"
        ),
        _ => "±: 95 % confidence over replicates (Student's t)".to_owned(),
    }
}

/// A row per experiment.
pub(super) fn compared(comparison: Comparison<'_>) -> Table {
    type Row<'a> = (&'a Summary, &'a [String]);
    let Comparison { summaries, heads, values } = comparison;
    let rows: Vec<(Option<usize>, Row<'_>)> = summaries
        .iter()
        .zip(values)
        .map(|(summary, values)| (looks([summary])[0].first().copied(), (summary, &values[..])))
        .collect();
    let several = |group: &tusker_measure::summary::GroupSummary| group.applications < group.flows;
    let parallel = summaries.iter().any(|summary| summary.groups.iter().any(several));
    let shared =
        summaries.iter().any(|s| s.groups.iter().map(|group| group.flows).sum::<u32>() > 1);
    // two kinds of loss, where there are two
    let some = |estimate: Option<Estimate>| estimate.is_some_and(|own| own.mean > 0.0);
    let on_the_wire = summaries.iter().any(|summary| some(summary.total.wire_loss_rate));
    let loss = if on_the_wire { "lost in the queue" } else { "loss" };
    let group = |at: usize, name: &'static str| {
        let value = move |(summary, _): &Row<'_>| summary.groups.get(at)?.measured.named(name);
        Column::measure(Group::entry(name), value)
    };
    let harm = |name: &'static str| {
        let value = |(summary, _): &Row<'_>| summary.groups.last()?.harm.as_ref()?.named(name);
        Column::measure(Harm::entry(name), value)
    };
    let link = |name: &'static str| {
        let value = |(summary, _): &Row<'_>| narrow(summary)?.measured.named(name);
        Column::measure(Link::entry(name), value)
    };
    let total = |name: &'static str| {
        let value = |(summary, _): &Row<'_>| summary.total.named(name);
        Column::measure(Total::entry(name), value)
    };
    let mut columns =
        vec![Column::text("cc", |(summary, _): &Row<'_>| summary.groups[0].name.clone())];
    for (nth, head) in heads.iter().enumerate() {
        columns.push(Column::text(*head, move |(_, values): &Row<'_>| values[nth].clone()));
    }
    let against = |(summary, _): &Row<'_>| {
        summary.groups.get(1).map_or_else(String::new, |rival| rival.name.clone())
    };
    let all = [
        Some(group(0, "throughput_bps")),
        Some(Column::text("against", against)),
        Some(group(1, "throughput_bps").head("its throughput").rank(4)),
        Some(group(1, "fair_share").head("its share of fair rate")),
        Some(harm("harm_goodput")),
        Some(harm("harm_goodput_own").head("by its own")),
        parallel.then(|| group(1, "applications_fair_share").head("per application")),
        Some(total("utilisation")),
        shared.then(|| total("jain")),
        parallel.then(|| total("applications_jain")),
        Some(total("loss_rate").head(loss)),
        on_the_wire.then(|| total("wire_loss_rate")),
        Some(total("mark_rate")),
        Some(link("tied").rank(9)),
        Some(link("in_step").rank(8)),
        Some(total("retransmissions")),
        Some(total("timeouts")),
        Some(link("queueing_delay_mean_s").rank(1)),
        Some(link("queueing_delay_p95_s").rank(2)),
        Some(link("queue_mean_pkt").rank(8)),
    ];
    columns.extend(all.into_iter().flatten());
    columns::table("Comparison", 1 + heads.len(), columns, &rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::contest::tests::{group, of, of_groups};
    use crate::terminal::{self, Terminal};

    #[test]
    fn a_run_is_told_by_its_bottleneck_and_a_row_for_each_group() {
        let page = of_run(&of_groups(&[group("reno", 36e6), group("cubic", 60e6)], 0.96, 0.02));
        let terminal = Terminal { columns: Some(100), ..Terminal::default() };
        let text = terminal::text(&page, &terminal).replace("\u{fdd0}[1m", "");
        let text = text.replace("\u{fdd0}[2m", "").replace("\u{fdd0}[0m", "");
        let expected = "\
R1->R2 (100.0 Mbit/s, droptail): utilisation 96.0 ± 2.0 %, loss 0.010 %, queueing delay 4.000 ms,
p95 9.000 ms
fairness: Jain's index 0.980 over 4 flows
e: measured from 10 s to 20 s; one run, seed 1; ±: 95 % confidence over 20 batches of the run; some
columns have none (--replicates 4 gives ± to all)

group  flows     cc    throughput            goodput   Jain  queueing delay  delay p95
reno       2   reno  36.00 Mbit/s                  -      -        12.00 ms   20.00 ms
cubic      2  cubic  60.00 Mbit/s                  -      -        12.00 ms   20.00 ms
all        4         96.00 Mbit/s  90.0 ± 1.0 Mbit/s  0.980
1 column hidden (retransmitted); --wide shows all
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_comparison_has_queueing_delays_and_drops_the_queue_where_both_do_not_fit() {
        let all = [of("reno", 0.96, 0.02), of("hstcp", 0.99, 0.001)];
        let values = [Vec::new(), Vec::new()];
        let page = of_comparison(Comparison { summaries: &all, heads: &[], values: &values });
        let table = page.table.unwrap();
        let heads: Vec<&str> = table.columns.iter().map(|own| own.head.as_str()).collect();
        let expected = [
            "cc",
            "throughput",
            "utilisation",
            "Jain",
            "queueing delay",
            "delay p95",
            "mean queue",
        ];
        assert_eq!(heads, expected);
        assert!(table.columns[6].rank > table.columns[5].rank);
        assert_eq!(table.rows[1].cells[4..], ["4.000 ms", "9.000 ms", "33 pkt"]);
    }
}
