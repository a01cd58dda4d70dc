//! Users who load web pages.

use std::sync::Arc;

use tusker_core::{Bytes, Duration, Rate, Rng, Time};
use tusker_plan::plan::{self, Demand, Plan, Traffic};

use super::access::attach;
use super::groups::{Group, Way};
use super::queues;
use super::times::{check_times, start, time};
use crate::draws::{Draw, Spread};
use crate::error::{Fault, Mistake};
use crate::forms::Start;
use crate::model::Scenario;
use crate::text::Text;
use crate::traffic;

const PER_SERVER: u64 = 6;
const SERVERS: u64 = 4;
const HOST_DELAY: Duration = Duration::from_millis(1);

/// A demand for pages.
pub struct Web {
    pub group: Group,
    servers: Hosts,
    clients: Hosts,
    /// Queues of the hosts' links, all but those out of the servers.
    queue: Arc<plan::Queue>,
    /// Queues out of the servers.
    own: Arc<plan::Queue>,
    start: Start,
    stop: Option<Duration>,
    handshake: bool,
    page_interval: Draw<Text<Duration>>,
    objects: Draw<f64>,
    object_interval: Draw<Text<Duration>>,
    object_size: Draw<Text<Bytes>>,
    demand: plan::Web,
}

/// Hosts at one end.
#[derive(Clone, Copy)]
struct Hosts {
    count: u64,
    rate: Spread<Text<Rate>>,
    delay: Spread<Text<Duration>>,
}

/// Servers of each user.
fn visited(w: &traffic::Web) -> u64 {
    w.servers_per_session.unwrap_or(SERVERS.min(w.servers.count.max(1)))
}

/// Connections that it may have at the same time.
pub fn connections(w: &traffic::Web) -> u64 {
    let each = visited(w).saturating_mul(w.connections.unwrap_or(PER_SERVER));
    w.sessions.saturating_mul(each)
}

impl Web {
    pub fn of(s: &Scenario, w: &traffic::Web, way: Way, path: &str) -> Result<Self, Fault> {
        let group = Group::of(s, w.into(), way, path)?;
        let servers = Hosts::of(&w.servers, &format!("{path}.servers"))?;
        let clients = Hosts::of(&w.clients, &format!("{path}.clients"))?;
        let visited = visited(w);
        if visited == 0 || visited > servers.count {
            let help = format!("from 1 to {}, the number of servers", servers.count);
            return Err(Mistake::new(
                format!("{visited} servers per session are not possible"),
                help,
            )
            .at(format!("{path}.servers_per_session")));
        }
        let at = |key: &str| format!("{path}.{key}");
        let begin = w.start.unwrap_or(Start::At(Duration::ZERO));
        let demand = plan::Web {
            sessions: w.sessions as usize,
            servers: visited as usize,
            connections: w.connections.unwrap_or(PER_SERVER) as usize,
            start: (0..w.sessions).map(|i| start(begin, i)).collect(),
            page_interval: w.page_interval.distribution(0.0, &at("page_interval"))?,
            objects: w.objects.distribution(0.0, &at("objects"))?,
            object_interval: w.object_interval.distribution(0.0, &at("object_interval"))?,
            object_size: w.object_size.distribution(1.0, &at("object_size"))?,
        };
        let rtt = round_trip(&group, servers, clients);
        let passing = group.passing(clients.rate.1.0, rtt);
        let queue = queues::access_queue(w.queue.as_ref(), passing, &at("queue"))?;
        let limit = w.host_queue.map_or_else(|| s.profile.0.host_queue(), |limit| limit.0);
        let own = queues::host_queue(limit, group.passing(servers.rate.1.0, rtt), path)?;
        let stop = w.stop.map(|t| t.0);
        check_times(begin, stop, w.sessions, s.duration.0, path)?;
        let [queue, own] = [queue, own].map(Arc::new);
        Ok(Self {
            group,
            servers,
            clients,
            queue,
            own,
            start: begin,
            stop,
            handshake: w.handshake.unwrap_or(true),
            page_interval: w.page_interval.clone(),
            objects: w.objects.clone(),
            object_interval: w.object_interval.clone(),
            object_size: w.object_size.clone(),
            demand,
        })
    }

    /// The longest round trip of an object, without queues.
    pub fn rtt(&self) -> Duration {
        round_trip(&self.group, self.servers, self.clients)
    }

