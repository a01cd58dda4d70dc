//! Shared by the tests of hosts: a cable between two of them.

use std::io;
use std::net::Ipv4Addr;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use tusker_testbed::{Host, Tun};

#[path = "../rights/mod.rs"]
mod rights;

pub use rights::rights;

pub const MTU: u16 = 1500;

/// Two hosts, and a thread that carries all packets between them at once.
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

/// Carries the packets that are there now.
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
