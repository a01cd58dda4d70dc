//! What an algorithm decides, and nothing else.
//!
//! - [`congestion`]: a congestion control owns the window. The transport owns
//!   everything about segments: SACK, duplicate ACKs, recovery, timers.
//! - [`queue`]: a queue policy says what becomes of an arriving packet. It
//!   stores no packet and marks nothing.
//! - [`params`]: the named, checked numbers that both are set up with, and
//!   [`spec`]: one of the two with all of its numbers.
//! - [`wire`]: how the rate of a wire changes, how it loses and delays packets.
//! - [`units`]: times, rates and sizes that cannot be mixed up.
//!
//! The crate has no clock, no generator of its own, no I/O, no allocation and
//! no `unsafe`: time and chance are arguments. The simulator, the emulator and
//! whatever comes later run these same bytes.
//!
//! With the feature `foreign` alone it has the standard library, for laws and queue
//! policies that are made elsewhere while the program runs (`foreign`).
#![cfg_attr(not(feature = "foreign"), no_std)]

pub mod congestion;
#[cfg(feature = "foreign")]
pub mod foreign;
pub mod params;
pub mod queue;
pub mod rng;
pub mod spec;
mod table;
pub mod units;
pub mod wire;

pub use params::{Need, Param, ParamError, Params, Sheet};
pub use rng::Rng;
pub use spec::{Kind, SpecError};
pub use units::{Bytes, Duration, Rate, Time};
