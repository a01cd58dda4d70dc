//! Where ns-2.35's agents do otherwise than the RFCs, for the profile `ns2`.
//!
//! Facts from ns-2.35's `tcp.cc`, `tcp-reno.cc`, `tcp-newreno.cc` and
//! `tcp-sack1.cc`, the words are ours; docs/ns2-notes.md has more of them, and
//! what we leave out. Each has a script, `tests/scripts/ns2_*.script`.
//!
//! | | RFC | ns-2 |
//! |---|---|---|
//! | Reno, NewReno: the ACK that ends a recovery | does not grow the window | grows it |
//! | NewReno: a partial ACK deflates | what recovery added | and the window, for good |
//! | SACK: lost segments | leave the pipe | stay in it |
//! | SACK: repaired are | segments with 3 sacked above | all holes below the highest block |
//! | SACK: an ACK of new data outside recovery | cuts the scoreboard | empties it |
//! | limited transmit after a timeout | no | yes |
//! | what is cut | min(cwnd, flight) | cwnd |
//! | repeated timeouts | hold ssthresh | cut it to 2 |
//! | ssthresh | a number | a whole number |
//! | timer | continuous | in ticks (`tcp/rto.rs`) |

use tusker_core::Time;
use tusker_core::congestion::Deflate;
use tusker_plan::plan::Recovery;

use super::{AckIn, Phase, Sender};
use crate::tcp::scoreboard::DUP_THRESH;

impl Sender {
    /// This is ns-2's Agent/TCP/Sack1.
    #[inline]
    pub(super) fn is_sack1(&self) -> bool {
        self.tcp.ns2_details && self.tcp.recovery == Recovery::Sack && !self.tcp.prr
    }

    /// Without SACK the ACK that ends a recovery opens the window like any other.
    pub(super) fn grows_at_the_end(&self) -> bool {
        let reno = matches!(self.tcp.recovery, Recovery::Reno | Recovery::NewReno);
        self.tcp.ns2_details && reno
    }

    /// A partial ACK for `k` segments in NewReno: what inflation does not cover is
    /// taken from the window itself, and one segment of inflation is left.
    pub(super) fn deflate_as_ns2(&mut self, k: i64) {
        if self.inflation > k {
            self.inflation -= k - 1;
        } else {
            self.cc.deflate((k - self.inflation) as f64);
            self.inflation = 1;
        }
    }

    /// The SACK blocks of this ACK go onto the scoreboard.
    pub(super) fn hears_sack(&self, ack: u64, advanced: bool) -> bool {
        match self.phase {
            _ if !self.is_sack1() => {
                matches!(self.tcp.recovery, Recovery::Sack | Recovery::RackTlp)
            }
            Phase::Recovery(until) => ack < until,
            Phase::Open => !advanced,
            Phase::Loss(_) => false,
        }
    }

    /// Sack1 counts a duplicate that tells something new. After a timeout its
    /// scoreboard is emptied by each ACK of new data, so that the first duplicate
    /// behind it always does; before the first such ACK none counts.
    pub(super) fn is_sack1_duplicate(&self, ack: &AckIn, newly_sacked: bool) -> bool {
        let una = self.board.una();
        match self.phase {
            _ if ack.ack > una || self.dup_acks > 0 && matches!(self.phase, Phase::Loss(_)) => {
                false
            }
            Phase::Loss(_) => !ack.blocks.is_empty() && self.timed_out != Some(una),
            Phase::Open | Phase::Recovery(_) => newly_sacked,
        }
    }

    /// The third duplicate begins a recovery; nothing else does.
    pub(super) fn find_as_sack1(&mut self, duplicate: bool, now: Time) -> bool {
        let third = duplicate && self.phase == Phase::Open && self.dup_acks >= DUP_THRESH;
        if !(third && self.is_beyond_recover()) {
            return false;
        }
        self.mark_lost(self.board.una());
        self.enter_recovery(now);
        // `pipe_ = maxseq_ - highest_ack_ - 3`: what is lost is thought to be
        // under way. The first retransmission is not counted.
        self.sack1_pipe = self.board.flight() as i64 - DUP_THRESH as i64 - 1;
        true
    }

    /// What is left to do on each ACK.
    pub(super) fn settle_as_ns2(&mut self, advanced: bool, was_recovering: bool) {
        let recovering = matches!(self.phase, Phase::Recovery(_));
        if !self.is_sack1() {
            return;
        }
        if recovering {
            if was_recovering {
                // every ACK tells of a segment that left, a partial one of two
                self.sack1_pipe -= 1 + i64::from(advanced);
            }
            return;
        }
        if advanced {
            self.board.forget_sacked();
        }
        // limited transmit, for two duplicates at most
        let limit = if self.tcp.limited_transmit { DUP_THRESH - 1 } else { 0 };
        self.inflation = self.dup_acks.min(limit) as i64 - self.board.sacked() as i64;
    }

    /// The next hole that Sack1 fills.
    #[inline]
    pub(super) fn sack1_hole(&mut self) -> Option<u64> {
        let repairing = matches!(self.phase, Phase::Recovery(_)) && self.is_sack1();
        if repairing { self.board.retransmit_hole() } else { None }
    }
}
