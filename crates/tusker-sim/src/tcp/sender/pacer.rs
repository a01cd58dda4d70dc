//! Pacing: when the next segment may leave.

use tusker_core::{Duration, Time};

/// The earliest departure of the next segment.
#[derive(Clone, Debug)]
pub(super) struct Pacer {
    /// Nothing leaves before this time.
    next: Time,
    /// Waiting time owed for segments that left together with earlier ones.
    owed: Duration,
    /// A segment waits for its departure.
    waits: bool,
}

impl Pacer {
    /// The first segment may leave at once.
    pub fn new() -> Self {
        Self { next: Time::ZERO, owed: Duration::ZERO, waits: false }
    }

    /// Whether nothing may leave now.
    #[inline(always)]
    pub fn holds_back(&mut self, now: Time) -> bool {
        self.waits = now < self.next;
        self.waits
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

    /// A segment left; the next one leaves this much later.
    #[inline(always)]
    pub fn on_sent(&mut self, now: Time, after: Duration) {
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
        let mut pacer = Pacer::new();
        assert!(!pacer.holds_back(at(7)));
        pacer.on_sent(at(7), gap);
        assert_eq!(pacer.due(), Time::NEVER, "nothing waits yet");
        assert!(pacer.holds_back(at(50)));
        assert_eq!(pacer.due(), at(107));
        pacer.on_timer(at(106));
        assert_eq!(pacer.due(), at(107));
        pacer.on_timer(at(107));
        assert!(!pacer.holds_back(at(107)));
        // a sender that had nothing to send accumulates no credit
        pacer.on_sent(at(500), gap);
        assert!(pacer.holds_back(at(599)) && !pacer.holds_back(at(600)));
    }

    #[test]
    fn a_pair_takes_the_time_of_two() {
        let gap = Duration::from_nanos(100_000);
        let mut pacer = Pacer::new();
        pacer.on_sent(at(0), gap);
        pacer.take_next_along(gap);
        assert!(!pacer.holds_back(at(0)));
        pacer.on_sent(at(0), gap);
        pacer.make_up();
        assert!(pacer.holds_back(at(199)) && !pacer.holds_back(at(200)));
    }
}
