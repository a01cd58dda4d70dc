//! The tail loss probe (RFC 8985, section 7).

use tusker_core::Time;
use tusker_core::congestion::{Congestion, Signal};

use super::{AckIn, Phase, Sender};
use crate::tcp::rack::ProbeVerdict;

/// When a probe is sent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Probe {
    /// When its timer expires.
    pub at: Time,
    /// The timer has expired: the next segment is the probe.
    pub due: bool,
}

impl Probe {
    /// No probe is pending.
    pub fn new() -> Self {
        Self { at: Time::NEVER, due: false }
    }
}

impl Sender {
    /// Section 7.1: TLP state is reset when a recovery begins.
    pub(super) fn end_probing(&mut self) {
        self.probe = Probe::new();
        if let Some(rack) = &mut self.rack {
            rack.end_probing();
        }
    }

    /// Section 7.2: not in recovery, nothing sacked, no probe under way.
    pub(super) fn schedule_probe(&mut self, now: Time) {
        let flight = self.board.flight();
        let Some(rack) = &self.rack else { return };
        let quiet = self.repair.phase == Phase::Open && self.board.sacked() == 0;
        if !quiet || flight == 0 || rack.is_probing() {
            self.probe.at = Time::NEVER;
            return;
        }
        let at = now + rack.probe_timeout(self.rto.srtt(), flight);
        // "the PTO must not be later than the RTO"
        self.probe.at = at.min(self.rto_at);
    }

    pub(super) fn send_probe(&mut self, now: Time) -> Option<(u64, bool)> {
        self.probe.due = false;
        let new = self.may_send_new(now);
        let (seq, retransmission) = if new {
            (self.board.send_new(), false)
        } else {
            (self.board.retransmit_last()?, true)
        };
        if let Some(rack) = &mut self.rack {
            rack.on_probe_sent(self.board.next(), retransmission);
        }
        Some((seq, retransmission))
    }

    /// What this ACK, which acknowledges this many segments, reveals about a probe.
    pub(super) fn settle_probe(
        &mut self,
        ack: &AckIn,
        cumulative: u64,
        dsack: Option<u64>,
        plain_dup: bool,
    ) {
        let Some(rack) = &mut self.rack else { return };
        let verdict = rack.on_ack_of_probe(ack.ack, dsack, plain_dup);
        if verdict == ProbeVerdict::RepairedLoss && self.repair.phase == Phase::Open {
            // one reduction for the loss that the probe repaired, based on what was
            // outstanding before this ACK reported it, because the ACK may have
            // acknowledged all of that
            let flight = (self.board.flight() + cumulative) as u32;
            self.counters.episodes += 1;
            self.cc.on_congestion(&Congestion { now: ack.now, signal: Signal::Loss, flight });
            self.cc.on_recovered(ack.now);
            self.undo.forget();
            self.ecn.on_reduced(self.tcp.ecn);
        }
    }
}
