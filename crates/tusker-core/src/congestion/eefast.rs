//! EEFAST: FAST that is not affected by queues on the return path.
//!
//! Source: Xu, Zhou, Pham, Ji, Yang and Liu, "Hybrid congestion control for
//! high-speed networks" (Journal of Network and Computer Applications 34, 2011),
//! section 3.2, which summarises the same authors' paper of 2010.
//!
//! FAST takes the excess of the round trip over its minimum for the queueing delay at the
//! bottleneck. If ACKs are queued too, it attributes their delay to its own segments and gives
//! way for nothing. EEFAST uses the forward one-way delay, from timestamps:
//!
//! ```text
//!  at rest:  W = alpha RTT / Qf        (equation 1)
//!  Qf = forward delay - its smallest;  clocks may be apart
//! ```

use super::delay::{ForwardParams, Queuing, weight};
use super::fast::{Update, UpdateParams};
use super::{Ack, Law, Window};
use crate::params::{Family, Linux, Look, Losses, Need, Sheet};
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "eefast",
    title: "End-to-end Enhanced FAST",
    family: Family::Delay,
    source: "Xu, Zhou, Pham, Ji, Yang, Liu: Hybrid congestion control for high-speed networks, \
             Journal of Network and Computer Applications 34, 2011, section 3.2",
    equations: "\
every other round trip, spread over its ACKs:
  w <- min(2 w, (1 - gamma) w + gamma ((1 - Qf/RTT) w + alpha))
  Qf: forward one-way delay above its smallest; Qf and RTT: moving averages, weight
  min(3/w, 1/4) for the newest sample. In equilibrium W = alpha RTT/Qf (equation 1).
while Qf < mi_threshold:  w doubles per round trip
per loss:  w <- w/2
The doubling below mi_threshold is its slow start; slow_start has no effect.",
    differs: "\
The paper gives EEFAST's equilibrium and says that it is FAST with one-way delays; \
our update is FAST's with 1 - Qf/RTT instead of baseRTT/RTT = 1 - Q/RTT, which has \
that equilibrium. Test: eefast_does_not_mind_the_way_back.
What `tusker explain fast` says in the same section about the paper's prototype, \
mi_threshold and timeouts applies too.",
    needs: &[Need::Timestamps],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::NONE,
    losses: Losses::UNKNOWN,
    look: Look { hue: 9, dash: 2 },
    states: &[],
    params: EefastParams::LIST,
};

params! { pub(super) struct EefastParams {
    update: UpdateParams,
    forward: ForwardParams,
} }

/// EEFAST, with its own slow start.
#[derive(Clone, Debug)]
pub struct Eefast {
    forward: Queuing,
    rtt: Queuing,
    update: Update,
}

impl Eefast {
    pub(super) fn new(params: EefastParams) -> Self {
        Self {
            forward: Queuing::new(params.forward.base_forward),
            rtt: Queuing::new(0.0),
            update: Update::new(params.update),
        }
    }
}

impl Law for Eefast {
    const OWN_SLOW_START: bool = true;

    #[inline]
    fn observe(&mut self, w: &Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.rtt.push(rtt.latest, weight(w));
            if let Some(forward) = rtt.forward {
                self.forward.push(forward, weight(w));
            }
        }
        self.update.hear(ack);
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        self.update.grow(w, ack, self.forward.queue(), self.rtt.average());
    }

    fn shrink(&mut self, w: f64) -> f64 {
        w / 2.0
    }

    fn shrunk(&mut self, _: Time) {
        self.update.cut();
    }

    fn reset(&mut self, _: Time) {
        self.forward.forget();
        self.rtt.forget();
        self.update.cut();
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("queuing_ms", self.forward.queue().unwrap_or(0.0) * 1e3);
        see("rtt_ms", self.rtt.average() * 1e3);
    }
}
