//! The columns of the tables of a replicate. Units are suffixes of the names, as in
//! `summary.json`.

use std::collections::HashMap;
use std::ops::Range;

use super::columns::Columns;
use tusker_measure::summary::{Replicate, View, ideal, seconds, slowdown, took};
use tusker_plan::run::{self, Run};

/// Rows of a narrow table that are built and written at a time.
pub(super) const NARROW: usize = 1 << 20;

/// The same for tables with dozens of columns.
const WIDE: usize = 1 << 15;

/// A table in parts, so that neither memory nor the time to build a part grows with
/// the table. There is at least one part.
pub type Parts<'a> = Box<dyn Iterator<Item = Columns> + 'a>;

/// The tables of a replicate, each with its name; empty ones are left out.
pub fn all<'a>(
    view: &'a View<'_>,
    replicate: &'a Replicate,
    run: &'a Run,
) -> Vec<(&'static str, Parts<'a>)> {
    let mut tables = vec![
        ("flows", flows(view, replicate, run)),
        ("links", links(view, replicate, run)),
        ("distributions", distributions(view, replicate, run)),
    ];
    if !run.traffic.is_empty() {
        tables.push(("transfers", transfers(view, replicate, run)));
    }
    if !run.background.is_empty() {
        tables.push(("background", background(view, replicate, run)));
    }
    if !run.trace.series.is_empty() {
        tables.push(("series", series(replicate, run)));
    }
    tables
}

/// Builds a table from these rows, this many at a time.
pub(super) fn parts<'a, T: 'a>(
    rows: impl Iterator<Item = T> + 'a,
    most: usize,
    mut make: impl FnMut(Vec<T>) -> Columns + 'a,
) -> Parts<'a> {
    let (mut rows, mut any) = (rows.peekable(), false);
    Box::new(std::iter::from_fn(move || {
        if std::mem::replace(&mut any, true) {
            rows.peek()?;
        }
        Some(make(rows.by_ref().take(most).collect()))
    }))
}

/// The same for rows that are accessed by number.
fn numbered<'a>(rows: usize, make: impl FnMut(Range<usize>) -> Columns + 'a) -> Parts<'a> {
    let ranges = (0..rows.max(1)).step_by(WIDE).map(move |from| from..rows.min(from + WIDE));
    Box::new(ranges.map(make))
}

/// One row per flow that exists all the time.
fn flows<'a>(view: &'a View<'_>, replicate: &'a Replicate, run: &'a Run) -> Parts<'a> {
    numbered(view.plan.lasting(), move |rows| flow_rows(view, replicate, run, rows))
}

fn flow_rows(view: &View<'_>, replicate: &Replicate, run: &Run, rows: Range<usize>) -> Columns {
    let plan = view.plan;
    let flows = &run.flows[rows.clone()];
    let planned = || plan.flows[rows.clone()].iter();
    let mut table = keyed(replicate, rows.len());
    let all = || planned().zip(flows);
    table.text("flow", planned().map(|flow| flow.name.clone()));
    let groups = planned().map(|flow| flow.group as u32).collect();
    table.labels("group", plan.groups.clone(), groups);
    table.text("cc", planned().map(|flow| flow.cc.name().to_owned()));
    table.float("start_s", all().map(|(_, flow)| Some(seconds(flow.start))));
    table.float("finished_s", all().map(|(_, flow)| flow.finished.map(seconds)));
    let indices = || rows.clone();
    table.float("throughput_bps", indices().map(|f| Some(view.throughput(f, run))));
    table.float("goodput_bps", indices().map(|f| Some(view.goodput(f, run))));
    table.float("fair_bps", view.fair[rows.clone()].iter().map(|&fair| Some(fair)));
    table.int("sent", flows.iter().map(|flow| flow.sent));
    table.int("arrived", flows.iter().map(|flow| flow.arrived));
    table.int("delivered", flows.iter().map(|flow| flow.delivered));
    table.int("retransmitted", flows.iter().map(|flow| flow.retransmitted));
    table.int("dropped", flows.iter().map(|flow| flow.dropped));
    table.int("timeouts", flows.iter().map(|flow| flow.timeouts));
    table.int("episodes", flows.iter().map(|flow| flow.episodes));
    let secs = |ns: Option<f64>| ns.map(|ns| ns * 1e-9);
    table.float("rtt_min_s", flows.iter().map(|flow| flow.min_rtt.map(|d| d.secs())));
    table.float("rtt_mean_s", flows.iter().map(|flow| secs(flow.rtt.mean())));
    for (name, q) in
        [("rtt_p5_s", 0.05), ("rtt_p50_s", 0.5), ("rtt_p95_s", 0.95), ("rtt_p99_s", 0.99)]
    {
        let quantile = |flow: &run::Flow| {
            let least = flow.min_rtt.map_or(0.0, |rtt| rtt.nanos() as f64);
            flow.rtt.quantile(q).map(|ns| ns.max(least))
        };
        table.float(name, flows.iter().map(|flow| secs(quantile(flow))));
    }
    table.float("queueing_delay_mean_s", flows.iter().map(|flow| secs(flow.queueing.mean())));
    for (name, q) in [
        ("queueing_delay_p50_s", 0.5),
        ("queueing_delay_p95_s", 0.95),
        ("queueing_delay_p99_s", 0.99),
    ] {
        table.float(name, flows.iter().map(|flow| secs(flow.queueing.quantile(q))));
    }
    // over the whole run: sent = arrived + dropped + in flight
    table.int("run_sent", flows.iter().map(|flow| flow.total.sent));
    table.int("run_arrived", flows.iter().map(|flow| flow.total.arrived));
    table.int("run_dropped", flows.iter().map(|flow| flow.total.dropped));
    table.int("run_in_flight", flows.iter().map(|flow| flow.total.in_flight));
    table.int("run_delivered", flows.iter().map(|flow| flow.total.delivered));
    let applications = planned().map(|flow| flow.application.unwrap_or(0) as u32).collect();
    table.labels("application", plan.applications.clone(), applications);
    table.int("marked", flows.iter().map(|flow| flow.marked));
    let undone = |flow: &run::Flow| flow.undone.map(|undone| undone as f64);
    table.float("undone", flows.iter().map(undone));
    let reordered = |flow: &run::Flow| flow.reordered.map(|reordered| reordered as f64);
    table.float("reordered", flows.iter().map(reordered));
    let extent = |flow: &run::Flow| {
        let reordered = flow.reordered.filter(|reordered| *reordered > 0)?;
        Some(flow.extent as f64 / reordered as f64)
    };
    table.float("reordering_extent", flows.iter().map(extent));
    table
}

