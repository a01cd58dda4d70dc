//! A shaper in deficit mode, like CAKE's: one clock, and no bucket of tokens.
//!
//! Each packet moves the clock on by the time that its length takes at the shaper's rate, and
//! no packet leaves before the time of the clock. An empty queue does not save up time: if the
//! clock is behind, a packet that finds no other waiting sets it to its own arrival time. A
//! clock that falls behind while packets wait (because the wire was slower for a while) is not
//! set: packets leave without delay until it has caught up.

use tusker_core::{Duration, Rate, Time};

const NANOS_PER_SEC: u128 = 1_000_000_000;

/// When the next packet may leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shaper {
    /// Bits a second.
    rate: u64,
    next: Time,
    /// How much later than that, in units of 1/rate nanoseconds.
    carry: u64,
}

impl Shaper {
    pub fn new(rate: Rate) -> Self {
        let rate = rate.bits_per_sec();
        assert!(rate > 0, "a shaper has a rate");
        Self { rate, next: Time::ZERO, carry: 0 }
    }

    /// No packet may leave before: the first nanosecond that is not too early.
    pub fn next(&self) -> Time {
        self.next + Duration::from_nanos(u64::from(self.carry > 0))
    }

    /// A packet arrives, and nothing waits.
    pub fn wake(&mut self, now: Time) {
        if self.next < now {
            (self.next, self.carry) = (now, 0);
        }
    }

    /// A packet of this length leaves.
    pub fn charge(&mut self, bytes: u32) {
        let rate = u128::from(self.rate);
        let all = u128::from(bytes) * 8 * NANOS_PER_SEC + u128::from(self.carry);
        self.next += Duration::from_nanos((all / rate) as u64);
        self.carry = (all % rate) as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::from_nanos(ns)
    }

    #[test]
    fn what_is_left_of_a_nanosecond_is_carried_on() {
        // 40 B at 3 Gbit/s: 106.67, 213.33, 320 ns; each time the first whole one
        let mut shaper = Shaper::new(Rate::from_bits_per_sec(3_000_000_000));
        let times = [0; 3].map(|_| {
            shaper.charge(40);
            shaper.next().nanos()
        });
        assert_eq!(times, [107, 214, 320]);
    }

    #[test]
    fn an_idle_shaper_saves_nothing_up() {
        let mut shaper = Shaper::new(Rate::from_bits_per_sec(12_000_000));
        shaper.wake(at(5_000_000));
        shaper.charge(1500);
        assert_eq!(shaper.next(), at(6_000_000));
        // too early: the clock stays
        shaper.wake(at(5_500_000));
        assert_eq!(shaper.next(), at(6_000_000));
        shaper.wake(at(9_000_000));
        assert_eq!(shaper.next(), at(9_000_000));
    }

    #[test]
    fn a_busy_one_that_was_held_up_catches_up() {
        let mut shaper = Shaper::new(Rate::from_bits_per_sec(12_000_000));
        // nobody could take a packet for 3 ms: three may go at once
        shaper.charge(1500);
        shaper.charge(1500);
        shaper.charge(1500);
        assert_eq!(shaper.next(), at(3_000_000));
    }
}
