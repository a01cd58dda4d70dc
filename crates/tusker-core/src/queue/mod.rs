//! Queue policies: what happens to an arriving packet, and to a departing one.
//!
//! A policy decides; it stores no packets, marks nothing, and owns neither a clock
//! nor a random generator. The code that holds the packets (the holder) enforces
//! the limit and turns a [`Verdict::Signal`] into a mark or a drop.
//!
//! Each policy separates what is fixed (its parameters, resolved for the link), its
//! variable state (a few numbers) and its counters.

#[macro_use]
mod registry;

macro_rules! modules {
    (($d:tt) $($variant:ident($policy:ty) = $module:ident;)*) => {
        $(mod $module;)*
    };
}
list!(modules, $);

#[cfg(test)]
mod adaptive_bench;
mod cobalt;
mod codepoint;
mod flow_queues;
mod header;
mod level;
mod token_bucket;
mod two_queues;

pub use cake::{CakeQueues, Framing, Isolation};
pub use cobalt::Cobalt;
pub use codepoint::Codepoint;
pub use flow_queues::{FlowQueues, Full};
pub use header::Header;
pub use registry::{ALL, Kind, Policy, Spec};
pub use token_bucket::{TokenBucket, TokenBuckets};
pub use two_queues::{Heads, TwoQueues};
pub use wred::Class;

use crate::params::Need;
use crate::rng::Rng;
use crate::table::Table;
use crate::units::{Bytes, Rate, Time};

/// How a policy is constructed from its parameters.
trait SetUp: Sized {
    /// The parameters: a struct made by `params!`.
    type Params: Table;

    /// The policy for this link, before the first packet. If [`Self::check`] fails,
    /// the result is harmless but unspecified.
    fn new(params: Self::Params, link: &Link) -> Self;

    /// Checks that the values are consistent with one another; each one's range has
    /// been checked already.
    ///
    /// # Errors
    /// What is inconsistent, as a sentence for the user.
    fn check(_params: &Self::Params) -> Result<(), &'static str> {
        Ok(())
    }
}

/// Decides about packets at a queue.
pub trait Aqm {
    /// A packet arrives at the queue described by `q`, which does not count it.
    fn on_arrival(&mut self, p: &Meta, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict;

    /// A packet that the policy passed or signalled found no room, and the holder
    /// dropped it.
    #[inline]
    fn on_overflow(&mut self) {}

    /// When this policy next wants [`Self::on_poll`]. A holder that is late makes
    /// all calls that were due before the next arrival or departure, with the
    /// requested times and the backlog at those times.
    #[inline]
    fn poll_at(&self) -> Time {
        Time::NEVER
    }

    /// The time given by [`Self::poll_at`] has come; `q` is the queue then.
    fn on_poll(&mut self, _now: Time, _q: &Backlog) {}

    /// The packet of the last [`Self::on_arrival`] was accepted, and carries this
    /// header. Called only if the sheet says [`Need::Headers`].
    fn write(&mut self, _header: &mut Header, _p: &Meta) {}

    /// The link is free and about to send `p`; `q` is what waits behind it. If the
    /// packet is dropped, this is called for the next one at the same time. Called
    /// only if the sheet says [`Need::Departures`].
    #[inline]
    fn on_departure(
        &mut self,
        _p: &Departing,
        _q: &Backlog,
        _now: Time,
        _rng: &mut Rng,
    ) -> Verdict {
        Verdict::Pass
    }

    /// The link is free, and the queue is empty. Called only if the sheet says
    /// [`Need::Departures`].
    #[inline]
    fn on_empty(&mut self, _now: Time) {}

    /// If given, each flow has its own queue with its own initial copy of this
    /// policy. Requires [`Need::Departures`] in the sheet.
    fn flow_queues(&self) -> Option<FlowQueues> {
        None
    }

    /// If given, there are two queues. Requires [`Need::TwoQueues`] in the sheet.
    fn two_queues(&self) -> Option<TwoQueues> {
        None
    }

    /// Flows and hosts have shares and the link a shaper, if the sheet says
    /// [`Need::Departures`].
    fn cake_queues(&self) -> Option<CakeQueues> {
        None
    }

    /// If given, a packet leaves when there are tokens for it. Requires
    /// [`Need::Departures`] in the sheet.
    fn token_buckets(&self) -> Option<TokenBuckets> {
        None
    }

    /// The packets at the heads of the two queues, before each [`Self::on_poll`].
    /// Called only if the sheet says [`Need::TwoQueues`].
    fn on_heads(&mut self, _heads: &Heads) {}

    /// Internal values by name, for traces: average queue, `max_p`. Must give the
    /// same names in the same order at every call.
    fn inspect(&self, _see: &mut dyn FnMut(&'static str, f64)) {}

    /// The band in which it keeps the average queue, packets, if it has one.
    fn target(&self) -> Option<(f64, f64)> {
        None
    }
}

impl Policy {
    /// Whether the policy needs this from the holder.
    pub fn needs(&self, need: Need) -> bool {
        self.sheet().needs.contains(&need)
    }
}

/// What a policy may know about an arriving packet.
#[derive(Clone, Copy, Debug)]
pub struct Meta {
    /// Size on the wire.
    pub size: Bytes,
    /// The packet can be marked instead of dropped (ECT of RFC 3168).
    pub ecn_capable: bool,
    /// Its DSCP (RFC 2474), 0 to 63. Known only if the sheet says [`Need::Departures`]; otherwise
    /// 0.
    pub dscp: u8,
}

/// What a policy may know about a packet that is about to leave.
#[derive(Clone, Copy, Debug)]
pub struct Departing {
    /// Size on the wire.
    pub size: Bytes,
    /// A signal will mark it; otherwise it will drop it.
    pub can_mark: bool,
    /// When it arrived.
    pub arrived: Time,
    /// If it comes from the L4S queue of two queues: the number of packets behind
    /// it there.
    pub l4s: Option<u32>,
}

/// What a policy may know about the queue.
#[derive(Clone, Copy, Debug)]
pub struct Backlog {
    /// Packets waiting, without the one in transmission.
    pub packets: u32,
    /// Bytes waiting.
    pub bytes: Bytes,
    /// Since when the link has been idle; `None` while it is busy.
    pub idle_since: Option<Time>,
}

impl Backlog {
    /// An empty queue that has never held a packet.
    pub const EMPTY: Self = Self { packets: 0, bytes: Bytes::ZERO, idle_since: Some(Time::ZERO) };
}

/// What happens to a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is queued.
    Pass,
    /// Its sender should slow down: mark it if it is ECN-capable, else drop it.
    Signal,
    /// It is dropped, whether it is ECN-capable or not.
    Drop,
}

/// What a policy learns about its link when it is set up.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Rate of the link that the queue feeds.
    pub rate: Rate,
    /// Mean packet size, as far as it is known in advance.
    pub mean_packet: Bytes,
}