/// One row per transfer or page.
fn transfers<'a>(view: &'a View<'_>, replicate: &'a Replicate, run: &'a Run) -> Parts<'a> {
    let plan = view.plan;
    let rows = (run.traffic.iter().enumerate())
        .flat_map(|(t, traffic)| traffic.transfers.iter().map(move |transfer| (t, transfer)));
    parts(rows, NARROW, move |rows: Vec<(usize, &run::Transfer)>| {
        let mut table = keyed(replicate, rows.len());
        let group = |row: &(usize, &run::Transfer)| plan.traffic[row.0].group as u32;
        table.labels("group", plan.groups.clone(), rows.iter().map(group).collect());
        table.float("begin_s", rows.iter().map(|row| Some(seconds(row.1.begin))));
        table.float("end_s", rows.iter().map(|row| row.1.end.map(seconds)));
        table.float("time_s", rows.iter().map(|row| took(row.1)));
        table.int("bytes", rows.iter().map(|row| row.1.bytes));
        table.int("objects", rows.iter().map(|row| row.1.objects));
        table.int("waited", rows.iter().map(|row| row.1.waited));
        table.float("ideal_s", rows.iter().map(|row| ideal(plan, &plan.traffic[row.0], row.1)));
        let slower = |row: &(usize, &run::Transfer)| slowdown(plan, &plan.traffic[row.0], row.1);
        table.float("slowdown", rows.iter().map(slower));
        table
    })
}

/// One row per link and direction.
fn links<'a>(view: &'a View<'_>, replicate: &'a Replicate, run: &'a Run) -> Parts<'a> {
    numbered(view.plan.links.len(), move |rows| link_rows(view, replicate, run, rows))
}

fn link_rows(view: &View<'_>, replicate: &Replicate, run: &Run, rows: Range<usize>) -> Columns {
    let links = || view.plan.links[rows.clone()].iter();
    let mut table = keyed(replicate, rows.len());
    table.text("link", links().map(|link| link.name.clone()));
    table.text("queue", links().map(|link| link.queue.policy.name().to_owned()));
    table.float("rate_bps", links().map(|l| Some(l.rate.bits_per_sec() as f64)));
    let bottleneck = |l| u64::from(view.bottlenecks.contains(&l));
    table.int("bottleneck", rows.clone().map(bottleneck));
    // of each measure its values at all links
    let mut measures: Vec<(&str, Vec<Option<f64>>)> = Vec::new();
    for link in rows.clone().map(|l| view.link(l, run)) {
        for (i, (name, sample)) in link.iter().enumerate() {
            if i == measures.len() {
                measures.push((name, Vec::with_capacity(rows.len())));
            }
            measures[i].1.push(sample.value);
        }
    }
    for (name, values) in measures {
        table.float(name, values.into_iter());
    }
    table
}

/// One row per background source.
fn background<'a>(view: &'a View<'_>, replicate: &'a Replicate, run: &'a Run) -> Parts<'a> {
    numbered(run.background.len(), move |rows| source_rows(view, replicate, run, rows))
}

fn source_rows(view: &View<'_>, replicate: &Replicate, run: &Run, rows: Range<usize>) -> Columns {
    let sources = &run.background[rows.clone()];
    let mut table = keyed(replicate, rows.len());
    table.text(
        "source",
        view.plan.background[rows.clone()].iter().map(|source| source.name.clone()),
    );
    let measured = &replicate.background[rows];
    table.float("throughput_bps", measured.iter().map(|source| source.throughput_bps.value));
    table.int("arrived", sources.iter().map(|source| source.arrived));
    table.int("arrived_bytes", sources.iter().map(|source| source.arrived_bytes));
    table.int("run_sent", sources.iter().map(|source| source.total.sent));
    table.int("run_arrived", sources.iter().map(|source| source.total.arrived));
    table.int("run_dropped", sources.iter().map(|source| source.total.dropped));
    table.int("run_in_flight", sources.iter().map(|source| source.total.in_flight));
    table
}

