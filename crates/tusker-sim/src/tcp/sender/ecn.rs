//! Explicit congestion notification at the sender: RFC 3168, section 6.1.2, and RFC 9768 if
//! the echo counts.

use tusker_core::Time;
use tusker_core::congestion::{Congestion, Signal};
use tusker_plan::plan::{self, Recovery};

use super::{AckIn, Phase, Sender};
use crate::tcp::prr::Prr;
use crate::tcp::receiver::{ACE_VALUES, FIRST_ACE};

/// What is known about marks, and what has yet to be signalled.
#[derive(Clone, Debug)]
pub(super) struct Ecn {
    /// Until this is acknowledged, marks belong to the same episode.
    until: Option<u64>,
    /// The next new segment signals a reduction to the receiver.
    cwr_due: bool,
    /// The segment that signalled the last reduction.
    cwr_sent: Option<u64>,
    count: Count,
}

/// The number of marked segments seen by the receiver: `s.cep` of RFC 9768.
#[derive(Clone, Debug)]
struct Count {
    /// Modulo 8, as in the last ACK.
    ace: u8,
    /// When the segment arrived that caused that ACK.
    reached: Time,
    /// Marks not yet attributed to an ACK, because the ACKs delivered fewer segments.
    over: u64,
}

/// What an ACK says about marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// It reports a mark.
    pub told: bool,
    /// How many of the segments that it delivers count as marked, if the echo counts.
    pub segments: u32,
}

impl Default for Ecn {
    fn default() -> Self {
        let count = Count { ace: FIRST_ACE, reached: Time::ZERO, over: 0 };
        Self { until: None, cwr_due: false, cwr_sent: None, count }
    }
}

impl Count {
    /// How many new marks an ACK reports. It delivers this many segments, which the sender
    /// learns about one by one or not.
    fn hear(&mut self, ack: &AckIn, delivered: u64, one_by_one: bool) -> u64 {
        if ack.reached < self.reached {
            return 0; // another ACK has overtaken it
        }
        self.reached = ack.reached;
        let values = u64::from(ACE_VALUES);
        let more = u64::from((ack.ace + ACE_VALUES - self.ace) % ACE_VALUES);
        self.ace = ack.ace;
        // RFC 9768, appendix A.2: ACKs were lost, and the field may have wrapped around;
        // "the safest likely case" is as many as fit
        if one_by_one && delivered >= values {
            return delivered - (delivered - more) % values;
        }
        more
    }
}

impl Ecn {
    /// The window was reduced, for any reason; with the ECN of RFC 3168 the receiver is
    /// informed.
    pub fn on_reduced(&mut self, ecn: plan::Ecn) {
        self.cwr_due = ecn == plan::Ecn::Classic;
    }

    /// Ends the episode. Returns whether there was one.
    pub fn end_episode(&mut self) -> bool {
        self.until.take().is_some()
    }

    /// An episode is open.
    pub fn is_open(&self) -> bool {
        self.until.is_some()
    }

    /// No episode is open, and nothing is to be signalled.
    pub fn is_quiet(&self) -> bool {
        self.until.is_none() && !self.cwr_due
    }

    /// Ends the episode if everything up to its end is acknowledged.
    #[inline]
    fn ends_at(&mut self, una: u64) -> bool {
        let ends = self.until.is_some_and(|end| una >= end);
        if ends {
            self.until = None;
        }
        ends
    }

    /// RFC 3168, section 6.1.2: at most one reduction per window of data. The receiver
    /// repeats ECE until CWR reaches it, so until that segment is acknowledged nothing new
    /// is signalled. An accurate echo repeats nothing.
    fn is_news(&self, una: u64, accurate: bool) -> bool {
        let repeated = self.cwr_due || self.cwr_sent.is_some_and(|seq| una <= seq);
        self.until.is_none() && (accurate || !repeated)
    }

    /// "CWR is set on the first new data packet sent after the window reduction", which is
    /// this segment.
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
    /// Processes the echo of this ACK, which acknowledges and delivers these numbers of
    /// segments.
    pub(super) fn hear_ecn(&mut self, ack: &AckIn, cumulative: u64, delivered: u64) -> Marks {
        self.end_ecn_episode(ack.now);
        let marks = self.marks(ack, delivered);
        if !marks.told || self.repair.phase != Phase::Open {
            return marks;
        }
        if self.ecn.is_news(self.board.una(), self.tcp.ecn.is_accurate()) {
            // what was outstanding before this ACK reported the mark
            let flight = (self.board.flight() + cumulative) as u32;
            self.counters.episodes += 1;
            self.cc.on_congestion(&Congestion { now: ack.now, signal: Signal::Mark, flight });
            self.undo.forget();
            self.spread_reduction(flight, delivered);
            self.ecn.until = Some(self.board.next());
            self.ecn.on_reduced(self.tcp.ecn);
        }
        marks
    }

