//! A plan's hosts and links, offered to any program, whose traffic then crosses them.

use std::fmt::Write as _;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use nix::ifaddrs::getifaddrs;
use tusker_core::{Duration, Time};
use tusker_path::Counters;
use tusker_plan::executor::Observe;
use tusker_plan::plan::Plan;
use tusker_plan::run;

use crate::addresses::{Block, is_hosts, six};
use crate::arrivals::Arrival;
use crate::audit::Audit;
use crate::error::Error;
use crate::host::DEVICE;
use crate::inside::{Place, Program};
use crate::laws::Names;
use crate::network::Network;
use crate::places::Hosts;
use crate::pump::Pump;
use crate::reach::{Reach, Sockets};
use crate::routes;
use crate::sights::{self, Sights};
use crate::traffic::AllSenders;
use crate::ways::mtu;

/// How often the state of links is updated.
const EVERY: Duration = Duration::from_millis(100);

/// Practically no end: a hundred years.
const FAR: Time = Time::from_nanos(3_155_760_000_000_000_000);

/// How a plan's hosts and links are offered.
#[derive(Default)]
pub struct Offer<'a> {
    /// Seed of all that is random.
    pub seed: u64,
    /// The host of this node is this process's own namespace, behind which the plan's links are:
    /// they are in series with those that it sends across.
    pub within: Option<usize>,
    /// The plan's flows, traffic and background are sent, too. These laws were loaded for them.
    pub flows: Option<Names>,
    /// The link of the plan whose arrivals are recorded.
    pub record: Option<usize>,
    /// Who sees packets, and which.
    pub observe: Option<Observe<'a>>,
}

/// What there is to say when it is over.
pub struct Ended<T> {
    /// The result of the work.
    pub value: T,
    /// What each link of the plan carried.
    pub carried: Vec<Carried>,
    /// The same, with the delays of packets; nothing if the emulator failed.
    pub links: Vec<run::Link>,
    /// The plan's flows, if they were sent.
    pub flows: Vec<run::Flow>,
    /// How punctual the emulator was.
    pub audit: Option<Audit>,
    /// The arrivals at the recorded link, in order of time.
    pub arrivals: Vec<Arrival>,
}

/// What a link has done from the start up to some time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Carried {
    /// The end of that time.
    pub at: Time,
    /// Packets in its queue then, the one in transmission included.
    pub backlog: usize,
    /// Its counters.
    pub counters: Counters,
}

/// Hosts and links that run for as long as they are used.
pub struct Shell<'a> {
    plan: &'a Plan,
    within: bool,
    hosts: &'a Hosts,
    /// Of each link of the plan.
    links: Mutex<Vec<Carried>>,
    failure: Mutex<Option<Error>>,
}

