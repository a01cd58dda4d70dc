//! Where everything is: nodes and links by index, routes, and what depends on
//! them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use tusker_core::{Bytes, Duration, Rate, wire};

use super::comings::rate_of_load;
use super::draws::Spread;
use super::error::{Fault, Mistake, nearest, quote};
use super::forms::{Queue, TraceLinks};
use super::impair::{Jitter, LinkRate, Loss};
use super::limit::Limit;
use super::model::Scenario;
use super::tcp::Tcp;
use super::text::Text;
use super::topology::{self, Access, Link};
use super::traffic::Flows;
use tusker_plan::plan::Pace;

/// One direction of a link of the graph.
pub(super) struct Wire {
    pub name: String,
    pub from: usize,
    pub to: usize,
    pub rate: Rate,
    pub delay: Duration,
    /// Index of its link, and whether it is that link's way back.
    pub link: (usize, bool),
}

impl Wire {
    /// The path of one of its values in the graph form.
    pub fn path(&self, key: &str) -> String {
        match self.link {
            (i, false) => format!("links.{i}.{key}"),
            (i, true) => format!("links.{i}.reverse.{key}"),
        }
    }

    pub fn queue<'a>(&self, s: &'a Scenario) -> &'a Queue {
        let link = &s.links[self.link.0];
        let back = || link.reverse.as_ref().and_then(|r| r.queue.as_ref());
        if self.link.1 { back().expect("expansion says it") } else { &link.queue }
    }

    /// What is written of the link, one key of it; on a way back what is written of
    /// that.
    fn pick<'a, T>(
        &self,
        s: &'a Scenario,
        there: impl Fn(&'a Link) -> Option<&'a T>,
        back: impl Fn(&'a topology::Reverse) -> Option<&'a T>,
    ) -> Option<&'a T> {
        let link = &s.links[self.link.0];
        if self.link.1 { link.reverse.as_ref().and_then(back) } else { there(link) }
    }

    pub fn loss(&self, s: &Scenario) -> wire::Loss {
        let loss = self.pick(s, |l| l.loss.as_ref(), |r| r.loss.as_ref());
        loss.map_or(wire::Loss::NONE, Loss::resolved)
    }

    pub fn jitter(&self, s: &Scenario) -> Option<wire::Jitter> {
        self.pick(s, |l| l.jitter.as_ref(), |r| r.jitter.as_ref()).map(Jitter::resolved)
    }

    pub fn pace(&self, s: &Scenario) -> Pace {
        let rate = self.pick(s, |l| Some(&l.rate), |r| r.rate.as_ref());
        rate.map_or(Pace::Fixed, LinkRate::pace)
    }
}

/// A scenario in graph form, by index.
pub(super) struct Layout {
    pub wires: Vec<Wire>,
    members: Vec<Member>,
    /// Per group, from where its flows enter to where they leave: first flows,
    /// then those that come and go.
    pub there: Vec<Vec<usize>>,
    /// Per group, the way back.
    pub back: Vec<Vec<usize>>,
    /// Per background source.
    pub background: Vec<Vec<usize>>,
}

/// A group of flows, as far as routes go.
struct Member {
    path: String,
    name: String,
    from: Option<String>,
    to: Option<String>,
    /// How many flows.
    times: u64,
    /// They have hosts of their own; what their links add to the round trip, at
    /// most.
    hosts: Option<Duration>,
    /// The largest packet on the wire.
    packet: Bytes,
}

impl Member {
    fn of(flows: &Flows, path: String) -> Self {
        let access = flows.access.as_ref().and_then(|access| access.delay);
        Self {
            path,
            name: flows.name.clone(),
            from: flows.from.clone(),
            to: flows.to.clone(),
            times: flows.count.unwrap_or(1).saturating_mul(flows.parallel.unwrap_or(1)),
            hosts: access.map(|Spread(Text(a), Text(b))| a.max(b) * 4),
            packet: wire_size(flows.tcp.as_ref()),
        }
    }
}

/// All groups, in the order of a plan's.
fn members(s: &Scenario) -> Vec<Member> {
    let flows = s.flows.iter().enumerate().map(|(i, g)| Member::of(g, format!("flows.{i}")));
    let arrivals = s.arrivals.iter().enumerate();
    let arrivals = arrivals.map(|(i, a)| Member::of(&a.as_flows(), format!("arrivals.{i}")));
    let web = s.web.iter().enumerate().map(|(i, w)| {
        let hosts = (w.servers.longest() + w.clients.longest()) * 2;
        Member { hosts: Some(hosts), ..Member::of(&w.as_flows(), format!("web.{i}")) }
    });
    flows.chain(arrivals).chain(web).collect()
}

