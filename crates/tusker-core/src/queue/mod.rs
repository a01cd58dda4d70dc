//! Queue policies: what becomes of an arriving packet, and of a leaving one.
//!
//! A policy decides; it stores no packet, marks nothing, and owns neither a
//! clock nor a generator. Whoever holds the packets applies the limit and turns
//! a [`Verdict::Signal`] into a mark or a drop.
//!
//! Each policy keeps apart what is fixed (its parameters, resolved for the
//! link), what moves (a few numbers) and what it counts.

mod ared;
mod cake;
mod cobalt;
mod codel;
mod codepoint;
mod droptail;
mod dualpi2;
mod fq_codel;
mod gared;
mod header;
mod level;
mod pie;
mod red;
mod registry;
mod step;
mod two_queues;
mod vcp;
mod xcp;

pub use cake::{CakeQueues, Framing, Isolation};
pub use cobalt::Cobalt;
pub use codepoint::Codepoint;
pub use fq_codel::FlowQueues;
pub use header::Header;
pub use registry::{ALL, Kind, Policy, Spec};
pub use two_queues::{Heads, TwoQueues};

use crate::params::Need;
use crate::rng::Rng;
use crate::table::Table;
use crate::units::{Bytes, Rate, Time};

/// How a policy is made of its parameters.
trait SetUp: Sized {
    /// The parameters: a struct made by `params!`.
    type Params: Table;

    /// The policy at this link, before the first packet. Gives something harmless
    /// where [`Self::check`] says no.
    fn new(params: Self::Params, link: &Link) -> Self;

    /// Whether the values fit together, beyond each one's own range.
    ///
    /// # Errors
    /// What does not fit, as a sentence for the user.
    fn check(_params: &Self::Params) -> Result<(), &'static str> {
        Ok(())
    }
}

/// What decides about packets at a queue.
pub trait Aqm {
    /// A packet arrives at the queue described by `q`, which does not count it.
    fn on_arrival(&mut self, p: &Meta, q: &Backlog, now: Time, rng: &mut Rng) -> Verdict;

    /// A packet that the policy let pass, or signalled, found no room and was
    /// dropped by the holder.
    #[inline]
    fn on_overflow(&mut self) {}

    /// When this policy next wants [`Self::on_poll`]. A holder that calls it late
    /// calls it before the next arrival or departure, as often as it was due, with
    /// the times that were asked for and what waited then.
    #[inline]
    fn poll_at(&self) -> Time {
        Time::NEVER
    }

    /// The time that [`Self::poll_at`] named has come, and `q` waits.
    fn on_poll(&mut self, _now: Time, _q: &Backlog) {}

    /// The packet of the last [`Self::on_arrival`] has found room, and carries
    /// this. Called only if the sheet says [`Need::Headers`].
    fn write(&mut self, _header: &mut Header, _p: &Meta) {}

    /// The link is free and would send `p`; `q` is what waits behind it. If the
    /// packet is dropped, the next one is asked about at the same time. Called
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

    /// The link is free, and nothing waits. Called only if the sheet says
    /// [`Need::Departures`].
    #[inline]
    fn on_empty(&mut self, _now: Time) {}

    /// Flows have queues of their own, each under a copy of this policy as it was
    /// set up, if the sheet says [`Need::Departures`].
    fn flow_queues(&self) -> Option<FlowQueues> {
        None
    }

    /// There are two queues, if the sheet says [`Need::TwoQueues`].
    fn two_queues(&self) -> Option<TwoQueues> {
        None
    }

    /// Flows and hosts have shares and the link a shaper, if the sheet says
    /// [`Need::Departures`].
    fn cake_queues(&self) -> Option<CakeQueues> {
        None
    }

    /// What waits at the heads of the two, before each [`Self::on_poll`]. Called only
    /// if the sheet says [`Need::TwoQueues`].
    fn on_heads(&mut self, _heads: &Heads) {}

    /// Inner values by name, for traces: average queue, `max_p`. Must show the
    /// same names in the same order at every call.
    fn inspect(&self, _see: &mut dyn FnMut(&'static str, f64)) {}
}

impl Policy {
    /// The policy needs this of whoever holds the packets.
    pub fn needs(&self, need: Need) -> bool {
        self.sheet().needs.contains(&need)
    }
}

/// What a policy may know of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Meta {
    /// Size on the wire.
    pub size: Bytes,
    /// The packet can be marked instead of dropped (ECT of RFC 3168).
    pub ecn_capable: bool,
}

/// What a policy may know of a packet that is about to leave.
#[derive(Clone, Copy, Debug)]
pub struct Departing {
    /// Size on the wire.
    pub size: Bytes,
    /// A signal will mark it; else it will drop it.
    pub can_mark: bool,
    /// When it arrived.
    pub arrived: Time,
    /// Of two queues, it comes from that of L4S, and so many wait behind it there.
    pub l4s: Option<u32>,
}

/// What a policy may know of the queue.
#[derive(Clone, Copy, Debug)]
pub struct Backlog {
    /// Packets that wait; the one in transmission is not among them.
    pub packets: u32,
    /// Bytes that wait.
    pub bytes: Bytes,
    /// Since when the link has had nothing to send; `None` while it is busy.
    pub idle_since: Option<Time>,
}

impl Backlog {
    /// Nothing waits, and nothing ever did.
    pub const EMPTY: Self = Self { packets: 0, bytes: Bytes::ZERO, idle_since: Some(Time::ZERO) };
}

/// What becomes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It goes into the queue.
    Pass,
    /// Its sender should slow down: mark it if it can be marked, else drop it.
    Signal,
    /// It is dropped, whether it could be marked or not.
    Drop,
}

/// What a policy is told of its link when it is set up.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Rate of the link that the queue feeds.
    pub rate: Rate,
    /// Mean size of a packet, as far as it can be told beforehand.
    pub mean_packet: Bytes,
}
