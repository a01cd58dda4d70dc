//! A connection controlled step by step by a test: sends, waits, sends again.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use nix::sys::socket::sockopt::TcpCongestion;
use nix::sys::socket::{getsockopt, setsockopt};

use super::command::{command, done};
use super::net::{Host, Net, RECEIVER};
use super::until;

/// The connection.
#[derive(Debug)]
pub struct Flow {
    stream: TcpStream,
    namespace: Option<String>,
    sent: u64,
    delivered: Arc<AtomicU64>,
}

impl Flow {
    /// From the sender to the receiver, under a congestion control.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub fn across(net: &Net, law: &str) -> Self {
        let flow = Self::by_default(net);
        flow.choose(law);
        flow
    }

    /// The same, under the default of the sender's namespace.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub fn by_default(net: &Net) -> Self {
        let listener = net.within(Host::Receiver, || TcpListener::bind((RECEIVER, 0)));
        let listener = listener.expect("a port is free");
        let to = listener.local_addr().expect("it is bound");
        let delivered = sink(listener);
        let stream = net.within(Host::Sender, || TcpStream::connect(to)).expect("a way there");
        Self::new(stream, delivered, Some(net.namespace(Host::Sender)))
    }

    /// From this machine to itself.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub fn loopback(law: &str) -> Self {
        Self::to_itself("127.0.0.1:0", law)
    }

    /// The same, over IPv6.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub fn loopback_v6(law: &str) -> Self {
        Self::to_itself("[::1]:0", law)
    }

    fn to_itself(address: &str, law: &str) -> Self {
        let listener = TcpListener::bind(address).expect("a port is free");
        let to = listener.local_addr().expect("it is bound");
        let delivered = sink(listener);
        let flow = Self::new(TcpStream::connect(to).expect("it listens"), delivered, None);
        flow.choose(law);
        flow
    }

    fn new(stream: TcpStream, delivered: Arc<AtomicU64>, namespace: Option<String>) -> Self {
        // data that is never accepted is a failure, not an endless wait
        stream.set_write_timeout(Some(Duration::from_secs(20))).expect("it is not zero");
        Self { stream, namespace, sent: 0, delivered }
    }

    /// Switches to this congestion control.
    ///
    /// # Panics
    /// If the kernel refuses.
    pub fn choose(&self, law: &str) {
        let law = OsString::from(law);
        setsockopt(&self.stream, TcpCongestion, &law).expect("the law can be chosen");
    }

    /// The congestion control that the kernel says it has.
    ///
    /// # Panics
    /// If the kernel does not say.
    pub fn law(&self) -> String {
        let law = getsockopt(&self.stream, TcpCongestion).expect("it is a TCP socket");
        law.to_string_lossy().trim_end_matches('\0').to_owned()
    }

    /// Gives the kernel this many bytes to send.
    ///
    /// # Panics
    /// If it does not take them within 20 s.
    pub fn send(&mut self, bytes: usize) {
        self.stream.write_all(&vec![0; bytes]).expect("the kernel takes it in time");
        self.sent += bytes as u64;
    }

    /// Waits until all of it has arrived.
    ///
    /// # Panics
    /// If that takes more than 20 s.
    pub fn arrived(&self) {
        until("everything arrives", || {
            (self.delivered.load(Ordering::Relaxed) == self.sent).then_some(())
        });
    }

    /// The values that `ss` reports: `cwnd`, `ssthresh`, `backoff`, `unacked`, `retrans`,
    /// ...
    ///
    /// # Panics
    /// If it reports nothing.
    pub fn info(&self) -> BTreeMap<String, String> {
        let port = self.stream.local_addr().expect("it is connected").port();
        let ss = ["-tinOH".to_owned(), format!("sport = :{port}")];
        let mut ss = match &self.namespace {
            Some(name) => {
                let mut within = command("ip", &["netns", "exec", name, "ss"]);
                within.args(ss);
                within
            }
            None => command("ss", &ss),
        };
        let line = done(&mut ss);
        assert!(line.contains("cwnd:"), "ss prints `{line}`");
        let pairs = line.split_whitespace().filter_map(|word| word.split_once(':'));
        pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
    }

    /// One of these numbers; 0 if `ss` leaves it out.
    pub fn number(&self, key: &str) -> u64 {
        self.info().get(key).map_or(0, |value| value.parse().expect("a number"))
    }
}

/// Receives everything from one connection, and counts it.
fn sink(listener: TcpListener) -> Arc<AtomicU64> {
    let delivered = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&delivered);
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("somebody connects");
        let mut buffer = vec![0; 1 << 16];
        while let Ok(bytes @ 1..) = stream.read(&mut buffer) {
            count.fetch_add(bytes as u64, Ordering::Relaxed);
        }
    });
    delivered
}
