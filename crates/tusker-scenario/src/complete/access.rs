//! Flows with separate hosts, and how their connections are added to a plan.

use std::sync::Arc;

use tusker_core::wire::Loss;
use tusker_core::{Bytes, Duration, Rate};
use tusker_plan::plan::{self, Pace, Plan};

use super::groups::Group;
use super::queues;
use super::times::{start, time};
use crate::draws::Spread;
use crate::error::{Fault, Mistake};
use crate::forms::{Queue, Start};
use crate::limit::Limit;
use crate::model::Scenario;
use crate::text::Text;
use crate::topology;

/// A flow's own hosts: the links between them and the routers.
pub struct Access {
    pub rate: Rate,
    /// From the first flow of the group to the last.
    pub delay: Spread<Text<Duration>>,
    pub queue: Arc<plan::Queue>,
    /// The queue out of the sending host.
    pub own: Arc<plan::Queue>,
}

const ACCESS_DELAY: Duration = Duration::from_millis(1);

impl Access {
    /// The access links of a group, as given for the group or for all.
    pub fn of(
        s: &Scenario,
        group: &Group,
        written: Option<&topology::Access>,
        host_queue: Option<Text<Limit>>,
        path: &str,
    ) -> Result<Option<Self>, Fault> {
        let Some(said) = merged(s, written) else {
            if host_queue.is_none() {
                return Ok(None);
            }
            let help = "give them `access`, or set the queue of the link out of the host";
            let mistake = Mistake::new("these flows have no hosts of their own", help);
            return Err(mistake.at_key(format!("{path}.host_queue")));
        };
        // nobody said anything of access links: they limit nothing
        let said = if said.nothing { Merged::free() } else { said };
        let Some(Text(rate)) = said.rate else {
            let message = format!("the access links of `{}` have no rate", group.name);
            let help = "write access = { rate = \"1Gbit\", delay = \"1ms\" } here or for all flows";
            return Err(Mistake::new(message, help).at(format!("{path}.access")));
        };
        let delay = said.delay.unwrap_or_else(|| ACCESS_DELAY.into());
        let passing = group.passing(rate, group.way.delay + round_trip(delay));
        let queue = queues::access_queue(said.queue, passing, &format!("{path}.access.queue"))?;
        let limit = host_queue.map_or_else(|| s.profile.0.host_queue(), |limit| limit.0);
        let own = queues::host_queue(limit, passing, path)?;
        let [queue, own] = [queue, own].map(Arc::new);
        Ok(Some(Self { rate, delay, queue, own }))
    }

    /// The most that the links add to the round trip.
    pub fn round_trip(&self) -> Duration {
        round_trip(self.delay)
    }

    /// As written in a scenario, with every value filled in.
    pub fn written(&self) -> topology::Access {
        topology::Access {
            rate: Some(self.rate.into()),
            delay: Some(self.delay),
            queue: Some(queues::written(&self.queue)),
        }
    }
}

/// The value given for a group, or else for all.
#[derive(Default)]
struct Merged<'a> {
    rate: Option<Text<Rate>>,
    delay: Option<Spread<Text<Duration>>>,
    queue: Option<&'a Queue>,
    /// None of these was given, for the group or for all.
    nothing: bool,
}

/// The rate of access links that limit nothing, bits per second.
const FREE: u64 = 1_000_000_000_000;

impl Merged<'_> {
    fn free() -> Self {
        let rate = Some(Rate::from_bits_per_sec(FREE).into());
        Self { rate, delay: Some(Duration::ZERO.into()), queue: None, nothing: true }
    }
}

fn merged<'a>(s: &'a Scenario, own: Option<&'a topology::Access>) -> Option<Merged<'a>> {
    let dumbbell = s.dumbbell.as_ref().and_then(|d| d.access.as_ref());
    let all = dumbbell.or(s.parking_lot.as_ref().and_then(|lot| lot.access.as_ref()));
    let mut merged = has_hosts(s, own).then(Merged::default)?;
    merged.nothing = own.is_none() && all.is_none();
    for written in [own, all].into_iter().flatten() {
        merged.rate = merged.rate.or(written.rate);
        merged.delay = merged.delay.or(written.delay);
        merged.queue = merged.queue.or(written.queue.as_ref());
    }
    Some(merged)
}

fn round_trip(Spread(Text(first), Text(last)): Spread<Text<Duration>>) -> Duration {
    first.max(last) * 4
}

