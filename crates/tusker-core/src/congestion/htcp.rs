//! H-TCP: the longer since the last loss, the faster it grows; it shrinks by as
//! much as is queued.
//!
//! Source: Leith and Shorten, "H-TCP: TCP for high-speed and long-distance
//! networks", PFLDnet 2004; Mascolo and Vacirca, "Issues in Performance
//! Evaluation of New TCP Stacks in High Speed Networks", section II, equation 5.
//!
//! ```text
//!  alpha |            *     D is the time since the last congestion.
//!        |         *        For D <= D_L (1 s) the flow is Reno, so that it is
//!        |      *           fair to Reno where losses are frequent.
//!      1 |****              2 (1 - beta) keeps the share of a flow the same
//!        +---+---------- D  whatever its beta.
//!           D_L
//! ```
//!
//! A flow that fills a queue sees its round trip go from `RTT_min` to `RTT_max`;
//! beta = `RTT_min` / `RTT_max` empties that queue and no more. But flows whose
//! throughput is still changing must yield: for them beta is 1/2.

use super::losses::reno_window;
use super::{Ack, Law, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Scale, Sheet};
use crate::table::params;
use crate::units::Time;

pub(super) const SHEET: Sheet = Sheet {
    name: "htcp",
    title: "H-TCP",
    family: Family::Loss,
    source: "Leith, Shorten: H-TCP: TCP for high-speed and long-distance networks, PFLDnet 2004; \
             Mascolo, Vacirca: Issues in Performance Evaluation of New TCP Stacks, section II",
    equations: "\
per ACK:   w <- w + alpha/w,  alpha = 2 (1 - beta) f(D)
per loss:  w <- beta w
D: time since the last congestion event
  D <= d_l:  f = 1
  D >  d_l:  f = 1 + 10 (D - d_l) + ((D - d_l)/2)^2
B: throughput over the last whole round trip before the loss; B': the same at the previous loss
  |B - B'| > delta_b B':  beta = beta_min
  otherwise:              beta = RTT_min/RTT_max, within beta_min .. beta_max
rtt_scaling = 1:  f <- max(1, f RTT_min/100 ms), the ratio within 0.1 .. 2",
    differs: "\
Mascolo and Vacirca's summary (equation 5) has neither the factor 2 (1 - beta) in alpha, nor the \
limits of beta, nor the rule of delta_b; here they are Leith and Shorten's. Script: htcp.
RTT_max is the largest sample since the last congestion event; Linux carries 95 % \
of the excess over RTT_min from one event to the next. Both ignore samples during loss recovery, because the queue is still full then. Script: htcp.
D counts from the congestion event, as in the papers; in Linux it counts from \
the end of recovery, a round trip later. Script: htcp.
Linux scales growth with the round trip (rtt_scaling) by default; the papers do \
not say whether their experiments do. Script: htcp_rtt_scaling.
The papers do not say what a timeout or a loss in slow start does; here both set \
ssthresh to beta w, as any loss does, and as in Linux. Script: htcp.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: true,
    linux: Linux {
        module: Some(Module { params: &[("rtt_scaling", 1.0)], ..Module::of("htcp", Counts::Segments) }),
        load: Some("htcp"),
        ..Linux::NONE
    },
    losses: Losses {
        scale: Some(Scale { switch: "rtt_scaling", factor: scale }),
        ..Losses::of("H-TCP", mean_window, period)
    },
    look: Look { hue: 8, dash: 0 },
    states: &[],
    params: HtcpParams::LIST,
};

params! { pub(super) struct HtcpParams {
    /// time after a congestion event for which the flow behaves like Reno (Delta_L)
    d_l: f64 = 1.0 "s" in 0.0..=60.0,
    /// relative change of throughput between losses above which beta is beta_min (Delta_B)
    delta_b: f64 = 0.2 in 0.0..=1.0,
    /// smallest fraction of the window that remains after a loss
    beta_min: f64 = 0.5 in 0.1..=0.5,
    /// largest fraction of the window that remains after a loss
    beta_max: f64 = 0.8 in 0.5..=0.95,
    /// scale growth with the round trip, so that growth per second is that of a flow at 100 ms
    rtt_scaling: bool = false,
} }

/// Round trip at which scaling changes nothing, and the limits of scaling.
const RTT_REFERENCE: f64 = 0.1;
const SCALE_MIN: f64 = 0.1;
const SCALE_MAX: f64 = 2.0;

/// How rtt_scaling multiplies f.
fn scale(rtt: f64) -> f64 {
    (rtt / RTT_REFERENCE).clamp(SCALE_MIN, SCALE_MAX)
}

