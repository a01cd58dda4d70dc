//! A wire: one packet after the other at a fixed rate.

use tusker_core::{Bytes, Duration, Rate, Time};

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// Transmits packets one after the other. Departures are whole nanoseconds;
/// the fraction of a nanosecond is carried from packet to packet of a busy
/// period, so that nothing drifts at 100 Gbit/s.
#[derive(Clone, Debug)]
pub struct Wire {
    rate: u64,
    /// When the last accepted packet has left ...
    busy_until: Time,
    /// ... and how much later than that, in units of 1/rate nanoseconds.
    carry: u64,
    /// How long it has been idle.
    idle: Duration,
    /// The last size and its transmission time: whole nanoseconds, remainder.
    last: (u32, u64, u64),
}

impl Wire {
    /// A wire that has been idle since the start.
    ///
    /// # Panics
    /// If the rate is zero: that is refused where scenarios are read.
    pub fn new(rate: Rate) -> Self {
        let rate = rate.bits_per_sec();
        assert!(rate > 0, "a wire has a rate");
        Self { rate, busy_until: Time::ZERO, carry: 0, idle: Duration::ZERO, last: (0, 0, 0) }
    }

    /// When everything accepted so far has left.
    #[inline]
    pub fn busy_until(&self) -> Time {
        self.busy_until
    }

    /// For how long it transmits everything accepted so far.
    pub fn busy_total(&self) -> Duration {
        self.busy_until.since(Time::ZERO) - self.idle
    }

    /// Appends a packet of `size` bytes that is there at `now`: when its last
    /// bit leaves.
    #[inline]
    pub fn send(&mut self, now: Time, size: u32) -> Time {
        if size != self.last.0 {
            self.last = self.divide(size);
        }
        let (_, nanos, rest) = self.last;
        if now > self.busy_until {
            self.idle += now - self.busy_until;
            self.busy_until = now;
            self.carry = 0;
        }
        self.busy_until += Duration::from_nanos(nanos);
        self.carry += rest;
        if self.carry >= self.rate {
            self.carry -= self.rate;
            self.busy_until += Duration::from_nanos(1);
        }
        self.busy_until
    }

    #[cold]
    fn divide(&self, size: u32) -> (u32, u64, u64) {
        let scaled = Bytes::new(u64::from(size)).get() * 8 * NANOS_PER_SEC;
        (size, scaled / self.rate, scaled % self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_to_back_packets_do_not_drift() {
        // 40 B at 3 Gbit/s: 320/3 ns = 106.67 ns; three take exactly 320 ns
        let mut wire = Wire::new(Rate::from_bits_per_sec(3_000_000_000));
        let ends: [u64; 3] = std::array::from_fn(|_| wire.send(Time::ZERO, 40).nanos());
        assert_eq!(ends, [106, 213, 320]);
    }

    #[test]
    fn an_idle_wire_starts_at_once() {
        let mut wire = Wire::new(Rate::from_bits_per_sec(8_000_000_000));
        assert_eq!(wire.send(Time::from_nanos(100), 1000).nanos(), 1_100);
        assert_eq!(wire.send(Time::from_nanos(100), 1000).nanos(), 2_100);
        assert_eq!(wire.send(Time::from_nanos(5_000), 1000).nanos(), 6_000);
    }
}
