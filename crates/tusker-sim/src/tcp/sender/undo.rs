//! Whether segments considered lost were only late, and what is then undone.
//!
//! There are three ways to find out:
//!
//! | | evidence | needs |
//! |---|---|---|
//! | Eifel (RFC 3522) | the first ACK of new data echoes a time before the first retransmission | timestamps |
//! | DSACK (RFC 3708) | the receiver reports every retransmission as a duplicate | SACK |
//! | F-RTO (RFC 5682) | after a timeout, ACKs go on for what was not sent again (`frto.rs`) | new data |
//!
//! Then the segments that wait for retransmission no longer count as lost, the episode is over,
//! and the congestion control is informed (`Controller::on_undo`). An ACK with an ECN echo
//! undoes nothing (RFC 4015, section 3.2; RFC 3708, section 3).
//!
//! With `linux_details`, a recovery is undone as in Linux (`tcp_try_undo_partial`,
//! `tcp_try_undo_dsack`): every ACK of new data is compared with the first retransmission, not
//! only the first such ACK. While retransmissions are outstanding, one that echoes an earlier
//! time suspends the repair: it finds no losses and repeats nothing. Without any outstanding, it
//! undoes the recovery; RACK has then removed the segments that counted as lost from its list,
//! so they are not found lost again before a timeout (script `undo_linux`).
//!
//! Where we differ from the RFCs, like Linux: the window is restored at once, while RFC 4015,
//! section 3.2, starts it at the outstanding data and lets it climb in slow start, and RFC 3708
//! leaves this open; the timer becomes no more conservative than the late segment's own sample
//! makes it (RFC 4015, section 3.3). The RFCs are quoted from memory.

use tusker_core::Time;

use super::{AckIn, Phase, Sender};
use crate::tcp::ranges::Ranges;

/// What is tracked about the last episode.
#[derive(Clone, Debug, Default)]
pub(super) struct Undo {
    /// There is one that can be undone.
    watching: bool,
    /// No ACK of new data has come in it.
    first_ack: bool,
    /// When the first outstanding retransmission left: RetransmitTS of RFC 3522. A repair
    /// may include data beyond what was outstanding at its start, so the next one may start
    /// while an ACK of a retransmission is still to come; as with Linux's `retrans_stamp`,
    /// this value is then kept.
    first_at: Option<Time>,
    /// All retransmissions ever made are below this.
    again_below: u64,
    /// Retransmitted in it and not yet reported as a duplicate.
    open: Ranges,
    /// A segment was retransmitted twice: duplicates then say nothing about the first time.
    twice: bool,
    /// Something was reported, and only retransmitted segments.
    reported: bool,
}

impl Undo {
    /// An episode starts. `probe`: a segment was repeated before it as a probe, and may be
    /// reported too.
    pub fn begin(&mut self, una: u64, probe: Option<u64>) {
        self.open.clear();
        (self.watching, self.first_ack) = (true, true);
        (self.twice, self.reported) = (false, false);
        if !self.is_outstanding(una) {
            self.first_at = None;
        }
        if let Some(seq) = probe {
            self.open.insert(seq, seq + 1, |_, _| {});
        }
    }

    /// The last episode can no longer be undone.
    pub fn forget(&mut self) {
        self.watching = false;
        self.open.clear();
    }

    /// A retransmission may be outstanding, from `una` on.
    pub fn is_outstanding(&self, una: u64) -> bool {
        una < self.again_below
    }

    /// A segment is retransmitted.
    pub fn on_retransmission(&mut self, seq: u64, una: u64, now: Time) {
        if !self.is_outstanding(una) {
            self.first_at = None;
        }
        self.first_at.get_or_insert(now);
        self.again_below = self.again_below.max(seq + 1);
        if !self.watching {
            return;
        }
        let mut fresh = false;
        self.open.insert(seq, seq + 1, |_, _| fresh = true);
        self.twice |= !fresh;
    }

    /// RFC 3522, section 3.2: "the first acceptable ACK that arrives after" the
    /// retransmission was sent decides. Returns whether it acknowledges something that left
    /// before.
    fn predates(&mut self, echo: Time) -> bool {
        let first = std::mem::take(&mut self.first_ack);
        first && self.left_before(echo)
    }

    /// What left at `echo` did so before any retransmission (`tcp_packet_delayed` of Linux).
    fn left_before(&self, echo: Time) -> bool {
        self.first_at.is_none_or(|at| echo < at)
    }

    /// A segment arrived twice. Returns whether that is true of everything retransmitted.
    fn is_last_duplicate(&mut self, seq: u64) -> bool {
        self.reported |= self.open.contains(seq);
        self.open.remove(seq, seq + 1);
        self.reported && !self.twice && self.open.is_empty()
    }

    /// Bytes in use, and the most with this many more retransmissions.
    pub fn memory(&self, more: usize) -> (u64, u64) {
        self.open.memory(if self.watching { more } else { 0 })
    }
}

