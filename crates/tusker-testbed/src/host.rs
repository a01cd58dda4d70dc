//! A host: a network namespace with one device.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, RawFd};
use std::panic::resume_unwind;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use nix::net::if_::if_nametoindex;
use nix::sched::{CloneFlags, setns, unshare};

use crate::addresses::{BLOCK_PREFIX, PREFIX, SIX_PREFIX, is_hosts, six};
use crate::directory::Gateway;
use crate::error::Error;
use crate::netlink::{Netlink, Route};
use crate::tun::Tun;

/// The only device besides `lo`; it has the same name on every host.
pub(crate) const DEVICE: &str = "tun0";

/// The kernel puts the next free number here.
const NEXT_DEVICE: &str = "tun%d";

/// Packets that may wait until they are read from the [`Tun`]; the kernel drops any more.
/// Enough for a burst at a gigabit per second and a reader that sleeps for 200 ms.
const QUEUE: u32 = 20_000;

/// `lo` has this number in every namespace.
const LOOPBACK: u32 = 1;

/// Settings of a new host that differ from the kernel's defaults.
///
/// No IPv6, which would send packets of its own; no state kept from one connection to the
/// next; a law that every kernel has; buffer sizes that do not limit windows (minimum,
/// initial and maximum bytes of a socket).
const SETTINGS: [(&str, &str); 7] = [
    ("net.ipv6.conf.all.disable_ipv6", "1"),
    ("net.ipv6.conf.default.disable_ipv6", "1"),
    ("net.ipv4.tcp_no_metrics_save", "1"),
    ("net.ipv4.tcp_congestion_control", "reno"),
    ("net.ipv4.tcp_rmem", "4096 33554432 67108864"),
    ("net.ipv4.tcp_wmem", "4096 65536 67108864"),
    // a connection whose process has ended keeps its namespace until it gives up
    ("net.ipv4.tcp_orphan_retries", "1"),
];

/// Settings of a host that has IPv6 addresses: it has no others than these, and asks nobody.
const SIX_SETTINGS: [(&str, &str); 6] = [
    ("net.ipv6.conf.tun0.addr_gen_mode", "1"),
    ("net.ipv6.conf.tun0.accept_ra", "0"),
    ("net.ipv6.conf.tun0.router_solicitations", "0"),
    ("net.ipv6.conf.tun0.accept_dad", "0"),
    ("net.ipv6.conf.default.disable_ipv6", "0"),
    ("net.ipv6.conf.all.disable_ipv6", "0"),
];

/// A network namespace without a name. It disappears when this, its [`Tun`] and all sockets
/// opened in it have been dropped.
#[derive(Debug)]
pub struct Host {
    name: String,
    address: Ipv4Addr,
    /// Bits of the address that are shared by what is reached through its device.
    prefix: u8,
    device: String,
    /// Whether its connections can use IPv6.
    six: bool,
    /// Keeps the namespace alive; threads enter through it.
    namespace: File,
}

impl Host {
    /// A new host, and the far end of its cable. Its packets have at most `mtu` bytes.
    /// `name` is used in messages.
    ///
    /// # Errors
    /// An address outside 10.0.0.0/8, an MTU below 68, missing rights to make namespaces
    /// and devices, or no `/dev/net/tun`.
    pub fn new(name: &str, address: Ipv4Addr, mtu: u16) -> Result<(Self, Tun), Error> {
        fits(name, address, mtu)?;
        let failed = |what| move |source| namespace_error(name, what, source);
        let namespace = on_a_thread(name, || {
            unshare(CloneFlags::CLONE_NEWNET)
                .map_err(io::Error::from)
                .map_err(failed("make a network namespace"))?;
            File::open("/proc/thread-self/ns/net")
                .map_err(failed("keep its network namespace open"))
        })?;
        let device = DEVICE.to_owned();
        let name = name.to_owned();
        let mut host = Self { name, address, prefix: PREFIX, device, six: false, namespace };
        // before the device, so that it never speaks IPv6
        for (setting, value) in SETTINGS {
            match host.sysctl(setting, value) {
                // a kernel without IPv6
                Err(Error::Sysctl { source, .. })
                    if setting.starts_with("net.ipv6.")
                        && source.kind() == io::ErrorKind::NotFound => {}
                done => done?,
            }
        }
        let (tun, device) = host.run(|| host.make_device(mtu))??;
        host.device = device;
        Ok((host, tun))
    }

