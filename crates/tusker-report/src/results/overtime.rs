//! Everything over time, of one replicate of one experiment.

use std::collections::HashMap;

use tusker_core::Duration;
use tusker_measure::table::Unit;
use tusker_plan::plan::{Flow, Limit};
use tusker_plan::run::Trace;

use super::{Case, of_laws, seconds, slug};
use crate::figure::{
    Axis, Caption, Curve, Figure, Group, Panel, Panels, Plot, bits_per_second, rate_unit,
};
use crate::pack;
use crate::page::Table;
use crate::style::{self, AVERAGE, MAX_P, P_B, QUEUE};

/// Rows of the table behind the figure, at most.
const MOST: usize = 200;

pub(super) fn figure(case: &Case<'_>, name: &str, number: u32, trace: &Trace) -> Option<Figure> {
    let (mut drawn, span) = panels(case, trace)?;
    let plan = &case.stored.plan;
    let laws = of_laws(case.summary()).into_iter().take(plan.groups.len() - plan.traffic.len());
    drawn.groups.iter_mut().zip(laws).for_each(|(group, law)| group.colour = law);
    let own = each_flow(&mut drawn);
    let looks = drawn.groups[..own].iter().map(|group| group.colour).collect::<Vec<usize>>();
    let looks = style::over_time(&looks);
    drawn.groups.iter_mut().zip(looks).for_each(|(group, look)| group.colour = look);
    let caption = caption(case, number, &drawn, span);
    let table = table(&drawn);
    Some(Figure::new(name, &case.label, caption, Plot::Panels(drawn), Some(table)))
}

/// Gives each flow of a group of few, which are drawn one by one, a name and a look of its
/// own; how many groups the flows have then.
fn each_flow(drawn: &mut Panels) -> usize {
    let is_flow = |g: usize| {
        let flows = drawn.panels.iter().filter(|panel| FLOWS.contains(&panel.name.as_str()));
        flows.filter_map(|panel| panel.members(g).next()).next().is_some()
    };
    let few = drawn.few();
    let mut groups: Vec<Group> = Vec::new();
    let mut places: HashMap<(usize, String), usize> = HashMap::new();
    let mut own = 0;
    for (g, group) in drawn.groups.iter().enumerate() {
        let mut names: Vec<&str> = Vec::new();
        for curve in drawn.panels.iter().flat_map(|panel| panel.members(g)) {
            if !names.contains(&curve.name.as_str()) {
                names.push(&curve.name);
            }
        }
        let several = is_flow(g) && (2..=few).contains(&names.len());
        for name in &names {
            places.insert((g, (*name).to_owned()), groups.len());
            if several {
                groups.push(Group { name: (*name).to_owned(), colour: group.colour });
            }
        }
        if !several {
            groups.push(group.clone());
        }
        if is_flow(g) {
            own = groups.len();
        }
    }
    for curve in drawn.panels.iter_mut().flat_map(|panel| &mut panel.curves) {
        curve.group = places[&(curve.group, curve.name.clone())];
    }
    drawn.groups = groups;
    own
}

/// Panels whose curves are flows.
const FLOWS: [&str; 4] = ["goodput", "cwnd", "mode", "srtt"];

