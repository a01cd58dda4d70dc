//! COBALT: CoDel and BLUE side by side, as in Linux's `sch_cake.c`.
//!
//! ```text
//!   CoDel: one signal each interval/sqrt(count) while packets wait above target
//!   BLUE:  a probability of drops that rises when the queue overflows and falls
//!          when it is empty; for flows that answer no signal
//! ```
//!
//! This CoDel differs from that of RFC 8289: `drop_next` also determines when the first signal
//! is due, and once packets no longer wait long, `count` falls as slowly as it rose, instead of
//! being kept for the next time.

use super::{Departing, Verdict};
use crate::rng::Rng;
use crate::units::{Duration, Time};

/// What is fixed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fixed {
    /// Wait that is acceptable, and the shortest time between two steps of BLUE.
    pub target: Duration,
    /// Time between two signals at `count` 1.
    pub interval: Duration,
    /// How long the shaper takes for a largest packet; zero without a shaper.
    pub mtu_time: Duration,
    /// A step of BLUE's probability up.
    pub p_inc: f64,
    /// A step down.
    pub p_dec: f64,
}

/// CoDel and BLUE for one queue.
#[derive(Clone, Copy, Debug)]
pub struct Cobalt {
    fixed: Fixed,
    /// Signals that the rate of signals stands for.
    count: u32,
    /// 1/sqrt(count), as it was when `count` last moved.
    inverse: f64,
    /// When the next signal is due, or when `count` falls.
    drop_next: Time,
    dropping: bool,
    /// BLUE's probability of a drop.
    p_drop: f64,
    /// When it last moved.
    blue_timer: Time,
}

impl Cobalt {
    /// At rest. `wait_first`: an interval passes before the first signal of all.
    pub(super) fn new(fixed: Fixed, wait_first: bool) -> Self {
        Self {
            fixed,
            count: 0,
            inverse: if wait_first { 1.0 } else { 0.0 },
            drop_next: Time::ZERO,
            dropping: false,
            p_drop: 0.0,
            blue_timer: Time::ZERO,
        }
    }

    /// A packet of the queue would leave; `last` if it is the only one. What becomes
    /// of it, and if it is dropped, the next one is asked about at the same time. The
    /// last packet of a queue is never dropped, but may be marked.
    pub fn leaves(&mut self, p: &Departing, last: bool, now: Time, rng: &mut Rng) -> Verdict {
        let (signal, late) = self.signals(now.since(p.arrived), now);
        // marks do not spare a packet from BLUE: it is for flows that ignore them
        let blue = self.p_drop > 0.0 && rng.unit() < self.p_drop;
        let drop = blue || (signal && !p.can_mark);
        if self.count == 0 {
            // from when on a queue at rest counts as forgotten
            self.drop_next = now + self.fixed.interval;
        } else if late && !drop {
            self.drop_next = now;
        }
        match (drop && !last, blue) {
            (true, true) => Verdict::Drop,
            (true, false) => Verdict::Signal,
            (false, _) if signal && p.can_mark => Verdict::Signal,
            (false, _) => Verdict::Pass,
        }
    }

    /// CoDel's part: whether a packet that has waited so long is signalled, and whether
    /// that comes later than it was due.
    fn signals(&mut self, sojourn: Duration, now: Time) -> (bool, bool) {
        let Fixed { target, interval, mtu_time, .. } = self.fixed;
        let due = self.count > 0 && now >= self.drop_next;
        // as Linux: by when it was due before dropping begins
        let late = now > self.drop_next;
        if sojourn > target && sojourn > mtu_time * 4 {
            if !self.dropping {
                self.dropping = true;
                self.drop_next = now + after(interval, self.inverse);
            }
            self.count = self.count.max(1);
        } else {
            self.dropping = false;
        }
        if due && self.dropping {
            self.count = self.count.saturating_add(1);
            self.step();
            return (true, now > self.drop_next);
        }
        if !due {
            return (false, late);
        }
        while self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.step();
        }
        (false, now > self.drop_next)
    }

    /// `count` has moved: the next signal, or step down, is so much later.
    fn step(&mut self) {
        self.inverse = 1.0 / libm::sqrt(f64::from(self.count.max(1)));
        self.drop_next += after(self.fixed.interval, self.inverse);
    }

    /// A packet of this queue was dropped because there was no room.
    pub fn overflows(&mut self, now: Time) {
        if now.since(self.blue_timer) > self.fixed.target {
            self.p_drop = (self.p_drop + self.fixed.p_inc).min(1.0);
            self.blue_timer = now;
        }
        self.dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// It was the queue's turn, and nothing waits there.
    pub fn is_empty(&mut self, now: Time) {
        if self.p_drop > 0.0 && now.since(self.blue_timer) > self.fixed.target {
            self.p_drop = (self.p_drop - self.fixed.p_dec).max(0.0);
            self.blue_timer = now;
        }
        self.dropping = false;
        if self.count > 0 && now >= self.drop_next {
            self.count -= 1;
            self.step();
        }
    }

    /// Nothing of what was is left to be remembered.
    pub fn at_rest(&self, now: Time) -> bool {
        self.p_drop == 0.0 && self.count == 0 && now >= self.drop_next
    }

    /// It signals, or did when it was last asked.
    pub fn is_dropping(&self) -> bool {
        self.dropping
    }

    /// BLUE's probability of a drop: 0 to 1.
    pub fn p_drop(&self) -> f64 {
        self.p_drop
    }

    /// Signals that the rate of signals stands for.
    pub(super) fn count(&self) -> u32 {
        self.count
    }
}

