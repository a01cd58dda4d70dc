//! HCC TCP: delay-based first, loss-based second.
//!
//! Source: Xu, Zhou, Pham, Ji, Yang and Liu, "Hybrid congestion control for
//! high-speed networks" (Journal of Network and Computer Applications 34, 2011),
//! section 3 and Table 1.
//!
//! ```text
//!            Qf >= mi_threshold                     loss
//!  +-------+                  +----------------+ -----------> +---------------+
//!  |startup| ---------------->| delay:         |              | loss:         |
//!  | 2 w   |                  | to alpha D/Qf  | <----------- | to the window |<-+
//!  +-------+                  +----------------+ w > loss-    | of that loss  |--+
//!      |                                         reference    +---------------+ loss
//!      +------------------------- loss --------------------------->|
//! ```
//!
//! The *delay-reference* alpha D/Qf is the window at which alpha segments are
//! queued on the forward path. If the buffer has no room for them, a segment is
//! lost first; the window at that loss is the *loss-reference*, approached as in
//! BIC: fast from far away, slowly when close.
//!
//! # alpha that finds itself
//!
//! The paper sets alpha by hand: 400 packets at 200 Mbit/s, 2,000 at 1 Gbit/s, of 1,000 bytes
//! each. Both are what the link sends in 16 ms, which is how long they wait in its queue:
//!
//! ```text
//!   alpha = tau C,   tau = 16 ms   400 = 0.016 * 200e6/8000,  2000 = 0.016 * 1e9/8000
//! ```
//!
//! With `tau` above 0 the flow sets alpha itself. C must be the capacity of the bottleneck, not
//! this flow's share of it: shares are proportional to alphas, so a flow that used its own rate
//! as C would keep whatever share it had. The delivery rate does not give the capacity, but the
//! distance between two segments sent back to back does: the bottleneck sends them one
//! transmission time apart, whatever else it carries (packet pairs; Keshav 1991). Packets that
//! slip in between stretch that distance, and a queue after the bottleneck shortens it, so C is
//! taken from the lower quartile of the last 16.

use super::delay::{ForwardParams, Queuing, Spread, weight};
use super::fast::UpdateParams;
use super::window::climb;
use super::{Ack, Law, Window};
use crate::params::{Family, Linux, Look, Losses, Need, Param, Sheet};
use crate::table::{params, row, states};
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "hcc",
    title: "HCC TCP (hybrid congestion control)",
    family: Family::LossAndDelay,
    source: "Xu, Zhou, Pham, Ji, Yang, Liu: Hybrid congestion control for high-speed networks, \
             Journal of Network and Computer Applications 34, 2011, section 3 and Table 1",
    equations: "\
startup:  Qf < mi_threshold:  w doubles per round trip;  else: delay mode
delay mode, per round trip:  dw = alpha D/Qf - w,  held within +-I_max
  w <- w + dw/2
loss mode, per round trip:  dw = (loss-reference - w)/2,  held within I_min .. I_max
  w <- w + dw/2;  w > loss-reference: forget it, delay mode
per loss:  loss-reference = w,  w <- w/2,  loss mode
tau > 0:  alpha = tau C, once per round trip;  1/C: lower quartile of the distances
  of the last 16 packet pairs;  until there are four, alpha as given
