//! The decisions of congestion controls and queue policies, and nothing else.
//!
//! - [`congestion`]: a congestion control owns the window. The transport owns
//!   everything about segments: SACK, duplicate ACKs, recovery, timers.
//! - [`queue`]: a queue policy decides what happens to an arriving packet. It
//!   stores no packets and marks nothing.
//! - [`params`]: the named, checked parameters of both, and [`spec`]: a congestion control or
//!   queue policy with all of its parameters.
//! - [`wire`]: how the rate of a wire changes, and how it loses and delays packets.
//! - [`units`]: times, rates and sizes as distinct types.
//! - [`buckets`]: the buckets in which integers are counted.
//!
//! The crate has no clock, no random generator, no I/O, no allocation and no
//! `unsafe`: time and random numbers are arguments. The simulator and the emulator
//! run the same code.
//!
//! Only with the feature `foreign` does it use the standard library, for laws and
//! queue policies that are defined outside while the program runs (`foreign`).
#![cfg_attr(not(feature = "foreign"), no_std)]

pub mod buckets;
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

pub use params::{Family, Look, Need, Param, ParamError, Params, Sheet};
pub use rng::Rng;
pub use spec::{Kind, SpecError};
pub use units::{Bytes, Duration, Rate, Time};