/// Links on all routes together; about 8 bytes each.
const MAX_STEPS: u64 = 20_000_000;

/// Sources of traffic times links, what finding all routes costs.
const MAX_SEARCH: u64 = 200_000_000;

impl Layout {
    /// Finds all routes of a graph form.
    pub fn new(s: &Scenario) -> Result<Self, Fault> {
        let mut nodes = HashMap::new();
        for (i, name) in s.nodes.iter().enumerate() {
            super::expand::check_name(name, &format!("nodes.{i}"))?;
            if nodes.insert(name.as_str(), i).is_some() {
                return Err(duplicate("node", name).at(format!("nodes.{i}")));
            }
        }
        let node = |name: &str, path: String| {
            nodes.get(name).copied().ok_or_else(|| {
                let names: Vec<&str> = s.nodes.iter().map(String::as_str).collect();
                let message = format!("no node is called `{}`", quote(name));
                Mistake::new(message, nearest(name, &names)).at(path)
            })
        };
        let wires = wires(s, &node)?;
        let mut routes = Routes::new(s.nodes.len(), &wires);
        let members = members(s);
        let mut names = HashSet::new();
        for member in &members {
            if !names.insert(member.name.as_str()) {
                let path = format!("{}.name", member.path);
                return Err(duplicate("group of flows", &member.name).at(path));
            }
        }
        unique(s.background.iter().map(|b| b.name.as_str()), "background source", "background")?;
        for group in &members {
            let path = &group.path;
            let (from, to) = (group.from.as_deref(), group.to.as_deref());
            let from = node(from.unwrap_or(""), format!("{path}.from"))?;
            let to = node(to.unwrap_or(""), format!("{path}.to"))?;
            if from == to && group.hosts.is_none() {
                return Err(Mistake::new("flows from a node to itself", "name two nodes")
                    .at(format!("{path}.to")));
            }
            let times = group.times;
            routes.ask(from, to, times, format!("{path}.to"));
            routes.ask(to, from, times, format!("{path}.to"));
        }
        for (i, b) in s.background.iter().enumerate() {
            let path = format!("background.{i}");
            let from = node(b.from.as_deref().unwrap_or(""), format!("{path}.from"))?;
            let to = node(b.to.as_deref().unwrap_or(""), format!("{path}.to"))?;
            if from == to {
                return Err(Mistake::new("traffic from a node to itself", "name two nodes")
                    .at(format!("{path}.to")));
            }
            routes.ask(from, to, b.count.unwrap_or(1), format!("{path}.to"));
        }
        let mut found = routes.answer(s)?.into_iter();
        let mut next = || found.next().expect("one answer per question");
        let (there, back) = members.iter().map(|_| (next(), next())).unzip();
        let background = s.background.iter().map(|_| next()).collect();
        Ok(Self { wires, members, there, back, background })
    }

    /// Round-trip propagation delay of a group's flows.
    pub fn base_rtt(&self, group: usize) -> Duration {
        let delay = |route: &[usize]| {
            route.iter().fold(Duration::ZERO, |sum, &w| sum + self.wires[w].delay)
        };
        let access = self.members[group].hosts.unwrap_or(Duration::ZERO);
        delay(&self.there[group]) + delay(&self.back[group]) + access
    }

