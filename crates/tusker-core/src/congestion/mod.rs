//! Congestion control: who owns what, and the list of all algorithms.
//!
//! The **transport** owns segments: SACK, duplicate ACKs, loss episodes and
//! their end, PRR, retransmission timers, RTT samples, rounds. The
//! **controller** owns the window and nothing else.
//!
//! Most papers describe less than a controller: how the window grows per ACK
//! and how far it shrinks per loss. That is a [`Law`]; [`Windowed`] makes it a
//! [`Controller`] by adding slow start and the bookkeeping of episodes.
//!
//! Windows are `f64` segments, so that a law reads like its paper.

#[cfg(test)]
mod a_new_law;
mod bbr1;
mod bbr3;
mod bic;
mod c4;
mod compound;
mod copa;
mod cubic;
mod cubic2005;
mod cubic_linux;
mod dctcp;
mod delay;
mod eefast;
mod extensions;
mod fast;
mod fast_ns2;
mod filters;
mod gentle;
mod ghstcp;
mod ghstcp_refined;
mod hcc;
mod hstcp;
mod htcp;
mod hybla;
mod hystart;
mod hystart_linux;
mod illinois;
mod ledbat_pp;
mod lp;
mod modes;
mod prague;
mod registry;
mod reno;
mod rounds;
mod scalable;
mod scream;
mod slow_start;
mod swift;
mod trend;
mod udt;
mod vcp;
mod vegas;
mod vivace;
mod westwood;
mod window;
mod windowed;
mod xcp;
mod yeah;

pub use extensions::{Deflate, Overrule, RouterAssisted};
pub use hstcp::HighSpeedAt;
pub use modes::{Decisions, Modes, TwoModes};
pub use registry::{ALL, Algorithm, Kind, Spec};
pub use slow_start::SlowStart;
pub use window::Window;
pub use windowed::{Law, Options, Windowed};

use crate::params::Need;
use crate::units::{Duration, Rate, Time};

/// What a transport holds in order to know how much it may send. What only some
/// controllers do beyond that is in traits of its own: [`RouterAssisted`],
/// [`TwoModes`], [`Deflate`].
pub trait Controller {
    /// Congestion window in segments. Never less than 1.
    fn cwnd(&self) -> f64;

    /// Slow-start threshold in segments; infinite until the first congestion.
    fn ssthresh(&self) -> f64;

    /// The rate at which to space segments of `segment` bytes out, if this
    /// controller wants that.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// A segment was found lost: one call for each, in the order in which they
    /// were found, before the ACK, the episode's end or the timeout that follows.
    /// Only if this controller needs
    /// [`RateSamples`](crate::params::Need::RateSamples).
    fn on_lost(&mut self, _now: Time, _loss: &LossSample) {}

    /// Every ACK, in every phase: delay laws keep measuring in recovery.
    fn on_ack(&mut self, ack: &Ack);

    /// A congestion episode begins. The transport promises one call per
    /// episode: however many segments are lost, however many marks arrive.
    fn on_congestion(&mut self, event: &Congestion);

    /// The episode that [`Self::on_congestion`] began, or the repair after a
    /// timeout, is over.
    fn on_recovered(&mut self, now: Time);

    /// The retransmission timer expired.
    fn on_timeout(&mut self, event: &Timeout);

    /// The last episode or timeout was for nothing: what was thought lost has
    /// arrived. The window becomes at least what it was before. If the episode is not
    /// over yet, [`Self::on_recovered`] follows. Nothing, for controllers
    /// whose sources do not say.
    fn on_undo(&mut self, _now: Time) {}

    /// The application writes again; nothing was under way, and for `idle` nothing
    /// was sent. What time does to the window belongs to the transport
    /// ([`Overrule`]).
    fn on_idle(&mut self, _idle: Duration) {}

    /// As it is set up, it needs this of the transport beyond what its sheet says.
    fn also_needs(&self, _need: Need) -> bool {
        false
    }

