//! TCP-Illinois: losses decide whether the window grows or shrinks, delay decides
//! by how much.
//!
//! Source: Liu, Basar and Srikant, "TCP-Illinois: A Loss- and Delay-Based
//! Congestion Control Algorithm for High-Speed Networks", section 3 (Performance
//! Evaluation 65, 2008).
//!
//! ```text
//!  alpha(da)                              beta(da)
//!  alpha_max |----.                       beta_max |          .------
//!            |     \  k1/(k2 + da)                 |        / k3 + k4 da
//!  alpha_min |       `---------.          beta_min |------'
//!            +----+------------+ da                +------+---+------ da
//!                d1            dm                        d2   d3
//! ```
//!
//! da is the average queueing delay of a round trip, dm the largest ever seen, and `d_i` =
//! `eta_i` dm. The window grows along a concave curve: fast far from congestion, slowly near
//! it.

use super::rounds::Rounds;
use super::{Ack, Law, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Sheet};
use crate::table::params;
use crate::units::{Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "illinois",
    title: "TCP-Illinois",
    family: Family::LossAndDelay,
    source: "Liu, Basar, Srikant: TCP-Illinois: A Loss- and Delay-Based Congestion Control \
             Algorithm for High-Speed Networks, Performance Evaluation 65, 2008, section 3",
    equations: "\
per ACK:   w <- w + alpha/w
per loss:  w <- (1 - beta) w
w < w_thresh:  alpha = 1, beta = 1/2 (Reno); else once per round trip, from its
average queueing delay da = mean RTT - smallest RTT, and dm = largest - smallest RTT:
  da <= d1:  alpha = alpha_max;  else alpha = k1/(k2 + da), through alpha_max at d1
             and alpha_min at dm
  da <= d2:  beta = beta_min;  da >= d3: beta_max;  a straight line in between
  d1 = eta1 dm,  d2 = eta2 dm,  d3 = eta3 dm
Once da has been above d1, alpha returns to alpha_max only after theta round trips
below it.",
    differs: "\
Until theta round trips below d1 have passed, alpha does not change, as in Linux \
(whose code ns-2 also runs). Script: illinois.
In Linux a round trip above d1 in between does not restart the count; the paper \
requires da to stay below d1 for theta round trips, and so do we. Test: \
theta_round_trips_in_a_row.
beta also applies to a loss in slow start and to a timeout, as in Linux. Script: \
illinois.
After a timeout alpha is 1 and beta 1/2 until a round trip has been measured, as \
in Linux. Linux uses fixed-point arithmetic: its alpha_min is 38/128.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: false,
    linux: Linux {
        module: Some(Module::of("illinois", Counts::Segments)),
        load: Some("illinois"),
        ..Linux::NONE
    },
    // alpha_min
    losses: Losses { least_growth: 0.3, ..Losses::UNKNOWN },
    look: Look { hue: 8, dash: 1 },
    states: &[],
    params: IllinoisParams::LIST,
};

params! { pub(super) struct IllinoisParams {
    /// segments gained per round trip while nothing is queued
    alpha_max: f64 = 10.0 "segments" in 1.0..=1_000.0,
    /// segments gained per round trip when the queue is at its longest
    alpha_min: f64 = 0.3 "segments" in 0.01..=1.0,
    /// fraction of the window given up at a loss when nothing is queued
    beta_min: f64 = 0.125 in 0.01..=0.5,
    /// fraction of the window given up at a loss when the queue is long
    beta_max: f64 = 0.5 in 0.5..=0.9,
    /// window below which the flow behaves like Reno
    w_thresh: f64 = 15.0 "segments" in 0.0..=1e6,
    /// round trips below d1 before alpha becomes alpha_max again
    theta: f64 = 5.0 in 1.0..=1_000.0,
    /// d1 as a fraction of the largest queueing delay
    eta1: f64 = 0.01 in 0.0..=0.9,
    /// d2 as a fraction of the largest queueing delay
    eta2: f64 = 0.1 in 0.0..=0.5,
    /// d3 as a fraction of the largest queueing delay
    eta3: f64 = 0.8 in 0.5..=1.0,
} }

