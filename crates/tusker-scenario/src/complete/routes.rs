//! Shortest paths by delay; ties by hops, then by the order of the links.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::graph::Graph;
use crate::error::{Fault, Mistake};

/// Links on all routes together; about 8 bytes each.
const MAX_STEPS: u64 = 20_000_000;

/// Traffic sources times links, the cost of finding all routes.
const MAX_SEARCH: u64 = 200_000_000;

/// A request for a route.
pub struct Question {
    pub from: usize,
    pub to: usize,
    /// How often it is used.
    pub times: u64,
    /// The path for errors.
    pub path: String,
}

/// The wires of each route, in the order of the requests.
pub fn find(graph: &Graph, questions: &[Question]) -> Result<Vec<Vec<usize>>, Fault> {
    let mut by_source: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, question) in questions.iter().enumerate() {
        by_source.entry(question.from).or_default().push(number);
    }
    let size = |n: usize| n as u64;
    if size(by_source.len()) * size(graph.wires.len() + graph.nodes.len()) > MAX_SEARCH {
        let (sources, links) = (by_source.len(), graph.wires.len());
        let message = format!("routes from {sources} nodes over {links} links");
        return Err(Mistake::new(message, "too much to search; use a smaller graph").at("links"));
    }
    let mut leaving = vec![Vec::new(); graph.nodes.len()];
    for (w, wire) in graph.wires.iter().enumerate() {
        leaving[wire.from].push(w);
    }
    let mut routes = vec![Vec::new(); questions.len()];
    let mut steps = 0_u64;
    for (&from, numbers) in &by_source {
        let tree = tree(graph, &leaving, from);
        for &number in numbers {
            let question = &questions[number];
            let mut route = Vec::new();
            let mut here = question.to;
            while here != from {
                let Some(w) = tree[here] else {
                    return Err(unreachable(graph, question, &tree));
                };
                route.push(w);
                here = graph.wires[w].from;
            }
            let links = size(route.len()) + 2;
            steps = steps.saturating_add(question.times.saturating_mul(links));
            if steps > MAX_STEPS {
                let message = format!("all routes together have more than {MAX_STEPS} links");
                let mistake = Mistake::new(message, "fewer flows, or shorter paths");
                return Err(mistake.at(&*question.path));
            }
            route.reverse();
            routes[number] = route;
        }
    }
    Ok(routes)
}

/// For each node the last wire on the path to it (Dijkstra).
fn tree(graph: &Graph, leaving: &[Vec<usize>], from: usize) -> Vec<Option<usize>> {
    const FAR: (u128, u32) = (u128::MAX, u32::MAX);
    let mut best = vec![FAR; leaving.len()];
    let mut last = vec![None; leaving.len()];
    let mut heap = BinaryHeap::from([Reverse(((0, 0), from))]);
    best[from] = (0, 0);
    while let Some(Reverse((cost, node))) = heap.pop() {
        if cost > best[node] {
            continue;
        }
        for &w in &leaving[node] {
            let wire = &graph.wires[w];
            let next = (cost.0 + u128::from(wire.delay.first().nanos()), cost.1 + 1);
            if next < best[wire.to] {
                heap.push(Reverse((next, wire.to)));
                best[wire.to] = next;
                last[wire.to] = Some(w);
            } else if next == best[wire.to] && last[wire.to].is_some_and(|old| w < old) {
                last[wire.to] = Some(w);
            }
        }
    }
    last
}

fn unreachable(graph: &Graph, question: &Question, tree: &[Option<usize>]) -> Fault {
    let (from, to) = (&graph.nodes[question.from], &graph.nodes[question.to]);
    let reached = graph.nodes.iter().zip(tree).filter(|(_, last)| last.is_some());
    let some: Vec<&str> = reached.map(|(node, _)| node.as_str()).take(8).collect();
    let help = if some.is_empty() {
        format!("no link leaves `{from}`")
    } else {
        format!("`{from}` reaches {}", some.join(", "))
    };
    Mistake::new(format!("no route from `{from}` to `{to}`"), help).at(&*question.path)
}
