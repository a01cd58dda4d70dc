//! One TCP connection between two hosts, with the options that an experiment needs.

mod brief;
mod ends;
mod info;
mod open;
mod writer;

use std::net::{Shutdown, TcpStream};
use std::os::fd::AsRawFd as _;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::socket;

pub use self::brief::{Brief, Progress};
pub use self::info::{CaState, Info};
pub use self::open::{Options, laws};
pub use self::writer::Writer;

use self::ends::{CONNECT, Shared, receive, send};
use crate::error::Error;
use crate::host::Host;
use crate::sys;

/// The remedy if there is no answer.
const NO_ANSWER: &str = "does the path carry packets in both directions, within its RTT?";

/// A one-way connection: `from` sends and `to` receives. It sends zeros; the receiver
/// discards and counts them.
///
/// Dropping it ends it at once, whatever is still on its way.
#[derive(Debug)]
pub struct Connection {
    from: String,
    to: String,
    /// The sender's end.
    stream: Arc<TcpStream>,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    started: bool,
}

impl Connection {
    /// Opens a connection. This takes a round trip, so something must carry packets between
    /// the two hosts meanwhile.
    ///
    /// # Errors
    /// A law that this kernel does not have, an option that it rejects, or no answer within
    /// [`Options::patience`].
    pub fn open(from: &Host, to: &Host, options: &Options) -> Result<Self, Error> {
        let (listener, port) = open::listen(from, to, options)?;
        let shared = Arc::new(Shared::new(listener, options.window));
        // at once, so that the first data need not wait for it
        let receiver = Arc::clone(&shared);
        let receiver = thread::Builder::new()
            .spawn(move || receive(&receiver))
            .map_err(|source| thread_error(to.name(), source))?;
        let opened = open::sender(from, to, options, port).and_then(|(stream, address)| {
            let failed = |error: Errno| {
                let what = format!("connect to {address} within {:?}", options.patience);
                open::error_between(from, to, what, error.into(), NO_ANSWER)
            };
            open::dial(&stream, address).map_err(failed).map(|()| stream)
        });
        let stream = match opened {
            Ok(stream) => Arc::new(stream),
            Err(error) => {
                shared.close();
                let _ = receiver.join();
                return Err(error);
            }
        };
        Ok(Self {
            from: from.name().to_owned(),
            to: to.name().to_owned(),
            stream,
            shared,
            threads: vec![receiver],
            started: false,
        })
    }

    /// Starts opening a connection, and sends as soon as it is open: `bytes` in all, or
    /// until [`stop`](Self::stop). It does not wait; [`wait`](Self::wait) reports a
    /// connection that did not open within [`Options::patience`].
    ///
    /// # Errors
    /// A law that this kernel does not have, or an option that it rejects.
    pub fn begin(
        from: &Host,
        to: &Host,
        options: &Options,
        bytes: Option<u64>,
    ) -> Result<Self, Error> {
        let (listener, port) = open::listen(from, to, options)?;
        let (stream, address) = open::sender(from, to, options, port)?;
        let (stream, shared) = (Arc::new(stream), Arc::new(Shared::new(listener, options.window)));
        let mut connection = Self {
            from: from.name().to_owned(),
            to: to.name().to_owned(),
            stream: Arc::clone(&stream),
            shared: Arc::clone(&shared),
            threads: Vec::new(),
            started: true,
        };
        let receiver = Arc::clone(&shared);
        let receiver = thread::Builder::new()
            .spawn(move || receive(&receiver))
            .map_err(|source| thread_error(to.name(), source))?;
        connection.threads.push(receiver);
        let writer = options.writer.clone();
        let sender = thread::Builder::new().spawn(move || match open::dial(&stream, address) {
            Ok(()) => send(&stream, &shared, bytes, writer),
            Err(error) => shared.not_opened(error),
        });
        connection.threads.push(sender.map_err(|source| thread_error(from.name(), source))?);
        Ok(connection)
    }

    /// Starts sending, as fast as the socket accepts data: `bytes` in all, or until
    /// [`stop`](Self::stop). Then the sender closes.
    ///
    /// # Errors
    /// If no thread can be started.
    ///
    /// # Panics
    /// If called twice.
    pub fn start(&mut self, bytes: Option<u64>) -> Result<(), Error> {
        assert!(!self.started, "a connection is started once");
        self.started = true;
        let (stream, shared) = (Arc::clone(&self.stream), Arc::clone(&self.shared));
        let sender = thread::Builder::new()
            .spawn(move || send(&stream, &shared, bytes, None))
            .map_err(|source| thread_error(&self.from, source))?;
        self.threads.push(sender);
        Ok(())
    }

    /// Sends no more than what is already in the socket's buffer.
    pub fn stop(&self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // wakes a sender that waits for room; an error means that it is already over
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Waits for the end of the stream at the receiver, at most this long. Returns false if
    /// it is not over by then.
    ///
    /// # Errors
    /// If the connection broke: the system's error at either end.
    pub fn wait(&self, limit: Duration) -> Result<bool, Error> {
        let (over, failure) = self.shared.wait(limit);
        match failure {
            None => Ok(over),
            Some((what, error)) => {
                let remedy = if what == CONNECT {
                    NO_ANSWER
                } else {
                    "is the path cut, or does a host lack memory?"
                };
                Err(self.error(what, error, remedy))
            }
        }
    }

    /// Bytes that the socket has taken from the sender.
    pub fn sent(&self) -> u64 {
        self.shared.sent.load(Ordering::Acquire)
    }

    /// Bytes that the receiver has read.
    pub fn received(&self) -> u64 {
        self.shared.received.load(Ordering::Acquire)
    }

    /// When the receiver read the latest of them.
    pub fn last_arrival(&self) -> Option<Instant> {
        self.shared.last_arrival()
    }

    /// What the kernel reports about the sender's end now.
    ///
    /// # Errors
    /// If the kernel is older than Linux 4.19.
    pub fn info(&self) -> Result<Info, Error> {
        let (bytes, length) = sys::tcp_info(&*self.stream).map_err(|source| {
            let error = Errno::from_raw(source.raw_os_error().unwrap_or(0));
            self.error("read TCP_INFO", error, "it needs Linux 4.19 or later")
        })?;
        Info::new(&bytes[..length])
    }

    fn error(&self, what: &str, error: Errno, remedy: &'static str) -> Error {
        Error::Socket {
            from: self.from.clone(),
            to: self.to.clone(),
            what: what.to_owned(),
            source: error.into(),
            remedy,
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.close();
        // an error means that it is already over
        let _ = socket::shutdown(self.stream.as_raw_fd(), socket::Shutdown::Both);
        for thread in self.threads.drain(..) {
            // its error was already reported, and a panic inside a drop would abort
            let _ = thread.join();
        }
    }
}

fn thread_error(host: &str, source: std::io::Error) -> Error {
    Error::Thread { whose: format!("host {host}"), source }
}
