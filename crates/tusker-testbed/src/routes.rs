//! Routes between all hosts, including pairs without a flow in the plan.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tusker_plan::plan::Plan;

/// The links from each of these nodes to each other, if connected; the shortest route by
/// delay, then by hops, then by the order of the links, as in scenarios.
pub fn between(plan: &Plan, nodes: &[usize]) -> Vec<Vec<usize>> {
    let mut ways = Vec::new();
    for &from in nodes {
        let last = last_links(plan, from);
        for &to in nodes.iter().filter(|&&to| to != from) {
            let mut way = Vec::new();
            let mut here = to;
            while let Some(link) = last[here].filter(|_| here != from) {
                way.push(link);
                here = plan.links[link].from;
            }
            if here == from {
                way.reverse();
                ways.push(way);
            }
        }
    }
    ways
}

/// For each node the last link on the route to it (Dijkstra).
fn last_links(plan: &Plan, from: usize) -> Vec<Option<usize>> {
    let mut best = vec![None; plan.nodes.len()];
    let mut last = vec![None; plan.nodes.len()];
    let mut heap = BinaryHeap::from([Reverse((0_u64, 0_u32, from))]);
    best[from] = Some((0, 0));
    while let Some(Reverse((delay, hops, node))) = heap.pop() {
        if best[node].is_some_and(|best| best < (delay, hops)) {
            continue;
        }
        for (number, link) in plan.links.iter().enumerate().filter(|(_, link)| link.from == node) {
            let next = (delay.saturating_add(link.propagation().nanos()), hops + 1);
            match best[link.to] {
                Some(old) if old < next => {}
                Some(old) if old == next => {
                    if last[link.to].is_some_and(|other| number < other) {
                        last[link.to] = Some(number);
                    }
                }
                _ => {
                    best[link.to] = Some(next);
                    last[link.to] = Some(number);
                    heap.push(Reverse((next.0, next.1, link.to)));
                }
            }
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use tusker_scenario::Scenario;

    #[test]
    fn every_host_reaches_every_other_by_the_shortest_way() {
        let text = "profile = 'linux'\nduration = '10s'\n\
            [dumbbell]\nrate = '12Mbit'\ndelay = '10ms'\nqueue = '20pkt'\n\
            access = { rate = '1Gbit', delay = '1ms' }\n\
            [[flows]]\nname = 'a'\ncc = 'reno'\ncount = 2\n";
        let plan = Scenario::parse("test.toml", text, &[]).and_then(|s| s.plan()).unwrap();
        let ends = |flow: usize| {
            let route = &plan.flows[flow].route;
            (plan.links[route[0]].from, plan.links[route[route.len() - 1]].to)
        };
        let nodes = [ends(0).0, ends(0).1, ends(1).0, ends(1).1];
        let ways = between(&plan, &nodes);
        // 4 hosts: 12 pairs
        assert_eq!(ways.len(), 12);
        for flow in &plan.flows {
            assert!(ways.contains(&flow.route) && ways.contains(&flow.reverse));
        }
        // both senders are behind the same router
        let between_senders = ways.iter().find(|way| {
            plan.links[way[0]].from == nodes[0] && plan.links[way[way.len() - 1]].to == nodes[2]
        });
        assert_eq!(between_senders.map(Vec::len), Some(2));
    }
}
