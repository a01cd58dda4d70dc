//! Connections that come and go, from what was written to what is executed.
//! Wherever they are as flows are, they are taken for flows.

use tusker_core::wire::Loss;
use tusker_core::{Duration, Rate, Rng};

use super::build::{self, Group, SAID};
use super::error::{Fault, Mistake};
use super::expand::{check_times, expand_group, expand_queue};
use super::forms::{Queue, Start};
use super::layout::Layout;
use super::model::{Access, Arrivals, Flows, Hosts, Scenario, Web};
use super::text::{Limit, Text};
use tusker_plan::plan::{self, Demand, Plan};

/// Transfers of one demand, in the mean: each is remembered.
const MAX_TRANSFERS: f64 = 1e7;

const CONNECTIONS: u64 = 100;
const PER_SERVER: u64 = 6;
const SERVERS: u64 = 4;
const HOST_DELAY: Duration = Duration::from_millis(1);

impl Arrivals {
    /// Slots that it takes.
    pub(super) fn slots(&self) -> u64 {
        self.connections.unwrap_or(CONNECTIONS)
    }

    /// Its slots as a group of flows.
    pub(super) fn as_flows(&self) -> Flows {
        Flows {
            count: Some(self.slots()),
            from: self.from.clone(),
            to: self.to.clone(),
            direction: self.direction,
            recovery: self.recovery,
            access: self.access.clone(),
            host_queue: self.host_queue,
            start: self.start.map(|Text(start)| Start::At(start)),
            stop: self.stop,
            tcp: self.tcp.clone(),
            ..Flows::new(self.name.clone(), self.cc.clone())
        }
    }

    /// What is said of its slots now.
    pub(super) fn take(&mut self, flows: Flows) {
        (self.from, self.to, self.direction) = (flows.from, flows.to, flows.direction);
        (self.cc, self.recovery, self.tcp) = (flows.cc, flows.recovery, flows.tcp);
        (self.access, self.host_queue) = (flows.access, flows.host_queue);
    }
}

impl Web {
    /// Servers of each user.
    fn visited(&self) -> u64 {
        self.servers_per_session.unwrap_or(SERVERS.min(self.servers.count.max(1)))
    }

    /// Slots that it takes.
    pub(super) fn slots(&self) -> u64 {
        let each = self.visited().saturating_mul(self.connections.unwrap_or(PER_SERVER));
        self.sessions.saturating_mul(each)
    }

    /// Its slots as a group of flows, without the hosts.
    pub(super) fn as_flows(&self) -> Flows {
        Flows {
            count: Some(self.slots()),
            from: self.from.clone(),
            to: self.to.clone(),
            direction: self.direction,
            recovery: self.recovery,
            tcp: self.tcp.clone(),
            ..Flows::new(self.name.clone(), self.cc.clone())
        }
    }

    /// What is said of its slots now.
    pub(super) fn take(&mut self, flows: Flows) {
        (self.from, self.to, self.direction) = (flows.from, flows.to, flows.direction);
        (self.cc, self.recovery, self.tcp) = (flows.cc, flows.recovery, flows.tcp);
    }
}

impl Hosts {
    /// The longest delay of a link.
    pub(super) fn longest(&self) -> Duration {
        self.delay.expect(SAID).1.0
    }
}

/// Says every value of a demand for transfers, but the rate of one that has a
/// load.
pub(super) fn expand_arrivals(
    a: &mut Arrivals,
    s: &Scenario,
    ends: Option<&(String, String)>,
    access: Option<Option<&Access>>,
    path: &str,
) -> Result<(), Fault> {
    let fault = |message: &str, help: &str, key: &str| {
        Err(Mistake::new(message, help).at(format!("{path}{key}")))
    };
    match (a.rate, a.load) {
        (Some(rate), None) if rate > 0.0 && rate.is_finite() => {}
        (None, Some(load)) if load > 0.0 && load <= 10.0 => {}
        (Some(rate), None) => {
            let message = format!("{rate} transfers per second");
            return fault(&message, "a number above 0, as in rate = 20", ".rate");
        }
        (None, Some(load)) => {
            let message = format!("a load of {load}");
            return fault(&message, "above 0, as in load = 0.5; at most 10", ".load");
        }
        (Some(_), Some(_)) => {
            return fault("a load besides a rate", "keep one of the two", ".load");
        }
        (None, None) => {
            return fault("how many come is not said", "write rate = 20 or load = 0.5", "");
        }
    }
    a.size.distribution(1.0, &format!("{path}.size"))?;
    a.connections = Some(a.slots());
    a.handshake.get_or_insert(true);
    let mut flows = a.as_flows();
    expand_group(&mut flows, s, ends, access, path)?;
    a.start.get_or_insert(Duration::ZERO.into());
    a.take(flows);
    Ok(())
}

