//! What a hop or a station is made from.

use tusker_core::queue::Policy;
use tusker_core::wire::{Jitter, Loss};
use tusker_core::{Duration, Rng};

use crate::gate::Limit;
use crate::wire::Wire;

/// What a [`crate::Hop`] or a [`crate::Station`] is made from.
#[derive(Debug)]
pub struct Setup {
    /// The wire behind the queue.
    pub wire: Wire,
    /// Propagation delay behind the wire.
    pub delay: Duration,
    /// What the queue holds.
    pub limit: Limit,
    /// What decides below the limit.
    pub policy: Policy,
    /// Mark ECN-capable packets on the policy's signal instead of dropping.
    pub ecn: bool,
    /// How packets are lost behind the wire.
    pub loss: Loss,
    /// How they are delayed there beyond `delay`.
    pub jitter: Option<Jitter>,
    /// The policy's random stream.
    pub policy_rng: Rng,
    /// The random stream of losses.
    pub loss_rng: Rng,
    /// The random stream of jitter.
    pub jitter_rng: Rng,
    /// Keep count of the backlog even if neither limit nor policy needs it.
    pub observed: bool,
}
