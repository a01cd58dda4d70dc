//! CUBIC: the window is a cubic function of the time since the last loss, flat around the
//! window at which that loss occurred.
//!
//! Source: RFC 9438, section 4. Windows are in segments, times in seconds.
//!
//! ```text
//!  w |                               *    convex: probing beyond W_max
//!    |                             *
//!    | - - - - - *  *  *  *  *  *  - -    W_max, reached K seconds after the loss
//!    |     *
//!    |   *                                concave: back to where the loss was
//!    |  *
//!    | *                                  beta W_max, after the loss
//!    +------------------------------- t
//!                      K
//! ```
//!
//! Growth depends on real time, so flows with different round trips grow alike.
//! Where Reno would be faster (short round trips, small windows), the flow grows
//! like Reno.
//!
//! The curve is shared with `cubic2005.rs`.

use super::{Ack, Law, Window};
use crate::params::{Counts, Family, Linux, Look, Losses, Module, Sheet};
use crate::table::params;
use crate::units::{Duration, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "cubic",
    title: "CUBIC",
    family: Family::Loss,
    source: "RFC 9438, section 4; beta_ecn: RFC 8511, section 3.1 (from memory)",
    equations: "\
per loss:  W_max <- w; if that is below the previous W_max (fast convergence):
           W_max <- w (1 + beta)/2;  then w <- beta w
per mark:  the same, but w <- beta_ecn w outside of slow start
W(t) = C (t - K)^3 + W_max,  K = cbrt((W_max - w_epoch)/C)
           t: time since growth resumed;  w_epoch: w at that time
per ACK:   W_est <- W_est + alpha/w, from w_epoch on
           alpha = 3 (1 - beta)/(1 + beta), but 1 once W_est has reached w before the loss
  W(t) < W_est:  w <- W_est (Reno-friendly region)
  otherwise:     w <- w + (target - w)/w,  target = W(t + RTT) within w .. 1.5 w",
    differs: "\
W_max is the amount in flight at the loss, which is less than the window if that \
was not fully used; the RFC permits this for ssthresh. Script: cubic.
If W_est is above W(t) but below w, w does not change: an ACK never shrinks the \
window. Test: any_sequence_keeps_the_window_legal.
A loss in slow start also reduces w to beta w. Script: cubic.",
    needs: &[],
    grows_until_loss: true,
    shrinks_on_acks: false,
    like_reno: true,
    linux: Linux {
        module: Some(Module {
            nearer: Some("cubic-linux"),
            ..Module::of("cubic", Counts::Segments)
        }),
        today: "For what Linux runs today by default, use cubic-linux. This is CUBIC as in RFC 9438, \
                without Linux's HyStart and its rounding to whole numbers.",
        ..Linux::NONE
    },
    losses: Losses::of(
        "CUBIC",
        // RFC 9438, section 5.1
        |p, rtt| (1.054 * libm::pow(rtt / p, 0.75)).max(super::losses::reno_window(p, rtt)),
        // from 0.7 of the window to all of it: K = cbrt(0.3 W / C) seconds with C = 0.4 (section
        // 4.2), unless it gets there sooner as Reno would, by 3 (1 - 0.7) / (1 + 0.7) segments
        // per round trip (section 4.3)
        |peak, rtt| libm::cbrt(0.3 * peak / 0.4).min(0.3 * peak / (3.0 * 0.3 / 1.7) * rtt),
    ),
    look: Look { hue: 2, dash: 0 },
    states: &[],
    params: CubicParams::LIST,
};

params! { pub(super) struct CubicParams {
    /// how fast the window moves away from and towards W_max (C)
    c: f64 = 0.4 "segments/s^3" in 0.001..=10.0,
    /// fraction of the window that remains after a loss (beta_cubic)
    beta: f64 = 0.7 in 0.1..=0.95,
    /// fraction of the window that remains after a mark; 0.85 with ABE (RFC 8511)
    beta_ecn: f64 = 0.7 in 0.1..=0.99,
    /// grow like Reno where Reno grows faster
    friendly: bool = true,
    /// lower W_max further if the loss comes below the last W_max
    fast_convergence: bool = true,
} }

/// RFC 9438, section 4.2: the target is at most this many times the window.
const MOST: f64 = 1.5;

/// The cubic between two losses, and what is remembered across them.
#[derive(Clone, Debug)]
pub(super) struct Curve {
    c: f64,
    /// Fraction of the window that remains after a loss.
    beta: f64,
    fast_convergence: bool,
    /// 0 before the first loss and after a timeout.
    w_max: f64,
    k: f64,
    epoch: Option<Epoch>,
    /// SRTT in seconds; 0 if unknown.
    pub(super) rtt: f64,
    /// The last ACK.
    seen: Time,
    /// `w_max`, `k` and `epoch` before the last loss.
    kept: Option<(f64, f64, Option<Epoch>)>,
}

/// Growth since it resumed.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Time,
    w: f64,
}

impl Curve {
    pub(super) fn new(beta: f64, c: f64, fast_convergence: bool) -> Self {
        Self {
            c,
            beta,
            fast_convergence,
            w_max: 0.0,
            k: 0.0,
            epoch: None,
            rtt: 0.0,
            seen: Time::ZERO,
            kept: None,
        }
    }

    pub(super) fn keep(&mut self) {
        self.kept = Some((self.w_max, self.k, self.epoch));
    }

