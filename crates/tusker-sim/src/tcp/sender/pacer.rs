//! Pacing: when the next segment may leave.

use tusker_core::{Duration, Time};

/// The earliest departure of the next segment.
#[derive(Clone, Debug)]
pub(super) struct Pacer {
    /// The time of all segments that left is over; nothing leaves before, except `along`.
    next: Time,
    /// How many more segments may leave with those that left last.
    along: u32,
    /// Waiting time owed for segments that left together with earlier ones.
    owed: Duration,
    /// A burst that leaves late makes up for it, by at most half its time, as in Linux.
    catches_up: bool,
    /// How late the burst under way was, less what it has made up for.
    late: Duration,
    /// A segment waits for its departure.
    waits: bool,
}

impl Pacer {
    /// The first segment may leave at once.
    pub fn new(catches_up: bool) -> Self {
        let (next, zero) = (Time::ZERO, Duration::ZERO);
        Self { next, along: 0, owed: zero, catches_up, late: zero, waits: false }
    }

    /// The next segment may leave at this time.
    pub fn next(&self) -> Time {
        self.next
    }

    /// Whether nothing may leave now.
    #[inline(always)]
    pub fn holds_back(&mut self, now: Time) -> bool {
        self.waits = now < self.next && self.along == 0;
        self.waits
    }

    /// Nothing waits, and whatever leaves may leave at once.
    pub fn is_idle(&self, now: Time) -> bool {
        !self.waits && self.next <= now
    }

    /// When the waiting segment may leave.
    #[inline]
    pub fn due(&self) -> Time {
        if self.waits { self.next } else { Time::NEVER }
    }

    /// A timer has run out.
    pub fn on_timer(&mut self, now: Time) {
        if self.waits && self.next <= now {
            self.waits = false;
        }
    }

    /// A segment left. The next one leaves this much later, but `quantum` segments leave
    /// together, and the following ones wait for all of them.
    #[inline(always)]
    pub fn on_sent(&mut self, now: Time, mut after: Duration, quantum: u32) {
        let begins = now >= self.next;
        if self.catches_up {
            if begins {
                self.late = now.since(self.next);
            }
            let made_up = self.late.min(Duration::from_nanos(after.nanos() / 2));
            self.late = self.late - made_up;
            after = after - made_up;
        }
        let before = if begins { quantum } else { self.along };
        self.along = before.saturating_sub(1);
        self.next = self.next.max(now) + after;
    }

    /// The next segment leaves with this one, and the following ones wait for both.
    pub fn take_next_along(&mut self, after: Duration) {
        self.owed += after;
        self.next = self.next - after;
    }

    /// The waiting time for segments taken along starts now.
    pub fn make_up(&mut self) {
        self.next += std::mem::take(&mut self.owed);
    }

    /// The next segment may leave at once.
    pub fn release(&mut self, now: Time) {
        self.next = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::from_nanos(1_000 * us)
    }

    #[test]
    fn segments_leave_at_their_distance() {
        let gap = Duration::from_nanos(100_000);
        let mut pacer = Pacer::new(false);
        assert!(!pacer.holds_back(at(7)));
        pacer.on_sent(at(7), gap, 1);
        assert_eq!(pacer.due(), Time::NEVER, "nothing waits yet");
        assert!(pacer.holds_back(at(50)));
        assert_eq!(pacer.due(), at(107));
        pacer.on_timer(at(106));
        assert_eq!(pacer.due(), at(107));
        pacer.on_timer(at(107));
        assert!(!pacer.holds_back(at(107)));
        // a sender that had nothing to send accumulates no credit
        pacer.on_sent(at(500), gap, 1);
        assert!(pacer.holds_back(at(599)) && !pacer.holds_back(at(600)));
    }

    /// Linux: `tcp_update_skb_after_send`.
    #[test]
    fn a_late_burst_makes_up_for_at_most_half_its_time() {
        let gap = Duration::from_nanos(100_000);
        let mut pacer = Pacer::new(true);
        pacer.on_sent(at(1_000), gap, 1);
        // nothing was sent before, so half the time counts
        assert_eq!(pacer.next(), at(1_050));
        pacer.on_sent(at(1_080), gap, 1);
        assert_eq!(pacer.next(), at(1_150), "30 us late");
        pacer.on_sent(at(1_230), gap, 1);
        assert_eq!(pacer.next(), at(1_280), "80 us late");
        // two segments have 200 us
        pacer.on_sent(at(1_400), gap, 2);
        pacer.on_sent(at(1_400), gap, 2);
        assert_eq!(pacer.next(), at(1_500), "120 us late");
    }

    #[test]
    fn a_pair_takes_the_time_of_two() {
        let gap = Duration::from_nanos(100_000);
        let mut pacer = Pacer::new(false);
        pacer.on_sent(at(0), gap, 1);
        pacer.take_next_along(gap);
        assert!(!pacer.holds_back(at(0)));
        pacer.on_sent(at(0), gap, 1);
        pacer.make_up();
        assert!(pacer.holds_back(at(199)) && !pacer.holds_back(at(200)));
    }

    #[test]
    fn a_quantum_takes_the_time_of_its_segments() {
        let gap = Duration::from_nanos(100_000);
        let mut pacer = Pacer::new(false);
        for _ in 0..3 {
            assert!(!pacer.holds_back(at(0)));
            pacer.on_sent(at(0), gap, 3);
        }
        assert!(pacer.holds_back(at(299)) && !pacer.holds_back(at(300)));
        // the rest of a quantum may follow later; all of it takes the same time
        pacer.on_sent(at(300), gap, 3);
        assert!(!pacer.holds_back(at(350)));
        pacer.on_sent(at(350), gap, 3);
        // once the time of what left is over, the next quantum begins
        for _ in 0..3 {
            assert!(!pacer.holds_back(at(500)));
            pacer.on_sent(at(500), gap, 3);
        }
        assert!(pacer.holds_back(at(799)) && !pacer.holds_back(at(800)));
    }
}
