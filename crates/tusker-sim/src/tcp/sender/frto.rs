//! F-RTO (RFC 5682): after a timeout, new data is sent instead of old, to find out whether
//! the outstanding data is lost.
//!
//! ```text
//! timeout: the first segment again -> ACK of new data, not of all
//!                                       -> up to two new segments -> ACK of what was
//!                                                                    not sent again: undo
//!     any other ACK: everything outstanding is sent again
//! ```
//!
//! With SACK (section 3), an ACK that reports nothing but the new segments shows that the loss
//! was real, and one without new information is ignored. As in Linux, a repeated timeout of the
//! same segment starts F-RTO again, because nothing else was retransmitted. The RFC is quoted
//! from memory; the steps are those of Linux's commit "tcp: implement RFC5682 F-RTO".

use tusker_core::Time;
use tusker_plan::plan::Recovery;

use super::{AckIn, Phase, Sender};

/// The state of F-RTO.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    /// Not in use.
    #[default]
    Off,
    /// The first segment was retransmitted; waiting for the first ACK.
    One,
    /// New data was sent; the next ACK decides.
    Two,
}

/// What F-RTO remembers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Frto {
    step: Step,
    /// New segments that leave before lost ones.
    fresh: u32,
    /// The retransmitted segment.
    again: u64,
    /// Everything below was outstanding at the timeout.
    until: u64,
    /// This ACK delivered a segment that was outstanding and was sent once ...
    original: bool,
    /// ... and a segment that was sent since.
    beyond: bool,
}

impl Frto {
    /// Ends F-RTO.
    pub fn end(&mut self) {
        *self = Self::default();
    }

    /// Lost segments wait for the outcome of the new data.
    #[inline]
    pub fn holds_back(&self) -> bool {
        self.step == Step::Two
    }

    /// The current ACK delivers segments `[low, high)`.
    pub fn on_delivered(&mut self, low: u64, high: u64) {
        self.original |=
            low < self.until && (low, high.min(self.until)) != (self.again, self.again + 1);
        self.beyond |= high > self.until;
    }
}

impl Sender {
    /// The timer expired in this phase; `again`: for the same segment as before.
    pub(super) fn begin_frto(&mut self, before: Phase, again: bool) {
        let alone = match before {
            // an ACK of an earlier retransmission would show nothing
            Phase::Open => !self.undo.is_outstanding(self.board.una()),
            // only this segment was retransmitted
            Phase::Loss(_) => again && self.frto.step == Step::One,
            Phase::Recovery(_) => false,
        };
        self.frto.end();
        if self.tcp.frto && alone {
            let (again, until) = (self.board.una(), self.board.next());
            self.frto = Frto { step: Step::One, again, until, ..Frto::default() };
        }
    }

    /// A new segment that leaves although others wait for retransmission; if there is none,
    /// nothing is sent.
    pub(super) fn send_fresh(&mut self, now: Time) -> Option<u64> {
        if self.frto.fresh == 0 || !self.may_send_new(now) {
            return None;
        }
        self.frto.fresh -= 1;
        Some(self.board.send_new())
    }

    /// What an ACK reveals about a timeout; `advanced`: it acknowledges new data.
    pub(super) fn settle_frto(&mut self, ack: &AckIn, advanced: bool) {
        let Frto { step, until, original, beyond, .. } = self.frto;
        if step == Step::Off {
            return;
        }
        (self.frto.original, self.frto.beyond) = (false, false);
        let reno = matches!(self.tcp.recovery, Recovery::Reno | Recovery::NewReno);
        let selective = !reno && !self.tcp.forget_sack_on_timeout;
        match step {
            // step 2a: a duplicate; with SACK only its blocks are used
            Step::One if !advanced && selective => {}
            // step 2b
            Step::One if advanced && ack.ack < until && self.may_send_new(ack.now) => {
                (self.frto.step, self.frto.fresh) = (Step::Two, 2);
            }
            // step 3b
            Step::Two if if selective { original } else { advanced } => {
                self.undo_episode(ack.now);
            }
            Step::Two if selective && !beyond => {}
            // steps 2a and 3a
            Step::One | Step::Two | Step::Off => {
                if step == Step::Two && reno && !advanced {
                    // "cwnd to no more than 3 * MSS": one of the two new segments has left
                    // and the other is under way, so two lost ones may be sent
                    self.repair.inflation = 2;
                }
                self.frto.end();
            }
        }
    }
}
