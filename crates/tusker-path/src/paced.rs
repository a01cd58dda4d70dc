//! A wire whose rate changes: by steps, or by the delivery opportunities of a
//! trace. Still a FIFO, so a departure is known when the packet is accepted.

use std::sync::Arc;

use tusker_core::wire::{OPPORTUNITY, Step, nanobits, opportunities_before, opportunity_at};
use tusker_core::{Duration, Rate, Time};

/// How the rate of a wire changes.
#[derive(Clone, Debug)]
pub enum Pace {
    /// It does not.
    Fixed,
    /// At these times; they ascend, and the first is zero.
    Steps(Arc<[Step]>),
    /// Each opportunity of this trace takes 1504 bytes of what is there: see
    /// [`tusker_core::wire::opportunities`].
    Trace(Arc<[u32]>),
}

/// A wire that keeps such a pace.
#[derive(Clone, Debug)]
pub(crate) struct Paced {
    pace: Cursor,
    /// What it counts as having carried is told as time at this rate.
    nominal: u64,
    busy_until: Time,
    packets: u64,
    bytes: u64,
}

#[derive(Clone, Debug)]
enum Cursor {
    Steps {
        steps: Arc<[Step]>,
        /// The step in force at `busy_until`.
        current: usize,
        /// How much later than `busy_until` the last packet has left, in units of
        /// 1/rate nanoseconds.
        carry: u64,
    },
    Trace {
        trace: Arc<[u32]>,
        /// The opportunity that takes what comes next, and how much it still does.
        number: u64,
        left: u64,
    },
}

const NANOBITS_PER_BYTE: u128 = 8_000_000_000;

impl Paced {
    /// An idle wire; `None` for a pace that is fixed.
    pub(crate) fn new(pace: Pace, nominal: Rate) -> Option<Self> {
        let pace = match pace {
            Pace::Fixed => return None,
            Pace::Steps(steps) => Cursor::Steps { steps, current: 0, carry: 0 },
            Pace::Trace(trace) => Cursor::Trace { trace, number: 0, left: OPPORTUNITY.get() },
        };
        let nominal = nominal.bits_per_sec();
        Some(Self { pace, nominal, busy_until: Time::ZERO, packets: 0, bytes: 0 })
    }

    pub(crate) fn busy_until(&self) -> Time {
        self.busy_until
    }

    /// Packets and bytes accepted so far.
    pub(crate) fn accepted(&self) -> (u64, u64) {
        (self.packets, self.bytes)
    }

