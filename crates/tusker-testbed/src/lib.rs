//! The testbed: hosts on this machine with real Linux sockets.
//!
//! A [`Host`] is a network namespace without a name, and its [`Tun`] is the other end of
//! its only cable: reading from it gives every packet that the host sends, and writing to
//! it delivers packets to the host. A [`Connection`] is one TCP connection between two
//! hosts, with one thread that sends and one that receives.
//!
//! Between the hosts is a [`network::Network`]: links that use the simulator's own queues
//! and wires. A [`pump::Pump`] moves packets through it in real time, and [`execute`] runs
//! a whole plan. A [`Shell`] instead offers a plan's hosts and links to any program, which
//! runs as a [`Program`] inside a host.
//!
//! None of this has a name outside the process. When the process ends for any reason,
//! namespaces, devices and connections disappear.
//!
//! Linux only; on other systems this crate is empty.
#![cfg(target_os = "linux")]

mod addresses;
pub mod arrivals;
pub mod audit;
pub mod books;
mod can;
mod clock;
mod coming;
mod directory;
mod endpoints;
mod ends;
mod error;
mod executor;
mod experiment;
mod flows;
mod host;
mod inside;
pub mod ip;
mod iperf;
mod laws;
pub mod ledger;
pub mod merge;
mod netlink;
pub mod network;
pub mod offload;
mod opening;
pub mod packet;
mod places;
pub mod pump;
mod reach;
mod repair;
mod rest;
mod rights;
mod routes;
mod seen;
mod senders;
mod series;
mod shell;
mod sights;
mod signals;
mod socket;
mod sources;
mod stage;
mod sys;
mod traffic;
mod tun;
mod ways;

pub use arrivals::{Arrival, Became};
pub use audit::{Audit, Limits};
pub use can::{Refusal, can, can_with, fits};
pub use clock::clock;
pub use endpoints::differences;
pub use error::Error;
pub use executor::Testbed;
pub use experiment::{Client, How, Measured, execute};
pub use host::Host;
pub use inside::{Place, Program};
pub use iperf::Iperf3;
pub use laws::{Names, changed, kernel_name};
pub use reach::Reach;
pub use rights::{Rights, enter, enter_that_of, other_end, rights};
pub use shell::{Carried, Ended, Offer, Shell, around, shell};
pub use signals::Signals;
pub use socket::{CaState, Connection, Info, Options, laws};
pub use tun::Tun;
