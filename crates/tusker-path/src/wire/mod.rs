//! A wire: one packet after the other, at a fixed or changing rate. It is a FIFO,
//! so a departure is known when the packet is accepted.

mod fixed;
mod steps;
mod trace;

use std::sync::Arc;

use tusker_core::{Duration, Rate, Time};

use crate::varying::{Outages, Varying};
use fixed::Fixed;
use steps::Steps;
use trace::Trace;

/// Transmits packets one after the other. Departures are whole nanoseconds;
/// fractions of a nanosecond are carried over from packet to packet within a busy
/// period, so there is no drift at 100 Gbit/s.
#[derive(Clone, Debug)]
pub struct Wire(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Fixed(Fixed),
    Steps(Box<Steps>),
    Trace(Box<Trace>),
}

impl Wire {
    /// An idle wire of this rate.
    ///
    /// # Panics
    /// If the rate is zero, which is refused when a scenario is read.
    pub fn fixed(rate: Rate) -> Self {
        Self(Kind::Fixed(Fixed::new(rate)))
    }

    /// An idle wire whose rate changes, or that is down at times. At some time it must carry
    /// something again. What it has carried is reported as time at the rate `nominal`.
    ///
    /// # Panics
    /// If `nominal` is zero.
    pub fn steps(rate: Varying<Rate>, outages: Option<Outages>, nominal: Rate) -> Self {
        Self(Kind::Steps(Box::new(Steps::new(rate, outages, nominal))))
    }

    /// An idle wire that takes 1504 bytes of what is waiting at each delivery
    /// opportunity of this trace: see [`tusker_core::wire::opportunities`]. What it has carried is
    /// reported as time at the rate `nominal`.
    ///
    /// # Panics
    /// If there is no opportunity, or `nominal` is zero.
    pub fn trace(trace: Arc<[u32]>, nominal: Rate) -> Self {
        Self(Kind::Trace(Box::new(Trace::new(trace, nominal))))
    }

    /// Whether its rate never changes.
    pub fn is_fixed(&self) -> bool {
        matches!(self.0, Kind::Fixed(_))
    }

    /// Whether its outages drop packets.
    pub fn drops(&self) -> bool {
        matches!(&self.0, Kind::Steps(wire) if wire.drops())
    }

    /// If an outage drops a packet that is present at `now`: when. Otherwise it must be sent.
    pub fn cuts(&mut self, now: Time, size: u32) -> Option<Time> {
        match &mut self.0 {
            Kind::Steps(wire) => wire.cuts(now, size),
            Kind::Fixed(_) | Kind::Trace(_) => None,
        }
    }

    /// Appends a packet of `size` bytes that is present at `now`; returns when its
    /// last bit leaves.
    #[inline(always)]
    pub fn send(&mut self, now: Time, size: u32) -> Time {
        match &mut self.0 {
            Kind::Fixed(wire) => wire.send(now, size),
            _ => self.send_at_changing_rate(now, size),
        }
    }

    #[cold]
    #[inline(never)]
    fn send_at_changing_rate(&mut self, now: Time, size: u32) -> Time {
        match &mut self.0 {
            Kind::Fixed(wire) => wire.send(now, size),
            Kind::Steps(wire) => wire.send(now, size),
            Kind::Trace(wire) => wire.send(now, size),
        }
    }

    /// When everything accepted so far has left.
    #[inline]
    pub fn busy_until(&self) -> Time {
        match &self.0 {
            Kind::Fixed(wire) => wire.busy_until(),
            Kind::Steps(wire) => wire.busy_until(),
            Kind::Trace(wire) => wire.busy_until(),
        }
    }

    /// How long it has transmitted before `at`; if the rate changes, what it has
    /// carried before, as time at the nominal rate. Nothing that was present only
    /// after `at` may have been accepted. Between two times this is no more than
    /// the wire can carry, except for a nanosecond: the backlog at a time is what
    /// the rate needs until everything has left, and an opportunity at this very
    /// time is not used yet.
    pub fn busy_by(&self, at: Time) -> Duration {
        match &self.0 {
            Kind::Fixed(wire) => wire.busy_by(at),
            Kind::Steps(wire) => wire.busy_by(at),
            Kind::Trace(wire) => wire.busy_by(at),
        }
    }

    /// Packets and bytes accepted so far.
    pub fn accepted(&self) -> (u64, u64) {
        match &self.0 {
            Kind::Fixed(wire) => wire.accepted(),
            Kind::Steps(wire) => wire.accepted(),
            Kind::Trace(wire) => wire.accepted(),
        }
    }
}

const NANOBITS_PER_BYTE: u128 = 8_000_000_000;

/// What a wire with a changing rate has accepted.
#[derive(Clone, Debug)]
struct Accepted {
    /// What was carried is reported as time at this rate.
    nominal: u64,
    packets: u64,
    bytes: u64,
}

impl Accepted {
    fn new(nominal: Rate) -> Self {
        let nominal = nominal.bits_per_sec();
        assert!(nominal > 0, "a wire has a rate");
        Self { nominal, packets: 0, bytes: 0 }
    }

    fn add(&mut self, size: u32) {
        self.packets += 1;
        self.bytes += u64::from(size);
    }

    /// Everything except this many bits times 1e9, as time.
    fn time_without(&self, nanobits: u128) -> Duration {
        let all = u128::from(self.bytes) * NANOBITS_PER_BYTE;
        let nanos = all.saturating_sub(nanobits) / u128::from(self.nominal);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}
