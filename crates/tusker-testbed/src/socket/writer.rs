//! An application that writes into a connection at intervals, in real time.

use std::thread;
use std::time::{Duration, Instant};

use tusker_core::Time;
use tusker_plan::sources::App;

/// How long it sleeps before it checks whether it should stop.
const NAP: Duration = Duration::from_millis(50);

/// An application, and the start of the experiment, from which its times count.
#[derive(Clone, Debug)]
pub struct Writer {
    app: App,
    began: Instant,
    /// Payload of a segment: writes are multiples of it.
    segment: u64,
}

impl Writer {
    /// The application of a flow, with this payload per segment.
    pub fn new(app: App, began: Instant, segment: u64) -> Self {
        Self { app, began, segment: segment.max(1) }
    }

    /// Waits a short time for the next write; returns how many bytes are due, which may be
    /// zero. Data that came due while the socket was full is due at once.
    pub fn wait(&mut self) -> u64 {
        let now = Time::from_nanos(self.began.elapsed().as_nanos() as u64);
        let next = self.app.next();
        if next > now {
            thread::sleep(NAP.min(Duration::from_nanos(next.since(now).nanos())));
            return 0;
        }
        let mut bytes = 0;
        while self.app.next() <= now {
            bytes += self.app.write().div_ceil(self.segment) * self.segment;
        }
        bytes
    }
}
