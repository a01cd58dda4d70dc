//! Traffic without congestion control: datagrams sent at randomly drawn times, the same as
//! in the simulator.
//!
//! A source sends at absolute times: if it wakes late, it immediately sends what was due
//! meanwhile, so delays do not accumulate. The data is never read; the emulator has counted
//! it.

use std::net::{SocketAddrV4, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration as Wall, Instant};

use nix::sys::socket::{setsockopt, sockopt};
use tusker_core::Time;
use tusker_plan::plan::{self, Plan};
use tusker_plan::sources::Background;

use crate::error::Error;
use crate::ledger::port;
use crate::places::Hosts;
use crate::ways::ends;

/// Headers of IP and UDP, bytes.
pub const HEADERS: u64 = 28;

/// The longest wait, so that a request to stop is noticed.
const LONGEST: Wall = Wall::from_millis(10);

/// Periods without a packet that are processed before the thread checks whether to stop.
const PERIODS: u64 = 1 << 12;

/// A source and its socket.
struct Source {
    draws: Background,
    socket: UdpSocket,
    /// Keeps the port at the receiver open.
    _sink: UdpSocket,
    payload: Vec<u8>,
}

/// Sends what the sources of a plan draw, until the plan's end or until it is `over`.
///
/// # Errors
/// The system's errors from their sockets.
pub fn send(
    plan: &Plan,
    seed: u64,
    hosts: &Hosts,
    began: Instant,
    over: &AtomicBool,
) -> Result<(), Error> {
    let sources = plan.background.iter().enumerate();
    let sources = sources.map(|(i, source)| Source::new(plan, seed, hosts, i, source));
    let mut sources = sources.collect::<Result<Vec<Source>, Error>>()?;
    // below the emulator, above threads that need less precision
    crate::sys::real_time(5);
    loop {
        let next = sources.iter().enumerate().min_by_key(|(_, source)| source.draws.next());
        let Some((i, source)) = next else { return Ok(()) };
        let at = source.draws.next();
        if over.load(Ordering::Relaxed) || at >= plan.end {
            return Ok(());
        }
        let now = Time::from_nanos(began.elapsed().as_nanos() as u64);
        if at > now {
            sleep(Wall::from_nanos(at.since(now).nanos()).min(LONGEST));
            continue;
        }
        let source = &mut sources[i];
        source
            .socket
            .send(&source.payload)
            .map_err(|error| failed(plan, i, "send a datagram", error))?;
        source.draws.on_sent();
        while !source.draws.settle(PERIODS) {
            if over.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    }
}

impl Source {
    fn new(
        plan: &Plan,
        seed: u64,
        hosts: &Hosts,
        i: usize,
        source: &plan::Background,
    ) -> Result<Self, Error> {
        let [from, to] = ends(plan, &source.route);
        let bind = |node, port| hosts.of(node).run(|| UdpSocket::bind((hosts.address(node), port)));
        let wrong = |error| failed(plan, i, "open a socket", error);
        let sink = bind(to, port(i))?.map_err(wrong)?;
        let socket = bind(from, 0)?.map_err(wrong)?;
        let class = i32::from(source.dscp << 2);
        setsockopt(&socket, sockopt::Ipv4Tos, &class).map_err(|no| wrong(no.into()))?;
        socket.connect(SocketAddrV4::new(hosts.address(to), port(i))).map_err(wrong)?;
        let payload = vec![0; source.packet.get().saturating_sub(HEADERS) as usize];
        let draws = Background::new(source, seed, plan.end);
        Ok(Self { draws, socket, _sink: sink, payload })
    }
}

fn failed(plan: &Plan, i: usize, what: &str, source: std::io::Error) -> Error {
    let [from, to] = ends(plan, &plan.background[i].route);
    Error::Socket {
        from: plan.nodes[from].clone(),
        to: plan.nodes[to].clone(),
        what: format!("{what} of {}", plan.background[i].name),
        source,
        remedy: "`ulimit -n` says how many sockets may be open",
    }
}