/// Distributions of the RTT samples of each group, the queue lengths of each listed
/// link and the times of transfers over the window: one row per bucket that is not
/// empty.
fn distributions<'a>(view: &'a View<'_>, replicate: &'a Replicate, run: &'a Run) -> Parts<'a> {
    Box::new(std::iter::once_with(move || buckets(view, replicate, run)))
}

fn buckets(view: &View<'_>, replicate: &Replicate, run: &Run) -> Columns {
    let plan = view.plan;
    let mut names = plan.groups.clone();
    let mut rows: Vec<(u32, u32, (u64, u64, u64))> = Vec::new();
    for group in 0..plan.groups.len() {
        let mut rtt = run::Histogram::default();
        let members = plan.flows.iter().zip(&run.flows).filter(|(flow, _)| flow.group == group);
        members.for_each(|(_, flow)| rtt.merge(&flow.rtt));
        rows.extend(rtt.buckets().map(|bucket| (group as u32, 0, bucket)));
    }
    for &l in &view.shown {
        let subject = names.len() as u32;
        names.push(plan.links[l].name.clone());
        rows.extend(run.links[l].queue.buckets().map(|bucket| (subject, 1, bucket)));
    }
    for (t, traffic) in plan.traffic.iter().enumerate() {
        let mut times = run::Histogram::default();
        let begun =
            view.begun(t, run).filter_map(|transfer| transfer.end.zip(Some(transfer.begin)));
        begun.for_each(|(end, begin)| times.record(end.since(begin).nanos()));
        rows.extend(times.buckets().map(|bucket| (traffic.group as u32, 2, bucket)));
    }
    let mut table = keyed(replicate, rows.len());
    table.labels("subject", names, rows.iter().map(|row| row.0).collect());
    let quantities = super::Quantity::ALL.map(|quantity| quantity.name().to_owned()).to_vec();
    table.labels("quantity", quantities, rows.iter().map(|row| row.1).collect());
    let edge = |row: &(u32, u32, (u64, u64, u64)), value: u64| {
        Some(if row.1 == 1 { value as f64 } else { value as f64 / 1e9 })
    };
    table.float("from", rows.iter().map(|row| edge(row, row.2.0)));
    table.float("below", rows.iter().map(|row| edge(row, row.2.1)));
    table.int("count", rows.iter().map(|row| row.2.2));
    table
}

/// One row per recorded value over time; times at which a quantity had no value yet
/// are left out.
fn series<'a>(replicate: &'a Replicate, run: &'a Run) -> Parts<'a> {
    let mut names: Vec<String> = Vec::new();
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut label = |text: &'a str| {
        *numbers.entry(text).or_insert_with(|| {
            names.push(text.to_owned());
            names.len() as u32 - 1
        })
    };
    let series = run.trace.series.iter();
    let labels: Vec<(u32, u32)> =
        series.map(|series| (label(&series.subject), label(&series.quantity))).collect();
    let rows = labels.into_iter().zip(&run.trace.series).flat_map(|(labels, series)| {
        let there = run.trace.times.iter().zip(&series.values);
        let there = there.filter(|(_, value)| value.is_finite());
        there.map(move |(time, value)| (labels, *time, *value))
    });
    parts(rows, NARROW, move |rows| {
        let mut table = keyed(replicate, rows.len());
        table.float("time_s", rows.iter().map(|row| Some(seconds(row.1))));
        table.labels("subject", names.clone(), rows.iter().map(|row| row.0.0).collect());
        table.labels("quantity", names.clone(), rows.iter().map(|row| row.0.1).collect());
        table.float("value", rows.iter().map(|row| Some(row.2)));
        table
    })
}

/// The columns that identify the replicate.
fn keyed(replicate: &Replicate, rows: usize) -> Columns {
    let mut table = Columns::default();
    table.int("replicate", std::iter::repeat_n(u64::from(replicate.number), rows));
    table.int("seed", std::iter::repeat_n(replicate.seed, rows));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_made_in_parts_and_has_at_least_one() {
        for (rows, expected) in [(0, vec![0]), (2, vec![2]), (5, vec![2, 2, 1]), (6, vec![2; 3])] {
            let sizes = std::cell::RefCell::new(Vec::new());
            let made = parts(0..rows, 2, |rows: Vec<i32>| {
                sizes.borrow_mut().push(rows.len());
                Columns::default()
            });
            made.for_each(drop);
            assert_eq!(sizes.into_inner(), expected);
        }
        let mut ranges = Vec::new();
        numbered(WIDE + 1, |rows| {
            ranges.push(rows);
            Columns::default()
        })
        .for_each(drop);
        assert_eq!(ranges, [0..WIDE, WIDE..WIDE + 1]);
        assert_eq!(numbered(0, |_| Columns::default()).count(), 1);
    }
}
