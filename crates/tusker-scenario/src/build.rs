//! From a completed graph form to a plan.

use std::collections::HashSet;

use tusker_core::wire::Loss;
use tusker_core::{Bytes, Duration, Time, congestion, queue};

use super::comings;
use super::draws::Spread;
use super::error::{Fault, Mistake, nearest, quote};
use super::expand::{find, spec};
use super::forms::{Queue, Start, TraceLinks};
use super::layout::Layout;
use super::model::{Flows, Scenario};
use super::profile;
use super::text::{Limit, Text};
use tusker_plan::plan::{self, Plan};

/// Numbers that a trace may hold; 8 bytes each.
const MAX_TRACED: u128 = 200_000_000;

pub(super) const SAID: &str = "expansion says it";

/// The plan of a scenario that was expanded and completed.
pub(super) fn plan(s: &Scenario, layout: &Layout) -> Result<Plan, Fault> {
    let measure = s.measure.expect(SAID);
    let groups = s.flows.iter().map(|group| &group.name);
    let groups = groups.chain(s.arrivals.iter().map(|a| &a.name));
    let groups = groups.chain(s.web.iter().map(|w| &w.name));
    let mut plan = Plan {
        nodes: s.nodes.clone(),
        links: Vec::new(),
        groups: groups.map(ToOwned::to_owned).collect(),
        flows: Vec::new(),
        applications: Vec::new(),
        traffic: Vec::new(),
        background: Vec::new(),
        end: time(s.duration.0),
        measure_from: time(measure.from.0),
        measure_to: time(measure.to.expect(SAID).0),
        trace: plan::Trace::default(),
    };
    for wire in &layout.wires {
        plan.links.push(plan::Link {
            name: wire.name.clone(),
            from: wire.from,
            to: wire.to,
            rate: wire.rate,
            pace: wire.pace(s),
            delay: wire.delay,
            queue: build_queue(wire.queue(s), &wire.path("queue"))?,
            loss: wire.loss(s),
            jitter: wire.jitter(s),
        });
    }
    for (number, flows) in s.flows.iter().enumerate() {
        let path = format!("flows.{number}");
        add_group(&mut plan, s, layout, Group { number, flows, path })?;
    }
    for i in 0..s.arrivals.len() {
        comings::add_arrivals(&mut plan, s, layout, i)?;
    }
    for i in 0..s.web.len() {
        comings::add_web(&mut plan, s, layout, i)?;
    }
    for (b, route) in s.background.iter().zip(&layout.background) {
        let count = b.count.expect(SAID);
        for i in 0..count {
            plan.background.push(plan::Background {
                name: if count == 1 { b.name.clone() } else { format!("{}.{i}", b.name) },
                route: route.clone(),
                rate: b.rate.0,
                packet: b.packet.expect(SAID).0,
                pattern: match (b.on, b.off, b.share) {
                    (.., Some(share)) => {
                        plan::Pattern::Vbr { share, period: b.period.expect(SAID).0 }
                    }
                    (Some(Text(on)), Some(Text(off)), _) => plan::Pattern::OnOff { on, off },
                    _ => plan::Pattern::Constant { jitter: b.jitter.unwrap_or(0.0) },
                },
                start: start(b.start.expect(SAID), i),
                stop: b.stop.map(|stop| time(stop.0)),
            });
        }
    }
    check_names(&plan)?;
    plan.trace = trace(s, &plan)?;
    if plan.end > plan.horizon() {
        let hours = plan.horizon().secs() / 3600.0;
        return Err(Mistake::new(
            "an experiment too long for so many flows",
            format!("at most {hours:.1} h with this topology, or fewer flows"),
        )
        .at("duration"));
    }
    Ok(plan)
}

pub(super) fn time(since_start: Duration) -> Time {
    Time::ZERO + since_start
}

pub(super) fn start(start: Start, i: u64) -> plan::Start {
    match start {
        Start::At(at) => plan::Start::At(time(at)),
        Start::Uniform(from, to) => plan::Start::Uniform(time(from), time(to)),
        Start::Staggered { first, every } => plan::Start::At(time(first + every * i)),
    }
}