/// Makes the hosts of a plan and runs the emulator for as long as `work` takes. The plan's end
/// is ignored. Packets are those of the programs that `work` starts, and of the plan's flows,
/// traffic and background if these are wanted.
///
/// # Errors
/// What this machine cannot provide.
pub fn shell<T>(
    plan: &Plan,
    offer: Offer<'_>,
    work: impl FnOnce(&Shell<'_>) -> T,
) -> Result<Ended<T>, Error> {
    let Offer { seed, within, flows, record, observe } = offer;
    let mut endless = Plan { measure_from: Time::ZERO, measure_to: FAR, end: FAR, ..plan.clone() };
    endless.trace.interval = None;
    let endless = &endless;
    let block = if within.is_some() { Block::free() } else { Block::default() };
    block.fits(plan.nodes.len())?;
    let sends = flows.is_some();
    let (hosts, devices) = match flows {
        Some(laws) => Hosts::with_flows(plan, laws, block, within)?,
        None => Hosts::bare(plan, block, within)?,
    };
    let nodes: Vec<usize> = hosts.nodes().collect();
    let ways = routes::between(plan, &nodes);
    let gateway = within.map(|node| hosts.of(node).gateway(node)).transpose()?;
    let (senders, bell) = AllSenders::new(endless, seed, &hosts)?;
    let (sights, watch) = observe
        .map(|(wanted, observer)| {
            let (sights, from) = Sights::new(endless, wanted);
            (sights, (from, observer))
        })
        .unzip();
    let bell = bell.filter(|_| sends);
    let pump = Pump::new(endless, seed, mtu(plan), devices, bell)
        .map_err(Error::Emulator)?
        .of_any_traffic(&ways, block, gateway)
        .recording(record)
        .looking(sights);
    let pump = if sends { pump } else { pump.without_flows() };
    let began = pump.began();
    let links = Mutex::new(vec![Carried::default(); plan.links.len()]);
    let shell =
        Shell { plan, within: within.is_some(), hosts: &hosts, links, failure: Mutex::default() };
    let [stop, over] = [false; 2].map(AtomicBool::new);
    thread::scope(|scope| {
        if let Some((from, observer)) = watch {
            scope.spawn(move || sights::tell(&from, observer));
        }
        let emulator = scope.spawn(|| {
            let real_time = crate::rest::real_time();
            let mut next = Time::ZERO;
            let seen = pump.run(real_time, |now, network| {
                let stop = stop.load(Ordering::Relaxed);
                if stop || now >= next {
                    shell.put_down(network);
                    next = now + EVERY;
                }
                stop
            });
            seen.map_err(|error| shell.fail(Error::Emulator(error))).ok()
        });
        // also if `work` panics, so that nothing waits forever
        let stopper = Stopper(&stop);
        let ended = Stopper(&over);
        let flows = sends.then(|| scope.spawn(|| senders.run(began, &over, &|e| shell.fail(e))));
        let value = work(&shell);
        drop(ended);
        let flows = flows.map(join).unwrap_or_default();
        drop(stopper);
        let seen = join(emulator);
        let carried = shell.carried();
        Ok(match seen {
            Some(seen) => Ended {
                value,
                carried,
                links: seen.links,
                flows: seen
                    .books
                    .into_iter()
                    .zip(flows)
                    .map(|(book, start)| book.finish(start))
                    .collect(),
                audit: Some(seen.audit),
                arrivals: seen.arrivals,
            },
            None => Ended {
                value,
                carried,
                links: Vec::new(),
                flows: Vec::new(),
                audit: None,
                arrivals: Vec::new(),
            },
        })
    })
}

fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

struct Stopper<'a>(&'a AtomicBool);