/// The curves, each of its flow group; and over how many rows rates are averaged.
pub(super) fn panels(case: &Case<'_>, trace: &Trace) -> Option<(Panels, usize)> {
    let plan = &case.stored.plan;
    let view = Columns::new(trace);
    // connections that come and go have no curves; their groups are the last
    let lasting = plan.groups.len() - plan.traffic.len();
    let mut groups: Vec<Group> = (0..lasting).map(|g| case.group(g, true)).collect();
    let mut panels = Vec::new();
    let span = averaging(case, &view);
    panels.extend(goodput(case, &view, span));
    panels.extend(flows(case, &view, "cwnd", Axis::new("congestion window", "segments"), 1.0));
    panels.extend(mode(case, &view, span));
    panels.extend(flows(case, &view, "srtt", Axis::new("smoothed RTT", "ms"), 1e3));
    let links = links(case, &view, &mut groups);
    panels.extend(links);
    if panels.is_empty() {
        return None;
    }
    let summary = case.summary();
    let window = Some((summary.window.from_s, summary.window.to_s));
    let xs: Vec<f64> = trace.times.iter().map(|&time| seconds(time)).collect();
    // a window among other panels is what a reader looks at
    panels.iter_mut().for_each(|panel: &mut Panel| panel.tall = panel.name == "cwnd");
    let x = Axis::new("time", "s");
    Some((Panels { x, time: true, xs, window, groups, panels, replicates: false }, span))
}

/// The series of a trace by subject and quantity.
struct Columns<'a> {
    trace: &'a Trace,
    places: HashMap<(&'a str, &'a str), usize>,
}

impl<'a> Columns<'a> {
    fn new(trace: &'a Trace) -> Self {
        let all = trace.series.iter().enumerate();
        let places = all.map(|(i, s)| ((s.subject.as_str(), s.quantity.as_str()), i)).collect();
        Self { trace, places }
    }

    fn values(&self, subject: &str, quantity: &str) -> Option<&'a [f64]> {
        self.places.get(&(subject, quantity)).map(|&i| self.trace.series[i].values.as_slice())
    }
}

/// A quantity of all flows that have it.
fn flows(
    case: &Case<'_>,
    view: &Columns<'_>,
    quantity: &str,
    y: Axis,
    scale: f64,
) -> Option<Panel> {
    let curves = case.stored.plan.flows.iter().filter_map(|flow| {
        let values = view.values(&flow.name, quantity)?;
        let values = values.iter().map(|value| value * scale).collect();
        Some(Curve { name: flow.name.clone(), group: flow.group, values })
    });
    let curves: Vec<Curve> = curves.collect();
    let name = quantity.to_owned();
    (!curves.is_empty()).then(|| Panel { name, y, curves, ..Panel::default() })
}

/// Rows over which goodput is averaged: so many of the longest round trips, with their
/// queueing, that what alternates once in a round trip leaves no pattern, and a
/// two-hundredth of the run.
fn averaging(case: &Case<'_>, view: &Columns<'_>) -> usize {
    let plan = &case.stored.plan;
    let rtt = |flow: &Flow| {
        let links = flow.route.iter().chain(&flow.reverse);
        let least =
            links.fold(Duration::ZERO, |sum, &link| sum + plan.links[link].propagation()).secs();
        let seen = view.values(&flow.name, "srtt").unwrap_or_default();
        mean(seen.iter().copied().filter(|rtt| *rtt > 0.0)).unwrap_or(least).max(least)
    };
    let longest = plan.flows.iter().map(rtt).fold(0.0, f64::max);
    let [first, second, ..] = view.trace.times.as_slice() else { return 1 };
    let every = second.since(*first).secs();
    let span = (ROUND_TRIPS * longest).max(seconds(plan.end) / 200.0);
    (span / every).ceil().max(1.0) as usize
}

/// Goodput is averaged over at least so many round trips.
const ROUND_TRIPS: f64 = 8.0;

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// Payload that reached the receivers, as far as senders know, per second: over
/// `span` rows around each time.
fn goodput(case: &Case<'_>, view: &Columns<'_>, span: usize) -> Option<Panel> {
    let times: Vec<f64> = view.trace.times.iter().map(|&time| seconds(time)).collect();
    let mut panel = flows(case, view, "delivered", Axis::default(), 1.0)?;
    let mut most: f64 = 0.0;
    for curve in &mut panel.curves {
        let flow = case.stored.plan.flows.iter().find(|flow| flow.name == curve.name);
        let bits = flow.map_or(0, |flow| flow.tcp.payload().get()) as f64 * 8.0;
        // a sender that forgets what SACK told learns it a second time
        let mut known: f64 = 0.0;
        for total in &mut curve.values {
            known = known.max(*total);
            *total = known;
        }
        curve.values = rates(&times, &curve.values, span);
        for value in &mut curve.values {
            *value *= bits;
            most = most.max(*value);
        }
    }
    let unit = rate_unit(most);
    let scale = bits_per_second(unit);
    panel.curves.iter_mut().flat_map(|curve| &mut curve.values).for_each(|v| *v /= scale);
    panel.name = "goodput".to_owned();
    panel.y = Axis::new("goodput of a flow", unit);
    Some(panel)
}