impl Sender {
    /// An episode starts that may turn out to be spurious.
    pub(super) fn watch_episode(&mut self) {
        if self.tcp.undo {
            let probe = self.rack.as_ref().and_then(|rack| rack.repeated_probe());
            self.undo.begin(self.board.una(), probe);
        }
    }

    /// Undoes the last episode if this ACK shows that it was spurious.
    pub(super) fn undo_if_spurious(&mut self, ack: &AckIn, advanced: bool, dsack: Option<u64>) {
        self.suspended = false;
        if !self.undo.watching {
            return;
        }
        let duplicate = dsack.is_some_and(|seq| self.undo.is_last_duplicate(seq));
        let timed = advanced && self.tcp.timestamps;
        let early = match self.repair.phase {
            Phase::Open => false,
            Phase::Recovery(_) if self.linux => timed && self.undo.left_before(ack.echo),
            _ => advanced && self.undo.predates(ack.echo) && timed,
        };
        let congested = ack.ece && self.tcp.ecn.is_on();
        if congested || !(early || duplicate) {
            return;
        }
        match (self.repair.phase, &mut self.rack) {
            (Phase::Recovery(until), Some(rack)) if self.linux => {
                let partial = early && ack.ack < until;
                if partial {
                    rack.on_reordering();
                }
                if duplicate {
                    rack.on_dsack_undo();
                } else if partial && rack.has_retransmissions() {
                    self.suspended = true;
                    return;
                }
                self.undo_recovery(partial && !duplicate, ack.now);
            }
            _ => self.undo_episode(ack.now),
        }
    }

    /// Undoes a recovery as Linux does. `forget_lost`: what waits for retransmission no longer
    /// counts as lost.
    #[cold]
    fn undo_recovery(&mut self, forget_lost: bool, now: Time) {
        self.counters.undone += 1;
        self.undo.forget();
        self.cc.on_undo(now);
        self.repair.end();
        self.repair.recover = self.board.una();
        self.repair.timed_out = None;
        if let (true, Some(rack)) = (forget_lost, &mut self.rack) {
            self.board.forget_lost();
            rack.on_partial_undo();
        }
        self.cc.on_recovered(now);
    }

    /// The last episode was spurious.
    #[cold]
    pub(super) fn undo_episode(&mut self, now: Time) {
        let repairing = self.repair.phase != Phase::Open;
        self.counters.undone += 1;
        self.undo.forget();
        self.cc.on_undo(now);
        if !repairing {
            return;
        }
        self.repair.end();
        self.frto.end();
        // the outstanding segments may still contain a real loss
        self.repair.recover = self.board.una();
        self.repair.timed_out = None;
        self.board.forget_lost();
        self.cc.on_recovered(now);
        if let Some(rack) = &mut self.rack {
            rack.on_recovered();
            rack.on_undo();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn at(ms: u64) -> Time {
        Time::from_nanos(ms * MS)
    }

    #[test]
    fn the_first_ack_of_new_data_decides() {
        let mut undo = Undo::default();
        undo.begin(4, None);
        undo.on_retransmission(4, 4, at(100));
        undo.on_retransmission(6, 4, at(110));
        assert!(undo.clone().predates(at(99)));
        // of the first retransmission itself: no proof, and neither are later ACKs
        assert!(!undo.predates(at(100)));
        assert!(!undo.predates(at(50)));
    }

    /// 4 and 9 are retransmitted; the repair ends at 8, and the next one starts while 9 may
    /// still be acknowledged through its retransmission, which left before that of 12.
    #[test]
    fn what_the_last_repair_sent_again_is_no_proof() {
        let mut undo = Undo::default();
        undo.begin(4, None);
        undo.on_retransmission(4, 4, at(100));
        undo.on_retransmission(9, 4, at(110));
        undo.begin(9, None);
        undo.on_retransmission(12, 9, at(200));
        assert!(!undo.predates(at(110)));
        // of nothing that is still outstanding
        undo.begin(13, None);
        undo.on_retransmission(13, 13, at(300));
        assert!(undo.predates(at(299)));
    }

    #[test]
    fn every_retransmission_must_be_reported() {
        let mut undo = Undo::default();
        undo.begin(4, None);
        undo.on_retransmission(4, 4, at(100));
        undo.on_retransmission(6, 4, at(110));
        assert!(!undo.is_last_duplicate(9), "the network duplicated it");
        assert!(!undo.is_last_duplicate(6));
        assert!(undo.is_last_duplicate(4));
        // twice: one report does not say which of the three copies arrived
        undo.begin(4, None);
        undo.on_retransmission(4, 4, at(100));
        undo.on_retransmission(4, 4, at(300));
        assert!(!undo.is_last_duplicate(4) && !undo.is_last_duplicate(4));
    }
}
