//! Where a sender stands with the repair of what is lost.

use tusker_core::Time;

use crate::tcp::prr::Prr;

/// The states of [`Sender`](super::Sender), as its picture has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Open,
    /// Until everything below is acknowledged.
    Recovery(u64),
    /// After a timeout, until everything below is acknowledged.
    Loss(u64),
}

/// What is known of the current episode, and of the last one.
#[derive(Clone, Debug)]
pub(super) struct Repair {
    pub phase: Phase,
    /// RFC 6582, section 3.2, step 1: what was outstanding at the last
    /// reduction must be acknowledged before another fast retransmit.
    pub recover: u64,
    pub dup_acks: u64,
    /// Segments that duplicate ACKs took off the flight (without SACK).
    pub inflation: i64,
    /// Retransmissions that go out whatever the window says.
    pub forced: u32,
    pub prr: Option<Prr>,
    /// The last segment was repeated where no rule had another one (RFC 6675,
    /// section 4, NextSeg, rule 4): once in a recovery.
    pub rescued: bool,
    /// An ACK of this recovery has restarted the timer (RFC 6582, section 4).
    pub heard_partial: bool,
    /// The pipe of ns-2's Sack1, which knows no lost segments.
    pub sack1_pipe: i64,
    /// SND.UNA at the last timeout.
    pub timed_out: Option<u64>,
    /// When the window was last reduced for a loss.
    pub reduced_at: Time,
}

impl Repair {
    /// Nothing was ever lost.
    pub fn new() -> Self {
        Self {
            phase: Phase::Open,
            recover: 0,
            dup_acks: 0,
            inflation: 0,
            forced: 0,
            prr: None,
            rescued: false,
            heard_partial: false,
            sack1_pipe: 0,
            timed_out: None,
            reduced_at: Time::ZERO,
        }
    }

    /// A fast recovery, under way.
    #[inline]
    pub fn is_recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery(_))
    }

    /// A recovery begins: everything below `next` is outstanding.
    pub fn begin(&mut self, next: u64, now: Time) {
        self.phase = Phase::Recovery(next);
        self.recover = next;
        self.reduced_at = now;
        self.inflation = 0;
        self.forced = 1;
        self.rescued = false;
        self.heard_partial = false;
    }

    /// A recovery is over.
    pub fn end(&mut self) {
        self.open();
        self.dup_acks = 0;
        self.prr = None;
    }

    /// All that was outstanding at the last reduction is acknowledged.
    pub fn open(&mut self) {
        self.phase = Phase::Open;
        self.inflation = 0;
        self.forced = 0;
    }

    /// The timer has run out: everything from `una` to `next` is outstanding.
    /// Whether it is the first time for `una`.
    pub fn time_out(&mut self, una: u64, next: u64) -> bool {
        let first = self.timed_out.replace(una) != Some(una);
        self.phase = Phase::Loss(next);
        self.recover = next;
        self.prr = None;
        self.dup_acks = 0;
        self.inflation = 0;
        self.forced = 1;
        first
    }

    /// The next ACK of new data is the first one in this recovery.
    pub fn is_first_partial(&mut self) -> bool {
        !std::mem::replace(&mut self.heard_partial, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recovery_begins_anew() {
        let mut repair = Repair::new();
        repair.begin(10, Time::from_nanos(5));
        assert!(repair.is_recovering() && repair.is_first_partial());
        assert!(!repair.is_first_partial(), "the second partial ACK");
        repair.end();
        assert_eq!((repair.phase, repair.forced, repair.recover), (Phase::Open, 0, 10));
        repair.begin(20, Time::from_nanos(9));
        assert!(repair.is_first_partial(), "of the next recovery");
        assert_eq!((repair.recover, repair.reduced_at), (20, Time::from_nanos(9)));
    }

    /// RFC 5681, section 3.1, tells the first expiry for a segment from others.
    #[test]
    fn a_segment_times_out_for_the_first_time_once() {
        let mut repair = Repair::new();
        assert!(repair.time_out(3, 8));
        assert!(!repair.time_out(3, 8));
        assert!(repair.time_out(4, 9));
        assert_eq!((repair.phase, repair.forced), (Phase::Loss(9), 1));
    }
}
