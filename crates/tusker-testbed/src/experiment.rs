//! One execution of a plan: hosts are made, connections opened when their flows start,
//! the emulator works, and what both saw becomes a run.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration as Wall, Instant};

use tusker_core::{Bytes, Time};
use tusker_plan::plan::{Flow, Plan};
use tusker_plan::run::{Run, Series, Trace};

use crate::audit::Audit;
use crate::error::Error;
use crate::host::Host;
use crate::laws::kernel_name;
use crate::pump::{Pump, Seen, address, port};
use crate::socket::{CaState, Connection, Options};
use crate::tun::Tun;

/// How often sockets are asked how they are.
const ASK: Wall = Wall::from_millis(10);

/// Executes a plan. `progress` is told the time now and then and may break off; then
/// there is no run.
///
/// # Errors
/// What cannot be made on this machine.
pub fn execute(
    plan: &Plan,
    seed: u64,
    progress: &mut dyn FnMut(Time) -> ControlFlow<()>,
) -> Result<Option<(Run, Audit)>, Error> {
    let (hosts, devices) = hosts(plan)?;
    let pump = Pump::new(plan, seed, mtu(plan), devices).map_err(Error::Emulator)?;
    let began = pump.began();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let emulator = scope.spawn(|| {
            let real_time = crate::rest::real_time();
            let mut links = LinkRows::default();
            let seen = pump.run(real_time, |now, network| {
                links.record(now, plan, network);
                stop.load(Ordering::Relaxed)
            });
            seen.map(|seen| (seen, links))
        });
        let mut flows = Flows::new(plan, seed, &hosts, began);
        let watched = flows.watch(progress);
        // connections end while packets still move, so that none waits for an answer
        drop(flows.connections);
        // while their devices are there
        let unseen: Result<u64, Error> = hosts.values().map(Host::dropped).sum();
        stop.store(true, Ordering::Relaxed);
        let seen = emulator.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        if !watched? {
            return Ok(None);
        }
        let (seen, links) = seen.map_err(Error::Emulator)?;
        let audit = Audit { unseen: unseen?, ..seen.audit.clone() };
        Ok(Some((run(plan, seed, seen, flows.counts, flows.rows, links), audit)))
    })
}

/// Hosts by their nodes.
pub type Hosts = BTreeMap<usize, Host>;

/// A host at each end of a plan's flows, and the other ends of their cables.
pub fn hosts(plan: &Plan) -> Result<(Hosts, Vec<(usize, Tun)>), Error> {
    let mtu = mtu(plan);
    let (mut hosts, mut devices) = (Hosts::new(), Vec::new());
    for flow in &plan.flows {
        for node in ends(plan, flow) {
            if let Entry::Vacant(free) = hosts.entry(node) {
                let (host, tun) = Host::new(&plan.nodes[node], address(node), mtu)?;
                free.insert(host);
                devices.push((node, tun));
            }
        }
    }
    Ok((hosts, devices))
}

/// The largest packet of a plan in bytes; [`crate::can()`] holds that it is one of IPv4.
pub fn mtu(plan: &Plan) -> u16 {
    let packets = plan.flows.iter().map(|flow| flow.tcp.packet.get());
    packets.max().map_or(1500, |packet| u16::try_from(packet).unwrap_or(u16::MAX))
}

/// What a flow's segments have at most, TCP options included, where its packets are
/// smaller than the hosts'. 40 bytes: the headers of IP and TCP without options.
fn mss(plan: &Plan, flow: &Flow) -> Option<u16> {
    let packet = u16::try_from(flow.tcp.packet.get()).ok()?;
    (packet < mtu(plan)).then(|| packet.saturating_sub(40))
}

/// Nodes at both ends of a flow.
pub fn ends(plan: &Plan, flow: &Flow) -> [usize; 2] {
    let first = flow.route.first().expect("a flow has a way");
    let last = flow.route.last().expect("a flow has a way");
    [plan.links[*first].from, plan.links[*last].to]
}

/// The name that its start is drawn for: parallel connections start together.
fn application<'a>(plan: &'a Plan, flow: &'a Flow) -> &'a str {
    flow.application.map_or(&flow.name, |application| &plan.applications[application])
}

/// What sockets tell of a flow besides what is seen on the wire.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    begun: Time,
    finished: Option<Time>,
    episodes: u64,
    timeouts: u64,
    state: Option<CaState>,
}

/// The connections of all flows.
struct Flows<'a> {
    plan: &'a Plan,
    hosts: &'a BTreeMap<usize, Host>,
    began: Instant,
    starts: Vec<Time>,
    connections: Vec<Option<Connection>>,
    counts: Vec<Count>,
    /// Values of all flows, row by row.
    rows: Vec<(Time, Vec<[f64; 5]>)>,
}

impl<'a> Flows<'a> {
    fn new(plan: &'a Plan, seed: u64, hosts: &'a BTreeMap<usize, Host>, began: Instant) -> Self {
        Self {
            plan,
            hosts,
            began,
            starts: plan
                .flows
                .iter()
                .map(|flow| flow.start.time(seed, application(plan, flow)))
                .collect(),
            connections: plan.flows.iter().map(|_| None).collect(),
            counts: vec![Count::default(); plan.flows.len()],
            rows: Vec::new(),
        }
    }

    fn now(&self) -> Time {
        Time::from_nanos(self.began.elapsed().as_nanos() as u64)
    }

