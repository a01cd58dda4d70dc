//! All traffic of a scenario, and the links with the queues that it needs.

use tusker_core::{Bytes, Duration};
use tusker_plan::plan::{self, Plan};

use super::access::has_hosts;
use super::arrivals::{self, Arrivals};
use super::background::Background;
use super::flows::Flows;
use super::graph::{Graph, Written};
use super::groups::{Connections, Group, Way};
use super::names::{check_name, check_unique};
use super::origins::Origins;
use super::queues::{self, Passing};
use super::reroutes;
use super::routes::{self, Question};
use super::web::{self, Web};
use crate::error::{Fault, Mistake};
use crate::model::Scenario;

/// All traffic of a scenario.
pub struct Traffic {
    pub flows: Vec<Flows>,
    pub arrivals: Vec<Arrivals>,
    pub web: Vec<Web>,
    pub background: Vec<Background>,
}

/// A group of connections among the others.
struct Member<'a> {
    group: &'a Group,
    /// The longest round trip, without queues.
    rtt: Duration,
    /// Whether its flows have their own hosts.
    hosts: bool,
}

impl Traffic {
    pub fn of(s: &Scenario, graph: &Graph, origins: &mut Origins) -> Result<Self, Fault> {
        let short = if s.dumbbell.is_some() { "dumbbell" } else { "parking-lot" };
        let short = graph.ends.map(|_| short);
        let mut ways = ways(s, graph)?.into_iter();
        let mut next = || ways.next().expect("a way for each that goes somewhere");
        let (mut flows, mut arrivals, mut web) = (Vec::new(), Vec::new(), Vec::new());
        for (i, written) in s.flows.iter().enumerate() {
            let path = format!("flows.{i}");
            origins.add_group(&path, short);
            flows.push(Flows::of(s, written, next(), &path)?);
        }
        for (i, written) in s.arrivals.iter().enumerate() {
            let path = format!("arrivals.{i}");
            origins.add_group(&path, short);
            arrivals.push(Arrivals::of(s, graph, written, next(), &path)?);
        }
        for (i, written) in s.web.iter().enumerate() {
            let path = format!("web.{i}");
            origins.add_group(&path, None);
            web.push(Web::of(s, written, next(), &path)?);
        }
        let mut all = Self { flows, arrivals, web, background: Vec::new() };
        let packet = all.largest();
        for (i, written) in s.background.iter().enumerate() {
            let path = format!("background.{i}");
            all.background.push(Background::of(s, written, next(), packet, &path)?);
        }
        Ok(all)
    }

    /// The links of the graph, with queues sized for the traffic that passes them.
    pub fn links(&self, graph: &Graph) -> Result<Vec<plan::Link>, Fault> {
        let mut rtt: Vec<Option<Duration>> = vec![None; graph.wires.len()];
        let mut packet: Vec<Option<Bytes>> = vec![None; graph.wires.len()];
        for member in self.members() {
            let Group { way, tcp, .. } = member.group;
            for &w in way.all().flatten().flatten() {
                rtt[w] = rtt[w].max(Some(member.rtt));
                packet[w] = packet[w].max(Some(tcp.packet));
            }
        }
        for source in &self.background {
            for &w in &source.way.there {
                // flows first: the BDP refers to their packets
                packet[w] = packet[w].or(Some(source.packet));
            }
        }
        let any = self.largest();
        let mut links = Vec::with_capacity(graph.wires.len());
        for (w, wire) in graph.wires.iter().enumerate() {
            let packet = packet[w].unwrap_or(any);
            let passing = Passing { rate: wire.rate, rtt: rtt[w], packet };
            let queue = queues::queue(&wire.queue, passing, &format!("{}.queue", wire.path))?;
            links.push(wire.link(queue));
        }
        self.check_backpressure(graph, &links)?;
        Ok(links)
    }

    /// Only senders can wait; a queue that forwards packets of others must accept
    /// or drop them, and so must one whose policy drops later.
    fn check_backpressure(&self, graph: &Graph, links: &[plan::Link]) -> Result<(), Fault> {
        for Member { group, hosts, .. } in self.members() {
            // flows whose route changes do not wait for room
            let own = usize::from(!hosts && group.way.later.is_empty());
            for &w in group.way.all().flatten().flat_map(|way| way.iter().skip(own)) {
                if matches!(links[w].queue.limit, plan::Limit::Backpressure(_)) {
                    let message =
                        format!("`{}` passes through a queue with back-pressure", group.name);
                    let help =
                        "back-pressure works only at a sending host's own queue; give a limit";
                    let mistake = Mistake::new(message, help);
                    return Err(mistake.at(format!("{}.queue.limit", graph.wires[w].path)));
                }
            }
        }
        for (wire, link) in graph.wires.iter().zip(links) {
            let queue = &link.queue;
            if matches!(queue.limit, plan::Limit::Backpressure(_)) && queue.acts_at_departure() {
                let message = format!(
                    "`{}` drops packets instead of making senders wait",
                    queue.policy.name()
                );
                let help = "give a limit in packets, or another policy with back-pressure";
                let mistake = Mistake::new(message, help);
                return Err(mistake.at(format!("{}.queue.limit", wire.path)));
            }
        }
        Ok(())
    }