    /// Says what depends on the routes: the limits of queues in packets, mean
    /// packet sizes, the links to trace.
    pub fn complete(&self, s: &mut Scenario) -> Result<(), Fault> {
        let mut rtt: Vec<Option<Duration>> = vec![None; self.wires.len()];
        let mut packet: Vec<Option<Bytes>> = vec![None; self.wires.len()];
        for (i, group) in self.members.iter().enumerate() {
            let base = self.base_rtt(i);
            for &w in self.there[i].iter().chain(&self.back[i]) {
                rtt[w] = rtt[w].max(Some(base));
                packet[w] = packet[w].max(Some(group.packet));
            }
        }
        for (b, route) in s.background.iter().zip(&self.background) {
            for &w in route {
                // a flow's packets come first: the BDP is theirs
                packet[w] = packet[w].or(b.packet.map(|p| p.0));
            }
        }
        let any = self.members.iter().map(|m| m.packet).max().unwrap_or(Bytes::new(1500));
        for (w, wire) in self.wires.iter().enumerate() {
            let path = wire.path("queue");
            let link = &mut s.links[wire.link.0];
            let queue = match (wire.link.1, &mut link.reverse) {
                (true, Some(reverse)) => reverse.queue.as_mut().expect("expansion says it"),
                _ => &mut link.queue,
            };
            let packet = packet[w].unwrap_or(any);
            complete_queue(queue, wire.rate, rtt[w], packet, &path)?;
        }
        for (i, group) in s.flows.iter_mut().enumerate() {
            self.complete_hosts(&mut group.access, &mut group.host_queue, i)?;
        }
        for (i, arrivals) in s.arrivals.iter_mut().enumerate() {
            let member = s.flows.len() + i;
            self.complete_hosts(&mut arrivals.access, &mut arrivals.host_queue, member)?;
            if let Some(load) = arrivals.load.take() {
                let way = self.there[member].iter().map(|&w| self.wires[w].rate);
                let own = arrivals.access.as_ref().and_then(|access| access.rate);
                let slowest = way.chain(own.map(|rate| rate.0)).min().expect("a way has links");
                let slowest = slowest.bits_per_sec() as f64;
                arrivals.rate = Some(rate_of_load(arrivals, load, slowest)?);
            }
        }
        for (i, web) in s.web.iter_mut().enumerate() {
            let member = s.flows.len() + s.arrivals.len() + i;
            let Member { path, packet, .. } = &self.members[member];
            let base = Some(self.base_rtt(member));
            let queue = web.queue.as_mut().expect("expansion says it");
            complete_queue(queue, web.clients.rate.1.0, base, *packet, &format!("{path}.queue"))?;
            only_at_senders(queue, &format!("{path}.queue.limit"))?;
            let host = &mut web.host_queue.as_mut().expect("expansion says it").0;
            *host = resolve(*host, web.servers.rate.1.0, base, *packet)
                .map_err(|m| m.at(format!("{path}.host_queue")))?;
        }
        self.check_backpressure(s)?;
        self.complete_trace(s)
    }

    /// Limits of the access links of a group's hosts.
    fn complete_hosts(
        &self,
        access: &mut Option<Access>,
        host_queue: &mut Option<Text<Limit>>,
        member: usize,
    ) -> Result<(), Fault> {
        let Some(access) = access else { return Ok(()) };
        let Member { path, packet, .. } = &self.members[member];
        let base = Some(self.base_rtt(member));
        let rate = access.rate.expect("expansion says it").0;
        let queue = access.queue.as_mut().expect("expansion says it");
        complete_queue(queue, rate, base, *packet, &format!("{path}.access.queue"))?;
        only_at_senders(queue, &format!("{path}.access.queue.limit"))?;
        let host = &mut host_queue.as_mut().expect("expansion says it").0;
        *host =
            resolve(*host, rate, base, *packet).map_err(|m| m.at(format!("{path}.host_queue")))?;
        Ok(())
    }

    /// Only senders can wait; a queue that others' packets pass through has to
    /// take them or drop them.
    fn check_backpressure(&self, s: &Scenario) -> Result<(), Fault> {
        for (i, group) in self.members.iter().enumerate() {
            let own = usize::from(group.hosts.is_none());
            let through = self.there[i].iter().skip(own);
            let acks = self.back[i].iter().skip(own);
            for &w in through.chain(acks) {
                let wire = &self.wires[w];
                if matches!(wire.queue(s).limit, Limit::Backpressure(_)) {
                    return Err(Mistake::new(
                        format!("`{}` passes through a queue with back-pressure", group.name),
                        "back-pressure works only at a sending host's own queue; give a limit",
                    )
                    .at(wire.path("queue.limit")));
                }
            }
        }
        Ok(())
    }

    fn complete_trace(&self, s: &mut Scenario) -> Result<(), Fault> {
        let Some(trace) = &s.trace else { return Ok(()) };
        let links = match trace.links.clone().unwrap_or(TraceLinks::Bottleneck) {
            // in a graph: per group the slowest link, the first of equal ones
            TraceLinks::Bottleneck => {
                let slowest =
                    |route: &Vec<usize>| route.iter().copied().min_by_key(|&w| self.wires[w].rate);
                let mut seen = HashSet::new();
                let all = self.there.iter().filter_map(slowest).filter(|&w| seen.insert(w));
                TraceLinks::Named(all.map(|w| self.wires[w].name.clone()).collect())
            }
            other => other,
        };
        if let Some(trace) = &mut s.trace {
            trace.links = Some(links);
        }
        Ok(())
    }
}

