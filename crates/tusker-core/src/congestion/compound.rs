//! Compound TCP: Reno's window plus, while no queue builds up, a scalable window.
//!
//! Source: Tan, Song, Zhang and Sridharan, "A Compound TCP Approach for High-speed
//! and Long Distance Networks", section 3 (INFOCOM 2006);
//! draft-sridharan-tcpm-ctcp-02, section 3.
//!
//! ```text
//!  win = cwnd + dwnd
//!        |      |
//!        |      +-- delay window: + alpha win^k - 1 per round trip, until gamma
//!        |          segments wait; then it gives way, down to nothing
//!        +--------- loss window: Reno's
//! ```
//!
//! So the sum stays constant while a queue builds up, and is never less than Reno's
//! window.

use super::delay::Spread;
use super::rounds::{Rounds, waiting};
use super::{Ack, Law, Window};
use crate::params::{Family, Linux, Look, Losses, Sheet};
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "compound",
    title: "Compound TCP",
    family: Family::LossAndDelay,
    source: "Tan, Song, Zhang, Sridharan: A Compound TCP Approach for High-speed and Long \
             Distance Networks, INFOCOM 2006, section 3; draft-sridharan-tcpm-ctcp-02, section 3",
    equations: "\
win = cwnd + dwnd is what may be sent
per ACK:   cwnd <- cwnd + 1/win
once per round trip, with diff = win (1 - baseRTT/RTT):
  diff < gamma:  dwnd <- dwnd + max(alpha win^k - 1, 0)
  else:          dwnd <- max(dwnd - zeta diff, 0)
per loss:  win <- max((1 - beta) win, cwnd/2),  of which cwnd/2 is cwnd
timeout:   dwnd = 0;  in slow start dwnd is 0",
    differs: "\
gamma is fixed, as in the paper; the draft also adapts it to what Reno would \
queue. dwnd grows gradually over the ACKs of a round trip and shrinks at once. RTT \
is the mean over a round. Script: compound.
Results show win as cwnd; what the rules above call cwnd is win - dwnd. Script: \
compound.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: true,
    like_reno: true,
    linux: Linux::NONE,
    losses: Losses::UNKNOWN,
    look: Look { hue: 0, dash: 2 },
    states: &[],
    params: CompoundParams::LIST,
};

params! { pub(super) struct CompoundParams {
    /// dwnd gains alpha win^k - 1 per round trip
    alpha: f64 = 0.125 in 0.0..=1.0,
    /// fraction of the whole window given up at a loss; at least half of cwnd remains
    beta: f64 = 0.5 in 0.1..=0.9,
    /// exponent of the window in the growth of dwnd
    k: f64 = 0.75 in 0.0..=1.0,
    /// dwnd shrinks if more of the flow's segments than this are queued
    gamma: f64 = 30.0 "segments" in 0.1..=1e5,
    /// dwnd shrinks per round trip by this multiple of the flow's queued segments
    zeta: f64 = 1.0 in 0.01..=10.0,
} }

/// Compound TCP in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Compound {
    params: CompoundParams,
    rounds: Rounds,
    /// The mean RTT of a round that has ended and has not been acted on yet.
    ended: Option<f64>,
    dwnd: f64,
    change: Spread,
    diff: f64,
}

impl Compound {
    pub(super) fn new(params: CompoundParams) -> Self {
        Self {
            params,
            rounds: Rounds::default(),
            ended: None,
            dwnd: 0.0,
            change: Spread::default(),
            diff: 0.0,
        }
    }

    /// Once per round trip.
    fn decide(&mut self, w: &mut Window, rtt: f64) {
        self.diff = waiting(w.cwnd, self.rounds.base(), rtt);
        if self.diff < self.params.gamma {
            let gain = (self.params.alpha * libm::pow(w.cwnd, self.params.k) - 1.0).max(0.0);
            self.change.begin(gain, w.cwnd);
        } else {
            self.change.cancel();
            // neither window is negative, whatever limits their sum
            let less = (self.params.zeta * self.diff).min(self.dwnd).min(w.cwnd - 1.0).max(0.0);
            self.dwnd -= less;
            w.cwnd -= less;
            w.ssthresh = w.ssthresh.min(w.cwnd.max(2.0));
        }
    }
}

impl Law for Compound {
    #[inline]
    fn observe(&mut self, w: &Window, ack: &Ack) {
        self.ended = self.rounds.hear(ack).or(self.ended);
        // a limit on the sum also limits its parts
        self.dwnd = self.dwnd.min(w.cwnd - 1.0);
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        if let Some(rtt) = self.ended.take() {
            self.decide(w, rtt);
        }
        let dwnd = self.change.take(ack.credit);
        self.dwnd += dwnd;
        w.cwnd += dwnd + ack.credit / w.cwnd;
    }

    fn shrink(&mut self, w: f64) -> f64 {
        let loss_window = (w - self.dwnd).max(0.0) / 2.0;
        let whole = ((1.0 - self.params.beta) * w).max(loss_window);
        self.dwnd = whole - loss_window;
        whole
    }

    fn shrunk(&mut self, _: Time) {
        self.rounds.end();
        self.ended = None;
        self.change.cancel();
    }

    fn reset(&mut self, now: Time) {
        self.dwnd = 0.0;
        self.shrunk(now);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("dwnd", self.dwnd);
        see("diff", self.diff);
    }
}
