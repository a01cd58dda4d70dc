//! What the tests of hosts share: whether this machine lets them run, and a cable
//! between two hosts.

use std::env;
use std::fs;
use std::io::{self, Write as _, stderr};
use std::net::Ipv4Addr;
use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tusker_testbed::{Host, Tun};

static SKIPPED: AtomicUsize = AtomicUsize::new(0);

/// CAP_NET_ADMIN and CAP_SYS_ADMIN: namespaces and devices are made.
const CAPABILITIES: u64 = 1 << 12 | 1 << 21;

pub const MTU: u16 = 1500;

/// True if `test` can run here. Where it cannot, says on one line what is missing, and
/// counts; `TUSKER_NO_SKIPS=1` makes that a failure.
///
/// # Panics
/// If it cannot and must.
pub fn rights(test: &str) -> bool {
    let Some(missing) = missing() else { return true };
    assert!(env::var_os("TUSKER_NO_SKIPS").is_none(), "{test} may not be skipped here: {missing}");
    let count = SKIPPED.fetch_add(1, Ordering::Relaxed) + 1;
    // past the harness, which keeps what a test prints unless it fails
    writeln!(stderr(), "skipped ({count} by now): {test}: {missing}").expect("stderr is open");
    false
}

/// What is missing.
fn missing() -> Option<&'static str> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|caps| u64::from_str_radix(caps.trim(), 16).ok())
        .unwrap_or(0);
    if effective & CAPABILITIES != CAPABILITIES {
        return Some("needs root");
    }
    (!Path::new("/dev/net/tun").exists()).then_some("needs /dev/net/tun; `modprobe tun` makes it")
}

/// Two hosts, and a thread that carries packets between them, at once and all of them.
pub struct Pair {
    pub left: Host,
    pub right: Host,
    _cable: Cable,
}

impl Pair {
    pub fn new() -> Self {
        let (left, one) = Host::new("left", Ipv4Addr::new(10, 0, 0, 1), MTU).expect("a host");
        let (right, other) = Host::new("right", Ipv4Addr::new(10, 200, 3, 4), MTU).expect("a host");
        Self { left, right, _cable: Cable::new(one, other) }
    }
}

struct Cable {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Cable {
    fn new(one: Tun, other: Tun) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            while !told.load(Ordering::Relaxed) {
                let flags = PollFlags::POLLIN;
                let mut both = [PollFd::new(one.as_fd(), flags), PollFd::new(other.as_fd(), flags)];
                poll(&mut both, PollTimeout::from(20u8)).expect("devices can be waited for");
                carry(&one, &other);
                carry(&other, &one);
            }
        });
        Self { stop, thread: Some(thread) }
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.take().expect("joined once");
        thread.join().expect("the cable holds");
    }
}

/// Carries what is there now.
fn carry(from: &Tun, to: &Tun) {
    let mut packet = [0; MTU as usize];
    loop {
        match from.recv(&mut packet) {
            Ok(length) => assert_eq!(to.send(&packet[..length]).expect("taken"), length),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(error) => panic!("{error}"),
        }
    }
}
