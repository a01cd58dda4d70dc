//! The clock that the kernel uses for its timestamps.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// CLOCK_MONOTONIC, which the kernel uses for its timestamps and the emulator for its work:
/// it never jumps.
pub fn clock() -> Duration {
    // cannot fail for a clock that every kernel has
    clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(Duration::ZERO, Duration::from)
}
