//! A wire whose rate changes at given times.

use std::sync::Arc;

use tusker_core::wire::{Step, nanobits};
use tusker_core::{Duration, Rate, Time};

use super::{Accepted, NANOBITS_PER_BYTE};

/// A wire with these steps.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    steps: Arc<[Step]>,
    /// The step in force at `busy_until`.
    current: usize,
    busy_until: Time,
    /// How much later than `busy_until` the last packet has left, in units of
    /// 1/rate nanoseconds.
    carry: u64,
    accepted: Accepted,
}

impl Steps {
    pub(super) fn new(steps: Arc<[Step]>, nominal: Rate) -> Self {
        assert!(!steps.is_empty(), "a wire has a rate");
        let accepted = Accepted::new(nominal);
        Self { steps, current: 0, busy_until: Time::ZERO, carry: 0, accepted }
    }

    pub(super) fn busy_until(&self) -> Time {
        self.busy_until
    }

    pub(super) fn accepted(&self) -> (u64, u64) {
        (self.accepted.packets, self.accepted.bytes)
    }

    pub(super) fn busy_by(&self, at: Time) -> Duration {
        let last = if at <= self.busy_until { u128::from(self.carry) } else { 0 };
        self.accepted.time_without(nanobits(&self.steps, at, self.busy_until) + last)
    }

    pub(super) fn send(&mut self, now: Time, size: u32) -> Time {
        self.accepted.add(size);
        if now > self.busy_until {
            self.busy_until = now;
            self.carry = 0;
        }
        let mut rest = u128::from(size) * NANOBITS_PER_BYTE + u128::from(self.carry);
        loop {
            let end = self.steps.get(self.current + 1).map_or(Time::NEVER, |next| next.at);
            let rate = u128::from(self.steps[self.current].rate.bits_per_sec());
            let room = u128::from(end.since(self.busy_until).nanos()) * rate;
            if rest <= room {
                self.busy_until += Duration::from_nanos((rest / rate) as u64);
                self.carry = (rest % rate) as u64;
                return self.busy_until;
            }
            rest -= room;
            self.busy_until = self.busy_until.max(end);
            self.current += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Wire;
    use tusker_core::Rng;

    fn steps(list: &[(u64, u64)]) -> Wire {
        let step = |&(ns, bps): &(u64, u64)| Step {
            at: Time::from_nanos(ns),
            rate: Rate::from_bits_per_sec(bps),
        };
        Wire::steps(list.iter().map(step).collect(), Rate::from_bits_per_sec(list[0].1))
    }

    #[test]
    fn one_step_is_a_wire_of_fixed_rate() {
        for bps in [3_000_000_000, 2_500_000_000, 999_999_937, 64_000] {
            let (mut one, mut wire) =
                (steps(&[(0, bps)]), Wire::fixed(Rate::from_bits_per_sec(bps)));
            let mut rng = Rng::named(bps, "steps");
            let mut now = 0;
            for _ in 0..2_000 {
                now += rng.exponential(0.9 * 770.0 * 8e9 / bps as f64) as u64;
                let size = if rng.unit() < 0.5 { 40 } else { 1500 };
                let at = Time::from_nanos(now);
                assert_eq!(one.send(at, size), wire.send(at, size), "at {bps} bit/s");
            }
            assert_eq!(one.accepted(), wire.accepted());
            let end = one.busy_until();
            let (a, b) = (one.busy_by(end).nanos(), wire.busy_by(end).nanos());
            // the wire drops a fraction of a nanosecond at the end of each busy
            // period
            assert!(a.abs_diff(b) <= 2_000, "{a} {b}");
        }
    }

    #[test]
    fn a_packet_on_its_way_meets_the_step() {
        // 8 Gbit/s until 1500 ns, then 2 Gbit/s: 1 B/ns, then 1/4 B/ns
        let mut wire = steps(&[(0, 8_000_000_000), (1_500, 2_000_000_000)]);
        assert_eq!(wire.send(Time::ZERO, 1000).nanos(), 1_000);
        // 500 bytes until 1500, the other 500 take 2000 ns
        assert_eq!(wire.send(Time::ZERO, 1000).nanos(), 3_500);
        assert_eq!(wire.send(Time::from_nanos(5_000), 100).nanos(), 5_400);
        // by 2500 ns: 1500 + 250 bytes, at 8 Gbit/s a nanosecond each
        let mut early = steps(&[(0, 8_000_000_000), (1_500, 2_000_000_000)]);
        early.send(Time::ZERO, 2000);
        assert_eq!(early.busy_by(Time::from_nanos(2_500)).nanos(), 1_750);
    }

    #[test]
    fn between_two_times_no_more_is_carried_than_the_rates_allow() {
        // at 7 Gbit/s a packet of 40 B takes 45.71 ns, so that there is always more;
        // in 100 ns 700 bit are carried, which take 1000 ns at the nominal rate
        let mut wire = steps(&[(0, 700_000_000), (50, 7_000_000_000)]);
        let (mut before, mut at) = (0, 50);
        for _ in 0..200 {
            for _ in 0..3 {
                wire.send(Time::from_nanos(at), 40);
            }
            at += 100;
            let carried = wire.busy_by(Time::from_nanos(at)).nanos();
            assert!(carried - before <= 1_001, "{} ns by {at}", carried - before);
            before = carried;
        }
    }
}