pub(super) fn build_queue(q: &Queue, path: &str) -> Result<plan::Queue, Fault> {
    let kind = find(q.policy.as_deref().expect(SAID), "queue policy", path)?;
    let built = plan::Queue {
        policy: spec(kind, &q.params, path)?,
        limit: build_limit(q.limit),
        ecn: q.ecn.expect(SAID),
        mean_packet: q.mean_packet.expect(SAID),
    };
    if matches!(built.limit, plan::Limit::Backpressure(_)) && built.acts_at_departure() {
        let message = format!("`{}` drops what senders would have waited for", built.policy.name());
        let help = "give a limit in packets, or another policy with back-pressure";
        return Err(Mistake::new(message, help).at(format!("{path}.limit")));
    }
    Ok(built)
}

fn build_limit(limit: Limit) -> plan::Limit {
    match limit {
        Limit::Unlimited => plan::Limit::Unlimited,
        Limit::Packets(n) => plan::Limit::Packets(n),
        Limit::Bytes(n) => plan::Limit::Bytes(n),
        Limit::Backpressure(Some(n)) => plan::Limit::Backpressure(n),
        Limit::Bdp(_) | Limit::Backpressure(None) => {
            unreachable!("completion turns these into packets")
        }
    }
}

/// A group of flows and its place among all groups.
pub(super) struct Group<'a> {
    pub number: usize,
    pub flows: &'a Flows,
    pub path: String,
}

/// What all flows of a group have.
pub(super) struct Endpoint {
    pub cc: congestion::Spec,
    pub tcp: plan::Tcp,
}

pub(super) fn endpoint(group: &Flows, path: &str) -> Result<Endpoint, Fault> {
    let kind = find(&group.cc.name, "congestion control", &format!("{path}.cc.name"))?;
    let cc = spec(kind, &group.cc.params, &format!("{path}.cc"))?;
    let mut tcp = group.tcp.clone().expect(SAID);
    tcp.recovery = group.recovery;
    Ok(Endpoint { cc, tcp: profile::endpoint(&tcp, path)? })
}

/// A host's own queue is a plain one, whatever the others are.
pub(super) fn own_queue(limit: Limit, mean_packet: Bytes) -> plan::Queue {
    plan::Queue {
        policy: queue::Spec::new(queue::Kind::DropTail),
        limit: build_limit(limit),
        ecn: false,
        mean_packet,
    }
}

/// Adds the flows of a group: `count` application flows of `parallel`
/// connections each; or the slots of connections that come and go, which are no
/// application's.
pub(super) fn add_group(
    plan: &mut Plan,
    s: &Scenario,
    layout: &Layout,
    Group { number: g, flows: group, path }: Group<'_>,
) -> Result<(), Fault> {
    let Endpoint { cc, tcp } = endpoint(group, &path)?;
    let lasting = g < s.flows.len();
    let parallel = group.parallel.unwrap_or(1);
    let count = group.count.expect(SAID);
    for i in 0..count {
        let name = format!("{}.{i}", group.name);
        let mut route = layout.there[g].clone();
        let mut reverse = layout.back[g].clone();
        if let Some(access) = &group.access {
            let queue = build_queue(access.queue.as_ref().expect(SAID), &path)?;
            let delay = place(access.delay.expect(SAID), i, count);
            let own = own_queue(group.host_queue.expect(SAID).0, tcp.packet);
            let node = |wanted: &Option<String>| {
                s.nodes.iter().position(|n| Some(n) == wanted.as_ref()).expect("layout found it")
            };
            let ends = [(&group.from, "src"), (&group.to, "dst")];
            for (side, (router, suffix)) in ends.into_iter().enumerate() {
                let (router, host) = (node(router), plan.nodes.len());
                plan.nodes.push(format!("{name}.{suffix}"));
                let first = plan.links.len();
                for (from, to) in [(host, router), (router, host)] {
                    let out_of_sender = side == 0 && from == host;
                    plan.links.push(plan::Link {
                        name: format!("{}->{}", plan.nodes[from], plan.nodes[to]),
                        from,
                        to,
                        rate: access.rate.expect(SAID).0,
                        pace: plan::Pace::Fixed,
                        delay,
                        queue: if out_of_sender { own.clone() } else { queue.clone() },
                        loss: Loss::NONE,
                        jitter: None,
                    });
                }
                if side == 0 {
                    route.insert(0, first);
                    reverse.push(first + 1);
                } else {
                    route.push(first + 1);
                    reverse.insert(0, first);
                }
            }
        }
        let application = lasting.then_some(plan.applications.len());
        for k in 0..parallel {
            // what does not divide evenly goes to the first connections
            let part = |size: Bytes| {
                Bytes::new(size.get() / parallel + u64::from(k < size.get() % parallel))
            };
            plan.flows.push(plan::Flow {
                name: if parallel == 1 { name.clone() } else { format!("{name}.{k}") },
                group: g,
                application,
                route: route.clone(),
                reverse: reverse.clone(),
                cc,
                tcp,
                start: start(group.start.unwrap_or(Start::At(Duration::ZERO)), i),
                stop: group.stop.map(|stop| time(stop.0)),
                size: group.size.map(|size| part(size.0)),
            });
        }
        if lasting {
            plan.applications.push(name);
        }
    }
    Ok(())
}

