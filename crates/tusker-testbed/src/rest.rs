//! How the emulator's thread gets the processor when it needs it, and leaves it to others
//! when it does not.
//!
//! A sleep ends late, by 5 to 60 us, even if the processor is otherwise idle. So the thread asks
//! to be woken a little before a packet is due: by what it was late at least when it woke up
//! lately, so that it seldom wakes too early, and then waits awake for two microseconds at most.
//! Only pauses that are too short for sleep are spent awake.
//! On a path that is too short for such lateness it stays awake for longer before each packet.
//! But the scheduler takes the processor away from a real-time thread that never sleeps,
//! because such threads together get at most 95 % of it. That interruption lasts for
//! milliseconds, so it is better to sleep briefly and often.

use nix::time::{ClockId, clock_gettime};
use tusker_core::{Duration, Time};

use crate::sys;

/// How long before a packet is due the thread wakes up on a path that is short.
const AWAKE: Duration = Duration::from_nanos(30_000);

/// Packets may be late by more than this for one in a hundred, or else the path is short.
const SHORT: Duration = Duration::from_nanos(200_000);

/// The most that the thread waits awake on other paths.
const AWAKE_AT_MOST: f64 = 2_000.0;

/// A shorter sleep would cost more than it saves.
const TOO_SHORT: f64 = 15_000.0;

/// How far the estimate of the least lateness moves, in ns, and the share of wake-ups that
/// are to be less late.
const STEP: f64 = 200.0;
const LESS_LATE: f64 = 0.1;

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
    let has = sys::deadline(0.95) || sys::real_time(10);
    if !has {
        sys::wake_in_time();
    }
    has
}

/// How much processor time this thread has used in total.
pub fn used() -> Option<Duration> {
    let used = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).ok()?;
    let nanos = used.tv_sec() * 1_000_000_000 + used.tv_nsec();
    Some(Duration::from_nanos(nanos.cast_unsigned()))
}

/// Tracks how much of the processor a thread uses, and how late it wakes up.
#[derive(Debug)]
pub struct Rest {
    turn: Time,
    used: Duration,
    tired: bool,
    /// How long before a packet is due it asks to be woken, ns.
    ahead: f64,
    /// Whether that is learned.
    learns: bool,
}

impl Rest {
    /// For a thread whose packets may be late by this for one in a hundred.
    pub fn new(late: Duration) -> Self {
        let learns = late > SHORT;
        let ahead = if learns { 0.0 } else { AWAKE.nanos() as f64 };
        Self { turn: Time::ZERO, used: Duration::ZERO, tired: false, ahead, learns }
    }

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
        (self.turn, self.used, self.tired) = (now, used, part > TIRED);
        exhausted.then_some(BREAK)
    }

    /// How long to sleep if nothing is due for this long.
    pub fn sleep(&self, idle: Duration) -> Duration {
        let awake = match self.tired {
            true => 0.0,
            false if idle.nanos() as f64 <= TOO_SHORT => return Duration::ZERO,
            false => self.ahead,
        };
        Duration::from_nanos(idle.nanos().saturating_sub(awake as u64))
    }

    /// It asked to be woken after `asked`, and was after `slept`.
    pub fn woke(&mut self, asked: Duration, slept: Duration) {
        if self.learns && asked > Duration::ZERO {
            let late = slept.nanos().saturating_sub(asked.nanos()) as f64;
            let step = if late > self.ahead { LESS_LATE } else { LESS_LATE - 1.0 };
            self.ahead = (self.ahead + STEP * step).clamp(0.0, AWAKE_AT_MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn us(us: u64) -> Duration {
        Duration::from_nanos(us * 1_000)
    }

    /// A tenth of the wake-ups is less late than what is learned, unless that would be waiting.
    #[test]
    fn the_least_lateness_is_learned() {
        let learned = |late: fn(u64) -> u64| {
            let mut rest = Rest::new(us(1_000));
            for turn in 0..20_000 {
                rest.woke(us(80), us(80) + Duration::from_nanos(late(turn)));
            }
            100_000 - rest.sleep(us(100)).nanos()
        };
        // 0.0 to 9.9 us
        let even = learned(|turn| turn * 37 % 100 * 100);
        assert!((700..1_400).contains(&even), "{even} ns");
        assert_eq!(learned(|_| 60_000), 2_000);
        let mut rest = Rest::new(us(1_000));
        assert_eq!([us(15), us(16)].map(|idle| rest.sleep(idle)), [us(0), us(16)]);
        rest.tired = true;
        assert_eq!(rest.sleep(us(15)), us(15));
        let mut short = Rest::new(us(200));
        short.woke(us(80), us(80));
        assert_eq!(short.sleep(us(100)), us(70));
    }

    #[test]
    fn who_never_sleeps_goes_for_a_break() {
        let mut rest = Rest::new(us(50));
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
