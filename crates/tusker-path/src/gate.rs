//! Decides whether a packet is accepted into a queue, and whether it is marked; the policy, the
//! limit and ECN determine this.

use tusker_core::queue::{Aqm, Backlog, Departing, Header, Heads, Meta, Policy, Verdict};
use tusker_core::{Duration, Rng, Time};

use crate::lockstep::Lockstep;
use crate::meter::Counters;

/// The limit of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Without a limit.
    Unlimited,
    /// This many packets.
    Packets(u64),
    /// This many bytes.
    Bytes(u64),
    /// This many packets from local senders, which wait for room instead of losing
    /// packets, as in Linux. Only at a host's own queue, which then drops nothing itself.
    Backpressure(u64),
}

impl Limit {
    /// Whether packets beyond it are dropped.
    pub fn drops(self) -> bool {
        matches!(self, Self::Packets(_) | Self::Bytes(_))
    }

    /// The limit, which includes the packet in transmission.
    pub(crate) fn holds(self, packets: u64, bytes: u64) -> bool {
        match self {
            Self::Unlimited | Self::Backpressure(_) => true,
            Self::Packets(most) => packets <= most,
            Self::Bytes(most) => bytes <= most,
        }
    }
}

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropCause {
    /// The queue was full.
    Overflow,
    /// The policy dropped it.
    Early,
    /// The wire lost it.
    Loss,
    /// The link was down.
    Outage,
}

/// A policy with its limit, ECN setting and random stream.
#[derive(Debug)]
pub(crate) struct Gate {
    policy: Policy,
    rng: Rng,
    poll_at: Time,
    ecn: bool,
    limit: Limit,
    pub(crate) lockstep: Lockstep,
}

impl Gate {
    pub(crate) fn new(policy: Policy, rng: Rng, ecn: bool, limit: Limit) -> Self {
        let lockstep = Lockstep::default();
        Self { poll_at: policy.poll_at(), policy, rng, ecn, limit, lockstep }
    }

    pub(crate) fn limit(&self) -> Limit {
        self.limit
    }

    /// A signal marks such a packet instead of dropping it.
    pub(crate) fn can_mark(&self, ecn_capable: bool) -> bool {
        self.ecn && ecn_capable
    }

    /// When the policy is to be polled next.
    pub(crate) fn poll_at(&self) -> Time {
        self.poll_at
    }

    /// That time has come; this is the queue at that time.
    pub(crate) fn poll(&mut self, waiting: &Backlog) {
        self.policy.on_poll(self.poll_at, waiting);
        self.poll_at = self.policy.poll_at();
    }

    /// That time is about to come; these are the packets at the heads of two
    /// queues.
    pub(crate) fn tell_heads(&mut self, heads: &Heads) {
        self.policy.on_heads(heads);
    }

    /// The policy's verdict on an arriving packet, settled.
    pub(crate) fn judge(
        &mut self,
        now: Time,
        packet: &Meta,
        waiting: &Backlog,
        counters: &mut Counters,
    ) -> Result<bool, DropCause> {
        let verdict = self.verdict(now, packet, waiting);
        self.settle(verdict, packet, counters)
    }

    /// The policy's verdict on an arriving packet.
    pub(crate) fn verdict(&mut self, now: Time, packet: &Meta, waiting: &Backlog) -> Verdict {
        self.policy.on_arrival(packet, waiting, now, &mut self.rng)
    }

    /// What a verdict means for an arriving packet: whether it is to be marked.
    pub(crate) fn settle(
        &self,
        verdict: Verdict,
        packet: &Meta,
        counters: &mut Counters,
    ) -> Result<bool, DropCause> {
        settle(verdict, self.can_mark(packet.ecn_capable)).ok_or_else(|| {
            counters.dropped_early += 1;
            DropCause::Early
        })
    }

    /// Whether there is room for this much, including a packet that the policy
    /// passed. `next` is the packet that leaves next: how soon, and its size.
    pub(crate) fn has_room(
        &mut self,
        (packets, bytes): (u64, u64),
        next: Option<(Duration, u32)>,
        counters: &mut Counters,
    ) -> Result<(), DropCause> {
        if self.limit.holds(packets, bytes) {
            return Ok(());
        }
        let (missed, size) = next.unwrap_or_default();
        let room = self.limit.holds(packets - 1, bytes - u64::from(size));
        self.lockstep.dropped(missed, room, counters);
        self.policy.on_overflow();
        Err(DropCause::Overflow)
    }

    /// The packet accepted last carries this header for routers.
    pub(crate) fn write(&mut self, header: &mut Header, packet: &Meta) {
        self.policy.write(header, packet);
    }

    /// The policy's verdict on a packet about to leave: whether it is to be marked;
    /// `None` if it is to be dropped.
    pub(crate) fn judge_leaving(
        &mut self,
        now: Time,
        packet: &Departing,
        behind: &Backlog,
    ) -> Option<bool> {
        leaves(&mut self.policy, &mut self.rng, now, packet, behind)
    }

    /// The policy's random stream, for copies of it.
    pub(crate) fn rng(&mut self) -> &mut Rng {
        &mut self.rng
    }

    /// The wire is free, and the queue is empty.
    pub(crate) fn on_empty(&mut self, now: Time) {
        self.policy.on_empty(now);
    }

    pub(crate) fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        self.policy.inspect(see);
    }
}

/// The verdict of `policy` on a packet about to leave: whether it is to be marked;
/// `None` if it is to be dropped.
pub(crate) fn leaves(
    policy: &mut Policy,
    rng: &mut Rng,
    now: Time,
    packet: &Departing,
    behind: &Backlog,
) -> Option<bool> {
    settle(policy.on_departure(packet, behind, now, rng), packet.can_mark)
}

/// A signal marks an ECN-capable packet and drops any other.
fn settle(verdict: Verdict, can_mark: bool) -> Option<bool> {
    match verdict {
        Verdict::Pass => Some(false),
        Verdict::Signal if can_mark => Some(true),
        Verdict::Signal | Verdict::Drop => None,
    }
}
