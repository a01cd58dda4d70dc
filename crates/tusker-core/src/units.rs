//! Times, rates and sizes as distinct types, so that they cannot be confused.
//!
//! Time is integer nanoseconds: 2^64 ns are 584 years. Fractions of a nanosecond,
//! which matter at 100 Gbit/s, are carried over by the wire.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, Sub};

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// A point in time: nanoseconds since the start of the experiment.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// The start of the experiment.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens.
    pub const NEVER: Self = Self(u64::MAX);

    /// A time from nanoseconds since the start.
    #[inline]
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since the start.
    #[inline]
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start.
    #[inline]
    pub fn secs(self) -> f64 {
        self.0 as f64 * 1e-9
    }

    /// The span since `earlier`; zero if `earlier` is the later one.
    #[inline]
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }
}

/// A span of time in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Duration(u64);

impl Duration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest span.
    pub const MAX: Self = Self(u64::MAX);

    /// A span of this many nanoseconds.
    #[inline]
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// A span of this many milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// A span of this many seconds, rounded to the nearest nanosecond. Negative
    /// values and NaN become zero.
    #[inline]
    pub fn from_secs(s: f64) -> Self {
        /// Above, a number has no fraction.
        const WHOLE: f64 = (1_u64 << 52) as f64;
        let ns = s * NANOS_PER_SEC as f64;
        if !(0.0..WHOLE).contains(&ns) {
            return Self(libm::round(ns) as u64);
        }
        // the same at a fraction of the cost: the difference is exact
        let down = ns as i64;
        Self(down as u64 + u64::from(ns - down as f64 >= 0.5))
    }

    /// Nanoseconds.
    #[inline]
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Seconds.
    #[inline]
    pub fn secs(self) -> f64 {
        self.0 as f64 * 1e-9
    }
}

/// A rate in bits per second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Rate(u64);

impl Rate {
    /// A rate of this many bits per second.
    pub const fn from_bits_per_sec(bps: u64) -> Self {
        Self(bps)
    }

    /// Bits per second.
    #[inline]
    pub const fn bits_per_sec(self) -> u64 {
        self.0
    }

    /// How long sending `size` takes on a wire of this rate, rounded down.
    ///
    /// # Panics
    /// If the rate is zero, which is refused when a scenario is read.
    pub fn time_for(self, size: Bytes) -> Duration {
        if let Some(nanobits) = size.0.checked_mul(8 * NANOS_PER_SEC) {
            return Duration(nanobits / self.0);
        }
        let ns = u128::from(size.0) * 8 * u128::from(NANOS_PER_SEC) / u128::from(self.0);
        Duration(u64::try_from(ns).unwrap_or(u64::MAX))
    }
}

/// A size in bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(u64);

impl Bytes {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// A size of this many bytes.
    #[inline]
    pub const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// How many bytes.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }
}

macro_rules! arithmetic {
    ($($left:ident $op:ident::$method:ident $right:ident => $out:ident by $sign:tt;)*) => {$(
        impl $op<$right> for $left {
            type Output = $out;
            #[inline]
            fn $method(self, right: $right) -> $out {
                $out(self.0 $sign right.0)
            }
        }
    )*};
}

arithmetic! {
    Time Add::add Duration => Time by +;
    Time Sub::sub Duration => Time by -;
    Time Sub::sub Time => Duration by -;
    Duration Add::add Duration => Duration by +;
    Duration Sub::sub Duration => Duration by -;
    Bytes Add::add Bytes => Bytes by +;
    Bytes Sub::sub Bytes => Bytes by -;
}

impl AddAssign<Duration> for Time {
    #[inline]
    fn add_assign(&mut self, span: Duration) {
        self.0 += span.0;
    }
}

impl AddAssign for Duration {
    #[inline]
    fn add_assign(&mut self, span: Self) {
        self.0 += span.0;
    }
}

impl Mul<u64> for Duration {
    type Output = Self;
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl AddAssign for Bytes {
    #[inline]
    fn add_assign(&mut self, more: Self) {
        self.0 += more.0;
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t={}", Duration(self.0))
    }
}

impl fmt::Debug for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// In the largest unit that leaves no fraction: `50ms`, `1500us`, `2s`.
impl fmt::Display for Duration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0;
        match ns {
            0 => f.write_str("0s"),
            _ if ns.is_multiple_of(NANOS_PER_SEC) => write!(f, "{}s", ns / NANOS_PER_SEC),
            _ if ns.is_multiple_of(1_000_000) => write!(f, "{}ms", ns / 1_000_000),
            _ if ns.is_multiple_of(1_000) => write!(f, "{}us", ns / 1_000),
            _ => write!(f, "{ns}ns"),
        }
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Exact, so that a scenario file reads it back: `2.5Gbit`, `100Mbit`, `64kbit`.
impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bps = self.0;
        for (unit, name) in [(1_000_000_000, "Gbit"), (1_000_000, "Mbit"), (1_000, "kbit")] {
            // at most three decimals, so that the text is exact and short
            if bps >= unit && bps.is_multiple_of(unit / 1_000) {
                return write!(f, "{}{name}", bps as f64 / unit as f64);
            }
        }
        write!(f, "{bps}bit")
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}B", self.0)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::format;

    #[test]
    fn a_packet_takes_its_bits_over_the_rate() {
        // 1500 B x 8 = 12,000 bit; at 2.5 Gbit/s that is 4.8 us
        let rate = Rate::from_bits_per_sec(2_500_000_000);
        assert_eq!(rate.time_for(Bytes::new(1500)).nanos(), 4_800);
    }

    #[test]
    fn text_is_exact() {
        assert_eq!(format!("{}", Rate::from_bits_per_sec(2_500_000_000)), "2.5Gbit");
        assert_eq!(format!("{}", Rate::from_bits_per_sec(100_000_000)), "100Mbit");
        assert_eq!(format!("{}", Rate::from_bits_per_sec(1_234_567_891)), "1234567.891kbit");
        assert_eq!(format!("{}", Duration::from_millis(50)), "50ms");
        assert_eq!(format!("{}", Duration::from_secs(0.0015)), "1500us");
    }
}
