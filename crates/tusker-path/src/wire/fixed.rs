//! A wire with a fixed rate.

use tusker_core::{Bytes, Duration, Rate, Time};

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// A wire whose rate never changes. What each packet needs comes first.
#[derive(Clone, Debug)]
#[repr(C)]
pub(super) struct Fixed {
    rate: u64,
    /// When the last accepted packet has left ...
    busy_until: Time,
    /// ... and how much later than that, in units of 1/rate nanoseconds.
    carry: u64,
    /// How long it has been idle.
    idle: Duration,
    /// A packet of the last size is usually followed by more of the same ...
    last: Size,
    /// ... or by one of the size before that.
    other: Size,
    /// Packets and bytes sent, except those of these two sizes.
    before: (u64, u64),
}

/// Packets of one size.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    bytes: u32,
    /// Transmission time: whole nanoseconds, remainder.
    nanos: u64,
    rest: u64,
    /// Packets of this size sent since it was stored here, and all packets before.
    sent: u64,
}

impl Fixed {
    pub(super) fn new(rate: Rate) -> Self {
        let rate = rate.bits_per_sec();
        assert!(rate > 0, "a wire has a rate");
        Self {
            rate,
            busy_until: Time::ZERO,
            carry: 0,
            idle: Duration::ZERO,
            before: (0, 0),
            last: Size::default(),
            other: Size::default(),
        }
    }

    #[inline]
    pub(super) fn busy_until(&self) -> Time {
        self.busy_until
    }

    pub(super) fn busy_by(&self, at: Time) -> Duration {
        let total = self.busy_until.since(Time::ZERO) - self.idle;
        total - self.busy_until.since(at)
    }

    pub(super) fn accepted(&self) -> (u64, u64) {
        [self.last, self.other].iter().fold(self.before, |(packets, bytes), size| {
            (packets + size.sent, bytes + size.sent * u64::from(size.bytes))
        })
    }

    #[inline(always)]
    pub(super) fn send(&mut self, now: Time, size: u32) -> Time {
        if size != self.last.bytes {
            self.turn_to(size);
        }
        let Size { nanos, rest, .. } = self.last;
        self.last.sent += 1;
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
    fn turn_to(&mut self, bytes: u32) {
        std::mem::swap(&mut self.last, &mut self.other);
        if bytes != self.last.bytes {
            self.before.0 += self.last.sent;
            self.before.1 += self.last.sent * u64::from(self.last.bytes);
            let scaled = Bytes::new(u64::from(bytes)).get() * 8 * NANOS_PER_SEC;
            self.last =
                Size { bytes, nanos: scaled / self.rate, rest: scaled % self.rate, sent: 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_to_back_packets_do_not_drift() {
        // 40 B at 3 Gbit/s: 320/3 ns = 106.67 ns; three take exactly 320 ns
        let mut wire = Fixed::new(Rate::from_bits_per_sec(3_000_000_000));
        let ends: [u64; 3] = std::array::from_fn(|_| wire.send(Time::ZERO, 40).nanos());
        assert_eq!(ends, [106, 213, 320]);
    }

    #[test]
    fn what_was_sent_is_counted_by_size() {
        let mut wire = Fixed::new(Rate::from_bits_per_sec(8_000_000_000));
        // 1500 + 40 + 1500 + 500 + 40 + 40 = 3620 B, one nanosecond each
        for size in [1500, 40, 1500, 500, 40, 40] {
            wire.send(Time::ZERO, size);
        }
        assert_eq!(wire.accepted(), (6, 3620));
        assert_eq!(wire.busy_until().nanos(), 3620);
    }

    #[test]
    fn an_idle_wire_starts_at_once() {
        let mut wire = Fixed::new(Rate::from_bits_per_sec(8_000_000_000));
        assert_eq!(wire.send(Time::from_nanos(100), 1000).nanos(), 1_100);
        assert_eq!(wire.send(Time::from_nanos(100), 1000).nanos(), 2_100);
        assert_eq!(wire.send(Time::from_nanos(5_000), 1000).nanos(), 6_000);
    }
}
