//! What a hop or a station is made from.

use tusker_core::queue::Policy;
use tusker_core::wire::{Jitter, Loss};
use tusker_core::{Duration, Rng};

use crate::gate::Limit;
use crate::wire::Wire;

/// What a [`crate::Hop`] or a [`crate::Station`] is made from.
#[derive(Debug)]
pub struct Setup {
    /// The wire after the queue.
    pub wire: Wire,
    /// Propagation delay after the wire.
    pub delay: Duration,
    /// The queue's limit.
    pub limit: Limit,
    /// The policy that decides below the limit.
    pub policy: Policy,
    /// Mark ECN-capable packets on the policy's signal instead of dropping.
    pub ecn: bool,
    /// How packets are lost after the wire.
    pub loss: Loss,
    /// How they are delayed in addition to `delay`.
    pub jitter: Option<Jitter>,
    /// The policy's random stream.
    pub policy_rng: Rng,
    /// The random stream of losses.
    pub loss_rng: Rng,
    /// The random stream of jitter.
    pub jitter_rng: Rng,
    /// Track the backlog even if neither limit nor policy needs it.
    pub observed: bool,
    /// Count how long packets wait for their transmission.
    pub waits: bool,
}
