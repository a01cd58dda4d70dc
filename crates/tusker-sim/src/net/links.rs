//! Makes hops and stations from a plan's links, and finds the flows that use them.

use tusker_core::Duration;
use tusker_path::{Hop, Schedule, Setup, Station};
use tusker_plan::plan::{self, Limit, Plan};

use crate::stage::Stage;

/// The flows whose data crosses a link.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Use {
    flows: u32,
    /// These, those whose ACKs cross it, and the background sources.
    sources: u32,
    /// Those that last for the whole run.
    pub(super) lasting: u32,
    /// See [`Plan::batched`].
    batched: bool,
    /// It is the slowest link of a route that shares no link with another, so its queue
    /// matters. (If links are shared, only the shared links' queues do.)
    slowest: bool,
    /// Results may report it as the bottleneck although it is not shared: no link of its route is
    /// slower, or the rates change.
    bottleneck: bool,
    /// The longest base RTT of these flows: losses closer together than this
    /// are one episode.
    pub(super) longest: Duration,
}

pub(super) fn uses(plan: &Plan) -> Vec<Use> {
    let mut uses = vec![Use::default(); plan.links.len()];
    for flow in &plan.flows {
        let links = flow.route.iter().chain(&flow.reverse);
        let rtt = links.fold(Duration::ZERO, |sum, &l| sum + plan.links[l].propagation());
        for &link in flow.routes().flatten() {
            uses[link].flows += 1;
            uses[link].sources += 1;
            uses[link].lasting += u32::from(flow.application.is_some());
            uses[link].longest = uses[link].longest.max(rtt);
        }
    }
    let acks = plan.flows.iter().flat_map(|flow| flow.reverses().flatten());
    for &link in acks.chain(plan.background.iter().flat_map(|source| &source.route)) {
        uses[link].sources += 1;
    }
    for (used, batched) in uses.iter_mut().zip(plan.batched()) {
        used.batched = batched;
    }
    // with several routes, or connections that come and go, it may be any
    let any = !plan.traffic.is_empty() || plan.flows.iter().any(|flow| !flow.reroutes.is_empty());
    uses.iter_mut().for_each(|used| used.bottleneck = any);
    let routes = plan.flows.iter().map(|flow| &flow.route);
    for route in routes.chain(plan.background.iter().map(|source| &source.route)) {
        if route.iter().any(|&link| uses[link].flows > 1) {
            continue;
        }
        if let Some(&slowest) = route.iter().min_by_key(|&&link| plan.links[link].rate) {
            uses[slowest].slowest = true;
            let slowest = plan.links[slowest].rate;
            let steady = route.iter().all(|&link| plan.links[link].is_steady());
            for &link in route {
                uses[link].bottleneck |= !steady || plan.links[link].rate == slowest;
            }
        }
    }
    uses
}

/// What stations know about the packets of a flow or of a background source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sender {
    /// The nodes at which they begin and end.
    pub from: u32,
    pub to: u32,
    /// The DSCP of data, or of the source's packets.
    pub dscp: u8,
}

/// That of each flow, and of each background source behind them.
pub(super) fn senders_of(plan: &Plan) -> Vec<Sender> {
    let flows = plan.flows.iter().map(|flow| (&flow.route, flow.tcp.dscp));
    let sources = plan.background.iter().map(|source| (&source.route, source.dscp));
    let sender = |(route, dscp): (&Vec<usize>, u8)| {
        let (from, to) = plan.ends(route);
        Sender { from: from as u32, to: to as u32, dscp }
    };
    flows.chain(sources).map(sender).collect()
}

/// How long before its deadline a delayed ACK may enter its ring if its causes are computed
/// ahead of the clock: a nanosecond, if the last link takes at least that long for any
/// segment.
pub(super) fn ack_lead(plan: &Plan, flow: &plan::Flow) -> Duration {
    let last = flow.route.last().map(|&link| &plan.links[link]);
    let smallest = flow.tcp.header.min(flow.tcp.packet);
    last.map_or(Duration::ZERO, |link| link.shortest(smallest).min(Duration::from_nanos(1)))
}

/// `batches` divides the measuring window into batches, `window` does not.
pub(super) fn stage(
    plan: &Plan,
    index: usize,
    used: &Use,
    seed: u64,
    [batches, window]: [&Schedule; 2],
) -> Stage {
    let schedule = Some(if used.batched { batches } else { window }.clone());
    let link = &plan.links[index];
    let limit = link.queue.limit;
    let matters = used.flows > 1 || used.slowest;
    let traced = plan.trace.links.contains(&index);
    let setup = Setup {
        observed: matters || traced || matches!(limit, Limit::Backpressure(_)),
        sampled: matters || used.sources > 1 || used.bottleneck || traced,
        // the same whether the link is traced or not
        waits: matters || used.sources > 1 && limit.drops(),
        ..link.setup(seed)
    };
    if link.queue.acts_at_departure() {
        Stage::Station(Box::new(Station::new(setup, schedule)))
    } else {
        Stage::Hop(Hop::new(setup, schedule))
    }
}
