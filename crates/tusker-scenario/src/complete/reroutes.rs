//! Routes that a scenario chooses, and that change.

use std::collections::HashSet;

use tusker_core::Duration;

use super::graph::Graph;
use super::groups::{Later, Way};
use super::routes::{self, Question};
use crate::error::{Fault, Mistake, nearest, quote};
use crate::model::Scenario;
use crate::traffic::RouteStep;

/// Replaces the shortest ways of flows, which come first, by those that they choose.
pub fn choose(s: &Scenario, graph: &Graph, ways: &mut [Way]) -> Result<(), Fault> {
    for (i, (flows, way)) in s.flows.iter().zip(ways).enumerate() {
        let path = format!("flows.{i}.route");
        let Some(first) = flows.route.first() else { continue };
        let wrong =
            |message: String, help: &str| Err(Mistake::new(message, help).at(path.as_str()));
        if first.at.0 > Duration::ZERO {
            let help = "begin with { at = \"0s\", via = [] }, the shortest route";
            return wrong("the route at the start is missing".into(), help);
        }
        if let Some(pair) = flows.route.windows(2).find(|pair| pair[0].at.0 >= pair[1].at.0) {
            let message = format!("a route at {} after one at {}", pair[1].at.0, pair[0].at.0);
            return wrong(message, "give the routes in the order of time");
        }
        let times = flows.count.unwrap_or(1).saturating_mul(flows.parallel.unwrap_or(1));
        let mut all = Vec::with_capacity(flows.route.len());
        for (k, step) in flows.route.iter().enumerate() {
            all.push(later(graph, way, step, times, &format!("{path}.{k}"))?);
        }
        let Later { there, back, .. } = all.remove(0);
        way.delay = there
            .iter()
            .chain(&back)
            .fold(Duration::ZERO, |sum, &wire| sum + graph.wires[wire].delay.first());
        (way.there, way.back, way.later, way.chosen) = (there, back, all, true);
    }
    Ok(())
}

/// As written in a scenario: by the names of all links.
pub fn written(way: &Way, graph: &Graph) -> Vec<RouteStep> {
    if !way.chosen {
        return Vec::new();
    }
    let names = |wires: &[usize]| wires.iter().map(|&w| graph.wires[w].name.clone()).collect();
    let times = std::iter::once(Duration::ZERO).chain(way.later.iter().map(|later| later.at));
    let step = |(at, [there, back]): (Duration, [&[usize]; 2])| RouteStep {
        at: at.into(),
        via: names(there),
        back: Some(names(back)),
    };
    times.zip(way.all()).map(step).collect()
}

fn later(
    graph: &Graph,
    way: &Way,
    step: &RouteStep,
    times: u64,
    path: &str,
) -> Result<Later, Fault> {
    let via = places(graph, &step.via, &format!("{path}.via"))?;
    let back = match &step.back {
        Some(back) => places(graph, back, &format!("{path}.back"))?,
        None => via.iter().rev().map(|place| place.back(graph, path)).collect::<Result<_, _>>()?,
    };
    let along = |from, to, places: &[Place], key: &str| {
        route(graph, (from, to), places, times, &format!("{path}.{key}"))
    };
    Ok(Later {
        at: step.at.0,
        there: along(way.from, way.to, &via, "via")?,
        back: along(way.to, way.from, &back, if step.back.is_some() { "back" } else { "via" })?,
    })
}

/// Something on a route.
#[derive(Clone, Copy)]
enum Place {
    Node(usize),
    Wire(usize),
}

impl Place {
    fn back(self, graph: &Graph, path: &str) -> Result<Self, Fault> {
        let Self::Wire(wire) = self else { return Ok(self) };
        let other = if graph.wires[wire].is_back { wire.checked_sub(1) } else { Some(wire + 1) };
        let duplex = other.filter(|&other| {
            graph.wires.get(other).is_some_and(|wire| wire.is_back) || graph.wires[wire].is_back
        });
        duplex.map(Self::Wire).ok_or_else(|| {
            let message = format!("the link `{}` has no reverse direction", graph.wires[wire].name);
            Mistake::new(message, "say with `back = [..]` where ACKs go").at(format!("{path}.via"))
        })
    }
}

fn places(graph: &Graph, names: &[String], path: &str) -> Result<Vec<Place>, Fault> {
    let place = |(i, name): (usize, &String)| {
        let node = graph.nodes.iter().position(|node| node == name).map(Place::Node);
        let wire = || graph.wires.iter().position(|wire| wire.name == *name).map(Place::Wire);
        node.or_else(wire).ok_or_else(|| {
            let wires = graph.wires.iter().map(|wire| wire.name.as_str());
            let names: Vec<&str> = graph.nodes.iter().map(String::as_str).chain(wires).collect();
            let message = format!("no node or link is called `{}`", quote(name));
            Mistake::new(message, nearest(name, &names)).at(format!("{path}.{i}"))
        })
    };
    names.iter().enumerate().map(place).collect()
}

/// From one node to another, past these places, on the shortest ways in between.
fn route(
    graph: &Graph,
    (from, to): (usize, usize),
    places: &[Place],
    times: u64,
    path: &str,
) -> Result<Vec<usize>, Fault> {
    let mut questions = Vec::new();
    let mut here = from;
    let mut ask = |from, to| questions.push(Question { from, to, times, path: path.to_owned() });
    for place in places {
        let (entry, exit) = match *place {
            Place::Node(node) => (node, node),
            Place::Wire(wire) => (graph.wires[wire].from, graph.wires[wire].to),
        };
        ask(here, entry);
        here = exit;
    }
    ask(here, to);
    let legs = routes::find(graph, &questions)?;
    let mut route = Vec::new();
    for (i, leg) in legs.into_iter().enumerate() {
        route.extend(leg);
        if let Some(Place::Wire(wire)) = places.get(i) {
            route.push(*wire);
        }
    }
    let mut seen = HashSet::new();
    if let Some(&twice) = route.iter().find(|&&wire| !seen.insert(wire)) {
        let message = format!("a route that passes `{}` twice", graph.wires[twice].name);
        return Err(Mistake::new(message, "leave out what it passes again").at(path));
    }
    if route.is_empty() && from != to {
        return Err(Mistake::new("a route without a link", "name a node or a link").at(path));
    }
    Ok(route)
}
