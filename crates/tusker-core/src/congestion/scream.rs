//! SCReAM v2: a reference window for media, which shrinks as the queueing delay
//! approaches a target; the longer the path, the less it shrinks.
//!
//! Source: draft-johansson-ccwg-rfc8298bis-screamv2, "Network Congestion Control", "Send Window
//! Calculation" and "Media Rate Control". Names are those of the draft, which replaces RFC
//! 8298.
//!
//! ```text
//!  backoff                         increase per round trip
//!    1/2 |          .-------          1 segment (more after 100 round trips without
//!        |        .'                  loss), a quarter of it near the window of the
//!        |      .'                    last congestion, a tenth as long as a queue waits
//!      0 +-----'------------ delay
//!         target/2   target
//! ```
//!
//! The media source always has something to send, at the target bitrate.

use super::bbr1::segment_rate;
use super::delay::Queuing;
use super::{Ack, Congestion, Controller, Deflate, Options, Overrule, Signal, Timeout, Window};
use crate::params::{Family, Linux, Look, Losses, Need, Sheet};
use crate::table::params;
use crate::units::{Bytes, Duration, Rate, Time};

pub(super) const SHEET: Sheet = Sheet {
    name: "scream",
    title: "SCReAM v2 (its network congestion control)",
    family: Family::Marks,
    source: "draft-johansson-ccwg-rfc8298bis-screamv2, its repository between -06 and -07 (early \
             2026), sections Network Congestion Control, Send Window Calculation and Media Rate \
             Control",
    equations: "\
qdelay_avg <- qdelay if that is less, else + (qdelay - qdelay_avg)/4;  once per min(25 ms, srtt)
near = (8 (w - w_i)/w_i)^2 within 0.1 .. 1,  w_i: w at a congestion event, kept for 10 srtt
at most once per min(25 ms, srtt):
  loss:   w <- beta_loss w;   mark:  w <- beta_ecn w
  delay:  w <- w (1 - a/2/max(1, srtt/25 ms)),  a = (qdelay_avg - target/2)/(target/2), 0 .. 1
per segment acknowledged:  w <- w + 1/w min(1, srtt/25 ms) max(1/4, near) max(1/10, calm) more
  calm = 1 - dev/th,  more = 1 + mul w near min(1, t/(100 max(25 ms, srtt)))
  t: time since the last loss or mark
  dev: moving average, weight 1/64, of (qdelay - 6.25 ms)/25 ms within 0 .. 1.5 th
  th = max(0.05, 0.1 - 1/w)
  only up to 1 + 1.5 times the most that was in flight in this or the last round trip
in flight: at most w (1.5 + 1.5 max(0, calm))
rate of the source, and pacing: w/srtt/1.2, and up to 20 % less if w < 10",
    differs: "\
The source sends at exactly the target bitrate and has no frames: \
rate_adjust_factor and frame_size_dev are 0, and segments are paced at the \
source's rate. Script: scream.
If an ACK gives no forward delay, qdelay is the excess of the round trip over its \
minimum; neither minimum is ever forgotten. Script: scream.
The draft's text between -06 and -07 compares the variation of the delay with th, -07 with 1, and \
draft-ietf-ccwg-rfc8298bis-screamv2-01 (July 2026), which replaces it, the spread of the delay with 10 ms.
The authors' code (EricssonResearch/scream, ScreamV2Tx.cpp, July 2026) differs from the draft: \
growth is cautious for 200 round trips after congestion (draft 100), reactions to losses and marks \
are min(30 ms, srtt) apart (25 ms), and losses count only if more than 1 % is lost or \
qdelay_avg exceeds target/4. It can also detect a policer (off by default).
Left out: L4S (accurate marks), the target that increases beside queue-filling \
flows (which the draft allows to turn off), and the correction for clock drift. Marks are \
those of classic ECN. Script: scream.
As in the draft, the initial window is 3000 bytes (here 2 segments, with three \
times that in flight), whatever initial_window says. A timeout counts as a loss; \
the draft has no timeouts. Script: scream.",
    needs: &[Need::Timestamps, Need::Pacing, Need::RackTlp],
    grows_until_loss: false,
    shrinks_on_acks: true,
    like_reno: false,
    linux: Linux::NONE,
    losses: Losses::UNKNOWN,
    look: Look { hue: 5, dash: 3 },
    states: &[],
    params: ScreamParams::LIST,
};