/// Whether flows have their own hosts: in short forms all have.
pub fn has_hosts(s: &Scenario, own: Option<&topology::Access>) -> bool {
    own.is_some() || s.dumbbell.is_some() || s.parking_lot.is_some()
}

/// Connections to be added to a plan.
pub struct Connections<'a> {
    pub group: &'a Group,
    pub access: Option<&'a Access>,
    pub count: u64,
    /// Connections per flow.
    pub parallel: u64,
    pub start: Start,
    pub stop: Option<Duration>,
    /// Payload per flow, over its parallel connections.
    pub size: Option<Bytes>,
    /// What gives each data to send.
    pub app: Option<&'a plan::App>,
    /// Whether they exist all the time, each belonging to an application. Otherwise
    /// they are slots of connections that come and go.
    pub lasting: bool,
}

impl Connections<'_> {
    /// Adds them and their group to a plan.
    pub fn add_to(&self, plan: &mut Plan) {
        let Group { name: group, way, cc, tcp } = self.group;
        for i in 0..self.count {
            let name = format!("{group}.{i}");
            let mut routes: Vec<[Vec<usize>; 2]> =
                way.all().map(|both| both.map(<[usize]>::to_vec)).collect();
            if let Some(access) = self.access {
                let delay = place(access.delay, i, self.count);
                let wire = (access.rate, delay);
                let queues = [access.own.clone(), access.queue.clone()];
                let (out, into) = attach(plan, format!("{name}.src"), way.from, wire, queues);
                for [route, reverse] in &mut routes {
                    route.insert(0, out);
                    reverse.push(into);
                }
                let queues = [access.queue.clone(), access.queue.clone()];
                let (out, into) = attach(plan, format!("{name}.dst"), way.to, wire, queues);
                for [route, reverse] in &mut routes {
                    route.push(into);
                    reverse.insert(0, out);
                }
            }
            let [route, reverse] = routes.remove(0);
            let later = way.later.iter().map(|later| time(later.at)).zip(routes);
            let later = later.map(|(at, [route, reverse])| plan::Reroute { at, route, reverse });
            let reroutes: Vec<plan::Reroute> = later.collect();
            for k in 0..self.parallel {
                // the remainder of the division goes to the first connections
                let part = |size: Bytes| {
                    let (whole, rest) = (size.get() / self.parallel, size.get() % self.parallel);
                    Bytes::new(whole + u64::from(k < rest))
                };
                plan.flows.push(plan::Flow {
                    name: if self.parallel == 1 { name.clone() } else { format!("{name}.{k}") },
                    group: plan.groups.len(),
                    application: self.lasting.then_some(plan.applications.len()),
                    route: route.clone(),
                    reverse: reverse.clone(),
                    reroutes: reroutes.clone(),
                    cc: *cc,
                    tcp: *tcp,
                    start: start(self.start, i),
                    stop: self.stop.map(time),
                    size: self.size.map(part),
                    app: self.app.cloned().map(Box::new),
                });
            }
            if self.lasting {
                plan.applications.push(name);
            }
        }
        plan.groups.push(group.clone());
    }
}

/// Attaches a host to a router by links of this rate and delay; gives the links
/// out of it and into it.
pub fn attach(
    plan: &mut Plan,
    name: String,
    router: usize,
    (rate, delay): (Rate, Duration),
    [out, into]: [Arc<plan::Queue>; 2],
) -> (usize, usize) {
    let (host, first) = (plan.nodes.len(), plan.links.len());
    plan.nodes.push(name);
    for (from, to, queue) in [(host, router, out), (router, host, into)] {
        plan.links.push(plan::Link {
            name: format!("{}->{}", plan.nodes[from], plan.nodes[to]),
            from,
            to,
            rate,
            pace: Pace::Fixed,
            outages: None,
            delay: delay.into(),
            queue,
            loss: Loss::NONE.into(),
            jitter: None.into(),
            reorder: false,
        });
    }
    (first, first + 1)
}

/// The value of the i-th of n over which a range is spread evenly.
fn place(Spread(Text(first), Text(last)): Spread<Text<Duration>>, i: u64, n: u64) -> Duration {
    let (i, steps) = (i128::from(i), i128::from(n.max(2) - 1));
    let (first, last) = (i128::from(first.nanos()), i128::from(last.nanos()));
    let nanos = first + (last - first) * i / steps;
    Duration::from_nanos(u64::try_from(nanos).expect("it is between the two"))
}
