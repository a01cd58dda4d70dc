//! Files of other tools: what they measured, and what explains it.
//!
//! ```text
//!  iperf3, ss, Flent, qlog, pcap --read--> Measured --Question--> causes, simulated --> Diagnosis
//!  tc, Mahimahi, traces --import--> Scenario, and where it differs
//! ```
//!
//! Readers turn a file into plain values; none trusts what it reads. [`diagnose`] asks which
//! limit explains a measured goodput.

mod choose;
pub mod diagnose;
mod flent;
pub mod import;
mod iperf;
mod measured;
mod mistake;
mod pcap;
mod qlog;
mod read;
mod ss;

pub use measured::{Interval, Measured, Tool};
pub use mistake::Mistake;
pub use read::{MAX_BYTES, read};
