//! A wire driven by a trace of delivery opportunities.

use std::sync::Arc;

use tusker_core::wire::{OPPORTUNITY, opportunities_before, opportunity_at};
use tusker_core::{Duration, Rate, Time};

use super::{Accepted, NANOBITS_PER_BYTE};

/// A wire with these opportunities.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    trace: Arc<[u32]>,
    /// The opportunity that the next bytes use, and how much room it has left.
    number: u64,
    left: u64,
    busy_until: Time,
    accepted: Accepted,
}

impl Trace {
    pub(super) fn new(trace: Arc<[u32]>, nominal: Rate) -> Self {
        assert!(!trace.is_empty(), "a trace has opportunities");
        let (left, busy_until) = (OPPORTUNITY.get(), Time::ZERO);
        Self { trace, number: 0, left, busy_until, accepted: Accepted::new(nominal) }
    }

    pub(super) fn busy_until(&self) -> Time {
        self.busy_until
    }

    pub(super) fn accepted(&self) -> (u64, u64) {
        (self.accepted.packets, self.accepted.bytes)
    }

    pub(super) fn busy_by(&self, at: Time) -> Duration {
        // the backlog uses every opportunity until it is empty
        let used = (self.number * OPPORTUNITY.get()) + OPPORTUNITY.get() - self.left;
        let before = opportunities_before(&self.trace, at) * OPPORTUNITY.get();
        self.accepted.time_without(u128::from(used.saturating_sub(before)) * NANOBITS_PER_BYTE)
    }

    pub(super) fn send(&mut self, now: Time, size: u32) -> Time {
        self.accepted.add(size);
        let missed = opportunities_before(&self.trace, now);
        if self.number < missed {
            self.turn_to(missed);
        }
        let mut rest = u64::from(size);
        while rest > self.left {
            rest -= self.left;
            self.turn_to(self.number + 1);
        }
        self.left -= rest;
        self.busy_until = opportunity_at(&self.trace, self.number);
        if self.left == 0 {
            self.turn_to(self.number + 1);
        }
        self.busy_until
    }

    fn turn_to(&mut self, number: u64) {
        (self.number, self.left) = (number, OPPORTUNITY.get());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opportunity_takes_1504_bytes() {
        let ms = |ms: u64| Time::from_nanos(ms * 1_000_000);
        let mut wire = Trace::new([1, 3, 3, 7].into(), Rate::from_bits_per_sec(12_032_000));
        // 1500 B in the first; 4 B of the next packet fit in there as well
        assert_eq!(wire.send(ms(0), 1500), ms(1));
        assert_eq!(wire.send(ms(0), 1504), ms(3));
        // 4 B are left of the first one at 3 ms, then 1496 of the second take it
        assert_eq!(wire.send(ms(2), 1500), ms(3));
        assert_eq!(wire.send(ms(3), 8), ms(3));
        // a packet that comes at the very time of an opportunity is taken, a later
        // one is not
        assert_eq!(wire.send(ms(7), 1504), ms(7));
        assert_eq!(wire.send(Time::from_nanos(8_000_001), 40), ms(10));
        // 1464 B that are left at 10, 1504 of the other at 10, 40 of the one at 14
        assert_eq!(wire.send(ms(9), 3008), ms(14));
        // by 9 ms 1500 + 1504 + 1500 + 8 + 1504 = 6016 B, at a nominal 1504 B per ms
        assert_eq!(wire.busy_by(ms(9)).nanos(), 4_000_000);
    }

    #[test]
    fn an_opportunity_is_used_from_its_time_on() {
        let ms = |ms: u64| Time::from_nanos(ms * 1_000_000);
        let mut wire = Trace::new([3].into(), Rate::from_bits_per_sec(12_032_000));
        wire.send(ms(0), 1504);
        assert_eq!(wire.busy_by(ms(3)).nanos(), 0);
        assert_eq!(wire.busy_by(Time::from_nanos(3_000_001)).nanos(), 1_000_000);
    }
}
