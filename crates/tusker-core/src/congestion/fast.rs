//! FAST TCP: keeps a fixed number of segments in the queue and covers a fraction of
//! the distance to it at a time.
//!
//! Source: Wei, Jin, Low and Hegde, "FAST TCP: Motivation, Architecture,
//! Algorithms, Performance", sections 3 and 4 (IEEE/ACM Transactions on Networking
//! 14(6), 2006).
//!
//! ```text
//!  w <- min(2 w, (1 - gamma) w + gamma (baseRTT/RTT w + alpha))
//! ```
//!
//! In equilibrium w (1 - baseRTT/RTT) = alpha: that many segments are queued,
//! whatever the rate and length of the path. Vegas aims for the same, but moves by
//! one segment per round trip.

pub(super) use super::delay::UpdateParams;
use super::delay::{Queuing, Spread, weight};
use super::fast_ns2::Ns2;
use super::{Ack, Law, Window};
use crate::params::{Family, Linux, Look, Losses, Sheet};
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "fast",
    title: "FAST TCP",
    family: Family::Delay,
    source: "Wei, Jin, Low, Hegde: FAST TCP: Motivation, Architecture, Algorithms, Performance, \
             IEEE/ACM Transactions on Networking 14(6), 2006, sections 3 and 4",
    equations: "\
every other round trip, spread over its ACKs:
  w <- min(2 w, (1 - gamma) w + gamma (baseRTT/RTT w + alpha))
  RTT: moving average, weight min(3/w, 1/4) for the newest sample
while RTT - baseRTT < mi_threshold:  w doubles per round trip
ns2 = 1: in every other round trip, every 10 ms; decreases at once, increases over 10 ms:
  w <- (1 - gamma) w + gamma (baseRTT/RTT w' + alpha), w' being what was in the
  network when the acknowledged segment left
  RTT: moving average, weight min(3/(segments in flight), 1/256) for the newest sample
per loss:  w <- w/2
The doubling below mi_threshold is its slow start; slow_start has no effect.",
    differs: "\
The window changes in one round trip and is frozen in the next, as in the paper's \
prototype. Script: fast.
The paper gives no value for mi_threshold and no single alpha: alpha = 400 and \
gamma = 0.5 are from the paper on HCC, mi_threshold is the default of ns-2's \
agent. The bottleneck must take longer than mi_threshold to send alpha segments, or \
the window doubles where it should stay. Test: fast_keeps_alpha_segments_queued.
ns2 = 1 moves the window as ns-2.35's agent (tcp-fast.cc) does; the agent's own \
loss recovery, which retransmits segments that are two round trips old, is \
replaced by the transport's. The window grows by whole segments, and the flow \
keeps up to three segments fewer than alpha queued. Test: \
fast_of_ns2_rests_within_three_segments_below_alpha.
A queue on the return path counts like one at the bottleneck; eefast avoids this. \
Test: fast_gives_way_to_a_queue_on_the_way_back.
base_rtt is for simulations in which flows know the empty path; without it a later \
flow mistakes the queue of an earlier one for part of the path, and gets more than \
its share. Test: later_fast_flows_need_to_know_the_path.
A timeout halves ssthresh and starts from one segment, as in RFC 5681; the \
averages start afresh. The paper covers only losses. Script: fast.",
    needs: &[],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux { load: Some("fast"), ..Linux::NONE },
    losses: Losses::UNKNOWN,
    look: Look { hue: 9, dash: 0 },
    states: &[],
    params: FastParams::LIST,
};

params! { pub(super) struct FastParams {
    update: UpdateParams,
    /// round-trip time of the empty path, if known; 0: measured
    base_rtt: f64 = 0.0 "s" in 0.0..=10.0,
    /// change the window at the same times and by the same amounts as ns-2.35's agent
    ns2: bool = false,
} }

/// What FAST and EEFAST share: when the window moves, and how far.
#[derive(Clone, Debug)]
pub(super) struct Update {
    params: UpdateParams,
    /// A round trip has begun and has not been acted on yet.
    due: bool,
    /// The window is frozen in this round trip.
    frozen: bool,
    change: Spread,
}

impl Update {
    pub(super) fn new(params: UpdateParams) -> Self {
        Self { params, due: false, frozen: true, change: Spread::default() }
    }

    #[inline]
    pub(super) fn hear(&mut self, ack: &Ack) {
        self.due |= ack.round_start;
    }

    /// For a queueing delay of `queue` seconds, if one was measured, and a round
    /// trip of `rtt`.
    pub(super) fn grow(&mut self, w: &mut Window, ack: &Ack, queue: Option<f64>, rtt: f64) {
        if let Some(queue) = queue.filter(|&queue| queue >= self.params.mi_threshold) {
            if core::mem::take(&mut self.due) {
                self.frozen = !self.frozen;
                if !self.frozen {
                    let part = if rtt > queue { 1.0 - queue / rtt } else { 0.0 };
                    let UpdateParams { alpha, gamma, .. } = self.params;
                    let target = (1.0 - gamma) * w.cwnd + gamma * (part * w.cwnd + alpha);
                    self.change.begin(target.min(2.0 * w.cwnd) - w.cwnd, w.cwnd);
                }
            }
            w.cwnd = (w.cwnd + self.change.take(ack.credit)).max(1.0);
            // slow start is over, and a smaller window does not bring it back
            w.ssthresh = w.ssthresh.min(w.cwnd);
        } else {
            (self.due, self.frozen) = (false, true);
            self.change.cancel();
            w.cwnd += ack.credit;
        }
    }

    /// After a cut: drops the change planned for the larger window.
    pub(super) fn cut(&mut self) {
        (self.due, self.frozen) = (false, true);
        self.change.cancel();
    }
}

/// FAST TCP, with its own slow start.
#[derive(Clone, Debug)]
pub struct Fast {
    rtt: Queuing,
    when: When,
}

/// When the window moves, and how far.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "one for each flow, where nothing is allocated")]
enum When {
    Paper(Update),
    Ns2(Ns2),
}

impl Fast {
    pub(super) fn new(params: FastParams) -> Self {
        let when = match params.ns2 {
            false => When::Paper(Update::new(params.update)),
            true => When::Ns2(Ns2::new(params.update)),
        };
        Self { rtt: Queuing::new(params.base_rtt), when }
    }
}

impl Law for Fast {
    const OWN_SLOW_START: bool = true;

    #[inline]
    fn observe(&mut self, w: &Window, ack: &Ack) {
        match &mut self.when {
            When::Paper(update) => {
                if let Some(rtt) = ack.rtt {
                    self.rtt.push(rtt.latest, weight(w));
                }
                update.hear(ack);
            }
            When::Ns2(ns2) => ns2.observe(&mut self.rtt, ack),
        }
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let (base, queue) = (self.rtt.base(), self.rtt.queue());
        let rtt = base + queue.unwrap_or(0.0);
        match &mut self.when {
            When::Paper(update) => update.grow(w, ack, queue, rtt),
            When::Ns2(ns2) => ns2.grow(w, ack, base, rtt),
        }
    }

    fn shrink(&mut self, w: f64) -> f64 {
        w / 2.0
    }

    fn shrunk(&mut self, now: Time) {
        match &mut self.when {
            When::Paper(update) => update.cut(),
            When::Ns2(ns2) => ns2.cut(now),
        }
    }

    fn reset(&mut self, now: Time) {
        self.rtt.forget();
        self.shrunk(now);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("queuing_ms", self.rtt.queue().unwrap_or(0.0) * 1e3);
        see("base_rtt_ms", self.rtt.base() * 1e3);
    }
}