/// The value of the i-th of n over which a range is spread evenly.
fn place(Spread(Text(first), Text(last)): Spread<Text<Duration>>, i: u64, n: u64) -> Duration {
    let (i, steps) = (i128::from(i), i128::from(n.max(2) - 1));
    let (first, last) = (i128::from(first.nanos()), i128::from(last.nanos()));
    let nanos = first + (last - first) * i / steps;
    Duration::from_nanos(u64::try_from(nanos).expect("it is between the two"))
}

/// Names that were made from others may still meet.
fn check_names(plan: &Plan) -> Result<(), Fault> {
    let nodes = plan.nodes.iter().map(String::as_str);
    let links = plan.links.iter().map(|l| l.name.as_str());
    let flows = plan.flows.iter().map(|f| f.name.as_str());
    let traffic = flows.chain(plan.background.iter().map(|b| b.name.as_str()));
    fn twice<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
        let mut seen = HashSet::new();
        names.into_iter().find(|&name| !seen.insert(name))
    }
    let met = twice(nodes).or_else(|| twice(links)).or_else(|| twice(traffic));
    met.map_or(Ok(()), |name| {
        let help = "flows are called `group.0`, their hosts `group.0.src` and `group.0.dst`; \
                    rename what you named so";
        Err(Mistake::new(format!("two things called `{name}`"), help).at(""))
    })
}

fn trace(s: &Scenario, plan: &Plan) -> Result<plan::Trace, Fault> {
    let Some(trace) = &s.trace else { return Ok(plan::Trace::default()) };
    let links = match trace.links.as_ref().expect(SAID) {
        TraceLinks::All => (0..plan.links.len()).collect(),
        TraceLinks::Bottleneck => unreachable!("completion names the links"),
        TraceLinks::Named(names) => {
            let mut links = Vec::new();
            for (i, name) in names.iter().enumerate() {
                let found = plan.links.iter().position(|l| l.name == *name);
                links.push(found.ok_or_else(|| {
                    let names: Vec<&str> = plan.links.iter().map(|l| l.name.as_str()).collect();
                    let message = format!("no link is called `{}`", quote(name));
                    Mistake::new(message, nearest(name, &names)).at(format!("trace.links.{i}"))
                })?);
            }
            links
        }
    };
    let interval = trace.interval.0;
    let flows = trace.flows.expect(SAID);
    let columns = links.len() * 4 + if flows { plan.lasting() * 6 } else { 0 };
    let rows = u128::from(s.duration.0.nanos() / interval.nanos());
    if rows * columns as u128 > MAX_TRACED {
        return Err(Mistake::new(
            format!("a trace of about {rows} rows and {columns} columns"),
            "a longer interval, `flows = false`, or fewer links",
        )
        .at("trace.interval"));
    }
    Ok(plan::Trace { interval: Some(interval), flows, links })
}
