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
mod error;
mod host;
pub mod ip;
mod netlink;
pub mod network;
pub mod pump;
mod seen;
mod stage;
mod sys;
mod tun;

pub use error::Error;
pub use host::Host;
pub use tun::Tun;
