//! What only some controllers do. Who calls it asks the
//! [`Algorithm`](super::Algorithm) whether it does.

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
    /// A partial ACK takes `by` segments from the window itself, not only from
    /// what recovery added to it: it may end a recovery below ssthresh. Nothing,
    /// where the window follows from a rate.
    fn deflate(&mut self, _by: f64) {}
}

/// A controller whose transport may move the window itself: the kernel does while it
/// repairs, and after an idle time.
pub trait Overrule {
    /// The window and the threshold are these now, in segments. Nothing, where the
    /// window follows from a rate.
    fn overrule(&mut self, _cwnd: f64, _ssthresh: f64) {}
}
