//! The threads at both ends of a connection, and their shared state.

use std::io::{ErrorKind, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::socket::{self, MsgFlags, recv};

use super::writer::Writer;
use crate::sys;

/// Bytes passed to the socket in one call: enough that the cost of calls does not matter.
const CHUNK: usize = 256 << 10;

/// The most bytes taken from the socket in one call. They are not copied, so a buffer of
/// this size is passed but never touched.
const GULP: usize = 4 << 20;

/// Priority of both ends' threads, if permitted: below the emulator's.
const END: i32 = 5;

/// How long the receiver lets data accumulate. Waking it for each packet costs the
/// emulator, which delivers the packet, a third of its time.
const PAUSE: Duration = Duration::from_micros(50);

/// Shared by both ends and their owner.
#[derive(Debug)]
pub struct Shared {
    listener: TcpListener,
    window: Option<u32>,
    /// The receiver's end. It stays open after the end of the stream, so that the sender's
    /// end can still be polled.
    accepted: OnceLock<TcpStream>,
    opened: Instant,
    pub sent: AtomicU64,
    pub received: AtomicU64,
    /// Since `opened`, ns.
    arrival: AtomicU64,
    /// Stop sending.
    pub stop: AtomicBool,
    /// End both threads; errors that they meet from now on are no failures.
    closing: AtomicBool,
    outcome: Mutex<Outcome>,
    changed: Condvar,
}

/// The action named in errors while opening a connection.
pub const CONNECT: &str = "connect";

/// What a thread tried, and the system's error.
type Failure = (&'static str, Errno);

#[derive(Debug, Default)]
struct Outcome {
    /// The receiver has seen the end of the stream.
    over: bool,
    failure: Option<Failure>,
}

impl Shared {
    /// With the window to which the receiver is limited.
    pub fn new(listener: TcpListener, window: Option<u32>) -> Self {
        Self {
            listener,
            window,
            accepted: OnceLock::new(),
            opened: Instant::now(),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            arrival: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            outcome: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Ends both threads, wherever they wait.
    pub fn close(&self) {
        self.stop.store(true, Ordering::SeqCst);
        self.closing.store(true, Ordering::SeqCst);
        // an error means that there is nothing to end; see also `receive`
        let _ = socket::shutdown(self.listener.as_raw_fd(), socket::Shutdown::Both);
        if let Some(stream) = self.accepted.get() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Waits until the stream is over or broken. Returns whether it is over, and what broke
    /// it.
    pub fn wait(&self, limit: Duration) -> (bool, Option<Failure>) {
        let open = |outcome: &mut Outcome| !outcome.over && outcome.failure.is_none();
        let (outcome, _) = self
            .changed
            .wait_timeout_while(self.outcome(), limit, open)
            .unwrap_or_else(PoisonError::into_inner);
        (outcome.over, outcome.failure)
    }

    pub fn last_arrival(&self) -> Option<Instant> {
        let any = self.received.load(Ordering::Acquire) > 0;
        any.then(|| self.opened + Duration::from_nanos(self.arrival.load(Ordering::Acquire)))
    }

    fn outcome(&self) -> MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection did not open; no failure if it is no longer wanted.
    pub fn not_opened(&self, error: Errno) {
        if !self.stop.load(Ordering::SeqCst) {
            self.fail(CONNECT, error);
        }
    }

    fn over(&self) {
        self.outcome().over = true;
        self.changed.notify_all();
    }

    /// Keeps the first one.
    fn fail(&self, what: &'static str, error: Errno) {
        if !self.closing.load(Ordering::SeqCst) {
            self.outcome().failure.get_or_insert((what, error));
            self.changed.notify_all();
        }
    }
}

/// Writes zeros as fast as the socket takes them, or when an application has some: `bytes`
/// of them, or until told to stop. Then it closes.
pub fn send(stream: &TcpStream, shared: &Shared, bytes: Option<u64>, mut writer: Option<Writer>) {
    // otherwise a busy machine would measure its scheduler
    sys::real_time(END);
    let zeros = vec![0; CHUNK];
    let mut stream = stream;
    let mut left = bytes.unwrap_or(u64::MAX);
    // only what the application has written; without one there is always more
    let mut due = if writer.is_some() { 0 } else { u64::MAX };
    while left > 0 && !shared.stop.load(Ordering::SeqCst) {
        if let (0, Some(writer)) = (due, &mut writer) {
            due = writer.wait();
            continue;
        }
        let now = left.min(due).min(CHUNK as u64) as usize;
        match stream.write(&zeros[..now]) {
            Ok(taken) => {
                shared.sent.fetch_add(taken as u64, Ordering::Release);
                if bytes.is_some() {
                    left -= taken as u64;
                }
                if writer.is_some() {
                    due -= taken as u64;
                }
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) if shared.stop.load(Ordering::SeqCst) => break,
            Err(error) => return shared.fail("send", errno(&error)),
        }
    }
    // an error means that it is already over
    let _ = stream.shutdown(Shutdown::Write);
}

/// Accepts, then reads and counts until the end of the stream.
pub fn receive(shared: &Shared) {
    sys::real_time(END);
    let stream = match shared.listener.accept() {
        Ok((stream, _)) => shared.accepted.get_or_init(|| stream),
        Err(error) => return shared.fail("accept", errno(&error)),
    };
    // the closing thread sets the flag before it looks for the stream, so one of the two
    // sees the other
    if shared.closing.load(Ordering::SeqCst) {
        return;
    }
    let mut room = vec![0; GULP];
    loop {
        // tcp(7): with MSG_TRUNC the bytes are discarded, not copied
        match recv(stream.as_raw_fd(), &mut room, MsgFlags::MSG_TRUNC) {
            Ok(0) => return shared.over(),
            Ok(length) => {
                let now = shared.opened.elapsed().as_nanos() as u64;
                shared.arrival.store(now, Ordering::Release);
                shared.received.fetch_add(length as u64, Ordering::Release);
                hold(stream, shared.window);
                thread::sleep(PAUSE);
            }
            Err(Errno::EINTR) => {}
            Err(error) => return shared.fail("receive", error),
        }
    }
}

/// Limits a receiver to its window, again and again: Linux replaces the limit by what fits
/// into the buffer whenever it learns how much memory packets take.
pub fn hold(stream: &TcpStream, window: Option<u32>) {
    if let Some(bytes) = window {
        // this worked when the socket was opened
        let _ = sys::window_clamp(stream, bytes);
    }
}

fn errno(error: &std::io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().unwrap_or(0))
}
