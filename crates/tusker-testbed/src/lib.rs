//! The testbed: hosts on this machine with real Linux sockets.
//!
//! A [`Host`] is a network namespace without a name, and its [`Tun`] is the other end of
//! its only cable: whoever holds it reads every packet that the host sends, and writes
//! those that the host is to receive.
//!
//! Between them is a [`network::Network`]: links that decide by the simulator's own queues
//! and wires. A [`pump::Pump`] leads packets through it under the real clock.
//!
//! Nothing of this has a name outside the process. When the process ends, however it
//! ends, namespaces and devices are gone.
//!
//! Linux only; elsewhere this crate is empty.
#![cfg(target_os = "linux")]

pub mod audit;
pub mod books;
mod can;
mod error;
mod experiment;
mod host;
pub mod ip;
mod laws;
mod netlink;
pub mod network;
pub mod pump;
mod seen;
mod socket;
mod stage;
mod sys;
mod tun;

pub use audit::{Audit, Limits};
pub use can::{Refusal, can};
pub use error::Error;
pub use experiment::execute;
pub use host::Host;
pub use tun::Tun;
