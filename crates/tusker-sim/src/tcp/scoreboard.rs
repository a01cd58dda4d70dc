//! What the sender knows about the outstanding segments.
//!
//! ```text
//!   una          retransmit here first     third highest sacked      next
//!    |  lost  lost  [sacked]  lost  ...  [sacked] |  not lost  [s] [s]  |
//! ```
//!
//! Runs, not segments: an ACK costs the logarithm of the number of holes, not
//! the size of the window.

use super::ranges::Ranges;

/// RFC 6675, section 2.
pub const DUP_THRESH: u64 = 3;

/// Outstanding segments `[una, next)` and their state.
#[derive(Clone, Debug, Default)]
pub struct Scoreboard {
    /// SND.UNA: the first segment that is not cumulatively acknowledged.
    una: u64,
    /// SND.NXT: the next segment that was never sent.
    next: u64,
    /// Reported by SACK.
    sacked: Ranges,
    /// The last blocks processed, and their number.
    reported: [(u64, u64); 4],
    reports: usize,
    /// Lost and not retransmitted since.
    lost: Ranges,
    /// Retransmitted although not known to be lost (rules 3 and 4 of NextSeg): RFC 6675
    /// counts them twice.
    twice: Ranges,
    /// HighRxt: one more than the highest segment retransmitted in this
    /// recovery.
    high_rxt: u64,
    /// Everything below this that is not sacked was found lost.
    lost_below: u64,
    /// What was found lost, for observers of the sender.
    list: Option<Vec<(u64, u64)>>,
}

/// A run was found lost.
fn note(list: &mut Option<Vec<(u64, u64)>>, found: &mut impl FnMut(u64, u64), run: (u64, u64)) {
    if let Some(list) = list {
        list.push(run);
    }
    found(run.0, run.1);
}

impl Scoreboard {
    /// A board whose first segment has this number.
    pub fn starting_at(seq: u64) -> Self {
        Self { una: seq, next: seq, ..Self::default() }
    }

    /// Runs of segments found lost since the last call. They are recorded only from the
    /// first call on.
    pub fn take_lost(&mut self) -> Vec<(u64, u64)> {
        self.list.replace(Vec::new()).unwrap_or_default()
    }

    /// SND.UNA.
    #[inline]
    pub fn una(&self) -> u64 {
        self.una
    }

    /// SND.NXT.
    #[inline]
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Segments sent and not cumulatively acknowledged (FlightSize).
    #[inline]
    pub fn flight(&self) -> u64 {
        self.next - self.una
    }

    /// Segments sacked.
    pub fn sacked(&self) -> u64 {
        self.sacked.len()
    }

    /// `pipe` of RFC 6675: segments estimated to be in the network.
    #[inline]
    pub fn pipe(&self) -> u64 {
        self.flight() - self.sacked.len() - self.lost.len() + self.twice.len()
    }

