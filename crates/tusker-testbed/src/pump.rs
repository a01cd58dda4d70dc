//! The emulator at work: packets from the hosts' devices go through the network under
//! the real clock and come out at other hosts' devices.
//!
//! ```text
//!   device ---> read, now ---> Network ---> due ---> device
//!                              (times are those at which packets are due)
//! ```
//!
//! One thread does it all: it waits until a device has something or a packet is due.

use std::io::{self, ErrorKind};
use std::net::Ipv4Addr;
use std::os::fd::AsFd;
use std::time::Instant;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use tusker_core::{Duration, Time};
use tusker_plan::plan::Plan;
use tusker_plan::run;

use crate::audit::{Audit, Auditor};
use crate::books::{Book, Window};
use crate::ip::Header;
use crate::network::{Left, Network};
use crate::packet::Packet;
use crate::tun::Tun;

/// Packets that are read from a device before others are looked at.
const BATCH: usize = 32;

/// The longest packet that IPv4 has.
const LONGEST: usize = 65_535;

/// The longest wait, so that somebody who wants it to end is heard.
const LONGEST_WAIT_NS: u64 = 10_000_000;

/// The port of a plan's flow at its receiver.
pub fn port(flow: usize) -> u16 {
    FIRST_PORT + flow as u16
}

const FIRST_PORT: u16 = 10_000;

/// The address of a plan's node.
pub fn address(node: usize) -> Ipv4Addr {
    let number = node as u32 + 1;
    Ipv4Addr::from(0x0a00_0000 + number)
}

/// The node with this address.
fn node(address: Ipv4Addr) -> Option<usize> {
    u32::from(address).checked_sub(0x0a00_0001).map(|number| number as usize)
}

/// The emulator.
pub struct Pump<'a> {
    plan: &'a Plan,
    network: Network,
    /// Devices by node.
    devices: Vec<Option<Tun>>,
    books: Vec<Book>,
    window: Window,
    auditor: Auditor,
    began: Instant,
}

/// What the emulator saw.
pub struct Seen {
    /// Of each flow of the plan.
    pub books: Vec<Book>,
    /// Of each link of the plan.
    pub links: Vec<run::Link>,
    /// How well it kept its times.
    pub audit: Audit,
}

impl<'a> Pump<'a> {
    /// With the devices of the hosts, by their nodes. The clock begins.
    pub fn new(plan: &'a Plan, seed: u64, hosts: Vec<(usize, Tun)>) -> Self {
        let mut devices: Vec<Option<Tun>> = plan.nodes.iter().map(|_| None).collect();
        for (node, tun) in hosts {
            devices[node] = Some(tun);
        }
        let payload = |flow: &tusker_plan::plan::Flow| {
            flow.tcp.packet.get().saturating_sub(flow.tcp.header.get()) as u32
        };
        Self {
            plan,
            network: Network::new(plan, seed),
            devices,
            books: plan.flows.iter().map(|flow| Book::new(payload(flow))).collect(),
            window: Window::of(plan),
            auditor: Auditor::new(plan),
            began: Instant::now(),
        }
    }

    /// Packets belong to no flow of the plan, whatever their ports, and nothing is counted
    /// of its flows; hosts at the ends of these ways talk as well.
    pub fn of_any_traffic(mut self, ways: &[Vec<usize>]) -> Self {
        self.books.clear();
        ways.iter().for_each(|way| self.network.connect(self.plan, way));
        self
    }

    /// When the clock began.
    pub fn began(&self) -> Instant {
        self.began
    }

    fn now(&self) -> Time {
        Time::from_nanos(self.began.elapsed().as_nanos() as u64)
    }

    /// Works until `look`, which is asked every few milliseconds, says that it is over.
    ///
    /// # Errors
    /// If a device fails.
    pub fn run(
        mut self,
        real_time: bool,
        mut look: impl FnMut(Time, &mut Network) -> bool,
    ) -> io::Result<Seen> {
        let mut buffer = vec![0; LONGEST];
        loop {
            let begin = self.now();
            self.deliver(begin);
            let read = self.read(&mut buffer)?;
            let end = self.now();
            self.auditor.worked(begin, end);
            if look(end, &mut self.network) {
                return Ok(self.finish(real_time));
            }
            if !read {
                let due = end + self.until_due(end);
                self.wait(end)?;
                self.auditor.woke(due, self.now());
            }
        }
    }

