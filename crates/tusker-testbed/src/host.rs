//! A host: a network namespace with one device.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::net::Ipv4Addr;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, RawFd};
use std::panic::resume_unwind;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use nix::net::if_::if_nametoindex;
use nix::sched::{CloneFlags, setns, unshare};

use crate::error::Error;
use crate::netlink::{Netlink, Route};
use crate::tun::Tun;

/// All hosts are in 10.0.0.0/8, so that each reaches every other through its device
/// without further routes.
const PREFIX: u8 = 8;

/// The only device beside `lo`, called alike on every host.
const DEVICE: &str = "tun0";

/// Packets that wait for whoever reads the [`Tun`]; past them the kernel drops. Long
/// enough for a burst at a gigabit per second and a reader that sleeps for 200 ms.
const QUEUE: u32 = 20_000;

/// `lo` has this number in every namespace.
const LOOPBACK: u32 = 1;

/// What a new host has in place of the kernel's own settings.
///
/// No IPv6, which would send packets unasked; nothing remembered from one connection
/// for the next; a law that every kernel has; room for windows that buffers do not hold
/// down (least, first and most bytes of a socket).
const SETTINGS: [(&str, &str); 7] = [
    ("net.ipv6.conf.all.disable_ipv6", "1"),
    ("net.ipv6.conf.default.disable_ipv6", "1"),
    ("net.ipv4.tcp_no_metrics_save", "1"),
    ("net.ipv4.tcp_congestion_control", "reno"),
    ("net.ipv4.tcp_rmem", "4096 33554432 67108864"),
    ("net.ipv4.tcp_wmem", "4096 65536 67108864"),
    // a connection whose process is gone keeps its namespace until it gives up
    ("net.ipv4.tcp_orphan_retries", "1"),
];

/// A network namespace without a name. It is gone when this, its [`Tun`] and all
/// sockets that were opened in it are.
#[derive(Debug)]
pub struct Host {
    name: String,
    address: Ipv4Addr,
    /// What keeps the namespace, and by what threads enter it.
    namespace: File,
}

impl Host {
    /// A host of its own, and the far end of its cable. Its packets are at most `mtu`
    /// bytes. `name` is for messages.
    ///
    /// # Errors
    /// An address outside 10.0.0.0/8, an MTU below 68; without the rights to make
    /// namespaces and devices; without `/dev/net/tun`.
    pub fn new(name: &str, address: Ipv4Addr, mtu: u16) -> Result<(Self, Tun), Error> {
        let [first, rest @ ..] = address.octets();
        if first != 10 || rest == [0; 3] || rest == [255; 3] {
            return Err(Error::Address { host: name.to_owned(), address });
        }
        // RFC 791, section 3.2: every link must pass on 68 bytes
        if mtu < 68 {
            return Err(Error::Mtu { host: name.to_owned(), mtu });
        }
        let failed = |what| move |source| namespace_error(name, what, source);
        let namespace = on_a_thread(name, || {
            unshare(CloneFlags::CLONE_NEWNET)
                .map_err(io::Error::from)
                .map_err(failed("make a network namespace"))?;
            File::open("/proc/thread-self/ns/net").map_err(failed("hold its network namespace"))
        })?;
        let host = Self { name: name.to_owned(), address, namespace };
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
        let tun = host.run(|| host.device(mtu))??;
        Ok((host, tun))
    }

    /// Makes the device; called within the namespace.
    fn device(&self, mtu: u16) -> Result<Tun, Error> {
        let failed = |what: &str| {
            let what = what.to_owned();
            move |source| Error::Device { host: self.name.clone(), what, source }
        };
        let tun = Tun::new(DEVICE).map_err(failed("make a TUN device of /dev/net/tun"))?;
        let index = if_nametoindex(DEVICE)
            .map_err(|error| failed("find its TUN device")(io::Error::from(error)))?;
        let netlink = Netlink::new().map_err(failed("open a netlink socket"))?;
        netlink.up(LOOPBACK, None, None).map_err(failed("switch lo on"))?;
        netlink
            .address(index, self.address, PREFIX)
            .map_err(failed(&format!("give its device the address {}", self.address)))?;
        netlink
            .up(index, Some(u32::from(mtu)), Some(QUEUE))
            .map_err(failed(&format!("switch its device on with an MTU of {mtu}")))?;
        Ok(tun)
    }

    /// Gives it one more address in 10.0.0.0/8.
    pub(crate) fn also(&self, address: Ipv4Addr) -> Result<(), Error> {
        self.run(|| {
            let index = if_nametoindex(DEVICE).map_err(io::Error::from)?;
            Netlink::new()?.address(index, address, PREFIX)
        })?
        .map_err(|source| Error::Device {
            host: self.name.clone(),
            what: format!("give its device the address {address}, too"),
            source,
        })
    }

