//! The hosts of a plan, with its settings for their endpoints.

use std::collections::BTreeMap;

use tusker_plan::observe::address;
use tusker_plan::plan::Plan;

use crate::addresses::Block;
use crate::endpoints;
use crate::error::Error;
use crate::host::Host;
use crate::laws::Names;
use crate::tun::Tun;
use crate::ways::{flow_ends, mtu, places};

/// The other ends of cables, each with the nodes of its host.
pub type Devices = Vec<(Vec<usize>, Tun)>;

/// The hosts of a plan.
pub struct Hosts {
    hosts: Vec<Host>,
    of: BTreeMap<usize, usize>,
    laws: Names,
}

impl Hosts {
    /// Makes the hosts. Also returns the other ends of their cables, by node.
    pub fn new(plan: &Plan, laws: Names) -> Result<(Self, Devices), Error> {
        let (mut hosts, mut of, mut devices) = (Vec::new(), BTreeMap::new(), Vec::new());
        for (number, nodes) in places(plan).into_iter().enumerate() {
            let (host, tun) = Host::new(&plan.nodes[nodes[0]], address(nodes[0]), mtu(plan))?;
            nodes[1..].iter().try_for_each(|&node| host.also(address(node)))?;
            endpoints::set(plan, &nodes, &host)?;
            of.extend(nodes.iter().map(|&node| (node, number)));
            hosts.push(host);
            devices.push((nodes, tun));
        }
        Ok((Self { hosts, of, laws }, devices))
    }

    /// The kernel's names of the plan's laws.
    pub fn laws(&self) -> &Names {
        &self.laws
    }

    /// Packets that did not fit into the hosts' devices.
    pub fn dropped(&self) -> Result<u64, Error> {
        self.hosts.iter().map(Host::dropped).sum()
    }

    /// The host of a node, if it has one.
    pub fn of(&self, node: usize) -> &Host {
        &self.hosts[self.of[&node]]
    }
}

/// A host for each node where a flow of a plan starts or ends, by node, with the settings
/// that all hosts have, and addresses of this block. The host of the node `within` is this
/// process's own namespace.
pub fn each_host(
    plan: &Plan,
    block: Block,
    within: Option<usize>,
) -> Result<(BTreeMap<usize, Host>, Devices), Error> {
    let (mut hosts, mut devices) = (BTreeMap::new(), Devices::new());
    for node in flow_ends(plan) {
        let (name, address) = (&plan.nodes[node], block.address(node));
        let (host, tun) = if within == Some(node) {
            Host::here(name, address, mtu(plan))?
        } else {
            let (host, tun) = Host::new(name, address, mtu(plan))?;
            (host.with_six(), tun)
        };
        hosts.insert(node, host);
        devices.push((vec![node], tun));
    }
    Ok((hosts, devices))
}
