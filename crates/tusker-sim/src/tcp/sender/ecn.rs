//! Explicit congestion notification at the sender: RFC 3168, section 6.1.2, and
//! RFC 8257 where the echo is accurate.

use tusker_core::Time;
use tusker_core::congestion::{Congestion, Controller, Signal};

use super::{AckIn, Phase, Sender};

/// What was said of marks, and is yet to be said.
#[derive(Clone, Debug, Default)]
pub(super) struct Ecn {
    /// Until this is acknowledged, marks belong to the same episode.
    until: Option<u64>,
    /// The next new segment tells the receiver of a reduction.
    cwr_due: bool,
    /// The segment that told the receiver of the last reduction.
    cwr_sent: Option<u64>,
}

impl Ecn {
    /// The window was reduced, whatever for; with ECN the receiver is told.
    pub fn on_reduced(&mut self, with_ecn: bool) {
        self.cwr_due = with_ecn;
    }

    /// Ends the episode; whether there was one.
    pub fn end_episode(&mut self) -> bool {
        self.until.take().is_some()
    }

    /// An episode is open.
    pub fn is_open(&self) -> bool {
        self.until.is_some()
    }

    /// What is acknowledged reaches the end of the episode, which ends it.
    #[inline]
    fn ends_at(&mut self, una: u64) -> bool {
        let ends = self.until.is_some_and(|end| una >= end);
        if ends {
            self.until = None;
        }
        ends
    }

    /// RFC 3168, section 6.1.2: at most one reduction per window of data. The
    /// receiver repeats ECE until CWR reaches it, so until that segment is
    /// acknowledged nothing new is said. An accurate echo repeats nothing.
    fn is_news(&self, una: u64, accurate: bool) -> bool {
        let repeated = self.cwr_due || self.cwr_sent.is_some_and(|seq| una <= seq);
        self.until.is_none() && (accurate || !repeated)
    }

    /// "CWR is set on the first new data packet sent after the window reduction",
    /// which is this segment.
    #[inline(always)]
    pub fn says_cwr(&mut self, seq: u64, retransmission: bool) -> bool {
        self.cwr_due && !retransmission && self.say_cwr(seq)
    }

    #[cold]
    fn say_cwr(&mut self, seq: u64) -> bool {
        self.cwr_due = false;
        self.cwr_sent = Some(seq);
        true
    }
}

impl Sender {
    /// The echo of this ACK, which acknowledges so many segments.
    pub(super) fn hear_ecn(&mut self, ack: &AckIn, cumulative: u64) {
        self.end_ecn_episode(ack.now);
        if !(ack.ece && self.tcp.ecn.is_on() && self.repair.phase == Phase::Open) {
            return;
        }
        if self.ecn.is_news(self.board.una(), self.tcp.ecn.is_accurate()) {
            // what was outstanding before this ACK told of the mark
            let flight = (self.board.flight() + cumulative) as u32;
            self.counters.episodes += 1;
            self.cc.on_congestion(&Congestion { now: ack.now, signal: Signal::Mark, flight });
            self.undo.forget();
            self.ecn.until = Some(self.board.next());
            self.ecn.cwr_due = true;
        }
    }

    #[inline]
    pub(super) fn end_ecn_episode(&mut self, now: Time) {
        if self.ecn.ends_at(self.board.una()) && self.repair.phase == Phase::Open {
            self.cc.on_recovered(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3168, section 6.1.2: once per window of data, and not again before the
    /// receiver has heard of the reduction.
    #[test]
    fn marks_are_heard_once_per_window() {
        let mut ecn = Ecn::default();
        assert!(ecn.is_news(5, false));
        ecn.until = Some(15);
        ecn.cwr_due = true;
        assert!(!ecn.is_news(6, false) && !ecn.is_news(6, true));
        assert!(!ecn.says_cwr(6, true), "retransmissions do not tell it");
        assert!(ecn.says_cwr(15, false));
        assert!(!ecn.says_cwr(16, false), "only the first segment tells it");
        assert!(!ecn.ends_at(14) && ecn.ends_at(15) && !ecn.ends_at(15));
        // the segment with CWR is not acknowledged yet
        assert!(!ecn.is_news(15, false) && ecn.is_news(15, true));
        assert!(ecn.is_news(16, false));
    }
}
