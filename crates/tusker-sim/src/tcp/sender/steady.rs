//! A sender to which nothing special happens: nothing is missing, marked or paced, and no timer
//! runs but that for retransmissions. In most simulations, most ACKs reach such a sender, in long
//! runs, so what cannot change within a run is checked once ([`Sender::is_steady`]).
//!
//! An ACK in a run does what [`Sender::on_ack`] and [`Sender::next_segment`] do, less what could
//! do nothing.

use std::ops::Range;

use tusker_core::Time;

use super::acks::News;
use super::{AckIn, Phase, Sender};

impl Sender {
    /// Whether this holds now, and as long as only ACKs arrive that are [in
    /// order](Self::is_in_order), before [`Self::timer`] and the end of the job.
    pub fn is_steady(&self, now: Time) -> bool {
        self.short
            && self.quick
            && self.plain
            && !self.tcp.pacing
            && self.repair.phase == Phase::Open
            && self.repair.prr.is_none()
            && self.board.is_clean()
            && self.ecn.is_quiet()
            && self.pacer.is_idle(now)
            && now < self.job.stop
    }

    /// [`Self::timer`] of a steady sender.
    pub fn steady_timer(&self) -> Time {
        debug_assert_eq!(self.rto_at, self.timer());
        self.rto_at
    }

    /// When the job ends for which it has segments.
    pub fn stops(&self) -> Time {
        self.job.stop
    }

    /// Whether an ACK is of new data, and not of the last segment. The caller knows that it has
    /// no blocks and no mark.
    #[inline(always)]
    pub fn is_in_order(&self, ack: u64) -> bool {
        ack > self.board.una() && ack < self.total
    }

    /// Such an ACK arrives while nothing is missing, at a sender that is `quick`.
    #[inline(always)]
    pub(super) fn hear_in_order(&mut self, ack: &AckIn) {
        let acked = self.board.on_next(ack.ack);
        self.repair.dup_acks = 0;
        self.repair.inflation = 0;
        self.end_ecn_episode(ack.now);
        self.hear::<true>(ack, acked, acked, true, News::default());
    }

    /// Such an ACK arrives at a steady sender. Returns the new segments that leave now.
    #[inline(always)]
    pub fn on_ack_steady(&mut self, ack: &AckIn) -> Range<u64> {
        self.hear_in_order(ack);
        let (first, flight) = (self.board.next(), self.board.flight());
        let room = (self.cc.cwnd() as i64 as u64).saturating_sub(flight);
        let data = (self.job.segments - first).min(self.buffer.saturating_sub(flight));
        let many = room.min(data);
        self.window_limited = many == room;
        if many > 0 {
            self.board.send_many(many);
            self.counters.sent += many;
            self.used.sent = true;
            if !self.tcp.timestamps {
                self.timed.get_or_insert((first, ack.now));
            }
        }
        self.restart_rto(ack.now);
        first..first + many
    }
}