    /// Adds all traffic to a plan that has the graph.
    pub fn add_to(&self, plan: &mut Plan) {
        self.flows.iter().for_each(|flows| flows.add_to(plan));
        self.arrivals.iter().for_each(|arrivals| arrivals.add_to(plan));
        self.web.iter().for_each(|web| web.add_to(plan));
        self.background.iter().for_each(|source| source.add_to(plan));
    }

    /// Where each group goes.
    pub fn ways(&self) -> Vec<&Way> {
        self.members().map(|member| &member.group.way).collect()
    }

    /// All groups of connections, in the order of a plan's.
    fn members(&self) -> impl Iterator<Item = Member<'_>> {
        let flows = self.flows.iter();
        let flows =
            flows.map(|f| Member { group: &f.group, rtt: f.rtt(), hosts: f.access.is_some() });
        let arrivals = self.arrivals.iter();
        let arrivals =
            arrivals.map(|a| Member { group: &a.group, rtt: a.rtt(), hosts: a.access.is_some() });
        let web = self.web.iter();
        let web = web.map(|w| Member { group: &w.group, rtt: w.rtt(), hosts: true });
        flows.chain(arrivals).chain(web)
    }

    /// The largest packet of a flow.
    fn largest(&self) -> Bytes {
        let packets = self.members().map(|member| member.group.tcp.packet);
        packets.max().unwrap_or(Bytes::new(1500))
    }
}

/// Traffic from one node to another.
struct Traveller<'a> {
    path: String,
    name: &'a str,
    ends: Written<'a>,
    /// How many.
    times: u64,
    /// They have their own hosts, so they may begin and end at the same node.
    hosts: bool,
    /// Traffic also comes back: flows.
    returns: bool,
}

impl<'a> Traveller<'a> {
    fn group(written: impl Into<Connections<'a>>, path: String, times: u64, hosts: bool) -> Self {
        let Connections { name, ends, .. } = written.into();
        Self { path, name, ends, times, hosts, returns: true }
    }
}

/// Flows, arrivals, web, background, in this order.
fn travellers(s: &Scenario) -> Vec<Traveller<'_>> {
    let flows = s.flows.iter().enumerate().map(|(i, w)| {
        let times = w.count.unwrap_or(1).saturating_mul(w.parallel.unwrap_or(1));
        Traveller::group(w, format!("flows.{i}"), times, has_hosts(s, w.access.as_ref()))
    });
    let arrivals = s.arrivals.iter().enumerate().map(|(i, w)| {
        let (path, hosts) = (format!("arrivals.{i}"), has_hosts(s, w.access.as_ref()));
        Traveller::group(w, path, arrivals::connections(w), hosts)
    });
    let web = s.web.iter().enumerate();
    let web = web.map(|(i, w)| Traveller::group(w, format!("web.{i}"), web::connections(w), true));
    let background = s.background.iter().enumerate().map(|(i, w)| Traveller {
        path: format!("background.{i}"),
        name: &w.name,
        ends: Written {
            from: w.from.as_deref(),
            to: w.to.as_deref(),
            direction: w.direction.map(|d| d.0),
        },
        times: w.count.unwrap_or(1),
        hosts: false,
        returns: false,
    });
    flows.chain(arrivals).chain(web).chain(background).collect()
}

/// Where each of them goes.
fn ways(s: &Scenario, graph: &Graph) -> Result<Vec<Way>, Fault> {
    let travellers = travellers(s);
    let mut questions = Vec::new();
    for t in &travellers {
        check_name(t.name, &format!("{}.name", t.path))?;
        let (from, to) = graph.way(t.ends, &t.path)?;
        let path = format!("{}.to", t.path);
        if from == to && !t.hosts {
            let what = if t.returns { "flows" } else { "traffic" };
            let message = format!("{what} from a node to itself");
            return Err(Mistake::new(message, "name two nodes").at(path));
        }
        questions.push(Question { from, to, times: t.times, path: path.clone() });
        if t.returns {
            questions.push(Question { from: to, to: from, times: t.times, path });
        }
    }
    for (returns, what) in [(true, "group of flows"), (false, "background source")] {
        let kind = travellers.iter().filter(|t| t.returns == returns);
        check_unique(what, kind.map(|t| (t.name, format!("{}.name", t.path))))?;
    }
    let mut routes = routes::find(graph, &questions)?.into_iter();
    let mut ends = questions.iter().map(|question| (question.from, question.to));
    let mut way = |t: &Traveller<'_>| {
        let (from, to) = ends.next()?;
        let there = routes.next()?;
        let back = if t.returns { ends.next().and_then(|_| routes.next())? } else { Vec::new() };
        let wires = there.iter().chain(&back);
        let delay = wires.fold(Duration::ZERO, |sum, &w| sum + graph.wires[w].delay.first());
        Some(Way { from, to, there, back, delay, later: Vec::new(), chosen: false })
    };
    let mut ways: Vec<Way> = travellers.iter().map_while(&mut way).collect();
    reroutes::choose(s, graph, &mut ways)?;
    Ok(ways)
}