/// How much of the time flows are in Reno mode, over `span` rows around each time: those of
/// laws whose mode is 0 or 1, and 1 is that of Reno. Other laws have other modes.
fn mode(case: &Case<'_>, view: &Columns<'_>, span: usize) -> Option<Panel> {
    let axis = Axis::new("time in Reno mode", "%");
    let mut panel = flows(case, view, "mode", axis, 100.0)?;
    let flows = &case.stored.plan.flows;
    let may_be = |flow: &Flow| flow.cc.sheet().states.get(1) == Some(&"Reno");
    let own = |name: &str| flows.iter().any(|flow| flow.name == name && may_be(flow));
    panel.curves.retain(|curve| own(&curve.name));
    if panel.curves.is_empty() {
        return None;
    }
    for curve in &mut panel.curves {
        curve.values = smoothed(&curve.values, span);
    }
    Some(Panel { steps: true, range: Some((0.0, 100.0)), ..panel })
}

/// The mean of so many values around each.
fn smoothed(values: &[f64], span: usize) -> Vec<f64> {
    let mean = |i: usize| {
        let (from, to) = (i.saturating_sub(span / 2), (i + span.div_ceil(2)).min(values.len()));
        values[from..to].iter().sum::<f64>() / (to - from) as f64
    };
    (0..values.len()).map(mean).collect()
}

/// How fast `totals` rise around each time.
fn rates(times: &[f64], totals: &[f64], span: usize) -> Vec<f64> {
    let last = times.len() - 1;
    let rate = |i: usize| {
        let (from, to) = (i.saturating_sub(span / 2), (i + span.div_ceil(2)).min(last));
        let (from, to) = if from == to { (last.saturating_sub(1), last) } else { (from, to) };
        (totals[to] - totals[from]) / (times[to] - times[from])
    };
    match last {
        0 => vec![0.0],
        _ => (0..=last).map(rate).collect(),
    }
}

/// Queue and average queue of each traced link, and the probabilities that a
/// policy moves.
fn links(case: &Case<'_>, view: &Columns<'_>, groups: &mut Vec<Group>) -> Vec<Panel> {
    let plan = &case.stored.plan;
    let traced = || plan.links.iter().filter(|link| view.values(&link.name, "queue").is_some());
    let several = traced().count() > 1;
    let mut panels = Vec::new();
    let mut own = |name: &str, colour: usize| {
        let group = Group { name: name.to_owned(), colour };
        groups.iter().position(|old| *old == group).unwrap_or_else(|| {
            groups.push(group);
            groups.len() - 1
        })
    };
    for link in traced() {
        let of = if several { format!(" of {}", link.name) } else { String::new() };
        let with = if several { format!("-{}", slug(&link.name)) } else { String::new() };
        let mut panel = Panel {
            name: format!("queue{with}"),
            y: Axis::new(format!("queue{of}"), "packets"),
            ..Panel::default()
        };
        for (quantity, name, colour) in
            [("queue", "queue", QUEUE), ("avg", "average queue (avg)", AVERAGE)]
        {
            let Some(values) = view.values(&link.name, quantity) else { continue };
            let values = values.to_vec();
            panel.curves.push(Curve { name: name.to_owned(), group: own(name, colour), values });
        }
        if let Limit::Packets(limit) = link.queue.limit {
            panel.rules.push(("limit".to_owned(), limit as f64));
        }
        for (param, value) in link.queue.policy.iter() {
            let name = param.name;
            if matches!(name, "min_th" | "max_th") && value > 0.0 {
                panel.rules.push((name.to_owned(), value));
            }
        }
        panels.push(panel);
        let mut panel = Panel {
            name: format!("max_p{with}"),
            y: Axis::new(format!("probabilities{of}"), ""),
            ..Panel::default()
        };
        for (quantity, colour) in [("p_b", P_B), ("max_p", MAX_P)] {
            let Some(values) = view.values(&link.name, quantity) else { continue };
            let (name, values) = (quantity.to_owned(), values.to_vec());
            panel.curves.push(Curve { name, group: own(quantity, colour), values });
        }
        if !panel.curves.is_empty() {
            panels.push(panel);
        }
    }
    panels
}

