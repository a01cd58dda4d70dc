//! The emulator at work: packets from the hosts' devices pass through the network in real
//! time and leave at other hosts' devices.
//!
//! ```text
//!   device ---> read, now ---> Network ---> due ---> device
//!                              (times are those at which packets are due)
//! ```
//!
//! One thread does everything: it waits until a device has packets or a packet is due. It
//! writes only a few packets at a time, so that packets from hosts are not kept waiting. Hosts
//! whose flows have `tcp.gro` get consecutive segments as one piece ([`Merger`]).

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::mem;
use std::os::fd::AsFd;
use std::thread;
use std::time::Instant;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use tusker_core::{Duration, Time};
use tusker_plan::plan::Plan;
use tusker_plan::run;

use crate::addresses::Block;
use crate::arrivals::Arrival;
use crate::audit::{Audit, Auditor, Limits};
use crate::books::Book;
use crate::directory::{Directory, Gateway};
use crate::ip::Header;
use crate::ledger::{Bell, Ledger};
use crate::merge::{Delivery, Merger};
use crate::network::{Left, Network};
use crate::offload::{self, Pieces};
use crate::packet::Packet;
use crate::rest::{self, Rest};
use crate::sights::Sights;
use crate::tun::Tun;

/// Pieces read from one device before other work is checked.
const READS: usize = 4;

/// Packets written before the devices are checked for new ones.
const WRITES: usize = 8;

/// The longest piece that IPv4 has.
const LONGEST: usize = 65_535;

/// The longest wait, so that a request to stop is noticed.
const LONGEST_WAIT: Duration = Duration::from_nanos(10_000_000);

/// The emulator.
pub struct Pump<'a> {
    plan: &'a Plan,
    /// The largest packet size.
    mtu: usize,
    network: Network,
    /// Devices by node. Nodes may share one, which is listed at the first of them.
    devices: Vec<Option<Tun>>,
    directory: Directory,
    ledger: Ledger,
    merger: Merger,
    /// What is due at hosts.
    out: VecDeque<Delivery>,
    auditor: Auditor,
    began: Instant,
    rest: Rest,
}

/// What the emulator observed.
pub struct Seen {
    /// Of each flow of the plan.
    pub books: Vec<Book>,
    /// Of each background source of the plan.
    pub background: Vec<run::Background>,
    /// Of each link of the plan.
    pub links: Vec<run::Link>,
    /// How punctual it was.
    pub audit: Audit,
    /// The arrivals at the recorded link.
    pub arrivals: Vec<Arrival>,
}

impl<'a> Pump<'a> {
    /// With the hosts' devices, each with the nodes that it serves, and their MTU `mtu`.
    /// The clock starts. `bell` is rung when connections are finished.
    ///
    /// # Errors
    /// If a host cannot leave the cutting of segments to its device.
    pub fn new(
        plan: &'a Plan,
        seed: u64,
        mtu: u16,
        hosts: Vec<(Vec<usize>, Tun)>,
        bell: Option<Bell>,
    ) -> io::Result<Self> {
        let mut devices: Vec<Option<Tun>> = plan.nodes.iter().map(|_| None).collect();
        let mut shared: Vec<usize> = (0..plan.nodes.len()).collect();
        for (nodes, tun) in hosts {
            let Some(&first) = nodes.first() else { continue };
            tun.offload()?;
            nodes.iter().for_each(|&node| shared[node] = first);
            devices[first] = Some(tun);
        }
        Ok(Self {
            plan,
            mtu: usize::from(mtu),
            network: Network::new(plan, seed),
            devices,
            directory: Directory::new(shared),
            ledger: Ledger::new(plan, bell),
            merger: Merger::new(plan),
            out: VecDeque::new(),
            auditor: Auditor::new(plan),
            began: Instant::now(),
            rest: Rest::new(Limits::of(plan).p99),
        })
    }

    /// From now on the hosts at the ends of these routes can communicate as well. They have
    /// addresses of this block, and may forward packets of hosts behind them.
    pub(crate) fn of_any_traffic(
        mut self,
        ways: &[Vec<usize>],
        block: Block,
        gateway: Option<Gateway>,
    ) -> Self {
        ways.iter().for_each(|way| self.network.connect(self.plan, way));
        self.directory.forwards(block, gateway);
        self
    }

    /// From now on packets belong to no flow of the plan, whatever their ports, and nothing
    /// is counted for its flows.
    pub fn without_flows(mut self) -> Self {
        self.ledger.clear();
        self
    }

    /// Records the arrivals at this link of the plan, if there is one.
    pub fn recording(mut self, link: Option<usize>) -> Self {
        if let Some(link) = link {
            self.network.record(link);
        }
        self
    }

    /// Records the packets that pass, if there is an observer.
    pub(crate) fn looking(mut self, sights: Option<Sights>) -> Self {
        self.network.look(sights);
        self
    }

    /// When the clock started.
    pub fn began(&self) -> Instant {
        self.began
    }

    fn now(&self) -> Time {
        Time::from_nanos(self.began.elapsed().as_nanos() as u64)
    }

