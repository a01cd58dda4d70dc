//! Impairments of a link as written in a scenario: changing rate, loss, jitter.

mod jitter;
mod loss;
mod rate;
mod trace;

pub use jitter::{Distribution, Jitter};
pub use loss::Loss;
pub use rate::{LinkRate, RateStep, TraceFile};

pub(super) use jitter::jitter;
pub(super) use loss::loss;
pub(super) use rate::check_rate;
pub(super) use trace::{read_trace, written};

#[cfg(test)]
mod tests;