fn caption(case: &Case<'_>, number: u32, drawn: &Panels, span: usize) -> Caption {
    let (xs, panels) = (drawn.xs.as_slice(), drawn.panels.as_slice());
    let every = match xs {
        [first, second, ..] => second - first,
        _ => 0.0,
    };
    let of = match case.summary().seeds.len() {
        1 => String::new(),
        n => format!(" of {n}"),
    };
    let mut text = format!("Replicate {number}{of}, a value every {}", Unit::Time.text(every));
    let over = Unit::Time.text(every * span as f64);
    let has = |name: &str| panels.iter().any(|panel| panel.name == name);
    if has("goodput") {
        let mode = if has("mode") { " and mode are" } else { " is" };
        text += &format!("; goodput{mode} averaged over {over}");
    }
    let all = panels.iter().map(|panel| panel.curves.len()).sum();
    let kept = pack::every(all, xs.len());
    let kept = (kept > 1).then(|| {
        format!("The page has only one of every {kept} values; the series table has all.")
    });
    let is_band =
        |panel: &Panel| (0..drawn.groups.len()).any(|g| panel.members(g).count() > drawn.few());
    let band = match panels.iter().any(is_band) {
        true => {
            "A band reaches from the smallest to the largest flow of a group, and its line is \
             their mean."
        }
        false => "",
    };
    let traced = panels.iter().any(|panel| panel.y.title == "congestion window");
    let untraced = match traced {
        true => "",
        false => "Flows were not traced: set trace.interval in the scenario.",
    };
    Caption::from(format!("{text}. The measuring window is shaded."))
        .source("the series table of the replicate")
        .and_all(kept)
        .and(band)
        .and(untraced)
}

/// What stands behind curves: their means over the measuring window.
pub(super) fn table(drawn: &Panels) -> Table {
    let (from, to) = drawn.window.unwrap_or_default();
    drawn.table(&format!("Over the window from {from} s to {to} s"), "curve", MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_over_what_is_around() {
        assert_eq!(smoothed(&[0.0, 100.0, 100.0, 0.0], 1), [0.0, 100.0, 100.0, 0.0]);
        assert_eq!(smoothed(&[0.0, 100.0, 100.0, 0.0], 2), [0.0, 50.0, 100.0, 50.0]);
    }

    #[test]
    fn a_rate_is_the_slope_around_a_time() {
        // 10 segments per row of 0.5 s, then none
        let (times, totals) = ([0.0, 0.5, 1.0, 1.5, 2.0], [0.0, 10.0, 20.0, 20.0, 20.0]);
        assert_eq!(rates(&times, &totals, 1), [20.0, 20.0, 0.0, 0.0, 0.0]);
        // two rows around each: (20 - 10) / 1 s in the middle
        assert_eq!(rates(&times, &totals, 2), [20.0, 20.0, 10.0, 0.0, 0.0]);
        assert_eq!(rates(&[0.0], &[0.0], 4), [0.0]);
    }
}
