//! Cumulative distributions: RTTs of groups, queues of bottlenecks.

use tusker_measure::table::Unit;
use tusker_plan::plan::Limit;
use tusker_store::{Distribution, Quantity};

use super::{Case, one_scale};
use crate::figure::{Axis, Caption, Curve, Figure, Group, Panel, Panels, Plot};
use crate::page::{Block, Table};
use crate::style::{HUES, QUEUE};

/// Where the values are stored.
const SOURCE: &str = "the distributions table of each replicate";

/// Curves of one figure, at most.
const MOST: usize = 24;

pub(super) fn blocks(cases: &[Case<'_>]) -> Vec<Block> {
    let figures = [completion(cases), rtt(cases), queue(cases)];
    figures.into_iter().flatten().map(Block::from).collect()
}

/// What is drawn as one curve, and what no value can be below or above: a
/// bucket may reach beyond the smallest sample, or what the queue holds.
type Named<'a> = (Group, &'a Distribution, (f64, f64));

/// The groups of each experiment, with names by which curves are told apart at their ends.
fn groups(cases: &[Case<'_>]) -> Vec<Vec<Group>> {
    let of = |(case, names): (&Case<'_>, Vec<String>)| {
        let group = |(g, name): (usize, String)| match cases {
            [_] => case.group(g, true),
            _ => Group { name, colour: case.looks[g] },
        };
        names.into_iter().enumerate().map(group).collect()
    };
    cases.iter().zip(one_scale::names(cases)).map(of).collect()
}

fn completion(cases: &[Case<'_>]) -> Option<Figure> {
    let mut named: Vec<Named<'_>> = Vec::new();
    for (case, groups) in cases.iter().zip(groups(cases)) {
        for traffic in &case.stored.plan.traffic {
            let group = &case.stored.plan.groups[traffic.group];
            let own = |d: &&Distribution| d.quantity == Quantity::Completion && d.subject == *group;
            let found = case.stored.distributions.iter().find(own);
            let whole = (0.0, f64::INFINITY);
            named.extend(found.map(|d| (groups[traffic.group].clone(), d, whole)));
        }
    }
    let caption = "Flow completion times of transfers and response times of pages that began in \
                   the measuring window, over all replicates: the share of them that took at \
                   most this time.";
    let axis = Axis::new("completion or response time", "s");
    let of = ("completion-cdf", "share of transfers");
    figure(of, "Completion and response times", caption, axis, 1.0, named)
}

fn rtt(cases: &[Case<'_>]) -> Option<Figure> {
    let mut named: Vec<Named<'_>> = Vec::new();
    for (case, groups) in cases.iter().zip(groups(cases)) {
        for (g, group) in case.stored.plan.groups.iter().enumerate() {
            let own = |d: &&Distribution| d.quantity == Quantity::Rtt && d.subject == *group;
            let found = case.stored.distributions.iter().find(own);
            let least = case.stored.replicates.iter().filter_map(|r| r.groups[g].rtt_min_s.value);
            let ends = (least.fold(f64::INFINITY, f64::min), f64::INFINITY);
            let ends = if ends.0.is_finite() { ends } else { (0.0, f64::INFINITY) };
            named.extend(found.map(|d| (groups[g].clone(), d, ends)));
        }
    }
    let caption = "All RTT samples of the measuring window, over all replicates: the share of \
                   them that is at or below each value.";
    let axis = Axis::new("round-trip time", "ms");
    let of = ("rtt-cdf", "share of samples");
    figure(of, "Round-trip times", caption, axis, 1e3, named)
}

fn queue(cases: &[Case<'_>]) -> Option<Figure> {
    let mut named: Vec<Named<'_>> = Vec::new();
    for case in cases {
        let bottlenecks = &case.summary().bottlenecks;
        for (b, link) in bottlenecks.iter().enumerate() {
            let own = |d: &&Distribution| d.quantity == Quantity::Queue && d.subject == *link;
            let name = match (cases.len(), bottlenecks.len()) {
                (1, _) => link.clone(),
                (_, 1) => case.label.clone(),
                _ => format!("{}: {link}", case.label),
            };
            let found = case.stored.distributions.iter().find(own);
            // another link of the same experiment has other dashes
            let colour = if cases.len() == 1 { QUEUE } else { case.look() } + b * HUES;
            let planned = case.stored.plan.links.iter().find(|planned| planned.name == *link);
            let ends = match planned.map(|planned| planned.queue.limit) {
                Some(Limit::Packets(limit)) => (0.0, limit as f64),
                _ => (0.0, f64::INFINITY),
            };
            named.extend(found.map(|d| (Group { name, colour }, d, ends)));
        }
    }
    let caption = "Packets in the bottleneck's queue, the one in transmission included, over the \
                   measuring window and all replicates: the share of the time in which it \
                   held at most this number.";
    let of = ("queue-cdf", "share of time");
    figure(of, "Queue lengths", caption, Axis::new("queue", "packets"), 1.0, named)
}

/// A figure of this name, whose vertical axis is a share of something.
fn figure(
    (name, share): (&str, &str),
    title: &str,
    caption: &str,
    x: Axis,
    scale: f64,
    mut named: Vec<Named<'_>>,
) -> Option<Figure> {
    named.retain(|(_, distribution, _)| !distribution.buckets.is_empty());
    let left_out = named.len().saturating_sub(MOST);
    named.truncate(MOST);
    if named.is_empty() {
        return None;
    }
    let lines: Vec<Vec<(f64, f64)>> = named
        .iter()
        .map(|(_, d, (least, most))| {
            let within = |x: f64| x.max(*least).min(*most) * scale;
            d.cumulative().iter().map(|&(x, share)| (within(x), share)).collect()
        })
        .collect();
    let mut ends: Vec<f64> = lines.iter().flatten().map(|corner| corner.0).collect();
    ends.sort_by(f64::total_cmp);
    ends.dedup();
    // each place twice, before and after a step
    let xs: Vec<f64> = ends.iter().flat_map(|&x| [x, x]).collect();
    let mut panel = Panel {
        name: "share".to_owned(),
        y: Axis::new(share, "%"),
        range: Some((0.0, 100.0)),
        ..Panel::default()
    };
    let head = [x.title.as_str(), "p5", "p50", "p95", "p99"];
    let mut table = Table::new(format!("{title}: quantiles ({})", x.unit), head);
    let mut groups = Vec::new();
    for ((group, ..), line) in named.iter().zip(&lines) {
        let values = ends.iter().flat_map(|&x| {
            let (before, after) = at(line, x);
            [100.0 * before, 100.0 * after]
        });
        let values = values.collect();
        panel.curves.push(Curve { name: group.name.clone(), group: groups.len(), values });
        let quantile = |q: f64| Unit::Count.text(inverse(line, q));
        let cells = [0.05, 0.5, 0.95, 0.99].map(quantile);
        table.row(Some(group.colour), std::iter::once(group.name.clone()).chain(cells));
        groups.push(group.clone());
    }
    let panels = Panels { x, xs, groups, panels: vec![panel], ..Panels::default() };
    let more = (left_out > 0).then(|| format!("{left_out} more are not shown."));
    let caption = Caption::from(caption).source(SOURCE).and_all(more);
    Some(Figure::new(name, title, caption, Plot::Panels(panels), Some(table)))
}

/// A line's lowest and highest value at `x`.
fn at(line: &[(f64, f64)], x: f64) -> (f64, f64) {
    let from = line.partition_point(|corner| corner.0 < x);
    let to = line.partition_point(|corner| corner.0 <= x);
    if from < to {
        return (line[from].1, line[to - 1].1);
    }
    let value = match (from.checked_sub(1).map(|before| line[before]), line.get(from)) {
        (None, _) => 0.0,
        (_, None) => 1.0,
        (Some(a), Some(b)) => a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0),
    };
    (value, value)
}

/// Where a line reaches the share `q`.
fn inverse(line: &[(f64, f64)], q: f64) -> f64 {
    let to = line.partition_point(|corner| corner.1 < q).clamp(1, line.len() - 1);
    let (a, b) = (line[to - 1], line[to]);
    if b.1 > a.1 { a.0 + (b.0 - a.0) * ((q - a.1) / (b.1 - a.1)).clamp(0.0, 1.0) } else { b.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_two_values_and_a_slope_one() {
        // half of all is 3, the rest lies evenly between 64 and 66
        let line = [(3.0, 0.0), (3.0, 0.5), (64.0, 0.5), (66.0, 1.0)];
        assert_eq!(at(&line, 2.0), (0.0, 0.0));
        assert_eq!(at(&line, 3.0), (0.0, 0.5));
        assert_eq!(at(&line, 65.0), (0.75, 0.75));
        assert_eq!(at(&line, 70.0), (1.0, 1.0));
        assert_eq!(inverse(&line, 0.25), 3.0);
        assert_eq!(inverse(&line, 0.75), 65.0);
    }
}