    /// Gives its route to all other hosts these metrics.
    pub(crate) fn metrics(&self, route: Route) -> Result<(), Error> {
        // RTAX_* of linux/rtnetlink.h
        let all = [(11, route.initcwnd), (13, route.rto_min), (15, route.quickack.then_some(1))];
        let metrics: Vec<(u16, u32)> =
            all.into_iter().filter_map(|(kind, value)| Some((kind, value?))).collect();
        let set = || -> io::Result<()> {
            let index = if_nametoindex(DEVICE).map_err(io::Error::from)?;
            let netlink = Netlink::new()?;
            // two halves go before the whole that came with the address
            for half in [Ipv4Addr::new(10, 0, 0, 0), Ipv4Addr::new(10, 128, 0, 0)] {
                netlink.route(index, (half, PREFIX + 1), &metrics)?;
            }
            Ok(())
        };
        self.run(set)?.map_err(|source| Error::Device {
            host: self.name.clone(),
            what: "set initial window and timeout of its route".to_owned(),
            source,
        })
    }

    /// Does `work` on a thread of its own within the namespace, and waits for it. A
    /// socket that is opened there stays in the namespace whatever thread uses it later,
    /// and so does a process that is started there.
    ///
    /// # Errors
    /// If no thread can be started, or if it may not enter the namespace.
    ///
    /// # Panics
    /// If `work` does.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
        on_a_thread(&self.name, || {
            setns(&self.namespace, CloneFlags::CLONE_NEWNET).map_err(|error| {
                namespace_error(&self.name, "enter its network namespace", error.into())
            })?;
            Ok(work())
        })
    }

    /// Begins `work` on a thread of its own within the namespace, as [`run`](Self::run)
    /// does, and does not wait for it.
    ///
    /// # Errors
    /// The same.
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
            // who began it waits for this
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

    /// Its network namespace, for as long as it is there.
    pub fn namespace(&self) -> BorrowedFd<'_> {
        self.namespace.as_fd()
    }

    /// The number of this process's file that keeps the namespace: another process with
    /// the rights may enter by `/proc/PID/fd/NUMBER`.
    pub fn descriptor(&self) -> RawFd {
        self.namespace.as_raw_fd()
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its connections begin with this congestion control of the kernel, unless their
    /// program says otherwise. It may be one that not all users may have.
    ///
    /// # Errors
    /// If the kernel does not take it.
    pub fn law(&self, law: &str) -> Result<(), Error> {
        self.run(|| {
            let index = if_nametoindex(DEVICE).map_err(io::Error::from)?;
            Netlink::new()?.law(index, self.address, PREFIX, law)
        })?
        .map_err(|source| Error::Device {
            host: self.name.clone(),
            what: format!("let its connections begin with {law}"),
            source,
        })
    }

    /// Packets that it dropped itself, since its device's queue was full: nobody reads the
    /// [`Tun`], or not fast enough.
    ///
    /// # Errors
    /// If the device is gone, or nobody may enter the namespace.
    pub fn dropped(&self) -> Result<u64, Error> {
        let failed = |source| {
            let what = "read what its device dropped".to_owned();
            Error::Device { host: self.name.clone(), what, source }
        };
        let table = self.run(|| fs::read_to_string("/proc/thread-self/net/dev"))?;
        dropped(&table.map_err(failed)?).ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// Sets a kernel setting of this host alone, such as `net.ipv4.tcp_sack` to `0`.
    ///
    /// # Errors
    /// If this kernel has no such setting, not for each host, or does not take the value.
    pub fn sysctl(&self, name: &str, value: &str) -> Result<(), Error> {
        let failed = |source| Error::Sysctl {
            host: self.name.clone(),
            name: name.to_owned(),
            value: value.to_owned(),
            source,
        };
        // the others are the machine's, not the host's
        if !name.starts_with("net.") || name.contains('/') {
            return Err(failed(io::Error::other("this is no setting of a network namespace")));
        }
        let path = format!("/proc/sys/{}", name.replace('.', "/"));
        // not fs::write, which would try to make what is not there
        let write = || OpenOptions::new().write(true).open(path)?.write_all(value.as_bytes());
        self.run(write)?.map_err(failed)
    }
}

/// What [`DEVICE`] dropped, of a table in the form of /proc/net/dev (proc_pid_net(5)): the
/// twelfth number after its name.
fn dropped(table: &str) -> Option<u64> {
    let numbers = |line: &'_ str| {
        line.trim_start().strip_prefix(DEVICE)?.strip_prefix(':').map(str::to_owned)
    };
    table.lines().find_map(numbers)?.split_whitespace().nth(11)?.parse().ok()
}

fn namespace_error(host: &str, what: &'static str, source: io::Error) -> Error {
    Error::Namespace { host: host.to_owned(), what, source }
}

/// A namespace is a thread's, so that whoever calls keeps the one that it has.
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
