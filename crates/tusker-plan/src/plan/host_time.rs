//! How long hosts take.

use tusker_core::Duration;

/// How long hosts take before they act: a random time, drawn each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostTime {
    /// Uniform between 0 and this. Zero: they act at once.
    UpTo(Duration),
    /// Exponential with this mean.
    Exponential(Duration),
}

impl HostTime {
    /// They act at once.
    pub const ZERO: Self = Self::UpTo(Duration::ZERO);

    /// Whether they act at once.
    pub fn is_zero(self) -> bool {
        matches!(self, Self::UpTo(Duration::ZERO) | Self::Exponential(Duration::ZERO))
    }
}
