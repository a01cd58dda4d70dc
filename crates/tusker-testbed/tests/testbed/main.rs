//! The parts of the testbed, and plans on real sockets. `faults`, `host_gone` and `iperf3`
//! start their own program again or count what it has, so they are separate test programs.
#![cfg(target_os = "linux")]

mod endpoints;
mod execute;
mod host_connection;
mod host_namespace;
mod merge;
mod network;
mod offload;
mod record;
mod repairs;
mod sources;
#[path = "../support/mod.rs"]
mod support;
#[path = "../valid/mod.rs"]
mod valid;
