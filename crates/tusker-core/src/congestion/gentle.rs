//! HighSpeed TCP with two modes, HSTCP and Reno, chosen once per window of
//! segments. `ghstcp` and `ghstcp_refined` differ in how they choose.

use super::hstcp::{HighSpeed, HighSpeedParams};
use super::modes::{Modes, TwoModes, Watch};
use super::trend::Trend;
use super::windowed::{Law, Windowed};
use super::{Ack, Window};
use crate::table::states;
use crate::units::{Duration, Time};

states! {
/// How the window grows. In both modes it shrinks as in HSTCP.
pub enum Mode {
    /// By a(w) of HSTCP.
    Hstcp = "HSTCP",
    /// By one segment per round trip.
    Reno = "Reno",
} }

/// How the mode is chosen.
pub trait Decide {
    /// Returns the mode after a window of segments, given the trend of their round
    /// trips.
    fn decide(&mut self, trend: &Trend) -> Mode;

    /// Adds the round trip of a segment of the window.
    #[inline]
    fn pair(&mut self, _rtt: Duration) {}

    /// A retransmission happened, which sets the mode to HSTCP.
    fn retransmitted(&mut self) {}

    /// The numbers of the last decision, for traces.
    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64));
}

/// A gentle HighSpeed TCP in congestion avoidance.
#[derive(Clone, Debug)]
pub struct Gentle<D> {
    high_speed: HighSpeed,
    decider: D,
    mode: Mode,
    trend: Trend,
    /// Packets to be acknowledged before the next decision.
    wanted: u32,
    /// Packets that were, since the window of segments began.
    acked: u32,
    /// Count pairs instead.
    count_pairs: bool,
    watch: Watch,
}

impl<D: Decide> Gentle<D> {
    /// In HSTCP mode, with the parameters of HSTCP.
    pub(super) fn deciding(decider: D, params: HighSpeedParams, count_pairs: bool) -> Self {
        Self {
            high_speed: HighSpeed::new(params),
            decider,
            mode: Mode::Hstcp,
            trend: Trend::default(),
            wanted: 0,
            acked: 0,
            count_pairs,
            watch: Watch::default(),
        }
    }

    #[inline]
    fn measure(&mut self, w: &Window, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        if self.trend.count() == 0 {
            self.wanted = w.cwnd as u32;
            self.acked = 0;
        }
        // section 3.2: N "is the size of congestion window in packet"; a delayed ACK is one
        // pair for two of them
        let packets = if self.count_pairs { 1 } else { ack.acked.max(1) };
        self.acked = self.acked.saturating_add(packets);
        self.trend.push(ack.departed, rtt.latest);
        self.decider.pair(rtt.latest);
        if self.acked >= self.wanted {
            self.decide(w.cwnd);
        }
    }

    fn decide(&mut self, cwnd: f64) {
        let before = self.mode;
        self.mode = self.decider.decide(&self.trend);
        self.trend = Trend::default();
        self.watch.decided(cwnd, self.mode == Mode::Reno, self.mode != before);
    }

    fn retransmitted(&mut self) {
        self.mode = Mode::Hstcp;
        self.trend = Trend::default();
        self.decider.retransmitted();
    }
}

impl<D: Decide> Law for Gentle<D> {
    #[inline]
    fn grow(&mut self, w: &mut Window, ack: &Ack) {
        self.measure(w, ack);
        let a = match self.mode {
            Mode::Hstcp => self.high_speed.a(w.cwnd),
            Mode::Reno => 1.0,
        };
        w.cwnd += ack.credit * a / w.cwnd;
    }

    fn shrink(&mut self, w: f64) -> f64 {
        self.high_speed.shrink(w)
    }

    fn shrink_outside(&mut self, w: f64) -> f64 {
        self.high_speed.shrink_outside(w)
    }

    fn shrunk(&mut self, _: Time) {
        self.retransmitted();
    }

    fn reset(&mut self, _: Time) {
        self.retransmitted();
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        see("mode", f64::from(self.mode as u8));
        self.decider.inspect(see);
    }
}

impl<D: Decide> TwoModes for Windowed<Gentle<D>> {
    fn watch(&mut self, window: f64) {
        self.law_mut().watch.at(window);
    }

    fn modes(&self) -> Modes {
        self.law().watch.modes()
    }
}
