//! Turns a law from a paper into a controller by adding slow start, congestion episodes and
//! timeouts.

use super::extensions::{Deflate, Overrule};
use super::slow_start::{SlowStart, SlowStartState};
use super::window::{LOSS_WINDOW, MIN_SSTHRESH, Window};
use super::{Ack, Congestion, Controller, Signal, Timeout};
use crate::params::Need;
use crate::units::{Bytes, Duration, Rate, Time};

/// A law of window change in congestion avoidance: what most papers describe.
pub trait Law {
    /// The law has its own slow start: [`Self::grow`] is also called below
    /// ssthresh, and leaves slow start by lowering ssthresh. The slow start of
    /// [`Options`] then has no effect.
    const OWN_SLOW_START: bool = false;

    /// Called for every ACK in every phase, before the window changes.
    #[inline]
    fn observe(&mut self, _w: &Window, _ack: &Ack) {}

    /// For a law with its own slow start: this ACK ends it at the present window, whether
    /// or not the window is used.
    #[inline]
    fn leaves_slow_start(&mut self) -> bool {
        false
    }

    /// Grows the window, at an ACK in congestion avoidance for which `ack.credit`
    /// is above 0 and the window limits the sender.
    fn grow(&mut self, w: &mut Window, ack: &Ack);

    /// The window to which `w` segments shrink at a congestion event.
    fn shrink(&mut self, w: f64) -> f64;

    /// The same when the window was not reached by this law: at a loss or mark in
    /// slow start, and at a timeout.
    fn shrink_outside(&mut self, w: f64) -> f64 {
        self.shrink(w)
    }

    /// The window to which `w` segments shrink at an ECN mark, in slow start or
    /// not, for laws that react to a mark differently than to a loss.
    fn shrink_at_mark(&mut self, _w: f64, _slow_start: bool) -> Option<f64> {
        None
    }

    /// The window has just shrunk at a congestion episode.
    fn shrunk(&mut self, _now: Time) {}

    /// A timeout: earlier measurements no longer apply.
    fn reset(&mut self, _now: Time) {}

    /// The window is about to shrink, perhaps spuriously: save what
    /// [`Self::undone`] needs to restore.
    fn keep(&mut self) {}

    /// Nothing was lost: restore what was saved last.
    fn undone(&mut self) {}

    /// The application sent nothing for this long.
    fn idle(&mut self, _idle: Duration) {}

    /// Whether the law, with its parameters, needs this in addition to what its
    /// sheet lists.
    fn also_needs(&self, _need: Need) -> bool {
        false
    }

    /// Inner values by name, for traces.
    fn inspect(&self, _see: &mut dyn FnMut(&'static str, f64)) {}
}

/// How a [`Windowed`] controller starts and sends, with any law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Window before the first ACK, in segments.
    pub initial_window: f64,
    /// Threshold before the first loss, in segments; infinite as in RFC 5681.
    pub initial_ssthresh: f64,
    /// The window never grows beyond this, in segments.
    pub max_window: f64,
    /// How the window grows below ssthresh.
    pub slow_start: SlowStart,
    /// Round ssthresh down to whole segments at a cut, as in ns-2.
    pub whole_ssthresh: bool,
    /// If given, pace segments over the round trip instead of sending them on ACKs:
    /// the size of a segment on the wire.
    pub pacing: Option<Bytes>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            initial_window: 1.0,
            initial_ssthresh: f64::INFINITY,
            max_window: f64::INFINITY,
            slow_start: SlowStart::Standard,
            whole_ssthresh: false,
            pacing: None,
        }
    }
}

/// Linux paces at twice the window per RTT in slow start, so that the window can
/// double, and at 1.2 times afterwards, so that pacing is never the limit.
const PACING_SLOW_START: f64 = 2.0;
const PACING_AVOIDANCE: f64 = 1.2;

/// A law, with slow start added.
///
/// ```text
///             cwnd < ssthresh                    cwnd >= ssthresh
///           +----------------+                +---------------------+
///   start ->|   slow start   |--------------->| congestion avoidance|
///           +----------------+                |     law.grow()      |
///               ^        |                    +---------------------+
///       timeout |        | loss or mark           | loss or mark
///      cwnd = 1 |        v                        v
///               |    +---------------------------------------+
///               +----| recovery: ssthresh = law.shrink(w),   |
///                    | cwnd = ssthresh, no growth            |
///                    +---------------------------------------+
/// ```
// In this order, so that the window is at the same place for every law and can be
// read without knowing which law it is.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Windowed<L> {
    pub(super) window: Window,
    max_window: f64,
    pacing_rate: Option<Rate>,
    pacing: Option<Bytes>,
    slow_start: SlowStartState,
    recovering: bool,
    whole_ssthresh: bool,
    law: L,
    /// The state before the last congestion event or timeout, in case it is undone.
    before: Option<Window>,
}

impl<L: Law> Windowed<L> {
    /// A controller for a connection that has not sent anything yet.
    pub fn new(law: L, options: &Options) -> Self {
        Self {
            window: Window {
                cwnd: options.initial_window.min(options.max_window).max(1.0),
                ssthresh: options.initial_ssthresh.max(MIN_SSTHRESH),
            },
            max_window: options.max_window,
            whole_ssthresh: options.whole_ssthresh,
            recovering: false,
            slow_start: SlowStartState::new(options.slow_start, options.pacing.is_some()),
            pacing: options.pacing,
            pacing_rate: None,
            law,
            before: None,
        }
    }

    pub(super) fn law(&self) -> &L {
        &self.law
    }

    pub(super) fn law_mut(&mut self) -> &mut L {
        &mut self.law
    }