    fn marks(&mut self, ack: &AckIn, delivered: u64) -> Marks {
        if !self.tcp.ecn.is_accurate() {
            return Marks { told: ack.ece && self.tcp.ecn.is_on(), segments: 0 };
        }
        // a sender that forgot SACK's reports gets all of them at once
        let one_by_one = matches!(self.tcp.recovery, Recovery::Sack | Recovery::RackTlp)
            && !self.tcp.forget_sack_on_timeout;
        let count = &mut self.ecn.count;
        let new = count.hear(ack, delivered, one_by_one);
        // a mark of a segment that had arrived earlier counts with the next one
        let segments = (count.over + new).min(delivered);
        count.over = count.over + new - segments;
        Marks { told: new > 0, segments: segments as u32 }
    }

    /// As in Linux (`tcp_enter_cwr`), the reduction for a mark is spread over the round trip,
    /// as the one for a loss is. TCP Prague, the L4S sender, reduces its window itself.
    fn spread_reduction(&mut self, flight: u32, delivered: u64) {
        let ssthresh = self.cc.ssthresh();
        let spreads = self.linux && self.tcp.prr && self.tcp.ecn != plan::Ecn::L4s;
        if spreads && ssthresh.is_finite() {
            let mut prr = Prr::new(ssthresh, u64::from(flight));
            prr.on_ack(delivered, self.board.pipe(), false);
            self.repair.prr = Some(prr);
        }
    }

    #[inline]
    pub(super) fn end_ecn_episode(&mut self, now: Time) {
        if self.ecn.ends_at(self.board.una()) && self.repair.phase == Phase::Open {
            self.repair.prr = None;
            self.cc.on_recovered(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3168, section 6.1.2: once per window of data, and not again before the receiver
    /// knows of the reduction.
    #[test]
    fn marks_are_heard_once_per_window() {
        let mut ecn = Ecn::default();
        assert!(ecn.is_news(5, false));
        ecn.until = Some(15);
        ecn.cwr_due = true;
        assert!(!ecn.is_news(6, false) && !ecn.is_news(6, true));
        assert!(!ecn.says_cwr(6, true), "retransmissions do not signal it");
        assert!(ecn.says_cwr(15, false));
        assert!(!ecn.says_cwr(16, false), "only the first segment signals it");
        assert!(!ecn.ends_at(14) && ecn.ends_at(15) && !ecn.ends_at(15));
        // the segment with CWR is not acknowledged yet
        assert!(!ecn.is_news(15, false) && ecn.is_news(15, true));
        assert!(ecn.is_news(16, false));
    }

    /// An ACK with this field, caused by a segment that arrived at this time.
    fn ack(ms: u64, ace: u8) -> AckIn<'static> {
        let reached = Time::from_nanos(1_000_000 * ms);
        let (now, echo) = (reached, Time::ZERO);
        let (retransmission, ece) = (false, false);
        AckIn { now, ack: 0, echo, reached, retransmission, ece, ace, blocks: &[], feedback: None }
    }

    /// RFC 9768, sections 3.2.1 and 3.2.2: from 5, modulo 8.
    #[test]
    fn the_ace_field_comes_round() {
        let mut count = Ecn::default().count;
        assert_eq!(count.hear(&ack(1, 5), 1, true), 0);
        assert_eq!(count.hear(&ack(2, 7), 2, true), 2);
        assert_eq!(count.hear(&ack(3, 1), 2, true), 2, "7, 0, 1");
        assert_eq!(count.hear(&ack(3, 0), 7, true), 7, "as many as an ACK can report");
        assert_eq!(count.hear(&ack(2, 7), 1, true), 0, "overtaken");
        assert_eq!(count.hear(&ack(4, 0), 1, true), 0);
    }

    /// Appendix A.2: the ACKs of 20 segments were lost and the field has moved by 3: 3,
    /// 11 or 19 were marked, and 19 is the safest.
    #[test]
    fn lost_acks_may_hide_that_it_came_round() {
        let mut count = Ecn::default().count;
        assert_eq!(count.hear(&ack(1, 0), 20, true), 19);
        // 4 of 8 or none, but never 8 more than there were
        assert_eq!(count.hear(&ack(2, 4), 8, true), 4);
        // without SACK a cumulative ACK delivers what duplicates had indicated
        assert_eq!(count.hear(&ack(3, 5), 20, false), 1);
    }
}
