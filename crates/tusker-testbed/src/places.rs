//! Which nodes of a plan become which hosts.
//!
//! A node where flows or sources are at home is a host of its own. Those that are there
//! for connections that come and go alone are many and idle most of the time: the senders
//! among them share one host, and the receivers another, each node with its own address.

use std::collections::{BTreeMap, BTreeSet};

use tusker_plan::plan::Plan;

use crate::endpoints;
use crate::error::Error;
use crate::flows::mtu;
use crate::host::Host;
use crate::pump::address;
use crate::tun::Tun;

/// First and last node of a way.
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
    // what is sent and received on one host never meets the network
    own.extend(senders.intersection(&receivers));
    let rest = |nodes: &BTreeSet<usize>| nodes.difference(&own).copied().collect();
    let shared: [Vec<usize>; 2] = [rest(&senders), rest(&receivers)];
    let own = own.iter().map(|&node| vec![node]);
    own.chain(shared.into_iter().filter(|nodes| !nodes.is_empty())).collect()
}

/// The other ends of cables, each with the nodes of its host.
pub type Devices = Vec<(Vec<usize>, Tun)>;

/// The hosts of a plan.
pub struct Hosts {
    hosts: Vec<Host>,
    of: BTreeMap<usize, usize>,
}

impl Hosts {
    /// Makes them; with the other ends of their cables, by their nodes.
    pub fn new(plan: &Plan) -> Result<(Self, Devices), Error> {
        let (mut hosts, mut of, mut devices) = (Vec::new(), BTreeMap::new(), Vec::new());
        for (number, nodes) in places(plan).into_iter().enumerate() {
            let (host, tun) = Host::new(&plan.nodes[nodes[0]], address(nodes[0]), mtu(plan))?;
            nodes[1..].iter().try_for_each(|&node| host.also(address(node)))?;
            endpoints::set(plan, &nodes, &host)?;
            of.extend(nodes.iter().map(|&node| (node, number)));
            hosts.push(host);
            devices.push((nodes, tun));
        }
        Ok((Self { hosts, of }, devices))
    }

    /// Packets of all hosts that their devices had no room for.
    pub fn dropped(&self) -> Result<u64, Error> {
        self.hosts.iter().map(Host::dropped).sum()
    }

    /// The host of a node that has one.
    pub fn of(&self, node: usize) -> &Host {
        &self.hosts[self.of[&node]]
    }
}

/// A host for each node where a flow of a plan begins or ends, by their nodes, with the
/// settings that all hosts have.
pub fn each_host(plan: &Plan) -> Result<(BTreeMap<usize, Host>, Devices), Error> {
    let (mut hosts, mut devices) = (BTreeMap::new(), Devices::new());
    for node in flow_ends(plan) {
        let (host, tun) = Host::new(&plan.nodes[node], address(node), mtu(plan))?;
        hosts.insert(node, host);
        devices.push((vec![node], tun));
    }
    Ok((hosts, devices))
}

/// Nodes where a flow of a plan begins or ends.
pub fn flow_ends(plan: &Plan) -> BTreeSet<usize> {
    plan.flows.iter().flat_map(|flow| ends(plan, &flow.route)).collect()
}
