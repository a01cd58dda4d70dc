//! Westwood+: grows like Reno; at a loss, the window shrinks to what the path has been
//! carrying.
//!
//! Source: Grieco and Mascolo, "Performance evaluation and comparison of
//! Westwood+, New Reno and Vegas TCP congestion control", ACM CCR 34(2), 2004,
//! section 2.
//!
//! The returning ACKs show what bandwidth the flow gets. Bandwidth times the
//! shortest round trip is the window that fills the path but no queue: the window
//! shrinks to this at a loss. So losses that are not caused by a full queue cost
//! little.

use super::{Ack, Law, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Sheet};
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "westwood",
    title: "TCP Westwood+",
    family: Family::Loss,
    source: "Grieco, Mascolo: Performance evaluation and comparison of Westwood+, New Reno and \
             Vegas TCP congestion control, ACM CCR 34(2), 2004, section 2",
    equations: "\
per ACK:            w <- w + 1/w
once per round trip of length T with d segments acknowledged:
                    BWE <- filter BWE + (1 - filter) d/T
per loss:           ssthresh = BWE RTT_min, w <- min(w, ssthresh)
per timeout:        ssthresh = BWE RTT_min, w <- 1",
    differs: "\
BWE starts as the first sample. The paper does not say how the filter starts; from \
zero, BWE would still be 12 % too low after twenty round trips. Script: westwood.
Before the first sample a loss halves the window. Script: westwood.
Linux filters twice with weight 7/8, over intervals of at least 50 ms. At a loss it \
halves the window; when the loss is repaired, it sets window and ssthresh to BWE \
RTT_min. In ns-2.35 the same code never takes more than half of the window, except at \
a timeout. Script: westwood.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: true,
    linux: Linux {
        module: Some(Module {
            params: &[("filter", 0.875)],
            about: "The module filters twice with this weight.",
            ..Module::of("westwood", Counts::Segments)
        }),
        load: Some("westwood"),
        ..Linux::NONE
    },
    losses: Losses::UNKNOWN,
    look: Look { hue: 1, dash: 1 },
    states: &[],
    params: WestwoodParams::LIST,
};

params! { pub(super) struct WestwoodParams {
    /// weight of the old estimate relative to a new sample
    filter: f64 = 0.9 in 0.0..=0.999,
} }

/// Westwood+ in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Westwood {
    filter: f64,
    /// Segments per second, once there has been a sample.
    bwe: Option<f64>,
    /// Seconds; 0 if unknown.
    rtt_min: f64,
    /// The round trip in progress.
    round: Option<Time>,
    delivered: u64,
}

impl Westwood {
    pub(super) fn new(params: WestwoodParams) -> Self {
        Self { filter: params.filter, bwe: None, rtt_min: 0.0, round: None, delivered: 0 }
    }

    fn sample(&mut self, ack: &Ack) {
        let spent = self.round.map_or(0.0, |from| ack.now.since(from).secs());
        if spent > 0.0 {
            let sample = self.delivered as f64 / spent;
            // section 2, the discrete low-pass filter
            let old = self.bwe.unwrap_or(sample);
            self.bwe = Some(self.filter * old + (1.0 - self.filter) * sample);
        }
        self.round = Some(ack.now);
        self.delivered = 0;
    }
}

impl Law for Westwood {
    #[inline]
    fn observe(&mut self, _: &Window, ack: &Ack) {
        if ack.round_start {
            self.sample(ack);
        }
        self.delivered += u64::from(ack.acked);
        if let Some(rtt) = ack.rtt {
            self.rtt_min = rtt.min.secs();
        }
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        w.cwnd += ack.credit / w.cwnd;
    }

    fn shrink(&mut self, w: f64) -> f64 {
        match self.bwe {
            Some(bwe) if self.rtt_min > 0.0 => bwe * self.rtt_min,
            _ => w / 2.0,
        }
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("bwe", self.bwe.unwrap_or(0.0));
        see("rtt_min", self.rtt_min);
    }
}