    /// Opens, asks and stops connections until the end of the plan; false if somebody
    /// broke off.
    fn watch(&mut self, progress: &mut dyn FnMut(Time) -> ControlFlow<()>) -> Result<bool, Error> {
        let mut next_row = Time::ZERO;
        loop {
            let now = self.now();
            if now >= self.plan.end {
                return Ok(true);
            }
            if progress(now).is_break() {
                return Ok(false);
            }
            self.open(now)?;
            let infos = self.ask(now)?;
            if let Some(interval) = self.plan.trace.interval.filter(|_| now >= next_row) {
                while next_row <= now {
                    // a row that was missed has the values of the next look
                    self.rows.push((next_row, infos.clone()));
                    next_row += interval;
                }
            }
            sleep(ASK);
        }
    }

    /// Opens what is due and stops what has had its time.
    fn open(&mut self, now: Time) -> Result<(), Error> {
        for (i, flow) in self.plan.flows.iter().enumerate() {
            if let Some(connection) = &self.connections[i] {
                if flow.stop.is_some_and(|stop| now >= stop) {
                    connection.stop();
                }
                continue;
            }
            if now < self.starts[i] {
                continue;
            }
            let [from, to] = ends(self.plan, flow);
            let bytes = |buffer: Option<Bytes>| {
                buffer.map(|bytes| u32::try_from(bytes.get()).unwrap_or(u32::MAX))
            };
            let options = Options {
                law: kernel_name(&flow.cc)?,
                send_buffer: bytes(flow.tcp.send_buffer),
                receive_buffer: bytes(flow.tcp.receive_buffer),
                mss: mss(self.plan, flow),
                port: port(i),
                ..Options::default()
            };
            let mut connection = Connection::open(&self.hosts[&from], &self.hosts[&to], &options)?;
            self.counts[i].begun = self.now();
            connection.start(flow.size.map(Bytes::get))?;
            self.connections[i] = Some(connection);
        }
        Ok(())
    }

    /// What the sockets say now: cwnd, ssthresh, srtt, flight, delivered.
    fn ask(&mut self, now: Time) -> Result<Vec<[f64; 5]>, Error> {
        let mut values = vec![[f64::NAN; 5]; self.plan.flows.len()];
        for (i, connection) in self.connections.iter().enumerate() {
            let Some(connection) = connection else { continue };
            let info = connection.info()?;
            let measured = now >= self.plan.measure_from && now < self.plan.measure_to;
            let count = &mut self.counts[i];
            let state = info.ca_state;
            if measured && Some(state) != count.state {
                let repairs = matches!(state, CaState::Cwr | CaState::Recovery);
                count.episodes += u64::from(repairs);
                count.timeouts += u64::from(state == CaState::Loss);
            }
            count.state = Some(state);
            if count.finished.is_none() && connection.wait(Wall::ZERO)? {
                count.finished = Some(now);
            }
            let ssthresh = info.snd_ssthresh.map_or(f64::INFINITY, f64::from);
            values[i] = [
                f64::from(info.snd_cwnd),
                ssthresh,
                info.rtt.as_secs_f64(),
                f64::from(info.unacked),
                f64::from(info.delivered),
            ];
        }
        Ok(values)
    }
}

/// Queue and policy of the links that a plan traces.
#[derive(Default)]
struct LinkRows {
    next: Time,
    rows: Vec<Vec<f64>>,
    names: Vec<(String, String)>,
}

impl LinkRows {
    fn record(&mut self, now: Time, plan: &Plan, network: &mut crate::network::Network) {
        let Some(interval) = plan.trace.interval.filter(|_| now >= self.next) else { return };
        let first = self.rows.is_empty();
        let mut row = Vec::new();
        for &link in &plan.trace.links {
            let name = &plan.links[link].name;
            let queue = network.backlog(link, now) as f64;
            let mut see = |quantity: &str, value: f64| {
                if first {
                    self.names.push((name.clone(), quantity.to_owned()));
                }
                row.push(value);
            };
            see("queue", queue);
            network.inspect(link, now, &mut see);
        }
        while self.next <= now {
            // a row that was missed has the values of the next look
            self.rows.push(row.clone());
            self.next += interval;
        }
    }
}

/// Everything together.
fn run(
    plan: &Plan,
    seed: u64,
    seen: Seen,
    counts: Vec<Count>,
    rows: Vec<(Time, Vec<[f64; 5]>)>,
    links: LinkRows,
) -> Run {
    let flows = seen.books.into_iter().zip(&counts).map(|(book, count)| {
        let mut flow = book.finish(count.begun);
        flow.episodes = count.episodes;
        flow.timeouts = count.timeouts;
        flow.finished = count.finished;
        flow
    });
    let trace = trace(plan, rows, links);
    Run { seed, flows: flows.collect(), links: seen.links, trace, ..Run::default() }
}

fn trace(plan: &Plan, rows: Vec<(Time, Vec<[f64; 5]>)>, links: LinkRows) -> Trace {
    const QUANTITIES: [&str; 5] = ["cwnd", "ssthresh", "srtt", "flight", "delivered"];
    let length = rows.len().min(links.rows.len());
    let mut series = Vec::new();
    if plan.trace.flows {
        for (i, flow) in plan.flows.iter().enumerate() {
            for (j, quantity) in QUANTITIES.into_iter().enumerate() {
                series.push(Series {
                    subject: flow.name.clone(),
                    quantity: quantity.to_owned(),
                    values: rows[..length].iter().map(|(_, values)| values[i][j]).collect(),
                });
            }
        }
    }
    for (j, (subject, quantity)) in links.names.into_iter().enumerate() {
        let values = links.rows[..length].iter().map(|row| row[j]).collect();
        series.push(Series { subject, quantity, values });
    }
    Trace { times: rows[..length].iter().map(|(at, _)| *at).collect(), series }
}
