//! Spurious recovery (section 5.5.11): what is saved when a loss is detected, and
//! what is restored when it turns out that nothing was lost.

use super::{Bbr3, State};

/// BBR.undo_state and related variables.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// The state that was ended by losses.
    state: Option<State>,
    bw_shortterm: f64,
    inflight_shortterm: f64,
    inflight_longterm: f64,
}

impl Bbr3 {
    /// OnEnterFastRecovery() and OnEnterRTO(). If losses were reported since the
    /// last ACK, as before a timeout, they have already lowered the bounds: what
    /// was saved at the first loss of the round trip is kept.
    pub(super) fn begin_recovery(&mut self) {
        self.save_cwnd();
        if !self.loss_told {
            self.save_state_upon_loss();
        }
        self.in_recovery = true;
    }

    /// SaveStateUponLoss().
    pub(super) fn save_state_upon_loss(&mut self) {
        self.save_cwnd();
        self.undo = Undo {
            state: None,
            bw_shortterm: self.bw_shortterm,
            inflight_shortterm: self.inflight_shortterm,
            inflight_longterm: self.inflight_longterm,
        };
    }

    /// Losses end the current state.
    pub(super) fn note_ended_by_loss(&mut self, state: State) {
        self.undo.state = Some(state);
    }

    /// HandleSpuriousLossDetection().
    pub(super) fn handle_spurious_loss_detection(&mut self) {
        self.restore_cwnd();
        self.loss_in_round = false;
        self.reset_full_bw();
        self.bw_shortterm = self.bw_shortterm.max(self.undo.bw_shortterm);
        self.inflight_shortterm = self.inflight_shortterm.max(self.undo.inflight_shortterm);
        self.inflight_longterm = self.inflight_longterm.max(self.undo.inflight_longterm);
        match self.undo.state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_bw_reached = false;
                if self.state != State::ProbeRtt {
                    self.enter(State::Startup);
                }
            }
            Some(State::Up) if !matches!(self.state, State::Up | State::ProbeRtt) => {
                self.start_refill();
            }
            _ => {}
        }
    }
}