/// Says every value of a demand for pages.
pub(super) fn expand_web(
    w: &mut Web,
    s: &Scenario,
    ends: Option<&(String, String)>,
    path: &str,
) -> Result<(), Fault> {
    let mut flows = w.as_flows();
    expand_group(&mut flows, s, ends, None, path)?;
    w.take(flows);
    for (hosts, key) in [(&mut w.servers, "servers"), (&mut w.clients, "clients")] {
        if hosts.count == 0 || hosts.count > 100_000 {
            return Err(Mistake::new(format!("{} hosts", hosts.count), "from 1 to 100000")
                .at(format!("{path}.{key}.count")));
        }
        let delay = *hosts.delay.get_or_insert(HOST_DELAY.into());
        let backwards =
            [("rate", hosts.rate.0.0 > hosts.rate.1.0), ("delay", delay.0.0 > delay.1.0)];
        if let Some((wrong, _)) = backwards.into_iter().find(|(_, wrong)| *wrong) {
            return Err(Mistake::new("a range that runs backwards", "give the lower end first")
                .at(format!("{path}.{key}.{wrong}")));
        }
    }
    let visited = w.visited();
    if visited == 0 || visited > w.servers.count {
        let help = format!("from 1 to {}, the number of servers", w.servers.count);
        return Err(Mistake::new(format!("{visited} servers per session"), help)
            .at(format!("{path}.servers_per_session")));
    }
    w.servers_per_session = Some(visited);
    w.connections.get_or_insert(PER_SERVER);
    w.handshake.get_or_insert(true);
    w.page_interval.distribution(0.0, &format!("{path}.page_interval"))?;
    w.objects.distribution(0.0, &format!("{path}.objects"))?;
    w.object_interval.distribution(0.0, &format!("{path}.object_interval"))?;
    w.object_size.distribution(1.0, &format!("{path}.object_size"))?;
    let queue = w.queue.get_or_insert(Queue::droptail(Limit::Packets(10_000)));
    expand_queue(queue, &format!("{path}.queue"))?;
    w.host_queue.get_or_insert(s.profile.0.host_queue().into());
    let start = *w.start.get_or_insert(Start::At(Duration::ZERO));
    check_times(start, w.stop, Some(w.sessions), s.duration.0, path)
}

/// Adds the slots of a demand for transfers to a plan.
pub(super) fn add_arrivals(
    plan: &mut Plan,
    s: &Scenario,
    layout: &Layout,
    i: usize,
) -> Result<(), Fault> {
    let a = &s.arrivals[i];
    let path = format!("arrivals.{i}");
    let group = s.flows.len() + i;
    let size = a.size.distribution(1.0, &format!("{path}.size"))?;
    let rate = a.rate.expect(SAID);
    let transfers = rate * s.duration.0.secs();
    if transfers > MAX_TRANSFERS {
        return Err(Mistake::new(
            format!("about {transfers:.0} transfers"),
            format!("each is remembered: at most {MAX_TRANSFERS}; a shorter experiment, or fewer"),
        )
        .at(path));
    }
    let first = plan.flows.len();
    build::add_group(plan, s, layout, Group { number: group, flows: &a.as_flows(), path })?;
    let tcp = plan.flows[first].tcp;
    plan.traffic.push(plan::Traffic {
        group,
        slots: first..plan.flows.len(),
        handshake: a.handshake.expect(SAID),
        stop: a.stop.map(|stop| build::time(stop.0)),
        mean_rate: rate * on_the_wire(size.mean(), &tcp),
        demand: Demand::Arrivals { rate, size, start: build::time(a.start.expect(SAID).0) },
    });
    Ok(())
}

/// Bits on the wire for so many bytes of payload.
fn on_the_wire(bytes: f64, tcp: &plan::Tcp) -> f64 {
    bytes / tcp.payload().get() as f64 * tcp.packet.get() as f64 * 8.0
}

/// The rate at which transfers ask for a share of a link of so many bits per
/// second.
pub(super) fn rate_of_load(a: &Arrivals, load: f64, slowest: f64) -> Result<f64, Fault> {
    let size = a.size.distribution(1.0, "arrivals.size")?;
    let tcp = a.tcp.as_ref().expect(SAID);
    let (packet, header) = (tcp.packet.expect(SAID).0, tcp.header.expect(SAID).0);
    let wire = size.mean() / (packet - header).get() as f64 * packet.get() as f64 * 8.0;
    Ok(load * slowest / wire)
}

