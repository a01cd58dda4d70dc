//! What the testbed cannot do yet, or cannot do on one machine.

use tusker_core::Rate;
use tusker_core::congestion::Spec;
use tusker_core::congestion::linux::loaded;
use tusker_core::params::Need;
use tusker_plan::plan::{Demand, Flow, Plan, Traffic};

use crate::experiment::Client;
use crate::iperf;
use crate::laws;
use crate::ledger::PORTS;
use crate::sources::HEADERS;
use crate::ways::{flow_ends, places};

/// Why a plan is refused, and what would be accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The part of the plan that is refused.
    pub what: String,
    /// A remedy.
    pub help: String,
}

/// The fastest bottleneck that two cores can emulate if receivers get packet by packet, and if
/// they merge segments.
const FASTEST: Rate = Rate::from_bits_per_sec(1_500_000_000);
const FASTEST_MERGED: Rate = Rate::from_bits_per_sec(2_500_000_000);

/// Each host takes a namespace, a device and two threads.
const MOST_HOSTS: usize = 64;

/// Simultaneous connections: each takes threads or open files, and a port.
const MOST_FLOWS: usize = 1_000;

/// Flows of iperf3: each needs two processes.
const MOST_PAIRS: usize = 64;

/// Background sources: one thread sends for all of them.
const MOST_SOURCES: usize = 64;

/// Packet sizes that hosts and sockets accept, in bytes: TCP needs 88 for payload and
/// options.
const PACKETS: std::ops::RangeInclusive<u64> = 128..=32_807;

/// Whether the testbed can execute a plan with this client.
///
/// # Errors
/// The first thing that it cannot do.
pub fn can_with(plan: &Plan, client: Client) -> Result<(), Refusal> {
    can(plan)?;
    if client == Client::Ours {
        return Ok(());
    }
    let lasting = &plan.flows[..plan.lasting()];
    if lasting.len() > MOST_PAIRS {
        return Err(Refusal {
            what: format!(
                "the scenario has {} flows, each with two iperf3 processes; the testbed has room for \
                 {MOST_PAIRS}",
                lasting.len()
            ),
            help: "use fewer flows, or leave --client out".to_owned(),
        });
    }
    let refused = lasting.iter().find_map(|flow| Some((flow, iperf::refusal(flow)?)));
    match refused {
        None => Ok(()),
        Some((flow, why)) => Err(Refusal {
            what: format!("{} {why}", flow.name),
            help: "leave that out of the scenario, or leave --client out".to_owned(),
        }),
    }
}

/// Whether the testbed can execute a plan.
///
/// # Errors
/// The first thing that it cannot do.
pub fn can(plan: &Plan) -> Result<(), Refusal> {
    if let Some(refusal) = connections(plan) {
        return Err(refusal);
    }
    if let Some(refusal) = sources(plan) {
        return Err(refusal);
    }
    routes_differ(plan)?;
    links_fit(plan)?;
    hosts_fit(places(plan).len())?;
    let refused = plan.flows.iter().find_map(|flow| no_law(&flow.cc));
    refused.map_or(Ok(()), Err)
}

/// The emulator finds a packet's route by its hosts and the time.
fn routes_differ(plan: &Plan) -> Result<(), Refusal> {
    let same = |a: &Flow, b: &Flow| {
        plan.ends(&a.route) != plan.ends(&b.route)
            || (a.routes().eq(b.routes()) && a.reroutes == b.reroutes)
    };
    let changing = plan.flows.iter().filter(|flow| !flow.reroutes.is_empty());
    let other = |flow: &&Flow| plan.flows.iter().any(|other| !same(flow, other));
    changing.clone().find(other).map_or(Ok(()), |flow| {
        Err(Refusal {
            what: format!(
                "{} and another flow between the same hosts take other routes",
                flow.name
            ),
            help: "give the flows access links, so that each has hosts of its own".into(),
        })
    })
}

/// Why this kernel cannot provide a law.
fn no_law(spec: &Spec) -> Option<Refusal> {
    if spec.sheet().linux.load.is_some() {
        return None;
    }
    if laws::kernel_name(spec).is_err() {
        return Some(Refusal {
            what: format!(
                "this kernel has no congestion control {}, and tusker has no kernel version of it",
                spec.name()
            ),
            help: format!(
                "use one of {}, or one that the kernel has: {}",
                loaded().collect::<Vec<_>>().join(", "),
                laws().join(", ")
            ),
        });
    }
    laws::changed(spec).map(|changed| Refusal {
        what: format!("this kernel's {} has no parameters that can be set: {changed}", spec.name()),
        help: format!(
            "leave them out, in the profile linux; these laws have parameters: {}",
            loaded().collect::<Vec<_>>().join(", ")
        ),
    })
}

