//! The random streams of an execution. Each has the name of what draws from it, so that one
//! more flow or link changes no other's numbers, and all executors draw the same.

use tusker_core::Rng;

/// When a flow, a background source or a session starts.
pub(crate) fn start(seed: u64, name: &str) -> Rng {
    Rng::joined(seed, &["start/", name])
}

/// The policy of a link's queue.
pub(crate) fn policy(seed: u64, link: &str) -> Rng {
    Rng::joined(seed, &["policy/", link])
}

/// Losses on a link.
pub(crate) fn loss(seed: u64, link: &str) -> Rng {
    Rng::joined(seed, &["loss/", link])
}

/// Jitter of a link.
pub(crate) fn jitter(seed: u64, link: &str) -> Rng {
    Rng::joined(seed, &["jitter/", link])
}

/// The application of a flow.
pub(crate) fn app(seed: u64, flow: &str) -> Rng {
    Rng::named(seed, &format!("app/{flow}"))
}

/// A background source.
pub(crate) fn background(seed: u64, source: &str) -> Rng {
    Rng::named(seed, &format!("background/{source}"))
}

/// When connections of a group arrive.
pub(crate) fn arrival_times(seed: u64, group: &str) -> Rng {
    Rng::named(seed, &format!("arrivals/{group}/times"))
}

/// How much these connections send.
pub(crate) fn arrival_sizes(seed: u64, group: &str) -> Rng {
    Rng::named(seed, &format!("arrivals/{group}/sizes"))
}

/// A session of a group of web users.
pub(crate) fn session(seed: u64, group: &str, session: usize) -> Rng {
    Rng::named(seed, &format!("web/{group}/{session}"))
}

/// How long a host takes; `role` tells its streams apart.
pub fn host(seed: u64, role: &str, name: &str) -> Rng {
    Rng::named(seed, &format!("host/{role}/{name}"))
}