    pub(super) fn undone(&mut self) {
        if let Some(kept) = self.kept.take() {
            (self.w_max, self.k, self.epoch) = kept;
        }
    }

    /// RFC 9438, section 5.8; as Linux does at CA_EVENT_TX_START.
    pub(super) fn idle(&mut self, idle: Duration) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start += idle;
            self.seen += idle;
        }
    }

    /// Growing by this and shrinking to beta gives the average window of Reno: RFC
    /// 9438, section 4.3.
    pub(super) fn alpha(&self) -> f64 {
        3.0 * (1.0 - self.beta) / (1.0 + self.beta)
    }

    pub(super) fn observe(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.rtt = rtt.smoothed.secs();
        }
        // RFC 9438, section 5.8: t excludes the time during which the application
        // limits the flow
        if !ack.cwnd_limited
            && let Some(epoch) = &mut self.epoch
        {
            epoch.start += ack.now.since(self.seen);
        }
        self.seen = ack.now;
    }

    /// Seconds since growth resumed, and the window at which it did. The first ACK
    /// that asks resumes it, at `w`.
    pub(super) fn since_epoch(&mut self, w: f64, now: Time) -> (f64, f64) {
        let epoch = match self.epoch {
            Some(epoch) => epoch,
            None => self.begin(Epoch { start: now, w }),
        };
        (now.since(epoch.start).secs(), epoch.w)
    }

    fn begin(&mut self, epoch: Epoch) -> Epoch {
        if epoch.w < self.w_max {
            // RFC 9438, section 4.2, figure 2
            self.k = libm::cbrt((self.w_max - epoch.w) / self.c);
        } else {
            // RFC 9438, sections 4.8 and 4.10: no W_max to return to
            self.w_max = epoch.w;
            self.k = 0.0;
        }
        *self.epoch.insert(epoch)
    }

    /// W(t) of RFC 9438, section 4.2, figure 1.
    pub(super) fn at(&self, t: f64) -> f64 {
        let d = t - self.k;
        self.c * d * d * d + self.w_max
    }

    pub(super) fn shrink(&mut self, w: f64) -> f64 {
        // RFC 9438, section 4.7
        let falling = w < self.w_max && self.fast_convergence;
        self.w_max = if falling { w * (1.0 + self.beta) / 2.0 } else { w };
        self.epoch = None;
        // RFC 9438, section 4.6
        self.beta * w
    }

    /// RFC 9438, section 4.8: after a timeout K is 0 and `W_max` the window at
    /// which growth resumes.
    pub(super) fn reset(&mut self) {
        self.w_max = 0.0;
        self.epoch = None;
    }

    pub(super) fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("w_max", self.w_max);
        see("k", self.k);
    }
}

/// CUBIC in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Cubic {
    params: CubicParams,
    curve: Curve,
    /// Set from the first ACK after a loss on.
    w_est: Option<f64>,
    /// `cwnd_prior` of the RFC, section 4.1.2: where ssthresh was set last, by a loss, a
    /// mark or a timeout; 0 before the first.
    before: f64,
    /// `w_est` and `before` before the last loss.
    kept: Option<(Option<f64>, f64)>,
}

impl Cubic {
    pub(super) fn new(params: CubicParams) -> Self {
        Self {
            params,
            curve: Curve::new(params.beta, params.c, params.fast_convergence),
            w_est: None,
            before: 0.0,
            kept: None,
        }
    }
}

impl Law for Cubic {
    #[inline]
    fn observe(&mut self, _: &Window, ack: &Ack) {
        self.curve.observe(ack);
    }

    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        let (t, begin) = self.curve.since_epoch(w.cwnd, ack.now);
        let w_est = self.w_est.get_or_insert(begin);
        // RFC 9438, section 4.3; above cwnd_prior, W_est grows like Reno's window
        let alpha = if *w_est < self.before { self.curve.alpha() } else { 1.0 };
        *w_est += alpha * ack.credit / w.cwnd;
        if self.params.friendly && self.curve.at(t) < *w_est {
            w.cwnd = w.cwnd.max(*w_est);
        } else {
            let target = self.curve.at(t + self.curve.rtt).clamp(w.cwnd, MOST * w.cwnd);
            w.cwnd += (target - w.cwnd) * (ack.credit / w.cwnd).min(1.0);
        }
    }

    fn shrink(&mut self, w: f64) -> f64 {
        self.before = w;
        self.w_est = None;
        self.curve.shrink(w)
    }

    fn shrink_at_mark(&mut self, w: f64, slow_start: bool) -> Option<f64> {
        if slow_start {
            return None;
        }
        self.shrink(w);
        Some(self.params.beta_ecn * w)
    }

    fn reset(&mut self, _: Time) {
        self.curve.reset();
        self.w_est = None;
    }

    /// RFC 9438, section 4.9.2: undo_W_max, undo_K, undo_t_epoch, undo_W_est; also
    /// after a spurious timeout (section 4.9.1; numbers from memory).
    fn keep(&mut self) {
        self.kept = Some((self.w_est, self.before));
        self.curve.keep();
    }

    fn undone(&mut self) {
        if let Some(kept) = self.kept.take() {
            (self.w_est, self.before) = kept;
        }
        self.curve.undone();
    }

    fn idle(&mut self, idle: Duration) {
        self.curve.idle(idle);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        self.curve.inspect(see);
        see("w_est", self.w_est.unwrap_or(0.0));
    }
}