/// Whether this machine can provide a plan's links and hosts, whatever is sent there.
///
/// # Errors
/// The first thing that it cannot provide.
pub fn fits(plan: &Plan) -> Result<(), Refusal> {
    let refuse = |what: String, help: &str| Err(Refusal { what, help: help.to_owned() });
    if plan.flows.is_empty() {
        return refuse("a scenario without flows has no hosts".to_owned(), "add a [[flows]]");
    }
    links_fit(plan)?;
    hosts_fit(flow_ends(plan).len())
}

fn hosts_fit(hosts: usize) -> Result<(), Refusal> {
    if hosts <= MOST_HOSTS {
        return Ok(());
    }
    Err(Refusal {
        what: format!("the scenario needs {hosts} hosts; the testbed has room for {MOST_HOSTS}"),
        help: "use fewer flows, or let them share hosts".to_owned(),
    })
}

fn links_fit(plan: &Plan) -> Result<(), Refusal> {
    let refuse = |what: String, help: &str| Err(Refusal { what, help: help.to_owned() });
    for flow in &plan.flows {
        let packet = flow.tcp.packet.get();
        if !PACKETS.contains(&packet) {
            return refuse(
                format!("{} has packets of {packet} B, which sockets here cannot send", flow.name),
                &format!("use {} to {} bytes", PACKETS.start(), PACKETS.end()),
            );
        }
        let links = flow.route.iter().map(|&link| &plan.links[link]);
        let slowest = links.min_by_key(|link| link.rate);
        let merges = flow.tcp.gro.is_some();
        let fastest = if merges { FASTEST_MERGED } else { FASTEST };
        if let Some(link) = slowest.filter(|link| link.rate > fastest) {
            return refuse(
                format!(
                    "the slowest link of {} is {}, at {:.0} Mbit/s; the testbed can carry {:.0}",
                    flow.name,
                    link.name,
                    link.rate.bits_per_sec() as f64 / 1e6,
                    fastest.bits_per_sec() as f64 / 1e6
                ),
                if merges {
                    "use a lower rate, or simulate it: tusker run"
                } else {
                    "use a lower rate, or receivers that merge segments (--set tcp.gro=true, up to \
                     2500 Mbit/s), or simulate it: tusker run"
                },
            );
        }
    }
    let headers = plan.links.iter().find(|link| link.queue.policy.needs(Need::Headers));
    if let Some(link) = headers {
        return refuse(
            format!("{} writes headers into packets that no kernel reads", link.name),
            "xcp and vcp only work in the simulator: tusker run",
        );
    }
    Ok(())
}

/// More connections than the testbed has room for.
fn connections(plan: &Plan) -> Option<Refusal> {
    let at_a_time = |traffic: &Traffic| match &traffic.demand {
        Demand::Arrivals { .. } => traffic.slots.len(),
        // a user loads one page at a time, from one server
        Demand::Web(web) => web.sessions * web.connections,
    };
    let coming: usize = plan.traffic.iter().map(at_a_time).sum();
    let most = plan.lasting() + coming;
    if most > MOST_FLOWS {
        let what = match coming {
            0 => format!("the scenario has {most} flows; the testbed has room for {MOST_FLOWS}"),
            _ => format!(
                "{} flows and up to {coming} simultaneous connections that come and go; the \
                 testbed has room for {MOST_FLOWS} in total",
                plan.lasting()
            ),
        };
        let help =
            "use fewer flows; for [[arrivals]] and [[web]], fewer `connections` or `sessions`";
        return Some(Refusal { what, help: help.to_owned() });
    }
    (plan.flows.len() > PORTS).then(|| Refusal {
        what: format!(
            "{} flows and connections are planned ahead; the testbed has ports for {PORTS}",
            plan.flows.len()
        ),
        help: "use fewer sessions, or fewer servers or connections per session".to_owned(),
    })
}

/// Sources that sockets here cannot provide.
fn sources(plan: &Plan) -> Option<Refusal> {
    if plan.background.len() > MOST_SOURCES {
        let many = plan.background.len();
        return Some(Refusal {
            what: format!(
                "the scenario has {many} background sources; the testbed has room for {MOST_SOURCES}"
            ),
            help: "use fewer, each with a higher rate".to_owned(),
        });
    }
    let short = plan.background.iter().find(|source| source.packet.get() < HEADERS)?;
    Some(Refusal {
        what: format!(
            "{} has packets of {}, less than the headers of IP and UDP",
            short.name, short.packet
        ),
        help: format!("make them {HEADERS} B or more"),
    })
}