    /// This process's own namespace as a host, which gets a further device. It forwards
    /// packets between this device and its others, so a network behind one of its hosts is in
    /// series with this one.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub(crate) fn here(name: &str, address: Ipv4Addr, mtu: u16) -> Result<(Self, Tun), Error> {
        fits(name, address, mtu)?;
        let namespace = File::open("/proc/self/ns/net")
            .map_err(|source| namespace_error(name, "keep its network namespace open", source))?;
        let (name, device) = (name.to_owned(), NEXT_DEVICE.to_owned());
        let mut host = Self { name, address, prefix: BLOCK_PREFIX, device, six: false, namespace };
        host.sysctl("net.ipv4.ip_forward", "1")?;
        let (tun, device) = host.run(|| host.make_device(mtu))??;
        host.device = device;
        if host.sysctl("net.ipv6.conf.all.forwarding", "1").is_ok() {
            // without IPv6 outside there is none inside
            host.six = host.add_six().is_ok();
        }
        Ok((host, tun))
    }

    /// This host as the one of a node through which others are reached. What is behind those
    /// gets a route of its own.
    pub(crate) fn gateway(&self, node: usize) -> Result<Gateway, Error> {
        let (netlink, index) = self
            .run(|| {
                Ok((
                    Netlink::new()?,
                    if_nametoindex(self.device.as_str()).map_err(io::Error::from)?,
                ))
            })?
            .map_err(|source| namespace_error(&self.name, "set its routes", source))?;
        let has_six = self.six;
        let tell = Box::new(move |address: Ipv4Addr| {
            // without a route, answers do not come back, as if it had no address
            let _ = netlink.route(index, (address.into(), 32), &[]);
            if has_six {
                let _ = netlink.route(index, (six(address).into(), 128), &[]);
            }
        });
        Ok(Gateway { node, tell })
    }

    /// Its connections can use IPv6, if this kernel has it.
    #[must_use]
    pub fn with_six(mut self) -> Self {
        let set = || SIX_SETTINGS.into_iter().try_for_each(|(name, on)| self.sysctl(name, on));
        self.six = set().and_then(|()| self.add_six()).is_ok();
        self
    }

    /// Whether it has an IPv6 address.
    pub fn has_six(&self) -> bool {
        self.six
    }

    fn add_six(&self) -> Result<(), Error> {
        let address = IpAddr::V6(six(self.address));
        self.on_device(&format!("give its device the address {address}"), |netlink, index| {
            netlink.address(index, address, SIX_PREFIX + self.prefix)
        })
    }

    /// Does something with its device; called from anywhere.
    fn on_device(
        &self,
        what: &str,
        work: impl FnOnce(&Netlink, u32) -> io::Result<()> + Send,
    ) -> Result<(), Error> {
        let work = || {
            let index = if_nametoindex(self.device.as_str()).map_err(io::Error::from)?;
            work(&Netlink::new()?, index)
        };
        self.run(work)?.map_err(|source| Error::Device {
            host: self.name.clone(),
            what: what.to_owned(),
            source,
        })
    }

    /// Makes the device, and returns its name, too; called inside the namespace.
    fn make_device(&self, mtu: u16) -> Result<(Tun, String), Error> {
        let failed = |what: &str| {
            let what = what.to_owned();
            move |source| Error::Device { host: self.name.clone(), what, source }
        };
        let (tun, device) =
            Tun::new(&self.device).map_err(failed("make a TUN device from /dev/net/tun"))?;
        let index = if_nametoindex(device.as_str())
            .map_err(|error| failed("find its TUN device")(io::Error::from(error)))?;
        let netlink = Netlink::new().map_err(failed("open a netlink socket"))?;
        netlink.up(LOOPBACK, None, None).map_err(failed("bring lo up"))?;
        netlink
            .address(index, self.address.into(), self.prefix)
            .map_err(failed(&format!("give its device the address {}", self.address)))?;
        netlink
            .up(index, Some(u32::from(mtu)), Some(QUEUE))
            .map_err(failed(&format!("bring its device up with an MTU of {mtu}")))?;
        Ok((tun, device))
    }

    /// Its connections hand over their segments one by one, so that TCP forms no bursts.
    pub(crate) fn send_one_by_one(&self) -> Result<(), Error> {
        self.on_device("limit its device to one segment at once", |netlink, index| {
            netlink.segments_at_once(index, 1)
        })
    }

    /// Adds an address in 10.0.0.0/8.
    pub(crate) fn also(&self, address: Ipv4Addr) -> Result<(), Error> {
        let what = format!("give its device the address {address}, too");
        self.on_device(&what, |netlink, index| netlink.address(index, address.into(), self.prefix))
    }

    /// Sets these metrics on its route to all other hosts.
    pub(crate) fn metrics(&self, route: Route) -> Result<(), Error> {
        // RTAX_* of linux/rtnetlink.h
        let all = [(11, route.initcwnd), (13, route.rto_min), (15, route.quickack.then_some(1))];
        let metrics: Vec<(u16, u32)> =
            all.into_iter().filter_map(|(kind, value)| Some((kind, value?))).collect();
        self.on_device("set the initial window and timeout of its route", |netlink, index| {
            // two half-size routes take precedence over the one that came with the address
            for half in [Ipv4Addr::new(10, 0, 0, 0), Ipv4Addr::new(10, 128, 0, 0)] {
                netlink.route(index, (half.into(), PREFIX + 1), &metrics)?;
            }
            Ok(())
        })
    }

    /// Runs `work` on a thread of its own inside the namespace, and waits for it. Sockets
    /// opened and processes started there stay in the namespace, whichever thread uses them
    /// later.
    ///
    /// # Errors
    /// If no thread can be started, or it is not allowed to enter the namespace.
    ///
    /// # Panics
    /// If `work` panics.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        on_a_thread(&self.name, || {
            setns(&self.namespace, CloneFlags::CLONE_NEWNET).map_err(|error| {
                namespace_error(&self.name, "enter its network namespace", error.into())
            })?;
            Ok(work())
        })
    }

    /// Like [`run`](Self::run), but does not wait for `work` to end.
    ///
    /// # Errors
    /// As for [`run`](Self::run).
    pub(crate) fn spawn(
        &self,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<JoinHandle<()>, Error> {
        let failed = |source| namespace_error(&self.name, "enter its network namespace", source);
        let namespace = self.namespace.try_clone().map_err(failed)?;
        let (entered, enters) = mpsc::channel();
        let thread = thread::Builder::new().spawn(move || {
            let done = setns(&namespace, CloneFlags::CLONE_NEWNET);
            let may = done.is_ok();
            // the caller waits for this
            let _ = entered.send(done.map_err(io::Error::from));
            if may {
                work();
            }
        });
        let thread = thread
            .map_err(|source| Error::Thread { whose: format!("host {}", self.name), source })?;
        let ended = || io::Error::other("its thread ended");
        enters.recv().map_err(|_| ended()).and_then(|done| done).map_err(failed)?;
        Ok(thread)
    }

    /// Its address in 10.0.0.0/8.
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// Its network namespace, as long as it exists.
    pub fn namespace(&self) -> BorrowedFd<'_> {
        self.namespace.as_fd()
    }

    /// The number of this process's open file that keeps the namespace: another process
    /// with the required rights can enter through `/proc/PID/fd/NUMBER`.
    pub fn descriptor(&self) -> RawFd {
        self.namespace.as_raw_fd()
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its connections use this congestion control of the kernel, unless their program
    /// selects another. It may be one that is not allowed for all users.
    ///
    /// # Errors
    /// If the kernel rejects it.
    pub fn law(&self, law: &str) -> Result<(), Error> {
        let what = format!("make {law} the law of its connections");
        self.on_device(&what, |netlink, index| {
            netlink.law(index, self.address.into(), self.prefix, law)?;
            if self.six {
                netlink.law(index, six(self.address).into(), SIX_PREFIX + self.prefix, law)?;
            }
            Ok(())
        })
    }

    /// Packets that the host itself dropped because its device's queue was full: nothing
    /// reads the [`Tun`], or not fast enough.
    ///
    /// # Errors
    /// If the device is gone, or the namespace cannot be entered.
    pub fn dropped(&self) -> Result<u64, Error> {
        let failed = |source| {
            let what = "read what its device dropped".to_owned();
            Error::Device { host: self.name.clone(), what, source }
        };
        let table = self.run(|| fs::read_to_string("/proc/thread-self/net/dev"))?;
        dropped(&table.map_err(failed)?, &self.device)
            .ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// Changes a kernel setting of this host only, such as `net.ipv4.tcp_sack` to `0`.
    ///
    /// # Errors
    /// If this kernel does not have the setting, or not per host, or rejects the value.
    pub fn sysctl(&self, name: &str, value: &str) -> Result<(), Error> {
        let failed = |source| Error::Sysctl {
            host: self.name.clone(),
            name: name.to_owned(),
            value: value.to_owned(),
            source,
        };
        // the others belong to the machine, not the host
        if !name.starts_with("net.") || name.contains('/') {
            return Err(failed(io::Error::other("this is no setting of a network namespace")));
        }
        let path = format!("/proc/sys/{}", name.replace('.', "/"));
        // not fs::write, which would try to create a missing file
        let write = || OpenOptions::new().write(true).open(path)?.write_all(value.as_bytes());
        self.run(write)?.map_err(failed)
    }
}

/// Packets dropped by a device, from a table in the form of /proc/net/dev
/// (proc_pid_net(5)): the twelfth number after its name.
fn dropped(table: &str, device: &str) -> Option<u64> {
    let numbers = |line: &'_ str| {
        line.trim_start().strip_prefix(device)?.strip_prefix(':').map(str::to_owned)
    };
    table.lines().find_map(numbers)?.split_whitespace().nth(11)?.parse().ok()
}

fn fits(name: &str, address: Ipv4Addr, mtu: u16) -> Result<(), Error> {
    if !is_hosts(address) {
        return Err(Error::Address { host: name.to_owned(), address });
    }
    // RFC 791, section 3.2: every link must be able to forward 68 bytes
    if mtu < 68 {
        return Err(Error::Mtu { host: name.to_owned(), mtu });
    }
    Ok(())
}

fn namespace_error(host: &str, what: &'static str, source: io::Error) -> Error {
    Error::Namespace { host: host.to_owned(), what, source }
}

/// Namespaces belong to threads, so the calling thread keeps its own.
fn on_a_thread<T: Send>(
    host: &str,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> Result<T, Error> {
    thread::scope(|scope| {
        let thread = thread::Builder::new()
            .spawn_scoped(scope, work)
            .map_err(|source| Error::Thread { whose: format!("host {host}"), source })?;
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}
