//! What the testbed cannot do yet, or not on one machine.

use tusker_core::Rate;
use tusker_core::congestion::Spec;
use tusker_core::params::Need;
use tusker_plan::plan::{Demand, Plan, Traffic};

use crate::experiment::Client;
use crate::iperf;
use crate::laws;
use crate::ledger::PORTS;
use crate::sources::HEADERS;
use crate::ways::{flow_ends, places};

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

/// Connections under way at a time: each takes threads or open files, and a port.
const MOST_FLOWS: usize = 1_000;

/// Flows of iperf3: each is two processes.
const MOST_PAIRS: usize = 64;

/// Background sources: one thread sends for all of them.
const MOST_SOURCES: usize = 64;

/// Packets that hosts and sockets take, in bytes: TCP wants 88 of payload and options.
const PACKETS: std::ops::RangeInclusive<u64> = 128..=32_807;

/// Whether the testbed can execute a plan with this client.
///
/// # Errors
/// The first thing that it cannot.
pub fn can_with(plan: &Plan, client: Client) -> Result<(), Refusal> {
    can(plan)?;
    if client == Client::Ours {
        return Ok(());
    }
    let lasting = &plan.flows[..plan.lasting()];
    if lasting.len() > MOST_PAIRS {
        return Err(Refusal {
            what: format!(
                "{} flows, each with two processes of iperf3, and the testbed has room for \
                 {MOST_PAIRS}",
                lasting.len()
            ),
            help: "have fewer flows, or leave --client out".to_owned(),
        });
    }
    let refused = lasting.iter().find_map(|flow| Some((flow, iperf::refusal(flow)?)));
    match refused {
        None => Ok(()),
        Some((flow, why)) => Err(Refusal {
            what: format!("{} {why}", flow.name),
            help: "leave that out, or --client".to_owned(),
        }),
    }
}

/// Whether the testbed can execute a plan.
///
/// # Errors
/// The first thing that it cannot.
pub fn can(plan: &Plan) -> Result<(), Refusal> {
    if let Some(refusal) = connections(plan) {
        return Err(refusal);
    }
    if let Some(refusal) = sources(plan) {
        return Err(refusal);
    }
    links_fit(plan)?;
    hosts_fit(places(plan).len())?;
    let refused = plan.flows.iter().find_map(|flow| no_law(&flow.cc));
    refused.map_or(Ok(()), Err)
}

/// Why a law cannot be had in this kernel, whoever asks.
fn no_law(spec: &Spec) -> Option<Refusal> {
    if laws::LOADED.contains(&spec.name()) {
        return None;
    }
    if laws::kernel_name(spec).is_err() {
        return Some(Refusal {
            what: format!(
                "this kernel has no congestion control {}, and we have none for it",
                spec.name()
            ),
            help: format!(
                "take one of {}, or one that the kernel has: {}",
                laws::LOADED.join(", "),
                laws().join(", ")
            ),
        });
    }
    laws::changed(spec).map(|changed| Refusal {
        what: format!("{} of this kernel takes no parameters: {changed}", spec.name()),
        help: format!("leave them out; these take them: {}", laws::LOADED.join(", ")),
    })
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
    links_fit(plan)?;
    hosts_fit(flow_ends(plan).len())
}

fn hosts_fit(hosts: usize) -> Result<(), Refusal> {
    if hosts <= MOST_HOSTS {
        return Ok(());
    }
    Err(Refusal {
        what: format!("{hosts} hosts, and the testbed has room for {MOST_HOSTS}"),
        help: "have fewer flows, or let them share hosts".to_owned(),
    })
}

fn links_fit(plan: &Plan) -> Result<(), Refusal> {
    let refuse = |what: String, help: &str| Err(Refusal { what, help: help.to_owned() });
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
    let headers = plan.links.iter().find(|link| link.queue.policy.needs(Need::Headers));
    if let Some(link) = headers {
        return refuse(
            format!("{} writes into packets what no kernel reads", link.name),
            "xcp and vcp are for the simulator: tusker run",
        );
    }
    Ok(())
}

/// More connections than there is room for.
fn connections(plan: &Plan) -> Option<Refusal> {
    let at_a_time = |traffic: &Traffic| match &traffic.demand {
        Demand::Arrivals { .. } => traffic.slots.len(),
        // a user loads one page at a time, of one server
        Demand::Web(web) => web.sessions * web.connections,
    };
    let coming: usize = plan.traffic.iter().map(at_a_time).sum();
    let most = plan.lasting() + coming;
    if most > MOST_FLOWS {
        let what = match coming {
            0 => format!("{most} flows, and the testbed has room for {MOST_FLOWS}"),
            _ => format!(
                "{} flows and up to {coming} connections that come and go at a time, and the \
                 testbed has room for {MOST_FLOWS} together",
                plan.lasting()
            ),
        };
        let help =
            "have fewer flows; for [[arrivals]] and [[web]], fewer `connections` or `sessions`";
        return Some(Refusal { what, help: help.to_owned() });
    }
    (plan.flows.len() > PORTS).then(|| Refusal {
        what: format!(
            "{} flows and connections are planned ahead, and the testbed has ports for {PORTS}",
            plan.flows.len()
        ),
        help: "have fewer sessions, or fewer servers or connections of each".to_owned(),
    })
}

/// Sources that no socket here can be.
fn sources(plan: &Plan) -> Option<Refusal> {
    if plan.background.len() > MOST_SOURCES {
        let many = plan.background.len();
        return Some(Refusal {
            what: format!("{many} background sources, and the testbed has room for {MOST_SOURCES}"),
            help: "have fewer, each with a higher rate".to_owned(),
        });
    }
    let short = plan.background.iter().find(|source| source.packet.get() < HEADERS)?;
    Some(Refusal {
        what: format!(
            "{} has packets of {}, which is less than the headers of IP and UDP",
            short.name, short.packet
        ),
        help: format!("let them have {HEADERS} B or more"),
    })
}