fn after(interval: Duration, inverse: f64) -> Duration {
    Duration::from_nanos((interval.nanos() as f64 * inverse) as u64)
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use crate::units::Bytes;
    use std::vec::Vec;

    const MS: u64 = 1_000_000;
    const FIXED: Fixed = Fixed {
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        mtu_time: Duration::ZERO,
        p_inc: 1.0 / 256.0,
        p_dec: 1.0 / 4096.0,
    };

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * MS)
    }

    fn leave(cobalt: &mut Cobalt, ms: u64, waited: u64, can_mark: bool, last: bool) -> Verdict {
        let arrived = at(ms - waited);
        let p = Departing { size: Bytes::new(1500), can_mark, arrived, l4s: None };
        cobalt.leaves(&p, last, at(ms), &mut Rng::named(ms, "blue"))
    }

    /// A queue that a packet has left at 999 ms which had hardly waited.
    fn used(fixed: Fixed, wait_first: bool) -> Cobalt {
        let mut cobalt = Cobalt::new(fixed, wait_first);
        assert_eq!(leave(&mut cobalt, 999, 0, false, false), Verdict::Pass);
        cobalt
    }

    /// When packets that have waited 20 ms and leave each millisecond are dropped.
    fn drops(cobalt: &mut Cobalt, from: u64, to: u64) -> Vec<u64> {
        let mut drops = Vec::new();
        for ms in from..to {
            while leave(cobalt, ms, 20, false, false) == Verdict::Signal {
                drops.push(ms);
            }
        }
        drops
    }

    /// Linux clears `rec_inv_sqrt` with the rest of `cobalt_vars` and writes it when
    /// `count` first moves: `drop_next` is "now" for the first packet above target.
    #[test]
    fn the_first_signal_comes_at_once_as_in_linux() {
        let mut cobalt = used(FIXED, false);
        // at 1000 count becomes 1 and drop_next 1000; at 1001 it is due: count 2,
        // drop_next 1000 + 70.71 = 1070.71, + 57.74 = 1128.45, + 50 = 1178.45,
        // + 44.72 = 1223.17, + 40.82 = 1263.99, + 37.80 = 1301.79
        assert_eq!(drops(&mut cobalt, 1000, 1305), [1001, 1071, 1129, 1179, 1224, 1264, 1302]);
    }

    #[test]
    fn or_an_interval_later_as_codel_has_it() {
        let mut cobalt = used(FIXED, true);
        // drop_next is 1100; count 2 then, and the same steps
        assert_eq!(drops(&mut cobalt, 1000, 1230), [1100, 1171, 1229]);
    }

    /// Newton's steps of Linux in 32 bits, four of them for each count below 16, from
    /// the value before: 0.7067, 0.5774, 0.5000 ..; the true ones are 0.7071, 0.5774,
    /// 0.5.
    #[test]
    fn the_inverse_root_is_exact_and_linuxs_nearly_so() {
        let mut linux = u64::from(u32::MAX);
        for count in 1..16_u64 {
            for _ in 0..4 {
                let square = (linux * linux) >> 32;
                linux = ((((3 << 32) - count * square) >> 2) * linux) >> 31;
            }
            let mut cobalt = Cobalt::new(FIXED, true);
            cobalt.count = count as u32;
            cobalt.step();
            let off = linux as f64 / 4_294_967_296.0 / cobalt.inverse - 1.0;
            assert!(off.abs() < 6e-4, "count {count}: {off}");
            assert_eq!(off.abs() > 1e-6, count == 2, "count {count}: {off}");
        }
    }

    #[test]
    fn a_short_wait_counts_down_again() {
        let mut cobalt = used(FIXED, true);
        drops(&mut cobalt, 1000, 1172);
        // signals at 1100 and 1171: count 3, drop_next 1100 + 70.71 + 57.74 = 1228.45
        assert_eq!((cobalt.count, cobalt.dropping), (3, true));
        assert_eq!(leave(&mut cobalt, 1228, 1, false, false), Verdict::Pass);
        assert_eq!((cobalt.count, cobalt.dropping), (3, false));
        // due at 1229: count 2, drop_next 1228.45 + 70.71 = 1299.16
        leave(&mut cobalt, 1229, 1, false, false);
        assert_eq!((cobalt.count, cobalt.drop_next.nanos() / 10_000), (2, 129_915));
        // count 1 at 1299.16, 0 at 1399.16, whatever came between; drop_next is an
        // interval from now then
        leave(&mut cobalt, 1400, 1, false, false);
        assert_eq!((cobalt.count, cobalt.drop_next), (0, at(1500)));
        assert!(!cobalt.at_rest(at(1499)) && cobalt.at_rest(at(1500)));
        // the next signal waits for an interval, even of one that began at once
        assert_eq!(drops(&mut cobalt, 1401, 1502), [1501]);
    }

    /// Linux takes the "activity timeout" for a signal that is due if the first packet
    /// after it has waited too long.
    #[test]
    fn after_a_long_rest_there_is_no_interval_to_wait() {
        let mut cobalt = used(FIXED, true);
        // at rest until 1099; 1200 is later: drop_next is "now"
        assert_eq!(drops(&mut cobalt, 1200, 1203), [1201]);
    }

    #[test]
    fn a_wait_of_target_is_no_reason() {
        let mut cobalt = used(FIXED, false);
        for ms in 1000..1200 {
            assert_eq!(leave(&mut cobalt, ms, 5, false, false), Verdict::Pass);
        }
        assert!(!cobalt.dropping);
        // four times what a packet takes through the shaper are no reason either
        let mut slow = used(Fixed { mtu_time: Duration::from_millis(5), ..FIXED }, false);
        assert_eq!(drops(&mut slow, 1000, 1200), []);
        let mut slow = used(Fixed { mtu_time: Duration::from_nanos(4_999_999), ..FIXED }, false);
        assert_eq!(drops(&mut slow, 1000, 1002), [1001]);
    }

    #[test]
    fn a_mark_takes_the_place_of_a_drop_there_too() {
        let mut cobalt = used(FIXED, true);
        let marked = |ms: &u64| leave(&mut cobalt, *ms, 20, true, false) == Verdict::Signal;
        assert_eq!((1000..1230).filter(marked).collect::<Vec<_>>(), [1100, 1171, 1229]);
    }

    /// A drop that is late is made up for; a mark is not: `drop_next` is "now".
    #[test]
    fn marks_that_are_late_are_forgotten() {
        let mut cobalt = used(FIXED, true);
        drops(&mut cobalt, 1000, 1101);
        let mut marking = cobalt;
        // due are 1170.71, 1228.45, 1278.45
        assert_eq!(drops(&mut cobalt, 1280, 1281), [1280, 1280, 1280]);
        assert_eq!(leave(&mut marking, 1280, 20, true, false), Verdict::Signal);
        assert_eq!(marking.drop_next, at(1280));
        assert_eq!(leave(&mut marking, 1280, 20, true, false), Verdict::Signal, "a second packet");
    }

    #[test]
    fn the_last_packet_may_be_marked_but_not_dropped() {
        let mut cobalt = used(FIXED, true);
        assert_eq!(drops(&mut cobalt, 1000, 1100), []);
        let mut marking = cobalt;
        assert_eq!(leave(&mut cobalt, 1100, 20, false, true), Verdict::Pass);
        assert_eq!(cobalt.count, 2, "Linux counts it all the same");
        assert_eq!(leave(&mut marking, 1100, 20, true, true), Verdict::Signal);
        cobalt.p_drop = 1.0;
        assert_eq!(leave(&mut cobalt, 1101, 0, true, true), Verdict::Pass);
    }

    /// `p_inc` is 1 << 24 of 1 << 32, `p_dec` 1 << 20; both move at most once a target.
    #[test]
    fn blue_rises_when_full_and_falls_when_empty() {
        let mut cobalt = used(FIXED, false);
        for ms in 1000..1012 {
            cobalt.overflows(at(ms));
        }
        // more than 5 ms after the last: 1000, 1006; 1012 is not among them
        assert_eq!(cobalt.p_drop, 2.0 / 256.0);
        assert_eq!((cobalt.count, cobalt.dropping, cobalt.drop_next), (1, true, at(1011)));
        for ms in 1012..1030 {
            cobalt.is_empty(at(ms));
        }
        // 1012, 1018, 1024
        assert_eq!(cobalt.p_drop, 2.0 / 256.0 - 3.0 / 4096.0);
        assert!(!cobalt.dropping);
        for step in 0..300 {
            cobalt.overflows(at(2000 + 6 * step));
        }
        assert_eq!(cobalt.p_drop, 1.0);
        assert_eq!(leave(&mut cobalt, 4000, 0, true, false), Verdict::Drop, "ECN does not help");
    }

    #[test]
    fn blue_drops_so_many() {
        let mut cobalt = used(FIXED, false);
        for step in 0..64 {
            cobalt.overflows(at(1000 + 6 * step));
        }
        // p = 64/256 of 4000: 1000, standard deviation 27
        let dropped = |ms: &u64| leave(&mut cobalt, *ms, 0, true, false) == Verdict::Drop;
        let count = (10_000..14_000).filter(dropped).count();
        assert!((900..1100).contains(&count), "{count}");
    }
}
