//! A wire whose rate changes, or that is down at times.

use tusker_core::{Duration, Rate, Time};

use super::{Accepted, NANOBITS_PER_BYTE};
use crate::varying::{Current, Outages, Varying, nanobits};

/// A wire with these rates and outages.
#[derive(Clone, Debug)]
pub(super) struct Steps {
    rates: Varying<Rate>,
    outages: Option<Outages>,
    rate: Current<Rate>,
    down: Current<bool>,
    drops: bool,
    busy_until: Time,
    /// How much later than `busy_until` the last packet has left, in units of
    /// 1/rate nanoseconds.
    carry: u64,
    /// The same two of the last accepted packet: earlier if an outage cut off another.
    left: (Time, u64),
    accepted: Accepted,
}

impl Steps {
    pub(super) fn new(rates: Varying<Rate>, outages: Option<Outages>, nominal: Rate) -> Self {
        let accepted = Accepted::new(nominal);
        let down = outages.as_ref().map_or_else(|| false.into(), |outages| outages.down.clone());
        Self {
            rate: Current::new(rates.clone()),
            down: Current::new(down),
            drops: outages.as_ref().is_some_and(|outages| outages.drop),
            rates,
            outages,
            busy_until: Time::ZERO,
            carry: 0,
            left: (Time::ZERO, 0),
            accepted,
        }
    }

    pub(super) fn busy_until(&self) -> Time {
        self.busy_until
    }

    pub(super) fn accepted(&self) -> (u64, u64) {
        (self.accepted.packets, self.accepted.bytes)
    }

    pub(super) fn busy_by(&self, at: Time) -> Duration {
        let (leaves, carry) = self.left;
        let last = if at <= leaves { u128::from(carry) } else { 0 };
        let later = nanobits(&self.rates, self.outages.as_ref(), at, leaves);
        self.accepted.time_without(later + last)
    }

    pub(super) fn drops(&self) -> bool {
        self.drops
    }

    /// If an outage drops a packet that is present at `now`: when.
    pub(super) fn cuts(&mut self, now: Time, size: u32) -> Option<Time> {
        if !self.drops {
            return None;
        }
        let start = now.max(self.busy_until);
        if self.down.at(start) {
            return Some(start);
        }
        let begins = self.down.until_not(false);
        let mut uncut = self.clone();
        (uncut.send(now, size) > begins).then(|| {
            (self.busy_until, self.carry) = (begins, 0);
            begins
        })
    }

    pub(super) fn send(&mut self, now: Time, size: u32) -> Time {
        self.accepted.add(size);
        if now > self.busy_until {
            self.busy_until = now;
            self.carry = 0;
        }
        let mut rest = u128::from(size) * NANOBITS_PER_BYTE + u128::from(self.carry);
        loop {
            let down = self.down.at(self.busy_until);
            let rate = if down { 0 } else { self.rate.at(self.busy_until).bits_per_sec() };
            let end = if down { self.down.until } else { self.rate.until.min(self.down.until) };
            let room = u128::from(end.since(self.busy_until).nanos()) * u128::from(rate);
            if rate > 0 && rest <= room {
                self.busy_until += Duration::from_nanos((rest / u128::from(rate)) as u64);
                self.carry = (rest % u128::from(rate)) as u64;
                self.left = (self.busy_until, self.carry);
                return self.busy_until;
            }
            rest -= room;
            self.busy_until = self.busy_until.max(end);
            self.skip_periods(&mut rest);
        }
    }