    /// Everything that is due by now goes to its device.
    fn deliver(&mut self, now: Time) {
        let Self { network, books, window, auditor, devices, began, .. } = self;
        let mut gone: Vec<Packet> = Vec::new();
        network.advance(now, &mut |left| match left {
            Left::Arrived { at, node, packet } => {
                if let (Some(flow), Some(Header { segment: Some(segment), ports, .. })) =
                    (packet.flow, Header::read(&packet.bytes))
                {
                    let to_receiver = ports.is_some_and(|(_, to)| to == port(flow));
                    if to_receiver && segment.payload > 0 {
                        books[flow].arrived(at, *window, &segment);
                    } else if let (false, Some(ack)) = (to_receiver, segment.ack) {
                        books[flow].acknowledged(at, *window, ack);
                    }
                }
                let device = devices[node].as_ref().expect("routes end at hosts");
                let left = Time::from_nanos(began.elapsed().as_nanos() as u64);
                match device.send(&packet.bytes) {
                    Ok(_) => auditor.delivered(at, left),
                    Err(_) => auditor.refused(left),
                }
                gone.push(packet);
            }
            Left::Dropped { at, packet, .. } => {
                drop_counted(books, *window, at, &packet);
                gone.push(packet);
            }
        });
        gone.into_iter().for_each(|packet| network.give_back(packet));
    }

    /// Takes packets from all devices; whether there was one.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<bool> {
        let mut any = false;
        for from in 0..self.devices.len() {
            for _ in 0..BATCH {
                let Some(device) = &self.devices[from] else { break };
                match device.recv(buffer) {
                    Ok(length) => {
                        any = true;
                        let now = self.now();
                        self.deliver(now);
                        self.send(now, from, &buffer[..length]);
                    }
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
        }
        Ok(any)
    }

    /// A host's packet enters the network.
    fn send(&mut self, now: Time, from: usize, bytes: &[u8]) {
        let Some((header, route)) = Header::read(bytes).and_then(|header| {
            let to = node(header.to)?;
            Some((header, self.network.route(from, to)?))
        }) else {
            return self.auditor.foreign();
        };
        let flow = header.ports.and_then(|(from, to)| self.flow(from).or(self.flow(to)));
        if let (Some(flow), Some(segment), Some((_, to))) = (flow, header.segment, header.ports)
            && segment.payload > 0
            && to == port(flow)
        {
            self.books[flow].sent(now, self.window, &segment);
        }
        let mut copy = self.network.buffer();
        copy.clear();
        copy.extend_from_slice(bytes);
        let Self { network, books, window, .. } = self;
        network.send(now, route, flow, header.ecn_capable, copy, &mut |left| {
            if let Left::Dropped { at, packet, .. } = left {
                drop_counted(books, *window, at, &packet);
            }
        });
    }

    /// The flow with this port.
    fn flow(&self, port: u16) -> Option<usize> {
        let flow = usize::from(port.checked_sub(FIRST_PORT)?);
        (flow < self.books.len()).then_some(flow)
    }

    /// How long nothing is due.
    fn until_due(&self, now: Time) -> Duration {
        let longest = Duration::from_nanos(LONGEST_WAIT_NS);
        self.network.next().map_or(longest, |due| due.since(now).min(longest))
    }

    /// Waits until a device has something or a packet is due.
    fn wait(&self, now: Time) -> io::Result<()> {
        let time = self.until_due(now);
        if time == Duration::ZERO {
            return Ok(());
        }
        let timeout = TimeSpec::from_duration(std::time::Duration::from_nanos(time.nanos()));
        let mut fds: Vec<PollFd<'_>> = self
            .devices
            .iter()
            .flatten()
            .map(|device| PollFd::new(device.as_fd(), PollFlags::POLLIN))
            .collect();
        match ppoll(&mut fds, Some(timeout), None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn finish(self, real_time: bool) -> Seen {
        let now = self.now();
        let end = self.plan.end.min(now);
        let links = self.network.finish(end).into_iter().map(link).collect();
        Seen { books: self.books, links, audit: self.auditor.finish(now, real_time) }
    }
}

/// A packet of a flow's data was dropped.
fn drop_counted(books: &mut [Book], window: Window, at: Time, packet: &Packet) {
    let header = Header::read(&packet.bytes);
    if let (Some(flow), Some(Header { segment: Some(segment), ports: Some((_, to)), .. })) =
        (packet.flow, header)
        && segment.payload > 0
        && to == port(flow)
    {
        books[flow].dropped(at, window);
    }
}

/// What a link counted.
fn link(report: Option<tusker_path::Report>) -> run::Link {
    let Some(report) = report else { return run::Link::default() };
    let counters = report.window();
    let mut queue = run::Histogram::default();
    report.samples().for_each(|(packets, times)| queue.record_times(u64::from(packets), times));
    let mut busy = report.batches().map(|batch| batch.busy);
    run::Link {
        offered: counters.offered(),
        overflowed: counters.overflowed,
        dropped_early: counters.dropped_early,
        lost: counters.lost,
        marked: counters.marked,
        sent: counters.accepted,
        sent_bytes: counters.accepted_bytes,
        busy: counters.busy,
        busy_batches: std::array::from_fn(|_| busy.next().unwrap_or_default()),
        queue_mean: counters.area as f64 / report.length().nanos().max(1) as f64,
        queue,
        ..run::Link::default()
    }
}