params! { pub(super) struct ScreamParams {
    /// queueing delay at which the window shrinks fastest (QDELAY_TARGET_LO)
    qdelay_target: Duration = 0.06 "s" in 0.000_1..=10.0,
    /// shorter round trips count as this long (VIRTUAL_RTT)
    virtual_rtt: Duration = 0.025 "s" in 0.000_1..=1.0,
    /// fraction of the window that remains after a loss
    beta_loss: f64 = 0.7 in 0.1..=0.99,
    /// fraction of the window that remains after a mark
    beta_ecn: f64 = 0.8 in 0.1..=0.99,
    /// largest growth per round trip beyond one segment, as a fraction of the window
    /// (MUL_INCREASE_FACTOR)
    mul: f64 = 0.02 in 0.0..=1.0,
} }

/// MIN_REF_WND: 3000 bytes.
const LEAST: f64 = 2.0;

/// BYTES_IN_FLIGHT_HEAD_ROOM.
const HEAD_ROOM: f64 = 1.5;

/// REF_WND_OVERHEAD_MIN and _MAX.
const OVERHEAD: (f64, f64) = (1.5, 3.0);

/// POST_CONGESTION_DELAY_RTTS.
const POST_CONGESTION: f64 = 100.0;

/// Weights of the averages of the delay and of its variation; QDELAY_DEV_NORM in
/// seconds.
const QDELAY_AVG_G: f64 = 0.25;
const QDELAY_DEV_AVG_G: f64 = 1.0 / 64.0;
const QDELAY_DEV_NORM: f64 = 0.025;

/// "better to set the target bitrate slightly lower than what ref_wnd and s_rtt indicate"
const DOWNSCALE: f64 = 1.2;

/// SCReAM v2; windows in segments, delays in seconds.
// The window first, as in `Windowed`, so that it can be read without looking at the variant.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Scream {
    pub(super) window: Window,
    pacing_rate: Option<Rate>,
    segment: Option<Bytes>,
    max_window: f64,
    ref_wnd: f64,
    ref_wnd_i: f64,
    ref_wnd_i_at: Option<Time>,
    smallest: Duration,
    forward: Queuing,
    srtt: Duration,
    qdelay_avg: f64,
    qdelay_avg_at: Time,
    dev: f64,
    /// Time of the last loss or mark, or of the start.
    congested_at: Option<Time>,
    reacted_at: Option<Time>,
    in_flight: [f64; 2],
    params: ScreamParams,
}

impl Scream {
    pub(super) fn new(params: ScreamParams, options: &Options) -> Self {
        let least = LEAST.min(options.max_window).max(1.0);
        let mut scream = Self {
            window: Window { cwnd: least, ssthresh: f64::INFINITY },
            pacing_rate: None,
            segment: options.pacing,
            max_window: options.max_window,
            ref_wnd: least,
            ref_wnd_i: 1e-3,
            ref_wnd_i_at: None,
            smallest: Duration::MAX,
            forward: Queuing::new(0.0),
            srtt: Duration::ZERO,
            qdelay_avg: 0.0,
            qdelay_avg_at: Time::ZERO,
            dev: 0.0,
            congested_at: None,
            reacted_at: None,
            in_flight: [0.0; 2],
            params,
        };
        scream.set();
        scream
    }

    /// min(VIRTUAL_RTT, s_rtt).
    fn short(&self) -> Duration {
        self.srtt.min(self.params.virtual_rtt)
    }

    /// `qdelay_dev_norm_th`.
    fn threshold(&self) -> f64 {
        (0.1 * (1.0 - (1.0 / self.ref_wnd).min(1.0) / 0.1)).max(0.05)
    }

    /// 1 where the delay does not vary, below 0 where it does.
    fn calm(&self) -> f64 {
        1.0 - self.dev / self.threshold()
    }

    /// `scl_t`.
    fn near(&self) -> f64 {
        let apart = 8.0 * (self.ref_wnd - self.ref_wnd_i) / self.ref_wnd_i;
        (apart * apart).clamp(0.1, 1.0)
    }

    fn average(&mut self, now: Time, qdelay: f64) {
        if now.since(self.qdelay_avg_at) < self.short() {
            return;
        }
        self.qdelay_avg_at = now;
        let more = qdelay - self.qdelay_avg;
        self.qdelay_avg = if more < 0.0 { qdelay } else { self.qdelay_avg + QDELAY_AVG_G * more };
        let now = (qdelay - QDELAY_DEV_NORM / 4.0) / QDELAY_DEV_NORM;
        let now = now.min(1.5 * self.threshold()).max(0.0);
        self.dev += QDELAY_DEV_AVG_G * (now - self.dev);
    }