/// Reno's, below `w_thresh` and after a timeout.
const ALPHA_BASE: f64 = 1.0;
const BETA_BASE: f64 = 0.5;

/// TCP-Illinois in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Illinois {
    params: IllinoisParams,
    rounds: Rounds,
    max: Duration,
    alpha: f64,
    beta: f64,
    /// Number of round trips for which da has been below d1, after having been
    /// above.
    above: bool,
    low: f64,
}

impl Illinois {
    pub(super) fn new(params: IllinoisParams) -> Self {
        Self {
            params,
            rounds: Rounds::default(),
            max: Duration::ZERO,
            // no queue has been observed yet
            alpha: params.alpha_max,
            beta: BETA_BASE,
            above: false,
            low: 0.0,
        }
    }

    /// Once per round trip.
    fn update(&mut self, rtt: f64) {
        let base = self.rounds.base();
        let dm = (self.max.secs() - base).max(0.0);
        // a mean exceeds the largest value only by rounding
        let da = (rtt - base).clamp(0.0, dm);
        let IllinoisParams { eta1, eta2, eta3, .. } = self.params;
        let [d1, d2, d3] = [eta1, eta2, eta3].map(|eta| eta * dm);
        if da > d1 {
            (self.above, self.low) = (true, 0.0);
            self.alpha = self.alpha_above(da - d1, dm - d1);
        } else {
            self.low += 1.0;
            if !self.above || self.low >= self.params.theta {
                (self.above, self.low) = (false, 0.0);
                self.alpha = self.params.alpha_max;
            }
        }
        self.beta = if da <= d2 {
            self.params.beta_min
        } else if da >= d3 {
            self.params.beta_max
        } else {
            self.params.beta_min
                + (self.params.beta_max - self.params.beta_min) * (da - d2) / (d3 - d2)
        };
    }

    /// k1/(k2 + da), with da and dm counted from d1: then k1 = k2 `alpha_max` and
    /// k2 = dm `alpha_min` / (`alpha_max` - `alpha_min`).
    fn alpha_above(&self, da: f64, dm: f64) -> f64 {
        let (max, min) = (self.params.alpha_max, self.params.alpha_min);
        max * dm / (dm + da * (max - min) / min)
    }
}

impl Law for Illinois {
    #[inline]
    fn observe(&mut self, _: &Window, ack: &Ack) {
        if let Some(rtt) = self.rounds.hear(ack) {
            self.update(rtt);
        }
        if let Some(rtt) = ack.rtt {
            self.max = self.max.max(rtt.latest);
        }
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let alpha = if w.cwnd < self.params.w_thresh { ALPHA_BASE } else { self.alpha };
        w.cwnd += ack.credit * alpha / w.cwnd;
    }

    fn shrink(&mut self, w: f64) -> f64 {
        let beta = if w < self.params.w_thresh { BETA_BASE } else { self.beta };
        (1.0 - beta) * w
    }

    fn reset(&mut self, _: Time) {
        self.rounds.end();
        (self.alpha, self.beta) = (ALPHA_BASE, BETA_BASE);
        (self.above, self.low) = (false, 0.0);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("alpha", self.alpha);
        see("beta", self.beta);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn theta_round_trips_in_a_row() {
        let mut law = Illinois::new(IllinoisParams::default());
        law.rounds.push(Duration::from_millis(100));
        law.max = Duration::from_millis(200);
        law.update(0.1);
        assert_eq!(law.alpha, 10.0);
        law.update(0.2);
        assert!((law.alpha - 0.3).abs() < 1e-12, "dm: alpha_min");
        for _ in 0..4 {
            law.update(0.1);
        }
        law.update(0.2);
        // four, one above, four: not five in a row
        for _ in 0..4 {
            law.update(0.1);
            assert!((law.alpha - 0.3).abs() < 1e-12);
        }
        law.update(0.1);
        assert_eq!(law.alpha, 10.0);
    }
}
