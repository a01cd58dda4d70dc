//! How the emulator's thread gets the processor when it needs it, and leaves it to others
//! now and then.
//!
//! A sleep ends late, by 10 to 60 us where the processor has nothing else to do. So the
//! thread is awake shortly before a packet is due. But one that is never asleep is taken
//! the processor away, by the scheduler, which gives those with real-time scheduling 95 %
//! of it at most: so for a part of the time it sleeps, late or not.

use tusker_core::{Duration, Time};

use crate::sys;

/// So long before a packet is due the thread is awake.
const AWAKE: Duration = Duration::from_nanos(30_000);

/// The part of the time for which it sleeps at least, unless it has no time to.
const ASLEEP: f64 = 0.25;

/// Over what this part is taken: less than the scheduler looks at, which is a tick of
/// 1 to 10 ms.
const TURN: Duration = Duration::from_nanos(2_000_000);

/// This thread goes before others, as far as it may; whether it does.
pub fn real_time() -> bool {
    sys::deadline(0.95) || sys::real_time(10)
}

/// Keeps count of sleep.
#[derive(Debug, Default)]
pub struct Rest {
    since: Time,
    slept: Duration,
}

impl Rest {
    /// How long to sleep if nothing is to be done for so long.
    pub fn sleep(&mut self, now: Time, idle: Duration) -> Duration {
        if now.since(self.since) > TURN {
            *self = Self { since: now, slept: Duration::ZERO };
        }
        let short = self.slept.secs() < ASLEEP * now.since(self.since).secs();
        let awake = if short { 0 } else { AWAKE.nanos() };
        Duration::from_nanos(idle.nanos().saturating_sub(awake))
    }

    /// It slept.
    pub fn slept(&mut self, time: Duration) {
        self.slept += time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Duration {
        Duration::from_nanos(us * 1_000)
    }

    fn at(time: u64) -> Time {
        Time::ZERO + us(time)
    }

    #[test]
    fn it_is_awake_before_a_packet_is_due() {
        let mut rest = Rest::default();
        rest.slept(us(500));
        // 500 of 1000 us: enough, so 30 us before
        assert_eq!(rest.sleep(at(1_000), us(100)), us(70));
        assert_eq!(rest.sleep(at(1_000), us(20)), us(0));
    }

    #[test]
    fn it_sleeps_if_it_was_awake_for_long() {
        let mut rest = Rest::default();
        rest.slept(us(200));
        // 200 of 1000 us: less than a quarter
        assert_eq!(rest.sleep(at(1_000), us(20)), us(20));
        // after 2 ms what it slept before does not count
        rest.slept(us(1_000));
        assert_eq!(rest.sleep(at(2_001), us(20)), us(0), "a turn begins with neither");
        assert_eq!(rest.sleep(at(2_002), us(20)), us(20));
    }
}
