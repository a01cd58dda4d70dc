//! What can go wrong with hosts and sockets, and what to do about it.

use std::io;
use std::net::Ipv4Addr;

/// What failed, on which host, why, and a remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A namespace cannot be made or entered.
    #[error("host {host}: cannot {what}: {source}; {}", remedy(source))]
    Namespace {
        /// Name of the host.
        host: String,
        /// What was tried, as words after "cannot".
        what: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// The host's device cannot be made or set up.
    #[error("host {host}: cannot {what}: {source}; {}", device_remedy(source))]
    Device {
        /// Name of the host.
        host: String,
        /// What was tried, as words after "cannot".
        what: String,
        /// The system's error.
        source: io::Error,
    },
    /// The other hosts cannot be reached from this address.
    #[error(
        "host {host}: expected an address between 10.0.0.1 and 10.255.255.254, found {address}; \
         all hosts are in that network"
    )]
    Address {
        /// Name of the host.
        host: String,
        /// What was given.
        address: Ipv4Addr,
    },
    /// A network behind a host of another has too few addresses.
    #[error(
        "expected a scenario of at most {most} nodes within another `tusker shell`, found {nodes}; \
         run it outside, or use fewer flows"
    )]
    Nodes {
        /// Of the plan.
        nodes: usize,
        /// For which there are addresses.
        most: usize,
    },
    /// A device does not support this packet size.
    #[error("host {host}: expected an MTU from 68 to 65,535 bytes, found {mtu}")]
    Mtu {
        /// Name of the host.
        host: String,
        /// What was given, bytes.
        mtu: u16,
    },
    /// A kernel setting does not accept a value.
    #[error(
        "host {host}: cannot set {name} to {value:?}: {source}; \
         `sysctl {name}` shows its value if this kernel has it"
    )]
    Sysctl {
        /// Name of the host.
        host: String,
        /// As in `net.ipv4.tcp_sack`.
        name: String,
        /// What was given.
        value: String,
        /// The system's error.
        source: io::Error,
    },
    /// This kernel has no such congestion control.
    #[error(
        "this kernel has no congestion control called {law}; it has {}; \
         `tusker kernel load {law}` loads it if it is one of Tusker's, `modprobe tcp_{law}` if it \
         comes with the kernel as a module",
        available.join(", ")
    )]
    Law {
        /// The requested name.
        law: String,
        /// The names that this kernel knows now.
        available: Vec<String>,
    },
    /// A socket does not do what was requested.
    #[error("connection from {from} to {to}: cannot {what}: {source}; {remedy}")]
    Socket {
        /// Name of the sending host.
        from: String,
        /// Name of the receiving host.
        to: String,
        /// What was tried, as words after "cannot".
        what: String,
        /// The system's error.
        source: io::Error,
        /// The remedy.
        remedy: &'static str,
    },
    /// A program cannot be started on a host.
    #[error("host {host}: cannot start {program}: {source}")]
    Program {
        /// The program.
        program: String,
        /// Name of the host.
        host: String,
        /// The system's error.
        source: io::Error,
    },
    /// A device failed while the emulator worked.
    #[error("the emulator cannot read a host's device: {0}")]
    Emulator(io::Error),
    /// The other client does not work as it should.
    #[error(
        "iperf3 on {host}: {said}; it must be installed (`apt install iperf3`), and for large \
         buffers `sysctl net.core.rmem_max` and `wmem_max` say how much it may have"
    )]
    Iperf3 {
        /// Name of the host.
        host: String,
        /// Its error message.
        said: String,
    },
    /// Waiting for events failed.
    #[error("cannot {what}: {source}; `ulimit -n` says how many files may be open")]
    Waiting {
        /// What was tried, as words after "cannot".
        what: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// A thread cannot be started.
    #[error("cannot start a thread for {whose}: {source}; `ulimit -u` says how many may run")]
    Thread {
        /// What it was for.
        whose: String,
        /// The system's error.
        source: io::Error,
    },
    /// The kernel reports less about a connection than is needed.
    #[error(
        "this kernel reports {found} bytes of TCP_INFO, expected {expected}; use Linux 4.19 or later"
    )]
    Kernel {
        /// Bytes that it reports.
        found: usize,
        /// Bytes that are needed.
        expected: usize,
    },
}

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::PermissionDenied => {
            "run it as root, or with CAP_SYS_ADMIN and CAP_NET_ADMIN"
        }
        _ => "see `sysctl user.max_net_namespaces` and `ulimit -n`, -u: each host takes a few",
    }
}

fn device_remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound => {
            "`modprobe tun` loads what is missing; a container must be given the device /dev/net/tun"
        }
        io::ErrorKind::PermissionDenied => {
            "run it as root; a container must be given /dev/net/tun and CAP_NET_ADMIN"
        }
        _ => "the kernel needs CONFIG_TUN, and each host takes a few open files (`ulimit -n`)",
    }
}