I_max = gamma alpha.  Qf: forward one-way delay above its smallest; D: round-trip
time; both as moving averages, weight min(3/w, 1/4) for the newest sample.
Startup is its slow start; slow_start has no effect.",
    differs: "\
The paper does not specify I_min, mi_threshold or the averages. I_min is Reno's \
one segment; mi_threshold and the averages are those of fast. Script: hcc.
In the paper's text a new target is set when the last one is reached; in its Table 1, in every round trip. We follow Table 1. A change is spread over the ACKs of its round trip; the paper says nothing on this. Script: hcc.
In delay mode w covers half of its distance to alpha D/Qf per round trip. If alpha is \
below a third of the segments that the empty path holds, this does not converge: w \
swings around alpha D/Qf by up to I_max/2 per round trip. Because the measured delay \
is a round trip old, w swings at larger values of alpha, too. period = 2 waits until \
the delay shows the last change, as FAST does. \
Test: hcc_swings_where_alpha_is_small.
w is the window when the loss is detected, not what was in flight with the lost \
segment. A loss in startup and a mark have the same effect as any loss. Script: hcc.
The paper does not mention timeouts: here a timeout counts as a loss, followed \
by RFC 5681's slow start up to ssthresh and then by loss mode. Script: hcc.
In the paper's simulations flows know the delay of the empty path; base_forward \
tells them, and is off by default.
tau is our addition, off by default; the paper leaves the choice of alpha to the \
user. With tau, HCC needs delivery-rate samples and pairs of segments sent back \
to back. Tests: hcc_finds_the_alpha_of_its_link, \
hcc_flows_that_find_alpha_become_equal.",
    needs: &[Need::Timestamps],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux {
        load: Some("hcc"),
        ..Linux::NONE
    },
    losses: Losses::UNKNOWN,
    look: Look { hue: 3, dash: 3 },
    states: Mode::NAMES,
    params: HccParams::LIST,
};

params! { pub(super) struct HccParams {
    alpha: f64 as in UpdateParams,
    gamma: f64 as in UpdateParams,
    /// smallest dw in loss mode; the window gains half of it per round trip
    i_min: f64 = 1.0 "segments" in 0.001..=1_000.0,
    mi_threshold: f64 as in UpdateParams,
    /// round trips between changes in delay mode; 2 pauses every other round trip, like FAST
    period: u32 = 1 in 1..=4,
    forward: ForwardParams,
    /// alpha is what the bottleneck carries in this time, measured with packet pairs; 0: alpha is
    /// fixed
    tau: f64 = 0.0 "s" in 0.0..=1.0,
} }

/// Its range also applies when alpha is estimated.
const ALPHA: Param = row(HccParams::LIST, "alpha");

/// Maximum and minimum number of packet pairs for the quartile.
const PAIRS: usize = 16;
const FEW_PAIRS: usize = 4;

/// The distances of the last packet pairs, in seconds.
#[derive(Clone, Debug, Default)]
struct Pairs {
    last: [f64; PAIRS],
    count: usize,
}

impl Pairs {
    fn push(&mut self, distance: f64) {
        self.last[self.count % PAIRS] = distance;
        self.count += 1;
    }

    /// What the bottleneck carries, in segments per second.
    fn capacity(&self) -> Option<f64> {
        if self.count < FEW_PAIRS {
            return None;
        }
        let mut last = self.last;
        let sorted = &mut last[..self.count.min(PAIRS)];
        sorted.sort_unstable_by(f64::total_cmp);
        let distance = sorted[sorted.len() / 4 - 1];
        (distance > 0.0).then(|| 1.0 / distance)
    }
}

states! { enum Mode {
    Startup = "startup",
    Delay = "delay",
    Loss = "loss",
} }

/// HCC TCP, with its own slow start.
#[derive(Clone, Debug)]
pub struct Hcc {
    params: HccParams,
    alpha: f64,
    forward: Queuing,
    rtt: Queuing,
    mode: Mode,
    /// Infinite by default.
    loss_reference: f64,
    change: Spread,
    /// Round trips that have begun and have not been acted on yet.
    rounds: u32,
    pairs: Pairs,
}

impl Hcc {
    pub(super) fn new(params: HccParams) -> Self {
        Self {
            params,
            alpha: params.alpha,
            forward: Queuing::new(params.forward.base_forward),
            rtt: Queuing::new(0.0),
            mode: Mode::Startup,
            loss_reference: f64::INFINITY,
            change: Spread::default(),
            rounds: 0,
            pairs: Pairs::default(),
        }
    }

