//! Loss episodes and timeouts of a connection, from what is seen on the wire next to its
//! sender.
//!
//! An episode starts with a retransmitted segment, or with a segment that reports a window
//! reduction after a mark (CWR). Retransmissions belong to it until everything that was
//! outstanding at its start is acknowledged (RFC 6582, RFC 6675: `recover`). Data beyond
//! that point which was retransmitted and is not acknowledged when the episode ends starts
//! the next episode, as in Linux and in the simulator.
//!
//! Retransmissions caused by a timer do not count as episodes: that of the first outstanding
//! segment after some time without ACKs, which is a timeout, and that of the last one, which is
//! a tail loss probe (RFC 8985), unless the segment that it repeats was lost.

use tusker_core::{Duration, Time};

/// What a sent segment means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// An episode starts with it.
    pub episodes: u64,
    /// A timeout.
    pub timeouts: u64,
}

/// The repairs of one connection, in TCP sequence numbers.
#[derive(Clone, Debug, Default)]
pub struct Repairs {
    /// Everything before this is acknowledged.
    una: u32,
    /// Everything before this was sent.
    next: u32,
    /// Where the episode ends.
    recover: Option<u32>,
    /// All retransmissions are before this.
    again_to: Option<u32>,
    /// The end of the last dropped segment.
    dropped_to: Option<u32>,
    last_ack: Time,
}

impl Repairs {
    /// For a connection whose first byte has this number.
    pub fn from(first: u32, now: Time) -> Self {
        Self { una: first, next: first, last_ack: now, ..Self::default() }
    }

    /// A segment leaves, with bytes up to `end`; `again` if all of them were sent before,
    /// `cwr` if it reports a reduced window. A timer takes longer than `quiet`.
    pub fn sent(
        &mut self,
        now: Time,
        seq: u32,
        end: u32,
        again: bool,
        cwr: bool,
        quiet: Duration,
    ) -> Events {
        if !again {
            // reported once per reduction; one after a loss is already counted
            let episodes = u64::from(cwr && self.begins());
            if before(self.next, end) {
                self.next = end;
            }
            return Events { episodes, timeouts: 0 };
        }
        if self.again_to.is_none_or(|to| before(to, end)) {
            self.again_to = Some(end);
        }
        if !before(self.una, seq) && now.since(self.last_ack) > quiet {
            self.recover = Some(self.next);
            // the next timeout takes at least as long
            self.last_ack = now;
            return Events { episodes: 0, timeouts: 1 };
        }
        if end == self.next && self.recover.is_none() && self.dropped_to != Some(end) {
            return Events::default();
        }
        Events { episodes: u64::from(self.begins()), timeouts: 0 }
    }

    /// An episode begins now, if none is under way.
    fn begins(&mut self) -> bool {
        let begins = self.recover.is_none();
        if begins {
            self.recover = Some(self.next);
        }
        begins
    }

    /// Everything up to this number is acknowledged.
    pub fn acknowledges(&self, end: u32) -> bool {
        !before(self.una, end)
    }

    /// A segment that ends here was dropped on its way.
    pub fn dropped(&mut self, end: u32) {
        self.dropped_to = Some(end);
    }

    /// An ACK is back at the sender. Returns whether the next episode starts with it.
    pub fn acknowledged(&mut self, now: Time, ack: u32) -> Events {
        self.last_ack = now;
        if before(self.una, ack) {
            self.una = ack;
        }
        if self.again_to.is_some_and(|to| !before(ack, to)) {
            self.again_to = None;
        }
        if self.recover.is_some_and(|recover| !before(ack, recover)) {
            self.recover = None;
            if self.again_to.is_some() {
                return Events { episodes: u64::from(self.begins()), timeouts: 0 };
            }
        }
        Events::default()
    }
}

