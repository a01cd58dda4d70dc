//! Congestion control: what the transport and the controller each own, and the list
//! of all algorithms.
//!
//! The **transport** owns segments: SACK, duplicate ACKs, loss episodes and
//! their end, PRR, retransmission timers, RTT samples, rounds. The
//! **controller** owns the window and nothing else.
//!
//! Most papers describe less than a controller: how the window grows per ACK and
//! how far it shrinks at a loss. That is a [`Law`]; [`Windowed`] turns it into a
//! [`Controller`] by adding slow start and the bookkeeping of episodes.
//!
//! Windows are `f64` segments, so that a law reads like its paper.

/// Window and rate of a controller that has them as its fields `window` and `pacing_rate`.
macro_rules! window_and_rate {
    () => {
        #[inline]
        fn cwnd(&self) -> f64 {
            self.window.cwnd
        }

        #[inline]
        fn ssthresh(&self) -> f64 {
            self.window.ssthresh
        }

        #[inline]
        fn pacing_rate(&self) -> Option<Rate> {
            self.pacing_rate
        }
    };
}

/// All of a controller that works with routers but for its ACKs: what `legacy` is, the
/// controller without routers.
macro_rules! reno_without_routers {
    () => {
        #[inline]
        fn cwnd(&self) -> f64 {
            self.legacy.cwnd()
        }

        #[inline]
        fn ssthresh(&self) -> f64 {
            self.legacy.ssthresh()
        }

        #[inline]
        fn pacing_rate(&self) -> Option<Rate> {
            self.legacy.pacing_rate()
        }

        fn on_congestion(&mut self, event: &Congestion) {
            self.legacy.on_congestion(event);
        }

        fn on_recovered(&mut self, now: Time) {
            self.legacy.on_recovered(now);
        }

        fn on_timeout(&mut self, event: &Timeout) {
            self.legacy.on_timeout(event);
        }

        fn on_undo(&mut self, now: Time) {
            self.legacy.on_undo(now);
        }

        fn on_idle(&mut self, now: Time, idle: Duration) {
            self.legacy.on_idle(now, idle);
        }
    };
}

#[macro_use]
mod registry;

macro_rules! modules {
    (($d:tt) $($(#[$doc:meta])* $variant:ident($controller:ty) = $module:ident, $new:expr $(, $is:ident)?;)*) => {
        $(mod $module;)*
    };
}
list!(modules, $);

#[cfg(test)]
mod a_new_law;
mod delay;
mod extensions;
mod fast_ns2;
mod filters;
mod gentle;
mod hystart;
mod hystart_linux;
pub mod linux;
mod losses;
mod modes;
mod rounds;
mod slow_start;
mod trend;
mod window;
mod windowed;

pub use extensions::{Deflate, Overrule, RouterAssisted};
pub use hstcp::HighSpeedAt;
pub use losses::{Bound, Formula, Losses, Period, Scale};
pub use modes::{Decisions, Modes, TwoModes};
pub use registry::{ALL, Algorithm, Kind, Spec};
pub use slow_start::SlowStart;
pub use window::Window;
pub use windowed::{Law, Options, Windowed};

use crate::params::Need;
use crate::units::{Duration, Rate, Time};

/// Tells a transport how much it may send. Abilities that only some controllers
/// have are in separate traits: [`RouterAssisted`], [`TwoModes`], [`Deflate`].
pub trait Controller {
    /// Congestion window in segments. Never less than 1.
    fn cwnd(&self) -> f64;

    /// Slow-start threshold in segments; infinite until the first congestion.
    fn ssthresh(&self) -> f64;

    /// The rate at which to pace segments of `segment` bytes, if this controller
    /// paces.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// How many segments leave together when this controller paces: after that many the
    /// sender waits for the time of all of them. At least 1.
    fn quantum(&self) -> u32 {
        1
    }

    /// A segment was detected as lost: one call per segment, in order of detection,
    /// before the ACK, the end of the episode or the timeout that follows. Called
    /// only if this controller needs
    /// [`RateSamples`](crate::params::Need::RateSamples).
    fn on_lost(&mut self, _now: Time, _loss: &LossSample) {}

    /// Called for every ACK, in every phase: delay-based laws keep measuring in
    /// recovery.
    fn on_ack(&mut self, ack: &Ack);

    /// A congestion episode begins. The transport makes one call per episode,
    /// however many segments are lost and however many marks arrive.
    fn on_congestion(&mut self, event: &Congestion);

    /// The episode that [`Self::on_congestion`] began, or the repair after a
    /// timeout, is over.
    fn on_recovered(&mut self, now: Time);

    /// The retransmission timer expired.
    fn on_timeout(&mut self, event: &Timeout);

    /// The last episode or timeout was spurious: what was thought lost has arrived.
    /// The window becomes at least what it was before. If the episode is not over
    /// yet, [`Self::on_recovered`] follows. Does nothing in controllers whose
    /// sources do not cover this.
    fn on_undo(&mut self, _now: Time) {}

    /// The application writes again after a time `idle` in which nothing was sent
    /// and nothing was in flight. Reducing the window after idle time is up to the
    /// transport ([`Overrule`]).
    fn on_idle(&mut self, _now: Time, _idle: Duration) {}

    /// Whether the controller, with its parameters, needs this from the transport
    /// in addition to what its sheet lists.
    fn also_needs(&self, _need: Need) -> bool {
        false
    }

    /// Internal values by name, for traces: mode, statistics, estimates. Must give
    /// the same names in the same order at every call.
    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64));
}