    fn i_max(&self) -> f64 {
        self.params.gamma * self.alpha
    }

    /// Once per round trip: alpha follows what the bottleneck carries.
    fn find_alpha(&mut self) {
        if self.params.tau > 0.0
            && let Some(capacity) = self.pairs.capacity()
        {
            self.alpha = (self.params.tau * capacity).clamp(ALPHA.min, ALPHA.max);
        }
    }

    /// Equation 3, `alpha avgD / avgQf`; infinite if nothing is queued.
    fn delay_reference(&self) -> Option<f64> {
        let queue = self.forward.queue()?;
        Some(if queue > 0.0 { self.alpha * self.rtt.average() / queue } else { f64::INFINITY })
    }

    /// Once per round trip, Table 1.
    fn update(&mut self, w: &mut Window) {
        self.find_alpha();
        let i_max = self.i_max();
        let step = match self.mode {
            Mode::Startup => return,
            Mode::Delay => {
                let Some(reference) = self.delay_reference() else { return };
                (reference - w.cwnd).clamp(-i_max, i_max)
            }
            Mode::Loss => {
                ((self.loss_reference - w.cwnd) / 2.0).clamp(self.params.i_min.min(i_max), i_max)
            }
        };
        // "only a half of the change value determined by [..] is used"
        self.change.begin(step / 2.0, w.cwnd);
    }

    fn lost(&mut self, w: f64) -> f64 {
        // "the source immediately halves the window and records the window size
        // that the congestion event happens as a loss-reference"
        self.loss_reference = w;
        self.mode = Mode::Loss;
        self.change.cancel();
        self.rounds = 0;
        w / 2.0
    }
}

impl Law for Hcc {
    const OWN_SLOW_START: bool = true;

    #[inline]
    fn observe(&mut self, w: &Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.rtt.push(rtt.latest, weight(w));
            if let Some(forward) = rtt.forward {
                self.forward.push(forward, weight(w));
            }
        }
        if self.params.tau > 0.0
            && let Some(distance) = ack.rate.and_then(|rate| rate.dispersion)
        {
            self.pairs.push(distance.secs());
        }
        self.rounds += u32::from(ack.round_start);
    }

    fn also_needs(&self, need: Need) -> bool {
        self.params.tau > 0.0 && matches!(need, Need::RateSamples | Need::PacketPairs)
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let heavy = self.forward.queue().is_some_and(|queue| queue >= self.params.mi_threshold);
        if self.mode == Mode::Startup && (heavy || w.cwnd >= w.ssthresh) {
            self.mode = Mode::Delay;
            w.ssthresh = w.ssthresh.min(w.cwnd);
        }
        if w.cwnd < w.ssthresh {
            climb(w, ack.credit, 1.0);
            return;
        }
        let period = if self.mode == Mode::Delay { self.params.period } else { 1 };
        if self.rounds >= period {
            self.rounds = 0;
            self.update(w);
        }
        w.cwnd = (w.cwnd + self.change.take(ack.credit)).max(1.0);
        w.ssthresh = w.ssthresh.min(w.cwnd);
        if self.mode == Mode::Loss && w.cwnd > self.loss_reference {
            self.mode = Mode::Delay;
            self.loss_reference = f64::INFINITY;
        }
    }

    fn shrink(&mut self, w: f64) -> f64 {
        self.lost(w)
    }

    fn reset(&mut self, _: Time) {
        self.forward.forget();
        self.rtt.forget();
        self.change.cancel();
        self.rounds = 0;
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        let shown = |reference: f64| if reference.is_finite() { reference } else { 0.0 };
        see("mode", f64::from(self.mode as u8));
        see("delay_reference", self.delay_reference().map_or(0.0, shown));
        see("loss_reference", shown(self.loss_reference));
        see("queuing_ms", self.forward.queue().unwrap_or(0.0) * 1e3);
        see("alpha", self.alpha);
    }
}
