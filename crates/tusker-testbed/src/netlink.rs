//! Sets up a network device through rtnetlink (rtnetlink(7), netlink(7)), in the
//! namespace of the calling thread.

use std::io;
use std::net::IpAddr;
use std::os::fd::{AsRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket,
};

/// IFLA_GSO_MAX_SEGS of linux/if_link.h.
const GSO_MAX_SEGS: u16 = 40;

/// A `struct nlmsghdr`.
const HEADER: usize = 16;

/// `RTAX_CC_ALGO`, rtnetlink(7).
const CONGESTION_CONTROL: u16 = 16;

/// Metrics of the route to all other hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// Segments before the first ACK.
    pub initcwnd: Option<u32>,
    /// Least retransmission timeout, milliseconds.
    pub rto_min: Option<u32>,
    /// ACKs are never delayed.
    pub quickack: bool,
}

/// A connection to the kernel's routing tables.
pub struct Netlink {
    socket: OwnedFd,
}

impl Netlink {
    /// For the namespace of this thread.
    pub fn new() -> io::Result<Self> {
        let socket = socket(
            AddressFamily::Netlink,
            SockType::Raw,
            SockFlag::SOCK_CLOEXEC,
            SockProtocol::NetlinkRoute,
        )?;
        Ok(Self { socket })
    }

    /// Brings device `index` up with these limits: its MTU in bytes, and its queue towards
    /// the wire in packets.
    pub fn up(&self, index: u32, mtu: Option<u32>, queue: Option<u32>) -> io::Result<()> {
        let on = (libc::IFF_UP as u32).to_ne_bytes();
        // struct ifinfomsg: family, padding, type, index, flags, which of them to change
        let mut body = vec![libc::AF_UNSPEC as u8, 0, 0, 0];
        body.extend(index.to_ne_bytes());
        body.extend(on);
        body.extend(on);
        for (kind, value) in [(libc::IFLA_MTU, mtu), (libc::IFLA_TXQLEN, queue)] {
            if let Some(value) = value {
                attribute(&mut body, kind, &value.to_ne_bytes());
            }
        }
        self.ask(libc::RTM_NEWLINK, 0, &body)
    }

    /// Device `index` takes at most this many segments of a connection at once.
    pub fn segments_at_once(&self, index: u32, segments: u32) -> io::Result<()> {
        // struct ifinfomsg, as above; no flag is changed
        let mut body = vec![libc::AF_UNSPEC as u8, 0, 0, 0];
        body.extend(index.to_ne_bytes());
        body.extend([0; 8]);
        attribute(&mut body, GSO_MAX_SEGS, &segments.to_ne_bytes());
        self.ask(libc::RTM_NEWLINK, 0, &body)
    }

    /// Gives device `index` an address; the first `prefix` bits are shared by all hosts
    /// that it reaches.
    pub fn address(&self, index: u32, address: IpAddr, prefix: u8) -> io::Result<()> {
        let (family, octets) = octets(address);
        // nobody else can have it, so nobody is asked
        let flags = if address.is_ipv6() { libc::IFA_F_NODAD as u8 } else { 0 };
        // struct ifaddrmsg: family, prefix, flags, scope (0 is global), index
        let mut body = vec![family, prefix, flags, 0];
        body.extend(index.to_ne_bytes());
        attribute(&mut body, libc::IFA_LOCAL, &octets);
        attribute(&mut body, libc::IFA_ADDRESS, &octets);
        self.ask(libc::RTM_NEWADDR, libc::NLM_F_CREATE | libc::NLM_F_EXCL, &body)
    }

    /// Adds a route over device `index` to the addresses that share the first `prefix` bits
    /// of `to`, with metrics as kinds and values.
    pub fn route(
        &self,
        index: u32,
        (to, prefix): (IpAddr, u8),
        metrics: &[(u16, u32)],
    ) -> io::Result<()> {
        // struct rtmsg: family, prefixes of destination and source, type of service, table,
        // who made it, scope, kind, flags
        let (table, kind) = (libc::RT_TABLE_MAIN, libc::RTN_UNICAST);
        let (by, scope) = (libc::RTPROT_STATIC, libc::RT_SCOPE_LINK);
        let (family, to) = octets(to);
        let mut body = vec![family, prefix, 0, 0, table, by, scope, kind, 0, 0, 0, 0];
        attribute(&mut body, libc::RTA_DST, &to);
        attribute(&mut body, libc::RTA_OIF, &index.to_ne_bytes());
        let mut nested = Vec::new();
        for (kind, value) in metrics {
            attribute(&mut nested, *kind, &value.to_ne_bytes());
        }
        body.extend((nested.len() as u16 + 4).to_ne_bytes());
        body.extend(libc::RTA_METRICS.to_ne_bytes());
        body.extend(nested);
        self.ask(libc::RTM_NEWROUTE, libc::NLM_F_CREATE | libc::NLM_F_EXCL, &body)
    }