    /// Adds the hosts and connections to a plan.
    pub fn add_to(&self, plan: &mut Plan) {
        let Group { name, way, cc, tcp } = &self.group;
        let out = [self.own.clone(), self.queue.clone()];
        let server = self.servers.add_to(plan, &format!("{name}.server"), way.from, &out);
        let out = [self.queue.clone(), self.queue.clone()];
        let client = self.clients.add_to(plan, &format!("{name}.client"), way.to, &out);
        let plan::Web { sessions, servers, connections, .. } = self.demand;
        let (group, first) = (plan.groups.len(), plan.flows.len());
        plan.flows.reserve(sessions * servers * connections);
        for session in 0..sessions {
            let (down, up) = client[session % client.len()];
            for v in 0..servers {
                let (out, into) = server[(session * servers + v) % server.len()];
                for k in 0..connections {
                    let route = [&[out], &way.there[..], &[up]].concat();
                    let reverse = [&[down], &way.back[..], &[into]].concat();
                    plan.flows.push(plan::Flow {
                        name: format!("{name}.{session}.{v}.{k}"),
                        group,
                        application: None,
                        route,
                        reverse,
                        reroutes: Vec::new(),
                        cc: *cc,
                        tcp: *tcp,
                        start: plan::Start::At(Time::ZERO),
                        stop: None,
                        size: None,
                        app: None,
                    });
                }
            }
        }
        plan.groups.push(name.clone());
        plan.traffic.push(Traffic {
            group,
            slots: first..plan.flows.len(),
            handshake: self.handshake,
            stop: self.stop.map(time),
            demand: Demand::Web(self.demand.clone()),
            mean_rate: self.mean_rate(),
        });
    }

    /// Bits per second on the wire: a page takes at least the intervals between its
    /// objects plus a round trip.
    fn mean_rate(&self) -> f64 {
        let web = &self.demand;
        let objects = web.objects.mean().max(1.0);
        let pauses = web.page_interval.mean() + (objects - 1.0) * web.object_interval.mean();
        let cycle = pauses + self.rtt().secs();
        let page = objects * self.group.on_the_wire(web.object_size.mean());
        web.sessions as f64 * page / cycle.max(1e-6)
    }

    /// As written in a scenario, with every value filled in.
    pub fn written(&self, nodes: &[String]) -> traffic::Web {
        let (recovery, tcp) = self.group.written_tcp();
        traffic::Web {
            hosts: None,
            name: self.group.name.clone(),
            sessions: self.demand.sessions as u64,
            servers: self.servers.written(),
            clients: self.clients.written(),
            servers_per_session: Some(self.demand.servers as u64),
            connections: Some(self.demand.connections as u64),
            handshake: Some(self.handshake),
            page_interval: self.page_interval.clone(),
            objects: self.objects.clone(),
            object_interval: self.object_interval.clone(),
            object_size: self.object_size.clone(),
            from: Some(nodes[self.group.way.from].clone()),
            to: Some(nodes[self.group.way.to].clone()),
            direction: None,
            cc: self.group.written_cc(),
            recovery,
            queue: Some(queues::written(&self.queue)),
            host_queue: Some(Text(self.own.limit.into())),
            start: Some(self.start),
            stop: self.stop.map(Text),
            tcp,
        }
    }
}

fn round_trip(group: &Group, servers: Hosts, clients: Hosts) -> Duration {
    group.way.delay + (servers.delay.1.0 + clients.delay.1.0) * 2
}

impl Hosts {
    fn of(w: &traffic::Hosts, path: &str) -> Result<Self, Fault> {
        if w.count == 0 || w.count > 100_000 {
            return Err(Mistake::new(format!("{} hosts", w.count), "from 1 to 100000")
                .at(format!("{path}.count")));
        }
        let (rate, delay) = (w.rate, w.delay.unwrap_or_else(|| HOST_DELAY.into()));
        let backwards = [("rate", rate.0.0 > rate.1.0), ("delay", delay.0.0 > delay.1.0)];
        if let Some((wrong, _)) = backwards.into_iter().find(|(_, wrong)| *wrong) {
            return Err(Mistake::new("a range that runs backwards", "give the lower end first")
                .at(format!("{path}.{wrong}")));
        }
        Ok(Self { count: w.count, rate, delay })
    }

    /// Attaches them to a node; returns for each the link out of it and the link
    /// into it. The position of each within its range is drawn by name, so it is
    /// the same in every replicate.
    fn add_to(
        &self,
        plan: &mut Plan,
        name: &str,
        router: usize,
        queues: &[Arc<plan::Queue>; 2],
    ) -> Vec<(usize, usize)> {
        let host = |i| {
            let name = format!("{name}.{i}");
            let mut rng = Rng::named(0, &format!("hosts/{name}"));
            let mut between = |low: u64, high: u64| {
                if low == high { low } else { rng.range(low as f64, high as f64) as u64 }
            };
            let (low, high) = (self.rate.0.0.bits_per_sec(), self.rate.1.0.bits_per_sec());
            let rate = Rate::from_bits_per_sec(between(low, high));
            let (low, high) = (self.delay.0.0.nanos(), self.delay.1.0.nanos());
            let delay = Duration::from_nanos(between(low, high));
            attach(plan, name, router, (rate, delay), queues.clone())
        };
        (0..self.count).map(host).collect()
    }

    fn written(&self) -> traffic::Hosts {
        traffic::Hosts { count: self.count, rate: self.rate, delay: Some(self.delay) }
    }
}
