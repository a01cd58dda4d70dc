//! Runs plans on real sockets: hosts are network namespaces, links an emulator that
//! decides by the simulator's own queues and wires, under the real clock.

pub mod audit;
pub mod books;
pub mod ip;
pub mod network;
pub mod pump;
mod seen;
mod stage;
pub mod tun;
