//! Where a plan's flows start and end, and which of its nodes become which hosts.
//!
//! A node where lasting flows or sources are attached becomes a host of its own. Nodes that
//! serve only connections that come and go are many and mostly idle: all senders among them
//! share one host, and all receivers another, each node with its own address.

use std::collections::BTreeSet;

use tusker_plan::plan::Plan;

/// First and last node of a route.
pub fn ends(plan: &Plan, route: &[usize]) -> [usize; 2] {
    let first = route.first().expect("there is a way");
    let last = route.last().expect("there is a way");
    [plan.links[*first].from, plan.links[*last].to]
}

/// Nodes of each host, in ascending order.
pub fn places(plan: &Plan) -> Vec<Vec<usize>> {
    let (lasting, slots) = plan.flows.split_at(plan.lasting());
    let routes = lasting.iter().map(|flow| &flow.route);
    let routes = routes.chain(plan.background.iter().map(|source| &source.route));
    let mut own: BTreeSet<usize> = routes.flat_map(|route| ends(plan, route)).collect();
    let slots = || slots.iter().map(|flow| ends(plan, &flow.route));
    let senders: BTreeSet<usize> = slots().map(|[from, _]| from).collect();
    let receivers: BTreeSet<usize> = slots().map(|[_, to]| to).collect();
    // traffic within one host would never cross the network
    own.extend(senders.intersection(&receivers));
    let rest = |nodes: &BTreeSet<usize>| nodes.difference(&own).copied().collect();
    let shared: [Vec<usize>; 2] = [rest(&senders), rest(&receivers)];
    let own = own.iter().map(|&node| vec![node]);
    own.chain(shared.into_iter().filter(|nodes| !nodes.is_empty())).collect()
}

/// Nodes where a flow of a plan starts or ends.
pub fn flow_ends(plan: &Plan) -> BTreeSet<usize> {
    plan.flows.iter().flat_map(|flow| ends(plan, &flow.route)).collect()
}

/// The largest packet of a plan in bytes; [`crate::can()`] ensures that it fits IPv4.
pub fn mtu(plan: &Plan) -> u16 {
    let packets = plan.flows.iter().map(|flow| flow.tcp.packet.get());
    let packets = packets.chain(plan.background.iter().map(|source| source.packet.get()));
    packets.max().map_or(1500, |packet| u16::try_from(packet).unwrap_or(u16::MAX))
}
