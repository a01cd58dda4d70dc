//! Which host the shell runs on, and which host is its peer.

use serde_json::{Value, json};
use tusker_plan::plan::{Flow, Plan};
use tusker_testbed::Shell;

use crate::args::ShellArgs;
use crate::failure::Failure;

/// Two nodes of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Where the shell is.
    pub node: usize,
    /// The other end of a flow from or to there.
    pub peer: usize,
    /// The first flow from there, or else the first to there.
    pub flow: usize,
}

impl Choice {
    /// The sender of the first flow, or of that one; or a host.
    pub fn of(plan: &Plan, args: &ShellArgs) -> Result<Self, Failure> {
        if let Some(name) = &args.host {
            return Self::at(plan, name);
        }
        let Some(name) = &args.flow else { return Ok(Self::sender(plan, 0)) };
        let is = |flow: &Flow| flow.name == *name || plan.groups[flow.group] == *name;
        let found = plan.flows.iter().position(is);
        let flow = found.ok_or_else(|| Failure::unknown("flow", name, plan.groups.iter()))?;
        Ok(Self::sender(plan, flow))
    }

    fn sender(plan: &Plan, flow: usize) -> Self {
        let [node, peer] = ends(plan, &plan.flows[flow]);
        Self { node, peer, flow }
    }

    /// At the host of this name.
    pub fn at(plan: &Plan, name: &str) -> Result<Self, Failure> {
        let node = plan.nodes.iter().position(|node| node == name);
        node.and_then(|node| Self::on(plan, node)).ok_or_else(|| {
            let mut hosts: Vec<usize> =
                plan.flows.iter().flat_map(|flow| ends(plan, flow)).collect();
            hosts.sort_unstable();
            hosts.dedup();
            Failure::unknown("host", name, hosts.iter().map(|&host| &plan.nodes[host]))
        })
    }

    /// At a node, if that is a host.
    pub fn on(plan: &Plan, node: usize) -> Option<Self> {
        let of = |end: usize| plan.flows.iter().position(|f| ends(plan, f)[end] == node);
        let (flow, end) = of(0).map(|flow| (flow, 0)).or_else(|| of(1).map(|flow| (flow, 1)))?;
        Some(Self { node, peer: ends(plan, &plan.flows[flow])[1 - end], flow })
    }
}

/// Sender and receiver.
fn ends(plan: &Plan, flow: &Flow) -> [usize; 2] {
    let (first, last) = (flow.route[0], flow.route[flow.route.len() - 1]);
    [plan.links[first].from, plan.links[last].to]
}

/// All hosts, as `--join` is told of them.
pub fn described(plan: &Plan, shell: &Shell<'_>, choice: &Choice) -> Value {
    let host = |(node, name, address, file): (usize, &str, std::net::Ipv4Addr, i32)| {
        let peer = if node == choice.peer { choice.node } else { on(plan, node) };
        json!({
            "name": name,
            "address": address.to_string(),
            "file": file,
            "environment": super::environment(shell, node, peer),
            "names": shell.names(peer),
        })
    };
    json!({
        "hosts": shell.hosts().map(host).collect::<Vec<_>>(),
        "joins": plan.nodes[choice.peer],
    })
}

fn on(plan: &Plan, node: usize) -> usize {
    Choice::on(plan, node).map_or(node, |choice| choice.peer)
}

/// All hosts, for anyone who looks.
pub fn table(shell: &Shell<'_>, choice: &Choice) -> String {
    let width = shell.hosts().map(|host| host.1.len()).max().unwrap_or(0);
    let line = |(node, name, address, _): (usize, &str, std::net::Ipv4Addr, i32)| {
        let role = match node {
            node if node == choice.node => "  here",
            node if node == choice.peer => "  peer",
            _ => "",
        };
        format!("{name:width$}  {address}{role}")
    };
    shell.hosts().map(line).collect::<Vec<_>>().join("\n")
}
