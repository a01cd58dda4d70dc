//! The clock that the kernel's own times refer to.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// CLOCK_MONOTONIC, by which the kernel tells events and the emulator works: it never
/// steps.
pub fn clock() -> Duration {
    // fails for no clock that every kernel has
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Duration::ZERO, Duration::from)
}
