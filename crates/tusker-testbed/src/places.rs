//! The hosts of a plan, with its settings for their endpoints.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

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
    block: Block,
}

impl Hosts {
    /// Makes the hosts. Also returns the other ends of their cables, by node.
    pub fn new(plan: &Plan, laws: Names) -> Result<(Self, Devices), Error> {
        let mut hosts = Self::none(laws, Block::default());
        let mut devices = Devices::new();
        for nodes in places(plan) {
            let (host, tun) = Host::new(&plan.nodes[nodes[0]], hosts.address(nodes[0]), mtu(plan))?;
            hosts.add(plan, host, &nodes)?;
            devices.push((nodes, tun));
        }
        Ok((hosts, devices))
    }

    /// A host for each node where a flow of a plan starts or ends, with the settings that all
    /// hosts have, and addresses of this block. The host of the node `within` is this process's
    /// own namespace.
    pub fn bare(
        plan: &Plan,
        block: Block,
        within: Option<usize>,
    ) -> Result<(Self, Devices), Error> {
        let places = flow_ends(plan).into_iter().map(|node| vec![node]).collect();
        Self::behind(plan, places, Self::none(Names::default(), block), within, false)
    }

    /// The same for the hosts of all that the plan sends, with its settings for them. These laws
    /// were loaded for it.
    pub fn with_flows(
        plan: &Plan,
        laws: Names,
        block: Block,
        within: Option<usize>,
    ) -> Result<(Self, Devices), Error> {
        Self::behind(plan, places(plan), Self::none(laws, block), within, true)
    }

    fn none(laws: Names, block: Block) -> Self {
        Self { hosts: Vec::new(), of: BTreeMap::new(), laws, block }
    }

    fn behind(
        plan: &Plan,
        places: Vec<Vec<usize>>,
        mut hosts: Self,
        within: Option<usize>,
        set: bool,
    ) -> Result<(Self, Devices), Error> {
        let mut devices = Devices::new();
        for nodes in places {
            let (name, address) = (&plan.nodes[nodes[0]], hosts.address(nodes[0]));
            let here = within.is_some_and(|node| nodes.contains(&node));
            let (host, tun) = if here {
                Host::here(name, address, mtu(plan))?
            } else {
                let (host, tun) = Host::new(name, address, mtu(plan))?;
                (host.with_six(), tun)
            };
            // this process's own namespace has the settings of another network
            if set && !here {
                hosts.add(plan, host, &nodes)?;
            } else {
                hosts.push(host, &nodes)?;
            }
            devices.push((nodes, tun));
        }
        Ok((hosts, devices))
    }

    /// With the plan's settings.
    fn add(&mut self, plan: &Plan, host: Host, nodes: &[usize]) -> Result<(), Error> {
        self.push(host, nodes)?;
        endpoints::set(plan, nodes, self.of(nodes[0]))
    }

    fn push(&mut self, host: Host, nodes: &[usize]) -> Result<(), Error> {
        nodes[1..].iter().try_for_each(|&node| host.also(self.address(node)))?;
        self.of.extend(nodes.iter().map(|&node| (node, self.hosts.len())));
        self.hosts.push(host);
        Ok(())
    }

    /// The kernel's names of the plan's laws.
    pub fn laws(&self) -> &Names {
        &self.laws
    }

    /// The address of a node.
    pub fn address(&self, node: usize) -> Ipv4Addr {
        self.block.address(node)
    }

    /// The nodes that have hosts.
    pub fn nodes(&self) -> impl Iterator<Item = usize> {
        self.of.keys().copied()
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