/// What the transport learned from one acknowledgment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ack {
    /// When the ACK arrived.
    pub now: Time,
    /// Segments that this ACK newly reports as delivered, cumulatively or
    /// selectively.
    pub acked: u32,
    /// How many segments' worth of growth this ACK stands for: 1 for each ACK
    /// that advances the window in a transport that counts ACKs (RFC 5681), the
    /// segments acknowledged in one that counts bytes (RFC 3465), 0 for a
    /// duplicate.
    pub credit: f64,
    /// Segments estimated to be in the network after this ACK.
    pub in_flight: u32,
    /// Round-trip times, if this ACK gives a sample: `None` if the segment was
    /// retransmitted and no timestamp tells which copy arrived (Karn).
    pub rtt: Option<Rtt>,
    /// When the segment that caused this ACK left the sender.
    pub departed: Time,
    /// When the sender may send next, if it is paced; earlier than `now` if it may at once.
    pub leaves: Time,
    /// This is the first ACK of a new round: everything that was outstanding when
    /// the last round began has been acknowledged.
    pub round_start: bool,
    /// The sender is limited by the window, not by the application, a buffer or the
    /// peer.
    pub cwnd_limited: bool,
    /// Segments newly detected as lost, by this ACK or by a timer since the last
    /// ACK; 0 unless the algorithm needs
    /// [`RateSamples`](crate::params::Need::RateSamples).
    pub lost: u32,
    /// How many of `acked` arrived marked; 0 unless the algorithm needs
    /// [`AccurateEcn`](crate::params::Need::AccurateEcn) or
    /// [`L4s`](crate::params::Need::L4s).
    pub marked: u32,
    /// The delivery rate; `None` unless the algorithm needs
    /// [`RateSamples`](crate::params::Need::RateSamples).
    pub rate: Option<RateSample>,
    /// What the routers wrote into the segment that caused this ACK; `None` unless
    /// the algorithm needs [`RouterFeedback`](crate::params::Need::RouterFeedback) and a router did
    /// so.
    pub feedback: Option<f64>,
}

/// A delivery-rate sample (draft-ietf-ccwg-bbr, section 4.1). "The segment" is the
/// most recently sent of those that the ACK newly reports as delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSample {
    /// Segments delivered from the segment's departure to now.
    pub delivered: u32,
    /// The longer of the times over which these segments were sent and
    /// acknowledged.
    pub interval: Duration,
    /// Segments delivered on the connection when the segment left ...
    pub prior_delivered: u64,
    /// ... and now.
    pub total_delivered: u64,
    /// Segments in flight when the segment left, itself included.
    pub tx_in_flight: u32,
    /// Segments detected as lost from the segment's departure to now.
    pub lost: u32,
    /// The application, not the network, may have limited the rate.
    pub app_limited: bool,
    /// Time between the arrivals of two segments sent back to back; `None` unless
    /// the algorithm needs [`PacketPairs`](crate::params::Need::PacketPairs) and
    /// this ACK shows it.
    pub dispersion: Option<Duration>,
}

impl RateSample {
    /// RS.delivery_rate in segments per second.
    pub fn rate(&self) -> f64 {
        f64::from(self.delivered) / self.interval.secs().max(1e-9)
    }
}

/// What is known about a segment that was detected as lost (draft-ietf-ccwg-bbr,
/// section 5.5.10.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossSample {
    /// When it left, the last time.
    pub departed: Time,
    /// Segments in flight when it left, itself included.
    pub tx_in_flight: u32,
    /// Segments detected as lost from then to now, itself included.
    pub lost: u32,
    /// The application, not the network, may have limited the rate then.
    pub app_limited: bool,
}

/// Round-trip times known to the transport.
#[derive(Clone, Copy, Debug)]
pub struct Rtt {
    /// The sample from this ACK.
    pub latest: Duration,
    /// SRTT of RFC 6298.
    pub smoothed: Duration,
    /// The smallest sample of the connection.
    pub min: Duration,
    /// One-way delay of the segment that caused this ACK, if timestamps give it. If
    /// the clocks are not synchronised, only differences are meaningful.
    pub forward: Option<Duration>,
}

/// A congestion episode begins.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// When it was detected.
    pub now: Time,
    /// Loss or mark.
    pub signal: Signal,
    /// Segments sent and not yet cumulatively acknowledged (FlightSize of RFC
    /// 5681).
    pub flight: u32,
}

/// The sign of congestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// A segment was lost.
    Loss,
    /// A router marked a segment (ECN, RFC 3168).
    Mark,
}

/// The retransmission timer expired.
#[derive(Clone, Copy, Debug)]
pub struct Timeout {
    /// When.
    pub now: Time,
    /// Segments sent and not yet cumulatively acknowledged.
    pub flight: u32,
    /// Segments estimated to be still in the network, now that others are
    /// considered lost.
    pub in_flight: u32,
    /// The first expiry for this segment. RFC 5681, section 3.1: ssthresh is kept
    /// when the same segment times out again.
    pub first: bool,
}
