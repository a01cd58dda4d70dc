//! What may be sent: window, quota, pacing, and which segment it is.

use tusker_core::{Duration, Time};
use tusker_plan::plan::Recovery;

use super::{Phase, Sender};

/// Linux does not pace the first segments of a connection (`tcp_update_skb_after_send`).
const UNPACED: u64 = 10;

impl Sender {
    #[inline(always)]
    pub(super) fn window_is_open(&mut self) -> bool {
        let open = match (&self.repair.prr, self.repair.phase) {
            // in an episode that marks began, the phase is Open
            (Some(prr), Phase::Recovery(_) | Phase::Open) => prr.quota() > 0,
            (None, Phase::Recovery(_)) if self.is_sack1() => self.sack1_has_room(),
            _ => {
                let pipe = self.board.pipe() as i64 - self.repair.inflation;
                // one more fits: pipe < floor(cwnd)
                (pipe + 1) as f64 <= self.cc.cwnd()
            }
        };
        self.window_limited = !open;
        open
    }

    /// An ACK or a timer releases segments again.
    pub(super) fn release_anew(&mut self) {
        self.may_release = self.tcp.max_burst.unwrap_or(u32::MAX);
    }

    #[inline]
    pub(super) fn may_send_new(&self, now: Time) -> bool {
        let next = self.board.next();
        next < self.job.segments && self.board.flight() < self.buffer && now < self.job.stop
    }

    /// Rules 3 and 4 of NextSeg (RFC 6675, section 4): no new data is left.
    pub(super) fn repeat_at_the_end(&mut self) -> Option<u64> {
        if self.tcp.recovery != Recovery::Sack || !self.repair.is_recovering() {
            return None;
        }
        self.board.retransmit_hole().or_else(|| {
            let once = !std::mem::replace(&mut self.repair.rescued, true);
            once.then(|| self.board.retransmit_last()).flatten()
        })
    }

    #[inline(never)]
    fn tell_others(&mut self, seq: u64, retransmission: bool, now: Time) {
        self.may_release = self.may_release.saturating_sub(u32::from(self.tcp.max_burst.is_some()));
        if let Some(usage) = &mut self.usage {
            usage.on_sent(now);
        }
        if let Some(rack) = &mut self.rack {
            rack.on_sent(seq, now, retransmission);
        }
        if retransmission && seq == self.board.una() {
            // as in Linux: a retransmission that is found lost is repaired without a timeout
            self.rto_at = now + self.rto.rto();
        }
        if let Some(rates) = &mut self.rates {
            rates.on_sent(seq, now, self.board.pipe());
        }
        if !retransmission {
            self.schedule_probe(now);
        }
    }

    /// The next segment of a train leaves with this one, and segments after the train wait
    /// for all of it, so the rate stays the same.
    #[inline(never)]
    fn take_next_along(&mut self, seq: u64, after: Duration) {
        let Some(rates) = &self.rates else { return };
        if rates.takes_next_along(seq) {
            self.pacer.take_next_along(after);
        } else {
            self.pacer.make_up();
        }
    }

    /// Unpaced, the first segment of a train waits until the window has room for all of it;
    /// a window that is hardly larger than a train does not wait.
    pub(super) fn waits_for_a_train(&mut self) -> bool {
        let next = self.board.next();
        let Some(train) = self.rates.as_ref().and_then(|rates| rates.train_from(next)) else {
            return false;
        };
        let cwnd = self.cc.cwnd();
        let waits = self.repair.phase == Phase::Open
            && !self.tcp.pacing
            && cwnd >= (4 * train) as f64
            && next + train <= self.job.segments
            && (self.board.pipe() + train) as f64 > cwnd;
        self.window_limited |= waits;
        waits
    }

    #[inline(always)]
    pub(super) fn on_sent(&mut self, seq: u64, retransmission: bool, now: Time) {
        self.counters.sent += 1;
        if retransmission {
            self.counters.retransmitted += 1;
            // Karn: segments sent twice are not timed
            self.timed = None;
            self.undo.on_retransmission(seq, self.board.una(), now);
        } else if self.timed.is_none() && !self.tcp.timestamps {
            self.timed = Some((seq, now));
        }
        self.used.sent = true;
        if let Some(prr) = &mut self.repair.prr {
            prr.on_sent();
        }
        self.count_as_sack1();
        // RFC 6298, section 5.1: the timer runs whenever data is outstanding
        if self.rto_at == Time::NEVER {
            self.rto_at = now + self.rto.rto();
        }
        if !self.plain {
            self.tell_others(seq, retransmission, now);
        }
        if let Some(rate) = self.cc.pacing_rate()
            && !(self.linux && self.counters.sent < UNPACED)
        {
            let after = rate.time_for(self.tcp.packet);
            let quantum = self.bursts.map_or(1, |bursts| bursts.size()).max(self.cc.quantum());
            self.pacer.on_sent(now, after, quantum);
            if !retransmission && !self.plain {
                self.take_next_along(seq, after);
            }
        }
    }
}
