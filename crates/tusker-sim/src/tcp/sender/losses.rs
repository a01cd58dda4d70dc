//! Loss detection, and the episodes that it starts and ends.

use tusker_core::congestion::{Congestion, Signal};
use tusker_core::{Duration, Time};
use tusker_plan::plan::Recovery;

use super::{Phase, Sender};
use crate::tcp::prr::Prr;
use crate::tcp::rates::Rates;
use crate::tcp::scoreboard::DUP_THRESH;

/// Informs the sampler, if there is one, that segments were found lost.
pub(super) fn tell(rates: &mut Option<Box<Rates>>, low: u64, high: u64) {
    if let Some(rates) = rates {
        rates.on_lost(low, high);
    }
}

impl Sender {
    /// Informs the congestion control about each segment that was found lost.
    pub(super) fn tell_losses(&mut self, now: Time) {
        let Self { cc, rates: Some(rates), .. } = self else { return };
        rates.losses().for_each(|loss| cc.on_lost(now, &loss));
    }

    /// Ends recovery or the repair after a timeout if this ACK completes it.
    pub(super) fn leave_phase(&mut self, ack: u64, cumulative: u64, now: Time) {
        match self.repair.phase {
            Phase::Open => {
                if cumulative > 0 {
                    self.repair.inflation = 0;
                }
            }
            Phase::Recovery(until) => {
                // RFC 5681, section 3.2, step 6: without NewReno any new data
                // ends recovery; RFC 6582, 6675, 8985: all that was outstanding
                let reno = self.tcp.recovery == Recovery::Reno && cumulative > 0;
                if ack >= until || reno {
                    self.end_recovery(now);
                } else if cumulative > 0 && self.tcp.recovery == Recovery::NewReno {
                    // RFC 6582, section 3.2, step 3: a partial ACK: "retransmit
                    // the first unacknowledged segment", deflate by what was
                    // acknowledged, add back one segment
                    self.mark_lost(ack);
                    self.repair.forced += 1;
                    self.deflate(cumulative as i64);
                }
            }
            Phase::Loss(until) => {
                if cumulative > 0 {
                    self.repair.inflation = 0;
                }
                if ack >= until {
                    self.repair.open();
                    self.cc.on_recovered(now);
                    if let Some(rack) = &mut self.rack {
                        rack.on_recovered();
                    }
                }
            }
        }
    }

    pub(super) fn end_recovery(&mut self, now: Time) {
        self.repair.end();
        self.board.begin_recovery();
        self.forget_recover_as_sack1();
        self.cc.on_recovered(now);
        if let Some(rack) = &mut self.rack {
            rack.on_recovered();
        }
    }

    /// Looks for losses by the rules of this flow's recovery. Returns whether any was newly
    /// found.
    pub(super) fn find_losses(&mut self, duplicate: bool, now: Time) -> bool {
        match self.tcp.recovery {
            Recovery::Reno | Recovery::NewReno => {
                self.count_duplicates(duplicate, now);
                false
            }
            Recovery::Sack if self.is_sack1() => self.find_as_sack1(duplicate, now),
            Recovery::Sack => self.find_by_sack(duplicate, now),
            Recovery::RackTlp => self.detect_by_time(now),
        }
    }

    pub(super) fn count_duplicates(&mut self, duplicate: bool, now: Time) {
        if !duplicate {
            return;
        }
        match self.repair.phase {
            // RFC 5681, section 3.2, step 4: "for each additional duplicate ACK"
            Phase::Recovery(_) => self.repair.inflation += 1,
            Phase::Open if self.repair.dup_acks >= DUP_THRESH && self.is_beyond_recover() => {
                self.mark_lost(self.board.una());
                self.enter_recovery(now);
                // step 3: "the three segments that have left the network"
                self.repair.inflation = DUP_THRESH as i64;
            }
            // RFC 3042: new data for the first two
            Phase::Open if self.tcp.limited_transmit => {
                self.repair.inflation = self.repair.dup_acks.min(DUP_THRESH - 1) as i64;
            }
            Phase::Loss(_) if self.transmits_after_a_timeout() => {
                self.repair.inflation = self.repair.dup_acks.min(DUP_THRESH - 1) as i64;
            }
            Phase::Open | Phase::Loss(_) => {}
        }
    }

