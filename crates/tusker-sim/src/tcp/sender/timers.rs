//! The retransmission timer (RFC 6298) and what its expiry means.

use tusker_core::Time;
use tusker_core::congestion::Timeout;
use tusker_plan::plan::Recovery;

use super::losses::tell;
use super::{Phase, Sender};

impl Sender {
    #[inline]
    pub(super) fn restart_rto(&mut self, now: Time) {
        // RFC 6298, sections 5.2 and 5.3
        self.rto_at = if self.board.flight() == 0 { Time::NEVER } else { now + self.rto.rto() };
    }

    /// RFC 6582, section 4: the impatient variant restarts the timer at the
    /// first partial ACK only.
    pub(super) fn restart_rto_after_partial(&mut self, now: Time, was_recovering: bool) {
        let partial = was_recovering && self.repair.is_recovering();
        let newreno = self.tcp.recovery == Recovery::NewReno && self.tcp.impatient;
        if newreno && partial && !self.repair.is_first_partial() {
            return;
        }
        if partial {
            self.end_backoff_as_ns2();
        }
        self.restart_rto(now);
    }

    #[cold]
    pub(super) fn on_timeout(&mut self, now: Time) {
        let flight = self.board.flight();
        if flight == 0 {
            self.rto_at = Time::NEVER;
            return;
        }
        self.counters.timeouts += 1;
        // RFC 5681, section 3.1: ssthresh is held if "the given segment has
        // already been retransmitted by way of the retransmission timer"
        let before = self.repair.phase;
        let first = self.repair.time_out(self.board.una(), self.board.next());
        if self.ecn.is_open() {
            // the window from before it is the one from before the mark
            self.undo.forget();
            self.frto.end();
        } else {
            self.begin_frto(before, !first);
            if first && !matches!(before, Phase::Recovery(_)) {
                self.watch_episode();
            }
        }
        let (flight, first) = (self.flight_to_cut(flight), self.cuts_ssthresh(first));
        let Self { board, rack, rates, .. } = self;
        let mut found = |low, high| tell(rates, low, high);
        if let Some(rack) = rack {
            rack.on_timeout(now, |seq| board.mark_lost(seq, &mut found));
        } else {
            board.mark_all_lost(self.tcp.forget_sack_on_timeout, found);
        }
        // draft-ietf-ccwg-bbr, section 5.6.4.4: what is lost comes first
        self.tell_losses(now);
        let in_flight = self.board.pipe() as u32;
        self.cc.on_timeout(&Timeout { now, flight, in_flight, first });
        self.ecn.end_episode();
        self.timed = None;
        self.end_probing();
        self.ecn.on_reduced(self.tcp.ecn);
        self.pacer.release(now);
        // RFC 6298, sections 5.5 and 5.6
        self.rto.back_off();
        self.rto_at = now + self.rto.rto();
    }
}