/// With a loss every T seconds and beta = 1/2, with f the growth per round trip and F, G its
/// first and second integral over T: the window rises by 2 (1 - beta) F / R, so that its largest
/// is 2 F / R, and 2 (beta F T + (1 - beta) G) / R^2 segments pass, which are 1/p.
fn mean_window(p: f64, rtt: f64) -> f64 {
    const BETA: f64 = 0.5;
    let segments = |t: f64| {
        let (first, second) = growth(t);
        2.0 * (BETA * first * t + (1.0 - BETA) * second) / (rtt * rtt)
    };
    (rtt / (p * where_above(1.0 / p, segments))).max(reno_window(p, rtt))
}

/// The window rises by F / R from the half that is F / R.
fn period(peak: f64, rtt: f64) -> f64 {
    where_above(peak * rtt / 2.0, |t| growth(t).0)
}

/// The first and second integral of f over t seconds.
fn growth(t: f64) -> (f64, f64) {
    let x = (t - 1.0).max(0.0);
    let first = t + 5.0 * x * x + x * x * x / 12.0;
    let second = t * t / 2.0 + 5.0 * x * x * x / 3.0 + x * x * x * x / 48.0;
    (first, second)
}

/// Where a function that rises from 0 comes to a value.
fn where_above(value: f64, of: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while of(high) < value && high < 1e9 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if of(middle) < value { low = middle } else { high = middle }
    }
    high
}

/// H-TCP in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Htcp {
    params: HtcpParams,
    /// The last congestion event, or the start of growth.
    last: Option<Time>,
    beta: f64,
    alpha: f64,
    /// Seconds; 0 if unknown.
    rtt_min: f64,
    rtt_max: f64,
    /// Not in loss recovery: set from the first ACK after recovery that lets the
    /// window grow.
    open: bool,
    /// Segments per second over the last round trip, and before the last congestion
    /// event; 0 if unknown.
    throughput: f64,
    old_throughput: f64,
    /// The round trip in progress.
    round: Option<Time>,
    delivered: u64,
}

impl Htcp {
    pub(super) fn new(params: HtcpParams) -> Self {
        Self {
            params,
            last: None,
            beta: params.beta_min,
            alpha: 1.0,
            rtt_min: 0.0,
            rtt_max: 0.0,
            open: true,
            throughput: 0.0,
            old_throughput: 0.0,
            round: None,
            delivered: 0,
        }
    }

    fn measure_throughput(&mut self, ack: &Ack) {
        if ack.round_start {
            let spent = self.round.map_or(0.0, |from| ack.now.since(from).secs());
            if spent > 0.0 {
                self.throughput = self.delivered as f64 / spent;
            }
            self.round = Some(ack.now);
            self.delivered = 0;
        }
        self.delivered += u64::from(ack.acked);
    }

    /// f(D), `d` seconds after the last congestion.
    fn f(&self, d: f64) -> f64 {
        let beyond = (d - self.params.d_l).max(0.0);
        // ngtcp paper, equation 5
        let f = 1.0 + 10.0 * beyond + (beyond / 2.0) * (beyond / 2.0);
        if self.params.rtt_scaling && self.rtt_min > 0.0 {
            (f * scale(self.rtt_min)).max(1.0)
        } else {
            f
        }
    }

    fn update_beta(&mut self) {
        let (new, old) = (self.throughput, self.old_throughput);
        let steady = old > 0.0 && (new - old).abs() <= self.params.delta_b * old;
        self.beta = if steady && self.rtt_max > 0.0 {
            (self.rtt_min / self.rtt_max).max(self.params.beta_min).min(self.params.beta_max)
        } else {
            self.params.beta_min
        };
        self.old_throughput = new;
    }
}

impl Law for Htcp {
    #[inline]
    fn observe(&mut self, _: &Window, ack: &Ack) {
        self.measure_throughput(ack);
        if let Some(rtt) = ack.rtt {
            self.rtt_min = rtt.min.secs();
            if self.open {
                self.rtt_max = self.rtt_max.max(rtt.latest.secs());
            }
        }
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        self.open = true;
        let last = *self.last.get_or_insert(ack.now);
        self.alpha = 2.0 * (1.0 - self.beta) * self.f(ack.now.since(last).secs());
        w.cwnd += ack.credit * self.alpha / w.cwnd;
    }

    fn shrink(&mut self, w: f64) -> f64 {
        self.update_beta();
        self.beta * w
    }

    fn shrunk(&mut self, now: Time) {
        self.last = Some(now);
        self.rtt_max = 0.0;
        self.open = false;
    }

    fn reset(&mut self, now: Time) {
        self.shrunk(now);
        // a round trip with a timeout in it says nothing about the path
        self.round = None;
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("alpha", self.alpha);
        see("beta", self.beta);
        see("throughput", self.throughput);
    }
}
