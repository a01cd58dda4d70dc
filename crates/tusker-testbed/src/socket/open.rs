//! Opens the two ends of a connection, each on its host.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{
    AddressFamily, Backlog, SetSockOpt, SockFlag, SockType, SockaddrIn, bind,
    connect as nix_connect, getsockopt, listen as nix_listen, setsockopt, socket, sockopt,
};
use nix::sys::time::TimeVal;

use super::writer::Writer;
use crate::error::Error;
use crate::host::Host;
use crate::sys;

/// How a connection is opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sender's congestion control, by its name in the kernel: `cubic`.
    pub law: String,
    /// The most payload in flight, bytes; the receiver's window is limited to it.
    /// `SO_SNDBUF` or `SO_RCVBUF` would not do, because the kernel includes its own memory
    /// in their size. Linux may open the window further until the receiver next reads, up
    /// to what the window scale allows: less than twice as much. With `None` both ends grow
    /// as needed, to 64 MiB.
    pub window: Option<u32>,
    /// The largest segment with its TCP options, 88 to 32,767 bytes. `None` leaves it to
    /// the MTU.
    pub mss: Option<u16>,
    /// Addresses of sender and receiver, if a host has several; otherwise the first ones.
    pub addresses: Option<(Ipv4Addr, Ipv4Addr)>,
    /// The DSCP of the sender's packets, 0 to 63.
    pub dscp: u8,
    /// The receiver's port; 0 takes any free one.
    pub port: u16,
    /// How long to wait for the connection to open.
    pub patience: Duration,
    /// Supplies the sender with data; without it there is always some. Not used by `Brief`.
    pub writer: Option<Writer>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            law: "reno".to_owned(),
            window: None,
            mss: None,
            addresses: None,
            dscp: 0,
            port: 0,
            patience: Duration::from_secs(30),
            writer: None,
        }
    }
}

/// The congestion controls that this kernel has now. It loads others by itself if root asks
/// for one that comes with it as a module.
pub fn laws() -> Vec<String> {
    let names = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    names.unwrap_or_default().split_whitespace().map(str::to_owned).collect()
}

/// An end that is being set up, and the connection's name for messages.
struct End<'a> {
    from: &'a Host,
    to: &'a Host,
    socket: OwnedFd,
}

/// The listening socket on host `to`, and its port.
pub fn listen(from: &Host, to: &Host, options: &Options) -> Result<(TcpListener, u16), Error> {
    let end = End::new(from, to, to)?;
    end.set(&sockopt::ReuseAddr, &true, "reuse a port")?;
    if let Some(bytes) = options.window {
        end.window(bytes)?;
    }
    let fd = end.socket.as_raw_fd();
    let address = options.addresses.map_or(to.address(), |(_, to)| to);
    let address = SockaddrIn::from(SocketAddrV4::new(address, options.port));
    bind(fd, &address).map_err(|error| {
        let what = format!("listen on port {}", options.port);
        end.error(what, error.into(), "port 0 takes any that is free")
    })?;
    nix_listen(&end.socket, Backlog::MAXCONN)
        .map_err(|error| end.error("listen", error.into(), "another port may do"))?;
    let listener = TcpListener::from(end.socket);
    let port = listener.local_addr().map_or(0, |address| address.port());
    Ok((listener, port))
}

/// The sender's end, not yet connected ([`dial`]), and its destination.
pub fn sender(
    from: &Host,
    to: &Host,
    options: &Options,
    port: u16,
) -> Result<(TcpStream, SocketAddrV4), Error> {
    let end = End::new(from, to, from)?;
    // first, so that no other law ever sets this connection's pacing
    end.law(&options.law)?;
    if let Some(bytes) = options.mss {
        let remedy = "it may be from 88 to 32,767";
        let set = setsockopt(&end.socket, sockopt::TcpMaxSeg, &u32::from(bytes));
        set.map_err(|error| end.error(format!("set an MSS of {bytes}"), error.into(), remedy))?;
    }
    if options.dscp > 0 {
        // ECN, in the two lowest bits, is the kernel's
        end.set(&sockopt::Ipv4Tos, &i32::from(options.dscp << 2), "set the DSCP")?;
    }
    // 0 would be no limit
    let patience = options.patience.max(Duration::from_millis(1));
    end.set(&sockopt::SendTimeout, &time(patience), "set a time limit")?;
    let to = match options.addresses {
        None => to.address(),
        Some((from, to)) => {
            let fd = end.socket.as_raw_fd();
            // choose the port together with the other end's, so that many may share it
            end.set(&sockopt::IpBindAddressNoPort, &true, "leave the choice of port open")?;
            bind(fd, &SockaddrIn::from(SocketAddrV4::new(from, 0))).map_err(|error| {
                end.error(
                    format!("send from {from}"),
                    error.into(),
                    "is it an address of the host?",
                )
            })?;
            to
        }
    };
    Ok((TcpStream::from(end.socket), SocketAddrV4::new(to, port)))
}

