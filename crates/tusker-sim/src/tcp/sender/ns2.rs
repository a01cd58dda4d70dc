//! Where ns-2.35's agents differ from the RFCs, for the profile `ns2`.
//!
//! The facts are from ns-2.35's `tcp.cc`, `tcp-reno.cc`, `tcp-newreno.cc` and
//! `tcp-sack1.cc`, in our words; docs/ns2-notes.md has more of them, and lists what we
//! leave out. Each has a script, `tests/scripts/ns2_*.script`.
//!
//! | | RFC | ns-2 |
//! |---|---|---|
//! | Reno, NewReno: the ACK that ends a recovery | does not grow the window | grows it |
//! | NewReno: a partial ACK deflates | what recovery added | and the window, permanently |
//! | SACK: lost segments | leave the pipe | stay in it |
//! | SACK: repairs | segments with 3 sacked above | all holes below the highest block |
//! | SACK: an ACK of new data outside recovery | cuts the scoreboard | empties it |
//! | limited transmit after a timeout | no | yes |
//! | a window that is not used | does not grow | grows |
//! | a partial ACK | leaves the backoff of the timer | ends it |
//! | window that is cut | min(cwnd, flight) | cwnd |
//! | repeated timeouts | hold ssthresh | cut it to 2 |
//! | ssthresh | a number | a whole number |
//! | timer | continuous | in ticks (`tcp/rto.rs`) |

use tusker_core::Time;
use tusker_plan::plan::Recovery;

use super::{AckIn, Phase, Sender};
use crate::tcp::scoreboard::DUP_THRESH;

impl Sender {
    /// This is ns-2's Agent/TCP/Sack1.
    #[inline]
    pub(super) fn is_sack1(&self) -> bool {
        self.tcp.ns2_details && self.tcp.recovery == Recovery::Sack && !self.tcp.prr
    }

    /// Without SACK, the ACK that ends a recovery increases the window like any other.
    pub(super) fn grows_at_the_end(&self) -> bool {
        let reno = matches!(self.tcp.recovery, Recovery::Reno | Recovery::NewReno);
        self.tcp.ns2_details && reno
    }

    /// A window grows whether or not it is used.
    pub(super) fn grows_unused(&self) -> bool {
        self.tcp.ns2_details
    }

    /// The flight passed to a law, which cuts the smaller of flight and window: in ns-2 it
    /// is always the window.
    pub(super) fn flight_to_cut(&self, flight: u64) -> u32 {
        if self.tcp.ns2_details { u32::MAX } else { flight as u32 }
    }

    /// Whether an expiry of the timer cuts ssthresh: every one, not only the first of a
    /// segment.
    pub(super) fn cuts_ssthresh(&self, first: bool) -> bool {
        first || self.tcp.ns2_details
    }

    /// A partial ACK counts as a sign that the path works again.
    pub(super) fn end_backoff_as_ns2(&mut self) {
        if self.tcp.ns2_details {
            self.rto.end_backoff();
        }
    }

    /// Limited transmit continues while the sender goes back N.
    pub(super) fn transmits_after_a_timeout(&self) -> bool {
        self.tcp.ns2_details && self.tcp.limited_transmit
    }

    /// A partial ACK for `k` segments in NewReno. RFC 6582, section 3.2, step 3: deflate by
    /// what was acknowledged, add back one segment. In ns-2 the part not covered by
    /// inflation is subtracted from the window itself, and one segment of inflation
    /// remains.
    pub(super) fn deflate(&mut self, k: i64) {
        if !self.tcp.ns2_details {
            self.repair.inflation += 1 - k;
        } else if self.repair.inflation > k {
            self.repair.inflation -= k - 1;
        } else {
            self.cc.deflate((k - self.repair.inflation) as f64);
            self.repair.inflation = 1;
        }
    }

    /// Enters the SACK blocks of this ACK on the scoreboard.
    pub(super) fn hears_sack(&self, ack: u64, advanced: bool) -> bool {
        match self.repair.phase {
            _ if !self.is_sack1() => {
                matches!(self.tcp.recovery, Recovery::Sack | Recovery::RackTlp)
            }
            Phase::Recovery(until) => ack < until,
            Phase::Open => !advanced,
            Phase::Loss(_) => false,
        }
    }

    /// Sack1 counts a duplicate if it brings new information. After a timeout each ACK of
    /// new data empties its scoreboard, so the first duplicate after it always counts;
    /// before the first such ACK none does.
    pub(super) fn is_sack1_duplicate(&self, ack: &AckIn, newly_sacked: bool) -> bool {
        let una = self.board.una();
        match self.repair.phase {
            _ if ack.ack > una
                || self.repair.dup_acks > 0 && matches!(self.repair.phase, Phase::Loss(_)) =>
            {
                false
            }
            Phase::Loss(_) => !ack.blocks.is_empty() && self.repair.timed_out != Some(una),
            Phase::Open | Phase::Recovery(_) => newly_sacked,
        }
    }

    /// The third duplicate starts a recovery; nothing else does.
    pub(super) fn find_as_sack1(&mut self, duplicate: bool, now: Time) -> bool {
        let third =
            duplicate && self.repair.phase == Phase::Open && self.repair.dup_acks >= DUP_THRESH;
        if !(third && self.is_beyond_recover()) {
            return false;
        }
        self.mark_lost(self.board.una());
        self.enter_recovery(now);
        // `pipe_ = maxseq_ - highest_ack_ - 3`: lost segments count as under way. The first
        // retransmission is not counted.
        self.repair.sack1_pipe = self.board.flight() as i64 - DUP_THRESH as i64 - 1;
        true
    }

    /// At the end of a recovery Sack1 ignores echoes of needless retransmissions:
    /// `recover_` is 0.
    pub(super) fn forget_recover_as_sack1(&mut self) {
        if self.is_sack1() {
            self.repair.recover = 0;
        }
    }

    /// Sack1's remaining actions on each ACK.
    pub(super) fn settle_as_sack1(&mut self, advanced: bool, was_recovering: bool) {
        if !self.is_sack1() {
            return;
        }
        if self.repair.is_recovering() {
            if was_recovering {
                // every ACK indicates a segment that left the network, a partial one two
                self.repair.sack1_pipe -= 1 + i64::from(advanced);
            }
            return;
        }
        if advanced {
            self.board.forget_sacked();
        }
        // limited transmit, for two duplicates at most
        let limit = if self.tcp.limited_transmit { DUP_THRESH - 1 } else { 0 };
        self.repair.inflation = self.repair.dup_acks.min(limit) as i64 - self.board.sacked() as i64;
    }

    /// Whether Sack1's window has room during recovery.
    #[inline]
    pub(super) fn sack1_has_room(&self) -> bool {
        (self.repair.sack1_pipe + 1) as f64 <= self.cc.cwnd()
    }

    /// A segment was sent: during recovery it enters Sack1's pipe.
    #[inline(always)]
    pub(super) fn count_as_sack1(&mut self) {
        if self.tcp.ns2_details && self.repair.is_recovering() {
            self.repair.sack1_pipe += 1;
        }
    }

    /// The next hole that Sack1 fills.
    #[inline]
    pub(super) fn sack1_hole(&mut self) -> Option<u64> {
        let repairing = self.repair.is_recovering() && self.is_sack1();
        if repairing { self.board.retransmit_hole() } else { None }
    }
}