/// One number comes before another.
fn before(one: u32, other: u32) -> bool {
    one.wrapping_sub(other).cast_signed() < 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Duration = Duration::from_millis(150);

    fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// Ten segments of 100 bytes from 0 on, and an ACK of the first.
    fn ten() -> Repairs {
        let mut repairs = Repairs::from(0, ms(0));
        for i in 0..10 {
            let sent = repairs.sent(ms(1), i * 100, i * 100 + 100, false, false, QUIET);
            assert_eq!(sent, Events::default());
        }
        assert_eq!(repairs.acknowledged(ms(50), 100), Events::default());
        repairs
    }

    const EPISODE: Events = Events { episodes: 1, timeouts: 0 };
    const TIMEOUT: Events = Events { episodes: 0, timeouts: 1 };

    #[test]
    fn what_was_outstanding_is_one_episode() {
        let mut repairs = ten();
        assert_eq!(repairs.sent(ms(50), 100, 200, true, false, QUIET), EPISODE);
        assert_eq!(repairs.sent(ms(51), 300, 400, true, false, QUIET), Events::default());
        // new data meanwhile, with the flag that reports the reduction
        assert_eq!(repairs.sent(ms(52), 1000, 1100, false, true, QUIET), Events::default());
        assert_eq!(repairs.acknowledged(ms(100), 300), Events::default());
        assert_eq!(repairs.sent(ms(101), 300, 400, true, false, QUIET), Events::default());
        assert_eq!(repairs.acknowledged(ms(150), 1000), Events::default());
        assert_eq!(repairs.sent(ms(150), 1100, 1200, false, false, QUIET), Events::default());
        assert_eq!(repairs.sent(ms(151), 1000, 1100, true, false, QUIET), EPISODE);
    }

    #[test]
    fn what_was_repaired_beyond_the_end_begins_the_next() {
        let mut repairs = ten();
        assert_eq!(repairs.sent(ms(50), 100, 200, true, false, QUIET), EPISODE);
        assert_eq!(repairs.sent(ms(52), 1000, 1100, false, false, QUIET), Events::default());
        assert_eq!(repairs.sent(ms(52), 1100, 1200, false, false, QUIET), Events::default());
        assert_eq!(repairs.sent(ms(90), 1000, 1100, true, false, QUIET), Events::default());
        assert_eq!(repairs.acknowledged(ms(100), 1000), EPISODE);
        assert_eq!(repairs.acknowledged(ms(140), 1200), Events::default());
    }

    #[test]
    fn a_timeout_is_no_episode() {
        let mut repairs = ten();
        assert_eq!(repairs.sent(ms(300), 100, 200, true, false, QUIET), TIMEOUT);
        assert_eq!(repairs.acknowledged(ms(350), 200), Events::default());
        assert_eq!(repairs.sent(ms(350), 200, 300, true, false, QUIET), Events::default());
        assert_eq!(repairs.sent(ms(750), 200, 300, true, false, QUIET), TIMEOUT);
        assert_eq!(repairs.sent(ms(1_550), 200, 300, true, false, QUIET), TIMEOUT);
        assert_eq!(repairs.acknowledged(ms(1_600), 1000), Events::default());
    }

    #[test]
    fn a_probe_is_one_only_if_what_it_repeats_was_lost() {
        let mut repairs = ten();
        assert_eq!(repairs.sent(ms(100), 900, 1000, true, false, QUIET), Events::default());
        let mut repairs = ten();
        repairs.dropped(1000);
        assert_eq!(repairs.sent(ms(100), 900, 1000, true, false, QUIET), EPISODE);
        assert_eq!(repairs.acknowledged(ms(150), 1000), Events::default());
    }

    #[test]
    fn marks_begin_episodes() {
        let mut repairs = ten();
        assert_eq!(repairs.sent(ms(60), 1000, 1100, false, true, QUIET), EPISODE);
        assert_eq!(repairs.sent(ms(61), 1100, 1200, false, true, QUIET), Events::default());
        assert_eq!(repairs.acknowledged(ms(110), 1100), Events::default());
        assert_eq!(repairs.sent(ms(111), 1200, 1300, false, true, QUIET), EPISODE);
    }
}
