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
use crate::books::Book;
use crate::ip::Header;
use crate::ledger::{Bell, Ledger};
use crate::network::{Left, Network};
use crate::packet::Packet;
use crate::tun::Tun;

/// Packets that are read from a device before others are looked at.
const BATCH: usize = 32;

/// The longest packet that IPv4 has.
const LONGEST: usize = 65_535;

/// The longest wait, so that somebody who wants it to end is heard.
const LONGEST_WAIT_NS: u64 = 10_000_000;

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
    /// Devices by node. Nodes may share one: it is with the first of them.
    devices: Vec<Option<Tun>>,
    /// The node that each shares its device with.
    shared: Vec<usize>,
    ledger: Ledger,
    auditor: Auditor,
    began: Instant,
}

/// What the emulator saw.
pub struct Seen {
    /// Of each flow of the plan.
    pub books: Vec<Book>,
    /// Of each background source of the plan.
    pub background: Vec<run::Background>,
    /// Of each link of the plan.
    pub links: Vec<run::Link>,
    /// How well it kept its times.
    pub audit: Audit,
}

impl<'a> Pump<'a> {
    /// With the devices of the hosts, each by the nodes that it is of. The clock begins.
    /// `bell` is told when connections are done.
    pub fn new(
        plan: &'a Plan,
        seed: u64,
        hosts: Vec<(Vec<usize>, Tun)>,
        bell: Option<Bell>,
    ) -> Self {
        let mut devices: Vec<Option<Tun>> = plan.nodes.iter().map(|_| None).collect();
        let mut shared: Vec<usize> = (0..plan.nodes.len()).collect();
        for (nodes, tun) in hosts {
            let Some(&first) = nodes.first() else { continue };
            nodes.iter().for_each(|&node| shared[node] = first);
            devices[first] = Some(tun);
        }
        Self {
            plan,
            network: Network::new(plan, seed),
            devices,
            shared,
            ledger: Ledger::new(plan, bell),
            auditor: Auditor::new(plan),
            began: Instant::now(),
        }
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
        let Self { network, ledger, auditor, devices, shared, began, .. } = self;
        let mut gone: Vec<Packet> = Vec::new();
        network.advance(now, &mut |left| match left {
            Left::Arrived { at, node, packet } => {
                ledger.arrived(at, &packet);
                let device = devices[shared[node]].as_ref().expect("routes end at hosts");
                let left = Time::from_nanos(began.elapsed().as_nanos() as u64);
                match device.send(&packet.bytes) {
                    Ok(_) => auditor.delivered(at, left),
                    Err(_) => auditor.refused(left),
                }
                gone.push(packet);
            }
            Left::Dropped { at, packet, .. } => {
                ledger.dropped(at, &packet);
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

    /// A packet of the host with the device of node `device` enters the network.
    fn send(&mut self, now: Time, device: usize, bytes: &[u8]) {
        let Some((header, route)) = Header::read(bytes).and_then(|header| {
            let from = node(header.from)?;
            if self.shared.get(from) != Some(&device) {
                return None;
            }
            Some((header, self.network.route(from, node(header.to)?)?))
        }) else {
            return self.auditor.foreign();
        };
        self.ledger.sent(now, &header);
        let number = self.ledger.number(&header);
        let mut copy = self.network.buffer();
        copy.clear();
        copy.extend_from_slice(bytes);
        let Self { network, ledger, .. } = self;
        network.send(now, route, number, header.ecn_capable, copy, &mut |left| {
            if let Left::Dropped { at, packet, .. } = left {
                ledger.dropped(at, &packet);
            }
        });
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
        let end = self.plan.end;
        let links = self.network.finish(end).into_iter().map(link).collect();
        let (books, background) = self.ledger.finish();
        Seen { books, background, links, audit: self.auditor.finish(real_time) }
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