    /// Bytes in use, and the most after this many more segments were sent.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        let sets = [&self.sacked, &self.lost, &self.twice].map(|set| set.memory(more));
        sets.into_iter().fold((0, 0), |sum, set| (sum.0 + set.0, sum.1 + set.1))
    }

    /// Invariants of any scoreboard: everything in it is outstanding, segments that are
    /// lost or were sent twice are not sacked, and the pipe is not negative.
    pub fn is_sound(&self) -> bool {
        let outstanding =
            |set: &Ranges| set.runs().all(|(low, high)| self.una <= low && high <= self.next);
        let not_sacked =
            |set: &Ranges| set.runs().all(|run| self.sacked.gaps(run.0, run.1).eq([run]));
        outstanding(&self.sacked)
            && outstanding(&self.lost)
            && outstanding(&self.twice)
            && not_sacked(&self.lost)
            && not_sacked(&self.twice)
            && self.sacked.len() + self.lost.len() <= self.flight() + self.twice.len()
    }

    /// Nothing is sacked and nothing needs retransmission.
    #[inline]
    pub fn is_clean(&self) -> bool {
        self.sacked.len() | self.lost.len() | self.twice.len() == 0
    }

    /// Segments wait for retransmission.
    #[inline]
    pub fn has_lost(&self) -> bool {
        !self.lost.is_empty()
    }

    /// Sends a new segment; returns its number.
    #[inline]
    pub fn send_new(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    /// Sends this many new segments.
    #[inline]
    pub fn send_many(&mut self, many: u64) {
        self.next += many;
    }

    /// Rule 1 of NextSeg: the first lost segment is retransmitted.
    pub fn retransmit_lost(&mut self) -> Option<u64> {
        let seq = self.lost.pop_first()?;
        self.high_rxt = self.high_rxt.max(seq + 1);
        Some(seq)
    }

    /// Rule 3 of NextSeg: below the highest sacked segment, one that is neither sacked nor
    /// retransmitted is sent again although it is not known to be lost.
    pub fn retransmit_hole(&mut self) -> Option<u64> {
        let end = self.sacked.end()?;
        let from = self.high_rxt.max(self.una);
        let seq = self.sacked.gaps(from, end).next()?.0;
        self.high_rxt = seq + 1;
        self.twice.insert(seq, seq + 1, |_, _| {});
        Some(seq)
    }

    /// Rule 4 of NextSeg: "the highest outstanding unSACKed" segment; HighRxt does not
    /// change.
    pub fn retransmit_last(&mut self) -> Option<u64> {
        let seq = self.sacked.gaps(self.una, self.next).last()?.1 - 1;
        self.twice.insert(seq, seq + 1, |_, _| {});
        Some(seq)
    }

    /// A cumulative ACK; returns how many segments it newly reports as delivered, and calls
    /// `delivered` with their runs.
    pub fn on_cumulative(&mut self, ack: u64, mut delivered: impl FnMut(u64, u64)) -> u64 {
        if self.is_clean() {
            delivered(self.una, ack);
            return self.on_next(ack);
        }
        let from = std::mem::replace(&mut self.una, ack);
        for (low, high) in self.sacked.gaps(from, ack) {
            delivered(low, high);
        }
        self.lost.remove_below(ack);
        self.twice.remove_below(ack);
        ack - from - self.sacked.remove_below(ack)
    }

    /// A cumulative ACK while the board is clean; returns how many segments it reports.
    #[inline(always)]
    pub fn on_next(&mut self, ack: u64) -> u64 {
        ack - std::mem::replace(&mut self.una, ack)
    }

    /// Whether this block was among the last ones: it reports nothing new.
    #[inline]
    pub fn was_reported(&self, block: (u64, u64)) -> bool {
        self.reported.contains(&block)
    }

    /// A SACK block; returns how many segments it newly reports as delivered.
    pub fn on_sack(&mut self, block: (u64, u64), mut delivered: impl FnMut(u64, u64)) -> u64 {
        self.reported[self.reports % self.reported.len()] = block;
        self.reports += 1;
        let (low, high) = (block.0.max(self.una), block.1.min(self.next));
        let mut fresh = 0;
        let Self { sacked, lost, twice, .. } = self;
        sacked.insert(low, high, |a, b| {
            fresh += b - a;
            lost.remove(a, b);
            twice.remove(a, b);
            delivered(a, b);
        });
        fresh
    }

    /// IsLost of RFC 6675 for every segment: a segment is lost if DupThresh segments above
    /// it are sacked. Returns whether any was newly found; `found` is called with their
    /// runs.
    pub fn mark_lost_by_sack(&mut self, mut found: impl FnMut(u64, u64)) -> bool {
        let Some(third) = self.sacked.kth_highest(DUP_THRESH) else {
            return false;
        };
        // segments retransmitted below HighRxt are not sent a third time
        self.twice.remove_below(third);
        let from = self.lost_below.max(self.high_rxt).max(self.una);
        self.lost_below = self.lost_below.max(third);
        if from >= third {
            return false;
        }
        let before = self.lost.len();
        let Self { sacked, lost, list, .. } = self;
        for (low, high) in sacked.gaps(from, third) {
            lost.insert(low, high, |a, b| note(list, &mut found, (a, b)));
        }
        self.lost.len() > before
    }

    /// A single segment is lost; `found` is called if that is new.
    pub fn mark_lost(&mut self, seq: u64, mut found: impl FnMut(u64, u64)) {
        if seq >= self.una && seq < self.next && !self.sacked.contains(seq) {
            let Self { lost, list, .. } = self;
            lost.insert(seq, seq + 1, |a, b| note(list, &mut found, (a, b)));
            self.twice.remove(seq, seq + 1);
        }
    }

    /// After a timeout everything outstanding is lost; `forget` also discards what SACK
    /// reported (RFC 2018, section 8: the receiver may have discarded it). `found` is
    /// called with what is newly lost, not with what is merely forgotten.
    pub fn mark_all_lost(&mut self, forget: bool, mut found: impl FnMut(u64, u64)) {
        let Self { sacked, lost, list, .. } = self;
        for (low, high) in sacked.gaps(self.una, self.next) {
            lost.insert(low, high, |a, b| note(list, &mut found, (a, b)));
        }
        if forget {
            self.sacked.clear();
            self.reported = Default::default();
            self.lost.insert(self.una, self.next, |_, _| {});
        }
        self.begin_recovery();
    }

    /// Forgets what SACK reported; nothing becomes lost by that.
    pub fn forget_sacked(&mut self) {
        self.sacked.clear();
        self.twice.clear();
        self.reported = Default::default();
    }

    /// Segments waiting for retransmission are not lost after all.
    pub fn forget_lost(&mut self) {
        self.lost.clear();
        self.begin_recovery();
    }

    /// Resets HighRxt.
    pub fn begin_recovery(&mut self) {
        self.twice.clear();
        self.high_rxt = self.una;
        self.lost_below = self.una;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(n: u64) -> Scoreboard {
        let mut board = Scoreboard::default();
        for _ in 0..n {
            board.send_new();
        }
        board
    }

    /// Ten outstanding, 0 and 3 missing, 1 2 4 5 arrive.
    #[test]
    fn pipe_by_hand() {
        let mut board = sent(10);
        assert_eq!(board.on_sack((1, 3), |_, _| {}), 2);
        assert!(!board.mark_lost_by_sack(|_, _| {}), "two sacked are not three");
        // pipe: 10 outstanding - 2 sacked
        assert_eq!(board.pipe(), 8);
        assert_eq!(board.on_sack((4, 6), |_, _| {}), 2);
        // 2, 4, 5 are the three highest: 0 is lost, 3 has two above it
        assert!(board.mark_lost_by_sack(|_, _| {}));
        // 10 - 4 sacked - 1 lost
        assert_eq!(board.pipe(), 5);
        assert_eq!(board.retransmit_lost(), Some(0));
        assert_eq!(board.pipe(), 6);
        assert_eq!(board.on_sack((4, 7), |_, _| {}), 1);
        assert!(board.mark_lost_by_sack(|_, _| {}));
        assert_eq!(board.retransmit_lost(), Some(3));
        assert_eq!(board.retransmit_lost(), None);
        // 0 arrives: 1 and 2 were known
        assert_eq!(board.on_cumulative(3, |_, _| {}), 1);
        assert_eq!((board.flight(), board.pipe()), (7, 4));
    }

    #[test]
    fn a_hole_sent_again_counts_twice_until_it_is_delivered() {
        let mut board = sent(6);
        board.on_sack((1, 2), |_, _| {});
        board.on_sack((3, 4), |_, _| {});
        board.mark_lost(0, |_, _| {});
        board.retransmit_lost();
        // 6 - 2 sacked = 4 in the network
        assert_eq!(board.pipe(), 4);
        assert_eq!(board.retransmit_hole(), Some(2));
        assert_eq!(board.pipe(), 5);
        assert_eq!(board.retransmit_hole(), None, "4 and 5 are beyond the highest sacked");
        board.on_sack((2, 3), |_, _| {});
        assert_eq!(board.pipe(), 3);
    }

    #[test]
    fn after_a_timeout_all_that_is_not_sacked_is_lost() {
        let mut board = sent(6);
        board.on_sack((1, 2), |_, _| {});
        let mut keeps = board.clone();
        keeps.mark_all_lost(false, |_, _| {});
        assert_eq!(keeps.pipe(), 0);
        assert_eq!([keeps.retransmit_lost(), keeps.retransmit_lost()], [Some(0), Some(2)]);
        let mut found = Vec::new();
        board.mark_all_lost(true, |low, high| found.extend(low..high));
        assert_eq!(found, [0, 2, 3, 4, 5], "1 is forgotten, not found lost");
        assert_eq!([board.retransmit_lost(), board.retransmit_lost()], [Some(0), Some(1)]);
    }
}
