//! What a hop or a station is made from.

use tusker_core::queue::Policy;
use tusker_core::wire::{Loss, Spread};
use tusker_core::{Duration, Rng};

use crate::gate::Limit;
use crate::varying::Varying;
use crate::wire::Wire;

/// What a [`crate::Hop`] or a [`crate::Station`] is made from.
#[derive(Debug)]
pub struct Setup {
    /// The wire after the queue.
    pub wire: Wire,
    /// Propagation delay after the wire.
    pub delay: Varying<Duration>,
    /// The queue's limit.
    pub limit: Limit,
    /// The policy that decides below the limit.
    pub policy: Policy,
    /// Mark ECN-capable packets on the policy's signal instead of dropping.
    pub ecn: bool,
    /// How packets are lost after the wire.
    pub loss: Varying<Loss>,
    /// How they are delayed in addition to `delay`.
    pub jitter: Varying<Option<Spread>>,
    /// Whether a packet may overtake earlier ones if its delay is shorter; if not, it waits
    /// for them.
    pub reorder: bool,
    /// The policy's random stream.
    pub policy_rng: Rng,
    /// The random stream of losses.
    pub loss_rng: Rng,
    /// The random stream of jitter.
    pub jitter_rng: Rng,
    /// Track the backlog even if neither limit nor policy needs it.
    pub observed: bool,
    /// Sample the length of the queue.
    pub sampled: bool,
    /// Count how long packets wait for their transmission.
    pub waits: bool,
}

impl Setup {
    /// Nothing happens behind the wire, except that packets always take as long.
    pub(crate) fn is_plain(&self) -> bool {
        let nothing = self.loss.is_fixed() && self.loss.first() == Loss::NONE;
        nothing && self.delay.is_fixed() && self.jitter.values().all(|jitter| jitter.is_none())
    }
}

/// A wire of this rate with a DropTail queue, for tests.
#[cfg(test)]
pub(crate) fn plain(rate: tusker_core::Rate, delay: Duration) -> Setup {
    use tusker_core::queue::{Kind, Link, Spec};
    let link = Link { rate, mean_packet: tusker_core::Bytes::new(1000) };
    Setup {
        wire: Wire::fixed(rate),
        delay: delay.into(),
        limit: Limit::Unlimited,
        policy: Policy::new(&Spec::new(Kind::DropTail), &link),
        ecn: false,
        loss: Loss::NONE.into(),
        jitter: None.into(),
        reorder: false,
        policy_rng: Rng::named(1, "policy"),
        loss_rng: Rng::named(1, "loss"),
        jitter_rng: Rng::named(1, "jitter"),
        observed: true,
        sampled: true,
        waits: true,
    }
}