    /// Works until `look`, which is called every few milliseconds, returns that it is over.
    ///
    /// # Errors
    /// If a device fails.
    pub fn run(
        mut self,
        real_time: bool,
        mut look: impl FnMut(Time, &mut Network) -> bool,
    ) -> io::Result<Seen> {
        let devices = mem::take(&mut self.devices);
        let there = devices.iter().enumerate();
        let there = there.filter_map(|(node, tun)| tun.as_ref().map(|tun| (node, tun)));
        let (nodes, mut fds): (Vec<usize>, Vec<PollFd<'_>>) =
            there.map(|(node, tun)| (node, PollFd::new(tun.as_fd(), PollFlags::POLLIN))).unzip();
        let mut piece = vec![0; LONGEST];
        let mut now = self.now();
        loop {
            let begin = now;
            self.auditor.works(begin, rest::used);
            self.advance(begin);
            let mut worked = self.write(&devices);
            self.network.hand_over();
            if look(begin, &mut self.network) {
                return Ok(self.finish(real_time));
            }
            now = self.now();
            let due = now + self.until_due(now);
            if let Some(time) = self.rest.must(now) {
                thread::sleep(std::time::Duration::from_nanos(time.nanos()));
            }
            let asleep = self.now();
            let asked = self.rest.sleep(due.since(asleep));
            let any = wait(&mut fds, asked)?;
            let woken = self.now();
            if !any {
                self.rest.woke(asked, woken.since(asleep));
            }
            self.auditor.woke(due, woken);
            let slept = woken.since(now);
            if any {
                for (node, fd) in nodes.iter().zip(&fds) {
                    if fd.any() == Some(true)
                        && let Some(tun) = &devices[*node]
                    {
                        worked |= self.read(tun, *node, &mut piece)?;
                    }
                }
            }
            now = self.now();
            if worked {
                self.auditor.worked(begin + slept, now);
            }
        }
    }

    /// Advances to `now`; packets due by then wait for their devices.
    fn advance(&mut self, now: Time) {
        let Self { network, merger, out, ledger, .. } = self;
        network.advance(now, &mut |left| match left {
            Left::Arrived { at, node, packet } => {
                ledger.arrived(at, &packet);
                merger.arrive(at, node, packet, &mut |due| out.push_back(due));
            }
            Left::Dropped { at, packet, .. } => ledger.dropped(at, &packet),
        });
        merger.end(now, &mut |due| out.push_back(due));
    }

    /// Writes a few packets or pieces that are due to their devices. Returns whether there were
    /// any.
    fn write(&mut self, devices: &[Option<Tun>]) -> bool {
        for written in 0..WRITES {
            let Some(mut due) = self.out.pop_front() else { return written > 0 };
            let device =
                devices[self.directory.device(due.node)].as_ref().expect("routes end at hosts");
            let header = due.header();
            let left = self.now();
            let done = if due.rest.is_empty() {
                device.send_piece(&due.first.bytes, &header)
            } else {
                device.send_parts(due.parts(), &header)
            };
            for _ in 0..=due.rest.len() {
                match done {
                    Ok(_) => self.auditor.delivered(due.at, left),
                    Err(_) => self.auditor.refused(left),
                }
            }
            self.network.give_back(due.first);
            due.rest.into_iter().for_each(|packet| self.network.give_back(packet));
        }
        true
    }

    /// Reads a few pieces that a host sends. Returns whether there were any.
    fn read(&mut self, device: &Tun, from: usize, piece: &mut [u8]) -> io::Result<bool> {
        for taken in 0..READS {
            match device.recv_piece(piece) {
                Ok((length, header)) => {
                    let now = self.now();
                    self.advance(now);
                    self.send(now, from, &header, &piece[..length]);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(taken > 0),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// A piece from a host enters the network, packet by packet.
    fn send(&mut self, now: Time, from: usize, header: &offload::Header, bytes: &[u8]) {
        let Some(mut pieces) = Pieces::new(header, bytes, self.mtu) else {
            let one =
                *header == offload::Header { checksum: header.checksum, ..Default::default() };
            return if one && bytes.len() > self.mtu {
                self.auditor.oversized();
            } else {
                self.auditor.foreign();
            };
        };
        loop {
            let mut packet = self.network.room();
            match pieces.next(&mut packet.bytes) {
                Some(checksum) => packet.checksum = checksum,
                None => return self.network.give_back(packet),
            }
            self.send_one(now, from, packet);
        }
    }

    /// A packet from the host that owns the device of node `device` enters the network.
    fn send_one(&mut self, now: Time, device: usize, mut packet: Box<Packet>) {
        let Some((header, route)) = Header::read(&packet.bytes).and_then(|header| {
            let (from, to) = self.directory.ends(device, header.from, header.to)?;
            Some((header, self.network.route(now, from, to)?))
        }) else {
            return self.auditor.foreign();
        };
        self.ledger.sent(now, &header);
        packet.flow = self.ledger.number(&header);
        (packet.ecn, packet.dscp) = (header.ecn, header.dscp);
        let Self { network, ledger, .. } = self;
        network.send(now, route, packet, &mut |left| {
            if let Left::Dropped { at, packet, .. } = left {
                ledger.dropped(at, &packet);
            }
        });
    }

    /// How long until something is due.
    fn until_due(&self, now: Time) -> Duration {
        if !self.out.is_empty() {
            return Duration::ZERO;
        }
        let next = self.network.next().into_iter().chain(self.merger.next()).min();
        next.map_or(LONGEST_WAIT, |due| due.since(now).min(LONGEST_WAIT))
    }

    fn finish(mut self, real_time: bool) -> Seen {
        let now = self.now();
        let arrivals = self.network.recorded();
        let end = self.plan.end.min(now);
        let links = self.network.finish(end);
        let links = links
            .into_iter()
            .map(|report| report.map(run::Link::from).unwrap_or_default())
            .collect();
        let (books, background) = self.ledger.finish();
        let audit = self.auditor.finish(now, rest::used(), real_time);
        Seen { books, background, links, audit, arrivals }
    }
}

/// Waits until a device has packets, but at most `time`. Returns whether a device has some.
fn wait(devices: &mut [PollFd<'_>], time: Duration) -> io::Result<bool> {
    let timeout = TimeSpec::from_duration(std::time::Duration::from_nanos(time.nanos()));
    match ppoll(devices, Some(timeout), None) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::EINTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