impl Drop for Stopper<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Shell<'_> {
    /// All hosts: index of the node, name, address, and the number of the open file that
    /// keeps the namespace.
    pub fn hosts(&self) -> impl Iterator<Item = (usize, &str, Ipv4Addr, i32)> {
        self.hosts.nodes().map(|node| {
            let (name, host) = (self.plan.nodes[node].as_str(), self.hosts.of(node));
            (node, name, self.hosts.address(node), host.descriptor())
        })
    }

    /// Programs on the host of this node use the law of this flow by default, if the kernel
    /// has it. Returns the law's name in the kernel.
    ///
    /// # Errors
    /// Why they do not.
    ///
    /// # Panics
    /// If there is no host.
    pub fn law(&self, node: usize, flow: usize, laws: &Names) -> Result<String, Error> {
        let name = laws.of(&self.plan.flows[flow].cc)?;
        self.hosts.of(node).law(&name)?;
        Ok(name)
    }

    /// Starts a program on the host of this node.
    ///
    /// # Errors
    /// If it cannot be started.
    ///
    /// # Panics
    /// If there is no host.
    pub fn start(&self, node: usize, peer: usize, command: Command) -> Result<Program, Error> {
        let host = self.hosts.of(node);
        let names = self.names(peer);
        let place = Place { host: host.name(), namespace: host.namespace(), names: &names };
        Program::start(place, command)
    }

    /// The IPv6 address of the host of this node, if it has one.
    pub fn six(&self, node: usize) -> Option<Ipv6Addr> {
        let host =
            Some(self.hosts.of(node)).filter(|host| host.address() == self.hosts.address(node));
        host.filter(|host| host.has_six()).map(|host| six(host.address()))
    }

    /// Lines of `/etc/hosts`: all hosts, and the one called `peer`. Within another shell, that
    /// is the outer one's.
    pub fn names(&self, peer: usize) -> String {
        let mut lines = "127.0.0.1 localhost\n".to_owned();
        for (_, name, address, _) in self.hosts().filter(|(_, name, ..)| can_be_a_name(name)) {
            // writing to a string does not fail
            let _ = writeln!(lines, "{address} {name}");
        }
        if !self.within {
            let _ = writeln!(lines, "{} peer", self.hosts.address(peer));
            if let Some(six) = self.six(peer) {
                let _ = writeln!(lines, "{six} peer6");
            }
        }
        lines
    }

    /// How many sockets of this host are listening for connections or datagrams.
    ///
    /// # Errors
    /// If the host cannot be entered.
    pub fn waiting_sockets(&self, node: usize) -> Result<usize, Error> {
        self.hosts.of(node).run(|| {
            let lines = |table: &str| {
                let text = std::fs::read_to_string(format!("/proc/thread-self/net/{table}"));
                text.unwrap_or_default().lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
            };
            // 0A is LISTEN; datagram sockets have no such state
            let listens = |line: &String| line.split_whitespace().nth(3) == Some("0A");
            let tcp = ["tcp", "tcp6"].into_iter().flat_map(lines).filter(listens).count();
            tcp + ["udp", "udp6"].into_iter().flat_map(lines).count()
        })
    }

    /// Offers a server, which this process reaches, at the same port of the host of this node,
    /// until the result is dropped. Returns its address there, too.
    ///
    /// # Errors
    /// If the host's port is not free.
    ///
    /// # Panics
    /// If there is no host.
    pub fn reach(&self, node: usize, server: SocketAddr) -> Result<(Reach, SocketAddr), Error> {
        let host = self.hosts.of(node);
        let (address, port) = (host.address(), server.port());
        let failed = |source| Error::Socket {
            from: host.name().to_owned(),
            to: server.to_string(),
            what: format!("listen on port {port}"),
            source,
            remedy: "its port must be free at the host, too",
        };
        let all = [Some(IpAddr::V4(address)), self.six(node).map(IpAddr::V6)];
        let all = all.into_iter().flatten();
        let open = || all.map(|address| Sockets::open(address, port)).collect();
        let sockets: io::Result<Vec<Sockets>> = host.run(open)?;
        let reach = sockets.and_then(|sockets| Reach::new(sockets, server)).map_err(failed)?;
        Ok((reach, (address, port).into()))
    }

    /// What each link of the plan carried up to a moment ago.
    pub fn carried(&self) -> Vec<Carried> {
        lock(&self.links).clone()
    }

    /// Why the emulator ended, if it has.
    pub fn failure(&self) -> Option<String> {
        lock(&self.failure).as_ref().map(ToString::to_string)
    }

    fn fail(&self, error: Error) {
        lock(&self.failure).get_or_insert(error);
    }

    fn put_down(&self, network: &mut Network) {
        for (link, carried) in lock(&self.links).iter_mut().enumerate() {
            let (at, backlog, counters) = network.state(link);
            *carried = Carried { at, backlog, counters };
        }
    }
}

/// The address of this process's host, if it is one of an emulated network.
pub fn around() -> Option<Ipv4Addr> {
    let interfaces = getifaddrs().ok()?;
    let mut tuns = interfaces.filter(|interface| interface.interface_name == DEVICE);
    tuns.find_map(|tun| tun.address?.as_sockaddr_in().map(|a| a.ip())).filter(|a| is_hosts(*a))
}

/// Whether resolvers accept it as the name of a host (RFC 1123, section 2.1).
fn can_be_a_name(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    !name.is_empty() && name.len() < 64 && name.chars().all(fits)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