/// Connects and waits.
///
/// # Errors
/// `ETIMEDOUT` if there is no answer in time.
pub fn dial(stream: &TcpStream, to: SocketAddrV4) -> Result<(), Errno> {
    // socket(7): the send timeout also applies to connecting
    nix_connect(stream.as_raw_fd(), &SockaddrIn::from(to)).map_err(|error| match error {
        Errno::EINPROGRESS => Errno::ETIMEDOUT,
        error => error,
    })?;
    setsockopt(stream, sockopt::SendTimeout, &time(Duration::ZERO))
}

/// Starts to connect without waiting; the stream never blocks.
pub fn dial_at_once(stream: &TcpStream, to: SocketAddrV4) -> Result<(), Errno> {
    let set = stream.set_nonblocking(true);
    set.map_err(|error| Errno::from_raw(error.raw_os_error().unwrap_or(0)))?;
    match nix_connect(stream.as_raw_fd(), &SockaddrIn::from(to)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Ok(()),
        Err(error) => Err(error),
    }
}

fn time(time: Duration) -> TimeVal {
    TimeVal::new(time.as_secs() as _, time.subsec_micros().into())
}

impl<'a> End<'a> {
    /// A socket on `host`, which is one of the two hosts.
    fn new(from: &'a Host, to: &'a Host, host: &Host) -> Result<Self, Error> {
        let open = || socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None);
        let socket = host.run(open)?.map_err(|error| {
            error_between(
                from,
                to,
                "open a socket",
                error.into(),
                "`ulimit -n` says how many may be open",
            )
        })?;
        let end = Self { from, to, socket };
        // closed means gone: the kernel must not keep a socket until its last byte is
        // acknowledged, so that no connection keeps a namespace after its process has
        // ended; the accepted end inherits this
        let at_once = libc::linger { l_onoff: 1, l_linger: 0 };
        end.set(&sockopt::Linger, &at_once, "set SO_LINGER")?;
        Ok(end)
    }

    fn law(&self, law: &str) -> Result<(), Error> {
        let unknown = || Error::Law { law: law.to_owned(), available: laws() };
        match setsockopt(&self.socket, sockopt::TcpCongestion, &OsString::from(law)) {
            Ok(()) => {}
            Err(Errno::ENOENT | Errno::EINVAL) => return Err(unknown()),
            Err(error) => {
                let remedy = "root may use every law, other users those in net.ipv4.tcp_allowed_congestion_control";
                return Err(self.error(format!("use {law}"), error.into(), remedy));
            }
        }
        // the kernel cuts names after 15 characters
        let set = getsockopt(&self.socket, sockopt::TcpCongestion);
        if set.is_ok_and(|name| name == law) { Ok(()) } else { Err(unknown()) }
    }

    /// Limits this receiver's window to `bytes`, in a larger buffer, beyond the machine's
    /// limit if permitted: without a set size, the kernel would widen the window.
    fn window(&self, bytes: u32) -> Result<(), Error> {
        let failed = |error: io::Error| {
            let what = format!("hold the window to {bytes} bytes");
            self.error(what, error, "`sysctl net.core.rmem_max` shows how large a buffer may be")
        };
        let buffer = (bytes as usize).saturating_mul(4).max(1 << 18);
        match setsockopt(&self.socket, sockopt::RcvBufForce, &buffer) {
            Err(Errno::EPERM) => setsockopt(&self.socket, sockopt::RcvBuf, &buffer),
            done => done,
        }
        .map_err(|error| failed(error.into()))?;
        sys::window_clamp(&self.socket, bytes).map_err(failed)
    }

    fn set<O: SetSockOpt + Copy>(
        &self,
        option: &O,
        value: &O::Val,
        what: &str,
    ) -> Result<(), Error> {
        let remedy = "this kernel may lack the option";
        setsockopt(&self.socket, *option, value)
            .map_err(|error| self.error(what, error.into(), remedy))
    }

    fn error(&self, what: impl Into<String>, source: io::Error, remedy: &'static str) -> Error {
        error_between(self.from, self.to, what, source, remedy)
    }
}

pub fn error_between(
    from: &Host,
    to: &Host,
    what: impl Into<String>,
    source: io::Error,
    remedy: &'static str,
) -> Error {
    Error::Socket {
        from: from.name().to_owned(),
        to: to.name().to_owned(),
        what: what.into(),
        source,
        remedy,
    }
}