/// Adds the hosts and slots of a demand for pages to a plan.
pub(super) fn add_web(
    plan: &mut Plan,
    s: &Scenario,
    layout: &Layout,
    i: usize,
) -> Result<(), Fault> {
    let w = &s.web[i];
    let path = format!("web.{i}");
    let group = s.flows.len() + s.arrivals.len() + i;
    let endpoint = build::endpoint(&w.as_flows(), &path)?;
    let packet = endpoint.tcp.packet;
    let queue = build::build_queue(w.queue.as_ref().expect(SAID), &path)?;
    let own = build::own_queue(w.host_queue.expect(SAID).0, packet);
    let server =
        add_hosts(plan, s, &w.servers, &format!("{}.server", w.name), (&w.from, own, &queue));
    let client = add_hosts(
        plan,
        s,
        &w.clients,
        &format!("{}.client", w.name),
        (&w.to, queue.clone(), &queue),
    );
    let (there, back) = (&layout.there[group], &layout.back[group]);
    let (visited, connections) = (w.visited(), w.connections.expect(SAID));
    let first = plan.flows.len();
    for session in 0..w.sessions {
        let (down, up) = client[(session % w.clients.count) as usize];
        for v in 0..visited {
            let (out, into) = server[((session * visited + v) % w.servers.count) as usize];
            for k in 0..connections {
                let mut route = vec![out];
                route.extend(there);
                route.push(up);
                let mut reverse = vec![down];
                reverse.extend(back);
                reverse.push(into);
                plan.flows.push(plan::Flow {
                    name: format!("{}.{session}.{v}.{k}", w.name),
                    group,
                    application: None,
                    route,
                    reverse,
                    cc: endpoint.cc,
                    tcp: endpoint.tcp,
                    start: plan::Start::At(tusker_core::Time::ZERO),
                    stop: None,
                    size: None,
                });
            }
        }
    }
    let at = |key: &str| format!("{path}.{key}");
    let web = plan::Web {
        sessions: w.sessions as usize,
        servers: visited as usize,
        connections: connections as usize,
        start: (0..w.sessions).map(|s| build::start(w.start.expect(SAID), s)).collect(),
        page_interval: w.page_interval.distribution(0.0, &at("page_interval"))?,
        objects: w.objects.distribution(0.0, &at("objects"))?,
        object_interval: w.object_interval.distribution(0.0, &at("object_interval"))?,
        object_size: w.object_size.distribution(1.0, &at("object_size"))?,
    };
    // a page takes at least the intervals of its objects and a round trip
    let rtt = layout.base_rtt(group).secs();
    let objects = web.objects.mean().max(1.0);
    let cycle = web.page_interval.mean() + (objects - 1.0) * web.object_interval.mean() + rtt;
    let page = objects * on_the_wire(web.object_size.mean(), &endpoint.tcp);
    let mean_rate = w.sessions as f64 * page / cycle.max(1e-6);
    plan.traffic.push(plan::Traffic {
        group,
        slots: first..plan.flows.len(),
        handshake: w.handshake.expect(SAID),
        stop: w.stop.map(|stop| build::time(stop.0)),
        demand: Demand::Web(web),
        mean_rate,
    });
    Ok(())
}

/// Attaches hosts to a node: of each the link out of it and the link into it.
/// Where each is in its range is drawn by its name, the same in every replicate.
fn add_hosts(
    plan: &mut Plan,
    s: &Scenario,
    hosts: &Hosts,
    name: &str,
    (at, out, into): (&Option<String>, plan::Queue, &plan::Queue),
) -> Vec<(usize, usize)> {
    let router = s.nodes.iter().position(|n| Some(n) == at.as_ref()).expect("layout found it");
    let delay = hosts.delay.expect(SAID);
    let mut links = Vec::with_capacity(hosts.count as usize);
    for i in 0..hosts.count {
        let mut rng = Rng::named(0, &format!("hosts/{name}.{i}"));
        let between = |rng: &mut Rng, low: u64, high: u64| {
            if low == high { low } else { rng.range(low as f64, high as f64) as u64 }
        };
        let (low, high) = (hosts.rate.0.0.bits_per_sec(), hosts.rate.1.0.bits_per_sec());
        let rate = Rate::from_bits_per_sec(between(&mut rng, low, high));
        let (low, high) = (delay.0.0.nanos(), delay.1.0.nanos());
        let delay = Duration::from_nanos(between(&mut rng, low, high));
        let host = plan.nodes.len();
        plan.nodes.push(format!("{name}.{i}"));
        let first = plan.links.len();
        for (from, to, queue) in [(host, router, &out), (router, host, into)] {
            plan.links.push(plan::Link {
                name: format!("{}->{}", plan.nodes[from], plan.nodes[to]),
                from,
                to,
                rate,
                delay,
                queue: queue.clone(),
                pace: plan::Pace::Fixed,
                loss: Loss::NONE,
                jitter: None,
            });
        }
        links.push((first, first + 1));
    }
    links
}