    /// RFC 6582, section 3.2, step 2: fast retransmit only if "the Cumulative
    /// Acknowledgment field covers more than recover", so something sent after the last
    /// reduction is acknowledged. Duplicates of what was outstanding then may be echoes of
    /// needless retransmissions.
    pub(super) fn is_beyond_recover(&self) -> bool {
        self.repair.recover == 0 || self.board.una() > self.repair.recover
    }

    pub(super) fn mark_lost(&mut self, seq: u64) {
        let Self { board, rates, .. } = self;
        board.mark_lost(seq, |low, high| tell(rates, low, high));
    }

    fn mark_lost_by_sack(&mut self) -> bool {
        let Self { board, rates, .. } = self;
        board.mark_lost_by_sack(|low, high| tell(rates, low, high))
    }

    pub(super) fn find_by_sack(&mut self, duplicate: bool, now: Time) -> bool {
        match self.repair.phase {
            Phase::Open => {
                if self.board.una() < self.repair.recover {
                    return false;
                }
                // losses beyond its end that the recovery just ended found
                let left = self.board.has_lost();
                let found = duplicate && self.mark_lost_by_sack();
                // RFC 6675, section 5: DupThresh duplicates, or IsLost(HighACK + 1)
                if left || found || (duplicate && self.repair.dup_acks >= DUP_THRESH) {
                    self.mark_lost(self.board.una());
                    self.enter_recovery(now);
                    return true;
                }
                false
            }
            Phase::Recovery(_) => self.mark_lost_by_sack(),
            // until the recovery point is passed there is no new episode
            Phase::Loss(_) => false,
        }
    }

    pub(super) fn detect_by_time(&mut self, now: Time) -> bool {
        let Self { rack: Some(rack), board, rates, .. } = self else {
            return false;
        };
        let before = board.pipe();
        let reduced_at = self.repair.reduced_at;
        let recovering = self.repair.phase != Phase::Open;
        let srtt = self.rto.srtt().unwrap_or(Duration::MAX);
        let sacked = board.sacked();
        let mut again = false;
        self.reorder_at = rack.detect(now, recovering, sacked, srtt, |seq, sent_again| {
            board.mark_lost(seq, |low, high| tell(rates, low, high));
            again |= sent_again.is_some_and(|at| at >= reduced_at);
        });
        let found = board.pipe() < before;
        if again && !self.tcp.prr && self.repair.is_recovering() {
            // RFC 8985, section 9.3: "in the absence of PRR, when RACK-TLP
            // detects a lost retransmission, the congestion control MUST
            // trigger an additional congestion response", once per window
            self.enter_recovery(now);
        } else if self.repair.phase == Phase::Open && self.board.has_lost() {
            // also losses beyond its end that the recovery just ended found
            self.enter_recovery(now);
        }
        if self.reorder_at != Time::NEVER {
            // RFC 8985, section 8: only one of the timers at a time
            self.probe.at = Time::NEVER;
        }
        found
    }

    pub(super) fn enter_recovery(&mut self, now: Time) {
        let flight = self.board.flight();
        let known = self.board.sacked();
        self.repair.begin(self.board.next(), now);
        // RFC 6675, section 6, allows re-arming the timer when a segment is retransmitted;
        // ns-2 and Linux do so. Otherwise it may expire just before the ACK of the
        // retransmission: duplicate ACKs can take a round trip to arrive.
        self.rto_at = now + self.rto.rto();
        // an ECN episode that is still open is this same congestion; but RFC 8257, section
        // 3.5: "react to loss episodes in the same way as conventional TCP", however small
        // the reduction for this window's marks was
        if !self.ecn.end_episode() || self.tcp.ecn.is_accurate() {
            self.counters.episodes += 1;
            let flight = self.flight_to_cut(flight);
            self.cc.on_congestion(&Congestion { now, signal: Signal::Loss, flight });
            self.watch_episode();
        } else {
            self.undo.forget();
        }
        self.end_probing();
        // an algorithm without a threshold controls its recovery itself
        if self.tcp.prr && self.cc.ssthresh().is_finite() {
            // "bytes SACKed before entering recovery" do not count
            self.repair.prr = Some(Prr::new(self.cc.ssthresh(), flight - known));
        }
        self.ecn.on_reduced(self.tcp.ecn);
    }
}