    /// Connections through device `index` use the congestion control `law`, unless their
    /// program selects another: it is set on the route that came with [`Self::address`].
    /// `net.ipv4.tcp_congestion_control` accepts only laws that are allowed for all users.
    pub fn law(&self, index: u32, address: IpAddr, prefix: u8, law: &str) -> io::Result<()> {
        let (table, protocol) = (libc::RT_TABLE_MAIN, libc::RTPROT_KERNEL);
        let (scope, kind) = (libc::RT_SCOPE_LINK, libc::RTN_UNICAST);
        // struct rtmsg: family, bits of the destination, of the source, type of service,
        // table, who made it, how far it reaches, kind, flags
        let (family, mut network) = octets(address);
        let mut body = vec![family, prefix, 0, 0, table, protocol, scope, kind];
        body.extend([0; 4]);
        let host_bits = network.len() * 8 - usize::from(prefix);
        let last = network.len() - host_bits / 8;
        network[last..].fill(0);
        if host_bits % 8 > 0 {
            network[last - 1] &= 0xff << (host_bits % 8);
        }
        attribute(&mut body, libc::RTA_DST, &network);
        attribute(&mut body, libc::RTA_OIF, &index.to_ne_bytes());
        if address.is_ipv4() {
            attribute(&mut body, libc::RTA_PREFSRC, &octets(address).1);
        } else {
            // that of the route that came with the address (IP6_RT_PRIO_ADDRCONF)
            attribute(&mut body, libc::RTA_PRIORITY, &256_u32.to_ne_bytes());
        }
        // within RTA_METRICS one attribute: a string with a zero at its end, padded
        let inner = 4 + law.len() + 1;
        let filled = inner.next_multiple_of(4);
        body.extend((4 + filled as u16).to_ne_bytes());
        body.extend(libc::RTA_METRICS.to_ne_bytes());
        body.extend((inner as u16).to_ne_bytes());
        body.extend(CONGESTION_CONTROL.to_ne_bytes());
        body.extend(law.as_bytes());
        body.resize(body.len() + filled - 4 - law.len(), 0);
        self.ask(libc::RTM_NEWROUTE, libc::NLM_F_CREATE | libc::NLM_F_REPLACE, &body)
    }

    /// Sends one request and waits for the kernel's answer to it.
    fn ask(&self, kind: u16, flags: i32, body: &[u8]) -> io::Result<()> {
        let flags = (flags | libc::NLM_F_REQUEST | libc::NLM_F_ACK) as u16;
        let mut message = Vec::new();
        message.extend(((HEADER + body.len()) as u32).to_ne_bytes());
        message.extend(kind.to_ne_bytes());
        message.extend(flags.to_ne_bytes());
        // number of the request, and of the requester, which the kernel fills in
        message.extend([1, 0, 0, 0, 0, 0, 0, 0]);
        message.extend(body);
        send(self.socket.as_raw_fd(), &message, MsgFlags::empty())?;
        let mut answer = [0; 4096];
        let length = recv(self.socket.as_raw_fd(), &mut answer, MsgFlags::empty())?;
        outcome(&answer[..length])
    }
}

/// Parses an answer: `struct nlmsghdr`, then 0 or a negated error number.
fn outcome(answer: &[u8]) -> io::Result<()> {
    let kind = answer.get(4..6).and_then(|two| two.try_into().ok()).map(u16::from_ne_bytes);
    let said = answer.get(HEADER..HEADER + 4).and_then(|four| four.try_into().ok());
    match (kind.map(i32::from), said.map(i32::from_ne_bytes)) {
        (Some(libc::NLMSG_ERROR), Some(0)) => Ok(()),
        (Some(libc::NLMSG_ERROR), Some(error)) => Err(Errno::from_raw(-error).into()),
        _ => Err(io::Error::other("the kernel's answer is not one to this request")),
    }
}

/// The number of its family, and its bytes.
fn octets(address: IpAddr) -> (u8, Vec<u8>) {
    match address {
        IpAddr::V4(four) => (libc::AF_INET as u8, four.octets().to_vec()),
        IpAddr::V6(six) => (libc::AF_INET6 as u8, six.octets().to_vec()),
    }
}

/// A `struct rtattr` with a multiple of four bytes, so no padding follows.
fn attribute(body: &mut Vec<u8>, kind: u16, value: &[u8]) {
    body.extend((4 + value.len() as u16).to_ne_bytes());
    body.extend(kind.to_ne_bytes());
    body.extend(value);
}
