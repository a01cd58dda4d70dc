//! What is recorded over time.

use std::collections::HashSet;

use tusker_core::Duration;
use tusker_plan::plan::{self, Plan};

use super::graph::Graph;
use super::groups::Way;
use crate::error::{Fault, Mistake, nearest, quote};
use crate::forms::TraceLinks;
use crate::model::Trace;

/// The most numbers that a trace may hold; 8 bytes each.
const MAX_TRACED: u128 = 200_000_000;

/// What a plan records.
pub fn of(t: &Trace, graph: &Graph, ways: &[&Way], plan: &Plan) -> Result<plan::Trace, Fault> {
    let interval = t.interval.0;
    if interval == Duration::ZERO {
        return Err(Mistake::new("an interval of zero", "write a time such as \"10ms\"")
            .at("trace.interval"));
    }
    let links = match &t.links {
        Some(TraceLinks::All) => (0..plan.links.len()).collect(),
        Some(TraceLinks::Named(names)) => named(names, plan)?,
        None | Some(TraceLinks::Bottleneck) => bottlenecks(graph, ways),
    };
    let flows = t.flows.unwrap_or(true);
    let columns = links.len() * 4 + if flows { plan.lasting() * 6 } else { 0 };
    let rows = u128::from(plan.end.nanos() / interval.nanos());
    if rows * columns as u128 > MAX_TRACED {
        return Err(Mistake::new(
            format!("a trace of about {rows} rows and {columns} columns"),
            "a longer interval, `flows = false`, or fewer links",
        )
        .at("trace.interval"));
    }
    Ok(plan::Trace { interval: Some(interval), flows, links })
}

fn named(names: &[String], plan: &Plan) -> Result<Vec<usize>, Fault> {
    let find = |(i, name): (usize, &String)| {
        plan.links.iter().position(|link| link.name == *name).ok_or_else(|| {
            let names: Vec<&str> = plan.links.iter().map(|l| l.name.as_str()).collect();
            let message = format!("no link is called `{}`", quote(name));
            Mistake::new(message, nearest(name, &names)).at(format!("trace.links.{i}"))
        })
    };
    names.iter().enumerate().map(find).collect()
}

/// The forward links of a short form; in a graph the slowest link of each group,
/// the first if several are equally slow.
fn bottlenecks(graph: &Graph, ways: &[&Way]) -> Vec<usize> {
    if graph.ends.is_some() {
        return (0..graph.wires.len()).filter(|&w| !graph.wires[w].is_back).collect();
    }
    let slowest = |way: &&Way| way.there.iter().copied().min_by_key(|&w| graph.wires[w].rate);
    let mut seen = HashSet::new();
    ways.iter().filter_map(slowest).filter(|&w| seen.insert(w)).collect()
}

/// As written in a scenario, with every value filled in.
pub fn written(t: &Trace, plan: &Plan) -> Trace {
    let names = || plan.trace.links.iter().map(|&l| plan.links[l].name.clone()).collect();
    let links = match t.links {
        Some(TraceLinks::All) => TraceLinks::All,
        _ => TraceLinks::Named(names()),
    };
    Trace { interval: t.interval, flows: Some(plan.trace.flows), links: Some(links) }
}
