//! The testbed: hosts on this machine with real Linux sockets.
//!
//! A [`Host`] is a network namespace without a name, and its [`Tun`] is the other end of
//! its only cable: whoever holds it reads every packet that the host sends, and writes
//! those that the host is to receive.
//!
//! Nothing of this has a name outside the process. When the process ends, however it
//! ends, namespaces and devices are gone.
//!
//! Linux only; elsewhere this crate is empty.
#![cfg(target_os = "linux")]

mod error;
mod host;
mod netlink;
mod sys;
mod tun;

pub use error::Error;
pub use host::Host;
pub use tun::Tun;
