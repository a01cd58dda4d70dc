//! The testbed: hosts on this machine with real Linux sockets.
//!
//! A [`Host`] is a network namespace without a name, and its [`Tun`] is the other end of
//! its only cable: whoever holds it reads every packet that the host sends, and writes
//! those that the host is to receive. A [`Connection`] is one TCP connection between two
//! hosts, with a thread that sends and a thread that receives.
//!
//! Nothing of this has a name outside the process. When the process ends, however it
//! ends, namespaces, devices and connections are gone.
//!
//! Linux only; elsewhere this crate is empty.
#![cfg(target_os = "linux")]

mod error;
mod host;
mod netlink;
mod socket;
mod sys;
mod tun;

pub use error::Error;
pub use host::Host;
pub use socket::{CaState, Connection, Info, Options, laws};
pub use tun::Tun;
