//! Abilities that only some controllers have. The caller asks the
//! [`Algorithm`](super::Algorithm) whether it has them.

use crate::queue::Header;
use crate::units::Duration;

/// A controller that needs
/// [`RouterFeedback`](crate::params::Need::RouterFeedback).
pub trait RouterAssisted {
    /// What each segment carries for routers. `rtt` is the smoothed round trip,
    /// once one is known.
    fn header(&self, rtt: Option<Duration>) -> Header;
}

/// A controller whose window ns-2's NewReno may lower.
pub trait Deflate {
    /// A partial ACK takes `by` segments from the window itself, not only from what
    /// recovery added to it: recovery may then end below ssthresh. Does nothing if
    /// the window is derived from a rate.
    fn deflate(&mut self, _by: f64) {}
}

/// A controller whose transport may set the window itself: the kernel does so
/// during loss recovery and after an idle period.
pub trait Overrule {
    /// Sets the window and the threshold, in segments. Does nothing if the window
    /// is derived from a rate.
    fn overrule(&mut self, _cwnd: f64, _ssthresh: f64) {}
}