    /// What it has carried before `at`, as time at the nominal rate. Nothing may
    /// have been accepted that was offered after `at`. Between two times it is no
    /// more than the wire can carry there, but for a nanosecond at the nominal rate:
    /// what it waits with at a time is what its rate takes until all has left, and
    /// an opportunity at this very time is not yet used.
    pub(crate) fn carried_by(&self, at: Time) -> Duration {
        let all = u128::from(self.bytes) * NANOBITS_PER_BYTE;
        let beyond = match &self.pace {
            Cursor::Steps { steps, carry, .. } => {
                let last = if at <= self.busy_until { u128::from(*carry) } else { 0 };
                nanobits(steps, at, self.busy_until) + last
            }
            Cursor::Trace { trace, number, left } => {
                // what waits takes every opportunity until it is gone
                let used = (number * OPPORTUNITY.get()) + OPPORTUNITY.get() - left;
                let before = opportunities_before(trace, at) * OPPORTUNITY.get();
                u128::from(used.saturating_sub(before)) * NANOBITS_PER_BYTE
            }
        };
        let nanos = all.saturating_sub(beyond) / u128::from(self.nominal);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Appends a packet of `size` bytes that is there at `now`: when its last bit
    /// leaves.
    pub(crate) fn send(&mut self, now: Time, size: u32) -> Time {
        self.packets += 1;
        self.bytes += u64::from(size);
        match &mut self.pace {
            Cursor::Steps { steps, current, carry } => {
                if now > self.busy_until {
                    self.busy_until = now;
                    *carry = 0;
                }
                let mut rest = u128::from(size) * NANOBITS_PER_BYTE + u128::from(*carry);
                loop {
                    let end = steps.get(*current + 1).map_or(Time::NEVER, |next| next.at);
                    let rate = u128::from(steps[*current].rate.bits_per_sec());
                    let room = u128::from(end.since(self.busy_until).nanos()) * rate;
                    if rest <= room {
                        self.busy_until += Duration::from_nanos((rest / rate) as u64);
                        *carry = (rest % rate) as u64;
                        return self.busy_until;
                    }
                    rest -= room;
                    self.busy_until = self.busy_until.max(end);
                    *current += 1;
                }
            }
            Cursor::Trace { trace, number, left } => {
                let missed = opportunities_before(trace, now);
                if *number < missed {
                    (*number, *left) = (missed, OPPORTUNITY.get());
                }
                let mut rest = u64::from(size);
                while rest > *left {
                    rest -= *left;
                    (*number, *left) = (*number + 1, OPPORTUNITY.get());
                }
                *left -= rest;
                self.busy_until = opportunity_at(trace, *number);
                if *left == 0 {
                    (*number, *left) = (*number + 1, OPPORTUNITY.get());
                }
                self.busy_until
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Wire;
    use tusker_core::Rng;

    fn steps(list: &[(u64, u64)]) -> Paced {
        let step = |&(ns, bps): &(u64, u64)| Step {
            at: Time::from_nanos(ns),
            rate: Rate::from_bits_per_sec(bps),
        };
        let pace = Pace::Steps(list.iter().map(step).collect());
        Paced::new(pace, Rate::from_bits_per_sec(list[0].1)).expect("not fixed")
    }

    fn trace(ms: &[u32]) -> Paced {
        Paced::new(Pace::Trace(ms.into()), Rate::from_bits_per_sec(12_032_000)).expect("not fixed")
    }

    #[test]
    fn one_step_is_a_wire_of_fixed_rate() {
        for bps in [3_000_000_000, 2_500_000_000, 999_999_937, 64_000] {
            let (mut paced, mut wire) =
                (steps(&[(0, bps)]), Wire::new(Rate::from_bits_per_sec(bps)));
            let mut rng = Rng::named(bps, "paced");
            let mut now = 0;
            for _ in 0..2_000 {
                now += rng.exponential(0.9 * 770.0 * 8e9 / bps as f64) as u64;
                let size = if rng.unit() < 0.5 { 40 } else { 1500 };
                let at = Time::from_nanos(now);
                assert_eq!(paced.send(at, size), wire.send(at, size), "at {bps} bit/s");
            }
            assert_eq!(paced.accepted(), wire.accepted());
            let end = paced.busy_until();
            let (a, b) = (paced.carried_by(end).nanos(), wire.busy_total().nanos());
            // the wire drops a part of a nanosecond at the end of each busy period
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
        assert_eq!(early.carried_by(Time::from_nanos(2_500)).nanos(), 1_750);
    }

    #[test]
    fn an_opportunity_takes_1504_bytes() {
        let ms = |ms: u64| Time::from_nanos(ms * 1_000_000);
        let mut wire = trace(&[1, 3, 3, 7]);
        // 1500 B in the first; 4 B of the next packet fit in there as well
        assert_eq!(wire.send(ms(0), 1500), ms(1));
        assert_eq!(wire.send(ms(0), 1504), ms(3));
        // 4 B are left of the first one at 3 ms, then 1496 of the second take it
        assert_eq!(wire.send(ms(2), 1500), ms(3));
        assert_eq!(wire.send(ms(3), 8), ms(3));
        // what comes at the very time of an opportunity is taken, later is late
        assert_eq!(wire.send(ms(7), 1504), ms(7));
        assert_eq!(wire.send(Time::from_nanos(8_000_001), 40), ms(10));
        // 1464 B that are left at 10, 1504 of the other at 10, 40 of the one at 14
        assert_eq!(wire.send(ms(9), 3008), ms(14));
        // by 9 ms 1500 + 1504 + 1500 + 8 + 1504 = 6016 B, at a nominal 1504 B per ms
        assert_eq!(wire.carried_by(ms(9)).nanos(), 4_000_000);
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
            let carried = wire.carried_by(Time::from_nanos(at)).nanos();
            assert!(carried - before <= 1_001, "{} ns by {at}", carried - before);
            before = carried;
        }
        // an opportunity at 3 ms is used from 3 ms on, not before
        let ms = |ms: u64| Time::from_nanos(ms * 1_000_000);
        let mut wire = trace(&[3]);
        wire.send(ms(0), 1504);
        assert_eq!(wire.carried_by(ms(3)).nanos(), 0);
        assert_eq!(wire.carried_by(Time::from_nanos(3_000_001)).nanos(), 1_000_000);
    }
}