    pub(super) fn is_recovering(&self) -> bool {
        self.recovering
    }

    /// An ACK at which something other than the law changes the window, unless a
    /// loss is being repaired.
    pub(super) fn on_ack_by(&mut self, ack: &Ack, segments: f64) {
        if !self.recovering {
            let cwnd = (self.window.cwnd + segments).max(LOSS_WINDOW);
            self.window.cwnd = cwnd.min(self.max_window);
        }
        if self.pacing.is_some() {
            self.update_pacing_rate(ack);
        }
    }

    fn update_pacing_rate(&mut self, ack: &Ack) {
        if let (Some(segment), Some(rtt)) = (self.pacing, ack.rtt) {
            let gain = if self.window.cwnd < self.window.ssthresh {
                PACING_SLOW_START
            } else {
                PACING_AVOIDANCE
            };
            let bits = gain * self.window.cwnd * segment.get() as f64 * 8.0;
            let rate = bits / rtt.smoothed.secs().max(1e-9);
            self.pacing_rate = Some(Rate::from_bits_per_sec((rate as u64).max(1)));
        }
    }

    fn threshold(&self, after: f64) -> f64 {
        let after = if self.whole_ssthresh { libm::floor(after) } else { after };
        after.max(MIN_SSTHRESH)
    }

    /// RFC 5681 halves FlightSize, not cwnd: an unused window says nothing about
    /// the path. FlightSize may exceed cwnd by what limited transmit sent, which
    /// the RFC excludes.
    fn used(&self, flight: u32) -> f64 {
        self.window.cwnd.min(f64::from(flight))
    }
}

impl<L: Law> Controller for Windowed<L> {
    window_and_rate!();

    #[inline(always)]
    fn on_ack(&mut self, ack: &Ack) {
        self.law.observe(&self.window, ack);
        if L::OWN_SLOW_START && self.law.leaves_slow_start() {
            self.window.ssthresh = self.window.ssthresh.min(self.window.cwnd).max(MIN_SSTHRESH);
        }
        if !self.recovering {
            if !L::OWN_SLOW_START && self.window.cwnd < self.window.ssthresh {
                let credit = self.slow_start.on_ack(&mut self.window, ack);
                if credit > 0.0 {
                    self.law.grow(&mut self.window, &Ack { credit, ..*ack });
                }
            } else if ack.cwnd_limited && ack.credit > 0.0 {
                self.law.grow(&mut self.window, ack);
            }
            self.window.cwnd = self.window.cwnd.min(self.max_window);
            if L::OWN_SLOW_START {
                self.window.ssthresh = self.window.ssthresh.max(MIN_SSTHRESH);
            }
        }
        if self.pacing.is_some() {
            self.update_pacing_rate(ack);
        }
    }

    fn on_congestion(&mut self, event: &Congestion) {
        self.before = Some(self.window);
        self.law.keep();
        let used = self.used(event.flight);
        let slow_start = self.window.cwnd < self.window.ssthresh;
        // RFC 9438, section 4.6: ssthresh is "at least 2 MSS", cwnd too after a loss,
        // and after a mark "at least 1 MSS"
        let (at_mark, least) = match event.signal {
            Signal::Mark => (self.law.shrink_at_mark(used, slow_start), LOSS_WINDOW),
            Signal::Loss => (None, MIN_SSTHRESH),
        };
        let after = match at_mark {
            Some(after) => after,
            None if slow_start => self.law.shrink_outside(used),
            None => self.law.shrink(used),
        };
        self.window.ssthresh = self.threshold(after);
        // a window of one segment must not grow because of congestion
        self.window.cwnd = self.window.cwnd.min(after.max(least));
        self.recovering = true;
        self.slow_start.congested();
        self.law.shrunk(event.now);
    }

    fn also_needs(&self, need: Need) -> bool {
        self.law.also_needs(need)
    }

    fn on_recovered(&mut self, _now: Time) {
        self.recovering = false;
    }

    fn on_timeout(&mut self, event: &Timeout) {
        if event.first {
            // After a timeout during recovery, an undo covers both: it restores the
            // state before the recovery, as in Linux's tcp_enter_loss.
            if !self.recovering || self.before.is_none() {
                self.before = Some(self.window);
                self.law.keep();
            }
            let after = self.law.shrink_outside(self.used(event.flight));
            self.window.ssthresh = self.threshold(after);
        }
        self.window.cwnd = LOSS_WINDOW;
        self.recovering = false;
        self.slow_start.congested();
        self.law.reset(event.now);
    }

    /// Like Linux's tcp_undo_cwnd_reduction: neither number gets smaller. The law
    /// handles what it learned about the path itself, and HyStart++ does not
    /// resume.
    fn on_undo(&mut self, _now: Time) {
        if let Some(before) = self.before.take() {
            self.window.cwnd = self.window.cwnd.max(before.cwnd);
            self.window.ssthresh = self.window.ssthresh.max(before.ssthresh);
            self.law.undone();
        }
    }

    fn on_idle(&mut self, _: Time, idle: Duration) {
        self.law.idle(idle);
    }

    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        self.law.inspect(see);
    }
}

impl<L> Deflate for Windowed<L> {
    fn deflate(&mut self, by: f64) {
        self.window.cwnd = (self.window.cwnd - by).max(LOSS_WINDOW);
    }
}

impl<L> Overrule for Windowed<L> {
    fn overrule(&mut self, cwnd: f64, ssthresh: f64) {
        self.window = Window { cwnd: cwnd.max(LOSS_WINDOW), ssthresh: ssthresh.max(MIN_SSTHRESH) };
    }
}
