//! The testbed: hosts on this machine with real Linux sockets.
//!
//! A [`Host`] is a network namespace without a name, and its [`Tun`] is the other end of
//! its only cable: whoever holds it reads every packet that the host sends, and writes
//! those that the host is to receive. A [`Connection`] is one TCP connection between two
//! hosts, with a thread that sends and a thread that receives.
//!
//! Between them is a [`network::Network`]: links that decide by the simulator's own queues
//! and wires. A [`pump::Pump`] leads packets through it under the real clock, and
//! [`execute`] runs a whole plan.
//!
//! Nothing of this has a name outside the process. When the process ends, however it
//! ends, namespaces, devices and connections are gone.
//!
//! Linux only; elsewhere this crate is empty.
#![cfg(target_os = "linux")]

pub mod audit;
pub mod books;
mod can;
mod coming;
mod endpoints;
mod error;
mod experiment;
mod flows;
mod host;
pub mod ip;
mod iperf;
mod laws;
pub mod ledger;
mod netlink;
pub mod network;
pub mod packet;
mod places;
pub mod pump;
mod repair;
mod seen;
mod series;
mod socket;
mod sources;
mod stage;
mod sys;
mod tun;

pub use audit::{Audit, Limits};
pub use can::{Refusal, can, can_with};
pub use endpoints::differences;
pub use error::Error;
pub use experiment::{Client, Measured, execute, execute_with};
pub use host::Host;
pub use iperf::Iperf3;
pub use laws::kernel_name;
pub use socket::{CaState, Connection, Info, Options, laws};
pub use tun::Tun;