    /// Inner values by name, for traces: mode, statistics, estimates. Must
    /// show the same names in the same order at every call.
    fn inspect(&self, see: &mut dyn FnMut(&'static str, f64));
}

/// What one acknowledgment told the transport.
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
    /// Round-trip times, if this ACK gives a sample: none where the segment was
    /// retransmitted and no timestamp tells which copy arrived (Karn).
    pub rtt: Option<Rtt>,
    /// When the segment that caused this ACK left the sender.
    pub departed: Time,
    /// This is the first ACK of a new round: everything outstanding when the
    /// last round began is acknowledged.
    pub round_start: bool,
    /// The window, not the application, a buffer or the peer, is what keeps
    /// the sender from sending more.
    pub cwnd_limited: bool,
    /// Segments newly found to be lost, by this ACK or by a timer since the
    /// last one.
    pub lost: u32,
    /// Of `acked`, those that arrived marked; 0 unless the algorithm needs
    /// [`AccurateEcn`](crate::params::Need::AccurateEcn) or
    /// [`L4s`](crate::params::Need::L4s).
    pub marked: u32,
    /// The rate of delivery; none unless the algorithm needs
    /// [`RateSamples`](crate::params::Need::RateSamples).
    pub rate: Option<RateSample>,
    /// What the routers wrote into the segment that caused this ACK; none unless
    /// the algorithm needs
    /// [`RouterFeedback`](crate::params::Need::RouterFeedback) and they did.
    pub feedback: Option<f64>,
}

/// A delivery-rate sample (draft-ietf-ccwg-bbr, section 4.1). "The segment" is
/// the one sent last of those that the ACK newly reports as delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSample {
    /// Segments delivered from the segment's departure to now.
    pub delivered: u32,
    /// The longer of the times over which these were sent and acknowledged.
    pub interval: Duration,
    /// Segments delivered on the connection when the segment left ...
    pub prior_delivered: u64,
    /// ... and now.
    pub total_delivered: u64,
    /// Segments in flight when the segment left, itself included.
    pub tx_in_flight: u32,
    /// Segments found lost from the segment's departure to now.
    pub lost: u32,
    /// The application, not the network, may have set the rate.
    pub app_limited: bool,
    /// How far apart segments that left back to back arrived, for one of them;
    /// none unless the algorithm needs
    /// [`PacketPairs`](crate::params::Need::PacketPairs) and this ACK tells.
    pub dispersion: Option<Duration>,
}

impl RateSample {
    /// RS.delivery_rate in segments per second.
    pub fn rate(&self) -> f64 {
        f64::from(self.delivered) / self.interval.secs().max(1e-9)
    }
}

/// What is known of a segment that was found lost (draft-ietf-ccwg-bbr, section
/// 5.5.10.2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossSample {
    /// Segments in flight when it left, itself included.
    pub tx_in_flight: u32,
    /// Segments found lost from then to now, itself included.
    pub lost: u32,
    /// The application, not the network, may have set the rate then.
    pub app_limited: bool,
}

/// Round-trip times known to the transport.
#[derive(Clone, Copy, Debug)]
pub struct Rtt {
    /// The sample that this ACK gives.
    pub latest: Duration,
    /// SRTT of RFC 6298.
    pub smoothed: Duration,
    /// The smallest sample of the connection.
    pub min: Duration,
    /// One-way delay of the segment that caused this ACK, if timestamps give
    /// it. With clocks that are not synchronised only differences mean
    /// anything.
    pub forward: Option<Duration>,
}

/// A congestion episode begins.
#[derive(Clone, Copy, Debug)]
pub struct Congestion {
    /// When it was noticed.
    pub now: Time,
    /// Loss or mark.
    pub signal: Signal,
    /// Segments sent and not yet cumulatively acknowledged (FlightSize of RFC
    /// 5681).
    pub flight: u32,
}

/// What told of congestion.
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
    /// Segments estimated to be in the network still, now that others are taken
    /// for lost.
    pub in_flight: u32,
    /// The first expiry for this segment. RFC 5681, section 3.1: ssthresh is
    /// held when the same segment times out again.
    pub first: bool,
}