    fn may_react(&self, now: Time) -> bool {
        self.reacted_at.is_none_or(|at| now.since(at) >= self.short())
    }

    fn shrink(&mut self, now: Time, factor: f64) {
        if self.ref_wnd_i_at.is_none_or(|at| now.since(at) > self.srtt * 10) {
            (self.ref_wnd_i_at, self.ref_wnd_i) = (Some(now), self.ref_wnd);
        }
        self.reacted_at = Some(now);
        self.ref_wnd = (self.ref_wnd * factor).max(LEAST.min(self.ref_wnd));
    }

    fn react_to_delay(&mut self, now: Time) {
        let half = self.params.qdelay_target.secs() / 2.0;
        if self.qdelay_avg > half && self.may_react(now) {
            let alpha = ((self.qdelay_avg - half) / half).clamp(0.0, 1.0);
            let long = (self.srtt.secs() / self.params.virtual_rtt.secs()).max(1.0);
            self.shrink(now, 1.0 - alpha / 2.0 / long);
        }
    }

    fn grow(&mut self, now: Time, acked: f64) {
        let (srtt, least) = (self.srtt.secs(), self.params.virtual_rtt.secs());
        let near = self.near();
        let since = self.congested_at.map_or(0.0, |at| now.since(at).secs());
        let post = (since / (POST_CONGESTION * srtt.max(least))).clamp(0.0, 1.0);
        let ratio = (1.0 / self.ref_wnd).min(1.0) * (srtt / least).min(1.0);
        let more = 1.0 + self.params.mul * self.ref_wnd * post * near;
        let increment = acked * ratio * near.max(0.25) * self.calm().max(0.1) * more;
        let most = 1.0 + self.in_flight[0].max(self.in_flight[1]) * HEAD_ROOM;
        if self.ref_wnd + increment <= most {
            self.ref_wnd += increment;
        }
    }

    /// Sets the send window and the pacing rate.
    fn set(&mut self) {
        self.ref_wnd = self.ref_wnd.min(self.max_window);
        let (least, most) = OVERHEAD;
        let overhead = least + (most - least) * self.calm().max(0.0);
        self.window.cwnd = (self.ref_wnd * overhead).min(self.max_window).max(1.0);
        if self.srtt > Duration::ZERO {
            let small = 1.0 - ((1.0 / self.ref_wnd).min(1.0) - 0.1).clamp(0.0, 0.2);
            let rate = small * self.ref_wnd / self.srtt.secs() / DOWNSCALE;
            self.pacing_rate = self.segment.map(|segment| segment_rate(rate, segment));
        }
    }
}

impl Controller for Scream {
    window_and_rate!();

    fn on_ack(&mut self, ack: &Ack) {
        if ack.round_start {
            self.in_flight = [0.0, self.in_flight[0]];
        }
        let in_flight = f64::from(ack.in_flight) + f64::from(ack.acked);
        self.in_flight[0] = self.in_flight[0].max(in_flight);
        let Some(rtt) = ack.rtt else { return };
        self.srtt = rtt.smoothed;
        self.smallest = self.smallest.min(rtt.latest);
        self.congested_at.get_or_insert(ack.now);
        let qdelay = match rtt.forward {
            Some(forward) => {
                self.forward.push(forward, 1.0);
                self.forward.queue().unwrap_or(0.0)
            }
            None => rtt.latest.secs() - self.smallest.secs(),
        };
        self.average(ack.now, qdelay);
        self.react_to_delay(ack.now);
        self.grow(ack.now, f64::from(ack.acked));
        self.set();
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.congested_at = Some(event.now);
        if self.may_react(event.now) {
            let lost = event.signal == Signal::Loss;
            self.shrink(event.now, if lost { self.params.beta_loss } else { self.params.beta_ecn });
            self.set();
        }
    }

    fn on_recovered(&mut self, _: Time) {}

    fn on_timeout(&mut self, event: &Timeout) {
        self.congested_at = Some(event.now);
        if self.may_react(event.now) {
            self.shrink(event.now, self.params.beta_loss);
            self.set();
        }
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("ref_wnd", self.ref_wnd);
        see("qdelay_avg_ms", self.qdelay_avg * 1e3);
        see("calm", self.calm());
    }
}

impl Deflate for Scream {}

impl Overrule for Scream {}
