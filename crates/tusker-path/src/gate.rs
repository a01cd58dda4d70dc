//! What decides whether a packet comes into a queue, and as what it leaves: the
//! policy, the limit, and ECN.

use tusker_core::queue::{Aqm, Backlog, Departing, Header, Heads, Meta, Policy, Verdict};
use tusker_core::{Duration, Rng, Time};

use crate::lockstep::Lockstep;
use crate::meter::Counters;

/// How much a queue holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// As much as comes.
    Unlimited,
    /// So many packets.
    Packets(u64),
    /// So many bytes.
    Bytes(u64),
}

impl Limit {
    /// So much fits, the packet in transmission included.
    pub(crate) fn holds(self, packets: u64, bytes: u64) -> bool {
        match self {
            Self::Unlimited => true,
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
    /// The policy decided so.
    Early,
    /// The wire lost it.
    Loss,
}

/// A policy with what belongs to it.
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

    /// That time has come, and so much waited then.
    pub(crate) fn poll(&mut self, waiting: &Backlog) {
        self.policy.on_poll(self.poll_at, waiting);
        self.poll_at = self.policy.poll_at();
    }

    /// That time is about to come, and two queues begin with these.
    pub(crate) fn tell_heads(&mut self, heads: &Heads) {
        self.policy.on_heads(heads);
    }

    /// What the policy says of a packet that arrives: whether it is to be marked.
    pub(crate) fn judge(
        &mut self,
        now: Time,
        packet: &Meta,
        waiting: &Backlog,
        counters: &mut Counters,
    ) -> Result<bool, DropCause> {
        let verdict = self.policy.on_arrival(packet, waiting, now, &mut self.rng);
        settle(verdict, self.can_mark(packet.ecn_capable)).ok_or_else(|| {
            counters.dropped_early += 1;
            DropCause::Early
        })
    }

    /// Whether there is room for so much, a packet that the policy let pass
    /// included. `next` is the packet that leaves next: in how long, and its size.
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

    /// The packet that was let in last carries this for routers.
    pub(crate) fn write(&mut self, header: &mut Header, packet: &Meta) {
        self.policy.write(header, packet);
    }

    /// What the policy says of a packet that would leave: whether it is to be
    /// marked; `None` if it is to be dropped.
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

    /// The wire is free, and nothing waits.
    pub(crate) fn on_empty(&mut self, now: Time) {
        self.policy.on_empty(now);
    }

    pub(crate) fn inspect(&self, see: &mut dyn FnMut(&'static str, f64)) {
        self.policy.inspect(see);
    }
}

/// What `policy` says of a packet that would leave: whether it is to be marked;
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

/// A signal marks a packet that can be marked; others it drops.
fn settle(verdict: Verdict, can_mark: bool) -> Option<bool> {
    match verdict {
        Verdict::Pass => Some(false),
        Verdict::Signal if can_mark => Some(true),
        Verdict::Signal | Verdict::Drop => None,
    }
}
