//! The retransmission timer (RFC 6298) and what its expiry means.

use tusker_core::Time;
use tusker_core::congestion::{Controller, Timeout};
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
        let partial = was_recovering && matches!(self.phase, Phase::Recovery(_));
        let newreno = self.tcp.recovery == Recovery::NewReno && self.tcp.impatient;
        let ns2 = self.tcp.ns2_details;
        // `prr` is never used with NewReno; `rescued` marks its first partial ACK
        if newreno && partial && std::mem::replace(&mut self.rescued, true) {
            return;
        }
        if ns2 && partial {
            // ns-2 takes a partial ACK for a sign that the path works again
            self.rto.end_backoff();
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
        let first = self.timed_out.replace(self.board.una()) != Some(self.board.una());
        // ns-2 cuts the window, not the flight, and at every expiry
        let ns2 = self.tcp.ns2_details;
        let flight = if ns2 { u32::MAX } else { flight as u32 };
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
        self.cc.on_timeout(&Timeout { now, flight, in_flight, first: first || ns2 });
        self.recover = self.board.next();
        self.phase = Phase::Loss(self.recover);
        self.prr = None;
        self.cwr_end = None;
        self.dup_acks = 0;
        self.inflation = 0;
        self.forced = 1;
        self.timed = None;
        self.end_probing();
        self.send_cwr = self.tcp.ecn.is_on();
        self.next_departure = now;
        // RFC 6298, sections 5.5 and 5.6
        self.rto.back_off();
        self.rto_at = now + self.rto.rto();
    }
}
