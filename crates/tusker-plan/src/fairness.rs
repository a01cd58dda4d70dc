//! Max-min fair rates and Jain's index.
//!
//! Max-min fairness (Bertsekas and Gallager, *Data Networks*, section 6.5.2): no flow's rate
//! can be raised without lowering that of a flow whose rate is no higher. Computed by
//! water-filling: raise all rates together; whenever a link is full, freeze the flows through
//! it; also freeze a flow once it has all that its buffers allow.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tusker_core::Bytes;

use crate::plan::{Flow, Link, Plan};

/// The max-min fair rate of each flow of a plan, in bit/s on the wire. Slots of
/// connections that come and go have none: 0.
///
/// A link counts with its average rate over the measuring window, or the rate of the token
/// bucket before it if that is less. Background
/// sources and connections that come and go take their mean rate first. Every other
/// flow counts as greedy and always present, up to what its buffers allow
/// ([`most`]): sizes, starts, stops and the traffic of ACKs are ignored.
pub fn max_min(plan: &Plan) -> Vec<f64> {
    let flows = plan.flows[..plan.lasting()].iter();
    let wants: Vec<Want<'_>> =
        flows.map(|flow| Want { route: &flow.route, most: most(plan, flow) }).collect();
    let mut rates = fill(plan, &wants);
    rates.resize(plan.flows.len(), 0.0);
    rates
}

/// The max-min fair rate of each application flow: its parallel connections
/// count as one, with the buffers of all.
pub fn max_min_applications(plan: &Plan) -> Vec<f64> {
    let mut wants = vec![Want { route: &[], most: 0.0 }; plan.applications.len()];
    for flow in &plan.flows {
        if let Some(application) = flow.application {
            wants[application].route = &flow.route;
            wants[application].most += most(plan, flow);
        }
    }
    fill(plan, &wants)
}

/// The mean rate at which a flow's application writes, or the most that its buffers
/// allow if that is less, in bit/s on the wire. Buffers allow as many whole
/// segments as fit into the smaller of the two, at least one, per [`base_rtt`].
/// Infinite without a limit.
pub fn most(plan: &Plan, flow: &Flow) -> f64 {
    let written = flow
        .app
        .as_ref()
        .map_or(f64::INFINITY, |app| app.mean_segments(flow) * flow.tcp.packet.get() as f64 * 8.0);
    written.min(by_buffers(plan, flow))
}

fn by_buffers(plan: &Plan, flow: &Flow) -> f64 {
    let Some(buffer) = flow.tcp.largest_window() else { return f64::INFINITY };
    let segments = (buffer.get() / flow.tcp.payload().get().max(1)).max(1);
    segments as f64 * flow.tcp.packet.get() as f64 * 8.0 / base_rtt(plan, flow)
}

/// The shortest round trip of a full segment and its ACK, in seconds: propagation
/// and transmission in both directions with empty queues.
pub fn base_rtt(plan: &Plan, flow: &Flow) -> f64 {
    let along = |route: &[usize], size: Bytes| -> f64 {
        route.iter().map(|&l| plan.links[l].shortest(size).secs()).sum()
    };
    along(&flow.route, flow.tcp.packet) + along(&flow.reverse, flow.tcp.ack)
}

/// Bandwidth-delay product of a flow in segments: what its path holds at its fair
/// rate.
pub fn bdp(plan: &Plan, flow: &Flow, fair: f64) -> f64 {
    fair * base_rtt(plan, flow) / (flow.tcp.packet.get() as f64 * 8.0)
}

/// The input of water-filling.
#[derive(Clone, Copy, Debug)]
struct Want<'a> {
    route: &'a [usize],
    /// Upper limit of its rate.
    most: f64,
}

fn fill(plan: &Plan, wants: &[Want<'_>]) -> Vec<f64> {
    let links = plan.links.iter().map(|link| Filling {
        left: mean_rate(plan, link).min(link.queue.token_rate()),
        flows: Vec::new(),
        open: 0,
    });
    let mut links: Vec<Filling> = links.collect();
    let mut take = |link: usize, rate: f64| links[link].left = (links[link].left - rate).max(0.0);
    for source in &plan.background {
        source.route.iter().for_each(|&link| take(link, source.mean_rate()));
    }
    for traffic in &plan.traffic {
        let each = traffic.mean_rate / traffic.slots.len() as f64;
        for slot in &plan.flows[traffic.slots.clone()] {
            slot.route.iter().for_each(|&link| take(link, each));
        }
    }
    for (i, want) in wants.iter().enumerate() {
        for &link in want.route {
            links[link].flows.push(i);
            links[link].open += 1;
        }
    }
    // a flow's own limit is like a link that only it uses
    for (i, want) in wants.iter().enumerate().filter(|(_, want)| want.most.is_finite()) {
        links.push(Filling { left: want.most, flows: vec![i], open: 1 });
    }
    let mut rates: Vec<Option<f64>> = vec![None; wants.len()];
    // the level at which a link fills up only rises while others freeze, so a level
    // that is too low is recomputed when its turn comes
    let mut turns: BinaryHeap<Reverse<(u64, usize)>> = BinaryHeap::new();
    let note = |level: f64, link: usize| Reverse((level.to_bits(), link));
    for (i, link) in links.iter().enumerate().filter(|(_, link)| link.open > 0) {
        turns.push(note(link.level(), i));
    }
    while let Some(Reverse((noted, i))) = turns.pop() {
        if links[i].open == 0 {
            continue;
        }
        let level = links[i].level();
        if level.to_bits() > noted {
            turns.push(note(level, i));
            continue;
        }
        for flow in std::mem::take(&mut links[i].flows) {
            if rates[flow].is_none() {
                rates[flow] = Some(level);
                for &link in wants[flow].route {
                    links[link].left = (links[link].left - level).max(0.0);
                    links[link].open -= 1;
                }
            }
        }
    }
    rates.into_iter().map(|rate| rate.unwrap_or(f64::INFINITY)).collect()
}

/// What a link can carry over the measuring window, in bit/s.
pub fn mean_rate(plan: &Plan, link: &Link) -> f64 {
    if link.is_steady() {
        return link.rate.bits_per_sec() as f64;
    }
    let window = plan.measure_to.since(plan.measure_from).secs();
    // nothing may be carried in the window
    link.capacity(plan.measure_from, plan.measure_to).max(1.0) / window
}

/// A link while rates rise.
struct Filling {
    /// Capacity left by frozen flows.
    left: f64,
    flows: Vec<usize>,
    /// Number of flows that are not frozen.
    open: usize,
}

impl Filling {
    fn level(&self) -> f64 {
        self.left / self.open as f64
    }
}

/// Jain's fairness index (Jain, Chiu and Hawe 1984): `(sum x)^2 / (n sum x^2)`,
/// from 1/n if one has everything to 1 if all have the same. For shares relative to fair rates,
/// divide each rate by its [`max_min`] rate first. NaN if there is nothing to compare.
pub fn jain(x: &[f64]) -> f64 {
    let sum: f64 = x.iter().sum();
    let squares: f64 = x.iter().map(|x| x * x).sum();
    let index = sum * sum / (x.len() as f64 * squares);
    // for equal shares, rounding may give a result just above 1
    if index > 1.0 && index < 1.0 + 1e-9 { 1.0 } else { index }
}
