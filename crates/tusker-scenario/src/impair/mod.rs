//! Properties of a link as written in a scenario: rate, delay, loss and jitter, each constant or
//! changing, and outages.

mod changing;
mod delay;
mod down;
mod jitter;
mod loss;
mod rate;
mod steps;
mod trace;

pub use changing::{Changing, Quantity, Step, Steps, TraceFile};
pub use delay::LinkDelay;
pub use down::{Down, Outage};
pub use jitter::{Distribution, Jitter};
pub use loss::Loss;
pub use rate::LinkRate;

pub(super) use changing::varying;
pub(super) use down::{outages, written as written_outages};
pub(super) use jitter::{jitter, reorders};
pub(super) use loss::loss;
pub(super) use rate::{nominal, pace, written as written_rate};
pub(super) use steps::read_steps;
pub(super) use trace::{read_rates, written};

#[cfg(test)]
mod tests;