/// The largest packets of a group, on the wire.
fn wire_size(tcp: Option<&Tcp>) -> Bytes {
    tcp.and_then(|tcp| tcp.packet).expect("expansion says it").0
}

fn only_at_senders(queue: &Queue, path: &str) -> Result<(), Fault> {
    if !matches!(queue.limit, Limit::Backpressure(_)) {
        return Ok(());
    }
    let message = "back-pressure works only at a sending host's own queue";
    Err(Mistake::new(message, "set `host_queue` instead").at(path))
}

fn complete_queue(
    queue: &mut Queue,
    rate: Rate,
    rtt: Option<Duration>,
    packet: Bytes,
    path: &str,
) -> Result<(), Fault> {
    queue.mean_packet.get_or_insert(packet);
    queue.limit =
        resolve(queue.limit, rate, rtt, packet).map_err(|m| m.at(format!("{path}.limit")))?;
    Ok(())
}

/// Linux lets a flow have as much below it as leaves in about 1 ms (TCP small
/// queues: `sk_pacing_shift` 10), and at least two segments.
const SMALL_QUEUE: f64 = 0.001;

fn resolve(
    limit: Limit,
    rate: Rate,
    rtt: Option<Duration>,
    packet: Bytes,
) -> Result<Limit, Mistake> {
    let packets = |time: f64| rate.bits_per_sec() as f64 * time / (8 * packet.get()) as f64;
    match (limit, rtt) {
        (Limit::Bdp(_), None) => Err(Mistake::new(
            "no TCP flow passes here, so there is no bandwidth-delay product",
            "give the limit in packets or bytes",
        )),
        (Limit::Bdp(n), Some(rtt)) => {
            let packets = (n * packets(rtt.secs())).round().max(1.0);
            if packets > f64::from(u32::MAX) {
                let help = format!("at most {}pkt, or \"unlimited\"", u32::MAX);
                return Err(Mistake::new(format!("{n} bdp are {packets:e} packets"), help));
            }
            Ok(Limit::Packets(packets as u64))
        }
        (Limit::Backpressure(None), _) => {
            Ok(Limit::Backpressure(Some(packets(SMALL_QUEUE).ceil().max(2.0) as u64)))
        }
        (Limit::Packets(0) | Limit::Bytes(0) | Limit::Backpressure(Some(0)), _) => {
            Err(Mistake::new("a queue limit of zero lets nothing through", "at least 1pkt"))
        }
        (Limit::Bytes(n), _) if n < packet.get() => Err(Mistake::new(
            format!("a queue of {n}B holds not one packet of {packet}"),
            "the packet in transmission counts: give room for one at least",
        )),
        _ => Ok(limit),
    }
}

fn duplicate(what: &str, name: &str) -> Mistake {
    Mistake::new(format!("a second {what} called `{name}`"), "every name is given once")
}

fn unique<'a>(names: impl Iterator<Item = &'a str>, what: &str, path: &str) -> Result<(), Fault> {
    let mut seen = HashSet::new();
    for (i, name) in names.enumerate() {
        if !seen.insert(name) {
            return Err(duplicate(what, name).at(format!("{path}.{i}.name")));
        }
    }
    Ok(())
}

fn wires(
    s: &Scenario,
    node: &impl Fn(&str, String) -> Result<usize, Fault>,
) -> Result<Vec<Wire>, Fault> {
    let mut wires = Vec::with_capacity(2 * s.links.len());
    let mut seen = HashSet::new();
    for (i, link) in s.links.iter().enumerate() {
        let from = node(&link.from, format!("links.{i}.from"))?;
        let to = node(&link.to, format!("links.{i}.to"))?;
        if from == to {
            return Err(Mistake::new("a link from a node to itself", "name two nodes")
                .at(format!("links.{i}.to")));
        }
        let name = match &link.name {
            Some(name) => name.clone(),
            None => format!("{}->{}", link.from, link.to),
        };
        let back = match &link.name {
            Some(name) => format!("{name}.reverse"),
            None => format!("{}->{}", link.to, link.from),
        };
        let mut add = |wire: Wire| {
            if !seen.insert(wire.name.clone()) {
                let key = if link.name.is_some() { "name" } else { "to" };
                return Err(Mistake::new(
                    format!("a second link called `{}`", wire.name),
                    "links are duplex unless `duplex = false`; parallel ones need a `name`",
                )
                .at(format!("links.{i}.{key}")));
            }
            wires.push(wire);
            Ok(())
        };
        let (rate, delay) = (link.rate.nominal(), link.delay.0);
        add(Wire { name, from, to, rate, delay, link: (i, false) })?;
        if let Some(reverse) = &link.reverse {
            let rate = reverse.rate.as_ref().map_or(rate, LinkRate::nominal);
            let delay = reverse.delay.map_or(delay, |d| d.0);
            add(Wire { name: back, from: to, to: from, rate, delay, link: (i, true) })?;
        }
    }
    Ok(wires)
}

