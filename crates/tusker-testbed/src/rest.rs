//! How the emulator's thread gets the processor when it needs it, and from time to time leaves
//! it to others.
//!
//! A sleep ends 10 to 60 us late, even if the processor is otherwise idle. So the thread
//! stays awake shortly before a packet is due. But the scheduler takes the processor away
//! from a real-time thread that never sleeps, because such threads together get at most 95
//! % of it. That interruption lasts for milliseconds, so it is better to sleep briefly and
//! often.

use nix::time::{ClockId, clock_gettime};
use tusker_core::{Duration, Time};

use crate::sys;

/// How long before a packet is due the thread wakes up.
const AWAKE: Duration = Duration::from_nanos(30_000);

/// How often processor use is checked: the scheduler does so every 1 to 10 ms.
const TURN: Duration = Duration::from_nanos(1_000_000);

/// If it used a larger share of a turn, the thread sleeps whenever nothing is due in the
/// next turn.
const TIRED: f64 = 0.75;

/// If that was not enough, because packets are due too often for sleep, the thread sleeps
/// for [`BREAK`], whatever is due.
const EXHAUSTED: f64 = 0.9;

/// More than 5 % of a turn.
const BREAK: Duration = Duration::from_nanos(70_000);

/// Gives this thread priority over others, as far as permitted. Returns whether it has
/// priority.
pub fn real_time() -> bool {
    sys::deadline(0.95) || sys::real_time(10)
}

/// How much processor time this thread has used in total.
pub fn used() -> Option<Duration> {
    let used = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).ok()?;
    let nanos = used.tv_sec() * 1_000_000_000 + used.tv_nsec();
    Some(Duration::from_nanos(nanos.cast_unsigned()))
}

/// Tracks how much of the processor a thread uses.
#[derive(Debug, Default)]
pub struct Rest {
    turn: Time,
    used: Duration,
    tired: bool,
}

impl Rest {
    /// How long this thread must sleep now.
    pub fn must(&mut self, now: Time) -> Option<Duration> {
        if now.since(self.turn) < TURN {
            return None;
        }
        self.look(now, used()?)
    }

    /// A turn is over; by now the thread has used this much processor time in total.
    fn look(&mut self, now: Time, used: Duration) -> Option<Duration> {
        let part = used.nanos().saturating_sub(self.used.nanos()) as f64
            / now.since(self.turn).nanos() as f64;
        let exhausted = self.tired && part > EXHAUSTED;
        *self = Self { turn: now, used, tired: part > TIRED };
        exhausted.then_some(BREAK)
    }

    /// How long to sleep if nothing is due for this long.
    pub fn sleep(&self, idle: Duration) -> Duration {
        let awake = if self.tired { 0 } else { AWAKE.nanos() };
        Duration::from_nanos(idle.nanos().saturating_sub(awake))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Duration {
        Duration::from_nanos(us * 1_000)
    }

    #[test]
    fn who_never_sleeps_goes_for_a_break() {
        let mut rest = Rest::default();
        let mut turn = |number: u64, used| {
            let must = rest.look(Time::ZERO + us(number * 1_000), us(used));
            (must, rest.sleep(us(100)), rest.sleep(us(20)))
        };
        // awake 30 us before a packet is due
        assert_eq!(turn(1, 500), (None, us(70), us(0)));
        // 800 of 1000 us: sleeps whenever it can
        assert_eq!(turn(2, 1_300), (None, us(100), us(20)));
        // 950, though it did: a break
        assert_eq!(turn(3, 2_250), (Some(us(70)), us(100), us(20)));
        // 850: the break helped
        assert_eq!(turn(4, 3_100), (None, us(100), us(20)));
        assert_eq!(turn(5, 3_600), (None, us(70), us(0)));
        // 1000 at once: first it sleeps whenever it can
        assert_eq!(turn(6, 4_600), (None, us(100), us(20)));
    }
}
