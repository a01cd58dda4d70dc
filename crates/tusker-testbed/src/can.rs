//! What the testbed cannot do yet, or not on one machine.

use tusker_core::Rate;
use tusker_core::params::Need;
use tusker_plan::plan::Plan;

use crate::laws::kernel_name;
use crate::socket::laws;

/// Why a plan is refused, and what would be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What it asks for.
    pub what: String,
    /// A remedy.
    pub help: String,
}

/// The fastest bottleneck that two cores carry, packet by packet.
const FASTEST: Rate = Rate::from_bits_per_sec(1_500_000_000);

/// Hosts take a namespace, a device and two threads each.
const MOST_HOSTS: usize = 64;

/// Connections take two threads each, and a port.
const MOST_FLOWS: usize = 1_000;

/// Packets that hosts and sockets take, in bytes: TCP wants 88 of payload and options.
const PACKETS: std::ops::RangeInclusive<u64> = 128..=32_807;

/// Laws that `tusker kernel load` has.
const LOADED: &[&str] = &[
    "fast",
    "ghstcp",
    "ghstcp-refined",
    "hcc",
    "hstcp",
    "htcp",
    "illinois",
    "scalable",
    "westwood",
];

/// Whether the testbed can execute a plan.
///
/// # Errors
/// The first thing that it cannot.
pub fn can(plan: &Plan) -> Result<(), Refusal> {
    let refuse = |what: String, help: &str| Err(Refusal { what, help: help.to_owned() });
    if !plan.traffic.is_empty() {
        return refuse(
            "the testbed has no connections that come and go yet".to_owned(),
            "leave [[arrivals]] and [[web]] out",
        );
    }
    if !plan.background.is_empty() {
        return refuse(
            "the testbed has no traffic without congestion control yet".to_owned(),
            "leave [[background]] out",
        );
    }
    if plan.flows.len() > MOST_FLOWS {
        return refuse(
            format!("{} flows, and the testbed has room for {MOST_FLOWS}", plan.flows.len()),
            "have fewer flows",
        );
    }
    fits(plan)?;
    for spec in plan.flows.iter().map(|flow| &flow.cc) {
        if !LOADED.contains(&spec.name()) && kernel_name(spec).is_err() {
            return refuse(
                format!(
                    "this kernel has no congestion control {}, and we have none for it",
                    spec.name()
                ),
                &format!(
                    "take one of {}, or one that the kernel has: {}",
                    LOADED.join(", "),
                    laws().join(", ")
                ),
            );
        }
    }
    Ok(())
}

/// Whether a plan's links and hosts can be had on this machine, whatever is sent there.
///
/// # Errors
/// The first thing that cannot.
pub fn fits(plan: &Plan) -> Result<(), Refusal> {
    let refuse = |what: String, help: &str| Err(Refusal { what, help: help.to_owned() });
    if plan.flows.is_empty() {
        return refuse("a scenario without flows has no hosts".to_owned(), "have one [[flows]]");
    }
    for flow in &plan.flows {
        let packet = flow.tcp.packet.get();
        if !PACKETS.contains(&packet) {
            return refuse(
                format!("{} has packets of {packet} B, which no socket here sends", flow.name),
                &format!("take {} to {} bytes", PACKETS.start(), PACKETS.end()),
            );
        }
        let links = flow.route.iter().map(|&link| &plan.links[link]);
        let slowest = links.min_by_key(|link| link.rate);
        if let Some(link) = slowest.filter(|link| link.rate > FASTEST) {
            return refuse(
                format!(
                    "the slowest link of {} is {}, at {:.0} Mbit/s: the testbed carries {:.0}",
                    flow.name,
                    link.name,
                    link.rate.bits_per_sec() as f64 / 1e6,
                    FASTEST.bits_per_sec() as f64 / 1e6
                ),
                "take a lower rate, or simulate it: tusker run",
            );
        }
    }
    let mut hosts: Vec<usize> = Vec::new();
    for flow in &plan.flows {
        hosts.extend(flow.route.first().map(|&link| plan.links[link].from));
        hosts.extend(flow.route.last().map(|&link| plan.links[link].to));
    }
    hosts.sort_unstable();
    hosts.dedup();
    if hosts.len() > MOST_HOSTS {
        return refuse(
            format!("{} hosts, and the testbed has room for {MOST_HOSTS}", hosts.len()),
            "have fewer flows, or let them share hosts",
        );
    }
    let headers = plan.links.iter().find(|link| link.queue.policy.needs(Need::Headers));
    if let Some(link) = headers {
        return refuse(
            format!("{} writes into packets what no kernel reads", link.name),
            "xcp and vcp are for the simulator: tusker run",
        );
    }
    Ok(())
}
