//! The queue length between two arrivals.

use super::{Backlog, Link, Meta};
use crate::units::Time;

/// Computes how many bytes wait at any time, from what the last arrival saw.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level {
    /// Departures in bytes per second.
    pub(super) capacity: f64,
    /// Bytes that waited just after the last arrival, itself included ...
    bytes: f64,
    /// ... and the size of that packet.
    last: f64,
    seen: Time,
}

impl Level {
    pub(super) fn new(link: &Link) -> Self {
        let capacity = link.rate.bits_per_sec() as f64 / 8.0;
        Self { capacity, bytes: 0.0, last: 0.0, seen: Time::ZERO }
    }

    /// A packet arrives.
    #[inline]
    pub(super) fn arrival(&mut self, p: &Meta, q: &Backlog, now: Time) {
        // at an idle link the packet does not wait
        self.last = if q.idle_since.is_some() { 0.0 } else { p.size.get() as f64 };
        self.bytes = q.bytes.get() as f64 + self.last;
        self.seen = now;
    }

    /// The packet found no room.
    pub(super) fn overflow(&mut self) {
        self.bytes -= self.last;
        self.last = 0.0;
    }

    /// Bytes that wait at time `at`, which is not before the last arrival.
    pub(super) fn at(&self, at: Time) -> f64 {
        (self.bytes - self.capacity * at.since(self.seen).secs()).max(0.0)
    }
}
