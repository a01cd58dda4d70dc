//! Receives a loaded law's events.

use std::cell::RefCell;
use std::time::Duration;

use libbpf_rs::{MapCore, MapFlags, MapHandle, RingBuffer, RingBufferBuilder};
use rustix::time::{ClockId, clock_gettime};

use crate::failure::Failure;
use crate::loaded::Loaded;
use tusker_kernel::events::Event;

/// How long a law keeps reporting after the last request: a killed watcher causes no
/// further cost.
const LEASE_US: u64 = 3_000_000;

/// Requests a law's events; the law stops reporting when this is dropped.
pub struct Watcher<'a> {
    watch: MapHandle,
    every_us: u64,
    ring: RingBuffer<'a>,
}

/// Where events wait to be read.
pub type Inbox = RefCell<Vec<Event>>;

impl<'a> Watcher<'a> {
    /// Starts to receive events. One ACK of each connection per `every` is reported, all of
    /// them if it is zero; all other events are always reported.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn begin(
        loaded: &Loaded,
        every: Duration,
        inbox: &'a Inbox,
        events: &'a MapHandle,
    ) -> Result<Self, Failure> {
        let failed = |error: libbpf_rs::Error| Failure::kernel("listen to the law", &error);
        let mut builder = RingBufferBuilder::new();
        builder
            .add(events, |bytes| {
                inbox.borrow_mut().extend(Event::read(bytes));
                0
            })
            .map_err(failed)?;
        let ring = builder.build().map_err(failed)?;
        // left over from an earlier watcher
        ring.consume().map_err(failed)?;
        inbox.borrow_mut().clear();
        let watch = MapHandle::from_map_id(loaded.watch_id).map_err(failed)?;
        let watcher = Self { watch, every_us: every.as_micros() as u64, ring };
        watcher.ask(LEASE_US)?;
        Ok(watcher)
    }

    /// Waits up to this time for events, and renews the request; then they are in the
    /// inbox.
    ///
    /// # Errors
    /// The kernel's error.
    pub fn listen(&self, time: Duration) -> Result<(), Failure> {
        self.ask(LEASE_US)?;
        // a signal ends the wait early, which is no error
        let _ = self.ring.poll(time);
        Ok(())
    }

    fn ask(&self, lease: u64) -> Result<(), Failure> {
        let until = if lease == 0 { 0 } else { now_us() + lease };
        let value = [until.to_ne_bytes(), self.every_us.to_ne_bytes()].concat();
        let updated = self.watch.update(&0_u32.to_ne_bytes(), &value, MapFlags::ANY);
        updated.map_err(|error| Failure::kernel("ask the law for events", &error))
    }
}

impl Drop for Watcher<'_> {
    fn drop(&mut self) {
        // if this fails, the lease ends by itself
        let _ = self.ask(0);
    }
}

/// The map of a law's events.
///
/// # Errors
/// The kernel's error.
pub fn events_of(loaded: &Loaded) -> Result<MapHandle, Failure> {
    MapHandle::from_map_id(loaded.events_id)
        .map_err(|error| Failure::kernel("open the law's events", &error))
}

/// Microseconds of `CLOCK_MONOTONIC`.
pub fn now_us() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000 + now.tv_nsec as u64 / 1_000
}
