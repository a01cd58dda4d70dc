//! The state of a sender's loss repair.

use tusker_core::Time;

use crate::tcp::prr::Prr;

/// The states of [`Sender`](super::Sender), as in the diagram there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Open,
    /// Until everything below is acknowledged.
    Recovery(u64),
    /// After a timeout, until everything below is acknowledged.
    Loss(u64),
}

/// State of the current episode, and of the last one.
#[derive(Clone, Debug)]
pub(super) struct Repair {
    pub phase: Phase,
    /// RFC 6582, section 3.2, step 1: what was outstanding at the last
    /// reduction must be acknowledged before another fast retransmit.
    pub recover: u64,
    pub dup_acks: u64,
    /// Segments subtracted from the flight for duplicate ACKs (without SACK).
    pub inflation: i64,
    /// Retransmissions that are sent regardless of the window.
    pub forced: u32,
    pub prr: Option<Prr>,
    /// The last segment was repeated because no rule gave another one (RFC 6675, section 4,
    /// NextSeg, rule 4): once per recovery.
    pub rescued: bool,
    /// An ACK of this recovery has restarted the timer (RFC 6582, section 4).
    pub heard_partial: bool,
    /// The pipe of ns-2's Sack1, which does not know lost segments.
    pub sack1_pipe: i64,
    /// SND.UNA at the last timeout.
    pub timed_out: Option<u64>,
    /// When the window was last reduced for a loss.
    pub reduced_at: Time,
}

impl Repair {
    /// Nothing has been lost yet.
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

    /// Whether a fast recovery is under way.
    #[inline]
    pub fn is_recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery(_))
    }

    /// A recovery starts: everything below `next` is outstanding.
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

    /// Whether everything outstanding at the last reduction is acknowledged.
    pub fn open(&mut self) {
        self.phase = Phase::Open;
        self.inflation = 0;
        self.forced = 0;
    }

    /// The timer has expired: everything from `una` to `next` is outstanding. Returns
    /// whether it is the first time for `una`.
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

    /// Whether the next ACK of new data is the first one in this recovery.
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

    /// RFC 5681, section 3.1, distinguishes the first expiry for a segment from later ones.
    #[test]
    fn a_segment_times_out_for_the_first_time_once() {
        let mut repair = Repair::new();
        assert!(repair.time_out(3, 8));
        assert!(!repair.time_out(3, 8));
        assert!(repair.time_out(4, 9));
        assert_eq!((repair.phase, repair.forced), (Phase::Loss(9), 1));
    }
}