/// Shortest paths by delay; then by hops; then over the link that comes first.
struct Routes<'a> {
    wires: &'a [Wire],
    /// Per node, the wires that leave it.
    out: Vec<Vec<usize>>,
    /// Per source, what is asked of it: number of the question, destination,
    /// how often the route is used, where to complain.
    asked: BTreeMap<usize, Vec<Question>>,
    questions: usize,
}

struct Question {
    number: usize,
    to: usize,
    times: u64,
    path: String,
}

impl<'a> Routes<'a> {
    fn new(nodes: usize, wires: &'a [Wire]) -> Self {
        let mut out = vec![Vec::new(); nodes];
        for (w, wire) in wires.iter().enumerate() {
            out[wire.from].push(w);
        }
        Self { wires, out, asked: BTreeMap::new(), questions: 0 }
    }

    fn ask(&mut self, from: usize, to: usize, times: u64, path: String) {
        let number = self.questions;
        self.asked.entry(from).or_default().push(Question { number, to, times, path });
        self.questions += 1;
    }

    fn answer(self, s: &Scenario) -> Result<Vec<Vec<usize>>, Fault> {
        let size = |n: usize| n as u64;
        if size(self.asked.len()) * size(self.wires.len() + self.out.len()) > MAX_SEARCH {
            return Err(Mistake::new(
                format!("routes from {} nodes over {} links", self.asked.len(), self.wires.len()),
                "too much to search; use a smaller graph",
            )
            .at("links"));
        }
        let mut answers = vec![Vec::new(); self.questions];
        let mut steps = 0_u64;
        for (&from, questions) in &self.asked {
            let tree = self.tree(from);
            for q in questions {
                let mut route = Vec::new();
                let mut here = q.to;
                while here != from {
                    let Some(w) = tree[here] else {
                        return Err(unreachable(s, from, q, &tree));
                    };
                    route.push(w);
                    here = self.wires[w].from;
                }
                steps = steps.saturating_add(q.times.saturating_mul(size(route.len()) + 2));
                if steps > MAX_STEPS {
                    let message = format!("all routes together have more than {MAX_STEPS} links");
                    return Err(Mistake::new(message, "fewer flows, or shorter paths").at(&*q.path));
                }
                route.reverse();
                answers[q.number] = route;
            }
        }
        Ok(answers)
    }

    /// For each node the last wire on the way to it (Dijkstra).
    fn tree(&self, from: usize) -> Vec<Option<usize>> {
        const FAR: (u128, u32) = (u128::MAX, u32::MAX);
        let mut best = vec![FAR; self.out.len()];
        let mut last = vec![None; self.out.len()];
        let mut heap = BinaryHeap::from([Reverse(((0, 0), from))]);
        best[from] = (0, 0);
        while let Some(Reverse((cost, node))) = heap.pop() {
            if cost > best[node] {
                continue;
            }
            for &w in &self.out[node] {
                let wire = &self.wires[w];
                let next = (cost.0 + u128::from(wire.delay.nanos()), cost.1 + 1);
                if next < best[wire.to] {
                    heap.push(Reverse((next, wire.to)));
                    best[wire.to] = next;
                    last[wire.to] = Some(w);
                } else if next == best[wire.to] && last[wire.to].is_some_and(|old| w < old) {
                    last[wire.to] = Some(w);
                }
            }
        }
        last
    }
}

fn unreachable(s: &Scenario, from: usize, q: &Question, tree: &[Option<usize>]) -> Fault {
    let reached = s.nodes.iter().zip(tree).filter(|(_, last)| last.is_some()).map(|(n, _)| n);
    let some: Vec<&str> = reached.take(8).map(String::as_str).collect();
    let help = if some.is_empty() {
        format!("no link leaves `{}`", s.nodes[from])
    } else {
        format!("`{}` reaches {}", s.nodes[from], some.join(", "))
    };
    let message = format!("no route from `{}` to `{}`", s.nodes[from], s.nodes[q.to]);
    Mistake::new(message, help).at(&*q.path)
}