    /// Periods that the packet takes in full need not be gone through one by one.
    fn skip_periods(&mut self, rest: &mut u128) {
        let Some((_, Some(every))) = self.rates.changes() else { return };
        if self.outages.is_some() {
            return;
        }
        let each = nanobits(&self.rates, None, self.busy_until, self.busy_until + every);
        let rounds = rest.saturating_sub(1).checked_div(each).unwrap_or(0);
        *rest -= rounds * each;
        self.busy_until += every * rounds as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::varying::Step;
    use crate::wire::Wire;
    use tusker_core::Rng;

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    fn varying<T: Copy>(list: &[(u64, T)], every: Option<u64>) -> Varying<T> {
        let step = |&(ns, value): &(u64, T)| Step { at: at(ns), value };
        Varying::steps(list.iter().map(step).collect(), every.map(Duration::from_nanos))
    }

    fn rates(list: &[(u64, u64)], every: Option<u64>) -> Varying<Rate> {
        varying(list, every).map(Rate::from_bits_per_sec)
    }

    fn steps(list: &[(u64, u64)]) -> Wire {
        Wire::steps(rates(list, None), None, Rate::from_bits_per_sec(list[0].1))
    }

    /// A byte a nanosecond, down from 1500 to 4000 ns in every 10,000.
    fn with_outages(drop: bool) -> Wire {
        let rate = Rate::from_bits_per_sec(8_000_000_000);
        let down = varying(&[(0, false), (1_500, true), (4_000, false)], Some(10_000));
        Wire::steps(rate.into(), Some(Outages { down, drop }), rate)
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

    #[test]
    fn a_rate_of_zero_pauses_a_transmission() {
        let mut wire = steps(&[(0, 8_000_000_000), (1_500, 0), (4_000, 8_000_000_000)]);
        assert_eq!(wire.send(at(0), 1000), at(1_000));
        // 500 bytes before the pause, 500 after it
        assert_eq!(wire.send(at(0), 1000), at(4_500));
        assert_eq!(wire.busy_by(at(3_000)).nanos(), 1_500);
    }

    #[test]
    fn a_period_begins_again() {
        // 1 B/ns for 1000 ns, 1/4 B/ns for 1000 ns: 1250 bytes a period
        let pattern = rates(&[(0, 8_000_000_000), (1_000, 2_000_000_000)], Some(2_000));
        let mut wire = Wire::steps(pattern, None, Rate::from_bits_per_sec(8_000_000_000));
        assert_eq!(wire.send(at(0), 1100), at(1_400));
        // 150 bytes of this period, 1000 and 250 of the next, 100 of the third
        assert_eq!(wire.send(at(0), 1500), at(4_100));
        // 52,000 bytes after the first 2600: 54,600 are 43 periods and 850 bytes
        assert_eq!(wire.send(at(0), 52_000), at(43 * 2_000 + 850));
    }

    #[test]
    fn packets_wait_for_the_end_of_an_outage() {
        let mut wire = with_outages(false);
        assert_eq!(wire.send(at(0), 1000), at(1_000));
        assert_eq!(wire.send(at(0), 1000), at(4_500));
        assert_eq!(wire.send(at(2_000), 100), at(4_600));
        // in the next period, down from 11,500 to 14,000
        assert_eq!(wire.send(at(11_400), 200), at(14_100));
    }

    #[test]
    fn an_outage_may_drop_what_waits() {
        let mut wire = with_outages(true);
        let fate = |wire: &mut Wire, ns, size| match wire.cuts(at(ns), size) {
            Some(at) => Err(at.nanos()),
            None => Ok(wire.send(at(ns), size).nanos()),
        };
        assert_eq!(fate(&mut wire, 0, 1000), Ok(1_000));
        // it would need 500 ns more than there are, and then the next has no turn
        assert_eq!(fate(&mut wire, 0, 1000), Err(1_500));
        assert_eq!(fate(&mut wire, 100, 10), Err(1_500));
        // what is cut off was not carried
        assert_eq!((wire.busy_by(at(900)).nanos(), wire.busy_by(at(1_200)).nanos()), (900, 1_000));
        assert_eq!(fate(&mut wire, 2_000, 100), Err(2_000));
        assert_eq!(fate(&mut wire, 4_000, 100), Ok(4_100));
        // the last bit may leave in the very instant
        assert_eq!(fate(&mut wire, 11_400, 100), Ok(11_500));
        assert_eq!(fate(&mut wire, 11_400, 1), Err(11_500));
        assert_eq!(wire.accepted(), (3, 1_200));
        // the end of a period is no outage
        assert_eq!(fate(&mut wire, 19_500, 1000), Ok(20_500));
    }

    #[test]
    fn what_was_carried_only_grows_and_never_beyond_the_capacity() {
        let patterns = [
            rates(&[(0, 1_000_000_000)], None),
            rates(&[(0, 1_000_000_007), (70_000, 0)], Some(200_000)),
            rates(
                &[(0, 1_000_000_007), (70_000, 10_000_000), (90_000, 3_000_000_001)],
                Some(99_000),
            ),
        ];
        let down = varying(&[(0, false), (65_000, true), (80_000, false)], Some(100_000));
        for (seed, pattern) in (0..60).flat_map(|seed| patterns.iter().map(move |p| (seed, p))) {
            let mut rng = Rng::named(seed, "carried");
            let outages =
                (seed % 3 > 0).then(|| Outages { down: down.clone(), drop: seed % 3 == 1 });
            let mut wire = Wire::steps(pattern.clone(), outages.clone(), pattern.first());
            let (mut now, mut seen, mut carried) = (0, 0, 0);
            for i in 0..3_000 {
                now += rng.exponential(15_000.0) as u64;
                while seen < now {
                    let (before, from) = (carried, seen);
                    carried = wire.busy_by(at(seen)).nanos();
                    assert!(carried >= before, "seed {seed}, packet {i}: {before} to {carried}");
                    seen += 1_009;
                    let most = nanobits(
                        pattern,
                        outages.as_ref(),
                        at(from.saturating_sub(1_009)),
                        at(from),
                    );
                    let most = most / u128::from(pattern.first().bits_per_sec()) + 2;
                    assert!(u128::from(carried - before) <= most, "seed {seed}, packet {i}");
                }
                let size = if rng.unit() < 0.5 { 40 } else { 1500 };
                if wire.cuts(at(now), size).is_none() {
                    wire.send(at(now), size);
                }
            }
        }
    }
}
